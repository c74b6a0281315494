//! Changing slices: adding to one, discarding those of an object.

mod tiers;

use crate::aggregate::Family;
use crate::backend;
use crate::error::Error;
use crate::harmless;
use crate::numeric;
use crate::object::fold::FOLDED;
use crate::object::slice_table::{Change, Content, Found, Slice, SliceTable};
use crate::object::{Delta, Object, contention, leftovers, split_set, worker};
use crate::settings::{self, Split};
use crate::shared_memory::FIGURES;
use crate::statistics::count;
use crate::varlena::{bytea_of, content_of};
use abelian_adt::counter::{SLOTS, base_is_central, slice_after};
use pgrx::pg_sys;
use std::cell::Cell;
use std::ptr::null_mut;

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
pub fn add(object: &Object, base: Option<i128>, delta: Delta<'_>) -> Result<Outcome, Error> {
    let too_large = base.is_some_and(|base| !base_is_central(base));
    if object.id == 0 || too_large || settings::SPLIT.get() == Split::Never {
        return Ok(Outcome::InPlace);
    }
    let table = SliceTable::for_writing()?;
    if let Some(slice) = last_written(&table, object.id)
        && add_to(&table, object, slice.slot, Some(slice), delta)? == Some(Outcome::Added)
    {
        return Ok(Outcome::Added);
    }
    if add_to_last_slot(&table, object, delta)? || add_to_present(&table, object, delta)? {
        return Ok(Outcome::Added);
    }
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

/// Where this backend wrote a slice last. Only a guess: what is there now is looked at.
#[derive(Clone, Copy)]
struct Written {
    object: i64,
    slot: i32,
    place: pg_sys::ItemPointerData,
}

/// Objects whose last place is remembered; two with the same remainder displace each other.
const REMEMBERED: usize = 64;

thread_local! {
    static WRITTEN: [Cell<Option<Written>>; REMEMBERED] =
        const { [const { Cell::new(None) }; REMEMBERED] };
}

fn remember(object: i64, slot: i32, place: pg_sys::ItemPointerData) {
    let written = Written {
        object,
        slot,
        place,
    };
    WRITTEN.with(|all| all[object as usize % REMEMBERED].set(Some(written)));
}

/// The slice that this backend wrote last for the object, if it can be used again. There is no other live row of this
/// slot then, since the index is unique.
fn last_written(table: &SliceTable, object: i64) -> Option<Slice> {
    let written = WRITTEN.with(|all| all[object as usize % REMEMBERED].get())?;
    let slice = (written.object == object)
        .then(|| table.at(written.place, object, written.slot))
        .flatten()?;
    // Another backend's may have grown since.
    (is_own(slice.slot) || slice.content.size() <= tiers::SMALL).then_some(slice)
}

/// Adds where this transaction has added before, although what it wrote there last was undone with a savepoint. In one slot its steps are states of one
/// number; in two, escrow would reckon with combinations that never were, and let others wait for them.
fn add_to_last_slot(table: &SliceTable, object: &Object, delta: Delta<'_>) -> Result<bool, Error> {
    let written = WRITTEN.with(|all| all[object.id as usize % REMEMBERED].get());
    // What is in its first slot, the backend finds anyway.
    let is_further =
        |last: &Written| last.object == object.id && own_slots().next() != Some(last.slot);
    let Some(last) = written.filter(is_further) else {
        return Ok(false);
    };
    // SAFETY: inside a transaction.
    let is_ours =
        |slice: &Slice| unsafe { harmless::TransactionIdIsCurrentTransactionId(slice.writer) };
    match free_slice(table, object, last.slot)?
        .flatten()
        .filter(is_ours)
    {
        Some(slice) => {
            let outcome = add_to(table, object, slice.slot, Some(slice), delta)?;
            Ok(outcome == Some(Outcome::Added))
        }
        None => Ok(false),
    }
}

fn is_own(slot: i32) -> bool {
    // SAFETY: as in `own_slots`.
    let (me, all) = unsafe { (backend::number(), pg_sys::MaxBackends) };
    (slot - me) % all == 0
}

/// Whether it is the first slot of some backend. Larger tiers are not shared.
fn is_first(slot: i32) -> bool {
    // SAFETY: as in `own_slots`.
    slot != FOLDED && slot <= unsafe { pg_sys::MaxBackends }
}

/// The slots in which this backend may make slices, in the order of preference. No other running backend has them. States use one for each tier;
/// beyond that, more than one is used only where another transaction is at the earlier ones, or an older snapshot does not see their last writer.
fn own_slots() -> impl Iterator<Item = i32> {
    // SAFETY: constant after start; a backend's number is unique among the running ones and starts at 1.
    let (me, all) = unsafe { (backend::number(), pg_sys::MaxBackends) };
    (0..)
        .map(move |n| me + n * all)
        .take_while(|slot| *slot < SLOTS)
}

/// Adds to the backend's first slice, if it has made one, or to one that another backend has made and that nobody is at. False if none of them can be
/// used, or has room.
fn add_to_present(table: &SliceTable, object: &Object, delta: Delta<'_>) -> Result<bool, Error> {
    if let Some(slot) = own_slots().next()
        && let Some(slice @ Some(_)) = free_slice(table, object, slot)?
        && add_to(table, object, slot, slice, delta)? == Some(Outcome::Added)
    {
        return Ok(true);
    }
    let is_usable = |slice: &Slice| is_first(slice.slot) && writer_is_visible(slice);
    match table.find_free(object.id, tiers::SMALL, &is_usable)? {
        Some(slice) => {
            let outcome = add_to(table, object, slice.slot, Some(slice), delta)?;
            Ok(outcome == Some(Outcome::Added))
        }
        None => Ok(false),
    }
}

/// `None`: this slot cannot be used, try the next.
fn add_to_slot(
    table: &SliceTable,
    object: &Object,
    slot: i32,
    delta: Delta<'_>,
) -> Result<Option<Outcome>, Error> {
    match free_slice(table, object, slot)? {
        Some(slice) => add_to(table, object, slot, slice, delta),
        None => Ok(None),
    }
}

/// The newest version of the slot's row, if there is a row; `None` if another transaction is at it.
fn free_slice(
    table: &SliceTable,
    object: &Object,
    slot: i32,
) -> Result<Option<Option<Slice>>, Error> {
    let found = table.newest(object.id, Some(slot))?;
    let is_free = found.iter().all(|row| row.holder.is_none());
    Ok(is_free.then(|| found.first().map(|row| row.slice)))
}

/// As [`add_to_slot`], to the newest version of the slot's row, at which no other transaction is.
fn add_to(
    table: &SliceTable,
    object: &Object,
    slot: i32,
    slice: Option<Slice>,
    delta: Delta<'_>,
) -> Result<Option<Outcome>, Error> {
    Ok(match merge_into(table, object, slot, slice, delta)? {
        Merged::Unusable => None,
        Merged::TooLarge => Some(Outcome::InPlace),
        Merged::AsItWas => Some(Outcome::Added),
        Merged::At(place) => {
            remember(object.id, slot, place);
            contention::note_slice(object);
            Some(Outcome::Added)
        }
    })
}

/// What became of a slice into which something was to be merged.
enum Merged {
    /// The slot cannot be used now.
    Unusable,
    /// The result would be too large for a slice.
    TooLarge,
    /// It holds that already.
    AsItWas,
    /// Its new version is here.
    At(pg_sys::ItemPointerData),
}

fn merge_into(
    table: &SliceTable,
    object: &Object,
    slot: i32,
    slice: Option<Slice>,
    delta: Delta<'_>,
) -> Result<Merged, Error> {
    if slice.is_some_and(|slice| !writer_is_visible(&slice)) {
        return Ok(Merged::Unusable);
    }
    let Some(content) = sum(slice.map(|slice| slice.content), delta)? else {
        return Ok(Merged::TooLarge);
    };
    let Some(slice) = slice else {
        return Ok(create(table, object, slot, content)?.map_or(Merged::Unusable, Merged::At));
    };
    if is_same(&slice.content, &content) {
        return Ok(Merged::AsItWas);
    }
    let place = match tiers::spill(&slice, delta, &content) {
        Some(spill) => tiers::pass_on(table, slice, spill, content)?,
        None => replace(table, slice, content)?,
    };
    Ok(place.map_or(Merged::Unusable, Merged::At))
}

/// A new slice; gives its place, or `None` if the slot is not free after all.
fn create(
    table: &SliceTable,
    object: &Object,
    slot: i32,
    content: Content,
) -> Result<Option<pg_sys::ItemPointerData>, Error> {
    let place = table.insert(object, slot, content)?;
    if place.is_some() {
        count(&FIGURES.get().slices_created, 1);
        worker::note_slices();
    }
    Ok(place)
}

/// Gives the slice another content; its place, or `None` if somebody else is at it.
fn replace(
    table: &SliceTable,
    mut slice: Slice,
    content: Content,
) -> Result<Option<pg_sys::ItemPointerData>, Error> {
    let change = table.update(&mut slice, content)?;
    Ok((change == Change::Done).then_some(slice.place))
}

/// Whether the slice holds already what is merged into it: then it holds it when the transaction commits, since it is the transaction's own or
/// committed, and whoever removes it has to merge it elsewhere, or holds the object alone. At SERIALIZABLE a write tells others that they have not
/// seen it.
fn is_same(slice: &Content, merged: &Content) -> bool {
    match (slice, merged) {
        (Content::State(_, slice), Content::State(_, merged)) => {
            !backend::is_serializable() && content_of(*slice) == content_of(*merged)
        }
        _ => false,
    }
}

/// A version that the snapshot in use does not see must not be replaced by one that it will see: whoever reads under that snapshot later would find both,
/// or read the other's additions with our own. Under READ COMMITTED, the queries of a rule go on with one snapshot.
pub(super) fn writer_is_visible(slice: &Slice) -> bool {
    // SAFETY: inside a transaction; the snapshot is the transaction's own, or that of the statement.
    unsafe {
        if harmless::TransactionIdIsCurrentTransactionId(slice.writer) {
            return true;
        }
        let snapshot = match backend::has_one_snapshot() {
            true => pg_sys::GetTransactionSnapshot(),
            false if harmless::ActiveSnapshotSet() => harmless::GetActiveSnapshot(),
            false => return true,
        };
        !pg_sys::XidInMVCCSnapshot(slice.writer, snapshot)
    }
}

/// Larger states are left to the row, where what is too large is refused.
fn fits(state: &[u8]) -> bool {
    Family::require_room(0, state.len()).is_ok()
}

/// `None` if it would be too large for a slice.
fn sum(slice: Option<Content>, delta: Delta<'_>) -> Result<Option<Content>, Error> {
    Ok(match (slice, delta) {
        (None, Delta::Counter(delta)) => slice_after(0, delta).map(Content::Counter),
        (Some(Content::Counter(slice)), Delta::Counter(delta)) => {
            slice_after(slice, delta).map(Content::Counter)
        }
        (None, Delta::Decimal(delta)) => Some(Content::Decimal(delta)),
        (Some(Content::Decimal(slice)), Delta::Decimal(delta)) => {
            Some(Content::Decimal(numeric::add(slice, delta)?))
        }
        (None, Delta::State(family, change) | Delta::SizedState(family, change)) => {
            fits(change).then(|| Content::State(family.type_, bytea_of(change)))
        }
        (
            Some(Content::State(type_, slice)),
            Delta::State(family, change) | Delta::SizedState(family, change),
        ) if type_ == family.type_ => {
            let state = family.merged(&content_of(slice), change)?;
            fits(&state).then(|| Content::State(type_, bytea_of(&state)))
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
    if id == 0 || !split_set::look(id)? {
        return Ok(());
    }
    let table = SliceTable::for_writing()?;
    remove_all(&table, || table.newest(id, None))
}

/// As [`discard`], but that somebody has still to see the value: the slices stay until it is found out that their row is gone.
pub fn leave(object: &Object) -> Result<(), Error> {
    if object.id != 0 && split_set::look(object.id)? {
        leftovers::note(object.relation);
        worker::note_slices();
    }
    Ok(())
}

/// Removes all slices that `filter` accepts. The caller holds a lock that keeps everybody but the folding
/// worker off them.
pub fn discard_where(filter: &dyn Fn(&Slice) -> bool) -> Result<(), Error> {
    let table = SliceTable::for_writing()?;
    remove_all(&table, || table.newest_where(filter))
}

/// Rounds before giving up; one is the rule, two when the folding worker was there.
const ROUNDS: usize = 100;

fn remove_all(
    table: &SliceTable,
    find: impl Fn() -> Result<Vec<Found>, Error>,
) -> Result<(), Error> {
    for _ in 0..ROUNDS {
        let mut clean = true;
        for row in find()? {
            match row.holder {
                Some(other) => {
                    // SAFETY: waits for a transaction to end; deadlock detection and timeouts apply.
                    unsafe { pg_sys::XactLockTableWait(other, null_mut(), null_mut(), 0) };
                    clean = false;
                }
                None => clean &= table.delete(&row.slice)? == Change::Done,
            }
        }
        if clean {
            return Ok(());
        }
        pgrx::check_for_interrupts!();
    }
    Err(Error::Internal(
        "slices keep changing under a lock that forbids it".into(),
    ))
}
