//! What the slices of a bounded object may add up to, however the transactions that are at them end.
//!
//! Every version of a slice that a running transaction has written, or would fall back to, is in the heap: it is found
//! with a dirty snapshot, also where the transaction has replaced it. A [`Watch`] keeps everyone from writing slices of the object meanwhile; whoever commits or aborts meanwhile only takes alternatives away.

use crate::error::Error;
use crate::lock::{Guard, Purpose};
use crate::object::slice_table::{Content, Found, SliceTable};
use crate::object::split_set;
use crate::object::write::writer_is_visible;
use crate::varlena::content_of;
use abelian_adt::bounded_counter::Range;
use pgrx::pg_sys;

/// The slices of one object, as far as an operation of this transaction must know them.
#[derive(Default)]
pub struct Outlook {
    /// What they may add up to; this transaction's own as they stand.
    pub range: Range,
    /// The running transactions on which that depends.
    pub running: Vec<pg_sys::TransactionId>,
    /// Whether one was committed that the transaction's only snapshot (REPEATABLE READ, SERIALIZABLE) does not show.
    pub is_newer: bool,
}

/// A moment in which the parts of some objects can be added up.
pub struct Watch {
    // Given back before the table is closed.
    guard: Guard,
    table: SliceTable,
}

impl Watch {
    /// Begins one. The table is opened first: its lock lasts, and may have to be waited for.
    pub fn begin(objects: impl IntoIterator<Item = (i64, Purpose)>) -> Result<Self, Error> {
        let table = SliceTable::for_writing()?;
        Ok(Watch {
            guard: Guard::begin(false, objects),
            table,
        })
    }

    /// The same for objects whose slices are states.
    pub fn of_states(objects: impl IntoIterator<Item = (i64, Purpose)>) -> Result<Self, Error> {
        let table = SliceTable::for_writing()?;
        Ok(Watch {
            guard: Guard::begin(true, objects),
            table,
        })
    }

    /// The same for adding up, in a later moment.
    pub fn then_add_up(self, objects: impl IntoIterator<Item = i64>) -> Self {
        let Watch { guard, table } = self;
        let is_long = guard.is_long();
        drop(guard);
        let objects = objects.into_iter().map(|id| (id, Purpose::AddUp));
        Watch {
            guard: Guard::begin(is_long, objects),
            table,
        }
    }

    /// What the slices of an object may add up to.
    pub fn outlook(&self, id: i64) -> Result<Outlook, Error> {
        outlook(self.versions(id)?)
    }

    /// What each slice of an object may turn out to be.
    pub fn alternatives(&self, id: i64) -> Result<Vec<Alternatives>, Error> {
        Ok(alternatives(self.versions(id)?))
    }

    fn versions(&self, id: i64) -> Result<Vec<Found>, Error> {
        // A slice is noted in the moment in which it is written.
        match split_set::look(id)? {
            true => self.table.newest(id, None),
            false => Ok(Vec::new()),
        }
    }
}

fn outlook(found: Vec<Found>) -> Result<Outlook, Error> {
    let mut outlook = Outlook::default();
    for slice in alternatives(found) {
        let part = part(&slice)?;
        if !part.is_certain() {
            outlook.running.extend(slice.running);
        }
        outlook.range += part;
        outlook.is_newer |= slice.is_newer;
    }
    Ok(outlook)
}

/// What one slice may turn out to be, or was while the transactions that are at it ran.
pub struct Alternatives {
    contents: Vec<Content>,
    /// Whether there may be no such slice.
    pub may_be_absent: bool,
    /// The transactions that are at it.
    pub running: Vec<pg_sys::TransactionId>,
    /// See [`Outlook::is_newer`].
    is_newer: bool,
}

impl Alternatives {
    /// The states in its versions.
    pub fn states(&self) -> Result<Vec<Vec<u8>>, Error> {
        let state = |content: &Content| match content {
            Content::State(_, state) => Ok(content_of(*state)),
            Content::Counter(_) | Content::Decimal(_) => {
                Err(Error::Internal("a set of another type".into()))
            }
        };
        self.contents.iter().map(state).collect()
    }
}

/// What each slice may turn out to be.
fn alternatives(mut found: Vec<Found>) -> Vec<Alternatives> {
    found.sort_by_key(|version| version.slice.slot);
    let of_slice = |versions: &[Found]| {
        let settled = versions.iter().any(|version| !version.is_new);
        let has_new = versions.iter().any(|version| version.is_new);
        let removed = versions
            .iter()
            .any(|version| !version.is_new && version.holder.is_some());
        let contents = versions.iter().map(|version| version.slice.content);
        Alternatives {
            contents: contents.collect(),
            may_be_absent: !settled || removed && !has_new,
            running: versions
                .iter()
                .filter_map(|version| version.holder)
                .collect(),
            is_newer: versions
                .iter()
                .any(|version| !version.is_new && !writer_is_visible(&version.slice)),
        }
    };
    found
        .chunk_by(|a, b| a.slice.slot == b.slice.slot)
        .map(of_slice)
        .collect()
}

/// The slice of a counter.
fn part(slice: &Alternatives) -> Result<Range, Error> {
    let mut values = Vec::with_capacity(slice.contents.len() + 1);
    for content in &slice.contents {
        match content {
            Content::Counter(delta) => values.push(i128::from(*delta)),
            Content::Decimal(_) | Content::State(..) => {
                return Err(Error::Internal("a bounded counter of another type".into()));
            }
        }
    }
    if slice.may_be_absent {
        values.push(0);
    }
    Ok(Range::of(values).unwrap_or_default())
}
