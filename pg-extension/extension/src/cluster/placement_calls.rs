//! Which statement of the client's a change of the placement runs in. Routers have every node run the calls of our own functions, and commands; a
//! user's function or procedure they may have one node run, which must not change the placement alone. DO blocks are watched elsewhere (`block`).

use super::analysis::tree::{self, NodePtr};
use super::refused;
use crate::catalog;
use pgrx::pg_sys;

/// Raises where only this node would change it.
pub fn check() {
    // SAFETY: the portal that runs, with its statements.
    let is_alone = unsafe {
        pg_sys::ActivePortal.as_ref().is_some_and(|portal| {
            tree::nodes(portal.stmts)
                .filter_map(|node| tree::cast::<pg_sys::PlannedStmt, _>(node))
                .any(|statement| !is_run_by_all(statement))
        })
    };
    if is_alone {
        refused::raise(
            "a function or procedure cannot change the placement of a cluster",
            "Call the function that changes it by itself: the router has every node run it.",
        );
    }
}

fn is_run_by_all(statement: &pg_sys::PlannedStmt) -> bool {
    match tree::cast::<pg_sys::CallStmt, _>(statement.utilityStmt) {
        Some(call) => calls_ours(call.funcexpr.cast()),
        None => {
            let mut others = tree::nodes(statement.subplans);
            !statement.utilityStmt.is_null()
                || plan_calls_ours(statement.planTree)
                || others.any(|plan| plan_calls_ours(plan.cast()))
        }
    }
}

fn plan_calls_ours(plan: *const pg_sys::Plan) -> bool {
    // SAFETY: a finished plan; the tag says what a node is.
    let Some(node) = (unsafe { plan.as_ref() }) else {
        return false;
    };
    let given = tree::cast::<pg_sys::FunctionScan, _>(plan).map(|scan| scan.functions);
    [Some(node.targetlist), Some(node.qual), given]
        .into_iter()
        .flatten()
        .any(|list| calls_ours(list.cast()))
        || plans_below(node).any(plan_calls_ours)
}

fn plans_below(node: &pg_sys::Plan) -> impl Iterator<Item = *const pg_sys::Plan> {
    let plan: *const pg_sys::Plan = node;
    let below = tree::cast::<pg_sys::SubqueryScan, _>(plan).map(|scan| scan.subplan);
    let parts = tree::cast::<pg_sys::Append, _>(plan)
        .map(|all| all.appendplans)
        .or_else(|| tree::cast::<pg_sys::MergeAppend, _>(plan).map(|all| all.mergeplans));
    [node.lefttree, node.righttree]
        .into_iter()
        .chain(below)
        .map(|one| one.cast_const())
        .chain(
            parts
                .into_iter()
                .flat_map(|list| tree::nodes(list))
                .map(|one| one.cast_const().cast()),
        )
}

/// Whether an expression calls a function of the extension.
fn calls_ours(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::FuncExpr, _>(node)
            .is_some_and(|call| catalog::is_of_extension(call.funcid))
    })
}
