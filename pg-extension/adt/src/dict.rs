//! `abelian.dict`: texts by key.
//!
//! Putting and removing are last writer wins, the last in the order of the locks on the key: that is what SQL means by
//! assignment, and nothing else can be said of texts (numbers that are added to are a `scored_set`; the newest by a
//! time or version is an `ordered_put` or a `lww_map`). So nothing commutes on one key, but for writing the same, and everything
//! commutes on different keys: a dict makes rows out of a row.
//!
//! The state keeps a version with each key. A writer holds the key's lock, looks up its newest version and
//! writes the next, into a slice like everybody else; merging keeps the greater version. A removed key stays behind as a
//! version without value until [`DataType::compact`].

use crate::Merge;
use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Reader, write_bytes, write_unsigned};
use crate::entries::{Entries, Entry, stored_as_entries};
use crate::locks::Footprint;
use crate::ordered::{Ordered, Text};
use crate::program::Elements;
use crate::specification::Condition;
use std::collections::BTreeMap;

/// The type.
#[derive(Clone, Debug)]
pub struct Dict;

/// A key's latest state in a part of the object. Ordered by version; the value only makes the order total, since no
/// two writers write the same version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Latest {
    version: u64,
    value: Option<Text>,
}

impl Entry for Latest {
    fn merge(&self, other: &Self) -> Option<Option<Self>> {
        Some(Some(self.max(other).clone()))
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_unsigned(self.version.into(), out);
        Ordered::write(&self.value, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let version = u64::try_from(input.unsigned()?).map_err(|_| Corrupt::Malformed)?;
        let value = Ordered::read(input)?;
        Ok(Latest { version, value })
    }
}

/// Values by key, and traces of removed keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping(Entries<Latest>);

impl Mapping {
    /// A whole state with these entries.
    pub fn of(entries: impl IntoIterator<Item = (Text, Text)>) -> Self {
        let first = |value| Latest {
            version: 1,
            value: Some(value),
        };
        let entries = entries.into_iter();
        Mapping(Entries(
            entries.map(|(key, value)| (key, first(value))).collect(),
        ))
    }

    /// Keys and values, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        let entries = self.0.0.iter();
        entries.filter_map(|(key, entry)| Some((key, entry.value.as_ref()?)))
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Text> {
        self.0.0.get(key)?.value.as_ref()
    }
}

stored_as_entries!(Mapping, Latest, 6);

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Gives a key a value.
    Put(Text, Text),
    /// Gives a key a value, unless it has one.
    PutIfAbsent(Text, Text),
    /// Takes a key out, if it is there.
    Remove(Text),
}

/// A look at part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The value of a key.
    Get(Text),
    /// Whether a key is there.
    Contains(Text),
    /// The number of keys.
    Size,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Query::Get`].
    Get(Option<Text>),
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
    /// [`Operation::PutIfAbsent`]
    PutIfAbsent,
    /// [`Operation::Remove`]
    Remove,
    /// [`Query::Get`]
    Get,
    /// [`Query::Contains`]
    Contains,
    /// [`Query::Size`]
    Size,
}

impl DataType for Dict {
    const NAME: &'static str = "dict";
    type State = Mapping;
    type Value = BTreeMap<Text, Text>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = &[
        Method::Put,
        Method::PutIfAbsent,
        Method::Remove,
        Method::Get,
        Method::Contains,
        Method::Size,
    ];

    fn describe(method: Method) -> Description {
        let resolved = Footprint::OVERWRITE_ELEMENT;
        match method {
            Method::Put => Description::operation("put", &["x", "v"], resolved)
                .idle("{x} has value {v} already", Footprint::READ_ELEMENT),
            Method::PutIfAbsent => Description::operation("put_if_absent", &["x", "v"], resolved)
                .idle("{x} is in it already", Footprint::READ_ELEMENT),
            Method::Remove => Description::operation("remove", &["x"], resolved)
                .idle("{x} is not in it", Footprint::READ_ELEMENT),
            Method::Get => Description::query("get", &["x"], Footprint::READ_ELEMENT),
            Method::Contains => Description::query("contains", &["x"], Footprint::READ_ELEMENT),
            Method::Size => Description::query("size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        use Condition::{Always, Different, DifferentOrIdle, DifferentOrWhen, Idle, When};
        use Method::{Contains, Get, Put, PutIfAbsent, Remove, Size};
        const PRESENT: &str = "{x} is in it already";
        match (a, b) {
            (Put, Put) => DifferentOrWhen("v = w", put_the_same),
            (PutIfAbsent, PutIfAbsent) => {
                DifferentOrWhen("v = w, or {x} is in it already", put_no_other)
            }
            (Put | PutIfAbsent, Remove) => Different,
            (Get, _) | (Contains, Remove | PutIfAbsent) => DifferentOrIdle,
            (Contains, Put) => DifferentOrWhen(PRESENT, operand_is_present),
            (Size, Put) => When(PRESENT, operand_is_present),
            (Size, Remove | PutIfAbsent) => Idle,
            _ => Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Put(..) => Method::Put,
            Operation::PutIfAbsent(..) => Method::PutIfAbsent,
            Operation::Remove(_) => Method::Remove,
        }
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Get(_) => Method::Get,
            Query::Contains(_) => Method::Contains,
            Query::Size => Method::Size,
        }
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        match operation {
            Operation::Put(key, _) | Operation::PutIfAbsent(key, _) | Operation::Remove(key) => {
                Some(key)
            }
        }
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        match query {
            Query::Get(key) | Query::Contains(key) => Some(key),
            Query::Size => None,
        }
    }

    fn value(state: &Mapping) -> BTreeMap<Text, Text> {
        state
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    fn answer(state: &Mapping, query: &Query) -> Answer {
        match query {
            Query::Get(key) => Answer::Get(state.get(key).cloned()),
            Query::Contains(key) => Answer::Contains(state.get(key).is_some()),
            Query::Size => Answer::Size(state.iter().count()),
        }
    }

    fn is_blind(_: &Operation) -> bool {
        false
    }

    fn change(operation: &Operation, newest: Option<&Mapping>) -> Result<Mapping, Refused> {
        let newest = newest.ok_or(Refused::NeedsValue)?;
        if matches!(operation, Operation::PutIfAbsent(..)) && Self::is_idle(operation, newest) {
            return Ok(Mapping::identity());
        }
        let (key, value) = match operation {
            Operation::Put(key, value) | Operation::PutIfAbsent(key, value) => {
                (key, Some(value.clone()))
            }
            Operation::Remove(key) => (key, None),
        };
        let last = newest.0.0.get(key).map_or(0, |entry| entry.version);
        let version = last.checked_add(1).ok_or(Refused::OutOfRange)?;
        Ok(Mapping(Entries::one(key, Some(Latest { version, value }))))
    }

    fn is_idle(operation: &Operation, state: &Mapping) -> bool {
        match operation {
            Operation::Put(key, value) => state.get(key) == Some(value),
            Operation::PutIfAbsent(key, _) => state.get(key).is_some(),
            Operation::Remove(key) => state.get(key).is_none(),
        }
    }

    fn compact(whole: Mapping) -> Mapping {
        Mapping::of(Self::value(&whole))
    }
}

/// Whether the key of the operation, which comes second, is in it.
fn operand_is_present(state: &Mapping, _: &Access<Dict>, operation: &Access<Dict>) -> bool {
    let key = operation.element();
    key.is_some_and(|key| state.get(key).is_some())
}

fn put_the_same(_: &Mapping, a: &Access<Dict>, b: &Access<Dict>) -> bool {
    match (a, b) {
        (Access::Operate(Operation::Put(_, v)), Access::Operate(Operation::Put(_, w))) => v == w,
        _ => false,
    }
}

fn put_no_other(state: &Mapping, a: &Access<Dict>, b: &Access<Dict>) -> bool {
    match (a, b) {
        (
            Access::Operate(Operation::PutIfAbsent(_, v)),
            Access::Operate(Operation::PutIfAbsent(_, w)),
        ) => v == w || operand_is_present(state, a, b),
        _ => false,
    }
}

impl Elements for Dict {
    fn write_operation(operation: &Operation, out: &mut Vec<u8>) {
        let (code, key, value) = match operation {
            Operation::Put(key, value) => (0, key, Some(value)),
            Operation::Remove(key) => (1, key, None),
            Operation::PutIfAbsent(key, value) => (2, key, Some(value)),
        };
        out.push(code);
        write_bytes(key, out);
        if let Some(value) = value {
            write_bytes(value, out);
        }
    }

    fn read_operation(input: &mut Reader<'_>) -> Result<Operation, Corrupt> {
        let code = input.byte()?;
        let key = input.bytes()?.to_vec();
        match code {
            0 => Ok(Operation::Put(key, input.bytes()?.to_vec())),
            1 => Ok(Operation::Remove(key)),
            2 => Ok(Operation::PutIfAbsent(key, input.bytes()?.to_vec())),
            _ => Err(Corrupt::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for Dict {
        fn operations() -> Vec<Operation> {
            let put = [("a", "1"), ("a", "2"), ("b", "1")]
                .map(|(key, value)| Operation::Put(key.into(), value.into()));
            let remove = ["a", "b"].map(|key| Operation::Remove(key.into()));
            let absent = [("a", "1"), ("a", "3"), ("b", "2")]
                .map(|(key, value)| Operation::PutIfAbsent(key.into(), value.into()));
            put.into_iter().chain(remove).chain(absent).collect()
        }

        fn queries() -> Vec<Query> {
            let keys = ["a", "b"].map(Text::from);
            let get = keys.clone().map(Query::Get);
            let contains = keys.map(Query::Contains);
            get.into_iter()
                .chain(contains)
                .chain([Query::Size])
                .collect()
        }

        fn any_state() -> BoxedStrategy<Mapping> {
            let entry = (any::<u64>(), any::<Option<Text>>());
            let entry = entry.prop_map(|(version, value)| Latest { version, value });
            let key = prop::collection::vec(any::<u8>(), 0..3);
            prop::collection::btree_map(key, entry, 0..6)
                .prop_map(|values| Mapping(Entries(values)))
                .boxed()
        }
    }

    laws!(of_texts, Dict);

    #[test]
    fn the_last_writer_wins_in_whichever_part_it_writes() {
        let base = Mapping::of([("a".into(), "1".into())]);
        let first = Dict::change(&Operation::Put("a".into(), "2".into()), Some(&base)).unwrap();
        let newest = base.merge(&first).unwrap();
        let second = Dict::change(&Operation::Put("a".into(), "1".into()), Some(&newest)).unwrap();
        let whole = second
            .merge(&base)
            .and_then(|parts| parts.merge(&first))
            .unwrap();
        assert_eq!(whole.get(b"a"), Some(&Text::from("1")));
        let removal = Dict::change(&Operation::Remove("a".into()), Some(&whole)).unwrap();
        let whole = removal.merge(&whole).unwrap();
        assert_eq!(whole.get(b"a"), None);
        assert_eq!(Dict::compact(whole), Mapping::identity());
    }
}
