//! The queries that views stand for, where a command names the view alone.

use super::tree;
use pgrx::pg_sys::{self, Oid};

/// The query of a view or materialized view, ready to be rewritten; `None` for any other relation. Locks what it reads.
pub fn of(relation: Oid) -> Option<&'static pg_sys::Query> {
    // SAFETY: the relation exists; it is closed, its lock kept, and what is used of it is copied.
    unsafe {
        let kind = pg_sys::get_rel_relkind(relation) as u8;
        if kind != pg_sys::RELKIND_VIEW && kind != pg_sys::RELKIND_MATVIEW {
            return None;
        }
        let view = pg_sys::relation_open(relation, pg_sys::AccessShareLock as i32);
        let query = tree::copy(pg_sys::get_view_query(view));
        pg_sys::relation_close(view, pg_sys::NoLock as i32);
        pg_sys::AcquireRewriteLocks(query, true, false);
        Some(&*query)
    }
}

/// The same; `None` for a materialized view as well, which has rows of its own.
pub fn of_view(relation: Oid) -> Option<&'static pg_sys::Query> {
    // SAFETY: a look-up by number.
    let kind = unsafe { pg_sys::get_rel_relkind(relation) } as u8;
    (kind == pg_sys::RELKIND_VIEW).then(|| of(relation))?
}
