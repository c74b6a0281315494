//! What `max`, `min`, `bool_or`, `bool_and` and `ordered_put` share: of all that was ever put the greatest is kept, in
//! an order of the type's own.
//!
//! Every put is blind. A put of no more than what is kept changes nothing, and since no put makes the value smaller
//! that stays so until somebody overwrites it.

use crate::Merge;
use crate::data_type::{DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader};
use crate::locks::Footprint;
use crate::ordered::Ordered;
use crate::specification::Condition;
use std::convert::Infallible;
use std::fmt::Debug;

/// A type that keeps an extremum.
pub trait Extremum: Clone + Debug + 'static {
    /// Name of the type in SQL.
    const NAME: &'static str;
    /// The operation as the documentation calls it.
    const PUT: &'static str;
    /// Its arguments.
    const ARGUMENTS: &'static [&'static str];
    /// When a put changes nothing, in words.
    const IDLE: &'static str;
    /// What is kept.
    type Kept: Ordered;
    /// What users see of it.
    type Value: PartialEq + Debug;

    /// What users see of it.
    fn value(kept: &Self::Kept) -> Self::Value;
}

/// The greatest of what was put, or nothing yet (NULL).
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
        self.0.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        if input.byte()? != V::KIND {
            return Err(Corrupt::Malformed);
        }
        <Option<V> as Ordered>::read(input).map(Greatest)
    }
}

/// Puts a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put<V>(pub V);

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Put`]
    Put,
}

impl<T: Extremum> DataType for T {
    const NAME: &'static str = T::NAME;
    type State = Greatest<T::Kept>;
    type Value = Option<T::Value>;
    type Operation = Put<T::Kept>;
    type Query = Infallible;
    type Answer = Infallible;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Put];

    fn describe(method: Method) -> Description {
        match method {
            Method::Put => Description::operation(T::PUT, T::ARGUMENTS, Footprint::ADD)
                .idle(T::IDLE, Footprint::LASTING),
        }
    }

    fn rule(_: Method, _: Method) -> Condition<Self> {
        Condition::Always
    }

    fn operation_method(_: &Self::Operation) -> Method {
        Method::Put
    }

    fn query_method(query: &Infallible) -> Method {
        match *query {}
    }

    fn operation_element(_: &Self::Operation) -> Option<&[u8]> {
        None
    }

    fn query_element(query: &Infallible) -> Option<&[u8]> {
        match *query {}
    }

    fn value(state: &Self::State) -> Self::Value {
        state.0.as_ref().map(T::value)
    }

    fn answer(_: &Self::State, query: &Infallible) -> Infallible {
        match *query {}
    }

    fn is_blind(_: &Self::Operation) -> bool {
        true
    }

    fn change(
        operation: &Self::Operation,
        _: Option<&Self::State>,
    ) -> Result<Self::State, Refused> {
        Ok(Greatest(Some(operation.0.clone())))
    }

    fn is_idle(operation: &Self::Operation, state: &Self::State) -> bool {
        state.0.as_ref().is_some_and(|kept| operation.0 <= *kept)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::laws::Small;
    use proptest::prelude::*;

    /// A few values to put, and any.
    pub(crate) trait Examples: Extremum {
        fn few() -> Vec<Self::Kept>;
        fn any() -> BoxedStrategy<Self::Kept>;
    }

    impl<T: Examples> Small for T {
        fn operations() -> Vec<Put<T::Kept>> {
            T::few().into_iter().map(Put).collect()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<Greatest<T::Kept>> {
            prop::option::of(T::any()).prop_map(Greatest).boxed()
        }
    }
}
