//! `abelian.top_k`: of all pairs of score and item ever added, the k greatest.
//!
//! Pairs are ordered by score, then by the item's bytes, so that ties do not depend on who comes first. They form a set:
//! adding a pair again changes nothing. Every addition is blind; one that does not reach the k greatest changes
//! nothing, and since the k-th pair only grows it never will.

use crate::Merge;
use crate::data_type::{DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader, write_bytes, write_unsigned};
use crate::locks::Footprint;
use crate::ordered::{Ordered, Text};
use crate::specification::Condition;
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// The type, over an ordered type of scores.
#[derive(Clone, Debug)]
pub struct TopK<S>(PhantomData<S>);

/// The greatest pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greatest<S: Ordered> {
    /// How many are kept. A change keeps all it has (`u32::MAX`); merged parts keep as many as the strictest.
    k: u32,
    pairs: BTreeSet<(S, Text)>,
}

impl<S: Ordered> Greatest<S> {
    /// None yet, and at most k ever.
    pub fn none(k: u32) -> Self {
        Greatest {
            k,
            pairs: BTreeSet::new(),
        }
    }

    /// The k greatest of these.
    pub fn of(k: u32, pairs: impl IntoIterator<Item = (S, Text)>) -> Self {
        let pairs = pairs.into_iter().collect();
        Greatest { k, pairs }.cut()
    }

    /// How many are kept.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The pairs, the greatest first.
    pub fn pairs(&self) -> impl Iterator<Item = &(S, Text)> {
        self.pairs.iter().rev()
    }

    fn cut(mut self) -> Self {
        while self.pairs.len() > self.k as usize {
            self.pairs.pop_first();
        }
        self
    }
}

impl<S: Ordered> Merge for Greatest<S> {
    fn identity() -> Self {
        Greatest::none(u32::MAX)
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        let pairs = self.pairs.union(&other.pairs).cloned().collect();
        let k = self.k.min(other.k);
        Some(Greatest { k, pairs }.cut())
    }
}

impl<S: Ordered> Encoding for Greatest<S> {
    const TAG: u8 = 3;

    fn write(&self, out: &mut Vec<u8>) {
        out.push(S::KIND);
        write_unsigned(self.k.into(), out);
        write_unsigned(self.pairs.len() as u128, out);
        for (score, item) in &self.pairs {
            score.write(out);
            write_bytes(item, out);
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        if input.byte()? != S::KIND {
            return Err(Corrupt::Malformed);
        }
        let k = u32::try_from(input.count()?).map_err(|_| Corrupt::Malformed)?;
        let count = input.count()?;
        if count > k as usize {
            return Err(Corrupt::Malformed);
        }
        let mut pairs = BTreeSet::new();
        // Ends with the input: each pair takes at least a byte.
        for _ in 0..count {
            let pair = (S::read(input)?, input.bytes()?.to_vec());
            if pairs.last().is_some_and(|last| *last >= pair) {
                return Err(Corrupt::Malformed);
            }
            pairs.insert(pair);
        }
        Ok(Greatest { k, pairs })
    }
}

/// Adds a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add<S>(pub S, pub Text);

/// A look at part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// So many of the greatest pairs.
    Top(u32),
    /// The number of pairs.
    Size,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<S> {
    /// To [`Query::Top`], the greatest first.
    Top(Vec<(S, Text)>),
    /// To [`Query::Size`].
    Size(usize),
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Add`]
    Add,
    /// [`Query::Top`]
    Top,
    /// [`Query::Size`]
    Size,
}

impl<S: Ordered> DataType for TopK<S> {
    const NAME: &'static str = "top_k";
    type State = Greatest<S>;
    type Value = Greatest<S>;
    type Operation = Add<S>;
    type Query = Query;
    type Answer = Answer<S>;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Add, Method::Top, Method::Size];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["v", "x"], Footprint::ADD).idle(
                "({v}, {x}) is there already or not among the k greatest",
                Footprint::LASTING,
            ),
            Method::Top => Description::query("top", &["n"], Footprint::READ),
            Method::Size => Description::query("size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, _: Method) -> Condition<Self> {
        match a {
            Method::Add => Condition::Always,
            Method::Top | Method::Size => Condition::Idle,
        }
    }

    fn operation_method(_: &Add<S>) -> Method {
        Method::Add
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Top(_) => Method::Top,
            Query::Size => Method::Size,
        }
    }

    fn operation_element(_: &Add<S>) -> Option<&[u8]> {
        None
    }

    fn query_element(_: &Query) -> Option<&[u8]> {
        None
    }

    fn value(state: &Greatest<S>) -> Greatest<S> {
        state.clone()
    }

    fn answer(state: &Greatest<S>, query: &Query) -> Answer<S> {
        match query {
            Query::Top(count) => {
                Answer::Top(state.pairs().take(*count as usize).cloned().collect())
            }
            Query::Size => Answer::Size(state.pairs.len()),
        }
    }

    fn is_blind(_: &Add<S>) -> bool {
        true
    }

    fn change(add: &Add<S>, _: Option<&Greatest<S>>) -> Result<Greatest<S>, Refused> {
        Ok(Greatest::of(u32::MAX, [(add.0.clone(), add.1.clone())]))
    }

    fn is_idle(add: &Add<S>, state: &Greatest<S>) -> bool {
        let pair = (add.0.clone(), add.1.clone());
        let full = state.pairs.len() >= state.k as usize;
        full && state.pairs.first().is_none_or(|least| pair <= *least)
            || state.pairs.contains(&pair)
    }

    fn new_slice(base: &Greatest<S>) -> Greatest<S> {
        Greatest::none(base.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for TopK<i64> {
        fn beginnings() -> Vec<Greatest<i64>> {
            [0, 1, 2].map(Greatest::none).to_vec()
        }

        fn operations() -> Vec<Add<i64>> {
            [(1, "a"), (1, "b"), (2, "a")]
                .map(|(score, item)| Add(score, item.into()))
                .to_vec()
        }

        fn queries() -> Vec<Query> {
            vec![Query::Top(1), Query::Top(2), Query::Size]
        }

        fn any_state() -> BoxedStrategy<Greatest<i64>> {
            let k = prop_oneof![Just(2), Just(u32::MAX), 0..6_u32];
            let pairs =
                prop::collection::vec((-3..3_i64, prop::collection::vec(0..3_u8, 0..2)), 0..6);
            (k, pairs)
                .prop_map(|(k, pairs)| Greatest::of(k, pairs))
                .boxed()
        }
    }

    laws!(of_integers, TopK<i64>);

    #[test]
    fn the_greatest_stay() {
        let mut state = Greatest::none(2);
        for (score, item) in [
            (55, "ann"),
            (40, "bob"),
            (60, "cid"),
            (55, "ann"),
            (50, "dan"),
        ] {
            TopK::apply(&mut state, &Add(score, item.into())).unwrap();
        }
        let pairs: Vec<_> = state.pairs().cloned().collect();
        assert_eq!(pairs, [(60, Text::from("cid")), (55, Text::from("ann"))]);
    }
}
