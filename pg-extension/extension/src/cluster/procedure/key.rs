//! The placement function of the router, computed in a node: docs/decisions/fibonacci-placement.md. The two must agree on every value;
//! tests/cluster compares them.

use super::super::analysis::operand;
use pgrx::pg_sys::{self, Datum, Oid};

/// How values of a distribution column are brought into canonical form.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Integer,
    Text,
    BlankPadded,
    Uuid,
    Boolean,
    Date,
}

impl Kind {
    /// By the name that the catalogue gives it.
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "integer" => Kind::Integer,
            "text" => Kind::Text,
            "blank_padded" => Kind::BlankPadded,
            "uuid" => Kind::Uuid,
            "boolean" => Kind::Boolean,
            "date" => Kind::Date,
            _ => return None,
        })
    }
}

/// What a value says about the partition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Partition {
    /// Rows with this key lie there.
    At(usize),
    /// No row has this key.
    Nowhere,
    /// The value's type is not one that the function knows.
    Unknown,
}

const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// The partition of a canonical key.
fn of(key: u64, count: usize) -> usize {
    ((u128::from(key.wrapping_mul(GOLDEN_RATIO) >> 32) * count as u128) >> 32) as usize
}

fn of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV_OFFSET, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// The partition, of `count`, of a value of the given type that a column of this kind is compared with or given.
///
/// # Safety
/// The datum must be of that type, and not null.
pub unsafe fn partition(kind: Kind, count: usize, type_oid: Oid, datum: Datum) -> Partition {
    // SAFETY: by the caller's promise.
    let canonical = unsafe { canonical(kind, type_oid, datum) };
    match canonical {
        Ok(key) => Partition::At(of(key, count)),
        Err(other) => other,
    }
}

/// # Safety
/// As [`partition`].
unsafe fn canonical(kind: Kind, type_oid: Oid, datum: Datum) -> Result<u64, Partition> {
    let value = datum.value();
    match (kind, type_oid) {
        (Kind::Integer, pg_sys::INT8OID) => Ok(value as u64),
        (Kind::Integer, pg_sys::INT4OID) => Ok(i64::from(value as i32) as u64),
        (Kind::Integer, pg_sys::INT2OID) => Ok(i64::from(value as i16) as u64),
        (Kind::Integer, pg_sys::NUMERICOID) => whole_number(&operand::output(type_oid, datum)),
        (
            Kind::Text | Kind::BlankPadded,
            pg_sys::TEXTOID | pg_sys::VARCHAROID | pg_sys::BPCHAROID,
        ) => {
            // SAFETY: by the caller's promise.
            let text = unsafe { super::super::postgres::text_argument(datum) };
            let mut bytes = text.to_bytes();
            if kind == Kind::BlankPadded || type_oid == pg_sys::BPCHAROID {
                bytes = bytes.trim_ascii_end_blanks();
            }
            Ok(of_bytes(bytes))
        }
        // SAFETY: a uuid is 16 bytes.
        (Kind::Uuid, pg_sys::UUIDOID) => Ok(of_bytes(unsafe {
            std::slice::from_raw_parts(datum.cast_mut_ptr::<u8>(), 16)
        })),
        (Kind::Boolean, pg_sys::BOOLOID) => Ok(u64::from(value & 1 == 1)),
        (Kind::Date, pg_sys::DATEOID) => Ok(i64::from(value as i32) as u64),
        _ => Err(Partition::Unknown),
    }
}

/// Only blanks, not other white space.
trait TrimBlanks {
    fn trim_ascii_end_blanks(&self) -> &Self;
}

impl TrimBlanks for [u8] {
    fn trim_ascii_end_blanks(&self) -> &[u8] {
        let length = self
            .iter()
            .rposition(|byte| *byte != b' ')
            .map_or(0, |last| last + 1);
        &self[..length]
    }
}

/// The low 64 bits of a whole number as numeric prints it.
fn whole_number(text: &str) -> Result<u64, Partition> {
    let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.bytes().any(|digit| digit != b'0') {
        return Err(Partition::Nowhere);
    }
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let mut key = 0_u64;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return Err(Partition::Nowhere); // NaN and the infinities
        }
        key = key.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    }
    Ok(if negative { key.wrapping_neg() } else { key })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that PartitionHashTest pins for the router.
    #[test]
    fn the_hash_is_the_routers() {
        assert_eq!(of_bytes(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(of_bytes(b"foobar"), 0x8594_4171_F739_67E8);
        let pinned = [0, 1, 2, u64::MAX].map(|key| of(key, 32));
        assert_eq!(pinned, [0, 19, 7, 12]);
        assert_eq!(of(123_456_789_012, 65_536), 22_318);
    }

    #[test]
    fn numbers_are_read_to_their_low_bits() {
        assert_eq!(whole_number("12"), Ok(12));
        assert_eq!(whole_number("12.00"), Ok(12));
        assert_eq!(whole_number("-1"), Ok(u64::MAX));
        assert_eq!(whole_number("18446744073709551617"), Ok(1));
        assert_eq!(whole_number("1.5"), Err(Partition::Nowhere));
        assert_eq!(whole_number("NaN"), Err(Partition::Nowhere));
    }
}
