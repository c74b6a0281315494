//! Distributed procedures on a node: which they are, and what watches over their bodies. See docs/design/procedures.md.
//!
//! From below: `record` (the catalogue), `placements` (where rows lie), `participants` (who runs the
//! current call), `guard` (what each query of a body needs), `insertion` (rows that belong to another node); and by itself
//! `body` (what a stored body does).
//!
//! Whom a call goes to is the router's business; nothing here talks to other nodes.

mod body;
pub mod guard;
pub mod insertion;
mod participants;
pub mod placements;
mod record;

pub use body::{
    blind_facts, block_changes, block_facts, body_facts, changes, is_alike_everywhere, read_by,
    selected, source_text,
};
pub use guard::{check_command, check_query};
pub use participants::{
    are_several, end_statement, install, is_idle, is_running, on_assign, statement_ends,
    statement_starts, told,
};
pub use record::{Record, find};
