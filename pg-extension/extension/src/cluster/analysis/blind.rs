//! Blind commuting statements: what a transaction of the commuting class may do on several nodes.
//!
//! Such a statement may be done again later, on a node that has lost it, in whatever state the node is in by then. So it
//! names its rows by a unique key and constants alone, changes them by commuting operations that cannot fail and whose
//! arguments read no column, and returns nothing; or it inserts rows that cannot collide. The text to do it again
//! stands by itself: no setting changes what it means.

use super::super::postgres;
use super::parser;
use super::tree::{self, NodePtr};
use crate::aggregate::Family;
use crate::boundary::PostgresError;
use crate::operation;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// `{"redo": text}`, or `{"reason": why it is not blind}`; null for what does not write.
///
/// `query` is as analysed; `alone` tells that rewriting made one query of it, `mutable` that a function or default may
/// give another value at another time.
pub fn facts(
    query: &'static pg_sys::Query,
    alone: bool,
    mutable: bool,
) -> Result<Json, PostgresError> {
    let obstacle = match query.commandType {
        CmdType::CMD_UPDATE => general_obstacle(query, alone, mutable).or_else(|| update(query)),
        CmdType::CMD_INSERT => general_obstacle(query, alone, mutable).or_else(|| insert(query)),
        CmdType::CMD_DELETE => Some("it deletes rows"),
        CmdType::CMD_MERGE => Some("it is a MERGE"),
        _ => return Ok(Json::Null),
    };
    match obstacle {
        Some(reason) => Ok(json!({ "reason": reason })),
        None => Ok(json!({ "redo": deparse_qualified(query)? })),
    }
}

fn general_obstacle(query: &pg_sys::Query, alone: bool, mutable: bool) -> Option<&'static str> {
    if postgres::own_relation(c"intent") == Oid::INVALID {
        Some("the extension has not been updated to 0.3.0")
    } else if !query.returningList.is_null() {
        Some("its RETURNING shows the row")
    } else if mutable {
        Some("a function or default in it may give another value later")
    } else if !alone || query.hasSubLinks || !query.cteList.is_null() || query.hasTargetSRFs {
        Some("it has a subquery, WITH or a rule")
    } else {
        None
    }
}

fn update(query: &'static pg_sys::Query) -> Option<&'static str> {
    if !operation::is_pure(query) {
        return Some(
            "it does more than commuting operations on the Abelian columns of a plain table",
        );
    }
    if assigned(query).any(|entry| {
        tree::type_of(entry.expr)
            == crate::catalog::find().map_or(Oid::INVALID, |c| c.bounded_counter)
    }) {
        return Some("a bounded counter may refuse the operation later");
    }
    if assigned(query).any(|entry| {
        Family::of(tree::type_of(entry.expr)).is_some_and(|family| family.structure.is_some())
    }) {
        return Some("what it does may depend on what is known of an element by then");
    }
    if assigned(query).any(|entry| {
        columns(entry.expr.cast())
            .iter()
            .any(|column| *column != entry.resno)
    }) {
        return Some("what it adds depends on other columns of the row");
    }
    // SAFETY: an UPDATE has a FROM clause and conditions, which may be null.
    let conditions = unsafe { (*query.jointree).quals };
    let mut compared = BTreeSet::new();
    if !only_equalities(conditions, &mut compared) || !is_key(target(query), &compared) {
        return Some("its WHERE is not a comparison of a unique key with values");
    }
    None
}

fn assigned(query: &pg_sys::Query) -> impl Iterator<Item = &'static pg_sys::TargetEntry> {
    tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk)
}

fn target(query: &pg_sys::Query) -> Oid {
    tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .nth(query.resultRelation as usize - 1)
        .map_or(Oid::INVALID, |entry| entry.relid)
}

fn columns(expression: NodePtr) -> BTreeSet<i16> {
    let mut found = BTreeSet::new();
    tree::walk(expression, &mut |node| {
        found.extend(tree::cast::<pg_sys::Var, _>(node).map(|variable| variable.varattno));
        true
    });
    found
}

/// Whether the condition is `column = value AND ...`; collects the columns.
fn only_equalities(condition: NodePtr, compared: &mut BTreeSet<i16>) -> bool {
    if let Some(both) = tree::cast::<pg_sys::BoolExpr, _>(condition) {
        return both.boolop == pg_sys::BoolExprType::AND_EXPR
            && tree::nodes(both.args).all(|part| only_equalities(part, compared));
    }
    let Some(comparison) = tree::cast::<pg_sys::OpExpr, _>(condition) else {
        return false;
    };
    let sides: Vec<NodePtr> = tree::nodes(comparison.args).collect();
    let [left, right] = sides[..] else {
        return false;
    };
    let (column, value) = if columns(right).is_empty() {
        (left, right)
    } else {
        (right, left)
    };
    // `varchar` keys are compared as `text`.
    let column =
        tree::cast::<pg_sys::RelabelType, _>(column).map_or(column, |label| label.arg.cast());
    let Some(variable) = tree::cast::<pg_sys::Var, _>(column) else {
        return false;
    };
    compared.insert(variable.varattno);
    // SAFETY: look-ups of an operator.
    let is_equality = unsafe {
        pg_sys::op_mergejoinable(comparison.opno, pg_sys::exprType(left))
            || pg_sys::op_hashjoinable(comparison.opno, pg_sys::exprType(left))
    };
    is_equality && columns(value).is_empty()
}

/// An open relation; closed, its lock kept, when dropped.
struct Opened(pg_sys::Relation);

impl Opened {
    fn open(relation: Oid) -> Option<Opened> {
        // SAFETY: the statement's analysis holds a lock already.
        let opened = unsafe { pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32) };
        (!opened.is_null()).then_some(Opened(opened))
    }

    /// The columns of each unique index that holds for every row at once; null for what is not of plain columns.
    fn unique_keys(&self) -> Vec<Option<BTreeSet<i16>>> {
        let mut keys = Vec::new();
        // SAFETY: the indexes of an open relation; each is opened and closed here.
        unsafe {
            for index in tree::oids(pg_sys::RelationGetIndexList(self.0)) {
                let index = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
                let form = &*(*index).rd_index;
                if form.indisunique || form.indisexclusion {
                    let count = form.indnkeyatts as usize;
                    let attributes = form.indkey.values.as_slice(count);
                    let usable = form.indisunique
                        && form.indimmediate
                        && form.indisvalid
                        && attributes.iter().all(|attribute| *attribute > 0)
                        && pg_sys::RelationGetIndexPredicate(index).is_null();
                    keys.push(usable.then(|| attributes.iter().copied().collect()));
                }
                pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            }
        }
        keys
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: opened in `open`.
        unsafe { pg_sys::relation_close(self.0, pg_sys::NoLock as i32) };
    }
}

/// Whether these columns are together exactly one unique key of the table.
fn is_key(table: Oid, compared: &BTreeSet<i16>) -> bool {
    Opened::open(table).is_some_and(|table| {
        table
            .unique_keys()
            .iter()
            .any(|key| key.as_ref() == Some(compared))
    })
}

fn insert(query: &'static pg_sys::Query) -> Option<&'static str> {
    if !query.onConflict.is_null() {
        return Some("its ON CONFLICT depends on the rows that are there");
    }
    let only_values = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .all(|entry| entry.rtekind == pg_sys::RTEKind::RTE_VALUES || entry.relid == target(query));
    if !only_values {
        return Some("it inserts what it reads");
    }
    table_obstacle(target(query))
}

/// Why rows that are inserted into the table may meet others, or more than the table; `None` when they cannot.
pub fn table_obstacle(table: Oid) -> Option<&'static str> {
    let Some(table) = Opened::open(table) else {
        return Some("its table is gone");
    };
    if !table.unique_keys().is_empty() {
        return Some("the row that it inserts may collide with another in a unique index");
    }
    // SAFETY: plain reads of an open relation.
    let plain = unsafe {
        let class = &*(*table.0).rd_rel;
        class.relkind as u8 == pg_sys::RELKIND_RELATION
            && class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT
            && !class.relispartition
            && !class.relrowsecurity
            && (*table.0).trigdesc.is_null()
    };
    (!plain).then_some("its table has triggers, foreign keys, row security or partitions")
}

/// The statement with every name qualified.
fn deparse_qualified(query: &'static pg_sys::Query) -> Result<String, PostgresError> {
    // SAFETY: the setting is put back at the end of the nest level, and by PostgreSQL itself after an error.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        pg_sys::set_config_option(
            c"search_path".as_ptr(),
            c"pg_catalog, pg_temp".as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
        let text = parser::deparse(std::ptr::from_ref(query).cast_mut());
        pg_sys::AtEOXact_GUC(true, level);
        text
    }
}
