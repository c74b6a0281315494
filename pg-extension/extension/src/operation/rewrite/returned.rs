//! What RETURNING sees: the newest state of rows that the statement has locked, and single elements that can be held alone.

use super::super::row::Hold;
use super::super::tree::{self, Any, Tree};
use super::asked::Asked;
use super::{Relation, unmarked};
use crate::compat;
use pgrx::pg_sys;

impl Relation<'_> {
    /// OLD in RETURNING is what the statement has found in the row: the newest state, which it has locked.
    pub(super) fn return_old(&self) {
        self.return_newest(|column| compat::is_old(&column));
    }

    /// Has RETURNING read these columns in their newest state, which is locked.
    pub(super) fn return_newest(&self, concerns: impl Fn(Tree<pg_sys::Var>) -> bool) {
        for mut entry in tree::items::<pg_sys::TargetEntry>(self.query.returningList) {
            let Some(expression) = Tree::<pg_sys::Node>::new(entry.expr.cast()) else {
                continue;
            };
            let newest = tree::replace_columns(
                expression,
                self.number,
                &mut |column| match concerns(column) {
                    true => self.newest_column(column, Hold::Held as i32),
                    false => None,
                },
            );
            entry.expr = newest.pointer();
        }
    }

    /// What RETURNING asks for, if there are columns of which that are single elements only, which can be held alone: nobody else sees the
    /// new value, and the statement does not replace it.
    pub(super) fn returned_in_part(&self, targets: &[Tree<pg_sys::TargetEntry>]) -> Option<Asked> {
        let returning = Tree::<pg_sys::Node>::new(self.query.returningList.cast())?;
        let mut asked = self.asked_in(returning, 0);
        let facts = &self.facts;
        let mut seen = self.columns_read(self.query.withCheckOptions);
        seen.extend(&facts.watched); // what rows bound is among them
        let replaced = |attribute: i16| {
            let assigned = targets.iter().find(|t| !t.resjunk && t.resno == attribute);
            let expression = assigned.and_then(|t| Tree::<pg_sys::Node>::new(t.expr.cast()));
            expression.is_some_and(|expression| self.operation(attribute, expression).is_none())
        };
        for (variable, element) in &asked.columns {
            let attribute = variable.varattno;
            // What is locked before the row is changed must be what is read after that.
            let reads_row = !self
                .columns_read(element.pointer::<pg_sys::Node>())
                .is_empty();
            if reads_row || replaced(attribute) || seen.contains(&attribute) {
                asked.whole.insert(attribute);
            }
        }
        let sees_all = facts.update_trigger_reads || seen.contains(&0) || self.has_row_security();
        (!sees_all && !asked.is_empty()).then_some(asked)
    }

    /// Holds the elements that RETURNING asks for.
    pub(super) fn returned_elements(&self, asked: &Asked) -> Vec<Any> {
        let hold = |(variable, _): &(Tree<pg_sys::Var>, Any)| {
            let element = asked.element(variable)?;
            self.newest_element(unmarked(*variable), element, Hold::Overwrite as i32)
        };
        asked.columns.iter().filter_map(hold).collect()
    }
}
