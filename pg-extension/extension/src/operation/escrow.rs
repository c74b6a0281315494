//! Operations on bounded counters and decimals: which of them may be done now (escrow, O'Neil 1986).
//!
//! An operation that comes nearer to a bound is admitted if the bound is kept however the running transactions end. It
//! waits for one of them if that depends on them, and fails if it does not. The argument is in
//! `docs/design/escrow.md`.

use super::executor::Target;
use super::own;
use super::row_bounds::{self, RowBound};
use super::version::{self, Successor};
use crate::backend;
use crate::compat;
use crate::error::Error;
use crate::lock::Purpose;
use crate::object::{self, Delta, Object, Outcome, Watch, remembered};
use crate::types::bounded_counter;
use crate::types::bounded_decimal::{self, NO_AMOUNT};
use crate::types::counter::Counter;
use abelian_adt::bounded_counter::{Bound, Bounds, Range, Verdict};
use abelian_adt::counter::base_is_central;
use abelian_adt::fixed_point;
use abelian_adt::remembered::Widening;
use abelian_adt::test_in_range::{Condition, OutOfRange};
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};

/// A bounded column.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    relation: Oid,
    attribute: i16,
    bounds: Bounds,
    /// Digits behind the point of a decimal, of which sums are units.
    scale: Option<u8>,
    /// Which bounds of the row the floor and the ceiling are, if they are not the column's own.
    of_row: [Option<u16>; 2],
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
    /// A condition fails however the running transactions end.
    Unmet,
}

/// An addition to a bounded counter, and under which conditions on its value.
#[derive(Clone, Copy)]
pub struct Addition<'a> {
    /// The column.
    pub bounded: Bounded,
    /// The object's content in the version that is worked on.
    pub content: Counter,
    /// What is to be added.
    pub delta: i64,
    /// What the value before it must be; guarded by the bounds, unless the value is held.
    pub conditions: &'a [Condition],
}

/// An operation on one object, in a version of its row.
pub struct Operation<'a> {
    /// The object.
    pub object: Object,
    /// What it does, with the content in the version at `at`.
    pub addition: Addition<'a>,
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
        let (type_, modifier) = type_of(relation, attribute);
        let is_decimal = crate::catalog::find().is_some_and(|c| c.bounded_decimal == type_);
        let (bounds, scale) = match is_decimal {
            true => (Bounds::default(), bounded_decimal::scale_of(modifier)),
            false => (Bounds::of_modifier(modifier), None),
        };
        Bounded {
            relation,
            attribute,
            bounds,
            scale,
            of_row: [None; 2],
        }
    }

    /// A column of sets, whose sizes only rows bound.
    pub fn size_of(relation: Oid, attribute: i16) -> Self {
        Bounded {
            relation,
            attribute,
            bounds: Bounds::default(),
            scale: None,
            of_row: [None; 2],
        }
    }

    /// The bounds.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The same with the bounds that a row has for itself, of which `all` is the relation's list.
    pub fn in_row(
        mut self,
        all: &[RowBound],
        column: impl Fn(i16) -> Option<Datum>,
    ) -> Result<Self, Error> {
        let own = all
            .iter()
            .zip(0..)
            .filter(|(one, _)| one.attribute == self.attribute);
        for (bound, place) in own {
            let before = self.bounds;
            self.bounds = bound.tighten(before, &column)?;
            if self.bounds.floor != before.floor {
                self.of_row[0] = Some(place);
            }
            if self.bounds.ceiling != before.ceiling {
                self.of_row[1] = Some(place);
            }
        }
        Ok(self)
    }

    /// Whether the bounds keep the conditions true, so that escrow can decide them.
    pub fn guards(&self, conditions: &[Condition], delta: i64) -> bool {
        let possible = self.require_amount(delta).is_ok();
        let mut all = conditions.iter();
        possible && all.all(|condition| self.bounds.guard(condition, delta))
    }

    /// Fails if the value is outside the bounds.
    pub fn require(&self, value: i64) -> Result<(), Error> {
        bounded_counter::require(self.bounds, value, Some((self.relation, self.attribute)))
    }

    /// Fails if adding leaves the bounds, the newest value of the object being held.
    pub fn require_after(&self, content: Counter, delta: i64) -> Result<(), Error> {
        remembered::widen(content.id, Widening::of(delta));
        self.require_units(content, delta)?;
        let value = content.newest_value()?;
        match self.bounds.judge(Range::certain(value.into()), delta) {
            Verdict::Never(bound) => {
                Err(self.violation(bound, Range::certain(value.into()), delta))
            }
            Verdict::Fits | Verdict::Waits => Ok(()),
        }
    }

    /// Fails if what is to be added is no number of units.
    fn require_amount(&self, delta: i64) -> Result<(), Error> {
        match self.scale.is_some() && delta == NO_AMOUNT {
            true => Err(Error::DecimalOutOfRange),
            false => Ok(()),
        }
    }

    /// Also where the object counts other units than its column.
    fn require_units(&self, content: Counter, delta: i64) -> Result<(), Error> {
        self.require_amount(delta)?;
        match self.scale {
            Some(scale) if scale != content.scale => {
                Err(Error::Internal("a decimal of another scale".into()))
            }
            _ => Ok(()),
        }
    }

    fn violation(&self, bound: Bound, sum: Range, delta: i64) -> Error {
        let number = |units: i128| fixed_point::decimal(units, self.scale.unwrap_or(0));
        let most = match bound {
            _ if sum.is_certain() => format!("The value is {}", number(sum.low)),
            Bound::Floor(_) => format!("The value is {} at most", number(sum.high)),
            Bound::Ceiling(_) => format!("The value is {} at least", number(sum.low)),
        };
        self.broken(
            bound,
            &format!("{most}; {} was to be added.", number(delta.into())),
        )
    }

    /// The error that a bound is not kept: the row's CHECK, if it is one of the row.
    pub fn broken(&self, bound: Bound, detail: &str) -> Error {
        let of_row = match bound {
            Bound::Floor(_) => self.of_row[0],
            Bound::Ceiling(_) => self.of_row[1],
        };
        let check = of_row.and_then(|place| row_bounds::name(self.relation, place.into()));
        if let Some(check) = check {
            return bounded_counter::check_violation(self.relation, self.attribute, &check, detail);
        }
        bounded_counter::violation(bound, Some((self.relation, self.attribute)), detail)
    }

    /// Does the operation in a slice if it may be done now. The caller holds Add on the object.
    pub fn add(&self, target: &mut Target, operation: &Operation<'_>) -> Result<Admission, Error> {
        let Operation {
            object, addition, ..
        } = operation;
        let Addition { content, delta, .. } = addition;
        self.require_units(*content, *delta)?;
        let watch = Watch::begin([(object.id, Purpose::Write)])?;
        let by = Widening::of(*delta);
        if !self.bounds.restrict(*delta) {
            remembered::widen(object.id, by);
            return store(object, content, *delta);
        }
        // Where the bounds are kept, so are the conditions, which follow from them.
        if !backend::is_serializable() && remembered::admit(object.id, by, self.bounds) {
            return store(object, content, *delta);
        }
        let watch = watch.then_add_up([object.id]);
        let slices = watch.outlook(object.id)?;
        let (base, mut running) = self.base(target, operation)?;
        running.extend(slices.running);
        let sum = base + slices.range;
        let verdict = self.bounds.judge_if(addition.conditions, sum, *delta);
        if verdict == Some(Verdict::Fits) {
            if backend::is_serializable() && (slices.is_newer || !operation.seen_is_newest) {
                self.require_in_snapshot(operation)?;
            }
            if sees_all_of(target, object.id, operation.at) {
                remembered::renew(object.id, sum);
            }
            remembered::widen(object.id, by);
            return store(object, content, *delta);
        }
        drop(watch);
        match (verdict, first_to_end(&running)) {
            (None, _) => Ok(Admission::Unmet),
            (Some(Verdict::Never(bound)), _) => {
                if backend::has_one_snapshot() {
                    self.require_outside_snapshot(operation)?;
                }
                Err(self.violation(bound, sum, *delta))
            }
            (_, Some(transaction)) => Ok(Admission::WaitFor(transaction)),
            (_, None) => Err(Error::Internal("an uncertain sum without a reason".into())),
        }
    }

    /// What the base in the row may turn out to be, or was at while transactions ran that have rewritten it.
    fn base(
        &self,
        target: &mut Target,
        operation: &Operation<'_>,
    ) -> Result<(Range, Vec<pg_sys::TransactionId>), Error> {
        let own = operation.addition.content;
        let bases = bases(
            target,
            operation.at,
            self.attribute,
            (own.id, own.base),
            |datum| {
                // SAFETY: a datum of the column, which is a bounded counter.
                let content = unsafe { Counter::from_datum(datum) };
                Ok((content.id, content.base))
            },
        )?;
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
    fn require_in_snapshot(&self, operation: &Operation<'_>) -> Result<(), Error> {
        if self.fits_snapshot(operation)? {
            Ok(())
        } else {
            Err(Error::ConcurrentUpdate)
        }
    }

    /// Under one snapshot, a transaction must not learn of a bound that it would not meet there.
    fn require_outside_snapshot(&self, operation: &Operation<'_>) -> Result<(), Error> {
        if self.fits_snapshot(operation)? {
            Err(Error::ConcurrentUpdate)
        } else {
            Ok(())
        }
    }

    fn fits_snapshot(&self, operation: &Operation<'_>) -> Result<bool, Error> {
        // SAFETY: a statement is running, so a snapshot is active.
        let slices =
            unsafe { object::visible_to(operation.object.id, pg_sys::GetActiveSnapshot()) }?;
        let sum = Range::certain(operation.seen_base + i128::from(slices.counter()));
        Ok(self.bounds.judge(sum, operation.addition.delta) == Verdict::Fits)
    }
}

/// The type modifier of a column.
pub fn modifier(relation: Oid, attribute: i16) -> i32 {
    type_of(relation, attribute).1
}

/// The type of a column, and its modifier.
fn type_of(relation: Oid, attribute: i16) -> (Oid, i32) {
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
    (type_, modifier)
}

impl Addition<'_> {
    /// Whether the bases before and after it leave others their room in slices.
    fn is_central(&self) -> bool {
        let base = self.content.base;
        base_is_central(base) && base_is_central(base + i128::from(self.delta))
    }

    /// Whether the bounds are kept by what is remembered of the sum, or whatever it is.
    fn is_admitted(&self) -> bool {
        let by = Widening::of(self.delta);
        if self
            .bounded
            .require_units(self.content, self.delta)
            .is_err()
        {
            false
        } else if self.bounded.bounds.restrict(self.delta) {
            remembered::admit(self.content.id, by, self.bounded.bounds)
        } else {
            remembered::widen(self.content.id, by);
            true
        }
    }

    /// Whether it may be done in the row, of which `content` is that of the newest version, however others end. If not, that is not the
    /// last word.
    fn fits_in_row(&self, watch: &Watch) -> Result<bool, Error> {
        self.bounded.require_units(self.content, self.delta)?;
        let bounds = self.bounded.bounds;
        let sum = Range::certain(self.content.base) + watch.outlook(self.content.id)?.range;
        let fits = bounds.judge_if(self.conditions, sum, self.delta) == Some(Verdict::Fits);
        remembered::widen(self.content.id, Widening::of(self.delta));
        Ok(fits)
    }
}

/// Whether what others may have made of an object, and the transaction itself as it stands, is all that it may be: the transaction has
/// nothing in it, neither in slices nor in its row, whose newest version is at `at`. One that has the row locked may have: a statement
/// that goes on in the row has perhaps done another operation in a slice, and not noted it yet.
pub fn sees_all_of(target: &Target, object: i64, at: ItemPointerData) -> bool {
    own::has_surely_not_operated(object) && !version::is_ours(target.relation(), at)
}

/// What an object's base in the row may turn out to be, `own` in the version at `at`, or was at while transactions ran that have rewritten it; each
/// with the transaction on whose end it depends, or with none. `read` gives the object and its base.
pub fn bases<B>(
    target: &mut Target,
    at: ItemPointerData,
    attribute: i16,
    own: (i64, B),
    read: impl Fn(Datum) -> Result<(i64, B), Error>,
) -> Result<Vec<(pg_sys::TransactionId, B)>, Error> {
    let (object, base) = own;
    let mut bases = vec![(pg_sys::InvalidTransactionId, base)];
    for Successor {
        place,
        writer,
        committed,
    } in version::successors(target.relation(), at)?
    {
        let Some(datum) = target.column_at(place, attribute) else {
            break; // the writer has aborted, and the version is gone
        };
        let (id, base) = read(datum)?;
        if id != object {
            return Err(Error::Internal(
                "an object was replaced under its lock".into(),
            ));
        }
        if committed {
            bases.clear();
        }
        let writer = if committed {
            pg_sys::InvalidTransactionId
        } else {
            writer
        };
        bases.push((writer, base));
    }
    Ok(bases)
}

/// Whether all conditions hold for a value that nobody else can change.
pub fn hold_for(conditions: &[Condition], value: i64) -> Result<bool, Error> {
    for condition in conditions {
        if !condition
            .holds(value)
            .map_err(|OutOfRange| Error::OutOfRange)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether operations in the row keep their bounds however others end; the watch returned must be kept until the row has
/// been rewritten. `None` if they do not, or cannot be told without waiting.
pub fn admit_in_row(additions: &[Addition<'_>]) -> Result<Option<Watch>, Error> {
    if !additions.iter().all(Addition::is_central) {
        return Ok(None);
    }
    let objects = || additions.iter().map(|addition| addition.content.id);
    let watch = Watch::begin(objects().map(|id| (id, Purpose::Write)))?;
    if additions.iter().all(Addition::is_admitted) {
        return Ok(Some(watch));
    }
    let watch = watch.then_add_up(objects());
    for addition in additions {
        if !addition.fits_in_row(&watch)? {
            return Ok(None);
        }
    }
    Ok(Some(watch))
}

fn store(object: &Object, content: &Counter, delta: i64) -> Result<Admission, Error> {
    let added = object::add(object, Some(content.base), Delta::Counter(delta))?;
    Ok(match added {
        Outcome::Added => Admission::Added,
        Outcome::InPlace => Admission::InPlace,
    })
}

/// The one to wait for. Any will do, but the folding worker's ends in a moment; a session's may stay, where the operation need not wait for it.
pub fn first_to_end(running: &[pg_sys::TransactionId]) -> Option<pg_sys::TransactionId> {
    let all = running.iter().copied();
    all.clone().find(|one| is_workers(*one)).or_else(|| {
        all.reduce(|one, other| {
            // SAFETY: compares two numbers.
            let follows = unsafe { pg_sys::TransactionIdFollows(other, one) };
            if follows { other } else { one }
        })
    })
}

/// Whether a background worker runs the transaction; false as well once it has ended.
fn is_workers(transaction: pg_sys::TransactionId) -> bool {
    // SAFETY: looks into the array of processes, whose entries stay; who has it by now is the worst that may be wrong.
    unsafe {
        let process = match pg_sys::BackendXidGetPid(transaction) {
            0 => return false,
            pid => pg_sys::BackendPidGetProc(pid),
        };
        !process.is_null() && compat::is_worker(&*process)
    }
}

/// Waits for the end of a transaction (or of a subtransaction): deadlock detection and timeouts apply.
pub fn wait_for(transaction: pg_sys::TransactionId) {
    // SAFETY: inside a transaction, without locks on buffers.
    unsafe {
        pg_sys::XactLockTableWait(transaction, std::ptr::null_mut(), std::ptr::null_mut(), 0);
    }
}
