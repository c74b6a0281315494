//! A statement by rows that a subquery locks, `DELETE ... WHERE id IN (SELECT ... LIMIT 10 FOR UPDATE SKIP LOCKED)`, in two: the subquery, as a query of
//! its own over all nodes, and the statement over the rows that it gives, as one array parameter for each column after the statement's own. Both are
//! one transaction, so the rows stay as they were locked.

use super::given_rows::{self, Given};
use super::merge::{build, outer};
use super::tree;
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};

/// Of a query as analysed, by the first subquery that locks rows; `None` when there is none, or what it gives depends on rows outside of it.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    let statement = build::copy(query);
    let Some(level) = locking_level(statement) else {
        return Ok(None);
    };
    // SAFETY: a level of a private copy.
    let inner = unsafe { &*level };
    if outer::reads_above(inner) || is_locked_from_outside(inner) {
        return Ok(None);
    }
    let source = build::copy(inner);
    given_rows::divide(query, statement, level, source, 0, parameters)
}

/// The first level below the statement's own that locks rows, not one inside of it, which locks what this one says.
fn locking_level(statement: &pg_sys::Query) -> Option<*mut pg_sys::Query> {
    let mut found = None;
    tree::walk(
        std::ptr::from_ref(statement).cast_mut().cast(),
        &mut |node| {
            let inner = tree::cast::<pg_sys::Query, _>(node)
                .filter(|level| !std::ptr::eq(*level, statement) && !level.rowMarks.is_null());
            if found.is_none() && inner.is_some() {
                found = Some(node.cast());
            }
            found.is_none()
        },
    );
    found
}

/// Whether it is a level further up that says so: the query would lock nothing by itself.
fn is_locked_from_outside(level: &pg_sys::Query) -> bool {
    tree::list::<pg_sys::RowMarkClause>(level.rowMarks).any(|mark| mark.pushedDown)
}
