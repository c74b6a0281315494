//! Errors on their way between PostgreSQL and Rust: the only place where they cross.
//!
//! PostgreSQL raises an ERROR with a long jump, Rust by unwinding. A long jump over a Rust frame that has something to drop is undefined
//! behaviour, and so is unwinding a frame of C. Hence the rule:
//!
//! * **What PostgreSQL calls** works inside of [`guard`]: SQL functions ([`crate::pg_function`]), hooks (`crate::hooks`), every other
//!   callback ([`crate::callback`]). There errors unwind, and leave for PostgreSQL when all frames of Rust are gone.
//! * **What calls PostgreSQL** does so in one of two ways, which both make an ERROR unwind. pgrx's bindings keep its SQLSTATE, if PostgreSQL
//!   itself defines that, and its message, detail and hint. What may run code of users, or report a constraint, goes by [`functions`], which keep
//!   everything.
//! * **What raises an error** of its own calls [`crate::error::Error::raise`], which unwinds. Never `ereport` in another way.
//! * Functions that cannot raise may be called as they are: `crate::harmless`.
//! * Outside of a guard stands only what hooks do to decide that they have nothing to do, and to pass on what they were given. Nothing with a
//!   destructor may be alive there.
//!
//! Declarations of C functions, and functions that C can call, therefore stand nowhere else than in this room, in `hooks`, `compat`, `harmless` and
//! `function`; a rule of tests/tidy keeps it so.

pub mod functions;

use cee_scape::{SigJmpBufFields, call_with_sigsetjmp};
use pgrx::pg_sys;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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

// SAFETY: a backend has one thread; only the unwinding asks for this.
unsafe impl Send for PostgresError {}

/// Schema, table and column that an error tells of.
type Names<'a> = (&'a CStr, &'a CStr, &'a CStr);

impl PostgresError {
    /// An error of our own with what pgrx's reports lack: an SQLSTATE that PostgreSQL does not define, and names. What is empty is left out.
    pub fn made(sqlstate: i32, message: &str, detail: &str, names: Option<Names>) -> Self {
        Self::with_hint(sqlstate, message, detail, "", names)
    }

    /// As [`PostgresError::made`].
    pub fn with_hint(
        sqlstate: i32,
        message: &str,
        detail: &str,
        hint: &str,
        names: Option<Names>,
    ) -> Self {
        // SAFETY: zeroed is valid for this structure; the texts live until the error has been copied.
        unsafe {
            let data = pg_sys::palloc0(size_of::<pg_sys::ErrorData>()).cast::<pg_sys::ErrorData>();
            (*data).elevel = pgrx::PgLogLevel::ERROR as i32;
            (*data).sqlerrcode = sqlstate;
            (*data).message = copied(message);
            (*data).detail = copied(detail);
            (*data).hint = copied(hint);
            if let Some((schema, table, column)) = names {
                (*data).schema_name = schema.as_ptr().cast_mut();
                (*data).table_name = table.as_ptr().cast_mut();
                (*data).column_name = column.as_ptr().cast_mut();
            }
            match catch(|| raw::ThrowErrorData(data)) {
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

    /// The same with the name of a constraint in the place of the column's, as PostgreSQL tells it of a CHECK.
    pub fn of_check(self, name: &CStr) -> PostgresError {
        // SAFETY: the data were copied into a context that outlives the error, in which the name is put as well.
        unsafe {
            (*self.0).column_name = std::ptr::null_mut();
            (*self.0).constraint_name = copied(&name.to_string_lossy());
        }
        self
    }

    /// The same with a hint, if it has none.
    pub fn hinting(self, hint: &str) -> PostgresError {
        // SAFETY: the data were copied into a context that outlives the error, in which the hint is put as well.
        unsafe {
            if (*self.0).hint.is_null() {
                (*self.0).hint = copied(hint);
            }
        }
        self
    }

    /// A refusal of what a node cannot do correctly: 0A000, with a hint that says what to do instead.
    pub fn unsupported(message: &str, hint: &str) -> Self {
        let sqlstate = pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32;
        Self::with_hint(sqlstate, message, "", hint, None)
    }

    /// Raises it again as it was.
    pub fn raise(self) -> ! {
        resume_unwind(Box::new(self))
    }

    /// Its SQLSTATE, as PostgreSQL packs it.
    pub fn sqlstate(&self) -> i32 {
        // SAFETY: the data were copied into a context that outlives the error.
        unsafe { (*self.0).sqlerrcode }
    }

    /// Whether it tells of the moment, and nothing of what was tried: a cancel, a time limit, a deadlock, a shutdown, a lack of resources.
    pub fn interrupts(&self) -> bool {
        use pgrx::PgSqlErrorCode as Code;
        const ANY_OF_CLASS: [Code; 4] = [
            Code::ERRCODE_TRANSACTION_ROLLBACK,
            Code::ERRCODE_INSUFFICIENT_RESOURCES,
            Code::ERRCODE_OPERATOR_INTERVENTION,
            Code::ERRCODE_SYSTEM_ERROR,
        ];
        // The first two of five characters of six bits.
        let class = self.sqlstate() & 0xFFF;
        self.sqlstate() == Code::ERRCODE_LOCK_NOT_AVAILABLE as i32
            || ANY_OF_CLASS.iter().any(|code| *code as i32 == class)
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

/// A C string in the current memory context, null for an empty text; what follows a zero byte is cut off.
fn copied(text: &str) -> *mut std::ffi::c_char {
    let length = text
        .bytes()
        .position(|byte| byte == 0)
        .unwrap_or(text.len());
    if length == 0 {
        return std::ptr::null_mut();
    }
    // SAFETY: so many bytes are there.
    unsafe { pg_sys::pnstrdup(text.as_ptr().cast(), length) }
}

/// Runs code that PostgreSQL has called for; what it panics with becomes an ERROR.
///
/// # Safety
/// The frames between here and PostgreSQL own nothing with a destructor, and neither does the result.
pub unsafe fn guard<R>(code: impl FnOnce() -> R) -> R {
    let payload = match catch_unwind(AssertUnwindSafe(code)) {
        Ok(result) => return result,
        Err(payload) => payload,
    };
    match payload.downcast::<PostgresError>() {
        Ok(error) => {
            let data = error.0;
            drop(error);
            // SAFETY: by the caller, nothing is left to drop; the data were copied into a context that is still there.
            unsafe { raw::ReThrowError(data) }
        }
        // SAFETY: by the caller; pgrx reports what it has panicked with itself, and any other panic as an internal error.
        Err(other) => unsafe {
            pg_sys::submodules::panic::pgrx_extern_c_guard(|| resume_unwind(other))
        },
    }
}

/// Defines a function that PostgreSQL can call: `callback!(fn name(argument: Type) -> Type = code);`, where `code` is a function of these
/// arguments. It may raise errors and panic.
#[macro_export]
macro_rules! callback {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $code:expr) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// Nobody but PostgreSQL calls it.
        $visibility unsafe extern "C-unwind" fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: PostgreSQL calls, with what it gives to functions of this kind.
            unsafe { $crate::boundary::guard(|| $code($($argument),*)) }
        }
    };
}

/// Calls PostgreSQL by a function pointer; an ERROR unwinds, with all its fields.
///
/// # Safety
/// `call` makes raw calls only, does not panic and owns nothing with a destructor.
pub unsafe fn call<R>(call: impl FnOnce() -> R) -> R {
    // SAFETY: by the caller.
    unsafe { catch(call) }.unwrap_or_else(|error| error.raise())
}

/// Runs `code`, which gets at PostgreSQL by [`functions`], and gives its result, or the ERROR that one of them met. Errors that arise
/// elsewhere go on.
pub fn caught<R>(code: impl FnOnce() -> R) -> Result<R, PostgresError> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        match payload.downcast::<PostgresError>() {
            Ok(error) => *error,
            Err(other) => resume_unwind(other),
        }
    })
}

/// Runs `code` in a subtransaction: what it locked or cached is undone when it fails. What [interrupts](PostgresError::interrupts) it goes on.
pub fn attempt<R>(code: impl FnOnce() -> Result<R, PostgresError>) -> Result<R, PostgresError> {
    uninterrupted(attempt_wait(code))
}

/// The same for who waits, and has limits of its own: gives what interrupts it, too.
pub fn attempt_wait<R>(
    code: impl FnOnce() -> Result<R, PostgresError>,
) -> Result<R, PostgresError> {
    subtransaction(code, Result::is_ok)
}

/// Runs `code` in a subtransaction that is rolled back whatever comes of it: no lock outlives it. What interrupts it goes on.
pub fn undone<R>(code: impl FnOnce() -> Result<R, PostgresError>) -> Result<R, PostgresError> {
    uninterrupted(subtransaction(code, |_| false))
}

fn uninterrupted<R>(result: Result<R, PostgresError>) -> Result<R, PostgresError> {
    match result {
        Err(error) if error.interrupts() => error.raise(),
        result => result,
    }
}

fn subtransaction<R>(code: impl FnOnce() -> R, stays: impl FnOnce(&R) -> bool) -> R {
    // SAFETY: the pattern of PL/pgSQL's exception blocks; context and resource owner are restored on all paths.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::CurrentMemoryContext = context;
        let result = catch_unwind(AssertUnwindSafe(code));
        // Whoever catches what goes on expects to be in the subtransaction that he has begun.
        if result.as_ref().is_ok_and(stays) {
            pg_sys::ReleaseCurrentSubTransaction();
        } else {
            pg_sys::RollbackAndReleaseCurrentSubTransaction();
        }
        pg_sys::CurrentMemoryContext = context;
        pg_sys::CurrentResourceOwner = owner;
        result.unwrap_or_else(|payload| resume_unwind(payload))
    }
}

/// Runs `call`; on ERROR runs `on_error` and lets the error go on to PostgreSQL's handler. For hooks, outside of a guard.
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

/// Runs our own code in a hook that is not guarded as a whole; its panics become errors.
///
/// # Safety
/// No value with a destructor may be alive between here and PostgreSQL, but for those that an enclosing [`pass_errors`] drops.
pub unsafe fn guarded<R: Copy>(code: impl FnOnce() -> R) -> R {
    // SAFETY: by the caller's promise; `R` has no destructor.
    unsafe { pg_sys::submodules::panic::pgrx_extern_c_guard(std::panic::AssertUnwindSafe(code)) }
}

/// Runs `call` and gives its result, or the ERROR it raised.
///
/// # Safety
/// `call` makes raw calls only and owns nothing with a destructor.
unsafe fn catch<R>(call: impl FnOnce() -> R) -> Result<R, PostgresError> {
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
