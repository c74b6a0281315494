//! Which columns must be equal for a row to matter, and to which values. Pure; knows no PostgreSQL.
//!
//! Three relations between columns, each derived from one kind of condition:
//! - *united*: each row that matters has both equal (WHERE, inner joins), so a value for one is a value for the other;
//! - *led*: rows of the second matter only where it equals the first (outer joins, correlated subqueries), so values
//!   pass from the first to the second only;
//! - *matched*: rows meet only where both are equal, but each matters also without the other (full joins).

use super::bounds::Bound;
use serde_json::Value as Json;
use std::collections::{BTreeSet, HashSet};

/// A column of one relation of a statement, or of a derived table.
pub type Column = usize;

/// See the module's text.
#[derive(Default)]
pub struct EqualityGraph {
    united: Vec<Column>,
    leads: Vec<(Column, Column)>,
    matches: Vec<(Column, Column)>,
    facts: Vec<(Column, Fact)>,
}

/// What a column is compared with.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fact {
    /// It equals this value.
    Is(Json),
    /// It equals one of these.
    In(Vec<Json>),
    /// It is before or behind a value.
    Bounded(Bound),
}

/// Columns that are equal, with the facts that hold for each of them.
#[derive(PartialEq, Debug)]
pub struct Class {
    /// In ascending order.
    pub columns: Vec<Column>,
    /// In the order of the statement.
    pub facts: Vec<Fact>,
}

impl EqualityGraph {
    /// A new column, related to nothing.
    pub fn add(&mut self) -> Column {
        self.united.push(self.united.len());
        self.united.len() - 1
    }

    /// See the module's text.
    pub fn unite(&mut self, one: Column, other: Column) {
        let (one, other) = (self.root(one), self.root(other));
        self.united[one.max(other)] = one.min(other);
    }

    /// See the module's text.
    pub fn lead(&mut self, from: Column, to: Column) {
        self.leads.push((from, to));
    }

    /// See the module's text.
    pub fn match_up(&mut self, one: Column, other: Column) {
        self.matches.push((one, other));
    }

    /// Records what a column is compared with.
    pub fn state(&mut self, column: Column, fact: Fact) {
        self.facts.push((column, fact));
    }

    fn root(&self, mut column: Column) -> Column {
        while self.united[column] != column {
            column = self.united[column];
        }
        column
    }

    /// Whether both hold the same value in each row that matters.
    pub fn are_united(&self, one: Column, other: Column) -> bool {
        self.root(one) == self.root(other)
    }

    /// Whether rows of `to` matter only where it equals `from`.
    pub fn reaches(&self, from: Column, to: Column) -> bool {
        let mut seen = BTreeSet::from([self.root(from)]);
        let mut waiting = vec![self.root(from)];
        while let Some(class) = waiting.pop() {
            for (start, end) in &self.leads {
                if self.root(*start) == class && seen.insert(self.root(*end)) {
                    waiting.push(self.root(*end));
                }
            }
        }
        seen.contains(&self.root(to))
    }

    /// Whether a full join compares the two.
    pub fn are_matched(&self, one: Column, other: Column) -> bool {
        self.matches.iter().any(|(left, right)| {
            (self.are_united(*left, one) && self.are_united(*right, other))
                || (self.are_united(*left, other) && self.are_united(*right, one))
        })
    }

    /// Every column that is united with this one, itself included.
    pub fn united_with(&self, column: Column) -> Vec<Column> {
        (0..self.united.len())
            .filter(|other| self.are_united(column, *other))
            .collect()
    }

    /// The sets of equal columns, with the facts that hold for them. Columns about which nothing is known are left out.
    pub fn classes(&self) -> Vec<Class> {
        let facts = self.facts_by_root();
        (0..self.united.len())
            .filter(|column| self.united[*column] == *column)
            .map(|root| Class {
                columns: self.united_with(root),
                facts: facts[root].list.clone(),
            })
            .filter(|class| class.columns.len() > 1 || !class.facts.is_empty())
            .collect()
    }

    /// Facts per root, after they have passed along all leads.
    fn facts_by_root(&self) -> Vec<Facts> {
        let mut facts = vec![Facts::default(); self.united.len()];
        for (column, fact) in &self.facts {
            facts[self.root(*column)].insert(fact);
        }
        loop {
            let mut passed = false;
            for (from, to) in &self.leads {
                let known = facts[self.root(*from)].list.clone();
                let target = &mut facts[self.root(*to)];
                passed |= known.iter().filter(|fact| target.insert(fact)).count() > 0;
            }
            if !passed {
                return facts;
            }
        }
    }
}

/// Facts, each once, in the order in which they were found. A statement of thousands of them is somebody's right.
#[derive(Clone, Default)]
struct Facts {
    list: Vec<Fact>,
    known: HashSet<Fact>,
}

impl Facts {
    /// Says whether it was not there yet.
    fn insert(&mut self, fact: &Fact) -> bool {
        let is_new = self.known.insert(fact.clone());
        if is_new {
            self.list.push(fact.clone());
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn graph(columns: usize) -> EqualityGraph {
        let mut graph = EqualityGraph::default();
        for _ in 0..columns {
            graph.add();
        }
        graph
    }

    fn is(value: i32) -> Fact {
        Fact::Is(json!(value))
    }

    #[test]
    fn a_value_holds_for_all_united_columns() {
        let mut graph = graph(3);
        graph.unite(0, 1);
        graph.unite(1, 2);
        graph.state(2, is(5));
        let expected = Class {
            columns: vec![0, 1, 2],
            facts: vec![is(5)],
        };
        assert_eq!(graph.classes(), vec![expected]);
    }

    #[test]
    fn a_value_follows_a_lead_but_never_goes_back() {
        let mut graph = graph(2);
        graph.lead(0, 1);
        graph.state(0, is(1));
        graph.state(1, is(2));
        assert_eq!(
            graph.classes(),
            vec![
                Class {
                    columns: vec![0],
                    facts: vec![is(1)]
                },
                Class {
                    columns: vec![1],
                    facts: vec![is(2), is(1)]
                },
            ]
        );
        assert!(graph.reaches(0, 1) && !graph.reaches(1, 0));
    }

    #[test]
    fn two_columns_that_lead_to_a_third_do_not_reach_each_other() {
        let mut graph = graph(3);
        graph.lead(0, 2);
        graph.lead(1, 2);
        assert!(!graph.reaches(0, 1) && !graph.reaches(1, 0));
    }

    #[test]
    fn no_value_passes_a_match() {
        let mut graph = graph(2);
        graph.match_up(0, 1);
        graph.state(0, is(1));
        assert!(graph.are_matched(1, 0) && !graph.reaches(0, 1));
        assert_eq!(
            graph.classes(),
            vec![Class {
                columns: vec![0],
                facts: vec![is(1)]
            }]
        );
    }

    #[test]
    fn leads_in_a_circle_end() {
        let mut graph = graph(3);
        graph.lead(0, 1);
        graph.lead(1, 2);
        graph.lead(2, 0);
        graph.state(1, is(7));
        assert!(
            graph
                .classes()
                .iter()
                .all(|class| class.facts == vec![is(7)])
        );
        assert!(graph.reaches(2, 1));
    }
}
