//! The column that a statement assigns to, as its expressions read it.

use super::tree::{self, Any};
use pgrx::pg_sys;

/// Column `attribute` of relation `relation` of the range table.
#[derive(Clone, Copy)]
pub struct Column {
    /// The relation's number in the range table.
    pub relation: i32,
    /// The column's number in the relation.
    pub attribute: i16,
}

impl Column {
    /// Whether the node is the column itself.
    pub fn is(self, node: Any) -> bool {
        node.cast::<pg_sys::Var>().is_some_and(|variable| {
            variable.varno == self.relation
                && variable.varattno == self.attribute
                && variable.varlevelsup == 0
        })
    }

    /// The type of the column, if the expression reads it.
    pub fn type_in(self, node: Any) -> Option<pg_sys::Oid> {
        let mut type_ = None;
        tree::any_node(node.pointer(), &mut |node, _| {
            if self.is(node) {
                type_ = node.cast::<pg_sys::Var>().map(|variable| variable.vartype);
            }
            type_.is_some()
        });
        type_
    }

    /// Whether the expression reads the column, be it by its row.
    pub fn is_in(self, node: Any) -> bool {
        tree::any_node(node.pointer(), &mut |node, levels| {
            node.cast::<pg_sys::Var>().is_some_and(|variable| {
                variable.varno == self.relation
                    && variable.varlevelsup == levels
                    && (variable.varattno == self.attribute || variable.varattno == 0)
            })
        })
    }
}
