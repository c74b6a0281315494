//! How the answers of several nodes to one statement become one answer.
//!
//! Either they are put one after the other, or one node runs a *combine* query over the rows that *worker* queries gave,
//! passed to it as array parameters. Both texts are written by PostgreSQL from its own trees, so types, collations,
//! operators and final functions are PostgreSQL's. Three ways to divide a SELECT between the two:
//! - `finish`: workers give finished rows; DISTINCT, ORDER BY and LIMIT are done again over all of them;
//! - `partial`: workers give partial aggregates per group;
//! - `pull`: workers give the rows of FROM and WHERE, everything else is done over them. Moves rows.
//!
//! Where rows of several nodes meet before that (joins by other columns, subqueries, set operations), there is one way more:
//! - `gather`: each node gives the rows of every relation that can matter, and one node runs the statement over them. A `change` is run by the nodes of
//!   the rows that change.
//! - `broadcast`: as `gather`, but the largest tables stay where they are, and each node gets the rows of the others.
//! - `repartition`: of these rows, each node gets those only that can meet something there.

mod aggregate;
mod broadcast;
pub mod build;
mod change;
mod decorrelate;
pub mod determined;
pub mod domains;
mod equal;
mod exists;
pub mod filter;
mod finish;
mod gather;
pub mod grouping;
mod inner_order;
mod keyed;
pub mod outer;
mod partial;
pub mod parts;
mod pull;
mod reduce;
mod repartition;
mod sorted_values;
mod subquery;
pub mod table_rows;
mod taken;
pub mod used;
pub mod whole_row;
mod window;

pub use gather::put_subquery;

use super::locality::{self, Key, Locality};
use super::one_match;
use super::relation::{Placement, Relation};
use super::scope::{ScopeId, Scopes};
use super::{parser, tree};
use crate::boundary::PostgresError;
use crate::cluster::settings;
use build::Division;
use gather::Stays;
use inner_order::Sorted;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// The merge plan of a statement; null when it reads no distributed table.
///
/// `query` is as analysed; `scope` belongs to the rewritten one.
pub fn facts(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    parameters: &[Oid],
) -> Result<Json, PostgresError> {
    if let Some(plan) = change::merge(scopes, query) {
        return gathered(scopes, query, parameters, plan);
    }
    let keys = match locality::rows(scopes, scope) {
        Locality::Everywhere | Locality::FirstNode => return copies(scopes, query, parameters),
        _ if grouping::has_twins(query) => return Ok(refuse(TWINS)),
        Locality::Mixed(reason) => return gathered(scopes, query, parameters, refuse(&reason)),
        Locality::Partitioned { keys } => keys,
    };
    if scopes.reads_system_columns() {
        return Ok(refuse(SYSTEM_COLUMN));
    }
    match query.commandType {
        CmdType::CMD_SELECT => {
            let merge = select(scopes, scope, query, &keys, parameters)?;
            gathered(scopes, query, parameters, merge)
        }
        _ => gathered(scopes, query, parameters, write(scopes)),
    }
}

/// Of a statement that reads no distributed table. Copies of a reference table may not be changed by what each node sees of others by itself.
fn copies(
    scopes: &Scopes,
    query: &'static pg_sys::Query,
    parameters: &[Oid],
) -> Result<Json, PostgresError> {
    let changes_copies = scopes
        .relations
        .iter()
        .any(|relation| relation.write && relation.placement == Placement::Reference);
    if changes_copies && one_match::concerns(query) {
        return Ok(refuse(ONE_MATCH));
    }
    if !changes_copies || scopes.relations.len() == 1 {
        return Ok(Json::Null);
    }
    gathered(
        scopes,
        query,
        parameters,
        refuse("copies of a table are changed by rows of others"),
    )
}

/// The plan, or where it is a refusal, the one that gathers rows, if that is possible.
fn gathered(
    scopes: &Scopes,
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    plan: Json,
) -> Result<Json, PostgresError> {
    let changes = change::is_one(query);
    if plan["mode"] != "refuse" || !(changes || query.commandType == CmdType::CMD_SELECT) {
        return Ok(plan);
    }
    let gather::Gathered {
        facts: mut merge,
        mentions,
        relations,
    } = match gather::divide(query, parameters, Stays::Nothing)? {
        Ok(divided) => divided,
        Err(obstacle) if changes || obstacle == gather::TOO_MANY => return Ok(refuse(obstacle)),
        Err(_) if locks_first_rows(query) => return Ok(refuse(WHICH_FIRST)),
        Err(_) => return Ok(plan),
    };
    // What policies read, each node would read among its own rows.
    let is_placed = |relation: &&Relation| relation.placement != Placement::Catalog;
    let placed = scopes.relations.iter().filter(is_placed).count();
    if relations + usize::from(changes) != placed {
        return Ok(refuse("a policy of one of its tables reads others"));
    }
    merge["reason"] = plan["reason"].clone();
    if !changes {
        merge["broadcast"] = json!(broadcast::facts(query, parameters, &mentions)?);
    }
    Ok(merge)
}

/// Why copies do not take whichever row of FROM they find.
const ONE_MATCH: &str = "of several rows in FROM that match one, each copy might take another";

/// Why a part of the statement cannot be written as SQL: there, equal expressions are one column.
const TWINS: &str = "GROUPING SETS, ROLLUP or CUBE over columns that are the same expression";

/// Why rows with such columns do not travel.
const SYSTEM_COLUMN: &str = "a system column such as ctid means something on one node only; tableoid::regclass, given as it is or as text, has a meaning for all";

const WHICH_FIRST: &str =
    "which rows of a join other than by key are the first ones depends on which can be locked";

fn locks_first_rows(query: &pg_sys::Query) -> bool {
    let limits = !query.limitCount.is_null() || !query.limitOffset.is_null();
    limits && !query.rowMarks.is_null()
}

fn refuse(reason: &str) -> Json {
    json!({ "mode": "refuse", "reason": reason })
}

fn concat() -> Json {
    json!({ "mode": "concat" })
}

/// A write that reads distributed rows is right on each node alone when it writes distributed rows.
fn write(scopes: &Scopes) -> Json {
    let all_distributed = scopes
        .relations
        .iter()
        .filter(|relation| relation.write)
        .all(|relation| matches!(relation.placement, Placement::Distributed(_)));
    if all_distributed {
        concat()
    } else {
        refuse("rows of a distributed table are written to a table that is not distributed")
    }
}

fn select(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    keys: &[Key],
    parameters: &[Oid],
) -> Result<Json, PostgresError> {
    match division_of(scopes, scope, query, keys) {
        Ok(None) => Ok(concat()),
        Ok(Some(division)) => {
            if division.finish.is_none() && !settings::PLAN_EXCHANGES.get() {
                let reason = refuse("abelian.plan_exchanges is off");
                let alone = gathered(scopes, query, parameters, reason)?;
                if alone["mode"] != "refuse" {
                    return Ok(alone);
                }
            }
            division.print(parameters)
        }
        Err(reason) => Ok(refuse(reason)),
    }
}

/// A SELECT that nodes can evaluate, each over its own rows.
struct Partitioned {
    query: &'static pg_sys::Query,
    scopes: Scopes,
    scope: ScopeId,
    keys: Vec<Key>,
}

impl Partitioned {
    /// Of a text of ours; `None` when nodes need rows of others.
    fn of_text(text: &str, parameters: &[Oid]) -> Result<Option<Partitioned>, PostgresError> {
        Partitioned::of_text_in(Scopes::default(), text, parameters, |_, _| ())
    }

    /// The same, after something was done with the scopes, which are given empty.
    fn of_text_in(
        mut scopes: Scopes,
        text: &str,
        parameters: &[Oid],
        prepare: impl FnOnce(&mut Scopes, ScopeId),
    ) -> Result<Option<Partitioned>, PostgresError> {
        let text = parser::c_text(text);
        let statement = parser::parse(&text)?[0];
        let query = parser::analyse(statement, &text, parameters)?.query;
        let queries = parser::rewrite(query)?;
        let &[rewritten] = queries.as_slice() else {
            return Ok(None);
        };
        let scope = scopes.add(rewritten, None, 0);
        prepare(&mut scopes, scope);
        let Locality::Partitioned { keys } = locality::rows(&mut scopes, scope) else {
            return Ok(None);
        };
        Ok(Some(Partitioned {
            query,
            scopes,
            scope,
            keys,
        }))
    }

    /// What nodes give and one node makes of it; rows that need only be put one after the other are that, too. An Err when there is no way.
    fn division(&mut self) -> Result<Division, &'static str> {
        let found = division_of(&mut self.scopes, self.scope, self.query, &self.keys)?;
        Ok(found.unwrap_or_else(|| finish::divide(self.query)))
    }
}

/// How the answers of nodes to a SELECT become one; `None` when they need only be put one after the other, an Err when there is no way.
fn division_of(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    keys: &[Key],
) -> Result<Option<Division>, &'static str> {
    if !is_constant(query.limitCount) || !is_constant(query.limitOffset) {
        return Err("LIMIT or OFFSET with a subquery");
    }
    let rewritten = scopes.scopes[scope].query;
    let grouped = locality::groups(query);
    let groups_are_local = query.groupingSets.is_null()
        && locality::contains_key(scopes, scope, rewritten, rewritten.groupClause, keys);
    let windows_are_local =
        !query.hasWindowFuncs || locality::windows_step(scopes, scope, rewritten, keys).is_none();
    let rows_are_final = (!grouped || groups_are_local) && windows_are_local;
    let distinct_is_local = query.distinctClause.is_null()
        || locality::contains_key(scopes, scope, rewritten, rewritten.distinctClause, keys);
    let unlimited = query.limitCount.is_null() && query.limitOffset.is_null();
    let sorted = match query.sortClause.is_null() || !rows_are_final {
        true => Sorted::of(query, rewritten),
        false => Ok(None),
    };
    if rows_are_final {
        if !inner_order::reorders(query)
            && let Some(sorted) = sorted?
        {
            return Ok(Some(finish::divide(sorted.lifted())));
        }
        let in_any_order = distinct_is_local && query.sortClause.is_null();
        if in_any_order && unlimited {
            return Ok(None);
        }
        let takes_any = in_any_order && query.rowMarks.is_null();
        let mut division = finish::divide(query);
        if let Some(finish) = &mut division.finish {
            finish.any_of = takes_any.then_some(query);
        }
        return Ok(Some(division));
    }
    let is_key =
        |scopes: &mut Scopes, expression| locality::is_key(scopes, scope, expression, keys);
    partial::divide(query, &mut |expression| is_key(scopes, expression))
        .map_or_else(|| pull::divide(query, sorted?), Ok)
        .map(Some)
}

/// Whether an expression can be evaluated without rows.
fn is_constant(expression: *const pg_sys::Node) -> bool {
    !tree::any(expression.cast_mut(), &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
            || tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// A division or the reason why there is none.
type Divided = Result<Division, &'static str>;
