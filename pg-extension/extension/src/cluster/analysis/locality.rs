//! Whether a query can be evaluated partition by partition: whether what it gives over all rows is the disjoint union of
//! what it gives over the rows of each node, with reference tables complete on each.

use super::super::placement::Operation;
use super::conditions;
use super::graph::Column;
use super::relation::Placement;
use super::scope::{Range, ScopeId, Scopes};
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, JoinType};

/// How the rows of a query level or of a part of its FROM lie.
#[derive(Clone, Debug)]
pub enum Locality {
    /// The same rows wherever it is evaluated.
    Everywhere,
    /// Of tables that lie on the first node only (or of a catalogue).
    FirstNode,
    /// Each row comes from one partition. `keys` are those of relations that no outer join fills with NULLs in these rows;
    /// without any, nothing can be joined to them by key.
    Partitioned { keys: Vec<Key> },
    /// It needs rows of several partitions at once.
    Mixed(String),
}

/// The distribution columns of one relation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    columns: Vec<Column>,
    /// What is made of the columns, and the colocation group: rows of relations that have these in common lie together if their columns are equal.
    way: (i32, Vec<Option<Operation>>),
}

impl Key {
    /// Whether rows lie together that satisfy the test in all pairs of columns.
    fn pairs(&self, other: &Key, test: impl Fn(Column, Column) -> bool) -> bool {
        let mut pairs = self.columns.iter().zip(&other.columns);
        self.way == other.way && pairs.all(|(one, other)| test(*one, *other))
    }
}

use Locality::{Everywhere, FirstNode, Mixed, Partitioned};

fn mixed(reason: &str) -> Locality {
    Mixed(reason.to_owned())
}

/// The rows of FROM with WHERE and all subqueries of a level, before it groups, sorts or limits them.
pub fn rows(scopes: &mut Scopes, scope: ScopeId) -> Locality {
    if let Some(known) = scopes.localities.get(&scope) {
        return known.clone();
    }
    pgrx::check_for_interrupts!();
    let found = find_rows(scopes, scope);
    scopes.localities.insert(scope, found.clone());
    found
}

fn find_rows(scopes: &mut Scopes, scope: ScopeId) -> Locality {
    let query = scopes.scopes[scope].query;
    if query.hasRecursive {
        return mixed("a recursive query");
    }
    if query.hasModifyingCTE {
        return mixed("a data-modifying WITH query");
    }
    let base = match query.setOperations.is_null() {
        true => from_list(scopes, scope, query),
        false => set_operation(scopes, scope, query.setOperations),
    };
    with_sublinks(scopes, scope, base)
}

fn from_list(scopes: &mut Scopes, scope: ScopeId, query: &pg_sys::Query) -> Locality {
    let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree) else {
        return Everywhere;
    };
    let items: Vec<NodePtr> = tree::nodes(from.fromlist).collect();
    items.into_iter().fold(Everywhere, |place, item| {
        let next = from_item(scopes, scope, item);
        inner_join(scopes, place, next)
    })
}

fn from_item(scopes: &mut Scopes, scope: ScopeId, item: NodePtr) -> Locality {
    if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(item) {
        return range_locality(scopes, scope, range.rtindex);
    }
    let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) else {
        return Everywhere;
    };
    let left = from_item(scopes, scope, join.larg);
    let right = from_item(scopes, scope, join.rarg);
    match join.jointype {
        JoinType::JOIN_INNER => inner_join(scopes, left, right),
        JoinType::JOIN_LEFT => outer_join(scopes, left, right),
        JoinType::JOIN_RIGHT => outer_join(scopes, right, left),
        _ => full_join(scopes, left, right),
    }
}

fn range_locality(scopes: &mut Scopes, scope: ScopeId, index: i32) -> Locality {
    match scopes.scopes[scope].ranges.get(index as usize - 1).copied() {
        Some(Range::Relation(id)) => relation_locality(scopes, id),
        Some(
            Range::Subquery(inner)
            | Range::With {
                scope: inner,
                once: true,
            },
        ) => derived(scopes, scope, inner),
        Some(Range::With {
            scope: inner,
            once: false,
        }) => match derived(scopes, scope, inner) {
            Partitioned { keys } => Partitioned {
                keys: keys
                    .into_iter()
                    .filter_map(|key| mentioned_key(scopes, scope, index, inner, key))
                    .collect(),
            },
            other => other,
        },
        _ => Everywhere,
    }
}

/// The key as the columns of one mention of a WITH query: rows of several mentions are not the same row. `None` when it does not give the key.
fn mentioned_key(
    scopes: &mut Scopes,
    scope: ScopeId,
    index: i32,
    inner: ScopeId,
    key: Key,
) -> Option<Key> {
    let query = scopes.scopes[inner].query;
    let mut columns = Vec::new();
    for column in key.columns {
        let entry = tree::list::<pg_sys::TargetEntry>(query.targetList).find(|entry| {
            !entry.resjunk && scopes.resolve_output(inner, entry.resno) == Some(column)
        })?;
        columns.push(scopes.resolve_mention(scope, index, entry.resno)?);
    }
    Some(Key {
        columns,
        way: key.way,
    })
}

fn relation_locality(scopes: &mut Scopes, id: usize) -> Locality {
    match scopes.relations[id].placement.clone() {
        Placement::Reference => Everywhere,
        Placement::Catalog | Placement::None => FirstNode,
        Placement::Distributed(spreading) => {
            let columns = spreading.columns.iter();
            let key = Key {
                columns: columns
                    .clone()
                    .map(|(column, _)| scopes.column(id, *column))
                    .collect(),
                way: (
                    spreading.colocation,
                    columns.map(|(_, operation)| *operation).collect(),
                ),
            };
            Partitioned { keys: vec![key] }
        }
    }
}

/// A subquery in FROM. Whatever it does is local when each distributed row in it is tied to the outer row's key.
fn derived(scopes: &mut Scopes, outer: ScopeId, inner: ScopeId) -> Locality {
    let query = scopes.scopes[inner].query;
    let place = rows(scopes, inner);
    match place {
        Partitioned { keys } if is_lateral(scopes, outer, inner, &keys) => Partitioned { keys },
        Partitioned { keys } => match global_step(scopes, inner, query, &keys) {
            Some(step) => Mixed(format!("{step} in a subquery")),
            None => Partitioned { keys },
        },
        other => other,
    }
}

/// Whether a LATERAL subquery reads rows of one key only: that of an outer distributed row.
fn is_lateral(scopes: &mut Scopes, outer: ScopeId, inner: ScopeId, keys: &[Key]) -> bool {
    let inner_query = std::ptr::from_ref(scopes.scopes[inner].query);
    let lateral = tree::list::<pg_sys::RangeTblEntry>(scopes.scopes[outer].query.rtable)
        .any(|entry| entry.lateral && std::ptr::eq(entry.subquery, inner_query));
    if !lateral {
        return false;
    }
    let inside = scopes.relations_below(inner);
    let outside: Vec<usize> = (0..scopes.relations.len())
        .filter(|id| !inside.contains(id))
        .collect();
    outside
        .into_iter()
        .any(|id| match relation_locality(scopes, id) {
            Partitioned { keys: outer } => is_tied_to_key(scopes, &outer, keys),
            _ => false,
        })
}

/// Whether a level gives groups of its rows; `GROUP BY ()` has nothing but a grouping set.
pub fn groups(query: &pg_sys::Query) -> bool {
    query.hasAggs
        || !query.groupClause.is_null()
        || !query.groupingSets.is_null()
        || !query.havingQual.is_null()
}

/// The step of a level, after FROM and WHERE, that looks at rows of several partitions; `None` when there is none.
pub fn global_step(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    keys: &[Key],
) -> Option<&'static str> {
    if !query.limitCount.is_null() || !query.limitOffset.is_null() {
        return Some("LIMIT or OFFSET");
    }
    let grouped = groups(query);
    if !query.groupingSets.is_null() {
        return Some("grouping sets");
    }
    if grouped && !contains_key(scopes, scope, query, query.groupClause, keys) {
        return Some("grouping other than by the distribution column");
    }
    if !query.distinctClause.is_null()
        && !contains_key(scopes, scope, query, query.distinctClause, keys)
    {
        return Some("DISTINCT without the distribution column");
    }
    windows_step(scopes, scope, query, keys)
}

/// As [`global_step`], for window functions alone.
pub fn windows_step(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    keys: &[Key],
) -> Option<&'static str> {
    let windows: Vec<_> = tree::list::<pg_sys::WindowClause>(query.windowClause).collect();
    let all_local = windows
        .iter()
        .all(|window| contains_key(scopes, scope, query, window.partitionClause, keys));
    (!all_local).then_some("a window that is not partitioned by the distribution column")
}

/// Whether a list of grouping columns holds all distribution columns of a relation, or what is always equal to them.
pub fn contains_key(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    clauses: *const pg_sys::List,
    keys: &[Key],
) -> bool {
    let grouped: Vec<Column> = tree::list::<pg_sys::SortGroupClause>(clauses)
        .filter_map(|clause| tree::target_of(query, clause))
        .filter_map(|entry| column_of(scopes, scope, entry.expr.cast()))
        .collect();
    let graph = &scopes.graph;
    let is_grouped = |column: &Column| grouped.iter().any(|one| graph.are_united(*one, *column));
    keys.iter().any(|key| key.columns.iter().all(is_grouped))
}

/// Whether an expression is always equal to the only distribution column of a relation.
pub fn is_key(scopes: &mut Scopes, scope: ScopeId, expression: NodePtr, keys: &[Key]) -> bool {
    let Some(column) = column_of(scopes, scope, expression) else {
        return false;
    };
    keys.iter()
        .any(|key| matches!(key.columns[..], [only] if scopes.graph.are_united(column, only)))
}

/// The column that an expression stands for, so that equal values of one are equal values of the other.
fn column_of(scopes: &mut Scopes, scope: ScopeId, expression: NodePtr) -> Option<Column> {
    if !conditions::tells_apart(tree::collation_of(expression)) {
        return None;
    }
    let stripped = super::operand::strip_faithful(expression);
    tree::cast::<pg_sys::Var, _>(stripped).and_then(|var| scopes.resolve(scope, var))
}

/// Whether rows of two keys lie together that satisfy the test in all pairs of columns.
fn some_pair(left: &[Key], right: &[Key], test: impl Fn(Column, Column) -> bool) -> bool {
    left.iter()
        .any(|one| right.iter().any(|other| one.pairs(other, &test)))
}

/// Whether rows of the two meet only where their keys are equal.
fn are_joined_by_key(scopes: &Scopes, left: &[Key], right: &[Key]) -> bool {
    let graph = &scopes.graph;
    some_pair(left, right, |one, other| {
        graph.reaches(one, other) || graph.reaches(other, one)
    })
}

/// Whether rows of the second matter only for a row of the first with an equal key.
fn is_tied_to_key(scopes: &Scopes, first: &[Key], second: &[Key]) -> bool {
    some_pair(first, second, |one, other| scopes.graph.reaches(one, other))
}

const NOT_BY_KEY: &str = "distributed tables are joined other than by their distribution columns";
const WITH_FIRST_NODE: &str =
    "a distributed table is used together with a table that has no placement";

fn inner_join(scopes: &Scopes, left: Locality, right: Locality) -> Locality {
    match (left, right) {
        (Mixed(reason), _) | (_, Mixed(reason)) => Mixed(reason),
        (Everywhere, other) | (other, Everywhere) => other,
        (FirstNode, FirstNode) => FirstNode,
        (FirstNode, _) | (_, FirstNode) => mixed(WITH_FIRST_NODE),
        (Partitioned { keys: mut left }, Partitioned { keys: right }) => {
            if !are_joined_by_key(scopes, &left, &right) {
                return mixed(NOT_BY_KEY);
            }
            left.extend(right);
            left.sort_unstable();
            left.dedup();
            Partitioned { keys: left }
        }
    }
}

fn outer_join(scopes: &Scopes, kept: Locality, nullable: Locality) -> Locality {
    match (kept, nullable) {
        (Everywhere, Partitioned { .. }) => {
            mixed("a reference table is outer-joined to a distributed table")
        }
        (Partitioned { keys: kept }, Partitioned { keys: nullable }) => {
            match is_tied_to_key(scopes, &kept, &nullable) {
                true => Partitioned { keys: kept },
                false => mixed(NOT_BY_KEY),
            }
        }
        (kept, nullable) => inner_join(scopes, kept, nullable),
    }
}

fn full_join(scopes: &Scopes, left: Locality, right: Locality) -> Locality {
    match (left, right) {
        (Everywhere, Everywhere) => Everywhere,
        (FirstNode | Everywhere, FirstNode | Everywhere) => FirstNode,
        (Partitioned { keys: left }, Partitioned { keys: right })
            if some_pair(&left, &right, |one, other| {
                scopes.graph.are_matched(one, other)
            }) =>
        {
            Partitioned { keys: Vec::new() }
        }
        (Mixed(reason), _) | (_, Mixed(reason)) => Mixed(reason),
        _ => mixed("a full join other than by the distribution columns"),
    }
}

/// UNION ALL of parts that lie in partitions does so too; other set operations compare rows of different partitions.
fn set_operation(scopes: &mut Scopes, scope: ScopeId, node: NodePtr) -> Locality {
    if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
        return range_locality(scopes, scope, range.rtindex);
    }
    let Some(operation) = tree::cast::<pg_sys::SetOperationStmt, _>(node) else {
        return Everywhere;
    };
    let left = set_operation(scopes, scope, operation.larg);
    let right = set_operation(scopes, scope, operation.rarg);
    let union_all = operation.op == pg_sys::SetOperation::SETOP_UNION && operation.all;
    match (left, right) {
        (Mixed(reason), _) | (_, Mixed(reason)) => Mixed(reason),
        (Everywhere, Everywhere) => Everywhere,
        (FirstNode | Everywhere, FirstNode | Everywhere) => FirstNode,
        (Partitioned { .. }, Partitioned { .. }) if union_all => Partitioned { keys: Vec::new() },
        (Partitioned { .. }, Partitioned { .. }) => {
            mixed("UNION, INTERSECT or EXCEPT of distributed tables")
        }
        _ => mixed("a set operation of a distributed table and others"),
    }
}

/// Subqueries in expressions: those over distributed tables must be tied to the row's key.
fn with_sublinks(scopes: &mut Scopes, scope: ScopeId, base: Locality) -> Locality {
    let mut place = base;
    for inner in scopes.scopes[scope].sublinks.clone() {
        for id in scopes.relations_below(inner) {
            place = with_sublink_relation(scopes, place, id);
        }
    }
    place
}

fn with_sublink_relation(scopes: &mut Scopes, place: Locality, id: usize) -> Locality {
    match (place, relation_locality(scopes, id)) {
        (Mixed(reason), _) => Mixed(reason),
        (place, Everywhere) => place,
        (Everywhere | FirstNode, FirstNode) => FirstNode,
        (Partitioned { keys }, Partitioned { keys: inner }) => {
            match is_tied_to_key(scopes, &keys, &inner) {
                true => Partitioned { keys },
                false => mixed(
                    "a subquery reads a distributed table other than by the distribution column of the outer row",
                ),
            }
        }
        (Everywhere, Partitioned { .. }) => {
            mixed("a subquery reads a distributed table for rows that are on every node")
        }
        _ => mixed(WITH_FIRST_NODE),
    }
}
