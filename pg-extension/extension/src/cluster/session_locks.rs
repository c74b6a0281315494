//! `abelian.session_locks`: whether the session holds advisory locks or has temporary objects, told to its router with the answer to each group
//! of messages after which that has changed. Both outlive transactions, so a router that lends connections must not lend one that has any.
//!
//! Functions of every kind may take and make them, so no router can see it in a statement. Reported as [`super::session_settings`] is: the setting
//! counts within the transaction, and what is shown is looked up when PostgreSQL reports it.

use super::settings::PLACEMENT_VERSION;
use super::{postgres, temporary_objects};
use crate::backend;
use crate::callback;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{access, transaction};
use crate::lock;
use pgrx::pg_sys;
use pgrx::pg_sys::XactEvent::{XACT_EVENT_COMMIT, XACT_EVENT_PRE_COMMIT};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char};

/// The name under which it is defined and set.
pub const NAME: &CStr = c"abelian.session_locks";

/// Functions that take locks for the session, or give them back: those of `pg_proc.dat`, which are numbered in a row.
const FUNCTIONS: std::ops::RangeInclusive<u32> =
    pg_sys::F_PG_ADVISORY_LOCK_INT8..=pg_sys::F_PG_ADVISORY_UNLOCK_ALL;

thread_local! {
    /// The running transaction may have called some: an expression that was made ready once may be evaluated again.
    static CALLED: Cell<bool> = const { Cell::new(false) };
    /// What was shown last, if it was no constant.
    static SHOWN: RefCell<CString> = RefCell::default();
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
            *event == XACT_EVENT_PRE_COMMIT && PLACEMENT_VERSION.get() != 0
                || transaction::is_over(*event)
        },
        tell: |event| match *event {
            // Deferred triggers have run.
            XACT_EVENT_PRE_COMMIT => look_at_objects(),
            over => {
                CALLED.set(false);
                temporary_objects::transaction_ended(over == XACT_EVENT_COMMIT);
            }
        },
    });
}

/// The end of a statement of the router's client.
pub fn statement_ends() {
    if CALLED.get() {
        postgres::report_again(NAME);
    }
    look_at_objects();
}

fn look_at_objects() {
    if temporary_objects::look_again() {
        postgres::report_again(NAME);
    }
}

callback!(
    /// The show hook: `on`, if there are locks, or else `off`; inside a transaction, its own locks count as well. Then, if there are
    /// temporary objects, a blank and a number, another one whenever there are others.
    pub fn show() -> *const c_char = shown
);

fn shown() -> *const c_char {
    let locks = match lock::advisory_of(backend::pid()) {
        true => c"on",
        false => c"off",
    };
    let Some(objects) = temporary_objects::found() else {
        return locks.as_ptr();
    };
    let text = format!("{} {objects}", locks.to_string_lossy());
    let text = CString::new(text).unwrap_or_default();
    SHOWN.with_borrow_mut(|shown| {
        *shown = text;
        shown.as_ptr()
    })
}
