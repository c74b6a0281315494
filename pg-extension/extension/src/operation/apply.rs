//! What happens to one row of a pure operation.
//!
//! First choice is the row itself: a rewrite that does not wait. If another transaction is at the row, or the
//! object is known to be contended, the change goes to a slice under the Add lock on the object, once the newest
//! version of the row has shown that the row is still there, still has this object, and still meets the condition.
//! What neither can take (an object without identity, NULL, a value near the end of bigint) is done in the row,
//! waiting as PostgreSQL does.

mod bounded;
mod follow;
mod locks;
mod returned;
mod tested;
mod unchanged;

use super::elements::{OnElements, Taken, Until};
use super::escrow::{self, Addition, Admission, Bounded};
use super::executor::{Rewrite, Room, Target};
use super::foresight::Statement;
use super::own;
use super::pure::Private;
use super::row::{self, Request};
use super::row_bounds::RowBound;
use super::settings::CONCURRENT_OPERATIONS;
use super::version;
use crate::aggregate::Family;
use crate::backend;
use crate::error::Error;
use crate::lock;
use crate::object::{self, Delta, Object, Outcome, contention};
use crate::settings::{self, Split};
use crate::types::aggregated::{self, Aggregated};
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use follow::Followed;
use locks::{give_back, hold_off_readers};
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid};
use std::rc::Rc;
use tested::{Test, Tested};
use unchanged::Unchanged;

/// How many rows went which way.
#[derive(Default)]
pub struct Done {
    /// Rewritten rows.
    pub in_place: i64,
    /// Rows whose change went to slices.
    pub in_slices: i64,
}

/// The state of the node.
///
/// Lives in the statement's memory and is never dropped.
pub struct Apply {
    target: Target,
    private: Private,
    /// The changes of the row at hand.
    changes: Room<Change>,
    /// The conditions on values that it has to meet.
    tested: Tested,
    /// The bounds that rows have for themselves.
    row_bounds: Room<RowBound>,
    /// The columns of the version to be stored.
    stored: Room<(i16, Option<Datum>)>,
    /// Updates of the table are published: its values lie in the rows.
    published: bool,
    /// Bounded counters: rewriting the row may take long, so that it cannot be done while others wait to add up.
    row_is_slow: bool,
    /// `None` if no other follows in its transaction.
    statement: Option<Statement>,
    /// A read of what it operates on is expected.
    expects_read: bool,
    /// The row that was operated on last has a new version.
    rewritten: bool,
    /// For EXPLAIN ANALYZE.
    pub done: Done,
}

/// A column that is operated on.
#[derive(Clone, Copy, Default)]
struct Column {
    attribute: i16,
    flavour: Flavour,
    bounded: Option<Bounded>,
    /// There are conditions on its value.
    tested: bool,
    /// RETURNING gives what is committed of it, and the transaction's own operations.
    returned: bool,
}

/// How the type keeps its values.
#[derive(Clone, Copy, Default)]
enum Flavour {
    #[default]
    Counter,
    Decimal,
    /// This type, which is one over an aggregate.
    Aggregated(Oid),
}

/// The change of one column of one row.
#[derive(Clone, Copy, Default)]
struct Change {
    column: Column,
    /// The bounds in the version that is worked on.
    bounded: Option<Bounded>,
    /// The datum in the version that is worked on; `None` for NULL.
    content: Option<Datum>,
    /// The object in it; 0 for none. To read it from a large value would mean to look into the TOAST table each time.
    id: i64,
    /// The same in the version that the plan yielded first.
    seen: Option<Datum>,
    /// `None` for NULL.
    delta: Option<Datum>,
    /// The base of a bounded counter in the version that the plan yielded.
    seen_base: i128,
    /// In a slice already.
    done: bool,
}

impl Column {
    /// Whether its values have bounds, and not the sizes of its sets.
    fn is_bounded_number(&self) -> bool {
        self.bounded.is_some() && matches!(self.flavour, Flavour::Counter)
    }
}

impl Change {
    fn id(&self) -> i64 {
        self.id
    }

    /// Works on another version of the row.
    fn set_content(&mut self, content: Option<Datum>) {
        self.content = content;
        // SAFETY: the content is a datum of the column's type.
        self.id = content.map_or(0, |content| unsafe {
            match self.column.flavour {
                Flavour::Counter => Counter::from_datum(content).id,
                Flavour::Decimal => DecimalCounter::from_datum(content).id,
                Flavour::Aggregated(_) => Aggregated::id_of(content),
            }
        });
    }

    fn object(&self, relation: pg_sys::Oid) -> Object {
        Object {
            id: self.id(),
            relation,
            attribute: self.column.attribute,
        }
    }

    /// An operation on a bounded counter that has not been done.
    fn bounded(&self) -> Option<(Bounded, Counter, i64)> {
        if !self.column.is_bounded_number() {
            return None;
        }
        let (bounded, content, delta) = (self.bounded?, self.content?, self.delta?);
        // SAFETY: the content is a datum of the column's type.
        let content = unsafe { Counter::from_datum(content) };
        (!self.done).then_some((bounded, content, delta.value() as i64))
    }

    /// Whether its value has to be known where it is not left to escrow.
    fn is_restricted(&self) -> bool {
        self.bounded().is_some()
            || self.sized().is_some()
            || self.column.tested && !self.done
            || self.is_returned_alone()
    }

    /// Whether RETURNING gives a value that must be held: what others have done since its snapshot, a transaction cannot be told.
    fn is_returned_alone(&self) -> bool {
        self.column.returned && backend::has_one_snapshot()
    }

    /// Whether only a rewrite of the row can do it. NULL is no object: nothing but the row keeps others from deleting it, or
    /// from giving it a value.
    fn needs_row(&self) -> bool {
        let aggregated = matches!(self.column.flavour, Flavour::Aggregated(_));
        let changes = self.delta.is_some() || aggregated;
        let possible = changes && self.id() != 0 && !own::must_be_alone(self.id());
        !self.done && !possible
    }

    /// Whether it locks elements.
    fn has_elements(&self) -> bool {
        match self.column.flavour {
            Flavour::Aggregated(type_) if !self.done => {
                Family::of(type_).is_some_and(|family| family.structure.is_some())
            }
            _ => false,
        }
    }

    /// What it does to which elements of an object that others know.
    fn on_elements(&self) -> Result<Option<OnElements>, Error> {
        match (self.column.flavour, self.content, self.delta) {
            (Flavour::Aggregated(type_), Some(_), Some(delta)) if !self.done => {
                OnElements::of(&family(type_)?, delta)
            }
            _ => Ok(None),
        }
    }

    /// The datum that a rewrite of the row stores.
    fn in_place(&self) -> Result<Option<Datum>, Error> {
        if let (Some(operations), Some(content)) = (self.on_elements()?, self.content) {
            return operations.in_place(content, self.seen).map(Some);
        }
        if let Flavour::Aggregated(type_) = self.column.flavour {
            return aggregated::in_place(&family(type_)?, self.content, self.delta);
        }
        let (Some(content), Some(delta)) = (self.content, self.delta) else {
            return Ok(None);
        };
        // SAFETY: the datums are of the column's type and its value type.
        unsafe {
            Ok(Some(match self.column.flavour {
                Flavour::Counter => Counter::from_datum(content)
                    .add_in_place(i128::from(delta.value() as i64))?
                    .into_datum(),
                _ => DecimalCounter::from_datum(content)
                    .add_in_place(delta)?
                    .into_datum(),
            }))
        }
    }

    /// Adds to a slice.
    fn in_slice(&self, relation: pg_sys::Oid) -> Result<Outcome, Error> {
        if let (Flavour::Aggregated(type_), None) = (self.column.flavour, self.delta) {
            aggregated::require_operand(&*family(type_)?, self.content.is_some(), false)?;
            return Ok(Outcome::Added);
        }
        let (Some(content), Some(delta)) = (self.content, self.delta) else {
            return Ok(Outcome::InPlace);
        };
        let object = self.object(relation);
        if let Some(operations) = self.on_elements()? {
            return operations.in_slice(&object, content, self.seen);
        }
        if self.is_in_row()? {
            return Ok(Outcome::Added);
        }
        match self.column.flavour {
            Flavour::Counter => {
                // SAFETY: a counter's datum.
                let base = unsafe { Counter::from_datum(content) }.base;
                object::add(&object, Some(base), Delta::Counter(delta.value() as i64))
            }
            Flavour::Decimal => object::add(&object, None, Delta::Decimal(delta)),
            Flavour::Aggregated(type_) => {
                let family = family(type_)?;
                // SAFETY: a datum of the family's type.
                let delta = unsafe { Aggregated::from_datum(family.clone(), delta) };
                // SAFETY: as above.
                let base = || unsafe { Aggregated::from_datum(family.clone(), content) }.state;
                let bounded = match family.bounds_slices() {
                    true => family.for_slice(&base(), &delta.state)?,
                    false => None,
                };
                let change = bounded.as_deref().unwrap_or(&delta.state);
                object::add(&object, None, Delta::State(&family, change))
            }
        }
    }
}

/// A statement does not outlive its table's types.
fn family(type_: Oid) -> Result<Rc<Family>, Error> {
    Family::required(type_)
}

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Operated on.
    Done,
    /// Gone, or not meeting the condition any more.
    Skipped,
}

/// Bound on starting over with a newer version of one row; each time another transaction has committed.
const MOST_ATTEMPTS: usize = 1_000_000;

impl Apply {
    /// # Safety
    /// `node` must be the state of our node, its scan relation open, and `child` the state of its source of rows.
    pub unsafe fn new(
        node: *mut pg_sys::CustomScanState,
        child: *mut pg_sys::PlanState,
        private: Private,
        published: bool,
    ) -> Apply {
        let count = private.attributes.iter().len();
        // SAFETY: by the caller.
        let (target, mut changes, stored, tested) = unsafe {
            (
                Target::new(node, child, private.recheck_parameter, private.place),
                Room::<Change>::new(count),
                Room::new(count),
                Tested::new(&private),
            )
        };
        for (change, attribute) in changes.iter_mut().zip(private.attributes.iter()) {
            let attribute = attribute as i16;
            change.column = Column {
                attribute,
                // Types over an aggregate have no fixed size, so the most frequent need not be looked up.
                flavour: match target.type_of(attribute) {
                    _ if target.is_fixed_size(attribute) => Flavour::Counter,
                    type_ if Family::of(type_).is_some() => Flavour::Aggregated(type_),
                    _ => Flavour::Decimal,
                },
                bounded: target.bounded(attribute),
                tested: attribute == private.tested,
                returned: private.returns(attribute),
            };
        }
        let has_bounded = changes.iter().any(|change| change.column.bounded.is_some());
        // SAFETY: by the caller.
        let row_bounds = unsafe { bounded::room(&target, has_bounded) };
        let statement = target.statement();
        Apply {
            row_is_slow: has_bounded && target.runs_code_for_indexes(),
            statement,
            expects_read: !backend::has_one_snapshot()
                && statement.is_some_and(Statement::expects_read),
            target,
            private,
            changes,
            tested,
            row_bounds,
            stored,
            published,
            rewritten: false,
            done: Done::default(),
        }
    }

    /// Frees what the statement's memory context does not.
    pub fn end(&mut self) {
        self.target.end();
    }

    /// Operates on rows until one is to be returned to the client, or none is left (null).
    pub fn next_row(&mut self) -> Result<*mut pg_sys::TupleTableSlot, Error> {
        loop {
            let Some(place) = self.target.next() else {
                return Ok(std::ptr::null_mut());
            };
            let mut changes = std::mem::take(&mut self.changes);
            self.renew(place, &mut changes)?;
            let row = self.row(place, &mut changes)?;
            if row == Row::Skipped && changes.iter().any(|change| change.done) {
                return Err(Error::ConcurrentUpdate); // nothing of it may stay
            }
            self.changes = changes;
            if row == Row::Done {
                self.target.count();
                if self.target.returns() {
                    let known = self.known_values()?;
                    // SAFETY: these are datums of their columns' types.
                    return Ok(unsafe { self.target.project(&known) });
                }
            }
        }
    }

    fn row(&mut self, place: ItemPointerData, changes: &mut [Change]) -> Result<Row, Error> {
        for change in changes.iter_mut() {
            let bounded = change.content.filter(|_| change.column.is_bounded_number());
            // SAFETY: a bounded counter's datum.
            change.seen_base = bounded.map_or(0, |c| unsafe { Counter::from_datum(c) }.base);
            change.seen = change.content;
            change.done = false;
        }
        let test = self.test_first(changes)?;
        if test == Test::Fails {
            return Ok(Row::Skipped);
        }
        let never = self.published || settings::SPLIT.get() == Split::Never;
        let mut wait = !CONCURRENT_OPERATIONS.get()
            || own::has_many_locks()
            || changes.iter().any(Change::needs_row)
            || test == Test::Alone
            || changes.iter().any(Change::is_returned_alone)
            || changes.iter().any(Change::is_sized_alone)
            || (never && changes.iter().any(Change::has_elements))
            || self.has_unlocked_elements(changes)
            || self.target.is_looked_at_later(place);
        let mut at = place;
        // Who has operated in slices goes on so: with a row of its own it would be waited for there by those who it waits for here.
        let goes_on_in_slices =
            self.expects_read && self.statement.is_some_and(own::has_operated_in_slices);
        let queues = self.expects_read && !goes_on_in_slices && self.may_queue(at, changes);
        if queues {
            if self.keeps_bounded() {
                self.take_bounded(at, changes)?;
            }
            self.wait_for_slices(changes);
            wait = true;
        }
        if !wait && self.may_change_nothing(changes) {
            match self.leave_undone(at, changes)? {
                Unchanged::Stays(version) => return Ok(self.in_slices(version, changes)),
                Unchanged::Gone => return Ok(Row::Skipped),
                Unchanged::Changes(newest) => at = newest,
            }
            wait = changes.iter().any(Change::needs_row);
        }
        // Under SERIALIZABLE, rewriting the row would make rivals of operations that commute.
        if !wait
            && !goes_on_in_slices
            && (never || !backend::is_serializable())
            && !changes
                .iter()
                .any(|change| contention::is_contended(change.id()))
            && !Change::all_in_row(changes)?
            && let Some(ahead) = hold_off_readers(changes)
        {
            let result = self.rewrite(at, changes, false)?;
            if result != Rewrite::Done {
                // Whoever holds the row may want an exclusive hold.
                give_back(&ahead);
            }
            match result {
                Rewrite::Done => return self.in_place(changes),
                Rewrite::Again | Rewrite::Unmet => return Ok(Row::Skipped),
                Rewrite::Refused => {}
                Rewrite::Taken if version::locked_by_us(self.target.relation(), at) => wait = true,
                Rewrite::Taken | Rewrite::Updated | Rewrite::Deleted => {
                    changes
                        .iter()
                        .for_each(|change| contention::note_collision(change.id()));
                }
            }
        }
        // Who is to queue for the row does so without the locks on its objects.
        wait |= never;
        for _ in 0..MOST_ATTEMPTS {
            if wait {
                if backend::has_one_snapshot() && !version::same_place(at, place) {
                    // The newest version holds what the snapshot does not show.
                    return Err(Error::ConcurrentUpdate);
                }
                match self.rewrite(at, changes, true)? {
                    Rewrite::Done if queues => {
                        self.note_expected_read(changes);
                        return self.in_place(changes);
                    }
                    Rewrite::Done => return self.in_place(changes),
                    Rewrite::Again | Rewrite::Unmet => return Ok(Row::Skipped),
                    Rewrite::Deleted | Rewrite::Updated if backend::has_one_snapshot() => {
                        return Err(Error::ConcurrentUpdate);
                    }
                    Rewrite::Deleted => return Ok(Row::Skipped),
                    Rewrite::Updated | Rewrite::Taken | Rewrite::Refused => {}
                }
                let Some(next) = self.target.lock_and_recheck(at)? else {
                    return Ok(Row::Skipped);
                };
                at = next;
                self.renew(at, changes)?;
                continue;
            }
            let Some(elements) = self.lock(at, changes)? else {
                wait = true;
                continue;
            };
            if self.has_unlocked_elements(changes) {
                elements.release();
                self.unlock(changes);
                wait = true;
                continue;
            }
            match self.follow(at, changes)? {
                Followed::Gone => {
                    elements.release();
                    return Ok(Row::Skipped);
                }
                Followed::OtherObject(next) => {
                    elements.release();
                    at = next;
                    wait = changes.iter().any(Change::needs_row);
                    continue;
                }
                Followed::Here(next) => at = next,
            }
            let test = self.test(changes);
            if test != Test::ByEscrow {
                elements.release();
                self.unlock(changes);
                if test == Test::Fails {
                    return Ok(Row::Skipped);
                }
                wait = true;
                continue;
            }
            match self.add_to_slices(at, version::same_place(at, place), changes)? {
                Admission::Added => return Ok(self.in_slices(at, changes)),
                Admission::Unmet if !self.has_operated_on_tested(changes) => {
                    elements.release();
                    self.unlock(changes);
                    return Ok(Row::Skipped);
                }
                Admission::InPlace | Admission::Unmet => {
                    // Whoever holds the row may want an exclusive hold.
                    elements.release();
                    self.unlock(changes);
                    wait = true;
                }
                Admission::WaitFor(transaction) => {
                    // As above.
                    elements.release();
                    self.unlock(changes);
                    escrow::wait_for(transaction);
                }
            }
        }
        Err(Error::Internal("a row changed without end".into()))
    }

    /// Takes the changes that the plan yielded for the row with its version at `at`, or for that newer version of it; what is in slices
    /// stays done.
    fn renew(&mut self, at: ItemPointerData, changes: &mut [Change]) -> Result<(), Error> {
        let count = changes.len();
        self.tested.renew(&self.private, &self.target, 2 * count);
        for (n, change) in changes.iter_mut().enumerate() {
            change.set_content(self.target.output(count + n));
            change.delta = self.target.output(n);
            change.bounded = change.column.bounded;
        }
        self.renew_bounds(at, changes)
    }

    /// After the row was rewritten, and so is held.
    fn in_place(&mut self, changes: &[Change]) -> Result<Row, Error> {
        self.done.in_place += 1;
        self.rewritten = true;
        let version = self.target.stored_at();
        for change in changes.iter().filter(|change| change.id() != 0) {
            let object = change.object(self.target.relation_id());
            contention::note_use(object.id);
            let keep = !own::has_many_locks();
            if lock::exclude_readers(object.id, keep) && keep {
                own::note_lock();
            }
            if own::must_be_alone(object.id) {
                lock::at_row(object.relation, version);
                own::lock_late(&object, Request::overwrite())?;
                row::require_unchanged(object.id)?;
            }
            own::note_operation(&object, version, true, self.statement);
        }
        Ok(Row::Done)
    }

    /// Whether the transaction may wait for what will be read later. Not if it has something of the row already, since others may wait for that.
    fn may_queue(&self, at: ItemPointerData, changes: &[Change]) -> bool {
        !version::is_ours(self.target.relation(), at)
            && !changes.iter().any(|change| own::has_operated(change.id()))
    }

    /// Before it queues for the row: who has operated in slices may want the row, too.
    fn wait_for_slices(&self, changes: &[Change]) {
        let operated = changes.iter().filter(|change| change.bounded().is_none());
        operated
            .map(|change| change.object(self.target.relation_id()))
            .for_each(|object| lock::ordered::wait_for_those_who_add(&object));
    }

    /// After the row was rewritten, for which the transaction has queued.
    fn note_expected_read(&self, changes: &[Change]) {
        if let Some(statement) = self.statement {
            let objects = changes.iter().map(Change::id).filter(|id| *id != 0);
            objects.for_each(|id| own::note_expected_read(id, statement));
        }
    }

    fn in_slices(&mut self, version: ItemPointerData, changes: &[Change]) -> Row {
        self.done.in_slices += 1;
        self.rewritten = false;
        for change in changes {
            let object = change.object(self.target.relation_id());
            own::note_operation(&object, version, false, self.statement);
        }
        Row::Done
    }

    fn rewrite(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
        wait: bool,
    ) -> Result<Rewrite, Error> {
        if wait && changes.iter().any(Change::is_restricted) {
            let locked = self.lock_alone(at, changes)?;
            if locked != Rewrite::Done {
                return Ok(locked);
            }
        }
        if changes.iter().any(Change::has_elements) {
            return self.rewrite_elements(at, changes, wait);
        }
        if !self.target.fetch(at) {
            return Ok(Rewrite::Deleted);
        }
        let additions: Vec<_> = changes
            .iter()
            .filter_map(|one| self.addition(one))
            .collect();
        if wait || additions.is_empty() {
            return self.store(at, changes, wait);
        }
        if self.row_is_slow {
            return Ok(Rewrite::Refused);
        }
        let Some(_watch) = escrow::admit_in_row(&additions)? else {
            return Ok(Rewrite::Refused);
        };
        self.store(at, changes, wait)
    }

    /// As [`Apply::rewrite`], where elements are to be locked. What is added is found in the row afterwards, as long as the transaction
    /// runs; what depends on the elements keeps them locked.
    fn rewrite_elements(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
        wait: bool,
    ) -> Result<Rewrite, Error> {
        if !wait && changes.iter().any(|change| change.bounded().is_some()) {
            return Ok(Rewrite::Refused);
        }
        lock::at_row(self.target.relation_id(), at);
        if wait {
            // Whoever has the elements may want the row: better to wait for them first.
            if let Some(elements) = self.lock_elements(changes, true, Until::Rewritten)? {
                elements.release();
            }
            let locked = self.target.lock(at, true)?;
            if locked != Rewrite::Done {
                return Ok(locked);
            }
            for change in changes.iter().filter(|change| change.has_elements()) {
                if own::must_be_alone(change.id()) {
                    let object = change.object(self.target.relation_id());
                    own::lock_late(&object, Request::overwrite())?;
                    row::require_unchanged(object.id)?;
                }
            }
        }
        let Some(elements) = self.lock_elements(changes, wait, Until::Rewritten)? else {
            return Ok(Rewrite::Refused);
        };
        let result = match self.target.fetch(at) {
            _ if !wait && self.has_unlocked_elements(changes) => Rewrite::Refused,
            false => Rewrite::Deleted,
            true if wait || !changes.iter().any(|change| change.sized().is_some()) => {
                self.store(at, changes, wait)?
            }
            true => self.store_sized(at, changes)?,
        };
        if result == Rewrite::Done {
            elements.release_additions();
        } else {
            elements.release();
        }
        Ok(result)
    }

    /// Whether elements are guarded by the lock on the table, which readers of elements do not meet. They meet the row.
    fn has_unlocked_elements(&self, changes: &[Change]) -> bool {
        lock::excludes_writers(self.target.relation_id())
            && changes.iter().any(Change::has_elements)
    }

    /// `None`, and none locked, if some cannot be had at once.
    fn lock_elements(
        &self,
        changes: &[Change],
        wait: bool,
        additions: Until,
    ) -> Result<Option<Taken>, Error> {
        let mut all = Taken::default();
        for change in changes {
            let Some(operations) = change.on_elements()? else {
                continue;
            };
            match operations.lock(&change.object(self.target.relation_id()), wait, additions) {
                Some(taken) => all.and(taken),
                None => {
                    all.release();
                    return Ok(None);
                }
            }
        }
        Ok(Some(all))
    }

    fn store(
        &mut self,
        at: ItemPointerData,
        changes: &[Change],
        wait: bool,
    ) -> Result<Rewrite, Error> {
        let mut count = 0;
        lock::at_row(self.target.relation_id(), at);
        for change in changes.iter().filter(|change| !change.done) {
            self.stored[count] = (change.column.attribute, change.in_place()?);
            count += 1;
        }
        self.target.rewrite(at, &self.stored[..count], wait)
    }

    /// An operation on a bounded counter that has not been done.
    fn addition(&self, change: &Change) -> Option<Addition<'_>> {
        let (bounded, content, delta) = change.bounded()?;
        Some(Addition {
            bounded,
            content,
            delta,
            conditions: self.tested.on(change),
        })
    }

    /// Whether the transaction has operated before on what it tests, and so must not be told what is not so any more when it commits.
    fn has_operated_on_tested(&self, changes: &[Change]) -> bool {
        let mut tested = changes.iter().filter(|change| change.column.tested);
        tested.any(|change| own::has_operated(change.id()))
    }

    /// Does in slices what can be done there; the first that cannot decides how to go on. As long as it is open whether the row qualifies, nothing is done.
    fn add_to_slices(
        &mut self,
        at: ItemPointerData,
        seen_is_newest: bool,
        changes: &mut [Change],
    ) -> Result<Admission, Error> {
        let relation = self.target.relation_id();
        let mut all = Admission::Added;
        let tested = changes.iter().position(|change| change.column.tested);
        let others = (0..changes.len()).filter(|n| Some(*n) != tested);
        for n in tested.into_iter().chain(others) {
            let change = &mut changes[n];
            if change.done || change.content.is_none() {
                continue;
            }
            let one = match change.bounded() {
                Some((bounded, content, delta)) => {
                    let operation = escrow::Operation {
                        object: change.object(relation),
                        addition: Addition {
                            bounded,
                            content,
                            delta,
                            conditions: self.tested.on(change),
                        },
                        at,
                        seen_base: change.seen_base,
                        seen_is_newest,
                    };
                    bounded.add(&mut self.target, &operation)?
                }
                None if let Some(by) = self.rewritten_by(at, change)? => Admission::WaitFor(by),
                None if let Some(resizing) = change.resizing()? => {
                    let attribute = change.column.attribute;
                    resizing.add(&mut self.target, &change.object(relation), at, attribute)?
                }
                None if change.in_slice(relation)? == Outcome::Added => Admission::Added,
                None => Admission::InPlace,
            };
            change.done = one == Admission::Added;
            if one == Admission::Unmet || one != Admission::Added && change.column.tested {
                return Ok(one);
            }
            if all == Admission::Added {
                all = one;
            }
        }
        Ok(all)
    }

    /// Who has rewritten the row so that the elements of this change are others.
    fn rewritten_by(
        &mut self,
        at: ItemPointerData,
        change: &Change,
    ) -> Result<Option<pg_sys::TransactionId>, Error> {
        match (change.on_elements()?, change.content) {
            (Some(operations), Some(content)) => {
                operations.rewritten_by(&mut self.target, at, change.column.attribute, content)
            }
            _ => Ok(None),
        }
    }
}
