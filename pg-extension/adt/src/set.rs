//! `abelian.set`: a set of texts.
//!
//! The state counts how often an element was added: an element is in the set if its count, over all parts, is
//! positive. Adding is blind. Removing takes away the whole count, so it must know it: it is resolved, under a lock
//! that keeps everybody else from the element. Counts (unlike time stamps or tombstones) cancel out when parts are
//! merged, so a removed element leaves nothing behind.
//!
//! Elements are ordered by their bytes.

use crate::data_type::{DataType, Description, Refused};
use crate::encoding::{Corrupt, Reader, write_bytes};
use crate::entries::{Entries, stored_as_entries};
use crate::locks::Footprint;
use crate::ordered::Text;
use crate::program::Elements;
use crate::specification::Condition;
use std::collections::BTreeSet;

/// The type.
#[derive(Clone, Debug)]
pub struct Set;

/// How often each element was added; never zero. Negative only in a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Additions(Entries<i64>);

impl Additions {
    /// The elements of a whole state, in order.
    pub fn elements(&self) -> impl Iterator<Item = &Text> {
        let present = self.0.0.iter().filter(|(_, count)| **count > 0);
        present.map(|(element, _)| element)
    }

    /// Whether an element is in it, of a whole state or of its part about the element.
    pub fn contains(&self, element: &[u8]) -> bool {
        self.count(element) > 0
    }

    /// A whole state with these elements.
    pub fn of(elements: impl IntoIterator<Item = Text>) -> Self {
        Additions(Entries(
            elements.into_iter().map(|element| (element, 1)).collect(),
        ))
    }

    /// How often each element was added that the state knows something of.
    pub fn counts(&self) -> impl Iterator<Item = (&Text, i64)> {
        self.0.0.iter().map(|(element, count)| (element, *count))
    }

    /// Whether a change may put something in.
    pub fn adds(&self) -> bool {
        self.counts().any(|(_, count)| count > 0)
    }

    /// Whether a change may take something out.
    pub fn removes(&self) -> bool {
        self.counts().any(|(_, count)| count < 0)
    }

    /// How often an element was added.
    pub fn count(&self, element: &[u8]) -> i64 {
        self.0.0.get(element).copied().unwrap_or(0)
    }
}

stored_as_entries!(Additions, i64, 2);

/// A change of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Puts an element in.
    Add(Text),
    /// Takes an element out, if it is in.
    Remove(Text),
}

/// A look at part of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Whether an element is in it.
    Contains(Text),
    /// The number of elements.
    Size,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Query::Contains`].
    Contains(bool),
    /// To [`Query::Size`].
    Size(usize),
}

/// The methods of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Operation::Add`]
    Add,
    /// [`Operation::Remove`]
    Remove,
    /// [`Query::Contains`]
    Contains,
    /// [`Query::Size`]
    Size,
}

impl DataType for Set {
    const NAME: &'static str = "set";
    type State = Additions;
    type Value = BTreeSet<Text>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] =
        &[Method::Add, Method::Remove, Method::Contains, Method::Size];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["x"], Footprint::ADD_ELEMENT)
                .idle("{x} is in it already", Footprint::LASTING_ELEMENT),
            Method::Remove => {
                Description::operation("remove", &["x"], Footprint::OVERWRITE_ELEMENT)
                    .idle("{x} is not in it", Footprint::READ_ELEMENT)
            }
            Method::Contains => Description::query("contains", &["x"], Footprint::READ_ELEMENT),
            Method::Size => Description::query("size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        match (a, b) {
            (Method::Add, Method::Remove) => Condition::Different,
            (Method::Contains, _) => Condition::DifferentOrIdle,
            (Method::Size, _) => Condition::Idle,
            _ => Condition::Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Add(_) => Method::Add,
            Operation::Remove(_) => Method::Remove,
        }
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Contains(_) => Method::Contains,
            Query::Size => Method::Size,
        }
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        match operation {
            Operation::Add(element) | Operation::Remove(element) => Some(element),
        }
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        match query {
            Query::Contains(element) => Some(element),
            Query::Size => None,
        }
    }

    fn value(state: &Additions) -> BTreeSet<Text> {
        state.elements().cloned().collect()
    }

    fn answer(state: &Additions, query: &Query) -> Answer {
        match query {
            Query::Contains(element) => Answer::Contains(state.count(element) > 0),
            Query::Size => Answer::Size(state.elements().count()),
        }
    }

    fn is_blind(operation: &Operation) -> bool {
        matches!(operation, Operation::Add(_))
    }

    fn change(operation: &Operation, newest: Option<&Additions>) -> Result<Additions, Refused> {
        let (element, count) = match operation {
            Operation::Add(element) => (element, 1),
            Operation::Remove(element) => {
                let newest = newest.ok_or(Refused::NeedsValue)?;
                (element, -newest.count(element))
            }
        };
        Ok(Additions(Entries::one(
            element,
            (count != 0).then_some(count),
        )))
    }

    fn is_idle(operation: &Operation, state: &Additions) -> bool {
        match operation {
            Operation::Add(element) => state.count(element) > 0,
            Operation::Remove(element) => state.count(element) <= 0,
        }
    }

    fn compact(whole: Additions) -> Additions {
        Additions::of(whole.elements().cloned())
    }
}

impl Elements for Set {
    fn write_operation(operation: &Operation, out: &mut Vec<u8>) {
        let (code, element) = match operation {
            Operation::Add(element) => (0, element),
            Operation::Remove(element) => (1, element),
        };
        out.push(code);
        write_bytes(element, out);
    }

    fn read_operation(input: &mut Reader<'_>) -> Result<Operation, Corrupt> {
        let code = input.byte()?;
        let element = input.bytes()?.to_vec();
        match code {
            0 => Ok(Operation::Add(element)),
            1 => Ok(Operation::Remove(element)),
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

    impl Small for Set {
        fn operations() -> Vec<Operation> {
            let elements = ["a", "b"].map(Text::from);
            let add = elements.clone().map(Operation::Add);
            add.into_iter()
                .chain(elements.map(Operation::Remove))
                .collect()
        }

        fn queries() -> Vec<Query> {
            let contains = ["a", "b"].map(|element| Query::Contains(element.into()));
            contains.into_iter().chain([Query::Size]).collect()
        }

        fn any_state() -> BoxedStrategy<Additions> {
            let count = any::<i32>()
                .prop_map(i64::from)
                .prop_filter("no element", |count| *count != 0);
            let element = prop::collection::vec(any::<u8>(), 0..4);
            prop::collection::btree_map(element, count, 0..6)
                .prop_map(|counts| Additions(Entries(counts)))
                .boxed()
        }
    }

    laws!(of_texts, Set);

    #[test]
    fn a_removed_element_leaves_nothing_behind() {
        let mut state = Additions::identity();
        for operation in [
            Operation::Add("a".into()),
            Operation::Add("a".into()),
            Operation::Remove("a".into()),
        ] {
            Set::apply(&mut state, &operation).unwrap();
        }
        assert_eq!(state, Additions::identity());
    }
}
