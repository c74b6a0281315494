//! A range that is remembered of a sum, so that an operation far from the bounds need not add up what the sum may be
//! (`docs/design/escrow.md`, "Sums that are remembered").
//!
//! It holds whatever the sum may turn out to be, however running transactions end. An operation can only widen what
//! the sum may be, by as much as it adds; an end only narrows it. So a range stays right if everybody who operates widens it
//! first, and is too wide at worst.

use crate::bounded_counter::{Bounds, Range};
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// By how much an operation may raise and lower a sum; neither is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widening {
    /// Upwards.
    pub rise: i64,
    /// Downwards.
    pub fall: i64,
}

impl Widening {
    /// That of an addition.
    pub fn of(delta: i64) -> Self {
        Widening {
            rise: delta.max(0),
            fall: delta.checked_neg().unwrap_or(i64::MAX).max(0),
        }
    }
}

/// The range, changed by several at a time.
#[derive(Debug)]
pub struct Remembered {
    low: AtomicI64,
    high: AtomicI64,
}

impl Default for Remembered {
    /// Nothing is known.
    fn default() -> Self {
        Remembered {
            low: AtomicI64::new(i64::MIN),
            high: AtomicI64::new(i64::MAX),
        }
    }
}

impl Remembered {
    /// Remembers this range. The caller lets nobody else operate meanwhile.
    pub fn renew(&self, range: Range) {
        let end = |value: i128, beyond| i64::try_from(value).unwrap_or(beyond);
        self.low.store(end(range.low, i64::MIN), SeqCst);
        self.high.store(end(range.high, i64::MAX), SeqCst);
    }

    /// Forgets the range.
    pub fn forget(&self) {
        self.low.store(i64::MIN, SeqCst);
        self.high.store(i64::MAX, SeqCst);
    }

    /// Widens the range for an operation that is done whatever it says.
    pub fn widen(&self, by: Widening) {
        let any = Bounds::default();
        raise(&self.high, by.rise, any);
        lower(&self.low, by.fall, any);
    }

    /// Widens the range for an operation if the bounds are kept whatever the sum is in it. If not, it may be wider than it need be.
    pub fn admit(&self, by: Widening, bounds: Bounds) -> bool {
        raise(&self.high, by.rise, bounds) && lower(&self.low, by.fall, bounds)
    }
}

/// False, and nothing changed, if the ceiling might be crossed. What is beyond numbers stays there: it is not known.
fn raise(high: &AtomicI64, by: i64, bounds: Bounds) -> bool {
    let raised = |high: i64| {
        let raised = high.saturating_add(by);
        let fits = |ceiling: i64| raised <= ceiling && raised < i64::MAX;
        bounds.ceiling.is_none_or(fits).then_some(raised)
    };
    by == 0 || high.fetch_update(SeqCst, SeqCst, raised).is_ok()
}

/// The same downwards.
fn lower(low: &AtomicI64, by: i64, bounds: Bounds) -> bool {
    let lowered = |low: i64| {
        // As far as the opposite of the least number, which there is not.
        let lowered = match by {
            i64::MAX => i64::MIN,
            by => low.saturating_sub(by),
        };
        let fits = |floor: i64| lowered >= floor && lowered > i64::MIN;
        bounds.floor.is_none_or(fits).then_some(lowered)
    };
    by == 0 || low.fetch_update(SeqCst, SeqCst, lowered).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounded_counter::Verdict;
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds {
        floor: Some(0),
        ceiling: Some(12),
    };
    const WHO: usize = 3;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Add(i64),
        /// In the row, by who has it alone.
        AddAlone(i64),
        /// To the state after so many of its operations.
        BackTo(usize),
        Commit,
        Abort,
        Forget,
    }

    fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
        let step = prop_oneof![
            8 => (-5..=5_i64).prop_map(Step::Add),
            2 => (-5..=5_i64).prop_map(Step::AddAlone),
            1 => (0..3_usize).prop_map(Step::BackTo),
            3 => Just(Step::Commit),
            1 => Just(Step::Abort),
            1 => Just(Step::Forget),
        ];
        prop::collection::vec((0..WHO, step), 0..80)
    }

    /// What may break it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Fault {
        None,
        /// Who has the sum alone does not tell.
        TellsNot,
        /// Who has operated remembers what it would find if it could not go back.
        RemembersOwn,
    }

    /// Each transaction with all states in which it has been.
    struct Machine {
        base: i64,
        all: Vec<Vec<i64>>,
        remembered: Remembered,
        admitted: usize,
        fault: Fault,
    }

    impl Machine {
        fn new(fault: Fault) -> Self {
            Machine {
                base: 6,
                all: vec![vec![0]; WHO],
                remembered: Remembered::default(),
                admitted: 0,
                fault,
            }
        }

        fn range(&self, who: usize) -> Range {
            let others = (0..WHO).filter(|n| *n != who).map(|n| {
                let states = self.all[n].iter().map(|state| i128::from(*state));
                Range::of(states).unwrap()
            });
            let own = self.base + self.all[who].last().unwrap();
            others.fold(Range::certain(own.into()), |sum, one| sum + one)
        }

        fn write(&mut self, who: usize, delta: i64) {
            let now = self.all[who].last().unwrap() + delta;
            self.all[who].push(now);
        }

        fn add(&mut self, who: usize, delta: i64) {
            let range = self.range(who);
            let verdict = BOUNDS.judge(range, delta);
            if self.remembered.admit(Widening::of(delta), BOUNDS) {
                assert_eq!(verdict, Verdict::Fits, "admitted {delta} beside {range:?}");
                self.admitted += 1;
            } else if verdict == Verdict::Fits {
                if self.all[who].len() == 1 || self.fault == Fault::RemembersOwn {
                    self.remembered.renew(range);
                }
                self.remembered.widen(Widening::of(delta));
            } else {
                return;
            }
            self.write(who, delta);
        }

        fn add_alone(&mut self, who: usize, delta: i64) {
            let alone = (0..WHO).all(|n| n == who || self.all[n].len() == 1);
            if !alone || BOUNDS.judge(self.range(who), delta) != Verdict::Fits {
                return;
            }
            if self.fault != Fault::TellsNot {
                self.remembered.widen(Widening::of(delta));
            }
            self.write(who, delta);
        }

        fn run(mut self, history: &[(usize, Step)]) -> usize {
            for (who, step) in history {
                match *step {
                    Step::Add(delta) => self.add(*who, delta),
                    Step::AddAlone(delta) => self.add_alone(*who, delta),
                    Step::BackTo(n) => {
                        let states = &mut self.all[*who];
                        states.truncate(n + 1);
                    }
                    Step::Commit => {
                        let states = std::mem::replace(&mut self.all[*who], vec![0]);
                        self.base += states.last().unwrap();
                    }
                    Step::Abort => self.all[*who] = vec![0],
                    Step::Forget => self.remembered.forget(),
                }
            }
            self.admitted
        }
    }

    proptest! {
        #[test]
        fn what_is_admitted_by_memory_fits_whatever_may_come(history in steps()) {
            Machine::new(Fault::None).run(&history);
        }
    }

    #[test]
    fn who_is_far_from_the_bounds_is_admitted_by_memory() {
        let history = [(0, Step::Add(1)), (1, Step::Add(1)), (2, Step::Add(-1))];
        assert_eq!(Machine::new(Fault::None).run(&history), 2);
    }

    #[test]
    #[should_panic(expected = "admitted")]
    fn an_operation_that_is_not_told_is_noticed() {
        let history = [
            (0, Step::Add(1)),
            (0, Step::Commit),
            (0, Step::AddAlone(5)),
            (0, Step::Commit),
            (1, Step::Add(5)),
        ];
        Machine::new(Fault::TellsNot).run(&history);
    }

    #[test]
    #[should_panic(expected = "admitted")]
    fn what_a_transaction_may_go_back_to_counts_too() {
        let history = [
            (0, Step::Add(5)),
            (1, Step::Forget),
            (0, Step::Add(-1)),
            (0, Step::Abort),
            (1, Step::Add(-5)),
            (1, Step::Add(-3)),
        ];
        Machine::new(Fault::RemembersOwn).run(&history);
    }

    #[test]
    fn nothing_is_admitted_by_what_is_not_known() {
        let remembered = Remembered::default();
        let most = Bounds {
            floor: Some(i64::MIN),
            ceiling: Some(i64::MAX),
        };
        assert!(!remembered.admit(Widening::of(1), most));
        assert!(!remembered.admit(Widening::of(-1), most));
        assert!(remembered.admit(Widening::of(1), Bounds::default()));
        assert!(!remembered.admit(Widening::of(i64::MIN), most));
        remembered.renew(Range::certain(0));
        assert!(!remembered.admit(Widening::of(i64::MIN), most));
        remembered.widen(Widening::of(i64::MIN));
        assert!(!remembered.admit(Widening::of(-1), most));
    }
}
