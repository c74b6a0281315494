//! Reading slices: what a snapshot sees of an object.

use crate::error::Error;
use crate::object::slice_table::{Content, SliceTable};
use crate::types::decimal_counter;
use pgrx::pg_sys::{self, Datum};

/// All slices of an object that were visible, summed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slices {
    /// How many there were; 0 means that the object is not split.
    pub count: u32,
    delta: i64,
    amount: Option<Datum>,
}

impl Slices {
    /// Their sum, for a counter.
    pub fn counter(&self) -> i64 {
        self.delta
    }

    /// Their sum, for a decimal counter: a `numeric`, or `None` without slices.
    pub fn decimal(&self) -> Option<Datum> {
        self.amount
    }

    fn include(&mut self, content: Content) -> Result<(), Error> {
        self.count += 1;
        match content {
            // Cannot overflow: every slice is inside its zone.
            Content::Counter(delta) => {
                self.delta = self.delta.checked_add(delta).ok_or(Error::OutOfRange)?;
            }
            Content::Decimal(amount) => {
                self.amount = Some(match self.amount {
                    None => decimal_counter::copy(amount),
                    Some(sum) => decimal_counter::add(sum, amount)?,
                });
            }
        }
        Ok(())
    }
}

/// What the active snapshot sees.
pub fn visible(id: i64) -> Result<Slices, Error> {
    // SAFETY: inside a transaction; where no snapshot is active, a fresh one is for as long as we need it.
    unsafe {
        if pg_sys::ActiveSnapshotSet() {
            return visible_to(id, pg_sys::GetActiveSnapshot());
        }
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let slices = visible_to(id, pg_sys::GetActiveSnapshot());
        pg_sys::PopActiveSnapshot();
        slices
    }
}

/// What everything committed and this transaction's own work amount to, this command's included.
pub fn newest(id: i64) -> Result<Slices, Error> {
    // SAFETY: inside a transaction; the snapshot is popped again (or by the abort).
    unsafe {
        pg_sys::CommandCounterIncrement();
        pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        let slices = visible_to(id, pg_sys::GetActiveSnapshot());
        pg_sys::PopActiveSnapshot();
        slices
    }
}

/// What a given snapshot sees.
pub fn visible_to(id: i64, snapshot: pg_sys::Snapshot) -> Result<Slices, Error> {
    let mut slices = Slices::default();
    if id == 0 {
        return Ok(slices);
    }
    let table = SliceTable::for_reading()?;
    table.scan_object(id, None, snapshot, &mut |slice| {
        slices.include(slice.content)
    })?;
    Ok(slices)
}

/// This backend's number among the running ones, from 1.
///
/// # Safety
/// Only in a process that runs transactions.
pub unsafe fn backend_number() -> i32 {
    // SAFETY: by the caller.
    unsafe {
        #[cfg(not(any(feature = "pg17", feature = "pg18")))]
        return pg_sys::MyBackendId;
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return pg_sys::MyProcNumber + 1;
    }
}

/// Registers what invalidates the backend's cache; called once when the library is loaded.
pub fn install() {}
