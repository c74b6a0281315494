//! Whether INSERT ... SELECT gives its rows the distribution key of their source rows, and UPDATE and DELETE read rows of the key of the row that they change.
//! Only the node of a row sees it: what is made of it, or depends on it, must lie there.

use super::super::super::analysis::{conditions, operand, tree};
use super::super::super::placement::Distribution;
use super::super::placements::{self, Home};
use super::equalities::{self, Column, Equal, assigned, column_of, entry, value_of};
use super::touched::Named;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, JoinType, RTEKind};
use std::collections::BTreeSet;
use tree::NodePtr;

/// Of one change.
const QUERIES_MAX: usize = 100;

/// Where the rows of a change lie.
enum Target<'a> {
    Distributed(&'a Distribution),
    Node(i32),
}

/// The tables of source rows whose key the rows of a change may not have, for a change that is `whole`, or a query of its WITH. Subqueries count, too: what they
/// find decides on the row, or is a part of it.
pub fn sources_with_other_key(
    whole: &pg_sys::Query,
    change: &pg_sys::Query,
    home: &Home,
) -> BTreeSet<String> {
    let (target, keys) = match home {
        Home::Here | Home::Everywhere => return BTreeSet::new(),
        Home::Node(node) => (Target::Node(*node), Vec::new()),
        Home::Distributed(distribution) => {
            let columns = distribution.columns().iter();
            let keys = columns.map(|column| match change.commandType {
                CmdType::CMD_INSERT => assigned(change, column.attribute),
                _ => own_column(change, column.attribute),
            });
            (Target::Distributed(distribution), keys.collect())
        }
    };
    let mut search = Search {
        target,
        left: QUERIES_MAX,
        found: BTreeSet::new(),
    };
    let around = Levels::new(whole, vec![None; keys.len()], None);
    let outer = (!std::ptr::eq(whole, change)).then_some(&around);
    search.look(&Levels::new(change, keys, outer));
    search.found
}

/// A column of the table that a query changes.
fn own_column(change: &pg_sys::Query, attribute: i16) -> Option<NodePtr> {
    let target = entry(change, change.resultRelation)?;
    let table = Opened::open(target.relid, pg_sys::NoLock)?;
    let column = table.columns().get(usize::try_from(attribute - 1).ok()?)?;
    Some(tree::make_column(change.resultRelation, column))
}

/// A query, and those that it stands in.
struct Levels<'a> {
    query: &'a pg_sys::Query,
    /// What the distribution columns get, in terms of the query; `None` where that is not followed.
    keys: Vec<Option<NodePtr>>,
    ranges: Vec<Range>,
    outer: Option<&'a Levels<'a>>,
}

/// An entry of FROM, and the conditions of outer joins that its rows meet where they are not missing.
struct Range {
    index: i32,
    conditions: Vec<NodePtr>,
    /// An outer join may have a row without one of its.
    may_be_missing: bool,
}

impl<'a> Levels<'a> {
    fn new(
        query: &'a pg_sys::Query,
        keys: Vec<Option<NodePtr>>,
        outer: Option<&'a Levels<'a>>,
    ) -> Self {
        let ranges = ranges_of(query);
        // A key that is NULL for want of a row lies elsewhere.
        let is_followed = |key: &NodePtr| {
            let index = column_of(*key).map(|(index, _)| index);
            let missing = ranges
                .iter()
                .any(|range| range.may_be_missing && Some(range.index) == index);
            query.groupingSets.is_null()
                && !(missing && index.is_some_and(|index| !equalities::is_present(query, index)))
        };
        let keys = keys
            .into_iter()
            .map(|key| key.filter(|key| value_of(*key).is_some() || is_followed(key)));
        Levels {
            query,
            keys: keys.collect(),
            ranges,
            outer,
        }
    }

    /// What a column equals, where its row is not missing.
    fn equal(&self, column: Column) -> Equal {
        let mut met = Vec::new();
        let mut seen = BTreeSet::new();
        loop {
            let equal = equalities::of_column(self.query, column, &met);
            // Who is equal to something is there.
            let present: BTreeSet<i32> = equal.columns.iter().map(|(index, _)| *index).collect();
            if present.is_subset(&seen) {
                return equal;
            }
            let added = self.ranges.iter();
            met.extend(
                added
                    .filter(|range| present.contains(&range.index) && !seen.contains(&range.index))
                    .flat_map(|range| range.conditions.iter().copied()),
            );
            seen.extend(present);
        }
    }
}

impl Levels<'_> {
    fn up(&self, levels: u32) -> Option<&Self> {
        (0..levels).try_fold(self, |level, _| level.outer)
    }

    /// Whether what a column of this query equals is what the distribution column of this number gets.
    fn has_key(&self, equal: &Equal, number: usize) -> bool {
        let key = self.keys[number];
        let same = key.is_some_and(|key| {
            let mut ways = self.written_out(key).into_iter();
            ways.any(|way| equal.has(way)) || equal.is(self.value(key).as_ref())
        });
        same || equal.outer.iter().any(|(up, column)| {
            let level = self.up(*up);
            level.is_some_and(|level| level.has_key(&level.equal(*column), number))
        })
    }

    /// A key, and what it stands for as the column of a join: of FULL JOIN USING, that of each side.
    fn written_out(&self, key: NodePtr) -> Vec<NodePtr> {
        let mut found = vec![key];
        let mut at = 0;
        while let Some(one) = found.get(at).copied() {
            at += 1;
            let join = column_of(one)
                .and_then(|(index, attribute)| Some((entry(self.query, index)?, attribute)))
                .filter(|(entry, _)| entry.rtekind == RTEKind::RTE_JOIN);
            let Some(alias) = join.and_then(|(join, attribute)| {
                tree::nodes(join.joinaliasvars).nth(attribute as usize - 1)
            }) else {
                continue;
            };
            match tree::cast::<pg_sys::CoalesceExpr, _>(alias) {
                Some(merged) => found.extend(tree::nodes(merged.args)),
                None => found.push(alias),
            }
        }
        found
    }

    /// The variable or constant that a key is, or equals.
    fn value(&self, key: NodePtr) -> Option<Named> {
        self.value_expression(key).and_then(value_of)
    }

    fn value_expression(&self, key: NodePtr) -> Option<NodePtr> {
        if value_of(key).is_some() {
            return Some(key);
        }
        column_of(key).and_then(|column| self.equal(column).expression)
    }

    /// The query of WITH that an entry names, and the one that has that WITH.
    fn with(&self, entry: &pg_sys::RangeTblEntry) -> Option<(&'static pg_sys::Query, &Self)> {
        let level = self.up(entry.ctelevelsup)?;
        let name = tree::string(entry.ctename);
        let mut queries = tree::list::<pg_sys::CommonTableExpr>(level.query.cteList);
        let found = queries.find(|with| tree::string(with.ctename) == name)?;
        Some((tree::cast::<pg_sys::Query, _>(found.ctequery)?, level))
    }

    /// The keys in terms of a query in FROM.
    fn keys_below(&self, range: &Range, below: &pg_sys::Query) -> Vec<Option<NodePtr>> {
        let in_terms = |key: NodePtr| {
            // The outputs of set operations are said to be those of the first query.
            if !self.query.setOperations.is_null() {
                return match column_of(key) {
                    Some((_, attribute)) => output(below, attribute),
                    None => value_of(key).map(|_| key),
                };
            }
            let ways = self.written_out(key);
            let value = self.value(key);
            let same = |attribute: &i16| {
                let equal = self.equal((range.index, *attribute));
                ways.iter().any(|way| equal.has(*way)) || equal.is(value.as_ref())
            };
            (1..=outputs(below))
                .find(same)
                .and_then(|attribute| output(below, attribute))
                .or_else(|| self.value_expression(key))
        };
        self.keys.iter().map(|key| key.and_then(in_terms)).collect()
    }

    /// The keys in terms of a subquery in an expression: values are the same there, and so is what a condition asks the query for by IN. Under NOT, a NULL
    /// that another node has would decide.
    fn keys_in_link(&self, link: &pg_sys::SubLink, below: &pg_sys::Query) -> Vec<Option<NodePtr>> {
        let asks = link.subLinkType == pg_sys::SubLinkType::ANY_SUBLINK && self.must_hold(link);
        let compared = match asks {
            true => tree::conjuncts(link.testexpr),
            false => Vec::new(),
        };
        let by_asking = |number: usize| {
            compared.iter().find_map(|one| {
                let (outer, inner) = conditions::equality_sides(*one)?;
                let param = tree::cast::<pg_sys::Param, _>(operand::strip_faithful(inner))?;
                let equal = self.equal(column_of(outer)?);
                self.has_key(&equal, number)
                    .then(|| output(below, param.paramid as i16))?
            })
        };
        let below = |(number, key): (usize, &Option<NodePtr>)| {
            by_asking(number).or_else(|| key.and_then(|key| self.value_expression(key)))
        };
        self.keys.iter().enumerate().map(below).collect()
    }

    /// Whether the query gives no row for which a subquery does not hold.
    fn must_hold(&self, link: &pg_sys::SubLink) -> bool {
        let mut all = Vec::new();
        equalities::certain(self.query.jointree.cast(), &mut all);
        all.into_iter()
            .any(|condition| std::ptr::eq(condition.cast(), link))
    }

    /// Whether rows of one value, or of one row of the queries around, are all that the query reads of distributed tables.
    fn is_of_one_key(&self) -> bool {
        let has_value = |key: &Option<NodePtr>| key.is_some_and(|key| self.value(key).is_some());
        if !self.keys.is_empty() && self.keys.iter().all(has_value) {
            return true;
        }
        let mut pinned = false;
        for range in &self.ranges {
            let Some(entry) = entry(self.query, range.index) else {
                continue;
            };
            match entry.rtekind {
                RTEKind::RTE_RELATION => {
                    if let Home::Distributed(distribution) = placements::home(entry.relid) {
                        let is_pinned = distribution.columns().iter().all(|column| {
                            let equal = self.equal((range.index, column.attribute));
                            equal.value.is_some() || !equal.outer.is_empty()
                        });
                        if !is_pinned {
                            return false;
                        }
                        pinned = true;
                    }
                }
                RTEKind::RTE_SUBQUERY => {
                    let Some(below) = tree::cast::<pg_sys::Query, _>(entry.subquery) else {
                        return false;
                    };
                    let keys = self.keys_below(range, below);
                    let all = keys
                        .iter()
                        .all(|key| key.is_some_and(|key| value_of(key).is_some()));
                    if (keys.is_empty() || !all) && !self.distributed_tables(below).is_empty() {
                        return false;
                    }
                }
                RTEKind::RTE_CTE => {
                    let queries = self.named(&tree::string(entry.ctename));
                    if queries
                        .into_iter()
                        .any(|with| !self.distributed_tables(with).is_empty())
                    {
                        return false;
                    }
                }
                _ => {}
            }
        }
        pinned || self.links_are_alike()
    }

    /// Whether no subquery in an expression reads a distributed table.
    fn links_are_alike(&self) -> bool {
        let links = links_in(&self.expressions());
        links.into_iter().all(|link| {
            tree::cast::<pg_sys::Query, _>(link.subselect)
                .is_none_or(|below| self.distributed_tables(below).is_empty())
        })
    }

    /// The expressions of the query itself, but for RETURNING of an INSERT, which is about rows that are there.
    fn expressions(&self) -> Vec<NodePtr> {
        let query = self.query;
        let mut all = vec![
            query.targetList.cast(),
            query.jointree.cast(),
            query.havingQual,
            query.onConflict.cast(),
            query.limitCount,
            query.limitOffset,
            query.windowClause.cast(),
        ];
        if query.commandType != CmdType::CMD_INSERT {
            all.push(query.returningList.cast());
        }
        for range in &self.ranges {
            if let Some(entry) = entry(query, range.index) {
                all.extend([
                    entry.functions.cast(),
                    entry.tablefunc.cast(),
                    entry.tablesample.cast(),
                ]);
            }
        }
        all
    }

    /// The distributed tables that a query reads, also by queries of WITH.
    fn distributed_tables(&self, query: &pg_sys::Query) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.collect_distributed(query, &mut BTreeSet::new(), &mut found);
        found
    }

    fn collect_distributed(
        &self,
        query: &pg_sys::Query,
        seen: &mut BTreeSet<*const pg_sys::Query>,
        found: &mut BTreeSet<String>,
    ) {
        if !seen.insert(query) {
            return;
        }
        tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
            let level = tree::cast::<pg_sys::Query, _>(node);
            let entries = level.map(|level| tree::list::<pg_sys::RangeTblEntry>(level.rtable));
            for entry in entries.into_iter().flatten() {
                match entry.rtekind {
                    RTEKind::RTE_RELATION
                        if matches!(placements::home(entry.relid), Home::Distributed(_)) =>
                    {
                        // SAFETY: the relation is locked by the analysis of the query.
                        found.insert(unsafe { tree::string(pg_sys::get_rel_name(entry.relid)) });
                    }
                    RTEKind::RTE_CTE => {
                        for with in self.named(&tree::string(entry.ctename)) {
                            self.collect_distributed(with, seen, found);
                        }
                    }
                    _ => {}
                }
            }
            true
        });
    }

    /// The queries of WITH that have a name, on this level and further up: from below it is not known which is meant.
    fn named(&self, name: &str) -> Vec<&'static pg_sys::Query> {
        let mut found = Vec::new();
        let mut level = Some(self);
        while let Some(here) = level {
            let queries = tree::list::<pg_sys::CommonTableExpr>(here.query.cteList);
            found.extend(
                queries
                    .filter(|with| tree::string(with.ctename) == name)
                    .filter_map(|with| tree::cast::<pg_sys::Query, _>(with.ctequery)),
            );
            level = here.outer;
        }
        found
    }

    /// Whether the key is among the columns of such a clause.
    fn has_keys_in(&self, clause: *const pg_sys::List) -> bool {
        let columns: Vec<NodePtr> = tree::list::<pg_sys::SortGroupClause>(clause)
            .filter_map(|one| tree::target_of(self.query, one))
            .map(|target| target.expr.cast())
            .collect();
        let is_among = |key: &Option<NodePtr>| {
            let column = key.and_then(column_of);
            column.is_some_and(|column| {
                let equal = self.equal(column);
                columns.iter().any(|one| equal.has(*one))
            })
        };
        self.keys.iter().all(is_among)
    }

    /// Whether rows of other nodes may decide on those that the query gives, or on their values.
    fn looks_at_all_rows(&self) -> bool {
        let query = self.query;
        let windows = tree::list::<pg_sys::WindowClause>(query.windowClause);
        !query.limitCount.is_null()
            || !query.limitOffset.is_null()
            || (query.hasDistinctOn && !self.has_keys_in(query.distinctClause))
            || (query.hasWindowFuncs
                && !windows
                    .into_iter()
                    .all(|window| self.has_keys_in(window.partitionClause)))
    }
}

/// What is looked for, and found.
struct Search<'a> {
    target: Target<'a>,
    /// Queries that are still looked at: one of WITH is for each of its mentions.
    left: usize,
    found: BTreeSet<String>,
}

impl Search<'_> {
    fn look(&mut self, levels: &Levels) {
        if self.left == 0 {
            self.found.insert("too many queries".into());
            return;
        }
        self.left -= 1;
        for range in &levels.ranges {
            self.look_at(levels, range);
        }
        if levels.looks_at_all_rows() && !levels.is_of_one_key() {
            self.found.extend(levels.distributed_tables(levels.query));
        }
        self.look_at_links(levels, &levels.expressions());
    }

    fn look_at(&mut self, levels: &Levels, range: &Range) {
        let Some(entry) = entry(levels.query, range.index) else {
            return;
        };
        let below = match entry.rtekind {
            RTEKind::RTE_RELATION => {
                if !is_colocated(levels, range, entry, &self.target) {
                    // SAFETY: the relation is locked by the analysis of the query.
                    let name = unsafe { tree::string(pg_sys::get_rel_name(entry.relid)) };
                    self.found.insert(name);
                }
                None
            }
            RTEKind::RTE_SUBQUERY => {
                tree::cast::<pg_sys::Query, _>(entry.subquery).map(|query| (query, levels))
            }
            RTEKind::RTE_CTE if entry.self_reference => {
                if !keeps_key(levels, range, entry) {
                    self.found.insert(tree::string(entry.ctename));
                }
                None
            }
            RTEKind::RTE_CTE => {
                let with = levels.with(entry);
                if with.is_none() {
                    self.found.insert(tree::string(entry.ctename));
                }
                with
            }
            RTEKind::RTE_VALUES => return self.look_at_values(levels, range.index, entry),
            _ => None,
        };
        let Some((below, outer)) = below else {
            return;
        };
        let inner = Levels::new(below, levels.keys_below(range, below), Some(outer));
        match below.commandType {
            // It gives the rows of its node.
            CmdType::CMD_INSERT => {
                let rows = Range::of(below.resultRelation);
                self.look_at(&inner, &rows);
                self.look_at_links(&inner, &[below.returningList.cast()]);
            }
            _ => self.look(&inner),
        }
    }

    /// Each row has a key of its own.
    fn look_at_values(&mut self, levels: &Levels, index: i32, entry: &pg_sys::RangeTblEntry) {
        for row in tree::nodes(entry.values_lists) {
            let of_row = |key: NodePtr| match column_of(key) {
                Some((of, attribute)) if of == index => {
                    tree::nodes(row.cast()).nth(attribute as usize - 1)
                }
                _ => Some(key),
            };
            let keys = levels.keys.iter().map(|key| key.and_then(of_row));
            let of_this_row = Levels::new(levels.query, keys.collect(), levels.outer);
            self.look_at_links(&of_this_row, &[row]);
        }
    }

    fn look_at_links(&mut self, levels: &Levels, expressions: &[NodePtr]) {
        for link in links_in(expressions) {
            if let Some(below) = tree::cast::<pg_sys::Query, _>(link.subselect) {
                let keys = levels.keys_in_link(link, below);
                self.look(&Levels::new(below, keys, Some(levels)));
            }
        }
    }
}

/// The subqueries in expressions, but for those within others.
fn links_in(expressions: &[NodePtr]) -> Vec<&'static pg_sys::SubLink> {
    let mut links = Vec::new();
    for expression in expressions {
        tree::walk(*expression, &mut |node| {
            links.extend(tree::cast::<pg_sys::SubLink, _>(node));
            tree::cast::<pg_sys::Query, _>(node).is_none()
        });
    }
    links
}

/// Whether the new rows lie where the source rows of this entry lie.
fn is_colocated(
    levels: &Levels,
    range: &Range,
    entry: &pg_sys::RangeTblEntry,
    target: &Target,
) -> bool {
    let query = levels.query;
    match (placements::home(entry.relid), target) {
        (Home::Here | Home::Everywhere, _) => true,
        (Home::Node(node), Target::Node(other)) => node == *other,
        (Home::Distributed(distribution), Target::Distributed(other)) => {
            let mut columns = distribution.columns().iter().enumerate();
            distribution.places_as(other)
                && columns.all(|(number, column)| {
                    let column = (range.index, column.attribute);
                    let mut equal = levels.equal(column);
                    if query.commandType == CmdType::CMD_INSERT && equal.value.is_none() {
                        equal.value = equalities::named(query, range.index, column.1, true);
                    }
                    levels.has_key(&equal, number)
                })
        }
        _ => false,
    }
}

/// Whether rows of a recursive query that is mentioned in itself have the key of the rows that it gives.
fn keeps_key(levels: &Levels, range: &Range, entry: &pg_sys::RangeTblEntry) -> bool {
    // The query that the mention is of stands one level below its WITH.
    let recursive = entry
        .ctelevelsup
        .checked_sub(1)
        .and_then(|up| levels.up(up));
    let mut numbers = 0..levels.keys.len();
    numbers.all(|number| {
        let output = recursive.and_then(|recursive| recursive.keys[number]);
        match output.map(|key| (column_of(key), value_of(key))) {
            Some((Some((_, attribute)), _)) => {
                let equal = levels.equal((range.index, attribute));
                levels.has_key(&equal, number)
            }
            Some((None, Some(_))) => true, // all rows are of that value's node
            _ => false,
        }
    })
}

/// How many columns a query gives.
fn outputs(query: &pg_sys::Query) -> i16 {
    let given = match query.commandType {
        CmdType::CMD_SELECT => query.targetList,
        _ => query.returningList,
    };
    let entries = tree::list::<pg_sys::TargetEntry>(given);
    entries.filter(|entry| !entry.resjunk).count() as i16
}

/// What a query gives as its column of that number, as far as it is what the row had before.
fn output(query: &pg_sys::Query, attribute: i16) -> Option<NodePtr> {
    if query.commandType == CmdType::CMD_SELECT {
        return assigned(query, attribute);
    }
    let mut entries = tree::list::<pg_sys::TargetEntry>(query.returningList);
    let value: NodePtr = entries
        .find(|entry| entry.resno == attribute && !entry.resjunk)?
        .expr
        .cast();
    let is_assigned = |column: Column| {
        query.commandType == CmdType::CMD_UPDATE
            && column.0 == query.resultRelation
            && tree::assignments(query)
                .iter()
                .any(|entry| entry.resno == column.1)
    };
    (!column_of(value).is_some_and(is_assigned)).then_some(value)
}

impl Range {
    fn of(index: i32) -> Self {
        Range {
            index,
            conditions: Vec::new(),
            may_be_missing: false,
        }
    }
}

/// The entries of FROM, or the queries that set operations are over.
fn ranges_of(query: &pg_sys::Query) -> Vec<Range> {
    let mut found = Vec::new();
    match query.setOperations.is_null() {
        true => ranges_in(query.jointree.cast(), &[], false, &mut found),
        false => set_operation_inputs(query.setOperations, &mut found),
    }
    found
}

fn ranges_in(node: NodePtr, conditions: &[NodePtr], missing: bool, found: &mut Vec<Range>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        found.push(Range {
            index: entry.rtindex,
            conditions: conditions.to_vec(),
            may_be_missing: missing,
        });
    } else if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(node) {
        tree::nodes(from.fromlist).for_each(|part| ranges_in(part, conditions, missing, found));
    } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
        let mut met = conditions.to_vec();
        met.extend(tree::conjuncts(join.quals));
        // A row that finds no other one is there all the same, and meets no condition.
        let (kept, filled) = ((conditions, missing), (&met[..], true));
        let (left, right) = match join.jointype {
            JoinType::JOIN_LEFT => (kept, filled),
            JoinType::JOIN_RIGHT => (filled, kept),
            JoinType::JOIN_FULL => ((conditions, true), (conditions, true)),
            _ => ((&met[..], missing), (&met[..], missing)),
        };
        ranges_in(join.larg, left.0, left.1, found);
        ranges_in(join.rarg, right.0, right.1, found);
    }
}

fn set_operation_inputs(node: NodePtr, found: &mut Vec<Range>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        found.push(Range::of(entry.rtindex));
    } else if let Some(operation) = tree::cast::<pg_sys::SetOperationStmt, _>(node) {
        set_operation_inputs(operation.larg, found);
        set_operation_inputs(operation.rarg, found);
    }
}
