//! `abelian.bool_or`: whether anything true was ever put.

use crate::extremum::Extremum;

/// The type.
#[derive(Clone, Debug)]
pub struct BoolOr;

impl Extremum for BoolOr {
    const NAME: &'static str = "bool_or";
    const PUT: &'static str = "or";
    const ARGUMENTS: &'static [&'static str] = &["v"];
    const IDLE: &'static str = "the value is true or {v}";
    /// False comes before true.
    type Kept = bool;
    type Value = bool;

    fn value(kept: &bool) -> bool {
        *kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extremum::tests::Examples;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Examples for BoolOr {
        fn few() -> Vec<bool> {
            vec![false, true]
        }

        fn any() -> BoxedStrategy<bool> {
            any::<bool>().boxed()
        }
    }

    laws!(of_truths, BoolOr);
}
