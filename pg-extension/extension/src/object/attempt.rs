//! A transaction of a background worker that may fail without ending the worker: what it calls may be users' code.

use crate::boundary::{self, functions};
use crate::error::Error;
use pgrx::bgworkers::BackgroundWorker;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::pg_sys::{self, PgTryBuilder};
use std::cell::Cell;
use std::panic::AssertUnwindSafe;

/// How long one may take that calls users' code: 10 s.
pub const SHORT: i32 = 10_000;

/// How long one may take that reads a table: 1 h.
pub const LONG: i32 = 3_600_000;

/// STATEMENT_TIMEOUT among PostgreSQL's reasons for timeouts, in all of 15 to 18.
const STATEMENT_TIMEOUT: i32 = 3;

/// Does `work` in a transaction, in so many milliseconds. `None`: it failed and was rolled back; the server's log says why.
pub fn attempt<T>(milliseconds: i32, work: impl FnOnce() -> Result<T, Error>) -> Option<T> {
    // What pgrx cannot read.
    let postgres = AssertUnwindSafe(Cell::new(None));
    let transaction = AssertUnwindSafe(|| {
        BackgroundWorker::transaction(AssertUnwindSafe(|| {
            // SAFETY: the process has a database, so that the handlers are there.
            unsafe { functions::enable_timeout_after(STATEMENT_TIMEOUT, milliseconds) };
            let result = boundary::caught(|| work().unwrap_or_else(|error| error.raise()));
            let result = result.unwrap_or_else(|error| {
                postgres.set(Some(error.message()));
                error.raise()
            });
            // SAFETY: as above.
            unsafe { functions::disable_timeout(STATEMENT_TIMEOUT, false) };
            Some(result)
        }))
    });
    PgTryBuilder::new(transaction)
        .catch_others(|error| {
            // SAFETY: the error is out of PostgreSQL's hands; what the transaction had is given back.
            unsafe {
                functions::disable_timeout(STATEMENT_TIMEOUT, false);
                pg_sys::QueryCancelPending = 0;
                pg_sys::AbortCurrentTransaction();
            }
            tell(&postgres.take().unwrap_or_else(|| message(&error)));
            None
        })
        .execute()
}

fn message(error: &CaughtError) -> String {
    let (CaughtError::PostgresError(report)
    | CaughtError::ErrorReport(report)
    | CaughtError::RustPanic {
        ereport: report, ..
    }) = error;
    report.message().into()
}

fn tell(reason: &str) {
    pgrx::log!("abelian: a background transaction failed: {reason}");
}
