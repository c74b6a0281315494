//! Assignments that leave a column as it is, as those who write all columns of a row make them: `DO UPDATE SET key = excluded.key` for a row that has
//! the same key, `SET key = s.key` in a MERGE that compares the two. A distribution column may be assigned so; the node looks at the row.

use super::tree;
use super::{insert, merge_into, operand};
use pgrx::pg_sys::{self, CmdType};

/// Whether what DO UPDATE or MERGE assigns is equal to what the column has.
pub fn is_one(query: &pg_sys::Query, entry: &pg_sys::TargetEntry) -> bool {
    let value = operand::strip_casts(entry.expr.cast());
    let Some(column) = tree::cast::<pg_sys::Var, _>(value).filter(|column| column.varlevelsup == 0)
    else {
        return false;
    };
    // An UPDATE moves rows, and may well move them to where they are. Rows of partitions, the node does not look at.
    // SAFETY: a look-up of a relation that is locked.
    let kind = unsafe { pg_sys::get_rel_relkind(tree::target(query)) } as u8;
    if query.commandType == CmdType::CMD_UPDATE || kind != pg_sys::RELKIND_RELATION {
        return false;
    }
    if column.varno == query.resultRelation {
        return column.varattno == entry.resno && tree::equal(value, entry.expr);
    }
    is_excluded(query, column, entry.resno) || is_compared(query, column, entry.resno)
}

/// Whether it is the same column of the row that could not be inserted, because the row that is there has an equal one.
fn is_excluded(query: &pg_sys::Query, column: &pg_sys::Var, attribute: i16) -> bool {
    // SAFETY: null, or an OnConflictExpr.
    let Some(conflict) = (unsafe { query.onConflict.as_ref() }) else {
        return false;
    };
    let conflicts = insert::arbiter(query).is_some_and(|columns| columns.contains(&attribute));
    conflicts && (column.varno, column.varattno) == (conflict.exclRelIndex, attribute)
}

/// Whether it is the column of USING that ON compares with this one.
fn is_compared(query: &pg_sys::Query, column: &pg_sys::Var, attribute: i16) -> bool {
    query.commandType == CmdType::CMD_MERGE
        && merge_into::compared_with(query, column.varno, attribute)
            .is_some_and(|compared| compared.varattno == column.varattno)
}
