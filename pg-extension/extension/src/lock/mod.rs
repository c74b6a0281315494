//! Abstract locks on objects and rows: PostgreSQL's heavyweight locks, so that deadlock detection, `pg_locks`,
//! `lock_timeout` and PREPARE TRANSACTION cover them. Transaction-scoped; a rolled back savepoint releases its own.
//!
//! Order: the row lock first, then the object, then [`Tag::Row`].

mod guard;
mod holders;
mod long_moment;
mod look;
mod moment;
mod timeout;
mod waiting;

pub use guard::Guard;
pub use holders::advisory_of;
use long_moment::LongMoment;
pub use look::Opened;
pub use moment::{COUNT_OF_MOMENTS, Moment, Moments, Purpose, moment_of};
pub use timeout::LockTimeout;
pub use waiting::{Gates, Waiting, at_element, at_row};

use crate::backend;
use crate::compat;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::identity::Object;
use crate::settings;
use crate::shared_memory::FIGURES;
use crate::statistics;
pub use abelian_adt::locks::Mode;
use abelian_adt::locks::lock_key;
use pgrx::pg_sys::{self, Oid};
use std::cell::RefCell;
use std::collections::HashMap;

pub mod early;
pub mod ordered;
pub mod phaser;
pub mod readers;

/// What is locked. Row tags are named after the object in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The value of an object.
    Object(i64),
    /// The plain columns of the row that holds the object, as far as operations depend on them.
    Row(i64),
    /// The elements of one object with one hash, as `abelian_adt::locks::lock_key` names them.
    Element(u64),
    /// The turn before all others who have added to an object and wait: see [`ordered`].
    Order(i64),
    /// The parts of an object, while they are added up or one is written: see [`LongMoment`].
    Moment(i64),
}

/// Field 4 of the lock tag (`objsubid` in `pg_locks`): keeps ours apart from `pg_advisory_lock` (1 and 2).
const OBJECT_CLASS: u16 = 11_001;
const ROW_CLASS: u16 = 11_002;
const ELEMENT_CLASS: u16 = 11_003;
const ORDER_CLASS: u16 = 11_004;
const MOMENT_CLASS: u16 = 11_005;

/// PostgreSQL's mode for a mode: its matrix is the one that [`Mode::is_compatible_with`] tells.
fn level(mode: Mode) -> i32 {
    (match mode {
        Mode::IntentionRead => pg_sys::RowShareLock,
        Mode::Add => pg_sys::RowExclusiveLock,
        Mode::Read => pg_sys::ShareLock,
        Mode::Overwrite => pg_sys::ExclusiveLock,
    }) as i32
}

fn tag(tag: Tag) -> pg_sys::LOCKTAG {
    let (class, key) = match tag {
        Tag::Object(id) => (OBJECT_CLASS, id as u64),
        Tag::Row(id) => (ROW_CLASS, id as u64),
        Tag::Element(key) => (ELEMENT_CLASS, key),
        Tag::Order(id) => (ORDER_CLASS, id as u64),
        Tag::Moment(id) => (MOMENT_CLASS, id as u64),
    };
    pg_sys::LOCKTAG {
        locktag_field1: backend::database().to_u32(),
        locktag_field2: (key >> 32) as u32,
        locktag_field3: key as u32,
        locktag_field4: class,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}

/// Takes the lock until the transaction ends. With `wait`, returns true or raises (deadlock, timeout, cancel);
/// without, tells whether it could be had at once.
pub fn lock(what: Tag, mode: Mode, wait: bool) -> bool {
    lock_of(None, what, mode, wait)
}

/// As [`lock`]; `object` is what the lock is about, for those who look at waits.
fn lock_of(object: Option<&Object>, what: Tag, mode: Mode, wait: bool) -> bool {
    if wait && let Tag::Object(id) = what {
        phaser::pass(id, mode);
    }
    let tag = tag(what);
    loop {
        let mut taken = try_acquire(&tag, mode, true);
        if taken == Taken::Not && wait {
            statistics::count(&FIGURES.get().waits, 1);
            waiting::note(&tag, object);
            taken = try_acquire(&tag, mode, false);
        }
        match (taken, what) {
            (Taken::Anew, Tag::Object(id)) if mode == Mode::Add && !ordered::may_add(id) => {
                unlock(what, mode);
                if !wait {
                    return false;
                }
                ordered::wait_for_turn(object, id);
            }
            (taken, _) => return taken != Taken::Not,
        }
    }
}

/// What came of asking for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Not,
    Anew,
    /// The transaction had it.
    Again,
}

fn try_acquire(tag: &pg_sys::LOCKTAG, mode: Mode, at_once: bool) -> Taken {
    use pg_sys::LockAcquireResult::{LOCKACQUIRE_NOT_AVAIL, LOCKACQUIRE_OK};
    // SAFETY: a valid tag of the advisory lock method; transaction-scoped.
    match unsafe { pg_sys::LockAcquire(tag, level(mode), false, at_once) } {
        LOCKACQUIRE_NOT_AVAIL => Taken::Not,
        LOCKACQUIRE_OK => Taken::Anew,
        _ => Taken::Again,
    }
}

fn acquire(tag: &pg_sys::LOCKTAG, mode: Mode, at_once: bool) -> bool {
    try_acquire(tag, mode, at_once) != Taken::Not
}

/// Gives back one [`lock`] before the transaction ends: nothing was done under it. What the transaction took before
/// stays.
pub fn unlock(what: Tag, mode: Mode) {
    let tag = tag(what);
    // SAFETY: as in `lock`; PostgreSQL counts how often it was taken.
    unsafe { pg_sys::LockRelease(&tag, level(mode), false) };
    if let (Tag::Object(id), Mode::Add) = (what, mode)
        && !holds(what, mode)
    {
        ordered::given_back(id);
    }
}

/// For an operation that has rewritten the row: waits for whoever holds the value by a strict read, and keeps others off. `keep`
/// false: only waits, which is enough, since strict readers wait for whoever has rewritten the row; the lock table is finite.
/// Whether there are such readers at all.
pub fn exclude_readers(id: i64, keep: bool) -> bool {
    if id == 0 || !readers::exist() {
        return false;
    }
    phaser::pass_anyway(id, Mode::Add);
    lock(Tag::Object(id), Mode::Add, true);
    if !keep {
        unlock(Tag::Object(id), Mode::Add);
    }
    true
}

/// The same for one that has locked the row and will rewrite it; escalates as [`lock_part`] does.
pub fn exclude_readers_before_change(object: &Object) {
    if readers::exist() {
        phaser::pass_anyway(object.id, Mode::Add);
        lock_part(object, Part::Value, Mode::Add, true);
    }
}

/// Whether this transaction holds the lock in exactly this mode.
pub fn holds(what: Tag, mode: Mode) -> bool {
    let tag = tag(what);
    // SAFETY: as in `lock`.
    unsafe { compat::holds_lock(&tag, level(mode)) }
}

thread_local! {
    /// How many locks this transaction has asked for by [`lock_part`], by table.
    static ASKED: RefCell<HashMap<Oid, i32>> = RefCell::default();
}

/// What of an object is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its value.
    Value,
    /// The plain columns of its row.
    Row,
    /// Its elements with this hash.
    Element(u64),
}

impl Part {
    /// The name of its lock.
    pub fn tag(self, object: &Object) -> Tag {
        match self {
            Part::Value => Tag::Object(object.id),
            Part::Row => Tag::Row(object.id),
            Part::Element(hash) => Tag::Element(lock_key(object.id, hash)),
        }
    }
}

/// As [`lock`]. However many a statement takes: it is the caller's to end that.
pub fn lock_one(object: &Object, part: Part, mode: Mode, wait: bool) -> bool {
    lock_of(Some(object), part.tag(object), mode, wait)
}

/// As [`lock`], for statements that may overwrite, delete or hold any number of objects: the lock table is finite,
/// so after `abelian.lock_escalation` locks on objects of one table the transaction locks the table against writers
/// instead. Whoever may hold Add on one of its objects holds RowExclusiveLock on the table until it ends.
/// (Additions need no such thing: beyond some number they can be done in the row, without a lock on the object.)
///
/// Strict readers hold no lock on the table that excludes this one. Who locks a value to change it holds the row: it waits for those
/// who have read the value, and later ones wait for it, see [`others_exclude_writers`].
pub fn lock_part(object: &Object, part: Part, mode: Mode, wait: bool) -> bool {
    if object.id == 0 {
        return true;
    }
    if !excludes_writers(object.relation) {
        if count_asked(object.relation) <= settings::LOCK_ESCALATION.get() {
            return lock_one(object, part, mode, wait);
        }
        if !lock_table(object.relation, ESCALATED, wait) {
            return false;
        }
    }
    let changes = part != Part::Row && !mode.is_compatible_with(Mode::Read);
    if !changes || !readers::exist() {
        return true;
    }
    let free = lock_one(object, part, mode, wait);
    if free {
        unlock(part.tag(object), mode);
    }
    free
}

/// Gives back one [`lock_part`] before the transaction ends, as [`unlock`] does; it does not count any more. Once the transaction has locked
/// the table instead, everything stays.
pub fn unlock_part(object: &Object, part: Part, mode: Mode) {
    let tag = part.tag(object);
    if object.id == 0 || excludes_writers(object.relation) || !holds(tag, mode) {
        return;
    }
    unlock(tag, mode);
    ASKED.with_borrow_mut(|tables| {
        if let Some(count) = tables.get_mut(&object.relation) {
            *count -= 1;
        }
    });
}

/// One more lock on objects of the table: how many there are by now.
fn count_asked(relation: Oid) -> i32 {
    ASKED.with_borrow_mut(|tables| {
        let count = tables.entry(relation).or_insert(0);
        *count = count.saturating_add(1);
        *count
    })
}

/// Until the transaction ends; false if it cannot be had at once, and should.
fn lock_table(relation: Oid, mode: i32, wait: bool) -> bool {
    // SAFETY: the statement has the table open.
    unsafe {
        if wait {
            pg_sys::LockRelationOid(relation, mode);
            return true;
        }
        pg_sys::ConditionalLockRelationOid(relation, mode)
    }
}

/// Whether another transaction may have locked the table instead of its objects. Who has locked one of its rows, too, may be about to
/// change it.
pub fn others_exclude_writers(relation: Oid) -> bool {
    let mode = pg_sys::RowExclusiveLock as i32;
    let free = lock_table(relation, mode, false);
    if free {
        // SAFETY: just taken.
        unsafe { pg_sys::UnlockRelationOid(relation, mode) };
    }
    !free
}

/// Whether somebody else could be at the object at all.
pub fn needs_lock(object: &Object) -> bool {
    object.id != 0 && !excludes_writers(object.relation)
}

/// Takes the Overwrite lock on an object's value, waiting for it.
pub fn overwrite(object: &Object) {
    lock_part(object, Part::Value, Mode::Overwrite, true);
}

/// Excludes writers, not readers.
const ESCALATED: i32 = pg_sys::ShareRowExclusiveLock as i32;

/// Whether this transaction has locked the table instead of its objects.
pub fn excludes_writers(relation: Oid) -> bool {
    // A rolled back savepoint releases the lock but not the count: asking the lock table is always right.
    let asked = ASKED.with_borrow(|tables| tables.get(&relation).copied());
    asked.is_some_and(|count| count > settings::LOCK_ESCALATION.get())
        && holds_table(relation, ESCALATED)
}

/// Whether nobody else can use the table until this transaction ends: it may have rewritten it.
pub fn owns_table(relation: Oid) -> bool {
    holds_table(relation, pg_sys::AccessExclusiveLock as i32)
}

fn holds_table(relation: Oid, mode: i32) -> bool {
    let tag = pg_sys::LOCKTAG {
        locktag_field1: backend::database().to_u32(),
        locktag_field2: relation.to_u32(),
        locktag_field3: 0,
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    };
    // SAFETY: a valid tag.
    unsafe { compat::holds_lock(&tag, mode) }
}

/// Registers for the ends of transactions; called once when the library is loaded.
pub fn install() {
    phaser::install();
    ordered::install();
    transaction::on_end(&Subscriber {
        concerns: |_| true,
        tell: |event| transaction_ends(*event),
    });
}

/// Waits for whoever has gone before this transaction, and lets nobody do so any more: it operates on nothing from here on, and commits.
pub fn before_commit() {
    ordered::before_end();
}

/// Everything that this room does at the end of a transaction, but for the gates, which are left after its locks are released.
fn transaction_ends(event: pg_sys::XactEvent::Type) {
    use pg_sys::XactEvent::{
        XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PRE_COMMIT, XACT_EVENT_PRE_PREPARE,
        XACT_EVENT_PREPARE,
    };
    match event {
        // These may raise or wait.
        XACT_EVENT_PRE_COMMIT => {
            readers::before_end();
            ordered::before_end();
            early::before_commit();
        }
        XACT_EVENT_PRE_PREPARE => {
            readers::before_end();
            ordered::before_end();
        }
        XACT_EVENT_COMMIT => {
            early::committed();
            ended(false);
        }
        XACT_EVENT_ABORT => {
            early::aborted();
            ended(false);
        }
        XACT_EVENT_PREPARE => ended(true),
        _ => {}
    }
}

fn ended(prepared: bool) {
    readers::ended();
    ordered::ended(prepared);
    // It is gone when a process ends in the middle of something.
    let _ = ASKED.try_with(|tables| {
        if let Ok(mut tables) = tables.try_borrow_mut() {
            tables.clear();
        }
    });
}
