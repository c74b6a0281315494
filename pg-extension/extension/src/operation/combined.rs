//! Statements that stand for the operations of several sessions.
//!
//! A router may add up the operands of equal updates, or take the greatest or least, and run one (docs/design/combining.md). It marks the result:
//! `SET c = c + abelian.combined($1)`, `SET c = greatest(c, abelian.combined($1))`.
//! That is right only where nobody but the column sees the single operations. Planning removes the mark from a pure statement; everywhere else
//! (a trigger, a policy, a constraint was added meanwhile) it is still there when the statement runs, and calling it is an error.

use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use crate::error::Error;
use crate::pg_function;
use pgrx::pg_sys::{self, Oid};

pg_function!(
    /// `abelian.combined(operand)`
    fn abelian_combined(call) {
        let _ = call;
        Err(Error::NotCombinable)
    }
);

/// The change of an operation, which is the caller's own, without the mark.
pub fn unmarked(symbols: &Symbols, change: Any) -> Any {
    if let Some(operand) = marked(symbols, change) {
        return operand;
    }
    if let Some(mut extremum) = under_casts(change).cast::<pg_sys::MinMaxExpr>() {
        let arguments: Vec<Any> = tree::items(extremum.args)
            .into_iter()
            .map(|argument| unmarked_argument(symbols, argument))
            .collect();
        extremum.args = tree::list(&arguments);
    }
    change
}

/// The argument without the mark on it, or below its cast.
fn unmarked_argument(symbols: &Symbols, argument: Any) -> Any {
    if let Some(mut cast) = argument.cast::<pg_sys::FuncExpr>()
        && let [inner] = tree::items::<pg_sys::Node>(cast.args)[..]
        && let Some(operand) = marked(symbols, inner)
    {
        cast.args = tree::list(&[operand]);
    }
    marked(symbols, argument).unwrap_or(argument)
}

/// What the expression marks.
fn marked(symbols: &Symbols, expression: Any) -> Option<Any> {
    let mark = expression
        .cast::<pg_sys::FuncExpr>()
        .filter(|call| symbols.combined.contains(&Some(call.funcid)))?;
    tree::first::<pg_sys::Node>(mark.args)
}

fn under_casts(mut expression: Any) -> Any {
    while let Some(cast) = expression.cast::<pg_sys::FuncExpr>() {
        match tree::items::<pg_sys::Node>(cast.args)[..] {
            [argument] => expression = argument,
            _ => break,
        }
    }
    expression
}

/// The function that marks an operand of this type; `None` where the extension has not been updated to it.
pub fn mark(operand: Oid) -> Option<Oid> {
    let [integer, decimal] = Symbols::get()?.combined;
    match operand {
        pg_sys::INT8OID => integer,
        pg_sys::NUMERICOID => decimal,
        _ => None,
    }
}

/// How objects of a type are made of what an operand can be.
pub struct Making {
    /// The type of the values, in whose form objects are written, too.
    pub value_type: Oid,
    /// The cast to the type itself.
    pub function: Oid,
}

/// Of a type over an aggregate; `None` where its states are no values.
pub fn making(type_: Oid) -> Option<Making> {
    let kind = Symbols::get()?.kind(type_)?;
    let family = kind.family.as_ref()?;
    let plain = family.text_type == kind.value_type && kind.make != Oid::INVALID;
    plain.then_some(Making {
        value_type: kind.value_type,
        function: kind.make,
    })
}

/// Whether a rewritten query is an update that does nothing but operations, so that several may be run as one. Works on a copy.
pub fn is_pure(query: &pg_sys::Query) -> bool {
    let (Some(symbols), Some(query)) = (
        Symbols::get(),
        Tree::new(std::ptr::from_ref(query).cast_mut()),
    ) else {
        return false;
    };
    super::settings::CONCURRENT_OPERATIONS.get()
        && super::pure::prepare(&symbols, query.copy()).is_some_and(|pure| !pure.tests_values())
}
