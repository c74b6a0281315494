//! Objects: identity, slices, reading, folding, contention.
//!
//! An object is the content of one Abelian column in one row. Its datum holds an id and a base; while writers
//! contend, they add to slices instead of the base. Slices are rows of `abelian.slice`, so MVCC, WAL, savepoints
//! and prepared transactions apply to them as to any row. The safety argument is in `docs/design/objects.md`.

pub mod attempt;
mod cleanup;
pub mod contention;
mod databases;
mod escrow;
mod fold;
pub mod folding;
pub mod leftovers;
pub mod orphans;
mod overwritten;
mod read;
pub mod remembered;
mod slice_table;
pub mod split_set;
pub mod worker;
mod write;

pub use escrow::{Outlook, Watch};
pub use fold::{split_in, split_relations};
pub use overwritten::discard_when_finished;
pub use read::{
    SliceTableSize, Slices, before_read, may_have_slices, newest, reads_are_watched,
    slice_table_size, visible, visible_to, watch_reads, with_slices,
};
pub use write::{Outcome, add, discard, leave};

use crate::aggregate::Family;
use crate::boundary::functions;
use crate::catalog::{self, Catalog};
use crate::error::Error;
pub use crate::identity::Object;
use pgrx::pg_sys::{Datum, Oid};

/// A change of an object.
#[derive(Clone, Copy, Debug)]
pub enum Delta<'a> {
    /// Of a counter.
    Counter(i64),
    /// Of a decimal counter: a `numeric`.
    Decimal(Datum),
    /// Of an object whose type is over an aggregate: that type, and the state to be merged.
    State(&'a Family, &'a [u8]),
    /// Of one whose size is bounded. It stays in one slice: what moves between two counts as uncertain in both.
    SizedState(&'a Family, &'a [u8]),
}

/// Whether values of this type are objects.
pub fn is_object_type(catalog: &Catalog, type_: Oid) -> bool {
    catalog.is_counter_type(type_)
        || type_ == catalog.decimal_counter
        || Family::of(type_).is_some()
}

/// A new identity.
pub fn new_id() -> Result<i64, Error> {
    let sequence = catalog::get()?.object_id;
    // SAFETY: the sequence exists.
    Ok(unsafe { nextval(sequence) })
}

/// The next value of one of our sequences, without permission check, since every user may store objects.
///
/// # Safety
/// `sequence` must be the oid of a sequence.
pub unsafe fn nextval(sequence: Oid) -> i64 {
    // SAFETY: by the caller.
    unsafe { functions::nextval_internal(sequence, false) }
}

/// Registers callbacks and the folding worker; called once when the library is loaded.
pub fn install() {
    read::install();
    overwritten::install();
    cleanup::install();
    remembered::install();
    worker::install();
}
