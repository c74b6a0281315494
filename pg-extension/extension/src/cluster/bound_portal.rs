//! The portal that a client is binding.

use pgrx::pg_sys;
use std::ffi::CStr;

/// Its name; empty when none is being bound.
pub fn name<'a>() -> &'a [u8] {
    // SAFETY: the active portal, if there is one, and its name live as long as it is active.
    unsafe {
        let portal = pg_sys::ActivePortal.as_ref();
        let bound = portal.filter(|p| p.status == pg_sys::PortalStatus::PORTAL_DEFINED);
        bound.map_or(b"", |portal| CStr::from_ptr(portal.name).to_bytes())
    }
}
