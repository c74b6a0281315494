//! `abelian.top_k`, `bottom_k`, `top_items` and `bottom_items`: of all pairs of score and item ever added, the k best.
//!
//! | | the best is | entries of an item |
//! |---|---|---|
//! | `top_k` | the greatest | one for each of its scores |
//! | `bottom_k` | the least | one for each of its scores |
//! | `top_items` | the greatest | one, with its best score |
//! | `bottom_items` | the least | one, with its best score |
//!
//! Pairs are ordered by score, then by the item's bytes, so that ties do not depend on who comes first. Adding a pair
//! again changes nothing. Every addition is blind; one that does not reach the k best changes nothing, and since the
//! k-th pair only gets better it never will. That holds with one entry for an item, too: what has pushed a pair out are
//! better pairs of k other items, and those do not get worse.

use crate::Merge;
use crate::data_type::{DataType, Description, Refused};
use crate::encoding::{Corrupt, Encoding, Reader, write_bytes, write_unsigned};
use crate::locks::Footprint;
use crate::ordered::{Ordered, Text};
use crate::specification::Condition;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Which pairs are the best, and how many of them an item may have.
pub trait Ranking: Clone + Debug + PartialEq + Eq + 'static {
    /// Name of the type in SQL.
    const NAME: &'static str;
    /// Name of the query for the best.
    const BEST: &'static str;
    /// When an addition changes nothing, in words.
    const IDLE: &'static str;
    /// Whether an item has one entry at most, its best.
    const ONE_EACH: bool;
    /// Scores, of which the greatest is the best.
    type Score: Ordered;
}

macro_rules! ranking {
    ($(#[$doc:meta])* $marker:ident, $type:ident, $score:ty, $name:literal, $best:literal, $one_each:literal, $idle:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $marker<S>(PhantomData<S>);

        impl<S: Ordered> Ranking for $marker<S> {
            const NAME: &'static str = $name;
            const BEST: &'static str = $best;
            const IDLE: &'static str = $idle;
            const ONE_EACH: bool = $one_each;
            type Score = $score;
        }

        $(#[$doc])*
        pub type $type<S> = Board<$marker<S>>;
    };
}

ranking!(
    /// The greatest pairs, over an ordered type of scores.
    GreatestPairs, TopK, S, "top_k", "top", false,
    "({v}, {x}) is there already or not among the k greatest"
);
ranking!(
    /// The least pairs.
    LeastPairs, BottomK, Reverse<S>, "bottom_k", "bottom", false,
    "({v}, {x}) is there already or not among the k least"
);
ranking!(
    /// The items with the greatest scores.
    GreatestItems, TopItems, S, "top_items", "top", true,
    "{x} is there with {v} or a greater score, or ({v}, {x}) is not among the k greatest"
);
ranking!(
    /// The items with the least scores.
    LeastItems, BottomItems, Reverse<S>, "bottom_items", "bottom", true,
    "{x} is there with {v} or a lower score, or ({v}, {x}) is not among the k least"
);

/// The type of a ranking.
#[derive(Clone, Debug)]
pub struct Board<R>(PhantomData<R>);

/// A score and the item that has it.
pub type Pair<R> = (<R as Ranking>::Score, Text);

/// The best pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best<R: Ranking> {
    /// How many are kept. A change keeps all it has (`u32::MAX`); merged parts keep as many as the strictest.
    k: u32,
    pairs: BTreeSet<Pair<R>>,
}

impl<R: Ranking> Best<R> {
    /// None yet, and at most k ever.
    pub fn none(k: u32) -> Self {
        Best {
            k,
            pairs: BTreeSet::new(),
        }
    }

    /// The k best of these.
    pub fn of(k: u32, pairs: impl IntoIterator<Item = Pair<R>>) -> Self {
        let pairs = pairs.into_iter().collect();
        Best { k, pairs }.cut()
    }

    /// How many are kept.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The pairs, the best first.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair<R>> {
        self.pairs.iter().rev()
    }

    fn cut(mut self) -> Self {
        if R::ONE_EACH {
            let mut seen = HashSet::new();
            let best = self.pairs.into_iter().rev();
            self.pairs = best.filter(|(_, item)| seen.insert(item.clone())).collect();
        }
        while self.pairs.len() > self.k as usize {
            self.pairs.pop_first();
        }
        self
    }

    /// Whether a pair as good is there that takes the place of this one.
    fn has(&self, (score, item): &Pair<R>) -> bool {
        match R::ONE_EACH {
            true => self.pairs.iter().any(|(s, x)| x == item && s >= score),
            false => self.pairs.contains(&(score.clone(), item.clone())),
        }
    }

    fn has_no_item_twice(&self) -> bool {
        let items: HashSet<&Text> = self.pairs.iter().map(|(_, item)| item).collect();
        items.len() == self.pairs.len()
    }
}

impl<R: Ranking> Merge for Best<R> {
    fn identity() -> Self {
        Best::none(u32::MAX)
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        let pairs = self.pairs.union(&other.pairs).cloned().collect();
        let k = self.k.min(other.k);
        Some(Best { k, pairs }.cut())
    }
}

impl<R: Ranking> Encoding for Best<R> {
    const TAG: u8 = if R::ONE_EACH { 12 } else { 3 };

    fn write(&self, out: &mut Vec<u8>) {
        out.push(R::Score::KIND);
        write_unsigned(self.k.into(), out);
        write_unsigned(self.pairs.len() as u128, out);
        for (score, item) in &self.pairs {
            score.write(out);
            write_bytes(item, out);
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        if input.byte()? != R::Score::KIND {
            return Err(Corrupt::Malformed);
        }
        let k = u32::try_from(input.count()?).map_err(|_| Corrupt::Malformed)?;
        let count = input.count()?;
        if count > k as usize {
            return Err(Corrupt::Malformed);
        }
        let mut pairs: Vec<Pair<R>> = Vec::new();
        // Ends with the input: each pair takes at least a byte.
        for _ in 0..count {
            let pair = (R::Score::read(input)?, input.bytes()?.to_vec());
            if pairs.last().is_some_and(|last| *last >= pair) {
                return Err(Corrupt::Malformed);
            }
            pairs.push(pair);
        }
        // In order already: that is cheaper than to insert one after the other.
        let pairs = BTreeSet::from_iter(pairs);
        let best = Best { k, pairs };
        match R::ONE_EACH && !best.has_no_item_twice() {
            true => Err(Corrupt::Malformed),
            false => Ok(best),
        }
    }
}

/// Adds a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add<S>(pub S, pub Text);

/// A look at part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// So many of the best pairs.
    Top(u32),
    /// The number of pairs.
    Size,
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<S> {
    /// To [`Query::Top`], the best first.
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

impl<R: Ranking> DataType for Board<R> {
    const NAME: &'static str = R::NAME;
    type State = Best<R>;
    type Value = Best<R>;
    type Operation = Add<R::Score>;
    type Query = Query;
    type Answer = Answer<R::Score>;
    type Method = Method;
    const METHODS: &'static [Method] = &[Method::Add, Method::Top, Method::Size];

    fn describe(method: Method) -> Description {
        match method {
            Method::Add => Description::operation("add", &["v", "x"], Footprint::ADD)
                .idle(R::IDLE, Footprint::LASTING),
            Method::Top => Description::query(R::BEST, &["n"], Footprint::READ),
            Method::Size => Description::query("size", &[], Footprint::READ),
        }
    }

    fn rule(a: Method, _: Method) -> Condition<Self> {
        match a {
            Method::Add => Condition::Always,
            Method::Top | Method::Size => Condition::Idle,
        }
    }

    fn operation_method(_: &Add<R::Score>) -> Method {
        Method::Add
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Top(_) => Method::Top,
            Query::Size => Method::Size,
        }
    }

    fn operation_element(_: &Add<R::Score>) -> Option<&[u8]> {
        None
    }

    fn query_element(_: &Query) -> Option<&[u8]> {
        None
    }

    fn value(state: &Best<R>) -> Best<R> {
        state.clone()
    }

    fn answer(state: &Best<R>, query: &Query) -> Answer<R::Score> {
        match query {
            Query::Top(count) => {
                Answer::Top(state.pairs().take(*count as usize).cloned().collect())
            }
            Query::Size => Answer::Size(state.pairs.len()),
        }
    }

    fn is_blind(_: &Add<R::Score>) -> bool {
        true
    }

    fn change(add: &Add<R::Score>, _: Option<&Best<R>>) -> Result<Best<R>, Refused> {
        Ok(Best::of(u32::MAX, [(add.0.clone(), add.1.clone())]))
    }

    fn is_idle(add: &Add<R::Score>, state: &Best<R>) -> bool {
        let pair = (add.0.clone(), add.1.clone());
        let full = state.pairs.len() >= state.k as usize;
        full && state.pairs.first().is_none_or(|least| pair <= *least) || state.has(&pair)
    }

    fn new_slice(base: &Best<R>) -> Best<R> {
        Best::none(base.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    /// What the checks need of a score.
    trait Score: Ordered {
        fn of(number: i64) -> Self;
    }

    impl Score for i64 {
        fn of(number: i64) -> Self {
            number
        }
    }

    impl Score for Reverse<i64> {
        fn of(number: i64) -> Self {
            Reverse(number)
        }
    }

    impl<R: Ranking<Score: Score>> Small for Board<R> {
        fn beginnings() -> Vec<Best<R>> {
            [0, 1, 2].map(Best::none).to_vec()
        }

        fn operations() -> Vec<Add<R::Score>> {
            [(1, "a"), (1, "b"), (2, "a")]
                .map(|(score, item)| Add(R::Score::of(score), item.into()))
                .to_vec()
        }

        fn queries() -> Vec<Query> {
            vec![Query::Top(1), Query::Top(2), Query::Size]
        }

        fn any_state() -> BoxedStrategy<Best<R>> {
            let k = prop_oneof![Just(2), Just(u32::MAX), 0..6_u32];
            let pairs =
                prop::collection::vec((-3..3_i64, prop::collection::vec(0..3_u8, 0..2)), 0..6);
            (k, pairs)
                .prop_map(|(k, pairs)| {
                    let pairs = pairs.into_iter();
                    Best::of(k, pairs.map(|(score, item)| (R::Score::of(score), item)))
                })
                .boxed()
        }
    }

    laws!(greatest_pairs, TopK<i64>);
    laws!(least_pairs, BottomK<i64>);
    laws!(greatest_items, TopItems<i64>);
    laws!(least_items, BottomItems<i64>);

    /// What is left of these scores, in this order, with a k of 2.
    fn left<R: Ranking<Score: Score>>() -> Vec<Pair<R>> {
        let mut state = Best::none(2);
        for (score, item) in [
            (55, "ann"),
            (40, "bob"),
            (60, "cid"),
            (65, "cid"),
            (55, "ann"),
            (41, "bob"),
        ] {
            Board::<R>::apply(&mut state, &Add(R::Score::of(score), item.into())).unwrap();
        }
        state.pairs().cloned().collect()
    }

    #[test]
    fn the_best_stay() {
        let [ann, bob, cid] = ["ann", "bob", "cid"].map(Text::from);
        assert_eq!(
            left::<GreatestPairs<i64>>(),
            [(65, cid.clone()), (60, cid.clone())]
        );
        assert_eq!(
            left::<LeastPairs<i64>>(),
            [(Reverse(40), bob.clone()), (Reverse(41), bob.clone())]
        );
        assert_eq!(left::<GreatestItems<i64>>(), [(65, cid), (55, ann.clone())]);
        assert_eq!(
            left::<LeastItems<i64>>(),
            [(Reverse(40), bob), (Reverse(55), ann)]
        );
    }

    #[test]
    fn no_item_is_read_twice_where_each_has_one_entry() {
        let twice: BTreeSet<_> = [(1, Text::from("a")), (2, Text::from("a"))].into();
        let mut bytes = Vec::new();
        let state = Best::<GreatestItems<i64>> { k: 2, pairs: twice };
        state.encode(&mut bytes);
        assert_eq!(
            Best::<GreatestItems<i64>>::decode(&bytes),
            Err(Corrupt::Malformed)
        );
    }
}
