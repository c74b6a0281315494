//! Decimal numbers of any size, with exact sums, differences and products: what is summed in any order must come out
//! the same, so nothing here rounds and nothing overflows.

use crate::encoding::{Corrupt, Reader, write_unsigned};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::iter::{once, repeat_n};
use std::ops::{Add, Mul, Neg};
use std::str::FromStr;

/// Digits in a limb.
const LIMB_DIGITS: u32 = 9;
/// Limbs are below this.
const LIMB: u64 = 1_000_000_000;

/// Digits behind the point: PostgreSQL's `numeric` has up to 16,383, a product twice as many.
pub const SCALE_MAX: u32 = 2 * 16_383;

/// A number `±magnitude · 10^-scale`. The scale is part of it, as in `numeric`: 1.5 and 1.50 are equal in value, but
/// not the same, and 1.5 comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exact {
    negative: bool,
    /// To the base 10^9, lowest first, without zeros at the top; zero has none and is not negative.
    magnitude: Vec<u32>,
    scale: u32,
}

impl Exact {
    /// Zero, without digits behind the point.
    pub const ZERO: Exact = Exact {
        negative: false,
        magnitude: Vec::new(),
        scale: 0,
    };

    fn new(negative: bool, mut magnitude: Vec<u32>, scale: u32) -> Self {
        while magnitude.last() == Some(&0) {
            magnitude.pop();
        }
        Exact {
            negative: negative && !magnitude.is_empty(),
            magnitude,
            scale,
        }
    }

    /// Whether it is zero, of whatever scale.
    pub fn is_zero(&self) -> bool {
        self.magnitude.is_empty()
    }

    /// Digits behind the point.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// Whether no zero stands at the end behind the point.
    pub fn is_stripped(&self) -> bool {
        self.scale == 0 || self.magnitude.first().is_some_and(|limb| limb % 10 != 0)
    }

    /// The same value without zeros at the end behind the point.
    pub fn stripped(&self) -> Self {
        if self.is_stripped() {
            return self.clone();
        }
        let mut digits = self.digits();
        let mut scale = self.scale;
        while scale > 0 && digits.last().is_none_or(|digit| *digit == b'0') {
            digits.pop();
            scale -= 1;
        }
        Exact::new(self.negative, limbs(&digits), scale)
    }

    /// Magnitude with as many digits more behind the point. Most often there are none more.
    fn magnitude_at(&self, scale: u32) -> Cow<'_, [u32]> {
        let shift = scale - self.scale;
        if shift == 0 {
            return Cow::Borrowed(&self.magnitude);
        }
        let whole = repeat_n(0, (shift / LIMB_DIGITS) as usize);
        let factor = 10_u64.pow(shift % LIMB_DIGITS);
        whole
            .chain(multiply_small(&self.magnitude, factor))
            .collect()
    }

    /// Decimal digits of the magnitude; none for zero.
    fn digits(&self) -> Vec<u8> {
        let limbs = self.magnitude.iter().rev();
        let text: String = limbs.map(|limb| format!("{limb:09}")).collect();
        text.trim_start_matches('0').as_bytes().to_vec()
    }

    /// Appends the number.
    pub fn write(&self, out: &mut Vec<u8>) {
        let count = self.magnitude.len() as u128;
        write_unsigned(count << 1 | u128::from(self.negative), out);
        write_unsigned(self.scale.into(), out);
        for limb in &self.magnitude {
            write_unsigned((*limb).into(), out);
        }
    }

    /// Reads it.
    pub fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let header = input.count()?;
        let scale = input.count()?;
        let mut magnitude = Vec::new();
        // Ends with the input: each limb takes at least a byte.
        for _ in 0..header >> 1 {
            let limb = input.unsigned()?;
            if limb >= LIMB.into() {
                return Err(Corrupt::Malformed);
            }
            magnitude.push(limb as u32);
        }
        let negative = header & 1 == 1;
        if scale > SCALE_MAX as usize
            || magnitude.last() == Some(&0)
            || negative && magnitude.is_empty()
        {
            return Err(Corrupt::Malformed);
        }
        Ok(Exact {
            negative,
            magnitude,
            scale: scale as u32,
        })
    }

    /// Passes over it.
    pub fn skip(input: &mut Reader<'_>) -> Result<(), Corrupt> {
        let header = input.count()?;
        // Ends with the input: the scale and each limb take at least a byte.
        (0..=header >> 1).try_for_each(|_| input.skip_number())
    }
}

impl From<i128> for Exact {
    fn from(value: i128) -> Self {
        let mut rest = value.unsigned_abs();
        let mut magnitude = Vec::new();
        while rest > 0 {
            magnitude.push((rest % u128::from(LIMB)) as u32);
            rest /= u128::from(LIMB);
        }
        Exact::new(value < 0, magnitude, 0)
    }
}

impl From<i64> for Exact {
    fn from(value: i64) -> Self {
        Exact::from(i128::from(value))
    }
}

impl Add for &Exact {
    type Output = Exact;

    fn add(self, other: &Exact) -> Exact {
        let scale = self.scale.max(other.scale);
        let (a, b) = (self.magnitude_at(scale), other.magnitude_at(scale));
        if self.negative == other.negative {
            return Exact::new(self.negative, add(&a, &b), scale);
        }
        match compare(&a, &b) {
            Ordering::Less => Exact::new(other.negative, subtract(&b, &a), scale),
            _ => Exact::new(self.negative, subtract(&a, &b), scale),
        }
    }
}

impl Neg for &Exact {
    type Output = Exact;

    fn neg(self) -> Exact {
        Exact::new(!self.negative, self.magnitude.clone(), self.scale)
    }
}

impl Mul for &Exact {
    type Output = Exact;

    fn mul(self, other: &Exact) -> Exact {
        let mut product = Vec::new();
        for (place, limb) in other.magnitude.iter().enumerate() {
            let row = multiply_small(&self.magnitude, (*limb).into());
            let shifted: Vec<u32> = repeat_n(0, place).chain(row).collect();
            product = add(&product, &shifted);
        }
        let negative = self.negative != other.negative;
        Exact::new(negative, product, self.scale + other.scale)
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        let magnitudes = || compare(&self.magnitude_at(scale), &other.magnitude_at(scale));
        let values = match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => magnitudes(),
            (true, true) => magnitudes().reverse(),
        };
        values.then(self.scale.cmp(&other.scale))
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Exact {
    /// As PostgreSQL writes a `numeric`: `-12.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = String::from_utf8(self.digits()).map_err(|_| fmt::Error)?;
        let scale = self.scale as usize;
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        f.write_str(if self.negative { "-" } else { "" })?;
        f.write_str(whole)?;
        if scale > 0 {
            write!(f, ".{fraction}")?;
        }
        Ok(())
    }
}

/// A text that is not a plain decimal number, or one with too many digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number")]
pub struct NotANumber;

impl FromStr for Exact {
    type Err = NotANumber;

    /// Reads what [`fmt::Display`] and PostgreSQL write: digits with a point and a sign, without exponent.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = [whole, fraction].concat().into_bytes();
        let fits = fraction.len() <= SCALE_MAX as usize;
        if digits.is_empty() || !fits || !digits.iter().all(u8::is_ascii_digit) {
            return Err(NotANumber);
        }
        Ok(Exact::new(negative, limbs(&digits), fraction.len() as u32))
    }
}

/// Limbs of decimal digits.
fn limbs(digits: &[u8]) -> Vec<u32> {
    let number = |digits: &[u8]| {
        digits
            .iter()
            .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    digits.rchunks(LIMB_DIGITS as usize).map(number).collect()
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    let trimmed = |limbs: &[u32]| {
        limbs
            .iter()
            .rposition(|limb| *limb != 0)
            .map_or(0, |top| top + 1)
    };
    let (a, b) = (&a[..trimmed(a)], &b[..trimmed(b)]);
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn add(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let padded = short
        .iter()
        .copied()
        .chain(repeat_n(0, long.len() - short.len()));
    let mut carry = 0;
    let mut sum: Vec<u32> = Vec::with_capacity(long.len() + 1);
    for (x, y) in long.iter().zip(padded) {
        let digit = u64::from(*x) + u64::from(y) + carry;
        sum.push((digit % LIMB) as u32);
        carry = digit / LIMB;
    }
    sum.push(carry as u32);
    sum
}

/// `a - b`, which must not be negative.
fn subtract(a: &[u32], b: &[u32]) -> Vec<u32> {
    let padded = b
        .iter()
        .copied()
        .chain(repeat_n(0, a.len().saturating_sub(b.len())));
    let mut borrow = 0;
    let limb = |(x, y): (&u32, u32)| {
        let digit = i64::from(*x) - i64::from(y) - borrow;
        borrow = i64::from(digit < 0);
        (digit + borrow * LIMB as i64) as u32
    };
    a.iter().zip(padded).map(limb).collect()
}

fn multiply_small(a: &[u32], factor: u64) -> Vec<u32> {
    let mut carry = 0;
    let mut product: Vec<u32> = Vec::with_capacity(a.len() + 1);
    for limb in a {
        let digit = u64::from(*limb) * factor + carry;
        product.push((digit % LIMB) as u32);
        carry = digit / LIMB;
    }
    product.extend(once(carry as u32));
    product
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn exact(text: &str) -> Exact {
        text.parse().unwrap()
    }

    pub(crate) fn any_exact() -> BoxedStrategy<Exact> {
        let number = (any::<i128>(), 0..20_u32, 0..3_u32);
        let shrunk = number.prop_map(|(value, shrink, scale)| {
            let value = Exact::from(value >> (shrink * 6));
            Exact::new(value.negative, value.magnitude, scale)
        });
        shrunk.boxed()
    }

    fn of(value: i64, scale: u32) -> Exact {
        let value = Exact::from(value);
        Exact::new(value.negative, value.magnitude, scale)
    }

    proptest! {
        #[test]
        fn to_pass_over_a_number_takes_what_to_read_it_takes(number in any_exact()) {
            let mut out = Vec::new();
            number.write(&mut out);
            out.push(7);
            let mut input = Reader::new(&out);
            prop_assert_eq!(Exact::skip(&mut input), Ok(()));
            prop_assert_eq!(input.rest(), [7]);
        }

        #[test]
        fn zeros_at_the_end_behind_the_point_are_stripped_and_nothing_else(number in any_exact()) {
            let text = number.to_string();
            let has_zeros = text.contains('.') && text.ends_with('0');
            prop_assert_eq!(number.is_stripped(), !has_zeros);
            let stripped = number.stripped();
            prop_assert!(stripped.is_stripped());
            prop_assert!((&stripped + &-&number).is_zero());
        }

        #[test]
        fn whole_numbers_are_computed_as_128_bits_do(a: i64, b: i64) {
            let (x, y) = (Exact::from(a), Exact::from(b));
            let (a, b) = (i128::from(a), i128::from(b));
            prop_assert_eq!(&x + &y, Exact::from(a + b));
            prop_assert_eq!(&x * &y, Exact::from(a * b));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(-&x, Exact::from(-a));
            prop_assert_eq!(x.to_string(), a.to_string());
        }

        #[test]
        fn fractions_are_computed_as_whole_numbers_of_their_smallest_unit(a: i32, b: i32, s in 0..4_u32, t in 0..4_u32) {
            let unit = |value: i32, scale: u32| i128::from(value) * 10_i128.pow(4 - scale);
            let (x, y) = (of(a.into(), s), of(b.into(), t));
            let (a, b) = (unit(a, s), unit(b, t));
            let sum = &x + &y;
            prop_assert_eq!(sum.scale(), s.max(t));
            prop_assert_eq!((&sum + &of(0, 4)).digits(), Exact::from(a + b).digits());
            let product = &x * &y;
            prop_assert_eq!(product.scale(), s + t);
            prop_assert_eq!((&product + &of(0, 8)).digits(), Exact::from(a * b).digits());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b).then(s.cmp(&t)));
        }

        #[test]
        fn sums_and_products_have_no_order(a in any_exact(), b in any_exact(), c in any_exact()) {
            prop_assert_eq!(&(&a + &b) + &c, &a + &(&b + &c));
            prop_assert_eq!(&(&a * &b) * &c, &a * &(&b * &c));
            prop_assert_eq!(&(&a + &b) * &c, &(&a * &c) + &(&b * &c));
            prop_assert!((&a + &-&a).is_zero());
        }

        #[test]
        fn text_and_bytes_come_back(a in any_exact()) {
            prop_assert_eq!(a.to_string().parse(), Ok(a.clone()));
            let mut bytes = Vec::new();
            a.write(&mut bytes);
            prop_assert_eq!(Exact::read(&mut Reader::new(&bytes)), Ok(a));
        }

        #[test]
        fn stripping_keeps_the_value(a in any_exact(), zeros in 0..5_u32) {
            let longer = &a + &of(0, a.scale() + zeros);
            prop_assert_eq!(longer.stripped(), a.stripped());
            prop_assert!((&longer + &-&a).is_zero());
        }
    }

    #[test]
    fn numbers_are_written_as_postgresql_writes_them() {
        for text in [
            "0",
            "0.00",
            "-0.05",
            "12.50",
            "1000000000",
            "-1000000000000000000.000000001",
        ] {
            assert_eq!(exact(text).to_string(), text);
        }
        assert_eq!(exact("-0.0").to_string(), "0.0");
        assert_eq!(exact("007").to_string(), "7");
        for text in ["", "-", ".", "1e5", "1.2.3", "--1", "+1", "NaN", "1 "] {
            assert_eq!(text.parse::<Exact>(), Err(NotANumber), "{text}");
        }
    }
}
