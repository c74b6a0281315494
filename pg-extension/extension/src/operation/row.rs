//! Rows of user tables: locking them with their objects, and what became of a version.
//!
//! An exclusive access holds the row and its objects ([`Tag::Object`]), a change of plain columns the row and [`Tag::Row`] of its objects; an
//! operation holds the row or the object. Whoever has nothing of a row yet takes the objects first, so that nobody who has operated on them
//! waits for the row meanwhile, and gives them back if somebody has the row; whoever has the row, or has operated, takes the row first. See `docs/design/waits.md`.

use super::missing;
use crate::aggregate::Family;
use crate::backend;
use crate::boundary::functions;
use crate::compat::columns_of;
use crate::error::Error;
use crate::lock::{self, Mode, Part, Tag};
use crate::object::{self, Object, Slices};
use crate::types::aggregated::{Aggregated, with_slices};
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use pgrx::pg_sys::{self, Datum, LockTupleMode, LockWaitPolicy, Oid, TM_Result};
use std::rc::Rc;

/// How a row and its objects are held until the transaction ends. The numbers travel in plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Hold {
    /// Plain columns change: whoever reads them for an operation must not be under way.
    PlainChange = 1,
    /// Abelian columns are read or written exclusively.
    Overwrite = 2,
    /// As `Overwrite`, and the row's identity changes or ends.
    KeyChange = 3,
    /// As `KeyChange`, and the slices of its objects are removed.
    Delete = 4,
    /// The values must stay as they are.
    Share = 5,
    /// The plain columns must stay as they are.
    ShareRow = 6,
    /// The plain columns are held for a change.
    UpdateRow = 7,
    /// Held already by this transaction.
    Held = 8,
    /// A strict read: one value must stay as it is. See [`super::strict`].
    Strict = 9,
    /// One element of what this transaction has operated on must stay as it is. See [`super::own`].
    OwnElement = 10,
    /// As `KeyChange`, and the row may go, its slices not with it: somebody has still to see its values.
    Leave = 11,
    /// As `Overwrite`, with the row lock of FOR UPDATE.
    ForUpdate = 12,
    /// As `Overwrite`, and what follows depends on everything that anybody has operated.
    Alone = 13,
}

/// Added to a [`Hold`]: raise an error instead of waiting.
pub const NO_WAIT: i32 = 16;
/// Added to a [`Hold`]: leave a locked row alone instead of waiting.
pub const SKIP_LOCKED: i32 = 32;

/// A [`Hold`] with its wait policy, as found in a plan.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    hold: Hold,
    policy: LockWaitPolicy::Type,
}

impl Request {
    /// Reads the number that a plan carries.
    pub fn of(number: i32) -> Result<Request, Error> {
        let hold = match number & 15 {
            1 => Hold::PlainChange,
            2 => Hold::Overwrite,
            3 => Hold::KeyChange,
            4 => Hold::Delete,
            5 => Hold::Share,
            6 => Hold::ShareRow,
            7 => Hold::UpdateRow,
            8 => Hold::Held,
            9 => Hold::Strict,
            10 => Hold::OwnElement,
            11 => Hold::Leave,
            12 => Hold::ForUpdate,
            13 => Hold::Alone,
            other => return Err(Error::Internal(format!("unknown hold {other}"))),
        };
        let policy = match number & !15 {
            NO_WAIT => LockWaitPolicy::LockWaitError,
            SKIP_LOCKED => LockWaitPolicy::LockWaitSkip,
            _ => LockWaitPolicy::LockWaitBlock,
        };
        Ok(Request { hold, policy })
    }

    /// An exclusive hold of values, waiting for everybody.
    pub fn overwrite() -> Request {
        Request {
            hold: Hold::Overwrite,
            policy: LockWaitPolicy::LockWaitBlock,
        }
    }

    /// The same, for an operation that depends on those of others.
    pub fn alone() -> Request {
        Request {
            hold: Hold::Alone,
            policy: LockWaitPolicy::LockWaitBlock,
        }
    }

    /// Plain columns are about to change.
    pub fn plain_change() -> Request {
        Request {
            hold: Hold::PlainChange,
            policy: LockWaitPolicy::LockWaitBlock,
        }
    }

    /// Whether it is that.
    pub fn is_plain_change(self) -> bool {
        self.hold == Hold::PlainChange
    }

    /// Whether the transaction holds the row from earlier in the statement.
    pub fn is_held(self) -> bool {
        self.hold == Hold::Held
    }

    /// Whether one value is read strictly.
    pub fn is_strict(self) -> bool {
        self.hold == Hold::Strict
    }

    /// Whether an element is read of what the transaction may have operated on.
    pub fn is_of_own_element(self) -> bool {
        self.hold == Hold::OwnElement
    }

    /// The values, and the row, must stay as they are.
    pub fn share() -> Request {
        Request {
            hold: Hold::Share,
            policy: LockWaitPolicy::LockWaitBlock,
        }
    }

    /// Whether the slices of the objects go with the row.
    pub fn discards(self) -> bool {
        self.hold == Hold::Delete
    }

    /// Whether they may stay behind.
    pub fn leaves(self) -> bool {
        self.hold == Hold::Leave
    }

    fn tuple_mode(self) -> LockTupleMode::Type {
        match self.hold {
            Hold::Share | Hold::ShareRow => LockTupleMode::LockTupleShare,
            Hold::KeyChange | Hold::Delete | Hold::Leave | Hold::ForUpdate => {
                LockTupleMode::LockTupleExclusive
            }
            _ => LockTupleMode::LockTupleNoKeyExclusive,
        }
    }

    /// The lock on the objects' values, if any.
    fn object_mode(self) -> Option<Mode> {
        match self.hold {
            Hold::Overwrite
            | Hold::KeyChange
            | Hold::Delete
            | Hold::Leave
            | Hold::ForUpdate
            | Hold::Alone => Some(Mode::Overwrite),
            Hold::Share | Hold::Strict => Some(Mode::Read),
            Hold::PlainChange
            | Hold::ShareRow
            | Hold::UpdateRow
            | Hold::Held
            | Hold::OwnElement => None,
        }
    }

    /// Whether what is read afterwards is the newest state.
    pub fn reads_newest(self) -> bool {
        self.hold == Hold::Held || self.object_mode().is_some()
    }

    /// Whether those who have operated on the objects may do so after this access: it sees the values, and nothing more.
    pub fn goes_before(self) -> bool {
        matches!(self.hold, Hold::Overwrite | Hold::Share | Hold::ForUpdate)
            && self.policy == LockWaitPolicy::LockWaitBlock
    }

    /// Whether an object that was locked is given back until the row is there, too: nothing was seen of it. If one who waits for a row kept
    /// its objects, he and whoever has got the row without them would be a deadlock.
    pub fn gives_back(self) -> bool {
        self.object_mode().is_some()
            && self.hold != Hold::Strict
            && self.policy == LockWaitPolicy::LockWaitBlock
    }

    /// Gives back an object that this access has locked.
    pub fn give_back(self, object: &Object) {
        if let Some(mode) = self.object_mode() {
            lock::unlock_part(object, Part::Value, mode);
        }
    }

    /// The same, leaving alone a row that is locked.
    pub fn at_once(self) -> Request {
        Request {
            policy: LockWaitPolicy::LockWaitSkip,
            ..self
        }
    }

    /// Whether a row that is locked is to be left alone.
    pub fn skips(self) -> bool {
        self.policy == LockWaitPolicy::LockWaitSkip
    }

    /// Locks one object: its value, or its plain columns.
    pub fn lock_object(self, object: &Object) -> Result<(), Error> {
        match self.object_mode() {
            _ if object.id == 0 || self.hold == Hold::Held || self.has(object) => Ok(()),
            Some(mode) => self.take(object, Part::Value, mode),
            None => self.take(object, Part::Row, Mode::Read),
        }
    }

    /// Whether the transaction has the lock, or a stronger one.
    pub fn has(self, object: &Object) -> bool {
        let holds = |mode| lock::holds(Tag::Object(object.id), mode);
        holds(Mode::Overwrite) || self.object_mode() == Some(Mode::Read) && holds(Mode::Read)
    }

    /// Locks the elements with one hash of an object; others may be operated on. False if nothing is to be locked.
    pub fn lock_element(self, object: &Object, hash: u64) -> Result<bool, Error> {
        let held = lock::holds(Tag::Object(object.id), Mode::Overwrite);
        let (Some(mode), false) = (self.object_mode(), object.id == 0 || held) else {
            return Ok(false);
        };
        self.take(object, Part::Element(hash), mode)?;
        self.take(object, Part::Row, Mode::Read)?;
        self.take(object, Part::Value, Mode::IntentionRead)?;
        Ok(true)
    }

    /// Gives back what [`Request::lock_element`] has taken.
    pub fn give_back_element(self, object: &Object, hash: u64) {
        if let Some(mode) = self.object_mode() {
            lock::unlock_part(object, Part::Value, Mode::IntentionRead);
            lock::unlock_part(object, Part::Row, Mode::Read);
            lock::unlock_part(object, Part::Element(hash), mode);
        }
    }

    fn take(self, object: &Object, part: Part, mode: Mode) -> Result<(), Error> {
        // An operation in a slice is soon over; SKIP LOCKED could not skip the row any more here.
        let wait = self.policy != LockWaitPolicy::LockWaitError;
        if lock::lock_part(object, part, mode, wait) {
            Ok(())
        } else {
            Err(Error::LockNotAvailable)
        }
    }
}

/// What came of locking a row version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// It is the newest version, and ours.
    Newest,
    /// It is not the newest any more, or is left to others: the statement that met it will find out and decide.
    Left,
    /// Another transaction has it, and was not waited for.
    Taken,
}

/// An open table and a place for one of its rows.
pub struct Table {
    relation: pg_sys::Relation,
    slot: *mut pg_sys::TupleTableSlot,
}

impl Table {
    /// Opens a table that the running statement uses.
    pub fn open(relation: Oid) -> Self {
        // SAFETY: the lock is the one that a locking clause takes, held to the end of the transaction.
        unsafe {
            let relation = pg_sys::table_open(relation, pg_sys::RowShareLock as i32);
            Table {
                relation,
                slot: pg_sys::table_slot_create(relation, std::ptr::null_mut()),
            }
        }
    }

    /// The open relation.
    pub fn relation(&self) -> pg_sys::Relation {
        self.relation
    }

    /// Locks the version at `place` unless it has a successor, and keeps it at hand for [`Table::objects`].
    pub fn lock_version(
        &mut self,
        place: pg_sys::ItemPointer,
        request: Request,
    ) -> Result<Locked, Error> {
        if request.hold == Hold::Held {
            return Ok(Locked::Left);
        }
        // SAFETY: a place, and an open table.
        unsafe { lock::at_row((*self.relation).rd_id, *place) };
        // SAFETY: an open table, its slot, a place inside it.
        let result = unsafe {
            let mut failure: pg_sys::TM_FailureData = std::mem::zeroed();
            functions::table_tuple_lock(
                self.relation,
                place,
                pg_sys::GetActiveSnapshot(),
                self.slot,
                pg_sys::GetCurrentCommandId(true),
                request.tuple_mode(),
                request.policy,
                0,
                &mut failure,
            )
        };
        match result {
            TM_Result::TM_Ok => Ok(Locked::Newest),
            TM_Result::TM_WouldBlock if request.policy == LockWaitPolicy::LockWaitError => {
                Err(Error::RowLockNotAvailable)
            }
            TM_Result::TM_WouldBlock => Ok(Locked::Taken),
            _ => Ok(Locked::Left),
        }
    }

    /// Fetches the version at `place`, visible or not. False if it is gone.
    pub fn fetch(&mut self, place: pg_sys::ItemPointer) -> bool {
        // SAFETY: an open table, its slot, a place inside it.
        unsafe {
            pg_sys::table_tuple_fetch_row_version(
                self.relation,
                place,
                &raw mut pg_sys::SnapshotAnyData,
                self.slot,
            )
        }
    }

    /// Whether `snapshot` shows the version at `place`.
    pub fn shows(&mut self, place: pg_sys::ItemPointer, snapshot: pg_sys::Snapshot) -> bool {
        // SAFETY: as above.
        unsafe { pg_sys::table_tuple_fetch_row_version(self.relation, place, snapshot, self.slot) }
    }

    /// Whether the version at hand and that of `other` agree in all plain columns.
    pub fn same_plain_columns(&self, other: &Table) -> Result<bool, Error> {
        let catalog = crate::catalog::get()?;
        // SAFETY: both slots hold rows of the relation.
        unsafe {
            let attributes = columns_of((*self.relation).rd_att);
            Ok(attributes
                .iter()
                .filter(|column| {
                    !column.attisdropped && !object::is_object_type(&catalog, column.atttypid)
                })
                .all(|column| match (self.datum(column), other.datum(column)) {
                    (None, None) => true,
                    (Some(a), Some(b)) => missing::same_image(a, b, column.attbyval, column.attlen),
                    _ => false,
                }))
        }
    }

    /// # Safety
    /// The slot must hold a row of the relation that the column belongs to.
    unsafe fn datum(&self, column: &pg_sys::FormData_pg_attribute) -> Option<Datum> {
        let mut null = false;
        // SAFETY: by the caller.
        let datum = unsafe { pg_sys::slot_getattr(self.slot, column.attnum.into(), &mut null) };
        (!null).then_some(datum)
    }

    /// The datum of a column of the version at hand, copied to the current memory context.
    pub fn content(&self, attribute: i16) -> Option<Datum> {
        // SAFETY: the slot holds a row of the relation; attributes are numbered from 1.
        unsafe {
            let attributes = columns_of((*self.relation).rd_att);
            let column = attributes.get(usize::try_from(attribute - 1).ok()?)?;
            let datum = self.datum(column)?;
            Some(missing::copy(datum, column.attbyval, column.attlen))
        }
    }

    /// The version at hand, for those who evaluate expressions over it.
    pub fn row_at_hand(&self) -> *mut pg_sys::TupleTableSlot {
        self.slot
    }

    /// The datum of an object of the version at hand, if it has that.
    pub fn content_of(&self, id: i64) -> Result<Option<Datum>, Error> {
        let found = self.objects()?.into_iter().find(|object| object.id == id);
        Ok(found.and_then(|object| self.content(object.attribute)))
    }

    /// The type of an object of the version at hand, if that has it and its type is one over an aggregate.
    pub fn family_of(&self, id: i64) -> Result<Option<Rc<Family>>, Error> {
        let found = self.objects()?.into_iter().find(|object| object.id == id);
        // SAFETY: attributes are numbered from 1.
        Ok(found.and_then(|object| unsafe {
            let attributes = columns_of((*self.relation).rd_att);
            Family::of(attributes.get(object.attribute as usize - 1)?.atttypid)
        }))
    }

    /// The objects in the version at hand.
    pub fn objects(&self) -> Result<Vec<Object>, Error> {
        // SAFETY: the slot holds a row of this relation.
        unsafe { objects_in(self.relation, self.slot) }
    }
}

/// The objects in a row.
///
/// # Safety
/// The slot must hold a row of the relation.
pub unsafe fn objects_in(
    relation: pg_sys::Relation,
    slot: *mut pg_sys::TupleTableSlot,
) -> Result<Vec<Object>, Error> {
    let catalog = crate::catalog::get()?;
    let mut found = Vec::new();
    // SAFETY: by the caller; the datum types are checked before they are read.
    unsafe {
        for attribute in columns_of((*relation).rd_att) {
            if attribute.attisdropped || !object::is_object_type(&catalog, attribute.atttypid) {
                continue;
            }
            let mut null = false;
            let datum = pg_sys::slot_getattr(slot, attribute.attnum.into(), &mut null);
            if !null {
                let id = match attribute.atttypid {
                    counter if catalog.is_counter_type(counter) => Counter::from_datum(datum).id,
                    decimal if decimal == catalog.decimal_counter => {
                        DecimalCounter::from_datum(datum).id
                    }
                    _ => Aggregated::id_of(datum),
                };
                found.push(Object {
                    id,
                    relation: (*relation).rd_id,
                    attribute: attribute.attnum,
                });
            }
        }
    }
    Ok(found)
}

/// The column in which the version at `place` has an object; `None` if this session does not see it, or may not read the table.
pub fn column_of(relation: Oid, place: pg_sys::ItemPointerData, id: i64) -> Option<i16> {
    let table = lock::Opened::table(relation, place).filter(lock::Opened::may_be_read)?;
    let mut place = place;
    // SAFETY: an open table, a slot for its rows, and a place inside it.
    let objects = unsafe {
        let slot = pg_sys::table_slot_create(table.relation(), std::ptr::null_mut());
        let snapshot = pg_sys::GetActiveSnapshot();
        let found =
            pg_sys::table_tuple_fetch_row_version(table.relation(), &mut place, snapshot, slot);
        let objects = found.then(|| objects_in(table.relation(), slot));
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        objects
    };
    let objects = objects?.ok()?;
    let object = objects.iter().find(|object| object.id == id)?;
    Some(object.attribute)
}

impl Drop for Table {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: the resource owner closes what is open
        }
        // SAFETY: opened in `open`; the lock stays.
        unsafe {
            pg_sys::ExecDropSingleTupleTableSlot(self.slot);
            pg_sys::table_close(self.relation, pg_sys::NoLock as i32);
        }
    }
}

/// Takes the lock on the plain columns of an object's row if it is free.
pub fn try_plain_columns(object: &Object) -> bool {
    lock::lock_part(object, Part::Row, Mode::Read, false)
}

/// Under one snapshot, what is newer than it must not be overwritten or acted on: 40001.
pub fn require_unchanged(id: i64) -> Result<(), Error> {
    if id == 0 || !backend::has_one_snapshot() || shows_newest(id)? {
        Ok(())
    } else {
        Err(Error::ConcurrentUpdate)
    }
}

/// Whether the active snapshot shows the newest slices of an object.
pub fn shows_newest(id: i64) -> Result<bool, Error> {
    // SAFETY: a statement is running, so a snapshot is active.
    let seen = unsafe { object::visible_to(id, pg_sys::GetActiveSnapshot()) }?;
    are_same(&seen, &object::newest(id)?)
}

/// Whether the active snapshot shows of an object's slices what one taken now would, own changes since aside.
pub fn shows_slices(id: i64) -> Result<bool, Error> {
    // SAFETY: as above; the second snapshot is popped again (or by the abort).
    unsafe {
        let active = pg_sys::GetActiveSnapshot();
        let seen = object::visible_to(id, active)?;
        pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        (*pg_sys::GetActiveSnapshot()).curcid = (*active).curcid;
        let now = object::visible_to(id, pg_sys::GetActiveSnapshot());
        pg_sys::PopActiveSnapshot();
        are_same(&seen, &now?)
    }
}

/// Whether they amount to the same, in however many slices.
fn are_same(seen: &Slices, newest: &Slices) -> Result<bool, Error> {
    Ok(match (seen.decimal(), newest.decimal()) {
        (None, None) => seen.counter() == newest.counter() && are_same_states(seen, newest)?,
        (Some(seen), Some(newest)) => numerics_equal(seen, newest),
        _ => false,
    })
}

/// Folding, and a backend that passes on what it has added, give the same parts another form. States that are written otherwise may mean the same:
/// that costs a retry, nothing else.
fn are_same_states(seen: &Slices, newest: &Slices) -> Result<bool, Error> {
    let (seen_alone, newest_alone) = without_common(seen.states(), newest.states());
    match (newest.state_type(), &seen_alone[..], &newest_alone[..]) {
        (_, [], []) => Ok(true),
        (Some(type_), [one, others @ ..], [other_one, other_others @ ..]) => {
            let family = Family::required(type_)?;
            let seen = with_slices(&family, one, others)?;
            Ok(seen == with_slices(&family, other_one, other_others)?)
        }
        _ => Ok(false),
    }
}

/// Of two lists, what only the one has, and what only the other.
fn without_common(one: &[Vec<u8>], other: &[Vec<u8>]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut other_alone = other.to_vec();
    let mut alone = one.to_vec();
    alone.retain(
        |state| match other_alone.iter().position(|same| same == state) {
            Some(place) => {
                other_alone.swap_remove(place);
                false
            }
            None => true,
        },
    );
    (alone, other_alone)
}

fn numerics_equal(a: Datum, b: Datum) -> bool {
    // SAFETY: both are numeric.
    unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_eq, &[Some(a), Some(b)]) }
        .is_some_and(|equal| equal.value() != 0)
}
