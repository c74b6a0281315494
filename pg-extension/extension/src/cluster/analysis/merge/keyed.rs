//! Groups of a subquery are joined with few rows: each node computes those alone that some of these rows can meet (a semi-join reduction, with rows of
//! other nodes). For a subquery that stays while the rest of the statement is gathered.

use super::super::tree::{self, NodePtr};
use super::decorrelate;
use super::filter::{self, Filters};
use super::{build, parts};
use pgrx::pg_sys::{self, RTEKind};

/// Restricts a grouping subquery to the groups that rows of the level around it can meet, which are given as arrays by now; false when none of its
/// grouping columns is compared with theirs.
///
/// `level` is a private copy that the subquery stands in, `given` the ranges of rows that were replaced by arrays.
pub fn restrict(
    level: &pg_sys::Query,
    filters: &Filters,
    groups: &mut pg_sys::Query,
    given: &[i32],
) -> bool {
    let Some(range) = place_of(level, groups).filter(|range| filters.keeps(*range)) else {
        return false;
    };
    let plain = groups.groupingSets.is_null()
        && !groups.hasWindowFuncs
        && !groups.hasTargetSRFs
        && groups.distinctClause.is_null()
        && groups.limitCount.is_null()
        && groups.limitOffset.is_null();
    if !plain {
        return false;
    }
    let given = given.iter().filter(|other| filters.keeps(**other));
    let met: Vec<NodePtr> = given
        .filter_map(|other| meets(level, filters, groups, (range, *other)))
        .collect();
    if met.is_empty() {
        return false;
    }
    // SAFETY: FROM of a private copy, of which nothing else is held.
    unsafe {
        let from = groups.jointree;
        let mut all = tree::conjuncts((*from).quals);
        all.extend(met);
        (*from).quals = filter::all_of(all);
    }
    groups.hasSubLinks = true;
    true
}

/// The range of the level that is this subquery.
fn place_of(level: &pg_sys::Query, groups: &pg_sys::Query) -> Option<i32> {
    let mut entries = tree::list::<pg_sys::RangeTblEntry>(level.rtable);
    let at = entries.position(|entry| {
        entry.rtekind == RTEKind::RTE_SUBQUERY && std::ptr::eq(entry.subquery, groups)
    })?;
    Some(at as i32 + 1)
}

/// That there is a row of the other range that equals the group in all columns that the level compares; `None` when it compares none.
fn meets(
    level: &pg_sys::Query,
    filters: &Filters,
    groups: &pg_sys::Query,
    (range, other): (i32, i32),
) -> Option<NodePtr> {
    let joins = filters.joins().iter();
    let equalities: Vec<NodePtr> = joins
        .filter_map(|condition| equality(groups, *condition, (range, other)))
        .collect();
    if equalities.is_empty() {
        return None;
    }
    let rows = parts::select([tree::range(level, other)], filter::all_of(equalities));
    Some(parts::exists(rows))
}

/// `groups.column = other.column` as one of what is grouped with a row of a subquery's only range.
fn equality(
    groups: &pg_sys::Query,
    condition: NodePtr,
    (range, other): (i32, i32),
) -> Option<NodePtr> {
    let operation = tree::cast::<pg_sys::OpExpr, _>(condition)?;
    let sides: Vec<NodePtr> = tree::nodes(operation.args).collect();
    let &[first, second] = sides.as_slice() else {
        return None;
    };
    let group = [first, second].into_iter().find_map(|side| {
        tree::cast::<pg_sys::Var, _>(side).filter(|var| var.varno == range && var.varlevelsup == 0)
    })?;
    let mut ranges = filter::plain_ranges(condition)?;
    let both = ranges.remove(&range) && ranges.remove(&other) && ranges.is_empty();
    let grouped = grouped_by(groups, group.varattno)?;
    if !both || !decorrelate::compares_groups(operation, grouped) {
        return None;
    }
    Some(tree::replace(condition, &mut |node| {
        let var = tree::cast::<pg_sys::Var, _>(node)?;
        if var.varno == range {
            let above = tree::copy(grouped);
            // SAFETY: a fresh copy of an expression of the level that will be the next one above.
            unsafe { pg_sys::IncrementVarSublevelsUp(above, 1, 0) };
            return Some(above);
        }
        Some(build::renumbered(var, 1, 0))
    }))
}

/// What the column is, if the query groups by it.
fn grouped_by(groups: &pg_sys::Query, column: i16) -> Option<NodePtr> {
    let mut entries = tree::list::<pg_sys::TargetEntry>(groups.targetList);
    let entry = entries.find(|entry| entry.resno == column)?;
    let is_key = tree::list::<pg_sys::SortGroupClause>(groups.groupClause).any(|clause| {
        clause.tleSortGroupRef != 0 && clause.tleSortGroupRef == entry.ressortgroupref
    });
    let expression: NodePtr = entry.expr.cast();
    // SAFETY: a valid expression.
    let plain = !unsafe { pg_sys::contain_volatile_functions(expression) }
        && !tree::any(expression, &mut |node| {
            tree::cast::<pg_sys::SubLink, _>(node).is_some()
        });
    (is_key && plain).then_some(expression)
}
