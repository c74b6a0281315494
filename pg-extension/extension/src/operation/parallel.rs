//! Parallel plans. Workers are other processes: they know nothing of what the transaction has operated on and read
//! (see [`super::own`]), and what they read does not reach their leader. A plan that must not have workers runs in
//! the leader alone; this is decided when a plan starts, since it may be older than the transaction.

use super::own;
use pgrx::pg_sys;
use std::ffi::c_int;
use std::sync::OnceLock;

/// Called raw, so that the errors of statements keep their fields.
mod raw {
    use pgrx::pg_sys;
    use std::ffi::c_int;
    unsafe extern "C-unwind" {
        pub fn standard_ExecutorStart(query: *mut pg_sys::QueryDesc, flags: c_int);
        pub fn palloc(size: usize) -> *mut std::ffi::c_void;
    }
}

static NEXT: OnceLock<pg_sys::ExecutorStart_hook_type> = OnceLock::new();

/// Puts the hook before those already installed; called once when the library is loaded.
pub fn install() {
    // SAFETY: the postmaster loads libraries in one thread.
    unsafe {
        NEXT.get_or_init(|| pg_sys::ExecutorStart_hook);
        pg_sys::ExecutorStart_hook = Some(start);
    }
}

unsafe extern "C-unwind" fn start(query: *mut pg_sys::QueryDesc, flags: c_int) {
    // SAFETY: the arguments pass through as PostgreSQL gave them; nothing here has a destructor.
    unsafe {
        super::ahead::statement_starts(query, flags);
        if (*(*query).plannedstmt).parallelModeNeeded
            && flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int == 0
            && !own::may_have_workers()
        {
            (*query).plannedstmt = without_workers((*query).plannedstmt);
        }
        match NEXT.get().copied().flatten() {
            Some(next) => next(query, flags),
            None => raw::standard_ExecutorStart(query, flags),
        }
    }
}

/// The same plan, to be run by the leader alone. Only the top is copied, since others may run the plan as well.
///
/// # Safety
/// `statement` must be a planned statement that outlives the query.
unsafe fn without_workers(statement: *mut pg_sys::PlannedStmt) -> *mut pg_sys::PlannedStmt {
    // SAFETY: the copy is made in the memory context of the query's own description.
    unsafe {
        let copy = raw::palloc(size_of::<pg_sys::PlannedStmt>()).cast::<pg_sys::PlannedStmt>();
        copy.copy_from_nonoverlapping(statement, 1);
        (*copy).parallelModeNeeded = false;
        copy
    }
}
