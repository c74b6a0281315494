//! The gate between the lane and whatever spans several nodes in another way: coordinated commits, and reads of
//! several nodes. Those hold it in one mode, and begin when nothing is pending; proposals take it in the other for a
//! moment. They wait for each other in the order of their arrival, proposals so shortly that no deadlock over nodes lasts.

use super::turn;
use crate::backend;
use crate::boundary;
use crate::boundary::functions;
use crate::cluster::{postgres, settings};
use crate::error::Error;
use crate::lock::LockTimeout;
use crate::shared_memory::LANES;
use pgrx::{PgSqlErrorCode, Spi, pg_sys};
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Tells our advisory tag from those of applications (1 and 2) and of other rooms of the extension.
const LANE_GATE_CLASS: u16 = 0xAB04;

/// How long a commit waits for the lane to come to rest, and others when `lock_timeout` does not say: 2 s.
pub const PATIENCE_MICROSECONDS: i64 = 2_000_000;

/// How long a proposal waits for the gate. Its transaction may be pending on another node, for whose rest somebody waits
/// who holds this gate: much less than their patience.
const PROPOSAL_PATIENCE_MS: i32 = 50;

const LOCK_NOT_AVAILABLE: i32 = PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE as i32;

const POLL_MS: std::ffi::c_long = 2;

/// How many polls lie between two looks at whom the lane waits for: they take PostgreSQL's lock manager as a whole.
const POLLS_BETWEEN_LOOKS: u64 = 16;

/// Processes that one look follows, from the fragment on.
const CHAIN_MAX: usize = 64;

fn tag() -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        locktag_field1: turn::database(),
        locktag_field2: 0,
        locktag_field3: 0,
        locktag_field4: LANE_GATE_CLASS,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}

/// Takes the proposals' side to the end of the transaction, and waits for the other side to let go of it; false when
/// that takes too long.
pub fn enter_to_propose() -> Result<bool, Error> {
    let mode = pg_sys::ShareLock as i32;
    // SAFETY: a transaction-scoped lock inside a transaction.
    let came = unsafe { pg_sys::LockAcquire(&tag(), mode, false, true) };
    if came != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL {
        return Ok(true);
    }
    wait_to_propose(mode)
}

/// Waits in the queue of the gate's lock, so that whoever comes later and spans several nodes is served later.
fn wait_to_propose(mode: i32) -> Result<bool, Error> {
    let tag = tag();
    // SAFETY: plain read of a setting.
    let limit = LockTimeout::of(match unsafe { pg_sys::LockTimeout } {
        0 => PROPOSAL_PATIENCE_MS,
        shorter => shorter.min(PROPOSAL_PATIENCE_MS),
    });
    let came = boundary::attempt_wait(|| {
        // SAFETY: a raw call in a subtransaction.
        boundary::caught(|| unsafe {
            functions::LockAcquire(&tag, mode, false, false);
            // The limit may have struck when the lock had just come: it is to be noticed here.
            if pg_sys::InterruptPending != 0 {
                functions::ProcessInterrupts();
            }
        })
    });
    drop(limit);
    match came {
        Ok(_) => Ok(true),
        Err(error) if error.sqlstate() == LOCK_NOT_AVAILABLE => Ok(false),
        Err(error) => Err(Error::Postgres(error)),
    }
}

/// Takes the other side to the end of the transaction, prepared ones included, and waits for the lane to be at rest, for
/// so many microseconds.
pub fn enter(patience: i64) -> Result<(), Error> {
    // SAFETY: as above; errors (lock_timeout, deadlock) unwind.
    unsafe { functions::LockAcquire(&tag(), pg_sys::RowExclusiveLock as i32, false, false) };
    let deadline = backend::now() + patience;
    let mut polls: u64 = 0;
    while !is_at_rest()? {
        if backend::now() > deadline {
            return Err(Error::LaneBusy);
        }
        if polls.is_multiple_of(POLLS_BETWEEN_LOOKS) && lane_waits_for_us() {
            return Err(Error::LaneWaitsForUs);
        }
        polls += 1;
        backend::sleep(POLL_MS);
    }
    report_clock()
}

/// How long a read or a completion waits for the lane, in microseconds.
pub fn patience() -> i64 {
    // SAFETY: plain read of a setting.
    match unsafe { pg_sys::LockTimeout } {
        0 => PATIENCE_MICROSECONDS,
        milliseconds => i64::from(milliseconds) * 1000,
    }
}

/// Whether the fragment that is being executed waits for a lock of this process, itself or through others: then the lane
/// comes to rest only when this transaction ends.
pub fn lane_waits_for_us() -> bool {
    let own = backend::pid();
    let executing = LANES.share().executing(turn::database());
    let mut chain: Vec<i32> = executing.into_iter().map(turn::pid).collect();
    let mut at = 0;
    while at < chain.len().min(CHAIN_MAX) {
        for blocker in blockers(chain[at]) {
            if blocker == own {
                return true;
            }
            if !chain.contains(&blocker) {
                chain.push(blocker);
            }
        }
        at += 1;
    }
    false
}

/// The processes for which one waits in PostgreSQL's lock manager. Nobody, where it waits for the gate: then those before
/// it there go on by themselves, or wait for the lane as we do and look, too.
fn blockers(pid: i32) -> Vec<i32> {
    if waits_at_gate(pid) {
        return Vec::new();
    }
    let pid = [Some(pid.into())];
    // SAFETY: the function takes a process number, of which none need be there, and returns an array of them.
    unsafe { pgrx::direct_function_call(pg_sys::pg_blocking_pids, &pid) }.unwrap_or_default()
}

fn waits_at_gate(pid: i32) -> bool {
    // SAFETY: the structure and its arrays are palloc'd, and so many locks are there.
    let locks = unsafe {
        let status = pg_sys::GetBlockerStatusData(pid);
        std::slice::from_raw_parts((*status).locks, (*status).nlocks as usize)
    };
    let gate = tag();
    locks.iter().any(|lock| {
        lock.pid == pid
            && lock.waitLockMode != pg_sys::NoLock as i32
            && lock.locktag.locktag_type == gate.locktag_type
            && lock.locktag.locktag_field4 == gate.locktag_field4
            && lock.locktag.locktag_field1 == gate.locktag_field1
    })
}

/// `abelian.independent_advance` has been seen: routers may call it.
static CAN_ADVANCE: AtomicBool = AtomicBool::new(false);

/// Tells the router how far the lane has come, which stays so while the gate is held: the router carries it to the
/// other nodes of the transaction.
fn report_clock() -> Result<(), Error> {
    let last = LANES.share().look(turn::database()).last;
    if last == 0 {
        return Ok(());
    }
    if !CAN_ADVANCE.load(Relaxed) {
        // An older version of the extension's SQL does not have it.
        let there = Spi::get_one::<bool>(
            "SELECT pg_catalog.to_regprocedure('abelian.independent_advance(bigint)') IS NOT NULL",
        );
        match there.map_err(|error| Error::Internal(error.to_string()))? {
            Some(true) => CAN_ADVANCE.store(true, Relaxed),
            _ => return Ok(()),
        }
    }
    let text = CString::new(last.to_string()).unwrap_or_default();
    // SAFETY: sets our own setting, which PostgreSQL reports before ReadyForQuery.
    unsafe {
        pg_sys::SetConfigOption(
            settings::LANE_CLOCK_NAME.as_ptr(),
            text.as_ptr(),
            pg_sys::GucContext::PGC_INTERNAL,
            pg_sys::GucSource::PGC_S_OVERRIDE,
        );
    }
    Ok(())
}

fn is_at_rest() -> Result<bool, Error> {
    let database = turn::database();
    let lane = {
        let lanes = LANES.share();
        if !lanes.is_at_rest(database) {
            return Ok(false);
        }
        lanes.look(database)
    };
    if lane.open || lane.unused {
        return Ok(true);
    }
    // Closed since the server started: that matters only if there is anything to catch up with.
    let unused = !was_used()?;
    if unused && let Some(lane) = LANES.exclusive().lane(database) {
        lane.unused = !lane.open && lane.run == 0;
    }
    Ok(unused)
}

/// Whether a lane has ever been opened here, as the disk knows.
fn was_used() -> Result<bool, Error> {
    if postgres::own_relation(c"independent_lane") == pg_sys::InvalidOid {
        return Ok(false); // an older version of the extension's SQL
    }
    let run = Spi::get_one::<i64>("SELECT run FROM abelian.independent_lane")
        .map_err(|error| Error::Internal(error.to_string()))?;
    Ok(run.unwrap_or(0) > 0)
}
