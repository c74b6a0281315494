//! INSERT ... OVERRIDING USER VALUE, also in a MERGE, which ignores what it is given for identity columns: the same without these columns.

use super::insert_select;
use super::merge::{build, parts};
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, OverridingKind, RTEKind, RangeTblEntry};

/// Of a query as analysed; `None` where nothing is ignored, or nothing else is given by a SELECT or several rows.
pub fn without_ignored(
    query: &pg_sys::Query,
    target: &Relation,
) -> Option<&'static mut pg_sys::Query> {
    let placed = matches!(
        target.placement,
        Placement::Distributed(_) | Placement::Reference
    );
    if !placed || target.oid != tree::target(query) {
        return None;
    }
    let relation = Opened::open(target.oid, pg_sys::NoLock)?;
    if query.commandType == CmdType::CMD_MERGE {
        return of_merge(query, &relation);
    }
    let ignores = query.commandType == CmdType::CMD_INSERT
        && query.override_ == OverridingKind::OVERRIDING_USER_VALUE;
    if !ignores {
        return None;
    }
    let insert = build::copy(query);
    insert.override_ = OverridingKind::OVERRIDING_NOT_SET;
    insert.targetList = kept(insert.targetList, &relation);
    match source_of(insert) {
        None => Some(insert),
        Some(number) => leave_out(insert, number).then_some(insert),
    }
}

/// What is not assigned to identity columns.
fn kept(list: *const pg_sys::List, relation: &Opened) -> *mut pg_sys::List {
    let is_identity =
        |entry: &pg_sys::TargetEntry| relation.columns()[entry.resno as usize - 1].attidentity != 0;
    tree::make_list(tree::nodes(list).filter(|node| {
        tree::cast::<pg_sys::TargetEntry, _>(*node).is_none_or(|entry| !is_identity(entry))
    }))
}

/// A MERGE whose actions say so; `None` where one is left without columns.
fn of_merge(query: &pg_sys::Query, relation: &Opened) -> Option<&'static mut pg_sys::Query> {
    let merge = build::copy(query);
    let mut ignores = false;
    for action in tree::nodes(merge.mergeActionList) {
        // SAFETY: an action of a private copy, of which nothing else is held.
        let action = unsafe { &mut *action.cast::<pg_sys::MergeAction>() };
        if action.override_ != OverridingKind::OVERRIDING_USER_VALUE {
            continue;
        }
        action.override_ = OverridingKind::OVERRIDING_NOT_SET;
        action.targetList = kept(action.targetList, relation);
        if action.targetList.is_null() {
            return None;
        }
        ignores = true;
    }
    ignores.then_some(merge)
}

/// The entry of the range table that gives the rows, if these are not a single one.
fn source_of(insert: &pg_sys::Query) -> Option<i32> {
    let from = tree::cast::<pg_sys::FromExpr, _>(insert.jointree)?;
    let mut items = tree::list::<pg_sys::RangeTblRef>(from.fromlist);
    items.next().map(|item| item.rtindex)
}

/// Leaves out what the source gives for columns that are not there any more; false where that is all, or the columns are assigned in parts.
fn leave_out(insert: &mut pg_sys::Query, number: i32) -> bool {
    let mut used: Vec<usize> = Vec::new();
    let is_source = |column: &pg_sys::Var| column.varno == number && column.varlevelsup == 0;
    tree::walk(insert.targetList.cast(), &mut |node| {
        if let Some(column) = tree::cast::<pg_sys::Var, _>(node).filter(|one| is_source(one)) {
            used.push(column.varattno as usize - 1);
        }
        true
    });
    if used.is_empty() || insert_select::assigns_parts(insert) {
        return false;
    }
    for entry in tree::nodes(insert.targetList) {
        let entry = entry.cast::<pg_sys::TargetEntry>();
        // SAFETY: an entry of a private copy.
        unsafe {
            let value = tree::replace((*entry).expr.cast(), &mut |node| {
                let column = tree::cast::<pg_sys::Var, _>(node).filter(|one| is_source(one))?;
                let place = used
                    .iter()
                    .position(|at| *at == column.varattno as usize - 1)?;
                Some(tree::make_field(number, place as i16 + 1, node))
            });
            (*entry).expr = value.cast();
        }
    }
    // SAFETY: an entry of a private copy, of which nothing else is held.
    let entry = unsafe { &mut *tree::range(insert, number) };
    match entry.rtekind {
        RTEKind::RTE_VALUES => keep_values(entry, &used),
        RTEKind::RTE_SUBQUERY => keep_columns(entry, &used),
        _ => return false,
    }
    true
}

/// Of each row the values at these places.
fn keep_values(entry: &mut RangeTblEntry, used: &[usize]) {
    let kept = |list: *mut pg_sys::List| {
        let all: Vec<NodePtr> = tree::nodes(list).collect();
        tree::make_list(used.iter().map(|at| all[*at]))
    };
    entry.values_lists =
        tree::make_list(tree::nodes(entry.values_lists).map(|row| kept(row.cast()).cast()));
    // SAFETY: lists of a private copy, with an element for each column.
    unsafe {
        (*entry.eref).colnames = kept((*entry.eref).colnames);
        let place = |at: &usize| *at as i32;
        let [mut types, mut modifiers, mut collations] = [std::ptr::null_mut::<pg_sys::List>(); 3];
        for at in used.iter().map(place) {
            types = pg_sys::lappend_oid(types, pg_sys::list_nth_oid(entry.coltypes, at));
            modifiers = pg_sys::lappend_int(modifiers, pg_sys::list_nth_int(entry.coltypmods, at));
            collations =
                pg_sys::lappend_oid(collations, pg_sys::list_nth_oid(entry.colcollations, at));
        }
        (entry.coltypes, entry.coltypmods, entry.colcollations) = (types, modifiers, collations);
    }
}

/// Of a SELECT the columns at these places; it computes the others as before.
fn keep_columns(entry: &mut RangeTblEntry, used: &[usize]) {
    // SAFETY: an entry with a query, of a private copy.
    let (inner, columns) = unsafe {
        // It stands one level deeper.
        pg_sys::IncrementVarSublevelsUp(entry.subquery.cast(), 1, 1);
        let inner = &mut *entry.subquery;
        let given = tree::list::<pg_sys::TargetEntry>(inner.targetList);
        let columns: Vec<NodePtr> = given
            .filter(|entry| !entry.resjunk)
            .map(|entry| entry.expr.cast())
            .collect();
        (inner, columns)
    };
    let targets = used.iter().enumerate().map(|(place, at)| {
        let field = tree::make_field(1, *at as i16 + 1, columns[*at]);
        build::target(field, place as i16 + 1).cast()
    });
    let targets = tree::make_list(targets);
    let outer = parts::select([build::range_of(inner, "given")], std::ptr::null_mut());
    outer.targetList = targets;
    entry.subquery = outer;
    // SAFETY: the list of a private copy has a name for each column.
    unsafe {
        let names: Vec<NodePtr> = tree::nodes((*entry.eref).colnames).collect();
        (*entry.eref).colnames = tree::make_list(used.iter().map(|at| names[*at]));
    }
}
