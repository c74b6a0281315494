//! `abelian.min`: the least value ever put.

use crate::extremum::Extremum;
use crate::ordered::Ordered;
use std::cmp::Reverse;
use std::marker::PhantomData;

/// The type, over an ordered type of values.
#[derive(Clone, Debug)]
pub struct Min<V>(PhantomData<V>);

impl<V: Ordered> Extremum for Min<V> {
    const NAME: &'static str = "min";
    const PUT: &'static str = "least";
    const ARGUMENTS: &'static [&'static str] = &["v"];
    const IDLE: &'static str = "{v} is not less than the value";
    type Kept = Reverse<V>;
    type Value = V;

    fn value(kept: &Reverse<V>) -> V {
        kept.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_type::DataType;
    use crate::extremum::tests::Examples;
    use crate::extremum::{Greatest, Put};
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Examples for Min<i64> {
        fn few() -> Vec<Reverse<i64>> {
            [-1, 0, 2].map(Reverse).to_vec()
        }

        fn any() -> BoxedStrategy<Reverse<i64>> {
            any::<i64>().prop_map(Reverse).boxed()
        }
    }

    laws!(of_integers, Min<i64>);

    #[test]
    fn the_least_value_is_kept() {
        let mut state = Greatest(Some(Reverse(3)));
        for value in [1, 2] {
            Min::apply(&mut state, &Put(Reverse(value))).unwrap();
        }
        assert_eq!(<Min<i64> as DataType>::value(&state), Some(1));
    }
}
