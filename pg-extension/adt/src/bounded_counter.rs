//! Escrow (O'Neil, "The Escrow Transactional Method", ACM TODS 11(4), 1986): a sum of 64-bit integers that must stay
//! between bounds, changed by transactions that do not wait for each other as long as every way in which they
//! could end keeps it there.
//!
//! A running transaction may end in several ways: it commits, it aborts, or it goes back to one of its savepoints
//! first; and what it has been at must hold after those who end before it. So what one part of the sum will be is not a number but a [`Range`]; ranges add up. An operation is judged
//! against the range of everything that *others* have done ([`Bounds::judge`]).

use std::fmt;
use std::ops::{Add, AddAssign};

/// The least and the greatest value allowed; `None` where there is no bound but that of `bigint`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The least value allowed.
    pub floor: Option<i64>,
    /// The greatest value allowed.
    pub ceiling: Option<i64>,
}

/// One of the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The least value allowed.
    Floor(i64),
    /// The greatest value allowed.
    Ceiling(i64),
}

/// What a part of the sum, or the sum itself, may turn out to be once the running transactions have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The least it can be.
    pub low: i128,
    /// The greatest it can be.
    pub high: i128,
}

impl Range {
    /// Known for certain.
    pub fn certain(value: i128) -> Self {
        Range {
            low: value,
            high: value,
        }
    }

    /// The smallest range with all these values; `None` without any.
    pub fn of(values: impl IntoIterator<Item = i128>) -> Option<Self> {
        values
            .into_iter()
            .map(Range::certain)
            .reduce(|all, one| Range {
                low: all.low.min(one.low),
                high: all.high.max(one.high),
            })
    }

    /// Whether nobody's end can change it.
    pub fn is_certain(&self) -> bool {
        self.low == self.high
    }
}

impl Add for Range {
    type Output = Range;

    fn add(self, other: Range) -> Range {
        Range {
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

impl AddAssign for Range {
    fn add_assign(&mut self, other: Range) {
        *self = *self + other;
    }
}

/// What is to become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The bound is kept however the running transactions end.
    Fits,
    /// It depends on how they end.
    Waits,
    /// The bound is crossed however they end.
    Never(Bound),
}

impl Bounds {
    /// The bound that a value crosses, if any.
    pub fn crossed_by(&self, value: i128) -> Option<Bound> {
        match (self.floor, self.ceiling) {
            (Some(floor), _) if value < i128::from(floor) => Some(Bound::Floor(floor)),
            (_, Some(ceiling)) if value > i128::from(ceiling) => Some(Bound::Ceiling(ceiling)),
            _ => None,
        }
    }

    /// Whether adding this much can cross a bound at all.
    pub fn restrict(&self, delta: i64) -> bool {
        delta < 0 && self.floor.is_some() || delta > 0 && self.ceiling.is_some()
    }

    /// Judges the addition of `delta` to a sum that is in `sum` before it: what the others may have made of it, and
    /// all that the operation's own transaction has done as it stands now.
    ///
    /// A bound is looked at from the side from which `delta` comes nearer to it; the other one cannot be crossed.
    pub fn judge(&self, sum: Range, delta: i64) -> Verdict {
        let after = sum + Range::certain(delta.into());
        match (self.floor, self.ceiling) {
            (Some(floor), _) if delta < 0 => {
                let limit = i128::from(floor);
                Self::verdict(after.low >= limit, after.high >= limit, Bound::Floor(floor))
            }
            (_, Some(ceiling)) if delta > 0 => {
                let limit = i128::from(ceiling);
                Self::verdict(
                    after.high <= limit,
                    after.low <= limit,
                    Bound::Ceiling(ceiling),
                )
            }
            _ => Verdict::Fits,
        }
    }

    pub(crate) fn verdict(always: bool, sometimes: bool, bound: Bound) -> Verdict {
        match (always, sometimes) {
            (true, _) => Verdict::Fits,
            (false, true) => Verdict::Waits,
            (false, false) => Verdict::Never(bound),
        }
    }
}

impl fmt::Display for Bounds {
    /// As a type modifier is written: `(0)`, `(0,100)`, `(-infinity,100)`; nothing without bounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.floor, self.ceiling) {
            (None, None) => Ok(()),
            (Some(floor), None) => write!(f, "({floor})"),
            (Some(floor), Some(ceiling)) => write!(f, "({floor},{ceiling})"),
            (None, Some(ceiling)) => write!(f, "('-infinity',{ceiling})"),
        }
    }
}

/// A type modifier of PostgreSQL is a number below 2^31. It keeps bounds as decimal floating-point numbers, a
/// mantissa and an exponent to the base 10, exactly or not at all:
///
/// | bits 30, 29 | | |
/// |---|---|---|
/// | 0 | floor alone | sign 1, mantissa 24, exponent 5 |
/// | 1 0 | floor 0 and a ceiling | mantissa 24, exponent 5 |
/// | 1 1 | floor and ceiling | floor: sign 1, mantissa 7, exponent 5; ceiling: sign 1, mantissa 10, exponent 5 |
///
/// The exponent 31 stands for no floor.
mod modifier {
    pub const TWO: i32 = 1 << 30;
    pub const GENERAL: i32 = 1 << 29;
    pub const EXPONENT_BITS: u32 = 5;
    pub const NO_FLOOR: u32 = 31;
    pub const WIDE: u32 = 24;
    pub const FLOOR: u32 = 7;
    pub const CEILING: u32 = 10;
}

/// Why bounds cannot be kept in a type modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBounds {
    /// Nothing lies between them.
    #[error("the ceiling {ceiling} is below the floor {floor}")]
    Empty {
        /// The least value allowed.
        floor: i64,
        /// The greatest value allowed.
        ceiling: i64,
    },
    /// They have too many digits.
    #[error("a type modifier cannot hold these bounds exactly")]
    TooPrecise,
    /// Neither is given.
    #[error("a bound is missing")]
    Missing,
}

impl Bounds {
    /// The type modifier that stands for these bounds.
    pub fn to_modifier(self) -> Result<i32, BadBounds> {
        use modifier::{CEILING, EXPONENT_BITS, FLOOR, GENERAL, NO_FLOOR, TWO, WIDE};
        let magnitude = |value: i64, bits| decimal(value.unsigned_abs(), bits);
        let signed = |value: i64, bits| {
            let sign = u32::from(value < 0) << (bits + EXPONENT_BITS);
            magnitude(value, bits).map(|number| number | sign)
        };
        let number = match (self.floor, self.ceiling) {
            (None, None) => return Err(BadBounds::Missing),
            (Some(floor), Some(ceiling)) if ceiling < floor => {
                return Err(BadBounds::Empty { floor, ceiling });
            }
            (Some(floor), None) => signed(floor, WIDE),
            (Some(0), Some(ceiling)) => magnitude(ceiling, WIDE).map(|number| number | TWO as u32),
            (floor, Some(ceiling)) => {
                let floor = match floor {
                    None => Some(NO_FLOOR),
                    Some(floor) => signed(floor, FLOOR),
                };
                let shift = CEILING + EXPONENT_BITS + 1;
                floor
                    .zip(signed(ceiling, CEILING))
                    .map(|(floor, ceiling)| (TWO | GENERAL) as u32 | floor << shift | ceiling)
            }
        };
        number
            .map(|number| number as i32)
            .ok_or(BadBounds::TooPrecise)
    }

    /// The bounds that a type modifier stands for; a negative one is none at all.
    pub fn of_modifier(modifier: i32) -> Self {
        use modifier::{CEILING, EXPONENT_BITS, FLOOR, GENERAL, NO_FLOOR, TWO, WIDE};
        if modifier < 0 {
            return Bounds::default();
        }
        let number = modifier as u32;
        if modifier & TWO == 0 {
            return Bounds {
                floor: value(number, WIDE),
                ceiling: None,
            };
        }
        if modifier & GENERAL == 0 {
            return Bounds {
                floor: Some(0),
                ceiling: value(number & !(TWO as u32), WIDE),
            };
        }
        let shift = CEILING + EXPONENT_BITS + 1;
        let floor = number >> shift & ((1 << (FLOOR + EXPONENT_BITS + 1)) - 1);
        Bounds {
            floor: (floor != NO_FLOOR).then(|| value(floor, FLOOR)).flatten(),
            ceiling: value(number & ((1 << shift) - 1), CEILING),
        }
    }
}

/// The number as mantissa and exponent, if so many bits hold the mantissa.
fn decimal(mut magnitude: u64, bits: u32) -> Option<u32> {
    let mut exponent = 0;
    while magnitude >= 1 << bits {
        if !magnitude.is_multiple_of(10) {
            return None;
        }
        magnitude /= 10;
        exponent += 1;
    }
    Some((magnitude as u32) << modifier::EXPONENT_BITS | exponent)
}

fn value(number: u32, bits: u32) -> Option<i64> {
    use modifier::EXPONENT_BITS;
    let exponent = number & ((1 << EXPONENT_BITS) - 1);
    let mantissa = number >> EXPONENT_BITS & ((1 << bits) - 1);
    let magnitude = i128::from(mantissa) * 10_i128.checked_pow(exponent)?;
    let negative = number >> (EXPONENT_BITS + bits) & 1 == 1;
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A running transaction: what it would leave if it went back to each of its savepoints, the last being what it
    /// leaves if it goes back to none.
    type Running = Vec<i64>;

    fn transactions() -> impl Strategy<Value = Vec<Running>> {
        prop::collection::vec(prop::collection::vec(-4..=4_i64, 1..4), 0..4)
    }

    /// Every sum that the transactions may leave, added to what is committed.
    fn outcomes(committed: i64, running: &[Running]) -> Vec<i64> {
        running.iter().fold(vec![committed], |sums, transaction| {
            let ends = || transaction.iter().copied().chain([0]);
            sums.iter()
                .flat_map(|sum| ends().map(move |end| sum + end))
                .collect()
        })
    }

    fn range(committed: i64, running: &[Running]) -> Range {
        running
            .iter()
            .fold(Range::certain(committed.into()), |sum, transaction| {
                let ends = transaction.iter().map(|end| i128::from(*end)).chain([0]);
                sum + Range::of(ends).unwrap_or_default()
            })
    }

    fn bounds() -> impl Strategy<Value = Bounds> {
        (prop::option::of(-6..=0_i64), prop::option::of(0..=6_i64))
            .prop_map(|(floor, ceiling)| Bounds { floor, ceiling })
    }

    proptest! {
        #[test]
        fn an_operation_fits_exactly_if_it_keeps_the_bound_however_the_others_end(
            bounds in bounds(), committed in -6..=6_i64, running in transactions(), delta in -8..=8_i64,
        ) {
            let kept: Vec<bool> = outcomes(committed, &running)
                .iter()
                .map(|sum| match delta {
                    0 => true,
                    d if d < 0 => bounds.floor.is_none_or(|floor| sum + d >= floor),
                    d => bounds.ceiling.is_none_or(|ceiling| sum + d <= ceiling),
                })
                .collect();
            let verdict = bounds.judge(range(committed, &running), delta);
            prop_assert_eq!(verdict == Verdict::Fits, kept.iter().all(|kept| *kept));
            prop_assert_eq!(matches!(verdict, Verdict::Never(_)), kept.iter().all(|kept| !kept));
        }

        /// Admitted one after the other, however each ends: the sum never leaves the bounds.
        #[test]
        fn admitted_operations_never_cross_a_bound(
            bounds in bounds(), steps in prop::collection::vec((0..4_usize, -8..=8_i64, 0..6_u8), 0..40),
        ) {
            let mut committed = 0_i64;
            let mut running: Vec<Running> = vec![Vec::new(); 4];
            for (who, delta, action) in steps {
                match action {
                    0 => committed += std::mem::take(&mut running[who]).last().copied().unwrap_or(0),
                    1 => running[who].clear(),
                    2 => { running[who].pop(); }
                    _ => {
                        let own = std::mem::take(&mut running[who]);
                        let now = own.last().copied().unwrap_or(0);
                        let sum = range(committed, &running) + Range::certain(now.into());
                        running[who] = own;
                        if bounds.judge(sum, delta) == Verdict::Fits {
                            running[who].push(now + delta);
                        }
                    }
                }
                for sum in outcomes(committed, &running) {
                    prop_assert_eq!(bounds.crossed_by(sum.into()), None, "{} {:?}", committed, running);
                }
            }
        }

        #[test]
        fn ranges_add_up_in_any_order(a: (i64, i64), b: (i64, i64), c: (i64, i64)) {
            let range = |(x, y): (i64, i64)| Range::of([i128::from(x), i128::from(y)]).unwrap_or_default();
            let (a, b, c) = (range(a), range(b), range(c));
            prop_assert_eq!(a + b, b + a);
            prop_assert_eq!((a + b) + c, a + (b + c));
            prop_assert_eq!(a + Range::default(), a);
        }

        #[test]
        fn a_modifier_holds_bounds_exactly_or_not_at_all(floor: Option<i64>, ceiling: Option<i64>) {
            let bounds = Bounds { floor, ceiling };
            if let Ok(modifier) = bounds.to_modifier() {
                prop_assert!(modifier >= 0);
                prop_assert_eq!(Bounds::of_modifier(modifier), bounds);
            }
        }

        #[test]
        fn a_modifier_holds_what_people_write(
            floor in -127..=127_i64, low in 0..=18_u32, ceiling in -1023..=1023_i64, high in 0..=15_u32,
        ) {
            let floor = floor.checked_mul(10_i64.pow(low)).unwrap_or(0);
            let ceiling = ceiling * 10_i64.pow(high);
            for bounds in [
                Bounds { floor: Some(floor), ceiling: None },
                Bounds { floor: None, ceiling: Some(ceiling) },
                Bounds { floor: Some(floor), ceiling: Some(ceiling) },
            ] {
                match bounds.to_modifier() {
                    Ok(modifier) => prop_assert_eq!(Bounds::of_modifier(modifier), bounds),
                    Err(error) => prop_assert_eq!(error, BadBounds::Empty { floor, ceiling }),
                }
            }
        }

        #[test]
        fn one_bound_beside_zero_has_seven_digits(number in 0..16_777_216_i64, exponent in 0..=11_u32) {
            let number = number * 10_i64.pow(exponent);
            for bounds in [
                Bounds { floor: Some(number), ceiling: None },
                Bounds { floor: Some(-number), ceiling: None },
                Bounds { floor: Some(0), ceiling: Some(number) },
            ] {
                prop_assert_eq!(bounds.to_modifier().map(Bounds::of_modifier), Ok(bounds));
            }
        }
    }

    #[test]
    fn what_does_not_fit_a_modifier_is_refused() {
        let error = |floor, ceiling| Bounds { floor, ceiling }.to_modifier().unwrap_err();
        assert_eq!(error(Some(16_777_217), None), BadBounds::TooPrecise);
        assert_eq!(error(Some(i64::MIN), None), BadBounds::TooPrecise);
        assert_eq!(error(Some(1), Some(1025)), BadBounds::TooPrecise);
        assert_eq!(error(None, None), BadBounds::Missing);
        let empty = BadBounds::Empty {
            floor: 1,
            ceiling: 0,
        };
        assert_eq!(error(Some(1), Some(0)), empty);
    }

    #[test]
    fn bounds_are_shown_as_they_are_written() {
        let shown = |floor, ceiling| Bounds { floor, ceiling }.to_string();
        assert_eq!(shown(Some(0), None), "(0)");
        assert_eq!(shown(Some(-5), Some(100)), "(-5,100)");
        assert_eq!(shown(None, Some(7)), "('-infinity',7)");
        assert_eq!(shown(None, None), "");
    }
}
