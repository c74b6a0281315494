//! `abelian.strict_reads`: a read of a value takes the Read lock on it, and so sees it as it stays until the transaction
//! ends. Strict two-phase locking, as the Claret paper measures (§4.1, there by one lock manager for everything).
//!
//! The lock excludes operations in slices and exclusive access; operations in the row take the Add lock too once there
//! are strict reads ([`crate::lock::readers`]). A statement's snapshot is older than the lock it waited for. What it reads
//! then is decided here, and argued in `docs/design/phaser.md`: under READ COMMITTED the newest value, if the row is
//! otherwise as the statement sees it; 40001 if not, and under one snapshot if the snapshot does not show the newest value.

use super::rewrite::Relation;
use super::row::{self, Hold, Locked, Request, Table};
use super::symbols::Symbols;
use super::tree::{self, Tree};
use super::version::{self, Newest, OwnUpdates, Updater};
use super::{locking, own};
use crate::error::Error;
use crate::lock::{self, Mode, Part, Tag, readers};
use crate::object::{Object, contention};
use pgrx::pg_sys::{self, CmdType, Datum, ItemPointerData};

/// Has a query read the Abelian columns of its sources strictly. The target of a change is held exclusively anyway,
/// and so is what a locking clause names.
pub fn reads(symbols: &Symbols, query: Tree<pg_sys::Query>) {
    if query.commandType == CmdType::CMD_UTILITY {
        return;
    }
    let count = tree::items::<pg_sys::RangeTblEntry>(query.rtable).len() as i32;
    // What ON CONFLICT calls EXCLUDED is in no table.
    let proposed = Tree::new(query.onConflict).map_or(0, |conflict| conflict.exclRelIndex);
    let is_source = |number: &i32| *number != query.resultRelation && *number != proposed;
    for number in (1..=count).filter(is_source) {
        let Some(relation) = Relation::of(symbols, query, number) else {
            continue;
        };
        let read = relation.columns_read_by_query();
        if !relation.abelian_among(&read) || locking::holds_values(query, number) {
            continue;
        }
        if read.contains(&0) {
            Error::WholeRow.raise();
        }
        relation.read_newest(Hold::Strict as i32);
    }
}

/// Holds the value of `object`, which the statement sees in the row version at `place`. Gives the datum that the value
/// has to be made of, if it is not the statement's own.
pub fn hold(object: &Object, place: ItemPointerData) -> Result<Option<Datum>, Error> {
    let mut table = Table::open(object.relation);
    if object.id == 0 {
        // Without identity there is nothing but the row to lock.
        let mut place = place;
        return match table.lock_version(&mut place, Request::share())? {
            Locked::Newest => Ok(None),
            Locked::Left => Err(Error::ConcurrentUpdate),
        };
    }
    // A rollback to a savepoint gives the lock back, and not what the transaction knows.
    own::note_read(object.id);
    let newest = settle(&table, object, place)?;
    if row::one_snapshot() {
        let unchanged = version::same_place(newest, place) && row::shows_newest(object.id)?;
        return unchanged.then_some(None).ok_or(Error::ConcurrentUpdate);
    }
    if version::same_place(newest, place) {
        return Ok(None);
    }
    let mut seen = Table::open(object.relation);
    let (mut newest, mut place) = (newest, place);
    if !table.fetch(&mut newest) || !seen.fetch(&mut place) || !table.same_plain_columns(&seen)? {
        return Err(Error::ConcurrentUpdate);
    }
    let found = table.objects()?.into_iter().find(|one| one.id == object.id);
    // Not there: it was overwritten.
    let found = found.ok_or(Error::ConcurrentUpdate)?;
    Ok(table.content(found.attribute))
}

/// Takes the lock, and finds the newest version of the row once nobody is at it who may have operated before.
fn settle(
    table: &Table,
    object: &Object,
    place: ItemPointerData,
) -> Result<ItemPointerData, Error> {
    /// Each round, another transaction was at the row.
    const ROUNDS: usize = 10_000;
    let tag = Tag::Object(object.id);
    let held = [Mode::Read, Mode::Overwrite]
        .iter()
        .any(|mode| lock::holds(tag, *mode));
    readers::announce();
    let mut at = place;
    for _ in 0..ROUNDS {
        if !held {
            lock_value(object);
        }
        at = newest_version(table, at)?;
        // Who is at the row now waits for the lock if this transaction has had that since an earlier statement.
        match at_row(table, at) {
            Updater::Running(by) if !held => {
                // It may be waiting for the lock.
                if lock::holds(tag, Mode::Read) {
                    lock::unlock(tag, Mode::Read);
                }
                wait_for(table, at, by);
            }
            Updater::Committed => {}
            Updater::Running(_) | Updater::None => return Ok(at),
        }
    }
    Err(Error::ConcurrentUpdate)
}

/// Who has changed the row, or is about to and may hold the table instead of the object.
fn at_row(table: &Table, at: ItemPointerData) -> Updater {
    let relation = table.relation();
    let found = version::updater(relation, at);
    if found != Updater::None {
        return found;
    }
    // SAFETY: an open relation.
    let excluded = || lock::others_exclude_writers(unsafe { (*relation).rd_id });
    match version::exclusive_locker(relation, at) {
        Some(by) if excluded() => Updater::Running(by),
        _ => Updater::None,
    }
}

/// Takes the lock once, however often it is called, so that giving it back once frees it.
fn lock_value(object: &Object) {
    let tag = Tag::Object(object.id);
    if lock::holds(tag, Mode::Read) {
        return;
    }
    if lock::holds(tag, Mode::Add) {
        if lock::lock(tag, Mode::Read, false) {
            return;
        }
        // Two transactions that operate and then read deadlock: better to queue from the beginning.
        contention::note_upgrade(object.id);
    }
    lock::lock_part(object, Part::Value, Mode::Read, true);
}

fn newest_version(table: &Table, from: ItemPointerData) -> Result<ItemPointerData, Error> {
    // SAFETY: plain counter read.
    let command = unsafe { pg_sys::GetCurrentCommandId(false) };
    match version::newest(table.relation(), from, command, OwnUpdates::Followed)? {
        Newest::At(version) => Ok(version),
        Newest::Deleted => Err(Error::ConcurrentUpdate),
    }
}

fn wait_for(table: &Table, at: ItemPointerData, by: pg_sys::TransactionId) {
    let mut at = at;
    // SAFETY: an open relation and a place in it, for the error's context.
    unsafe {
        pg_sys::XactLockTableWait(
            by,
            table.relation(),
            &mut at,
            pg_sys::XLTW_Oper::XLTW_FetchUpdated,
        );
    }
}

/// Runs `read` under a snapshot taken now, after the lock; it shows of this transaction what the statement's own shows.
/// Under one snapshot, under that.
pub fn under_fresh_snapshot<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    if row::one_snapshot() {
        return own::look(read);
    }
    // SAFETY: a statement is running, so a snapshot is active; ours is popped again (or by the abort).
    unsafe {
        let shown = (*pg_sys::GetActiveSnapshot()).curcid;
        pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        (*pg_sys::GetActiveSnapshot()).curcid = shown;
        let value = own::look(read);
        pg_sys::PopActiveSnapshot();
        value
    }
}
