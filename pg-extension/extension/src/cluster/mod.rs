//! The node side of a cluster: what a statement is about, which catalogue version its router must know, the gate
//! between coordinated commits and reads over several nodes, independent transactions, labels for the wait graph,
//! transaction tokens, and distributed procedures.
//!
//! Placement and decisions are SQL (see the install script). Nothing here talks to other nodes or chooses a route.

mod analysis;
pub mod gate;
pub mod hooks;
pub mod independent;
pub mod intent;
mod placed;
pub mod postgres;
mod procedure;
pub mod session_label;
pub mod settings;
pub mod transaction_token;
pub mod version;

/// Installs the settings and hooks of this room; called once when the library is loaded.
pub fn install() {
    settings::define();
    session_label::install();
    version::install();
    procedure::install();
    hooks::install();
    independent::install();
}
