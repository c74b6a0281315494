//! Bounds that each row has for itself: a CHECK over a bounded counter or decimal, or the size of a set, and other columns
//! of the row, such as `stock BETWEEN 0 AND capacity` and `abelian.size(guests) <= seats`.
//!
//! PostgreSQL keeps such a CHECK wherever it stores a row. Operations that bypass it are judged by the same bounds, taken from the
//! version of the row that they work on (`docs/decisions/bounds-of-the-row.md`).

mod compared;

use super::column::Column;
use super::conditions::{self, Form};
use super::recognise;
use super::relation::Facts;
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use crate::error::Error;
use crate::numeric;
use crate::opened::Opened;
use crate::types::bounded_decimal;
use abelian_adt::bounded_counter::Bounds;
use abelian_adt::fixed_point::Number;
use compared::{Compared, NumberColumn};
pub use compared::{before_widening, opposite};
use pgrx::pg_sys::{self, Datum, Oid};
use std::collections::BTreeSet;
use std::ffi::CString;

/// A bound of a column.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowBound {
    /// The bounded column.
    pub attribute: i16,
    /// Digits behind the point, if it is a decimal.
    scale: Option<u8>,
    form: Form,
    limit: Limit,
}

/// What the column is compared with.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// So much, in units of a decimal.
    Constant(i64),
    Column(NumberColumn),
}

impl Default for Limit {
    fn default() -> Self {
        Limit::Constant(0)
    }
}

/// Bounds, each with the name of its constraint.
#[derive(Debug, Default)]
pub struct RowBounds(Vec<(RowBound, CString)>);

impl RowBounds {
    /// Adds what a CHECK demands. False, and nothing added, if it demands anything else of an Abelian column.
    pub fn add(
        &mut self,
        symbols: &Symbols,
        relation: &Opened,
        check: Any,
        name: &std::ffi::CStr,
    ) -> bool {
        let mut found = Vec::new();
        for condition in tree::conjuncts(check.pointer()) {
            match bound(symbols, relation, condition) {
                Some(bound) => found.push((bound, name.to_owned())),
                None if is_plain(symbols, condition) => {}
                None => return false,
            }
        }
        let any = !found.is_empty();
        self.0.append(&mut found);
        any
    }

    /// Adds those of another CHECK.
    pub fn append(&mut self, mut other: RowBounds) {
        self.0.append(&mut other.0);
    }

    /// Drops those of columns that are in this set.
    pub fn except(&mut self, watched: &BTreeSet<i16>) {
        self.0
            .retain(|(bound, _)| !watched.contains(&bound.attribute) && !watched.contains(&0));
    }

    /// The columns that have some.
    pub fn columns(&self) -> impl Iterator<Item = i16> {
        self.0.iter().map(|(bound, _)| bound.attribute)
    }

    /// Whether a column has some.
    pub fn are_of(&self, attribute: i16) -> bool {
        self.columns().any(|column| column == attribute)
    }

    /// The columns that the bounds of this one are read from.
    pub fn read_for(&self, attribute: i16) -> impl Iterator<Item = i16> {
        self.0
            .iter()
            .filter(move |(bound, _)| bound.attribute == attribute)
            .filter_map(|(bound, _)| match bound.limit {
                Limit::Column(column) => Some(column.attribute),
                Limit::Constant(_) => None,
            })
    }

    /// Whether one of them takes the opposite of a column, which no row has for which that fails.
    pub fn negate(&self, column: i16) -> bool {
        self.0.iter().any(|(bound, _)| {
            matches!(bound.limit, Limit::Column(own) if own.attribute == column && own.negated)
        })
    }

    /// All of them. A place in this list is what [`name`] takes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = RowBound> {
        self.0.iter().map(|(bound, _)| *bound)
    }
}

impl RowBound {
    /// The bounds with this one, as the row has it whose columns are given. A column that is NULL bounds nothing.
    pub fn tighten(
        &self,
        bounds: Bounds,
        column: impl Fn(i16) -> Option<Datum>,
    ) -> Result<Bounds, Error> {
        let limit = match self.limit {
            Limit::Constant(limit) => return Ok(self.form.tighten(bounds, limit)),
            Limit::Column(limit) => limit,
        };
        let Some(value) = column(limit.attribute) else {
            return Ok(bounds);
        };
        let (form, limit) = match self.scale {
            None => (self.form, limit.integer(value)?),
            Some(scale) => {
                let text = limit.text(value)?;
                self.form.of_decimal(numeric::number(&text)?, scale)
            }
        };
        Ok(form.tighten(bounds, limit))
    }
}

/// The facts of a relation whose rows have bounds for themselves.
pub fn of(relation: Oid) -> Option<std::rc::Rc<Facts>> {
    let facts = Facts::of(&*Symbols::get()?, relation, false)?;
    let has_some = facts.row_bounds.columns().next().is_some();
    has_some.then_some(facts)
}

/// Whether rows have bounds for themselves of this column.
pub fn bound_column(relation: Oid, attribute: i16) -> bool {
    of(relation).is_some_and(|facts| facts.row_bounds.are_of(attribute))
}

/// The constraint of the bound at this place in the list of the relation.
pub fn name(relation: Oid, place: usize) -> Option<CString> {
    let facts = of(relation)?;
    facts
        .row_bounds
        .0
        .get(place)
        .map(|(_, name)| name.to_owned())
}

/// `stock <= capacity` and its like, over relation number 1.
fn bound(symbols: &Symbols, relation: &Opened, condition: Any) -> Option<RowBound> {
    let (left, right, form) = conditions::comparison(condition)?;
    let sides = [(left, right, form), (right, left, form.turned())];
    sides.into_iter().find_map(|(own, other, form)| {
        let (attribute, scale) = bounded_column(symbols, relation, own)
            .or_else(|| Some((sized_column(symbols, own)?, None)))?;
        let (form, limit) = limit(Compared::of(relation, other)?, form, scale)?;
        Some(RowBound {
            attribute,
            scale,
            form,
            limit,
        })
    })
}

/// The comparison as that of a column with whole numbers, or of a decimal's with units.
fn limit(compared: Compared, form: Form, scale: Option<u8>) -> Option<(Form, Limit)> {
    let constant = |form: Form, limit: i64| (form, Limit::Constant(limit));
    let units = |text: &str, scale: u8| {
        let (form, limit) = form.of_decimal(Number::try_from(text).ok()?, scale);
        Some(constant(form, limit))
    };
    match (compared, scale) {
        (Compared::Integer(limit), None) => Some(constant(form, limit)),
        (Compared::Integer(limit), Some(scale)) => units(&limit.to_string(), scale),
        (Compared::Decimal(text), Some(scale)) => units(&text, scale),
        (Compared::Decimal(_), None) => None,
        (Compared::Column(column), _) => {
            (scale.is_some() || !column.is_numeric()).then_some((form, Limit::Column(column)))
        }
    }
}

/// The bounded column that the expression is the value of, and the scale of a decimal.
fn bounded_column(
    symbols: &Symbols,
    relation: &Opened,
    expression: Any,
) -> Option<(i16, Option<u8>)> {
    let mut columns = relation.columns().iter().filter(|column| {
        let kind = symbols.kind(column.atttypid);
        !column.attisdropped && kind.is_some_and(|kind| kind.coerce.is_some())
    });
    let found = columns.find(|column| {
        let column = Column {
            relation: 1,
            attribute: column.attnum,
        };
        matches!(recognise::shift(symbols, column, expression), Some(None))
    })?;
    let is_decimal = symbols.kind(found.atttypid)?.fixed_point.is_some();
    let scale = bounded_decimal::scale_of(found.atttypmod);
    match is_decimal {
        true => Some((found.attnum, Some(scale?))),
        false => Some((found.attnum, None)),
    }
}

/// The column of sets of which the expression is the size: `abelian.size(c)` or `cardinality(c)`.
fn sized_column(symbols: &Symbols, expression: Any) -> Option<i16> {
    let (function, argument) = compared::call(compared::before_widening(expression))?;
    let is_size = |column: &Tree<pg_sys::Var>| {
        let kind = symbols.kind(column.vartype);
        kind.is_some_and(|kind| kind.size == Some(function))
    };
    let column = match function == Oid::from(pg_sys::F_CARDINALITY) {
        false => argument.cast::<pg_sys::Var>().filter(is_size)?,
        true => {
            let (cast, column) = compared::call(argument)?;
            let column = column.cast::<pg_sys::Var>()?;
            let kind = symbols.kind(column.vartype)?;
            (kind.size.is_some() && kind.value == cast).then_some(column)?
        }
    };
    (column.varattno > 0).then_some(column.varattno)
}

/// Whether a condition reads no Abelian column, and gives the same whenever it is asked.
fn is_plain(symbols: &Symbols, condition: Any) -> bool {
    let is_abelian =
        |column: Tree<pg_sys::Var>| column.varattno == 0 || symbols.kind(column.vartype).is_some();
    !tree::is_mutable(condition)
        && !tree::any_node(condition.pointer(), &mut |node, _| {
            node.cast::<pg_sys::Var>().is_some_and(is_abelian)
        })
}
