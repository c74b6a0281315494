//! The function itself: from the keys of a row to its partition.

use super::rule::{Default, Rule};
use super::value::{GOLDEN_RATIO, Value};

/// Which partition has which keys.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub method: Method,
    /// At least 1.
    pub partition_count: usize,
}

/// How rows are spread.
#[derive(Clone, PartialEq, Debug)]
pub enum Method {
    /// By the hash of all keys.
    Hash,
    /// By the first clause that holds: `range`, `list`, `rules`.
    Rule(Rule),
    /// By entries for single keys; the rule, which has no clauses, tells of the others.
    Lookup(Rule),
}

/// The partition of a hash: by multiplication, so that consecutive keys are spread evenly.
pub fn scaled(hash: u64, count: usize) -> usize {
    ((u128::from(hash.wrapping_mul(GOLDEN_RATIO) >> 32) * count as u128) >> 32) as usize
}

/// The hash of several keys; of one it is the key's own.
fn hash<'a>(mut keys: impl Iterator<Item = &'a Value>) -> u64 {
    let first = keys.next().map_or(0, Value::hash);
    keys.fold(first, |hash, key| {
        hash.wrapping_mul(GOLDEN_RATIO).rotate_left(31) ^ key.hash()
    })
}

impl Function {
    /// The partition of a row with these keys, one for each distribution column; `None` when it has none. `find` gives the entry of a key.
    pub fn partition(
        &self,
        keys: &[Value],
        find: impl FnOnce(&Value) -> Option<usize>,
    ) -> Option<usize> {
        match &self.method {
            Method::Hash => Some(scaled(hash(keys.iter()), self.partition_count)),
            Method::Rule(rule) => rule.clause(keys).or_else(|| self.default(rule, keys)),
            Method::Lookup(rule) => find(&keys[0]).or_else(|| self.default(rule, keys)),
        }
    }

    fn default(&self, rule: &Rule, keys: &[Value]) -> Option<usize> {
        match rule.default.as_ref()? {
            Default::Partition(partition) => Some(*partition),
            Default::Hash(columns) => {
                let chosen = columns.iter().map(|column| &keys[*column]);
                Some(scaled(hash(chosen), self.partition_count))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::{Clause, Comparison, Condition};
    use super::*;
    use proptest::prelude::*;

    fn number(value: i64) -> Value {
        Value::Number(value)
    }

    fn text(value: &str) -> Value {
        Value::Bytes(value.into())
    }

    fn function(method: Method, partition_count: usize) -> Function {
        Function {
            method,
            partition_count,
        }
    }

    fn nothing(_: &Value) -> Option<usize> {
        None
    }

    /// The values that PartitionHashTest pins for the router.
    #[test]
    fn the_hash_is_the_routers() {
        let pinned = [0, 1, 2, u64::MAX].map(|key| scaled(key, 32));
        assert_eq!(pinned, [0, 19, 7, 12]);
        assert_eq!(scaled(123_456_789_012, 65_536), 22_318);
    }

    #[test]
    fn a_single_key_is_hashed_as_it_is() {
        let by_hash = function(Method::Hash, 32);
        for (key, partition) in [(0, 0), (1, 19), (2, 7), (-1, 12)] {
            assert_eq!(by_hash.partition(&[number(key)], nothing), Some(partition));
        }
    }

    #[test]
    fn several_keys_are_hashed_in_their_order() {
        let keys = [number(1), text("foobar"), number(-7)];
        let expected = GOLDEN_RATIO.rotate_left(31) ^ 0x8594_4171_F739_67E8;
        let expected = expected.wrapping_mul(GOLDEN_RATIO).rotate_left(31) ^ (-7_i64 as u64);
        assert_eq!(hash(keys.iter()), expected);
        assert_ne!(hash(keys.iter()), hash(keys.iter().rev()));
    }

    #[test]
    fn several_keys_are_spread_evenly() {
        let by_hash = function(Method::Hash, 32);
        let mut rows = [0_u32; 32];
        for (a, b) in (0..100).flat_map(|a| (0..320).map(move |b| (a, b))) {
            let partition = by_hash.partition(&[number(a), number(b)], nothing);
            rows[partition.expect("a partition")] += 1;
        }
        assert!(
            rows.iter().all(|rows| (850..=1_150).contains(rows)),
            "{rows:?}"
        );
    }

    fn condition(column: usize, operator: &str, values: &[i64]) -> Condition {
        let values = values.iter().map(|value| number(*value)).collect();
        let comparison = Comparison::named(operator, values).expect("a comparison");
        Condition { column, comparison }
    }

    fn clause(partition: usize, conditions: Vec<Condition>) -> Clause {
        Clause {
            partition,
            conditions,
        }
    }

    #[test]
    fn the_first_clause_that_holds_decides() {
        let rule = Rule {
            clauses: vec![
                clause(
                    3,
                    vec![condition(0, "<", &[10]), condition(1, "=", &[7, 5])],
                ),
                clause(1, vec![condition(0, "<=", &[10])]),
                clause(2, vec![condition(0, ">", &[20]), condition(0, "<", &[30])]),
                clause(0, vec![condition(1, ">=", &[100])]),
            ],
            default: Some(Default::Hash(vec![1])),
        };
        let by_rule = function(Method::Rule(rule.clone()), 4);
        let of = |a, b| by_rule.partition(&[number(a), number(b)], nothing);
        assert_eq!(of(9, 5), Some(3));
        assert_eq!(of(9, 6), Some(1));
        assert_eq!(of(10, 5), Some(1));
        assert_eq!(of(21, 0), Some(2));
        assert_eq!(of(30, 100), Some(0));
        assert_eq!(of(30, 1), Some(scaled(1, 4)));
        let without = Rule {
            default: None,
            ..rule
        };
        let by_rule = function(Method::Rule(without), 4);
        assert_eq!(by_rule.partition(&[number(30), number(1)], nothing), None);
    }

    #[test]
    fn entries_come_before_the_default() {
        let rule = Rule {
            clauses: Vec::new(),
            default: Some(Default::Partition(2)),
        };
        let by_lookup = function(Method::Lookup(rule), 3);
        let find = |key: &Value| (*key == text("a")).then_some(1);
        assert_eq!(by_lookup.partition(&[text("a")], find), Some(1));
        assert_eq!(by_lookup.partition(&[text("b")], find), Some(2));
    }

    #[test]
    fn comparisons_have_one_value_unless_they_are_equality() {
        assert_eq!(Comparison::named("<", vec![number(1), number(2)]), None);
        assert_eq!(Comparison::named("=", Vec::new()), None);
        assert_eq!(Comparison::named("<>", vec![number(1)]), None);
    }

    proptest! {
        #[test]
        fn every_hash_has_a_partition(value in any::<i64>(), other in ".{0,12}", count in 1_usize..65_537) {
            let by_hash = function(Method::Hash, count);
            for keys in [vec![number(value)], vec![text(&other), number(value)]] {
                let partition = by_hash.partition(&keys, nothing);
                prop_assert!(partition.is_some_and(|partition| partition < count));
            }
        }

        #[test]
        fn ranges_cut_the_line(cuts in proptest::collection::btree_set(any::<i64>(), 1..20), key in any::<i64>()) {
            let clauses = cuts.iter().enumerate().map(|(i, cut)| clause(i, vec![condition(0, "<", &[*cut])])).collect();
            let rule = Rule { clauses, default: Some(Default::Partition(cuts.len())) };
            let expected = cuts.iter().filter(|cut| **cut <= key).count();
            let by_rule = function(Method::Rule(rule), cuts.len() + 1);
            prop_assert_eq!(by_rule.partition(&[number(key)], nothing), Some(expected));
        }
    }
}
