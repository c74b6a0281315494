//! Whose code runs when somebody looks at a value: that of superusers alone.
//!
//! The functions of a base type are C, which only superusers can make. Those of an aggregate can be anybody's, in any language, and
//! `abelian.create_type` demands that superusers own them. Here it is looked whether that is so still.

use crate::catalog;
use pgrx::pg_sys::{self, Oid, SysCacheIdentifier};

/// Whether the function came with PostgreSQL or with this extension, or a superuser owns it.
pub fn is_trusted(function: Oid) -> bool {
    if function.to_u32() < pg_sys::FirstNormalObjectId {
        return true;
    }
    // SAFETY: lookups by identifier; the row is released.
    unsafe {
        let cache = SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            return false;
        }
        let owner = (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_proc>()).proowner;
        pg_sys::ReleaseSysCache(row);
        pg_sys::superuser_arg(owner) || catalog::is_of_extension(function)
    }
}
