//! Operations that change nothing, and write nothing: `greatest(high, 20)` where it is 55, which is locked as others are, and `add(s, 'x')`
//! where `x` is in it, under locks that admit readers.

use super::follow::Followed;
use super::{Apply, Change, Flavour, family};
use crate::backend;
use crate::error::Error;
use crate::lock;
use crate::object::contention;
use crate::operation::elements::Taken;
use crate::operation::own;
use crate::types::aggregated::Aggregated;
use pgrx::pg_sys::ItemPointerData;
use std::cell::Cell;

/// What became of operations on elements that were taken to change nothing.
pub(super) enum Unchanged {
    /// They change nothing in the newest version, which is here, and the locks keep it so.
    Stays(ItemPointerData),
    /// No row to operate on.
    Gone,
    /// They are to be done, and this version is the newest that is known.
    Changes(ItemPointerData),
}

impl Apply {
    /// Whether it pays to look if the operations on a row change nothing. A transaction that works on one snapshot does what its snapshot
    /// shows; one that is about to read takes its turn by the row.
    pub(super) fn may_change_nothing(&self, changes: &[Change]) -> bool {
        !self.expects_read
            && !backend::has_one_snapshot()
            && !lock::excludes_writers(self.target.relation_id())
            && changes.iter().all(|change| change.has_elements())
            && changes.iter().all(|change| pays(change.id()))
    }

    /// Leaves undone what changes nothing. The locks come first, so that nobody else changes that until the transaction ends.
    pub(super) fn leave_undone(
        &mut self,
        at: ItemPointerData,
        changes: &mut [Change],
    ) -> Result<Unchanged, Error> {
        let Some(taken) = self.lock_idle(at, changes)? else {
            return Ok(Unchanged::Changes(at));
        };
        let newest = match self.follow(at, changes)? {
            Followed::Here(newest) if self.stays_unchanged(newest, changes)? => {
                (0..taken.len()).for_each(|_| own::note_lock());
                return Ok(Unchanged::Stays(newest));
            }
            Followed::Here(newest) | Followed::OtherObject(newest) => newest,
            Followed::Gone => {
                taken.release();
                return Ok(Unchanged::Gone);
            }
        };
        taken.release();
        Ok(Unchanged::Changes(newest))
    }

    /// None of them is waited for. Those on the plain columns that the statement depends on are as ever.
    fn lock_idle(&self, at: ItemPointerData, changes: &[Change]) -> Result<Option<Taken>, Error> {
        let relation = self.target.relation_id();
        lock::at_row(relation, at);
        let mut all = Taken::default();
        for change in changes {
            let object = change.object(relation);
            let taken = match change.on_elements()? {
                Some(operations) => operations.lock_idle(&object, self.private.reads_plain)?,
                None => None,
            };
            match taken {
                Some(taken) => all.and(taken),
                None => {
                    all.release();
                    return Ok(None);
                }
            }
        }
        Ok(Some(all))
    }

    /// Whether the operations change nothing, with the newest version at hand, and nobody is about to change that in the row.
    fn stays_unchanged(&mut self, at: ItemPointerData, changes: &[Change]) -> Result<bool, Error> {
        for change in changes {
            let (Some(operations), Some(content)) = (change.on_elements()?, change.content) else {
                return Ok(false);
            };
            let stays = self.rewritten_by(at, change)?.is_none() && operations.are_idle(content)?;
            note(change.id(), stays);
            if !stays {
                return Ok(false);
            }
            contention::note_unchanged(change.id());
        }
        Ok(true)
    }
}

/// How often looks at an object were in vain: a hint.
#[derive(Clone, Copy)]
struct Looks {
    object: i64,
    /// The last so many in a row, as a number of which all bits are set.
    in_vain: u8,
    /// So many are to be left out.
    left_out: u8,
}

/// Objects of which that is remembered; two with the same remainder displace each other.
const REMEMBERED: usize = 64;

thread_local! {
    static LOOKS: [Cell<Looks>; REMEMBERED] = const {
        [const { Cell::new(Looks { object: 0, in_vain: 0, left_out: 0 }) }; REMEMBERED]
    };
}

/// The more looks were in vain, the more are left out.
fn pays(object: i64) -> bool {
    LOOKS.with(|all| {
        let place = &all[object as usize % REMEMBERED];
        let looks = place.get();
        let left_out = looks.object == object && looks.left_out > 0;
        if left_out {
            let left_out = looks.left_out - 1;
            place.set(Looks { left_out, ..looks });
        }
        object != 0 && !left_out
    })
}

fn note(object: i64, stays: bool) {
    LOOKS.with(|all| {
        let place = &all[object as usize % REMEMBERED];
        let before = match place.get() {
            looks if looks.object == object && !stays => looks.in_vain,
            _ => 0,
        };
        place.set(Looks {
            object,
            // In eight bits: at least every 256th operation is looked at. In a large object, a look takes many times as long as an operation.
            in_vain: if stays { 0 } else { before << 1 | 1 },
            left_out: if stays { 0 } else { before },
        });
    });
}

impl Change {
    /// Whether the row's own part of the value holds already what the operation merges into the value. Then so does the value, as long as
    /// nobody overwrites it. Looked at where that is usual. At SERIALIZABLE a write tells others that they have not seen it.
    pub(super) fn is_in_row(&self) -> Result<bool, Error> {
        let (Flavour::Aggregated(type_), Some(content), Some(delta)) =
            (self.column.flavour, self.content, self.delta)
        else {
            return Ok(false);
        };
        let family = family(type_)?;
        if family.notation.is_none() || family.structure.is_some() || backend::is_serializable() {
            return Ok(false);
        }
        // SAFETY: both are datums of the family's type.
        let read = |datum| unsafe { Aggregated::from_datum(family.clone(), datum) }.state;
        let base = read(content);
        Ok(family.merged(&base, &read(delta))? == base)
    }

    /// Whether each of these is in the row, and in an object that others know, so that its lock guards it.
    pub(super) fn all_in_row(changes: &[Change]) -> Result<bool, Error> {
        for change in changes {
            if change.id() == 0 || !change.is_in_row()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
