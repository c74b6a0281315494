//! Which assignments are operations.
//!
//! `SET c = c + x`, `c - x`, `x + c` and chains of them are. What is matched is the tree that PostgreSQL builds:
//! its own `+` and `-` of the value type over the cast of the column, cast back on assignment. Names, search path
//! and spelling (`c + $1`, `"c" + 1`, `c::bigint + 1`) therefore do not matter. Everything else that is assigned
//! is an overwrite. For types over an aggregate see [`super::recognise_aggregated`].

use super::column::Column;
use super::symbols::{Kind, Symbols};
use super::tree::{self, Any};
use pgrx::pg_sys::{self, Oid};

/// A summand: added or subtracted.
#[derive(Clone, Copy)]
struct Term {
    negative: bool,
    expression: Any,
}

/// What PostgreSQL's operator functions on the value types do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
}

/// The change that assigning `expression` to the column makes, as an expression of the value type; `None` if it is no
/// operation.
pub fn operation(symbols: &Symbols, column: Column, expression: Any) -> Option<Any> {
    let kind = symbols.kind(expression.result_type())?;
    let kind = &*kind;
    if let Some(family) = &kind.family {
        return super::recognise_aggregated::change(kind, family, column, expression);
    }
    let assigned = cast_argument(expression, kind.make)?;
    let mut terms = Vec::new();
    collect(kind, column, assigned, &mut terms)?;
    sum(kind, &terms)
}

/// What an expression of the value type adds to the column, if it is the column plus or minus other things; `Some(None)` if it
/// is the column itself.
pub fn shift(symbols: &Symbols, column: Column, expression: Any) -> Option<Option<Any>> {
    let type_ = column.type_in(expression)?;
    let kind = symbols.kind(type_)?;
    let mut terms = Vec::new();
    collect(&kind, column, expression, &mut terms)?;
    match terms.is_empty() {
        true => Some(None),
        false => sum(&kind, &terms).map(Some),
    }
}

/// Splits a sum that holds the column once, and not subtracted, into the terms beside it. Only the side of the
/// column is taken apart, so that `c + (a - b)` overflows where PostgreSQL's own does.
fn collect(kind: &Kind, column: Column, node: Any, terms: &mut Vec<Term>) -> Option<()> {
    if cast_argument(node, kind.value).is_some_and(|inner| column.is(inner)) {
        return Some(());
    }
    let (arithmetic, left, right) = arithmetic(kind, node)?;
    match (column.is_in(left), column.is_in(right)) {
        (true, false) => {
            collect(kind, column, left, terms)?;
            terms.push(Term {
                negative: arithmetic == Arithmetic::Subtract,
                expression: right,
            });
        }
        (false, true) if arithmetic == Arithmetic::Add => {
            collect(kind, column, right, terms)?;
            terms.push(Term {
                negative: false,
                expression: left,
            });
        }
        _ => return None,
    }
    Some(())
}

fn cast_argument(node: Any, function: Oid) -> Option<Any> {
    let call = node.cast::<pg_sys::FuncExpr>()?;
    if call.funcid != function {
        return None;
    }
    tree::items::<pg_sys::Node>(call.args).into_iter().next()
}

fn arithmetic(kind: &Kind, node: Any) -> Option<(Arithmetic, Any, Any)> {
    let operator = node.cast::<pg_sys::OpExpr>()?;
    let [left, right] = tree::items::<pg_sys::Node>(operator.args)[..] else {
        return None;
    };
    // SAFETY: lookup of an operator's function.
    let function = unsafe { pg_sys::get_opcode(operator.opno) }.to_u32();
    let arithmetic = match function {
        _ if operator.opresulttype != kind.value_type => return None,
        pg_sys::F_INT8PL
        | pg_sys::F_INT84PL
        | pg_sys::F_INT48PL
        | pg_sys::F_INT82PL
        | pg_sys::F_INT28PL => Arithmetic::Add,
        pg_sys::F_INT8MI | pg_sys::F_INT84MI | pg_sys::F_INT82MI => Arithmetic::Subtract,
        pg_sys::F_NUMERIC_ADD => Arithmetic::Add,
        pg_sys::F_NUMERIC_SUB => Arithmetic::Subtract,
        _ => return None,
    };
    Some((arithmetic, left, right))
}

/// The terms as one expression of the value type.
fn sum(kind: &Kind, terms: &[Term]) -> Option<Any> {
    let (add, subtract, negate) = if kind.value_type == pg_sys::INT8OID {
        (pg_sys::F_INT8PL, pg_sys::F_INT8MI, pg_sys::F_INT8UM)
    } else {
        (
            pg_sys::F_NUMERIC_ADD,
            pg_sys::F_NUMERIC_SUB,
            pg_sys::F_NUMERIC_UMINUS,
        )
    };
    let call =
        |function: u32, arguments: &[Any]| tree::call(function.into(), kind.value_type, arguments);
    terms.iter().fold(None, |total, term| {
        let value = widened(term.expression);
        Some(match total {
            None if term.negative => call(negate, &[value]),
            None => value,
            Some(sum) if term.negative => call(subtract, &[sum, value]),
            Some(sum) => call(add, &[sum, value]),
        })
    })
}

/// A number as `bigint` or `numeric`.
pub fn widened(term: Any) -> Any {
    let function = match term.result_type() {
        pg_sys::INT2OID => pg_sys::F_INT8_INT2,
        pg_sys::INT4OID => pg_sys::F_INT8_INT4,
        _ => return term,
    };
    tree::implicit_cast(function.into(), pg_sys::INT8OID, term)
}
