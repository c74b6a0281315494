//! MERGE, whose ON has a place of its own since 17, and which knows rows that nothing matches (WHEN NOT MATCHED BY SOURCE) since then.

use pgrx::pg_sys::{self, MergeAction, Node};
#[cfg(any(feature = "pg17", feature = "pg18"))]
use std::ptr::null_mut;

/// Whether the action of a MERGE is one WHEN MATCHED.
pub fn is_matched(action: &MergeAction) -> bool {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    return action.matched;
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    return action.matchKind == pg_sys::MergeMatchKind::MERGE_WHEN_MATCHED;
}

/// Whether the MERGE changes rows that match nothing (WHEN NOT MATCHED BY SOURCE, since 17): then ON leaves out no row of its target.
pub fn changes_unmatched(merge: &pg_sys::Query) -> bool {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    {
        let _ = merge;
        false
    }
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    // SAFETY: a valid list of such nodes.
    unsafe {
        (0..pg_sys::list_length(merge.mergeActionList)).any(|n| {
            let action = pg_sys::list_nth(merge.mergeActionList, n).cast::<MergeAction>();
            (*action).matchKind == pg_sys::MergeMatchKind::MERGE_WHEN_NOT_MATCHED_BY_SOURCE
        })
    }
}

/// ON of a MERGE that does not stand among the conditions of the query; null for others.
pub fn own_condition(merge: &pg_sys::Query) -> *mut Node {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    {
        let _ = merge;
        std::ptr::null_mut()
    }
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    {
        merge.mergeJoinCondition
    }
}

/// Where ON of a MERGE stands, whose conditions have not been [moved](move_on_to_where).
pub fn condition_of_merge(merge: &mut pg_sys::Query) -> &mut *mut Node {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    // SAFETY: a query has a FromExpr.
    unsafe {
        &mut (*merge.jointree).quals
    }
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    {
        &mut merge.mergeJoinCondition
    }
}

/// Has ON of a MERGE stand where it stood before 17, as a condition of the whole query, if that is what it is; for analysis alone.
pub fn move_on_to_where(merge: &mut pg_sys::Query) {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    let _ = merge;
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    // SAFETY: a query has a FromExpr. A condition there already is that of a view, with which ON would not come apart again.
    unsafe {
        if !merge.mergeJoinCondition.is_null()
            && (*merge.jointree).quals.is_null()
            && !changes_unmatched(merge)
        {
            (*merge.jointree).quals = std::mem::replace(&mut merge.mergeJoinCondition, null_mut());
        }
    }
}

/// Undoes [`move_on_to_where`], for what PostgreSQL does with the query.
pub fn move_on_back(merge: &mut pg_sys::Query) {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    let _ = merge;
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    // SAFETY: a query has a FromExpr.
    unsafe {
        if merge.commandType == pg_sys::CmdType::CMD_MERGE && merge.mergeJoinCondition.is_null() {
            merge.mergeJoinCondition =
                std::mem::replace(&mut (*merge.jointree).quals, null_mut()).cast();
        }
    }
}
