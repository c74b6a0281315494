//! A process and its place in the lane: waiting for the turn, and what the end of a transaction means for the lane.

use super::gate;
use super::lanes::{Freeze, Id, Lanes, Turn};
use crate::backend;
use crate::error::Error;
use crate::harmless;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::shared_memory::{LANES, PROGRESS};
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, XactEvent};
use std::cell::Cell;
use std::ffi::c_long;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

/// A waiter looks again after so many milliseconds, should its call be lost.
const LOOK_AGAIN_MS: c_long = 50;

/// How often a process looks whether a fragment that is being executed has ended.
const POLL_MS: c_long = 2;

/// How often, and in which steps, to look whether a fragment that is committing has done so: 1 s in all.
const COMMIT_POLLS: u32 = 10_000;
const COMMIT_POLL_MICROSECONDS: c_long = 100;

/// No lane is driven further ahead of its node's clock: a year, in microseconds.
pub const LEAD_MAX: i64 = 366 * 86_400 * 1_000_000;

/// How far the lanes are, for those who only read.
#[derive(Default)]
pub struct Progress {
    /// The end of the last fragment's commit record.
    committed: AtomicU64,
    /// Fragments between their decision to commit and the moment at which `committed` covers them.
    committing: AtomicU32,
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Progress {}

thread_local! {
    /// What this process has proposed last, and not taken its turn with.
    static PROPOSED: Cell<Option<Id>> = const { Cell::new(None) };
    /// The fragment of this process's transaction.
    static FRAGMENT: Cell<Option<Id>> = const { Cell::new(None) };
    static COMMITTING: Cell<bool> = const { Cell::new(false) };
    /// The transaction has looked at no user's data.
    static BLIND: Cell<bool> = const { Cell::new(false) };
    static SEEN: Cell<u64> = const { Cell::new(0) };
}

/// Sees the end of each transaction; called once when the library is loaded.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| match *event {
            _ if FRAGMENT.get().is_some() => true,
            XactEvent::XACT_EVENT_PRE_COMMIT => may_have_seen_unflushed(),
            _ => BLIND.get(),
        },
        tell: |event| transaction_ends(*event),
    });
}

/// The current database.
pub fn database() -> u32 {
    backend::database().to_u32()
}

fn process_number() -> i32 {
    // SAFETY: our own entry of the process array, and the array.
    unsafe { pg_sys::MyProc.offset_from((*pg_sys::ProcGlobal).allProcs) as i32 }
}

/// Wakes the process whose turn it is. To be called after whatever may change the order.
pub fn call_next(lanes: &Lanes) {
    if let Some(process) = lanes.next_process(database()) {
        call(process);
    }
}

fn call(process: i32) {
    // SAFETY: an entry of the process array; waking the wrong process is harmless.
    unsafe {
        let entry = (*pg_sys::ProcGlobal).allProcs.add(process as usize);
        pg_sys::SetLatch(&raw mut (*entry).procLatch);
    }
}

/// The operating system's number of a process.
pub fn pid(process: i32) -> i32 {
    // SAFETY: an entry of the process array.
    unsafe { (*(*pg_sys::ProcGlobal).allProcs.add(process as usize)).pid }
}

/// The current transaction looks at no user's data, so its end need not wait for the disk.
pub fn blind() {
    BLIND.set(true);
}

/// Waits until the fragment may be executed, in this transaction. The lane is ours until the transaction ends.
pub fn wait_for_turn(id: Id, timestamp: i64) -> Result<(), Error> {
    if FRAGMENT.get().is_some() {
        return Err(Error::Internal(
            "a transaction executes one fragment".to_owned(),
        ));
    }
    FRAGMENT.set(Some(id));
    PROPOSED.set(None);
    loop {
        match ask(id, timestamp) {
            Turn::Now => return Ok(()),
            Turn::Later => backend::sleep(LOOK_AGAIN_MS),
            Turn::Gone => return Err(Error::IndependentSettled),
        }
    }
}

/// Whether it may be executed by this process now; tells the lane the timestamp.
fn ask(id: Id, timestamp: i64) -> Turn {
    let mut lanes = LANES.exclusive();
    let turn = lanes.turn(database(), &id, timestamp, process_number());
    call_next(&lanes);
    turn
}

/// This process has proposed it.
pub fn proposed(id: Id) {
    PROPOSED.set(Some(id));
}

/// Runs `act` in the turn of what this process has proposed last, and hands the lane on: the place of a read, which is over when its snapshot is
/// taken. False when its turn has not come, so that `act` has not run: somebody has settled it, or it would have waited for too long. Its router
/// settles it then.
pub fn in_turn(timestamp: i64, act: impl FnOnce()) -> bool {
    let Some(id) = PROPOSED.take() else {
        return false;
    };
    if timestamp > backend::now() + LEAD_MAX {
        return false;
    }
    let deadline = backend::now() + gate::patience();
    loop {
        match ask(id, timestamp) {
            Turn::Now => break,
            Turn::Gone => return false,
            Turn::Later => backend::sleep(LOOK_AGAIN_MS),
        }
        if backend::now() > deadline || gate::lane_waits_for_us() {
            LANES.exclusive().left(database(), &id, process_number());
            return false;
        }
    }
    let _over = Passing(id);
    act();
    true
}

/// Has the lane to itself; hands it on when it is dropped, by an error, too.
struct Passing(Id);

impl Drop for Passing {
    fn drop(&mut self) {
        let mut lanes = LANES.exclusive();
        lanes.finished(database(), &self.0);
        call_next(&lanes);
    }
}

/// Freezes, waiting for the end of the fragment if it is being executed.
pub fn freeze(id: Id) {
    loop {
        let (came, process) = {
            let mut lanes = LANES.exclusive();
            let process = lanes.process_of(database(), &id);
            (lanes.freeze(database(), id), process)
        };
        match came {
            Freeze::Done => {
                if let Some(process) = process {
                    call(process);
                }
                return;
            }
            Freeze::Running => backend::sleep(POLL_MS),
        }
    }
}

/// Waits until what the lanes have committed is on disk.
pub fn flush() {
    let progress = PROGRESS.get();
    // SAFETY: positions in the WAL that exist.
    unsafe {
        if pg_sys::RecoveryInProgress() {
            return;
        }
        // A fragment that is committing may have been seen; where its record ends is known in a moment.
        let before = progress.committed.load(SeqCst);
        for _ in 0..COMMIT_POLLS {
            let over = progress.committing.load(SeqCst) == 0;
            if over || progress.committed.load(SeqCst) != before {
                break;
            }
            pg_sys::pg_usleep(COMMIT_POLL_MICROSECONDS);
        }
        let end = progress.committed.load(SeqCst);
        if end > SEEN.get() {
            pg_sys::XLogFlush(end);
            SEEN.set(end);
        }
    }
}

/// A fragment may have been seen by a transaction that leaves no trace in the WAL, and is not on disk yet.
fn may_have_seen_unflushed() -> bool {
    // SAFETY: plain read of the transaction's state.
    let reads_only =
        unsafe { harmless::GetTopTransactionIdIfAny() } == pg_sys::InvalidTransactionId;
    let progress = PROGRESS.get();
    reads_only
        && !BLIND.get()
        && (progress.committed.load(SeqCst) > SEEN.get() || progress.committing.load(SeqCst) > 0)
}

fn transaction_ends(event: XactEvent::Type) {
    match event {
        XactEvent::XACT_EVENT_PRE_COMMIT => {
            if FRAGMENT.get().is_some() {
                PROGRESS.get().committing.fetch_add(1, SeqCst);
                COMMITTING.set(true);
            } else if may_have_seen_unflushed() {
                flush();
            }
        }
        XactEvent::XACT_EVENT_PRE_PREPARE if FRAGMENT.get().is_some() => {
            Error::Internal("a fragment cannot be prepared".to_owned()).raise();
        }
        XactEvent::XACT_EVENT_COMMIT => ended(true),
        XactEvent::XACT_EVENT_ABORT | XactEvent::XACT_EVENT_PREPARE => ended(false),
        _ => {}
    }
}

fn ended(committed: bool) {
    BLIND.set(false);
    let Some(id) = FRAGMENT.take() else {
        return;
    };
    let progress = PROGRESS.get();
    // SAFETY: set by the commit that has just been made.
    let end = unsafe { pg_sys::XactLastCommitEnd };
    if committed {
        progress.committed.fetch_max(end, SeqCst);
    }
    if COMMITTING.take() {
        progress.committing.fetch_sub(1, SeqCst);
    }
    {
        let mut lanes = LANES.exclusive();
        if committed {
            lanes.finished(database(), &id);
        } else {
            lanes.left(database(), &id, process_number());
        }
        call_next(&lanes);
    }
    if committed {
        // The next fragment sees this one and runs; whoever waits for the answer has it on disk.
        // SAFETY: a position in the WAL that exists; nothing after a commit can fail but by a PANIC.
        unsafe { pg_sys::XLogFlush(end) };
        SEEN.set(SEEN.get().max(end));
    }
}
