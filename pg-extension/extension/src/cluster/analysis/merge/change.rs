//! UPDATE, DELETE and MERGE by rows of other nodes: those are gathered, and the nodes of the rows that change run the statement over them, each for
//! its own. A row that changes then finds what it would find on one node, since every node gets the same.

use super::super::below_view::Table;
use super::super::one_match;
use super::super::relation::{Placement, Relation};
use super::super::scope::Scopes;
use super::super::tree;
use super::super::view_query;
use pgrx::pg_sys::{self, CmdType, Oid, RTEKind};
use serde_json::Value as Json;

/// Whether a query changes rows and may be divided.
pub fn is_one(query: &pg_sys::Query) -> bool {
    matches!(
        query.commandType,
        CmdType::CMD_UPDATE | CmdType::CMD_DELETE | CmdType::CMD_MERGE
    )
}

/// Why the rows that a change needs cannot be gathered, whatever these are; `None` when they can, or the query only reads.
pub fn obstacle(query: &pg_sys::Query) -> Option<&'static str> {
    if !is_one(query) {
        return None;
    }
    let Some(target) = target(query) else {
        return Some("it changes rows through a view");
    };
    match target.placement {
        Placement::Catalog => Some("it changes a system catalogue"),
        Placement::None => None,
        _ if query.commandType == CmdType::CMD_MERGE => Some("MERGE"),
        Placement::Reference if one_match::concerns(query) => Some(super::ONE_MATCH),
        _ => None,
    }
}

/// The table whose rows are changed, also through views that PostgreSQL can see through.
fn target(query: &pg_sys::Query) -> Option<Relation> {
    Table::below(tree::target(query)).map(|table| Relation::new(table.oid, 0))
}

/// Whether several nodes would evaluate, each by itself, what is to come out alike for all rows that change. Views must be expanded but for the one whose
/// rows change.
pub fn differs_by_node(query: &pg_sys::Query) -> bool {
    is_one(query)
        && target(query).is_none_or(|target| target.placement != Placement::None)
        && (calls_volatile(query) || view_calls_volatile(tree::target(query)))
}

/// Whether the view has such a thing: itself, in what it is over, or in what its subqueries read.
fn view_calls_volatile(relation: Oid) -> bool {
    view_query::of_view(relation).is_some_and(|view| {
        calls_volatile(view)
            || read_by(view)
                .into_iter()
                .any(|(level, relation)| match std::ptr::eq(level, view) {
                    true => view_calls_volatile(relation),
                    false => reads_volatile(relation),
                })
    })
}

/// Whether the view has something volatile anywhere.
fn reads_volatile(relation: Oid) -> bool {
    view_query::of_view(relation).is_some_and(|view| {
        let node = std::ptr::from_ref(view).cast_mut().cast();
        // SAFETY: a valid query.
        let volatile = unsafe { pg_sys::contain_volatile_functions(node) };
        let mut read = read_by(view).into_iter();
        volatile || read.any(|(_, relation)| reads_volatile(relation))
    })
}

/// The relations that a query and its subqueries have in FROM, with the one that has them.
fn read_by(query: &pg_sys::Query) -> Vec<(*const pg_sys::Query, Oid)> {
    let mut read = Vec::new();
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            // SAFETY: entries of the query.
            let relation = |index| unsafe { (*tree::range(level, index)).relid };
            let relations = super::used::relations(level).into_iter().map(relation);
            read.extend(relations.map(|relation| (std::ptr::from_ref(level), relation)));
        }
        true
    });
    read
}

/// Whether something is volatile that is evaluated once for the whole statement.
fn calls_volatile(query: &pg_sys::Query) -> bool {
    let mut found = false;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        let inner =
            tree::cast::<pg_sys::Query, _>(node).is_some_and(|inner| !std::ptr::eq(inner, query));
        if inner {
            // SAFETY: a valid query.
            found |= unsafe { pg_sys::contain_volatile_functions(node) };
        }
        !inner
    });
    let mut ranges = tree::list::<pg_sys::RangeTblEntry>(query.rtable);
    found
        || ranges.any(|entry| {
            let list = match entry.rtekind {
                RTEKind::RTE_FUNCTION => entry.functions,
                RTEKind::RTE_VALUES => entry.values_lists,
                _ => std::ptr::null_mut(),
            };
            // SAFETY: a valid list of expressions, or null.
            unsafe { pg_sys::contain_volatile_functions(list.cast()) }
        })
}

/// The plan of a MERGE into a distributed table: whether nodes need nothing but their own rows for it; `None` for others.
pub fn merge(scopes: &Scopes, query: &pg_sys::Query) -> Option<Json> {
    let target = target(query).filter(|_| query.commandType == CmdType::CMD_MERGE)?;
    target.spreading()?;
    let inserts = tree::list::<pg_sys::MergeAction>(query.mergeActionList)
        .any(|action| action.commandType == CmdType::CMD_INSERT);
    let alone = scopes.relations.len() == 1 && !scopes.reads_system_columns();
    Some(match alone && !inserts && !calls_volatile(query) {
        true => super::concat(),
        false => super::refuse("MERGE"),
    })
}
