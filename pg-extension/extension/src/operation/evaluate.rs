//! Values of expressions outside of the statement that they belong to.

use crate::boundary;
use pgrx::pg_sys::{self, Datum, ParamListInfo};

/// The value of an expression of a plan that depends on parameters and one row alone; `None` for NULL. It is made in the current memory
/// context.
///
/// # Safety
/// The slot must be null, or hold a row of the relation whose columns the expression names.
pub unsafe fn evaluate(
    expression: *mut pg_sys::Expr,
    parameters: ParamListInfo,
    row: *mut pg_sys::TupleTableSlot,
) -> Option<Datum> {
    // SAFETY: an expression of a plan, and the parameters that it is run with; by the caller.
    unsafe {
        let context = pg_sys::CreateStandaloneExprContext();
        (*context).ecxt_param_list_info = parameters;
        (*context).ecxt_scantuple = row;
        let state = pg_sys::ExecInitExprWithParams(expression, parameters);
        let mut null = false;
        let value = (*state)
            .evalfunc
            .map(|run| boundary::call(|| run(state, context, &mut null)));
        value.filter(|_| !null)
    }
}
