//! Rewrites UPDATE ... FROM of a reference table so that its result is determined: of several rows that match one, PostgreSQL takes any, and each copy
//! might take another. All take the one with the least values here.
//!
//! `UPDATE t SET a = s.x FROM s WHERE s.k = t.k` becomes
//! `UPDATE t SET a = (SELECT s.x FROM s WHERE s.k = t.k ORDER BY s.x, s.x::text LIMIT 1) WHERE EXISTS (SELECT FROM s WHERE s.k = t.k)`. The table itself
//! is read at the place where it is changed only: a row that another transaction has changed meanwhile is looked at anew, with all that depends on it.

use super::super::parser;
use super::super::relation::{Placement, Relation};
use super::super::tree::{self, NodePtr};
use super::{build, determined};
use crate::boundary;
use pgrx::pg_sys::{self, CmdType, Oid, SubLinkType};

/// The rewritten statement; `None` where it need not or cannot be rewritten.
pub fn determined(query: &pg_sys::Query, parameters: &[Oid]) -> Option<&'static pg_sys::Query> {
    if !applies(query) {
        return None;
    }
    boundary::attempt(|| {
        let text = parser::c_text(&parser::deparse_for(rewrite(query), &[])?);
        let statement = parser::parse(&text)?[0];
        Ok(parser::analyse(statement, &text, parameters)?.query)
    })
    .ok()
}

fn rewrite(query: &pg_sys::Query) -> *mut pg_sys::Query {
    let (open, kept): (Vec<_>, Vec<_>) = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .partition(|entry| reads_others(query, entry.expr.cast()));
    let rows = matching_rows(query);
    let (mut targets, junk) = chosen(&open, rows);
    targets.extend(kept.into_iter().map(|entry| tree::copy(entry)));
    targets.extend(junk);
    let update = build::copy(query);
    update.targetList = tree::make_list(targets.into_iter().map(|entry| entry.cast()));
    update.hasSubLinks = true;
    // SAFETY: the copy's own FROM and entries. The others stay in the range table, as Vars count by position; the deparser
    // needs nothing of RTE_RESULT.
    unsafe {
        for entry in tree::nodes(update.rtable).map(|entry| entry.cast::<pg_sys::RangeTblEntry>()) {
            if entry != tree::range(update, update.resultRelation) {
                (*entry).rtekind = pg_sys::RTEKind::RTE_RESULT;
            }
        }
        (*update.jointree).fromlist = tree::make_list(items(update, true));
        (*update.jointree).quals = exists(rows);
    }
    update
}

/// Whether it changes a reference table by values of the rows of FROM, and can be rewritten.
fn applies(query: &pg_sys::Query) -> bool {
    let is_update = query.commandType == CmdType::CMD_UPDATE && !query.hasModifyingCTE;
    if !is_update || determined::is_one(query) {
        return false;
    }
    let target = Relation::new(tree::target(query), 0);
    let mut entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    // SAFETY: a query has a join tree.
    let by_cursor = tree::cast::<pg_sys::CurrentOfExpr, _>(unsafe { (*query.jointree).quals });
    target.placement == Placement::Reference
        && by_cursor.is_none()
        && !reads_others(query, query.returningList.cast())
        && entries.all(|entry| {
            let given = tree::type_of(entry.expr);
            tree::cast::<pg_sys::Param, _>(entry.expr)
                .is_none_or(|value| value.paramkind != pg_sys::ParamKind::PARAM_MULTIEXPR)
                && !entry.resjunk
                && build::value_type(given) == given
        })
}

/// Whether an expression reads rows of FROM.
fn reads_others(query: &pg_sys::Query, expression: NodePtr) -> bool {
    determined::ranges_in(expression)
        .into_iter()
        .any(|range| range != query.resultRelation)
}

/// What is in FROM: the table that is changed, or all else.
fn items(query: &pg_sys::Query, target: bool) -> Vec<NodePtr> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let is_target = |item: &NodePtr| {
        tree::cast::<pg_sys::RangeTblRef, _>(*item)
            .is_some_and(|item| item.rtindex == query.resultRelation)
    };
    from.into_iter()
        .flat_map(|from| tree::nodes(from.fromlist))
        .filter(|item| is_target(item) == target)
        .collect()
}

/// The rows of FROM that match a row of the table, as a subquery beside that; the target list is still the statement's.
fn matching_rows(query: &pg_sys::Query) -> &'static pg_sys::Query {
    let whole: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let rows = tree::replace_by_depth(whole, 0, &mut |node, depth| {
        let own = tree::cast::<pg_sys::Var, _>(node)?;
        let of_target = own.varno == query.resultRelation && own.varlevelsup as i32 == depth;
        of_target.then(|| {
            let above = tree::copy(own);
            // SAFETY: the copy was just made.
            unsafe { (*above).varlevelsup += 1 };
            above.cast()
        })
    });
    // SAFETY: a private copy of a query.
    unsafe {
        let rows = &mut *rows.cast::<pg_sys::Query>();
        (*rows.jointree).fromlist = tree::make_list(items(rows, false));
        rows.commandType = CmdType::CMD_SELECT;
        rows.resultRelation = 0;
        rows.returningList = std::ptr::null_mut();
        rows
    }
}

/// The assignments of the least values, and what they need beside them.
fn chosen(
    open: &[&pg_sys::TargetEntry],
    rows: &pg_sys::Query,
) -> (
    Vec<*mut pg_sys::TargetEntry>,
    Option<*mut pg_sys::TargetEntry>,
) {
    let columns: Vec<i16> = open.iter().map(|entry| entry.resno).collect();
    let least = least(rows, &columns);
    if let [only] = open {
        let assignment = tree::copy(*only);
        // SAFETY: the copy was just made.
        unsafe { (*assignment).expr = sublink(SubLinkType::EXPR_SUBLINK, 0, least).cast() };
        return (vec![assignment], None);
    }
    let assignments = open.iter().zip(1..).map(|(entry, number)| {
        let value = tree::make::<pg_sys::Param>();
        value.paramkind = pg_sys::ParamKind::PARAM_MULTIEXPR;
        value.paramid = (1 << 16) | number;
        value.paramtype = tree::type_of(entry.expr);
        value.paramtypmod = -1;
        value.paramcollid = tree::collation_of(entry.expr);
        value.location = -1;
        let assignment = tree::copy(*entry);
        // SAFETY: the copy was just made.
        unsafe { (*assignment).expr = std::ptr::from_mut(value).cast() };
        assignment
    });
    let all = build::target(sublink(SubLinkType::MULTIEXPR_SUBLINK, 1, least), 0);
    // SAFETY: a fresh entry.
    unsafe { (*all).resjunk = true };
    (assignments.collect(), Some(all))
}

/// The first of the rows by the values of these columns, which it gives. Values that are equal may look different, such as 1.0 and 1.00, so their
/// texts count, too.
fn least(rows: &pg_sys::Query, columns: &[i16]) -> &'static mut pg_sys::Query {
    let least = build::copy(rows);
    let values: Vec<NodePtr> = tree::list::<pg_sys::TargetEntry>(least.targetList)
        .filter(|entry| columns.contains(&entry.resno))
        .map(|entry| entry.expr.cast())
        .collect();
    let (mut targets, mut texts, mut sorted) = (Vec::new(), Vec::new(), Vec::new());
    for (value, number) in values.iter().zip(1..) {
        let entry = build::target(*value, number as i16);
        if let Some(clause) = order(*value, number) {
            // SAFETY: a fresh entry.
            unsafe { (*entry).ressortgroupref = number };
            sorted.push(clause);
        }
        targets.push(entry.cast());
    }
    let count = values.len() as u32;
    for (value, number) in values.iter().zip(count + 1..) {
        let text = as_text(tree::copy(*value));
        let entry = build::target(text, number as i16);
        // SAFETY: a fresh entry.
        unsafe {
            (*entry).resjunk = true;
            (*entry).ressortgroupref = number;
        }
        sorted.extend(order(text, number));
        texts.push(entry.cast());
    }
    targets.extend(texts);
    least.targetList = tree::make_list(targets);
    least.sortClause = tree::make_list(sorted);
    // SAFETY: makes a constant.
    least.limitCount = unsafe {
        let (length, one) = (8, pg_sys::Datum::from(1_i64));
        pg_sys::makeConst(pg_sys::INT8OID, -1, Oid::INVALID, length, one, false, true).cast()
    };
    least
}

/// ORDER BY of that column; `None` for a type without an order.
fn order(value: NodePtr, reference: u32) -> Option<NodePtr> {
    let clause = build::grouping_clause(tree::type_of(value), reference)?;
    let sorts = clause.sortop != Oid::INVALID;
    sorts.then(|| std::ptr::from_mut(clause).cast())
}

fn as_text(value: NodePtr) -> NodePtr {
    let text = tree::make::<pg_sys::CoerceViaIO>();
    text.arg = value.cast();
    text.resulttype = pg_sys::TEXTOID;
    text.resultcollid = pg_sys::DEFAULT_COLLATION_OID;
    text.coerceformat = pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
    text.location = -1;
    std::ptr::from_mut(text).cast()
}

fn exists(rows: &pg_sys::Query) -> NodePtr {
    let rows = build::copy(rows);
    // SAFETY: makes a constant.
    let anything: NodePtr = unsafe { pg_sys::makeBoolConst(true, false) };
    rows.targetList = tree::make_list([build::target(anything, 1).cast()]);
    sublink(SubLinkType::EXISTS_SUBLINK, 0, rows)
}

fn sublink(kind: SubLinkType::Type, number: i32, query: &mut pg_sys::Query) -> NodePtr {
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = kind;
    link.subLinkId = number;
    link.subselect = std::ptr::from_mut(query).cast();
    link.location = -1;
    std::ptr::from_mut(link).cast()
}
