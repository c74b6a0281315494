//! The rw-conflicts that PostgreSQL has noticed for this process's SERIALIZABLE transaction: the only place that looks into the shared memory of
//! its serializable snapshot isolation.
//!
//! A transaction over several nodes can be a pivot, with a conflict in on one node and a conflict out on another, which no node sees. So before
//! it commits, each node tells what conflicts it has there and takes it from then on for one that has both: it sets the flag that PostgreSQL itself
//! uses for conflicts out of which it has forgotten the other side, and one of our own. docs/protocols/serializable.md has the argument.

use super::serializable::ConflictSet;
use crate::compat::serializable::{self, Link, RwConflict, SerializableXact};
use crate::error::Error;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use pgrx::pg_sys::{self, XactEvent};
use std::mem::offset_of;
use std::ptr::NonNull;

/// `SXACT_FLAG_...`
mod flag {
    pub const COMMITTED: u32 = 0x01;
    /// It will be rolled back, or is.
    pub const DOOMED: u32 = 0x08;
    /// It is committed, and somebody who had committed before has changed what it has read.
    pub const CONFLICT_OUT: u32 = 0x10;
    pub const READ_ONLY: u32 = 0x20;
    /// It has conflicts of which the other side is forgotten.
    pub const SUMMARY_CONFLICT_IN: u32 = 0x200;
    pub const SUMMARY_CONFLICT_OUT: u32 = 0x400;
    /// Ours, which PostgreSQL leaves alone, also in the record of a prepared transaction: nobody who has changed what it has read may commit
    /// before it.
    pub const HELD: u32 = 0x8000_0000;
    /// The same, from when it was held on.
    pub const WAS_HELD: u32 = 0x4000_0000;
}

/// Has each SERIALIZABLE transaction looked at before it commits. Installed before all others, who are told before it: nothing is read or
/// written afterwards.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| {
            use XactEvent::{XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE};
            // SAFETY: reads a variable of this process.
            let is_serializable =
                unsafe { pg_sys::XactIsoLevel } == pg_sys::XACT_SERIALIZABLE as i32;
            is_serializable && [XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE].contains(event)
        },
        tell: |_| {
            let Some(own) = own() else { return };
            if is_held_with_out(own) {
                warn_readers(own);
            }
            if overtakes(own) {
                Error::RwConflicts("Reason code: Canceled on commit attempt with conflict in from a transaction that commits on several nodes.").raise();
            }
        },
    });
}

/// Tells what conflicts the transaction has here. Whoever comes to conflict with it afterwards fails, or makes it fail.
pub fn hold() -> Result<ConflictSet, Error> {
    let Some(own) = own() else {
        return Ok(ConflictSet::NONE); // Not SERIALIZABLE, or one that only reads and is known to be safe.
    };
    let locked = Locked::exclusive();
    let before = locked.flags(own);
    if before & flag::DOOMED != 0 {
        drop(locked);
        return Err(Error::RwConflicts(
            "Reason code: Canceled on identification as a pivot, during commit attempt.",
        ));
    }
    let found = ConflictSet {
        into: before & flag::SUMMARY_CONFLICT_IN != 0 || locked.has_reader(own),
        out: before & (flag::SUMMARY_CONFLICT_OUT | flag::CONFLICT_OUT) != 0
            || locked.has_writer(own),
    };
    locked.set_flags(own, before | flag::WAS_HELD | flags_of(ConflictSet::BOTH));
    Ok(found)
}

/// Takes the transaction for one that has these conflicts, beside those that PostgreSQL knows.
pub fn settle(kept: ConflictSet) {
    if let Some(own) = own() {
        let locked = Locked::exclusive();
        let others = locked.flags(own) & !flags_of(ConflictSet::BOTH);
        locked.set_flags(own, others | flags_of(kept));
    }
}

fn flags_of(conflicts: ConflictSet) -> u32 {
    let mut flags = 0;
    if conflicts.into {
        flags |= flag::HELD;
    }
    if conflicts.out {
        flags |= flag::SUMMARY_CONFLICT_OUT;
    }
    flags
}

/// Whether it has changed what a transaction has read that is held and has not committed: it would commit first.
fn overtakes(own: NonNull<SerializableXact>) -> bool {
    const OVER: u32 = flag::COMMITTED | flag::DOOMED;
    let locked = Locked::shared();
    locked
        .readers(own)
        .any(|reader| locked.flags(reader) & (flag::HELD | OVER) == flag::HELD)
}

/// Whether this process has held it, and it keeps a conflict out.
fn is_held_with_out(own: NonNull<SerializableXact>) -> bool {
    // SAFETY: its own record. What it has set itself it sees without the lock.
    let flags = unsafe { (&raw const (*own.as_ptr()).flags).read_volatile() };
    const MARKS: u32 = flag::WAS_HELD | flag::SUMMARY_CONFLICT_OUT;
    flags & (MARKS | flag::READ_ONLY) == MARKS
}

/// A READ ONLY transaction is known to be safe when none that it has watched had a conflict out to one that committed before its snapshot.
/// PostgreSQL takes the one of a held transaction for older than any commit here, but that of a node without commits.
fn warn_readers(own: NonNull<SerializableXact>) {
    /// `FirstNormalSerCommitSeqNo`
    const OLDEST: u64 = 2;
    let locked = Locked::exclusive();
    for reader in locked.watchers(own) {
        // SAFETY: a record that is in use while the lock is held.
        let before = unsafe { &mut (*reader.as_ptr()).last_or_earliest_commit };
        *before = (*before).max(OLDEST);
    }
}

/// PostgreSQL's record of the transaction, which lives as long as that; none unless it is SERIALIZABLE.
fn own() -> Option<NonNull<SerializableXact>> {
    NonNull::new(serializable::record())
}

/// The lock under which PostgreSQL reads and writes conflicts and flags.
struct Locked(*mut pg_sys::LWLock);

impl Locked {
    fn shared() -> Self {
        Self::take(pg_sys::LWLockMode::LW_SHARED)
    }

    fn exclusive() -> Self {
        Self::take(pg_sys::LWLockMode::LW_EXCLUSIVE)
    }

    fn take(mode: pg_sys::LWLockMode::Type) -> Self {
        // SAFETY: the array of PostgreSQL's own locks is there as long as the process.
        unsafe {
            let lock = &raw mut (*pg_sys::MainLWLockArray.add(serializable::HASH_LOCK)).lock;
            pg_sys::LWLockAcquire(lock, mode);
            Locked(lock)
        }
    }

    fn flags(&self, transaction: NonNull<SerializableXact>) -> u32 {
        // SAFETY: a record that is in use while the lock is held.
        unsafe { (*transaction.as_ptr()).flags }
    }

    fn set_flags(&self, transaction: NonNull<SerializableXact>, flags: u32) {
        // SAFETY: as above; only under the lock in exclusive mode.
        unsafe { (*transaction.as_ptr()).flags = flags };
    }

    /// Whether somebody has read what it has changed, who may still commit or has.
    fn has_reader(&self, of: NonNull<SerializableXact>) -> bool {
        self.readers(of).any(|reader| self.counts(reader))
    }

    /// Whether somebody has changed what it has read.
    fn has_writer(&self, of: NonNull<SerializableXact>) -> bool {
        self.writers(of).any(|writer| self.counts(writer))
    }

    fn counts(&self, other: NonNull<SerializableXact>) -> bool {
        self.flags(other) & flag::DOOMED == 0
    }

    fn readers(
        &self,
        of: NonNull<SerializableXact>,
    ) -> impl Iterator<Item = NonNull<SerializableXact>> {
        // SAFETY: the list of those records that are linked by `in_link`, under the lock.
        unsafe { Links::of(&raw const (*of.as_ptr()).in_conflicts) }.filter_map(|link| {
            // SAFETY: as above.
            unsafe {
                let conflict: *const RwConflict =
                    link.byte_sub(offset_of!(RwConflict, in_link)).cast();
                NonNull::new((*conflict).reader)
            }
        })
    }

    fn writers(
        &self,
        of: NonNull<SerializableXact>,
    ) -> impl Iterator<Item = NonNull<SerializableXact>> {
        // SAFETY: the record is in use.
        unsafe { Self::others(&raw const (*of.as_ptr()).out_conflicts) }
    }

    /// READ ONLY transactions that want to know whether it can be a pivot. Not of one that is READ ONLY itself, whose list has other links.
    fn watchers(
        &self,
        of: NonNull<SerializableXact>,
    ) -> impl Iterator<Item = NonNull<SerializableXact>> {
        // SAFETY: the record is in use.
        unsafe { Self::others(&raw const (*of.as_ptr()).possible_unsafe_conflicts) }
    }

    /// # Safety
    /// A list whose records are linked by `out_link`, under the lock.
    unsafe fn others(head: *const Link) -> impl Iterator<Item = NonNull<SerializableXact>> {
        // SAFETY: by the caller.
        unsafe { Links::of(head) }.filter_map(|link| {
            // SAFETY: as above.
            unsafe {
                let conflict: *const RwConflict =
                    link.byte_sub(offset_of!(RwConflict, out_link)).cast();
                NonNull::new((*conflict).writer)
            }
        })
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: held since `take`.
        unsafe { pg_sys::LWLockRelease(self.0) };
    }
}

/// The links of a circular list behind its head.
struct Links {
    head: *const Link,
    at: *const Link,
}

impl Links {
    /// # Safety
    /// `head` must be that of such a list, which nobody changes meanwhile.
    unsafe fn of(head: *const Link) -> Self {
        // SAFETY: by the caller.
        let at = unsafe { (*head).next };
        Links { head, at }
    }
}

impl Iterator for Links {
    type Item = *const Link;

    fn next(&mut self) -> Option<*const Link> {
        if self.at == self.head {
            return None;
        }
        let link = self.at;
        // SAFETY: by whoever has made it.
        self.at = unsafe { (*link).next };
        Some(link)
    }
}
