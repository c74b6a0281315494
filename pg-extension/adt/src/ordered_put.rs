//! `abelian.ordered_put`: of all payloads ever put, that with the greatest order (a time, a version, a priority).
//!
//! Of payloads with equal order the greatest by its bytes is kept, NULL being less than any other: so that the result
//! does not depend on who comes first.

use crate::extremum::Extremum;
use crate::ordered::{Ordered, Text};
use std::marker::PhantomData;

/// The type, over an ordered type of orders.
#[derive(Clone, Debug)]
pub struct OrderedPut<O>(PhantomData<O>);

impl<O: Ordered> Extremum for OrderedPut<O> {
    const NAME: &'static str = "ordered_put";
    const PUT: &'static str = "put";
    const ARGUMENTS: &'static [&'static str] = &["o", "v"];
    const IDLE: &'static str = "({o}, {v}) is not above what is kept";
    /// Order, then payload.
    type Kept = (O, Option<Text>);
    type Value = (O, Option<Text>);

    fn value(kept: &Self::Kept) -> Self::Value {
        kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extremum::tests::Examples;
    use crate::laws::{Small, laws};
    use crate::ordered::Timestamp;
    use proptest::prelude::*;

    impl Examples for OrderedPut<Timestamp> {
        fn few() -> Vec<(Timestamp, Option<Text>)> {
            vec![
                (Timestamp(1), None),
                (Timestamp(1), Some("a".into())),
                (Timestamp(1), Some("b".into())),
                (Timestamp(2), Some("a".into())),
            ]
        }

        fn any() -> BoxedStrategy<(Timestamp, Option<Text>)> {
            (any::<i64>().prop_map(Timestamp), any::<Option<Text>>()).boxed()
        }
    }

    laws!(of_timestamps, OrderedPut<Timestamp>);
}
