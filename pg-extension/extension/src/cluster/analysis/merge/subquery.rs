//! Subqueries that reduce rows, and that nodes can evaluate over their own ones, wholly or in part: their answers are gathered instead of the
//! rows that they read.

use super::super::locality;
use super::super::parser;
use super::build::Division;
use super::{Partitioned, outer, used};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid};

/// Divides a query below the statement's own between nodes and a query that stands in its place, if that is possible and moves less.
pub fn divide(
    level: &mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<Option<Division>, PostgresError> {
    if !reduces(level) || !stands_alone(level) {
        return Ok(None);
    }
    let text = parser::deparse_for(level, &[])?;
    // What cannot be analysed by itself stays where it is.
    Ok(boundary::attempt(|| divided(&text, parameters)).unwrap_or(None))
}

fn divided(text: &str, parameters: &[Oid]) -> Result<Option<Division>, PostgresError> {
    let Some(mut partitioned) = Partitioned::of_text(text, parameters)? else {
        return Ok(None);
    };
    let scopes = &partitioned.scopes;
    // Policies may read more.
    if scopes.relations.len() != used::mentions(partitioned.query) || scopes.reads_system_columns()
    {
        return Ok(None);
    }
    let division = partitioned.division().ok();
    let Some(division) = division.filter(|division| !division.pulls_rows) else {
        return Ok(None);
    };
    let usable = !division.columns.has_anonymous_rows();
    Ok(usable.then_some(division))
}

/// Whether it likely gives fewer rows than it reads.
fn reduces(level: &pg_sys::Query) -> bool {
    let groups =
        locality::groups(level) || !level.distinctClause.is_null() || !level.limitCount.is_null();
    groups
        && level.commandType == pg_sys::CmdType::CMD_SELECT
        && level.setOperations.is_null()
        && level.rowMarks.is_null()
        && !level.hasModifyingCTE
}

/// Whether it knows nothing of the levels around it, and comes out alike however often it is asked.
fn stands_alone(level: &mut pg_sys::Query) -> bool {
    let node = std::ptr::from_mut(level).cast();
    // SAFETY: a valid query.
    !outer::reads_above(level) && !unsafe { pg_sys::contain_volatile_functions(node) }
}
