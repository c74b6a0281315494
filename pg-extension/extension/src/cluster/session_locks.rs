//! `abelian.session_locks`: whether the session holds advisory locks, told to its router with the answer to each group of messages after
//! which that has changed. Such locks outlive transactions, so a router that lends connections must not lend one that holds any.
//!
//! Functions of every kind may take them, so no router can see it in a statement. Reported as [`super::session_settings`] is: the setting
//! counts within the transaction, and what is shown is looked up when PostgreSQL reports it.

use super::postgres;
use super::settings::PLACEMENT_VERSION;
use crate::backend;
use crate::callback;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{access, transaction};
use crate::lock;
use pgrx::pg_sys;
use std::cell::Cell;
use std::ffi::{CStr, c_char};

/// The name under which it is defined and set.
pub const NAME: &CStr = c"abelian.session_locks";

/// Functions that take locks for the session, or give them back: those of `pg_proc.dat`, which are numbered in a row.
const FUNCTIONS: std::ops::RangeInclusive<u32> =
    pg_sys::F_PG_ADVISORY_LOCK_INT8..=pg_sys::F_PG_ADVISORY_UNLOCK_ALL;

thread_local! {
    /// The running transaction may have called some: an expression that was made ready once may be evaluated again.
    static CALLED: Cell<bool> = const { Cell::new(false) };
}

/// Watches for the functions and the ends of transactions; called once when the library is loaded.
pub fn install() {
    access::subscribe(Subscriber {
        concerns: |access| {
            access.kind == pg_sys::ObjectAccessType::OAT_FUNCTION_EXECUTE
                && FUNCTIONS.contains(&access.object.to_u32())
                && PLACEMENT_VERSION.get() != 0
        },
        tell: |_| {
            CALLED.set(true);
            postgres::report_again(NAME);
        },
    });
    transaction::on_end(&Subscriber {
        concerns: |event| {
            use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
            matches!(
                *event,
                XACT_EVENT_COMMIT | XACT_EVENT_ABORT | XACT_EVENT_PREPARE
            )
        },
        tell: |_| CALLED.set(false),
    });
}

/// The end of a statement of the router's client.
pub fn statement_ends() {
    if CALLED.get() {
        postgres::report_again(NAME);
    }
}

callback!(
    /// The show hook: `on` or `off`. Inside a transaction, its own locks count as well.
    pub fn show() -> *const c_char = shown
);

fn shown() -> *const c_char {
    match lock::advisory_of(backend::pid()) {
        true => c"on".as_ptr(),
        false => c"off".as_ptr(),
    }
}
