//! Statements that stand for the operations of several sessions.
//!
//! A router may add up the operands of equal updates and run one (docs/design/combining.md). It marks the sum: `SET c = c + abelian.combined($1)`.
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

/// The change of an operation without the mark.
pub fn unmarked(symbols: &Symbols, change: Any) -> Any {
    let marked = change
        .cast::<pg_sys::FuncExpr>()
        .filter(|call| symbols.combined.contains(&Some(call.funcid)));
    marked
        .and_then(|call| tree::first::<pg_sys::Node>(call.args))
        .unwrap_or(change)
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

/// Whether a rewritten query is an update that does nothing but operations, so that several may be run as one. Works on a copy.
pub fn is_pure(query: &pg_sys::Query) -> bool {
    let (Some(symbols), Some(query)) = (
        Symbols::get(),
        Tree::new(std::ptr::from_ref(query).cast_mut()),
    ) else {
        return false;
    };
    super::settings::CONCURRENT_OPERATIONS.get()
        && super::pure::prepare(&symbols, query.copy()).is_some()
}
