//! The queries of WITH, what they read of each other, and in which order PostgreSQL runs those that change rows.

use super::given_rows;
use super::merge::build;
use super::reading::{reads_first, reads_nothing_else};
use super::tree;
use pgrx::pg_sys::{self, CmdType, CommonTableExpr};

/// The queries of a statement's WITH.
pub struct WithQueries(pub Vec<&'static CommonTableExpr>);

impl WithQueries {
    pub fn of(statement: &pg_sys::Query) -> Self {
        WithQueries(tree::list::<CommonTableExpr>(statement.cteList).collect())
    }

    pub fn name(&self, at: usize) -> String {
        tree::string(self.0[at].ctename)
    }

    pub fn named(&self, name: &str) -> Option<usize> {
        (0..self.0.len()).find(|at| self.name(*at) == name)
    }

    pub fn query(&self, at: usize) -> &'static pg_sys::Query {
        // SAFETY: an analysed query of WITH is a Query.
        unsafe { &*self.0[at].ctequery.cast() }
    }

    pub fn changes(&self, at: usize) -> bool {
        self.query(at).commandType != CmdType::CMD_SELECT
    }

    fn mentions(&self, at: usize, other: usize) -> bool {
        !given_rows::mentions(self.query(at), &self.name(other), 1).is_empty()
    }

    /// The queries whose rows this one reads, directly or not, in the order of WITH.
    pub fn needed_by(&self, at: usize) -> Vec<usize> {
        let mut needed = Vec::new();
        let mut open = vec![at];
        while let Some(next) = open.pop() {
            for other in 0..self.0.len() {
                if other != at && !needed.contains(&other) && self.mentions(next, other) {
                    needed.push(other);
                    open.push(other);
                }
            }
        }
        needed.sort_unstable();
        needed
    }

    /// Whether neither it nor what it needs changes rows.
    pub fn only_reads(&self, at: usize) -> bool {
        !self.changes(at) && self.needs_no_change(at)
    }

    fn needs_no_change(&self, at: usize) -> bool {
        !self
            .needed_by(at)
            .into_iter()
            .any(|other| self.changes(other))
    }

    /// The changes that need none of the others.
    pub fn ready_changes(&self) -> Vec<usize> {
        (0..self.0.len())
            .filter(|at| self.changes(*at) && self.needs_no_change(*at))
            .collect()
    }

    /// This query, or, as each is to run once, the first one that it needs and does not have to itself.
    pub fn unshared(&self, at: usize) -> usize {
        let needed = self.needed_by(at);
        let shared = needed.iter().copied().find(|inner| {
            (0..self.0.len()).any(|other| {
                other != at && !needed.contains(&other) && self.mentions(other, *inner)
            }) || self.is_read_by_statement(*inner)
        });
        shared.map_or(at, |inner| self.unshared(inner))
    }

    /// The number of the query that is this level; `None` for the statement itself.
    pub fn place(&self, level: *mut pg_sys::Query) -> Option<usize> {
        self.0
            .iter()
            .position(|with| std::ptr::eq(with.ctequery.cast(), level))
    }

    /// The queries whose rows a query, or the statement itself, reads, directly or not.
    pub fn read_by(&self, at: Option<usize>) -> Vec<usize> {
        match at {
            Some(at) => self.needed_by(at),
            None => (0..self.0.len())
                .filter(|with| {
                    self.is_read_by_statement(*with)
                        || (0..self.0.len()).any(|reader| {
                            self.is_read_by_statement(reader)
                                && self.needed_by(reader).contains(with)
                        })
                })
                .collect(),
        }
    }

    /// Whether PostgreSQL runs another change, or the statement itself, before this change; `None` where its plan decides. It runs the statement with
    /// what that reads; then the other changes, the last one of WITH first, each with what it reads.
    pub fn comes_before(
        &self,
        other: Option<usize>,
        change: usize,
        statement: &pg_sys::Query,
    ) -> Option<bool> {
        if self.read_by(other).contains(&change) {
            return self
                .is_read(change, statement, &reads_first)
                .then_some(false);
        }
        let has_both = |reader: Option<usize>| {
            let read = self.read_by(reader);
            read.contains(&change) && other.is_some_and(|other| read.contains(&other))
        };
        let is_run = |with| self.is_read(with, statement, &reads_nothing_else);
        let known = !self.readers(&has_both) && is_run(change) && other.is_none_or(is_run);
        let by_statement = self.read_by(None);
        let before = other.is_none_or(|other| {
            by_statement.contains(&other)
                || (!by_statement.contains(&change) && self.turn(other) > self.turn(change))
        });
        known.then_some(before)
    }

    /// Whether there is such a query, the statement among them.
    fn readers(&self, test: &dyn Fn(Option<usize>) -> bool) -> bool {
        test(None) || (0..self.0.len()).any(|at| test(Some(at)))
    }

    /// Whether all who read this query, if anybody does, do so in that way, and are read themselves in that way or run anyway.
    fn is_read(
        &self,
        with: usize,
        statement: &pg_sys::Query,
        how: &dyn Fn(&pg_sys::Query, &str, u32) -> bool,
    ) -> bool {
        let name = self.name(with);
        !self.readers(&|reader| match reader {
            None => {
                self.is_read_by_statement(with) && !how(self.by_itself(None, statement), &name, 0)
            }
            Some(at) => {
                let reads = at != with && self.mentions(at, with);
                reads
                    && !(how(self.query(at), &name, 1)
                        && (self.changes(at) || self.is_read(at, statement, how)))
            }
        })
    }

    /// The last change that reads this one, and so has PostgreSQL run it; itself if there is none.
    fn turn(&self, change: usize) -> usize {
        (change..self.0.len())
            .rev()
            .find(|at| self.changes(*at) && self.needed_by(*at).contains(&change))
            .unwrap_or(change)
    }

    /// Whether the statement itself reads it.
    fn is_read_by_statement(&self, at: usize) -> bool {
        self.0[at].cterefcount > self.mentions_in_with(at) as i32
    }

    fn mentions_in_with(&self, at: usize) -> usize {
        (0..self.0.len())
            .filter(|other| *other != at) // cterefcount does not count its own
            .map(|other| given_rows::mentions(self.query(other), &self.name(at), 1).len())
            .sum()
    }

    /// A query with those of WITH that it needs, as a statement; `None` stands for the statement itself, which needs none.
    pub fn by_itself(
        &self,
        at: Option<usize>,
        statement: &pg_sys::Query,
    ) -> &'static mut pg_sys::Query {
        let Some(at) = at else {
            let alone = build::copy(statement);
            alone.cteList = std::ptr::null_mut();
            alone.hasModifyingCTE = false;
            alone.hasRecursive = false;
            return alone;
        };
        let query = build::copy(self.query(at));
        // SAFETY: the copy is private; what it names in the WITH of the statement is in its own now, one level further down.
        unsafe { pg_sys::IncrementVarSublevelsUp(std::ptr::from_mut(query).cast(), -1, 1) };
        let needed = self.needed_by(at).into_iter();
        let with = needed.map(|inner| tree::copy(self.0[inner]).cast());
        let own = tree::nodes(query.cteList);
        query.cteList = tree::make_list(with.chain(own));
        query.hasRecursive |=
            tree::list::<CommonTableExpr>(query.cteList).any(|with| with.cterecursive);
        query.canSetTag = true;
        query
    }
}
