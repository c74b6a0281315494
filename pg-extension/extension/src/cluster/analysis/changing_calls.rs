//! Which statements that change rows cannot run over what their functions read first (`over_tables.rs`).

use super::super::procedure;
use super::functions;
use super::tree::{self, NodePtr};
use crate::catalog;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, Oid};
use std::collections::BTreeSet;

/// Whether a VOLATILE function may see what the statement has changed so far: as each of its queries sees its own moment, what it gives for one row
/// depends on the rows before.
pub fn see_changes(query: &pg_sys::Query) -> bool {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let target = tree::target(query);
    let changed = family(target);
    functions::opaque_of(node).into_iter().any(|function| {
        procedure::read_by(function).is_none_or(|reads| {
            let mut tables = reads.tables.into_iter().map(Oid::from);
            reads.volatile
                && (changed
                    .iter()
                    .any(|table| fires_triggers(Oid::from(*table)))
                    || tables.any(|table| !family(table).is_disjoint(&changed)))
        })
    })
}

/// A table and all below it, which hold its rows.
fn family(table: Oid) -> BTreeSet<u32> {
    let below = missing::descendants(table).into_iter();
    below.chain([table]).map(|table| table.to_u32()).collect()
}

/// Whether triggers of users may change others while the statement runs.
fn fires_triggers(table: Oid) -> bool {
    Opened::open(table, pg_sys::AccessShareLock).is_none_or(|table| {
        let mut triggers = table.triggers().iter();
        triggers.any(|trigger| !trigger.tgisinternal && !catalog::is_of_extension(trigger.tgfoid))
    })
}
