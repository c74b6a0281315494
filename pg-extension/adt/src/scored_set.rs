//! `abelian.scored_set`: texts with scores, which are exact decimal numbers.
//!
//! `add` adds to a score, as ZINCRBY of Redis does, and begins at zero if the element is not there: additions to one
//! element commute. `put` gives it a score and `remove` takes it out; either undoes whatever was added before, so it
//! does not commute with additions to the same element. `put_greater` and `put_less` give it a score that is better than
//! the one it has, as ZADD with GT and LT does: those in one direction commute. `trim` keeps the greatest scores and is
//! about the whole set: in SQL it overwrites. The state keeps, per element, how often it was added and the
//! sum: over all parts both add up. Additions are blind; the other two must know what is there to cancel it, so they are
//! resolved, under a lock that keeps everybody else from the element.

use crate::Merge;
use crate::data_type::{Access, DataType, Description, Refused};
use crate::encoding::{Corrupt, Reader, write_bytes, write_signed};
use crate::entries::{Entries, Entry, stored_as_entries};
use crate::exact::Exact;
use crate::locks::Footprint;
use crate::ordered::Text;
use crate::program::Elements;
use crate::specification::Condition;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The type.
#[derive(Clone, Debug)]
pub struct ScoredSet;

/// What a part of the object knows of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Score {
    /// Over all parts, positive if the element is there.
    additions: i64,
    /// Over all parts, its score; without zeros at the end, so that equal scores are the same.
    score: Exact,
}

impl Score {
    fn new(additions: i64, score: &Exact) -> Self {
        let score = score.stripped();
        Score { additions, score }
    }

    fn is_nothing(&self) -> bool {
        self.additions == 0 && self.score.is_zero()
    }
}

impl Entry for Score {
    fn merge(&self, other: &Self) -> Option<Option<Self>> {
        let additions = self.additions.checked_add(other.additions)?;
        let sum = Score::new(additions, &(&self.score + &other.score));
        Some((!sum.is_nothing()).then_some(sum))
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_signed(self.additions.into(), out);
        self.score.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let additions = input.signed_64()?;
        let score = Exact::read(input)?;
        let entry = Score { additions, score };
        if entry.is_nothing() || !entry.score.is_stripped() {
            return Err(Corrupt::Malformed);
        }
        Ok(entry)
    }

    fn skip(input: &mut Reader<'_>) -> Result<(), Corrupt> {
        input.skip_number()?;
        Exact::skip(input)
    }
}

/// Scores, or changes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores(Entries<Score>);

impl Scores {
    /// A whole state with these elements.
    pub fn of(elements: impl IntoIterator<Item = (Text, Exact)>) -> Self {
        let entries = elements.into_iter();
        Scores(Entries(
            entries
                .map(|(element, score)| (element, Score::new(1, &score)))
                .collect(),
        ))
    }

    /// The elements of a whole state with their scores, ordered by element.
    pub fn elements(&self) -> impl Iterator<Item = (&Text, &Exact)> {
        let present = self.0.0.iter().filter(|(_, entry)| entry.additions > 0);
        present.map(|(element, entry)| (element, &entry.score))
    }

    /// The elements of a whole state, the greatest score first, those of equal score by element.
    pub fn ranking(&self) -> Vec<(&Text, &Exact)> {
        let mut ranking: Vec<_> = self.elements().collect();
        ranking.sort_by_key(|(element, score)| (Reverse(*score), *element));
        ranking
    }

    /// The score of an element that is there.
    pub fn score(&self, element: &[u8]) -> Option<&Exact> {
        let entry = self.0.0.get(element).filter(|entry| entry.additions > 0);
        entry.map(|entry| &entry.score)
    }

    /// What takes out all elements of a whole state but so many with the greatest scores.
    fn all_below(&self, count: usize) -> Self {
        let below = self.ranking().into_iter().skip(count);
        let entries = below.map(|(element, score)| {
            let additions = self.0.0.get(element).map_or(0, |entry| entry.additions);
            (element.clone(), Score::new(-additions, &-score))
        });
        Scores(Entries(entries.collect()))
    }

    /// Whether so many elements with the greatest scores are all that there are, or this is one of them.
    fn keeps(&self, count: usize, element: &[u8]) -> bool {
        let mut kept = self.ranking().into_iter().take(count);
        self.elements().count() <= count || kept.any(|(there, _)| there == element)
    }

    fn one(element: &Text, additions: i64, score: &Exact) -> Self {
        let entry = Score::new(additions, score);
        Scores(Entries::one(
            element,
            (!entry.is_nothing()).then_some(entry),
        ))
    }
}

stored_as_entries!(Scores, Score, 5);

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds to the score of an element; puts it in if it is not there.
    Add(Text, Exact),
    /// Gives an element a score; puts it in if it is not there.
    Put(Text, Exact),
    /// Gives an element a score, unless it has a score as great; puts it in if it is not there.
    PutGreater(Text, Exact),
    /// Gives an element a score, unless it has a score as small; puts it in if it is not there.
    PutLess(Text, Exact),
    /// Takes an element out, if it is there.
    Remove(Text),
    /// Takes all elements out but so many with the greatest scores.
    Trim(usize),
}

/// A look at part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The score of an element.
    Score(Text),
    /// Whether an element is there.
    Contains(Text),
    /// The number of elements.
    Size,
    /// So many of the elements with the greatest scores.
    Top(usize),
    /// The place of an element among all, the greatest score first, counted from 1.
    Rank(Text),
}

/// What a query gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To [`Query::Score`].
    Score(Option<Exact>),
    /// To [`Query::Contains`].
    Contains(bool),
    /// To [`Query::Size`].
    Size(usize),
    /// To [`Query::Top`].
    Top(Vec<(Text, Exact)>),
    /// To [`Query::Rank`].
    Rank(Option<usize>),
}

/// The methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// [`Operation::Add`]
    Add,
    /// [`Operation::Put`]
    Put,
    /// [`Operation::PutGreater`]
    PutGreater,
    /// [`Operation::PutLess`]
    PutLess,
    /// [`Operation::Remove`]
    Remove,
    /// [`Operation::Trim`]
    Trim,
    /// [`Query::Score`]
    Score,
    /// [`Query::Contains`]
    Contains,
    /// [`Query::Size`]
    Size,
    /// [`Query::Top`]
    Top,
    /// [`Query::Rank`]
    Rank,
}

impl DataType for ScoredSet {
    const NAME: &'static str = "scored_set";
    type State = Scores;
    type Value = BTreeMap<Text, Exact>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = &[
        Method::Add,
        Method::Put,
        Method::PutGreater,
        Method::PutLess,
        Method::Remove,
        Method::Trim,
        Method::Score,
        Method::Contains,
        Method::Size,
        Method::Top,
        Method::Rank,
    ];

    fn describe(method: Method) -> Description {
        let resolved = Footprint::OVERWRITE_ELEMENT;
        match method {
            Method::Add => Description::operation("add", &["x", "n"], Footprint::ADD_ELEMENT),
            Method::Put => Description::operation("put", &["x", "n"], resolved)
                .idle("{x} has score {n} already", Footprint::READ_ELEMENT),
            Method::PutGreater => Description::operation("put_greater", &["x", "n"], resolved)
                .idle(
                    "{x} has score {n} or a greater one",
                    Footprint::READ_ELEMENT,
                ),
            Method::PutLess => Description::operation("put_less", &["x", "n"], resolved)
                .idle("{x} has score {n} or a lower one", Footprint::READ_ELEMENT),
            Method::Remove => Description::operation("remove", &["x"], resolved)
                .idle("{x} is not in it", Footprint::READ_ELEMENT),
            Method::Trim => Description::operation("trim", &["n"], Footprint::OVERWRITE),
            Method::Score => Description::query("score", &["x"], Footprint::READ_ELEMENT),
            Method::Contains => Description::query("contains", &["x"], Footprint::READ_ELEMENT),
            Method::Size => Description::query("size", &[], Footprint::READ),
            Method::Top => Description::query("top", &["n"], Footprint::READ),
            Method::Rank => Description::query("rank", &["x"], Footprint::READ),
        }
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        use Condition::{Always, Different, DifferentOrIdle, DifferentOrWhen, Idle, Never, When};
        use Method::{
            Add, Contains, Put, PutGreater, PutLess, Rank, Remove, Score, Size, Top, Trim,
        };
        const PRESENT: &str = "{x} is in it already";
        const ALL: &str = "there are no more than {n}";
        const KEPT: &str = "y is not in it, or among the {n} greatest";
        match (a, b) {
            (PutGreater, PutGreater) | (PutLess, PutLess) => Always,
            (Add, Put | PutGreater | PutLess | Remove)
            | (Put | PutGreater | PutLess, Remove)
            | (Score, Add) => Different,
            (Add | Put | PutGreater | PutLess, Trim) => Never,
            (Remove, Trim) => When(
                "{x} is not among the m greatest, or there are no more than m",
                removal_is_trimmed,
            ),
            (Score | Contains | Rank, Trim) => When(KEPT, query_is_kept),
            (Size, Trim) => When(ALL, query_is_kept),
            (Top, Trim) => When(
                "m is not above {n}, or there are no more than {n}",
                query_is_kept,
            ),
            (Put, Put) => DifferentOrWhen("n = m", either_order),
            (Put, PutGreater) => DifferentOrWhen("m is not greater than n", either_order),
            (Put, PutLess) => DifferentOrWhen("m is not less than n", either_order),
            (PutGreater, PutLess) => {
                DifferentOrWhen("n = m, or n < m and {x} is in it already", either_order)
            }
            (Contains, Add | Put | PutGreater | PutLess) => {
                DifferentOrWhen(PRESENT, operand_is_present)
            }
            (Size, Add | Put | PutGreater | PutLess) => When(PRESENT, operand_is_present),
            (Score, Put | PutGreater | PutLess | Remove) | (Contains, Remove) => DifferentOrIdle,
            (Top | Rank, Add) => Never,
            (Size, Remove) | (Top | Rank, Put | PutGreater | PutLess | Remove) => Idle,
            _ => Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        match operation {
            Operation::Add(..) => Method::Add,
            Operation::Put(..) => Method::Put,
            Operation::PutGreater(..) => Method::PutGreater,
            Operation::PutLess(..) => Method::PutLess,
            Operation::Remove(_) => Method::Remove,
            Operation::Trim(_) => Method::Trim,
        }
    }

    fn query_method(query: &Query) -> Method {
        match query {
            Query::Score(_) => Method::Score,
            Query::Contains(_) => Method::Contains,
            Query::Size => Method::Size,
            Query::Top(_) => Method::Top,
            Query::Rank(_) => Method::Rank,
        }
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        match operation {
            Operation::Add(element, _)
            | Operation::Put(element, _)
            | Operation::PutGreater(element, _)
            | Operation::PutLess(element, _)
            | Operation::Remove(element) => Some(element),
            Operation::Trim(_) => None,
        }
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        match query {
            Query::Score(element) | Query::Contains(element) => Some(element),
            Query::Size | Query::Top(_) | Query::Rank(_) => None,
        }
    }

    fn value(state: &Scores) -> BTreeMap<Text, Exact> {
        let elements = state.elements();
        elements
            .map(|(element, score)| (element.clone(), score.clone()))
            .collect()
    }

    fn answer(state: &Scores, query: &Query) -> Answer {
        match query {
            Query::Score(element) => Answer::Score(state.score(element).cloned()),
            Query::Contains(element) => Answer::Contains(state.score(element).is_some()),
            Query::Size => Answer::Size(state.elements().count()),
            Query::Top(count) => {
                let top = state.ranking().into_iter().take(*count);
                Answer::Top(
                    top.map(|(element, score)| (element.clone(), score.clone()))
                        .collect(),
                )
            }
            Query::Rank(element) => {
                let mut ranking = state.ranking().into_iter();
                Answer::Rank(
                    ranking
                        .position(|(there, _)| there == element)
                        .map(|n| n + 1),
                )
            }
        }
    }

    fn is_blind(operation: &Operation) -> bool {
        matches!(operation, Operation::Add(..))
    }

    fn change(operation: &Operation, newest: Option<&Scores>) -> Result<Scores, Refused> {
        let (element, to) = match operation {
            Operation::Add(element, score) => return Ok(Scores::one(element, 1, score)),
            Operation::Put(element, score)
            | Operation::PutGreater(element, score)
            | Operation::PutLess(element, score) => (element, Some(score)),
            Operation::Remove(element) => (element, None),
            Operation::Trim(count) => {
                let newest = newest.ok_or(Refused::NeedsValue)?;
                return Ok(newest.all_below(*count));
            }
        };
        let newest = newest.ok_or(Refused::NeedsValue)?;
        if Self::is_idle(operation, newest) {
            return Ok(Scores::identity());
        }
        let none = Score::new(0, &Exact::ZERO);
        let entry = newest.0.0.get(element).unwrap_or(&none);
        let cancelled = -&entry.score;
        Ok(match to {
            Some(score) => Scores::one(element, 1, &(score + &cancelled)),
            None => Scores::one(element, -entry.additions, &cancelled),
        })
    }

    fn is_idle(operation: &Operation, state: &Scores) -> bool {
        match operation {
            Operation::Add(..) => false,
            Operation::Put(element, score) => state.score(element) == Some(&score.stripped()),
            Operation::PutGreater(element, score) => state
                .score(element)
                .is_some_and(|there| *there >= score.stripped()),
            Operation::PutLess(element, score) => state
                .score(element)
                .is_some_and(|there| *there <= score.stripped()),
            Operation::Remove(element) => state.score(element).is_none(),
            Operation::Trim(count) => state.elements().count() <= *count,
        }
    }

    fn compact(whole: Scores) -> Scores {
        Scores::of(
            whole
                .elements()
                .map(|(element, score)| (element.clone(), score.clone())),
        )
    }
}

/// Whether the element of the operation, which comes second, is in it.
fn operand_is_present(
    state: &Scores,
    _: &Access<ScoredSet>,
    operation: &Access<ScoredSet>,
) -> bool {
    let element = operation.element();
    element.is_some_and(|element| state.score(element).is_some())
}

/// Whether trimming and removing an element take out the same in either order.
fn removal_is_trimmed(
    state: &Scores,
    removal: &Access<ScoredSet>,
    trim: &Access<ScoredSet>,
) -> bool {
    let (Access::Operate(Operation::Remove(element)), Access::Operate(Operation::Trim(count))) =
        (removal, trim)
    else {
        return false;
    };
    state.elements().count() <= *count || !state.keeps(*count, element)
}

/// Whether a query asks for what trimming leaves as it is.
fn query_is_kept(state: &Scores, query: &Access<ScoredSet>, trim: &Access<ScoredSet>) -> bool {
    let (Access::Query(query), Access::Operate(Operation::Trim(count))) = (query, trim) else {
        return false;
    };
    match query {
        Query::Score(element) | Query::Contains(element) | Query::Rank(element) => {
            state.score(element).is_none() || state.keeps(*count, element)
        }
        Query::Top(asked) => asked <= count || state.elements().count() <= *count,
        Query::Size => state.elements().count() <= *count,
    }
}

/// Whether two operations that give an element a score come to the same score in either order.
fn either_order(state: &Scores, a: &Access<ScoredSet>, b: &Access<ScoredSet>) -> bool {
    let (Access::Operate(a), Access::Operate(b)) = (a, b) else {
        return false;
    };
    let there = ScoredSet::operation_element(a).and_then(|element| state.score(element).cloned());
    let in_order = |first: &Operation, second: &Operation| {
        score_after(second, score_after(first, there.clone())).map(|score| score.stripped())
    };
    in_order(a, b) == in_order(b, a)
}

/// The score of the element of an operation that gives it one.
fn score_after(operation: &Operation, before: Option<Exact>) -> Option<Exact> {
    match (operation, before) {
        (Operation::PutGreater(_, score), Some(before)) => Some(before.max(score.clone())),
        (Operation::PutLess(_, score), Some(before)) => Some(before.min(score.clone())),
        (
            Operation::Put(_, score)
            | Operation::PutGreater(_, score)
            | Operation::PutLess(_, score),
            _,
        ) => Some(score.clone()),
        (Operation::Add(..) | Operation::Remove(_) | Operation::Trim(_), before) => before,
    }
}

impl Elements for ScoredSet {
    fn write_operation(operation: &Operation, out: &mut Vec<u8>) {
        let (code, element, score) = match operation {
            Operation::Add(element, score) => (0, element, Some(score)),
            Operation::Put(element, score) => (1, element, Some(score)),
            Operation::Remove(element) => (2, element, None),
            Operation::PutGreater(element, score) => (3, element, Some(score)),
            Operation::PutLess(element, score) => (4, element, Some(score)),
            // About no element, it belongs in no program: this is not read.
            Operation::Trim(_) => return out.push(5),
        };
        out.push(code);
        write_bytes(element, out);
        if let Some(score) = score {
            score.write(out);
        }
    }

    fn read_operation(input: &mut Reader<'_>) -> Result<Operation, Corrupt> {
        let code = input.byte()?;
        let element = input.bytes()?.to_vec();
        match code {
            0 => Ok(Operation::Add(element, Exact::read(input)?)),
            1 => Ok(Operation::Put(element, Exact::read(input)?)),
            2 => Ok(Operation::Remove(element)),
            3 => Ok(Operation::PutGreater(element, Exact::read(input)?)),
            4 => Ok(Operation::PutLess(element, Exact::read(input)?)),
            _ => Err(Corrupt::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::tests::{any_exact, exact};
    use crate::laws::{Small, laws};
    use proptest::prelude::*;

    impl Small for ScoredSet {
        fn operations() -> Vec<Operation> {
            let [a, b] = ["a", "b"].map(Text::from);
            vec![
                Operation::Add(a.clone(), exact("1.5")),
                Operation::Add(a.clone(), exact("-2")),
                Operation::Add(b.clone(), exact("1")),
                Operation::Put(a.clone(), exact("1.50")),
                Operation::Put(a.clone(), exact("0")),
                Operation::Put(b.clone(), exact("1")),
                Operation::PutGreater(a.clone(), exact("1")),
                Operation::PutGreater(a.clone(), exact("2.0")),
                Operation::PutGreater(b.clone(), exact("1")),
                Operation::PutLess(a.clone(), exact("1")),
                Operation::PutLess(a.clone(), exact("-1")),
                Operation::PutLess(b.clone(), exact("2")),
                Operation::Remove(a),
                Operation::Remove(b),
                Operation::Trim(1),
            ]
        }

        fn queries() -> Vec<Query> {
            let [a, b] = ["a", "b"].map(Text::from);
            vec![
                Query::Score(a.clone()),
                Query::Score(b.clone()),
                Query::Contains(a.clone()),
                Query::Contains(b.clone()),
                Query::Rank(a),
                Query::Rank(b),
                Query::Size,
                Query::Top(1),
                Query::Top(2),
            ]
        }

        fn any_state() -> BoxedStrategy<Scores> {
            let entry = (any::<i32>(), any_exact());
            let entry = entry.prop_map(|(additions, score)| Score::new(additions.into(), &score));
            let entry = entry.prop_filter("no element", |entry| !entry.is_nothing());
            let element = prop::collection::vec(any::<u8>(), 0..3);
            prop::collection::btree_map(element, entry, 0..6)
                .prop_map(|scores| Scores(Entries(scores)))
                .boxed()
        }
    }

    laws!(of_texts, ScoredSet);

    #[test]
    fn the_greatest_score_ranks_first_and_ties_are_ranked_by_element() {
        let pairs = [("a", "1"), ("b", "2"), ("c", "2.0")];
        let scores = Scores::of(pairs.map(|(element, score)| (element.into(), exact(score))));
        let ranking: Vec<_> = scores
            .ranking()
            .into_iter()
            .map(|(element, _)| element.as_slice())
            .collect();
        assert_eq!(ranking, [b"b", b"c", b"a"]);
    }

    #[test]
    fn the_best_score_stays_in_whichever_order_scores_come() {
        for order in [["1", "3", "2"], ["3", "2", "1"], ["2", "1", "3"]] {
            let mut state = Scores::identity();
            for score in order {
                let greater = Operation::PutGreater("most".into(), exact(score));
                let less = Operation::PutLess("least".into(), exact(score));
                ScoredSet::apply(&mut state, &greater).unwrap();
                ScoredSet::apply(&mut state, &less).unwrap();
            }
            assert_eq!(state.score(b"most"), Some(&exact("3")));
            assert_eq!(state.score(b"least"), Some(&exact("1")));
        }
    }

    #[test]
    fn trimming_keeps_the_greatest_and_belongs_in_no_program() {
        let pairs = [("a", "1"), ("b", "2"), ("c", "2.0"), ("d", "-3")];
        let scores = pairs.map(|(element, score)| (element.into(), exact(score)));
        let mut state = Scores::of(scores);
        ScoredSet::apply(&mut state, &Operation::Add("a".into(), exact("0"))).unwrap();
        ScoredSet::apply(&mut state, &Operation::Trim(2)).unwrap();
        let left = [("b", "2"), ("c", "2")];
        assert_eq!(
            state,
            Scores::of(left.map(|(element, score)| (element.into(), exact(score))))
        );
        let mut program = Vec::new();
        ScoredSet::write_operation(&Operation::Trim(2), &mut program);
        assert!(crate::program::Program::<ScoredSet>::read(&program).is_err());
    }

    #[test]
    fn a_removed_element_leaves_nothing_behind() {
        let mut state = Scores::identity();
        for operation in [
            Operation::Add("a".into(), exact("0.5")),
            Operation::Put("a".into(), exact("7")),
            Operation::Add("a".into(), exact("0.5")),
            Operation::Remove("a".into()),
        ] {
            ScoredSet::apply(&mut state, &operation).unwrap();
        }
        assert_eq!(state, Scores::identity());
    }
}
