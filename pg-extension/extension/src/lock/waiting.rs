//! Where backends wait: a note that a backend leaves in shared memory before it waits for an abstract lock. The lock's
//! tag names the object alone; the note says in which column of which row the object is, and which element it is about.
//! Another note tells that a backend waits before a gate, of which `pg_locks` knows nothing.
//!
//! Notes are for views, and hints: one is lost when two backends share its place. That of a lock counts as long as `pg_locks`
//! shows its backend waiting for the lock that it names, so nobody has to take it away; who has waited before a gate does.

use super::Mode;
use crate::backend;
use crate::identity::Object;
use crate::pg_function;
use crate::shared_memory::{GATES, WAITING};
use abelian_adt::locks::lock_key;
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};
use pgrx::{IntoDatum, PGRXSharedMemory};
use std::cell::{Cell, RefCell};

/// Places for notes; a backend has the one of its number, modulo this.
const PLACES: usize = 1024;

/// Who waits for which lock, and where.
#[derive(Clone, Copy, Default)]
struct Note {
    pid: i32,
    class: u16,
    key: u64,
    /// 0 if unknown.
    object: i64,
    relation: Oid,
    /// 0 if unknown.
    attribute: i16,
    /// Block and offset; offset 0 if unknown.
    row: (u32, u16),
    /// Of a lock on an element.
    element: Name,
}

impl Note {
    /// Whether the caller may read the column, in all rows.
    fn may_be_read(&self) -> bool {
        // SAFETY: questions to the catalogue; a relation that is gone is told.
        unsafe {
            let (mut gone, user) = (false, pg_sys::GetUserId());
            let may = pg_sys::ACL_SELECT as pg_sys::AclMode;
            let is_ok = |result| result == pg_sys::AclResult::ACLCHECK_OK;
            let table = pg_sys::pg_class_aclcheck_ext(self.relation, user, may, &mut gone);
            if gone {
                return false;
            }
            let column = self.attribute;
            let granted = is_ok(table)
                || column > 0
                    && is_ok(pg_sys::pg_attribute_aclcheck_ext(
                        self.relation,
                        column,
                        user,
                        may,
                        &mut gone,
                    ));
            let limited = pg_sys::check_enable_rls(self.relation, Oid::INVALID, true);
            granted && !gone && limited != pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
        }
    }
}

/// The beginning of an element, and the hash that stands for it in locks.
#[derive(Clone, Copy)]
struct Name {
    hash: u64,
    length: u8,
    bytes: [u8; LONGEST_NAME],
}

/// Of an element, as many bytes are shown at most.
const LONGEST_NAME: usize = 63;

impl Default for Name {
    fn default() -> Self {
        Name {
            hash: 0,
            length: 0,
            bytes: [0; LONGEST_NAME],
        }
    }
}

impl Name {
    fn of(hash: u64, element: &[u8]) -> Self {
        let text = String::from_utf8_lossy(element);
        let length = text.floor_char_boundary(LONGEST_NAME);
        let mut name = Name {
            hash,
            length: length as u8,
            ..Name::default()
        };
        name.bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        name
    }

    /// A `text` in the current memory context.
    fn text(&self) -> Option<Datum> {
        let text = std::str::from_utf8(self.bytes.get(..self.length.into())?).ok()?;
        (!text.is_empty()).then(|| text.into_datum()).flatten()
    }
}

/// That a backend waits before a gate.
#[derive(Clone, Copy, Default)]
struct GateNote {
    pid: i32,
    object: i64,
    relation: Oid,
    row: (u32, u16),
    /// PostgreSQL's mode of the lock it is going to ask for.
    level: i32,
    since: i64,
}

/// Those who wait before gates.
pub struct Gates([GateNote; PLACES]);

// SAFETY: plain numbers, guarded by a lock.
unsafe impl PGRXSharedMemory for Gates {}

impl Default for Gates {
    fn default() -> Self {
        Gates([GateNote::default(); PLACES])
    }
}

/// The notes.
pub struct Waiting([Note; PLACES]);

// SAFETY: plain numbers, guarded by a lock.
unsafe impl PGRXSharedMemory for Waiting {}

impl Default for Waiting {
    fn default() -> Self {
        Waiting([Note::default(); PLACES])
    }
}

thread_local! {
    static ROW: Cell<(Oid, (u32, u16))> = const { Cell::new((Oid::INVALID, (0, 0))) };
    static ELEMENT: RefCell<Name> = RefCell::default();
}

/// The element that is locked next, for the notes.
pub fn at_element(hash: u64, element: &[u8]) {
    ELEMENT.replace(Name::of(hash, element));
}

/// Leaves a note that this backend waits before the gate of an object, from now on.
pub(super) fn note_gate(object: i64, mode: Mode) {
    let (relation, row) = ROW.get();
    GATES.exclusive().0[my_place()] = GateNote {
        pid: backend::pid(),
        object,
        relation,
        row,
        level: super::level(mode),
        since: backend::now(),
    };
}

/// Takes that note away.
pub(super) fn left_gate() {
    GATES.exclusive().0[my_place()] = GateNote::default();
}

/// The row that the statement is at from now on, for the notes.
pub fn at_row(relation: Oid, place: ItemPointerData) {
    let block = u32::from(place.ip_blkid.bi_hi) << 16 | u32::from(place.ip_blkid.bi_lo);
    ROW.set((relation, (block, place.ip_posid)));
}

/// Leaves a note that this backend waits for `tag`, which is about `object` if that is known.
pub(super) fn note(tag: &pg_sys::LOCKTAG, object: Option<&Object>) {
    let (relation, row) = ROW.get();
    let mut note = Note {
        pid: backend::pid(),
        class: tag.locktag_field4,
        key: u64::from(tag.locktag_field2) << 32 | u64::from(tag.locktag_field3),
        object: 0,
        relation,
        attribute: 0,
        row,
        element: Name::default(),
    };
    if let Some(object) = object {
        note.object = object.id;
        note.attribute = object.attribute;
        if object.relation != relation {
            note.relation = object.relation;
            note.row = (0, 0);
        }
        let element = ELEMENT.with_borrow(|element| *element);
        if lock_key(object.id, element.hash) == note.key {
            note.element = element;
        }
    }
    WAITING.exclusive().0[my_place()] = note;
}

fn my_place() -> usize {
    // SAFETY: whoever waits for a lock is in a transaction.
    unsafe { backend::number() as usize % PLACES }
}

/// The note of a backend that waits for this lock.
fn find(pid: i32, class: u16, key: u64) -> Option<Note> {
    let notes = WAITING.share();
    let found = notes
        .0
        .iter()
        .find(|note| note.pid == pid && note.class == class && note.key == key);
    found.copied()
}

/// A `tid` in the current memory context.
fn tid(block: u32, offset: u16) -> Datum {
    // SAFETY: the block is as large as what is written to it.
    unsafe {
        let place = pg_sys::palloc(size_of::<ItemPointerData>()).cast::<ItemPointerData>();
        (*place).ip_blkid.bi_hi = (block >> 16) as u16;
        (*place).ip_blkid.bi_lo = block as u16;
        (*place).ip_posid = offset;
        Datum::from(place)
    }
}

pg_function!(
    /// (relation, attribute, row, object) of what a backend waits for, which has this class and key in `pg_locks`; NULL if unknown.
    fn abelian_waiting_at(call) {
        let note = find(call.i32(0), call.i32(1) as u16, call.i64(2) as u64);
        let note = note.unwrap_or_default();
        let (block, offset) = note.row;
        Ok(call.row(&[
            (note.relation != Oid::INVALID).then(|| note.relation.into()),
            (note.attribute > 0).then(|| note.attribute.into()),
            (offset > 0).then(|| tid(block, offset)),
            (note.object != 0).then(|| note.object.into()),
        ]))
    }
);

pg_function!(
    /// The element that a backend waits for, which has this class and key in `pg_locks`, as far as it is shown; NULL if unknown, or not
    /// for the caller to read.
    fn abelian_waiting_for_element(call) {
        let note = find(call.i32(0), call.i32(1) as u16, call.i64(2) as u64);
        let element = note.filter(Note::may_be_read).and_then(|note| note.element.text());
        Ok(element.unwrap_or_else(|| call.null()))
    }
);

pg_function!(
    /// (relation, row, object, level, since) of the gate that a backend waits before; NULL if it does not.
    fn abelian_waiting_at_gate(call) {
        let pid = call.i32(0);
        let found = GATES.share().0.iter().find(|note| note.pid == pid).copied();
        let note = found.unwrap_or_default();
        let (block, offset) = note.row;
        Ok(call.row(&[
            (note.relation != Oid::INVALID).then(|| note.relation.into()),
            (offset > 0).then(|| tid(block, offset)),
            found.map(|note| note.object.into()),
            found.map(|note| note.level.into()),
            found.map(|note| note.since.into()),
        ]))
    }
);
