//! How operations on a `bounded_decimal` become ones on units of its last digit.
//!
//! What is added and what is compared with becomes a number of units where the plan evaluates it, so that whoever runs the plan knows only
//! whole numbers.

use super::escrow;
use super::rewrite::Relation;
use super::symbols::FixedPoint;
use super::tree::{self, Any};
use crate::types::bounded_decimal;
use pgrx::pg_sys;

/// How a column counts units of decimal numbers.
pub struct Units {
    functions: FixedPoint,
    /// `None` where each value has its own, so that nothing can be added apart.
    scale: Option<u8>,
}

impl Relation<'_> {
    /// How the column counts units, if it does.
    pub fn units(&self, attribute: i16) -> Option<Units> {
        let column = self.facts.column(attribute)?;
        let modifier = escrow::modifier(self.entry.relid, attribute);
        Some(Units {
            functions: self.symbols.kind(column.type_)?.fixed_point?,
            scale: bounded_decimal::scale_of(modifier),
        })
    }

    /// Whether what is added to the column can be told apart from its value.
    pub fn has_amounts(&self, attribute: i16) -> bool {
        self.units(attribute)
            .is_none_or(|units| units.scale.is_some())
    }

    /// The change as an operation on the column takes it.
    pub fn amount(&self, attribute: i16, change: Any) -> Any {
        match self.units(attribute) {
            Some(units) => units.call(units.functions.units, &[change]),
            None => change,
        }
    }
}

impl Relation<'_> {
    /// What is assigned to a column that counts units, if it adds to the column: as an operation does it, which rounds what it adds.
    pub fn with_rounded(&self, attribute: i16, expression: Any) -> Option<Any> {
        let scale = tree::integer(self.units(attribute)?.scale?.into());
        let change = self.change(attribute, expression)?;
        let kind = self.symbols.kind(self.facts.column(attribute)?.type_)?;
        let column = tree::column(self.number, attribute, kind.type_, 0);
        let numeric = |function: u32, arguments: &[Any]| {
            tree::call(function.into(), pg_sys::NUMERICOID, arguments)
        };
        let before = tree::call(kind.value, pg_sys::NUMERICOID, &[column]);
        let added = numeric(pg_sys::F_ROUND_NUMERIC_INT4, &[change, scale]);
        let sum = numeric(pg_sys::F_NUMERIC_ADD, &[before, added]);
        let made = [sum, scale, tree::truth(false)];
        Some(tree::call(kind.make, kind.type_, &made))
    }
}

impl Units {
    /// What the units are to be compared with, by `<=` if `at_most` and else by `>=`, instead of the value plus a shift with a `numeric`.
    /// `None` without a scale.
    pub fn limit(
        &self,
        limit: Any,
        shift: Option<Any>,
        at_most: bool,
        strict: bool,
    ) -> Option<Any> {
        self.scale?;
        let zero = || {
            let none = tree::bigint(0);
            tree::call(pg_sys::F_NUMERIC_INT8.into(), pg_sys::NUMERICOID, &[none])
        };
        let shift = shift.unwrap_or_else(zero);
        let how = [limit, tree::truth(at_most), tree::truth(strict), shift];
        Some(self.call(self.functions.limit, &how))
    }

    /// A function of these arguments, the scale behind the first.
    fn call(&self, function: pg_sys::Oid, arguments: &[Any]) -> Any {
        let scale = tree::integer(self.scale.map_or(-1, i32::from));
        let all = [&arguments[..1], &[scale], &arguments[1..]].concat();
        tree::call(function, pg_sys::INT8OID, &all)
    }
}
