//! The functions that rewritten statements call. Users must not: they lock and remove slices without asking for
//! privileges, and trust their arguments.

use super::elements::{OnElements, Until, shows_newest_of};
use super::escrow::Bounded;
use super::own;
use super::row::{self, Locked, Request, Table};
use super::strict;
use super::tree;
use super::version;
use crate::aggregate::Family;
use crate::backend;
use crate::error::Error;
use crate::function::Call;
use crate::lock::{self, Part, readers};
use crate::object::{self, Object};
use crate::pg_function;
use crate::types::aggregated::{self, Aggregated};
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use crate::varlena::content_of;
use abelian_adt::locks::element_hash;
use pgrx::pg_sys::{self, Datum, Oid};

/// What the types have in common here.
trait Content: Clone {
    /// The `n`-th argument, which must be of this type and not NULL.
    fn argument(call: Call, n: usize) -> Result<Self, Error>;
    fn id(&self) -> i64;
    /// Another datum of the same column.
    ///
    /// # Safety
    /// It must be one.
    unsafe fn beside(&self, datum: Datum) -> Self;
    /// The operation done in the row; `delta` is of the value type.
    fn add(self, delta: Datum) -> Result<Datum, Error>;
    /// The object; which column it is in does not matter for locks.
    fn object(&self, relation: Oid) -> Object {
        Object {
            id: self.id(),
            relation,
            attribute: 0,
        }
    }
    /// Without identity, its value that of the active snapshot.
    fn seen_alone(self) -> Result<Datum, Error>;
    /// Without identity, its value the newest one.
    fn newest_alone(self) -> Result<Datum, Error>;
    /// A new object with the base of this datum.
    fn identified(self) -> Result<Datum, Error>;
    /// The old object with another base, so that its value is that of this datum. 40001 if that cannot be.
    fn in_place_of(self, old: &Self) -> Result<Datum, Error>;
}

impl Content for Counter {
    fn argument(call: Call, n: usize) -> Result<Self, Error> {
        // SAFETY: declared with this type.
        Ok(unsafe { Counter::from_datum(call.arg(n)) })
    }
    unsafe fn beside(&self, datum: Datum) -> Self {
        // SAFETY: by the caller.
        unsafe { Counter::from_datum(datum) }
    }
    fn id(&self) -> i64 {
        self.id
    }
    fn add(self, delta: Datum) -> Result<Datum, Error> {
        Ok(self
            .add_in_place(i128::from(delta.value() as i64))?
            .into_datum())
    }
    fn seen_alone(self) -> Result<Datum, Error> {
        Ok(Counter::seen_alone(self)?.into_datum())
    }
    fn newest_alone(self) -> Result<Datum, Error> {
        Ok(Counter::newest_alone(self)?.into_datum())
    }
    fn identified(self) -> Result<Datum, Error> {
        Ok(Counter::identified(self)?.into_datum())
    }
    fn in_place_of(self, old: &Self) -> Result<Datum, Error> {
        Ok(old.with_value(self.value()?)?.into_datum())
    }
}

impl Content for DecimalCounter {
    fn argument(call: Call, n: usize) -> Result<Self, Error> {
        // SAFETY: declared with this type.
        Ok(unsafe { DecimalCounter::from_datum(call.arg(n)) })
    }
    unsafe fn beside(&self, datum: Datum) -> Self {
        // SAFETY: by the caller.
        unsafe { DecimalCounter::from_datum(datum) }
    }
    fn id(&self) -> i64 {
        self.id
    }
    fn add(self, delta: Datum) -> Result<Datum, Error> {
        Ok(self.add_in_place(delta)?.into_datum())
    }
    fn seen_alone(self) -> Result<Datum, Error> {
        Ok(DecimalCounter::unidentified(self.value()?).into_datum())
    }
    fn newest_alone(self) -> Result<Datum, Error> {
        Ok(DecimalCounter::unidentified(self.newest_value()?).into_datum())
    }
    fn identified(self) -> Result<Datum, Error> {
        Ok(DecimalCounter::new_object(self.value()?)?.into_datum())
    }
    fn in_place_of(self, old: &Self) -> Result<Datum, Error> {
        Ok(old.with_value(self.value()?)?.into_datum())
    }
}

impl Content for Aggregated {
    fn argument(call: Call, n: usize) -> Result<Self, Error> {
        let family = aggregated::family_of_argument(call, n as i32)?;
        // SAFETY: the argument is of this family's type.
        Ok(unsafe { Aggregated::from_datum(family, call.arg(n)) })
    }
    unsafe fn beside(&self, datum: Datum) -> Self {
        // SAFETY: by the caller.
        unsafe { Aggregated::from_datum(self.family.clone(), datum) }
    }
    fn id(&self) -> i64 {
        self.id
    }
    fn add(self, delta: Datum) -> Result<Datum, Error> {
        let family = self.family.clone();
        aggregated::in_place(&family, Some(self.into_datum()), Some(delta))?.ok_or(Error::NoState)
    }
    fn seen_alone(self) -> Result<Datum, Error> {
        let state = self.seen()?;
        Ok(Aggregated::unidentified(self.family, state).into_datum())
    }
    fn newest_alone(self) -> Result<Datum, Error> {
        let state = self.newest()?;
        Ok(Aggregated::unidentified(self.family, state).into_datum())
    }
    fn identified(mut self) -> Result<Datum, Error> {
        self.state = self.seen()?;
        Ok(Aggregated::identified(self)?.into_datum())
    }
    /// Others may have seen elements of it, and what is in slices cannot be taken out of a state.
    fn in_place_of(self, _old: &Self) -> Result<Datum, Error> {
        Err(Error::ConcurrentUpdate)
    }
}

/// A new object with the newest value of the one that the datum is.
///
/// # Safety
/// The datum must be of the type, which is Abelian.
pub unsafe fn joined(type_: Oid, datum: Datum) -> Result<Datum, Error> {
    fn whole<T: Content>(content: T) -> Result<Datum, Error> {
        let whole = content.clone().newest_alone()?;
        // SAFETY: it is of the same type.
        unsafe { content.beside(whole) }.identified()
    }
    // SAFETY: by the caller.
    unsafe {
        match crate::catalog::get()? {
            ours if ours.is_counter_type(type_) => whole(Counter::from_datum(datum)),
            ours if ours.decimal_counter == type_ => whole(DecimalCounter::from_datum(datum)),
            _ => {
                let family = Family::required(type_)?;
                whole(Aggregated::from_datum(family, datum))
            }
        }
    }
}

/// Refuses calls that the rewriting has not made.
pub fn rewritten(call: Call) -> Result<Call, Error> {
    // SAFETY: the information of the running call.
    if unsafe { tree::is_internal_call(call.info()) } {
        Ok(call)
    } else {
        Err(Error::NotForUsers)
    }
}

fn place(call: Call, n: usize) -> pg_sys::ItemPointer {
    call.arg(n).cast_mut_ptr()
}

fn relation(call: Call, n: usize) -> Oid {
    Oid::from(call.arg(n).value() as u32)
}

/// The value in its newest state, under the hold asked for. A version that is not the newest gives the value under
/// the snapshot: the statement meets the newer version next, and evaluates again.
fn newest<T: Content>(call: Call) -> Result<Datum, Error> {
    let content = T::argument(call, 0)?;
    let request = Request::of(call.i32(3))?;
    if request.is_strict() {
        let object = content.object(relation(call, 2));
        // SAFETY: the place is that of a row version.
        let held = strict::hold(&object, Part::Value, unsafe { *place(call, 1) }, |newest| {
            Ok(newest.same_version && row::shows_newest(object.id)?)
        })?;
        return strictly_seen(content, held);
    }
    if !lock_object(content.object(relation(call, 2)), place(call, 1), request)? {
        return content.seen_alone();
    }
    content.newest_alone()
}

/// What is held by a strict read; `held` is the datum to make the value of, if not the statement's own.
fn strictly_seen<T: Content>(content: T, held: Option<Datum>) -> Result<Datum, Error> {
    // SAFETY: a datum of the same column.
    let content = held.map_or(content.clone(), |datum| unsafe { content.beside(datum) });
    strict::under_fresh_snapshot(|| content.seen_alone())
}

/// As [`newest`], but only what is known of one element is held, and so is the newest.
fn newest_of_element(call: Call) -> Result<Datum, Error> {
    let content = Aggregated::argument(call, 0)?;
    let request = Request::of(call.i32(4))?;
    if request.is_held() {
        return content.newest_alone();
    }
    let object = content.object(relation(call, 3));
    let element = content_of(call.arg(1));
    if request.is_of_own_element() {
        return match own::hold_element(&content, &element)? {
            true => own::look(|| content.seen_alone()),
            false => Ok(call.arg(0)),
        };
    }
    let hash = element_hash(&element);
    lock::at_element(hash, &element);
    let shown = |newest: Datum| shows_newest_of(&content, newest, &element);
    if request.is_strict() {
        // SAFETY: the place is that of a row version.
        let held = strict::hold(
            &object,
            Part::Element(hash),
            unsafe { *place(call, 2) },
            |newest| shown(newest.datum),
        )?;
        return strictly_seen(content, held);
    }
    let mut table = Table::open(object.relation);
    // SAFETY: the place is that of a row version.
    if !request.skips() && !version::is_ours(table.relation(), unsafe { *place(call, 2) }) {
        // Whoever is at the element may want the row; and whoever has the row may want the element.
        let taken = request.lock_element(&object, hash)?;
        if taken
            && request.gives_back()
            && table.lock_version(place(call, 2), request.at_once())? != Locked::Newest
        {
            request.give_back_element(&object, hash);
        }
    }
    if table.lock_version(place(call, 2), request)? != Locked::Newest {
        return content.seen_alone();
    }
    request.lock_element(&object, hash)?;
    if backend::has_one_snapshot() && object.id != 0 && !shown(call.arg(0))? {
        return Err(Error::ConcurrentUpdate);
    }
    content.newest_alone()
}

/// Whether the newest state of the object can be read now.
fn lock_object(
    object: Object,
    place: pg_sys::ItemPointer,
    request: Request,
) -> Result<bool, Error> {
    if request.is_held() {
        return Ok(true);
    }
    let mut table = Table::open(object.relation);
    if own::lock_row(&mut table, place, &[object], request)? == Locked::Newest {
        row::require_unchanged(object.id)?;
        return Ok(request.reads_newest());
    }
    Ok(false)
}

/// The datum to store instead of an old one, whose slices are removed when the statement has finished.
fn replace<T: Content>(call: Call) -> Result<Datum, Error> {
    if !call.is_null(0) {
        let old = T::argument(call, 0)?;
        let object = old.object(relation(call, 3));
        // Only one who has operated on it can overwrite it before others. Who has gone before them without that fails below.
        let may_go_before = own::has_operated(object.id) || lock::ordered::holds(object.id);
        let request = match may_go_before {
            true => Request::overwrite(),
            false => Request::alone(),
        };
        let newest = lock_object(object, place(call, 2), request)?;
        if newest && lock::ordered::holds(object.id) {
            // Others have added to it who come later: it stays, with all its slices. Whoever reads it in this statement must see the same of them.
            // Only one who has operated on it: over plain columns, too, others who add then come later.
            if !own::has_operated(object.id) || !row::shows_newest(object.id)? {
                return Err(Error::ConcurrentUpdate);
            }
            lock::exclude_readers_before_change(&object);
            object::remembered::forget(object.id);
            return match call.is_null(1) {
                true => {
                    object::leave(&object)?;
                    Ok(call.null())
                }
                false => T::argument(call, 1)?.in_place_of(&old),
            };
        }
        if newest && super::old_value_is_needed(relation(call, 3)) {
            object::leave(&object)?;
        } else if newest {
            object::discard_when_finished(object);
        }
    }
    if call.is_null(1) {
        return Ok(call.null());
    }
    T::argument(call, 1)?.identified()
}

/// The column that a function for bounded counters is called for: the table and column named in the statement.
fn bounded(call: Call) -> Bounded {
    Bounded::of(relation(call, 4), call.i32(5) as i16)
}

/// As [`replace`]: the new value must keep the bounds, if it was made of the newest version of the row.
fn replace_bounded(call: Call) -> Result<Datum, Error> {
    let old = if call.is_null(0) {
        Counter::unidentified(0)
    } else {
        // SAFETY: declared with this type.
        unsafe { Counter::from_datum(call.arg(0)) }
    };
    let object = old.object(relation(call, 3));
    if !call.is_null(1) && lock_object(object, place(call, 2), Request::alone())? {
        // SAFETY: declared with this type.
        bounded(call).require(unsafe { Counter::from_datum(call.arg(1)) }.value()?)?;
    }
    replace::<Counter>(call)
}

/// As [`operate`], but alone: the new value is known, and must keep the bounds.
fn operate_bounded(call: Call) -> Result<Datum, Error> {
    // SAFETY: declared with this type.
    let content = unsafe { Counter::from_datum(call.arg(0)) };
    let object = content.object(relation(call, 3));
    let place = place(call, 2);
    if !lock_object(object, place, Request::alone())? {
        return Ok(call.arg(0)); // there is a newer version, for which this is evaluated again
    }
    bounded(call).require_after(content, call.i64(1))?;
    // SAFETY: the place is that of a row version.
    own::note_operation(&object, unsafe { *place }, true, None);
    content.add(call.arg(1))
}

/// An operation done in the row. The statement holds the row once it stores the result; alone only if it must be.
fn operate<T: Content>(call: Call) -> Result<Datum, Error> {
    let content = T::argument(call, 0)?;
    prepare_operation(content.object(relation(call, 3)), place(call, 2))?;
    content.add(call.arg(1))
}

/// The same for types over an aggregate, where NULL is the empty object and the change that changes nothing.
fn operate_aggregated(call: Call) -> Result<Datum, Error> {
    let argument = |n: usize| (!call.is_null(n)).then(|| call.arg(n));
    let family = aggregated::family_of_argument(call, 0)?;
    if !call.is_null(0) && !call.is_null(1) {
        let object = Aggregated::argument(call, 0)?.object(relation(call, 3));
        if let Some(operations) = OnElements::of(&family, call.arg(1))? {
            return operate_on_elements(call, object, &operations);
        }
        prepare_operation(object, place(call, 2))?;
    }
    let result = aggregated::in_place(&family, argument(0), argument(1))?;
    Ok(result.unwrap_or_else(|| call.null()))
}

/// The row is locked before its elements, and they stay locked, since the row is rewritten later.
fn operate_on_elements(
    call: Call,
    object: Object,
    operations: &OnElements,
) -> Result<Datum, Error> {
    let place = place(call, 2);
    // SAFETY: the place is that of a row version.
    lock::at_row(object.relation, unsafe { *place });
    if own::must_be_alone(object.id) {
        if !lock_object(object, place, Request::overwrite())? {
            return Ok(call.arg(0)); // there is a newer version, for which this is evaluated again
        }
    } else if object.id != 0 {
        // Whoever has the elements may want the row: better to wait for them first.
        if let Some(elements) = operations.lock(&object, true, Until::Rewritten) {
            elements.release();
        }
        let mut table = Table::open(object.relation);
        if table.lock_version(place, Request::plain_change())? != Locked::Newest {
            return Ok(call.arg(0));
        }
        operations.lock(&object, true, Until::End);
        if readers::exist_before_row() {
            lock::exclude_readers_before_change(&object);
        }
    }
    prepare_operation(object, place)?;
    operations.in_place(call.arg(0), Some(call.arg(0)))
}

fn prepare_operation(object: Object, place: pg_sys::ItemPointer) -> Result<(), Error> {
    if own::must_be_alone(object.id) {
        lock_object(object, place, Request::overwrite())?;
    }
    if object.id != 0
        && readers::exist_before_row()
        && Table::open(object.relation).lock_version(place, Request::plain_change())?
            == Locked::Newest
    {
        lock::exclude_readers_before_change(&object);
    }
    // SAFETY: the place is that of a row version.
    own::note_operation(&object, unsafe { *place }, true, None);
    Ok(())
}

/// The datum unchanged, its row's plain columns about to change.
fn keep<T: Content>(call: Call) -> Result<Datum, Error> {
    let content = T::argument(call, 0)?;
    lock_object(
        content.object(relation(call, 2)),
        place(call, 1),
        Request::plain_change(),
    )?;
    Ok(call.arg(0))
}

pg_function!(fn abelian_counter_operate(call) { operate::<Counter>(rewritten(call)?) });
pg_function!(fn abelian_bounded_counter_operate(call) { operate_bounded(rewritten(call)?) });
pg_function!(fn abelian_bounded_counter_replace(call) { replace_bounded(rewritten(call)?) });
pg_function!(fn abelian_decimal_counter_operate(call) { operate::<DecimalCounter>(rewritten(call)?) });
pg_function!(fn abelian_counter_newest(call) { newest::<Counter>(rewritten(call)?) });
pg_function!(fn abelian_decimal_counter_newest(call) { newest::<DecimalCounter>(rewritten(call)?) });
pg_function!(fn abelian_counter_replace(call) { replace::<Counter>(rewritten(call)?) });
pg_function!(fn abelian_decimal_counter_replace(call) { replace::<DecimalCounter>(rewritten(call)?) });
pg_function!(fn abelian_counter_keep(call) { keep::<Counter>(rewritten(call)?) });
pg_function!(fn abelian_decimal_counter_keep(call) { keep::<DecimalCounter>(rewritten(call)?) });
pg_function!(fn abelian_object_operate(call) { operate_aggregated(rewritten(call)?) });
pg_function!(fn abelian_object_newest(call) { newest::<Aggregated>(rewritten(call)?) });
pg_function!(fn abelian_object_newest_element(call) { newest_of_element(rewritten(call)?) });
pg_function!(fn abelian_object_replace(call) { replace::<Aggregated>(rewritten(call)?) });
pg_function!(fn abelian_object_keep(call) { keep::<Aggregated>(rewritten(call)?) });

pg_function!(
    /// The column of an object in a row version, for views; NULL if it is not there.
    fn abelian_object_column(call) {
        // SAFETY: declared with a tid.
        let column = row::column_of(relation(call, 0), unsafe { *place(call, 1) }, call.i64(2));
        Ok(column.map_or_else(|| call.null(), Datum::from))
    }
);

pg_function!(
    /// Locks a row and its objects as the statement needs; true, so that it can stand in a target list.
    fn abelian_lock_row(call) {
        let call = rewritten(call)?;
        let request = Request::of(call.i32(2))?;
        let mut table = Table::open(relation(call, 1));
        if request.is_plain_change() {
            lock_plain_columns(&mut table, place(call, 0), request)?;
        } else if table.fetch(place(call, 0)) {
            lock_whole_row(&mut table, place(call, 0), request)?;
        }
        Ok(Datum::from(true))
    }
);

fn lock_whole_row(
    table: &mut Table,
    place: pg_sys::ItemPointer,
    request: Request,
) -> Result<(), Error> {
    let objects = table.objects()?;
    if own::lock_row(table, place, &objects, request)? != Locked::Newest {
        return Ok(());
    }
    for object in objects {
        if request.reads_newest() {
            row::require_unchanged(object.id)?;
        }
        if request.discards() {
            object::discard(object.id)?;
        } else if request.leaves() {
            object::leave(&object)?;
        }
    }
    Ok(())
}

/// The row need not be locked before the statement changes it. Whoever waits for the plain columns' lock has not got the row by this
/// statement, and who holds that lock needs none that operations hold.
fn lock_plain_columns(
    table: &mut Table,
    place: pg_sys::ItemPointer,
    request: Request,
) -> Result<(), Error> {
    if !table.fetch(place) {
        return Ok(());
    }
    let objects = table.objects()?;
    if !objects.iter().all(row::try_plain_columns) {
        for object in objects {
            own::note_change_of_plain_columns(object.id);
            request.lock_object(&object)?;
        }
    }
    Ok(())
}

pg_function!(
    /// Whether the active snapshot shows this row version.
    fn abelian_in_snapshot(call) {
        let call = rewritten(call)?;
        // SAFETY: a statement has an active snapshot while it runs.
        let snapshot = unsafe { pg_sys::GetActiveSnapshot() };
        Ok(Datum::from(Table::open(relation(call, 1)).shows(place(call, 0), snapshot)))
    }
);

// Order and equality of objects are those of their values, as the default operator classes need them.

fn counters(call: Call) -> Result<(i64, i64), Error> {
    Ok((
        Counter::argument(call, 0)?.value()?,
        Counter::argument(call, 1)?.value()?,
    ))
}

fn compare_decimals(call: Call) -> Result<i32, Error> {
    let values = [
        DecimalCounter::argument(call, 0)?.value()?,
        DecimalCounter::argument(call, 1)?.value()?,
    ];
    // SAFETY: numeric_cmp takes their values.
    unsafe {
        pgrx::direct_function_call::<i32>(pg_sys::numeric_cmp, &values.map(Some))
            .ok_or_else(|| Error::Internal("numeric_cmp gave NULL".into()))
    }
}

fn compare_counters(call: Call) -> Result<i32, Error> {
    let (a, b) = counters(call)?;
    Ok(a.cmp(&b) as i32)
}

pg_function!(fn abelian_counter_compare(call) { Ok(Datum::from(compare_counters(call)?)) });
pg_function!(fn abelian_counter_lt(call) { Ok(Datum::from(compare_counters(call)? < 0)) });
pg_function!(fn abelian_counter_le(call) { Ok(Datum::from(compare_counters(call)? <= 0)) });
pg_function!(fn abelian_counter_eq(call) { Ok(Datum::from(compare_counters(call)? == 0)) });
pg_function!(fn abelian_counter_ge(call) { Ok(Datum::from(compare_counters(call)? >= 0)) });
pg_function!(fn abelian_counter_gt(call) { Ok(Datum::from(compare_counters(call)? > 0)) });
pg_function!(fn abelian_decimal_counter_compare(call) { Ok(Datum::from(compare_decimals(call)?)) });
pg_function!(fn abelian_decimal_counter_lt(call) { Ok(Datum::from(compare_decimals(call)? < 0)) });
pg_function!(fn abelian_decimal_counter_le(call) { Ok(Datum::from(compare_decimals(call)? <= 0)) });
pg_function!(fn abelian_decimal_counter_eq(call) { Ok(Datum::from(compare_decimals(call)? == 0)) });
pg_function!(fn abelian_decimal_counter_ge(call) { Ok(Datum::from(compare_decimals(call)? >= 0)) });
pg_function!(fn abelian_decimal_counter_gt(call) { Ok(Datum::from(compare_decimals(call)? > 0)) });
