//! How operations on a `bounded_decimal` become ones on its units.
//!
//! What is added and what is compared with is turned into units where the plan evaluates it, so that whoever runs the plan knows only
//! whole numbers.

use super::escrow;
use super::symbols::{FixedPoint, Symbols};
use super::tree::{self, Any};
use pgrx::pg_sys::{self, Oid};

/// How a column counts units of decimal numbers.
pub struct Digits {
    functions: FixedPoint,
    /// Digits behind the point; negative where each value has its own, so that nothing can be added apart.
    digits: i32,
}

impl Digits {
    /// Of a column of this type, if it counts units.
    pub fn of(symbols: &Symbols, relation: Oid, attribute: i16, type_: Oid) -> Option<Digits> {
        Some(Digits {
            functions: symbols.kind(type_)?.fixed_point?,
            digits: escrow::modifier(relation, attribute),
        })
    }

    /// Whether all values of the column have as many.
    pub fn are_known(&self) -> bool {
        self.digits >= 0
    }

    /// An amount in units.
    pub fn units(&self, amount: Any) -> Any {
        let arguments = [amount, tree::integer(self.digits)];
        tree::call(self.functions.units, pg_sys::INT8OID, &arguments)
    }

    /// What the units, after a shift, are to be compared with: by `<=` if `at_most` and else by `>=`.
    pub fn limit(&self, limit: Any, shift: Option<Any>, at_most: bool, strict: bool) -> Any {
        let limit = match shift {
            Some(shift) => tree::call(
                pg_sys::F_NUMERIC_SUB.into(),
                pg_sys::NUMERICOID,
                &[limit, shift],
            ),
            None => limit,
        };
        let digits = tree::integer(self.digits);
        let arguments = [limit, digits, tree::truth(at_most), tree::truth(strict)];
        tree::call(self.functions.limit, pg_sys::INT8OID, &arguments)
    }
}
