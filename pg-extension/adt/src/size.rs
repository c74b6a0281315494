//! Escrow on the size of a set: how many elements it may have once the transactions under way have ended, and when a
//! change keeps its bounds however they end (`docs/design/escrow.md`, "Sizes of sets").
//!
//! An element is in a set if its count, over all parts, is positive. Each part turns out to be one of several states, so
//! each count lies in a [`Range`], and so does the size.

use crate::bounded_counter::{Bound, Bounds, Range, Verdict};
use crate::ordered::Text;
use crate::remembered::Widening;
use crate::set::Additions;
use std::collections::BTreeMap;

/// What is known of the counts of a set's elements; those that no part names are not in it.
#[derive(Clone, Debug, Default)]
pub struct Counts(BTreeMap<Text, Range>);

impl Counts {
    /// Adds a part of the object, which is one of these states, or was one while the transactions at it ran.
    pub fn include(&mut self, alternatives: &[Additions]) {
        let mut part: BTreeMap<&Text, (Range, usize)> = BTreeMap::new();
        for (element, count) in alternatives.iter().flat_map(Additions::counts) {
            let one = Range::certain(count.into());
            let known = part.entry(element).or_insert((one, 0));
            *known = (known.0.with(one), known.1 + 1);
        }
        for (element, (range, named)) in part {
            let absent = named < alternatives.len();
            let range = if absent {
                range.with(Range::default())
            } else {
                range
            };
            *self.0.entry(element.clone()).or_default() += range;
        }
    }

    /// Whether an element is in the set whatever the parts turn out to be.
    fn is_certain(&self, element: &Text) -> bool {
        self.0.get(element).is_some_and(|count| count.low > 0)
    }

    /// How many elements there may be once `change` is merged into a part.
    pub fn size_after(&self, change: &Additions) -> Range {
        let mut size = Range::default();
        let mut count = |range: Range| size += range.present();
        for (element, range) in &self.0 {
            count(*range + Range::certain(change.count(element).into()));
        }
        for (element, added) in change.counts() {
            if !self.0.contains_key(element) {
                count(Range::certain(added.into()));
            }
        }
        size
    }
}

impl Additions {
    /// By how much this change may raise and lower the size of a set.
    pub fn widening(&self) -> Widening {
        let number = |is: fn(i64) -> bool| {
            let elements = self.counts().filter(|(_, count)| is(*count)).count();
            i64::try_from(elements).unwrap_or(i64::MAX)
        };
        Widening {
            rise: number(|count| count > 0),
            fall: number(|count| count < 0),
        }
    }
}

impl Range {
    fn with(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether an element whose count this is may be in the set, as a number of elements.
    fn present(self) -> Range {
        Range {
            low: (self.low > 0).into(),
            high: (self.high > 0).into(),
        }
    }
}

impl Bounds {
    /// Whether a change of a set can take its size across one of the bounds at all.
    pub fn restrict_size(&self, change: &Additions) -> bool {
        self.ceiling.is_some() && change.adds() || self.floor.is_some() && change.removes()
    }

    /// Judges a change of a set: what the others may have made of it, and all that the operation's own transaction has done as
    /// it stands now, is in `counts`. As in [`Bounds::judge`], a bound is looked at if the change comes nearer to it: adding what
    /// is there for certain does not.
    pub fn judge_size(&self, counts: &Counts, change: &Additions) -> Verdict {
        let size = counts.size_after(change);
        let grows = change
            .counts()
            .any(|(element, count)| count > 0 && !counts.is_certain(element));
        let ceiling = self.ceiling.filter(|_| grows).map(|ceiling| {
            let limit = i128::from(ceiling);
            Self::verdict(
                size.high <= limit,
                size.low <= limit,
                Bound::Ceiling(ceiling),
            )
        });
        let floor = self.floor.filter(|_| change.removes()).map(|floor| {
            let limit = i128::from(floor);
            Self::verdict(size.low >= limit, size.high >= limit, Bound::Floor(floor))
        });
        match (ceiling, floor) {
            (Some(Verdict::Never(bound)), _) | (_, Some(Verdict::Never(bound))) => {
                Verdict::Never(bound)
            }
            (Some(Verdict::Waits), _) | (_, Some(Verdict::Waits)) => Verdict::Waits,
            _ => Verdict::Fits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Merge;
    use crate::data_type::DataType;
    use crate::remembered::Remembered;
    use crate::set::{Operation, Set};
    use proptest::prelude::*;

    const CAPACITY: i64 = 2;
    const SEATS: Bounds = Bounds {
        floor: Some(1),
        ceiling: Some(CAPACITY),
    };
    const WHO: usize = 3;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Add(u8),
        Remove(u8),
        /// To the state after so many of its operations.
        BackTo(usize),
        Commit,
        Abort,
    }

    fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
        let step = prop_oneof![
            4 => (0..4_u8).prop_map(Step::Add),
            3 => (0..4_u8).prop_map(Step::Remove),
            1 => (0..3_usize).prop_map(Step::BackTo),
            2 => Just(Step::Commit),
            1 => Just(Step::Abort),
        ];
        prop::collection::vec((0..WHO, step), 0..60)
    }

    /// What a running transaction has in its slice: all states that it has been in, the last one now.
    #[derive(Clone, Debug)]
    struct Running {
        states: Vec<Additions>,
        /// The locks on elements: for additions (false) or alone (true).
        locks: BTreeMap<u8, bool>,
    }

    impl Running {
        fn new() -> Self {
            Running {
                states: vec![Additions::identity()],
                locks: BTreeMap::new(),
            }
        }

        fn now(&self) -> &Additions {
            self.states.last().unwrap()
        }

        fn admits(&self, element: u8, alone: bool) -> bool {
            self.locks.get(&element).is_none_or(|held| !held && !alone)
        }
    }

    fn name(element: u8) -> Text {
        vec![element]
    }

    fn size(state: &Additions) -> i64 {
        state.elements().count() as i64
    }

    fn keeps(state: &Additions) -> bool {
        SEATS.crossed_by(size(state).into()).is_none()
    }

    struct Machine {
        base: Additions,
        all: Vec<Running>,
        /// Whether only what a transaction has now counts, as if it could end in no other way.
        ends_alone: bool,
        remembered: Remembered,
    }

    impl Machine {
        fn new(ends_alone: bool) -> Self {
            Machine {
                base: Additions::of([name(0)]),
                all: vec![Running::new(); WHO],
                ends_alone,
                remembered: Remembered::default(),
            }
        }

        fn whole(&self) -> Additions {
            let parts = self.all.iter().map(|one| one.now().clone());
            Additions::merge_all(parts.chain([self.base.clone()])).unwrap()
        }

        fn operate(&mut self, who: usize, element: u8, alone: bool) {
            let others = (0..WHO).filter(|n| *n != who);
            if !others.clone().all(|n| self.all[n].admits(element, alone)) {
                return;
            }
            let operation = match alone {
                true => Operation::Remove(name(element)),
                false => Operation::Add(name(element)),
            };
            let change = Set::change(&operation, Some(&self.whole())).unwrap();
            let mut counts = Counts::default();
            counts.include(std::slice::from_ref(&self.base));
            counts.include(std::slice::from_ref(self.all[who].now()));
            for n in others {
                let states = &self.all[n].states;
                match self.ends_alone {
                    true => counts.include(&[Additions::identity(), self.all[n].now().clone()]),
                    false => counts.include(states),
                }
            }
            let verdict = SEATS.judge_size(&counts, &change);
            if !self.ends_alone {
                self.verdict_is_true(who, &change, verdict);
                self.remember(who, &counts, &change, verdict);
            }
            if verdict == Verdict::Fits {
                let own = &mut self.all[who];
                own.states.push(own.now().merge(&change).unwrap());
                let held = own.locks.entry(element).or_insert(alone);
                *held |= alone;
            }
        }

        /// What is remembered of the size admits nothing that does not fit.
        fn remember(&self, who: usize, counts: &Counts, change: &Additions, verdict: Verdict) {
            let by = change.widening();
            let admitted = self.remembered.admit(by, SEATS);
            assert!(!admitted || verdict == Verdict::Fits);
            if admitted || verdict != Verdict::Fits {
                return;
            }
            if self.all[who].states.len() == 1 {
                let size = counts.size_after(&Additions::identity());
                self.remembered.renew(size);
            }
            self.remembered.widen(by);
        }

        /// Whatever the others turn out to be, a change that fits keeps the bounds, and one that never does crosses one.
        fn verdict_is_true(&self, who: usize, change: &Additions, verdict: Verdict) {
            let own = self.base.merge(self.all[who].now()).unwrap();
            let mut ends = vec![own.merge(change).unwrap()];
            for n in (0..WHO).filter(|n| *n != who) {
                let both = |end: &Additions| {
                    let states = self.all[n].states.iter();
                    states
                        .map(|state| end.merge(state).unwrap())
                        .collect::<Vec<_>>()
                };
                ends = ends.iter().flat_map(both).collect();
            }
            let crosses = |end: &Additions| match SEATS.crossed_by(size(end).into()) {
                Some(Bound::Ceiling(_)) => change.adds(),
                Some(Bound::Floor(_)) => change.removes(),
                None => false,
            };
            match verdict {
                Verdict::Fits => assert!(!ends.iter().any(crosses)),
                Verdict::Never(_) => assert!(ends.iter().all(crosses)),
                Verdict::Waits => {}
            }
        }

        /// Whether the bounds are kept by what is committed, and by each step of those under way if it comes next.
        fn run(mut self, history: &[(usize, Step)]) -> bool {
            for (who, step) in history {
                match *step {
                    Step::Add(element) => self.operate(*who, element, false),
                    Step::Remove(element) => self.operate(*who, element, true),
                    Step::BackTo(n) => {
                        let own = &mut self.all[*who];
                        let state = own.states[n.min(own.states.len() - 1)].clone();
                        own.states.push(state);
                    }
                    Step::Commit => {
                        let ended = std::mem::replace(&mut self.all[*who], Running::new());
                        self.base = self.base.merge(ended.now()).unwrap();
                    }
                    Step::Abort => self.all[*who] = Running::new(),
                }
                let steps = self.all.iter().flat_map(|one| &one.states);
                if !steps
                    .into_iter()
                    .all(|state| keeps(&self.base.merge(state).unwrap()))
                {
                    return false;
                }
            }
            true
        }
    }

    proptest! {
        #[test]
        fn a_set_keeps_the_bounds_of_its_size_in_the_order_of_commits(history in steps()) {
            prop_assert!(Machine::new(false).run(&history));
        }
    }

    /// A transaction that went to and fro counts with all that it has been.
    #[test]
    fn what_a_transaction_has_been_counts_too() {
        let history = [
            (0, Step::Add(1)),
            (0, Step::Remove(1)),
            (1, Step::Add(2)),
            (1, Step::Commit),
        ];
        assert!(!Machine::new(true).run(&history));
        assert!(Machine::new(false).run(&history));
    }

    #[test]
    fn who_is_far_from_the_bounds_is_admitted_by_memory() {
        let remembered = Remembered::default();
        remembered.renew(Range::certain(1));
        let one = Additions::of([name(1)]);
        assert!(remembered.admit(one.widening(), SEATS));
        assert!(!remembered.admit(one.widening(), SEATS));
    }

    /// Who adds what another may have added counts with that one's other states, too.
    #[test]
    fn what_is_not_there_for_certain_needs_room() {
        let history = [
            (2, Step::Add(3)),
            (2, Step::Remove(3)),
            (2, Step::Add(1)),
            (0, Step::Add(1)),
        ];
        assert!(Machine::new(false).run(&history));
    }

    /// The greatest size is above the ceiling here, though the set never is.
    #[test]
    fn what_is_there_for_certain_needs_no_room() {
        let states = [vec![], vec![1], vec![], vec![2]];
        let states = states.map(|names| Additions::of(names.into_iter().map(name)));
        let mut counts = Counts::default();
        counts.include(&[Additions::of([name(0)])]);
        counts.include(&states);
        let added = Additions::of([name(0)]);
        assert_eq!(SEATS.judge_size(&counts, &added), Verdict::Fits);
        let new = Additions::of([name(3)]);
        assert_eq!(SEATS.judge_size(&counts, &new), Verdict::Waits);
    }

    #[test]
    fn an_element_that_two_add_takes_one_place() {
        let mut counts = Counts::default();
        let none = Additions::identity();
        let one = Additions::of([name(1)]);
        counts.include(&[none.clone(), one.clone()]);
        counts.include(&[none, one.clone()]);
        let after = counts.size_after(&Additions::of([name(2)]));
        assert_eq!((after.low, after.high), (1, 2));
        assert_eq!(counts.size_after(&one), Range::certain(1));
    }
}
