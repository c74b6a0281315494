//! All values of PostgreSQL's `numeric` in its order.

use crate::encoding::{Corrupt, Reader};
use crate::exact::{Exact, NotANumber};
use crate::ordered::Ordered;
use std::fmt;
use std::str::FromStr;

/// A `numeric`. As PostgreSQL orders them, `NaN` is equal to itself and greater than all others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Numeric {
    /// `-Infinity`
    NegativeInfinity,
    /// A number.
    Finite(Exact),
    /// `Infinity`
    Infinity,
    /// `NaN`
    NotANumber,
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Numeric::NegativeInfinity => f.write_str("-Infinity"),
            Numeric::Finite(number) => number.fmt(f),
            Numeric::Infinity => f.write_str("Infinity"),
            Numeric::NotANumber => f.write_str("NaN"),
        }
    }
}

impl FromStr for Numeric {
    type Err = NotANumber;

    /// Reads what PostgreSQL writes.
    fn from_str(text: &str) -> Result<Self, NotANumber> {
        match text {
            "-Infinity" => Ok(Numeric::NegativeInfinity),
            "Infinity" => Ok(Numeric::Infinity),
            "NaN" => Ok(Numeric::NotANumber),
            number => number.parse().map(Numeric::Finite),
        }
    }
}

impl Ordered for Numeric {
    const KIND: u8 = 5;

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Numeric::NegativeInfinity => out.push(0),
            Numeric::Finite(number) => {
                out.push(1);
                number.write(out);
            }
            Numeric::Infinity => out.push(2),
            Numeric::NotANumber => out.push(3),
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        match input.byte()? {
            0 => Ok(Numeric::NegativeInfinity),
            1 => Exact::read(input).map(Numeric::Finite),
            2 => Ok(Numeric::Infinity),
            3 => Ok(Numeric::NotANumber),
            _ => Err(Corrupt::Malformed),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::exact::tests::any_exact;
    use crate::extremum::tests::Examples;
    use crate::laws::{Small, laws};
    use crate::max::Max;
    use proptest::prelude::*;

    pub(crate) fn any_numeric() -> BoxedStrategy<Numeric> {
        prop_oneof![
            8 => any_exact().prop_map(Numeric::Finite),
            1 => Just(Numeric::NegativeInfinity),
            1 => Just(Numeric::Infinity),
            1 => Just(Numeric::NotANumber),
        ]
        .boxed()
    }

    fn numeric(text: &str) -> Numeric {
        text.parse().unwrap()
    }

    impl Examples for Max<Numeric> {
        fn few() -> Vec<Numeric> {
            ["1.5", "1.50", "NaN", "-Infinity"].map(numeric).to_vec()
        }

        fn any() -> BoxedStrategy<Numeric> {
            any_numeric()
        }
    }

    laws!(under_max, Max<Numeric>);

    #[test]
    fn the_order_is_that_of_postgresql() {
        let ascending = [
            "-Infinity",
            "-1.5",
            "-1.25",
            "0",
            "0.001",
            "1.5",
            "1.50",
            "10",
            "Infinity",
            "NaN",
        ];
        let numbers = ascending.map(numeric);
        assert!(numbers.is_sorted());
        assert_eq!(numbers.map(|number| number.to_string()), ascending);
    }
}
