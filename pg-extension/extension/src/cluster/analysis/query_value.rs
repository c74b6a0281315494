//! The value that a query gives: that of its one column in its first row, or NULL.

use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid};

/// As an expression, which holds a copy of the query if that reads anything; `None` when it has a LIMIT of its own, or no column.
pub fn of(query: &pg_sys::Query) -> Option<NodePtr> {
    match gives_one_row_of_nothing(query) {
        true => tree::list::<pg_sys::TargetEntry>(query.targetList)
            .find(|entry| !entry.resjunk)
            .map(|entry| tree::copy(entry.expr).cast()),
        false => subquery(query),
    }
}

/// Whether it is nothing but expressions.
pub fn gives_one_row_of_nothing(query: &pg_sys::Query) -> bool {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    query.cteList.is_null()
        && query.setOperations.is_null()
        && !query.hasAggs
        && !query.hasWindowFuncs
        && !query.hasTargetSRFs
        && query.groupClause.is_null()
        && query.groupingSets.is_null()
        && query.havingQual.is_null()
        && query.limitCount.is_null()
        && query.limitOffset.is_null()
        && from.is_some_and(|from| from.fromlist.is_null() && from.quals.is_null())
}

/// Whether it is aggregates of all rows, which are one row.
pub fn gives_one_group(query: &pg_sys::Query) -> bool {
    query.hasAggs
        && query.groupClause.is_null()
        && query.groupingSets.is_null()
        && query.havingQual.is_null()
        && !query.hasTargetSRFs
}

fn subquery(query: &pg_sys::Query) -> Option<NodePtr> {
    let query = tree::copy(std::ptr::from_ref(query));
    // SAFETY: a private copy; makes a constant.
    unsafe {
        if !(*query).limitCount.is_null() {
            return None;
        }
        if !gives_one_group(&*query) {
            let one = pg_sys::Datum::from(1_i64);
            let size = size_of::<i64>() as i32;
            let none = Oid::INVALID;
            (*query).limitCount =
                pg_sys::makeConst(pg_sys::INT8OID, -1, none, size, one, false, true).cast();
            (*query).limitOption = pg_sys::LimitOption::LIMIT_OPTION_COUNT;
        }
    }
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = pg_sys::SubLinkType::EXPR_SUBLINK;
    link.subselect = query.cast();
    link.location = -1;
    Some(std::ptr::from_mut(link).cast())
}
