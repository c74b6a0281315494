//! Conditions on a sum that is changed under escrow: the test in range (O'Neil, "The Escrow Transactional Method", ACM
//! TODS 11(4), 1986). `stock - 2 WHERE stock >= 2` need not know the stock: it is enough that the condition holds, or
//! fails, for everything that the stock may turn out to be.
//!
//! What was tested must stay true until the transaction ends. Escrow keeps only what the bounds demand, so only a
//! condition that follows from them is decided here ([`Bounds::guard`]); others need the value.

use crate::bounded_counter::{Bounds, Range, Verdict};

/// From which side a condition limits the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// It must not be below the limit.
    #[default]
    AtLeast,
    /// It must not be above the limit.
    AtMost,
}

/// The condition that a sum, moved by a constant, is at least or at most something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    side: Side,
    shift: i64,
    limit: i128,
}

/// `sum + shift` is outside `bigint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange;

/// Whether a condition holds for what a sum may turn out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// For all of it.
    Always,
    /// For some of it.
    Sometimes,
    /// For none of it.
    Never,
}

impl Condition {
    /// `sum + shift >= limit`, or `<=`; with `>` or `<` if it is strict.
    pub fn new(side: Side, shift: i64, limit: i64, strict: bool) -> Self {
        let limit = i128::from(limit);
        let limit = match side {
            Side::AtLeast => limit + i128::from(strict),
            Side::AtMost => limit - i128::from(strict),
        };
        Condition { side, shift, limit }
    }

    /// Whether it holds for a value that is known.
    pub fn holds(&self, value: i64) -> Result<bool, OutOfRange> {
        let moved = value.checked_add(self.shift).ok_or(OutOfRange)?;
        Ok(match self.side {
            Side::AtLeast => i128::from(moved) >= self.limit,
            Side::AtMost => i128::from(moved) <= self.limit,
        })
    }

    /// The least, or greatest, sum for which it holds.
    fn threshold(&self) -> i128 {
        self.limit - i128::from(self.shift)
    }

    /// Whether it holds for what is in the range.
    pub fn judge(&self, sum: Range) -> Holds {
        let threshold = self.threshold();
        let (low, high) = match self.side {
            Side::AtLeast => (sum.low >= threshold, sum.high >= threshold),
            Side::AtMost => (sum.low <= threshold, sum.high <= threshold),
        };
        match (low, high) {
            (true, true) => Holds::Always,
            (false, false) => Holds::Never,
            _ => Holds::Sometimes,
        }
    }
}

impl Bounds {
    /// Whether a condition beside an addition follows from the bounds, so that it stays true as long as they are kept:
    /// from the bounds alone, or from the room that the addition needs. Whoever is admitted later leaves that room.
    pub fn guard(&self, condition: &Condition, delta: i64) -> bool {
        if !self.admit_shift(condition.shift) {
            return false;
        }
        let (delta, threshold) = (i128::from(delta), condition.threshold());
        match condition.side {
            Side::AtLeast => self
                .floor
                .is_some_and(|floor| threshold <= i128::from(floor) - delta.min(0)),
            Side::AtMost => self
                .ceiling
                .is_some_and(|ceiling| threshold >= i128::from(ceiling) - delta.max(0)),
        }
    }

    /// Whether every sum between the bounds can be moved so far within `bigint`.
    fn admit_shift(&self, shift: i64) -> bool {
        let end = match shift < 0 {
            true => self.floor.unwrap_or(i64::MIN),
            false => self.ceiling.unwrap_or(i64::MAX),
        };
        end.checked_add(shift).is_some()
    }

    /// Judges the addition of `delta` to a sum that is in `sum` before it, beside conditions that the bounds guard.
    /// `None`: a condition fails however the running transactions end, so that nothing is to be done.
    pub fn judge_if(&self, conditions: &[Condition], sum: Range, delta: i64) -> Option<Verdict> {
        let one_holds = |how: Holds| conditions.iter().any(|one| one.judge(sum) == how);
        if one_holds(Holds::Never) {
            None
        } else if one_holds(Holds::Sometimes) {
            Some(Verdict::Waits)
        } else {
            Some(self.judge(sum, delta))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An operation: what it adds, and under which condition.
    type Step = (i64, Condition);

    /// A running transaction: its operations, each with what the transaction has added after it.
    #[derive(Clone, Debug, Default)]
    struct Running(Vec<(Step, i64)>);

    impl Running {
        fn now(&self) -> i64 {
            self.0.last().map_or(0, |(_, sum)| *sum)
        }

        /// What it may leave, or has been at.
        fn range(&self) -> Range {
            let sums = self.0.iter().map(|(_, sum)| i128::from(*sum));
            Range::of(sums.chain([0])).unwrap()
        }
    }

    fn conditions() -> impl Strategy<Value = Condition> {
        let side = prop_oneof![Just(Side::AtLeast), Just(Side::AtMost)];
        (side, -4..=4_i64, -8..=8_i64, any::<bool>())
            .prop_map(|(side, shift, limit, strict)| Condition::new(side, shift, limit, strict))
    }

    fn bounds() -> impl Strategy<Value = Bounds> {
        (prop::option::of(-6..=0_i64), prop::option::of(0..=6_i64))
            .prop_map(|(floor, ceiling)| Bounds { floor, ceiling })
    }

    /// Everything that four transactions do, one step after the other: who, what, and how (0: commit, 1: abort, 2: back
    /// by one operation, else: operate).
    fn histories() -> impl Strategy<Value = Vec<(usize, Step, u8)>> {
        let step = (-4..=4_i64, conditions());
        prop::collection::vec((0..4_usize, step, 0..6_u8), 0..60)
    }

    /// Runs a history in which `admit` decides; gives the first operation that the order of commits, or the moment of a
    /// refusal, cannot explain.
    fn unexplained(
        bounds: Bounds,
        history: &[(usize, Step, u8)],
        admit: impl Fn(Bounds, Step, Range) -> Option<Verdict>,
    ) -> Option<String> {
        let mut committed = 0_i64;
        let mut running = vec![Running::default(); 4];
        for (who, step, action) in history {
            match action {
                0 => {
                    let ended = std::mem::take(&mut running[*who]);
                    let before = ended
                        .0
                        .iter()
                        .map(|((delta, _), sum)| committed + sum - delta);
                    for (((delta, condition), _), before) in ended.0.iter().zip(before) {
                        let kept = bounds.crossed_by((before + delta).into()).is_none();
                        if condition.holds(before) != Ok(true) || !kept {
                            return Some(format!("{condition:?} of {before}, then {delta}"));
                        }
                    }
                    committed += ended.now();
                }
                1 => running[*who].0.clear(),
                2 => drop(running[*who].0.pop()),
                _ => {
                    let (delta, condition) = *step;
                    let now = running[*who].now();
                    let own = Range::certain((committed + now).into());
                    let others = running.iter().enumerate().filter(|(n, _)| n != who);
                    let sum = others.fold(own, |sum, (_, other)| sum + other.range());
                    match admit(bounds, *step, sum) {
                        Some(Verdict::Fits) => running[*who].0.push((*step, now + delta)),
                        Some(_) => {}
                        // Only what is committed counts for who is told that no row qualifies.
                        None if condition.holds(committed + now) == Ok(true) => {
                            return Some(format!("{condition:?} of {committed} refused"));
                        }
                        None => {}
                    }
                }
            }
        }
        None
    }

    /// What the extension does: other conditions are left to who holds the value.
    fn by_escrow(bounds: Bounds, (delta, condition): Step, sum: Range) -> Option<Verdict> {
        match bounds.guard(&condition, delta) {
            true => bounds.judge_if(&[condition], sum, delta),
            false => Some(Verdict::Waits),
        }
    }

    proptest! {
        #[test]
        fn the_order_of_commits_explains_whatever_is_done_or_refused(
            bounds in bounds(), history in histories(),
        ) {
            prop_assert_eq!(unexplained(bounds, &history, by_escrow), None);
        }

        #[test]
        fn a_condition_is_judged_as_each_value_of_the_range_has_it(
            condition in conditions(), low in -10..=10_i64, width in 0..=6_i64,
        ) {
            let values: Vec<i64> = (low..=low + width).collect();
            let holds = values.iter().filter(|value| condition.holds(**value) == Ok(true)).count();
            let range = Range { low: low.into(), high: (low + width).into() };
            let expected = match holds {
                0 => Holds::Never,
                all if all == values.len() => Holds::Always,
                _ => Holds::Sometimes,
            };
            prop_assert_eq!(condition.judge(range), expected);
        }

        #[test]
        fn what_is_guarded_is_never_out_of_range(bounds in bounds(), shift: i64, value in -6..=6_i64) {
            let condition = Condition::new(Side::AtLeast, shift, i64::MIN, false);
            let inside = bounds.crossed_by(value.into()).is_none();
            if inside && bounds.guard(&condition, 0) {
                prop_assert_eq!(condition.holds(value), Ok(true));
            }
        }
    }

    const FLOOR: Bounds = Bounds {
        floor: Some(0),
        ceiling: None,
    };

    fn at_least(limit: i64) -> Condition {
        Condition::new(Side::AtLeast, 0, limit, false)
    }

    /// 3 in stock; one takes 1 if there are 3, another takes 1 and commits first.
    fn two_sellers() -> Vec<(usize, Step, u8)> {
        let taken = (-1, at_least(1));
        let history = [
            (0, (-1, at_least(3)), 9),
            (1, taken, 9),
            (1, taken, 0),
            (0, taken, 0),
        ];
        let delivered = [(2, (3, at_least(0)), 9), (2, taken, 0)];
        delivered.into_iter().chain(history).collect()
    }

    #[test]
    fn a_condition_that_the_floor_does_not_guard_would_be_wrong_in_the_order_of_commits() {
        let careless = |bounds: Bounds, (delta, condition): Step, sum| {
            bounds.judge_if(&[condition], sum, delta)
        };
        assert!(unexplained(FLOOR, &two_sellers(), careless).is_some());
        assert_eq!(unexplained(FLOOR, &two_sellers(), by_escrow), None);
    }

    #[test]
    fn a_test_of_the_committed_value_alone_would_sell_twice() {
        // 1 in stock, and two want it: each finds it, as long as it looks at what is committed.
        let wanted = (-1, at_least(1));
        let history = [
            (2, (1, at_least(0)), 9),
            (2, wanted, 0),
            (0, wanted, 9),
            (1, wanted, 9),
            (0, wanted, 0),
            (1, wanted, 0),
        ];
        let careless = |bounds: Bounds, (delta, condition): Step, _| {
            let sum = Range::certain(i128::from(delta < 0));
            bounds.judge_if(&[condition], sum, delta)
        };
        assert!(unexplained(FLOOR, &history, careless).is_some());
        assert_eq!(unexplained(FLOOR, &history, by_escrow), None);
    }

    #[test]
    fn the_idiom_is_guarded_by_its_own_operation() {
        let guards = |shift, limit, strict, delta| {
            FLOOR.guard(&Condition::new(Side::AtLeast, shift, limit, strict), delta)
        };
        assert!(guards(0, 2, false, -2)); // stock >= 2
        assert!(guards(0, 1, true, -2)); // stock > 1
        assert!(guards(-2, 0, false, -2)); // stock - 2 >= 0
        assert!(guards(0, 0, false, 5)); // stock >= 0
        assert!(!guards(0, 3, false, -2)); // stock >= 3
        assert!(!guards(0, 2, false, 2)); // stock + 2 WHERE stock >= 2
        assert!(!guards(2, 2, false, -2)); // stock + 2 may overflow
        assert!(!Bounds::default().guard(&at_least(2), -2));
    }

    #[test]
    fn a_sum_that_is_moved_out_of_bigint_is_an_error() {
        let condition = Condition::new(Side::AtLeast, -1, 0, false);
        assert_eq!(condition.holds(i64::MIN), Err(OutOfRange));
        assert_eq!(condition.holds(1), Ok(true));
    }
}
