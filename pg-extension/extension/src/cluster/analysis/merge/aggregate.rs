//! Aggregates that can be computed from partial ones: what workers compute, and what is made of it.

use super::super::relation::{self, builtin};
use super::super::tree::{self, NodePtr};
use super::build::{self, WorkerColumns};
use pgrx::pg_sys::{self, CoercionForm, Oid};

/// `aggkind` of aggregates that are neither ordered-set nor hypothetical-set ones.
const NORMAL: std::ffi::c_char = b'n' as std::ffi::c_char;

/// The aggregate over all rows as an expression over the workers' columns, which this adds. `None` when it has no partial
/// form.
pub fn combine(
    call: &'static pg_sys::Aggref,
    columns: &mut WorkerColumns,
    is_key: &mut dyn FnMut(NodePtr) -> bool,
) -> Option<NodePtr> {
    let (schema, name) = relation::function_name(call.aggfnoid);
    let is_plain = call.aggkind == NORMAL && !call.aggvariadic && call.agglevelsup == 0;
    if schema != "pg_catalog" || !is_plain || has_subquery(call) {
        return None;
    }
    if matches!(
        name.as_str(),
        "min" | "max" | "bool_and" | "bool_or" | "every" | "bit_and" | "bit_or" | "any_value"
    ) {
        let column = columns.add(node(call), 0);
        return Some(again(call, columns.read(column)));
    }
    // Equal values of a DISTINCT aggregate must lie on one node to be counted once.
    if !call.aggdistinct.is_null() && !arguments(call).any(&mut *is_key) {
        return None;
    }
    match name.as_str() {
        "bit_xor" => {
            let column = columns.add(node(call), 0);
            Some(again(call, columns.read(column)))
        }
        "count" => {
            let column = columns.add(node(call), 0);
            to_type(
                aggregate("sum", columns.read(column))?,
                pg_sys::F_INT8_NUMERIC,
                pg_sys::INT8OID,
            )
        }
        "sum" => sum(call, columns),
        "avg" => average(call, columns),
        _ => None,
    }
}

fn node(call: &pg_sys::Aggref) -> NodePtr {
    std::ptr::from_ref(call).cast_mut().cast()
}

fn arguments(call: &pg_sys::Aggref) -> impl Iterator<Item = NodePtr> {
    tree::list::<pg_sys::TargetEntry>(call.args).map(|entry| entry.expr.cast())
}

fn has_subquery(call: &pg_sys::Aggref) -> bool {
    tree::any(node(call), &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// The same aggregate over partial results.
fn again(call: &pg_sys::Aggref, argument: NodePtr) -> NodePtr {
    let call = tree::copy(call);
    // SAFETY: a fresh copy.
    unsafe {
        (*call).aggfilter = std::ptr::null_mut();
        set_argument(&mut *call, argument);
    }
    call.cast()
}

fn set_argument(call: &mut pg_sys::Aggref, argument: NodePtr) {
    // SAFETY: makes a list of one OID.
    call.aggargtypes =
        unsafe { pg_sys::lappend_oid(std::ptr::null_mut(), tree::type_of(argument)) };
    call.args = tree::make_list([build::target(argument, 1).cast()]);
    call.aggorder = std::ptr::null_mut();
    call.aggdistinct = std::ptr::null_mut();
    call.aggstar = false;
}

/// A plain aggregate of PostgreSQL's own.
fn aggregate(name: &str, argument: NodePtr) -> Option<NodePtr> {
    let function = builtin(name, &[tree::type_of(argument)])?;
    let call = tree::make::<pg_sys::Aggref>();
    call.aggfnoid = function;
    // SAFETY: catalogue look-ups.
    unsafe {
        call.aggtype = pg_sys::get_func_rettype(function);
        call.aggcollid = pg_sys::get_typcollation(call.aggtype);
    }
    call.inputcollid = tree::collation_of(argument);
    call.aggkind = NORMAL;
    call.location = -1;
    set_argument(call, argument);
    Some(std::ptr::from_mut(call).cast())
}

/// An explicit cast by a function.
fn to_type(argument: NodePtr, function: u32, result: Oid) -> Option<NodePtr> {
    function_call(
        Oid::from(function),
        result,
        &[argument],
        CoercionForm::COERCE_EXPLICIT_CAST,
    )
}

fn function_call(
    function: Oid,
    result: Oid,
    arguments: &[NodePtr],
    format: CoercionForm::Type,
) -> Option<NodePtr> {
    let arguments = tree::make_list(arguments.iter().copied());
    // SAFETY: makes a node.
    Some(
        unsafe {
            pg_sys::makeFuncExpr(
                function,
                result,
                arguments,
                Oid::INVALID,
                Oid::INVALID,
                format,
            )
        }
        .cast(),
    )
}

/// Sums of integers grow wider at each step: sum(integer) is bigint, sum(bigint) is numeric. The answer keeps its type.
fn sum(call: &'static pg_sys::Aggref, columns: &mut WorkerColumns) -> Option<NodePtr> {
    let column = columns.add(node(call), 0);
    let total = aggregate("sum", columns.read(column))?;
    match call.aggtype {
        pg_sys::INT8OID => to_type(total, pg_sys::F_INT8_NUMERIC, pg_sys::INT8OID),
        _ => Some(total),
    }
}

/// Sum and count apart; the division is the one that PostgreSQL's avg() does for the type.
fn average(call: &'static pg_sys::Aggref, columns: &mut WorkerColumns) -> Option<NodePtr> {
    let count_column = columns.add(worker_aggregate(call, "count", None)?, 0);
    let sum_column = columns.add(worker_aggregate(call, "sum", Some(()))?, 0);
    let count = aggregate("sum", columns.read(count_column))?;
    let total = aggregate("sum", columns.read(sum_column))?;
    let divide = |name: &str, left: Oid, right: Oid, count: NodePtr| {
        function_call(
            builtin(name, &[left, right])?,
            call.aggtype,
            &[total, count],
            CoercionForm::COERCE_EXPLICIT_CALL,
        )
    };
    let float_count = || to_type(count, pg_sys::F_FLOAT8_NUMERIC, pg_sys::FLOAT8OID);
    match call.aggtype {
        pg_sys::NUMERICOID => divide("numeric_div", pg_sys::NUMERICOID, pg_sys::NUMERICOID, count),
        pg_sys::FLOAT8OID => divide(
            "float8div",
            pg_sys::FLOAT8OID,
            pg_sys::FLOAT8OID,
            float_count()?,
        ),
        pg_sys::INTERVALOID => divide(
            "interval_div",
            pg_sys::INTERVALOID,
            pg_sys::FLOAT8OID,
            float_count()?,
        ),
        _ => None,
    }
}

/// The call with another aggregate over the same rows; `exact` widens real, whose sum would lose digits that avg() keeps.
fn worker_aggregate(
    call: &'static pg_sys::Aggref,
    name: &str,
    exact: Option<()>,
) -> Option<NodePtr> {
    let argument = arguments(call).next()?;
    let is_real = exact.is_some() && tree::type_of(argument) == pg_sys::FLOAT4OID;
    let fresh = tree::copy(call);
    // SAFETY: a fresh copy whose single argument is replaced.
    unsafe {
        if is_real {
            let wide = to_type(argument, pg_sys::F_FLOAT8_FLOAT4, pg_sys::FLOAT8OID)?;
            if !(*fresh).aggdistinct.is_null() {
                return None;
            }
            set_argument(&mut *fresh, wide);
        }
        let argument_type = match name {
            "count" => pg_sys::ANYOID,
            _ => pg_sys::list_nth_oid((*fresh).aggargtypes, 0),
        };
        (*fresh).aggfnoid = builtin(name, &[argument_type])?;
        (*fresh).aggtype = pg_sys::get_func_rettype((*fresh).aggfnoid);
        (*fresh).aggcollid = Oid::INVALID;
    }
    Some(fresh.cast())
}
