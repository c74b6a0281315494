//! `abelian.max`: the greatest value ever put.

use crate::extremum::Extremum;
use crate::ordered::Ordered;
use std::marker::PhantomData;

/// The type, over an ordered type of values.
#[derive(Clone, Debug)]
pub struct Max<V>(PhantomData<V>);

impl<V: Ordered> Extremum for Max<V> {
    const NAME: &'static str = "max";
    const PUT: &'static str = "greatest";
    const ARGUMENTS: &'static [&'static str] = &["v"];
    const IDLE: &'static str = "{v} is not greater than the value";
    type Kept = V;
    type Value = V;

    fn value(kept: &V) -> V {
        kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extremum::tests::Examples;
    use crate::laws::{Small, laws};
    use crate::ordered::{Text, Timestamp};
    use proptest::prelude::*;

    impl Examples for Max<i64> {
        fn few() -> Vec<i64> {
            vec![-1, 0, 2]
        }

        fn any() -> BoxedStrategy<i64> {
            any::<i64>().boxed()
        }
    }

    impl Examples for Max<Text> {
        fn few() -> Vec<Text> {
            ["", "a", "ab"].map(Text::from).to_vec()
        }

        fn any() -> BoxedStrategy<Text> {
            any::<Text>().boxed()
        }
    }

    impl Examples for Max<Timestamp> {
        fn few() -> Vec<Timestamp> {
            vec![
                Timestamp::NEGATIVE_INFINITY,
                Timestamp(0),
                Timestamp::INFINITY,
            ]
        }

        fn any() -> BoxedStrategy<Timestamp> {
            any::<i64>().prop_map(Timestamp).boxed()
        }
    }

    laws!(of_integers, Max<i64>);
    laws!(of_text, Max<Text>);
    laws!(of_timestamps, Max<Timestamp>);
}
