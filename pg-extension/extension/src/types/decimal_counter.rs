//! `abelian.decimal_counter`: a `numeric` whose additions commute.
//!
//! The datum is a varlena: header, object id, and the base as a complete `numeric` (itself a varlena). The type is
//! stored plain (never compressed or with a short header), so that the inner `numeric` can be used where it lies.
//! Ids as in [`super::counter`]. All arithmetic is PostgreSQL's own.

use crate::error::Error;
use crate::function::Call;
use crate::numeric;
use crate::object;
use crate::pg_function;
use crate::types::loading;
use pgrx::pg_sys::{self, Datum};

/// Bytes before the inner `numeric`: the varlena header and the id.
const NUMERIC_OFFSET: usize = 4 + 8;

/// A datum taken apart.
#[derive(Clone, Copy)]
pub struct DecimalCounter {
    /// Identity of the object; 0 if it has none yet.
    pub id: i64,
    /// The part of the value that is stored in the row: a `numeric`, never NULL.
    pub base: Datum,
}

impl DecimalCounter {
    /// A value without identity; `base` is a `numeric`.
    pub fn unidentified(base: Datum) -> Self {
        DecimalCounter { id: 0, base }
    }

    /// A new object with this value.
    pub fn new_object(base: Datum) -> Result<Self, Error> {
        Ok(DecimalCounter {
            id: object::new_id()?,
            base,
        })
    }

    /// The result borrows from the datum's memory.
    ///
    /// # Safety
    /// `datum` must be a non-null datum of type `abelian.decimal_counter`.
    pub unsafe fn from_datum(datum: Datum) -> Self {
        // SAFETY: by the caller; detoasting returns the datum itself unless it was assembled in an unusual way.
        unsafe {
            let start = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<u8>();
            DecimalCounter {
                id: start.add(4).cast::<i64>().read_unaligned(),
                base: Datum::from(start.add(NUMERIC_OFFSET)),
            }
        }
    }

    /// Copies it to the current memory context.
    pub fn into_datum(self) -> Datum {
        // SAFETY: the base is a valid numeric; the block is as large as its parts.
        unsafe {
            let base = pg_sys::pg_detoast_datum(self.base.cast_mut_ptr());
            let numeric_size = pgrx::varsize_any(base);
            let size = NUMERIC_OFFSET + numeric_size;
            let start = pg_sys::palloc(size).cast::<u8>();
            pgrx::set_varsize_4b(start.cast(), size as i32);
            start.add(4).cast::<i64>().write_unaligned(self.id);
            start
                .add(NUMERIC_OFFSET)
                .copy_from_nonoverlapping(base.cast::<u8>(), numeric_size);
            Datum::from(start)
        }
    }

    /// The value (a `numeric`) under the active snapshot.
    pub fn value(self) -> Result<Datum, Error> {
        if !object::may_have_slices(self.id) {
            return Ok(self.base);
        }
        with_slices(self.base, object::visible(self.id)?.decimal())
    }

    /// The value that everything committed and this transaction's own work give; see
    /// [`super::counter::Counter::newest_value`].
    pub fn newest_value(self) -> Result<Datum, Error> {
        if self.id == 0 {
            return Ok(self.base);
        }
        with_slices(self.base, object::newest(self.id)?.decimal())
    }

    /// The same object with another value as of now. 40001 if no base makes it exactly that, digits after the point included.
    pub fn with_value(self, value: Datum) -> Result<Self, Error> {
        let slices = object::newest(self.id)?.decimal();
        let base = match slices {
            None => value,
            Some(slices) => numeric::add(value, numeric::negate(slices)?)?,
        };
        match numeric::bytes(with_slices(base, slices)?) == numeric::bytes(value) {
            true => Ok(DecimalCounter { id: self.id, base }),
            false => Err(Error::ConcurrentUpdate),
        }
    }

    /// The operation done in the row: same object, base changed by `delta`, a `numeric`.
    pub fn add_in_place(self, delta: Datum) -> Result<Self, Error> {
        Ok(DecimalCounter {
            id: if self.id == 0 {
                object::new_id()?
            } else {
                self.id
            },
            base: numeric::add(self.base, delta)?,
        })
    }
}

fn with_slices(base: Datum, slices: Option<Datum>) -> Result<Datum, Error> {
    slices.map_or(Ok(base), |slices| numeric::add(base, slices))
}

/// # Safety
/// `datum` must be a non-null `abelian.decimal_counter`.
unsafe fn decimal(datum: Datum) -> DecimalCounter {
    // SAFETY: by the caller.
    unsafe { DecimalCounter::from_datum(datum) }
}

fn unidentified(numeric: Option<Datum>) -> Result<Datum, Error> {
    made(numeric, 0)
}

/// With this identity; 0 for none.
fn made(numeric: Option<Datum>, id: i64) -> Result<Datum, Error> {
    let base = numeric.ok_or_else(|| Error::Internal("no numeric value".into()))?;
    Ok(DecimalCounter { id, base }.into_datum())
}

/// What an input function gives for what it has read.
fn read(call: Call, numeric: Option<Datum>) -> Result<Datum, Error> {
    made(numeric, loading::id_of_input(call)?)
}

pg_function!(fn abelian_decimal_counter_in(call) {
    let no_modifier = Datum::from(-1_i32);
    // SAFETY: numeric_in(cstring, oid, int4).
    read(call, unsafe {
        pgrx::direct_function_call_as_datum(
            pg_sys::numeric_in,
            &[Some(call.arg(0)), Some(Datum::null()), Some(no_modifier)],
        )
    })
});

pg_function!(fn abelian_decimal_counter_out(call) {
    // SAFETY: declared with a decimal_counter argument.
    let value = unsafe { decimal(call.arg(0)) }.value()?;
    // SAFETY: numeric_out(numeric).
    let text = unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_out, &[Some(value)]) };
    text.ok_or_else(|| Error::Internal("numeric_out gave NULL".into()))
});

pg_function!(fn abelian_decimal_counter_recv(call) {
    let no_modifier = Datum::from(-1_i32);
    // SAFETY: numeric_recv(internal, oid, int4).
    read(call, unsafe {
        pgrx::direct_function_call_as_datum(
            pg_sys::numeric_recv,
            &[Some(call.arg(0)), Some(Datum::null()), Some(no_modifier)],
        )
    })
});

pg_function!(fn abelian_decimal_counter_send(call) {
    // SAFETY: declared with a decimal_counter argument.
    let value = unsafe { decimal(call.arg(0)) }.value()?;
    // SAFETY: numeric_send(numeric).
    let bytes = unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_send, &[Some(value)]) };
    bytes.ok_or_else(|| Error::Internal("numeric_send gave NULL".into()))
});

pg_function!(fn abelian_decimal_counter_from_int2(call) {
    // SAFETY: the conversions take the type they are named for.
    unidentified(unsafe { pgrx::direct_function_call_as_datum(pg_sys::int2_numeric, &[Some(call.arg(0))]) })
});

pg_function!(fn abelian_decimal_counter_from_int4(call) {
    // SAFETY: as above.
    unidentified(unsafe { pgrx::direct_function_call_as_datum(pg_sys::int4_numeric, &[Some(call.arg(0))]) })
});

pg_function!(fn abelian_decimal_counter_from_int8(call) {
    // SAFETY: as above.
    unidentified(unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8_numeric, &[Some(call.arg(0))]) })
});

pg_function!(fn abelian_decimal_counter_from_numeric(call) {
    unidentified(Some(call.arg(0)))
});

pg_function!(fn abelian_decimal_counter_from_float8(call) {
    // SAFETY: as above.
    unidentified(unsafe { pgrx::direct_function_call_as_datum(pg_sys::float8_numeric, &[Some(call.arg(0))]) })
});

pg_function!(
    /// The cast to `numeric`: the value under the active snapshot.
    fn abelian_decimal_counter_value(call) {
        // SAFETY: declared with a decimal_counter argument.
        unsafe { decimal(call.arg(0)) }.value()
    }
);

pg_function!(
    /// The value as of now instead of the snapshot; meaningful under the Exclusive lock.
    fn abelian_decimal_counter_newest_value(call) {
        // SAFETY: declared with a decimal_counter argument.
        unsafe { decimal(call.arg(0)) }.newest_value()
    }
);

pg_function!(
    /// `c + delta` as a change of the row's own datum.
    fn abelian_decimal_counter_add(call) {
        // SAFETY: declared with a decimal_counter and a numeric argument.
        let counter = unsafe { decimal(call.arg(0)) };
        Ok(counter.add_in_place(call.arg(1))?.into_datum())
    }
);

pg_function!(
    /// `c - delta`, likewise.
    fn abelian_decimal_counter_subtract(call) {
        // SAFETY: declared with a decimal_counter and a numeric argument.
        let counter = unsafe { decimal(call.arg(0)) };
        Ok(counter.add_in_place(numeric::negate(call.arg(1))?)?.into_datum())
    }
);

pg_function!(
    /// A new object with the value of the given one: what INSERT stores.
    fn abelian_decimal_counter_copy(call) {
        // SAFETY: declared with a decimal_counter argument.
        let value = unsafe { decimal(call.arg(0)) }.value()?;
        Ok(DecimalCounter::new_object(value)?.into_datum())
    }
);

pg_function!(
    /// What is stored in the row, a `numeric`, for indexes: the value of an object without slices.
    fn abelian_decimal_counter_base(call) {
        // SAFETY: declared with a decimal counter argument; the result is a copy.
        let base = unsafe { DecimalCounter::from_datum(call.arg(0)) }.base;
        Ok(numeric::from_bytes(&numeric::bytes(base)))
    }
);

pg_function!(
    /// The object's id, for views and tests.
    fn abelian_decimal_counter_object(call) {
        // SAFETY: declared with a decimal_counter argument.
        Ok(Datum::from(unsafe { decimal(call.arg(0)) }.id))
    }
);
