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
    // What a set-returning function gives for one row comes in its order: PostgreSQL sorts the rows first.
    // Rows that tie would not any more.
    let may_tie = query.limitOption == pg_sys::LimitOption::LIMIT_OPTION_WITH_TIES;
    let by_place = !may_tie
        && gives_series(query)
        && !query.sortClause.is_null()
        && query.distinctClause.is_null();
    if by_place {
        sort_by_place(combine, columns.len());
    }
    Division {
        order: Vec::new(),
        columns,
        worker,
        combine,
        pulls_rows: false,
        finish: Some(Finish {
            any_of: None,
            by_place,
        }),
    }
}

/// Whether a set-returning function is a column of the query, or of one inside.
fn gives_series(query: &pg_sys::Query) -> bool {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    tree::any(node, &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| level.hasTargetSRFs)
    })
}

/// Sorts rows by their places where all else is equal.
fn sort_by_place(combine: &mut pg_sys::Query, columns: usize) {
    let entries = tree::list::<pg_sys::TargetEntry>(combine.targetList);
    let reference = 1 + entries
        .map(|entry| entry.ressortgroupref)
        .max()
        .unwrap_or(0);
    let Some(clause) = build::grouping_clause(pg_sys::INT8OID, reference) else {
        return;
    };
    let number = tree::nodes(combine.targetList).count() as i16 + 1;
    let entry = build::target(build::place(columns), number);
    // SAFETY: an entry that was just made; appends to lists of a private copy.
    unsafe {
        (*entry).resjunk = true;
        (*entry).ressortgroupref = reference;
        combine.targetList = pg_sys::lappend(combine.targetList, entry.cast());
        let clause = std::ptr::from_mut(clause).cast();
        combine.sortClause = pg_sys::lappend(combine.sortClause, clause);
    }
}

/// Has a query give the rows up to the end of OFFSET + LIMIT.
pub fn limit_to_end(query: &mut pg_sys::Query) {
    query.limitCount = limit_with_offset(query.limitCount, query.limitOffset);
    query.limitOffset = std::ptr::null_mut();
}

/// `limit + offset`, or all that `bigint` holds when that is less; NULL (no limit) when the limit is.
fn limit_with_offset(limit: NodePtr, offset: NodePtr) -> NodePtr {
    if limit.is_null() || offset.is_null() {
        return limit;
    }
    if is_small(limit) && is_small(offset) {
        return arithmetic(INT8_PLUS, limit, offset);
    }
    // What is negative is refused by who finishes, in PostgreSQL's words.
    let rows = extremum(pg_sys::MinMaxOp::IS_GREATEST, limit, number(0));
    let left = arithmetic(INT8_MINUS, number(i64::MAX), rows);
    let skipped = extremum(pg_sys::MinMaxOp::IS_LEAST, offset, left);
    arithmetic(INT8_PLUS, limit, skipped)
}

/// Whether the sum of two such numbers fits.
fn is_small(value: NodePtr) -> bool {
    if let Some(cast) = tree::cast::<pg_sys::FuncExpr, _>(value) {
        return cast.funcid == Oid::from(pg_sys::F_INT8_INT4);
    }
    tree::cast::<pg_sys::Const, _>(value).is_some_and(|constant| {
        constant.consttype == pg_sys::INT8OID
            && !constant.constisnull
            && i32::try_from(constant.constvalue.value() as i64).is_ok()
    })
}

fn number(value: i64) -> NodePtr {
    let size = size_of::<i64>() as i32;
    let value = pg_sys::Datum::from(value);
    // SAFETY: makes a constant of a type that is passed by value.
    unsafe { pg_sys::makeConst(pg_sys::INT8OID, -1, Oid::INVALID, size, value, false, true).cast() }
}

/// LEAST or GREATEST of two values, of which NULL is none.
fn extremum(which: pg_sys::MinMaxOp::Type, one: NodePtr, other: NodePtr) -> NodePtr {
    let node = tree::make::<pg_sys::MinMaxExpr>();
    node.op = which;
    node.minmaxtype = pg_sys::INT8OID;
    node.location = -1;
    node.args = tree::make_list([one, other]);
    std::ptr::from_mut(node).cast()
}

fn arithmetic(operator: u32, left: NodePtr, right: NodePtr) -> NodePtr {
    // SAFETY: both are bigint expressions; the operator is bigint's own.
    unsafe {
        let call = pg_sys::make_opclause(
            Oid::from(operator),
            pg_sys::INT8OID,
            false,
            left.cast(),
            right.cast(),
            Oid::INVALID,
            Oid::INVALID,
        );
        pg_sys::set_opfuncid(call.cast());
        call.cast()
    }
}

/// The operators `bigint + bigint` and `bigint - bigint`.
const INT8_PLUS: u32 = 684;
const INT8_MINUS: u32 = 685;
