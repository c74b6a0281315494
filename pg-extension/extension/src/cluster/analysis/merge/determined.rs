//! Whether UPDATE ... FROM gives each row the same values whichever of the rows that match it is taken: PostgreSQL takes any.

use super::super::tree::{self, NodePtr};
use pgrx::pg_sys;

/// True for an UPDATE that assigns nothing from FROM but what queries of one row give. That one row of a table matches at most is not enough: a
/// router may know the statement for longer than the table has its key.
pub fn is_one(query: &pg_sys::Query) -> bool {
    let direct = direct_items(query);
    let mut read = ranges_in(query.targetList.cast()).into_iter();
    read.all(|range| {
        range == query.resultRelation || direct.contains(&range) && gives_one_row(query, range)
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
pub fn ranges_in(expression: NodePtr) -> Vec<i32> {
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

/// Whether that entry is a query that aggregates all its rows, which are the same for each row beside it.
fn gives_one_row(query: &pg_sys::Query, range: i32) -> bool {
    // SAFETY: an entry of the range table.
    let entry = unsafe { &*tree::range(query, range) };
    !entry.lateral
        && tree::cast::<pg_sys::Query, _>(entry.subquery).is_some_and(|inner| {
            inner.hasAggs
                && inner.groupClause.is_null()
                && inner.groupingSets.is_null()
                && !inner.hasTargetSRFs
        })
}
