//! PostgreSQL's records of SERIALIZABLE transactions, in its shared memory (predicate_internals.h). The bindings leave them out.

use crate::harmless;
use pgrx::pg_sys;
use std::ffi::c_int;

/// A link of a list in shared memory, or its head: `SHM_QUEUE` in 15, `dlist_node` later.
#[repr(C)]
#[derive(Debug)]
pub struct Link {
    pub previous: *mut Link,
    pub next: *mut Link,
}

/// `SERIALIZABLEXACT`, PostgreSQL's record of a SERIALIZABLE transaction, which the bindings leave out (predicate_internals.h).
#[repr(C)]
pub struct SerializableXact {
    vxid: pg_sys::VirtualTransactionId,
    prepared_at: u64,
    committed_at: u64,
    /// Of a READ ONLY transaction: the number of the last commit before its snapshot. Of others: of the first to commit of those to which it
    /// has conflicts out.
    pub last_or_earliest_commit: u64,
    /// Conflicts out, linked by [`RwConflict::out_link`].
    pub out_conflicts: Link,
    /// Conflicts in, linked by [`RwConflict::in_link`].
    pub in_conflicts: Link,
    predicate_locks: Link,
    finished: Link,
    #[cfg(not(feature = "pg15"))]
    active: Link,
    predicate_list_lock: pg_sys::LWLock,
    /// READ ONLY transactions that watch this one, linked by [`RwConflict::out_link`]; or, of a READ ONLY one, those that it watches.
    pub possible_unsafe_conflicts: Link,
    xids: [pg_sys::TransactionId; 3],
    /// `SXACT_FLAG_...`
    pub flags: u32,
    /// The process; 0 once it is prepared.
    pub pid: c_int,
}

/// `RWConflictData`: one transaction has read what another one has changed.
#[repr(C)]
pub struct RwConflict {
    pub out_link: Link,
    pub in_link: Link,
    /// Who has read.
    pub reader: *mut SerializableXact,
    /// Who has changed.
    pub writer: *mut SerializableXact,
}

/// The record of this process's SERIALIZABLE transaction, which lives as long as that; null if there is none.
pub fn record() -> *mut SerializableXact {
    // SAFETY: reads a variable of this process, and the record behind it.
    unsafe {
        let record: *mut SerializableXact = harmless::ShareSerializableXact().cast();
        assert!(
            record.is_null() || (*record).pid == pg_sys::MyProcPid,
            "the records of SERIALIZABLE transactions have another layout"
        );
        record
    }
}

/// The number of `SerializableXactHashLock` in `MainLWLockArray`.
pub const HASH_LOCK: usize = 28;
