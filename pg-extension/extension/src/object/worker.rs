//! The background workers that fold: a launcher that belongs to no database, and one worker for each database
//! that has slices, which leaves when there is nothing left to do.

use crate::backend;
use crate::callback;
use crate::error::Error;
use crate::harmless;
use crate::object::attempt::{SHORT, attempt};
use crate::object::fold::{self, Split};
use crate::object::folding::Place;
use crate::object::split_set;
use crate::shared_memory::FOLDING;
use crate::{catalog, settings};
use pgrx::IntoDatum;
use pgrx::bgworkers::{BackgroundWorker, BackgroundWorkerBuilder, SignalWakeFlags};
use pgrx::pg_sys::{self, Oid};
use std::collections::{BTreeSet, HashMap};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Relaxed, SeqCst},
};
use std::time::Duration;

/// Slices looked at in one round, and objects folded in one transaction.
const SLICES_PER_ROUND: usize = 100_000;
const OBJECTS_PER_TRANSACTION: usize = 100;

/// Rounds without work after which a worker leaves.
const IDLE_ROUNDS: u32 = 5;

/// How long a worker stays out of its database when the process that has sent it away does not tell that it is over: 10 s.
const AWAY_MICROSECONDS: i64 = 10_000_000;

const SIGTERM: i32 = 15;

/// How long a started worker may take to come up before another is started: 10 s.
const START_MICROSECONDS: i64 = 10_000_000;

/// This database has slices that will want folding.
pub fn note_slices() {
    FOLDING.get().note(backend::database().to_u32());
}

/// Sends the worker out of a database until the result is dropped, or some time has passed. A command that fails drops it as well.
pub fn stay_away(database: Oid) -> Option<Away> {
    let place = FOLDING.get().place(database.to_u32())?;
    let until = backend::now() + AWAY_MICROSECONDS;
    place.away_until.store(until, Relaxed);
    let away = Away(place);
    for _ in 0..100 {
        let worker = place.worker.load(Relaxed);
        if worker == 0 {
            break;
        }
        // SAFETY: a worker clears its entry before it exits, so this is one of ours.
        unsafe { harmless::kill(worker, SIGTERM) };
        pgrx::check_for_interrupts!();
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(away)
}

/// Lets the worker return when dropped.
pub struct Away(&'static Place);

impl Drop for Away {
    fn drop(&mut self) {
        self.0.away_until.store(0, Relaxed);
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
        if settings::FOLD_INTERVAL.get() == 0 {
            continue;
        }
        match folding.take_noted() {
            Some(noted) => to_visit.extend(noted),
            None => to_visit = BackgroundWorker::transaction(databases),
        }
        to_visit.retain(|database| !folding.assign_place(*database));
        folding.places().for_each(start_if_due);
        folding.free_idle_places();
    }
}

fn start_if_due(place: &Place) {
    let starting = backend::now() - place.started_at.load(Relaxed) < START_MICROSECONDS;
    let oid = place.oid.load(Relaxed);
    if oid == 0
        || !place.due.load(Relaxed)
        || place.worker.load(Relaxed) != 0
        || starting
        || place.is_away(backend::now())
    {
        return;
    }
    if BackgroundWorker::transaction(databases).contains(&oid) {
        place.started_at.store(backend::now(), Relaxed);
        if !start_worker(oid) {
            place.started_at.store(0, Relaxed); // again in the next round
        }
    } else {
        place.due.store(false, Relaxed); // dropped meanwhile
    }
}

/// False if no process was free.
fn start_worker(database: u32) -> bool {
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
    started.is_ok()
}

/// All databases that accept connections: a scan of the shared catalogue, which is all that a process without
/// database can read.
fn databases() -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
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
                found.insert((*row).oid.to_u32());
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
    let database = argument.value() as u32;
    let Some(place) = FOLDING.get().place(database) else {
        return;
    };
    BackgroundWorker::attach_signal_handlers(SignalWakeFlags::SIGHUP | SignalWakeFlags::SIGTERM);
    if place
        .worker
        .compare_exchange(0, backend::pid(), SeqCst, SeqCst)
        .is_err()
    {
        return;
    }
    if place.oid.load(SeqCst) != database {
        place.worker.store(0, SeqCst); // it has become another's
        return;
    }
    let _ = MINE.set(place);
    // SAFETY: the callback clears the entry however the process ends.
    unsafe { pg_sys::before_shmem_exit(Some(worker_ends), argument) };
    if place.is_away(backend::now()) {
        return;
    }
    // SAFETY: once, before anything needs a database; ends the process if there is none.
    unsafe { pg_sys::BackgroundWorkerInitializeConnectionByOid(database.into(), Oid::INVALID, 0) };
    let (mut idle, mut failed) = (0, Failed::default());
    while idle < IDLE_ROUNDS && next_round() && may_go_on(place) {
        if settings::FOLD_INTERVAL.get() == 0 {
            break;
        }
        place.due.store(false, Relaxed);
        LOOKING.store(true, Relaxed);
        if BackgroundWorker::transaction(|| catalog::find().is_none()) {
            LOOKING.store(false, Relaxed);
            return;
        }
        split_set::renew_if_crowded();
        match round(place, &mut failed) {
            Some(true) => idle += 1,
            Some(false) => {
                idle = 0;
                place.due.store(true, Relaxed);
            }
            None => return,
        }
        LOOKING.store(false, Relaxed);
    }
}

/// In the middle of a round. A worker that ends there, by an error, has not found out whether anything is left.
static LOOKING: AtomicBool = AtomicBool::new(false);

callback!(fn worker_ends(_code: i32, _argument: pg_sys::Datum) = |_, _| leave());

/// The place of this worker's database.
static MINE: OnceLock<&'static Place> = OnceLock::new();

fn leave() {
    let Some(place) = MINE.get() else {
        return;
    };
    let started_at = match LOOKING.load(Relaxed) {
        true => {
            place.due.store(true, SeqCst);
            backend::now() // not again at once: the error may last
        }
        false => 0,
    };
    place.started_at.store(started_at, SeqCst);
    place.worker.store(0, SeqCst); // last: the place may be another database's then
}

/// Objects whose folding has failed, and how long they are left alone.
#[derive(Default)]
struct Failed(HashMap<i64, Pause>);

struct Pause {
    until: i64,
    length: i64,
}

/// How long after the first failure, 1 s, and at most, 1 min: each time twice as long.
const FIRST_PAUSE_MICROSECONDS: i64 = 1_000_000;
const LONGEST_PAUSE_MICROSECONDS: i64 = 60_000_000;

/// So many are remembered.
const MOST_FAILED: usize = 10_000;

impl Failed {
    fn note(&mut self, object: i64) {
        if self.0.len() >= MOST_FAILED {
            self.0.clear();
        }
        let before = self.0.get(&object).map(|pause| pause.length * 2);
        let length = before.map_or(FIRST_PAUSE_MICROSECONDS, |length| {
            length.min(LONGEST_PAUSE_MICROSECONDS)
        });
        let until = backend::now() + length;
        self.0.insert(object, Pause { until, length });
    }

    fn has_succeeded(&mut self, object: i64) {
        self.0.remove(&object);
    }

    fn is_paused(&self, object: i64) -> bool {
        let pause = self.0.get(&object);
        pause.is_some_and(|pause| pause.until > backend::now())
    }
}

/// One bounded round; true if nothing was left to fold. `None`: it cannot be known.
fn round(place: &Place, failed: &mut Failed) -> Option<bool> {
    let found = attempt(SHORT, || fold::split_objects(SLICES_PER_ROUND))?;
    // Those whose functions fail are not forgotten: somebody may mend them.
    let (paused, split): (Vec<Split>, Vec<Split>) = found
        .into_iter()
        .partition(|split| failed.is_paused(split.id));
    let mut nothing_left = paused.is_empty();
    let (idle, mut in_use): (Vec<Split>, Vec<Split>) = split.into_iter().partition(Split::is_idle);
    nothing_left &= in_use.is_empty();
    in_use.retain(Split::is_mostly_unchanged);
    // What is in use is not held for the sake of others.
    let transactions = idle.chunks(OBJECTS_PER_TRANSACTION).chain(in_use.chunks(1));
    for some in transactions {
        // The functions of a type may fail: then it is found out whose, and the others are folded.
        nothing_left &= match attempt(SHORT, || fold_some(some)) {
            Some(nothing_left) => {
                some.iter().for_each(|split| failed.has_succeeded(split.id));
                nothing_left
            }
            None => fold_each(some, place, failed),
        };
        if !may_go_on(place) {
            return Some(false);
        }
    }
    Some(nothing_left & also(place))
}

/// What the worker does beside folding: with what tells whether it may go on; true if nothing was left to do.
type Duty = fn(&dyn Fn() -> bool) -> bool;

static DUTY: OnceLock<Duty> = OnceLock::new();

/// Has the workers do something more in each round; set once, when the library is loaded.
pub fn also_do(duty: Duty) {
    if DUTY.set(duty).is_err() {
        pgrx::error!("abelian: a second duty of the folding workers");
    }
}

static ENDING: AtomicBool = AtomicBool::new(false);

/// Whether the process has work to go on with. Once it is told to end, it is not told again.
fn may_go_on(place: &Place) -> bool {
    if BackgroundWorker::sigterm_received() {
        ENDING.store(true, Relaxed);
    }
    !place.is_away(backend::now()) && !ENDING.load(Relaxed)
}

fn also(place: &Place) -> bool {
    let go_on = || may_go_on(place);
    DUTY.get().is_none_or(|duty| duty(&go_on))
}

fn fold_some(objects: &[Split]) -> Result<bool, Error> {
    let mut nothing_left = true;
    for split in objects {
        nothing_left &= fold::fold(*split)?;
    }
    Ok(nothing_left)
}

fn fold_each(objects: &[Split], place: &Place, failed: &mut Failed) -> bool {
    let mut nothing_left = true;
    for split in objects {
        match attempt(SHORT, || fold::fold(*split)) {
            Some(folded) => {
                nothing_left &= folded;
                failed.has_succeeded(split.id);
            }
            None => {
                nothing_left = false;
                failed.note(split.id);
            }
        }
        if !may_go_on(place) {
            return false;
        }
    }
    nothing_left
}
