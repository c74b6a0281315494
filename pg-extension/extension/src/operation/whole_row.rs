//! A row that a statement names as a whole, taken apart: the values in it must be read one by one where they are read in their
//! newest state.

use super::tree::{self, Any, Tree};
use crate::compat;
use pgrx::pg_sys::{self, Oid};

/// The row as an expression of its columns, with `replace` deciding what stands for each of these.
pub fn of_columns(
    row: Tree<pg_sys::Var>,
    relation: Oid,
    mut replace: impl FnMut(Tree<pg_sys::Var>) -> Option<Any>,
) -> Any {
    let columns: Vec<Any> = columns(relation)
        .into_iter()
        .map(|column| match column {
            Some(column) => {
                let mut variable = row.copy();
                variable.varattno = column.attnum;
                variable.varattnosyn = column.attnum;
                variable.vartype = column.atttypid;
                variable.vartypmod = column.atttypmod;
                variable.varcollid = column.attcollation;
                replace(variable).unwrap_or(variable.any())
            }
            None => dropped(),
        })
        .collect();
    tree::row(row.vartype, &columns)
}

/// The columns of a relation that the statement has locked; `None` for those that were dropped.
fn columns(relation: Oid) -> Vec<Option<pg_sys::FormData_pg_attribute>> {
    // SAFETY: opened and closed; a descriptor has so many columns.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(relation);
        if relation.is_null() {
            return Vec::new();
        }
        let columns = compat::columns_of((*relation).rd_att);
        let found = columns
            .iter()
            .map(|column| (!column.attisdropped).then_some(*column))
            .collect();
        pg_sys::RelationClose(relation);
        found
    }
}

/// PostgreSQL puts a NULL of any type there.
fn dropped() -> Any {
    // SAFETY: makes a node.
    let null = unsafe { pg_sys::makeNullConst(pg_sys::INT4OID, -1, Oid::INVALID) };
    match Tree::new(null) {
        Some(null) => null.any(),
        None => unreachable!("PostgreSQL made no node"),
    }
}
