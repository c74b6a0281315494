//! Decimal numbers as whole numbers of units of `10^-scale`: how `bounded_decimal` keeps values, so that escrow adds up
//! integers. A number with more digits lies between two units; whether it bounds a sum is asked of the right one of them.

use crate::exact::NotANumber;
use crate::test_in_range::Side;
use std::cmp::Ordering;
use std::str::FromStr;

/// The greatest scale.
pub const MOST_DIGITS: u8 = 15;

/// A number as PostgreSQL's `numeric` writes it. It borrows the text, since one is read for every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number<'a> {
    /// `-Infinity`
    NegativeInfinity,
    /// Digits before and behind the point.
    Finite {
        /// Whether it is below zero.
        negative: bool,
        /// Digits before the point.
        whole: &'a str,
        /// Digits behind it.
        fraction: &'a str,
    },
    /// `Infinity`
    Infinity,
    /// `NaN`, which is greater than all others.
    NaN,
}

/// All values, in units, that meet a comparison with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Every one.
    All,
    /// Those that are at least, or at most, so many units.
    At(i64),
    /// None.
    Nothing,
}

impl Threshold {
    /// With what values are to be compared from this side: `None` if none meets the comparison.
    pub fn limit(self, side: Side) -> Option<i64> {
        match (self, side) {
            (Threshold::At(limit), _) => Some(limit),
            (Threshold::All, Side::AtLeast) => Some(i64::MIN),
            (Threshold::All, Side::AtMost) => Some(i64::MAX),
            (Threshold::Nothing, _) => None,
        }
    }
}

impl<'a> TryFrom<&'a str> for Number<'a> {
    type Error = NotANumber;

    fn try_from(text: &'a str) -> Result<Self, NotANumber> {
        match text {
            "-Infinity" => return Ok(Number::NegativeInfinity),
            "Infinity" => return Ok(Number::Infinity),
            "NaN" => return Ok(Number::NaN),
            _ => {}
        }
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
        let mut digits = whole.bytes().chain(fraction.bytes());
        match digits.all(|digit| digit.is_ascii_digit()) && !whole.is_empty() {
            true => Ok(Number::Finite {
                negative,
                whole,
                fraction,
            }),
            false => Err(NotANumber),
        }
    }
}

impl Number<'_> {
    /// Whether it is a number.
    pub fn is_finite(&self) -> bool {
        matches!(self, Number::Finite { .. })
    }

    /// The scale and the number of units of as many of its digits behind the point as fit, further ones cut off. `None` if its whole digits
    /// do not.
    pub fn cut_off(&self) -> Option<(u8, i64)> {
        let Number::Finite {
            negative, fraction, ..
        } = *self
        else {
            return None;
        };
        let most = fraction.len().min(MOST_DIGITS.into()) as u8;
        (0..=most).rev().find_map(|scale| {
            let (magnitude, _) = self.magnitude(scale)?;
            let units = i64::try_from(if negative { -magnitude } else { magnitude });
            Some((scale, units.ok()?))
        })
    }

    /// The nearest number of units; of two the one farther from zero, as `numeric` rounds. `None` outside of `bigint`.
    pub fn units(&self, scale: u8) -> Option<i64> {
        let Number::Finite { negative, .. } = *self else {
            return None;
        };
        let (magnitude, rest) = self.magnitude(scale)?;
        let magnitude = magnitude.checked_add((rest >= Rest::HALF).into())?;
        i64::try_from(if negative { -magnitude } else { magnitude }).ok()
    }

    /// The values, in units, that are at least this number, or at most; `strict`: and not equal to it.
    pub fn threshold(&self, scale: u8, side: Side, strict: bool) -> Threshold {
        use Threshold::{All, Nothing};
        let least = side == Side::AtLeast;
        match self {
            Number::NegativeInfinity => return if least { All } else { Nothing },
            Number::Infinity | Number::NaN => return if least { Nothing } else { All },
            Number::Finite { .. } => {}
        }
        let Some((below, exact)) = self.floor(scale) else {
            // More digits than 128 bits hold.
            let negative = matches!(self, Number::Finite { negative: true, .. });
            return if negative == least { All } else { Nothing };
        };
        let limit = match (side, strict, exact) {
            (Side::AtLeast, false, true)
            | (Side::AtMost, false, _)
            | (Side::AtMost, true, false) => below,
            (Side::AtLeast, true, _) | (Side::AtLeast, false, false) => below + 1,
            (Side::AtMost, true, true) => below - 1,
        };
        match i64::try_from(limit) {
            Ok(limit) => Threshold::At(limit),
            Err(_) if (limit < 0) == least => All,
            Err(_) => Nothing,
        }
    }

    /// The greatest number of units that is not greater, and whether that is the number itself.
    fn floor(&self, scale: u8) -> Option<(i128, bool)> {
        let (magnitude, rest) = self.magnitude(scale)?;
        let exact = rest == Rest::NONE;
        Some(match self {
            Number::Finite { negative: true, .. } if exact => (-magnitude, true),
            Number::Finite { negative: true, .. } => (-magnitude - 1, false),
            _ => (magnitude, exact),
        })
    }

    /// Of a finite number, without its sign: units, and what is left.
    fn magnitude(&self, scale: u8) -> Option<(i128, Rest)> {
        let Number::Finite {
            whole, fraction, ..
        } = *self
        else {
            return None;
        };
        let (kept, rest) = fraction.split_at(fraction.len().min(scale.into()));
        let zeros = usize::from(scale) - kept.len();
        let digits = whole.bytes().chain(kept.bytes()).map(|digit| digit - b'0');
        let all = digits.chain(std::iter::repeat_n(0, zeros));
        let magnitude = all.into_iter().try_fold(0_i128, |number, digit| {
            number.checked_mul(10)?.checked_add(digit.into())
        })?;
        // Callers go one further, which must not overflow.
        (magnitude < i128::MAX).then_some((magnitude, Rest::of(rest)))
    }
}

/// What lies behind the last unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rest(u8);

impl Rest {
    const NONE: Rest = Rest(0);
    const SOME: Rest = Rest(1);
    /// Half a unit or more.
    const HALF: Rest = Rest(2);

    fn of(digits: &str) -> Rest {
        match digits.bytes().next() {
            Some(first) if first >= b'5' => Rest::HALF,
            _ if digits.bytes().any(|digit| digit != b'0') => Rest::SOME,
            _ => Rest::NONE,
        }
    }
}

/// So many units as a number, all digits of the scale behind the point.
pub fn decimal(units: i128, scale: u8) -> String {
    let digits = format!(
        "{:0width$}",
        units.unsigned_abs(),
        width = usize::from(scale) + 1
    );
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
    let sign = if units < 0 { "-" } else { "" };
    match scale {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

/// Compares so many units of one scale with so many of another.
pub fn compare(a: (i64, u8), b: (i64, u8)) -> Ordering {
    let scale = a.1.max(b.1);
    let scaled = |(units, own): (i64, u8)| i128::from(units) * 10_i128.pow((scale - own).into());
    scaled(a).cmp(&scaled(b))
}

/// A scale as a type modifier gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(pub u8);

impl FromStr for Scale {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let digits = text.trim().parse().map_err(|_| NotANumber)?;
        match digits <= MOST_DIGITS {
            true => Ok(Scale(digits)),
            false => Err(NotANumber),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number<'_> {
        Number::try_from(text).unwrap()
    }

    /// Any number of few digits, as thousandths.
    fn thousandths() -> impl Strategy<Value = i128> {
        -4_000..=4_000_i128
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(units: i64, scale in 0..=MOST_DIGITS) {
            let text = decimal(units.into(), scale);
            prop_assert_eq!(number(&text).units(scale), Some(units));
            prop_assert_eq!(number(&text).cut_off(), Some((scale, units)));
        }

        #[test]
        fn rounding_is_to_the_nearest_and_away_from_zero(value in thousandths(), scale in 0..=3_u8) {
            let unit = 10_i128.pow(3 - u32::from(scale));
            let expected = (value.abs() + unit / 2) / unit * value.signum();
            prop_assert_eq!(number(&decimal(value, 3)).units(scale).map(i128::from), Some(expected));
        }

        #[test]
        fn a_threshold_tells_what_the_comparison_tells(
            value in thousandths(), scale in 0..=3_u8, units in -4_100..=4_100_i64, below: bool, strict: bool,
        ) {
            let side = if below { Side::AtMost } else { Side::AtLeast };
            let sum = i128::from(units) * 10_i128.pow(3 - u32::from(scale));
            let expected = match (side, strict) {
                (Side::AtLeast, false) => sum >= value,
                (Side::AtLeast, true) => sum > value,
                (Side::AtMost, false) => sum <= value,
                (Side::AtMost, true) => sum < value,
            };
            let Threshold::At(limit) = number(&decimal(value, 3)).threshold(scale, side, strict) else {
                return Err(TestCaseError::fail("a small number is in range"));
            };
            prop_assert_eq!(if below { units <= limit } else { units >= limit }, expected);
        }

        /// As texts are read: as they are, then to the scale of a column.
        #[test]
        fn what_is_cut_off_does_not_change_how_it_is_rounded(
            whole in -999_999_999_i64..=999_999_999, fraction in "[0-9]{0,30}", scale in 0..=8_u8,
        ) {
            let text = format!("{whole}.{fraction}");
            let text = text.trim_end_matches('.');
            let (kept, units) = number(text).cut_off().unwrap();
            let cut = decimal(units.into(), kept);
            prop_assert_eq!(number(&cut).units(scale), number(text).units(scale));
        }

        #[test]
        fn the_order_is_that_of_the_numbers(a: i64, b: i64, x in 0..=MOST_DIGITS, y in 0..=MOST_DIGITS) {
            let scaled = |units: i64, scale: u8| {
                i128::from(units) * 10_i128.pow(u32::from(MOST_DIGITS - scale))
            };
            prop_assert_eq!(compare((a, x), (b, y)), scaled(a, x).cmp(&scaled(b, y)));
        }
    }

    #[test]
    fn what_is_beyond_all_sums_is_met_by_all_or_by_none() {
        let (least, most) = (Side::AtLeast, Side::AtMost);
        let huge = format!("1{}", "0".repeat(60));
        for text in ["NaN", "Infinity", "92233720368547758.09", huge.as_str()] {
            for strict in [true, false] {
                assert_eq!(number(text).threshold(2, least, strict), Threshold::Nothing);
                assert_eq!(number(text).threshold(2, most, strict), Threshold::All);
            }
            assert_eq!(number(text).units(2), None);
        }
        let huge = format!("-1{}", "0".repeat(60));
        for text in ["-Infinity", "-92233720368547758.10", huge.as_str()] {
            for strict in [true, false] {
                assert_eq!(number(text).threshold(2, least, strict), Threshold::All);
                assert_eq!(number(text).threshold(2, most, strict), Threshold::Nothing);
            }
            assert_eq!(number(text).units(2), None);
        }
    }

    #[test]
    fn more_digits_than_fit_are_cut_off() {
        assert_eq!(
            number("10000.000000000000000").cut_off(),
            Some((14, 1_000_000_000_000_000_000))
        );
        assert_eq!(
            number("1.00499999999999999").cut_off(),
            Some((15, 1_004_999_999_999_999))
        );
        assert_eq!(number("-0.0000000000000009").cut_off(), Some((15, 0)));
        for text in ["9223372036854775808", "NaN", "-Infinity"] {
            assert_eq!(number(text).cut_off(), None, "{text}");
        }
    }

    #[test]
    fn the_ends_of_bigint_are_thresholds_or_beyond() {
        let end = "92233720368547758.07";
        assert_eq!(
            number(end).threshold(2, Side::AtLeast, false),
            Threshold::At(i64::MAX)
        );
        assert_eq!(
            number(end).threshold(2, Side::AtLeast, true),
            Threshold::Nothing
        );
        assert_eq!(
            number(end).threshold(2, Side::AtMost, false),
            Threshold::At(i64::MAX)
        );
    }

    #[test]
    fn only_numbers_are_read() {
        for text in ["", "-", ".5", "1e5", "1.2.3", "x", "+1"] {
            assert!(Number::try_from(text).is_err(), "{text}");
        }
        assert_eq!("2".parse(), Ok(Scale(2)));
        for text in ["16", "-1", "", "2.5"] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }
}
