//! What RETURNING gives of the columns that were operated on, where nobody has to be held off for that.

use super::{Apply, Change, Flavour, family};
use crate::aggregate::Family;
use crate::error::Error;
use crate::operation::own;
use crate::types::aggregated::Aggregated;
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use pgrx::pg_sys::Datum;

impl Apply {
    /// Numbers that were drawn, and values as they are now: what is committed, and the transaction's own operations, those just done included.
    pub(super) fn known_values(&self) -> Result<Vec<(i16, Option<Datum>)>, Error> {
        let mut known = Vec::new();
        for change in self.changes.iter() {
            if change.column.returned {
                let attribute = change.column.attribute;
                let content = match self.rewritten {
                    true => self.target.stored_column(attribute),
                    false => self.target.column(attribute),
                };
                // It is not to be held afterwards, so that it counts as no read.
                let value = own::look(|| content.map(|content| change.newest(content)).transpose());
                known.push((attribute, value?));
            } else if let Some((attribute, number)) = change.drawn() {
                known.push((attribute, Some(number)));
            }
        }
        Ok(known)
    }
}

impl Change {
    /// The column and the number that was drawn for it, which is what the statement returns whatever others have drawn.
    pub(super) fn drawn(&self) -> Option<(i16, Datum)> {
        let Flavour::Aggregated(type_) = self.column.flavour else {
            return None;
        };
        Family::of(type_)?.numbers?;
        Some((self.column.attribute, self.delta?))
    }

    /// The value of an object that the row has with this content, as a datum of the column's type that is no object.
    fn newest(&self, content: Datum) -> Result<Datum, Error> {
        // SAFETY: the content is a datum of the column's type.
        unsafe {
            Ok(match self.column.flavour {
                Flavour::Counter => Counter::from_datum(content).newest_alone()?.into_datum(),
                Flavour::Decimal => {
                    let value = DecimalCounter::from_datum(content).newest_value()?;
                    DecimalCounter::unidentified(value).into_datum()
                }
                Flavour::Aggregated(type_) => {
                    let family = family(type_)?;
                    let state = Aggregated::from_datum(family.clone(), content).newest()?;
                    Aggregated::unidentified(family, state).into_datum()
                }
            })
        }
    }
}
