//! A whole row among the results (`SELECT t FROM s LEFT JOIN t ...`). Where a subquery over arrays stands for the table, the text is `t.*::t`, and the
//! parser makes that a row of the columns: where the outer join found no row, one of NULLs, which is not the NULL that the table would give.

use super::super::tree::{self, NodePtr};
use super::build;
use pgrx::pg_sys::{self, CoercionForm, JoinType, NullTestType};

/// Makes whole rows in the results of each level NULL where there is no row, and values of their type where they are parts of expressions.
pub fn keep_missing(combine: &mut pg_sys::Query) {
    let may_miss = has_outer_join(combine);
    for level in tree::levels(combine) {
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut *level };
        let mut kept = |expression| kept(expression, may_miss);
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

/// The whole row of a named type, in the place of which a subquery stands.
fn whole_row(node: NodePtr) -> Option<&'static pg_sys::Var> {
    tree::cast::<pg_sys::Var, _>(node)
        .filter(|var| var.varattno == 0 && var.vartype != pg_sys::RECORDOID)
}

fn kept(expression: NodePtr, may_miss: bool) -> NodePtr {
    match whole_row(expression) {
        Some(_) if !may_miss => expression, // Its text has the cast.
        Some(row) => or_null(row),
        None => tree::replace(expression, &mut |node| {
            let row = whole_row(node)?;
            Some(if may_miss { or_null(row) } else { typed(row) })
        }),
    }
}

/// `CASE WHEN t IS NOT DISTINCT FROM NULL THEN NULL ELSE t.*::t END`
fn or_null(row: &pg_sys::Var) -> NodePtr {
    let test = tree::make::<pg_sys::NullTest>();
    test.arg = tree::copy(row).cast();
    test.nulltesttype = NullTestType::IS_NULL;
    test.location = -1;
    let when = tree::make::<pg_sys::CaseWhen>();
    when.expr = std::ptr::from_mut(test).cast();
    when.result = build::null(row.vartype).cast();
    when.location = -1;
    let case = tree::make::<pg_sys::CaseExpr>();
    case.casetype = row.vartype;
    case.args = tree::make_list([std::ptr::from_mut(when).cast()]);
    case.defresult = typed(row).cast();
    case.location = -1;
    std::ptr::from_mut(case).cast()
}

/// `t.*::t`
fn typed(row: &pg_sys::Var) -> NodePtr {
    let cast = tree::make::<pg_sys::ConvertRowtypeExpr>();
    cast.arg = tree::copy(row).cast();
    cast.resulttype = row.vartype;
    cast.convertformat = CoercionForm::COERCE_EXPLICIT_CAST;
    cast.location = -1;
    std::ptr::from_mut(cast).cast()
}
