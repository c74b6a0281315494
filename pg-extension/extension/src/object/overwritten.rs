//! Slices of values that a statement overwrites. They are removed when it has finished: until then its other expressions, in the same row too, and its
//! triggers may ask for the value that was there.

use crate::hooks::subscribers::Subscriber;
use crate::hooks::{self, executor, transaction};
use crate::object::{Object, leftovers, split_set, worker, write};
use pgrx::pg_sys::{self, SubTransactionId, SubXactEvent, XactEvent};
use std::cell::RefCell;

struct Overwritten {
    object: Object,
    /// How deep the statement is nested.
    depth: u32,
    subtransaction: SubTransactionId,
}

thread_local! {
    static OVERWRITTEN: RefCell<Vec<Overwritten>> = const { RefCell::new(Vec::new()) };
}

/// The running statement overwrites the object, whose Overwrite lock is held.
pub fn discard_when_finished(object: Object) {
    if object.id != 0 && split_set::may_have_slices(object.id) {
        let overwritten = Overwritten {
            object,
            depth: hooks::depth(),
            // SAFETY: plain read, inside a transaction.
            subtransaction: unsafe { pg_sys::GetCurrentSubTransactionId() },
        };
        OVERWRITTEN.with_borrow_mut(|all| all.push(overwritten));
    }
}

/// Takes those out that `gone` picks.
fn take(gone: impl Fn(&Overwritten) -> bool) -> Vec<Object> {
    OVERWRITTEN.with_borrow_mut(|all| {
        all.extract_if(.., |one| gone(one))
            .map(|one| one.object)
            .collect()
    })
}

/// A statement that was as deep as the next one would be has finished.
fn finished() {
    let overwritten = take(|one| one.depth > hooks::depth());
    if !overwritten.is_empty() {
        // SAFETY: between two commands. What the statement has written, only a later one can change.
        unsafe { pg_sys::CommandCounterIncrement() };
    }
    for object in overwritten {
        write::discard(object.id).unwrap_or_else(|error| error.raise());
    }
}

/// What is left of a statement that has not finished: undone, or for the worker to find.
fn ended(event: XactEvent::Type) {
    for object in take(|_| true) {
        if event != XactEvent::XACT_EVENT_ABORT {
            leftovers::note(object.relation);
            worker::note_slices();
        }
    }
}

fn is_empty() -> bool {
    // It is gone when a process ends in the middle of something.
    OVERWRITTEN
        .try_with(|all| all.try_borrow().is_ok_and(|all| all.is_empty()))
        .unwrap_or(true)
}

/// Subscribes to hooks; called once when the library is loaded.
pub fn install() {
    executor::after_finish(Subscriber {
        concerns: |_| !is_empty(),
        tell: |_| finished(),
    });
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event) && !is_empty(),
        tell: |event| ended(*event),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |end| end.kind == SubXactEvent::SUBXACT_EVENT_ABORT_SUB && !is_empty(),
        tell: |end| drop(take(|one| one.subtransaction >= end.own)),
    });
}
