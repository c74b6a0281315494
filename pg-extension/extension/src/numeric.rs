//! Arithmetic on PostgreSQL's `numeric`, by PostgreSQL's own functions.

use crate::error::Error;
use pgrx::pg_sys::{self, Datum};

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
