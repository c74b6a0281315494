//! `abelian.bounded_decimal(scale)`: a `numeric` with so many digits behind the point, whose additions commute as long as
//! they keep the bounds that CHECKs set.
//!
//! The datum is that of [`super::counter`], in units of the last digit, and tells how many digits there are. So escrow adds up
//! integers, as of [`super::bounded_counter`]. What comes in is rounded to the scale, as `numeric` does it.

use crate::error::Error;
use crate::function::Call;
use crate::numeric;
use crate::pg_function;
use crate::types::counter::Counter;
use abelian_adt::fixed_point::{self, MOST_DIGITS, Number, Scale, Threshold};
use abelian_adt::test_in_range::Side;
use pgrx::pg_sys::{self, Datum};
use pgrx::{Array, FromDatum};
use std::cmp::Ordering;
use std::ffi::{CStr, CString};

/// The amount that no column can add: what is no number of `bigint` units. An operation with it fails with 22003.
pub const NO_AMOUNT: i64 = i64::MIN;

/// A value, in units, as `numeric`.
fn to_numeric(units: i64, scale: u8) -> Datum {
    // SAFETY: makes a numeric in the current memory context.
    Datum::from(unsafe { pg_sys::int64_div_fast_to_numeric(units, scale.into()) })
}

/// The value of a `numeric` with the digits that a type modifier tells, or as many of its own as fit: PostgreSQL reads texts so before it
/// coerces them to the scale of a column, which must find the digits that decide how it rounds.
fn of_numeric(value: Datum, modifier: i32) -> Result<Counter, Error> {
    let text = numeric::text(value)?;
    let number = numeric::number(&text)?;
    match scale_of(modifier) {
        Some(scale) => from_number(number, scale),
        None => {
            let (scale, units) = number.cut_off().ok_or(Error::DecimalOutOfRange)?;
            Ok(Counter {
                scale,
                ..Counter::unidentified(units)
            })
        }
    }
}

fn from_number(number: Number<'_>, scale: u8) -> Result<Counter, Error> {
    let units = number.units(scale).ok_or(Error::DecimalOutOfRange)?;
    Ok(Counter {
        scale,
        ..Counter::unidentified(units)
    })
}

/// The digits that a type modifier tells; `None` without one.
pub fn scale_of(modifier: i32) -> Option<u8> {
    u8::try_from(modifier)
        .ok()
        .filter(|scale| *scale <= MOST_DIGITS)
}

/// The same value with other digits, without identity.
fn rescaled(value: Counter, scale: u8) -> Result<Counter, Error> {
    let text = fixed_point::decimal(value.value()?.into(), value.scale);
    from_number(numeric::number(&text)?, scale)
}

/// # Safety
/// The argument must be declared with this type.
unsafe fn argument(call: Call, n: usize) -> Counter {
    // SAFETY: by the caller.
    unsafe { Counter::from_datum(call.arg(n)) }
}

/// Calls a function of PostgreSQL's that gives a `numeric`.
fn made(
    function: unsafe fn(pg_sys::FunctionCallInfo) -> Datum,
    of: &[Option<Datum>],
) -> Result<Datum, Error> {
    // SAFETY: the callers pass what the functions take.
    unsafe { pgrx::direct_function_call_as_datum(function, of) }
        .ok_or_else(|| Error::Internal("no numeric value".into()))
}

fn read(
    call: Call,
    function: unsafe fn(pg_sys::FunctionCallInfo) -> Datum,
) -> Result<Datum, Error> {
    let no_modifier = Datum::from(-1_i32);
    let value = made(
        function,
        &[Some(call.arg(0)), Some(Datum::null()), Some(no_modifier)],
    )?;
    Ok(Counter::from_input(call, of_numeric(value, call.i32(2))?)?.into_datum())
}

pg_function!(fn abelian_bounded_decimal_in(call) { read(call, pg_sys::numeric_in) });
pg_function!(fn abelian_bounded_decimal_recv(call) { read(call, pg_sys::numeric_recv) });

pg_function!(fn abelian_bounded_decimal_out(call) {
    // SAFETY: declared with this type.
    let value = unsafe { argument(call, 0) };
    let text = CString::new(fixed_point::decimal(value.value()?.into(), value.scale))
        .map_err(|_| Error::Internal("a number with a zero byte".into()))?;
    // SAFETY: copied to the current memory context.
    Ok(Datum::from(unsafe { pg_sys::pstrdup(text.as_ptr()) }))
});

pg_function!(fn abelian_bounded_decimal_send(call) {
    // SAFETY: declared with this type.
    let value = unsafe { argument(call, 0) };
    made(pg_sys::numeric_send, &[Some(to_numeric(value.value()?, value.scale))])
});

pg_function!(
    /// `(scale)`, as PostgreSQL's parser splits it.
    fn abelian_bounded_decimal_modifier_in(call) {
        // SAFETY: declared with a cstring[].
        let parts = unsafe { Array::<&CStr>::from_datum(call.arg(0), false) };
        let parts: Vec<_> = parts
            .iter()
            .flat_map(|array| array.iter_deny_null())
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let scale = match &parts[..] {
            [scale] => scale.parse::<Scale>().ok(),
            _ => None,
        };
        let Scale(scale) = scale.ok_or_else(|| Error::NotAScale(parts.join(", ")))?;
        Ok(Datum::from(i32::from(scale)))
    }
);

pg_function!(fn abelian_bounded_decimal_modifier_out(call) {
    let text = CString::new(format!("({})", call.i32(0)))
        .map_err(|_| Error::Internal("a scale with a zero byte".into()))?;
    // SAFETY: copied to the current memory context.
    Ok(Datum::from(unsafe { pg_sys::pstrdup(text.as_ptr()) }))
});

pg_function!(
    /// The coercion to a column's digits. The same datum if it has as many, so that it keeps its identity.
    fn abelian_bounded_decimal_rescale(call) {
        // SAFETY: declared with this type.
        let value = unsafe { argument(call, 0) };
        match scale_of(call.i32(1)) {
            Some(scale) if scale != value.scale => Ok(rescaled(value, scale)?.into_datum()),
            _ => Ok(call.arg(0)),
        }
    }
);

pg_function!(
    /// The cast from `numeric`, told the digits of the column.
    fn abelian_bounded_decimal_from_numeric(call) {
        Ok(of_numeric(call.arg(0), call.i32(1))?.into_datum())
    }
);

pg_function!(fn abelian_bounded_decimal_from_int8(call) {
    Ok(of_numeric(made(pg_sys::int8_numeric, &[Some(call.arg(0))])?, call.i32(1))?.into_datum())
});

pg_function!(fn abelian_bounded_decimal_from_int4(call) {
    Ok(of_numeric(made(pg_sys::int4_numeric, &[Some(call.arg(0))])?, call.i32(1))?.into_datum())
});

pg_function!(fn abelian_bounded_decimal_from_int2(call) {
    Ok(of_numeric(made(pg_sys::int2_numeric, &[Some(call.arg(0))])?, call.i32(1))?.into_datum())
});

pg_function!(fn abelian_bounded_decimal_from_float8(call) {
    Ok(of_numeric(made(pg_sys::float8_numeric, &[Some(call.arg(0))])?, call.i32(1))?.into_datum())
});

pg_function!(
    /// The cast to `numeric`: the value under the active snapshot.
    fn abelian_bounded_decimal_value(call) {
        // SAFETY: declared with this type.
        let value = unsafe { argument(call, 0) };
        Ok(to_numeric(value.value()?, value.scale))
    }
);

pg_function!(
    /// What is stored in the row, for indexes: the value of an object without slices. A base that is no `bigint` has slices that make up
    /// for it.
    fn abelian_bounded_decimal_base(call) {
        // SAFETY: declared with this type.
        let value = unsafe { argument(call, 0) };
        let nearest = value.base.clamp(i64::MIN.into(), i64::MAX.into());
        Ok(to_numeric(nearest as i64, value.scale))
    }
);

pg_function!(
    /// An amount in units of a column with so many digits; [`NO_AMOUNT`] if it is none. Never fails, since it may be asked of rows that
    /// conditions pass over.
    fn abelian_bounded_decimal_units(call) {
        let units = numeric::number(&numeric::text(call.arg(0))?)?.units(scale(call)?);
        Ok(Datum::from(units.unwrap_or(NO_AMOUNT)))
    }
);

pg_function!(
    /// With which number of units a column of this scale is to be compared, by `>=` or `<=`, instead of its value plus a shift with this
    /// number; NULL if no value meets the comparison.
    fn abelian_bounded_decimal_limit(call) {
        let side = if call.arg(2).value() != 0 { Side::AtMost } else { Side::AtLeast };
        let strict = call.arg(3).value() != 0;
        let shift = numeric::text(call.arg(4))?;
        let threshold = match numeric::number(&shift)?.is_finite() {
            true => {
                let limit = numeric::add(call.arg(0), numeric::negate(call.arg(4))?)?;
                numeric::number(&numeric::text(limit)?)?.threshold(scale(call)?, side, strict)
            }
            // So is any value plus it.
            false => match holds(side, strict, numeric::compare(call.arg(4), call.arg(0))?) {
                true => Threshold::All,
                false => Threshold::Nothing,
            },
        };
        Ok(threshold.limit(side).map_or_else(|| call.null(), Datum::from))
    }
);

/// The second argument.
fn scale(call: Call) -> Result<u8, Error> {
    scale_of(call.i32(1)).ok_or_else(|| Error::NotAScale(call.i32(1).to_string()))
}

/// Whether a comparison holds for numbers that compare so.
fn holds(side: Side, strict: bool, order: Ordering) -> bool {
    match (side, strict) {
        (Side::AtLeast, false) => order.is_ge(),
        (Side::AtLeast, true) => order.is_gt(),
        (Side::AtMost, false) => order.is_le(),
        (Side::AtMost, true) => order.is_lt(),
    }
}

// Order and equality are those of the values, whatever digits they have.

fn compare(call: Call) -> Result<Ordering, Error> {
    // SAFETY: declared with this type.
    let (a, b) = unsafe { (argument(call, 0), argument(call, 1)) };
    Ok(fixed_point::compare(
        (a.value()?, a.scale),
        (b.value()?, b.scale),
    ))
}

pg_function!(fn abelian_bounded_decimal_compare(call) { Ok(Datum::from(compare(call)? as i32)) });
pg_function!(fn abelian_bounded_decimal_lt(call) { Ok(Datum::from(compare(call)?.is_lt())) });
pg_function!(fn abelian_bounded_decimal_le(call) { Ok(Datum::from(compare(call)?.is_le())) });
pg_function!(fn abelian_bounded_decimal_eq(call) { Ok(Datum::from(compare(call)?.is_eq())) });
pg_function!(fn abelian_bounded_decimal_ge(call) { Ok(Datum::from(compare(call)?.is_ge())) });
pg_function!(fn abelian_bounded_decimal_gt(call) { Ok(Datum::from(compare(call)?.is_gt())) });
