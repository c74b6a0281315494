//! Whether INSERT ... SELECT gives its rows the distribution key of their source rows. Only the node of a source row sees it: what is made of it must
//! lie there, or no node inserts it.

use super::super::super::analysis::tree;
use super::super::super::placement::Distribution;
use super::super::placements::{self, Home};
use super::equalities::{self, Column, assigned, column_of, entry};
use pgrx::pg_sys::{self, RTEKind};
use std::collections::BTreeSet;
use tree::NodePtr;

/// Of one INSERT.
const QUERIES_MAX: usize = 100;

/// Where the rows of an INSERT go.
enum Target<'a> {
    Distributed(&'a Distribution),
    Node(i32),
}

/// The tables of source rows whose key the rows of an INSERT may not have. A table counts where there is no row without one of it: not in subqueries of
/// conditions, nor on the side of an outer join that may be missing.
pub fn sources_with_other_key(insert: &pg_sys::Query, home: &Home) -> BTreeSet<String> {
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
    search.look(&Levels {
        query: insert,
        keys,
        outer: None,
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

impl Levels<'_> {
    fn up(&self, levels: u32) -> Option<&Self> {
        (0..levels).try_fold(self, |level, _| level.outer)
    }

    /// Whether a column of this query has what the distribution column of this number gets.
    fn has_key(&self, column: Column, number: usize) -> bool {
        let equal = equalities::of_column(self.query, column);
        self.keys[number].is_some_and(|key| equal.has(key))
            || equal.outer.iter().any(|(up, column)| {
                let level = self.up(*up);
                level.is_some_and(|level| level.has_key(*column, number))
            })
    }

    /// The query of WITH that an entry names, and the one that has that WITH.
    fn with(&self, entry: &pg_sys::RangeTblEntry) -> Option<(&'static pg_sys::Query, &Self)> {
        let level = self.up(entry.ctelevelsup)?;
        let name = tree::string(entry.ctename);
        let mut queries = tree::list::<pg_sys::CommonTableExpr>(level.query.cteList);
        let found = queries.find(|with| tree::string(with.ctename) == name)?;
        Some((tree::cast::<pg_sys::Query, _>(found.ctequery)?, level))
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
        let mut indexes = Vec::new();
        match query.setOperations.is_null() {
            true => required_ranges(query.jointree.cast(), &mut indexes),
            false => set_operation_inputs(query.setOperations, &mut indexes),
        }
        for index in indexes {
            let Some(entry) = entry(query, index) else {
                continue;
            };
            let below = match entry.rtekind {
                RTEKind::RTE_RELATION => {
                    if !is_colocated(levels, index, entry, &self.target) {
                        // SAFETY: the relation is locked by the analysis of the query.
                        let name = unsafe { tree::string(pg_sys::get_rel_name(entry.relid)) };
                        self.found.insert(name);
                    }
                    None
                }
                RTEKind::RTE_SUBQUERY => {
                    tree::cast::<pg_sys::Query, _>(entry.subquery).map(|query| (query, levels))
                }
                // Of a recursive query, what its first part makes is looked at.
                RTEKind::RTE_CTE if !entry.self_reference => levels.with(entry),
                _ => None,
            };
            if let Some((below, outer)) = below {
                let keys = levels.keys.iter();
                self.look(&Levels {
                    query: below,
                    keys: keys
                        .map(|key| in_terms_of(query, index, below, (*key)?))
                        .collect(),
                    outer: Some(outer),
                });
            }
        }
    }
}

/// Whether the new rows lie where the source rows of this entry lie.
fn is_colocated(
    levels: &Levels,
    index: i32,
    entry: &pg_sys::RangeTblEntry,
    target: &Target,
) -> bool {
    match (placements::home(entry.relid), target) {
        (Home::Here | Home::Everywhere, _) => true,
        (Home::Node(node), Target::Node(other)) => node == *other,
        (Home::Distributed(distribution), Target::Distributed(other)) => {
            let mut columns = distribution.columns().iter().enumerate();
            distribution.places_as(other)
                && columns.all(|(number, column)| levels.has_key((index, column.attribute), number))
        }
        _ => false,
    }
}

/// A key in terms of a query below.
fn in_terms_of(
    query: &pg_sys::Query,
    index: i32,
    below: &pg_sys::Query,
    key: NodePtr,
) -> Option<NodePtr> {
    let Some(column) = column_of(key) else {
        return equalities::value_of(key).map(|_| key);
    };
    // The outputs of set operations are said to be those of the first query.
    if !query.setOperations.is_null() {
        return assigned(below, column.1);
    }
    let equal = equalities::of_column(query, column);
    let below_too = equal.columns.iter().find(|(of, _)| *of == index);
    below_too.and_then(|(_, attribute)| assigned(below, *attribute))
}

/// The entries without whose rows there is no row.
fn required_ranges(node: NodePtr, indexes: &mut Vec<i32>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        indexes.push(entry.rtindex);
    } else if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(node) {
        tree::nodes(from.fromlist).for_each(|part| required_ranges(part, indexes));
    } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
        use pg_sys::JoinType::{JOIN_INNER, JOIN_LEFT, JOIN_RIGHT};
        if matches!(join.jointype, JOIN_INNER | JOIN_LEFT) {
            required_ranges(join.larg, indexes);
        }
        if matches!(join.jointype, JOIN_INNER | JOIN_RIGHT) {
            required_ranges(join.rarg, indexes);
        }
    }
}

/// The entries of the queries that set operations are over.
fn set_operation_inputs(node: NodePtr, indexes: &mut Vec<i32>) {
    if let Some(entry) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        indexes.push(entry.rtindex);
    } else if let Some(operation) = tree::cast::<pg_sys::SetOperationStmt, _>(node) {
        set_operation_inputs(operation.larg, indexes);
        set_operation_inputs(operation.rarg, indexes);
    }
}
