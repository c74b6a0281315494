//! From the version of a row that the plan has yielded to the newest one.

use super::{Apply, Change};
use crate::backend;
use crate::error::Error;
use crate::operation::version::{self, Newest, OwnUpdates};
use pgrx::pg_sys::ItemPointerData;

/// Where an operation on a version has to be done.
pub(super) enum Followed {
    /// The newest version, with the objects that are locked.
    Here(ItemPointerData),
    /// The newest version has another object: it was overwritten.
    OtherObject(ItemPointerData),
    /// No row to operate on.
    Gone,
}

impl Apply {
    /// Finds the newest version, under the locks on the objects of the version `at`.
    pub(super) fn follow(
        &mut self,
        at: ItemPointerData,
        changes: &mut [Change],
    ) -> Result<Followed, Error> {
        let newest = version::newest(
            self.target.relation(),
            at,
            self.target.command(),
            OwnUpdates::Refused,
        )?;
        let Newest::At(newest) = newest else {
            return if backend::has_one_snapshot() {
                Err(Error::ConcurrentUpdate)
            } else {
                Ok(Followed::Gone)
            };
        };
        if version::same_place(newest, at) {
            self.target.fetch(at);
            return Ok(Followed::Here(at));
        }
        let locked: Vec<i64> = changes.iter().map(Change::id).collect();
        if self.stays_the_same(at, newest)? {
            for change in changes.iter_mut() {
                change.set_content(self.target.column(change.column.attribute));
            }
        } else if backend::has_one_snapshot() {
            return Err(Error::ConcurrentUpdate);
        } else if self.target.recheck(newest) {
            self.renew(newest, changes)?;
        } else {
            return Ok(Followed::Gone);
        }
        let same = changes
            .iter()
            .zip(&locked)
            .all(|(change, id)| change.done || change.id() == *id);
        match same {
            true => Ok(Followed::Here(newest)),
            false if backend::has_one_snapshot() => Err(Error::ConcurrentUpdate),
            false => Ok(Followed::OtherObject(newest)),
        }
    }

    /// Takes the newest version at hand. Whether it has what the statement reads as the version `at` has; to one snapshot also what was changed
    /// and changed back is a change, as over plain columns.
    fn stays_the_same(
        &mut self,
        at: ItemPointerData,
        newest: ItemPointerData,
    ) -> Result<bool, Error> {
        if backend::has_one_snapshot() {
            for between in version::successors(self.target.relation(), at)? {
                if version::same_place(between.place, newest) {
                    break;
                }
                let reads = self.private.reads();
                if !self.target.same_columns(at, between.place, reads) {
                    return Ok(false);
                }
            }
        }
        let reads = self.private.reads();
        Ok(self.target.same_columns(at, newest, reads))
    }
}
