//! A statement with changes in WITH, `WITH gone AS (DELETE ... RETURNING *) INSERT INTO archive SELECT * FROM gone`, in two: one query of WITH, which
//! runs before, and the statement over the rows that it returns. What is left is divided again, until nothing in WITH changes rows.
//!
//! On one PostgreSQL all queries of the statement have one snapshot, so a change is seen by the others through RETURNING alone. Here it runs before
//! them. So it is done only where the rest does not touch what the change touches (`touched.rs`); a query of WITH that reads such a table and
//! nothing of the changes is taken first.

use super::given_rows::{self, Given};
use super::merge::build;
use super::touched::{self, Touched};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, CmdType, CommonTableExpr, Oid};

/// Of a query as analysed; `None` when nothing in WITH changes rows, or no query of WITH can run before the rest.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    if !query.hasModifyingCTE {
        return Ok(None);
    }
    let statement = build::copy(query);
    let queries = WithQueries::of(statement);
    let Some(change) = queries.first_change() else {
        return Ok(None);
    };
    let mut firsts = vec![change];
    firsts.extend((0..queries.0.len()).filter(|with| queries.only_reads(*with)));
    for first in firsts {
        let Some(given) = take_first(query, first, parameters)? else {
            continue;
        };
        // What only reads is taken first for nothing else than being touched by the change.
        if first == change || reads_what_changes(&given, queries.by_itself(change))? {
            return Ok(Some(given));
        }
    }
    Ok(None)
}

/// The statement with that query of WITH taken first, or one that this one shares with others; `None` when the rest touches what changes.
fn take_first(
    query: &pg_sys::Query,
    with: usize,
    parameters: &[Oid],
) -> Result<Option<Given>, PostgresError> {
    let statement = build::copy(query);
    let queries = WithQueries::of(statement);
    let first = queries.unshared(with);
    let chosen = queries.0[first];
    let name = tree::string(chosen.ctename);
    let clashes = tree::list::<CommonTableExpr>(queries.query(first).cteList)
        .any(|inner| queries.named(&tree::string(inner.ctename)).is_some());
    if chosen.cterecursive || clashes {
        return Ok(None);
    }
    let source = queries.by_itself(first);
    let is_change = source.commandType != CmdType::CMD_SELECT;
    let needed = queries.needed_by(first);
    let kept = |with: &NodePtr| {
        tree::cast::<CommonTableExpr, _>(*with)
            .and_then(|with| queries.named(&tree::string(with.ctename)))
            .is_none_or(|at| !needed.contains(&at))
    };
    let readers = readers_of(statement, &name);
    statement.cteList = tree::make_list(tree::nodes(statement.cteList).filter(kept));
    let level = chosen.ctequery.cast();
    let Some(given) = given_rows::divide(query, statement, level, source, parameters)? else {
        return Ok(None);
    };
    if is_change && touched::meets(given.source, given.statement, &readers)? {
        return Ok(None);
    }
    Ok(Some(given))
}

fn reads_what_changes(given: &Given, change: &pg_sys::Query) -> Result<bool, PostgresError> {
    let changed = Touched::by(change)?;
    Ok(Touched::by(given.source)?.iter().any(|read| {
        changed
            .iter()
            .any(|changed| changed.changes() && changed.is_of(read))
    }))
}

/// The tables into which a query that reads these rows inserts others.
fn readers_of(statement: &pg_sys::Query, name: &str) -> Vec<Oid> {
    let queries = WithQueries::of(statement);
    let Some(with) = queries.named(name) else {
        return Vec::new();
    };
    let mut readers = Vec::new();
    for at in 0..queries.0.len() {
        if queries.needed_by(at).contains(&with) {
            readers.push(tree::target(queries.query(at)));
        }
    }
    let own = build::copy(statement);
    own.cteList = std::ptr::null_mut();
    let read = (0..queries.0.len()).any(|at| {
        let needs = at == with || queries.needed_by(at).contains(&with);
        needs && !given_rows::mentions(own, &queries.name(at), 0).is_empty()
    });
    if read {
        readers.push(tree::target(statement));
    }
    readers
}

/// The queries of a statement's WITH.
struct WithQueries(Vec<&'static CommonTableExpr>);

impl WithQueries {
    fn of(statement: &pg_sys::Query) -> Self {
        WithQueries(tree::list::<CommonTableExpr>(statement.cteList).collect())
    }

    fn name(&self, at: usize) -> String {
        tree::string(self.0[at].ctename)
    }

    fn named(&self, name: &str) -> Option<usize> {
        (0..self.0.len()).find(|at| self.name(*at) == name)
    }

    fn query(&self, at: usize) -> &'static pg_sys::Query {
        // SAFETY: an analysed query of WITH is a Query.
        unsafe { &*self.0[at].ctequery.cast() }
    }

    fn changes(&self, at: usize) -> bool {
        self.query(at).commandType != CmdType::CMD_SELECT
    }

    fn mentions(&self, at: usize, other: usize) -> bool {
        !given_rows::mentions(self.query(at), &self.name(other), 1).is_empty()
    }

    /// The queries whose rows this one reads, directly or not, in the order of WITH.
    fn needed_by(&self, at: usize) -> Vec<usize> {
        let mut needed = Vec::new();
        let mut open = vec![at];
        while let Some(next) = open.pop() {
            for other in 0..self.0.len() {
                if other != at && !needed.contains(&other) && self.mentions(next, other) {
                    needed.push(other);
                    open.push(other);
                }
            }
        }
        needed.sort_unstable();
        needed
    }

    /// Whether neither it nor what it needs changes rows.
    fn only_reads(&self, at: usize) -> bool {
        !self.changes(at)
            && !self
                .needed_by(at)
                .into_iter()
                .any(|other| self.changes(other))
    }

    /// The first change that needs none of the others.
    fn first_change(&self) -> Option<usize> {
        (0..self.0.len()).find(|at| {
            self.changes(*at)
                && !self
                    .needed_by(*at)
                    .into_iter()
                    .any(|other| self.changes(other))
        })
    }

    /// This query, or, as each is to run once, the first one that it needs and does not have to itself.
    fn unshared(&self, at: usize) -> usize {
        let needed = self.needed_by(at);
        let shared = needed.iter().copied().find(|inner| {
            (0..self.0.len()).any(|other| {
                other != at && !needed.contains(&other) && self.mentions(other, *inner)
            }) || self.is_read_outside(*inner)
        });
        shared.map_or(at, |inner| self.unshared(inner))
    }

    /// Whether the statement itself reads it.
    fn is_read_outside(&self, at: usize) -> bool {
        self.0[at].cterefcount > self.mentions_in_with(at) as i32
    }

    fn mentions_in_with(&self, at: usize) -> usize {
        (0..self.0.len())
            .map(|other| given_rows::mentions(self.query(other), &self.name(at), 1).len())
            .sum()
    }

    /// The query with those of WITH that it needs, as a statement.
    fn by_itself(&self, at: usize) -> &'static mut pg_sys::Query {
        let query = build::copy(self.query(at));
        // SAFETY: the copy is private; what it names in the WITH of the statement is in its own now, one level further down.
        unsafe { pg_sys::IncrementVarSublevelsUp(std::ptr::from_mut(query).cast(), -1, 1) };
        let needed = self.needed_by(at).into_iter();
        let with = needed.map(|inner| tree::copy(self.0[inner]).cast());
        let own = tree::nodes(query.cteList);
        query.cteList = tree::make_list(with.chain(own));
        query.hasRecursive |=
            tree::list::<CommonTableExpr>(query.cteList).any(|with| with.cterecursive);
        query.canSetTag = true;
        query
    }
}
