//! The sum of decimal numbers as PostgreSQL's `numeric` defines it: the model against which the laws that
//! `decimal_counter` relies on are proved. The extension itself computes with PostgreSQL's own arithmetic.

use crate::Merge;

/// A `numeric` value: `mantissa * 10^-scale`, or one of the special values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalSum {
    /// An ordinary number with its display scale (`1.50` has mantissa 150 and scale 2).
    Finite {
        /// All digits, without the point.
        mantissa: i128,
        /// Digits behind the point.
        scale: u32,
    },
    /// `Infinity`
    PositiveInfinity,
    /// `-Infinity`
    NegativeInfinity,
    /// `NaN`, which absorbs everything.
    NotANumber,
}

use DecimalSum::{Finite, NegativeInfinity, NotANumber, PositiveInfinity};

impl Merge for DecimalSum {
    fn identity() -> Self {
        Finite {
            mantissa: 0,
            scale: 0,
        }
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        Some(match (*self, *other) {
            (NotANumber, _) | (_, NotANumber) => NotANumber,
            (PositiveInfinity, NegativeInfinity) | (NegativeInfinity, PositiveInfinity) => {
                NotANumber
            }
            (PositiveInfinity, _) | (_, PositiveInfinity) => PositiveInfinity,
            (NegativeInfinity, _) | (_, NegativeInfinity) => NegativeInfinity,
            (
                Finite {
                    mantissa: a,
                    scale: sa,
                },
                Finite {
                    mantissa: b,
                    scale: sb,
                },
            ) => {
                let scale = sa.max(sb);
                let mantissa = rescale(a, scale - sa)?.checked_add(rescale(b, scale - sb)?)?;
                Finite { mantissa, scale }
            }
        })
    }
}

fn rescale(mantissa: i128, digits: u32) -> Option<i128> {
    if mantissa == 0 {
        return Some(0); // However many digits that has.
    }
    10_i128
        .checked_pow(digits)
        .and_then(|p| mantissa.checked_mul(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_decimal() -> impl Strategy<Value = DecimalSum> {
        prop_oneof![
            8 => (any::<i64>(), 0u32..8).prop_map(|(m, scale)| Finite { mantissa: m as i128, scale }),
            1 => Just(PositiveInfinity),
            1 => Just(NegativeInfinity),
            1 => Just(NotANumber),
        ]
    }

    #[test]
    fn identity_is_neutral_to_more_digits_than_a_mantissa_has() {
        for mantissa in [0, 7] {
            let many = Finite {
                mantissa,
                scale: 60,
            };
            assert_eq!(many.merge(&DecimalSum::identity()), Some(many));
        }
    }

    proptest! {
        #[test]
        fn merge_is_commutative(a in any_decimal(), b in any_decimal()) {
            prop_assert_eq!(a.merge(&b), b.merge(&a));
        }

        #[test]
        fn merge_is_associative(a in any_decimal(), b in any_decimal(), c in any_decimal()) {
            let left = a.merge(&b).and_then(|ab| ab.merge(&c));
            let right = b.merge(&c).and_then(|bc| a.merge(&bc));
            prop_assert!(left.is_some());
            prop_assert_eq!(left, right);
        }

        #[test]
        fn identity_is_neutral(a in any_decimal()) {
            prop_assert_eq!(a.merge(&DecimalSum::identity()), Some(a));
        }
    }
}
