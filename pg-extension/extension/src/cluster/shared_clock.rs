//! The clock of a command that every node runs and that gives rows a value: the moments at which the client's transaction and statement have
//! begun, as the first node knows them. A router tells them with the announcement of the command ([`super::schema_change`]). They hold for
//! that command alone; then the node's own are back.

use pgrx::pg_sys;
use std::cell::Cell;

/// In microseconds on PostgreSQL's clock.
#[derive(Clone, Copy)]
pub struct Moments {
    pub transaction: i64,
    pub statement: i64,
}

thread_local! {
    /// What a router has told for the client's next statement.
    static TOLD: Cell<Option<Moments>> = const { Cell::new(None) };
    /// The node's own, while a command runs at the moments that it was told.
    static OWN: Cell<Option<Moments>> = const { Cell::new(None) };
}

/// For the client's next statement; `None` leaves it this node's own clock.
pub fn tell(moments: Option<Moments>) {
    TOLD.set(moments);
}

/// A command starts that was announced.
pub fn command_starts() {
    command_ends();
    if let Some(told) = TOLD.take() {
        OWN.set(Some(own()));
        set(told);
    }
}

/// It is over, or another statement starts since it has failed.
pub fn command_ends() {
    if let Some(own) = OWN.take() {
        set(own);
    }
}

/// The next transaction begins with moments of its own.
pub fn transaction_ends() {
    OWN.set(None);
    TOLD.set(None);
}

/// Whether the running command has the same clock on every node.
pub fn is_shared() -> bool {
    OWN.get().is_some()
}

fn own() -> Moments {
    // SAFETY: plain reads of the transaction's state.
    unsafe {
        Moments {
            transaction: pg_sys::GetCurrentTransactionStartTimestamp(),
            statement: pg_sys::GetCurrentStatementStartTimestamp(),
        }
    }
}

/// As PostgreSQL does it in a parallel worker, which has the clock of its leader. In builds with assertions it insists on being in one.
fn set(moments: Moments) {
    // SAFETY: only sets two variables; the number of the worker is what it was before anything else looks at it.
    unsafe {
        let worker = pg_sys::ParallelWorkerNumber;
        pg_sys::ParallelWorkerNumber = 0;
        pg_sys::SetParallelStartTimestamps(moments.transaction, moments.statement);
        pg_sys::ParallelWorkerNumber = worker;
    }
}
