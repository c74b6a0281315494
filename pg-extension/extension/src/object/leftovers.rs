//! Tables in which rows may have gone without their slices: hints for the worker that looks for these. A hint that is lost costs
//! room until the server is started again.
//!
//! A table is looked through once every transaction has ended that was running when it was noted: then the one that left slices is over
//! and whatever it did is seen.

use crate::shared_memory::LEFTOVERS;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;
use std::sync::atomic::{
    AtomicI64, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// Tables that can be noted at the same time, in all databases.
const TABLES: usize = 256;

/// Databases of which it is remembered that they were searched since the server was started.
const DATABASES: usize = 256;

/// Processor time that goes into looking, at most: one part in so many.
const PARTS: i64 = 100;

/// Between two looks at one table, at least: 1 s.
const LEAST_MICROSECONDS: i64 = 1_000_000;

#[derive(Default)]
struct Table {
    /// Database and table; 0 if the place is free.
    which: AtomicU64,
    /// The transaction ids from here on were given out after it was last noted; 0 if it is not noted.
    noted: AtomicU64,
    /// The same, once somebody waits for the transactions before it.
    awaited: AtomicU64,
    not_before: AtomicI64,
}

/// The hints.
pub struct Leftovers {
    tables: [Table; TABLES],
    searched: [AtomicU32; DATABASES],
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Leftovers {}

impl Leftovers {
    /// No hints.
    pub fn new() -> Self {
        Leftovers {
            tables: std::array::from_fn(|_| Table::default()),
            searched: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }

    fn note(&self, which: u64, next: u64) {
        let mine = |table: &&Table| {
            let holder = table.which.load(Acquire);
            holder == which
                || holder == 0
                    && table
                        .which
                        .compare_exchange(0, which, AcqRel, Acquire)
                        .is_ok()
        };
        if let Some(table) = self.tables.iter().find(mine) {
            table.noted.fetch_max(next, AcqRel);
        }
    }

    /// The tables of a database that can be looked through now, given that all transactions before `oldest` have ended; and whether there
    /// are others.
    fn due(&self, database: Oid, oldest: u64, now: i64) -> (Vec<Oid>, bool) {
        let (mut due, mut others) = (Vec::new(), false);
        for table in &self.tables {
            let which = table.which.load(Acquire);
            if which >> 32 != u64::from(database.to_u32()) {
                continue;
            }
            if table.awaited.load(Acquire) == 0 {
                table.awaited.store(table.noted.swap(0, AcqRel), Release);
            }
            let awaited = table.awaited.load(Acquire);
            let too_early = now < table.not_before.load(Relaxed);
            if awaited == 0 && !too_early {
                self.free(table, which);
            } else if awaited != 0 && awaited <= oldest && !too_early {
                due.push(Oid::from(which as u32));
            } else {
                others |= awaited != 0;
            }
        }
        (due, others)
    }

    /// Somebody who notes the table at this moment finds the place again, or takes another one; a hint may be lost.
    fn free(&self, table: &Table, which: u64) {
        if table.noted.load(Acquire) == 0 {
            let _ = table.which.compare_exchange(which, 0, AcqRel, Acquire);
        }
    }

    fn done(&self, which: u64, not_before: i64) {
        for table in self
            .tables
            .iter()
            .filter(|t| t.which.load(Acquire) == which)
        {
            table.awaited.store(0, Release);
            table.not_before.store(not_before, Relaxed);
        }
    }

    fn begin_search(&self, database: u32) -> bool {
        for place in &self.searched {
            let holder = place.load(Acquire);
            if holder == database {
                return false;
            }
            if holder == 0 && place.compare_exchange(0, database, AcqRel, Acquire).is_ok() {
                return true;
            }
        }
        false
    }
}

impl Default for Leftovers {
    fn default() -> Self {
        Self::new()
    }
}

fn which(relation: Oid) -> u64 {
    // SAFETY: plain read.
    let database = unsafe { pg_sys::MyDatabaseId };
    u64::from(database.to_u32()) << 32 | u64::from(relation.to_u32())
}

thread_local! {
    /// What this transaction has noted last: many rows of one table are noted once.
    static LAST: Cell<(Oid, pg_sys::TransactionId)> =
        const { Cell::new((Oid::INVALID, pg_sys::InvalidTransactionId)) };
}

/// The running transaction may leave slices of rows of this table behind.
pub fn note(relation: Oid) {
    // SAFETY: inside a transaction that writes.
    let transaction = unsafe { pg_sys::GetTopTransactionId() };
    if LAST.replace((relation, transaction)) != (relation, transaction) {
        LEFTOVERS.get().note(which(relation), next_id());
    }
}

/// There may be slices of rows of this table that are gone.
pub fn suspect(relation: Oid) {
    LEFTOVERS.get().note(which(relation), next_id());
}

/// Every transaction id before this one has been given out.
fn next_id() -> u64 {
    // SAFETY: reads shared memory.
    unsafe { pg_sys::ReadNextFullTransactionId() }.value
}

/// Tables of this database to look through now, and whether others will have to be.
pub fn due() -> (Vec<Oid>, bool) {
    // SAFETY: inside a transaction.
    let (database, oldest) = unsafe { (pg_sys::MyDatabaseId, (*pg_sys::GetLatestSnapshot()).xmin) };
    let next = next_id();
    // The oldest one that runs was given out less than a round of the 32 bits ago.
    let distance = (next as u32).wrapping_sub(u32::from(oldest));
    LEFTOVERS
        .get()
        .due(database, next - u64::from(distance), crate::backend::now())
}

/// The table was looked through, which began at `began`, microseconds.
pub fn done(relation: Oid, began: i64) {
    let now = crate::backend::now();
    let rest = ((now - began) * PARTS).max(LEAST_MICROSECONDS);
    LEFTOVERS.get().done(which(relation), now + rest);
}

/// Whether this database has not been searched since the server was started; it counts as searched from now on.
pub fn begin_search() -> bool {
    // SAFETY: plain read.
    let database = unsafe { pg_sys::MyDatabaseId };
    LEFTOVERS.get().begin_search(database.to_u32())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATABASE: Oid = Oid::from_u32(5);

    fn table(number: u64) -> u64 {
        5 << 32 | number
    }

    #[test]
    fn a_table_is_due_once_the_transactions_before_the_note_have_ended() {
        let hints = Leftovers::new();
        hints.note(table(1), 100);
        assert_eq!(hints.due(DATABASE, 99, 0), (vec![], true));
        assert_eq!(hints.due(DATABASE, 100, 0), (vec![Oid::from_u32(1)], false));
    }

    #[test]
    fn later_notes_do_not_put_it_off_and_are_not_lost() {
        let hints = Leftovers::new();
        hints.note(table(1), 100);
        assert_eq!(hints.due(DATABASE, 99, 0), (vec![], true));
        hints.note(table(1), 200);
        assert_eq!(hints.due(DATABASE, 100, 0), (vec![Oid::from_u32(1)], false));
        hints.done(table(1), 0);
        assert_eq!(hints.due(DATABASE, 199, 0), (vec![], true));
        assert_eq!(hints.due(DATABASE, 200, 0), (vec![Oid::from_u32(1)], false));
    }

    #[test]
    fn a_table_rests_after_it_was_looked_through() {
        let hints = Leftovers::new();
        hints.note(table(1), 100);
        hints.due(DATABASE, 100, 0);
        hints.done(table(1), 50);
        hints.note(table(1), 200);
        assert_eq!(hints.due(DATABASE, 200, 49), (vec![], true));
        assert_eq!(
            hints.due(DATABASE, 200, 50),
            (vec![Oid::from_u32(1)], false)
        );
    }

    #[test]
    fn places_are_used_again() {
        let hints = Leftovers::new();
        for number in 1..=TABLES as u64 {
            hints.note(table(number), 100);
        }
        hints.note(table(1000), 100);
        assert_eq!(hints.due(DATABASE, 100, 0).0.len(), TABLES);
        for number in 1..=TABLES as u64 {
            hints.done(table(number), 0);
        }
        assert_eq!(hints.due(DATABASE, 100, 0), (vec![], false));
        hints.note(table(1000), 100);
        assert_eq!(hints.due(DATABASE, 100, 0).0, [Oid::from_u32(1000)]);
    }

    #[test]
    fn a_database_is_searched_once() {
        let hints = Leftovers::new();
        assert!(hints.begin_search(5));
        assert!(!hints.begin_search(5));
        assert!(hints.begin_search(6));
    }
}
