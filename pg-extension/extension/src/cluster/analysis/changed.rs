//! A statement with changes in WITH, `WITH gone AS (DELETE ... RETURNING *) INSERT INTO archive SELECT * FROM gone`, in two: one query of WITH, which
//! runs before, and the statement over the rows that it returns. What is left is divided again, until nothing in WITH changes rows.
//!
//! On one PostgreSQL all queries of the statement have one snapshot, so a change is seen by the others through RETURNING alone. Here it runs before
//! them. So what the rest reads of a changed table is read first (`read_first.rs`), and other changes of the table leave its rows alone
//! (`changed_once.rs`); where the rest would touch what the change touches all the same (`touched.rs`), the statement is refused.

use super::changed_once::{OtherChanges, are_disjoint};
use super::given_rows::{self, Given};
use super::merge::{build, parts};
use super::read_first;
use super::touched::{self, Touched};
use super::tree;
use super::with_queries::WithQueries;
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, CmdType, CommonTableExpr, Oid};

/// Of a query as analysed; `None` when nothing in WITH changes rows, or nothing can be taken out of the statement.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    if !query.hasModifyingCTE {
        return Ok(None);
    }
    let statement = build::copy(query);
    let queries = WithQueries::of(statement);
    let changes = queries.ready_changes();
    for change in &changes {
        let given = take_first(query, *change, parameters)?;
        if given.is_some() {
            return Ok(given);
        }
    }
    // What only reads is taken first for nothing else than being touched by a change.
    for reading in (0..queries.0.len()).filter(|with| queries.only_reads(*with)) {
        let Some(given) = take_first(query, reading, parameters)? else {
            continue;
        };
        for change in &changes {
            if reads_what_changes(&given, queries.by_itself(Some(*change), statement))? {
                return Ok(Some(given));
            }
        }
    }
    for change in changes {
        let given = read_before(query, change, parameters)?;
        if given.is_some() {
            return Ok(given);
        }
    }
    Ok(None)
}

/// Takes first what the rest reads of the tables that a change, or what follows from it, changes.
fn read_before(
    query: &pg_sys::Query,
    change: usize,
    parameters: &[Oid],
) -> Result<Option<Given>, PostgresError> {
    let statement = build::copy(query);
    let queries = WithQueries::of(statement);
    let source = queries.by_itself(Some(change), statement);
    // Effects of its own, as those of triggers, the rest meets whatever it reads.
    if touched::meets(source, parts::select([], std::ptr::null_mut()), &[], None)? {
        return Ok(None);
    }
    let mut own = queries.needed_by(change);
    own.push(change);
    let levels: Vec<*mut pg_sys::Query> = own
        .into_iter()
        .map(|with| queries.0[with].ctequery.cast())
        .collect();
    let skips = |level| levels.contains(&level);
    let meets = |entry: *mut pg_sys::RangeTblEntry| {
        let reads = parts::select([tree::copy(entry)], std::ptr::null_mut());
        boundary::attempt(|| touched::meets(source, reads, &[], None)).unwrap_or(true)
    };
    read_first::beside_changes(query, statement, &skips, &meets, parameters)
}

/// Takes this query of WITH out of the statement; or first another one that it shares with the rest, or that an earlier change reads. `None` when the
/// rest would notice.
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
    let source = queries.by_itself(Some(first), statement);
    let is_change = source.commandType != CmdType::CMD_SELECT;
    let readers = readers_of(statement, &name);
    let needed = queries.needed_by(first);
    let level = chosen.ctequery.cast();
    keep(statement, |with| {
        queries.named(with).is_none_or(|at| !needed.contains(&at))
    });
    let others = match is_change {
        true => OtherChanges::of(source, level, statement),
        false => None,
    };
    let mut hidden = 0;
    if let Some(others) = &others {
        match skip_earlier_changes(&queries, first, source, statement, others) {
            Earlier::Skipped => {}
            Earlier::Reads(shared) => return take_first(query, shared, parameters),
            Earlier::Unknown => return Ok(None),
        }
        if source.commandType != CmdType::CMD_DELETE {
            hidden = others.return_keys(source);
        }
    }
    let Some(given) = given_rows::divide(query, statement, level, source, hidden, parameters)?
    else {
        return Ok(None);
    };
    if let Some(others) = others.as_ref().filter(|_| hidden > 0) {
        let first = given.parameters.len() - hidden;
        others.skip_changed_rows(given.statement, first, &given.parameters)?;
    }
    if is_change && touched::meets(given.source, given.statement, &readers, others.as_ref())? {
        return Ok(None);
    }
    Ok(Some(given))
}

/// Leaves only these queries in WITH.
fn keep(statement: &mut pg_sys::Query, kept: impl Fn(&str) -> bool) {
    statement.cteList = tree::make_list(tree::nodes(statement.cteList).filter(|with| {
        tree::cast::<CommonTableExpr, _>(*with).is_none_or(|with| kept(&tree::string(with.ctename)))
    }));
}

/// What became of the changes that PostgreSQL runs before the one that is taken first.
enum Earlier {
    /// Their rows are left out.
    Skipped,
    /// One of them reads this query of WITH.
    Reads(usize),
    /// Whether they run before, or which rows they find, is not known.
    Unknown,
}

fn skip_earlier_changes(
    queries: &WithQueries,
    first: usize,
    source: &mut pg_sys::Query,
    statement: &pg_sys::Query,
    others: &OtherChanges,
) -> Earlier {
    let apart = others.tells_rows_apart();
    match source.commandType {
        CmdType::CMD_DELETE => {} // Nobody finds its rows afterwards.
        _ if !apart => return Earlier::Unknown,
        CmdType::CMD_INSERT => return Earlier::Skipped, // Nobody finds its rows before.
        _ => {}
    }
    for other in others.queries() {
        // SAFETY: a level of a private copy.
        let changes = unsafe { &**other };
        if are_disjoint(source, changes) {
            continue;
        }
        let other = queries.place(*other);
        match queries.comes_before(other, first, statement) {
            Some(true) if apart => {}
            Some(false) => continue,
            _ => return Earlier::Unknown,
        }
        if let Some(read) = queries.read_by(other).first() {
            return match queries.only_reads(*read) {
                true => Earlier::Reads(*read),
                false => Earlier::Unknown,
            };
        }
        if !others.skip_rows_of(source, queries.by_itself(other, statement)) {
            return Earlier::Unknown;
        }
    }
    Earlier::Skipped
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
    if queries.read_by(None).contains(&with) {
        readers.push(tree::target(statement));
    }
    readers
}
