//! `abelian.summary_bag`: what can be said in summary of all numbers ever added: count, sum, mean, variance, least and
//! greatest.
//!
//! Mergeable variance is usually kept as a mean and a sum of squared deviations (Chan, Golub and LeVeque, "Updating
//! Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979), whose rounding depends on the order of
//! merging. Here the sums of the numbers and of their squares are exact, so that any order gives the same, and what is
//! derived from them is as exact as the division at the end. Infinities and `NaN` are counted, not summed, so that
//! they too have no order.

use crate::Merge;
use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader, write_unsigned};
use crate::exact::Exact;
use crate::locks::Footprint;
use crate::numeric::Numeric;
use crate::ordered::Ordered;
use crate::specification::Condition;
use std::cmp::Reverse;

/// The type.
#[derive(Clone, Debug)]
pub struct SummaryBag;

/// Numbers in summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many numbers, infinities and `NaN` excluded.
    finite: u64,
    infinite: u64,
    negative_infinite: u64,
    not_a_number: u64,
    /// Of the finite ones.
    sum: Exact,
    /// Of the squares of the finite ones.
    squares: Exact,
    greatest: Option<Numeric>,
    least: Option<Reverse<Numeric>>,
}

/// A quotient that is left to whoever knows how many digits are wanted. Extension: PostgreSQL's own division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    /// What is divided.
    pub numerator: Numeric,
    /// By what; positive.
    pub denominator: Exact,
}

/// Of which numbers the variance is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population {
    /// These are all (`var_pop`).
    Whole,
    /// These are some of them (`var_samp`).
    Sample,
}

impl Summary {
    /// Of one number.
    pub fn of(number: &Numeric) -> Self {
        let none = Summary::identity();
        let mut summary = match number {
            Numeric::Finite(exact) => Summary {
                finite: 1,
                sum: exact.clone(),
                squares: exact * exact,
                ..none
            },
            Numeric::Infinity => Summary {
                infinite: 1,
                ..none
            },
            Numeric::NegativeInfinity => Summary {
                negative_infinite: 1,
                ..none
            },
            Numeric::NotANumber => Summary {
                not_a_number: 1,
                ..none
            },
        };
        summary.greatest = Some(number.clone());
        summary.least = Some(Reverse(number.clone()));
        summary
    }

    fn counts(&self) -> [u64; 4] {
        [
            self.finite,
            self.infinite,
            self.negative_infinite,
            self.not_a_number,
        ]
    }

    /// How many numbers.
    pub fn count(&self) -> u128 {
        self.counts().into_iter().map(u128::from).sum()
    }

    /// Their sum; none of no numbers, as in SQL.
    pub fn sum(&self) -> Option<Numeric> {
        let [_, up, down, unknown] = self.counts().map(|count| count > 0);
        (self.count() > 0).then(|| match (up, down) {
            _ if unknown => Numeric::NotANumber,
            (true, true) => Numeric::NotANumber,
            (true, false) => Numeric::Infinity,
            (false, true) => Numeric::NegativeInfinity,
            (false, false) => Numeric::Finite(self.sum.clone()),
        })
    }

    /// Their mean; none of no numbers.
    pub fn mean(&self) -> Option<Quotient> {
        Some(Quotient {
            numerator: self.sum()?,
            denominator: self.number(0),
        })
    }

    /// Their variance; none of too few numbers.
    pub fn variance(&self, population: Population) -> Option<Quotient> {
        let (least, lost) = match population {
            Population::Whole => (1, 0),
            Population::Sample => (2, 1),
        };
        (self.count() >= least).then(|| Quotient {
            numerator: self.spread(),
            denominator: &self.number(0) * &self.number(lost),
        })
    }

    /// The least number.
    pub fn least(&self) -> Option<&Numeric> {
        self.least.as_ref().map(|Reverse(number)| number)
    }

    /// The greatest number.
    pub fn greatest(&self) -> Option<&Numeric> {
        self.greatest.as_ref()
    }

    /// The count less some.
    fn number(&self, less: i128) -> Exact {
        // Four times 64 bits stay far below the sign.
        Exact::from(self.count() as i128 - less)
    }

    /// The variance times the square of the count: `n·Σx² - (Σx)²`.
    fn spread(&self) -> Numeric {
        if self.count() > self.finite.into() {
            return Numeric::NotANumber;
        }
        Numeric::Finite(&(&self.number(0) * &self.squares) + &-&(&self.sum * &self.sum))
    }
}

impl Merge for Summary {
    fn identity() -> Self {
        Summary {
            finite: 0,
            infinite: 0,
            negative_infinite: 0,
            not_a_number: 0,
            sum: Exact::ZERO,
            squares: Exact::ZERO,
            greatest: None,
            least: None,
        }
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        Some(Summary {
            finite: self.finite.checked_add(other.finite)?,
            infinite: self.infinite.checked_add(other.infinite)?,
            negative_infinite: self
                .negative_infinite
                .checked_add(other.negative_infinite)?,
            not_a_number: self.not_a_number.checked_add(other.not_a_number)?,
            sum: &self.sum + &other.sum,
            squares: &self.squares + &other.squares,
            greatest: self.greatest.as_ref().max(other.greatest.as_ref()).cloned(),
            least: self.least.as_ref().max(other.least.as_ref()).cloned(),
        })
    }
}

impl Encoding for Summary {
    const TAG: u8 = 7;

    fn write(&self, out: &mut Vec<u8>) {
        for count in self.counts() {
            write_unsigned(count.into(), out);
        }
        self.sum.write(out);
        self.squares.write(out);
        self.greatest.write(out);
        self.least.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let mut count = || u64::try_from(input.unsigned()?).map_err(|_| Corrupt::Malformed);
        let counts = [count()?, count()?, count()?, count()?];
        let [finite, infinite, negative_infinite, not_a_number] = counts;
        Ok(Summary {
            finite,
            infinite,
            negative_infinite,
            not_a_number,
            sum: Exact::read(input)?,
            squares: Exact::read(input)?,
            greatest: Ordered::read(input)?,
            least: Ordered::read(input)?,
        })
    }
}

/// Adds a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add(pub Numeric);

/// A look at one of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// [`Summary::count`]
    Count,
    /// [`Summary::sum`]
    Sum,
    /// [`Summary::mean`]
    Mean,
    /// [`Summary::variance`]
    Variance(Population),
    /// [`Summary::least`]
    Min,
    /// [`Summary::greatest`]
    Max,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// How many.
    Count(u128),
    /// A number, if there is one.
    Number(Option<Numeric>),
    /// A quotient, if there is one.
    Quotient(Option<Quotient>),
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Add`]
    Add,
    /// [`Query::Count`]
    Count,
    /// [`Query::Sum`]
    Sum,
    /// [`Query::Mean`]
    Mean,
    /// [`Query::Variance`]
    Variance,
    /// [`Query::Min`]
    Min,
    /// [`Query::Max`]
    Max,
}

impl DataType for SummaryBag {
    const NAME: &'static str = "summary_bag";
    type State = Summary;
    type Value = Summary;
    type Operation = Add;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = &[
        Method::Add,
        Method::Count,
        Method::Sum,
        Method::Mean,
        Method::Variance,
        Method::Min,
        Method::Max,
    ];

    fn describe(method: Method) -> Description {
        let query = |name| Description::query(name, &[], Footprint::READ);
        match method {
            Method::Add => Description::operation("add", &["v"], Footprint::ADD),
            Method::Count => query("count"),
            Method::Sum => query("sum"),
            Method::Mean => query("mean"),
            Method::Variance => query("variance"),
            Method::Min => query("min"),
            Method::Max => query("max"),
        }
    }

    fn rule(a: Method, _: Method) -> Condition<Self> {
        match a {
            Method::Add => Condition::Always,
            Method::Min => Condition::When("{v} is not less than the least so far", keeps_answer),
            Method::Max => {
                Condition::When("{v} is not greater than the greatest so far", keeps_answer)
            }
            Method::Count | Method::Sum | Method::Mean | Method::Variance => Condition::Never,
        }
    }

    fn operation_method(_: &Add) -> Method {
        Method::Add
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Count => Method::Count,
            Query::Sum => Method::Sum,
            Query::Mean => Method::Mean,
            Query::Variance(_) => Method::Variance,
            Query::Min => Method::Min,
            Query::Max => Method::Max,
        }
    }

    fn operation_element(_: &Add) -> Option<&[u8]> {
        None
    }

    fn query_element(_: &Query) -> Option<&[u8]> {
        None
    }

    fn value(state: &Summary) -> Summary {
        state.clone()
    }

    fn answer(state: &Summary, query: &Query) -> Answer {
        match query {
            Query::Count => Answer::Count(state.count()),
            Query::Sum => Answer::Number(state.sum()),
            Query::Mean => Answer::Quotient(state.mean()),
            Query::Variance(population) => Answer::Quotient(state.variance(*population)),
            Query::Min => Answer::Number(state.least().cloned()),
            Query::Max => Answer::Number(state.greatest().cloned()),
        }
    }

    fn is_blind(_: &Add) -> bool {
        true
    }

    fn change(add: &Add, _: Option<&Summary>) -> Result<Summary, Refused> {
        Ok(Summary::of(&add.0))
    }

    fn is_idle(_: &Add, _: &Summary) -> bool {
        false
    }
}

/// Whether an extremum stays as it is.
fn keeps_answer(state: &Summary, query: &Access<SummaryBag>, add: &Access<SummaryBag>) -> bool {
    match (query, add) {
        (Access::Query(Query::Min), Access::Operate(Add(number))) => {
            state.least().is_some_and(|least| least <= number)
        }
        (Access::Query(Query::Max), Access::Operate(Add(number))) => {
            state.greatest().is_some_and(|greatest| greatest >= number)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::tests::{any_exact, exact};
    use crate::laws::{Small, laws};
    use crate::numeric::tests::any_numeric;
    use proptest::prelude::*;

    impl Small for SummaryBag {
        fn operations() -> Vec<Add> {
            let numbers = ["1", "-2.5", "NaN", "Infinity", "-Infinity"];
            numbers.map(|number| Add(number.parse().unwrap())).to_vec()
        }

        fn queries() -> Vec<Query> {
            let variance = [Population::Whole, Population::Sample].map(Query::Variance);
            let others = [
                Query::Count,
                Query::Sum,
                Query::Mean,
                Query::Min,
                Query::Max,
            ];
            others.into_iter().chain(variance).collect()
        }

        fn any_state() -> BoxedStrategy<Summary> {
            prop::collection::vec(any_numeric(), 0..5)
                .prop_map(|numbers| summary(&numbers))
                .boxed()
        }
    }

    laws!(of_numbers, SummaryBag);

    fn summary(numbers: &[Numeric]) -> Summary {
        let parts = numbers.iter().map(Summary::of);
        parts.fold(Summary::identity(), |all, one| all.merge(&one).unwrap())
    }

    proptest! {
        /// The sum over all pairs of the squared difference is twice `n·Σx² - (Σx)²`.
        #[test]
        fn the_variance_is_that_of_the_definition(numbers in prop::collection::vec(any_exact(), 1..6)) {
            let mut pairs = Exact::ZERO;
            for x in &numbers {
                for y in &numbers {
                    let difference = x + &-y;
                    pairs = &pairs + &(&difference * &difference);
                }
            }
            let finite: Vec<_> = numbers.iter().cloned().map(Numeric::Finite).collect();
            let Some(Quotient { numerator: Numeric::Finite(spread), denominator }) =
                summary(&finite).variance(Population::Whole)
            else {
                return Err(TestCaseError::fail("no variance"));
            };
            prop_assert_eq!((&spread + &spread).stripped(), pairs.stripped());
            let count = numbers.len() as i64;
            prop_assert_eq!(denominator, Exact::from(count * count));
        }
    }

    #[test]
    fn a_small_variance_of_great_numbers_is_exact() {
        let great = "9".repeat(60);
        let numbers = ["1.1", "2.1", "3.1"].map(|text| format!("{great}{text}").parse().unwrap());
        let variance = Quotient {
            numerator: Numeric::Finite(exact("6.00")),
            denominator: Exact::from(6_i64),
        };
        assert_eq!(
            summary(&numbers).variance(Population::Sample),
            Some(variance)
        );
    }

    #[test]
    fn what_sql_leaves_null_is_none() {
        let none = Summary::identity();
        assert_eq!((none.count(), none.sum(), none.mean()), (0, None, None));
        assert_eq!(
            (none.least(), none.variance(Population::Whole)),
            (None, None)
        );
        let one = Summary::of(&Numeric::Finite(exact("5")));
        assert_eq!(one.variance(Population::Sample), None);
        assert_eq!(
            one.variance(Population::Whole)
                .map(|quotient| quotient.numerator),
            Some(Numeric::Finite(Exact::ZERO))
        );
    }

    #[test]
    fn infinities_and_nan_are_summed_as_postgresql_does() {
        let sum = |numbers: &[&str]| {
            let numbers: Vec<_> = numbers.iter().map(|text| text.parse().unwrap()).collect();
            summary(&numbers).sum().map(|sum| sum.to_string())
        };
        assert_eq!(sum(&["1", "Infinity"]).as_deref(), Some("Infinity"));
        assert_eq!(sum(&["-Infinity", "1"]).as_deref(), Some("-Infinity"));
        assert_eq!(sum(&["-Infinity", "Infinity"]).as_deref(), Some("NaN"));
        assert_eq!(sum(&["NaN", "Infinity"]).as_deref(), Some("NaN"));
        assert_eq!(sum(&["1.50", "-1.5"]).as_deref(), Some("0.00"));
    }
}
