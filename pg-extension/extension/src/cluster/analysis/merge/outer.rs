//! Whether a query, or an expression of it, is correlated: reads something of the query levels above it.

use super::super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, RTEKind};

/// Whether a query reads anything of the levels above it.
pub fn reads_above(query: &pg_sys::Query) -> bool {
    query_reads(query, 0)
}

/// Whether an expression of a level reads anything of the levels above that.
pub fn expression_reads_above(expression: NodePtr) -> bool {
    reads(expression, 0)
}

fn query_reads(query: &pg_sys::Query, depth: u32) -> bool {
    let mut found = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .any(|entry| entry.rtekind == RTEKind::RTE_CTE && entry.ctelevelsup > depth);
    tree::query_children(query, &mut |child| found = found || reads(child, depth));
    found
}

fn reads(node: NodePtr, depth: u32) -> bool {
    if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        return query_reads(query, depth + 1);
    }
    let mut found = level_of(node).is_some_and(|level| level > depth);
    tree::children(node, &mut |child| found = found || reads(child, depth));
    found
}

/// How many levels up the node belongs, for those that say so.
fn level_of(node: NodePtr) -> Option<u32> {
    let variable = tree::cast::<pg_sys::Var, _>(node).map(|var| var.varlevelsup);
    let aggregate = || tree::cast::<pg_sys::Aggref, _>(node).map(|call| call.agglevelsup);
    let grouping = || tree::cast::<pg_sys::GroupingFunc, _>(node).map(|call| call.agglevelsup);
    variable.or_else(aggregate).or_else(grouping)
}
