//! A snapshot that a transaction keeps from its first operation on a row that it has not written, to its end: so long VACUUM and pruning
//! leave the version of the row alone from which later statements find the newest. The transaction's own id does not do that, since
//! whoever replaces that version may have an older one. Nothing is read by this snapshot.

use pgrx::pg_sys::{self, Snapshot};
use std::cell::Cell;

thread_local! {
    static KEPT: Cell<Snapshot> = const { Cell::new(std::ptr::null_mut()) };
}

/// Keeps what the active snapshot shows, and what came after it.
pub(super) fn keep() {
    // SAFETY: an operation has an active snapshot. It is copied, since that of a statement may be changed. The owner lives as long as the
    // transaction.
    unsafe {
        // Nothing comes after a statement that is a transaction of its own.
        if !KEPT.get().is_null() || !pg_sys::IsTransactionBlock() {
            return;
        }
        pg_sys::PushCopiedSnapshot(pg_sys::GetActiveSnapshot());
        let copy = pg_sys::GetActiveSnapshot();
        KEPT.set(pg_sys::RegisterSnapshotOnOwner(
            copy,
            pg_sys::TopTransactionResourceOwner,
        ));
        pg_sys::PopActiveSnapshot();
    }
}

/// The transaction is going to commit, or to be prepared: PostgreSQL wants its snapshots given back before.
pub(super) fn give_back() {
    let kept = KEPT.replace(std::ptr::null_mut());
    if !kept.is_null() {
        // SAFETY: registered there by this transaction.
        unsafe {
            pg_sys::UnregisterSnapshotFromOwner(kept, pg_sys::TopTransactionResourceOwner);
        }
    }
}

/// The transaction has ended: after an abort, PostgreSQL has given it back.
pub(super) fn forget() {
    KEPT.set(std::ptr::null_mut());
}
