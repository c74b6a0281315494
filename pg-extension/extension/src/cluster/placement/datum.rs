//! Values of distribution columns as PostgreSQL passes them.

use super::super::analysis::operand;
use super::kind::Kind;
use super::value::{decimal, float_bytes, without_blanks};
use crate::varlena;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// Why a value says nothing about the partition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Unplaced {
    /// No row has this key.
    Nowhere,
    /// The value's type is not one that the function knows.
    Unknown,
}

/// The canonical form of a value of the given type that a column of this kind is compared with or given: as a number, or as bytes.
///
/// # Safety
/// The datum must be of that type, and not null.
pub unsafe fn read<R>(
    kind: Kind,
    type_oid: Oid,
    datum: Datum,
    number: impl FnOnce(i64) -> R,
    bytes: impl FnOnce(&[u8]) -> R,
) -> Result<R, Unplaced> {
    let value = datum.value();
    match (kind, base_type(type_oid)) {
        (Kind::Integer, pg_sys::INT8OID) => Ok(number(value as i64)),
        (Kind::Integer, pg_sys::INT4OID) => Ok(number(i64::from(value as i32))),
        (Kind::Integer, pg_sys::INT2OID) => Ok(number(i64::from(value as i16))),
        (Kind::Integer, pg_sys::NUMERICOID) => {
            whole_number(&operand::output(type_oid, datum)).map(|low| number(low as i64))
        }
        (
            Kind::Text | Kind::BlankPadded,
            pg_sys::TEXTOID | pg_sys::VARCHAROID | pg_sys::BPCHAROID,
        ) => {
            // SAFETY: by the caller's promise.
            let text = unsafe { in_utf8(varlena::borrowed(datum)) };
            let is_padded = kind == Kind::BlankPadded || type_oid == pg_sys::BPCHAROID;
            Ok(bytes(match is_padded {
                true => without_blanks(text),
                false => text,
            }))
        }
        // SAFETY: a uuid is 16 bytes.
        (Kind::Uuid, pg_sys::UUIDOID) => Ok(bytes(unsafe {
            std::slice::from_raw_parts(datum.cast_mut_ptr::<u8>(), 16)
        })),
        (Kind::Boolean, pg_sys::BOOLOID) => Ok(number((value & 1) as i64)),
        (Kind::Date, pg_sys::DATEOID) => Ok(number(i64::from(value as i32))),
        (Kind::Timestamp, pg_sys::TIMESTAMPOID)
        | (Kind::Timestamptz, pg_sys::TIMESTAMPTZOID)
        | (Kind::Time, pg_sys::TIMEOID) => Ok(bytes(&(value as i64).to_be_bytes())),
        (Kind::Float, pg_sys::FLOAT8OID) => Ok(bytes(&float_bytes(f64::from_bits(value as u64)))),
        (Kind::Float, pg_sys::FLOAT4OID) => {
            let single = f32::from_bits(value as u32);
            Ok(bytes(&float_bytes(f64::from(single))))
        }
        (
            Kind::Decimal,
            type_oid @ (pg_sys::NUMERICOID | pg_sys::INT8OID | pg_sys::INT4OID | pg_sys::INT2OID),
        ) => Ok(bytes(decimal(&operand::output(type_oid, datum)).as_bytes())),
        // SAFETY: by the caller's promise.
        (Kind::Bytea, pg_sys::BYTEAOID) => Ok(bytes(unsafe { varlena::borrowed(datum) })),
        _ => Err(Unplaced::Unknown),
    }
}

/// The type below a domain. PostgreSQL's own types are no domains.
fn base_type(type_oid: Oid) -> Oid {
    match type_oid.to_u32() < pg_sys::FirstNormalObjectId {
        true => type_oid,
        // SAFETY: a look-up of a type that exists.
        false => unsafe { pg_sys::getBaseType(type_oid) },
    }
}

/// A text of the database as routers see it.
///
/// # Safety
/// What is given lives as long as the text, or as the current memory context.
unsafe fn in_utf8(text: &[u8]) -> &[u8] {
    let encoding = pg_sys::pg_enc::PG_UTF8 as i32;
    // SAFETY: a conversion gives a string that ends with a zero; else it gives what it got.
    unsafe {
        if pg_sys::GetDatabaseEncoding() == encoding {
            return text;
        }
        let start = text.as_ptr().cast();
        let converted = pg_sys::pg_server_to_any(start, text.len() as i32, encoding);
        match std::ptr::eq(converted.cast_const(), start) {
            true => text,
            false => CStr::from_ptr(converted).to_bytes(),
        }
    }
}

/// The low 64 bits of a whole number as numeric prints it.
fn whole_number(text: &str) -> Result<u64, Unplaced> {
    let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.bytes().any(|digit| digit != b'0') {
        return Err(Unplaced::Nowhere);
    }
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let mut key = 0_u64;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return Err(Unplaced::Nowhere); // NaN and the infinities
        }
        key = key.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    }
    Ok(if negative { key.wrapping_neg() } else { key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_their_low_bits() {
        assert_eq!(whole_number("12"), Ok(12));
        assert_eq!(whole_number("12.00"), Ok(12));
        assert_eq!(whole_number("-1"), Ok(u64::MAX));
        assert_eq!(whole_number("18446744073709551617"), Ok(1));
        assert_eq!(whole_number("1.5"), Err(Unplaced::Nowhere));
        assert_eq!(whole_number("NaN"), Err(Unplaced::Nowhere));
    }
}
