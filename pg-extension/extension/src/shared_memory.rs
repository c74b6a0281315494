//! The extension's shared memory: hints, figures, and what can be found out again. Losing it at a crash loses no user
//! data.

use crate::cluster::independent::{Lanes, Progress};
use crate::cluster::passages::Passages;
use crate::cluster::seal::Keys;
use crate::lock::early::Unflushed;
use crate::lock::ordered::Orders;
use crate::lock::phaser::Phaser;
use crate::lock::readers::Readers;
use crate::lock::{Gates, Moments, Waiting};
use crate::object::contention::Detector;
use crate::object::folding::Folding;
use crate::object::leftovers::Leftovers;
use crate::object::remembered::Sums;
use crate::object::split_set::SplitSet;
use crate::operation::foresight::Foresight;
use crate::statistics::Figures;
use pgrx::prelude::*;
use pgrx::{PgAtomic, PgLwLock, pg_shmem_init};

/// Which objects are contended.
// SAFETY: the name is unique to this extension.
pub static DETECTOR: PgAtomic<Detector> = unsafe { PgAtomic::new(c"abelian_detector") };

/// What was done how often since the server started.
// SAFETY: the name is unique to this extension.
pub static FIGURES: PgAtomic<Figures> = unsafe { PgAtomic::new(c"abelian_figures") };

/// Which operations are followed by a read.
// SAFETY: the name is unique to this extension.
pub static FORESIGHT: PgAtomic<Foresight> = unsafe { PgAtomic::new(c"abelian_foresight") };

/// Which databases have slices to fold, and who folds them.
// SAFETY: the name is unique to this extension.
pub static FOLDING: PgAtomic<Folding> = unsafe { PgAtomic::new(c"abelian_folding") };

/// Which tables may have lost rows without their slices.
// SAFETY: the name is unique to this extension.
pub static LEFTOVERS: PgAtomic<Leftovers> = unsafe { PgAtomic::new(c"abelian_leftovers") };

/// Which objects may have slices.
// SAFETY: the name is unique to this extension.
pub static SPLIT: PgAtomic<SplitSet> = unsafe { PgAtomic::new(c"abelian_split_set") };

/// Where backends wait.
// SAFETY: the name is unique to this extension.
pub static WAITING: PgLwLock<Waiting> = unsafe { PgLwLock::new(c"abelian_waiting") };

/// Where backends wait before gates.
// SAFETY: the name is unique to this extension.
pub static GATES: PgLwLock<Gates> = unsafe { PgLwLock::new(c"abelian_gates") };

/// Independent transactions that are pending.
// SAFETY: the name is unique to this extension.
pub static LANES: PgLwLock<Lanes> = unsafe { PgLwLock::new(c"abelian_lanes") };

/// Who has passed the commit gate.
// SAFETY: the name is unique to this extension.
pub static PASSAGES: PgLwLock<Passages> = unsafe { PgLwLock::new(c"abelian_passages") };

/// How far the lanes are.
// SAFETY: the name is unique to this extension.
pub static PROGRESS: PgAtomic<Progress> = unsafe { PgAtomic::new(c"abelian_lane_progress") };

/// The keys with which routers seal.
// SAFETY: the name is unique to this extension.
pub static ROUTER_KEYS: PgLwLock<Keys> = unsafe { PgLwLock::new(c"abelian_router_keys") };

/// Locks of bounded objects.
pub static MOMENTS: Moments = Moments::new();

/// What the sums of bounded objects may be.
// SAFETY: the name is unique to this extension.
pub static SUMS: PgAtomic<Sums> = unsafe { PgAtomic::new(c"abelian_sums") };

/// The gates before objects.
// SAFETY: the name is unique to this extension.
pub static PHASER: PgAtomic<Phaser> = unsafe { PgAtomic::new(c"abelian_phaser") };

/// Whether strict reads were made.
// SAFETY: the name is unique to this extension.
pub static READERS: PgAtomic<Readers> = unsafe { PgAtomic::new(c"abelian_readers") };

/// Who has gone before others, and who commits.
// SAFETY: the name is unique to this extension.
pub static ORDERS: PgAtomic<Orders> = unsafe { PgAtomic::new(c"abelian_orders") };

/// Who has committed and is not yet on disk.
// SAFETY: the name is unique to this extension.
pub static UNFLUSHED: PgAtomic<Unflushed> = unsafe { PgAtomic::new(c"abelian_unflushed") };

/// Asks the postmaster for the memory; called once when the library is loaded.
pub fn request() {
    pg_shmem_init!(DETECTOR = Detector::new());
    pg_shmem_init!(FIGURES = Figures::default());
    pg_shmem_init!(FORESIGHT = Foresight::default());
    pg_shmem_init!(FOLDING = Folding::default());
    pg_shmem_init!(LEFTOVERS = Leftovers::new());
    pg_shmem_init!(SPLIT = SplitSet::new());
    pg_shmem_init!(WAITING = Waiting::default());
    pg_shmem_init!(GATES = Gates::default());
    pg_shmem_init!(MOMENTS = ());
    pg_shmem_init!(SUMS = Sums::default());
    pg_shmem_init!(LANES = Lanes::new());
    pg_shmem_init!(PASSAGES = Passages::default());
    pg_shmem_init!(PROGRESS = Progress::default());
    pg_shmem_init!(ROUTER_KEYS = Keys::new());
    pg_shmem_init!(PHASER = Phaser::new());
    pg_shmem_init!(READERS = Readers::default());
    pg_shmem_init!(ORDERS = Orders::default());
    pg_shmem_init!(UNFLUSHED = Unflushed::default());
}
