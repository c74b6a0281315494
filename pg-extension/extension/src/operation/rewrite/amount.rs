//! What is added to a column, in the units in which it is kept.

use super::Relation;
use crate::operation::digits::Digits;
use crate::operation::tree::Any;

impl Relation<'_> {
    /// How the column counts units of decimal numbers, if it does.
    pub fn digits(&self, attribute: i16) -> Option<Digits> {
        let column = self.facts.column(attribute)?;
        Digits::of(self.symbols, self.entry.relid, attribute, column.type_)
    }

    /// The change as an operation on the column takes it.
    pub fn amount(&self, attribute: i16, change: Any) -> Any {
        match self.digits(attribute) {
            Some(of) => of.units(change),
            None => change,
        }
    }
}
