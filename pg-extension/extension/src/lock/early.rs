//! Early lock release: a transaction that is inside of a phase gives back its locks as soon as its commit is decided and visible, and
//! waits for the disk afterwards (DeWitt et al., *Implementation Techniques for Main Memory Database Systems*, 1984, §5.2).
//!
//! The commit record is written as with `synchronous_commit = off`, and flushed once the locks are released, before the client is told.
//! Who has seen such a transaction must not be told of its own end before that is on disk: whoever writes anything flushes a later
//! record; whoever does not flushes what there is, while somebody is between release and flush. So what any client was told of as
//! committed, or read in a transaction that was, outlives a crash.

use super::phaser;
use crate::harmless;
use crate::shared_memory::UNFLUSHED;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, XLogRecPtr};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// How many transactions may be visible and not yet on disk.
#[derive(Default)]
pub struct Unflushed(AtomicI64);

// SAFETY: an atomic only.
unsafe impl PGRXSharedMemory for Unflushed {}

/// What is to be done when the locks are released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duty {
    Nothing,
    /// Our own commit is to be flushed; the setting that was put aside for it.
    Own(i32),
    /// We have written nothing: flush what we may have seen.
    Seen,
}

thread_local! {
    static DUTY: Cell<Duty> = const { Cell::new(Duty::Nothing) };
}

/// The transaction is going to commit: decides how it waits for the disk.
pub(super) fn before_commit() {
    DUTY.set(duty());
}

/// The transaction is committed; its locks are released next.
pub(super) fn committed() {
    restore(DUTY.get());
}

/// The transaction is aborted, perhaps in the middle of its commit.
pub(super) fn aborted() {
    let duty = DUTY.replace(Duty::Nothing);
    restore(duty);
    if let Duty::Own(_) = duty {
        UNFLUSHED.get().0.fetch_sub(1, SeqCst);
    }
}

fn duty() -> Duty {
    // SAFETY: reads and writes of variables of this process. Nothing sees the setting but the commit that follows, and it is
    // restored when that is done or has failed.
    unsafe {
        if harmless::GetTopTransactionIdIfAny() == pg_sys::InvalidTransactionId {
            return Duty::Seen;
        }
        let setting = pg_sys::synchronous_commit;
        let off = pg_sys::SyncCommitLevel::SYNCHRONOUS_COMMIT_OFF as i32;
        // Standbys that are to be waited for are PostgreSQL's to wait for.
        let has_standbys =
            !pg_sys::SyncRepStandbyNames.is_null() && *pg_sys::SyncRepStandbyNames != 0;
        if !phaser::is_inside() || setting <= off || has_standbys {
            return Duty::Nothing;
        }
        UNFLUSHED.get().0.fetch_add(1, SeqCst);
        pg_sys::synchronous_commit = off;
        Duty::Own(setting)
    }
}

fn restore(duty: Duty) {
    if let Duty::Own(setting) = duty {
        // SAFETY: a variable of this process.
        unsafe { pg_sys::synchronous_commit = setting };
    }
}

/// Whether anything is to be done when the locks of the transaction are released.
pub(super) fn has_duty() -> bool {
    if DUTY.get() == Duty::Seen && UNFLUSHED.get().0.load(SeqCst) == 0 {
        DUTY.set(Duty::Nothing);
    }
    DUTY.get() != Duty::Nothing
}

/// The locks of the transaction are released: before its client is told, everything it tells of must be on disk.
pub fn locks_released() {
    match DUTY.replace(Duty::Nothing) {
        Duty::Nothing => {}
        Duty::Own(_) => {
            // SAFETY: the end of this transaction's commit record.
            unsafe { pg_sys::XLogFlush(pg_sys::XactLastCommitEnd) };
            UNFLUSHED.get().0.fetch_sub(1, SeqCst);
        }
        Duty::Seen => {
            if UNFLUSHED.get().0.load(SeqCst) > 0 {
                // SAFETY: the end of what has been inserted.
                unsafe { pg_sys::XLogFlush(end_of_log()) };
            }
        }
    }
}

/// Where the last record of the log ends. PostgreSQL tells where the next one begins, which at the begin of a page is after its header.
fn end_of_log() -> XLogRecPtr {
    let page = u64::from(pg_sys::XLOG_BLCKSZ);
    // SAFETY: positions of a running server.
    let (next, segment) = unsafe {
        (
            pg_sys::GetXLogInsertRecPtr(),
            pg_sys::wal_segment_size as u64,
        )
    };
    let start = next - next % page;
    let header = if start.is_multiple_of(segment) {
        size_of::<pg_sys::XLogLongPageHeaderData>()
    } else {
        size_of::<pg_sys::XLogPageHeaderData>()
    };
    let header = header.next_multiple_of(size_of::<u64>()) as u64;
    if next - start == header { start } else { next }
}
