//! Bounds that a row has for itself (`stock <= capacity`), beside those of its column. They change only while nobody has an
//! operation under way, so that every operation is judged by bounds that stay until it ends.

use crate::bounded_counter::Bounds;
use crate::test_in_range::Side;

impl Bounds {
    /// These bounds and one more: the sum must be at least `limit`, or at most; `strict`: above it, or below. Where `bigint`
    /// has nothing beyond the limit the bound is its last number: no sum met such a condition, so that none is there.
    #[must_use]
    pub fn tightened(self, side: Side, strict: bool, limit: i64) -> Bounds {
        let by = i64::from(strict);
        match side {
            Side::AtLeast => {
                let floor = Some(limit.saturating_add(by));
                Bounds {
                    floor: self.floor.max(floor),
                    ..self
                }
            }
            Side::AtMost => {
                let limit = limit.saturating_sub(by);
                let ceiling = self.ceiling.map_or(limit, |own| own.min(limit));
                Bounds {
                    ceiling: Some(ceiling),
                    ..self
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounded_counter::{Range, Verdict};
    use proptest::prelude::*;

    /// The row's own bound, beside the floor 0 of the column.
    #[derive(Clone, Copy, Debug)]
    struct Row {
        stock: i64,
        capacity: i64,
    }

    impl Row {
        fn bounds(self) -> Bounds {
            let column = Bounds {
                floor: Some(0),
                ceiling: None,
            };
            column.tightened(Side::AtMost, false, self.capacity)
        }

        fn is_valid(self) -> bool {
            0 <= self.stock && self.stock <= self.capacity
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Add(i64),
        /// As an UPDATE does: only where nobody else has anything under way, and checked.
        SetCapacity(i64),
        Commit,
        Abort,
    }

    fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
        let step = prop_oneof![
            4 => (-4..=4_i64).prop_map(Step::Add),
            1 => (0..=8_i64).prop_map(Step::SetCapacity),
            2 => Just(Step::Commit),
            1 => Just(Step::Abort),
        ];
        prop::collection::vec((0..3_usize, step), 0..60)
    }

    /// What a running transaction has added, after each of its operations, and the capacity that it has set.
    #[derive(Clone, Debug, Default)]
    struct Running {
        sums: Vec<i64>,
        capacity: Option<i64>,
    }

    impl Running {
        fn now(&self) -> i64 {
            self.sums.last().copied().unwrap_or(0)
        }

        fn is_idle(&self) -> bool {
            self.sums.is_empty() && self.capacity.is_none()
        }

        fn range(&self) -> Range {
            Range::of(self.sums.iter().map(|sum| i128::from(*sum)).chain([0])).unwrap()
        }
    }

    /// Whether all that was done keeps the bounds of the row in the order of commits. `alone`: a change of the capacity waits
    /// for operations, and they for it.
    fn keeps_bounds(history: &[(usize, Step)], alone: bool) -> bool {
        let mut row = Row {
            stock: 0,
            capacity: 4,
        };
        let mut all = vec![Running::default(); 3];
        for (who, step) in history {
            let others: Vec<Running> = (0..3)
                .filter(|n| n != who)
                .map(|n| all[n].clone())
                .collect();
            let own = &mut all[*who];
            let seen = Row {
                stock: row.stock + own.now(),
                capacity: own.capacity.unwrap_or(row.capacity),
            };
            match step {
                Step::Add(delta) => {
                    let waits = alone && others.iter().any(|other| other.capacity.is_some());
                    let sum = others
                        .iter()
                        .fold(Range::certain(seen.stock.into()), |sum, one| {
                            sum + one.range()
                        });
                    if !waits && seen.bounds().judge(sum, *delta) == Verdict::Fits {
                        own.sums.push(own.now() + delta);
                    }
                }
                Step::SetCapacity(capacity) => {
                    let waits = alone && !others.iter().all(Running::is_idle);
                    let changed = Row {
                        capacity: *capacity,
                        ..seen
                    };
                    if !waits && changed.is_valid() {
                        own.capacity = Some(*capacity);
                    }
                }
                Step::Commit => {
                    row = seen;
                    *own = Running::default();
                    if !row.is_valid() {
                        return false;
                    }
                }
                Step::Abort => *own = Running::default(),
            }
        }
        true
    }

    proptest! {
        #[test]
        fn a_tightened_bound_admits_what_both_admit(
            floor in prop::option::of(-5..=5_i64), ceiling in prop::option::of(-5..=5_i64),
            below: bool, strict: bool, limit in -5..=5_i64, value in -7..=7_i64,
        ) {
            let bounds = Bounds { floor, ceiling };
            let side = if below { Side::AtMost } else { Side::AtLeast };
            let meets = match (below, strict) {
                (true, true) => value < limit,
                (true, false) => value <= limit,
                (false, true) => value > limit,
                (false, false) => value >= limit,
            };
            let inside = |bounds: Bounds| {
                bounds.floor.is_none_or(|floor| value >= floor)
                    && bounds.ceiling.is_none_or(|ceiling| value <= ceiling)
            };
            prop_assert_eq!(inside(bounds.tightened(side, strict, limit)), inside(bounds) && meets);
        }

        #[test]
        fn bounds_of_rows_are_kept_though_they_change(history in steps()) {
            prop_assert!(keeps_bounds(&history, true));
        }
    }

    #[test]
    fn a_capacity_lowered_beside_operations_would_be_crossed() {
        let history = [
            (0, Step::Add(3)),
            (1, Step::SetCapacity(2)),
            (1, Step::Commit),
            (0, Step::Commit),
        ];
        assert!(!keeps_bounds(&history, false));
        assert!(keeps_bounds(&history, true));
    }

    #[test]
    fn nothing_lies_beyond_the_ends_of_bigint() {
        let none = Bounds::default();
        assert_eq!(
            none.tightened(Side::AtMost, true, i64::MIN).ceiling,
            Some(i64::MIN)
        );
        assert_eq!(
            none.tightened(Side::AtLeast, true, i64::MAX).floor,
            Some(i64::MAX)
        );
    }
}
