//! Where backends wait: a note that a backend leaves in shared memory before it waits for an abstract lock. The lock's
//! tag names the object alone; the note says in which column of which row the object is.
//!
//! Notes are for views, and hints: one is lost when two backends share its place. A note counts as long as `pg_locks`
//! shows its backend waiting for the lock that it names, so nobody has to take it away.

use crate::object::{self, Object};
use crate::pg_function;
use crate::shared_memory::WAITING;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};
use std::cell::Cell;

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
        // SAFETY: plain read.
        pid: unsafe { pg_sys::MyProcPid },
        class: tag.locktag_field4,
        key: u64::from(tag.locktag_field2) << 32 | u64::from(tag.locktag_field3),
        object: 0,
        relation,
        attribute: 0,
        row,
    };
    if let Some(object) = object {
        note.object = object.id;
        note.attribute = object.attribute;
        if object.relation != relation {
            note.relation = object.relation;
            note.row = (0, 0);
        }
    }
    WAITING.exclusive().0[my_place()] = note;
}

fn my_place() -> usize {
    // SAFETY: whoever waits for a lock is in a transaction.
    unsafe { object::backend_number() as usize % PLACES }
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
