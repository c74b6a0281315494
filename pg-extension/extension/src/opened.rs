//! Relations that are open, and what their cache entries tell. Knows none of the rooms.

use crate::compat;
use pgrx::pg_sys::{self, FormData_pg_attribute, FormData_pg_class, Oid, Relation, TupleConstr};

/// An open relation; closed, its lock kept to the end of the transaction, when dropped.
pub struct Opened(Relation);

impl Opened {
    /// Opens a relation under this lock (`pg_sys::NoLock` for who has one); `None` if it is gone.
    pub fn open(relation: Oid, lock: u32) -> Option<Opened> {
        // SAFETY: any number may be asked for.
        let opened = unsafe { pg_sys::try_relation_open(relation, lock as i32) };
        (!opened.is_null()).then(|| Opened(opened))
    }

    /// Opens a relation that the running command is making, which its catalogue does not show yet.
    pub fn new_one(relation: Oid) -> Option<Opened> {
        // SAFETY: as above.
        let opened = unsafe { pg_sys::RelationIdGetRelation(relation) };
        (!opened.is_null()).then(|| Opened(opened))
    }

    /// As PostgreSQL's functions take it.
    pub fn relation(&self) -> Relation {
        self.0
    }

    /// Its identifier.
    pub fn id(&self) -> Oid {
        // SAFETY: it is open.
        unsafe { (*self.0).rd_id }
    }

    /// Its row of `pg_class`.
    pub fn class(&self) -> &FormData_pg_class {
        // SAFETY: it is open.
        unsafe { &*(*self.0).rd_rel }
    }

    /// Its columns by number, from 1; dropped ones are among them.
    pub fn columns(&self) -> &[FormData_pg_attribute] {
        // SAFETY: it is open, and its description stays as long.
        unsafe { compat::columns_of((*self.0).rd_att) }
    }

    /// The expressions of an index as they are stored. PostgreSQL's cache has them with constants computed, which is the owner's code: whoever
    /// only looks must not run it.
    pub fn index_expressions(&self) -> *mut pg_sys::List {
        let cache = pg_sys::SysCacheIdentifier::INDEXRELID as i32;
        // SAFETY: a catalogue look-up; the row is released, and what is stored is the text of a list.
        unsafe {
            let row = pg_sys::SearchSysCache1(cache, self.id().into());
            if row.is_null() {
                return std::ptr::null_mut();
            }
            let (number, mut null) = (pg_sys::Anum_pg_index_indexprs as i16, false);
            let stored = pg_sys::SysCacheGetAttr(cache, row, number, &mut null);
            let expressions = match null {
                true => std::ptr::null_mut(),
                false => pg_sys::stringToNode(pg_sys::text_to_cstring(stored.cast_mut_ptr())),
            };
            pg_sys::ReleaseSysCache(row);
            expressions.cast()
        }
    }

    /// Its triggers, those of foreign keys among them.
    pub fn triggers(&self) -> &[pg_sys::Trigger] {
        // SAFETY: it is open; the descriptor, null without triggers, has as many.
        unsafe {
            let descriptor = (*self.0).trigdesc;
            if descriptor.is_null() {
                return &[];
            }
            std::slice::from_raw_parts((*descriptor).triggers, (*descriptor).numtriggers as usize)
        }
    }

    /// Its defaults and constraints, if it has any.
    pub fn constraints(&self) -> Option<&TupleConstr> {
        // SAFETY: it is open.
        unsafe { (*(*self.0).rd_att).constr.as_ref() }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: the resource owner closes what is open
        }
        // SAFETY: opened in `open`.
        unsafe { pg_sys::relation_close(self.0, pg_sys::NoLock as i32) };
    }
}
