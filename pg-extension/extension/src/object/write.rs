//! Changing slices: adding to one's own, discarding those of an object.

use crate::error::Error;
use crate::object::slice_table::{Change, Content, Slice, SliceTable, dirty_snapshot};
use crate::object::statistics::count;
use crate::object::{Delta, Object, read};
use crate::shared_memory::FIGURES;
use crate::types::decimal_counter;
use abelian_adt::counter::{SLOTS, base_is_central, slice_after};
use pgrx::pg_sys;

/// What became of an operation offered to the slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It is in a slice of this transaction.
    Added,
    /// It has to be done in the row (no identity yet, or too large to be summed apart): rewrite the row with
    /// the in-place function, waiting for the row lock.
    InPlace,
}

/// Adds to a slice of the object that no other running transaction uses.
///
/// The caller holds the Add lock on the object (or a stronger one), has made sure that the row is still there
/// with this object in it, and passes the base (counters only) of the row's newest version.
/// Never waits. The change is visible to the transaction's own later commands.
pub fn add(object: &Object, base: Option<i64>, delta: Delta) -> Result<Outcome, Error> {
    if object.id == 0 || base.is_some_and(|base| !base_is_central(base)) {
        return Ok(Outcome::InPlace);
    }
    let table = SliceTable::for_writing()?;
    for slot in own_slots() {
        match add_to_slot(&table, object, slot, delta)? {
            Some(outcome) => return Ok(outcome),
            None => {
                pgrx::check_for_interrupts!();
            }
        }
    }
    Ok(Outcome::InPlace)
}

/// The slots of this backend, in the order of preference: apart from those of every other backend that runs now.
/// More than one is used only where a prepared transaction keeps an earlier one, or an older snapshot does not
/// see the last writer of it.
fn own_slots() -> impl Iterator<Item = i32> {
    // SAFETY: constant after start; a backend's number is unique among the running ones and starts at 1.
    let (me, all) = unsafe { (read::backend_number(), pg_sys::MaxBackends) };
    (0..)
        .map(move |n| me + n * all)
        .take_while(|slot| *slot < SLOTS)
}

/// `None`: this slot cannot be used, try the next.
fn add_to_slot(
    table: &SliceTable,
    object: &Object,
    slot: i32,
    delta: Delta,
) -> Result<Option<Outcome>, Error> {
    let Ok(newest) = table.newest(object.id, slot)? else {
        return Ok(None);
    };
    let Some(slice) = newest else {
        let Some(content) = sum(None, delta)? else {
            return Ok(Some(Outcome::InPlace));
        };
        table.insert(object, slot, content);
        count(&FIGURES.get().slices_created, 1);
        count(&FIGURES.get().in_slices, 1);
        return Ok(Some(Outcome::Added));
    };
    if !writer_is_visible(&slice) {
        return Ok(None);
    }
    let Some(content) = sum(Some(slice.content), delta)? else {
        return Ok(Some(Outcome::InPlace));
    };
    let mut done = table.update(&slice, content)?;
    if done == Change::OwnCommand {
        // SAFETY: makes this command's earlier change of the same slice visible to the one that follows.
        unsafe { pg_sys::CommandCounterIncrement() };
        done = table.update(&slice, content)?;
    }
    if done != Change::Done {
        return Ok(None);
    }
    count(&FIGURES.get().in_slices, 1);
    Ok(Some(Outcome::Added))
}

/// A version that the transaction's snapshot does not see must not be replaced by one that it does see: the
/// transaction would read the other's additions with its own. (READ COMMITTED takes a new snapshot soon.)
fn writer_is_visible(slice: &Slice) -> bool {
    // SAFETY: inside a transaction; the snapshot is the transaction's own.
    unsafe {
        if pg_sys::XactIsoLevel < pg_sys::XACT_REPEATABLE_READ as i32
            || pg_sys::TransactionIdIsCurrentTransactionId(slice.writer)
        {
            return true;
        }
        !pg_sys::XidInMVCCSnapshot(slice.writer, pg_sys::GetTransactionSnapshot())
    }
}

fn sum(slice: Option<Content>, delta: Delta) -> Result<Option<Content>, Error> {
    Ok(match (slice, delta) {
        (None, Delta::Counter(delta)) => slice_after(0, delta).map(Content::Counter),
        (Some(Content::Counter(slice)), Delta::Counter(delta)) => {
            slice_after(slice, delta).map(Content::Counter)
        }
        (None, Delta::Decimal(delta)) => Some(Content::Decimal(delta)),
        (Some(Content::Decimal(slice)), Delta::Decimal(delta)) => {
            Some(Content::Decimal(decimal_counter::add(slice, delta)?))
        }
        _ => {
            return Err(Error::Internal(
                "slice and operation are of different types".into(),
            ));
        }
    })
}

/// Removes all slices of an object: it was overwritten or deleted, or its slices were taken into the base.
/// The caller holds the Overwrite lock on it.
pub fn discard(id: i64) -> Result<(), Error> {
    if id == 0 {
        return Ok(());
    }
    let table = SliceTable::for_writing()?;
    let mut dirty = dirty_snapshot();
    let mut slices = Vec::new();
    table.scan_object(id, None, &mut dirty, &mut |slice| {
        slices.push(slice);
        Ok(())
    })?;
    for slice in slices {
        let mut done = table.delete(&slice)?;
        if done == Change::OwnCommand {
            // SAFETY: as in `add_to_slot`.
            unsafe { pg_sys::CommandCounterIncrement() };
            done = table.delete(&slice)?;
        }
        if done != Change::Done {
            return Err(Error::Internal(
                "a slice changed under the Overwrite lock".into(),
            ));
        }
    }
    Ok(())
}
