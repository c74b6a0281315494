//! Which utility command a statement is, as far as a router treats it differently.

use super::definition;
use super::relation;
use super::temporary;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, NodeTag, Oid, TransactionStmtKind, VariableSetKind};
use serde_json::{Value as Json, json};

/// Fills in what is known about a utility command by itself.
pub fn describe(statement: NodePtr, facts: &mut Json) {
    facts["utility"] = json!(kind(statement));
    if let Some(name) = name_of(statement) {
        facts["name"] = json!(name);
    }
    if let Some(transaction) = tree::cast::<pg_sys::TransactionStmt, _>(statement) {
        transaction_options(transaction.options, facts);
        if transaction.chain {
            facts["chain"] = json!(true);
        }
    }
    if let Some(set) = tree::cast::<pg_sys::VariableSetStmt, _>(statement) {
        describe_set(set, facts);
    }
    if let Some(show) = tree::cast::<pg_sys::VariableShowStmt, _>(statement) {
        facts["set"] =
            json!({ "name": tree::string(show.name).to_lowercase(), "scope": "session" });
    }
    if definition::needs_own_transaction(statement) {
        facts["outside_transaction"] = json!(true);
    }
    facts["relations"] = json!(relations(statement));
}

fn kind(statement: NodePtr) -> &'static str {
    if let Some(transaction) = tree::cast::<pg_sys::TransactionStmt, _>(statement) {
        return transaction_kind(transaction.kind);
    }
    if let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(statement) {
        return if copy.is_from { "copy_from" } else { "copy_to" };
    }
    if let Some(set) = tree::cast::<pg_sys::VariableSetStmt, _>(statement) {
        let resets = matches!(
            set.kind,
            VariableSetKind::VAR_RESET | VariableSetKind::VAR_RESET_ALL
        );
        return if resets { "reset" } else { "set" };
    }
    match tree::tag(statement) {
        Some(NodeTag::T_VariableShowStmt) => "show",
        Some(NodeTag::T_DiscardStmt) => "discard",
        Some(NodeTag::T_PrepareStmt) => "prepare",
        Some(NodeTag::T_ExecuteStmt) => "execute",
        Some(NodeTag::T_DeallocateStmt) => "deallocate",
        Some(NodeTag::T_DeclareCursorStmt) => "declare",
        Some(NodeTag::T_FetchStmt) => "fetch",
        Some(NodeTag::T_ClosePortalStmt) => "close",
        Some(NodeTag::T_ListenStmt) => "listen",
        Some(NodeTag::T_UnlistenStmt) => "unlisten",
        Some(NodeTag::T_NotifyStmt) => "notify",
        Some(NodeTag::T_ExplainStmt) => "explain",
        Some(NodeTag::T_LockStmt) => "lock",
        Some(NodeTag::T_TruncateStmt) => "truncate",
        Some(NodeTag::T_VacuumStmt) => "vacuum",
        Some(NodeTag::T_CallStmt) => "call",
        Some(NodeTag::T_DoStmt) => "do",
        Some(
            NodeTag::T_LoadStmt
            | NodeTag::T_CheckPointStmt
            | NodeTag::T_ConstraintsSetStmt
            | NodeTag::T_AlterSystemStmt,
        ) => "other",
        _ => "ddl",
    }
}

fn transaction_kind(kind: TransactionStmtKind::Type) -> &'static str {
    use TransactionStmtKind::*;
    match kind {
        TRANS_STMT_BEGIN | TRANS_STMT_START => "begin",
        TRANS_STMT_COMMIT => "commit",
        TRANS_STMT_ROLLBACK => "rollback",
        TRANS_STMT_SAVEPOINT => "savepoint",
        TRANS_STMT_RELEASE => "release",
        TRANS_STMT_ROLLBACK_TO => "rollback_to",
        TRANS_STMT_PREPARE => "prepare_transaction",
        TRANS_STMT_COMMIT_PREPARED => "commit_prepared",
        TRANS_STMT_ROLLBACK_PREPARED => "rollback_prepared",
        _ => "other",
    }
}

/// The name a command gives or uses: savepoint, gid, prepared statement, cursor, channel.
fn name_of(statement: NodePtr) -> Option<String> {
    let name = if let Some(transaction) = tree::cast::<pg_sys::TransactionStmt, _>(statement) {
        if transaction.gid.is_null() {
            transaction.savepoint_name
        } else {
            transaction.gid
        }
    } else if let Some(prepare) = tree::cast::<pg_sys::PrepareStmt, _>(statement) {
        prepare.name
    } else if let Some(execute) = tree::cast::<pg_sys::ExecuteStmt, _>(statement) {
        execute.name
    } else if let Some(deallocate) = tree::cast::<pg_sys::DeallocateStmt, _>(statement) {
        deallocate.name
    } else if let Some(declare) = tree::cast::<pg_sys::DeclareCursorStmt, _>(statement) {
        declare.portalname
    } else if let Some(fetch) = tree::cast::<pg_sys::FetchStmt, _>(statement) {
        fetch.portalname
    } else if let Some(close) = tree::cast::<pg_sys::ClosePortalStmt, _>(statement) {
        close.portalname
    } else if let Some(listen) = tree::cast::<pg_sys::ListenStmt, _>(statement) {
        listen.conditionname
    } else if let Some(unlisten) = tree::cast::<pg_sys::UnlistenStmt, _>(statement) {
        unlisten.conditionname
    } else if let Some(notify) = tree::cast::<pg_sys::NotifyStmt, _>(statement) {
        notify.conditionname
    } else {
        return None;
    };
    (!name.is_null()).then(|| tree::string(name))
}

/// Isolation level and modes of BEGIN, SET TRANSACTION and SET SESSION CHARACTERISTICS.
fn transaction_options(options: *const pg_sys::List, facts: &mut Json) {
    for option in tree::list::<pg_sys::DefElem>(options) {
        let value = constant_of(option.arg).unwrap_or_default();
        match tree::string(option.defname).as_str() {
            "transaction_isolation" => facts["isolation"] = json!(value.to_lowercase()),
            "transaction_read_only" => facts["read_only"] = json!(value == "1"),
            "transaction_deferrable" => facts["deferrable"] = json!(value == "1"),
            _ => {}
        }
    }
}

fn describe_set(set: &pg_sys::VariableSetStmt, facts: &mut Json) {
    let name = tree::string(set.name).to_lowercase();
    let scope = match (set.kind, name.as_str()) {
        (VariableSetKind::VAR_SET_MULTI, "transaction" | "transaction snapshot") => "transaction",
        _ if set.is_local => "local",
        _ => "session",
    };
    if set.kind == VariableSetKind::VAR_SET_MULTI {
        transaction_options(set.args, facts);
    }
    facts["set"] =
        json!({ "name": if set.name.is_null() { "all" } else { name.as_str() }, "scope": scope });
    if set.kind == VariableSetKind::VAR_SET_VALUE {
        let values: Option<Vec<String>> = tree::nodes(set.args).map(constant_of).collect();
        facts["set"]["value"] = json!(values.map(|values| values.join(", ")));
    }
    if set.kind == VariableSetKind::VAR_SET_DEFAULT {
        facts["set"]["default"] = json!(true);
    }
}

/// The text of a raw constant, under a cast or not.
fn constant_of(node: NodePtr) -> Option<String> {
    match tree::tag(node)? {
        // SAFETY: the tag says which structure it is, and the value's own tag which member is set.
        NodeTag::T_A_Const => unsafe {
            let constant = &*node.cast::<pg_sys::A_Const>();
            match constant.val.node.type_ {
                NodeTag::T_Integer => Some(constant.val.ival.ival.to_string()),
                NodeTag::T_Float => Some(tree::string(constant.val.fval.fval)),
                NodeTag::T_Boolean => Some(
                    if constant.val.boolval.boolval {
                        "true"
                    } else {
                        "false"
                    }
                    .to_owned(),
                ),
                NodeTag::T_String => Some(tree::string(constant.val.sval.sval)),
                _ => None,
            }
        },
        // SAFETY: as above.
        NodeTag::T_TypeCast => constant_of(unsafe { (*node.cast::<pg_sys::TypeCast>()).arg }),
        _ => None,
    }
}

/// Relations that a command reads or writes, or that it defines.
fn relations(statement: NodePtr) -> Vec<Json> {
    let named = |list: *const pg_sys::List, write: bool| -> Vec<Json> {
        tree::list::<pg_sys::RangeVar>(list)
            .filter_map(|name| relation::named(name, write))
            .collect()
    };
    let relations = if let Some(truncate) = tree::cast::<pg_sys::TruncateStmt, _>(statement) {
        named(truncate.relations, true)
    } else if let Some(lock) = tree::cast::<pg_sys::LockStmt, _>(statement) {
        named(lock.relations, false)
    } else if let Some(vacuum) = tree::cast::<pg_sys::VacuumStmt, _>(statement) {
        tree::list::<pg_sys::VacuumRelation>(vacuum.rels)
            .filter_map(|entry| tree::cast::<pg_sys::RangeVar, _>(entry.relation))
            .filter_map(|name| relation::named(name, true))
            .collect()
    } else if let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(statement) {
        let table = tree::cast::<pg_sys::RangeVar, _>(copy.relation);
        table
            .and_then(|name| relation::named(name, copy.is_from))
            .into_iter()
            .collect()
    } else {
        definition::names(statement)
            .into_iter()
            .chain(definition::stored_into(statement))
            .filter_map(|name| relation::named(name, true))
            .collect()
    };
    let mut numbered = relations;
    if let Some(name) = temporary::object(statement) {
        numbered.push(json!({
            "schema": "pg_temp", "name": name, "catalog": false, "temporary": true, "write": true, "locking": null, "level": 0,
        }));
    }
    for (id, relation) in numbered.iter_mut().enumerate() {
        relation["id"] = json!(id);
    }
    numbered
}

/// The statement inside a command that runs or describes one, as the analysis left it: a query, or raw.
pub fn inner_statement(statement: NodePtr) -> Option<NodePtr> {
    if let Some(explain) = tree::cast::<pg_sys::ExplainStmt, _>(statement) {
        return Some(explain.query);
    }
    if let Some(declare) = tree::cast::<pg_sys::DeclareCursorStmt, _>(statement) {
        return Some(declare.query);
    }
    if let Some(create) = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement) {
        return Some(create.query);
    }
    if let Some(prepare) = tree::cast::<pg_sys::PrepareStmt, _>(statement) {
        return Some(prepare.query);
    }
    let copy = tree::cast::<pg_sys::CopyStmt, _>(statement)?;
    (!copy.query.is_null()).then_some(copy.query)
}

/// Parameter types that PREPARE declares.
pub fn declared_types(statement: NodePtr) -> Vec<Oid> {
    tree::cast::<pg_sys::PrepareStmt, _>(statement)
        .map(|prepare| {
            tree::nodes(prepare.argtypes)
                // SAFETY: a list of TypeName nodes; unknown types are PostgreSQL's error.
                .map(|name| unsafe { pg_sys::typenameTypeId(std::ptr::null_mut(), name.cast()) })
                .collect()
        })
        .unwrap_or_default()
}
