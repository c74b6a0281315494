//! The contention detector: a table of recently used objects in shared memory.
//!
//! A hint: it decides only whether an operation is tried in the row or made in a slice, both of which are right.
//! An object becomes *hot* when an in-place operation meets another transaction on the row. It stays hot while
//! different backends keep using it at short distance, and cools down `abelian.hot_for` after the last sign.

use crate::object::statistics;
use crate::settings;
use crate::shared_memory::{DETECTOR, FIGURES};
use pgrx::{PGRXSharedMemory, pg_sys};
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering::Relaxed};

/// Entries of the direct-mapped table; an object that shares its entry with a hot one is simply not seen.
const ENTRIES: usize = 4096;

/// Two uses by different backends within this time count as contention of an object that is already hot.
const NEAR_MICROSECONDS: i64 = 5_000;

#[derive(Default)]
struct Entry {
    object: AtomicI64,
    backend: AtomicI32,
    used_at: AtomicI64,
    hot_until: AtomicI64,
}

/// The table.
pub struct Detector([Entry; ENTRIES]);

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Detector {}

impl Detector {
    /// An empty table.
    pub fn new() -> Self {
        Detector(std::array::from_fn(|_| Entry::default()))
    }

    fn entry(&self, id: i64) -> &Entry {
        let hash = (id as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
        &self.0[hash as usize % ENTRIES]
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

/// Microseconds on PostgreSQL's clock.
pub fn now() -> i64 {
    // SAFETY: reads the clock.
    unsafe { pg_sys::GetCurrentTimestamp() }
}

fn me() -> i32 {
    // SAFETY: plain read.
    unsafe { pg_sys::MyProcPid }
}

fn hot_microseconds() -> i64 {
    i64::from(settings::HOT_FOR.get()) * 1000
}

/// Whether operations on the object should go to slices; also notes this use of it.
pub fn is_contended(id: i64) -> bool {
    if !settings::SPLIT.get() {
        return false;
    }
    let entry = DETECTOR.get().entry(id);
    if entry.object.load(Relaxed) != id {
        return false;
    }
    let now = now();
    let hot = entry.hot_until.load(Relaxed) > now;
    if hot {
        let other = entry.backend.swap(me(), Relaxed) != me();
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
    let entry = DETECTOR.get().entry(id);
    let now = now();
    entry.object.store(id, Relaxed);
    entry.backend.store(me(), Relaxed);
    entry.used_at.store(now, Relaxed);
    entry.hot_until.store(now + hot_microseconds(), Relaxed);
}

/// An operation was done in the row.
pub fn note_use(_id: i64) {
    statistics::count(&FIGURES.get().in_place, 1);
}

/// Microseconds since the object was last seen in use, or `None` if the table does not know it.
pub fn idle_for(id: i64) -> Option<i64> {
    let entry = DETECTOR.get().entry(id);
    (entry.object.load(Relaxed) == id).then(|| now() - entry.used_at.load(Relaxed))
}
