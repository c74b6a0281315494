//! Whether anything is placed. DDL has nothing to do with routers' knowledge while nothing is: every statement goes to the first node, whatever
//! its names mean.
//!
//! What is placed for the first time must not overlook DDL that is under way. Most of it holds locks on the relations whose names it
//! changes, which the analysis of a statement waits for. The rest holds the placement: a change of it waits until they have ended.

use super::postgres;
use crate::pg_function;
use pgrx::pg_sys;

pg_function!(
    /// `abelian.anything_placed(hold)`: whether a table or procedure has a placement; if none has, with `hold` none gets one until the end of the
    /// transaction. Leaves no lock on a table.
    fn abelian_anything_placed(call) {
        let mut placed = is_anything_placed();
        if !placed && call.arg(0).value() != 0 {
            lock(pg_sys::ShareLock);
            placed = is_anything_placed();
            if placed {
                release(pg_sys::ShareLock); // A change of the placement takes more than that, and must not come to wait for who waits for this.
            }
        }
        Ok(pg_sys::Datum::from(placed))
    }
);

/// Waits for those who hold the placement, and keeps others from it until the end of the transaction.
pub fn begin_change() {
    lock(pg_sys::ExclusiveLock);
}

fn is_anything_placed() -> bool {
    [c"placement", c"procedure"].into_iter().any(|table| {
        let mut found = false;
        // SAFETY: no column is read.
        unsafe { postgres::each_row(table, 0, &mut |_| found = true) };
        found
    })
}

/// Locks the placement as such; nobody locks this object for anything else.
fn lock(mode: u32) {
    let object = postgres::own_relation(c"cluster");
    // SAFETY: inside a transaction, which releases the lock.
    unsafe {
        pg_sys::LockDatabaseObject(
            pg_sys::RelationRelationId,
            object,
            0,
            mode as pg_sys::LOCKMODE,
        );
    }
}

/// Takes back one [`lock`].
fn release(mode: u32) {
    let object = postgres::own_relation(c"cluster");
    // SAFETY: the transaction holds it.
    unsafe {
        let mode = mode as pg_sys::LOCKMODE;
        pg_sys::UnlockDatabaseObject(pg_sys::RelationRelationId, object, 0, mode);
    }
}
