//! Who needs no seal: whoever takes part in recovery may do as much, and more, by other functions.

use crate::cluster::run_as;
use pgrx::pg_sys::{self, Oid};

/// Whether a role is a router's: a member of `abelian_router`, or a superuser.
pub fn is_router(role: Oid) -> bool {
    // SAFETY: catalogue look-ups inside a transaction.
    unsafe {
        let routers = pg_sys::get_role_oid(c"abelian_router".as_ptr(), true);
        pg_sys::has_privs_of_role(role, routers)
    }
}

/// Whether a router's own role is connected here. What runs as another role for it has none of its rights.
pub fn is_trusted() -> bool {
    // SAFETY: plain read of a backend variable.
    !run_as::is_inside() && is_router(unsafe { pg_sys::GetSessionUserId() })
}
