//! Bounded counters: the bounds of the row at hand, and operations that have the value alone.

use super::{Apply, Change, Flavour, family};
use crate::backend;
use crate::error::Error;
use crate::lock;
use crate::object::Object;
use crate::operation::escrow::Bounded;
use crate::operation::executor::{Rewrite, Room, Target};
use crate::operation::row::{self, Request};
use crate::operation::row_bounds::{self, RowBound};
use crate::operation::sizes::{self, Resizing};
use crate::operation::version;
use crate::settings::{self, Split};
use pgrx::pg_sys::ItemPointerData;

/// The bounds that the target's rows have for themselves, if it has bounded columns.
///
/// # Safety
/// As [`Room::new`].
pub(super) unsafe fn room(target: &Target, bounded: bool) -> Room<RowBound> {
    let facts = match bounded {
        true => row_bounds::of(target.relation_id()),
        false => None,
    };
    let Some(facts) = facts else {
        return Room::default();
    };
    let all = facts.row_bounds.iter();
    // SAFETY: by the caller.
    let mut room = unsafe { Room::new(all.len()) };
    room.iter_mut()
        .zip(all)
        .for_each(|(place, bound)| *place = bound);
    room
}

impl Apply {
    /// Takes the bounds that the row has in its version at `at`.
    pub(super) fn renew_bounds(
        &mut self,
        at: ItemPointerData,
        changes: &mut [Change],
    ) -> Result<(), Error> {
        if self.row_bounds.is_empty() {
            return Ok(());
        }
        if !self.target.fetch(at) {
            return Err(Error::Internal("a version of a row is gone".into()));
        }
        let column = |attribute| self.target.column(attribute);
        for change in changes.iter_mut() {
            let own = change.column.bounded;
            change.bounded = own
                .map(|own| own.in_row(&self.row_bounds, column))
                .transpose()?;
        }
        Ok(())
    }

    /// Bounded counters are waited for before the row: their operations in it must be alone.
    pub(super) fn take_bounded(
        &self,
        at: ItemPointerData,
        changes: &[Change],
    ) -> Result<(), Error> {
        lock::at_row(self.target.relation_id(), at);
        for change in changes.iter().filter(|change| change.is_restricted()) {
            Request::alone().lock_object(&change.object(self.target.relation_id()))?;
        }
        Ok(())
    }

    /// Holds the row and its bounded counters alone, and demands that the operations keep their bounds.
    pub(super) fn lock_alone(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
    ) -> Result<Rewrite, Error> {
        let locked = match version::is_ours(self.target.relation(), at) {
            true => self.target.lock(at, true)?,
            false => self.lock_objects_first(at, changes)?,
        };
        if locked != Rewrite::Done {
            return Ok(locked);
        }
        self.take_bounded(at, changes)?;
        for change in changes.iter().filter(|change| change.is_restricted()) {
            row::require_unchanged(change.id())?;
        }
        if !self.meets_conditions(changes)? {
            return Ok(Rewrite::Unmet);
        }
        for change in changes {
            if let Some((bounded, content, delta)) = change.bounded() {
                bounded.require_after(content, delta)?;
            }
            if let (Some(bounded), Flavour::Aggregated(type_)) =
                (change.sized(), change.column.flavour)
                && let Some(stored) = change.in_place()?
            {
                sizes::require_after(&bounded, &family(type_)?, stored)?;
            }
        }
        Ok(Rewrite::Done)
    }

    /// Rewrites the row, without waiting, if the sizes of sets keep their bounds however others end. Locks on elements are held.
    pub(super) fn store_sized(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
    ) -> Result<Rewrite, Error> {
        if self.row_is_slow {
            return Ok(Rewrite::Refused);
        }
        let resized: Result<Vec<_>, Error> = changes
            .iter()
            .filter_map(|one| one.resizing().transpose())
            .collect();
        let Some(_watch) = sizes::admit_in_row(&resized?)? else {
            return Ok(Rewrite::Refused);
        };
        self.store(at, changes, false)
    }

    /// Whether bounded counters are held while the row is waited for, so that nobody adds to them in slices meanwhile and then wants the row.
    /// Not where nobody does, or where whoever changes a plain column of the row wants them, too.
    pub(super) fn keeps_bounded(&self) -> bool {
        self.row_bounds.is_empty() && settings::SPLIT.get() != Split::Never
    }

    /// The bounded counters, then the row. Unless they are kept they are given back before it is waited for, as in
    /// [`crate::operation::own::lock_row`].
    fn lock_objects_first(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
    ) -> Result<Rewrite, Error> {
        let relation = self.target.relation_id();
        let restricted = changes.iter().filter(|change| change.is_restricted());
        let new: Vec<Object> = restricted
            .map(|change| change.object(relation))
            .filter(|object| object.id != 0 && !Request::alone().has(object))
            .collect();
        self.take_bounded(at, changes)?;
        if new.is_empty() || self.keeps_bounded() {
            return self.target.lock(at, true);
        }
        let locked = self.target.lock(at, false)?;
        if locked != Rewrite::Done {
            new.iter()
                .for_each(|object| Request::alone().give_back(object));
        }
        match locked {
            Rewrite::Taken => self.target.lock(at, true),
            locked => Ok(locked),
        }
    }
}

impl Change {
    /// The bounds of the set's size, of an operation that has not been done.
    pub(super) fn sized(&self) -> Option<Bounded> {
        let is_number = self.column.is_bounded_number();
        let open = !is_number && !self.done && self.delta.is_some();
        self.bounded.filter(|_| open)
    }

    /// Whether a set must be held whose size is bounded: of its other parts, a transaction knows what its snapshot shows.
    pub(super) fn is_sized_alone(&self) -> bool {
        self.sized().is_some() && backend::has_one_snapshot()
    }

    /// An operation on a set whose size is bounded, and that others know.
    pub(super) fn resizing(&self) -> Result<Option<Resizing>, Error> {
        let (Some(bounded), Some(content), Some(operations)) =
            (self.sized(), self.content, self.on_elements()?)
        else {
            return Ok(None);
        };
        Resizing::of(self.id(), bounded, operations, content, self.seen).map(Some)
    }
}
