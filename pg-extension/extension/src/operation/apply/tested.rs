//! Conditions on a value that the statement operates on: what they are for the row at hand, and who decides them.

use super::{Apply, Change};
use crate::backend;
use crate::error::Error;
use crate::operation::escrow;
use crate::operation::executor::{Room, Target};
use crate::operation::own;
use crate::operation::pure::Private;
use crate::types::counter::Counter;
use abelian_adt::test_in_range::Condition;

/// The conditions of a statement on one of the columns that it operates on.
#[derive(Default)]
pub(super) struct Tested {
    /// Those of the version at hand.
    conditions: Room<Condition>,
    /// They compare with NULL, and so never hold.
    is_unknown: bool,
}

impl Tested {
    /// # Safety
    /// As [`Room::new`].
    pub(super) unsafe fn new(private: &Private) -> Self {
        Tested {
            // SAFETY: by the caller.
            conditions: unsafe { Room::new(private.forms().len()) },
            is_unknown: false,
        }
    }

    /// Takes what the plan has evaluated for the version at hand, after so many other columns.
    pub(super) fn renew(&mut self, private: &Private, target: &Target, after: usize) {
        self.is_unknown = false;
        let bigint = |n: usize| target.output(n).map(|datum| datum.value() as i64);
        for (n, form) in private.forms().enumerate() {
            match (bigint(after + 2 * n), bigint(after + 2 * n + 1)) {
                (Some(shift), Some(limit)) => self.conditions[n] = form.condition(shift, limit),
                _ => self.is_unknown = true,
            }
        }
    }

    /// Those on the column that is changed.
    pub(super) fn on(&self, change: &Change) -> &[Condition] {
        match change.column.tested {
            true => &self.conditions,
            false => &[],
        }
    }
}

/// What to do with a row whose value has to meet conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    /// Nothing: it does not meet them.
    Fails,
    /// Operate where escrow admits it.
    ByEscrow,
    /// Hold the value, and see.
    Alone,
}

impl Apply {
    /// Of a row that the plan has yielded. Where the value is to be held, or other rows depend on the same snapshot, the row is left alone
    /// unless that shows that it qualifies. What the transaction has operated on has no other value for it than the newest.
    pub(super) fn test_first(&self, changes: &[Change]) -> Result<Test, Error> {
        let test = self.test(changes);
        let Some(change) = changes.iter().find(|change| change.column.tested) else {
            return Ok(test);
        };
        let by_snapshot = test == Test::Alone || self.private.tests_snapshot;
        if test == Test::Fails || !by_snapshot || own::has_operated(change.id()) {
            return Ok(test);
        }
        match self.holds_for(change, Counter::value)? {
            true => Ok(test),
            false => Ok(Test::Fails),
        }
    }

    /// Of the version at hand, whatever its value is.
    pub(super) fn test(&self, changes: &[Change]) -> Test {
        let Some(change) = changes.iter().find(|change| change.column.tested) else {
            return Test::ByEscrow;
        };
        if change.done {
            return Test::ByEscrow;
        }
        if self.tested.is_unknown || change.content.is_none() {
            return Test::Fails;
        }
        let guarded = change
            .bounded()
            .is_some_and(|(bounded, _, delta)| bounded.guards(self.tested.on(change), delta));
        match guarded && !backend::has_one_snapshot() {
            true => Test::ByEscrow,
            false => Test::Alone,
        }
    }

    /// Whether the conditions hold for values that are held.
    pub(super) fn meets_conditions(&self, changes: &[Change]) -> Result<bool, Error> {
        let tested = changes
            .iter()
            .find(|change| change.column.tested && !change.done);
        tested.map_or(Ok(true), |change| {
            self.holds_for(change, Counter::newest_value)
        })
    }

    fn holds_for(
        &self,
        change: &Change,
        value: fn(Counter) -> Result<i64, Error>,
    ) -> Result<bool, Error> {
        match change.content {
            Some(content) if !self.tested.is_unknown => {
                // SAFETY: conditions are on bounded counters, and this is the column's datum.
                let value = value(unsafe { Counter::from_datum(content) })?;
                escrow::hold_for(self.tested.on(change), value)
            }
            _ => Ok(false),
        }
    }
}
