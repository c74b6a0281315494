//! `ORDER BY likes DESC LIMIT 10`: the rows of the result are among the first ten, by their bases, of those whose objects have no slices,
//! and all of those whose objects have some. Both kinds are found by indexes; the query gets the condition that a row is one of them.

use super::{Column, compared_bases, has_slices};
use crate::operation::results;
use crate::operation::rewrite::Relation;
use crate::operation::symbols::ByValue;
use crate::operation::tree::{self, Any, Tree};
use pgrx::pg_sys::{self, LimitOption, SubLinkType};

/// The first rows in this order are found by an index; for more, sorting all is no worse.
const MOST: i64 = 10_000;

/// Adds the condition. False if the query is another one.
pub fn first_rows(
    mut query: Tree<pg_sys::Query>,
    relation: &Relation<'_>,
    columns: &[Column],
    functions: ByValue,
) -> bool {
    let (Some(count), Some(mut join)) = (count(query), Tree::new(query.jointree)) else {
        return false;
    };
    if !is_plain(query, join) {
        return false;
    }
    let Some((column, first)) = columns.iter().find_map(|column| {
        let first = by_base(query, relation, column)?;
        Some((column, first))
    }) else {
        return false;
    };
    let no_slices = tree::internal_call(
        functions.has_no_slices,
        pg_sys::BOOLOID,
        &[column.object(relation)],
    );
    let mut unsplit = compared_bases(relation, column, &tree::conjuncts(join.quals));
    unsplit.push(no_slices);
    let by_base = arm(query, relation, &unsplit, Some((first, count)));
    let split = has_slices(relation, column, functions);
    let others = arm(query, relation, &[split], None);
    let is_one = |arm: Tree<pg_sys::Query>| {
        let places = tree::sublink(SubLinkType::ARRAY_SUBLINK, arm);
        tree::is_any(tree::TID_EQUAL, relation.ctid(0), places)
    };
    let mut all = tree::conjuncts(join.quals);
    all.push(tree::boolean(
        pg_sys::BoolExprType::OR_EXPR,
        &[is_one(by_base), is_one(others)],
    ));
    join.quals = tree::conjunction(&all);
    query.hasSubLinks = true;
    true
}

/// How many rows may be shown or passed over: of these the result is made.
fn count(query: Tree<pg_sys::Query>) -> Option<Any> {
    let limit = tree::folded(Tree::new(query.limitCount)?);
    let offset = Tree::<pg_sys::Node>::new(query.limitOffset).map(tree::folded);
    let constant = |node: Any| {
        let constant = node.cast::<pg_sys::Const>()?;
        (!constant.constisnull).then_some(constant.constvalue.value() as i64)
    };
    if query.limitOption != LimitOption::LIMIT_OPTION_COUNT {
        return None;
    }
    let few = |count: i64| (0..=MOST).contains(&count).then(|| tree::bigint(count));
    match (constant(limit), offset) {
        (Some(limit), None) => few(limit),
        (Some(limit), Some(offset)) => few(limit.checked_add(constant(offset)?)?),
        (None, None) => is_parameter(limit).then_some(limit),
        (None, Some(_)) => None,
    }
}

/// Of any integer type: drivers send what they have.
fn is_parameter(node: Any) -> bool {
    let widened = node
        .cast::<pg_sys::FuncExpr>()
        .filter(|call| [pg_sys::F_INT8_INT4, pg_sys::F_INT8_INT2].contains(&call.funcid.to_u32()))
        .and_then(|call| tree::first::<pg_sys::Node>(call.args));
    widened
        .unwrap_or(node)
        .cast::<pg_sys::Param>()
        .is_some_and(|one| one.paramkind == pg_sys::ParamKind::PARAM_EXTERN)
}

/// Whether the query sorts and cuts off the rows of one table that meet conditions on these rows alone.
fn is_plain(query: Tree<pg_sys::Query>, join: Tree<pg_sys::FromExpr>) -> bool {
    let sources = tree::items::<pg_sys::Node>(join.fromlist);
    let only_source = sources.len() == 1 && sources[0].cast::<pg_sys::RangeTblRef>().is_some();
    let refers_outside = || {
        tree::any_node(query.pointer(), &mut |node, levels| {
            let variable = node.cast::<pg_sys::Var>();
            variable.is_some_and(|variable| variable.varlevelsup >= levels)
        })
    };
    only_source
        && !(query.hasAggs
            || query.hasWindowFuncs
            || query.hasTargetSRFs
            || query.hasSubLinks
            || query.hasDistinctOn)
        && [
            query.groupClause,
            query.groupingSets,
            query.distinctClause,
            query.cteList,
        ]
        .iter()
        .all(|list| list.is_null())
        && query.havingQual.is_null()
        && query.setOperations.is_null()
        && !Tree::new(join.quals).is_some_and(tree::is_volatile)
        && !sorts(query)
            .iter()
            .any(|(entry, _)| Tree::new(entry.expr.cast()).is_some_and(tree::is_volatile))
        && !refers_outside()
}

type Sort = (Tree<pg_sys::TargetEntry>, Tree<pg_sys::SortGroupClause>);

/// What the rows are sorted by.
fn sorts(query: Tree<pg_sys::Query>) -> Vec<Sort> {
    let entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
    let clauses = tree::items::<pg_sys::SortGroupClause>(query.sortClause);
    let entry = |clause: &Tree<pg_sys::SortGroupClause>| {
        let mut named = entries.iter();
        let found = named.find(|entry| entry.ressortgroupref == clause.tleSortGroupRef)?;
        Some((*found, *clause))
    };
    clauses.iter().filter_map(entry).collect()
}

/// The first of them, if it is the column, of what is stored instead.
fn by_base(query: Tree<pg_sys::Query>, relation: &Relation<'_>, column: &Column) -> Option<Sort> {
    let (entry, clause) = *sorts(query).first()?;
    let expression = Tree::<pg_sys::Node>::new(entry.expr.cast())?;
    let variable = expression.cast::<pg_sys::Var>();
    let is_object = variable.is_some_and(|variable| column.is(relation, variable));
    if !is_object && column.value(relation, expression).is_none() {
        return None;
    }
    let (less, _, greater, _) = results::operators(expression.result_type());
    if clause.sortop != less && clause.sortop != greater {
        return None;
    }
    let (mut entry, clause) = (entry.copy(), clause.copy());
    entry.expr = column.base(relation).pointer();
    if is_object {
        results::use_operators(clause, column.kind.type_, column.kind.value_type);
    }
    Some((entry, clause))
}

/// Where the rows of the query are that meet more conditions: all, or the first `count` with `first` in the place of the first sort key.
fn arm(
    query: Tree<pg_sys::Query>,
    relation: &Relation<'_>,
    conditions: &[Any],
    first: Option<(Sort, Any)>,
) -> Tree<pg_sys::Query> {
    let sorts = sorts(query);
    let mut arm = query.copy();
    if let Some(mut join) = Tree::new(arm.jointree) {
        let mut all = tree::conjuncts(join.quals);
        all.extend(conditions);
        join.quals = tree::conjunction(&all);
    }
    let mut entries = vec![tree::target(relation.ctid(0), 1, c"ctid", false)];
    let mut clauses = Vec::new();
    arm.limitOffset = std::ptr::null_mut();
    arm.limitCount = std::ptr::null_mut();
    if let Some((first, count)) = first {
        for (entry, clause) in std::iter::once(first).chain(sorts.into_iter().skip(1)) {
            let mut entry = entry.copy();
            entry.resno = entries.len() as i16 + 1;
            entry.resjunk = true;
            entries.push(entry);
            clauses.push(clause.copy());
        }
        arm.limitCount = count.copy().pointer();
    }
    arm.targetList = tree::list(&entries);
    arm.sortClause = tree::list(&clauses);
    arm.hasSubLinks = true;
    arm
}
