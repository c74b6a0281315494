//! `abelian.max`: the greatest value ever put.
//!
//! Every put is blind. A put of no more than what is there changes nothing, and since no put makes the value
//! smaller that stays so until somebody overwrites it.

use crate::Merge;
use crate::data_type::{DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader, write_flag};
use crate::locks::Footprint;
use crate::ordered::Ordered;
use crate::specification::Condition;
use std::convert::Infallible;
use std::marker::PhantomData;

/// The type, over an ordered type of values.
#[derive(Clone, Debug)]
pub struct Max<V>(PhantomData<V>);

/// The greatest value, or none yet (NULL).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greatest<V>(pub Option<V>);

impl<V: Ordered> Merge for Greatest<V> {
    fn identity() -> Self {
        Greatest(None)
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        Some(Greatest(self.0.as_ref().max(other.0.as_ref()).cloned()))
    }
}

impl<V: Ordered> Encoding for Greatest<V> {
    const TAG: u8 = 1;

    fn write(&self, out: &mut Vec<u8>) {
        out.push(V::KIND);
        write_flag(self.0.is_some(), out);
        if let Some(value) = &self.0 {
            value.write(out);
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        if input.byte()? != V::KIND {
            return Err(Corrupt::Malformed);
        }
        let value = input.flag()?.then(|| V::read(input)).transpose()?;
        Ok(Greatest(value))
    }
}

/// Puts a value: `greatest(c, v)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put<V>(pub V);

/// The methods of `max` and `min`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Put`]
    Put,
}

impl<V: Ordered> DataType for Max<V> {
    const NAME: &'static str = "max";
    type State = Greatest<V>;
    type Value = Option<V>;
    type Operation = Put<V>;
    type Query = Infallible;
    type Answer = Infallible;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Put];

    fn describe(method: Method) -> Description {
        match method {
            Method::Put => Description::operation("greatest", &["v"], Footprint::ADD)
                .idle("{v} is not greater than the value", Footprint::LASTING),
        }
    }

    fn rule(_: Method, _: Method) -> Condition<Self> {
        Condition::Always
    }

    fn operation_method(_: &Put<V>) -> Method {
        Method::Put
    }

    fn query_method(query: &Infallible) -> Method {
        match *query {}
    }

    fn operation_element(_: &Put<V>) -> Option<&[u8]> {
        None
    }

    fn query_element(query: &Infallible) -> Option<&[u8]> {
        match *query {}
    }

    fn value(state: &Greatest<V>) -> Option<V> {
        state.0.clone()
    }

    fn answer(_: &Greatest<V>, query: &Infallible) -> Infallible {
        match *query {}
    }

    fn is_blind(_: &Put<V>) -> bool {
        true
    }

    fn change(operation: &Put<V>, _: Option<&Greatest<V>>) -> Result<Greatest<V>, Refused> {
        Ok(Greatest(Some(operation.0.clone())))
    }

    fn is_idle(operation: &Put<V>, state: &Greatest<V>) -> bool {
        state.0.as_ref().is_some_and(|value| operation.0 <= *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use crate::ordered::{Text, Timestamp};
    use proptest::prelude::*;

    impl Small for Max<i64> {
        fn operations() -> Vec<Put<i64>> {
            [-1, 0, 2].map(Put).to_vec()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<Greatest<i64>> {
            any::<Option<i64>>().prop_map(Greatest).boxed()
        }
    }

    impl Small for Max<Text> {
        fn operations() -> Vec<Put<Text>> {
            ["", "a", "ab"].map(|text| Put(text.into())).to_vec()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<Greatest<Text>> {
            any::<Option<Text>>().prop_map(Greatest).boxed()
        }
    }

    impl Small for Max<Timestamp> {
        fn operations() -> Vec<Put<Timestamp>> {
            let infinities = [Timestamp::NEGATIVE_INFINITY, Timestamp::INFINITY];
            infinities
                .into_iter()
                .chain([Timestamp(0)])
                .map(Put)
                .collect()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<Greatest<Timestamp>> {
            let value = prop::option::of(any::<i64>().prop_map(Timestamp));
            value.prop_map(Greatest).boxed()
        }
    }

    laws!(of_integers, Max<i64>);
    laws!(of_text, Max<Text>);
    laws!(of_timestamps, Max<Timestamp>);
}
