//! Rows of the workers are rows of the answer: DISTINCT, ORDER BY and LIMIT are done again over all of them.

use super::super::tree::{self, NodePtr};
use super::build::{self, Division, Finish, WorkerColumns};
use pgrx::pg_sys::{self, Oid};

/// Workers sort only when they limit; they give the rows up to the end of OFFSET + LIMIT.
pub fn divide(query: &'static pg_sys::Query) -> Division {
    let mut columns = WorkerColumns::default();
    let mut combine_targets: Vec<NodePtr> = Vec::new();
    for entry in tree::list::<pg_sys::TargetEntry>(query.targetList) {
        let column = columns.push(entry.expr.cast(), entry.ressortgroupref);
        let mut entry = *entry;
        entry.expr = columns.read(column).cast();
        combine_targets.push(tree::copy(&raw const entry).cast());
    }
    let worker = build::copy(query);
    let unlimited = worker.limitCount.is_null();
    if unlimited && !worker.hasDistinctOn {
        worker.sortClause = std::ptr::null_mut();
    }
    limit_to_end(worker);

    let combine = build::copy(query);
    combine.targetList = tree::make_list(combine_targets);
    combine.groupClause = std::ptr::null_mut();
    combine.groupDistinct = false;
    combine.havingQual = std::ptr::null_mut();
    combine.windowClause = std::ptr::null_mut();
    combine.hasAggs = false;
    combine.hasWindowFuncs = false;
    combine.hasTargetSRFs = false;
    Division {
        order: Vec::new(),
        columns,
        worker,
        combine,
        pulls_rows: false,
        finish: Some(Finish { any_of: None }),
    }
}

/// Has a query give the rows up to the end of OFFSET + LIMIT.
pub fn limit_to_end(query: &mut pg_sys::Query) {
    query.limitCount = limit_with_offset(query.limitCount, query.limitOffset);
    query.limitOffset = std::ptr::null_mut();
}

/// `limit + offset`; NULL (no limit) when either is.
fn limit_with_offset(limit: NodePtr, offset: NodePtr) -> NodePtr {
    if limit.is_null() || offset.is_null() {
        return limit;
    }
    // SAFETY: both are bigint expressions; the operator is bigint's own.
    unsafe {
        let sum = pg_sys::make_opclause(
            Oid::from(INT8_PLUS),
            pg_sys::INT8OID,
            false,
            limit.cast(),
            offset.cast(),
            Oid::INVALID,
            Oid::INVALID,
        );
        (*sum.cast::<pg_sys::OpExpr>()).opfuncid = Oid::from(pg_sys::F_INT8PL);
        sum.cast()
    }
}

/// The operator `bigint + bigint`.
const INT8_PLUS: u32 = 684;
