//! What EXISTS selects does not matter: columns that nothing else uses need not come.

use super::super::tree::{self, NodePtr};
use super::build;
use pgrx::pg_sys::{self, SubLinkType};

/// Empties the target lists of subqueries under EXISTS, in a private copy, as PostgreSQL's planner does.
pub fn simplify(query: &mut pg_sys::Query) {
    let mut found: Vec<*mut pg_sys::Query> = Vec::new();
    tree::walk(std::ptr::from_mut(query).cast(), &mut |node| {
        if let Some(link) = tree::cast::<pg_sys::SubLink, _>(node)
            && link.subLinkType == SubLinkType::EXISTS_SUBLINK
        {
            found.push(link.subselect.cast());
        }
        true
    });
    for inner in found {
        // SAFETY: a subquery of the private copy, of which nothing else is held.
        let inner = unsafe { &mut *inner };
        if gives_one_row_for_each(inner) {
            empty(inner);
        }
    }
}

/// Whether it has a row exactly if its FROM and WHERE have one.
fn gives_one_row_for_each(query: &pg_sys::Query) -> bool {
    query.commandType == pg_sys::CmdType::CMD_SELECT
        && query.setOperations.is_null()
        && !query.hasAggs
        && query.groupingSets.is_null()
        && !query.hasWindowFuncs
        && !query.hasTargetSRFs
        && !query.hasModifyingCTE
        && query.havingQual.is_null()
        && query.limitCount.is_null()
        && query.limitOffset.is_null()
        && query.rowMarks.is_null()
        && is_plain(query.targetList.cast())
}

/// Without effects, without aggregates, which are those of a query around that has one row because of them, and without subqueries, whose relations the router
/// knows of and must find.
fn is_plain(targets: NodePtr) -> bool {
    // SAFETY: a valid target list.
    let volatile = unsafe { pg_sys::contain_volatile_functions(targets) };
    let matters = tree::any(targets, &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
            || tree::cast::<pg_sys::Aggref, _>(node).is_some()
            || tree::cast::<pg_sys::GroupingFunc, _>(node).is_some()
    });
    !volatile && !matters
}

fn empty(query: &mut pg_sys::Query) {
    // SAFETY: makes a constant.
    let anything: NodePtr = unsafe { pg_sys::makeBoolConst(true, false) };
    query.targetList = tree::make_list([build::target(anything, 1).cast()]);
    query.groupClause = std::ptr::null_mut();
    query.windowClause = std::ptr::null_mut();
    query.distinctClause = std::ptr::null_mut();
    query.sortClause = std::ptr::null_mut();
    query.hasDistinctOn = false;
    query.groupDistinct = false;
}
