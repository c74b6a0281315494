//! Whether UPDATE ... FROM gives each row the same values whichever of the rows that match it is taken: PostgreSQL takes any.

use super::super::conditions;
use super::super::tree::{self, NodePtr};
use crate::boundary::functions;
use crate::opened::Opened;
use crate::operation::unique;
use pgrx::pg_sys::{self, Oid, RTEKind};

/// True for an UPDATE that assigns nothing from FROM but what one row at most can match.
pub fn is_one(query: &pg_sys::Query) -> bool {
    let direct = direct_items(query);
    ranges_in(query.targetList.cast()).into_iter().all(|range| {
        range == query.resultRelation
            || direct.contains(&range)
                && (gives_one_row(query, range) || matches_once(query, range))
    })
}

/// What stands in FROM by itself, not in a JOIN.
fn direct_items(query: &pg_sys::Query) -> Vec<i32> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    from.into_iter()
        .flat_map(|from| tree::nodes(from.fromlist))
        .filter_map(|item| tree::cast::<pg_sys::RangeTblRef, _>(item))
        .map(|item| item.rtindex)
        .collect()
}

/// The entries of the query's own range table that an expression reads, also from within subqueries.
fn ranges_in(expression: NodePtr) -> Vec<i32> {
    let mut found = Vec::new();
    let mut member = -1;
    // SAFETY: a valid expression of a query that has not been planned, in which nothing needs the planner.
    unsafe {
        let set = pg_sys::pull_varnos(std::ptr::null_mut(), expression);
        loop {
            member = pg_sys::bms_next_member(set, member);
            if member < 0 {
                return found;
            }
            found.push(member);
        }
    }
}

/// Whether that entry is a query that aggregates all its rows.
fn gives_one_row(query: &pg_sys::Query, range: i32) -> bool {
    subquery(query, range).is_some_and(|inner| {
        inner.hasAggs
            && inner.groupClause.is_null()
            && inner.groupingSets.is_null()
            && !inner.hasTargetSRFs
    })
}

fn subquery(query: &pg_sys::Query, range: i32) -> Option<&'static pg_sys::Query> {
    // SAFETY: an entry of the range table.
    tree::cast::<pg_sys::Query, _>(unsafe { (*tree::range(query, range)).subquery })
}

/// Whether WHERE compares what makes the entry's rows distinct with what a row that changes has.
fn matches_once(query: &pg_sys::Query, range: i32) -> bool {
    let compared = compared_columns(query, range);
    // SAFETY: an entry of the range table.
    let entry = unsafe { &*tree::range(query, range) };
    match entry.rtekind {
        RTEKind::RTE_SUBQUERY => !entry.lateral && is_distinct(entry.subquery, &compared),
        RTEKind::RTE_RELATION => has_key(entry.relid, &compared),
        _ => false,
    }
}

fn is_distinct(subquery: *mut pg_sys::Query, compared: &[(i16, Oid)]) -> bool {
    let mut columns = std::ptr::null_mut();
    let mut operators = std::ptr::null_mut();
    // SAFETY: two lists of one length, and a valid query, which is only read.
    unsafe {
        for (column, operator) in compared {
            columns = pg_sys::lappend_int(columns, i32::from(*column));
            operators = pg_sys::lappend_oid(operators, *operator);
        }
        pg_sys::query_is_distinct_for(subquery, columns, operators)
    }
}

fn has_key(table: Oid, compared: &[(i16, Oid)]) -> bool {
    let Some(opened) = Opened::open(table, pg_sys::AccessShareLock) else {
        return false;
    };
    // Children by inheritance have keys of their own.
    let whole = match opened.class().relkind as u8 {
        pg_sys::RELKIND_PARTITIONED_TABLE => true,
        // SAFETY: a catalogue lookup.
        pg_sys::RELKIND_RELATION => !unsafe { functions::has_subclass(table) },
        _ => false,
    };
    whole
        && unique::keys(&opened)
            .iter()
            .any(|key| key.is_fixed_by(compared))
}

/// The columns that WHERE sets equal to what is known of a row that changes, each with the operator.
fn compared_columns(query: &pg_sys::Query, range: i32) -> Vec<(i16, Oid)> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let conditions = from.map_or(Vec::new(), |from| tree::conjuncts(from.quals));
    let is_known = |other: NodePtr| {
        let mut ranges = ranges_in(other).into_iter();
        ranges.all(|range| range == query.resultRelation)
    };
    let mut found = Vec::new();
    for condition in conditions {
        let Some((left, right)) = conditions::equality_sides(condition) else {
            continue;
        };
        let operator = tree::cast::<pg_sys::OpExpr, _>(condition).map_or(Oid::INVALID, |e| e.opno);
        for (column, other) in [(left, right), (right, left)] {
            if let Some(column) = column_of(column, range).filter(|_| is_known(other)) {
                found.push((column, operator));
            }
        }
    }
    found
}

/// The number of a column of that entry; `varchar` is compared as `text`.
fn column_of(expression: NodePtr, range: i32) -> Option<i16> {
    let label = tree::cast::<pg_sys::RelabelType, _>(expression);
    let column = tree::cast::<pg_sys::Var, _>(label.map_or(expression, |label| label.arg.cast()))?;
    (column.varno == range && column.varlevelsup == 0 && column.varattno > 0)
        .then_some(column.varattno)
}
