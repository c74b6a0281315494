//! The chain of versions of a heap row: which one is the newest, and how a given one is rewritten without waiting.

use crate::error::Error;
use crate::harmless;
use pgrx::pg_sys::{self, ItemPointerData, TM_Result};

/// Where following a row's updates ends.
#[derive(Clone, Copy, Debug)]
pub enum Newest {
    /// At this version: nobody has committed a newer one.
    At(ItemPointerData),
    /// The row was deleted.
    Deleted,
}

/// Bound on versions followed; a chain is as long as the updates of one row that committed since the snapshot.
const LONGEST_CHAIN: usize = 10_000_000;

/// Whether updates by the running transaction itself are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnUpdates {
    /// They are.
    Followed,
    /// The statement meets a row that a function or trigger of its own has changed: an error, as in PostgreSQL.
    Refused,
}

/// Follows the committed updates of the version at `place`. Versions that other running transactions wrote are not
/// followed: their row locks and ours on the object decide who comes first.
pub fn newest(
    relation: pg_sys::Relation,
    place: ItemPointerData,
    command: pg_sys::CommandId,
    own: OwnUpdates,
) -> Result<Newest, Error> {
    let mut at = place;
    let mut writer = pg_sys::InvalidTransactionId;
    for _ in 0..LONGEST_CHAIN {
        match step(relation, at, writer, command, own)? {
            Step::Here => return Ok(Newest::At(at)),
            Step::Gone => return Ok(Newest::Deleted),
            Step::Next(next, by) => {
                at = next;
                writer = by;
            }
        }
        pgrx::check_for_interrupts!();
    }
    Err(Error::Internal("endless chain of row versions".into()))
}

enum Step {
    Here,
    Gone,
    Next(ItemPointerData, pg_sys::TransactionId),
}

fn step(
    relation: pg_sys::Relation,
    place: ItemPointerData,
    writer: pg_sys::TransactionId,
    command: pg_sys::CommandId,
    own: OwnUpdates,
) -> Result<Step, Error> {
    let looked_at = with_version(relation, place, |tuple, buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe {
            let header = tuple.t_data;
            if writer != pg_sys::InvalidTransactionId && written_by(header) != writer {
                return None; // the place was used again for another row
            }
            let mut state = pg_sys::HeapTupleSatisfiesUpdate(tuple, command, buffer);
            let by = update_xid(header);
            let is_replaced = by != pg_sys::InvalidTransactionId && is_replaced(header, place);
            if state == TM_Result::TM_BeingModified && was_changed(header) {
                state = match is_replaced || is_in_another_partition((*header).t_ctid) {
                    true => TM_Result::TM_Updated,
                    false => TM_Result::TM_Deleted,
                };
            }
            Some((state, (*header).t_ctid, by, is_replaced))
        }
    });
    let Some((state, next, by, is_replaced)) = looked_at.flatten() else {
        return Ok(Step::Gone);
    };
    match state {
        TM_Result::TM_Invisible | TM_Result::TM_SelfModified
            if own == OwnUpdates::Followed && is_replaced =>
        {
            Ok(Step::Next(next, by))
        }
        TM_Result::TM_Invisible | TM_Result::TM_SelfModified
            if own == OwnUpdates::Followed && is_in_another_partition(next) =>
        {
            Ok(Step::Gone)
        }
        TM_Result::TM_Ok | TM_Result::TM_BeingModified | TM_Result::TM_Invisible => Ok(Step::Here),
        TM_Result::TM_Updated if is_in_another_partition(next) => Err(Error::ConcurrentUpdate),
        TM_Result::TM_Updated => Ok(Step::Next(next, by)),
        TM_Result::TM_Deleted => Ok(Step::Gone),
        TM_Result::TM_SelfModified => Err(Error::ModifiedByTrigger),
        other => Err(Error::Internal(format!(
            "unexpected state {other} of a row"
        ))),
    }
}

/// What a version tells of its successor when that went to another partition.
fn is_in_another_partition(next: ItemPointerData) -> bool {
    u32::from(next.ip_posid) == pg_sys::MovedPartitionsOffsetNumber
}

/// Whether a version has been updated or deleted by somebody who has committed, beside others who have only locked it and go on: PostgreSQL's
/// answer is then that it is being modified.
///
/// # Safety
/// As for `is_replaced`.
unsafe fn was_changed(header: pg_sys::HeapTupleHeader) -> bool {
    // SAFETY: by the caller.
    let shared = u32::from(unsafe { (*header).t_infomask }) & pg_sys::HEAP_XMAX_IS_MULTI != 0;
    // SAFETY: as above; running is asked first, since who commits is both for a moment.
    unsafe {
        let by = changed_by(header);
        shared
            && by != pg_sys::InvalidTransactionId
            && !pg_sys::TransactionIdIsInProgress(by)
            && pg_sys::TransactionIdDidCommit(by)
    }
}

/// A newer version of a row.
#[derive(Clone, Copy)]
pub struct Successor {
    /// Where it is.
    pub place: ItemPointerData,
    /// The transaction that wrote it.
    pub writer: pg_sys::TransactionId,
    /// Whether that has committed.
    pub committed: bool,
}

/// All versions that may take the place of the one at `place`, the oldest first: those that transactions under way have
/// written, one in the place of the other, and those that were committed meanwhile.
pub fn successors(
    relation: pg_sys::Relation,
    place: ItemPointerData,
) -> Result<Vec<Successor>, Error> {
    let mut found: Vec<Successor> = Vec::new();
    let mut at = place;
    for _ in 0..LONGEST_CHAIN {
        let writer = found.last().map(|version| version.writer);
        let Some(next) = successor(relation, at, writer) else {
            return Ok(found);
        };
        at = next.place;
        found.push(next);
        pgrx::check_for_interrupts!();
    }
    Err(Error::Internal("endless chain of row versions".into()))
}

/// The version that was written in the place of the one at `at`, unless its writer has aborted. `writer`: who must have
/// written the one at `at`; its place may hold another row by now.
fn successor(
    relation: pg_sys::Relation,
    at: ItemPointerData,
    writer: Option<pg_sys::TransactionId>,
) -> Option<Successor> {
    let replaced = with_version(relation, at, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe {
            let header = tuple.t_data;
            let same_row = writer.is_none_or(|writer| written_by(header) == writer);
            (same_row && is_replaced(header, at)).then(|| ((*header).t_ctid, update_xid(header)))
        }
    });
    let (place, writer) = replaced.flatten()?;
    if writer == pg_sys::InvalidTransactionId {
        return None;
    }
    // SAFETY: plain questions about a transaction.
    let (running, committed) = unsafe {
        let running = pg_sys::TransactionIdIsCurrentTransactionId(writer)
            || pg_sys::TransactionIdIsInProgress(writer);
        (running, !running && pg_sys::TransactionIdDidCommit(writer))
    };
    (running || committed).then_some(Successor {
        place,
        writer,
        committed,
    })
}

/// Waits until a transaction has ended that has changed the row with the version at `at`.
pub fn wait_for(relation: pg_sys::Relation, at: ItemPointerData, by: pg_sys::TransactionId) {
    let mut at = at;
    // SAFETY: an open relation and a place in it, for the error's context.
    unsafe {
        pg_sys::XactLockTableWait(by, relation, &mut at, pg_sys::XLTW_Oper::XLTW_FetchUpdated);
    }
}

/// Whether two places are the same.
pub fn same_place(a: ItemPointerData, b: ItemPointerData) -> bool {
    a.ip_posid == b.ip_posid
        && a.ip_blkid.bi_hi == b.ip_blkid.bi_hi
        && a.ip_blkid.bi_lo == b.ip_blkid.bi_lo
}

/// Whether a newer version was written in this table, by whomever, in the place of this one at `place`.
///
/// # Safety
/// `header` must be that of a tuple in a pinned buffer.
unsafe fn is_replaced(header: pg_sys::HeapTupleHeader, place: ItemPointerData) -> bool {
    let only_locked = (pg_sys::HEAP_XMAX_LOCK_ONLY | pg_sys::HEAP_XMAX_INVALID) as u16;
    // SAFETY: by the caller.
    unsafe {
        (*header).t_infomask & only_locked == 0
            && !same_place((*header).t_ctid, place)
            && !is_in_another_partition((*header).t_ctid)
    }
}

/// Who has updated or deleted the version; invalid where it is only locked.
///
/// # Safety
/// As for `is_replaced`.
unsafe fn changed_by(header: pg_sys::HeapTupleHeader) -> pg_sys::TransactionId {
    let only_locked = (pg_sys::HEAP_XMAX_LOCK_ONLY | pg_sys::HEAP_XMAX_INVALID) as u16;
    // SAFETY: by the caller.
    unsafe {
        match (*header).t_infomask & only_locked {
            0 => update_xid(header),
            _ => pg_sys::InvalidTransactionId,
        }
    }
}

/// # Safety
/// As for `is_replaced`.
unsafe fn update_xid(header: pg_sys::HeapTupleHeader) -> pg_sys::TransactionId {
    // SAFETY: by the caller.
    unsafe {
        if (*header).t_infomask & pg_sys::HEAP_XMAX_IS_MULTI as u16 != 0
            && (*header).t_infomask
                & (pg_sys::HEAP_XMAX_LOCK_ONLY | pg_sys::HEAP_XMAX_INVALID) as u16
                == 0
        {
            pg_sys::HeapTupleGetUpdateXid(header)
        } else {
            (*header).t_choice.t_heap.t_xmax
        }
    }
}

/// # Safety
/// As for `is_replaced`.
unsafe fn written_by(header: pg_sys::HeapTupleHeader) -> pg_sys::TransactionId {
    // SAFETY: by the caller.
    unsafe { (*header).t_choice.t_heap.t_xmin }
}

/// Whether the version at `place` is locked, or superseded, by this transaction alone.
pub fn locked_by_us(relation: pg_sys::Relation, place: ItemPointerData) -> bool {
    with_version(relation, place, |tuple, _buffer| {
        let header = tuple.t_data;
        // SAFETY: the version is pinned and locked.
        unsafe {
            (*header).t_infomask & pg_sys::HEAP_XMAX_IS_MULTI as u16 == 0
                && pg_sys::TransactionIdIsCurrentTransactionId((*header).t_choice.t_heap.t_xmax)
        }
    })
    .unwrap_or(false)
}

/// Whether this transaction has written the version at `place`.
pub fn is_written_by_us(relation: pg_sys::Relation, place: ItemPointerData) -> bool {
    let writer = with_version(relation, place, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe { written_by(tuple.t_data) }
    });
    // SAFETY: a plain question about a transaction.
    writer.is_some_and(|writer| unsafe { pg_sys::TransactionIdIsCurrentTransactionId(writer) })
}

/// Whether this transaction has written the version at `place`, or has locked it for a change, or replaced it.
pub fn is_ours(relation: pg_sys::Relation, place: ItemPointerData) -> bool {
    // SAFETY: plain read.
    if unsafe { harmless::GetTopTransactionIdIfAny() } == pg_sys::InvalidTransactionId {
        return false;
    }
    let found = with_version(relation, place, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe {
            let header = tuple.t_data;
            let bits = u32::from((*header).t_infomask);
            let valid = bits & pg_sys::HEAP_XMAX_INVALID == 0;
            let by = valid.then(|| (*header).t_choice.t_heap.t_xmax);
            (
                written_by(header),
                by,
                bits & pg_sys::HEAP_XMAX_IS_MULTI != 0,
            )
        }
    });
    let Some((writer, by, is_multi)) = found else {
        return false;
    };
    let by = by.and_then(|by| match is_multi {
        true => exclusive_member(by),
        false => Some(by),
    });
    // SAFETY: plain questions about a transaction.
    unsafe {
        pg_sys::TransactionIdIsCurrentTransactionId(writer)
            || by.is_some_and(|by| pg_sys::TransactionIdIsCurrentTransactionId(by))
    }
}

/// What `look` finds at the version at `place`, while its page is pinned and share-locked; `None` if the version is gone.
fn with_version<T>(
    relation: pg_sys::Relation,
    place: ItemPointerData,
    look: impl FnOnce(&mut pg_sys::HeapTupleData, pg_sys::Buffer) -> T,
) -> Option<T> {
    // SAFETY: the version is in a heap that the statement has open; a tuple that was fetched is pinned.
    unsafe {
        let mut tuple: pg_sys::HeapTupleData = std::mem::zeroed();
        tuple.t_self = place;
        let mut buffer: pg_sys::Buffer = 0;
        let any = &raw mut pg_sys::SnapshotAnyData;
        if !pg_sys::heap_fetch(relation, any, &mut tuple, &mut buffer, false) {
            return None;
        }
        harmless::LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
        let found = look(&mut tuple, buffer);
        harmless::LockBuffer(buffer, pg_sys::BUFFER_LOCK_UNLOCK as i32);
        harmless::ReleaseBuffer(buffer);
        Some(found)
    }
}

/// Who is at a row version that nobody has committed a successor of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updater {
    /// Nobody, or this transaction.
    None,
    /// A running transaction has updated or deleted it.
    Running(pg_sys::TransactionId),
    /// It committed meanwhile.
    Committed,
}

/// Who has updated or deleted the version at `place`; locks do not count.
pub fn updater(relation: pg_sys::Relation, place: ItemPointerData) -> Updater {
    let by = with_version(relation, place, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe { changed_by(tuple.t_data) }
    });
    let by = by.unwrap_or(pg_sys::InvalidTransactionId);
    // SAFETY: lookups by transaction id; running is asked first, since who commits is both for a moment.
    unsafe {
        if by == pg_sys::InvalidTransactionId || pg_sys::TransactionIdIsCurrentTransactionId(by) {
            Updater::None
        } else if pg_sys::TransactionIdIsInProgress(by) {
            Updater::Running(by)
        } else if pg_sys::TransactionIdDidCommit(by) {
            Updater::Committed
        } else {
            Updater::None
        }
    }
}

/// Whether nobody may see the version at `place` any more, so that vacuum may have taken the large values that it refers to.
pub fn may_be_vacuumed(relation: pg_sys::Relation, place: ItemPointerData) -> bool {
    let by = with_version(relation, place, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe { changed_by(tuple.t_data) }
    });
    let Some(by) = by else {
        return true;
    };
    // SAFETY: plain reads; our own snapshot keeps what was there when it was taken.
    unsafe {
        by != pg_sys::InvalidTransactionId
            && (!pg_sys::ActiveSnapshotSet()
                || pg_sys::TransactionIdPrecedes(by, (*pg_sys::GetActiveSnapshot()).xmin))
            && pg_sys::TransactionIdDidCommit(by)
    }
}

/// Another running transaction that has locked the version at `place` for a change.
pub fn exclusive_locker(
    relation: pg_sys::Relation,
    place: ItemPointerData,
) -> Option<pg_sys::TransactionId> {
    let (bits, by) = with_version(relation, place, |tuple, _buffer| {
        // SAFETY: the version is pinned and locked.
        unsafe {
            let header = tuple.t_data;
            let bits = u32::from((*header).t_infomask);
            (bits, (*header).t_choice.t_heap.t_xmax)
        }
    })?;
    let only_locked = bits & (pg_sys::HEAP_XMAX_LOCK_ONLY | pg_sys::HEAP_XMAX_INVALID)
        == pg_sys::HEAP_XMAX_LOCK_ONLY;
    let shared = pg_sys::HEAP_XMAX_EXCL_LOCK | pg_sys::HEAP_XMAX_KEYSHR_LOCK;
    if !only_locked || bits & shared != pg_sys::HEAP_XMAX_EXCL_LOCK {
        return None;
    }
    let is_multi = bits & pg_sys::HEAP_XMAX_IS_MULTI != 0;
    let by = if is_multi { exclusive_member(by)? } else { by };
    // SAFETY: plain questions about a transaction.
    let running = unsafe {
        !pg_sys::TransactionIdIsCurrentTransactionId(by) && pg_sys::TransactionIdIsInProgress(by)
    };
    running.then_some(by)
}

/// Of those who share a row, the one who has locked it for a change.
fn exclusive_member(multi: pg_sys::MultiXactId) -> Option<pg_sys::TransactionId> {
    // SAFETY: a multixact that a row has; its members are in the current memory context.
    unsafe {
        let mut members: *mut pg_sys::MultiXactMember = std::ptr::null_mut();
        let count = pg_sys::GetMultiXactIdMembers(multi, &mut members, false, true);
        if count <= 0 {
            return None;
        }
        let members = std::slice::from_raw_parts(members, count as usize);
        let exclusive = pg_sys::MultiXactStatus::MultiXactStatusForNoKeyUpdate;
        let found = members.iter().find(|member| member.status >= exclusive);
        found.map(|member| member.xid)
    }
}
