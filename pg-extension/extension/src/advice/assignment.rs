//! Which assignments to a plain column would be operations if it had an Abelian type: `c + x`, `c - x`, `greatest(c, x)`, `least(c, x)`, `c OR x`,
//! `c AND x`. What [`crate::operation`] recognises are the same of columns that have one.

use crate::cluster::analysis::tree::{self, NodePtr};
use pgrx::pg_sys::{self, BoolExprType, CoercionForm, MinMaxOp};

/// Functions of `+`.
pub const SUMS: [u32; 10] = [
    pg_sys::F_INT2PL,
    pg_sys::F_INT4PL,
    pg_sys::F_INT8PL,
    pg_sys::F_INT24PL,
    pg_sys::F_INT42PL,
    pg_sys::F_INT28PL,
    pg_sys::F_INT82PL,
    pg_sys::F_INT48PL,
    pg_sys::F_INT84PL,
    pg_sys::F_NUMERIC_ADD,
];
/// Functions of `-`.
pub const DIFFERENCES: [u32; 10] = [
    pg_sys::F_INT2MI,
    pg_sys::F_INT4MI,
    pg_sys::F_INT8MI,
    pg_sys::F_INT24MI,
    pg_sys::F_INT42MI,
    pg_sys::F_INT28MI,
    pg_sys::F_INT82MI,
    pg_sys::F_INT48MI,
    pg_sys::F_INT84MI,
    pg_sys::F_NUMERIC_SUB,
];

/// Name of the operation that assigns `expression` to the column of the range with this number.
pub fn operation(range: i32, column: i16, expression: NodePtr) -> Option<&'static str> {
    let is_column = |node: NodePtr| is_column(range, column, node);
    let expression = without_casts(expression);
    if is_sum(&is_column, expression) && !is_column(expression) {
        return Some("add");
    }
    if let Some(choice) = tree::cast::<pg_sys::MinMaxExpr, _>(expression) {
        let name = match choice.op {
            MinMaxOp::IS_GREATEST => "greatest",
            _ => "least",
        };
        return tree::nodes(choice.args).any(is_column).then_some(name);
    }
    let boolean = tree::cast::<pg_sys::BoolExpr, _>(expression)?;
    let name = match boolean.boolop {
        BoolExprType::OR_EXPR => "or",
        BoolExprType::AND_EXPR => "and",
        _ => return None,
    };
    tree::nodes(boolean.args).any(is_column).then_some(name)
}

/// A chain of sums and differences from the column on, which is not subtracted. That it does not occur elsewhere is the caller's to see.
fn is_sum(is_column: &dyn Fn(NodePtr) -> bool, node: NodePtr) -> bool {
    let node = without_casts(node);
    if is_column(node) {
        return true;
    }
    let Some(operator) = tree::cast::<pg_sys::OpExpr, _>(node) else {
        return false;
    };
    // SAFETY: lookup of an operator's function.
    let function = unsafe { pg_sys::get_opcode(operator.opno) }.to_u32();
    let arguments: Vec<NodePtr> = tree::nodes(operator.args).collect();
    let [left, right] = arguments[..] else {
        return false;
    };
    let adds = SUMS.contains(&function);
    (adds || DIFFERENCES.contains(&function)) && is_sum(is_column, left)
        || adds && is_sum(is_column, right)
}

fn is_column(range: i32, column: i16, node: NodePtr) -> bool {
    tree::cast::<pg_sys::Var, _>(without_casts(node)).is_some_and(|variable| {
        (variable.varno, variable.varattno, variable.varlevelsup) == (range, column, 0)
    })
}

/// What is cast, for instance on assignment to an `integer` or a `numeric(12, 2)`.
fn without_casts(mut node: NodePtr) -> NodePtr {
    loop {
        if let Some(relabel) = tree::cast::<pg_sys::RelabelType, _>(node) {
            node = relabel.arg.cast();
            continue;
        }
        let cast = tree::cast::<pg_sys::FuncExpr, _>(node)
            .filter(|call| call.funcformat != CoercionForm::COERCE_EXPLICIT_CALL);
        match cast.and_then(|call| tree::nodes(call.args).next()) {
            Some(argument) => node = argument,
            None => return node,
        }
    }
}
