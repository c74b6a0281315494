//! Letting PostgreSQL's errors pass Rust code with all their fields.
//!
//! pgrx turns an ERROR that reaches Rust into a panic and raises a new error from it, which keeps the message, detail
//! and hint but drops the position, the constraint and table names, the context, and every SQLSTATE that PostgreSQL does
//! not itself define. Code that stands between PostgreSQL and PostgreSQL (hooks, executor nodes) or that calls the
//! parser for a client must not do that; it uses this module around *raw* calls: function pointers of PostgreSQL, or
//! functions declared in an `extern` block of our own, never pgrx's bindings, which convert errors by themselves.

use cee_scape::{SigJmpBufFields, call_with_sigsetjmp};
use pgrx::pg_sys;
use std::mem::MaybeUninit;

mod raw {
    unsafe extern "C-unwind" {
        pub fn pg_re_throw() -> !;
        pub fn CopyErrorData() -> *mut pgrx::pg_sys::ErrorData;
        pub fn FlushErrorState();
        pub fn ReThrowError(data: *mut pgrx::pg_sys::ErrorData) -> !;
    }
}

/// An ERROR of PostgreSQL, complete. It must be raised again, or the subtransaction it arose in rolled back.
#[derive(Debug)]
pub struct PostgresError(*mut pg_sys::ErrorData);

impl PostgresError {
    /// Raises it again as it was. No value with a destructor may be alive in the frames between here and PostgreSQL.
    pub fn rethrow(&self) -> ! {
        // SAFETY: the data were copied into a context that outlives the error.
        unsafe { raw::ReThrowError(self.0) }
    }

    /// Its primary message, for use in a refusal that quotes it.
    pub fn message(&self) -> String {
        // SAFETY: a copied message is a C string or null.
        unsafe {
            match (*self.0).message {
                message if message.is_null() => String::new(),
                message => std::ffi::CStr::from_ptr(message)
                    .to_string_lossy()
                    .into_owned(),
            }
        }
    }
}

/// Runs `call`; on ERROR runs `on_error` and lets the error go on to PostgreSQL's handler.
///
/// # Safety
/// `call` makes raw calls only and owns nothing with a destructor; neither do the frames above it, up to PostgreSQL.
pub unsafe fn pass_errors<R>(call: impl FnOnce() -> R, on_error: impl FnOnce()) -> R {
    // SAFETY: by the caller's promise.
    match unsafe { jumped(call) } {
        Some(result) => result,
        None => {
            on_error();
            // SAFETY: the error is still on PostgreSQL's stack.
            unsafe { raw::pg_re_throw() }
        }
    }
}

/// Runs `call` and gives its result, or the ERROR it raised.
///
/// # Safety
/// `call` makes raw calls only and owns nothing with a destructor.
pub unsafe fn catch_errors<R>(call: impl FnOnce() -> R) -> Result<R, PostgresError> {
    // SAFETY: by the caller's promise; the copy is made in the context the caller was in.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        jumped(call).ok_or_else(|| {
            pg_sys::CurrentMemoryContext = context;
            let data = raw::CopyErrorData();
            raw::FlushErrorState();
            PostgresError(data)
        })
    }
}

/// The result of `call`, or `None` when PostgreSQL jumped out of it.
///
/// # Safety
/// As [`pass_errors`].
unsafe fn jumped<R>(call: impl FnOnce() -> R) -> Option<R> {
    let mut result = MaybeUninit::<R>::uninit();
    // SAFETY: what PG_TRY does: the handler stack is replaced for the call and restored either way.
    unsafe {
        let handlers = pg_sys::PG_exception_stack;
        let contexts = pg_sys::error_context_stack;
        let jump = call_with_sigsetjmp(false, |buffer| {
            pg_sys::PG_exception_stack = std::ptr::from_ref::<SigJmpBufFields>(buffer)
                .cast_mut()
                .cast();
            result.write(call());
            0
        });
        pg_sys::PG_exception_stack = handlers;
        pg_sys::error_context_stack = contexts;
        (jump == 0).then(|| result.assume_init())
    }
}
