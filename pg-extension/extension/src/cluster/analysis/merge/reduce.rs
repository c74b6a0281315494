//! Semi-join reduction: a row that meets nothing on its own node, where all that it could meet would be, need not come. What it could meet is there
//! if it is of reference tables, or of tables of its colocation group that are joined by key.

use super::super::parser;
use super::super::relation::{Placement, Relation};
use super::super::tree::{self, NodePtr};
use super::filter::{self, Filters};
use super::{Partitioned, build, outer, parts, used};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid, SubLinkType};
use std::collections::BTreeSet;

/// One relation of a level, whose rows are to be gathered.
pub struct Reduction<'l> {
    level: &'l pg_sys::Query,
    filters: &'l Filters,
    range: i32,
    /// Types of the statement's own parameters.
    parameters: &'l [Oid],
}

impl<'l> Reduction<'l> {
    /// Of a range of a distributed table; `filters` are those of the level. Nothing is replaced in the level yet.
    pub fn new(
        level: &'l pg_sys::Query,
        filters: &'l Filters,
        range: i32,
        parameters: &'l [Oid],
    ) -> Reduction<'l> {
        Reduction {
            level,
            filters,
            range,
            parameters,
        }
    }

    /// What its rows must meet on their own node, for a query in which it is the only range: conditions that must all hold.
    pub fn conditions(&self, relation: &Relation) -> Vec<NodePtr> {
        if !self.filters.keeps(self.range) {
            return Vec::new();
        }
        let mut all: Vec<NodePtr> = self
            .subqueries()
            .filter(|condition| self.is_local(*condition))
            .collect();
        all.extend(self.meetings(&self.partners(relation)));
        all
    }

    /// Conditions `x IN (SELECT ...)` and `EXISTS (SELECT ...)` that know of no other range of the level.
    fn subqueries(&self) -> impl Iterator<Item = NodePtr> {
        self.filters
            .joins()
            .iter()
            .filter_map(|condition| self.of_subquery(*condition))
    }

    fn of_subquery(&self, condition: NodePtr) -> Option<NodePtr> {
        let link = tree::cast::<pg_sys::SubLink, _>(condition)?;
        let semi_join = [SubLinkType::ANY_SUBLINK, SubLinkType::EXISTS_SUBLINK];
        // SAFETY: a valid expression.
        let volatile = unsafe { pg_sys::contain_volatile_functions(condition) };
        if volatile || !semi_join.contains(&link.subLinkType) {
            return None;
        }
        let mut own = true;
        let alone = tree::replace_by_depth(condition, 0, &mut |node, depth| {
            let var = tree::cast::<pg_sys::Var, _>(node)?;
            if var.varlevelsup as i32 != depth {
                return None;
            }
            own &= var.varno == self.range && var.varattno > 0;
            Some(build::renumbered(var, 1, var.varlevelsup))
        });
        own.then_some(alone)
    }

    /// Relations of the level of which each node has what rows of the range can meet, in the order in which they are joined.
    fn partners(&self, relation: &Relation) -> Vec<i32> {
        let mut candidates = self.candidates(relation);
        let mut chosen = Vec::new();
        while let Some(at) = candidates
            .iter()
            .position(|(partner, _)| self.is_joined(*partner, &chosen))
        {
            let (partner, everywhere) = candidates.remove(at);
            chosen.push(partner);
            if !everywhere && !self.are_local(&chosen) {
                chosen.pop();
            }
        }
        match self.are_local(&chosen) {
            true => chosen,
            false => Vec::new(),
        }
    }

    fn are_local(&self, partners: &[i32]) -> bool {
        let mut meetings = self.meetings(partners).into_iter();
        meetings.all(|meeting| self.is_local(meeting))
    }

    /// With whether every node has all of their rows; these come first.
    fn candidates(&self, relation: &Relation) -> Vec<(i32, bool)> {
        let group = relation.spreading().map(|spreading| spreading.colocation);
        let mut found = Vec::new();
        for range in used::relations(self.level) {
            // SAFETY: an entry of a valid query.
            let entry = unsafe { &*tree::range(self.level, range) };
            let other = Relation::new(entry.relid, 0);
            let everywhere = other.placement == Placement::Reference;
            let together = other.spreading().map(|spreading| spreading.colocation) == group;
            let usable = range != self.range
                && range != self.level.resultRelation
                && self.filters.keeps(range)
                && entry.tablesample.is_null();
            if usable && (everywhere || together) {
                found.push((range, everywhere));
            }
        }
        found.sort_by_key(|(_, everywhere)| !everywhere);
        found
    }

    /// Whether a hash join could join it to the range or one of those that were chosen.
    fn is_joined(&self, partner: i32, chosen: &[i32]) -> bool {
        self.filters.joins().iter().any(|condition| {
            is_equality(*condition)
                && filter::plain_ranges(*condition).is_some_and(|ranges| {
                    ranges.len() > 1
                        && ranges.contains(&partner)
                        && self.knows(&ranges, chosen, partner)
                })
        })
    }

    fn knows(&self, ranges: &BTreeSet<i32>, chosen: &[i32], partner: i32) -> bool {
        let known = |range: &i32| [self.range, partner].contains(range) || chosen.contains(range);
        ranges.iter().all(known)
    }

    /// That there are rows of partners that join: one condition for each group of partners that know each other. As one, all rows of a group would
    /// be joined with all of the next one.
    fn meetings(&self, partners: &[i32]) -> Vec<NodePtr> {
        let conditions = self.conditions_of(partners);
        let mut groups: Vec<BTreeSet<i32>> = partners
            .iter()
            .map(|partner| BTreeSet::from([*partner]))
            .collect();
        for (ranges, _) in &conditions {
            let knows = |group: &BTreeSet<i32>| !group.is_disjoint(ranges);
            let (known, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(knows);
            others.push(known.into_iter().flatten().collect());
            groups = others;
        }
        let groups = groups.into_iter().filter(|group| !group.is_empty());
        groups
            .map(|group| {
                let of_group = |(ranges, _): &&(BTreeSet<i32>, _)| !group.is_disjoint(ranges);
                let own = conditions.iter().filter(of_group);
                let own = own.map(|(_, condition)| *condition).collect();
                self.meeting(&group.iter().copied().collect::<Vec<_>>(), own)
            })
            .collect()
    }

    /// Conditions that read some of the partners, and beside these at most the range, with what they read.
    fn conditions_of(&self, partners: &[i32]) -> Vec<(BTreeSet<i32>, NodePtr)> {
        let joins = self.filters.joins().iter();
        let mut found: Vec<_> = joins
            .filter_map(|condition| Some((filter::plain_ranges(*condition)?, *condition)))
            .filter(|(ranges, _)| {
                partners.iter().any(|partner| ranges.contains(partner))
                    && self.knows(ranges, partners, self.range)
            })
            .collect();
        for partner in partners {
            let implied = self.filters.implied_of(*partner);
            found.extend(implied.map(|condition| (BTreeSet::from([*partner]), condition)));
        }
        found
    }

    /// That there are rows of all these partners that meet the conditions.
    fn meeting(&self, partners: &[i32], conditions: Vec<NodePtr>) -> NodePtr {
        let inside = conditions
            .into_iter()
            .map(|condition| self.inside(condition, partners));
        let entries = partners
            .iter()
            .map(|partner| tree::range(self.level, *partner));
        let query = parts::select(entries, filter::all_of(inside.collect()));
        parts::exists(query)
    }

    /// The condition as one of a subquery over the partners, of a query in which the range is the only one.
    fn inside(&self, condition: NodePtr, partners: &[i32]) -> NodePtr {
        tree::replace(condition, &mut |node| {
            let var = tree::cast::<pg_sys::Var, _>(node)?;
            let place = partners.iter().position(|partner| *partner == var.varno);
            Some(match place {
                Some(place) => build::renumbered(var, place as i32 + 1, 0),
                None => build::renumbered(var, 1, 1),
            })
        })
    }

    /// Whether each node can evaluate it by itself for its own rows of the range.
    fn is_local(&self, condition: NodePtr) -> bool {
        let query = parts::select([tree::range(self.level, self.range)], condition);
        query.targetList = parts::anything();
        let found = boundary::attempt(|| is_partitioned(query, self.parameters));
        // What cannot be analysed by itself is not local.
        !outer::reads_above(query) && found.unwrap_or(false)
    }
}

fn is_partitioned(query: &mut pg_sys::Query, parameters: &[Oid]) -> Result<bool, PostgresError> {
    let text = parser::deparse_for(query, &[])?;
    let found = Partitioned::of_text(&text, parameters)?;
    // Policies may read more.
    Ok(found.is_some_and(|found| found.scopes.relations.len() == used::mentions(found.query)))
}

fn is_equality(condition: NodePtr) -> bool {
    let Some(operation) = tree::cast::<pg_sys::OpExpr, _>(condition) else {
        return false;
    };
    let Some(first) = tree::nodes(operation.args).next() else {
        return false;
    };
    // SAFETY: a look-up by number.
    unsafe { pg_sys::op_hashjoinable(operation.opno, tree::type_of(first)) }
}
