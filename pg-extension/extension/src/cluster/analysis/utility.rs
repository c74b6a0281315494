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
    if let Some(declare) = tree::cast::<pg_sys::DeclareCursorStmt, _>(statement)
        && declare.options as u32 & pg_sys::CURSOR_OPT_HOLD != 0
    {
        facts["holds"] = json!(true);
    }
    if definition::needs_own_transaction(statement) {
        facts["outside_transaction"] = json!(true);
    }
    if definition::gives_rows_values(statement) || definition::password(statement).is_some() {
        facts["fills"] = json!(true);
    }
    facts["relations"] = json!(relations(statement));
    if temporary::object(statement).is_some() || temporary::is_used(statement) {
        facts["temporary_object"] = json!(true);
    }
    if definition::named(statement).large_object {
        facts["of_one_node"] = json!(["large object"]);
    }
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
        Some(NodeTag::T_VacuumStmt) => match tree::cast::<pg_sys::VacuumStmt, _>(statement) {
            Some(vacuum) if vacuum.is_vacuumcmd => "vacuum",
            _ => "analyze",
        },
        Some(NodeTag::T_CallStmt) => "call",
        Some(NodeTag::T_DoStmt) => "do",
        Some(NodeTag::T_ConstraintsSetStmt) => "constraints",
        Some(NodeTag::T_LoadStmt) => "load",
        Some(NodeTag::T_CheckPointStmt | NodeTag::T_AlterSystemStmt) => "other",
        Some(
            NodeTag::T_CreateSubscriptionStmt
            | NodeTag::T_AlterSubscriptionStmt
            | NodeTag::T_DropSubscriptionStmt,
        ) => "subscription",
        Some(tag) if is_definition(tag) => "ddl",
        _ => "unknown",
    }
}

/// Whether a command is one that each node runs alike.
pub fn defines(statement: NodePtr) -> bool {
    tree::tag(statement).is_some_and(is_definition)
}

/// Commands that each node runs alike, since they define what is alike on all.
fn is_definition(tag: NodeTag) -> bool {
    use NodeTag::*;
    matches!(
        tag,
        T_CreateStmt
            | T_CreateForeignTableStmt
            | T_CreateTableAsStmt
            | T_RefreshMatViewStmt
            | T_AlterTableStmt
            | T_AlterTableMoveAllStmt
            | T_IndexStmt
            | T_ViewStmt
            | T_CreateSeqStmt
            | T_AlterSeqStmt
            | T_RuleStmt
            | T_CreateTrigStmt
            | T_CreatePolicyStmt
            | T_AlterPolicyStmt
            | T_CreateStatsStmt
            | T_AlterStatsStmt
            | T_ClusterStmt
            | T_ReindexStmt
            | T_DropStmt
            | T_RenameStmt
            | T_AlterObjectSchemaStmt
            | T_AlterObjectDependsStmt
            | T_AlterOwnerStmt
            | T_CommentStmt
            | T_SecLabelStmt
            | T_GrantStmt
            | T_GrantRoleStmt
            | T_AlterDefaultPrivilegesStmt
            | T_CreateSchemaStmt
    ) || is_other_definition(tag)
}

/// The same for objects that are no relations.
fn is_other_definition(tag: NodeTag) -> bool {
    use NodeTag::*;
    matches!(
        tag,
        T_CreateFunctionStmt
            | T_AlterFunctionStmt
            | T_DefineStmt
            | T_CompositeTypeStmt
            | T_CreateEnumStmt
            | T_AlterEnumStmt
            | T_CreateRangeStmt
            | T_AlterTypeStmt
            | T_CreateDomainStmt
            | T_AlterDomainStmt
            | T_CreateCastStmt
            | T_CreateTransformStmt
            | T_CreateConversionStmt
            | T_AlterCollationStmt
            | T_AlterOperatorStmt
            | T_CreateOpClassStmt
            | T_CreateOpFamilyStmt
            | T_AlterOpFamilyStmt
            | T_AlterTSDictionaryStmt
            | T_AlterTSConfigurationStmt
            | T_CreatePLangStmt
            | T_CreateAmStmt
            | T_CreateExtensionStmt
            | T_AlterExtensionStmt
            | T_AlterExtensionContentsStmt
            | T_CreateFdwStmt
            | T_AlterFdwStmt
            | T_CreateForeignServerStmt
            | T_AlterForeignServerStmt
            | T_CreateUserMappingStmt
            | T_AlterUserMappingStmt
            | T_DropUserMappingStmt
            | T_ImportForeignSchemaStmt
            | T_CreateEventTrigStmt
            | T_AlterEventTrigStmt
            | T_CreatePublicationStmt
            | T_AlterPublicationStmt
            | T_CreateRoleStmt
            | T_AlterRoleStmt
            | T_AlterRoleSetStmt
            | T_DropRoleStmt
            | T_DropOwnedStmt
            | T_ReassignOwnedStmt
            | T_CreatedbStmt
            | T_AlterDatabaseStmt
            | T_AlterDatabaseSetStmt
            | T_AlterDatabaseRefreshCollStmt
            | T_DropdbStmt
            | T_CreateTableSpaceStmt
            | T_AlterTableSpaceOptionsStmt
            | T_DropTableSpaceStmt
    )
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
        (_, "transaction_isolation" | "transaction_read_only" | "transaction_deferrable") => {
            "transaction"
        }
        _ if set.is_local => "local",
        _ => "session",
    };
    if set.kind == VariableSetKind::VAR_SET_MULTI {
        transaction_options(set.args, facts);
    }
    if name == "transaction_isolation" {
        facts["isolation"] = json!(
            tree::nodes(set.args)
                .next()
                .and_then(constant_of)
                .map(|level| level.to_lowercase())
        );
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
            .map(|name| relation::named(name, write))
            .collect()
    };
    let mut numbered = if let Some(truncate) = tree::cast::<pg_sys::TruncateStmt, _>(statement) {
        named(truncate.relations, true)
    } else if let Some(lock) = tree::cast::<pg_sys::LockStmt, _>(statement) {
        named(lock.relations, false)
    } else if let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(statement) {
        let table = tree::cast::<pg_sys::RangeVar, _>(copy.relation);
        table
            .map(|name| relation::named(name, copy.is_from))
            .into_iter()
            .collect()
    } else {
        let named = definition::named(statement);
        let used = named.used.into_iter();
        let changed = named.changed.into_iter();
        used.map(|name| relation::named(name, false))
            .chain(changed.map(|name| match creates(statement) {
                true => relation::made(name),
                false => relation::named(name, true),
            }))
            .collect()
    };
    for (id, relation) in numbered.iter_mut().enumerate() {
        relation["id"] = json!(id);
    }
    numbered
}

/// Whether the relation that a command names is a new one, which may hide another of that name.
fn creates(statement: NodePtr) -> bool {
    matches!(
        tree::tag(statement),
        Some(
            NodeTag::T_CreateStmt
                | NodeTag::T_CreateForeignTableStmt
                | NodeTag::T_CreateTableAsStmt
                | NodeTag::T_CreateSeqStmt
                | NodeTag::T_ViewStmt
                | NodeTag::T_CompositeTypeStmt
        )
    )
}

/// Whether a command stores the rows of a query in a relation.
pub fn stores_rows(statement: NodePtr) -> bool {
    if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(statement) {
        return !refresh.skipData;
    }
    tree::cast::<pg_sys::CreateTableAsStmt, _>(statement)
        .and_then(|create| tree::cast::<pg_sys::IntoClause, _>(create.into))
        .is_some_and(|into| !into.skipData)
}

/// Whether a command that stores the rows of a query stores them in a table.
pub fn stores_in_table(statement: NodePtr) -> bool {
    tree::cast::<pg_sys::CreateTableAsStmt, _>(statement)
        .is_some_and(|create| create.objtype == pg_sys::ObjectType::OBJECT_TABLE)
}

/// Whether an EXPLAIN runs what it explains.
pub fn analyzes(explain: &pg_sys::ExplainStmt) -> bool {
    tree::list::<pg_sys::DefElem>(explain.options)
        .filter(|option| tree::string(option.defname) == "analyze")
        // SAFETY: an option of EXPLAIN; what is no boolean is PostgreSQL's own error.
        .any(|option| unsafe { pg_sys::defGetBoolean(std::ptr::from_ref(option).cast_mut()) })
}

/// The relations whose stored queries a command runs or looks into.
pub fn views(statement: NodePtr) -> Vec<Oid> {
    if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(statement) {
        return tree::cast::<pg_sys::RangeVar, _>(refresh.relation)
            .and_then(relation::existing)
            .into_iter()
            .collect();
    }
    tree::cast::<pg_sys::LockStmt, _>(statement).map_or(Vec::new(), |lock| {
        tree::list::<pg_sys::RangeVar>(lock.relations)
            .filter_map(relation::existing)
            .collect()
    })
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
    if let Some(view) = tree::cast::<pg_sys::ViewStmt, _>(statement) {
        return Some(view.query);
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
