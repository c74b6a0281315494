//! Assignments that leave a column as it is, as those who write all columns of a row make them: `DO UPDATE SET key = excluded.key` for a row that has
//! the same key, `SET key = s.key` in a MERGE that compares the two. A distribution column may be assigned so; the node looks at the row. In an UPDATE,
//! `SET key = 3, n = 5 WHERE key = 3` says no more without the key.

use super::conditions::equality_sides;
use super::merge::build;
use super::relation::Relation;
use super::tree::{self, NodePtr};
use super::{insert, merge_into, moved_rows, operand};
use crate::boundary::PostgresError;
use crate::compat;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};

/// Whether what DO UPDATE or MERGE assigns is equal to what the column has.
pub fn is_one(query: &pg_sys::Query, entry: &pg_sys::TargetEntry) -> bool {
    let value = operand::strip_casts(entry.expr.cast());
    if is_inserted(query, entry) {
        return true;
    }
    let Some(column) = tree::cast::<pg_sys::Var, _>(value).filter(|column| column.varlevelsup == 0)
    else {
        return false;
    };
    // An UPDATE moves rows, and may well move them to where they are. Of rows of partitions, the node knows only what a column is assigned.
    // SAFETY: a look-up of a relation that is locked.
    let kind = unsafe { pg_sys::get_rel_relkind(tree::target(query)) } as u8;
    let is_checked = match kind {
        pg_sys::RELKIND_RELATION => query.commandType != CmdType::CMD_UPDATE,
        pg_sys::RELKIND_PARTITIONED_TABLE => {
            query.commandType == CmdType::CMD_INSERT && tree::equal(value, entry.expr)
        }
        _ => false,
    };
    if !is_checked {
        return false;
    }
    if column.varno == query.resultRelation {
        return column.varattno == entry.resno && tree::equal(value, entry.expr);
    }
    is_excluded(query, column, entry.resno) || is_compared(query, column, entry.resno)
}

/// Whether it is the value that the one row has which could not be inserted.
fn is_inserted(query: &pg_sys::Query, entry: &pg_sys::TargetEntry) -> bool {
    // SAFETY: a look-up of a relation that is locked.
    let kind = unsafe { pg_sys::get_rel_relkind(tree::target(query)) } as u8;
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let is_one_row = from.is_some_and(|from| from.fromlist.is_null()) && !query.hasTargetSRFs;
    if query.onConflict.is_null() || kind != pg_sys::RELKIND_RELATION || !is_one_row {
        return false;
    }
    let known = operand::value(entry.expr.cast()).is_some();
    known
        && conflict_columns(query).contains(&entry.resno)
        && tree::list::<pg_sys::TargetEntry>(query.targetList)
            .any(|inserted| inserted.resno == entry.resno && tree::equal(inserted.expr, entry.expr))
}

/// The columns by which ON CONFLICT finds the row that is there.
fn conflict_columns(query: &pg_sys::Query) -> Vec<i16> {
    // SAFETY: null, or an OnConflictExpr.
    match unsafe { query.onConflict.as_ref() }.map(|conflict| conflict.constraint) {
        Some(constraint) if constraint != Oid::INVALID => columns_of(constraint),
        Some(_) => insert::arbiter(query).unwrap_or_default(),
        None => Vec::new(),
    }
}

/// Whether it is the same column of the row that could not be inserted, because the row that is there has an equal one.
fn is_excluded(query: &pg_sys::Query, column: &pg_sys::Var, attribute: i16) -> bool {
    // SAFETY: null, or an OnConflictExpr.
    let Some(conflict) = (unsafe { query.onConflict.as_ref() }) else {
        return false;
    };
    conflict_columns(query).contains(&attribute)
        && (column.varno, column.varattno) == (conflict.exclRelIndex, attribute)
}

/// The columns of a constraint's unique index.
fn columns_of(constraint: Oid) -> Vec<i16> {
    // SAFETY: a catalogue look-up; gives InvalidOid without an index.
    let index = unsafe { pg_sys::get_constraint_index(constraint) };
    let Some(index) = Opened::open(index, pg_sys::AccessShareLock) else {
        return Vec::new();
    };
    // SAFETY: an open index has as many columns.
    unsafe {
        let form = &*(*index.relation()).rd_index;
        form.indkey
            .values
            .as_slice(form.indnkeyatts as usize)
            .to_vec()
    }
}

/// Whether it is the column of USING that ON compares with this one.
fn is_compared(query: &pg_sys::Query, column: &pg_sys::Var, attribute: i16) -> bool {
    query.commandType == CmdType::CMD_MERGE
        && merge_into::compared_with(query, column.varno, attribute)
            .is_some_and(|compared| compared.varattno == column.varattno)
}

/// An UPDATE without the assignments that give distribution columns what WHERE says they have; `None` when there are none, or no others.
pub fn without_kept(
    query: &pg_sys::Query,
    target: &Relation,
) -> Result<Option<&'static mut pg_sys::Query>, PostgresError> {
    let (Some(spreading), CmdType::CMD_UPDATE) = (target.spreading(), query.commandType) else {
        return Ok(None);
    };
    let places = |entry: &pg_sys::TargetEntry| {
        let mut columns = spreading.columns.iter();
        !entry.resjunk && columns.any(|(attribute, _)| *attribute == entry.resno)
    };
    let (kept, others): (Vec<_>, Vec<_>) = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .partition(|entry| places(entry) && is_said(query, entry));
    if kept.is_empty() || others.is_empty() || target.oid != tree::target(query) {
        return Ok(None);
    }
    moved_rows::check_privilege(query, target)?;
    let without = build::copy(query);
    without.targetList = tree::make_list(
        others
            .into_iter()
            .map(|entry| tree::copy(std::ptr::from_ref(entry)).cast()),
    );
    Ok(Some(without))
}

/// A MERGE into a partitioned table without the assignments that give distribution columns the value of USING that ON compares them with, or their
/// own; `None` when there are none. Of others the node looks at the row.
pub fn merge_without_kept(
    query: &pg_sys::Query,
    target: &Relation,
) -> Result<Option<&'static mut pg_sys::Query>, PostgresError> {
    // SAFETY: a look-up of a relation that is locked.
    let kind = unsafe { pg_sys::get_rel_relkind(tree::target(query)) } as u8;
    let (Some(spreading), CmdType::CMD_MERGE, pg_sys::RELKIND_PARTITIONED_TABLE) =
        (target.spreading(), query.commandType, kind)
    else {
        return Ok(None);
    };
    let is_kept = |entry: &pg_sys::TargetEntry| {
        let mut columns = spreading.columns.iter();
        columns.any(|(attribute, _)| *attribute == entry.resno)
            && tree::cast::<pg_sys::Var, _>(entry.expr).is_some_and(|column| {
                let is_own = (column.varno, column.varattno, column.varlevelsup)
                    == (query.resultRelation, entry.resno, 0);
                let is_same = EXACT.contains(&column.vartype)
                    && column.varlevelsup == 0
                    && is_compared(query, column, entry.resno);
                is_own || is_same
            })
    };
    let without = build::copy(query);
    let mut drops = false;
    for action in tree::nodes(without.mergeActionList) {
        // SAFETY: an action of a private copy, of which nothing else is held.
        let action = unsafe { &mut *action.cast::<pg_sys::MergeAction>() };
        if action.commandType != CmdType::CMD_UPDATE || !compat::is_matched(action) {
            continue;
        }
        let (kept, others): (Vec<_>, Vec<_>) =
            tree::list::<pg_sys::TargetEntry>(action.targetList).partition(|entry| is_kept(entry));
        if kept.is_empty() || others.is_empty() {
            continue;
        }
        let others = others
            .into_iter()
            .map(|entry| std::ptr::from_ref(entry).cast_mut().cast());
        action.targetList = tree::make_list(others);
        drops = true;
    }
    if !drops {
        return Ok(None);
    }
    moved_rows::check_privilege(query, target)?;
    Ok(Some(without))
}

/// Where other types say that values are equal, these may be written in several ways.
const EXACT: [Oid; 8] = [
    pg_sys::INT2OID,
    pg_sys::INT4OID,
    pg_sys::INT8OID,
    pg_sys::TEXTOID,
    pg_sys::VARCHAROID,
    pg_sys::UUIDOID,
    pg_sys::DATEOID,
    pg_sys::BOOLOID,
];

/// Whether WHERE says that the column has what it is assigned, or that is the column itself.
fn is_said(query: &pg_sys::Query, entry: &pg_sys::TargetEntry) -> bool {
    let is_column = |node: NodePtr| {
        tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| {
            (column.varno, column.varattno, column.varlevelsup)
                == (query.resultRelation, entry.resno, 0)
        })
    };
    let assigned = operand::without_length(entry.expr.cast());
    if is_column(assigned) {
        return true;
    }
    let Some(value) = operand::value(assigned).filter(|_| EXACT.contains(&tree::type_of(assigned)))
    else {
        return false;
    };
    let is_same = |node: NodePtr| {
        operand::value(node).is_some_and(|other| match value.get("param") {
            Some(number) => other.get("param") == Some(number),
            None => value["const"].is_string() && other["const"] == value["const"],
        })
    };
    let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree) else {
        return false;
    };
    tree::conjuncts(from.quals).into_iter().any(|conjunct| {
        equality_sides(conjunct).is_some_and(|(left, right)| {
            let (one, other) = (
                operand::strip_faithful(left),
                operand::strip_faithful(right),
            );
            (is_column(one) && is_same(right)) || (is_column(other) && is_same(left))
        })
    })
}
