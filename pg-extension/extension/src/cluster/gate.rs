//! The gate between coordinated commits and reads over several nodes.
//!
//! What makes a coordinated transaction durable on this node (PREPARE TRANSACTION of our gids, `abelian.decide()`)
//! holds the commit side until its COMMIT [PREPARED]. A read over several nodes takes the snapshot side on each of
//! them until all have taken their snapshots, so it sees such a transaction on all nodes or on none. Commits pass
//! each other, and so do reads: the modes are RowExclusive and Share of one heavyweight lock. SERIALIZABLE
//! transactions take their snapshots one after the other, in mode ShareRowExclusive. Both sides also hold the gate of
//! the lane, so that independent transactions are before or after them on every node.

use super::{hooks, independent};
use crate::backend;
use crate::boundary::{self, PostgresError, functions};
use crate::error::Error;
use crate::lock::{self, LockTimeout};
use crate::pg_function;
use crate::shared_memory::PASSAGES;
use pgrx::{PgSqlErrorCode, pg_sys};

/// Prefix of the names under which routers prepare: `abelian:<holder's node id>:<router uuid>:<n>`.
pub const GID_PREFIX: &[u8] = b"abelian:";

/// Tells our advisory tag from those of applications (1 and 2) and of other rooms of the extension.
const GATE_CLASS: u16 = 0xAB03;
/// The turn of SERIALIZABLE transactions over several nodes.
const ORDER_CLASS: u16 = 0xAB05;

/// How long a commit waits for the reads before it, whatever the client's `lock_timeout`: that is for what its statements wait for, and COMMIT
/// takes no lock on one PostgreSQL. A read lets go of the gate after half a second.
const COMMIT_PATIENCE_MS: i32 = 10_000;

const LOCK_NOT_AVAILABLE: i32 = PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE as i32;

/// Takes the commit side to the end of the transaction, prepared transactions included. What the transaction has deferred is done before, in
/// the rights of the current user, and it waits for those who have gone before it: behind the gate nothing of a client's runs, nor waits for
/// what others hold. The name is what other nodes know it by.
pub fn enter_to_commit(name: &[u8]) -> Result<(), Error> {
    hooks::fire_deferred();
    lock::before_commit();
    let _limit = LockTimeout::of(COMMIT_PATIENCE_MS);
    enter(name, true, independent::gate::PATIENCE_MICROSECONDS)
}

/// Behind the lock, so that a reader who holds the gate knows of all; before the lane tells its timestamp.
fn enter(name: &[u8], is_done: bool, patience: i64) -> Result<(), Error> {
    acquire(GATE_CLASS, pg_sys::RowExclusiveLock as i32);
    note(name, is_done);
    independent::gate::enter(patience)
}

/// Tells reads of several nodes of this transaction, which may be seen on several nodes; and whether it has done all of its work here.
pub fn note(name: &[u8], is_done: bool) {
    // SAFETY: assigns an id if there is none; the transaction is in progress.
    let id = unsafe { pg_sys::GetTopFullTransactionId() }.value;
    PASSAGES
        .exclusive()
        .pass(backend::database().to_u32(), id, name, is_done);
}

/// Several may, unless one is to be alone.
fn enter_to_read(alone: bool) -> Result<(), Error> {
    let mode = match alone {
        true => pg_sys::ShareRowExclusiveLock,
        false => pg_sys::ShareLock,
    };
    acquire(GATE_CLASS, mode as i32);
    PASSAGES
        .exclusive()
        .is_empty_now(backend::database().to_u32());
    independent::gate::enter(independent::gate::patience()).map_err(|error| match error {
        // As when the first gate took too long: the read lets go of all that it holds, and begins anew.
        Error::LaneBusy | Error::LaneWaitsForUs => Error::LockNotAvailable,
        other => other,
    })
}

/// One at a time, to the end of the transaction, prepared transactions included: so all nodes see SERIALIZABLE transactions over several of
/// them commit in one order.
pub fn enter_serializable_order() {
    let _limit = LockTimeout::of(COMMIT_PATIENCE_MS);
    acquire(ORDER_CLASS, pg_sys::ExclusiveLock as i32);
}

fn acquire(class: u16, mode: i32) {
    let tag = pg_sys::LOCKTAG {
        locktag_field1: backend::database().to_u32(),
        locktag_field2: 0,
        locktag_field3: 0,
        locktag_field4: class,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    };
    // SAFETY: a transaction-scoped lock inside a transaction; errors (lock_timeout, deadlock) unwind.
    unsafe { functions::LockAcquire(&tag, mode, false, false) };
}

pg_function!(
    /// `abelian.enter_commit_gate()`
    fn abelian_enter_commit_gate(_call) {
        enter(b"", false, independent::gate::patience())?;
        Ok(pg_sys::Datum::null())
    }
);

pg_function!(
    /// `abelian.enter_snapshot_gate()`
    fn abelian_enter_snapshot_gate(_call) {
        enter_to_read(false)?;
        Ok(pg_sys::Datum::null())
    }
);

pg_function!(
    /// `abelian.snapshot_gate(timeout_ms)`; with a second argument, whether nobody else may be behind it: false when that took longer.
    fn abelian_snapshot_gate(call) {
        let alone = call.len() == 2 && call.arg(1).value() != 0;
        let limit = LockTimeout::of(call.i32(0).max(1));
        let came = boundary::attempt_wait(|| enter_in_time(alone));
        drop(limit);
        match came {
            Ok(()) => Ok(true.into()),
            Err(error) if error.sqlstate() == LOCK_NOT_AVAILABLE => Ok(false.into()),
            Err(error) => Err(Error::Postgres(error)),
        }
    }
);

fn enter_in_time(alone: bool) -> Result<(), PostgresError> {
    let entered = boundary::caught(|| {
        let entered = enter_to_read(alone);
        // SAFETY: a raw call in a subtransaction. The limit may have struck when the lock had just come: it is to be noticed here.
        unsafe {
            if pg_sys::InterruptPending != 0 {
                functions::ProcessInterrupts();
            }
        }
        entered
    });
    match entered? {
        Err(Error::LockNotAvailable) => Err(PostgresError::made(
            LOCK_NOT_AVAILABLE,
            "independent transactions of this node did not come to rest",
            "",
            None,
        )),
        Err(Error::Postgres(error)) => Err(error),
        Err(error) => error.raise(),
        Ok(()) => Ok(()),
    }
}

pg_function!(
    /// `abelian.lock_modes_conflict(one, other)`: by the names that pg_locks shows.
    fn abelian_lock_modes_conflict(call) {
        // SAFETY: both arguments are declared as text, the function as STRICT.
        let (one, other) = unsafe {
            (super::postgres::text_argument(call.arg(0)), super::postgres::text_argument(call.arg(1)))
        };
        let conflict = match (lock_mode(one.to_bytes()), lock_mode(other.to_bytes())) {
            // SAFETY: reads PostgreSQL's constant conflict table.
            (Some(one), Some(other)) => unsafe { pg_sys::DoLockModesConflict(one, other) },
            _ => false, // predicate locks (SIReadLock) block nobody
        };
        Ok(pg_sys::Datum::from(conflict))
    }
);

fn lock_mode(name: &[u8]) -> Option<i32> {
    const NAMES: [&[u8]; 8] = [
        b"AccessShareLock",
        b"RowShareLock",
        b"RowExclusiveLock",
        b"ShareUpdateExclusiveLock",
        b"ShareLock",
        b"ShareRowExclusiveLock",
        b"ExclusiveLock",
        b"AccessExclusiveLock",
    ];
    NAMES
        .iter()
        .position(|candidate| *candidate == name)
        .map(|i| i as i32 + 1)
}
