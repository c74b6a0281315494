//! What an expression asks for of single elements.

use super::FIRST_MARK;
use crate::operation::tree::{Any, Tree};
use pgrx::pg_sys;
use std::collections::BTreeSet;

/// An expression, and which elements it asks for of columns of one relation.
pub(super) struct Asked {
    /// With marks.
    pub(super) expression: Any,
    /// By number of the mark.
    pub(super) columns: Vec<(Tree<pg_sys::Var>, Any)>,
    /// What is read in another way, too.
    pub(super) whole: BTreeSet<i16>,
}

impl Asked {
    /// The element that this column is asked for, if that is all that is read of it.
    pub(super) fn element(&self, variable: &pg_sys::Var) -> Option<Any> {
        let place = usize::try_from(FIRST_MARK - variable.location).ok()?;
        let (_, element) = self.columns.get(place)?;
        self.is_in_part(variable.varattno).then_some(*element)
    }

    /// The columns of which single elements are all that is read.
    pub(super) fn columns(&self) -> BTreeSet<i16> {
        let columns = self.columns.iter().map(|(variable, _)| variable.varattno);
        columns.filter(|column| self.is_in_part(*column)).collect()
    }

    pub(super) fn is_in_part(&self, attribute: i16) -> bool {
        !self.whole.contains(&attribute) && !self.whole.contains(&0)
    }

    /// Whether there is no column of which single elements are all that is read.
    pub(super) fn is_empty(&self) -> bool {
        self.columns().is_empty()
    }
}
