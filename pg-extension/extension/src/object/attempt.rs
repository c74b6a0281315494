//! A transaction of a background worker that may fail without ending the worker: what it calls may be users' code.

use crate::error::Error;
use pgrx::bgworkers::BackgroundWorker;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::pg_sys::{self, PgTryBuilder};
use std::panic::AssertUnwindSafe;

/// How long one may take that calls users' code: 10 s.
pub const SHORT: i32 = 10_000;

/// How long one may take that reads a table: 1 h.
pub const LONG: i32 = 3_600_000;

mod raw {
    /// STATEMENT_TIMEOUT among PostgreSQL's reasons for timeouts, in all of 15 to 18.
    pub const STATEMENT_TIMEOUT: i32 = 3;

    unsafe extern "C-unwind" {
        pub fn enable_timeout_after(reason: i32, milliseconds: i32);
        pub fn disable_timeout(reason: i32, keep_indicator: bool);
    }
}

/// Does `work` in a transaction, in so many milliseconds. `None`: it failed and was rolled back; the server's log says why.
pub fn attempt<T>(milliseconds: i32, work: impl FnOnce() -> Result<T, Error>) -> Option<T> {
    let transaction = AssertUnwindSafe(|| {
        BackgroundWorker::transaction(AssertUnwindSafe(|| {
            // SAFETY: the process has a database, so that the handlers are there.
            unsafe { raw::enable_timeout_after(raw::STATEMENT_TIMEOUT, milliseconds) };
            let result = work().unwrap_or_else(|error| error.raise());
            // SAFETY: as above.
            unsafe { raw::disable_timeout(raw::STATEMENT_TIMEOUT, false) };
            Some(result)
        }))
    });
    PgTryBuilder::new(transaction)
        .catch_others(|error| {
            // SAFETY: the error is out of PostgreSQL's hands; what the transaction had is given back.
            unsafe {
                raw::disable_timeout(raw::STATEMENT_TIMEOUT, false);
                pg_sys::QueryCancelPending = 0;
                pg_sys::AbortCurrentTransaction();
            }
            tell(&error);
            None
        })
        .execute()
}

fn tell(error: &CaughtError) {
    let (CaughtError::PostgresError(report)
    | CaughtError::ErrorReport(report)
    | CaughtError::RustPanic {
        ereport: report, ..
    }) = error;
    pgrx::log!(
        "abelian: a background transaction failed: {}",
        report.message()
    );
}
