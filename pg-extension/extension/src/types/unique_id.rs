//! `abelian.unique_id`: numbers that are given out once, by `abelian.draw(c)`.
//!
//! A number comes from a sequence of the database, and from the lane of this node (`abelian_adt::unique_id`), so that nobody else has it or
//! will have it, whoever waits for nobody and whatever is rolled back. What the column keeps is one of them: the greatest that was merged.

use super::aggregated::{self, Aggregated};
use crate::aggregate::Family;
use crate::error::Error;
use crate::object;
use crate::pg_function;
use abelian_adt::unique_id::{Allocator, Exhausted, Lane};
use pgrx::pg_sys;
use std::ffi::CStr;

/// The lane of this node: that of its number in the cluster, the first if there is none.
fn lane() -> Result<Lane, Exhausted> {
    // SAFETY: the setting is ours; its text is PostgreSQL's, and read at once.
    let text = unsafe {
        let text = pg_sys::GetConfigOption(c"abelian.node_id".as_ptr(), true, false);
        if text.is_null() {
            String::new()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    };
    let node: u32 = text.parse().unwrap_or(0);
    Lane::new(node.saturating_sub(1)).ok_or(Exhausted)
}

/// A number that nobody else has.
fn number(family: &Family) -> Result<i64, Error> {
    let sequence = family.numbers.ok_or(Error::NotAggregated)?;
    // SAFETY: the type's label names a sequence.
    let position = unsafe { object::nextval(sequence) };
    let mut left = Allocator::stored(position).ok_or(Exhausted)?;
    let drawn = left.take(lane()?, 1)?.draw();
    Ok(drawn.ok_or(Exhausted)?)
}

pg_function!(
    /// A number of its own, whatever the column has.
    fn abelian_unique_id_draw(call) {
        let family = aggregated::family_of(call)?;
        // A number that is passed by value is kept as these bytes.
        let state = number(&family)?.to_ne_bytes().to_vec();
        Ok(Aggregated::unidentified(family, state).into_datum())
    }
);
