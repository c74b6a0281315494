//! Slices whose row is gone. Whoever knows the rows tells which objects those are; here are the slices.

use crate::error::Error;
use crate::identity::{ById, Object};
use crate::object::slice_table::{Change, SliceTable};
use crate::shared_memory::FIGURES;
use crate::statistics;
use pgrx::pg_sys::{self, Oid};
use std::collections::{BTreeMap, HashSet};

/// Objects looked for in one pass over a table.
const MOST: usize = 1_000_000;

/// The column that an object is said to be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub attribute: i16,
    /// Of an object whose type is over an aggregate: that type.
    pub type_: Option<Oid>,
}

/// Objects of a table that have slices.
#[derive(Default)]
pub struct Candidates {
    /// Where each is.
    pub objects: ById<Place>,
    /// Objects with greater ids remain.
    pub more_after: Option<i64>,
}

/// The objects of a table with ids above `after` that have slices which `snapshot` shows, those with the lowest ids first.
///
/// # Safety
/// `snapshot` must be valid.
pub unsafe fn candidates(
    relation: Oid,
    after: i64,
    snapshot: pg_sys::Snapshot,
) -> Result<Candidates, Error> {
    let mut found = BTreeMap::new();
    let mut more_after = None;
    let mut note = |object: Object, type_| {
        if object.relation == relation && object.id > after {
            let attribute = object.attribute;
            found.insert(object.id, Place { attribute, type_ });
            if found.len() > MOST {
                found.pop_last();
                more_after = found.last_key_value().map(|(id, _)| *id);
            }
        }
    };
    // SAFETY: by the caller.
    unsafe { SliceTable::for_reading()?.scan_objects(snapshot, &mut note)? };
    Ok(Candidates {
        objects: found.into_iter().collect(),
        more_after,
    })
}

/// The tables of which there are slices, as far as a new snapshot shows.
pub fn tables() -> Result<HashSet<Oid>, Error> {
    let mut found = HashSet::new();
    let slices = SliceTable::for_reading()?; // There is none where the extension was not created.
    // SAFETY: inside a transaction; the snapshot is given back.
    unsafe {
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let scanned = slices.scan_objects(snapshot, &mut |object, _| {
            found.insert(object.relation);
        });
        pg_sys::UnregisterSnapshot(snapshot);
        scanned?;
    }
    Ok(found)
}

/// Removes the slices of objects that are in no row, and tells how many. What somebody is at stays for the next time.
pub fn remove(objects: &[i64]) -> Result<i64, Error> {
    let table = SliceTable::for_writing()?;
    let mut removed = 0;
    for object in objects {
        for row in table.newest(*object, None)? {
            if row.holder.is_none() && table.delete(&row.slice)? == Change::Done {
                removed += 1;
            }
        }
        pgrx::check_for_interrupts!();
    }
    statistics::count(&FIGURES.get().orphans_collected, removed);
    Ok(removed)
}
