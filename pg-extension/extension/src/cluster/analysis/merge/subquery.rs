//! Subqueries that reduce rows, and that nodes can evaluate over their own ones, wholly or in part: their answers are gathered instead of the
//! rows that they read.

use super::super::locality::{self, Spread};
use super::super::parser;
use super::super::scope::Scopes;
use super::super::tree;
use super::build::Division;
use super::{division_of, finish, outer};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid};

/// A subquery, divided.
pub struct Divided {
    /// Between the nodes and the query that stands in its place.
    pub division: Division,
    /// How many mentions of relations it has.
    pub mentions: usize,
}

/// Divides a query below the statement's own, if that is possible and moves less.
pub fn divide(
    level: &mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<Option<Divided>, PostgresError> {
    if !reduces(level) || !stands_alone(level) {
        return Ok(None);
    }
    let text = parser::deparse_for(level, &[])?;
    // What cannot be analysed by itself stays where it is.
    Ok(boundary::attempt(|| divided(&text, parameters)).unwrap_or(None))
}

fn divided(text: &str, parameters: &[Oid]) -> Result<Option<Divided>, PostgresError> {
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
    let mentions = relations(query);
    // Policies may read more.
    if scopes.relations.len() != mentions || scopes.reads_system_columns() {
        return Ok(None);
    }
    let division = match division_of(&mut scopes, scope, query, &keys) {
        Ok(None) => finish::divide(query),
        Ok(Some(division)) if !division.pulls_rows => division,
        _ => return Ok(None),
    };
    let usable = !division.columns.types().contains(&pg_sys::RECORDOID);
    Ok(usable.then_some(Divided { division, mentions }))
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

/// How many mentions of relations a query has, at any depth.
fn relations(query: &pg_sys::Query) -> usize {
    let mut count = 0;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            count += super::used::relations(level).len();
        }
        true
    });
    count
}
