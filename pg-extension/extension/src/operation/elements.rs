//! Operations on elements of an object (`abelian.add(c, x)`, `put`, `remove`): their locks, and what they change.
//!
//! An operation locks its elements, and then the object or the row as every operation does. Additions lock an element in a mode that
//! admits additions; what depends on what is there locks it alone. So it knows what all parts of the object know of it, and whatever
//! it changes is merged later in any order. The argument is in `docs/design/elements.md`.

use super::executor::Target;
use super::version::{self, Successor};
use crate::aggregate::{Family, Structure};
use crate::backend;
use crate::error::Error;
use crate::lock::{self, Mode, Part, Tag};
use crate::object::{self, Delta, Object, Outcome};
use crate::settings;
use crate::types::aggregated::{self, Aggregated};
use crate::types::elements;
use pgrx::pg_sys::{self, Datum, ItemPointerData};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Operations on elements of one object.
pub struct OnElements {
    family: Rc<Family>,
    /// Written down; `None` if the change is a state that was made by additions.
    program: Option<Vec<u8>>,
    /// That state.
    additions: Vec<u8>,
    /// By hash.
    locks: BTreeMap<u64, Mode>,
    blind: bool,
}

/// Locks on elements that this took, to be given back.
#[derive(Default)]
pub struct Taken(Vec<(Tag, Mode)>);

impl Taken {
    /// Gives them back.
    pub fn release(self) {
        for (tag, mode) in self.0 {
            lock::unlock(tag, mode);
        }
    }

    /// Gives back what was taken for additions: whoever looks for them finds them in the row, which is held.
    pub fn release_additions(self) {
        for (tag, mode) in self.0 {
            if mode == Mode::Add {
                lock::unlock(tag, mode);
            }
        }
    }

    /// These, too.
    pub fn and(&mut self, mut others: Taken) {
        self.0.append(&mut others.0);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// For how long an addition is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until the row has been rewritten.
    Rewritten,
    /// To the end of the transaction.
    End,
}

impl OnElements {
    /// What `delta` changes in an object of the type; `None` if the type has no elements.
    pub fn of(family: &Rc<Family>, delta: Datum) -> Result<Option<Self>, Error> {
        let Some(structure) = family.structure else {
            return Ok(None);
        };
        // SAFETY: a datum of the family's type.
        let delta = unsafe { Aggregated::from_datum(family.clone(), delta) };
        let family = family.clone();
        Ok(Some(match delta.recorded() {
            Some(program) => OnElements {
                locks: structure.locks(program)?,
                blind: structure.is_blind(program)?,
                program: Some(program.to_vec()),
                additions: Vec::new(),
                family,
            },
            None => OnElements {
                locks: additions_in(structure, &delta.state)?,
                blind: true,
                program: None,
                additions: delta.state,
                family,
            },
        }))
    }

    /// Takes the locks on the elements. `None` if one cannot be had at once; with `wait`, that does not happen.
    ///
    /// Whoever holds the object alone, or the table, needs none. What is to be held alone counts against
    /// `abelian.lock_escalation`; additions do if they are locked to the end.
    pub fn lock(&self, object: &Object, wait: bool, additions: Until) -> Option<Taken> {
        let mut taken = Taken::default();
        let less = [Mode::Add, Mode::IntentionRead];
        let holds_less = || {
            less.iter()
                .any(|mode| lock::holds(Tag::Object(object.id), *mode))
        };
        // Two who hold something less already would wait for each other.
        if additions == Until::Rewritten && self.are_many() && !holds_less() {
            return self.lock_whole(object, wait);
        }
        for (hash, mode) in &self.locks {
            if object.id == 0 || lock::holds(Tag::Object(object.id), Mode::Overwrite) {
                return Some(taken);
            }
            let part = Part::Element(*hash);
            let briefly = *mode == Mode::Add && additions == Until::Rewritten;
            let lock = match briefly {
                true => lock::lock_one,
                false => lock::lock_part,
            };
            let mut got = lock(object, part, *mode, false);
            if !got && wait {
                lock::at_element(*hash, &self.element(*hash));
                got = lock(object, part, *mode, true);
            }
            if !got {
                taken.release();
                return None;
            }
            // By the lock on the table instead?
            if briefly || lock::needs_lock(object) {
                taken.0.push((part.tag(object), *mode));
            }
        }
        Some(taken)
    }

    /// Whether a lock for each of them would be a burden on the lock table, which all sessions share.
    fn are_many(&self) -> bool {
        let most = usize::try_from(settings::LOCK_ESCALATION.get()).unwrap_or(0);
        self.locks.len() > most && self.locks.iter().all(|(_, mode)| *mode == Mode::Add)
    }

    /// The object as a whole in their place, to the end of the transaction.
    fn lock_whole(&self, object: &Object, wait: bool) -> Option<Taken> {
        let mut taken = Taken::default();
        let tag = Part::Value.tag(object);
        if object.id == 0 || lock::holds(tag, Mode::Overwrite) {
            return Some(taken);
        }
        let got = lock::lock_part(object, Part::Value, Mode::Overwrite, wait);
        got.then(|| {
            if lock::needs_lock(object) {
                taken.0.push((tag, Mode::Overwrite));
            }
            taken
        })
    }

    /// Takes the locks under which the operations may be left undone if they change nothing: on the elements, and the intention to read the
    /// object; and on the plain columns, if the statement depends on them. `None` if they cannot be had at once, or there are none such.
    pub fn lock_idle(&self, object: &Object, reads_plain: bool) -> Result<Option<Taken>, Error> {
        let (Some(structure), Some(program)) = (self.family.structure, &self.program) else {
            return Ok(None);
        };
        let Some(locks) = structure.idle_locks(program)? else {
            return Ok(None);
        };
        let on_elements = locks
            .into_iter()
            .map(|(hash, mode)| (Part::Element(hash), mode));
        let plain = reads_plain.then_some((Part::Row, Mode::Add));
        let on_object = [(Part::Value, Mode::IntentionRead)];
        let mut taken = Taken::default();
        for (part, mode) in on_elements.chain(plain).chain(on_object) {
            if !lock::lock_one(object, part, mode, false) {
                taken.release();
                return Ok(None);
            }
            taken.0.push((part.tag(object), mode));
        }
        Ok(Some(taken))
    }

    /// Whether they change nothing in what is committed and the transaction's own, where the row has this datum.
    pub fn are_idle(&self, content: Datum) -> Result<bool, Error> {
        let content = self.content(content);
        let program = self.program.as_deref().unwrap_or_default();
        let slices = object::newest(content.id)?;
        elements::is_idle(&self.family, program, &content.state, slices.states())
    }

    /// The element with this hash, for those who look at waits; empty if it is not found.
    fn element(&self, hash: u64) -> Vec<u8> {
        let found = self
            .family
            .structure
            .and_then(|structure| match &self.program {
                Some(program) => structure.element(program, hash).ok()?,
                None => structure
                    .element_of_state(elements::bytes(&self.additions), hash)
                    .ok()?,
            });
        found.unwrap_or_default()
    }

    /// The transaction that has rewritten the row, other than it is at `at`, so that the elements are others; whether it will be
    /// committed decides what is there. Those who add in the row hold no lock on the element, but the row.
    pub fn rewritten_by(
        &self,
        target: &mut Target,
        at: ItemPointerData,
        attribute: i16,
        content: Datum,
    ) -> Result<Option<pg_sys::TransactionId>, Error> {
        if self.blind {
            return Ok(None);
        }
        let successors = version::successors(target.relation(), at)?;
        let mut here = None;
        for Successor { place, writer, .. } in successors {
            let Some(other) = target.column_at(place, attribute) else {
                continue;
            };
            let here = match &here {
                Some(known) => known,
                None => here.insert(self.in_row(content)?),
            };
            if self.in_row(other)? != *here {
                return Ok(Some(writer));
            }
        }
        Ok(None)
    }

    /// What the row alone knows of the elements.
    fn in_row(&self, content: Datum) -> Result<Vec<u8>, Error> {
        let content = self.content(content);
        let program = self.program.as_deref().unwrap_or_default();
        elements::known(&self.family, program, &content.state, &[])
    }

    fn content(&self, datum: Datum) -> Aggregated {
        // SAFETY: a datum of the family's type.
        unsafe { Aggregated::from_datum(self.family.clone(), datum) }
    }

    /// The row's datum afterwards.
    pub fn in_place(&self, content: Datum, seen: Option<Datum>) -> Result<Datum, Error> {
        let change = self.change(content, seen)?;
        aggregated::with_change(&self.family, content, change.as_deref())
    }

    /// Merges the change into a slice.
    pub fn in_slice(
        &self,
        object: &Object,
        content: Datum,
        seen: Option<Datum>,
    ) -> Result<Outcome, Error> {
        match self.change(content, seen)? {
            None => Ok(Outcome::Added),
            Some(change) => self.add(object, &change),
        }
    }

    fn add(&self, object: &Object, change: &[u8]) -> Result<Outcome, Error> {
        object::add(object, None, Delta::State(&self.family, change))
    }

    /// Merges what [`OnElements::change`] gave into a slice of a set whose size is bounded.
    pub fn resize(&self, object: &Object, change: &[u8]) -> Result<Outcome, Error> {
        object::add(object, None, Delta::SizedState(&self.family, change))
    }

    /// The type of the object.
    pub fn family(&self) -> &Rc<Family> {
        &self.family
    }

    /// The state to merge into the part that is written; `None` if nothing changes. The locks are held; `content` is that of
    /// the newest version, and `seen` that of the version which the snapshot shows.
    ///
    /// Under one snapshot, elements must be as it shows them: 40001.
    pub fn change(&self, content: Datum, seen: Option<Datum>) -> Result<Option<Vec<u8>>, Error> {
        let Some(program) = &self.program else {
            return Ok(Some(self.additions.clone()));
        };
        let content = self.content(content);
        let known =
            |base: &[u8], slices: &[Vec<u8>]| elements::known(&self.family, program, base, slices);
        if self.blind {
            return elements::change(&self.family, program, &known(&content.state, &[])?);
        }
        let newest = known(&content.state, object::newest(content.id)?.states())?;
        if backend::has_one_snapshot() {
            let shown = match seen {
                None => None,
                Some(seen) => {
                    let seen = self.content(seen);
                    // SAFETY: a statement is running, so a snapshot is active.
                    let slices =
                        unsafe { object::visible_to(seen.id, pg_sys::GetActiveSnapshot()) }?;
                    Some(known(&seen.state, slices.states())?)
                }
            };
            if shown.as_ref() != Some(&newest) {
                return Err(Error::ConcurrentUpdate);
            }
        }
        elements::change(&self.family, program, &newest)
    }
}

/// Whether the active snapshot, which shows the object as `seen`, shows of one element what all parts together know of it now; `newest` is
/// the datum in the newest version of the row.
pub fn shows_newest_of(seen: &Aggregated, newest: Datum, element: &[u8]) -> Result<bool, Error> {
    let known = |content: &Aggregated, slices: &[Vec<u8>]| {
        elements::known_of(&seen.family, element, &content.state, slices)
    };
    // SAFETY: a statement is running, so a snapshot is active.
    let visible = unsafe { object::visible_to(seen.id, pg_sys::GetActiveSnapshot()) }?;
    // SAFETY: a datum of the same column.
    let newest = unsafe { Aggregated::from_datum(seen.family.clone(), newest) };
    Ok(known(seen, visible.states())? == known(&newest, object::newest(seen.id)?.states())?)
}

fn additions_in(structure: Structure, state: &[u8]) -> Result<BTreeMap<u64, Mode>, Error> {
    structure.locks_of_state(elements::bytes(state))
}
