//! Which rows a statement takes of those that several nodes have locked as their own first ones: a router lets go of the nodes that none is from.

use super::super::parser;
use super::super::tree;
use super::build::{self, Division};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, LockWaitPolicy, Oid};
use serde_json::{Value as Json, json};

/// A query over the workers' rows that gives the places of those that the statement takes, OFFSET included, from 1, and whether nodes wait for
/// locked rows; `None` where it takes all, or locks none. The combine query must still have the order, and the worker query the limit.
pub fn query(division: &Division, parameters: &[Oid]) -> Result<Option<Json>, PostgresError> {
    if division.worker.rowMarks.is_null() || division.worker.limitCount.is_null() {
        return Ok(None);
    }
    let all: Vec<Oid> = parameters
        .iter()
        .copied()
        .chain(division.columns.arrays())
        .collect();
    let taken = build::copy(division.combine);
    build::put_from(taken, build::numbered_rows(parameters.len(), &all)?);
    // SAFETY: copies a valid expression.
    taken.limitCount = unsafe { pg_sys::copyObjectImpl(division.worker.limitCount.cast()).cast() };
    taken.limitOffset = std::ptr::null_mut();
    taken.targetList = targets(taken, division.columns.len());
    let text = parser::deparse_for(taken, &[])?;
    build::check(&text, &all)?;
    let mut clauses = tree::list::<pg_sys::RowMarkClause>(division.worker.rowMarks);
    let waits = clauses.any(|clause| clause.waitPolicy == LockWaitPolicy::LockWaitBlock);
    Ok(Some(json!({ "text": text, "waits": waits })))
}

/// The place of a row, and what the rows are sorted by.
fn targets(taken: &pg_sys::Query, columns: usize) -> *mut pg_sys::List {
    let place = build::place(columns);
    let sorting = tree::list::<pg_sys::TargetEntry>(taken.targetList)
        .filter(|entry| entry.ressortgroupref > 0)
        .enumerate()
        .map(|(at, entry)| {
            let mut entry = *entry;
            entry.resno = at as i16 + 2;
            entry.resjunk = true;
            tree::copy(&raw const entry).cast()
        });
    tree::make_list(std::iter::once(build::target(place, 1).cast()).chain(sorting))
}
