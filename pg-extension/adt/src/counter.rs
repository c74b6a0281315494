//! The sum of 64-bit integers, split into a base and slices.
//!
//! PostgreSQL fails an addition that leaves `bigint` (SQLSTATE 22003). With the value spread over a base and
//! slices that concurrent transactions change without seeing each other, the same must hold for every order in
//! which those transactions could have run. Therefore each part has a *zone*: as long as every part stays
//! inside its zone no sum of parts can leave `bigint`, whoever commits and whoever aborts. An addition that
//! would leave its zone is not made in a slice; it is made alone, against the exact value.

use crate::Merge;

/// Bound on the absolute value of a base that others may add to concurrently: 2^61.
pub const BASE_ZONE: i64 = 1 << 61;

/// Bound on the absolute value of the slice that collects folded slices: 2^61.
pub const FOLDED_ZONE: i64 = 1 << 61;

/// Bound on the absolute value of a writer's slice: 2^46.
pub const SLICE_ZONE: i64 = 1 << 46;

/// Number of slots an object may have, the folded one included. `SLOTS * SLICE_ZONE` is 2^62, so that
/// base, folded slice and all other slices together stay below 2^63.
pub const SLOTS: i32 = 1 << 16;

/// The value of a counter, or a change of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterSum(pub i64);

impl Merge for CounterSum {
    fn identity() -> Self {
        CounterSum(0)
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        self.0.checked_add(other.0).map(CounterSum)
    }
}

/// Whether a base of this size may be added to by others at the same time.
pub fn base_is_central(base: i128) -> bool {
    base.unsigned_abs() < BASE_ZONE as u128
}

/// A writer's slice after adding `delta`, or `None` when that would leave the slice's zone.
pub fn slice_after(slice: i64, delta: i64) -> Option<i64> {
    within(slice, delta, SLICE_ZONE)
}

/// The folded slice after merging `delta` into it, or `None` when that would leave its zone.
pub fn folded_after(folded: i64, delta: i64) -> Option<i64> {
    within(folded, delta, FOLDED_ZONE)
}

fn within(part: i64, delta: i64, zone: i64) -> Option<i64> {
    part.checked_add(delta)
        .filter(|sum| sum.unsigned_abs() < zone as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merge_is_commutative(a: i64, b: i64) {
            let (a, b) = (CounterSum(a), CounterSum(b));
            prop_assert_eq!(a.merge(&b), b.merge(&a));
        }

        #[test]
        fn merge_is_associative_where_defined(a: i64, b: i64, c: i64) {
            let (a, b, c) = (CounterSum(a), CounterSum(b), CounterSum(c));
            if let (Some(left), Some(right)) = (
                a.merge(&b).and_then(|ab| ab.merge(&c)),
                b.merge(&c).and_then(|bc| a.merge(&bc)),
            ) {
                prop_assert_eq!(left, right);
            }
        }

        #[test]
        fn identity_is_neutral(a: i64) {
            prop_assert_eq!(CounterSum(a).merge(&CounterSum::identity()), Some(CounterSum(a)));
        }

        #[test]
        fn a_part_never_leaves_its_zone(part in -SLICE_ZONE + 1..SLICE_ZONE, delta: i64) {
            if let Some(after) = slice_after(part, delta) {
                prop_assert!(after.unsigned_abs() < SLICE_ZONE as u64);
                prop_assert_eq!(after as i128, part as i128 + delta as i128);
            }
        }
    }

    #[test]
    fn parts_inside_their_zones_never_overflow_together() {
        let writers = (SLOTS - 1) as i128 * (SLICE_ZONE - 1) as i128;
        let most = (BASE_ZONE - 1) as i128 + (FOLDED_ZONE - 1) as i128 + writers;
        assert!(most <= i64::MAX as i128);
    }

    #[test]
    fn the_edges_are_outside() {
        assert!(!base_is_central(BASE_ZONE.into()));
        assert!(!base_is_central((-BASE_ZONE).into()));
        assert!(base_is_central((BASE_ZONE - 1).into()));
        assert!(!base_is_central(i64::MIN.into()));
        assert_eq!(slice_after(SLICE_ZONE - 1, 1), None);
        assert_eq!(slice_after(1, i64::MAX), None);
        assert_eq!(slice_after(-1, i64::MIN), None);
        assert_eq!(folded_after(FOLDED_ZONE - 2, 1), Some(FOLDED_ZONE - 1));
    }
}
