//! What the running transaction has operated on and read, as far as later statements depend on it.
//!
//! Over plain columns, a transaction that has changed a value holds the row: nobody else changes the value before it
//! ends, so that it may look at the result and decide (`UPDATE ... SET seats = seats - 1`, then `SELECT seats`).
//! Operations do not hold the row. Hence the first read of an object that the transaction has operated on takes the
//! exclusive hold then (one of a single element holds that: [`hold_element`]). Statements that can be seen to read it do so before they take
//! their snapshot ([`super::ahead`]); what is found out later fails with 40001 if the snapshot misses anything.
//!
//! Under REPEATABLE READ, a transaction that has read an object and then operates on it must be the only one that
//! changed it since the snapshot: such an operation is done alone. SERIALIZABLE needs neither: PostgreSQL's
//! detection of dangerous structures covers the reads and writes of slices as of any row.

mod kept;
mod objects_first;
mod places;

use super::ahead::Reading;
use super::elements::shows_newest_of;
use super::foresight::Statement;
use super::row::{self, Locked, Request, Table};
use super::version::{self, Newest, OwnUpdates};
use crate::backend;
use crate::error::Error;
use crate::harmless;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction::{self, SubtransactionEnd};
use crate::identity::ById;
use crate::lock::ordered::Turn;
use crate::lock::{self, Mode, Part, Tag};
use crate::object::{self, Object, contention};
use crate::settings::{self, Split};
use crate::types::aggregated::Aggregated;
use crate::types::elements;
use abelian_adt::locks::element_hash;
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};
use places::{Place, Places};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::collections::hash_map::Entry;

/// Bound on remembered objects. A transaction that operates on more reads the rest without holding them; one that
/// reads more under REPEATABLE READ does all its operations alone.
const MOST: usize = 100_000;

/// Of the objects that the transaction has operated on, so many are looked at where it only helps.
const LOOKED_AT: usize = 16;

#[derive(Default)]
struct Own {
    /// By object.
    operated: ById<Places>,
    /// Those of which it is not known that they are held, in the order of the operations.
    pending: Vec<i64>,
    /// Which of the backend's holds an object's last one was.
    held: ById<u64>,
    /// Snapshots of statements, by place, and how many holds there were when they were taken.
    snapshots: Vec<(usize, u64)>,
    /// Operations that queued because a read was expected, and whether it came.
    expected: ById<(Statement, bool)>,
    read: HashSet<i64>,
    /// More than is remembered, or in parallel workers.
    read_too_many: bool,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
    /// How many objects the transaction has locked for operations outside the row.
    static LOCKED: Cell<i32> = const { Cell::new(0) };
    /// How many holds the backend has taken.
    static HOLDS: Cell<u64> = const { Cell::new(0) };
    /// Reads made here do not count.
    static LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Registers for reads and the end of transactions; called once when the library is loaded.
pub fn install() {
    object::before_read(before_read);
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE};
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event),
        tell: |event| transaction_ended(*event == XACT_EVENT_ABORT),
    });
    transaction::on_end(&Subscriber {
        concerns: |event| [XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE].contains(event),
        tell: |_| kept::give_back(),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |_| object::reads_are_watched(),
        tell: subtransaction_ended,
    });
}

fn transaction_ended(aborted: bool) {
    LOOKING.set(false);
    LOCKED.set(0);
    kept::forget();
    object::watch_reads(false);
    // It is gone when a process ends in the middle of something.
    let _ = OWN.try_with(|own| {
        if let Ok(mut own) = own.try_borrow_mut() {
            // Who has failed, or given up, has not come to its reads.
            let told = own.expected.values().filter(|(_, read)| *read || !aborted);
            told.for_each(|(statement, read)| statement.note(*read));
            own.expected.clear();
            own.operated.clear();
            own.pending.clear();
            own.held.clear();
            own.snapshots.clear();
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
            let Own {
                operated, expected, ..
            } = &mut *own;
            operated.retain(|_, places| places.undo(end.own));
            expected.retain(|id, (_, read)| *read || operated.contains_key(id));
            // Locks are given back by that, too.
            let mut pending: Vec<_> = own
                .operated
                .iter()
                .map(|(id, places)| (places.last.command, *id))
                .collect();
            pending.sort_unstable();
            own.pending = pending.into_iter().map(|(_, id)| id).collect();
        } else if end.kind == SUBXACT_EVENT_COMMIT_SUB {
            for places in own.operated.values_mut() {
                places.merge(end.own, end.parent);
            }
        }
    });
}

/// The transaction has operated on the object by a statement, if that is known. The object's row has this version. `in_row`: it was done by
/// writing that version.
pub fn note_operation(
    object: &Object,
    version: ItemPointerData,
    in_row: bool,
    statement: Option<Statement>,
) {
    if object.id == 0 || backend::is_serializable() {
        return;
    }
    object::watch_reads(true);
    if !in_row {
        kept::keep();
    }
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
                statement,
            };
            match own.operated.entry(object.id) {
                Entry::Occupied(mut places) => places.get_mut().note(place),
                Entry::Vacant(none) => {
                    none.insert(Places::of(place));
                    own.pending.push(object.id);
                }
            }
        }
    });
}

/// The operation of this statement on the object has queued for the row, since a read is expected.
pub fn note_expected_read(id: i64, statement: Statement) {
    OWN.with_borrow_mut(|own| {
        if own.expected.len() < MOST {
            own.expected.insert(id, (statement, false));
        }
    });
}

/// Whether the transaction has operated on the object.
pub fn has_operated(id: i64) -> bool {
    object::reads_are_watched() && OWN.with_borrow(|own| own.operated.contains_key(&id))
}

/// Whether it is sure that the transaction has not operated on the object.
pub fn has_surely_not_operated(id: i64) -> bool {
    !backend::is_serializable()
        && OWN.with_borrow(|own| own.operated.len() < MOST && !own.operated.contains_key(&id))
}

/// Whether the transaction has operated in slices by an earlier statement with this text.
pub fn has_operated_in_slices(statement: Statement) -> bool {
    // SAFETY: plain counter read.
    let command = unsafe { harmless::current_command() };
    object::reads_are_watched()
        && OWN.with_borrow(|own| {
            let is_one = |place: &Place| {
                !place.in_row && place.command < command && place.statement == Some(statement)
            };
            own.operated
                .values()
                .take(LOOKED_AT)
                .any(|places| is_one(&places.last))
        })
}

/// Whether the transaction has operated on any object of the table.
pub fn has_operated_in(relation: Oid) -> bool {
    let of = |places: &Places| places.last.relation == relation;
    object::reads_are_watched() && OWN.with_borrow(|own| own.operated.values().any(of))
}

/// Somebody else has operated on an object that this transaction has operated on, and now wants for itself.
fn note_conflict(id: i64) {
    let place = OWN.with_borrow(|own| Some(own.operated.get(&id)?.last));
    if let Some(statement) = place.and_then(|place| place.statement) {
        statement.note_conflict();
    }
}

/// Plain columns are to be changed on which operations under way depend, perhaps one of this transaction.
pub fn note_change_of_plain_columns(id: i64) {
    if object::reads_are_watched() {
        note_conflict(id);
    }
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
    let in_one_snapshot = backend::has_one_snapshot() && !backend::is_serializable();
    id != 0
        && in_one_snapshot
        && (settings::SPLIT.get() != Split::Always && contention::is_serial(id)
            || OWN.with_borrow(|own| own.read_too_many || own.read.contains(&id)))
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
    note_unseen_reads();
    true
}

/// The statement reads values, or finds rows by them, without each being noted.
pub fn note_unseen_reads() {
    if backend::has_one_snapshot() && !backend::is_serializable() {
        OWN.with_borrow_mut(|own| own.read_too_many = true);
    }
}

/// The objects that the transaction has operated on.
pub fn operated_objects() -> Vec<i64> {
    match object::reads_are_watched() {
        true => OWN.with_borrow(|own| own.operated.keys().copied().collect()),
        false => Vec::new(),
    }
}

fn before_read(id: i64) {
    if LOOKING.get() {
        return;
    }
    note_read(id);
    let result = match standing(id, shown_until()) {
        Standing::Free => Ok(()),
        Standing::ToHold(place) => look(|| hold(id, place).and_then(|()| require_shown(id, place))),
        Standing::Held(place) => match shows_what_was_held(id) {
            true => Ok(()),
            false => look(|| require_shown(id, place)),
        },
    };
    if let Err(error) = result {
        error.raise();
    }
}

/// What a read of an object has to do about the transaction's own operations on it.
enum Standing {
    /// There are none that it sees.
    Free,
    /// Hold it.
    ToHold(Place),
    /// It is held.
    Held(Place),
}

/// How an object is locked on which the transaction has operated outside the row: where that changed nothing, by the intention to read.
const OPERATED: [Mode; 2] = [Mode::Add, Mode::IntentionRead];

/// For a statement that sees what commands before this one have done.
fn standing(id: i64, shown_until: pg_sys::CommandId) -> Standing {
    if !object::reads_are_watched() {
        return Standing::Free;
    }
    let place = OWN.with_borrow(|own| Some(own.operated.get(&id)?.last));
    match place {
        Some(place) if place.command < shown_until && !lock::owns_table(place.relation) => {
            if lock::holds(Tag::Object(id), Mode::Overwrite) || lock::ordered::holds(id) {
                Standing::Held(place)
            } else if place.in_row
                || OPERATED
                    .iter()
                    .any(|mode| lock::holds(Tag::Object(id), *mode))
            {
                Standing::ToHold(place)
            } else {
                Standing::Free
            }
        }
        _ => Standing::Free,
    }
}

/// Where the transaction has operated on an object that it has not held as a whole since, if a read of that has to hold it.
fn to_hold(id: i64) -> Option<Place> {
    match standing(id, shown_until()) {
        Standing::ToHold(place) => Some(place),
        Standing::Free | Standing::Held(_) => None,
    }
}

/// Bound on remembered snapshots: those of statements inside one another, and of open cursors.
const MOST_SNAPSHOTS: usize = 64;

/// This snapshot was taken just now, for a statement that starts.
pub fn note_snapshot(snapshot: pg_sys::Snapshot) {
    let one = (snapshot as usize, HOLDS.get());
    OWN.with_borrow_mut(|own| {
        own.snapshots.retain(|(place, _)| *place != one.0);
        if own.snapshots.len() >= MOST_SNAPSHOTS {
            own.snapshots.remove(0);
        }
        own.snapshots.push(one);
    });
}

/// Whether the active snapshot is known to have been taken after the object was held.
fn shows_what_was_held(id: i64) -> bool {
    if backend::has_one_snapshot() {
        return true;
    }
    // SAFETY: plain reads.
    let active = unsafe {
        if !pg_sys::ActiveSnapshotSet() {
            return true;
        }
        pg_sys::GetActiveSnapshot() as usize
    };
    OWN.with_borrow(|own| {
        let taken = own.snapshots.iter().find(|(place, _)| *place == active);
        taken.is_some_and(|(_, holds)| own.held.get(&id).is_some_and(|hold| hold <= holds))
    })
}

/// Holds what the transaction has operated on, in the order of the operations, as a read by a statement does that sees what commands before
/// `shown_until` have done. `may_read` tells of a row whether the statement may read it. Whether anything was held that was not before. If
/// there is more than `most`, nothing is.
pub fn hold_all(
    reads: impl Fn(Oid, i16) -> Reading,
    may_read: impl Fn(&Table) -> bool,
    shown_until: pg_sys::CommandId,
    most: usize,
) -> Result<bool, Error> {
    let pending = OWN.with_borrow_mut(|own| std::mem::take(&mut own.pending));
    let few = pending.len() <= LOOKED_AT;
    let (mut left, mut wanted) = (Vec::new(), Vec::new());
    for id in pending {
        let standing = with_attribute(id, standing(id, shown_until))?;
        let reading = match &standing {
            Standing::ToHold(place) | Standing::Held(place) => {
                reads(place.relation, place.attribute)
            }
            Standing::Free => Reading::Nothing,
        };
        match (standing, reading) {
            (_, Reading::Nothing) => left.push(id),
            (Standing::Held(_), _) if shows_what_was_held(id) => {}
            (Standing::ToHold(place), _) if few && passes_by(place, &may_read) => left.push(id),
            (Standing::ToHold(place), reading) => wanted.push((id, place, reading)),
            _ => left.push(id),
        }
    }
    // What is held stays in the list until it is seen to be: an error may come.
    let all = wanted.iter().map(|(id, ..)| *id).chain(left).collect();
    OWN.with_borrow_mut(|own| own.pending = all);
    if wanted.len() > most {
        return Ok(false);
    }
    for (id, place, reading) in &wanted {
        look(|| match reading {
            Reading::Elements(elements) => elements
                .iter()
                .try_for_each(|element| hold_element_or_all(*id, *place, element).map(|_| ())),
            _ => hold(*id, *place),
        })?;
    }
    Ok(!wanted.is_empty())
}

/// Whether a statement reads neither the version of the row that the transaction has operated on, nor the newest.
fn passes_by(place: Place, may_read: impl Fn(&Table) -> bool) -> bool {
    let mut table = Table::open(place.relation);
    let mut seen = place.version;
    if !table.fetch(&mut seen) || may_read(&table) {
        return false;
    }
    match newest_version(&table, place.version) {
        Ok(newest) if version::same_place(newest, place.version) => true,
        Ok(mut newest) => table.fetch(&mut newest) && !may_read(&table),
        Err(_) => false,
    }
}

/// Locks an object for one who has the row, or has operated on it: goes before others who have operated on it and wait for this
/// transaction, if the access allows that.
pub fn lock_late(object: &Object, request: Request) -> Result<(), Error> {
    if object.id == 0
        || request.has(object)
        || lock::ordered::holds(object.id) && request.goes_before()
    {
        return Ok(());
    }
    if !request.goes_before() || backend::has_one_snapshot() {
        note_conflict(object.id);
        return request.lock_object(object);
    }
    take_alone(object).map(|_| ())
}

/// Takes the exclusive lock on an object, or goes before others.
fn take_alone(object: &Object) -> Result<Turn, Error> {
    if lock::lock_part(object, Part::Value, Mode::Overwrite, false) {
        return Ok(Turn::Alone);
    }
    note_conflict(object.id);
    lock::ordered::overwrite(object)
}

/// Locks a version of a row, unless it has a successor, and these objects of it. Whoever has nothing of the row yet takes the objects first.
pub fn lock_row(
    table: &mut Table,
    place: pg_sys::ItemPointer,
    objects: &[Object],
    request: Request,
) -> Result<Locked, Error> {
    let operated = |object: &Object| has_operated(object.id);
    // SAFETY: a place in the table.
    let late = version::is_ours(table.relation(), unsafe { *place })
        || request.goes_before() && objects.iter().any(operated);
    let row_first = late || request.skips();
    if let Some(object) = objects.first() {
        // SAFETY: as above.
        lock::at_row(object.relation, unsafe { *place });
    }
    let locked = match row_first {
        true => table.lock_version(place, request)?,
        false => objects_first::lock(table, place, objects, request)?,
    };
    if locked == Locked::Newest {
        for object in objects {
            match late {
                true => lock_late(object, request)?,
                // For one who has given them back, who could not overwrite them before others; and again for one who has locked the table
                // instead: strict readers may have come before the row was locked.
                false => request.lock_object(object)?,
            }
        }
    }
    Ok(locked)
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
        let newest = hold_element_or_all(seen.id, place, element)?;
        match shows_newest_of(seen, newest, element)? {
            true => Ok(true),
            false => Err(Error::ConcurrentUpdate),
        }
    })
}

/// Holds an element, or the whole object if others are at the element. Gives the object's datum in the newest version of the row.
fn hold_element_or_all(id: i64, place: Place, element: &[u8]) -> Result<Datum, Error> {
    if let Some(newest) = try_element(id, place, element)? {
        return Ok(newest);
    }
    hold(id, place)?;
    let mut table = Table::open(place.relation);
    let at = newest_version(&table, place.version)?;
    content(&mut table, at, id)?.ok_or(Error::ConcurrentUpdate)
}

/// Locks an element for reading, unless another transaction is at it: in a slice, which the lock tells, or in the row, after which it has
/// given back the lock. Gives the object's datum in the newest version of the row.
fn try_element(id: i64, place: Place, element: &[u8]) -> Result<Option<Datum>, Error> {
    let object = Object {
        id,
        relation: place.relation,
        attribute: place.attribute,
    };
    let hash = element_hash(element);
    let tag = Part::Element(hash).tag(&object);
    lock::at_element(hash, element);
    let holds = |mode: &Mode| lock::holds(tag, *mode);
    let held = [Mode::Read, Mode::Overwrite].iter().any(holds);
    if !held && !lock::lock_part(&object, Part::Element(hash), Mode::Read, false) {
        return Ok(None);
    }
    let mut table = Table::open(place.relation);
    let at = newest_version(&table, place.version)?;
    let newest = content(&mut table, at, id)?.ok_or(Error::ConcurrentUpdate)?;
    if !held && changes_element(&mut table, at, id, newest, element)? {
        // It may be waiting for the element.
        if holds(&Mode::Read) {
            lock::unlock(tag, Mode::Read);
        }
        return Ok(None);
    }
    Ok(Some(newest))
}

fn content(table: &mut Table, at: ItemPointerData, id: i64) -> Result<Option<Datum>, Error> {
    let mut at = at;
    match table.fetch(&mut at) {
        true => table.content_of(id),
        false => Ok(None),
    }
}

/// Whether another transaction is changing an element in the row, whose newest committed version has the datum `newest`.
fn changes_element(
    table: &mut Table,
    at: ItemPointerData,
    id: i64,
    newest: Datum,
    element: &[u8],
) -> Result<bool, Error> {
    let family = table.family_of(id)?.ok_or(Error::NotAggregated)?;
    let in_row = |datum| {
        // SAFETY: a datum of the same column.
        let one = unsafe { Aggregated::from_datum(family.clone(), datum) };
        elements::known_of(&family, element, &one.state, &[])
    };
    for version in version::successors(table.relation(), at)? {
        let Some(other) = content(table, version.place, id)? else {
            continue;
        };
        if in_row(other)? != in_row(newest)? {
            return Ok(true);
        }
    }
    Ok(false)
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

/// The functions of the ordinary path do not know which column they work for: the row tells.
fn with_attribute(id: i64, standing: Standing) -> Result<Standing, Error> {
    let found = |place: Place| -> Result<Place, Error> {
        if place.attribute != 0 {
            return Ok(place);
        }
        let mut table = Table::open(place.relation);
        let mut version = place.version;
        // One that is gone for all has no object that others could be at.
        let is_there = !version::may_be_vacuumed(table.relation(), place.version);
        let attribute = match is_there && table.fetch(&mut version) {
            true => table
                .objects()?
                .iter()
                .find(|object| object.id == id)
                .map(|object| object.attribute),
            false => None,
        };
        let attribute = attribute.unwrap_or(0);
        OWN.with_borrow_mut(|own| {
            if let Some(places) = own.operated.get_mut(&id) {
                places.last.attribute = attribute;
            }
        });
        Ok(Place { attribute, ..place })
    };
    Ok(match standing {
        Standing::Free => Standing::Free,
        Standing::ToHold(place) => Standing::ToHold(found(place)?),
        Standing::Held(place) => Standing::Held(found(place)?),
    })
}

/// Takes the exclusive hold.
fn hold(id: i64, place: Place) -> Result<(), Error> {
    let object = Object {
        id,
        relation: place.relation,
        attribute: place.attribute,
    };
    if backend::has_one_snapshot() {
        return hold_in_snapshot(&object, place.version);
    }
    if !place.in_row {
        hold_row(&object, place.version)?;
    }
    lock_late(&object, Request::overwrite())?;
    let hold = HOLDS.get() + 1;
    HOLDS.set(hold);
    OWN.with_borrow_mut(|own| {
        own.held.insert(id, hold);
        if let Some((_, read)) = own.expected.get_mut(&id) {
            *read = true;
        }
    });
    Ok(())
}

/// Takes the exclusive hold for a transaction that works on one snapshot. Nobody goes before anybody then: two that have both operated are a
/// deadlock, and others had better queue for a while.
fn hold_in_snapshot(object: &Object, version: ItemPointerData) -> Result<(), Error> {
    let request = Request::overwrite();
    let mut table = Table::open(object.relation);
    let newest = newest_version(&table, version)?;
    lock_newest(&mut table, newest, request)?;
    let at_once = lock::lock(Tag::Row(object.id), Mode::Read, false)
        && lock::lock(Tag::Object(object.id), Mode::Overwrite, false);
    if !at_once {
        contention::note_upgrade(object.id);
        request.lock_object(object)?;
    }
    Ok(())
}

/// Locks the row of an object that the transaction has operated on elsewhere: first the object, then the row. Whoever has the row may be
/// waiting for this transaction, as far as that has operated; but it must not find the object taken. So if the row is not to be had at once,
/// the object is given back.
fn hold_row(object: &Object, version: ItemPointerData) -> Result<(), Error> {
    let mut table = Table::open(object.relation);
    let newest = newest_version(&table, version)?;
    if version::is_ours(table.relation(), newest) {
        return Ok(());
    }
    let turn = take_alone(object)?;
    let mut newest = newest_version(&table, newest)?;
    if table.lock_version(&mut newest, Request::overwrite().at_once())? != Locked::Newest {
        turn.release(object);
        lock_newest(&mut table, newest, Request::overwrite())?;
    }
    Ok(())
}

/// What is held must be what the statement's snapshot shows, but for what the transaction has done itself since.
fn require_shown(id: i64, place: Place) -> Result<(), Error> {
    let mut table = Table::open(place.relation);
    let mut newest = newest_version(&table, place.version)?;
    // SAFETY: a value is being read, so a snapshot is active.
    let snapshot = unsafe { pg_sys::GetActiveSnapshot() };
    let row_shown =
        version::is_written_by_us(table.relation(), newest) || table.shows(&mut newest, snapshot);
    if row_shown && row::shows_slices(id)? {
        Ok(())
    } else {
        match backend::has_one_snapshot() {
            true => contention::note_upgrade(id),
            false => note_conflict(id),
        }
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
