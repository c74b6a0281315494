//! Each node gives the rows of every relation that can matter, and one node runs the whole statement over them. Always right, whatever the
//! statement joins, compares or nests; but it moves rows. For what no other division can do.
//!
//! A node gives all its rows by one query, so that it reads them in one snapshot: UNION ALL of one part for each mention of a relation, where
//! the first column says which part a row is of, and each part has columns of its own. Rows that all nodes have (reference tables) or only the first
//! one (tables without placement, temporary ones) come from one node; its query has parts for them, too.

use super::super::super::{gathered_statistics, settings};
use super::super::relation::{Placement, Relation};
use super::super::tree::{self, NodePtr};
use super::super::{parser, view_query};
use super::build::{self, WorkerColumns};
use super::filter::Filters;
use super::parts::{self, Part};
use super::reduce::Reduction;
use super::table_rows::{self, Places};
use super::used::Used;
use super::{
    change, decorrelate, exists, filter, keyed, outer, sorted_values, subquery, whole_row,
};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid, RTEKind};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// More mentions of relations are refused: each is a part of every node's query.
const PARTS_MAX: usize = 64;

/// What the router knows of a session, not its connection to the first node.
const SESSION_VIEWS: [&str; 4] = [
    "pg_cursors",
    "pg_prepared_statements",
    "router_statistics",
    "routing_rules",
];

/// Why it cannot be done.
type Obstacle = &'static str;

const CATALOGUE: Obstacle = "it reads a system catalogue, too";
pub const TOO_MANY: Obstacle = "it mentions tables more than 64 times";

/// What is known of one mention of a relation, or of a subquery that nodes evaluate, before its rows come.
pub struct Mention {
    /// Of a distributed table: the number of its colocation group.
    pub colocation: Option<i32>,
    /// Of a reference table, which every node has.
    pub is_everywhere: bool,
    /// Bytes that this node would give, if its planner can tell.
    pub bytes: Option<f64>,
    /// Nodes evaluate it, wholly or in part.
    pub is_subquery: bool,
}

impl Mention {
    fn of_subquery() -> Mention {
        Mention {
            colocation: None,
            is_everywhere: false,
            bytes: None,
            is_subquery: true,
        }
    }
}

/// A statement that is divided.
pub struct Gathered {
    /// For the router.
    pub facts: Json,
    /// In the order in which they are gathered.
    pub mentions: Vec<Mention>,
    /// How many mentions of relations the statement has beside the one that it changes.
    pub relations: usize,
}

/// Which mentions of relations stay what they are, each node's own rows.
#[derive(Clone, Copy)]
pub enum Stays<'m> {
    /// None, but for what a statement changes.
    Nothing,
    /// Reference tables, and these mentions, numbered in the order in which all are gathered.
    On(&'m BTreeSet<usize>),
    /// All of a grouping subquery that is the mention of that number, restricted to the groups that rows around it can meet.
    Groups(usize),
}

/// The whole statement as it is divided.
struct Gathering<'m> {
    stays: Stays<'m>,
    /// Mentions so far, whether they stay or not; their bytes are not known yet.
    mentions: Vec<Mention>,
    parts: Vec<Part>,
    /// Mentions of relations that the statement has.
    relations: usize,
    /// How many parameters the statement itself has.
    own: usize,
    /// Types of the statement's parameters, then of the arrays that carry the columns of the parts so far.
    parameters: Vec<Oid>,
    /// Some relation is on the first node only, or is a catalogue.
    needs_first_node: bool,
    /// The levels of the subquery that stays, its own first.
    staying: Vec<*mut pg_sys::Query>,
    /// That subquery is restricted.
    is_restricted: bool,
}

/// The facts of the division, and what is gathered; an Err is the reason why there is none. The relation that a statement changes stays what
/// it is.
pub fn divide(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    stays: Stays,
) -> Result<Result<Gathered, Obstacle>, PostgresError> {
    if let Some(obstacle) = change::obstacle(query) {
        return Ok(Err(obstacle));
    }
    let combine = build::copy(query);
    let mut gathering = Gathering {
        stays,
        mentions: Vec::new(),
        parts: Vec::new(),
        relations: 0,
        own: parameters.len(),
        parameters: parameters.to_vec(),
        needs_first_node: false,
        staying: Vec::new(),
        is_restricted: false,
    };
    match replace_relations(query, combine, &mut gathering)? {
        Err(obstacle) => Ok(Err(obstacle)),
        Ok(()) if matches!(stays, Stays::Groups(_)) && !gathering.is_restricted => {
            Ok(Err("rows around a subquery do not restrict it"))
        }
        Ok(()) => gathering.print(query, combine),
    }
}

fn replace_relations(
    query: &pg_sys::Query,
    combine: &mut pg_sys::Query,
    gathering: &mut Gathering<'_>,
) -> Result<Result<(), Obstacle>, PostgresError> {
    if let Err(obstacle) = expand_views(combine, false) {
        return Ok(Err(obstacle));
    }
    if change::differs_by_node(combine) {
        return Ok(Err("a subquery of it calls a volatile function"));
    }
    gathering.relations = super::used::mentions(combine) - catalogues(combine);
    exists::simplify(combine);
    whole_row::keep_missing(combine);
    // A lock that nobody needs is an effect: such a statement is evaluated as it is written.
    if settings::PLAN_EXCHANGES.get() && !locks_rows(combine) {
        decorrelate::apply(&tree::levels(combine));
        if let Err(obstacle) = replace_subqueries(combine, gathering)? {
            return Ok(Err(obstacle));
        }
    }
    for level in tree::levels(combine) {
        pgrx::check_for_interrupts!();
        if gathering.staying.contains(&level) {
            continue;
        }
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut *level };
        let filters = filter::of(level);
        let mut replaced = Vec::new();
        for index in super::used::relations(level) {
            if index == level.resultRelation {
                continue;
            }
            // SAFETY: an entry of a private copy.
            let relation = Relation::new(unsafe { (*tree::range(level, index)).relid }, 0);
            if relation.placement == Placement::Catalog {
                if let Some(obstacle) = gathering.reads_catalogue(&relation, query) {
                    return Ok(Err(obstacle));
                }
            } else if gathering.moves(&relation) {
                replaced.push((index, relation));
            }
        }
        filters.remove_from(level, |range| {
            replaced.iter().any(|(index, _)| *index == range)
        });
        let used = Used::by(level);
        let reductions = gathering.reductions(level, &filters, &replaced);
        if let Err(obstacle) = super::grouping::complete(level) {
            return Ok(Err(obstacle));
        }
        if used.has_system_columns(level.resultRelation) {
            return Ok(Err(super::SYSTEM_COLUMN));
        }
        let given: Vec<i32> = replaced.iter().map(|(index, _)| *index).collect();
        for ((index, relation), reduction) in replaced.into_iter().zip(reductions) {
            let filters = (filters.of_range(index), reduction);
            match gathering.replace(tree::range(level, index), &relation, &used, index, filters)? {
                Ok(()) => {}
                refused => return Ok(refused),
            }
        }
        if let Some(groups) = gathering.staying.first() {
            // SAFETY: another level of the private copy, of which nothing else is held.
            let groups = unsafe { &mut **groups };
            gathering.is_restricted |= keyed::restrict(level, &filters, groups, &given);
        }
    }
    Ok(Ok(()))
}

/// How many mentions of catalogues and of their views a query has.
fn catalogues(query: &mut pg_sys::Query) -> usize {
    let of_level = |level: *mut pg_sys::Query| {
        // SAFETY: a level of a private copy.
        let level = unsafe { &*level };
        let read = super::used::relations(level).into_iter();
        // SAFETY: as above.
        read.map(|index| Relation::new(unsafe { (*tree::range(level, index)).relid }, 0))
            .filter(|relation| relation.placement == Placement::Catalog)
            .count()
    };
    tree::levels(query).into_iter().map(of_level).sum()
}

fn locks_rows(query: &mut pg_sys::Query) -> bool {
    let mut levels = tree::levels(query).into_iter();
    // SAFETY: levels of a private copy.
    levels.any(|level| !unsafe { (*level).rowMarks }.is_null())
}

/// Those that nodes evaluate themselves; what is below them has no relations any more.
fn replace_subqueries(
    combine: &mut pg_sys::Query,
    gathering: &mut Gathering<'_>,
) -> Result<Result<(), Obstacle>, PostgresError> {
    let mut gone = Vec::new();
    for level in tree::levels(combine).into_iter().skip(1) {
        pgrx::check_for_interrupts!();
        if gone.contains(&level) {
            continue;
        }
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut *level };
        let Some(division) = subquery::divide(level, &gathering.parameters[..gathering.own])?
        else {
            continue;
        };
        let levels = tree::levels(level);
        gone.extend(&levels);
        if gathering.stays_whole() {
            gathering.staying = levels;
            continue;
        }
        if let Err(obstacle) = gathering.replace_subquery(level, division)? {
            return Ok(Err(obstacle));
        }
    }
    Ok(Ok(()))
}

/// Puts the queries of views in their places, so that only tables are left.
fn expand_views(query: &mut pg_sys::Query, of_view: bool) -> Result<(), Obstacle> {
    let top = &raw mut *query;
    for level in tree::levels(query) {
        let may_change = level == top && !of_view;
        // SAFETY: as above.
        let level = unsafe { &mut *level };
        let reads = level.commandType == pg_sys::CmdType::CMD_SELECT;
        if !(reads || may_change) || level.hasModifyingCTE {
            return Err("a query in it changes rows");
        }
        if !level.rowMarks.is_null() {
            return Err("it locks rows");
        }
        for index in super::used::relations(level) {
            if index == level.resultRelation {
                continue;
            }
            let entry = tree::range(level, index);
            // SAFETY: an entry of a private copy, and a look-up of a relation that is locked.
            let (table, kind) = unsafe {
                let table = (*entry).relid;
                (table, pg_sys::get_rel_relkind(table) as u8)
            };
            if Relation::new(table, 0).placement == Placement::Catalog {
                continue;
            }
            if kind == pg_sys::RELKIND_VIEW {
                // SAFETY: the entry is of a private copy.
                unsafe {
                    let view = view_query::of(table).ok_or("a view is gone")?;
                    let inner = build::copy(view);
                    expand_views(inner, true)?;
                    put_subquery(entry, inner);
                }
            } else if of_view && has_policies(entry) {
                // The view's owner may see other rows than the session's role, which is to scan the table itself.
                return Err("a view of it is over a table with row security");
            }
        }
    }
    Ok(())
}

fn has_policies(entry: *mut pg_sys::RangeTblEntry) -> bool {
    // SAFETY: an entry of a private copy.
    let relation = Opened::open(unsafe { (*entry).relid }, pg_sys::NoLock);
    relation.is_none_or(|relation| relation.class().relrowsecurity)
}

/// For each column, the entries whose name it has: that of the query, and of UNION that of the first of its queries, which a text names it by.
fn named_by(query: &pg_sys::Query) -> Vec<Vec<*mut pg_sys::TargetEntry>> {
    let own = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter(|entry| !entry.resjunk)
        .map(|entry| std::ptr::from_ref(entry).cast_mut());
    let mut columns: Vec<Vec<_>> = own.map(|entry| vec![entry]).collect();
    let mut first: NodePtr = query.setOperations;
    while let Some(operation) = tree::cast::<pg_sys::SetOperationStmt, _>(first) {
        first = operation.larg;
    }
    let inner = tree::cast::<pg_sys::RangeTblRef, _>(first)
        .and_then(|range| tree::cast::<pg_sys::RangeTblEntry, _>(tree::range(query, range.rtindex)))
        .and_then(|range| tree::cast::<pg_sys::Query, _>(range.subquery));
    for (column, further) in columns
        .iter_mut()
        .zip(inner.map(named_by).unwrap_or_default())
    {
        column.extend(further);
    }
    columns
}

/// Makes the mention of a relation one of a subquery with the same columns.
///
/// # Safety
/// The entry must be of a private copy, of which nothing else is held.
pub unsafe fn put_subquery(entry: *mut pg_sys::RangeTblEntry, query: &mut pg_sys::Query) {
    // SAFETY: by the caller, who holds the entry alone.
    unsafe {
        (*entry).rtekind = RTEKind::RTE_SUBQUERY;
        (*entry).subquery = query;
        (*entry).relid = Oid::INVALID;
        (*entry).relkind = 0;
        (*entry).rellockmode = 0;
        (*entry).tablesample = std::ptr::null_mut();
        (*entry).inh = false;
        (*entry).alias = pg_sys::makeAlias((*(*entry).eref).aliasname, std::ptr::null_mut());
        let names = tree::strings((*(*entry).eref).colnames);
        let mut entries = named_by(query).into_iter();
        let mut given = Vec::new();
        for name in names {
            let name = pg_sys::pstrdup(parser::c_text(&name).as_ptr());
            // A dropped column has no name, and no entry that is given out: the joins above do not count it either.
            if *name != 0
                && let Some(same) = entries.next()
            {
                for entry in same {
                    (*entry).resname = name;
                }
            }
            given.push(pg_sys::makeString(name).cast());
        }
        (*(*entry).eref).colnames = tree::make_list(given);
    }
}

impl Gathering<'_> {
    /// Whether the next mention, a subquery, stays.
    fn stays_whole(&mut self) -> bool {
        let stays = matches!(self.stays, Stays::Groups(number) if number == self.mentions.len());
        if stays {
            self.mentions.push(Mention::of_subquery());
        }
        stays
    }

    /// A catalogue stays what it is, and no mention: the first node reads its own when it runs the statement. An obstacle if others run it as well.
    fn reads_catalogue(&mut self, catalogue: &Relation, query: &pg_sys::Query) -> Option<Obstacle> {
        self.needs_first_node = true;
        let runs_once = query.commandType == pg_sys::CmdType::CMD_SELECT
            && matches!(self.stays, Stays::Nothing);
        let is_of_session = SESSION_VIEWS.contains(&catalogue.name.as_str());
        (!runs_once || is_of_session).then_some(CATALOGUE)
    }

    /// Whether the next mention, one of this relation, is gathered.
    fn moves(&mut self, relation: &Relation) -> bool {
        let number = self.mentions.len();
        self.mentions.push(Mention {
            colocation: relation.spreading().map(|spreading| spreading.colocation),
            is_everywhere: relation.placement == Placement::Reference,
            bytes: None,
            is_subquery: false,
        });
        match self.stays {
            Stays::Nothing | Stays::Groups(_) => true,
            Stays::On(_) if relation.placement == Placement::Reference => false,
            Stays::On(numbers) => !numbers.contains(&number),
        }
    }

    fn replace(
        &mut self,
        entry: *mut pg_sys::RangeTblEntry,
        relation: &Relation,
        used: &Used,
        index: i32,
        filters: (NodePtr, Vec<NodePtr>),
    ) -> Result<Result<(), Obstacle>, PostgresError> {
        let from_one_node = match relation.placement {
            Placement::Catalog => return Ok(Err(CATALOGUE)),
            Placement::Distributed(_) => false,
            Placement::Reference => true,
            Placement::None => {
                self.needs_first_node = true;
                true
            }
        };
        if self.parts.len() == PARTS_MAX {
            return Ok(Err(TOO_MANY));
        }
        let Some(open) = Opened::open(relation.oid, pg_sys::NoLock) else {
            return Ok(Err("a table of it is gone"));
        };
        if used.has_system_columns(index) {
            return Ok(Err(super::SYSTEM_COLUMN));
        }
        // SAFETY: an entry of a private copy.
        if outer::expression_reads_above(unsafe { (*entry).tablesample }.cast()) {
            return Ok(Err("TABLESAMPLE by columns of the query around it"));
        }
        let (columns, places) = table_rows::wanted(&open, used, index);
        let part = Part::of_relation(entry, filters.0, filters.1, columns, from_one_node);
        let columns = &part.columns;
        let first = self.parameters.len();
        self.parameters.extend(columns.arrays());
        let names = match places.are_none() {
            false => names_of(&open, &places),
            true => vec!["row".to_owned()],
        };
        let range = gathered_statistics::range_name(relation.oid);
        let rows = build::rows_as(first, &self.parameters, &range, &names)?;
        rows.targetList = places.targets(|place| columns.read(place));
        // SAFETY: as above.
        unsafe { put_subquery(entry, rows) };
        self.parts.push(part);
        Ok(Ok(()))
    }

    /// What rows of relations that are to be replaced must meet on their own node.
    fn reductions(
        &self,
        level: &pg_sys::Query,
        filters: &Filters,
        replaced: &[(i32, Relation)],
    ) -> Vec<Vec<NodePtr>> {
        let own = &self.parameters[..self.own];
        let reduces = settings::PLAN_EXCHANGES.get() && settings::MIN_BROADCAST_SIZE.get() >= 0;
        let of = |(range, relation): &(i32, Relation)| match relation.spreading() {
            Some(_) if reduces => Reduction::new(level, filters, *range, own).conditions(relation),
            _ => Vec::new(),
        };
        replaced.iter().map(of).collect()
    }

    fn replace_subquery(
        &mut self,
        level: &mut pg_sys::Query,
        division: build::Division,
    ) -> Result<Result<(), Obstacle>, PostgresError> {
        if self.parts.len() == PARTS_MAX {
            return Ok(Err(TOO_MANY));
        }
        let first = self.parameters.len();
        self.parameters.extend(division.columns.arrays());
        let rows = division.unsorted_rows(first, &self.parameters)?;
        build::put_from(division.combine, rows);
        division.worker.targetList = division.columns.targets();
        let mut columns = WorkerColumns::default();
        for entry in tree::list::<pg_sys::TargetEntry>(division.worker.targetList) {
            columns.push(tree::make_field(1, entry.resno, entry.expr.cast()), 0);
        }
        let query = parts::select(
            [build::range_of(division.worker, "part")],
            std::ptr::null_mut(),
        );
        *level = *division.combine;
        self.mentions.push(Mention::of_subquery());
        self.parts.push(Part {
            query,
            columns,
            from_one_node: false,
        });
        Ok(Ok(()))
    }

    fn print(
        mut self,
        query: &pg_sys::Query,
        combine: &mut pg_sys::Query,
    ) -> Result<Result<Gathered, Obstacle>, PostgresError> {
        let mentions = self.estimates();
        parts::fill_target_lists(&mut self.parts);
        let worker = parts::union_all(&mut self.parts, |part| !part.from_one_node)?;
        let shares = self.parts.iter().any(|part| part.from_one_node);
        let of_one = match shares {
            true => Some(parts::union_all(&mut self.parts, |_| true)?),
            false => None,
        };
        if worker.is_empty() && (of_one.is_none() || !change::is_one(query)) {
            return Ok(Err("no table of it is distributed"));
        }
        let worker = Some(worker).filter(|text| !text.is_empty());
        sorted_values::by_own_operators(combine);
        let combine = parser::deparse_for(combine, &[])?;
        let (own, all) = (&self.parameters[..self.own], &self.parameters[..]);
        let checked = [&worker, &of_one]
            .into_iter()
            .flatten()
            .try_for_each(|text| build::check(text, own))
            .and_then(|()| build::result_types(&combine, all));
        match checked {
            Ok(types) if types != build::types_of(query) => {
                return Ok(Err("its result would have other types"));
            }
            Ok(_) => {}
            Err(_) => return Ok(Err("its parts cannot be put together")),
        }
        let types: Vec<u32> = std::iter::once(pg_sys::INT4OID)
            .chain(self.parts.iter().flat_map(|part| part.columns.types()))
            .map(|oid| oid.to_u32())
            .collect();
        let facts = json!({
            "mode": "combine", "worker": worker, "worker_of_one": of_one, "combine": combine, "worker_types": types,
            "parts": self.parts.iter().map(|part| part.columns.len()).collect::<Vec<_>>(),
            "first_node": self.needs_first_node,
            "combine_parameters": all.iter().map(|oid| oid.to_u32()).collect::<Vec<_>>(), "pulls_rows": true,
        });
        Ok(Ok(Gathered {
            facts,
            mentions,
            relations: self.relations,
        }))
    }

    /// What the parts would give, where every mention is a part.
    fn estimates(&mut self) -> Vec<Mention> {
        let mut mentions = std::mem::take(&mut self.mentions);
        if let Stays::Nothing = self.stays {
            for (mention, part) in mentions.iter_mut().zip(&self.parts) {
                mention.bytes = part.estimated_bytes();
            }
        }
        mentions
    }
}

/// Of the columns that are gathered.
fn names_of(open: &Opened, places: &Places) -> Vec<String> {
    let columns = open.columns().iter().zip(places.come());
    columns
        .filter(|(_, comes)| *comes)
        .map(|(column, _)| tree::string(column.attname.data.as_ptr()))
        .collect()
}
