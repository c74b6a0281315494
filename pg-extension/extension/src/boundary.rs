//! Letting PostgreSQL's errors pass Rust code with all their fields.
//!
//! pgrx turns an ERROR that reaches Rust into a panic and raises a new error from it, which keeps the message, detail
//! and hint but drops the position, the constraint and table names, the context, and every SQLSTATE that PostgreSQL does
//! not itself define. Code that stands between PostgreSQL and PostgreSQL (hooks, executor nodes) or that calls the
//! parser for a client must not do that; it uses this module around *raw* calls: function pointers of PostgreSQL, or
//! functions declared in an `extern` block of our own, never pgrx's bindings, which convert errors by themselves.

use cee_scape::{SigJmpBufFields, call_with_sigsetjmp};
use pgrx::pg_sys;
use std::ffi::CStr;
use std::mem::MaybeUninit;

mod raw {
    unsafe extern "C-unwind" {
        pub fn pg_re_throw() -> !;
        pub fn CopyErrorData() -> *mut pgrx::pg_sys::ErrorData;
        pub fn FlushErrorState();
        pub fn ReThrowError(data: *mut pgrx::pg_sys::ErrorData) -> !;
        pub fn ThrowErrorData(data: *mut pgrx::pg_sys::ErrorData);
    }
}

/// An ERROR of PostgreSQL, complete. It must be raised again, or the subtransaction it arose in rolled back.
#[derive(Debug)]
pub struct PostgresError(*mut pg_sys::ErrorData);

impl PostgresError {
    /// An error of our own with what pgrx's reports lack: the names of a schema, a table and a column.
    pub fn made(
        sqlstate: i32,
        message: &str,
        detail: &str,
        names: Option<(&CStr, &CStr, &CStr)>,
    ) -> PostgresError {
        // SAFETY: zeroed is valid for this structure; the texts live until the error has been copied.
        unsafe {
            let data = pg_sys::palloc0(size_of::<pg_sys::ErrorData>()).cast::<pg_sys::ErrorData>();
            (*data).elevel = pgrx::PgLogLevel::ERROR as i32;
            (*data).sqlerrcode = sqlstate;
            (*data).message = copied(message);
            (*data).detail = copied(detail);
            if let Some((schema, table, column)) = names {
                (*data).schema_name = schema.as_ptr().cast_mut();
                (*data).table_name = table.as_ptr().cast_mut();
                (*data).column_name = column.as_ptr().cast_mut();
            }
            match catch_errors(|| raw::ThrowErrorData(data)) {
                Err(error) => error,
                Ok(()) => PostgresError(data),
            }
        }
    }

    /// The same with the name of a constraint, by which routers tell errors apart.
    pub fn of_constraint(self, name: &'static CStr) -> PostgresError {
        // SAFETY: the data were copied into a context that outlives the error; the name is never freed.
        unsafe { (*self.0).constraint_name = name.as_ptr().cast_mut() };
        self
    }

    /// Raises it again as it was. No value with a destructor may be alive in the frames between here and PostgreSQL.
    pub fn rethrow(&self) -> ! {
        // SAFETY: the data were copied into a context that outlives the error.
        unsafe { raw::ReThrowError(self.0) }
    }

    /// Its SQLSTATE, as PostgreSQL packs it.
    pub fn sqlstate(&self) -> i32 {
        // SAFETY: the data were copied into a context that outlives the error.
        unsafe { (*self.0).sqlerrcode }
    }

    /// Its primary message, for use in a refusal that quotes it.
    pub fn message(&self) -> String {
        // SAFETY: a copied message is a C string or null.
        unsafe {
            match (*self.0).message {
                message if message.is_null() => String::new(),
                message => CStr::from_ptr(message).to_string_lossy().into_owned(),
            }
        }
    }
}

/// A C string in the current memory context; what follows a zero byte is cut off.
fn copied(text: &str) -> *mut std::ffi::c_char {
    let length = text
        .bytes()
        .position(|byte| byte == 0)
        .unwrap_or(text.len());
    // SAFETY: so many bytes are there.
    unsafe { pg_sys::pnstrdup(text.as_ptr().cast(), length) }
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

/// Runs `code` in a subtransaction: what it locked or cached is undone when it fails.
pub fn attempt<R>(code: impl FnOnce() -> Result<R, PostgresError>) -> Result<R, PostgresError> {
    // SAFETY: the pattern of PL/pgSQL's exception blocks; context and resource owner are restored on both paths.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::CurrentMemoryContext = context;
        let result = code();
        match result {
            Ok(_) => pg_sys::ReleaseCurrentSubTransaction(),
            Err(_) => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
        }
        pg_sys::CurrentMemoryContext = context;
        pg_sys::CurrentResourceOwner = owner;
        result
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
