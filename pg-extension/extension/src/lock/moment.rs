//! Locks for a moment: who adds up the parts of a bounded object must meet nobody who is writing one.
//!
//! These are PostgreSQL's lightweight locks, shared by the objects of one residue class. Whoever holds one waits for no
//! other lock that a transaction keeps, and takes several only in ascending order; an ERROR releases them. Waiters
//! do not queue, so that a short section of a hot object costs no change of process each time.

use pgrx::PgSharedMemoryInitialization;
use pgrx::pg_sys::{self, LWLockMode};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Their name in `pg_stat_activity`.
const NAME: &CStr = c"abelian_escrow";

/// How many there are.
pub const COUNT_OF_MOMENTS: usize = 128;

/// The locks, in shared memory.
pub struct Moments {
    first: AtomicPtr<pg_sys::LWLockPadded>,
}

impl Moments {
    /// Nothing, until the server has started.
    pub const fn new() -> Self {
        Moments {
            first: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn lock(&self, number: usize) -> *mut pg_sys::LWLock {
        // SAFETY: the array has as many locks, and every process has inherited its address.
        unsafe { &raw mut (*self.first.load(Relaxed).add(number)).lock }
    }
}

impl Default for Moments {
    fn default() -> Self {
        Self::new()
    }
}

impl PgSharedMemoryInitialization for Moments {
    type Value = ();

    unsafe fn on_shmem_request(&'static self) {
        // SAFETY: called when PostgreSQL takes such requests.
        unsafe { pg_sys::RequestNamedLWLockTranche(NAME.as_ptr(), COUNT_OF_MOMENTS as i32) };
    }

    unsafe fn on_shmem_startup(&'static self, _value: ()) {
        // SAFETY: asked for above.
        let first = unsafe { pg_sys::GetNamedLWLockTranche(NAME.as_ptr()) };
        self.first.store(first, Relaxed);
    }
}

/// What its holder does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Writes one part, whatever the others are.
    Write,
    /// Adds up all parts, and may write one.
    AddUp,
}

impl Purpose {
    fn mode(self) -> LWLockMode::Type {
        match self {
            Purpose::Write => LWLockMode::LW_SHARED,
            Purpose::AddUp => LWLockMode::LW_EXCLUSIVE,
        }
    }
}

/// What each lock is wanted for, in the order in which they are taken.
pub(super) fn strongest<K: Ord>(
    wanted: impl IntoIterator<Item = (K, Purpose)>,
) -> BTreeMap<K, Purpose> {
    let mut all = BTreeMap::new();
    for (lock, purpose) in wanted {
        let most = all.entry(lock).or_insert(purpose);
        *most = purpose.max(*most);
    }
    all
}

/// The locks of some objects, given back when dropped.
pub struct Moment(Vec<*mut pg_sys::LWLock>);

/// Which of the locks is an object's.
pub fn moment_of(object: i64) -> usize {
    (object as u64 % COUNT_OF_MOMENTS as u64) as usize
}

impl Moment {
    /// Takes the locks of these objects, waiting for them.
    pub fn begin(objects: impl IntoIterator<Item = (i64, Purpose)>) -> Self {
        let objects = objects.into_iter();
        let wanted = strongest(objects.map(|(object, purpose)| (moment_of(object), purpose)));
        let mut held = Moment(Vec::with_capacity(wanted.len()));
        for (number, purpose) in wanted {
            let lock = crate::shared_memory::MOMENTS.lock(number);
            // SAFETY: a lock of ours that this process does not hold.
            unsafe { pg_sys::LWLockAcquire(lock, purpose.mode()) };
            held.0.push(lock);
        }
        held
    }

    /// Takes the lock of one object if it is free.
    pub fn try_begin(object: i64, purpose: Purpose) -> Option<Self> {
        let lock = crate::shared_memory::MOMENTS.lock(moment_of(object));
        // SAFETY: as above.
        let held = unsafe { pg_sys::LWLockConditionalAcquire(lock, purpose.mode()) };
        held.then(|| Moment(vec![lock]))
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: PostgreSQL releases what is held
        }
        for lock in &self.0 {
            // SAFETY: taken in `begin` or `try_begin`.
            unsafe { pg_sys::LWLockRelease(*lock) };
        }
    }
}
