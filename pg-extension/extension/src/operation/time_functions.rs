//! PostgreSQL's own functions of dates and times. They are STABLE where they depend on the moment at which the transaction began or on
//! the session's time zone, and read no table.

use super::tree::{self, Any};
use crate::callback;
use pgrx::pg_sys::{self, NodeTag, Oid, SysCacheIdentifier};
use std::ffi::c_void;

/// `internal` in every database.
const INTERNAL_LANGUAGE: u32 = 12;

/// Whether evaluating an expression may read tables, under the snapshot of the statement: whether it calls what is not IMMUTABLE, other
/// than these functions.
pub fn may_read_tables(expression: Any) -> bool {
    callback!(fn is_one(function: Oid, _context: *mut c_void) -> bool = |function, _| reads(function));
    tree::is_mutable(expression)
        && tree::any_node(expression.pointer(), &mut |node, _| {
            // SAFETY: any node may be asked; the function looks at a function's row.
            !calls_by_number(node.type_)
                || unsafe {
                    pg_sys::check_functions_in_node(
                        node.pointer(),
                        Some(is_one),
                        std::ptr::null_mut(),
                    )
                }
        })
}

/// Whether a node names each function that it calls, or calls none. Others may convert a value by a user's cast, as JSON_OBJECT does.
fn calls_by_number(tag: NodeTag) -> bool {
    use NodeTag::*;
    matches!(
        tag,
        T_Var
            | T_Const
            | T_Param
            | T_FuncExpr
            | T_OpExpr
            | T_DistinctExpr
            | T_NullIfExpr
            | T_ScalarArrayOpExpr
            | T_BoolExpr
            | T_RelabelType
            | T_CoerceViaIO
            | T_ArrayCoerceExpr
            | T_CaseExpr
            | T_CaseWhen
            | T_CaseTestExpr
            | T_CoalesceExpr
            | T_MinMaxExpr
            | T_NullTest
            | T_BooleanTest
            | T_SQLValueFunction
            | T_ArrayExpr
            | T_RowExpr
            | T_List
    )
}

fn reads(function: Oid) -> bool {
    // SAFETY: a look-up by the number of a function.
    let volatility = unsafe { pg_sys::func_volatile(function) } as u8;
    match volatility {
        pg_sys::PROVOLATILE_IMMUTABLE => false,
        pg_sys::PROVOLATILE_STABLE => !is_of_time(function),
        _ => true,
    }
}

/// Whether a function of PostgreSQL's takes or gives a date or time.
fn is_of_time(function: Oid) -> bool {
    let is_builtin = function.to_u32() < pg_sys::FirstGenbkiObjectId;
    // SAFETY: a row of the catalogue, given back; its first columns are of fixed size, and then come the types of the arguments.
    is_builtin
        && unsafe {
            let row = pg_sys::SearchSysCache1(SysCacheIdentifier::PROCOID as i32, function.into());
            if row.is_null() {
                return false;
            }
            let form = &*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_proc>();
            let arguments = form.proargtypes.values.as_slice(form.pronargs as usize);
            let found = form.prolang == Oid::from(INTERNAL_LANGUAGE)
                && (is_time(form.prorettype) || arguments.iter().any(|type_| is_time(*type_)));
            pg_sys::ReleaseSysCache(row);
            found
        }
}

fn is_time(type_: Oid) -> bool {
    use pg_sys::{DATEOID, INTERVALOID, TIMEOID, TIMESTAMPOID, TIMESTAMPTZOID, TIMETZOID};
    [
        DATEOID,
        INTERVALOID,
        TIMEOID,
        TIMESTAMPOID,
        TIMESTAMPTZOID,
        TIMETZOID,
    ]
    .contains(&type_)
}
