//! `abelian.counter`: a `bigint` whose additions commute.
//!
//! The datum is 16 bytes: the object's id (48 bits) and its base (80 bits: the value always fits `bigint`, but a
//! base may lie outside by as much as the slices make up for). The value is the base plus the slices of the object
//! that the reader's snapshot sees. Id 0 is an object without identity: it has never been split, and cannot be until
//! it gets an id. Literals and casts make such datums, so that they are constants; a row's object gets its id
//! when INSERT stores it or when the first operation rewrites the row. [`super::bounded_decimal`] counts units in the same way, and keeps
//! its scale in the upper 4 of the base's 80 bits.

use crate::error::Error;
use crate::function::Call;
use crate::lock::{self, Mode, Tag};
use crate::object;
use crate::pg_function;
use crate::types::loading;
use abelian_adt::counter::base_is_central;
use pgrx::pg_sys::{self, Datum};

/// The datum taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Identity of the object; 0 if it has none yet.
    pub id: i64,
    /// The part of the value that is stored in the row.
    pub base: i128,
    /// How many digits behind the point a bounded decimal has, of which this counts units; 0 of the other types.
    pub scale: u8,
}

/// The datum as stored: the scale and the base's bits above the lower 64 share a word with the id. They are 0 for a base
/// inside `bigint`, whatever its sign, and no scale.
#[repr(C)]
#[derive(Clone, Copy)]
struct Stored {
    id_and_high: u64,
    low: i64,
}

const ID_BITS: u32 = 48;

/// Bits of the base above the lower 64.
const HIGH_BITS: u32 = 12;

/// The base's upper bits and the scale in one. A scale of 0 leaves the number as it is.
fn with_scale(high: i16, scale: u8) -> u16 {
    high as u16 ^ (u16::from(scale) << HIGH_BITS)
}

/// What [`with_scale`] has put together.
fn without_scale(bits: u16) -> (i16, u8) {
    let unused = i16::BITS - HIGH_BITS;
    let high = ((bits << unused) as i16) >> unused;
    (high, ((bits ^ high as u16) >> HIGH_BITS) as u8)
}

impl Counter {
    /// A value without identity.
    pub fn unidentified(value: i64) -> Self {
        Counter {
            id: 0,
            base: value.into(),
            scale: 0,
        }
    }

    /// What an input function has read.
    pub fn from_input(call: Call, value: Counter) -> Result<Self, Error> {
        Ok(Counter {
            id: loading::id_of_input(call)?,
            ..value
        })
    }

    /// The value under the active snapshot, without identity.
    pub fn seen_alone(self) -> Result<Self, Error> {
        Ok(self.alone(self.value()?))
    }

    /// [`Counter::newest_value`], without identity.
    pub fn newest_alone(self) -> Result<Self, Error> {
        Ok(self.alone(self.newest_value()?))
    }

    /// A new object with the value under the active snapshot.
    pub fn identified(self) -> Result<Self, Error> {
        Ok(Counter {
            id: object::new_id()?,
            ..self.seen_alone()?
        })
    }

    fn in_range(self, value: i128) -> Result<i64, Error> {
        i64::try_from(value).map_err(|_| match self.scale {
            0 => Error::OutOfRange,
            _ => Error::DecimalOutOfRange,
        })
    }

    fn alone(self, value: i64) -> Self {
        Counter {
            id: 0,
            base: value.into(),
            ..self
        }
    }

    /// # Safety
    /// `datum` must be a non-null datum of type `abelian.counter`, or of a bounded type.
    pub unsafe fn from_datum(datum: Datum) -> Self {
        // SAFETY: by the caller; the type is aligned to 8 bytes.
        let stored = unsafe { *datum.cast_mut_ptr::<Stored>() };
        let (high, scale) = without_scale((stored.id_and_high >> ID_BITS) as u16);
        Counter {
            id: (stored.id_and_high & ((1 << ID_BITS) - 1)) as i64,
            base: i128::from(stored.low) + (i128::from(high) << 64),
            scale,
        }
    }

    /// Copies it to the current memory context.
    pub fn into_datum(self) -> Datum {
        let low = self.base as i64;
        let high = (self.base - i128::from(low)) >> 64;
        let stored = Stored {
            id_and_high: self.id as u64
                | (u64::from(with_scale(high as i16, self.scale)) << ID_BITS),
            low,
        };
        // SAFETY: palloc gives memory aligned to 8 bytes or raises.
        unsafe {
            let place = pg_sys::palloc(size_of::<Stored>()).cast::<Stored>();
            place.write(stored);
            Datum::from(place)
        }
    }

    /// The value under the active snapshot.
    pub fn value(self) -> Result<i64, Error> {
        if !object::may_have_slices(self.id) {
            return self.in_range(self.base);
        }
        self.in_range(self.base + i128::from(object::visible(self.id)?.counter()))
    }

    /// The value that everything committed and this transaction's own work give: needs the Overwrite lock on
    /// the object and the newest version of the row to be meaningful.
    pub fn newest_value(self) -> Result<i64, Error> {
        if self.id == 0 {
            return self.in_range(self.base);
        }
        self.in_range(self.base + i128::from(object::newest(self.id)?.counter()))
    }

    /// The same object with another value as of now, whatever others have added meanwhile and not committed. 40001 if its base would lie where others must not add to slices.
    pub fn with_value(self, value: i64) -> Result<Self, Error> {
        let base = i128::from(value) - i128::from(object::newest(self.id)?.counter());
        match base_is_central(base) {
            true => Ok(Counter { base, ..self }),
            false => Err(Error::ConcurrentUpdate),
        }
    }

    /// The operation done in the row: same object, base changed. The caller rewrites the row, which makes the
    /// row lock the guard of the base. May be evaluated again on a newer version of the row, or in vain: it has
    /// no effect but its result (and a lock).
    ///
    /// Outside the zone where slices cannot overflow, the operation is done alone, against the exact value.
    pub fn add_in_place(self, delta: i128) -> Result<Self, Error> {
        let base = self.base + delta;
        if self.id == 0 {
            self.in_range(base)?;
            return Ok(Counter {
                id: object::new_id()?,
                base,
                ..self
            });
        }
        if !(base_is_central(base) && base_is_central(self.base)) {
            lock::lock(Tag::Object(self.id), Mode::Overwrite, true);
            self.in_range(base + i128::from(object::newest(self.id)?.counter()))?;
        }
        Ok(Counter { base, ..self })
    }
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
    let base = base.map_or(0, |datum| datum.value() as i64);
    Ok(Counter::from_input(call, Counter::unidentified(base))?.into_datum())
});

pg_function!(fn abelian_counter_out(call) {
    // SAFETY: declared with a counter argument.
    let value = unsafe { counter(call.arg(0)) }.value()?;
    // SAFETY: int8out(int8).
    let text = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8out, &[Some(Datum::from(value))]) };
    text.ok_or_else(|| Error::Internal("int8out gave NULL".into()))
});

pg_function!(fn abelian_counter_recv(call) {
    // SAFETY: int8recv reads the message PostgreSQL passes.
    let base = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8recv, &[Some(call.arg(0))]) };
    let base = base.map_or(0, |datum| datum.value() as i64);
    Ok(Counter::from_input(call, Counter::unidentified(base))?.into_datum())
});

pg_function!(fn abelian_counter_send(call) {
    // SAFETY: declared with a counter argument.
    let value = unsafe { counter(call.arg(0)) }.value()?;
    // SAFETY: int8send(int8).
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

/// The value of an object that was never split, which most are.
fn base_alone(call: Call) -> Option<Datum> {
    // SAFETY: the functions that use it are declared with a counter argument.
    let counter = unsafe { counter(call.arg(0)) };
    if object::may_have_slices(counter.id) {
        return None;
    }
    i64::try_from(counter.base).ok().map(Datum::from)
}

pg_function!(
    quick base_alone;
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
        Ok(unsafe { counter(call.arg(0)) }.identified()?.into_datum())
    }
);

pg_function!(
    /// What is stored in the row, as a `bigint`, for indexes: the value of an object without slices. A base that is none has slices that make
    /// up for it.
    fn abelian_counter_base(call) {
        // SAFETY: declared with a counter argument.
        let base = unsafe { counter(call.arg(0)) }.base;
        let nearest = base.clamp(i64::MIN.into(), i64::MAX.into());
        Ok(Datum::from(nearest as i64))
    }
);

pg_function!(
    /// The object's id, for indexes, views and tests.
    fn abelian_counter_object(call) {
        // SAFETY: declared with a counter argument.
        Ok(Datum::from(unsafe { counter(call.arg(0)) }.id))
    }
);
