//! `abelian.multiset`: how many there are of each text.
//!
//! The state holds a count for each element; counts of all parts add up. Adding is blind. Removing takes away at most
//! what is there, so it must know how many there are: it is resolved, under a lock that keeps everybody else from the
//! element.

use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Reader, write_bytes, write_signed};
use crate::entries::{Entries, stored_as_entries};
use crate::locks::Footprint;
use crate::ordered::Text;
use crate::program::Elements;
use crate::specification::Condition;
use std::collections::BTreeMap;

/// The type.
#[derive(Clone, Debug)]
pub struct Multiset;

/// How many of each element; never zero. Negative only in a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts(Entries<i128>);

impl Counts {
    /// How many there are of an element.
    pub fn count(&self, element: &[u8]) -> i128 {
        self.0.0.get(element).copied().unwrap_or(0)
    }

    /// How many there are of all elements together.
    pub fn size(&self) -> i128 {
        self.0
            .0
            .values()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// A whole state with so many of each element; counts below one are left out.
    pub fn of(counts: impl IntoIterator<Item = (Text, i128)>) -> Self {
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        Counts(Entries(counts.collect()))
    }

    fn one(element: &Text, count: i128) -> Self {
        Counts(Entries::one(element, (count != 0).then_some(count)))
    }
}

stored_as_entries!(Counts, i128, 4);

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Puts so many of an element in; at least one.
    Add(Text, i64),
    /// Takes so many of an element out, or all if there are fewer; at least one.
    Remove(Text, i64),
}

/// A look at part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// How many there are of an element.
    Count(Text),
    /// Whether there are any.
    Contains(Text),
    /// How many there are of all elements together.
    Size,
    /// The number of different elements.
    Distinct,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A number.
    Number(i128),
    /// Whether it is so.
    Truth(bool),
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Operation::Add`]
    Add,
    /// [`Operation::Remove`]
    Remove,
    /// [`Query::Count`]
    Count,
    /// [`Query::Contains`]
    Contains,
    /// [`Query::Size`]
    Size,
    /// [`Query::Distinct`]
    Distinct,
}

impl DataType for Multiset {
    const NAME: &'static str = "multiset";
    type State = Counts;
    type Value = BTreeMap<Text, i128>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = &[
        Method::Add,
        Method::Remove,
        Method::Count,
        Method::Contains,
        Method::Size,
        Method::Distinct,
    ];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["x", "n"], Footprint::ADD_ELEMENT),
            Method::Remove => {
                Description::operation("remove", &["x", "n"], Footprint::OVERWRITE_ELEMENT)
                    .idle("{x} is not in it", Footprint::READ_ELEMENT)
            }
            Method::Count => Description::query("count", &["x"], Footprint::READ_ELEMENT),
            Method::Contains => Description::query("contains", &["x"], Footprint::READ_ELEMENT),
            Method::Size => Description::query("size", &[], Footprint::READ),
            Method::Distinct => Description::query("distinct_size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        match (a, b) {
            (Method::Add, Method::Remove) | (Method::Count, Method::Add) => Condition::Different,
            (Method::Contains, Method::Add) => {
                Condition::DifferentOrWhen("{x} is in it already", operand_is_present)
            }
            (Method::Distinct, Method::Add) => {
                Condition::When("{x} is in it already", operand_is_present)
            }
            (Method::Size, Method::Add) => Condition::Never,
            (Method::Count | Method::Contains, Method::Remove) => Condition::DifferentOrIdle,
            (Method::Size | Method::Distinct, Method::Remove) => Condition::Idle,
            _ => Condition::Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Add(..) => Method::Add,
            Operation::Remove(..) => Method::Remove,
        }
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Count(_) => Method::Count,
            Query::Contains(_) => Method::Contains,
            Query::Size => Method::Size,
            Query::Distinct => Method::Distinct,
        }
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        match operation {
            Operation::Add(element, _) | Operation::Remove(element, _) => Some(element),
        }
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        match query {
            Query::Count(element) | Query::Contains(element) => Some(element),
            Query::Size | Query::Distinct => None,
        }
    }

    fn value(state: &Counts) -> BTreeMap<Text, i128> {
        state.0.0.clone()
    }

    fn answer(state: &Counts, query: &Query) -> Answer {
        match query {
            Query::Count(element) => Answer::Number(state.count(element)),
            Query::Contains(element) => Answer::Truth(state.count(element) > 0),
            Query::Size => Answer::Number(state.size()),
            Query::Distinct => Answer::Number(state.0.0.len() as i128),
        }
    }

    fn is_blind(operation: &Operation) -> bool {
        matches!(operation, Operation::Add(..))
    }

    fn change(operation: &Operation, newest: Option<&Counts>) -> Result<Counts, Refused> {
        let (Operation::Add(_, number) | Operation::Remove(_, number)) = operation;
        if *number < 1 {
            return Err(Refused::NotPositive);
        }
        let number = i128::from(*number);
        match operation {
            Operation::Add(element, _) => Ok(Counts::one(element, number)),
            Operation::Remove(element, _) => {
                let newest = newest.ok_or(Refused::NeedsValue)?;
                let there = newest.count(element).max(0);
                Ok(Counts::one(element, -number.min(there)))
            }
        }
    }

    fn is_idle(operation: &Operation, state: &Counts) -> bool {
        match operation {
            Operation::Add(..) => false,
            Operation::Remove(element, number) => *number > 0 && state.count(element) <= 0,
        }
    }
}

/// Whether the element of the operation, which comes second, is in it.
fn operand_is_present(state: &Counts, _: &Access<Multiset>, operation: &Access<Multiset>) -> bool {
    let element = operation.element();
    element.is_some_and(|element| state.count(element) > 0)
}

impl Elements for Multiset {
    fn write_operation(operation: &Operation, out: &mut Vec<u8>) {
        let (code, element, number) = match operation {
            Operation::Add(element, number) => (0, element, number),
            Operation::Remove(element, number) => (1, element, number),
        };
        out.push(code);
        write_bytes(element, out);
        write_signed((*number).into(), out);
    }

    fn read_operation(input: &mut Reader<'_>) -> Result<Operation, Corrupt> {
        let code = input.byte()?;
        let element = input.bytes()?.to_vec();
        let number = input.signed_64()?;
        match code {
            0 => Ok(Operation::Add(element, number)),
            1 => Ok(Operation::Remove(element, number)),
            _ => Err(Corrupt::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Merge;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for Multiset {
        fn operations() -> Vec<Operation> {
            let arguments = [("a", 1), ("a", 2), ("b", 1)];
            let add = arguments.map(|(element, n)| Operation::Add(element.into(), n));
            let remove = arguments.map(|(element, n)| Operation::Remove(element.into(), n));
            [add, remove].concat()
        }

        fn queries() -> Vec<Query> {
            let [a, b] = ["a", "b"].map(Text::from);
            vec![
                Query::Count(a.clone()),
                Query::Count(b.clone()),
                Query::Contains(a),
                Query::Contains(b),
                Query::Size,
                Query::Distinct,
            ]
        }

        fn any_state() -> BoxedStrategy<Counts> {
            let count = any::<i64>().prop_map(i128::from);
            let count = count.prop_filter("no element", |count| *count != 0);
            let element = prop::collection::vec(any::<u8>(), 0..3);
            prop::collection::btree_map(element, count, 0..6)
                .prop_map(|counts| Counts(Entries(counts)))
                .boxed()
        }
    }

    laws!(of_texts, Multiset);

    #[test]
    fn no_more_is_taken_out_than_there_is() {
        let mut state = Counts::identity();
        Multiset::apply(&mut state, &Operation::Add("a".into(), 2)).unwrap();
        Multiset::apply(&mut state, &Operation::Remove("a".into(), 5)).unwrap();
        assert_eq!(state, Counts::identity());
    }

    #[test]
    fn numbers_below_one_are_refused() {
        for number in [0, -1, i64::MIN] {
            for operation in [
                Operation::Add("a".into(), number),
                Operation::Remove("a".into(), number),
            ] {
                let change = Multiset::change(&operation, Some(&Counts::identity()));
                assert_eq!(change, Err(Refused::NotPositive));
            }
        }
    }
}
