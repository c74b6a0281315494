//! Slices of values that a statement overwrites. They are removed when it has finished: until then its other expressions, in the same row too, and its
//! triggers may ask for the value that was there.

use crate::hooks::subscribers::Subscriber;
use crate::hooks::{self, executor, transaction};
use crate::object::{Object, leftovers, split_set, worker, write};
use pgrx::pg_sys::{self, SubTransactionId, SubXactEvent};
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
    for object in take(|one| one.depth > hooks::depth()) {
        write::discard(object.id).unwrap_or_else(|error| error.raise());
    }
}

/// What was undone is not overwritten; if it is all the same, the worker will find out.
fn undone(gone: impl Fn(&Overwritten) -> bool) {
    for object in take(gone) {
        leftovers::note(object.relation);
        worker::note_slices();
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
        tell: |_| undone(|_| true),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |end| end.kind == SubXactEvent::SUBXACT_EVENT_ABORT_SUB && !is_empty(),
        tell: |end| undone(|one| one.subtransaction >= end.own),
    });
}
