//! `abelian.counter`: a `bigint` whose additions commute.
//!
//! The datum is 16 bytes: the object's id and its base. The value is the base plus the slices of the object that
//! the reader's snapshot sees. Id 0 is an object without identity: it has never been split, and cannot be until
//! it gets an id. Literals and casts make such datums, so that they are constants; a row's object gets its id
//! when INSERT stores it or when the first operation rewrites the row.

use crate::error::Error;
use crate::lock::{self, Mode, Tag};
use crate::object;
use crate::pg_function;
use abelian_adt::counter::base_is_central;
use pgrx::pg_sys::{self, Datum};

/// The datum.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Identity of the object; 0 if it has none yet.
    pub id: i64,
    /// The part of the value that is stored in the row.
    pub base: i64,
}

impl Counter {
    /// A value without identity.
    pub fn unidentified(base: i64) -> Self {
        Counter { id: 0, base }
    }

    /// A new object with this value.
    pub fn new_object(base: i64) -> Result<Self, Error> {
        Ok(Counter {
            id: object::new_id()?,
            base,
        })
    }

    /// # Safety
    /// `datum` must be a non-null datum of type `abelian.counter`.
    pub unsafe fn from_datum(datum: Datum) -> Self {
        // SAFETY: by the caller; the type is aligned to 8 bytes.
        unsafe { *datum.cast_mut_ptr::<Counter>() }
    }

    /// Copies it to the current memory context.
    pub fn into_datum(self) -> Datum {
        // SAFETY: palloc gives memory aligned to 8 bytes or raises.
        unsafe {
            let place = pg_sys::palloc(size_of::<Counter>()).cast::<Counter>();
            place.write(self);
            Datum::from(place)
        }
    }

    /// The value under the active snapshot.
    pub fn value(self) -> Result<i64, Error> {
        if self.id == 0 {
            return Ok(self.base);
        }
        sum(self.base, object::visible(self.id)?.counter())
    }

    /// The value that everything committed and this transaction's own work give: needs the Exclusive lock on
    /// the object and the newest version of the row to be meaningful.
    pub fn newest_value(self) -> Result<i64, Error> {
        if self.id == 0 {
            return Ok(self.base);
        }
        sum(self.base, object::newest(self.id)?.counter())
    }

    /// The operation done in the row: same object, base changed. The caller rewrites the row, which makes the
    /// row lock the guard of the base. Outside the zone where slices cannot overflow, the operation is done
    /// alone (Exclusive lock) against the exact value.
    pub fn add_in_place(self, delta: i128) -> Result<Self, Error> {
        let id = if self.id == 0 {
            object::new_id()?
        } else {
            self.id
        };
        let base = i128::from(self.base) + delta;
        match i64::try_from(base) {
            Ok(base) if base_is_central(base) && base_is_central(self.base) => {
                Ok(Counter { id, base })
            }
            _ if self.id == 0 => i64::try_from(base)
                .map(|base| Counter { id, base })
                .map_err(|_| Error::OutOfRange),
            _ => self.add_alone(delta),
        }
    }

    fn add_alone(self, delta: i128) -> Result<Self, Error> {
        lock::lock(Tag::Object(self.id), Mode::Overwrite, true);
        let slices = i128::from(object::newest(self.id)?.counter());
        let value = i128::from(self.base) + slices + delta;
        i64::try_from(value).map_err(|_| Error::OutOfRange)?;
        match i64::try_from(value - slices) {
            Ok(base) => Ok(Counter { id: self.id, base }),
            // The value fits, the base alone does not: take the slices in.
            Err(_) => {
                object::discard(self.id)?;
                Ok(Counter {
                    id: self.id,
                    base: value as i64,
                })
            }
        }
    }
}

fn sum(base: i64, slices: i64) -> Result<i64, Error> {
    base.checked_add(slices).ok_or(Error::OutOfRange)
}

/// # Safety
/// `datum` must be a non-null `abelian.counter`.
unsafe fn counter(datum: Datum) -> Counter {
    // SAFETY: by the caller.
    unsafe { Counter::from_datum(datum) }
}

pg_function!(fn abelian_counter_in(call) {
    // SAFETY: int8in checks the text and raises PostgreSQL's own errors, but for the type's name.
    let base = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8in, &[Some(call.arg(0))]) };
    Ok(Counter::unidentified(base.map_or(0, |datum| datum.value() as i64)).into_datum())
});

pg_function!(fn abelian_counter_out(call) {
    // SAFETY: declared with a counter argument; int8out gives a cstring.
    let value = unsafe { counter(call.arg(0)) }.value()?;
    let text = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8out, &[Some(Datum::from(value))]) };
    text.ok_or_else(|| Error::Internal("int8out gave NULL".into()))
});

pg_function!(fn abelian_counter_recv(call) {
    // SAFETY: int8recv reads the message PostgreSQL passes.
    let base = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8recv, &[Some(call.arg(0))]) };
    Ok(Counter::unidentified(base.map_or(0, |datum| datum.value() as i64)).into_datum())
});

pg_function!(fn abelian_counter_send(call) {
    // SAFETY: as in abelian_counter_out.
    let value = unsafe { counter(call.arg(0)) }.value()?;
    let bytes = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8send, &[Some(Datum::from(value))]) };
    bytes.ok_or_else(|| Error::Internal("int8send gave NULL".into()))
});

pg_function!(fn abelian_counter_from_int2(call) {
    Ok(Counter::unidentified(i64::from(call.arg(0).value() as i16)).into_datum())
});

pg_function!(fn abelian_counter_from_int4(call) {
    Ok(Counter::unidentified(i64::from(call.i32(0))).into_datum())
});

pg_function!(fn abelian_counter_from_int8(call) {
    Ok(Counter::unidentified(call.i64(0)).into_datum())
});

pg_function!(fn abelian_counter_from_numeric(call) {
    // SAFETY: numeric_int8 rounds and raises 22003 as an assignment to bigint does.
    let base = unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_int8, &[Some(call.arg(0))]) };
    Ok(Counter::unidentified(base.map_or(0, |datum| datum.value() as i64)).into_datum())
});

pg_function!(fn abelian_counter_from_float8(call) {
    // SAFETY: dtoi8 rounds and raises 22003 as an assignment to bigint does.
    let base = unsafe { pgrx::direct_function_call_as_datum(pg_sys::dtoi8, &[Some(call.arg(0))]) };
    Ok(Counter::unidentified(base.map_or(0, |datum| datum.value() as i64)).into_datum())
});

pg_function!(
    /// The cast to `bigint`: the value under the active snapshot.
    fn abelian_counter_value(call) {
        // SAFETY: declared with a counter argument.
        Ok(Datum::from(unsafe { counter(call.arg(0)) }.value()?))
    }
);

pg_function!(
    /// The value as of now instead of the snapshot; meaningful under the Exclusive lock.
    fn abelian_counter_newest_value(call) {
        // SAFETY: declared with a counter argument.
        Ok(Datum::from(unsafe { counter(call.arg(0)) }.newest_value()?))
    }
);

pg_function!(
    /// `c + delta` as a change of the row's own datum (not STRICT only in name: NULL in, NULL out).
    fn abelian_counter_add(call) {
        // SAFETY: declared with a counter argument.
        let counter = unsafe { counter(call.arg(0)) };
        Ok(counter.add_in_place(i128::from(call.i64(1)))?.into_datum())
    }
);

pg_function!(
    /// `c - delta`, likewise.
    fn abelian_counter_subtract(call) {
        // SAFETY: declared with a counter argument.
        let counter = unsafe { counter(call.arg(0)) };
        Ok(counter.add_in_place(-i128::from(call.i64(1)))?.into_datum())
    }
);

pg_function!(
    /// A new object with the value of the given one: what INSERT stores.
    fn abelian_counter_copy(call) {
        // SAFETY: declared with a counter argument.
        let value = unsafe { counter(call.arg(0)) }.value()?;
        Ok(Counter::new_object(value)?.into_datum())
    }
);

pg_function!(
    /// The object's id, for views and tests.
    fn abelian_counter_object(call) {
        // SAFETY: declared with a counter argument.
        Ok(Datum::from(unsafe { counter(call.arg(0)) }.id))
    }
);
