//! What the sums and sizes of bounded objects may be, however running transactions end: ranges in shared memory, so that
//! operations far from the bounds need not look at all slices. The argument is in `docs/design/escrow.md`, "Sums that are remembered".
//!
//! A range is renewed under the object's [`Moment`](crate::lock::Moment) for adding up, and widened under either. A place may be that of
//! another object by then, but of one with the same lock.

use crate::backend;
use crate::hooks::utility::{self, Around};
use crate::lock;
use crate::shared_memory::SUMS;
use abelian_adt::bounded_counter::{Bounds, Range};
use abelian_adt::remembered::{Remembered, Widening};
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::NodeTag;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::SeqCst};

/// Objects that are remembered with each lock; those with the same remainder displace each other.
const PLACES: usize = 8;

/// All of them.
pub struct Sums {
    places: [[Place; PLACES]; lock::COUNT_OF_MOMENTS],
    /// What was remembered before it rose is forgotten.
    epoch: AtomicU32,
}

#[derive(Default)]
struct Place {
    /// 0 for none.
    object: AtomicI64,
    database: AtomicU32,
    epoch: AtomicU32,
    range: Remembered,
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Sums {}

impl Default for Sums {
    fn default() -> Self {
        Sums {
            places: std::array::from_fn(|_| std::array::from_fn(|_| Place::default())),
            epoch: AtomicU32::new(0),
        }
    }
}

impl Sums {
    fn place(&self, object: i64) -> &Place {
        let others = object as u64 / lock::COUNT_OF_MOMENTS as u64;
        &self.places[lock::moment_of(object)][(others % PLACES as u64) as usize]
    }

    fn known(&self, object: i64) -> Option<&Remembered> {
        let place = self.place(object);
        let is_known = object != 0
            && place.object.load(SeqCst) == object
            && place.database.load(SeqCst) == backend::database().to_u32()
            && place.epoch.load(SeqCst) == self.epoch.load(SeqCst);
        is_known.then_some(&place.range)
    }
}

/// Whether an operation keeps the bounds whatever the sum is in the range that is remembered, which it widens. The caller holds the object's
/// moment, and does the operation before giving it back.
pub fn admit(object: i64, by: Widening, bounds: Bounds) -> bool {
    let sums = SUMS.get();
    sums.known(object)
        .is_some_and(|range| range.admit(by, bounds))
}

/// Widens the range for an operation that was admitted otherwise. The caller holds the object's moment, or the object.
pub fn widen(object: i64, by: Widening) {
    if let Some(range) = SUMS.get().known(object) {
        range.widen(by);
    }
}

/// Remembers what the sum may be. The caller holds the object's moment for adding up.
pub fn renew(object: i64, range: Range) {
    let sums = SUMS.get();
    let place = sums.place(object);
    place.object.store(object, SeqCst);
    place.database.store(backend::database().to_u32(), SeqCst);
    place.epoch.store(sums.epoch.load(SeqCst), SeqCst);
    place.range.renew(range);
}

/// Forgets what an object's sum may be, whose base is about to be moved. The caller holds the object.
pub fn forget(object: i64) {
    if let Some(range) = SUMS.get().known(object) {
        range.forget();
    }
}

/// Subscribes to commands; called once when the library is loaded.
///
/// From ALTER TABLE on, those who operate on a column may widen no range: it has another type, or its sets no bounds. Commands that bring
/// that about hold off all operations to the end of their transaction. (Others do not, such as VALIDATE CONSTRAINT. Until then, numbers
/// widen their ranges, and operations on sets make new objects, since they are not pure.) A new extension gives its objects the numbers
/// of an old one, and a new database may have the number of one that was dropped, and its objects.
pub fn install() {
    utility::subscribe(Around {
        concerns: |command| {
            matches!(
                command.tag(),
                NodeTag::T_AlterTableStmt
                    | NodeTag::T_CreateExtensionStmt
                    | NodeTag::T_CreatedbStmt
                    | NodeTag::T_DropdbStmt
            )
        },
        around: |command, run| {
            run(command);
            SUMS.get().epoch.fetch_add(1, SeqCst);
        },
    });
}
