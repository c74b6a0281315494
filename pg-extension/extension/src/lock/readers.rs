//! Whether there are transactions that hold values by the Read lock alone (`abelian.strict_reads`).
//!
//! An operation in the row is guarded by the row lock; whoever else excludes operations holds the row too, but for strict
//! readers, who write nothing. So from the first strict read on until the server restarts, operations in the row take the
//! Add lock as well. Before that they need not, and cost nothing more than they did.
//!
//! Who comes first at the first strict read: a reader raises the flag, takes its lock and then looks whether anybody is at
//! the row; an operation is at the row first and then looks at the flag. One of them sees the other.

use crate::error::Error;
use crate::shared_memory::READERS;
use pgrx::PGRXSharedMemory;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst, fence};

/// Not looked yet since the server started: a prepared transaction may have survived that.
const UNKNOWN: u32 = 0;
const NONE: u32 = 1;
const SOME: u32 = 2;

/// The flag.
#[derive(Default)]
pub struct Readers(AtomicU32);

// SAFETY: an atomic only.
unsafe impl PGRXSharedMemory for Readers {}

/// A strict read is about to take its lock.
pub fn announce() {
    let flag = &READERS.get().0;
    if flag.load(SeqCst) != SOME {
        flag.store(SOME, SeqCst);
    }
    fence(SeqCst);
}

/// Whether anybody may hold a value by the Read lock alone. Meaningful once the caller is at the row.
pub fn exist() -> bool {
    fence(SeqCst);
    let flag = &READERS.get().0;
    match flag.load(SeqCst) {
        NONE => false,
        SOME => true,
        _ => {
            let found = if super::prepared_transaction_reads() {
                SOME
            } else {
                NONE
            };
            // A reader may have come meanwhile: its word counts.
            let _ = flag.compare_exchange(UNKNOWN, found, SeqCst, SeqCst);
            flag.load(SeqCst) == SOME
        }
    }
}

thread_local! {
    /// The transaction has operated in a row in a way that could only look at the flag before it was at the row.
    static LOOKED_EARLY: Cell<bool> = const { Cell::new(false) };
}

/// As [`exist`], for an operation that is not yet at the row. If the flag rises before the transaction ends, which happens
/// once in the life of a server, it fails with 40001.
pub fn exist_before_row() -> bool {
    let found = exist();
    if !found {
        LOOKED_EARLY.set(true);
    }
    found
}

/// The transaction is going to commit or to be prepared.
pub(super) fn before_end() {
    if LOOKED_EARLY.get() && exist() {
        Error::ConcurrentUpdate.raise();
    }
}

/// The transaction has ended.
pub(super) fn ended() {
    LOOKED_EARLY.set(false);
}
