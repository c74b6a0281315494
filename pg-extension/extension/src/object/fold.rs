//! Folding: the slices of an object that nobody uses any more are merged into the slice in slot 0.
//!
//! Touches the slice table only, never a user's row, so it cannot fail anybody's transaction: a snapshot from
//! before sees the old slices, one from after sees slot 0. It takes the Add lock (never waiting), since it
//! changes the parts and not the value: writers of the object go on beside it.

use crate::aggregate::{Family, Structure};
use crate::error::Error;
use crate::lock::{self, Guard, Mode, Purpose, Tag};
use crate::numeric;
use crate::object::contention;
use crate::object::slice_table::{Change, Content, Found, Slice, SliceTable};
use crate::owner;
use crate::shared_memory::FIGURES;
use crate::statistics;
use crate::varlena::{bytea_of, content_of};
use abelian_adt::counter::folded_after;
use pgrx::pg_sys::Oid;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The slot that collects folded slices; backends' slots start at 1.
pub const FOLDED: i32 = 0;

/// So many slices of an object that is in use are worth a new version of what has been folded, if that has at most so many bytes, or they have at least such
/// a part of it. Meanwhile the object is held against those who overwrite it, and those who bound its size.
const WORTH_FOLDING: usize = 4;
const SMALL_BYTES: usize = 1 << 16;
const WORTH_PART: usize = 8;

/// An object that has slices outside slot 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Split {
    /// The object.
    pub id: i64,
    parts: Parts,
}

/// How others are kept from adding up the parts of an object, or from meeting them, while they are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Parts {
    /// Numbers, which are written without waiting.
    Numbers,
    /// Sets, which rows may bound.
    Sets,
    /// Nobody adds them up, and merging calls functions that may be users'.
    Others,
}

impl Split {
    /// Whether nobody was seen to use it lately.
    pub fn is_idle(&self) -> bool {
        contention::is_idle(self.id)
    }

    /// Whether its slices may be worth folding although it is in use.
    pub fn is_mostly_unchanged(&self) -> bool {
        contention::is_mostly_unchanged(self.id)
    }
}

impl Parts {
    fn of(content: &Content) -> Self {
        match content {
            Content::Counter(_) | Content::Decimal(_) => Parts::Numbers,
            Content::State(type_, _) if is_set(*type_) => Parts::Sets,
            Content::State(..) => Parts::Others,
        }
    }
}

/// Some of them, found among at most so many slices; those of transactions under way too, so that the worker does not leave
/// before they have ended.
pub fn split_objects(most_slices: usize) -> Result<BTreeSet<Split>, Error> {
    let table = SliceTable::for_reading()?;
    let left = Cell::new(most_slices);
    let found = table.newest_where(&|slice| {
        let take = slice.slot != FOLDED && left.get() > 0;
        left.set(left.get() - usize::from(take));
        take
    })?;
    let split = |row: &Found| Split {
        id: row.slice.object.id,
        parts: Parts::of(&row.slice.content),
    };
    Ok(found.iter().map(split).collect())
}

/// Whether the type's functions are those of sets, which rows may bound.
fn is_set(type_: Oid) -> bool {
    Family::of(type_).is_some_and(|family| family.structure == Some(Structure::Set))
}

/// All objects of one table that have slices.
pub fn split_in(relation: Oid) -> Result<BTreeSet<i64>, Error> {
    let found =
        SliceTable::for_reading()?.newest_where(&|slice| slice.object.relation == relation)?;
    Ok(found.iter().map(|row| row.slice.object.id).collect())
}

/// All tables that have objects with slices, by their numbers.
pub fn split_relations() -> Result<BTreeSet<u32>, Error> {
    let found = SliceTable::for_reading()?.newest_where(&|_| true)?;
    let relations = found.iter().map(|row| row.slice.object.relation);
    Ok(relations.map(Oid::to_u32).collect())
}

/// Folds one object that is idle, or that has several slices although most operations on it change nothing, unless somebody overwrites it; tells whether
/// nothing is left to fold.
pub fn fold(split: Split) -> Result<bool, Error> {
    let id = split.id;
    let is_idle = split.is_idle();
    if (!is_idle && !split.is_mostly_unchanged()) || !lock::lock(Tag::Object(id), Mode::Add, false)
    {
        return Ok(false);
    }
    let table = SliceTable::for_writing()?;
    let Some(_unobserved) = unobserved(split) else {
        return Ok(false);
    };
    let found = table.newest(id, None)?;
    let (folded, others): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|row| row.slice.slot == FOLDED);
    let is_taken = folded.iter().any(|row| row.holder.is_some());
    if is_taken || (!is_idle && !is_worth_it(&folded, &others)) {
        return Ok(false);
    }
    let folded = folded.first().map(|row| row.slice);
    match others.first().map(|row| row.slice) {
        // The functions of the type run for the owner of the table. The sums of counters are PostgreSQL's own.
        Some(slice) if matches!(slice.content, Content::State(..)) => {
            match owner::owner_of(slice.object.relation) {
                Some(owner) => owner::work_as(owner, || merge_all(&table, folded, &others)),
                None => Ok(true), // the table is gone
            }
        }
        _ => merge_all(&table, folded, &others),
    }
}

/// Whether slices of an object in use are to be folded.
fn is_worth_it(folded: &[Found], others: &[Found]) -> bool {
    let bytes = |rows: &[Found]| {
        rows.iter()
            .map(|row| row.slice.content.size())
            .sum::<usize>()
    };
    let folded = bytes(folded);
    others.len() >= WORTH_FOLDING && (folded <= SMALL_BYTES || bytes(others) >= folded / WORTH_PART)
}

/// Takes slices into the folded one; tells whether it took them all.
fn merge_all(table: &SliceTable, folded: Option<Slice>, others: &[Found]) -> Result<bool, Error> {
    // What has been folded may be large: it is copied once, at the end.
    let (mut sum, states) = match folded.map(|slice| slice.content) {
        Some(states @ Content::State(..)) => (None, Some(states)),
        numbers => (numbers, None),
    };
    let mut removed = 0;
    let mut object = None;
    for Found { slice, holder, .. } in others {
        let merged = merge(sum, slice.content)?;
        if holder.is_some() || merged.is_none() || table.delete(slice)? != Change::Done {
            continue;
        }
        sum = merged;
        object = Some(slice.object);
        removed += 1;
    }
    if let (Some(object), Some(sum)) = (object, sum) {
        let of_two_types = || Error::Internal("slices of different types".into());
        let sum = merge(states, sum)?.ok_or_else(of_two_types)?;
        store(table, folded, object, sum)?;
        statistics::count(&FIGURES.get().folds, 1);
        statistics::count(&FIGURES.get().slices_folded, removed);
    }
    Ok(removed as usize == others.len())
}

/// Who adds up the parts of a bounded object must not meet them on their way from one slice to another. `None`: somebody adds them up.
fn unobserved(split: Split) -> Option<Option<Guard>> {
    match split.parts {
        Parts::Others => Some(None),
        parts => Guard::try_begin(parts == Parts::Sets, split.id, Purpose::AddUp).map(Some),
    }
}

/// The folded slice after taking in another; `None` if it would leave its zone.
fn merge(folded: Option<Content>, slice: Content) -> Result<Option<Content>, Error> {
    Ok(match (folded, slice) {
        (None, content) => Some(content),
        (Some(Content::Counter(folded)), Content::Counter(delta)) => {
            folded_after(folded, delta).map(Content::Counter)
        }
        (Some(Content::Decimal(folded)), Content::Decimal(amount)) => {
            Some(Content::Decimal(numeric::add(folded, amount)?))
        }
        (Some(Content::State(type_, folded)), Content::State(other, state)) if type_ == other => {
            let family = Family::required(type_)?;
            let state = family.merged(&content_of(folded), &content_of(state))?;
            Some(Content::State(type_, bytea_of(&state)))
        }
        _ => None,
    })
}

/// Slot 0 is written under the Add lock by the one folding worker of the database alone, and found free above.
fn store(
    table: &SliceTable,
    folded: Option<Slice>,
    object: super::Object,
    sum: Content,
) -> Result<(), Error> {
    let nothing = matches!(sum, Content::Counter(0));
    let done = match folded {
        Some(slice) if nothing => table.delete(&slice)?,
        Some(mut slice) => table.update(&mut slice, sum)?,
        None => {
            let is_alone = nothing || table.insert(&object, FOLDED, sum)?.is_some();
            if is_alone {
                Change::Done
            } else {
                Change::Taken
            }
        }
    };
    if done == Change::Done {
        Ok(())
    } else {
        // Ends the worker's transaction: the deletions are undone.
        Err(Error::Internal(
            "the folded slice changed under the Add lock".into(),
        ))
    }
}
