//! Whether INSERT ... SELECT gives its rows the distribution key of their source rows. Only the node of a source row sees it: what is made of it must
//! lie there, or no node inserts it.

use super::super::super::analysis::{conditions, operand, tree};
use super::super::super::placement::Distribution;
use super::super::placements::{self, Home};
use super::equalities::{self, Column, Equal, assigned, column_of, conjuncts, entry, value_of};
use super::touched::Named;
use pgrx::pg_sys::{self, CmdType, JoinType, RTEKind};
use std::collections::BTreeSet;
use tree::NodePtr;

/// Of one INSERT.
const QUERIES_MAX: usize = 100;

/// Where the rows of an INSERT go.
enum Target<'a> {
    Distributed(&'a Distribution),
    Node(i32),
}

/// The tables of source rows whose key the rows of an INSERT may not have, for an INSERT that is `whole`, or a query of its WITH. Subqueries count, too: what they
/// find decides on the row, or is a part of it.
pub fn sources_with_other_key(
    whole: &pg_sys::Query,
    insert: &pg_sys::Query,
    home: &Home,
) -> BTreeSet<String> {
    let (target, keys) = match home {
        Home::Here | Home::Everywhere => return BTreeSet::new(),
        Home::Node(node) => (Target::Node(*node), Vec::new()),
        Home::Distributed(distribution) => {
            let columns = distribution.columns().iter();
            let keys = columns.map(|column| assigned(insert, column.attribute));
            (Target::Distributed(distribution), keys.collect())
        }
    };
    let mut search = Search {
        target,
        left: QUERIES_MAX,
        found: BTreeSet::new(),
    };
    let around = Levels {
        query: whole,
        keys: vec![None; keys.len()],
        outer: None,
    };
    search.look(&Levels {
        query: insert,
        keys,
        outer: (!std::ptr::eq(whole, insert)).then_some(&around),
    });
    search.found
}

/// A query, and those that it stands in.
struct Levels<'a> {
    query: &'a pg_sys::Query,
    /// What the distribution columns get, in terms of the query; `None` where that is not followed.
    keys: Vec<Option<NodePtr>>,
    outer: Option<&'a Levels<'a>>,
}

/// An entry of FROM, and the conditions of outer joins that its rows meet where they are not missing.
struct Range {
    index: i32,
    conditions: Vec<NodePtr>,
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
            level.is_some_and(|level| {
                let equal = equalities::of_column(level.query, *column, &[]);
                level.has_key(&equal, number)
            })
        })
    }

    /// The expressions that a column of a join stands for: of FULL JOIN USING, that of each side.
    fn written_out(&self, key: NodePtr) -> Vec<NodePtr> {
        let join = column_of(key)
            .and_then(|(index, attribute)| Some((entry(self.query, index)?, attribute)))
            .filter(|(entry, _)| entry.rtekind == RTEKind::RTE_JOIN);
        let alias = join.and_then(|(join, attribute)| {
            tree::nodes(join.joinaliasvars).nth(attribute as usize - 1)
        });
        match alias.and_then(|alias| tree::cast::<pg_sys::CoalesceExpr, _>(alias)) {
            Some(merged) => tree::nodes(merged.args).collect(),
            None => vec![alias.unwrap_or(key)],
        }
    }

    /// The variable or constant that a key is, or equals.
    fn value(&self, key: NodePtr) -> Option<Named> {
        self.value_expression(key).and_then(value_of)
    }

    fn value_expression(&self, key: NodePtr) -> Option<NodePtr> {
        if value_of(key).is_some() {
            return Some(key);
        }
        column_of(key).and_then(|column| equalities::of_column(self.query, column, &[]).expression)
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
                let column = (range.index, *attribute);
                let equal = equalities::of_column(self.query, column, &range.conditions);
                ways.iter().any(|way| equal.has(*way)) || equal.is(value.as_ref())
            };
            (1..=outputs(below))
                .find(same)
                .and_then(|attribute| output(below, attribute))
                .or_else(|| self.value_expression(key))
        };
        self.keys.iter().map(|key| key.and_then(in_terms)).collect()
    }

    /// The keys in terms of a subquery in an expression: values are the same there, and so is what the query is asked for by IN.
    fn keys_in_link(&self, link: &pg_sys::SubLink, below: &pg_sys::Query) -> Vec<Option<NodePtr>> {
        let any = link.subLinkType == pg_sys::SubLinkType::ANY_SUBLINK;
        let asked = conditions::equality_sides(link.testexpr).filter(|_| any);
        let keys = self.keys.iter().enumerate();
        let below = |(number, key): (usize, &Option<NodePtr>)| {
            let by_asking = asked.and_then(|(outer, inner)| {
                let column = column_of(outer)?;
                let equal = equalities::of_column(self.query, column, &[]);
                let param = tree::cast::<pg_sys::Param, _>(operand::strip_faithful(inner))?;
                self.has_key(&equal, number)
                    .then(|| output(below, param.paramid as i16))?
            });
            by_asking.or_else(|| key.and_then(|key| self.value_expression(key)))
        };
        keys.map(below).collect()
    }

    /// Whether rows of one value, or of one row of the queries around, are all that the query reads of distributed tables.
    fn is_of_one_key(&self, ranges: &[Range]) -> bool {
        let has_value = |key: &Option<NodePtr>| key.is_some_and(|key| self.value(key).is_some());
        ranges.iter().all(|range| {
            let Some(entry) = entry(self.query, range.index) else {
                return true;
            };
            match entry.rtekind {
                RTEKind::RTE_RELATION => match placements::home(entry.relid) {
                    Home::Distributed(distribution) => {
                        distribution.columns().iter().all(|column| {
                            let column = (range.index, column.attribute);
                            let equal =
                                equalities::of_column(self.query, column, &range.conditions);
                            equal.value.is_some() || !equal.outer.is_empty()
                        })
                    }
                    _ => true,
                },
                RTEKind::RTE_SUBQUERY | RTEKind::RTE_CTE => self.keys.iter().all(has_value),
                _ => true,
            }
        })
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
                let equal = equalities::of_column(self.query, column, &[]);
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
        let query = levels.query;
        let ranges = ranges_of(query);
        for range in &ranges {
            self.look_at(levels, range);
        }
        if levels.looks_at_all_rows() && !levels.is_of_one_key(&ranges) {
            self.found.extend(distributed_tables(query));
        }
        let quals = query.jointree.cast::<pg_sys::Node>();
        for part in [
            query.targetList.cast(),
            quals,
            query.havingQual,
            query.onConflict.cast(),
        ] {
            self.look_at_links(levels, part);
        }
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
                if !keeps_key(levels, range) {
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
            _ => return self.look_at_links(levels, entry.functions.cast()),
        };
        let Some((below, outer)) = below else {
            return;
        };
        let inner = Levels {
            query: below,
            keys: levels.keys_below(range, below),
            outer: Some(outer),
        };
        match below.commandType {
            // It gives the rows of its node.
            CmdType::CMD_INSERT => {
                let rows = Range {
                    index: below.resultRelation,
                    conditions: Vec::new(),
                };
                self.look_at(&inner, &rows);
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
            let row_levels = Levels {
                query: levels.query,
                keys: levels.keys.iter().map(|key| key.and_then(of_row)).collect(),
                outer: levels.outer,
            };
            self.look_at_links(&row_levels, row);
        }
    }

    /// Looks at the subqueries in an expression.
    fn look_at_links(&mut self, levels: &Levels, expression: NodePtr) {
        let mut links: Vec<&pg_sys::SubLink> = Vec::new();
        tree::walk(expression, &mut |node| {
            links.extend(tree::cast::<pg_sys::SubLink, _>(node));
            tree::cast::<pg_sys::Query, _>(node).is_none()
        });
        for link in links {
            if let Some(below) = tree::cast::<pg_sys::Query, _>(link.subselect) {
                self.look(&Levels {
                    query: below,
                    keys: levels.keys_in_link(link, below),
                    outer: Some(levels),
                });
            }
        }
    }
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
                    let mut equal = equalities::of_column(query, column, &range.conditions);
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
fn keeps_key(levels: &Levels, range: &Range) -> bool {
    let outputs = levels.outer.map(|recursive| &recursive.keys);
    let mut numbers = 0..levels.keys.len();
    numbers.all(|number| {
        let output = outputs.and_then(|keys| keys[number]);
        match output.map(|key| (column_of(key), value_of(key))) {
            Some((Some((_, attribute)), _)) => {
                let column = (range.index, attribute);
                let equal = equalities::of_column(levels.query, column, &range.conditions);
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

/// The distributed tables that a query mentions.
fn distributed_tables(query: &pg_sys::Query) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        let level = tree::cast::<pg_sys::Query, _>(node);
        let entries = level.map(|level| tree::list::<pg_sys::RangeTblEntry>(level.rtable));
        for entry in entries.into_iter().flatten() {
            let is_relation = entry.rtekind == RTEKind::RTE_RELATION;
            if is_relation && matches!(placements::home(entry.relid), Home::Distributed(_)) {
                // SAFETY: the relation is locked by the analysis of the query.
                found.insert(unsafe { tree::string(pg_sys::get_rel_name(entry.relid)) });
            }
        }
        true
    });
    found
}

/// The entries of FROM, or the queries that set operations are over.
fn ranges_of(query: &pg_sys::Query) -> Vec<Range> {
    let mut found = Vec::new();
    match query.setOperations.is_null() {
        true => ranges_in(query.jointree.cast(), &[], &mut found),
        false => set_operation_inputs(query.setOperations, &mut found),
    }
    found
}

fn ranges_in(node: NodePtr, conditions: &[NodePtr], found: &mut Vec<Range>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        found.push(Range {
            index: entry.rtindex,
            conditions: conditions.to_vec(),
        });
    } else if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(node) {
        tree::nodes(from.fromlist).for_each(|part| ranges_in(part, conditions, found));
    } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
        let mut met = conditions.to_vec();
        conjuncts(join.quals, &mut met);
        // A row that finds no other one is there all the same, and meets no condition.
        let (left, right) = match join.jointype {
            JoinType::JOIN_LEFT => (conditions, &met[..]),
            JoinType::JOIN_RIGHT => (&met[..], conditions),
            JoinType::JOIN_FULL => (conditions, conditions),
            _ => (&met[..], &met[..]),
        };
        ranges_in(join.larg, left, found);
        ranges_in(join.rarg, right, found);
    }
}

fn set_operation_inputs(node: NodePtr, found: &mut Vec<Range>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        found.push(Range {
            index: entry.rtindex,
            conditions: Vec::new(),
        });
    } else if let Some(operation) = tree::cast::<pg_sys::SetOperationStmt, _>(node) {
        set_operation_inputs(operation.larg, found);
        set_operation_inputs(operation.rarg, found);
    }
}
