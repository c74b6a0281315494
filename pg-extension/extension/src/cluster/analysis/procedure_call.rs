//! A statement that is nothing but a call of one distributed procedure: which keys its arguments name.

use super::super::procedure::{self, Record};
use super::called_changes;
use super::functions::{self, Functions};
use super::instead;
use super::tree::{self, NodePtr};
use super::{clock, operand, parser, relation};
use crate::boundary;
use pgrx::pg_sys::{self, CmdType, Oid, RTEKind};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

/// A call, and the types of the columns it gives.
pub struct Call {
    function: &'static pg_sys::FuncExpr,
    columns: Vec<Oid>,
    /// Of a SELECT that gives nothing but the void of the function: its column's name.
    void: Option<String>,
    /// Whether it is a CALL.
    is_command: bool,
}

/// The call of `CALL p(...)`.
pub fn called(statement: &pg_sys::CallStmt) -> Option<Call> {
    let function = tree::cast::<pg_sys::FuncExpr, _>(statement.funcexpr)?;
    let columns = if function.funcresulttype == pg_sys::RECORDOID {
        // SAFETY: an analysed CALL of a procedure with output arguments.
        unsafe {
            columns_of(pg_sys::CallStmtResultDesc(
                std::ptr::from_ref(statement).cast_mut(),
            ))
        }
    } else {
        Vec::new()
    };
    Some(Call {
        function,
        columns,
        void: None,
        is_command: true,
    })
}

/// # Safety
/// `description` must be valid.
unsafe fn columns_of(description: pg_sys::TupleDesc) -> Vec<Oid> {
    // SAFETY: by the caller's promise; the description has `natts` columns.
    unsafe {
        let columns = crate::compat::columns_of(description);
        columns.iter().map(|column| column.atttypid).collect()
    }
}

/// The call of `SELECT f(...)` or `SELECT ... FROM f(...)`, when the query is nothing else.
pub fn selected(query: &pg_sys::Query) -> Option<Call> {
    if query.commandType != CmdType::CMD_SELECT || !is_bare(query) {
        return None;
    }
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let targets: Vec<&pg_sys::TargetEntry> =
        tree::list::<pg_sys::TargetEntry>(query.targetList).collect();
    let mut tables = tree::list::<pg_sys::RangeTblEntry>(query.rtable);
    let function = match (tables.next(), tables.next()) {
        (None, _) => match targets.as_slice() {
            [only] => tree::cast::<pg_sys::FuncExpr, _>(only.expr)?,
            _ => return None,
        },
        (Some(table), None) if table.rtekind == RTEKind::RTE_FUNCTION && !table.funcordinality => {
            let plain = targets
                .iter()
                .all(|entry| tree::cast::<pg_sys::Var, _>(entry.expr).is_some());
            let mut functions = tree::list::<pg_sys::RangeTblFunction>(table.functions);
            match (functions.next(), functions.next()) {
                (Some(only), None) if plain => tree::cast::<pg_sys::FuncExpr, _>(only.funcexpr)?,
                _ => return None,
            }
        }
        _ => return None,
    };
    let is_void = query.rtable.is_null()
        && function.funcresulttype == pg_sys::VOIDOID
        && !function.funcretset;
    from.quals.is_null().then(|| Call {
        function,
        void: is_void.then(|| tree::string(targets[0].resname)),
        is_command: false,
        columns: targets
            .iter()
            .map(|entry| tree::type_of(entry.expr))
            .collect(),
    })
}

/// Whether the statement is the call of a distributed procedure, and nothing else.
pub fn is_call(query: &pg_sys::Query) -> bool {
    let call = match tree::cast::<pg_sys::CallStmt, _>(query.utilityStmt) {
        Some(statement) => called(statement),
        None => selected(query),
    };
    call.is_some_and(|call| procedure::find(call.function.funcid).is_some())
}

/// Nothing sorts, groups, limits or combines.
fn is_bare(query: &pg_sys::Query) -> bool {
    [
        query.cteList,
        query.groupClause,
        query.groupingSets,
        query.windowClause,
        query.distinctClause,
        query.sortClause,
        query.rowMarks,
    ]
    .iter()
    .all(|list| tree::nodes(*list).len() == 0)
        && !query.hasAggs
        && !query.hasSubLinks
        && [
            query.limitOffset,
            query.limitCount,
            query.havingQual,
            query.setOperations,
        ]
        .iter()
        .all(|node| node.is_null())
}

/// Fills in what a router must know of a call of a distributed procedure; its name is then no riddle any more.
pub fn describe(call: Option<Call>, facts: &mut Json) {
    let Some(call) = call else { return };
    let Some(record) = procedure::find(call.function.funcid) else {
        describe_ordinary(&call, facts);
        return;
    };
    let arguments = arguments(call.function);
    let in_arguments = functions::called_by(&arguments);
    facts["functions"] = json!(in_arguments.opaque);
    let body = procedure::body_facts(call.function.funcid, false);
    let asks = |(_, called): &(Json, Functions)| clock::is_asked_by(called);
    facts["clock"] = json!(body.as_ref().is_none_or(asks) || clock::is_asked_by(&in_arguments));
    if let Some((body, _)) = &body {
        clock::note_triggers_of_body(body, facts);
    }
    let (keys, unbound) = keys(&record, &arguments, in_arguments.volatile);
    let table = relation::Relation::new(record.colocated_with, 0);
    facts["procedure"] = json!({
        "signature": record.signature, "schema": table.schema, "table": table.name, "keys": keys, "unbound": unbound,
        "arguments": arguments.iter().map(|argument| values(*argument)).collect::<Vec<_>>(), "merge": record.merge, "class": record.class, "stopped": record.stopped, "computed": in_arguments.differs,
        "columns": call.columns.iter().map(|oid| oid.to_u32()).collect::<Vec<_>>(),
        "blind": procedure::blind_facts(call.function.funcid, &record, &arguments),
    });
}

/// What a router must know of a call to find the node that has all its rows, and somebody who wonders whether the procedure should be
/// distributed.
fn describe_ordinary(call: &Call, facts: &mut Json) {
    let returns = call.columns.iter().any(|oid| *oid != pg_sys::VOIDOID);
    let Some((mut body, called)) = procedure::body_facts(call.function.funcid, returns) else {
        return;
    };
    let all = arguments(call.function);
    body["arguments"] = all.iter().map(|argument| values(*argument)).collect();
    fill_in_body(body, called, &all, facts);
    describe_called_changes(call, &all, facts);
}

/// The same of a SELECT that reads no table, and calls one function that may, in whatever expression: it goes where the function goes.
pub fn describe_around(query: &'static pg_sys::Query, facts: &mut Json) {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let &[function] = functions::opaque_of(node).as_slice() else {
        return;
    };
    let mut calls = Vec::new();
    tree::walk(node, &mut |node| {
        let call = tree::cast::<pg_sys::FuncExpr, _>(node);
        calls.extend(call.filter(|call| call.funcid == function));
        true
    });
    let &[call] = calls.as_slice() else {
        return; // Another call may be about another key.
    };
    let is_select = query.commandType == CmdType::CMD_SELECT;
    if !is_select || procedure::find(function).is_some() {
        return;
    }
    if let Some((mut body, called)) = procedure::body_facts(function, true) {
        let all = arguments(call);
        body["arguments"] = all.iter().map(|argument| values(*argument)).collect();
        fill_in_body(body, called, &[node], facts);
    }
}

/// What the body does, where it is nothing but changes.
fn describe_called_changes(call: &Call, arguments: &[NodePtr], facts: &mut Json) {
    let gives_nothing = call.is_command && call.columns.is_empty();
    if call.void.is_none() && !gives_nothing {
        return;
    }
    let parameters: Vec<Oid> = numbers(&facts["parameters"]).map(Oid::from).collect();
    let changes: Result<Vec<String>, _> = boundary::attempt(|| {
        let changes = called_changes::of(call.function, arguments)?.unwrap_or_default();
        changes
            .into_iter()
            .map(|change| parser::deparse_for(change, &[]))
            .collect()
    });
    let changes = changes.unwrap_or_default();
    match &call.void {
        None => instead::describe_changes(&changes, &parameters, facts),
        Some(name) => {
            let void = called_changes::void(call.function, name);
            instead::describe_changes_before(&changes, &void, &parameters, facts);
        }
    }
}

fn numbers(list: &Json) -> impl Iterator<Item = u32> {
    let numbers = list.as_array().into_iter().flatten();
    numbers.filter_map(|number| number.as_u64().map(|number| number as u32))
}

/// The same of DO.
pub fn describe_block(block: &pg_sys::DoStmt, facts: &mut Json) {
    let option = |name: &str| {
        tree::list::<pg_sys::DefElem>(block.args)
            .find(|option| tree::string(option.defname) == name)
            .and_then(|option| tree::cast::<pg_sys::String, _>(option.arg))
    };
    let Some(text) = option("as") else { return };
    if option("language").is_some_and(|name| tree::string(name.sval) != "plpgsql") {
        return;
    }
    // SAFETY: a string of the tree.
    let text = unsafe { CStr::from_ptr(text.sval) };
    let (mut body, called) = procedure::block_facts(text);
    body["arguments"] = json!([]);
    fill_in_body(body, called, &[], facts);
    if let Some(changes) = procedure::block_changes(text) {
        instead::describe_changes(&changes, &[], facts);
    }
}

fn fill_in_body(body: Json, mut called: Functions, arguments: &[NodePtr], facts: &mut Json) {
    facts["body"] = body;
    facts["clock"] = json!(true); // It may call anything.
    // Those that may read tables make a body one that is not known.
    called.opaque.clear();
    called.absorb(functions::called_by(arguments));
    facts["sets"] = json!(called.settings || facts["sets"] == true);
    facts["of_one_node"] = json!(called.of_one_node);
    facts["of_no_node"] = json!(called.of_no_node);
    facts["draws"] = json!(called.draws);
}

/// The input arguments in their order, defaults filled in.
fn arguments(function: &pg_sys::FuncExpr) -> Vec<NodePtr> {
    // SAFETY: a catalogue row that is released after use; the list is copied by the expansion where it changes.
    unsafe {
        let row = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::PROCOID as i32,
            function.funcid.into(),
        );
        if row.is_null() {
            return Vec::new();
        }
        let expanded = pg_sys::expand_function_arguments(
            tree::copy(function.args),
            false,
            function.funcresulttype,
            row,
        );
        pg_sys::ReleaseSysCache(row);
        tree::nodes(expanded).collect()
    }
}

/// The value of an argument, or the elements of an array; `None` where a router cannot know them.
fn values(argument: NodePtr) -> Option<Vec<Json>> {
    // SAFETY: a look-up of a type that exists.
    let element = unsafe { pg_sys::get_element_type(tree::type_of(argument)) };
    match element {
        Oid::INVALID => operand::value(argument).map(|value| vec![value]),
        _ => operand::array_values(argument),
    }
}

/// The values of the key arguments, and whether a router cannot know all of them.
fn keys(record: &Record, arguments: &[NodePtr], volatile: bool) -> (Vec<Json>, bool) {
    let mut keys = Vec::new();
    let mut unbound = record.arguments.is_empty() || volatile;
    for position in &record.arguments {
        match arguments
            .get(position - 1)
            .and_then(|argument| values(*argument))
        {
            Some(values) => keys.extend(values),
            None => unbound = true,
        }
    }
    (keys, unbound)
}
