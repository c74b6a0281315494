//! `abelian.bounded_counter` as a data type. What its operations do to the bounds while others run is judged by
//! [`crate::bounded_counter`]; here stands what that judgement must achieve: that operations done at the same time
//! commute, refusals included.
//!
//! Whether an addition is refused depends on the sum, so in general additions do not commute. In a state in which each
//! is done, or refused, whether or not the other is, they do. Escrow admits side by side exactly those that commute and
//! are done. (Who is refused ends with an error; what an error has seen is not protected, as over plain columns.)

use crate::Merge;
use crate::bounded_counter::{Bounds, Range, Verdict};
use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader, write_signed};
use crate::locks::Footprint;
use crate::ordered::Ordered;
use crate::specification;
use crate::test_in_range::Condition;
use std::cmp::Reverse;
use std::convert::Infallible;

/// The type.
#[derive(Clone, Debug)]
pub struct BoundedCounter;

/// A sum and its bounds. Slices and changes have none: merged parts keep the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedSum {
    /// The bounds.
    pub bounds: Bounds,
    /// The sum.
    pub sum: i128,
}

impl BoundedSum {
    /// The sum after an addition; refused if its condition does not hold, or it crosses the bound towards which it goes.
    fn after(&self, operation: &Operation) -> Result<i128, Refused> {
        let delta = operation.delta();
        let sum = Range::certain(self.sum);
        match self.bounds.judge_if(operation.conditions(), sum, delta) {
            Some(Verdict::Fits) => Ok(self.sum + i128::from(delta)),
            Some(Verdict::Waits | Verdict::Never(_)) => Err(Refused::OutOfBounds),
            None => Err(Refused::Unmet),
        }
    }
}

impl Merge for BoundedSum {
    fn identity() -> Self {
        BoundedSum {
            bounds: Bounds::default(),
            sum: 0,
        }
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        let (a, b) = (self.bounds, other.bounds);
        let bounds = Bounds {
            floor: a.floor.max(b.floor),
            ceiling: a
                .ceiling
                .map(Reverse)
                .max(b.ceiling.map(Reverse))
                .map(|Reverse(least)| least),
        };
        let sum = self.sum.checked_add(other.sum)?;
        Some(BoundedSum { bounds, sum })
    }
}

impl Encoding for BoundedSum {
    const TAG: u8 = 8;

    fn write(&self, out: &mut Vec<u8>) {
        self.bounds.floor.write(out);
        self.bounds.ceiling.write(out);
        write_signed(self.sum, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let bounds = Bounds {
            floor: Ordered::read(input)?,
            ceiling: Ordered::read(input)?,
        };
        let sum = input.signed()?;
        Ok(BoundedSum { bounds, sum })
    }
}

/// A change of the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds a number: `c + n`, and `c - n` for the opposite of it.
    Add(i64),
    /// The same under a condition on the sum, which the bounds guard: `c - n WHERE c >= n`.
    AddWhere(i64, Condition),
}

impl Operation {
    fn delta(&self) -> i64 {
        match self {
            Operation::Add(delta) | Operation::AddWhere(delta, _) => *delta,
        }
    }

    fn conditions(&self) -> &[Condition] {
        match self {
            Operation::Add(_) => &[],
            Operation::AddWhere(_, condition) => std::slice::from_ref(condition),
        }
    }
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Operation::Add`]
    Add,
    /// [`Operation::AddWhere`]
    AddWhere,
}

impl DataType for BoundedCounter {
    const NAME: &'static str = "bounded_counter";
    const ADMISSION: Option<&'static str> =
        Some("each meets its condition and the bounds however the other ends (escrow)");
    type State = BoundedSum;
    type Value = BoundedSum;
    type Operation = Operation;
    type Query = Infallible;
    type Answer = Infallible;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Add, Method::AddWhere];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["n"], Footprint::ADD),
            Method::AddWhere => Description::operation("add_where", &["n", "v"], Footprint::ADD),
        }
    }

    fn rule(_: Method, _: Method) -> specification::Condition<Self> {
        specification::Condition::When(
            "each is done, or left undone, whether or not the other is done",
            are_independent,
        )
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Add(_) => Method::Add,
            Operation::AddWhere(..) => Method::AddWhere,
        }
    }

    fn query_method(query: &Infallible) -> Method {
        match *query {}
    }

    fn operation_element(_: &Operation) -> Option<&[u8]> {
        None
    }

    fn query_element(query: &Infallible) -> Option<&[u8]> {
        match *query {}
    }

    fn value(state: &BoundedSum) -> BoundedSum {
        *state
    }

    fn answer(_: &BoundedSum, query: &Infallible) -> Infallible {
        match *query {}
    }

    /// Escrow stands for the look at the newest value.
    fn is_blind(_: &Operation) -> bool {
        false
    }

    fn change(operation: &Operation, newest: Option<&BoundedSum>) -> Result<BoundedSum, Refused> {
        newest.ok_or(Refused::NeedsValue)?.after(operation)?;
        Ok(BoundedSum {
            bounds: Bounds::default(),
            sum: operation.delta().into(),
        })
    }

    fn is_idle(operation: &Operation, state: &BoundedSum) -> bool {
        operation.delta() == 0 && state.after(operation).is_ok()
    }
}

/// Whether neither is refused, or done, only because the other was done before.
fn are_independent(
    state: &BoundedSum,
    a: &Access<BoundedCounter>,
    b: &Access<BoundedCounter>,
) -> bool {
    let (Access::Operate(a), Access::Operate(b)) = (a, b) else {
        return false;
    };
    let refusal = |state: &BoundedSum, operation| state.after(operation).err();
    let same = |first, second| match state.after(first) {
        Err(_) => true,
        Ok(sum) => refusal(&BoundedSum { sum, ..*state }, second) == refusal(state, second),
    };
    same(a, b) && same(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, admitted_together, laws};
    use crate::test_in_range::Side;
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds {
        floor: Some(0),
        ceiling: Some(3),
    };

    impl Small for BoundedCounter {
        fn beginnings() -> Vec<BoundedSum> {
            let sums = [0, 1, 2, 3];
            sums.map(|sum| BoundedSum {
                bounds: BOUNDS,
                sum,
            })
            .to_vec()
        }

        fn operations() -> Vec<Operation> {
            let at_least = |limit| Condition::new(Side::AtLeast, 0, limit, false);
            let at_most = |limit| Condition::new(Side::AtMost, 0, limit, false);
            let tested = [
                Operation::AddWhere(-2, at_least(2)),
                Operation::AddWhere(-2, at_least(1)),
                Operation::AddWhere(-1, at_least(1)),
                Operation::AddWhere(1, at_most(2)),
                Operation::AddWhere(2, at_least(0)),
            ];
            assert!(tested.iter().all(|one| {
                one.conditions()
                    .iter()
                    .all(|condition| BOUNDS.guard(condition, one.delta()))
            }));
            let additions = [-2, -1, 1, 2].map(Operation::Add);
            additions.into_iter().chain(tested).collect()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<BoundedSum> {
            let parts = (any::<Option<i64>>(), any::<Option<i64>>(), any::<i64>());
            let state = parts.prop_map(|(floor, ceiling, sum)| BoundedSum {
                bounds: Bounds { floor, ceiling },
                sum: sum.into(),
            });
            state.boxed()
        }

        /// Judged against what the others may make of the sum, and what they had made of it before: in the order of
        /// commits their operations come after this one, and each of them must still be done. Who is refused ends with
        /// an error, and so is not beside anybody.
        fn is_admitted(
            newest: &BoundedSum,
            pending: &[&[BoundedSum]],
            access: &Access<Self>,
        ) -> bool {
            let Access::Operate(operation) = access else {
                return true;
            };
            let range = |parts: &&[BoundedSum]| {
                let sums = parts.iter().map(|part| part.sum);
                Range::of(sums.chain([0])).unwrap_or_default()
            };
            let others = pending.iter().map(range);
            let sum = others.fold(Range::certain(newest.sum), |sum, part| sum + part);
            let verdict = newest
                .bounds
                .judge_if(operation.conditions(), sum, operation.delta());
            verdict == Some(Verdict::Fits)
        }
    }

    laws!(of_integers, BoundedCounter);

    #[test]
    fn escrow_admits_whatever_commutes_and_is_not_refused() {
        for state in BoundedCounter::beginnings() {
            for n in BoundedCounter::operations() {
                for m in BoundedCounter::operations() {
                    let refused = [n, m].iter().any(|one| state.after(one).is_err());
                    let (a, b) = (Access::Operate(n), Access::Operate(m));
                    let wanted = are_independent(&state, &a, &b) && !refused;
                    let admitted = admitted_together(&state, &a, &b);
                    assert_eq!(admitted, wanted, "{state:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn a_sum_that_a_transaction_went_through_counts_like_one_that_it_may_leave() {
        let two = BoundedSum {
            bounds: BOUNDS,
            sum: 2,
        };
        // One takes 2, gives 1 back, and is still running when another wants 1.
        let judge = |sums: &[i128]| {
            let pending = Range::of(sums.iter().copied()).unwrap();
            BOUNDS.judge(Range::certain(2) + pending, -1)
        };
        assert_eq!(judge(&[0, -2, -1]), Verdict::Waits);
        // By what the one may leave, the other fits; but if it commits first, the one could not have taken 2.
        assert_eq!(judge(&[0, -1]), Verdict::Fits);
        let mut state = two;
        BoundedCounter::apply(&mut state, &Operation::Add(-1)).unwrap();
        let taken = BoundedCounter::apply(&mut state, &Operation::Add(-2));
        assert_eq!(taken, Err(Refused::OutOfBounds));
    }
}
