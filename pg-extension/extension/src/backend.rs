//! The running backend: who it is, its clock, and how isolated its transaction is.

use crate::compat;
use crate::harmless;
use pgrx::pg_sys::{self, Oid};
use std::ffi::c_long;

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
    unsafe { compat::backend_number() }
}

/// The number of the process.
pub fn pid() -> i32 {
    // SAFETY: plain read of a variable of this process.
    unsafe { pg_sys::MyProcPid }
}

/// The database it is connected to; `Oid::INVALID` for none.
pub fn database() -> Oid {
    // SAFETY: as above.
    unsafe { pg_sys::MyDatabaseId }
}

/// Whether a transaction is running that has not failed.
pub fn in_transaction() -> bool {
    // SAFETY: looks at the transaction's state.
    unsafe { pg_sys::IsTransactionState() }
}

/// Whether the transaction works on one snapshot: REPEATABLE READ and SERIALIZABLE.
pub fn has_one_snapshot() -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}

/// Whether the transaction is SERIALIZABLE.
pub fn is_serializable() -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::XactIsoLevel == pg_sys::XACT_SERIALIZABLE as i32 }
}

/// `committed`, `aborted` or `in progress`, of a transaction by its id with the epoch; None when that is not kept any more.
pub fn transaction_status(id: u64) -> Option<String> {
    let id = [Some(pg_sys::Datum::from(id))];
    // SAFETY: the function takes a transaction id with its epoch, and returns a text, or NULL for one whose status is not kept.
    unsafe { pgrx::direct_function_call(pg_sys::pg_xact_status, &id) }
}

/// Sleeps until somebody sets the latch of this process, or the time is over; raises the errors of a cancel request.
pub fn sleep(milliseconds: c_long) {
    const WAKE: u32 = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: our own latch; no lock is held that an ERROR would not release.
    unsafe {
        pg_sys::WaitLatch(
            pg_sys::MyLatch,
            WAKE as i32,
            milliseconds,
            pg_sys::PG_WAIT_EXTENSION,
        );
        pg_sys::ResetLatch(pg_sys::MyLatch);
    }
    pgrx::check_for_interrupts!();
}

/// Runs `work` in a memory context of its own, of which nothing is left.
pub fn in_scratch<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the context is a child of the current one, so that an ERROR frees it as well.
    unsafe {
        let scratch = pg_sys::AllocSetContextCreateInternal(
            pg_sys::CurrentMemoryContext,
            c"abelian scratch".as_ptr(),
            0,
            8 * 1024,
            8 * 1024 * 1024,
        );
        let before = pg_sys::MemoryContextSwitchTo(scratch);
        let result = work();
        pg_sys::MemoryContextSwitchTo(before);
        pg_sys::MemoryContextDelete(scratch);
        result
    }
}
