//! Subqueries that reduce rows, and that nodes can evaluate over their own ones, wholly or in part: their answers are gathered instead of the
//! rows that they read.

use super::super::locality::{self, Spread};
use super::super::parser;
use super::super::scope::Scopes;
use super::build::Division;
use super::{division_of, finish, outer, used};
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
    let text = parser::c_text(text);
    let statement = parser::parse(&text)?[0];
    let query = parser::analyse(statement, &text, parameters)?.query;
    let queries = parser::rewrite(query)?;
    let &[rewritten] = queries.as_slice() else {
        return Ok(None);
    };
    let mut scopes = Scopes::default();
    let scope = scopes.add(rewritten, None, 0);
    let Spread::Partitioned { keys } = locality::rows(&mut scopes, scope) else {
        return Ok(None);
    };
    // Policies may read more.
    if scopes.relations.len() != used::mentions(query) || scopes.reads_system_columns() {
        return Ok(None);
    }
    let division = match division_of(&mut scopes, scope, query, &keys) {
        Ok(None) => finish::divide(query),
        Ok(Some(division)) if !division.pulls_rows => division,
        _ => return Ok(None),
    };
    let usable = !division.columns.types().contains(&pg_sys::RECORDOID);
    Ok(usable.then_some(division))
}

/// Whether it likely gives fewer rows than it reads.
fn reduces(level: &pg_sys::Query) -> bool {
    let groups = level.hasAggs
        || !level.groupClause.is_null()
        || !level.distinctClause.is_null()
        || !level.limitCount.is_null();
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
    !outer::is_known_to(level) && !unsafe { pg_sys::contain_volatile_functions(node) }
}
