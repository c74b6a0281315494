//! `abelian.counter` and `abelian.decimal_counter` as data types: what their operations commute with.
//!
//! Their additions are blind. (An addition may leave `bigint`, and then it matters what came before; the zones of
//! [`crate::counter`] see to it that additions done side by side never do.)

use crate::Merge;
use crate::counter::CounterSum;
use crate::data_type::{DataType, Description, Refused};
use crate::decimal::DecimalSum;
use crate::encoding::{Corrupt, Encoding, Reader, write_signed, write_unsigned};
use crate::locks::Footprint;
use crate::specification::Condition;
use std::convert::Infallible;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The type, over what is summed.
#[derive(Clone, Debug)]
pub struct Sum<S>(PhantomData<S>);

/// What is summed; also a sum.
pub trait Summand: Merge + Encoding + Copy + PartialEq + Debug + 'static {
    /// Name of the type in SQL.
    const NAME: &'static str;
}

impl Summand for CounterSum {
    const NAME: &'static str = "counter";
}

impl Summand for DecimalSum {
    const NAME: &'static str = "decimal_counter";
}

impl Encoding for CounterSum {
    const TAG: u8 = 9;

    fn write(&self, out: &mut Vec<u8>) {
        write_signed(self.0.into(), out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        input.signed_64().map(CounterSum)
    }
}

impl Encoding for DecimalSum {
    const TAG: u8 = 10;

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            DecimalSum::Finite { mantissa, scale } => {
                out.push(0);
                write_signed(*mantissa, out);
                write_unsigned((*scale).into(), out);
            }
            DecimalSum::PositiveInfinity => out.push(1),
            DecimalSum::NegativeInfinity => out.push(2),
            DecimalSum::NotANumber => out.push(3),
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ok(match input.byte()? {
            0 => DecimalSum::Finite {
                mantissa: input.signed()?,
                scale: u32::try_from(input.count()?).map_err(|_| Corrupt::Malformed)?,
            },
            1 => DecimalSum::PositiveInfinity,
            2 => DecimalSum::NegativeInfinity,
            3 => DecimalSum::NotANumber,
            _ => return Err(Corrupt::Malformed),
        })
    }
}

/// Adds: `c + n`, and `c - n` for the opposite of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Add<S>(pub S);

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Add`]
    Add,
}

impl<S: Summand> DataType for Sum<S> {
    const NAME: &'static str = S::NAME;
    type State = S;
    type Value = S;
    type Operation = Add<S>;
    type Query = Infallible;
    type Answer = Infallible;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Add];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["n"], Footprint::ADD),
        }
    }

    fn rule(_: Method, _: Method) -> Condition<Self> {
        Condition::Always
    }

    fn operation_method(_: &Add<S>) -> Method {
        Method::Add
    }

    fn query_method(query: &Infallible) -> Method {
        match *query {}
    }

    fn operation_element(_: &Add<S>) -> Option<&[u8]> {
        None
    }

    fn query_element(query: &Infallible) -> Option<&[u8]> {
        match *query {}
    }

    fn value(state: &S) -> S {
        *state
    }

    fn answer(_: &S, query: &Infallible) -> Infallible {
        match *query {}
    }

    fn is_blind(_: &Add<S>) -> bool {
        true
    }

    fn change(add: &Add<S>, _: Option<&S>) -> Result<S, Refused> {
        Ok(add.0)
    }

    fn is_idle(_: &Add<S>, _: &S) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for Sum<CounterSum> {
        fn operations() -> Vec<Add<CounterSum>> {
            [-1, 1, 2].map(|n| Add(CounterSum(n))).to_vec()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<CounterSum> {
            any::<i64>().prop_map(CounterSum).boxed()
        }
    }

    impl Small for Sum<DecimalSum> {
        fn operations() -> Vec<Add<DecimalSum>> {
            let finite = [(-1, 0), (15, 1)];
            let finite = finite.map(|(mantissa, scale)| DecimalSum::Finite { mantissa, scale });
            let special = [
                DecimalSum::PositiveInfinity,
                DecimalSum::NegativeInfinity,
                DecimalSum::NotANumber,
            ];
            finite.into_iter().chain(special).map(Add).collect()
        }

        fn queries() -> Vec<Infallible> {
            Vec::new()
        }

        fn any_state() -> BoxedStrategy<DecimalSum> {
            prop_oneof![
                8 => (any::<i64>(), 0..8_u32).prop_map(|(mantissa, scale)| DecimalSum::Finite {
                    mantissa: mantissa.into(),
                    scale
                }),
                1 => Just(DecimalSum::PositiveInfinity),
                1 => Just(DecimalSum::NegativeInfinity),
                1 => Just(DecimalSum::NotANumber),
            ]
            .boxed()
        }
    }

    laws!(of_integers, Sum<CounterSum>);
    laws!(of_decimals, Sum<DecimalSum>);
}
