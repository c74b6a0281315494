//! One statement: from its raw parse tree to the facts that analyze() prints.

use super::graph::Fact;
use super::relation::Placement;
use super::scope::Scopes;
use super::tree::{self, NodePtr};
use super::{
    blind, bounds, clock, combined, copy, copy_out, cursor, functions, insert, insert_select,
    instead, known_before, merge, moments, parser, prepared, procedure_call, relation,
    temporary_view, utility, view_query,
};
use crate::boundary::PostgresError;
use crate::object;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::ffi::CStr;

/// The facts of one statement of `text`.
pub fn facts(
    statement: &'static pg_sys::RawStmt,
    text: &CStr,
    types: &[Oid],
) -> Result<Json, PostgresError> {
    let mut facts = outline(statement, text);
    if let Some(call) = placement_call(statement) {
        facts["kind"] = json!("cluster_call");
        facts["rewritten"] = json!(rewritten_call(call, &facts, text));
        facts["returns_rows"] = json!(false);
        return Ok(facts);
    }
    let analysed = parser::analyse(statement, text, types)?;
    facts["parameters"] = json!(
        analysed
            .parameters
            .iter()
            .map(|oid| oid.to_u32())
            .collect::<Vec<_>>()
    );
    match analysed.query.commandType {
        CmdType::CMD_UTILITY => {
            describe_utility(analysed.query, &mut facts, text)?;
            let command = analysed.query.utilityStmt;
            instead::describe_stored(command, statement, text, &analysed.parameters, &mut facts)?;
            describe_reworded(text, &analysed.parameters, &mut facts);
        }
        _ => describe_query(
            analysed.query,
            statement,
            text,
            &analysed.parameters,
            &mut facts,
        )?,
    }
    Ok(facts)
}

/// What the raw tree alone tells; enough for statements whose analysis must wait for an earlier one to run.
pub fn outline(statement: &pg_sys::RawStmt, text: &CStr) -> Json {
    let start = statement.stmt_location.max(0) as usize;
    let length = match statement.stmt_len {
        0 => text.to_bytes().len() - start,
        length => length as usize,
    };
    let mut facts = json!({
        "kind": kind(statement.stmt), "span": [start, length], "tag": parser::command_tag(statement.stmt),
        "utility": null, "set": null, "isolation": null, "parameters": [], "relations": [], "equalities": [],
        "insert": null, "assigned": [], "volatile": false, "leaves_state": false, "mutable": false, "differs": false, "clock": false, "functions": [], "operations": [],
        "returns_rows": false, "rewritten": null, "merge": null, "copy": null, "blind": null, "combined": null,
    });
    if facts["kind"] == "utility" {
        utility::describe(statement.stmt, &mut facts);
    }
    facts
}

/// The cursor of WHERE CURRENT OF.
fn cursor_of_row(query: &pg_sys::Query) -> Option<String> {
    // SAFETY: a query has a join tree; the name is a C string, or there is none.
    unsafe {
        let condition = query.jointree.as_ref()?.quals;
        let row = tree::cast::<pg_sys::CurrentOfExpr, _>(condition)?;
        (!row.cursor_name.is_null()).then(|| tree::string(row.cursor_name))
    }
}

fn kind(statement: NodePtr) -> &'static str {
    use pg_sys::NodeTag::*;
    match tree::tag(statement) {
        Some(T_SelectStmt) => match tree::cast::<pg_sys::SelectStmt, _>(statement) {
            Some(select) if !select.intoClause.is_null() => "utility",
            _ => "select",
        },
        Some(T_InsertStmt) => "insert",
        Some(T_UpdateStmt) => "update",
        Some(T_DeleteStmt) => "delete",
        Some(T_MergeStmt) => "merge",
        None => "empty",
        _ => "utility",
    }
}

/// CALL of a placement function, which PostgreSQL itself would refuse: they are functions.
fn placement_call(statement: &pg_sys::RawStmt) -> Option<&'static pg_sys::FuncCall> {
    let call = tree::cast::<pg_sys::CallStmt, _>(statement.stmt)?;
    let function = tree::cast::<pg_sys::FuncCall, _>(call.funccall)?;
    functions::is_placement_name(&tree::strings(function.funcname)).then_some(function)
}

fn rewritten_call(call: &pg_sys::FuncCall, facts: &Json, text: &CStr) -> String {
    let end =
        (facts["span"][0].as_u64().unwrap_or(0) + facts["span"][1].as_u64().unwrap_or(0)) as usize;
    let bytes = &text.to_bytes()[call.location.max(0) as usize..end];
    format!("SELECT {}", String::from_utf8_lossy(bytes))
}

fn describe_utility(
    query: &'static pg_sys::Query,
    facts: &mut Json,
    text: &CStr,
) -> Result<(), PostgresError> {
    let command = query.utilityStmt;
    facts["kind"] = json!("utility"); // SELECT INTO has become CREATE TABLE AS
    utility::describe(command, facts);
    // SAFETY: an analysed utility statement.
    facts["returns_rows"] = json!(unsafe { pg_sys::UtilityReturnsTuples(command) });
    if let Some(call) = tree::cast::<pg_sys::CallStmt, _>(command) {
        describe_functions(&[call.funcexpr.cast()], facts);
        procedure_call::describe(procedure_call::called(call), facts);
    }
    if let Some(block) = tree::cast::<pg_sys::DoStmt, _>(command) {
        procedure_call::describe_block(block, facts);
    }
    describe_copy(command, facts, text)?;
    prepared::describe(command, facts, text);
    cursor::describe(command, facts, text);
    if utility::stores_rows(command) {
        facts["stores"] = json!(true);
    }
    if let Some(explain) = tree::cast::<pg_sys::ExplainStmt, _>(command) {
        facts["analyzes"] = json!(utility::analyzes(explain));
    }
    for view in utility::views(command) {
        if let Some(query) = view_query::of(view) {
            describe_inner(query, facts, text)?;
        }
    }
    match utility::inner_statement(command) {
        Some(inner) => describe_statement_inside(command, inner, facts, text),
        None => Ok(()),
    }
}

/// How DECLARE or COPY runs whose query names what other nodes have not, or calls functions that could be a part of it.
fn describe_reworded(text: &CStr, parameters: &[Oid], facts: &mut Json) {
    let number = |value: &Json| value.as_u64().unwrap_or(0) as usize;
    let query = match facts["cursor"].is_object() {
        true => facts["cursor"]["query"].clone(),
        false => facts["copy"]["out"]["query"].clone(),
    };
    if !query.is_array() {
        return;
    }
    let (start, length) = (number(&facts["span"][0]), number(&facts["span"][1]));
    let own = String::from_utf8_lossy(&text.to_bytes()[start..start + length]).into_owned();
    let (at, length) = (number(&query[0]) - start, number(&query[1]));
    instead::describe_command(&own, at..at + length, parameters, facts);
}

fn describe_copy(command: NodePtr, facts: &mut Json, text: &CStr) -> Result<(), PostgresError> {
    let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(command) else {
        return Ok(());
    };
    let table = tree::cast::<pg_sys::RangeVar, _>(copy.relation).and_then(relation::existing);
    if let (true, Some(table)) = (copy.is_from, table) {
        let (copied, called) = copy::facts(copy, table, text)?;
        facts["copy"] = copied;
        fill_in(&called, facts);
        clock::note_triggers_of(table, facts);
    }
    copy_out::describe(command, table, facts, text)
}

fn describe_statement_inside(
    command: NodePtr,
    inner: NodePtr,
    facts: &mut Json,
    text: &CStr,
) -> Result<(), PostgresError> {
    match tree::cast::<pg_sys::Query, _>(inner) {
        Some(inner) if inner.commandType == CmdType::CMD_UTILITY => {
            let outer = facts.clone();
            describe_utility(inner, facts, text)?;
            facts["returns_rows"] = outer["returns_rows"].clone();
            if outer["utility"] == "explain" {
                facts["utility"] = json!("explain");
                facts["set"] = Json::Null;
            }
            Ok(())
        }
        Some(inner) => describe_inner(inner, facts, text),
        None => {
            // PREPARE, COPY (query) and CREATE VIEW analyse theirs when they run.
            let mut raw = pg_sys::RawStmt {
                type_: pg_sys::NodeTag::T_RawStmt,
                stmt: inner,
                ..Default::default()
            };
            raw.stmt_location = -1;
            let analysed = parser::analyse(&raw, text, &utility::declared_types(command))?;
            facts["inner_parameters"] = json!(
                analysed
                    .parameters
                    .iter()
                    .map(|oid| oid.to_u32())
                    .collect::<Vec<_>>()
            );
            if tree::tag(command) == Some(pg_sys::NodeTag::T_PrepareStmt) {
                facts["inner_result"] = json!(result(analysed.query));
            }
            if tree::cast::<pg_sys::ViewStmt, _>(command).is_some() {
                describe_view(analysed.query, facts)
            } else {
                describe_inner(analysed.query, facts, text)
            }
        }
    }
}

/// A view over temporary relations is temporary itself. What it does matters when it is used.
fn describe_view(query: &'static pg_sys::Query, facts: &mut Json) -> Result<(), PostgresError> {
    let mut scopes = Scopes::default();
    for query in parser::rewrite(query)? {
        scopes.add(query, None, 0);
    }
    if scopes.relations.iter().any(|relation| relation.temporary)
        && let Some(views) = facts["relations"].as_array_mut()
    {
        for view in views {
            view["temporary"] = json!(true);
        }
    }
    Ok(())
}

/// Relations and equalities of a query inside a utility command.
fn describe_inner(
    query: &'static pg_sys::Query,
    facts: &mut Json,
    text: &CStr,
) -> Result<(), PostgresError> {
    let mut scopes = Scopes::default();
    let queries = parser::rewrite(query)?;
    for query in &queries {
        scopes.add(query, None, 0);
    }
    facts["inner_kind"] = json!(command_name(query));
    let target = facts["relations"].as_array().cloned().unwrap_or_default();
    describe_relations(&scopes, facts, text);
    if let Some(relations) = facts["relations"].as_array_mut() {
        // The table that the rows go into comes after those that they come from.
        relations.extend(target);
        for (id, relation) in relations.iter_mut().enumerate() {
            relation["id"] = json!(id);
        }
    }
    describe_functions(&trees(&queries), facts);
    clock::note_moments(&trees(&queries), facts);
    clock::note_triggers(&scopes.relations, facts);
    Ok(())
}

fn trees(queries: &[&'static pg_sys::Query]) -> Vec<NodePtr> {
    queries
        .iter()
        .map(|query| std::ptr::from_ref(*query).cast_mut().cast())
        .collect()
}

/// Names and types of the columns that a statement returns, as one text that changes when PostgreSQL would call its result type changed.
fn result(query: &pg_sys::Query) -> Option<String> {
    let list = match query.commandType {
        CmdType::CMD_SELECT => query.targetList,
        _ => query.returningList,
    };
    let column = |entry: &pg_sys::TargetEntry| {
        let type_oid = tree::type_of(entry.expr);
        // SAFETY: a valid expression and a type that exists; the name is a C string, or there is none.
        unsafe {
            let name = match entry.resname.is_null() {
                true => String::new(),
                false => tree::string(entry.resname),
            };
            let kind = tree::string(pg_sys::format_type_be_qualified(type_oid));
            let modifier = pg_sys::exprTypmod(entry.expr.cast());
            format!("{} {kind} {modifier}", parser::quoted(&name))
        }
    };
    let entries = tree::list::<pg_sys::TargetEntry>(list).filter(|entry| !entry.resjunk);
    (!list.is_null()).then(|| entries.map(column).collect::<Vec<_>>().join(", "))
}

fn command_name(query: &pg_sys::Query) -> &'static str {
    match query.commandType {
        CmdType::CMD_SELECT => "select",
        CmdType::CMD_INSERT => "insert",
        CmdType::CMD_UPDATE => "update",
        CmdType::CMD_DELETE => "delete",
        CmdType::CMD_MERGE => "merge",
        _ => "utility",
    }
}

fn describe_query(
    query: &'static pg_sys::Query,
    statement: &'static pg_sys::RawStmt,
    text: &CStr,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let mut scopes = Scopes::default();
    let queries = parser::rewrite(query)?;
    let mut top = None;
    for query in &queries {
        let scope = scopes.add(query, None, 0);
        top.get_or_insert(scope);
    }
    facts["kind"] = json!(command_name(query));
    let _domains = merge::domains::describing(query);
    let is_select = query.commandType == CmdType::CMD_SELECT;
    facts["returns_rows"] = json!(is_select || !query.returningList.is_null());
    if !instead::is_inside() {
        facts["result"] = json!(result(query));
        if let Some(settled) = moments::settled(query, text) {
            facts["settled"] = json!(settled);
        }
    }
    facts["operations"] = operations(query);
    if let (CmdType::CMD_INSERT, Some(scope), 1) = (query.commandType, top, queries.len()) {
        facts["insert"] = json!(insert::facts(&mut scopes, scope, query, statement, text));
    }
    let places = describe_functions(&trees(&queries), facts);
    clock::note_moments(&trees(&queries), facts);
    clock::note_triggers(&scopes.relations, facts);
    if places {
        if !functions::places_alike(query) {
            return Err(not_alike());
        }
        facts["kind"] = json!("cluster_call");
    }
    if known_before::asks_for_own_draws(query, &scopes, facts) {
        facts["of_no_node"] = json!([]);
    }
    if let (Some(scope), 1) = (top, queries.len()) {
        facts["merge"] = merge::facts(&mut scopes, scope, query, parameters)?;
    }
    facts["current_of"] = json!(cursor_of_row(query));
    let mutable = facts["mutable"] == json!(true);
    let alone = queries.len() == 1;
    facts["blind"] = blind::facts(query, alone, mutable, &BTreeSet::new())?;
    if facts["current_of"] == Json::Null
        && !instead::describe_without_kept(query, &scopes, parameters, facts)?
        && !instead::describe_expanded(query, &scopes, parameters, facts)
        && !instead::describe_known(query, &scopes, parameters, facts)
        && !instead::describe_changed(query, parameters, facts)
        && !instead::describe_locked(query, &scopes, parameters, facts)
        && !instead::describe_read(query, parameters, facts)
        && !instead::describe_drawn(query, parameters, facts)
    {
        instead::describe_made(query, &scopes, parameters, alone, facts)?;
    }
    if facts["known"].is_null() && temporary_view::is_changed(query) {
        return Err(PostgresError::unsupported(
            "rows of several nodes cannot be changed through this temporary view",
            "Change the table itself.",
        ));
    }
    if alone && !(instead::is_over_arrays() && insert_select::is_gathered(query)) {
        instead::describe_gathered(query, &scopes, parameters, facts)?;
    }
    if let (&[rewritten], false) = (queries.as_slice(), depends_on_more(facts)) {
        combined::describe(query, rewritten, parameters, facts)?;
    }
    describe_relations(&scopes, facts, text);
    if scopes.relations.is_empty() && facts["object_ids"] == json!(true) {
        facts["relations"] = json!([catalogue()]);
    }
    procedure_call::describe(procedure_call::selected(query), facts);
    let whole = ["known", "changed", "locked", "read"];
    if alone && whole.iter().all(|way| facts[*way].is_null()) {
        if facts["merge"]["mode"] == "refuse" {
            instead::describe_locked_join(query, parameters, facts);
        }
        if query.commandType == CmdType::CMD_MERGE && facts["gathered"].is_null() {
            instead::describe_merge_steps(query, &scopes, parameters, facts);
        }
    }
    instead::describe_in_words(query, parameters, facts);
    if whole.iter().all(|way| facts[*way].is_null()) && facts["inlined"].is_null() {
        instead::describe_below_view(query, parameters, facts);
    }
    let counts = facts["of_one_node"] == json!(["nextval"]);
    let draws = counts && !is_select && facts["read"].is_null();
    if draws && alone && facts["functions"] == json!([]) && facts["known"].is_null() {
        instead::describe_calls(query, &scopes, parameters, facts);
    }
    if facts["functions"] != json!([]) && facts["inlined"].is_null() {
        instead::describe_inlined(query, parameters, facts)?;
        if alone && facts["inlined"].is_null() {
            instead::describe_calls(query, &scopes, parameters, facts);
        }
        let otherwise = ["inlined", "body"].iter().chain(&whole);
        if scopes.relations.is_empty() && otherwise.clone().all(|way| facts[*way].is_null()) {
            procedure_call::describe_around(query, facts);
        }
    }
    Ok(())
}

/// What OIDs stand for: rows of a node's own catalogue.
fn catalogue() -> Json {
    json!({
        "id": 0, "schema": "pg_catalog", "name": "pg_class", "catalog": true, "temporary": false, "write": false, "locking": null, "level": 0,
    })
}

/// A statement that places tables on some nodes otherwise than on others would divide the cluster.
fn not_alike() -> PostgresError {
    PostgresError::made(
        PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32,
        "a statement that changes the placement cannot read tables or call other functions",
        "Every node runs it, and must do the same.",
        None,
    )
}

/// Whether what the statement does may depend on more than its text, its values and the rows.
fn depends_on_more(facts: &Json) -> bool {
    facts["volatile"] == true || facts["mutable"] == true || facts["functions"] != json!([])
}

/// Assignments to Abelian columns: `c = c + x` commutes when x reads no Abelian column.
fn operations(query: &pg_sys::Query) -> Json {
    let Some(catalog) = crate::catalog::find() else {
        return json!([]);
    };
    tree::assignments(query)
        .iter()
        .filter(|entry| object::is_object_type(&catalog, tree::type_of(entry.expr)))
        .map(|entry| json!({ "column": tree::string(entry.resname), "commutes": commutes(entry.expr.cast(), &catalog) }))
        .collect()
}

/// An assignment cast over a sum or difference of which exactly one side, the left for a difference, is the column.
fn commutes(expression: NodePtr, catalog: &crate::catalog::Catalog) -> bool {
    let objects = |node: NodePtr| {
        let mut count = 0;
        tree::walk(node, &mut |node| {
            let var = tree::cast::<pg_sys::Var, _>(node);
            count +=
                usize::from(var.is_some_and(|var| object::is_object_type(catalog, var.vartype)));
            true
        });
        count
    };
    let is_object = |node: NodePtr| {
        let inner =
            tree::cast::<pg_sys::FuncExpr, _>(node).and_then(|call| tree::nodes(call.args).next());
        tree::cast::<pg_sys::Var, _>(inner.unwrap_or(node))
            .is_some_and(|var| object::is_object_type(catalog, var.vartype))
    };
    let sum = tree::cast::<pg_sys::FuncExpr, _>(expression)
        .and_then(|cast| tree::nodes(cast.args).next());
    let Some(operator) = sum.and_then(|node| tree::cast::<pg_sys::OpExpr, _>(node)) else {
        return false;
    };
    let sides: Vec<NodePtr> = tree::nodes(operator.args).collect();
    // SAFETY: the name of an existing operator.
    let name = unsafe { tree::string(pg_sys::get_opname(operator.opno)) };
    match (name.as_str(), sides.as_slice()) {
        ("+", [left, right]) => objects(expression) == 1 && (is_object(*left) || is_object(*right)),
        ("-", [left, _]) => objects(expression) == 1 && is_object(*left),
        _ => false,
    }
}

/// Fills in what the functions do; true when one of them changes the placement.
fn describe_functions(trees: &[NodePtr], facts: &mut Json) -> bool {
    let found = functions::called_by(trees);
    fill_in(&found, facts);
    found.placement
}

fn fill_in(found: &functions::Functions, facts: &mut Json) {
    facts["volatile"] = json!(found.volatile);
    facts["leaves_state"] = json!(found.leaves_state);
    facts["mutable"] = json!(found.mutable);
    facts["differs"] = json!(found.differs);
    facts["clock"] = json!(clock::is_asked_by(found));
    facts["functions"] = json!(found.opaque);
    facts["object_ids"] = json!(found.object_ids);
    facts["sets"] = json!(found.settings);
    facts["of_one_node"] = json!(found.of_one_node);
    facts["of_no_node"] = json!(found.of_no_node);
    facts["of_every_node"] = json!(found.of_every_node);
    facts["draws"] = json!(found.draws);
}

fn describe_relations(scopes: &Scopes, facts: &mut Json, text: &CStr) {
    facts["relations"] = scopes
        .relations
        .iter()
        .enumerate()
        .map(|(id, relation)| relation.to_json(id))
        .collect();
    let assigned: BTreeSet<&String> = scopes
        .relations
        .iter()
        .flat_map(|relation| &relation.assigned)
        .collect();
    facts["assigned"] = json!(assigned);
    let name = |(relation, attribute): (usize, i16)| {
        json!([relation, scopes.relations[relation].column_name(attribute)])
    };
    let mut equalities = Vec::new();
    let classes = scopes.graph.classes();
    for class in &classes {
        let columns: Vec<Json> = class
            .columns
            .iter()
            .filter_map(|column| scopes.origin(*column))
            .filter(|(relation, _)| scopes.relations[*relation].placement != Placement::Catalog)
            .map(name)
            .collect();
        let values: Vec<&Json> = class
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Is(value) => Some(value),
                _ => None,
            })
            .collect();
        let lists: Vec<&Vec<Json>> = class
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::In(list) => Some(list),
                _ => None,
            })
            .collect();
        let compared = !values.is_empty() || !lists.is_empty();
        if columns.len() > 1 || (compared && !columns.is_empty()) {
            equalities.push(json!({ "columns": columns, "values": values, "in": lists }));
        }
    }
    facts["equalities"] = json!(equalities);
    let ranges = bounds::facts(scopes, &classes, text);
    if !ranges.is_empty() {
        facts["ranges"] = json!(ranges);
    }
}
