//! The indexes of a table that decide whether a row may be there: unique ones and those of exclusion constraints.

use super::tree;
use crate::opened::Opened;
use pgrx::pg_sys;

/// An open index.
pub struct Index<'a> {
    pub relation: pg_sys::Relation,
    pub form: &'a pg_sys::FormData_pg_index,
}

impl Index<'_> {
    /// The columns of its key; 0 for an expression.
    pub fn attributes(&self) -> &[i16] {
        // SAFETY: the array has as many elements.
        unsafe {
            self.form
                .indkey
                .values
                .as_slice(self.form.indnkeyatts as usize)
        }
    }

    /// Whether it holds for some rows only. PostgreSQL's cache of the condition has constants computed, which is code of the owner; this only looks.
    pub fn is_partial(&self) -> bool {
        let column = pg_sys::Anum_pg_index_indpred as i32;
        // SAFETY: an open index has its row of pg_index.
        unsafe {
            !pg_sys::heap_attisnull((*self.relation).rd_indextuple, column, std::ptr::null_mut())
        }
    }

    /// Whether it is a part of the index of a partitioned table.
    pub fn is_part(&self) -> bool {
        // SAFETY: it is open.
        unsafe { (*(*self.relation).rd_rel).relispartition }
    }
}

/// What is to be known of each of them.
pub fn each<R>(table: &Opened, known: impl Fn(&Index) -> R) -> Vec<R> {
    let mut found = Vec::new();
    // SAFETY: the indexes of an open relation; each is opened and closed here.
    unsafe {
        for index in tree::oids(pg_sys::RelationGetIndexList(table.relation())) {
            let relation = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
            let form = &*(*relation).rd_index;
            if form.indisunique || form.indisexclusion {
                found.push(known(&Index { relation, form }));
            }
            pg_sys::index_close(relation, pg_sys::AccessShareLock as i32);
        }
    }
    found
}
