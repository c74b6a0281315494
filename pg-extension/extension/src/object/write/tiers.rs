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
use pgrx::pg_sys;

/// The room of each tier in bytes; a backend's slots beyond these have as much as a slice may have. PostgreSQL compresses rows of more than
/// 2 kB and stores them apart, and several versions of a row should have room in its page.
const ROOM: [usize; 3] = [1 << 10, 1 << 15, 1 << 20];

/// What is passed on is worth it if it is so many times as large as the change that had no room.
const WORTH_PASSING_ON: usize = 4;

/// How many of its further slots a backend tries.
const MOST_SLOTS: usize = 4;

/// A change for which a slice has no room.
pub struct Overflow<'a> {
    family: &'a Family,
    change: &'a [u8],
    tier: usize,
}

/// The room of the first tier.
pub const SMALL: usize = ROOM[0];

fn size_of(state: pg_sys::Datum) -> usize {
    // SAFETY: slices hold detoasted states.
    unsafe { pgrx::varsize_any_exhdr(state.cast_mut_ptr()) }
}

/// The change, if `merged` has become too large for the slice.
pub fn overflow<'a>(slice: &Slice, delta: Delta<'a>, merged: &Content) -> Option<Overflow<'a>> {
    let (Delta::State(family, change), Content::State(_, before), Content::State(_, merged)) =
        (delta, &slice.content, merged)
    else {
        return None;
    };
    let mut tiers = own_slots().take(ROOM.len() + MOST_SLOTS);
    // One that another backend has made is shared as long as it is small.
    let tier = tiers.position(|slot| slot == slice.slot).unwrap_or(0);
    let is_full = size_of(*merged) > *ROOM.get(tier)?;
    let is_worth_it = size_of(*before) >= WORTH_PASSING_ON * change.len();
    (is_full && is_worth_it).then_some(Overflow {
        family,
        change,
        tier,
    })
}

/// Leaves the change alone in the slice and merges what was there into the backend's next slot that can be used; if there is none, into the slice, as `merged`
/// has it. Gives the place of the slice, or `None` if somebody else is at it.
pub fn pass_on(
    table: &SliceTable,
    slice: Slice,
    overflow: Overflow<'_>,
    merged: Content,
) -> Result<Option<pg_sys::ItemPointerData>, Error> {
    let Overflow {
        family,
        change,
        tier,
    } = overflow;
    let Content::State(type_, before) = slice.content else {
        return replace(table, slice, merged);
    };
    // First, since it may turn out that somebody else is at it.
    let alone = Content::State(type_, bytea_of(change));
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
    match replace(table, Slice { place, ..slice }, merged)? {
        Some(place) => Ok(Some(place)),
        None => Err(Error::Internal(
            "a slice of this transaction is another's".into(),
        )),
    }
}
