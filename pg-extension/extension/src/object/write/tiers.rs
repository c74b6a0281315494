//! Slices of states that grow, such as those of sets: what a backend has added lately is in a small slice, which is passed on to a larger one
//! when it is full, and so on. Each tier has many times the room of the one before.
//!
//! So an operation rewrites a small row where it is. Otherwise all that its backend has ever added would be compressed and stored apart once more
//! for each operation. What an element costs grows with the number of tiers and not with that of elements, as in a log-structured merge-tree
//! (O'Neil, Cheng, Gawlick, O'Neil 1996). Whoever reads adds up all parts, so it does not matter in which of them anything lies.

use super::{Merged, free_slice, merge_into, own_slots, replace};
use crate::aggregate::Family;
use crate::error::Error;
use crate::object::Delta;
use crate::object::slice_table::{Content, Slice, SliceTable};
use crate::varlena::{bytea_of, content_of};
use pgrx::pg_sys::{self, Datum};

/// The room of each tier in bytes; a backend's slots beyond these have as much as a slice may have. PostgreSQL compresses rows of more than
/// 2 kB and stores them apart, and several versions of a row should have room in its page.
const ROOM: [usize; 3] = [SMALL, 1 << 15, 1 << 20];

/// The room of the first tier.
pub const SMALL: usize = 1 << 10;

/// What is passed on is worth it if it is so many times as large as the change that had no room.
const WORTH_PASSING_ON: usize = 4;

/// How many of its further slots a backend tries.
const MOST_SLOTS: usize = 4;

/// A change for which a slice has no room.
pub struct Spill<'a> {
    family: &'a Family,
    change: &'a [u8],
    /// What is in the slice without it.
    before: Datum,
    tier: usize,
}

/// The change, if `merged` has become too large for the slice.
pub fn spill<'a>(slice: &Slice, delta: Delta<'a>, merged: &Content) -> Option<Spill<'a>> {
    let (Delta::State(family, change), Content::State(_, before)) = (delta, slice.content) else {
        return None;
    };
    // What is shared is the first slice of some backend.
    let tier = own_slots().position(|slot| slot == slice.slot).unwrap_or(0);
    let is_full = merged.size() > *ROOM.get(tier)?;
    let is_worth_it = slice.content.size() >= WORTH_PASSING_ON * change.len();
    (is_full && is_worth_it).then_some(Spill {
        family,
        change,
        before,
        tier,
    })
}

/// Leaves only the change in the slice, and merges what was there into the backend's next slot that can be used. If there is none, the slice takes
/// `merged`, the whole. Gives the slice's place, or `None` if somebody else is at it.
pub fn pass_on(
    table: &SliceTable,
    slice: Slice,
    spill: Spill<'_>,
    merged: Content,
) -> Result<Option<pg_sys::ItemPointerData>, Error> {
    let Spill {
        family,
        change,
        before,
        tier,
    } = spill;
    // First, since it may turn out that somebody else is at it.
    let alone = Content::State(family.type_, bytea_of(change));
    let Some(place) = replace(table, slice, alone)? else {
        return Ok(None);
    };
    let before = content_of(before);
    for slot in own_slots().skip(tier + 1).take(MOST_SLOTS) {
        let Some(next) = free_slice(table, &slice.object, slot)? else {
            continue;
        };
        let delta = Delta::State(family, &before);
        match merge_into(table, &slice.object, slot, next, delta)? {
            Merged::At(_) | Merged::AsItWas => return Ok(Some(place)),
            Merged::Unusable | Merged::TooLarge => {}
        }
    }
    // SAFETY: inside a transaction. What a command has written, only a later one can change.
    unsafe { pg_sys::CommandCounterIncrement() };
    match replace(table, Slice { place, ..slice }, merged)? {
        Some(place) => Ok(Some(place)),
        None => Err(Error::Internal(
            "a slice of this transaction is another's".into(),
        )),
    }
}
