//! The contention detector: a table of recently used objects in shared memory.
//!
//! A hint: it decides only whether an operation is tried in the row or made in a slice, both of which are right.
//! An object becomes *hot* when an in-place operation meets another transaction on the row. It stays hot while
//! different backends keep using it at short distance, and cools down `abelian.hot_for` after the last sign.

use crate::backend::{self, now};
use crate::object::Object;
use crate::pg_function;
use crate::settings::{self, Split};
use crate::shared_memory::{DETECTOR, FIGURES};
use crate::statistics;
use pgrx::PGRXSharedMemory;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, Ordering::Relaxed};

/// The table is set-associative: an object may lie in one of the ways of its set; the one unused for longest gives way.
const SETS: usize = 1024;
const WAYS: usize = 4;

/// Two uses by different backends within this time count as contention of an object that is already hot.
const NEAR_MICROSECONDS: i64 = 5_000;

/// An operation that changed nothing adds 1 to an object's count, one that wrote a slice takes this much off. So the count rises only where fewer than one
/// in 17 writes.
const WEIGHT_OF_A_CHANGE: i32 = 16;

/// From this count on, most operations on the object change nothing.
const MOSTLY_UNCHANGED: i32 = 256;

/// The count goes no higher, so that some dozens of changes bring it down.
const MOST_COUNTED: i32 = 1024;

/// How long an object stays serial after the last transaction that used its value after operating on it: 1 s.
const SERIAL_MICROSECONDS: i64 = 1_000_000;

#[derive(Default)]
struct Entry {
    object: AtomicI64,
    database: AtomicU32,
    backend: AtomicI32,
    used_at: AtomicI64,
    hot_until: AtomicI64,
    serial_until: AtomicI64,
    unchanged_count: AtomicI32,
    relation: AtomicU32,
    attribute: AtomicI32,
}

impl Entry {
    fn is(&self, database: u32, id: i64) -> bool {
        self.object.load(Relaxed) == id && self.database.load(Relaxed) == database
    }

    fn touch(&self, now: i64) {
        self.backend.store(backend::pid(), Relaxed);
        self.used_at.store(now, Relaxed);
    }

    /// Processes may overwrite each other's counts.
    fn count_unchanged(&self, by: i32) {
        let before = self.unchanged_count.load(Relaxed);
        let after = (before + by).clamp(0, MOST_COUNTED);
        if after != before {
            self.unchanged_count.store(after, Relaxed);
        }
    }
}

/// The table.
pub struct Detector([[Entry; WAYS]; SETS]);

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Detector {}

impl Detector {
    /// An empty table.
    pub fn new() -> Self {
        Detector(std::array::from_fn(|_| {
            std::array::from_fn(|_| Entry::default())
        }))
    }

    fn set(&self, id: i64) -> &[Entry; WAYS] {
        let hash = (id as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54;
        &self.0[hash as usize % SETS]
    }

    fn find(&self, id: i64) -> Option<&Entry> {
        let database = backend::database().to_u32();
        self.set(id).iter().find(|entry| entry.is(database, id))
    }

    /// The object's entry, made if need be. Two backends may race for an entry: then a hint gets lost.
    fn claim(&self, id: i64) -> Option<&Entry> {
        self.find(id).or_else(|| {
            let set = self.set(id);
            let oldest = set.iter().min_by_key(|entry| entry.used_at.load(Relaxed))?;
            oldest.hot_until.store(0, Relaxed);
            oldest.serial_until.store(0, Relaxed);
            oldest.unchanged_count.store(0, Relaxed);
            oldest.relation.store(0, Relaxed);
            oldest.database.store(backend::database().to_u32(), Relaxed);
            oldest.object.store(id, Relaxed);
            Some(oldest)
        })
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

fn hot_microseconds() -> i64 {
    i64::from(settings::HOT_FOR.get()) * 1000
}

/// Whether operations on the object should go to slices; also notes this use of it.
pub fn is_contended(id: i64) -> bool {
    match settings::SPLIT.get() {
        Split::Always => return true,
        Split::Never => return false,
        Split::Auto => {}
    }
    let Some(entry) = DETECTOR.get().find(id) else {
        return false;
    };
    let now = now();
    let hot = entry.hot_until.load(Relaxed) > now;
    if hot {
        let other = entry.backend.swap(backend::pid(), Relaxed) != backend::pid();
        let near = now - entry.used_at.swap(now, Relaxed) < NEAR_MICROSECONDS;
        if other && near {
            entry.hot_until.store(now + hot_microseconds(), Relaxed);
        }
    }
    hot
}

/// An operation in the row met another transaction: the object is hot from now on.
pub fn note_collision(id: i64) {
    statistics::count(&FIGURES.get().collisions, 1);
    if let Some(entry) = DETECTOR.get().claim(id) {
        let now = now();
        entry.touch(now);
        entry.hot_until.store(now + hot_microseconds(), Relaxed);
    }
}

/// A transaction that had operated on the object went on to use its value: two such transactions deadlock if both
/// begin with the Add lock. For a while, operations on the object had better begin with the Overwrite lock.
pub fn note_upgrade(id: i64) {
    if let Some(entry) = DETECTOR.get().claim(id) {
        let now = now();
        entry.touch(now);
        entry.serial_until.store(now + SERIAL_MICROSECONDS, Relaxed);
    }
}

/// Whether operations on the object had better queue for the Overwrite lock, as writers of plain columns queue.
pub fn is_serial(id: i64) -> bool {
    DETECTOR
        .get()
        .find(id)
        .is_some_and(|entry| entry.serial_until.load(Relaxed) > now())
}

/// An operation was done in the row.
pub fn note_use(_id: i64) {
    statistics::count(&FIGURES.get().in_place, 1);
}

/// An operation is being done in a slice: the object is not idle, and views may tell where it lives.
pub fn note_slice(object: &Object) {
    statistics::count(&FIGURES.get().in_slices, 1);
    if let Some(entry) = DETECTOR.get().claim(object.id) {
        entry.touch(now());
        entry.count_unchanged(-WEIGHT_OF_A_CHANGE);
        entry.relation.store(object.relation.to_u32(), Relaxed);
        entry.attribute.store(object.attribute.into(), Relaxed);
    }
}

/// An operation on elements was found to change nothing, and left undone.
pub fn note_unchanged(id: i64) {
    if let Some(entry) = DETECTOR.get().find(id) {
        entry.count_unchanged(1);
    }
}

/// Whether most operations on the object change nothing. All of them look at all its slices, so that it pays to have few.
pub fn is_mostly_unchanged(id: i64) -> bool {
    DETECTOR
        .get()
        .find(id)
        .is_some_and(|entry| entry.unchanged_count.load(Relaxed) >= MOSTLY_UNCHANGED)
}

/// Whether nobody was seen to use the object for `abelian.fold_after`.
pub fn is_idle(id: i64) -> bool {
    let patience = i64::from(settings::FOLD_AFTER.get()) * 1000;
    DETECTOR
        .get()
        .find(id)
        .is_none_or(|entry| now() - entry.used_at.load(Relaxed) >= patience)
}

/// Table and column of an object, if it was in slices lately.
fn place(id: i64) -> Option<(u32, i16)> {
    let entry = DETECTOR.get().find(id)?;
    let relation = entry.relation.load(Relaxed);
    (relation != 0).then(|| (relation, entry.attribute.load(Relaxed) as i16))
}

pg_function!(
    /// (relation, attribute) of an object, both NULL if unknown.
    fn abelian_object_place(call) {
        let place = place(call.i64(0));
        Ok(call.row(&[
            place.map(|(relation, _)| relation.into()),
            place.map(|(_, attribute)| attribute.into()),
        ]))
    }
);
