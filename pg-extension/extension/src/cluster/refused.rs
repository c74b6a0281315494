//! What this node refuses inside of a client's statement stays refused. An EXCEPTION block may catch the error, and go on as if the rows were none; so the
//! client's statement fails then when it is over, or its transaction at COMMIT, if a trigger ran later.

use crate::boundary::PostgresError;
use crate::hooks;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use pgrx::pg_sys::{self, SubTransactionId};
use std::cell::{Cell, RefCell};

struct Refusal {
    what: String,
    hint: &'static str,
    is_caught: bool,
}

thread_local! {
    /// The subtransaction in which the client's statement started. Those inside of the statement are newer.
    static CLIENTS: Cell<SubTransactionId> = const { Cell::new(1) };
    static LAST: RefCell<Option<Refusal>> = const { RefCell::new(None) };
}

pub fn install() {
    transaction::on_subtransaction(&Subscriber {
        concerns: |end| end.kind == pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB,
        tell: |end| match end.own > CLIENTS.get() {
            true => note_caught(),
            // The statement itself has failed.
            false => LAST.set(None),
        },
    });
    transaction::on_end(&Subscriber {
        concerns: |event| {
            use pg_sys::XactEvent::{XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE};
            [XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE].contains(event)
                || transaction::is_over(*event)
        },
        tell: |event| match transaction::is_over(*event) {
            true => {
                CLIENTS.set(1);
                // A procedure that rolls back goes on behind what it has caught.
                match hooks::is_nested() && *event == pg_sys::XactEvent::XACT_EVENT_ABORT {
                    true => note_caught(),
                    false => LAST.set(None),
                }
            }
            false => raise_caught(),
        },
    });
}

fn note_caught() {
    LAST.with_borrow_mut(|last| {
        if let Some(refusal) = last {
            refusal.is_caught = true;
        }
    });
}

/// The client's next statement starts.
pub fn statement_starts() {
    raise_caught();
    // SAFETY: a number of the transaction that runs.
    CLIENTS.set(unsafe { pg_sys::GetCurrentSubTransactionId() });
}

/// Raises a refusal.
pub fn raise(what: &str, hint: &'static str) -> ! {
    note(what, hint);
    PostgresError::unsupported(what, hint).raise()
}

/// Notes a refusal that is being raised.
pub fn note(what: &str, hint: &'static str) {
    LAST.set(Some(Refusal {
        what: what.to_owned(),
        hint,
        is_caught: false,
    }));
}

/// Runs what only looks at a statement: planning runs functions for its estimates, and a refusal inside of them refuses nothing.
pub fn looking<R>(look: impl FnOnce() -> R) -> R {
    let before = LAST.take();
    let found = look();
    LAST.set(before);
    found
}

/// Raises what was refused before and caught; what has failed by it is over.
pub fn raise_caught() {
    if let Some(refusal) = LAST.take()
        && refusal.is_caught
    {
        PostgresError::unsupported(&refusal.what, refusal.hint).raise()
    }
}
