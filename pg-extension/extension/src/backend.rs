//! The running backend: its number, and the clock.

use crate::harmless;
use pgrx::pg_sys;

/// Microseconds on PostgreSQL's clock.
pub fn now() -> i64 {
    // SAFETY: reads the clock.
    unsafe { harmless::GetCurrentTimestamp() }
}

/// This backend's number among the running ones, from 1.
///
/// # Safety
/// Only in a process that runs transactions.
pub unsafe fn number() -> i32 {
    // SAFETY: by the caller.
    unsafe {
        #[cfg(not(any(feature = "pg17", feature = "pg18")))]
        return pg_sys::MyBackendId;
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return pg_sys::MyProcNumber + 1;
    }
}
