//! `abelian.min`: the least value ever put: [`crate::max`] over the opposite order.

use crate::data_type::{DataType, Description, Refused};
use crate::locks::Footprint;
use crate::max::{Greatest, Max, Method, Put};
use crate::ordered::Ordered;
use crate::specification::Condition;
use std::cmp::Reverse;
use std::convert::Infallible;
use std::marker::PhantomData;

/// The type, over an ordered type of values.
#[derive(Clone, Debug)]
pub struct Min<V>(PhantomData<V>);

/// The least value, or none yet (NULL).
pub type Least<V> = Greatest<Reverse<V>>;

impl<V: Ordered> DataType for Min<V> {
    const NAME: &'static str = "min";
    type State = Least<V>;
    type Value = Option<V>;
    /// Puts a value: `least(c, v)`.
    type Operation = Put<Reverse<V>>;
    type Query = Infallible;
    type Answer = Infallible;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Put];

    fn describe(method: Method) -> Description {
        match method {
            Method::Put => Description::operation("least", &["v"], Footprint::ADD)
                .idle("{v} is not less than the value", Footprint::LASTING),
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

    fn value(state: &Least<V>) -> Option<V> {
        state.0.as_ref().map(|Reverse(value)| value.clone())
    }

    fn answer(_: &Least<V>, query: &Infallible) -> Infallible {
        match *query {}
    }

    fn is_blind(operation: &Self::Operation) -> bool {
        Max::is_blind(operation)
    }

    fn change(operation: &Self::Operation, newest: Option<&Least<V>>) -> Result<Least<V>, Refused> {
        Max::change(operation, newest)
    }

    fn is_idle(operation: &Self::Operation, state: &Least<V>) -> bool {
        Max::is_idle(operation, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for Min<i64> {
        fn operations() -> Vec<Put<Reverse<i64>>> {
            [-1, 0, 2].map(|value| Put(Reverse(value))).to_vec()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<Least<i64>> {
            any::<Option<i64>>()
                .prop_map(|value| Greatest(value.map(Reverse)))
                .boxed()
        }
    }

    laws!(of_integers, Min<i64>);

    #[test]
    fn the_least_value_is_kept() {
        let mut state = Greatest(Some(Reverse(3)));
        Min::apply(&mut state, &Put(Reverse(1))).unwrap();
        Min::apply(&mut state, &Put(Reverse(2))).unwrap();
        assert_eq!(Min::value(&state), Some(1));
    }
}
