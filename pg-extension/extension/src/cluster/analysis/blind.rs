//! Blind commuting statements: what a transaction of the commuting class may do on several nodes.
//!
//! Such a statement may be done again later, on a node that has lost it, in whatever state the node is in by then. So it
//! names its rows by a unique key and constants alone, changes them by commuting operations that cannot fail and whose
//! arguments read no column, and returns nothing; or it inserts rows that cannot collide. The text to do it again
//! stands by itself: no setting changes what it means.

use super::super::postgres;
use super::tree::{self, NodePtr};
use super::unique_indexes::{self, Index};
use super::{functions, parser};
use crate::aggregate::Family;
use crate::boundary::PostgresError;
use crate::object;
use crate::opened::Opened;
use crate::operation;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::ffi::CStr;

const RETURNS: &str = "its RETURNING shows the row";

/// `{"redo": text}`, or `{"reason": why it is not blind}`; null for what does not write. Of an INSERT that returns what it is given, the
/// text is `redo_returning`, and may be used by who sees that the client reads its rows at once.
///
/// `query` is as analysed; `alone` tells that rewriting made one query of it, `mutable` that a function or default may
/// give another value at another time; `made` are the columns of an INSERT that get random values of the router's.
pub fn facts(
    query: &'static pg_sys::Query,
    alone: bool,
    mutable: bool,
    made: &BTreeSet<i16>,
) -> Result<Json, PostgresError> {
    let obstacle = match query.commandType {
        CmdType::CMD_UPDATE => general_obstacle(query, alone, mutable).or_else(|| update(query)),
        CmdType::CMD_INSERT => {
            general_obstacle(query, alone, mutable).or_else(|| insert(query, made))
        }
        CmdType::CMD_DELETE => Some("it deletes rows"),
        CmdType::CMD_MERGE => Some("it is a MERGE"),
        _ => return Ok(Json::Null),
    };
    match obstacle {
        Some(reason) => Ok(json!({ "reason": reason })),
        None if query.returningList.is_null() => Ok(json!({ "redo": redo(query, made)? })),
        // Routers before 0.5.0 take no notice of what a client reads of it.
        None => Ok(json!({ "reason": RETURNS, "redo_returning": redo(query, made)? })),
    }
}

/// Whether an analysed statement has the form of a blind operation, whatever its table has become: one INSERT of values or UPDATE that
/// reads no other table and calls nothing that gives another value later.
pub fn has_form(query: &'static pg_sys::Query) -> bool {
    let alone = !query.hasSubLinks
        && !query.hasTargetSRFs
        && query.cteList.is_null()
        && query.returningList.is_null();
    let writes = match query.commandType {
        CmdType::CMD_UPDATE => tree::list::<pg_sys::RangeTblEntry>(query.rtable).count() == 1,
        CmdType::CMD_INSERT => inserts_values(query),
        _ => false,
    };
    let tree = std::ptr::from_ref(query).cast_mut().cast();
    alone && writes && !functions::called_by(&[tree]).mutable
}

fn general_obstacle(query: &pg_sys::Query, alone: bool, mutable: bool) -> Option<&'static str> {
    if postgres::own_relation(c"intent") == Oid::INVALID {
        Some("the extension has not been updated to 0.3.0")
    } else if !query.returningList.is_null() && !returns_what_is_given(query) {
        Some(RETURNS)
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
        let type_ = tree::type_of(entry.expr);
        crate::catalog::find().is_some_and(|catalog| catalog.is_bounded_type(type_))
    }) {
        return Some("a bounded number may refuse the operation later");
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
    if !only_equalities(conditions, &mut compared) || !is_key(tree::target(query), &compared) {
        return Some("its WHERE is not a comparison of a unique key with values");
    }
    None
}

fn assigned(query: &pg_sys::Query) -> impl Iterator<Item = &'static pg_sys::TargetEntry> {
    tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk)
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

/// The unique indexes of a table.
struct Keys(Opened);

impl Keys {
    fn of(table: Oid) -> Option<Keys> {
        Opened::open(table, pg_sys::AccessShareLock).map(Keys)
    }

    /// The columns of each unique index that holds for every row at once; null for what is not of plain columns.
    fn unique_keys(&self) -> Vec<Option<BTreeSet<i16>>> {
        unique_indexes::each(&self.0, |index| {
            let attributes = index.attributes();
            let usable = index.form.indisunique
                && index.form.indimmediate
                && index.form.indisvalid
                && attributes.iter().all(|attribute| *attribute > 0)
                // SAFETY: an open index.
                && unsafe { pg_sys::RelationGetIndexPredicate(index.relation) }.is_null();
            usable.then(|| attributes.iter().copied().collect())
        })
    }

    /// Whether a unique index has no column among these: a row may meet another there.
    fn may_collide(&self, made: &BTreeSet<i16>) -> bool {
        unique_indexes::each(&self.0, |index| tells_apart(index, made)).contains(&false)
    }
}

/// Whether different values of one of these UUID columns alone make rows different to an index.
fn tells_apart(index: &Index, made: &BTreeSet<i16>) -> bool {
    // SAFETY: an open index has as many operator families as columns; the others are catalogue look-ups.
    let compares_as_usual = |position: usize| unsafe {
        let usual = pg_sys::GetDefaultOpClass(pg_sys::UUIDOID, pg_sys::BTREE_AM_OID);
        *(*index.relation).rd_opfamily.add(position) == pg_sys::get_opclass_family(usual)
    };
    index.form.indisunique
        && index.form.indimmediate
        && index
            .attributes()
            .iter()
            .enumerate()
            .any(|(position, column)| made.contains(column) && compares_as_usual(position))
}

/// Whether these columns are together exactly one unique key of the table.
fn is_key(table: Oid, compared: &BTreeSet<i16>) -> bool {
    Keys::of(table).is_some_and(|table| {
        table
            .unique_keys()
            .iter()
            .any(|key| key.as_ref() == Some(compared))
    })
}

fn insert(query: &'static pg_sys::Query, made: &BTreeSet<i16>) -> Option<&'static str> {
    if !query.onConflict.is_null() {
        return Some("its ON CONFLICT depends on the rows that are there");
    }
    if !inserts_values(query) {
        return Some("it inserts what it reads");
    }
    table_obstacle(tree::target(query), made)
}

fn inserts_values(query: &pg_sys::Query) -> bool {
    tree::list::<pg_sys::RangeTblEntry>(query.rtable).all(|entry| {
        entry.rtekind == pg_sys::RTEKind::RTE_VALUES || entry.relid == tree::target(query)
    })
}

/// Whether an INSERT returns nothing but plain columns as it gives them, which are the same when it is repeated.
fn returns_what_is_given(query: &pg_sys::Query) -> bool {
    let ours = crate::catalog::find();
    query.commandType == CmdType::CMD_INSERT
        && tree::list::<pg_sys::TargetEntry>(query.returningList).all(|returned| {
            tree::cast::<pg_sys::Var, _>(returned.expr).is_some_and(|column| {
                column.varno == query.resultRelation
                    && is_given(query, column.varattno)
                    && !ours.is_some_and(|ours| object::is_object_type(&ours, column.vartype))
            })
        })
}

/// Whether each row has a value for the column that is not its default.
fn is_given(query: &pg_sys::Query, column: i16) -> bool {
    let is_default = |value: NodePtr| tree::cast::<pg_sys::SetToDefault, _>(value).is_some();
    let Some(entry) = assigned(query).find(|entry| entry.resno == column) else {
        return false;
    };
    let Some(variable) = tree::cast::<pg_sys::Var, _>(entry.expr) else {
        return !is_default(entry.expr.cast());
    };
    tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .nth(variable.varno as usize - 1)
        .is_some_and(|values| {
            tree::nodes(values.values_lists).all(|row| {
                tree::nodes(row.cast::<pg_sys::List>())
                    .nth(variable.varattno as usize - 1)
                    .is_some_and(|value| !is_default(value))
            })
        })
}

/// Why rows that are inserted into the table may meet others, or more than the table; `None` when they cannot.
///
/// `made`: columns whose values nobody else can have.
pub fn table_obstacle(table: Oid, made: &BTreeSet<i16>) -> Option<&'static str> {
    let Some(table) = Keys::of(table) else {
        return Some("its table is gone");
    };
    if table.may_collide(made) {
        return Some("the row that it inserts may collide with another in a unique index");
    }
    let class = table.0.class();
    let plain = class.relkind as u8 == pg_sys::RELKIND_RELATION
        && class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT
        && !class.relispartition
        && !class.relrowsecurity
        // SAFETY: plain read of an open relation.
        && unsafe { (*table.0.relation()).trigdesc.is_null() };
    (!plain).then_some("its table has triggers, foreign keys, row security or partitions")
}

/// The text that does the statement again. Somebody who has learnt a made key, and has used it on the node that lost the row, stays: a
/// repetition must not fail for ever.
fn redo(query: &'static pg_sys::Query, made: &BTreeSet<i16>) -> Result<String, PostgresError> {
    let copy = tree::copy(query);
    // SAFETY: a private copy.
    let text = unsafe {
        (*copy).returningList = std::ptr::null_mut();
        parser::deparse_for(copy, &QUALIFIED)?
    };
    Ok(match made.is_empty() {
        true => text,
        false => text + " ON CONFLICT DO NOTHING",
    })
}

/// Under these settings every name is qualified, and backslashes mean what they mean in the router's own sessions.
const QUALIFIED: [(&CStr, &CStr); 2] = [
    (c"search_path", c"pg_catalog, pg_temp"),
    (c"standard_conforming_strings", c"on"),
];
