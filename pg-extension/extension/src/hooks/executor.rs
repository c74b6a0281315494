//! Queries that the executor starts and runs.

use super::nested;
use super::receiver::{self, AroundRow};
use super::subscribers::{List, Subscriber};
use crate::compat;
use pgrx::pg_sys;
use std::ffi::c_int;

mod raw {
    use pgrx::pg_sys;
    use std::ffi::c_int;
    unsafe extern "C-unwind" {
        pub fn standard_ExecutorFinish(query: *mut pg_sys::QueryDesc);
        pub fn standard_ExecutorStart(query: *mut pg_sys::QueryDesc, flags: c_int);
    }
}

/// A query that starts.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    query: *mut pg_sys::QueryDesc,
    flags: c_int,
}

impl Start {
    /// Whether EXPLAIN shows the plan and nobody runs it.
    pub fn is_explain_only(&self) -> bool {
        self.flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int != 0
    }

    /// The query.
    pub fn query(&self) -> &pg_sys::QueryDesc {
        // SAFETY: it lives as long as it is executed.
        unsafe { &*self.query }
    }

    /// Whether nobody else reads by the query's snapshot: it is the active one, taken for this query alone.
    pub fn has_own_snapshot(&self) -> bool {
        let snapshot = self.query().snapshot;
        // SAFETY: the query has registered it.
        unsafe {
            pg_sys::ActiveSnapshotSet()
                && pg_sys::GetActiveSnapshot() == snapshot
                && (*snapshot).active_count > 0
                && (*snapshot).regd_count == 1
        }
    }

    /// Takes the query's snapshot anew, which must be its own.
    pub fn renew_snapshot(&self) {
        // SAFETY: the old snapshot lives as long as the query has registered it; the active one is replaced by one at the same place of
        // the stack, which whoever has pushed the old one pops.
        unsafe {
            let old = (*self.query).snapshot;
            pg_sys::PopActiveSnapshot();
            pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
            (*self.query).snapshot = pg_sys::RegisterSnapshot(pg_sys::GetActiveSnapshot());
            pg_sys::UnregisterSnapshot(old);
        }
    }

    /// Has the query, whose snapshot must be its own, read by another one.
    ///
    /// # Safety
    /// Somebody must have registered the other snapshot, and still hold it.
    pub unsafe fn read_by(&self, snapshot: pg_sys::Snapshot) {
        // SAFETY: the query has started with a snapshot of its own; the other one is held by the caller's promise, and now by this query as well.
        unsafe {
            let old = (*self.query).snapshot;
            (*self.query).snapshot = pg_sys::RegisterSnapshot(snapshot);
            pg_sys::PopActiveSnapshot();
            pg_sys::PushActiveSnapshot(snapshot);
            pg_sys::UnregisterSnapshot(old);
        }
    }

    /// Has the query, whose snapshot must be its own, read by a copy of another one.
    ///
    /// # Safety
    /// The other one must be whole, and nothing that it still needs may be removed before.
    pub unsafe fn read_by_copy(&self, snapshot: &mut pg_sys::SnapshotData) {
        // SAFETY: what is pushed is copied, since it is not a registered snapshot; the rest is as in `renew_snapshot`.
        unsafe {
            let old = (*self.query).snapshot;
            pg_sys::PopActiveSnapshot();
            pg_sys::PushActiveSnapshot(snapshot);
            (*self.query).snapshot = pg_sys::RegisterSnapshot(pg_sys::GetActiveSnapshot());
            pg_sys::UnregisterSnapshot(old);
        }
    }

    /// Whether the plan was made for workers.
    pub fn has_workers(&self) -> bool {
        // SAFETY: a query has a plan.
        unsafe { (*(*self.query).plannedstmt).parallelModeNeeded }
    }

    /// Has the leader run the plan alone. Only the top is copied, since others may run the plan as well.
    pub fn do_without_workers(&self) {
        // SAFETY: the copy is made in the memory context of the query's own description.
        unsafe {
            let copy =
                pg_sys::palloc(size_of::<pg_sys::PlannedStmt>()).cast::<pg_sys::PlannedStmt>();
            copy.copy_from_nonoverlapping((*self.query).plannedstmt, 1);
            (*copy).parallelModeNeeded = false;
            (*self.query).plannedstmt = copy;
        }
    }
}

/// What changes tables in a query that has started: its top, and queries of WITH.
pub fn changes(query: &pg_sys::QueryDesc) -> impl Iterator<Item = *mut pg_sys::ModifyTableState> {
    // SAFETY: the states of a query that has started; the tag of a plan says what its state is.
    unsafe {
        let others = match query.estate.is_null() {
            true => std::ptr::null_mut(),
            false => (*query.estate).es_auxmodifytables,
        };
        let others = (0..pg_sys::list_length(others))
            .map(move |at| pg_sys::list_nth(others, at).cast::<pg_sys::PlanState>());
        std::iter::once(query.planstate)
            .chain(others)
            .filter(|state| {
                !state.is_null()
                    && pgrx::is_a((**state).plan.cast(), pg_sys::NodeTag::T_ModifyTable)
            })
            .map(|state| state.cast())
    }
}

/// A run of a query.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    query: *mut pg_sys::QueryDesc,
}

impl Run {
    /// The query.
    pub fn query(&self) -> &pg_sys::QueryDesc {
        // SAFETY: it lives as long as it is executed.
        unsafe { &*self.query }
    }

    /// Has code run around each row that this run gives; what is given before is around it. It must let errors pass: nothing with a destructor may
    /// be alive in it.
    pub fn around_rows(&self, around: AroundRow) {
        // SAFETY: the receiver lives as long as the portal, in whose memory ours is made.
        unsafe { (*self.query).dest = receiver::around((*self.query).dest, around) }
    }
}

static BEFORE_START: List<Subscriber<Start>> = List::new();
static AFTER_START: List<Subscriber<Start>> = List::new();
static BEFORE_RUN: List<Subscriber<Run>> = List::new();
static AFTER_RUN: List<Subscriber<Run>> = List::new();
static AFTER_FINISH: List<Subscriber<Run>> = List::new();
static mut NEXT_START: pg_sys::ExecutorStart_hook_type = None;
static mut NEXT_FINISH: pg_sys::ExecutorFinish_hook_type = None;

/// Has `subscriber` told before a query starts.
pub fn before_start(subscriber: Subscriber<Start>) {
    BEFORE_START.add(subscriber);
}

/// Has `subscriber` told when a query has started, and has its locks.
pub fn after_start(subscriber: Subscriber<Start>) {
    AFTER_START.add(subscriber);
}

/// Has `subscriber` told before a query runs.
pub fn before_run(subscriber: Subscriber<Run>) {
    BEFORE_RUN.add(subscriber);
}

/// Has `subscriber` told after a query has run; not after an error.
pub fn after_run(subscriber: Subscriber<Run>) {
    AFTER_RUN.add(subscriber);
}

/// Has `subscriber` told when a query has finished, with its triggers but for deferred ones; not after an error.
pub fn after_finish(subscriber: Subscriber<Run>) {
    AFTER_FINISH.add(subscriber);
}

/// Sets the hooks.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT_START = pg_sys::ExecutorStart_hook;
        pg_sys::ExecutorStart_hook = Some(start);
        compat::around_runs(run);
        NEXT_FINISH = pg_sys::ExecutorFinish_hook;
        pg_sys::ExecutorFinish_hook = Some(finish);
    }
}

unsafe extern "C-unwind" fn start(query: *mut pg_sys::QueryDesc, flags: c_int) {
    let event = Start { query, flags };
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        BEFORE_START.tell(&event);
        NEXT_START.unwrap_or(raw::standard_ExecutorStart)(query, flags);
        AFTER_START.tell(&event);
    }
}

/// # Safety
/// As [`super::nested`].
unsafe fn run(query: *mut pg_sys::QueryDesc, next: &mut dyn FnMut()) {
    let event = Run { query };
    // SAFETY: as in `start`.
    unsafe {
        let receiver = (*query).dest;
        BEFORE_RUN.tell(&event);
        nested(next);
        (*query).dest = receiver;
        AFTER_RUN.tell(&event);
    }
}

/// Triggers that come after the rows are changed run here.
unsafe extern "C-unwind" fn finish(query: *mut pg_sys::QueryDesc) {
    // SAFETY: as in `start`.
    unsafe {
        nested(|| NEXT_FINISH.unwrap_or(raw::standard_ExecutorFinish)(query));
        AFTER_FINISH.tell(&Run { query });
    }
}
