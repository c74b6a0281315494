//! An INSERT or a MERGE with subqueries beside the rows that it takes, `INSERT ... ON CONFLICT ... DO UPDATE SET n = (SELECT max(v) FROM e)`, in two:
//! one query that gives what they read, and the statement over these rows, as one array parameter for each column after the statement's own. A
//! subquery by itself is read as a whole; of one that depends on the row that is inserted or changed, each table is. Also what a statement with changes
//! in WITH reads of the tables that these change.
//!
//! All is read by one query, in one snapshot, as on one PostgreSQL: UNION ALL of the pieces, with a number that says which piece a row is of.

use super::changing_calls;
use super::computed;
use super::functions;
use super::given_rows::{self, Given};
use super::merge::build::{self, WorkerColumns};
use super::merge::parts::{self, Part};
use super::merge::table_rows::{self, Places};
use super::merge::used::{self, Used};
use super::merge::{self, filter, grouping, outer};
use super::parser;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};

/// What is read first, and where it stands in the statement.
struct Piece {
    query: &'static mut pg_sys::Query,
    columns: WorkerColumns,
    place: Place,
}

enum Place {
    /// A query of the statement, with the names of its columns.
    Level(*mut pg_sys::Query, Vec<*mut std::ffi::c_char>),
    /// A mention of a table.
    Table(*mut pg_sys::RangeTblEntry, Places),
}

/// Of a query as analysed; `None` when it has no such subqueries, or when it cannot be said in other words.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    let takes_rows = matches!(query.commandType, CmdType::CMD_INSERT | CmdType::CMD_MERGE);
    if !takes_rows || query.hasModifyingCTE {
        return Ok(None);
    }
    let statement = calls_as_queries(query);
    if !query.hasSubLinks && statement.hasSubLinks == query.hasSubLinks {
        return Ok(None);
    }
    let levels = levels_beside_source(statement);
    let copies = Relation::new(tree::target(query), 0).placement == Placement::Reference;
    let moves = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .any(|entry| entry.rtekind == pg_sys::RTEKind::RTE_SUBQUERY);
    if !levels
        .iter()
        .any(|level| reads_others(*level, copies || moves))
    {
        return Ok(None);
    }
    let mut pieces = Pieces {
        found: Vec::new(),
        wants: &|_| true,
    };
    match levels
        .into_iter()
        .try_for_each(|level| pieces.collect(level))
    {
        Some(()) => given(query, statement, pieces.found, parameters),
        None => Ok(None),
    }
}

/// Of a statement with changes in WITH: reads first every mention for which `wants` is true, except in the levels for which `skips` is true and below
/// them. `None` when there is none, or when it cannot be said in other words.
///
/// `statement` is a copy of `query` that may be changed.
pub fn beside_changes(
    query: &pg_sys::Query,
    statement: &'static mut pg_sys::Query,
    skips: &dyn Fn(*mut pg_sys::Query) -> bool,
    wants: &dyn Fn(*mut pg_sys::RangeTblEntry) -> bool,
    parameters: &[Oid],
) -> Result<Option<Given>, PostgresError> {
    let mut pieces = Pieces {
        found: Vec::new(),
        wants,
    };
    match pieces.collect_beside(statement, skips) {
        Some(()) => given(query, statement, pieces.found, parameters),
        None => Ok(None),
    }
}

/// A copy in which the calls of functions of users that read tables, and no row, are subqueries by themselves: `VALUES (5, f(7))` as `VALUES (5, (SELECT f(7)))`.
/// Those of a VOLATILE function where it is called once.
fn calls_as_queries(query: &pg_sys::Query) -> &'static mut pg_sys::Query {
    let copy = build::copy(query);
    let all: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let inserts = query.commandType == CmdType::CMD_INSERT;
    if !inserts || functions::opaque_of(all).is_empty() || changing_calls::see_changes(query) {
        return copy;
    }
    let mut replaced = false;
    let mut once = |node: NodePtr| as_query(node, true, &mut replaced);
    copy.targetList = tree::replace(copy.targetList.cast(), &mut once).cast();
    for entry in tree::nodes(copy.rtable) {
        // SAFETY: entries of a private copy, of which nothing else is held.
        let entry = unsafe { &mut *entry.cast::<pg_sys::RangeTblEntry>() };
        if entry.rtekind == pg_sys::RTEKind::RTE_VALUES {
            entry.values_lists = tree::replace(entry.values_lists.cast(), &mut once).cast();
        }
    }
    let mut each = |node: NodePtr| as_query(node, false, &mut replaced);
    copy.returningList = tree::replace(copy.returningList.cast(), &mut each).cast();
    copy.onConflict = tree::replace(copy.onConflict.cast(), &mut each).cast();
    copy.hasSubLinks |= replaced;
    copy
}

fn as_query(node: NodePtr, once: bool, replaced: &mut bool) -> Option<NodePtr> {
    let call = tree::cast::<pg_sys::FuncExpr, _>(node)?;
    // SAFETY: a catalogue look-up.
    let is_volatile =
        unsafe { pg_sys::func_volatile(call.funcid) } as u8 == pg_sys::PROVOLATILE_VOLATILE;
    if !functions::is_opaque(call.funcid)
        || call.funcretset
        || (is_volatile && !once)
        || computed::reads_rows(node)
    {
        return None;
    }
    let select = parts::select([], std::ptr::null_mut());
    select.targetList = tree::make_list([build::target(tree::copy(node), 1).cast()]);
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = pg_sys::SubLinkType::EXPR_SUBLINK;
    link.subselect = std::ptr::from_mut(select).cast();
    link.location = -1;
    *replaced = true;
    Some(std::ptr::from_mut(link).cast())
}

/// The queries right below the statement, but for the one whose rows it takes.
fn levels_beside_source(statement: &mut pg_sys::Query) -> Vec<*mut pg_sys::Query> {
    let source: Vec<*mut pg_sys::Query> = tree::list::<pg_sys::RangeTblEntry>(statement.rtable)
        .map(|entry| entry.subquery)
        .collect();
    let mut levels = levels_below(statement);
    levels.retain(|level| !source.contains(level));
    levels
}

fn levels_below(level: &pg_sys::Query) -> Vec<*mut pg_sys::Query> {
    let mut found = Vec::new();
    tree::query_children(level, &mut |child| {
        tree::walk(child, &mut |node| {
            let inner = tree::cast::<pg_sys::Query, _>(node).is_some();
            if inner {
                found.push(node.cast());
            }
            !inner
        });
    });
    found
}

/// Whether a subquery reads what a node may not have by itself, or anything.
fn reads_others(level: *mut pg_sys::Query, anything: bool) -> bool {
    let calls = !functions::opaque_of(level.cast()).is_empty();
    calls
        || tree::any(level.cast(), &mut |node| {
            tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
                used::relations(level).into_iter().any(|index| {
                    // SAFETY: an entry of a private copy.
                    let relation = Relation::new(unsafe { (*tree::range(level, index)).relid }, 0);
                    anything || relation.placement != Placement::Reference
                })
            })
        })
}

struct Pieces<'w> {
    found: Vec<Piece>,
    /// Which mentions of tables are to be read first.
    wants: &'w dyn Fn(*mut pg_sys::RangeTblEntry) -> bool,
}

impl Pieces<'_> {
    /// Finds what a level reads; `None` when that cannot be read first.
    fn collect(&mut self, level: *mut pg_sys::Query) -> Option<()> {
        pgrx::check_for_interrupts!();
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut *level };
        let calls = !functions::opaque_of(std::ptr::from_mut(level).cast()).is_empty();
        if !calls && !self.wants_any(level) {
            return Some(());
        }
        let reads = level.commandType == CmdType::CMD_SELECT && level.rowMarks.is_null();
        if !reads {
            return None;
        }
        if !outer::reads_above(level) {
            self.found.push(whole(level)?);
            return Some(());
        }
        let inner = levels_below(level);
        self.collect_tables(level)?;
        inner.into_iter().try_for_each(|level| self.collect(level))
    }

    /// As [`Self::collect`], of a level with changes in WITH, or one that is itself such a change.
    fn collect_beside(
        &mut self,
        level: &mut pg_sys::Query,
        skips: &dyn Fn(*mut pg_sys::Query) -> bool,
    ) -> Option<()> {
        let inner = levels_below(level);
        self.collect_tables(level)?;
        for below in inner.into_iter().filter(|below| !skips(*below)) {
            // SAFETY: a level of a private copy, of which nothing else is held.
            let below = unsafe { &mut *below };
            match below.commandType {
                CmdType::CMD_SELECT => self.collect(below)?,
                _ => self.collect_beside(below, skips)?,
            }
        }
        Some(())
    }

    fn wants_any(&self, level: &mut pg_sys::Query) -> bool {
        tree::any(std::ptr::from_mut(level).cast(), &mut |node| {
            tree::cast::<pg_sys::Query, _>(node)
                .is_some_and(|level| !self.wanted_of(level).is_empty())
        })
    }

    /// Of the relations that a level reads itself.
    fn wanted_of(&self, level: &pg_sys::Query) -> Vec<i32> {
        let read = used::relations(level).into_iter();
        read.filter(|index| *index != level.resultRelation)
            .filter(|index| (self.wants)(tree::range(level, *index)))
            .collect()
    }

    /// The tables that a level itself mentions, with its conditions on each.
    fn collect_tables(&mut self, level: &mut pg_sys::Query) -> Option<()> {
        let wanted = self.wanted_of(level);
        if wanted.is_empty() {
            return Some(());
        }
        if !level.rowMarks.is_null() {
            return None;
        }
        let filters = filter::of(level);
        let used = Used::by(level);
        grouping::complete(level).ok()?;
        for index in wanted {
            let entry = tree::range(level, index);
            // SAFETY: an entry of a private copy.
            let open = Opened::open(unsafe { (*entry).relid }, pg_sys::NoLock)?;
            if used.has_system_columns(index) {
                return None;
            }
            let (columns, places) = table_rows::wanted(&open, &used, index);
            let query = parts::select([entry], filters.of_range(index));
            query.targetList = columns.targets();
            self.found.push(Piece {
                query,
                columns,
                place: Place::Table(entry, places),
            });
        }
        Some(())
    }
}

fn whole(level: &mut pg_sys::Query) -> Option<Piece> {
    let query = build::copy(level);
    let mut columns = WorkerColumns::default();
    let mut names = Vec::new();
    for entry in tree::list::<pg_sys::TargetEntry>(query.targetList) {
        if !entry.resjunk {
            columns.push(entry.expr.cast(), 0);
            names.push(entry.resname);
        }
    }
    // What EXISTS asks for may have no columns.
    if columns.len() == 0 || columns.has_anonymous_rows() {
        return None;
    }
    Some(Piece {
        query,
        columns,
        place: Place::Level(level, names),
    })
}

// ---- the two statements

fn given(
    query: &pg_sys::Query,
    statement: &'static mut pg_sys::Query,
    pieces: Vec<Piece>,
    parameters: &[Oid],
) -> Result<Option<Given>, PostgresError> {
    if pieces.is_empty() {
        return Ok(None);
    }
    let mut places = Vec::new();
    let mut sources = Vec::new();
    for piece in pieces {
        places.push((piece.place, piece.columns.len()));
        sources.push((piece.query, piece.columns));
    }
    let (source, columns) = united(sources, parameters)?;
    let all: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let numbered = places.len() > 1;
    let mut first = usize::from(numbered);
    for (number, (place, count)) in places.into_iter().enumerate() {
        let rows = build::rows(parameters.len(), &all)?;
        if numbered {
            parts::keep_only(rows, number);
        }
        put(statement, place, rows, &columns, first);
        first += count;
    }
    if !given_rows::has_same_result(query, statement, &all)? {
        return Ok(None);
    }
    Ok(Some(Given {
        source,
        statement,
        parameters: all,
        count: columns.len(),
    }))
}

/// The query that gives the rows of all pieces, and its columns.
fn united(
    mut sources: Vec<(&'static mut pg_sys::Query, WorkerColumns)>,
    parameters: &[Oid],
) -> Result<(&'static mut pg_sys::Query, WorkerColumns), PostgresError> {
    if sources.len() == 1
        && let Some(only) = sources.pop()
    {
        return Ok(only);
    }
    let mut pieces: Vec<Part> = sources.into_iter().map(part).collect();
    parts::fill_target_lists(&mut pieces);
    let text = parser::c_text(&parts::union_all(&mut pieces, |_| true)?);
    let query = parser::analyse(parser::parse(&text)?[0], &text, parameters)?.query;
    let mut columns = WorkerColumns::default();
    columns.push(parts::number_of(0), 0);
    pieces
        .iter()
        .for_each(|piece| columns.extend(&piece.columns));
    Ok((build::copy(query), columns))
}

/// A piece as a range of its own, so that its columns can have others beside them.
fn part((query, _): (&'static mut pg_sys::Query, WorkerColumns)) -> Part {
    let mut columns = WorkerColumns::default();
    let given = tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk);
    for (at, entry) in given.enumerate() {
        columns.push(tree::make_field(1, at as i16 + 1, entry.expr.cast()), 0);
    }
    Part {
        query: parts::select([build::range_of(query, "piece")], std::ptr::null_mut()),
        columns,
        from_one_node: false,
    }
}

/// Puts the rows of a piece where it stands.
fn put(
    statement: &mut pg_sys::Query,
    place: Place,
    rows: &mut pg_sys::Query,
    columns: &WorkerColumns,
    first: usize,
) {
    match place {
        Place::Level(level, names) => {
            rows.targetList = tree::make_list(names.into_iter().enumerate().map(|(at, name)| {
                let target = build::target(columns.read(first + at), at as i16 + 1);
                // SAFETY: the entry was just made.
                unsafe { (*target).resname = name };
                target.cast()
            }));
            given_rows::put_rows(statement, level, rows);
        }
        Place::Table(entry, places) => {
            rows.targetList = places.targets(|place| columns.read(first + place));
            // SAFETY: an entry of a private copy, of which nothing else is held.
            unsafe { merge::put_subquery(entry, rows) };
        }
    }
}
