//! Bounds that each row has for itself: a CHECK over a bounded counter and other columns of the row, such as
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
use crate::opened::Opened;
use abelian_adt::bounded_counter::Bounds;
use pgrx::pg_sys::{self, Datum, Oid};
use std::collections::BTreeSet;
use std::ffi::CString;

/// A bound of a column.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowBound {
    /// The bounded column.
    pub attribute: i16,
    form: Form,
    limit: Limit,
}

/// What the column is compared with.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Constant(i64),
    /// A column of so many bytes.
    Column {
        attribute: i16,
        bytes: i16,
        negated: bool,
    },
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
    pub fn tighten(&self, bounds: Bounds, column: impl Fn(i16) -> Option<Datum>) -> Bounds {
        match self.limit.of(column) {
            Some(limit) => self.form.tighten(bounds, limit),
            None => bounds,
        }
    }
}

impl Limit {
    fn of(&self, column: impl Fn(i16) -> Option<Datum>) -> Option<i64> {
        let (attribute, bytes, negated) = match *self {
            Limit::Constant(limit) => return Some(limit),
            Limit::Column {
                attribute,
                bytes,
                negated,
            } => (attribute, bytes, negated),
        };
        let value = integer(column(attribute)?, bytes);
        // The least bigint has no opposite: PostgreSQL has stored no row with it.
        Some(if negated {
            value.saturating_neg()
        } else {
            value
        })
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
        let attribute = bounded_column(symbols, relation, own)?;
        let limit = limit(relation, other)?;
        Some(RowBound {
            attribute,
            form,
            limit,
        })
    })
}

/// The bounded counter that the expression is the value of.
fn bounded_column(symbols: &Symbols, relation: &Opened, expression: Any) -> Option<i16> {
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
    Some(found.attnum)
}

fn limit(relation: &Opened, expression: Any) -> Option<Limit> {
    if let Some(inner) = one_argument(expression, &[pg_sys::F_INT8_INT2, pg_sys::F_INT8_INT4]) {
        return limit(relation, inner);
    }
    if let Some(inner) = opposite(expression) {
        return match limit(relation, inner)? {
            Limit::Constant(limit) => limit.checked_neg().map(Limit::Constant),
            Limit::Column {
                attribute,
                bytes,
                negated,
            } => Some(Limit::Column {
                attribute,
                bytes,
                negated: !negated,
            }),
        };
    }
    let bytes = match expression.result_type() {
        pg_sys::INT2OID => 2,
        pg_sys::INT4OID => 4,
        pg_sys::INT8OID => 8,
        _ => return None,
    };
    if let Some(constant) = expression.cast::<pg_sys::Const>() {
        let value = integer(constant.constvalue, bytes);
        return (!constant.constisnull).then_some(Limit::Constant(value));
    }
    let column = expression.cast::<pg_sys::Var>()?;
    let attribute = column.varattno;
    // What is generated may be in no row.
    let stored = attribute > 0 && relation.columns().get(attribute as usize - 1)?.attgenerated == 0;
    stored.then_some(Limit::Column {
        attribute,
        bytes,
        negated: false,
    })
}

/// The argument of a minus sign.
pub fn opposite(expression: Any) -> Option<Any> {
    let minus = [pg_sys::F_INT2UM, pg_sys::F_INT4UM, pg_sys::F_INT8UM];
    one_argument(expression, &minus)
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
