//! A whole row among the results (`SELECT t FROM s LEFT JOIN t ...`). Where a subquery over arrays stands for the table, the text is `t.*::t`, and the
//! parser makes that a row of the columns: where the outer join found no row, one of NULLs, which is not the NULL that the table would give.

use super::super::tree::{self, NodePtr};
use super::build;
use pgrx::pg_sys::{self, CoercionForm, JoinType, NullTestType};

/// Makes whole rows among the results of each level NULL where there is no row.
pub fn keep_missing(combine: &mut pg_sys::Query) {
    if !has_outer_join(combine) {
        return;
    }
    for level in tree::levels(combine) {
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut *level };
        level.targetList = build::map_columns(level.targetList, &mut kept);
        level.returningList = build::map_columns(level.returningList, &mut kept);
    }
}

fn has_outer_join(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::JoinExpr, _>(node)
            .is_some_and(|join| join.jointype != JoinType::JOIN_INNER)
    })
}

/// `CASE WHEN t IS NOT DISTINCT FROM NULL THEN NULL ELSE t.*::t END` for the whole row of a named type; anything else as it is.
fn kept(expression: NodePtr) -> NodePtr {
    let row = tree::cast::<pg_sys::Var, _>(expression)
        .filter(|var| var.varattno == 0 && var.vartype != pg_sys::RECORDOID);
    let Some(row) = row else {
        return expression;
    };
    let test = tree::make::<pg_sys::NullTest>();
    test.arg = tree::copy(row).cast();
    test.nulltesttype = NullTestType::IS_NULL;
    test.location = -1;
    let when = tree::make::<pg_sys::CaseWhen>();
    when.expr = std::ptr::from_mut(test).cast();
    when.result = build::null(row.vartype).cast();
    when.location = -1;
    let cast = tree::make::<pg_sys::ConvertRowtypeExpr>();
    cast.arg = tree::copy(row).cast();
    cast.resulttype = row.vartype;
    cast.convertformat = CoercionForm::COERCE_EXPLICIT_CAST;
    cast.location = -1;
    let case = tree::make::<pg_sys::CaseExpr>();
    case.casetype = row.vartype;
    case.args = tree::make_list([std::ptr::from_mut(when).cast()]);
    case.defresult = std::ptr::from_mut(cast).cast();
    case.location = -1;
    std::ptr::from_mut(case).cast()
}
