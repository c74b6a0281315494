//! What the running transaction has operated on and read, as far as later statements depend on it.
//!
//! Over plain columns, a transaction that has changed a value holds the row: nobody else changes the value before it
//! ends, so that it may look at the result and decide (`UPDATE ... SET seats = seats - 1`, then `SELECT seats`).
//! Operations do not hold the row. Hence the first read of an object that the transaction has operated on takes the
//! exclusive hold then (one of a single element holds that: [`hold_element`]), and fails with 40001 if somebody was faster. Since two such transactions would rather queue
//! from the beginning, the object is marked serial for a while (a hint; see `contention::note_upgrade`).
//!
//! Under REPEATABLE READ, a transaction that has read an object and then operates on it must be the only one that
//! changed it since the snapshot: such an operation is done alone. SERIALIZABLE needs neither: PostgreSQL's
//! detection of dangerous structures covers the reads and writes of slices as of any row.

use super::elements::shows_newest_of;
use super::row::{self, Locked, Request, Table};
use super::version::{self, Newest, OwnUpdates};
use crate::backend;
use crate::error::Error;
use crate::harmless;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction::{self, SubtransactionEnd};
use crate::identity::ById;
use crate::lock::{self, Mode, Part, Tag};
use crate::object::{self, Object, contention};
use crate::settings::{self, Split};
use crate::types::aggregated::Aggregated;
use crate::types::elements;
use abelian_adt::locks::element_hash;
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::collections::hash_map::Entry;

/// Bound on remembered objects. A transaction that operates on more reads the rest without holding them; one that
/// reads more under REPEATABLE READ does all its operations alone.
const MOST: usize = 100_000;

#[derive(Clone, Copy)]
struct Place {
    relation: Oid,
    attribute: i16,
    /// A version of the row that has the object.
    version: ItemPointerData,
    /// The transaction wrote that version, and so holds the row.
    in_row: bool,
    /// The statement that did it, which goes on to see what it saw before.
    command: pg_sys::CommandId,
    /// The subtransaction that did it, or the one this has become part of.
    subtransaction: pg_sys::SubTransactionId,
}

/// The operations on one object: of each subtransaction the last one. Most often it is one, which needs no memory of its own.
struct Places {
    last: Place,
    /// Those of outer subtransactions, outermost first.
    outer: Vec<Place>,
}

impl Places {
    fn of(first: Place) -> Self {
        Places {
            last: first,
            outer: Vec::new(),
        }
    }

    fn note(&mut self, place: Place) {
        let before = std::mem::replace(&mut self.last, place);
        if before.subtransaction != place.subtransaction {
            self.outer.push(before);
        }
    }

    /// A subtransaction was rolled back. False if nothing is left.
    fn undo(&mut self, ended: pg_sys::SubTransactionId) -> bool {
        self.outer.retain(|place| place.subtransaction != ended);
        if self.last.subtransaction != ended {
            return true;
        }
        let outer = self.outer.pop();
        self.last = outer.unwrap_or(self.last);
        outer.is_some()
    }

    /// A subtransaction has become part of its parent.
    fn merge(&mut self, ended: pg_sys::SubTransactionId, parent: pg_sys::SubTransactionId) {
        if self.last.subtransaction == ended {
            self.outer.pop_if(|outer| outer.subtransaction == parent);
            self.last.subtransaction = parent;
        }
    }
}

#[derive(Default)]
struct Own {
    /// By object.
    operated: ById<Places>,
    read: HashSet<i64>,
    /// More than is remembered, or in parallel workers.
    read_too_many: bool,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
    /// How many objects the transaction has locked for operations outside the row.
    static LOCKED: Cell<i32> = const { Cell::new(0) };
    /// Reads made here do not count.
    static LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Registers for reads and the end of transactions; called once when the library is loaded.
pub fn install() {
    object::before_read(before_read);
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
    transaction::on_end(&Subscriber {
        concerns: |event| [XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE].contains(event),
        tell: |_| transaction_ended(),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |_| object::reads_are_watched(),
        tell: subtransaction_ended,
    });
}

fn transaction_ended() {
    LOOKING.set(false);
    LOCKED.set(0);
    object::watch_reads(false);
    // It is gone when a process ends in the middle of something.
    let _ = OWN.try_with(|own| {
        if let Ok(mut own) = own.try_borrow_mut() {
            own.operated.clear();
            own.read.clear();
            own.read_too_many = false;
        }
    });
}

/// A rollback to a savepoint undoes the operations since then, and only those.
fn subtransaction_ended(end: &SubtransactionEnd) {
    use pg_sys::SubXactEvent::{SUBXACT_EVENT_ABORT_SUB, SUBXACT_EVENT_COMMIT_SUB};
    OWN.with(|own| {
        let Ok(mut own) = own.try_borrow_mut() else {
            return;
        };
        if end.kind == SUBXACT_EVENT_ABORT_SUB {
            own.operated.retain(|_, places| places.undo(end.own));
        } else if end.kind == SUBXACT_EVENT_COMMIT_SUB {
            for places in own.operated.values_mut() {
                places.merge(end.own, end.parent);
            }
        }
    });
}

/// The transaction has operated on the object, whose row has this version. `in_row`: by writing that version.
pub fn note_operation(object: &Object, version: ItemPointerData, in_row: bool) {
    if object.id == 0 || backend::is_serializable() {
        return;
    }
    object::watch_reads(true);
    // SAFETY: plain counter read.
    let (command, subtransaction) = unsafe {
        (
            harmless::current_command(),
            harmless::GetCurrentSubTransactionId(),
        )
    };
    OWN.with_borrow_mut(|own| {
        if own.operated.len() < MOST {
            let place = Place {
                command,
                subtransaction,
                relation: object.relation,
                attribute: object.attribute,
                version,
                in_row,
            };
            match own.operated.entry(object.id) {
                Entry::Occupied(mut places) => places.get_mut().note(place),
                Entry::Vacant(none) => {
                    none.insert(Places::of(place));
                }
            }
        }
    });
}

/// Notes a lock for an operation outside the row.
pub fn note_lock() {
    LOCKED.set(LOCKED.get().saturating_add(1));
}

/// Whether the transaction has so many of those locks that it had better wait for rows: the lock table is finite.
pub fn has_many_locks() -> bool {
    LOCKED.get() > settings::LOCK_ESCALATION.get()
}

/// Whether an operation on the object must be done alone: by the exclusive hold, as if it read the value.
pub fn must_be_alone(id: i64) -> bool {
    if id == 0 || backend::is_serializable() {
        return false;
    }
    settings::SPLIT.get() != Split::Always && contention::is_serial(id)
        || backend::has_one_snapshot()
            && OWN.with_borrow(|own| own.read_too_many || own.read.contains(&id))
}

/// Whether a statement that begins now may read in parallel workers. Their reads cannot take holds, so not once the
/// transaction has operated on anything; and they go unnoticed, so that under REPEATABLE READ the transaction does
/// its operations alone from then on.
pub fn may_have_workers() -> bool {
    if backend::is_serializable() {
        return true;
    }
    if object::reads_are_watched() {
        return false;
    }
    if backend::has_one_snapshot() {
        OWN.with_borrow_mut(|own| own.read_too_many = true);
    }
    true
}

fn before_read(id: i64) {
    if LOOKING.get() {
        return;
    }
    note_read(id);
    if let Some(place) = to_hold(id)
        && let Err(error) = look(|| hold(id, place))
    {
        error.raise();
    }
}

/// Where the transaction has operated on an object that it has not held as a whole since, if a read of that has to hold it.
fn to_hold(id: i64) -> Option<Place> {
    if !object::reads_are_watched() {
        return None;
    }
    let place = OWN.with_borrow(|own| Some(own.operated.get(&id)?.last))?;
    if place.command >= shown_until() || lock::owns_table(place.relation) {
        return None;
    }
    if lock::holds(Tag::Object(id), Mode::Overwrite) {
        if contention::is_serial(id) {
            // Operated on alone from the beginning: others had better go on to do so.
            contention::note_upgrade(id);
        }
        return None;
    }
    (place.in_row || lock::holds(Tag::Object(id), Mode::Add)).then_some(place)
}

/// Before a read of one element of an object as the statement sees it: holds that element if the transaction has operated on the object,
/// and fails if the statement's snapshot does not show the newest state of it. False if there is nothing to hold, or the whole is held.
///
/// What the operation has locked keeps off whoever replaces the object: the row, or the object by Add.
pub fn hold_element(seen: &Aggregated, element: &[u8]) -> Result<bool, Error> {
    if LOOKING.get() {
        return Ok(false);
    }
    let Some(place) = to_hold(seen.id) else {
        return Ok(false);
    };
    note_read(seen.id);
    look(|| {
        let newest = settle_element(seen, element, place)?;
        if shows_newest_of(seen, newest, element)? {
            return Ok(true);
        }
        contention::note_upgrade(seen.id);
        Err(Error::ConcurrentUpdate)
    })
}

/// Locks an element for reading, once nobody is at the row who has changed the element there and given back the lock. Gives the object's datum in
/// the newest version of the row.
fn settle_element(seen: &Aggregated, element: &[u8], place: Place) -> Result<Datum, Error> {
    /// Each round, another transaction has changed the element in the row.
    const ROUNDS: usize = 10_000;
    let object = Object {
        id: seen.id,
        relation: place.relation,
        attribute: place.attribute,
    };
    let hash = element_hash(element);
    let tag = Part::Element(hash).tag(&object);
    lock::at_element(hash, element);
    let held = [Mode::Read, Mode::Overwrite]
        .iter()
        .any(|mode| lock::holds(tag, *mode));
    let mut table = Table::open(place.relation);
    let mut at = place.version;
    for _ in 0..ROUNDS {
        let taken = !held && read_lock(&object, Part::Element(hash));
        at = newest_version(&table, at)?;
        let newest = content(&mut table, at, seen.id)?.ok_or(Error::ConcurrentUpdate)?;
        let changing = match held {
            true => None,
            false => changes_element(&mut table, at, seen, newest, element)?,
        };
        let Some(by) = changing else {
            return Ok(newest);
        };
        if taken {
            // It may be waiting for the element.
            lock::unlock(tag, Mode::Read);
        }
        version::wait_for(table.relation(), at, by);
    }
    Err(Error::ConcurrentUpdate)
}

/// Whether that took a lock.
fn read_lock(object: &Object, part: Part) -> bool {
    let tag = part.tag(object);
    if lock::holds(tag, Mode::Add) && !lock::lock(tag, Mode::Read, false) {
        // Two transactions that add and then read deadlock: better to queue from the beginning.
        contention::note_upgrade(object.id);
    } else if lock::holds(tag, Mode::Read) {
        return true;
    }
    lock::lock_part(object, part, Mode::Read, true);
    // The table may have been locked instead.
    lock::holds(tag, Mode::Read)
}

fn content(table: &mut Table, at: ItemPointerData, id: i64) -> Result<Option<Datum>, Error> {
    let mut at = at;
    match table.fetch(&mut at) {
        true => table.content_of(id),
        false => Ok(None),
    }
}

/// Another transaction that is changing an element in the row, whose newest committed version has the datum `newest`.
fn changes_element(
    table: &mut Table,
    at: ItemPointerData,
    seen: &Aggregated,
    newest: Datum,
    element: &[u8],
) -> Result<Option<pg_sys::TransactionId>, Error> {
    let in_row = |datum| {
        // SAFETY: a datum of the same column.
        let one = unsafe { Aggregated::from_datum(seen.family.clone(), datum) };
        elements::known_of(&seen.family, element, &one.state, &[])
    };
    for version in version::successors(table.relation(), at)? {
        let Some(other) = content(table, version.place, seen.id)? else {
            continue;
        };
        if in_row(other)? != in_row(newest)? {
            return Ok(Some(version.writer));
        }
    }
    Ok(None)
}

/// Reads made while it lives do not count. It ends by an error too (a deadlock, a timeout): after a rollback to a
/// savepoint the transaction goes on, and its reads must hold others off again.
struct Looking;

impl Looking {
    fn begin() -> Looking {
        LOOKING.set(true);
        Looking
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        LOOKING.set(false);
    }
}

/// Reads something that is held already, so that nothing is to be noted or held.
pub fn look<T>(read: impl FnOnce() -> T) -> T {
    let _looking = Looking::begin();
    read()
}

/// The first command of this transaction that the active snapshot does not show.
fn shown_until() -> pg_sys::CommandId {
    // SAFETY: plain reads.
    unsafe {
        if pg_sys::ActiveSnapshotSet() {
            (*pg_sys::GetActiveSnapshot()).curcid
        } else {
            pg_sys::GetCurrentCommandId(false)
        }
    }
}

/// Notes a read under one snapshot, on which a later operation of the transaction may rely.
pub fn note_read(id: i64) {
    if !backend::has_one_snapshot() || backend::is_serializable() {
        return;
    }
    OWN.with_borrow_mut(|own| {
        if own.read.len() < MOST {
            own.read.insert(id);
        } else {
            own.read_too_many = true;
        }
    });
}

/// Takes the exclusive hold; fails if the statement's snapshot does not show the newest state.
fn hold(id: i64, place: Place) -> Result<(), Error> {
    let request = Request::overwrite();
    let mut table = Table::open(place.relation);
    let newest = newest_version(&table, place.version)?;
    let mut version = lock_newest(&mut table, newest, request)?;
    let object = Object {
        id,
        relation: place.relation,
        attribute: place.attribute,
    };
    let at_once = lock::lock(Tag::Row(id), Mode::Read, false)
        && lock::lock(Tag::Object(id), Mode::Overwrite, false);
    if !at_once {
        contention::note_upgrade(id);
        request.lock_object(&object)?;
    }
    // SAFETY: a value is being read, so a snapshot is active.
    let snapshot = unsafe { pg_sys::GetActiveSnapshot() };
    if table.shows(&mut version, snapshot) && row::shows_newest(id)? {
        Ok(())
    } else {
        contention::note_upgrade(id);
        Err(Error::ConcurrentUpdate)
    }
}

/// The row cannot be deleted, since the transaction operates on its object.
fn newest_version(table: &Table, from: ItemPointerData) -> Result<ItemPointerData, Error> {
    // SAFETY: plain counter read.
    let command = unsafe { pg_sys::GetCurrentCommandId(false) };
    match version::newest(table.relation(), from, command, OwnUpdates::Followed)? {
        Newest::At(version) => Ok(version),
        Newest::Deleted => Err(Error::ConcurrentUpdate),
    }
}

fn lock_newest(
    table: &mut Table,
    from: ItemPointerData,
    request: Request,
) -> Result<ItemPointerData, Error> {
    /// Each round, another transaction has committed a change of the row.
    const ROUNDS: usize = 10_000;
    let mut version = from;
    for _ in 0..ROUNDS {
        if table.lock_version(&mut version, request)? == Locked::Newest {
            return Ok(version);
        }
        version = newest_version(table, version)?;
    }
    Err(Error::ConcurrentUpdate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(command: u32, subtransaction: u32) -> Place {
        Place {
            relation: Oid::INVALID,
            attribute: 1,
            version: ItemPointerData::default(),
            in_row: false,
            command,
            subtransaction,
        }
    }

    /// Operations as (command, subtransaction).
    fn places(all: &[(u32, u32)]) -> Places {
        let mut noted = Places::of(place(all[0].0, all[0].1));
        all[1..]
            .iter()
            .for_each(|(command, by)| noted.note(place(*command, *by)));
        noted
    }

    fn content(places: &Places) -> Vec<(u32, u32)> {
        let all = places.outer.iter().chain([&places.last]);
        all.map(|place| (place.command, place.subtransaction))
            .collect()
    }

    #[test]
    fn of_each_subtransaction_the_last_operation_counts() {
        assert_eq!(
            content(&places(&[(1, 1), (2, 1), (3, 2), (4, 2)])),
            [(2, 1), (4, 2)]
        );
    }

    #[test]
    fn a_rollback_brings_back_what_was_before() {
        let mut noted = places(&[(1, 1), (2, 2), (3, 3)]);
        assert!(noted.undo(3));
        assert_eq!(content(&noted), [(1, 1), (2, 2)]);
        assert!(noted.undo(4), "did nothing with the object");
        assert_eq!(content(&noted), [(1, 1), (2, 2)]);
        assert!(noted.undo(2));
        assert_eq!(content(&noted), [(1, 1)]);
        assert!(!noted.undo(1), "nothing is left");
    }

    #[test]
    fn a_released_savepoint_is_its_parents() {
        let mut noted = places(&[(1, 1), (2, 2), (3, 3)]);
        noted.merge(3, 2);
        assert_eq!(content(&noted), [(1, 1), (3, 2)]);
        noted.merge(4, 2);
        assert_eq!(content(&noted), [(1, 1), (3, 2)]);
        assert!(noted.undo(2));
        assert_eq!(content(&noted), [(1, 1)]);
        let mut alone = places(&[(1, 3)]);
        alone.merge(3, 2);
        assert!(alone.undo(3));
        assert!(!alone.undo(2));
    }
}
