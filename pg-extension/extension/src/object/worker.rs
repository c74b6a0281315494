//! The background workers that fold: a launcher that belongs to no database, and one worker for each database
//! that has slices, which leaves when there is nothing left to do.

use crate::backend;
use crate::callback;
use crate::error::Error;
use crate::harmless;
use crate::object::{fold, split_set};
use crate::shared_memory::FOLDING;
use crate::{catalog, settings};
use pgrx::bgworkers::{BackgroundWorker, BackgroundWorkerBuilder, SignalWakeFlags};
use pgrx::pg_sys::{self, Oid};
use pgrx::{IntoDatum, PGRXSharedMemory};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Databases that can be folded at the same time; others wait for a place.
const DATABASES: usize = 32;

/// Slices looked at in one round, and objects folded in one transaction.
const SLICES_PER_ROUND: usize = 100_000;
const OBJECTS_PER_TRANSACTION: usize = 100;

/// Rounds without work after which a worker leaves.
const IDLE_ROUNDS: u32 = 5;

/// How long workers stay out of all databases when a command on a database fails before saying so: 10 s.
const AWAY_MICROSECONDS: i64 = 10_000_000;

const SIGTERM: i32 = 15;

/// How long a started worker may take to come up before another is started: 10 s.
const START_MICROSECONDS: i64 = 10_000_000;

#[derive(Default)]
struct Database {
    oid: AtomicU32,
    /// Has slices, as far as anybody knows.
    due: AtomicBool,
    worker: AtomicI32,
    started_at: AtomicI64,
}

/// Who has slices, who folds.
#[derive(Default)]
pub struct Folding {
    away_until: AtomicI64,
    databases: [Database; DATABASES],
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Folding {}

impl Folding {
    /// False if no place was free.
    fn note(&self, oid: Oid) -> bool {
        let oid = oid.to_u32();
        for place in &self.databases {
            let holder = place.oid.load(Relaxed);
            let mine = holder == oid
                || (holder == 0 && place.oid.compare_exchange(0, oid, Relaxed, Relaxed).is_ok());
            if mine {
                if !place.due.load(Relaxed) {
                    place.due.store(true, Relaxed);
                }
                return true;
            }
        }
        false
    }

    /// Frees the places of databases without slices. One that gets slices at this very moment may be forgotten until
    /// it gets more.
    fn free_idle_places(&self) {
        for place in &self.databases {
            let oid = place.oid.load(Relaxed);
            if oid != 0 && !place.due.load(Relaxed) && place.worker.load(Relaxed) == 0 {
                place.oid.store(0, Relaxed);
                if place.due.load(Relaxed) {
                    place.oid.store(oid, Relaxed);
                }
            }
        }
    }

    fn place(&self, oid: Oid) -> Option<&Database> {
        self.databases
            .iter()
            .find(|place| place.oid.load(Relaxed) == oid.to_u32())
    }

    fn is_away(&self) -> bool {
        self.away_until.load(Relaxed) > backend::now()
    }
}

/// This database has slices that will want folding.
pub fn note_slices() {
    FOLDING.get().note(backend::database());
}

/// Sends the workers out of all databases until the result is dropped (or some time has passed).
pub fn stay_away() -> Away {
    let folding = FOLDING.get();
    folding
        .away_until
        .store(backend::now() + AWAY_MICROSECONDS, Relaxed);
    for _ in 0..100 {
        let workers: Vec<i32> = folding
            .databases
            .iter()
            .map(|place| place.worker.load(Relaxed))
            .filter(|worker| *worker != 0)
            .collect();
        if workers.is_empty() {
            break;
        }
        for worker in workers {
            // SAFETY: a worker clears its entry before it exits, so this is one of ours.
            unsafe { harmless::kill(worker, SIGTERM) };
        }
        pgrx::check_for_interrupts!();
        std::thread::sleep(Duration::from_millis(20));
    }
    Away(())
}

/// Lets the workers return when dropped.
pub struct Away(());

impl Drop for Away {
    fn drop(&mut self) {
        FOLDING.get().away_until.store(0, Relaxed);
    }
}

/// Registers the launcher; called once when the library is loaded. Not while `pg_upgrade` works: nothing but itself may
/// write then.
pub fn install() {
    // SAFETY: plain read.
    if unsafe { pg_sys::IsBinaryUpgrade } {
        return;
    }
    BackgroundWorkerBuilder::new("abelian folding launcher")
        .set_library("abelian")
        .set_function("abelian_folding_launcher")
        .enable_spi_access()
        .set_restart_time(Some(Duration::from_secs(5)))
        .load();
}

fn interval() -> Duration {
    match settings::FOLD_INTERVAL.get() {
        0 => Duration::from_secs(1),
        milliseconds => Duration::from_millis(milliseconds as u64),
    }
}

/// Sleeps for one interval; false when the process shall end.
fn next_round() -> bool {
    let go_on = BackgroundWorker::wait_latch(Some(interval()));
    if BackgroundWorker::sighup_received() {
        // SAFETY: at the top of the loop, outside any transaction.
        unsafe { pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP) };
    }
    go_on
}

callback!(
    /// Entry of the launcher.
    #[unsafe(no_mangle)]
    pub fn abelian_folding_launcher(_argument: pg_sys::Datum) = |_| launcher()
);

fn launcher() {
    BackgroundWorker::attach_signal_handlers(SignalWakeFlags::SIGHUP | SignalWakeFlags::SIGTERM);
    BackgroundWorker::connect_worker_to_spi(None, None);
    // What was split before the server started is known to nobody: every database is visited once.
    let mut to_visit = BackgroundWorker::transaction(databases);
    let folding = FOLDING.get();
    while next_round() {
        if settings::FOLD_INTERVAL.get() == 0 || folding.is_away() {
            continue;
        }
        to_visit.retain(|database| !folding.note(*database));
        for place in &folding.databases {
            start_if_due(place);
        }
        folding.free_idle_places();
    }
}

fn start_if_due(place: &Database) {
    let starting = backend::now() - place.started_at.load(Relaxed) < START_MICROSECONDS;
    let oid = place.oid.load(Relaxed);
    if oid == 0 || !place.due.load(Relaxed) || place.worker.load(Relaxed) != 0 || starting {
        return;
    }
    if BackgroundWorker::transaction(databases).contains(&Oid::from(oid)) {
        place.started_at.store(backend::now(), Relaxed);
        start_worker(oid);
    } else {
        place.due.store(false, Relaxed); // dropped meanwhile
    }
}

fn start_worker(database: u32) {
    let started = BackgroundWorkerBuilder::new(&format!("abelian folding {database}"))
        .set_library("abelian")
        .set_function("abelian_folding_worker")
        .set_argument((database as i32).into_datum())
        .enable_spi_access()
        .set_restart_time(None)
        .load_dynamic();
    if started.is_err() {
        pgrx::debug1!("abelian: no background worker free for folding");
    }
}

/// All databases that accept connections: a scan of the shared catalogue, which is all that a process without
/// database can read.
fn databases() -> Vec<Oid> {
    let mut found = Vec::new();
    // SAFETY: inside a transaction; everything opened is closed.
    unsafe {
        let relation =
            pg_sys::table_open(pg_sys::DatabaseRelationId, pg_sys::AccessShareLock as i32);
        let scan = pg_sys::table_beginscan_catalog(relation, 0, null_mut());
        loop {
            let tuple = pg_sys::heap_getnext(scan, pg_sys::ScanDirection::ForwardScanDirection);
            if tuple.is_null() {
                break;
            }
            let row = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_database>();
            if (*row).datallowconn {
                found.push((*row).oid);
            }
        }
        pg_sys::table_endscan(scan);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
    }
    found
}

callback!(
    /// Entry of a database's worker; the argument is the database.
    #[unsafe(no_mangle)]
    pub fn abelian_folding_worker(argument: pg_sys::Datum) = work
);

fn work(argument: pg_sys::Datum) {
    let database = Oid::from(argument.value() as u32);
    let Some(place) = FOLDING.get().place(database) else {
        return;
    };
    BackgroundWorker::attach_signal_handlers(SignalWakeFlags::SIGHUP | SignalWakeFlags::SIGTERM);
    if place
        .worker
        .compare_exchange(0, backend::pid(), Relaxed, Relaxed)
        .is_err()
    {
        return;
    }
    // SAFETY: the callback clears the entry however the process ends.
    unsafe { pg_sys::before_shmem_exit(Some(worker_ends), argument) };
    if FOLDING.get().is_away() {
        return;
    }
    // SAFETY: once, before anything needs a database; ends the process if there is none.
    unsafe { pg_sys::BackgroundWorkerInitializeConnectionByOid(database, Oid::INVALID, 0) };
    let mut idle = 0;
    while idle < IDLE_ROUNDS && next_round() && !FOLDING.get().is_away() {
        if settings::FOLD_INTERVAL.get() == 0 {
            break;
        }
        place.due.store(false, Relaxed);
        if BackgroundWorker::transaction(|| catalog::find().is_none()) {
            return;
        }
        split_set::renew_if_crowded();
        if round().unwrap_or_else(|error| error.raise()) {
            idle += 1;
        } else {
            idle = 0;
            place.due.store(true, Relaxed);
        }
    }
}

callback!(fn worker_ends(_code: i32, argument: pg_sys::Datum) = |_, argument| leave(argument));

fn leave(argument: pg_sys::Datum) {
    if let Some(place) = FOLDING.get().place(Oid::from(argument.value() as u32)) {
        place.worker.store(0, Relaxed);
        place.started_at.store(0, Relaxed);
    }
}

/// One bounded round; true if nothing was left to fold.
fn round() -> Result<bool, Error> {
    let split: Vec<i64> = BackgroundWorker::transaction(|| fold::split_objects(SLICES_PER_ROUND))?
        .into_iter()
        .collect();
    let mut nothing_left = true;
    for some in split.chunks(OBJECTS_PER_TRANSACTION) {
        nothing_left &= BackgroundWorker::transaction(|| fold_some(some))?;
        if FOLDING.get().is_away() {
            return Ok(false);
        }
    }
    Ok(nothing_left)
}

fn fold_some(objects: &[i64]) -> Result<bool, Error> {
    let mut nothing_left = true;
    for id in objects {
        nothing_left &= fold::fold(*id)?;
    }
    Ok(nothing_left)
}
