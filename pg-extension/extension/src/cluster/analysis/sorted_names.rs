//! What a text is sorted by. ORDER BY and DISTINCT ON read a bare name as that of a column of the result, if there is one, and only else as that of a
//! column of a table. So a table's column whose name a different column of the result has is written with a cast to its own type, which changes nothing but
//! is no bare name any more.

use super::tree::{self, NodePtr};
use pgrx::pg_sys;

/// Changes one level of a query, which must be private.
pub fn keep_apart(query: &mut pg_sys::Query) {
    if !query.setOperations.is_null() {
        return;
    }
    let entries = || tree::list::<pg_sys::TargetEntry>(query.targetList);
    let sorted = entries().filter(|entry| is_sorted_by(query, entry));
    let shadowed: Vec<_> = sorted
        .filter_map(|entry| {
            let column = tree::cast::<pg_sys::Var, _>(entry.expr)?;
            let name = name_of(query, column)?;
            let mut others = entries().filter(|other| !other.resjunk && !other.resname.is_null());
            others
                .any(|other| {
                    tree::string(other.resname) == name && !tree::equal(other.expr, column)
                })
                .then_some((std::ptr::from_ref(entry).cast_mut(), column))
        })
        .collect();
    for (entry, column) in shadowed {
        // SAFETY: an entry of the private query.
        unsafe { (*entry).expr = cast_to_itself(column).cast() };
    }
}

fn is_sorted_by(query: &pg_sys::Query, entry: &pg_sys::TargetEntry) -> bool {
    let distinct = match query.hasDistinctOn {
        true => query.distinctClause,
        false => std::ptr::null_mut(),
    };
    let mut clauses = tree::list::<pg_sys::SortGroupClause>(query.sortClause)
        .chain(tree::list::<pg_sys::SortGroupClause>(distinct));
    clauses.any(|clause| clause.tleSortGroupRef == entry.ressortgroupref)
}

/// The name of a column of the level itself.
fn name_of(query: &pg_sys::Query, column: &pg_sys::Var) -> Option<String> {
    if column.varlevelsup != 0 || column.varattno <= 0 {
        return None;
    }
    // SAFETY: the range and the column are there.
    unsafe {
        let range = tree::range(query, column.varno);
        Some(tree::string(pg_sys::get_rte_attribute_name(
            range,
            column.varattno,
        )))
    }
}

fn cast_to_itself(column: &'static pg_sys::Var) -> NodePtr {
    let cast = tree::make::<pg_sys::RelabelType>();
    cast.arg = std::ptr::from_ref(column).cast_mut().cast();
    cast.resulttype = column.vartype;
    cast.resulttypmod = column.vartypmod;
    cast.resultcollid = column.varcollid;
    cast.relabelformat = pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
    cast.location = -1;
    std::ptr::from_mut(cast).cast()
}
