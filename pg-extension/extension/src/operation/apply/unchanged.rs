//! Operations that change nothing, as `greatest(high, 20)` where it is 55: they are locked as others are, and write nothing.

use super::{Change, Flavour, family};
use crate::backend;
use crate::error::Error;
use crate::types::aggregated::Aggregated;

impl Change {
    /// Whether the row's own part of the value holds already what the operation merges into the value. Then so does the value, as long as
    /// nobody overwrites it. Looked at where that is usual. At SERIALIZABLE a write tells others that they have not seen it.
    pub(super) fn is_in_row(&self) -> Result<bool, Error> {
        let (Flavour::Aggregated(type_), Some(content), Some(delta)) =
            (self.column.flavour, self.content, self.delta)
        else {
            return Ok(false);
        };
        let family = family(type_)?;
        if family.notation.is_none() || family.structure.is_some() || backend::is_serializable() {
            return Ok(false);
        }
        // SAFETY: both are datums of the family's type.
        let read = |datum| unsafe { Aggregated::from_datum(family.clone(), datum) }.state;
        let base = read(content);
        Ok(family.merged(&base, &read(delta))? == base)
    }

    /// Whether each of these is in the row, and in an object that others know, so that its lock guards it.
    pub(super) fn all_in_row(changes: &[Change]) -> Result<bool, Error> {
        for change in changes {
            if change.id() == 0 || !change.is_in_row()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
