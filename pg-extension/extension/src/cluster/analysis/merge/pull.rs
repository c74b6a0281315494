//! Workers give the rows of FROM and WHERE; everything else is done over them. For what has no partial form: aggregates such
//! as percentile_cont or string_agg, grouping sets, window functions over all rows.

use super::super::locality;
use super::super::tree::{self, NodePtr};
use super::Divided;
use super::build::{self, Division, WorkerColumns};
use super::inner_order::{self, Sorted};
use crate::catalog;
use crate::object;
use pgrx::pg_sys;

/// Err when a column is not the same on another node, or an expression over groups contains a subquery: it could be computed neither by the workers nor over their rows.
///
/// `sorted` is the query with the order of its FROM, if that has one.
pub fn divide(query: &'static pg_sys::Query, sorted: Option<Sorted>) -> Divided {
    let grouped = locality::groups(query);
    let mut columns = WorkerColumns::default();
    let (mut has_subquery, mut system_column) = (false, false);
    let combine = build::copy(query);
    let mut replace = |expression: NodePtr| match expression.is_null() {
        true => expression,
        false => tree::replace(expression, &mut |node| {
            has_subquery |= tree::cast::<pg_sys::SubLink, _>(node).is_some();
            system_column |= tree::cast::<pg_sys::Var, _>(node).is_some_and(|var| var.varattno < 0);
            is_unit(node).then(|| {
                let column = columns.add(node, 0);
                columns.read(column)
            })
        }),
    };
    combine.targetList = build::map_targets(query, &mut replace);
    combine.havingQual = replace(query.havingQual);
    for window in tree::nodes(combine.windowClause) {
        let window = window.cast::<pg_sys::WindowClause>();
        // SAFETY: a list of window clauses of our own copy; frame offsets read no column.
        unsafe {
            (*window).startOffset = replace((*window).startOffset);
            (*window).endOffset = replace((*window).endOffset);
        }
    }
    if grouped && has_subquery {
        return Err("a subquery in a grouped query");
    }
    if system_column {
        return Err(super::SYSTEM_COLUMN);
    }
    if columns.len() == 0 {
        // SAFETY: makes a constant, since a worker must give something for each row.
        columns.add(unsafe { pg_sys::makeBoolConst(true, false) }, 0);
    }
    let (worker, keys) = match sorted {
        Some(Sorted {
            query: worker,
            keys,
        }) => {
            let mut all = inner_order::groups(query);
            all.extend(keys);
            (worker, all)
        }
        None => (build::copy(query), Vec::new()),
    };
    build::strip_later_steps(worker);
    let order = keys
        .into_iter()
        .map(|key| (columns.add(key.expression, 0), key.clause))
        .collect();
    Ok(Division {
        order,
        columns,
        worker,
        combine,
        pulls_rows: true,
        finish: None,
    })
}

/// What workers evaluate: columns, subqueries, and Abelian columns as their values.
fn is_unit(node: NodePtr) -> bool {
    if tree::cast::<pg_sys::Var, _>(node).is_some()
        || tree::cast::<pg_sys::SubLink, _>(node).is_some()
    {
        return true;
    }
    let argument =
        tree::cast::<pg_sys::FuncExpr, _>(node).and_then(|call| tree::nodes(call.args).next());
    let var = argument.and_then(|argument| tree::cast::<pg_sys::Var, _>(argument));
    var.zip(catalog::find())
        .is_some_and(|(var, catalog)| object::is_object_type(&catalog, var.vartype))
}
