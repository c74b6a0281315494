//! Operations on sets whose size is bounded by a CHECK of their row, `abelian.size(guests) <= seats`: which of them may be done
//! now. As for bounded numbers ([`super::escrow`]), but what is added up is how often each element was added
//! (`docs/design/escrow.md`, "Sizes of sets").

use super::elements::OnElements;
use super::escrow::{self, Admission, Bounded};
use super::executor::Target;
use crate::aggregate::Family;
use crate::error::Error;
use crate::lock::{Moment, Purpose};
use crate::object::{self, Object, Outcome, Watch, remembered};
use crate::types::aggregated::Aggregated;
use crate::types::elements;
use abelian_adt::Merge;
use abelian_adt::bounded_counter::{Range, Verdict};
use abelian_adt::set::Additions;
use abelian_adt::size::Counts;
use pgrx::pg_sys::{self, Datum, ItemPointerData};
use std::rc::Rc;

/// A change of a set whose size is bounded, with the locks on its elements held.
pub struct Resizing {
    id: i64,
    bounded: Bounded,
    operations: OnElements,
    /// The object in the version that is worked on.
    content: Datum,
    /// What is merged into a part; `None` if nothing changes.
    change: Option<(Vec<u8>, Additions)>,
}

impl Resizing {
    /// What the operations change in an object, whose datum is `content` in the newest version of the row, and `seen` in that which the
    /// snapshot shows.
    pub fn of(
        id: i64,
        bounded: Bounded,
        operations: OnElements,
        content: Datum,
        seen: Option<Datum>,
    ) -> Result<Self, Error> {
        let change = match operations.change(content, seen)? {
            None => None,
            Some(state) => {
                let set = elements::set_of(&state)?;
                Some((state, set))
            }
        };
        Ok(Resizing {
            id,
            bounded,
            operations,
            content,
            change,
        })
    }

    /// Whether the bounds are kept by what is remembered of the size, or whatever it is.
    fn is_admitted(&self) -> bool {
        let Some((_, change)) = &self.change else {
            return true;
        };
        let (id, bounds, by) = (self.id, self.bounded.bounds(), change.widening());
        // What is remembered is guarded by a lock of its own.
        let _moment = Moment::begin([(id, Purpose::Write)]);
        if bounds.restrict_size(change) {
            remembered::admit(id, by, bounds)
        } else {
            remembered::widen(id, by);
            true
        }
    }

    fn base(&self) -> Aggregated {
        // SAFETY: a datum of the family's type.
        unsafe { Aggregated::from_datum(self.operations.family().clone(), self.content) }
    }

    /// Merges the change into a slice if that may be done now. The caller holds Add on the object.
    pub fn add(
        &self,
        target: &mut Target,
        object: &Object,
        at: ItemPointerData,
        attribute: i16,
    ) -> Result<Admission, Error> {
        let Some((state, change)) = &self.change else {
            return Ok(Admission::Added);
        };
        let id = self.id;
        let watch = Watch::of_states([(id, Purpose::Write)])?;
        if self.is_admitted() {
            return self.store(object, state);
        }
        let watch = watch.then_add_up([id]);
        let (mut counts, mut running) = slices(&watch, id)?;
        running.extend(self.count_base(target, at, attribute, &mut counts)?);
        match self.bounded.bounds().judge_size(&counts, change) {
            Verdict::Fits => {
                if escrow::sees_all_of(target, id, at) {
                    let size = counts.size_after(&Additions::identity());
                    let _moment = Moment::begin([(id, Purpose::AddUp)]);
                    remembered::renew(id, size);
                }
                remembered::widen(id, change.widening());
                self.store(object, state)
            }
            Verdict::Never(bound) => {
                drop(watch);
                let size = counts.size_after(change);
                Err(self.bounded.broken(bound, &detail(size)))
            }
            Verdict::Waits => {
                drop(watch);
                let transaction = escrow::first_to_end(&running);
                transaction
                    .map(Admission::WaitFor)
                    .ok_or_else(|| Error::Internal("an uncertain size without a reason".into()))
            }
        }
    }

    /// Adds what the row may turn out to hold; gives the transactions on which that depends.
    fn count_base(
        &self,
        target: &mut Target,
        at: ItemPointerData,
        attribute: i16,
        counts: &mut Counts,
    ) -> Result<Vec<pg_sys::TransactionId>, Error> {
        let family = self.operations.family();
        let base = self.base();
        let own = (base.id, elements::set_of(&base.state)?);
        let bases = escrow::bases(target, at, attribute, own, |datum| {
            // SAFETY: a datum of the column.
            let content = unsafe { Aggregated::from_datum(family.clone(), datum) };
            Ok((content.id, elements::set_of(&content.state)?))
        })?;
        let (running, bases): (Vec<_>, Vec<_>) = bases.into_iter().unzip();
        counts.include(&bases);
        let is_open = differ(&bases);
        let matters = |one: &pg_sys::TransactionId| is_open && *one != pg_sys::InvalidTransactionId;
        Ok(running.into_iter().filter(matters).collect())
    }

    fn store(&self, object: &Object, state: &[u8]) -> Result<Admission, Error> {
        Ok(match self.operations.resize(object, state)? {
            Outcome::Added => Admission::Added,
            Outcome::InPlace => Admission::InPlace,
        })
    }

    /// Whether it may be done in the row, of which the content is that of the newest version, however others end. If not, that is
    /// not the last word.
    fn fits_in_row(&self, watch: &Watch) -> Result<bool, Error> {
        let Some((_, change)) = &self.change else {
            return Ok(true);
        };
        remembered::widen(self.id, change.widening());
        let (mut counts, _) = slices(watch, self.id)?;
        counts.include(&[elements::set_of(&self.base().state)?]);
        Ok(self.bounded.bounds().judge_size(&counts, change) == Verdict::Fits)
    }
}

/// Whether changes in the row keep their bounds however others end; the watch returned must be kept until the row has been
/// rewritten. `None` if they do not, or cannot be told without waiting.
pub fn admit_in_row(changes: &[Resizing]) -> Result<Option<Watch>, Error> {
    let objects = || changes.iter().map(|change| change.id);
    let watch = Watch::of_states(objects().map(|id| (id, Purpose::Write)))?;
    if changes.iter().all(Resizing::is_admitted) {
        return Ok(Some(watch));
    }
    let watch = watch.then_add_up(objects());
    for change in changes {
        if !change.fits_in_row(&watch)? {
            return Ok(None);
        }
    }
    Ok(Some(watch))
}

/// Fails if a set is outside its bounds whose row is about to hold `stored`; nobody else can change it meanwhile.
pub fn require_after(bounded: &Bounded, family: &Rc<Family>, stored: Datum) -> Result<(), Error> {
    // SAFETY: a datum of the family's type.
    let content = unsafe { Aggregated::from_datum(family.clone(), stored) };
    remembered::forget(content.id);
    let mut whole = elements::set_of(&content.state)?;
    for slice in object::newest(content.id)?.states() {
        let slice = elements::set_of(slice)?;
        whole = whole.merge(&slice).ok_or(Error::OutOfRange)?;
    }
    let size = whole.elements().count() as i128;
    match bounded.bounds().crossed_by(size) {
        None => Ok(()),
        Some(bound) => Err(bounded.broken(bound, &detail(Range::certain(size)))),
    }
}

/// Whether it matters which of these a part turns out to be.
fn differ(alternatives: &[Additions]) -> bool {
    alternatives.windows(2).any(|two| two[0] != two[1])
}

fn detail(size: Range) -> String {
    match (size.low, size.high) {
        (1, 1) => "The set would have 1 element.".into(),
        (low, high) if low == high => format!("The set would have {low} elements."),
        (low, high) => format!("The set would have between {low} and {high} elements."),
    }
}

/// What is known of the counts of an object's slices, and the transactions on which they depend.
fn slices(watch: &Watch, object: i64) -> Result<(Counts, Vec<pg_sys::TransactionId>), Error> {
    let mut counts = Counts::default();
    let mut running = Vec::new();
    for slice in watch.alternatives(object)? {
        let states = slice.states()?;
        let sets = states.iter().map(|state| elements::set_of(state));
        let mut sets = sets.collect::<Result<Vec<_>, Error>>()?;
        if slice.may_be_absent {
            sets.push(Additions::identity());
        }
        if differ(&sets) {
            running.extend(slice.running);
        }
        counts.include(&sets);
    }
    Ok((counts, running))
}
