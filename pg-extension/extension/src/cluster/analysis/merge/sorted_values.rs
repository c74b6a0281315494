//! ORDER BY of values that the workers give. A counter comes as its value, so it is sorted by the operators of that type: written as SQL, those of the
//! counter would not be found for it.

use super::super::tree::{self, NodePtr};
use super::build;
use crate::compat;
use crate::operation;
use pgrx::pg_sys::{self, Oid};

/// Has a query, and all that is in it, sort values by the operators of their types.
pub fn by_own_operators(query: &mut pg_sys::Query) {
    tree::walk(std::ptr::from_mut(query).cast(), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            sort_values(level.sortClause, level.targetList);
            for window in tree::list::<pg_sys::WindowClause>(level.windowClause) {
                sort_values(window.orderClause, level.targetList);
            }
        } else if let Some(aggregate) = tree::cast::<pg_sys::Aggref, _>(node) {
            sort_values(aggregate.aggorder, aggregate.args);
        }
        true
    });
}

fn sort_values(clauses: *const pg_sys::List, targets: *const pg_sys::List) {
    for clause in tree::nodes(clauses) {
        // SAFETY: a clause of a private copy, of which nothing else is held.
        let clause = unsafe { &mut *clause.cast::<pg_sys::SortGroupClause>() };
        let sorted = tree::list::<pg_sys::TargetEntry>(targets)
            .find(|entry| entry.ressortgroupref == clause.tleSortGroupRef);
        if let Some(entry) = sorted {
            sort_value(clause, entry.expr.cast());
        }
    }
}

fn sort_value(clause: &mut pg_sys::SortGroupClause, value: NodePtr) {
    let given = tree::type_of(value);
    let (mut family, mut sorted, mut strategy) = (Oid::INVALID, Oid::INVALID, 0);
    // SAFETY: a catalogue look-up.
    let is_ordering = clause.sortop != Oid::INVALID
        && unsafe {
            pg_sys::get_ordering_op_properties(
                clause.sortop,
                &mut family,
                &mut sorted,
                &mut strategy,
            )
        };
    if !is_ordering || sorted == given || build::value_type(sorted) != given {
        return;
    }
    let (less, equal, greater, hashable) = operation::operators(given);
    let ascends = strategy == compat::ASCENDING;
    clause.eqop = equal;
    clause.hashable = hashable;
    clause.sortop = if ascends { less } else { greater };
}
