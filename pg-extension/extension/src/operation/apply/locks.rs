//! The locks of an operation outside the row, and of one in the row that strict readers meet.

use super::{Apply, Change};
use crate::backend;
use crate::error::Error;
use crate::lock::{self, Mode, Part, Tag};
use crate::object::{Object, contention};
use crate::operation::elements::{Taken, Until};
use crate::operation::{own, version};
use pgrx::pg_sys::ItemPointerData;

impl Apply {
    /// Takes the locks of an operation outside the row, of which the version `at` is at hand: those on elements, which it gives, then those on
    /// the plain columns it depends on and on the objects. `None`, and none taken, if the operation had better be done in the row: somebody
    /// has an object for himself, who may be waiting for this transaction.
    ///
    /// Elements first: whoever waits for one must not hold what others need to see the whole object. All others are taken at once, or
    /// waited for one by one with none of them held.
    pub(super) fn lock(
        &self,
        at: ItemPointerData,
        changes: &[Change],
    ) -> Result<Option<Taken>, Error> {
        /// Each round, somebody has come first with another object.
        const ROUNDS: usize = 100;
        let relation = self.target.relation_id();
        lock::at_row(relation, at);
        let elements = self.lock_elements(changes, true, Until::End)?;
        let elements = elements.unwrap_or_default();
        (0..elements.len()).for_each(|_| own::note_lock());
        let mut had = None;
        for _ in 0..ROUNDS {
            let Some(refused) = self.try_lock(changes, had) else {
                self.locks(changes)
                    .filter(|(_, part)| *part == Part::Value)
                    .for_each(|_| own::note_lock());
                return Ok(Some(elements));
            };
            let has_some =
                version::is_ours(self.target.relation(), at) || own::has_operated_in(relation);
            if has_some && !backend::has_one_snapshot() {
                elements.release();
                return Ok(None);
            }
            if let Some((object, part)) = self.locks(changes).nth(refused) {
                lock::lock_one(&object, part, Mode::Add, true);
                had = Some(refused);
            }
        }
        for (n, (object, part)) in self.locks(changes).enumerate() {
            if Some(n) != had {
                lock::lock_one(&object, part, Mode::Add, true);
            }
        }
        Ok(Some(elements))
    }

    /// What operations outside the row lock beside elements: first the plain columns, if they depend on them, then the objects.
    fn locks<'a>(&self, changes: &'a [Change]) -> impl Iterator<Item = (Object, Part)> + use<'a> {
        let relation = self.target.relation_id();
        let part = move |part: Part| {
            changes
                .iter()
                .filter(|change| !change.done)
                .map(move |change| (change.object(relation), part))
                .filter(|(object, _)| object.id != 0)
        };
        let plain = self.private.reads_plain.then(|| part(Part::Row));
        plain.into_iter().flatten().chain(part(Part::Value))
    }

    /// Takes all of these but the one that was had by waiting. Gives the first that is not to be had, with none held then.
    fn try_lock(&self, changes: &[Change], had: Option<usize>) -> Option<usize> {
        let mut locks = self.locks(changes).enumerate();
        let (refused, _) = locks.find(|(n, (object, part))| {
            Some(*n) != had && !lock::lock_one(object, *part, Mode::Add, false)
        })?;
        for (n, (object, part)) in self.locks(changes).enumerate() {
            if n < refused || Some(n) == had {
                lock::unlock(part.tag(&object), Mode::Add);
            }
        }
        Some(refused)
    }

    /// Gives back what [`Apply::lock`] took last for operations that were not done.
    pub(super) fn unlock(&self, changes: &[Change]) {
        for change in changes
            .iter()
            .filter(|change| !change.done && change.id() != 0)
        {
            lock::unlock(Tag::Object(change.id()), Mode::Add);
            if self.private.reads_plain {
                lock::unlock(Tag::Row(change.id()), Mode::Add);
            }
        }
    }
}

/// `None` if a strict reader may hold a value. If there are such readers at all, the Add locks of these objects are taken, so that none
/// comes. Locks on elements come before that lock, so then operations on elements are left to the slices.
pub(super) fn hold_off_readers(changes: &[Change]) -> Option<Vec<i64>> {
    let mut held = Vec::new();
    if !lock::readers::exist() {
        return Some(held);
    }
    if changes.iter().any(Change::has_elements) {
        return None;
    }
    for id in changes.iter().map(Change::id).filter(|id| *id != 0) {
        let free =
            lock::phaser::try_pass(id, Mode::Add) && lock::lock(Tag::Object(id), Mode::Add, false);
        if !free {
            contention::note_collision(id);
            give_back(&held);
            return None;
        }
        held.push(id);
    }
    Some(held)
}

/// Ends what [`hold_off_readers`] began, when nothing was done under it.
pub(super) fn give_back(held: &[i64]) {
    for id in held {
        lock::unlock(Tag::Object(*id), Mode::Add);
    }
}
