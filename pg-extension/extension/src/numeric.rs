//! Arithmetic on PostgreSQL's `numeric`, by PostgreSQL's own functions, and reading what they write.

use crate::error::Error;
use abelian_adt::fixed_point::Number;
use pgrx::pg_sys::{self, Datum};
use std::cmp::Ordering;
use std::ffi::CStr;

/// `a + b`, both `numeric`.
pub fn add(a: Datum, b: Datum) -> Result<Datum, Error> {
    numeric_call(pg_sys::numeric_add, a, b)
}

/// The bytes of a `numeric`, to be kept outside PostgreSQL's memory contexts.
pub fn bytes(a: Datum) -> Vec<u8> {
    // SAFETY: a numeric; detoasted, it is as long as its header says.
    unsafe {
        let start = pg_sys::pg_detoast_datum(a.cast_mut_ptr());
        std::slice::from_raw_parts(start.cast::<u8>(), pgrx::varsize_any(start)).to_vec()
    }
}

/// The `numeric` that [`bytes`] kept, in the current memory context.
pub fn from_bytes(bytes: &[u8]) -> Datum {
    // SAFETY: the block is as large as what is copied to it.
    unsafe {
        let start = pg_sys::palloc(bytes.len()).cast::<u8>();
        start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Datum::from(start)
    }
}

/// How two `numeric` are ordered.
pub fn compare(a: Datum, b: Datum) -> Result<Ordering, Error> {
    // SAFETY: both arguments are numeric.
    unsafe { pgrx::direct_function_call::<i32>(pg_sys::numeric_cmp, &[Some(a), Some(b)]) }
        .map(|order| order.cmp(&0))
        .ok_or_else(|| Error::Internal("numeric_cmp gave NULL".into()))
}

/// A `numeric` as PostgreSQL writes it.
pub fn text(a: Datum) -> Result<String, Error> {
    // SAFETY: numeric_out takes a numeric and gives a C string in the current memory context.
    unsafe { pgrx::direct_function_call::<&CStr>(pg_sys::numeric_out, &[Some(a)]) }
        .map(|text| text.to_string_lossy().into_owned())
        .ok_or_else(|| Error::Internal("numeric_out gave NULL".into()))
}

/// A number that PostgreSQL has written.
pub fn number(text: &str) -> Result<Number<'_>, Error> {
    Number::try_from(text).map_err(|_| Error::Internal(format!("{text} is no numeric")))
}

/// `-a` of a `numeric`.
pub fn negate(a: Datum) -> Result<Datum, Error> {
    // SAFETY: a numeric argument.
    unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_uminus, &[Some(a)]) }
        .ok_or_else(|| Error::Internal("numeric_uminus gave NULL".into()))
}

type NumericFunction = unsafe fn(pg_sys::FunctionCallInfo) -> Datum;

fn numeric_call(function: NumericFunction, a: Datum, b: Datum) -> Result<Datum, Error> {
    // SAFETY: both arguments are numeric.
    unsafe { pgrx::direct_function_call_as_datum(function, &[Some(a), Some(b)]) }
        .ok_or_else(|| Error::Internal("numeric function gave NULL".into()))
}
