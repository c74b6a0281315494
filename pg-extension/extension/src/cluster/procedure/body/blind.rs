//! Whether a call can commit in one round, with its work and the intent of the whole in one message to each participant: every statement
//! of the body is a blind operation at one key (docs/protocols/commuting-calls.md).
//!
//! Stricter than what a transaction of single statements may do, whose work has succeeded everywhere before its first node commits:
//! here, one participant may have committed when another runs its part for the first time. So nothing may fail that depends on rows,
//! and nothing that depends on values may fail on one participant alone.

use super::super::super::analysis::{
    blind, conditions, functions, operand, parser, relation, tree,
};
use super::super::placements::{self, Home};
use super::super::record::Record;
use super::source;
use crate::boundary::{self, PostgresError};
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use tree::NodePtr;

/// Types whose operations neither fail nor depend on the rows; all others have operations that may.
const TYPES: [&str; 8] = [
    "abelian.counter",
    "abelian.decimal_counter",
    "abelian.max",
    "abelian.max_numeric",
    "abelian.min",
    "abelian.min_numeric",
    "abelian.bool_and",
    "abelian.bool_or",
];

/// A body with more statements is no procedure for this class: the intent would be large.
const STATEMENTS_MAX: usize = 100;

/// Bound on the absolute value of numbers, as of those that a router is given with the call. Beyond it, a few calls could bring a counter to
/// the end of `bigint`, where operations fail.
const AMOUNT_MAX: f64 = (1u64 << 40) as f64;

/// Of one call: `{"statements": [{"redo", "schema", "table", "key"}]}`, with the call's arguments in place of the body's, or `{"reason"}`.
pub fn facts(function: Oid, record: &Record, arguments: &[NodePtr]) -> Json {
    if !arguments.iter().all(|argument| is_simple(*argument)) {
        return json!({ "reason": "an argument is NULL, large or computed" });
    }
    // A body with names that do not exist is no reason to refuse the call, which will tell.
    let found = boundary::attempt(|| statements(function, Some(record), Some(arguments)));
    match found {
        Ok(Ok(statements)) => json!({ "statements": statements }),
        Ok(Err(reason)) => json!({ "reason": reason }),
        Err(_) => json!({ "reason": "its body cannot be analysed" }),
    }
}

/// Why calls cannot commit in one round; `None` when they can.
pub fn obstacle(function: Oid, record: Option<&Record>) -> Result<Option<String>, PostgresError> {
    Ok(statements(function, record, None)?.err())
}

fn statements(
    function: Oid,
    record: Option<&Record>,
    arguments: Option<&[NodePtr]>,
) -> Result<Result<Vec<Json>, String>, PostgresError> {
    if record.is_some_and(|record| record.is_declared) {
        return Ok(Err("its owner has declared its class".to_owned()));
    }
    if !gives_nothing(function) {
        return Ok(Err("it is not a procedure without results".to_owned()));
    }
    let queries = match source::straight_line(function)? {
        Ok(queries) if queries.is_empty() => return Ok(Err("it does nothing".to_owned())),
        Ok(queries) if queries.len() > STATEMENTS_MAX => {
            return Ok(Err(format!("it has more than {STATEMENTS_MAX} statements")));
        }
        Ok(queries) => queries,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut found = Vec::new();
    for (place, query) in queries {
        match statement(query, arguments)? {
            Ok(statement) => found.push(statement),
            Err(reason) => return Ok(Err(format!("{place}: {reason}"))),
        }
    }
    Ok(Ok(found))
}

/// Whether it is a procedure without output arguments.
fn gives_nothing(function: Oid) -> bool {
    // SAFETY: catalogue look-ups of a function that exists.
    unsafe {
        pg_sys::get_func_prokind(function) as u8 == pg_sys::PROKIND_PROCEDURE
            && pg_sys::get_func_rettype(function) == pg_sys::VOIDOID
    }
}

fn statement(
    query: &'static pg_sys::Query,
    arguments: Option<&[NodePtr]>,
) -> Result<Result<Json, String>, PostgresError> {
    if !matches!(
        query.commandType,
        CmdType::CMD_UPDATE | CmdType::CMD_INSERT | CmdType::CMD_DELETE | CmdType::CMD_MERGE
    ) {
        return Ok(Err("it is more than a commuting operation".to_owned()));
    }
    let rewritten = parser::rewrite(query)?;
    let trees: Vec<NodePtr> = rewritten
        .iter()
        .map(|query| std::ptr::from_ref(*query).cast_mut().cast())
        .collect();
    let called = functions::called_by(&trees);
    let filled = substitute(query, arguments);
    let facts = blind::facts(
        filled,
        rewritten.len() == 1,
        called.mutable,
        &BTreeSet::new(),
    )?;
    if let Some(reason) = facts["reason"].as_str() {
        return Ok(Err(reason.to_owned()));
    }
    let target = tree::target(query);
    let Home::Distributed(distribution) = placements::home(target) else {
        return Ok(Err("its table is not distributed".to_owned()));
    };
    let obstacle = match query.commandType {
        CmdType::CMD_UPDATE => update_obstacle(query),
        _ => insert_obstacle(target, rewritten[0]),
    };
    if let Some(reason) = obstacle {
        return Ok(Err(reason.to_owned()));
    }
    let Some(column) = distribution.single() else {
        return Ok(Err("its table is distributed by several columns".to_owned()));
    };
    let Some(key) = key(filled, column.attribute).and_then(operand::value) else {
        return Ok(Err(
            "its distribution key is not an argument or constant".to_owned()
        ));
    };
    let table = relation::Relation::new(target, 0);
    Ok(Ok(json!({
        "redo": facts["redo"], "schema": table.schema, "table": table.name, "key": key,
    })))
}

/// The query with the call's arguments in place of the body's parameters.
fn substitute(
    query: &'static pg_sys::Query,
    arguments: Option<&[NodePtr]>,
) -> &'static pg_sys::Query {
    let Some(arguments) = arguments else {
        return query;
    };
    let mut argument = |node: NodePtr| {
        let number = operand::parameter(node)?;
        arguments
            .get(number as usize - 1)
            .map(|argument| tree::copy(*argument))
    };
    let copy = tree::copy(std::ptr::from_ref(query));
    // SAFETY: a private copy; what it is given are trees of the same kinds.
    unsafe {
        (*copy).targetList = tree::replace((*copy).targetList.cast(), &mut argument).cast();
        (*copy).jointree = tree::replace((*copy).jointree.cast(), &mut argument).cast();
        &*copy
    }
}

fn update_obstacle(query: &pg_sys::Query) -> Option<&'static str> {
    let assigned =
        || tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk);
    if !assigned().all(|entry| is_known(tree::type_of(entry.expr))) {
        return Some("an operation of that type may fail");
    }
    // SAFETY: an UPDATE has a FROM clause and conditions, which may be null.
    let conditions = unsafe { (*query.jointree).quals };
    let simple = assigned().all(|entry| has_simple_values(entry.expr.cast()))
        && has_simple_values(conditions);
    (!simple).then_some("a value in it is computed, which may fail where the row is")
}

fn is_known(type_oid: Oid) -> bool {
    // SAFETY: the name of an existing type.
    let name = unsafe { tree::string(pg_sys::format_type_be_qualified(type_oid)) };
    TYPES.contains(&name.as_str())
}

/// Whether each part of an expression that reads no column is an argument or constant.
fn has_simple_values(expression: NodePtr) -> bool {
    if expression.is_null() || is_simple(expression) {
        return true;
    }
    if tree::cast::<pg_sys::Var, _>(operand::strip_faithful(expression)).is_some() {
        return true;
    }
    // From the plain type to that of the column.
    if let Some(cast) = tree::cast::<pg_sys::FuncExpr, _>(expression)
        && is_known(cast.funcresulttype)
        && tree::nodes(cast.args).all(is_simple)
    {
        return true;
    }
    let reads = tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
    });
    let mut simple = reads;
    if reads {
        tree::children(expression, &mut |child| simple &= has_simple_values(child));
    }
    simple
}

/// An argument, or a constant that is neither NULL nor large.
fn is_simple(expression: NodePtr) -> bool {
    operand::compared_parameter(expression).is_some()
        || tree::cast::<pg_sys::Const, _>(operand::strip_faithful(expression)).is_some_and(is_small)
}

/// Whether a number is small enough not to bring a counter to the end of its range; other values are as they are.
fn is_small(constant: &pg_sys::Const) -> bool {
    let is_number = [pg_sys::INT8OID, pg_sys::NUMERICOID].contains(&constant.consttype);
    !constant.constisnull
        && (!is_number
            || operand::output(constant.consttype, constant.constvalue)
                .parse::<f64>()
                .is_ok_and(|number| number.abs() <= AMOUNT_MAX))
}

/// `query` is rewritten, so that defaults stand in it.
fn insert_obstacle(table: Oid, query: &pg_sys::Query) -> Option<&'static str> {
    let entries = || tree::list::<pg_sys::TargetEntry>(query.targetList);
    if !entries().all(|entry| {
        is_simple(entry.expr.cast())
            || tree::cast::<pg_sys::Const, _>(entry.expr).is_some_and(|value| value.constisnull)
    }) {
        return Some(
            "a value in it is computed, or several rows are, which may fail where they are",
        );
    }
    row_obstacle(table, query.targetList)
}

/// Why the table may refuse the row, or others; `None` when it takes any.
///
/// `values` has the entries of the columns, those of the defaults included.
pub fn row_obstacle(table: Oid, values: *mut pg_sys::List) -> Option<&'static str> {
    if let Some(obstacle) = blind::table_obstacle(table, &BTreeSet::new()) {
        return Some(obstacle);
    }
    let given = |column: i16| {
        tree::list::<pg_sys::TargetEntry>(values)
            .any(|entry| entry.resno == column && is_simple(entry.expr.cast()))
    };
    let Some(relation) = Opened::open(table, pg_sys::NoLock) else {
        return Some("its table is gone");
    };
    let is_checked = relation
        .constraints()
        .is_some_and(|constraints| constraints.num_check > 0 || constraints.has_generated_stored);
    let columns = relation.columns();
    let is_missing = columns
        .iter()
        .any(|column| column.attnotnull && !column.attisdropped && !given(column.attnum));
    // SAFETY: the relation is open, and locked by the analysis of the query.
    let mut indexes = tree::oids(unsafe { pg_sys::RelationGetIndexList(relation.relation()) });
    // SAFETY: the index is one of the relation's.
    let is_indexed = indexes.any(|index| unsafe { !takes_any_value(index, columns) });
    if is_checked || is_missing {
        Some("a constraint of its table may refuse the row")
    } else if is_indexed {
        Some("an index of its table may refuse the row")
    } else {
        None
    }
}

/// Whether an index is of plain columns of fixed length alone: others compute, or have a limit on the length.
///
/// # Safety
/// An index of the table with these columns, which is locked.
unsafe fn takes_any_value(index: Oid, columns: &[pg_sys::FormData_pg_attribute]) -> bool {
    // SAFETY: by the caller's promise; the index is opened and closed here.
    unsafe {
        let index = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
        let form = &*(*index).rd_index;
        let attributes = form.indkey.values.as_slice(form.indnatts as usize);
        let plain = attributes.iter().all(|attribute| {
            *attribute > 0
                && columns
                    .get(*attribute as usize - 1)
                    .is_some_and(|column| column.attlen > 0)
        }) && pg_sys::RelationGetIndexPredicate(index).is_null();
        pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
        plain
    }
}

/// What the distribution column is compared with, or given.
fn key(query: &'static pg_sys::Query, attribute: i16) -> Option<NodePtr> {
    if query.commandType == CmdType::CMD_INSERT {
        return tree::list::<pg_sys::TargetEntry>(query.targetList)
            .find(|entry| entry.resno == attribute)
            .map(|entry| entry.expr.cast());
    }
    let mut found = None;
    // SAFETY: an UPDATE has a FROM clause and conditions; a catalogue look-up.
    tree::walk(unsafe { (*query.jointree).quals }, &mut |node| {
        if let Some(comparison) = tree::cast::<pg_sys::OpExpr, _>(node) {
            let sides: Vec<NodePtr> = tree::nodes(comparison.args).collect();
            if let [left, right] = sides[..] {
                for (column, value) in [(left, right), (right, left)] {
                    let is_key = tree::cast::<pg_sys::Var, _>(operand::strip_faithful(column))
                        .is_some_and(|column| column.varattno == attribute);
                    // Otherwise other keys, which lie elsewhere, are equal.
                    let exact = conditions::tells_apart(comparison.inputcollid);
                    if is_key && exact {
                        found = Some(value);
                    }
                }
            }
        }
        true
    });
    found
}
