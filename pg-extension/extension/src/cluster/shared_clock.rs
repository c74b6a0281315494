//! What nodes share of their clocks (docs/design/transaction-clock.md): when the client's transaction has begun, which `now()` gives, and,
//! for a command that every node runs and that gives rows a value, when its statement has begun.
//!
//! A router tells the former once in a transaction, and the latter with the announcement of the command ([`super::schema_change`]). It holds
//! for that command alone; then the node's own is back.

use super::seal;
use crate::error::Error;
use crate::hooks;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum};
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

pg_function!(
    /// `abelian.set_transaction_timestamp(router, timestamp, seal)`: the transaction has begun then, in microseconds of PostgreSQL's clock.
    /// PostgreSQL takes its own again for the next transaction.
    fn abelian_set_transaction_timestamp(call) {
        let transaction = call.i64(1);
        // SAFETY: declared as uuid, bigint and text, the function as STRICT.
        unsafe {
            let router = seal::router_argument(call.arg(0));
            seal::Sealed::call("set_transaction_timestamp").number(transaction).check(router, call.arg(2))?;
        }
        if !hooks::is_client_query() {
            return Err(Error::NotSealed);
        }
        set(Moments { transaction, ..own() });
        Ok(Datum::null())
    }
);

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

/// When the running command has begun, in microseconds.
pub fn statement() -> i64 {
    own().statement
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
