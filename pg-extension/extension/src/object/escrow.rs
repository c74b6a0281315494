//! What the slices of a bounded object may add up to, however the transactions that are at them end.
//!
//! Every version of a slice that a running transaction has written, or would fall back to, is in the heap: it is found
//! with a dirty snapshot, also where the transaction has replaced it. A [`Watch`] keeps everyone from writing slices of the object meanwhile; whoever commits or aborts meanwhile only takes alternatives away.

use crate::error::Error;
use crate::lock::{Moment, Purpose};
use crate::object::slice_table::{Content, Found, SliceTable};
use crate::object::split_set;
use crate::object::write::writer_is_visible;
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
    _moment: Moment,
    table: SliceTable,
}

impl Watch {
    /// Begins one. The table is opened first: its lock lasts, and may have to be waited for.
    pub fn begin(objects: impl IntoIterator<Item = (i64, Purpose)>) -> Result<Self, Error> {
        let table = SliceTable::for_writing()?;
        Ok(Watch {
            _moment: Moment::begin(objects),
            table,
        })
    }

    /// What the slices of an object may add up to.
    pub fn outlook(&self, id: i64) -> Result<Outlook, Error> {
        // A slice is noted in the moment in which it is written.
        if split_set::look(id)? {
            outlook(self.table.newest(id, None)?)
        } else {
            Ok(Outlook::default())
        }
    }
}

fn outlook(mut found: Vec<Found>) -> Result<Outlook, Error> {
    found.sort_by_key(|version| version.slice.slot);
    let mut outlook = Outlook::default();
    for versions in found.chunk_by(|a, b| a.slice.slot == b.slice.slot) {
        let part = part(versions)?;
        if !part.is_certain() {
            outlook
                .running
                .extend(versions.iter().filter_map(|version| version.holder));
        }
        outlook.range += part;
        outlook.is_newer |= versions
            .iter()
            .any(|version| !version.is_new && !writer_is_visible(&version.slice));
    }
    Ok(outlook)
}

/// What one slice may turn out to be, or was while the transactions that are at it ran.
fn part(versions: &[Found]) -> Result<Range, Error> {
    let settled = versions.iter().any(|version| !version.is_new);
    let has_new = versions.iter().any(|version| version.is_new);
    let removed = versions
        .iter()
        .any(|version| !version.is_new && version.holder.is_some());
    let may_be_absent = !settled || removed && !has_new;
    let mut values = Vec::with_capacity(versions.len() + 1);
    for version in versions {
        match version.slice.content {
            Content::Counter(delta) => values.push(i128::from(delta)),
            Content::Decimal(_) | Content::State(..) => {
                return Err(Error::Internal("a bounded counter of another type".into()));
            }
        }
    }
    if may_be_absent {
        values.push(0);
    }
    Ok(Range::of(values).unwrap_or_default())
}
