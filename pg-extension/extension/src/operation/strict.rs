//! `abelian.strict_reads`: a read of a value takes the Read lock on it, and so sees it as it stays until the transaction
//! ends. Strict two-phase locking, as the Claret paper measures (§4.1, there by one lock manager for everything).
//!
//! The lock excludes operations in slices and exclusive access; operations in the row take the Add lock too once there
//! are strict reads ([`crate::lock::readers`]). A statement's snapshot is older than the lock it waited for. What it reads
//! then is decided here, and argued in `docs/design/phaser.md`: under READ COMMITTED the newest value, if the row is
//! otherwise as the statement sees it; 40001 if not, and under one snapshot if the snapshot does not show the newest value.

use super::rewrite::Relation;
use super::row::{Hold, Locked, Request, Table};
use super::symbols::Symbols;
use super::tree::Tree;
use super::version::{self, OwnUpdates, Updater};
use super::{locking, own};
use crate::backend;
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
    for relation in Relation::sources(symbols, query) {
        let read = relation.columns_read_by_query();
        if !relation.abelian_among(&read) || locking::holds_values(query, relation.number) {
            continue;
        }
        if read.contains(&0) {
            Error::WholeRow.raise();
        }
        relation.read_newest(Hold::Strict as i32);
    }
}

/// Holds the value of `object`, or what is known of an element, which the statement sees in the row version at `place`. Gives the datum
/// that the value has to be made of, if it is not the statement's own.
///
/// `shown` tells whether the active snapshot shows the newest of what is held, whose datum in the newest version of the row it gets.
pub fn hold(
    object: &Object,
    part: Part,
    place: ItemPointerData,
    shown: impl FnOnce(Newest) -> Result<bool, Error>,
) -> Result<Option<Datum>, Error> {
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
    let newest = settle(&table, object, part, place)?;
    if backend::has_one_snapshot() {
        let same_version = version::same_place(newest, place);
        let (mut newest, mut unchanged) = (newest, false);
        if table.fetch(&mut newest)
            && let Some(datum) = table.content_of(object.id)?
        {
            unchanged = shown(Newest {
                datum,
                same_version,
            })?;
        }
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
    // Not there: it was overwritten.
    let found = table.content_of(object.id)?;
    found.map(Some).ok_or(Error::ConcurrentUpdate)
}

/// An object in the newest version of its row.
pub struct Newest {
    /// What is stored there.
    pub datum: Datum,
    /// Whether that is the version which the statement sees.
    pub same_version: bool,
}

/// Takes the locks, and finds the newest version of the row once nobody is at it who may have operated before.
fn settle(
    table: &Table,
    object: &Object,
    part: Part,
    place: ItemPointerData,
) -> Result<ItemPointerData, Error> {
    /// Each round, another transaction was at the row.
    const ROUNDS: usize = 10_000;
    let held = [Part::Value, part].iter().any(|part| {
        let holds = |mode: &Mode| lock::holds(part.tag(object), *mode);
        [Mode::Read, Mode::Overwrite].iter().any(holds)
    });
    readers::announce();
    let mut at = place;
    for _ in 0..ROUNDS {
        let taken = match held {
            true => Vec::new(),
            false => lock_part(object, part),
        };
        at = newest_version(table, at)?;
        // Who is at the row now waits for the lock if this transaction has had that since an earlier statement, or is at other elements.
        match at_row(table, at) {
            Updater::Running(by) if !held => {
                // It may be waiting for the lock.
                for (tag, mode) in taken {
                    lock::unlock(tag, mode);
                }
                version::wait_for(table.relation(), at, by);
            }
            Updater::Committed => taken
                .into_iter()
                .for_each(|(tag, mode)| lock::unlock(tag, mode)),
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

/// Takes the locks of a read, each but once, and gives those that the transaction did not have: given back once they are free.
fn lock_part(object: &Object, part: Part) -> Vec<(Tag, Mode)> {
    let mut taken = Vec::new();
    let mut wanted = vec![(part, Mode::Read)];
    if part != Part::Value {
        wanted.push((Part::Value, Mode::IntentionRead));
    }
    for (part, mode) in wanted {
        let tag = part.tag(object);
        if lock::holds(tag, mode) {
            continue;
        }
        if mode == Mode::Read && lock::holds(tag, Mode::Add) {
            if lock::lock(tag, mode, false) {
                taken.push((tag, mode));
                continue;
            }
            // Two transactions that operate and then read deadlock: better to queue from the beginning.
            contention::note_upgrade(object.id);
        }
        lock::lock_part(object, part, mode, true);
        // The table may have been locked instead.
        if lock::holds(tag, mode) {
            taken.push((tag, mode));
        }
    }
    taken
}

fn newest_version(table: &Table, from: ItemPointerData) -> Result<ItemPointerData, Error> {
    // SAFETY: plain counter read.
    let command = unsafe { pg_sys::GetCurrentCommandId(false) };
    match version::newest(table.relation(), from, command, OwnUpdates::Followed)? {
        version::Newest::At(version) => Ok(version),
        version::Newest::Deleted => Err(Error::ConcurrentUpdate),
    }
}

/// Runs `read` under a snapshot taken now, after the lock; it shows of this transaction what the statement's own shows.
/// Under one snapshot, under that.
pub fn under_fresh_snapshot<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    if backend::has_one_snapshot() {
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
