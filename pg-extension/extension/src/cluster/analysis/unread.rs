//! Queries of WITH that nothing mentions. PostgreSQL runs none of them that only reads, so their tables, functions and conditions are no part of the statement.

use super::given_rows::mentions;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, CmdType, CommonTableExpr};

/// Takes them out of one level of a query, which must be private; and then those that only they mention.
pub fn forget(query: &mut pg_sys::Query) {
    let mut kept: Vec<NodePtr> = tree::nodes(query.cteList).collect();
    while let Some(at) = kept.iter().position(|with| is_unread(query, *with)) {
        let unread = kept.remove(at);
        kept.iter().for_each(|other| count_less(*other, unread));
        query.cteList = tree::make_list(kept.iter().copied());
        query.hasRecursive &= !kept.is_empty();
    }
}

/// Whether it only reads, and nothing but itself mentions it.
fn is_unread(query: &pg_sys::Query, with: NodePtr) -> bool {
    let (Some(name), Some(inner)) = (name_of(with), query_of(with)) else {
        return false;
    };
    inner.commandType == CmdType::CMD_SELECT
        && mentions(query, &name, 0).len() == mentions(inner, &name, 1).len()
}

/// Takes the mentions in a query that is gone off the number that another one has.
fn count_less(other: NodePtr, gone: NodePtr) {
    if let (Some(name), Some(gone)) = (name_of(other), query_of(gone)) {
        let lost = mentions(gone, &name, 1).len() as i32;
        // SAFETY: a query of WITH, as it has a name; of the private query.
        unsafe { (*other.cast::<CommonTableExpr>()).cterefcount -= lost };
    }
}

fn name_of(with: NodePtr) -> Option<String> {
    tree::cast::<CommonTableExpr, _>(with).map(|with| tree::string(with.ctename))
}

fn query_of(with: NodePtr) -> Option<&'static pg_sys::Query> {
    tree::cast::<CommonTableExpr, _>(with).and_then(|with| tree::cast(with.ctequery))
}
