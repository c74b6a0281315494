//! Calling the functions of types for nobody in particular: with the rights of the table's owner, as ANALYZE and autovacuum call
//! those in its indexes, and without the means to get others.

use pgrx::pg_sys::{self, Oid};

/// As long as it lives, the process acts for the owner of a table. An ERROR ends it with the transaction.
pub struct AsOwner {
    user: Oid,
    context: i32,
    settings: i32,
}

impl AsOwner {
    /// `None` if there is no such table (any more).
    pub fn of(relation: Oid) -> Option<AsOwner> {
        let owner = owner_of(relation)?;
        let mut before = AsOwner {
            user: Oid::INVALID,
            context: 0,
            settings: 0,
        };
        // SAFETY: inside a transaction, which restores all of it if it fails. What is set is undone in `drop`.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&mut before.user, &mut before.context);
            let restricted = before.context | pg_sys::SECURITY_RESTRICTED_OPERATION as i32;
            pg_sys::SetUserIdAndSecContext(owner, restricted);
            before.settings = pg_sys::NewGUCNestLevel();
            // No names of anybody's choice.
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
        }
        Some(before)
    }
}

impl Drop for AsOwner {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way
        }
        // SAFETY: as in `of`.
        unsafe {
            pg_sys::AtEOXact_GUC(false, self.settings);
            pg_sys::SetUserIdAndSecContext(self.user, self.context);
        }
    }
}

fn owner_of(relation: Oid) -> Option<Oid> {
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
