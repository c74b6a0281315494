//! Operations on bounded counters: which of them may be done now (escrow, O'Neil 1986).
//!
//! An operation that comes nearer to a bound is admitted if the bound is kept however the running transactions end. It
//! waits for one of them if that depends on them, and fails if it does not. The argument is in
//! `docs/design/escrow.md`.

use super::executor::Target;
use super::row;
use super::version::{self, Successor};
use crate::error::Error;
use crate::lock::{Mode, Moment, Tag};
use crate::object::{self, Delta, Object, Outcome};
use crate::types::bounded_counter;
use crate::types::counter::Counter;
use abelian_adt::bounded_counter::{Bound, Bounds, Range, Verdict};
use abelian_adt::counter::base_is_central;
use pgrx::pg_sys::{self, ItemPointerData, Oid};

/// A bounded column.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    relation: Oid,
    attribute: i16,
    bounds: Bounds,
}

/// What became of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is in a slice.
    Added,
    /// It must be done in the row, alone.
    InPlace,
    /// It depends on how this transaction ends.
    WaitFor(pg_sys::TransactionId),
}

/// An operation on one object, in a version of its row.
pub struct Operation {
    /// The object.
    pub object: Object,
    /// Its content in the version at `at`.
    pub content: Counter,
    /// What is to be added.
    pub delta: i64,
    /// The newest committed version of the row, or our own.
    pub at: ItemPointerData,
    /// The base in the version that the statement's snapshot shows, and whether that is the one at `at`.
    pub seen_base: i128,
    /// See `seen_base`.
    pub seen_is_newest: bool,
}

impl Bounded {
    /// The column as the catalogue knows it.
    pub fn of(relation: Oid, attribute: i16) -> Self {
        Bounded {
            relation,
            attribute,
            bounds: Bounds::of_modifier(modifier(relation, attribute)),
        }
    }

    /// Fails if the value is outside the bounds.
    pub fn require(&self, value: i64) -> Result<(), Error> {
        bounded_counter::require(self.bounds, value, Some((self.relation, self.attribute)))
    }

    /// Fails if adding leaves the bounds, the value before it being known for certain.
    pub fn require_after(&self, value: i64, delta: i64) -> Result<(), Error> {
        match self.bounds.judge(Range::certain(value.into()), delta) {
            Verdict::Never(bound) => {
                Err(self.violation(bound, Range::certain(value.into()), delta))
            }
            Verdict::Fits | Verdict::Waits => Ok(()),
        }
    }

    fn violation(&self, bound: Bound, sum: Range, delta: i64) -> Error {
        let most = match bound {
            _ if sum.is_certain() => format!("The value is {}", sum.low),
            Bound::Floor(_) => format!("The value is {} at most", sum.high),
            Bound::Ceiling(_) => format!("The value is {} at least", sum.low),
        };
        let detail = format!("{most}; {delta} was to be added.");
        bounded_counter::violation(bound, Some((self.relation, self.attribute)), &detail)
    }

    /// Whether an operation in the row, of which this is the newest version, keeps the bounds however others end; the lock
    /// returned must be held until the row has been rewritten. `None` if it does not, or cannot be told without waiting.
    pub fn admit_in_row(&self, content: Counter, delta: i64) -> Result<Option<Moment>, Error> {
        let central =
            base_is_central(content.base) && base_is_central(content.base + i128::from(delta));
        if !central {
            return Ok(None);
        }
        let tag = Tag::Check(content.id);
        if !self.bounds.restrict(delta) {
            return Ok(Some(Moment::begin(tag, Mode::Read)));
        }
        let check = Moment::begin(tag, Mode::Overwrite);
        let sum = Range::certain(content.base) + object::outlook(content.id)?.range;
        Ok((self.bounds.judge(sum, delta) == Verdict::Fits).then_some(check))
    }

    /// Does the operation in a slice if it may be done now. The caller holds Add on the object.
    pub fn add(&self, target: &mut Target, operation: &Operation) -> Result<Admission, Error> {
        let Operation {
            object,
            content,
            delta,
            ..
        } = operation;
        let tag = Tag::Check(object.id);
        if !self.bounds.restrict(*delta) {
            let _check = Moment::begin(tag, Mode::Read);
            return store(object, content, *delta);
        }
        let _check = Moment::begin(tag, Mode::Overwrite);
        let slices = object::outlook(object.id)?;
        let (base, mut running) = self.base(target, operation)?;
        running.extend(slices.running);
        let sum = base + slices.range;
        match self.bounds.judge(sum, *delta) {
            Verdict::Fits => {
                if serializable() && (slices.is_newer || !operation.seen_is_newest) {
                    self.require_in_snapshot(operation)?;
                }
                store(object, content, *delta)
            }
            Verdict::Waits => match running.first() {
                Some(transaction) => Ok(Admission::WaitFor(*transaction)),
                None => Err(Error::Internal("an uncertain sum without a reason".into())),
            },
            Verdict::Never(bound) => {
                if row::one_snapshot() {
                    self.require_outside_snapshot(operation)?;
                }
                Err(self.violation(bound, sum, *delta))
            }
        }
    }

    /// What the base in the row may turn out to be: others may have rewritten it.
    fn base(
        &self,
        target: &mut Target,
        operation: &Operation,
    ) -> Result<(Range, Vec<pg_sys::TransactionId>), Error> {
        let mut bases = vec![(pg_sys::InvalidTransactionId, operation.content.base)];
        for Successor {
            place,
            writer,
            committed,
        } in version::successors(target.relation(), operation.at)?
        {
            let Some(datum) = target.column_at(place, self.attribute) else {
                break; // the writer has aborted, and the version is gone
            };
            // SAFETY: a datum of the column, which is a bounded counter.
            let content = unsafe { Counter::from_datum(datum) };
            if content.id != operation.content.id {
                return Err(Error::Internal(
                    "an object was replaced under its lock".into(),
                ));
            }
            if committed {
                bases.clear();
            } else if bases.last().is_some_and(|(last, _)| *last == writer) {
                bases.pop(); // never to come back: written and replaced by one (sub)transaction
            }
            let writer = if committed {
                pg_sys::InvalidTransactionId
            } else {
                writer
            };
            bases.push((writer, content.base));
        }
        let range = Range::of(bases.iter().map(|(_, base)| *base)).unwrap_or_default();
        let running = bases
            .into_iter()
            .map(|(writer, _)| writer)
            .filter(|writer| *writer != pg_sys::InvalidTransactionId && !range.is_certain())
            .collect();
        Ok((range, running))
    }

    /// SERIALIZABLE: the operation may have been admitted because of transactions that come after ours in every serial
    /// order. Looks at the value as a statement would, so that PostgreSQL knows, and demands that it fits there.
    fn require_in_snapshot(&self, operation: &Operation) -> Result<(), Error> {
        if self.fits_snapshot(operation)? {
            Ok(())
        } else {
            Err(Error::ConcurrentUpdate)
        }
    }

    /// Under one snapshot, a transaction must not learn of a bound that it would not meet there.
    fn require_outside_snapshot(&self, operation: &Operation) -> Result<(), Error> {
        if self.fits_snapshot(operation)? {
            Err(Error::ConcurrentUpdate)
        } else {
            Ok(())
        }
    }

    fn fits_snapshot(&self, operation: &Operation) -> Result<bool, Error> {
        // SAFETY: a statement is running, so a snapshot is active.
        let slices =
            unsafe { object::visible_to(operation.object.id, pg_sys::GetActiveSnapshot()) }?;
        let sum = Range::certain(operation.seen_base + i128::from(slices.counter()));
        Ok(self.bounds.judge(sum, operation.delta) == Verdict::Fits)
    }
}

/// The type modifier of a column.
pub fn modifier(relation: Oid, attribute: i16) -> i32 {
    let mut modifier = -1;
    let (mut type_, mut collation) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: a lookup into variables of ours.
    unsafe {
        pg_sys::get_atttypetypmodcoll(
            relation,
            attribute,
            &mut type_,
            &mut modifier,
            &mut collation,
        );
    }
    modifier
}

fn store(object: &Object, content: &Counter, delta: i64) -> Result<Admission, Error> {
    let added = object::add(object, Some(content.base), Delta::Counter(delta))?;
    Ok(match added {
        Outcome::Added => Admission::Added,
        Outcome::InPlace => Admission::InPlace,
    })
}

/// Waits for the end of a transaction (or of a subtransaction): deadlock detection and timeouts apply.
pub fn wait_for(transaction: pg_sys::TransactionId) {
    // SAFETY: inside a transaction, without locks on buffers.
    unsafe {
        pg_sys::XactLockTableWait(transaction, std::ptr::null_mut(), std::ptr::null_mut(), 0);
    }
}

fn serializable() -> bool {
    // SAFETY: plain read.
    unsafe { pg_sys::XactIsoLevel == pg_sys::XACT_SERIALIZABLE as i32 }
}
