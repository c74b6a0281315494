//! GROUP BY of a primary key lets a query read the table's other columns. Where the table becomes a subquery, which has no key, they are grouping
//! columns as well; that changes no group.

use super::super::tree::{self, NodePtr};
use super::build;
use pgrx::pg_sys;

/// Adds to GROUP BY what follows from a key. An Err when a column cannot be grouped by.
pub fn complete(level: &mut pg_sys::Query) -> Result<(), &'static str> {
    if level.constraintDeps.is_null() {
        return Ok(());
    }
    if !level.groupingSets.is_null() {
        return Err("grouping sets over a primary key");
    }
    level.constraintDeps = std::ptr::null_mut();
    let mut free = Vec::new();
    for entry in tree::list::<pg_sys::TargetEntry>(level.targetList) {
        find_free(level, entry.expr.cast(), 0, &mut free);
    }
    find_free(level, level.havingQual, 0, &mut free);
    for variable in free {
        add(level, variable)?;
    }
    Ok(())
}

/// Whether some query in it has grouping sets over two columns that are the same expression. They are different columns: each is NULL in the other's
/// groups.
pub fn has_twins(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            let grouped: Vec<NodePtr> = tree::list::<pg_sys::SortGroupClause>(level.groupClause)
                .filter_map(|clause| tree::target_of(level, clause))
                .map(|entry| entry.expr.cast())
                .collect();
            let twin = |(at, one): (usize, &NodePtr)| {
                grouped[..at].iter().any(|other| tree::equal(*one, *other))
            };
            !level.groupingSets.is_null() && grouped.iter().enumerate().any(twin)
        })
    })
}

/// The columns of the level that stand neither in an aggregate nor in GROUP BY.
fn find_free(level: &pg_sys::Query, node: NodePtr, depth: u32, free: &mut Vec<NodePtr>) {
    if depth == 0 && is_grouped(level, node) {
        return;
    }
    if let Some(var) = tree::cast::<pg_sys::Var, _>(node) {
        if var.varlevelsup == depth {
            let variable = tree::copy(var);
            // SAFETY: the copy was just made.
            unsafe { (*variable).varlevelsup = 0 };
            let variable = variable.cast();
            if !is_grouped(level, variable) && !free.iter().any(|one| tree::equal(*one, variable)) {
                free.push(variable);
            }
        }
    } else if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        tree::query_children(query, &mut |child| find_free(level, child, depth + 1, free));
    } else if !is_aggregate_of(node, depth) {
        tree::children(node, &mut |child| find_free(level, child, depth, free));
    }
}

fn is_aggregate_of(node: NodePtr, depth: u32) -> bool {
    tree::cast::<pg_sys::Aggref, _>(node).is_some_and(|aggregate| aggregate.agglevelsup == depth)
}

fn is_grouped(level: &pg_sys::Query, node: NodePtr) -> bool {
    tree::list::<pg_sys::SortGroupClause>(level.groupClause)
        .filter_map(|clause| tree::target_of(level, clause))
        .any(|entry| tree::equal(entry.expr.cast::<pg_sys::Node>(), node))
}

fn add(level: &mut pg_sys::Query, variable: NodePtr) -> Result<(), &'static str> {
    let highest = tree::list::<pg_sys::TargetEntry>(level.targetList)
        .map(|entry| entry.ressortgroupref)
        .max();
    let reference = highest.unwrap_or(0) + 1;
    let clause = build::grouping_clause(tree::type_of(variable), reference)
        .ok_or("a column that follows from a key in GROUP BY has no equality")?;
    let number = tree::nodes(level.targetList).count() as i16 + 1;
    let entry = build::target(variable, number);
    // SAFETY: a fresh entry, appended to lists of a private copy.
    unsafe {
        (*entry).resjunk = true;
        (*entry).ressortgroupref = reference;
        level.targetList = pg_sys::lappend(level.targetList, entry.cast());
        level.groupClause = pg_sys::lappend(level.groupClause, std::ptr::from_mut(clause).cast());
    }
    Ok(())
}
