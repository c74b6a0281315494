//! Rules: the clauses of a CASE expression over the keys of a row, whose results are partitions.

use super::value::Value;

/// The clauses in their order, and what holds where none does.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    pub clauses: Vec<Clause>,
    /// `None`: such a row has no partition.
    pub default: Option<Default>,
}

/// `WHEN conditions THEN partition`.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    pub partition: usize,
    pub conditions: Vec<Condition>,
}

/// A comparison of one key with constants.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The place of the key among the distribution columns, from 0.
    pub column: usize,
    pub comparison: Comparison,
}

/// How a key is compared.
#[derive(Clone, PartialEq, Debug)]
pub enum Comparison {
    Less(Value),
    AtMost(Value),
    Greater(Value),
    AtLeast(Value),
    /// Equal to one of these, which are in ascending order.
    OneOf(Vec<Value>),
}

/// ELSE.
#[derive(Clone, PartialEq, Debug)]
pub enum Default {
    Partition(usize),
    /// By the hash of these keys.
    Hash(Vec<usize>),
}

impl Comparison {
    /// By the operator's name; `None` when there is no such operator, or not with so many values.
    pub fn named(operator: &str, mut values: Vec<Value>) -> Option<Comparison> {
        if operator == "=" && !values.is_empty() {
            values.sort_unstable();
            return Some(Comparison::OneOf(values));
        }
        let value = (values.len() == 1).then(|| values.remove(0))?;
        Some(match operator {
            "<" => Comparison::Less(value),
            "<=" => Comparison::AtMost(value),
            ">" => Comparison::Greater(value),
            ">=" => Comparison::AtLeast(value),
            _ => return None,
        })
    }

    fn holds(&self, key: &Value) -> bool {
        match self {
            Comparison::Less(value) => key < value,
            Comparison::AtMost(value) => key <= value,
            Comparison::Greater(value) => key > value,
            Comparison::AtLeast(value) => key >= value,
            Comparison::OneOf(values) => values.binary_search(key).is_ok(),
        }
    }
}

impl Rule {
    /// The partition of the first clause of which all conditions hold.
    pub fn clause(&self, keys: &[Value]) -> Option<usize> {
        let holds = |condition: &Condition| condition.comparison.holds(&keys[condition.column]);
        self.clauses
            .iter()
            .find(|clause| clause.conditions.iter().all(holds))
            .map(|clause| clause.partition)
    }
}
