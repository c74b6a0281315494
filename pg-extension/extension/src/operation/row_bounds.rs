//! Bounds that each row has for itself: a CHECK over a bounded counter or decimal and other columns of the row, such as
//! `stock BETWEEN 0 AND capacity`.
//!
//! PostgreSQL keeps such a CHECK wherever it stores a row. Operations that bypass it are judged by the same bounds, taken from the
//! version of the row that they work on (`docs/decisions/bounds-of-the-row.md`).

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
use pgrx::pg_sys::{self, Datum, Oid};
use std::collections::BTreeSet;
use std::ffi::CString;

/// A bound of a column.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowBound {
    /// The bounded column.
    pub attribute: i16,
    /// Digits behind its point, if it is a decimal.
    digits: Option<u8>,
    form: Form,
    limit: Limit,
}

/// What the column is compared with.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// So much, in units if the column has digits behind the point.
    Constant(i64),
    /// Another column.
    Column {
        attribute: i16,
        type_: Width,
        negated: bool,
    },
}

/// What kind of number a column is.
#[derive(Clone, Copy, Debug)]
enum Width {
    /// Of so many bytes.
    Integer(i16),
    Numeric,
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
                Limit::Column { attribute, .. } => Some(attribute),
                Limit::Constant(_) => None,
            })
    }

    /// Whether one of them takes the opposite of a column, which no row has for which that fails.
    pub fn negate(&self, column: i16) -> bool {
        self.0.iter().any(|(bound, _)| {
            matches!(bound.limit, Limit::Column { attribute, negated: true, .. } if attribute == column)
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
        let (attribute, type_, negated) = match self.limit {
            Limit::Constant(limit) => return Ok(self.form.tighten(bounds, limit)),
            Limit::Column {
                attribute,
                type_,
                negated,
            } => (attribute, type_, negated),
        };
        let Some(value) = column(attribute) else {
            return Ok(bounds);
        };
        let width = match type_ {
            Width::Integer(bytes) => bytes,
            Width::Numeric => {
                let value = if negated {
                    numeric::negate(value)?
                } else {
                    value
                };
                return self.tighten_by(bounds, &numeric::text(value)?, self.digits.unwrap_or(0));
            }
        };
        // The least bigint has no opposite: PostgreSQL has stored no row with it.
        let value = match negated {
            true => integer(value, width).saturating_neg(),
            false => integer(value, width),
        };
        match self.digits {
            None => Ok(self.form.tighten(bounds, value)),
            Some(digits) => self.tighten_by(bounds, &value.to_string(), digits),
        }
    }

    /// With a number that PostgreSQL has written.
    fn tighten_by(&self, bounds: Bounds, number: &str, digits: u8) -> Result<Bounds, Error> {
        let (form, limit) = self.form.of_decimal(numeric::number(number)?, digits);
        Ok(form.tighten(bounds, limit))
    }
}

/// The facts of a relation whose rows have bounds for themselves.
pub fn of(relation: Oid) -> Option<std::rc::Rc<Facts>> {
    let facts = Facts::of(&*Symbols::get()?, relation, false)?;
    let has_some = facts.row_bounds.columns().next().is_some();
    has_some.then_some(facts)
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
        let (attribute, digits) = bounded_column(symbols, relation, own)?;
        let compared = compared(relation, other)?;
        let (form, limit) = match digits {
            None => (form, compared.with_integers()?),
            Some(digits) => compared.with_decimals(form, digits)?,
        };
        Some(RowBound {
            attribute,
            digits,
            form,
            limit,
        })
    })
}

/// The bounded column that the expression is the value of, and how many digits a decimal has.
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
    let digits = bounded_decimal::scale_of(found.atttypmod);
    match is_decimal {
        true => Some((found.attnum, Some(digits?))),
        false => Some((found.attnum, None)),
    }
}

/// What a CHECK compares a bounded column with.
enum Compared {
    Integer(i64),
    /// As PostgreSQL writes it.
    Decimal(String),
    Column {
        attribute: i16,
        type_: Width,
        negated: bool,
    },
}

impl Compared {
    fn opposite(self) -> Option<Compared> {
        Some(match self {
            Compared::Integer(value) => Compared::Integer(value.checked_neg()?),
            Compared::Decimal(text) if text == "NaN" => Compared::Decimal(text),
            Compared::Decimal(text) => Compared::Decimal(match text.strip_prefix('-') {
                Some(positive) => positive.to_owned(),
                None => format!("-{text}"),
            }),
            Compared::Column {
                attribute,
                type_,
                negated,
            } => Compared::Column {
                attribute,
                type_,
                negated: !negated,
            },
        })
    }

    fn with_integers(self) -> Option<Limit> {
        match self {
            Compared::Integer(limit) => Some(Limit::Constant(limit)),
            Compared::Column {
                attribute,
                type_: type_ @ Width::Integer(_),
                negated,
            } => Some(Limit::Column {
                attribute,
                type_,
                negated,
            }),
            Compared::Decimal(_) | Compared::Column { .. } => None,
        }
    }

    fn with_decimals(self, form: Form, digits: u8) -> Option<(Form, Limit)> {
        let constant = |text: &str| {
            let number = Number::try_from(text).ok()?;
            let (form, limit) = form.of_decimal(number, digits);
            Some((form, Limit::Constant(limit)))
        };
        match self {
            Compared::Integer(value) => constant(&value.to_string()),
            Compared::Decimal(text) => constant(&text),
            Compared::Column {
                attribute,
                type_,
                negated,
            } => Some((
                form,
                Limit::Column {
                    attribute,
                    type_,
                    negated,
                },
            )),
        }
    }
}

fn compared(relation: &Opened, expression: Any) -> Option<Compared> {
    use pg_sys::{F_INT8_INT2, F_INT8_INT4, F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8};
    let casts = [
        F_INT8_INT2,
        F_INT8_INT4,
        F_NUMERIC_INT2,
        F_NUMERIC_INT4,
        F_NUMERIC_INT8,
    ];
    if let Some(inner) = one_argument(expression, &casts) {
        return compared(relation, inner);
    }
    if let Some(inner) = opposite(expression) {
        return compared(relation, inner)?.opposite();
    }
    let type_ = match expression.result_type() {
        pg_sys::INT2OID => Width::Integer(2),
        pg_sys::INT4OID => Width::Integer(4),
        pg_sys::INT8OID => Width::Integer(8),
        pg_sys::NUMERICOID => Width::Numeric,
        _ => return None,
    };
    if let Some(constant) = expression.cast::<pg_sys::Const>() {
        return match type_ {
            _ if constant.constisnull => None,
            Width::Integer(bytes) => Some(Compared::Integer(integer(constant.constvalue, bytes))),
            Width::Numeric => numeric::text(constant.constvalue)
                .ok()
                .map(Compared::Decimal),
        };
    }
    let column = expression.cast::<pg_sys::Var>()?;
    let attribute = column.varattno;
    // What is generated may be in no row.
    let stored = attribute > 0 && relation.columns().get(attribute as usize - 1)?.attgenerated == 0;
    stored.then_some(Compared::Column {
        attribute,
        type_,
        negated: false,
    })
}

/// The argument of a minus sign.
pub fn opposite(expression: Any) -> Option<Any> {
    use pg_sys::{F_INT2UM, F_INT4UM, F_INT8UM, F_NUMERIC_UMINUS};
    one_argument(
        expression,
        &[F_INT2UM, F_INT4UM, F_INT8UM, F_NUMERIC_UMINUS],
    )
}

fn integer(datum: Datum, bytes: i16) -> i64 {
    match bytes {
        2 => i64::from(datum.value() as i16),
        4 => i64::from(datum.value() as i32),
        _ => datum.value() as i64,
    }
}

/// The argument of a call, or of an operator, that is one of these functions of one argument.
fn one_argument(expression: Any, functions: &[u32]) -> Option<Any> {
    let (function, arguments) = match expression.cast::<pg_sys::FuncExpr>() {
        Some(call) => (call.funcid, call.args),
        None => {
            let operator = expression.cast::<pg_sys::OpExpr>()?;
            // SAFETY: lookup of an operator's function.
            (unsafe { pg_sys::get_opcode(operator.opno) }, operator.args)
        }
    };
    let [argument] = tree::items::<pg_sys::Node>(arguments)[..] else {
        return None;
    };
    functions.contains(&function.to_u32()).then_some(argument)
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
