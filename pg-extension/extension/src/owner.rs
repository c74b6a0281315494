//! Working as the owner of a table, as PostgreSQL's own maintenance does: code of users that it runs, such as functions of indexes, gets
//! neither the rights nor the settings of whoever asked for the work. Knows none of the rooms.

use crate::boundary::functions;
use crate::compat;
use pgrx::pg_sys::{self, Oid};
use std::ffi::c_int;

/// Restores who works, and the settings, when dropped.
struct Role {
    user: Oid,
    context: c_int,
    settings: c_int,
}

impl Drop for Role {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: the end of the transaction restores both
        }
        // SAFETY: what was there before.
        unsafe {
            functions::AtEOXact_GUC(false, self.settings);
            pg_sys::SetUserIdAndSecContext(self.user, self.context);
        }
    }
}

/// Whether whoever works now owns the relation, or has the rights of its owner.
pub fn is_own(relation: Oid) -> bool {
    // SAFETY: plain read of the session's state.
    let user = unsafe { pg_sys::GetUserId() };
    compat::owns(pg_sys::RelationRelationId, relation, user)
}

/// The same of a database.
pub fn is_own_database(database: Oid) -> bool {
    // SAFETY: plain read of the session's state.
    let user = unsafe { pg_sys::GetUserId() };
    compat::owns(pg_sys::DatabaseRelationId, database, user)
}

/// The owner of a relation; `None` if there is no such relation (any more).
pub fn owner_of(relation: Oid) -> Option<Oid> {
    let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
    // SAFETY: a syscache lookup; the row is released.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache, relation.into());
        if row.is_null() {
            return None;
        }
        let owner = (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_class>()).relowner;
        pg_sys::ReleaseSysCache(row);
        Some(owner)
    }
}

/// Finds objects by their names with the rights of a superuser, whatever whoever works now may look into.
pub fn look_up<R>(names: impl FnOnce() -> R) -> R {
    struct User(Oid, c_int);
    impl Drop for User {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                // SAFETY: what was there before; after an ERROR the end of the transaction restores it.
                unsafe { pg_sys::SetUserIdAndSecContext(self.0, self.1) };
            }
        }
    }
    let (mut user, mut context) = (Oid::INVALID, 0);
    // SAFETY: what PostgreSQL does in functions with SECURITY DEFINER.
    let _user = unsafe {
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        let changed = context | pg_sys::SECURITY_LOCAL_USERID_CHANGE as c_int;
        pg_sys::SetUserIdAndSecContext(pg_sys::BOOTSTRAP_SUPERUSERID.into(), changed);
        User(user, context)
    };
    names()
}

/// Runs `work` as `owner`, in a context in which nothing can be left behind for the session, with names of PostgreSQL's own only.
pub fn work_as<R>(owner: Oid, work: impl FnOnce() -> R) -> R {
    // SAFETY: what PostgreSQL does in REINDEX and its like; a setting that any user may make.
    let _role = unsafe {
        let (mut user, mut context) = (Oid::INVALID, 0);
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        let restricted = context | pg_sys::SECURITY_RESTRICTED_OPERATION as c_int;
        pg_sys::SetUserIdAndSecContext(owner, restricted);
        let role = Role {
            user,
            context,
            settings: functions::NewGUCNestLevel(),
        };
        pg_sys::set_config_option(
            c"search_path".as_ptr(),
            c"pg_catalog, pg_temp".as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
        role
    };
    work()
}
