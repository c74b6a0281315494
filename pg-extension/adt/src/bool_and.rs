//! `abelian.bool_and`: whether nothing false was ever put.

use crate::extremum::Extremum;
use std::cmp::Reverse;

/// The type.
#[derive(Clone, Debug)]
pub struct BoolAnd;

impl Extremum for BoolAnd {
    const NAME: &'static str = "bool_and";
    const PUT: &'static str = "and";
    const ARGUMENTS: &'static [&'static str] = &["v"];
    const IDLE: &'static str = "the value is false or {v}";
    /// True comes before false.
    type Kept = Reverse<bool>;
    type Value = bool;

    fn value(kept: &Reverse<bool>) -> bool {
        kept.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extremum::tests::Examples;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Examples for BoolAnd {
        fn few() -> Vec<Reverse<bool>> {
            vec![Reverse(false), Reverse(true)]
        }

        fn any() -> BoxedStrategy<Reverse<bool>> {
            any::<bool>().prop_map(Reverse).boxed()
        }
    }

    laws!(of_truths, BoolAnd);
}
