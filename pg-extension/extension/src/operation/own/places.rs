//! Where a transaction has operated on an object, through its subtransactions.

use crate::operation::foresight::Statement;
use pgrx::pg_sys::{self, ItemPointerData, Oid};

/// Where and by what a transaction has operated on an object.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) relation: Oid,
    pub(super) attribute: i16,
    /// A version of the row that has the object.
    pub(super) version: ItemPointerData,
    /// The transaction wrote that version, and so holds the row.
    pub(super) in_row: bool,
    /// The statement that did it, which goes on to see what it saw before.
    pub(super) command: pg_sys::CommandId,
    /// The subtransaction that did it, or the one this has become part of.
    pub(super) subtransaction: pg_sys::SubTransactionId,
    pub(super) statement: Option<Statement>,
}

/// The operations on one object: of each subtransaction the last one. Most often it is one, which needs no memory of its own.
pub(super) struct Places {
    pub(super) last: Place,
    /// Those of outer subtransactions, outermost first.
    pub(super) outer: Vec<Place>,
}

impl Places {
    pub(super) fn of(first: Place) -> Self {
        Places {
            last: first,
            outer: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, place: Place) {
        let before = std::mem::replace(&mut self.last, place);
        if before.subtransaction != place.subtransaction {
            self.outer.push(before);
        }
    }

    /// A subtransaction was rolled back. False if nothing is left.
    pub(super) fn undo(&mut self, ended: pg_sys::SubTransactionId) -> bool {
        self.outer.retain(|place| place.subtransaction != ended);
        if self.last.subtransaction != ended {
            return true;
        }
        let outer = self.outer.pop();
        self.last = outer.unwrap_or(self.last);
        outer.is_some()
    }

    /// A subtransaction has become part of its parent.
    pub(super) fn merge(
        &mut self,
        ended: pg_sys::SubTransactionId,
        parent: pg_sys::SubTransactionId,
    ) {
        if self.last.subtransaction == ended {
            self.outer.pop_if(|outer| outer.subtransaction == parent);
            self.last.subtransaction = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(command: u32, subtransaction: u32) -> Place {
        Place {
            relation: Oid::INVALID,
            attribute: 1,
            version: ItemPointerData::default(),
            in_row: false,
            command,
            subtransaction,
            statement: None,
        }
    }

    /// Operations as (command, subtransaction).
    fn places(all: &[(u32, u32)]) -> Places {
        let mut noted = Places::of(place(all[0].0, all[0].1));
        all[1..]
            .iter()
            .for_each(|(command, by)| noted.note(place(*command, *by)));
        noted
    }

    fn content(places: &Places) -> Vec<(u32, u32)> {
        let all = places.outer.iter().chain([&places.last]);
        all.map(|place| (place.command, place.subtransaction))
            .collect()
    }

    #[test]
    fn of_each_subtransaction_the_last_operation_counts() {
        assert_eq!(
            content(&places(&[(1, 1), (2, 1), (3, 2), (4, 2)])),
            [(2, 1), (4, 2)]
        );
    }

    #[test]
    fn a_rollback_brings_back_what_was_before() {
        let mut noted = places(&[(1, 1), (2, 2), (3, 3)]);
        assert!(noted.undo(3));
        assert_eq!(content(&noted), [(1, 1), (2, 2)]);
        assert!(noted.undo(4), "did nothing with the object");
        assert_eq!(content(&noted), [(1, 1), (2, 2)]);
        assert!(noted.undo(2));
        assert_eq!(content(&noted), [(1, 1)]);
        assert!(!noted.undo(1), "nothing is left");
    }

    #[test]
    fn a_released_savepoint_is_its_parents() {
        let mut noted = places(&[(1, 1), (2, 2), (3, 3)]);
        noted.merge(3, 2);
        assert_eq!(content(&noted), [(1, 1), (3, 2)]);
        noted.merge(4, 2);
        assert_eq!(content(&noted), [(1, 1), (3, 2)]);
        assert!(noted.undo(2));
        assert_eq!(content(&noted), [(1, 1)]);
        let mut alone = places(&[(1, 3)]);
        alone.merge(3, 2);
        assert!(alone.undo(3));
        assert!(!alone.undo(2));
    }
}
