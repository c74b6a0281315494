//! `abelian.lww_map`: values by key, each with an order (a time, a version): the last-writer-wins map of the papers on
//! replicated data types, where the greatest order is the last writer.
//!
//! Each key keeps what was put, or that it was removed, with the greatest order. So nothing depends on who comes first:
//! all operations are blind, and all commute, on one key too. With equal orders a value beats a removal, and of two values
//! the greater by its bytes is kept. A removed key stays behind with its order, which later puts must exceed.

use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Reader, write_bytes};
use crate::entries::{Entries, Entry, stored_as_entries};
use crate::locks::Footprint;
use crate::numeric::Numeric;
use crate::ordered::{Ordered, Text};
use crate::program::Elements;
use crate::specification::Condition;
use std::collections::BTreeMap;

/// The type.
#[derive(Clone, Debug)]
pub struct LwwMap;

/// The order of the last operation on a key, and the value that it put; `None` if it removed the key. Compared as a pair.
type Last = (Numeric, Option<Text>);

impl Entry for Last {
    fn merge(&self, other: &Self) -> Option<Option<Self>> {
        Some(Some(self.max(other).clone()))
    }

    fn write(&self, out: &mut Vec<u8>) {
        Ordered::write(self, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ordered::read(input)
    }
}

/// The last operation on each key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes(Entries<Last>);

impl Writes {
    /// Keys that are there, and their values, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        let entries = self.0.0.iter();
        entries.filter_map(|(key, (_, value))| Some((key, value.as_ref()?)))
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Text> {
        self.0.0.get(key)?.1.as_ref()
    }

    /// The order of the last operation on a key, a removal too.
    pub fn order(&self, key: &[u8]) -> Option<&Numeric> {
        self.0.0.get(key).map(|(order, _)| order)
    }
}

stored_as_entries!(Writes, Last, 11);

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Gives a key a value, unless it has had an operation with a greater order.
    Put(Text, Numeric, Text),
    /// Takes a key out, unless it has had an operation with a greater order, or a put with this one.
    Remove(Text, Numeric),
}

impl Operation {
    fn parts(&self) -> (&Text, Last) {
        match self {
            Operation::Put(key, order, value) => (key, (order.clone(), Some(value.clone()))),
            Operation::Remove(key, order) => (key, (order.clone(), None)),
        }
    }
}

/// A look at part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The value of a key.
    Get(Text),
    /// The order of the last operation on a key.
    OrderOf(Text),
    /// Whether a key is there.
    Contains(Text),
    /// The number of keys that are there.
    Size,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Query::Get`].
    Get(Option<Text>),
    /// To [`Query::OrderOf`].
    OrderOf(Option<Numeric>),
    /// To [`Query::Contains`].
    Contains(bool),
    /// To [`Query::Size`].
    Size(usize),
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Operation::Put`]
    Put,
    /// [`Operation::Remove`]
    Remove,
    /// [`Query::Get`]
    Get,
    /// [`Query::OrderOf`]
    OrderOf,
    /// [`Query::Contains`]
    Contains,
    /// [`Query::Size`]
    Size,
}

impl DataType for LwwMap {
    const NAME: &'static str = "lww_map";
    type State = Writes;
    /// With the traces of removed keys: they decide what becomes of later operations.
    type Value = BTreeMap<Text, Last>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = &[
        Method::Put,
        Method::Remove,
        Method::Get,
        Method::OrderOf,
        Method::Contains,
        Method::Size,
    ];

    fn describe(method: Method) -> Description {
        match method {
            Method::Put => Description::operation("put", &["x", "o", "v"], Footprint::ADD_ELEMENT)
                .idle(
                    "({o}, {v}) is not above what {x} has",
                    Footprint::LASTING_ELEMENT,
                ),
            Method::Remove => Description::operation("remove", &["x", "o"], Footprint::ADD_ELEMENT)
                .idle(
                    "{o} is not above the order of {x}",
                    Footprint::LASTING_ELEMENT,
                ),
            Method::Get => Description::query("get", &["x"], Footprint::READ_ELEMENT),
            Method::OrderOf => Description::query("order_of", &["x"], Footprint::READ_ELEMENT),
            Method::Contains => Description::query("contains", &["x"], Footprint::READ_ELEMENT),
            Method::Size => Description::query("size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        use Condition::{Always, DifferentOrIdle, DifferentOrWhen, When};
        use Method::{Contains, Get, OrderOf, Put, Remove, Size};
        match (a, b) {
            (Get, Put) => DifferentOrWhen("({o}, {v}) leaves {x} its value", answer_stays),
            (OrderOf, Put) => DifferentOrWhen("{x} has order {o} or a greater one", answer_stays),
            (OrderOf, Remove) => DifferentOrIdle,
            (Contains, Put) => DifferentOrWhen(
                "({o}, {v}) neither puts {x} in nor is above it",
                answer_stays,
            ),
            (Get | Contains, Remove) => DifferentOrWhen("{o} does not take {x} out", answer_stays),
            (Size, Put) => When("({o}, {v}) does not put {x} in", answer_stays),
            (Size, Remove) => When("{o} does not take {x} out", answer_stays),
            _ => Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Put(..) => Method::Put,
            Operation::Remove(..) => Method::Remove,
        }
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Get(_) => Method::Get,
            Query::OrderOf(_) => Method::OrderOf,
            Query::Contains(_) => Method::Contains,
            Query::Size => Method::Size,
        }
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        match operation {
            Operation::Put(key, ..) | Operation::Remove(key, _) => Some(key),
        }
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        match query {
            Query::Get(key) | Query::OrderOf(key) | Query::Contains(key) => Some(key),
            Query::Size => None,
        }
    }

    fn value(state: &Writes) -> BTreeMap<Text, Last> {
        state.0.0.clone()
    }

    fn answer(state: &Writes, query: &Query) -> Answer {
        match query {
            Query::Get(key) => Answer::Get(state.get(key).cloned()),
            Query::OrderOf(key) => Answer::OrderOf(state.order(key).cloned()),
            Query::Contains(key) => Answer::Contains(state.get(key).is_some()),
            Query::Size => Answer::Size(state.iter().count()),
        }
    }

    fn is_blind(_: &Operation) -> bool {
        true
    }

    fn change(operation: &Operation, _: Option<&Writes>) -> Result<Writes, Refused> {
        let (key, last) = operation.parts();
        Ok(Writes(Entries::one(key, Some(last))))
    }

    fn is_idle(operation: &Operation, state: &Writes) -> bool {
        let (key, last) = operation.parts();
        state.0.0.get(key).is_some_and(|kept| last <= *kept)
    }
}

/// Whether the query, which comes first, is answered the same after the operation.
fn answer_stays(state: &Writes, query: &Access<LwwMap>, operation: &Access<LwwMap>) -> bool {
    use crate::Merge;
    let (Access::Query(query), Access::Operate(operation)) = (query, operation) else {
        return false;
    };
    let (key, last) = operation.parts();
    let after = state.merge(&Writes(Entries::one(key, Some(last))));
    after.is_some_and(|after| LwwMap::answer(state, query) == LwwMap::answer(&after, query))
}

impl Elements for LwwMap {
    fn write_operation(operation: &Operation, out: &mut Vec<u8>) {
        let (key, last) = operation.parts();
        write_bytes(key, out);
        Ordered::write(&last, out);
    }

    fn read_operation(input: &mut Reader<'_>) -> Result<Operation, Corrupt> {
        let key = input.bytes()?.to_vec();
        let (order, value): Last = Ordered::read(input)?;
        Ok(match value {
            Some(value) => Operation::Put(key, order, value),
            None => Operation::Remove(key, order),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::tests::any_exact;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    fn order(text: &str) -> Numeric {
        text.parse().unwrap()
    }

    impl Small for LwwMap {
        fn operations() -> Vec<Operation> {
            let put = [
                ("a", "1", "v"),
                ("a", "1", "w"),
                ("a", "2", "v"),
                ("b", "1", "v"),
            ];
            let put = put.map(|(key, o, value)| Operation::Put(key.into(), order(o), value.into()));
            let remove = [("a", "1"), ("a", "2"), ("b", "3")];
            let remove = remove.map(|(key, o)| Operation::Remove(key.into(), order(o)));
            put.into_iter().chain(remove).collect()
        }

        fn queries() -> Vec<Query> {
            let keys = ["a", "b"].map(Text::from);
            let of_keys = [Query::Get, Query::OrderOf, Query::Contains]
                .into_iter()
                .flat_map(|query| keys.clone().map(query));
            of_keys.chain([Query::Size]).collect()
        }

        fn any_state() -> BoxedStrategy<Writes> {
            let order = prop_oneof![
                any_exact().prop_map(Numeric::Finite),
                Just(Numeric::Infinity),
                Just(Numeric::NotANumber),
            ];
            let key = prop::collection::vec(any::<u8>(), 0..3);
            prop::collection::btree_map(key, (order, any::<Option<Text>>()), 0..6)
                .prop_map(|values| Writes(Entries(values)))
                .boxed()
        }
    }

    laws!(of_orders, LwwMap);

    #[test]
    fn the_greatest_order_wins_whichever_comes_last() {
        let mut late = <Writes as crate::Merge>::identity();
        for (o, value) in [("2", "two"), ("1", "one"), ("1.5", "between")] {
            LwwMap::apply(
                &mut late,
                &Operation::Put("a".into(), order(o), value.into()),
            )
            .unwrap();
        }
        assert_eq!(late.get(b"a"), Some(&Text::from("two")));
        LwwMap::apply(&mut late, &Operation::Remove("a".into(), order("2"))).unwrap();
        assert_eq!(
            late.get(b"a"),
            Some(&Text::from("two")),
            "a value beats a removal"
        );
        LwwMap::apply(&mut late, &Operation::Remove("a".into(), order("3"))).unwrap();
        assert_eq!(
            (late.get(b"a"), late.order(b"a")),
            (None, Some(&order("3")))
        );
        LwwMap::apply(
            &mut late,
            &Operation::Put("a".into(), order("2.5"), "late".into()),
        )
        .unwrap();
        assert_eq!(late.get(b"a"), None);
    }
}
