//! The node side of a cluster: what a statement is about, which catalogue version its router must know, the gate
//! between coordinated commits and reads over several nodes, what such reads find out about their snapshots, independent transactions, labels for the wait graph, settings of the session,
//! transaction tokens, what runs inside functions, numbers of identity columns, the order of changes of reference tables, the form of rows for other nodes, distributed procedures, and what a router says on its clients' connections.
//!
//! Placement and decisions are SQL (see the install script). Nothing here talks to other nodes or chooses a route.

pub(crate) mod analysis;
mod block;
mod bound_portal;
mod column_fill;
mod completed_snapshot;
mod copies;
mod decision;
mod evidence;
mod exact_texts;
mod foreign_key;
pub mod gate;
mod gathered_statistics;
mod gathered_tables;
pub mod hooks;
mod identity_value;
pub mod independent;
pub mod intent;
mod kept_rows;
mod key_change;
mod lookup;
mod misplaced;
mod moving;
mod nested;
mod ownership;
pub mod passages;
mod placed;
mod placement;
mod placement_calls;
pub mod postgres;
mod procedure;
mod refused;
mod role_passwords;
mod row_triggers;
mod run_as;
pub mod rw_conflicts;
mod schema_change;
pub mod seal;
mod sequence_commands;
mod serializable;
pub mod session_label;
mod session_locks;
mod session_settings;
pub mod settings;
mod shared_clock;
mod shared_snapshot;
mod temporary_objects;
mod told_statements;
pub mod transaction_token;
mod unique_index;
pub mod version;
mod vote;

/// Installs the settings and hooks of this room; called once when the library is loaded.
pub fn install() {
    settings::define();
    session_label::install();
    session_locks::install();
    session_settings::install();
    version::install();
    procedure::install();
    schema_change::install();
    vote::install();
    evidence::install();
    exact_texts::install();
    shared_snapshot::install();
    gathered_statistics::install();
    gathered_tables::install();
    kept_rows::install();
    refused::install();
    row_triggers::install();
    block::install();
    told_statements::install();
    hooks::install();
    independent::install();
}
