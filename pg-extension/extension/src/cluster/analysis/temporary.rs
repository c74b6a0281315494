//! Temporary objects among what a command defines, changes or drops. They belong to one session and lie on one node, so a command about them
//! must go there and nowhere else. Relations that are named as such are `definition`'s; here are the others: types, functions, and what a
//! view or rule reads.

use super::relation;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, NodeTag, ObjectType, Oid, SysCacheIdentifier};
use std::ffi::CString;

/// The name of a temporary object that the command is about; `None` when there is none, or only relations that it names.
pub fn object(statement: NodePtr) -> Option<String> {
    object_of(statement).or_else(|| read(statement))
}

/// Whether a command makes a table or view from temporary relations or types, which other nodes do not know, or something else by that name. What it
/// makes need not be temporary itself.
pub fn is_used(statement: NodePtr) -> bool {
    if let Some(create) = tree::cast::<pg_sys::CreateStmt, _>(statement) {
        return type_named(create.ofTypename.cast()).is_some();
    }
    if let Some(create) = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement) {
        return tree::cast::<pg_sys::Query, _>(create.query).is_some_and(is_queried);
    }
    let Some(view) = tree::cast::<pg_sys::ViewStmt, _>(statement) else {
        return false;
    };
    let mut found = false;
    tree::walk_raw(view.query, &mut |node| {
        found |= tree::tag(node) == Some(NodeTag::T_TypeName) && type_named(node).is_some();
    });
    found
}

fn object_of(statement: NodePtr) -> Option<String> {
    if let Some(create) = tree::cast::<pg_sys::CreateFunctionStmt, _>(statement) {
        return made(create.funcname)
            .or_else(|| type_in(create.parameters))
            .or_else(|| type_named(create.returnType.cast()));
    }
    if let Some(define) = tree::cast::<pg_sys::DefineStmt, _>(statement) {
        return made(define.defnames)
            .or_else(|| {
                // Of an aggregate: a list of parameters, and how many of them are direct arguments.
                tree::nodes(define.args)
                    .filter(|args| tree::tag(*args) == Some(NodeTag::T_List))
                    .find_map(|args| type_in(args.cast()))
            })
            .or_else(|| type_in(define.definition));
    }
    if let Some(create) = tree::cast::<pg_sys::CreateDomainStmt, _>(statement) {
        return made(create.domainname).or_else(|| type_named(create.typeName.cast()));
    }
    if let Some(create) = tree::cast::<pg_sys::CreateEnumStmt, _>(statement) {
        return made(create.typeName);
    }
    if let Some(create) = tree::cast::<pg_sys::CreateRangeStmt, _>(statement) {
        return made(create.typeName);
    }
    if let Some(create) = tree::cast::<pg_sys::CompositeTypeStmt, _>(statement) {
        return type_in(create.coldeflist);
    }
    if let Some(create) = tree::cast::<pg_sys::CreateCastStmt, _>(statement) {
        return type_named(create.sourcetype.cast())
            .or_else(|| type_named(create.targettype.cast()));
    }
    if let Some(create) = tree::cast::<pg_sys::CreateStatsStmt, _>(statement) {
        return made(create.defnames);
    }
    if let Some(create) = tree::cast::<pg_sys::CreateStmt, _>(statement) {
        return type_in(create.tableElts);
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        return tree::list::<pg_sys::AlterTableCmd>(alter.cmds)
            .find_map(|command| type_named(command.def));
    }
    changed(statement)
}

/// What ALTER, DROP, COMMENT, GRANT and REVOKE name.
fn changed(statement: NodePtr) -> Option<String> {
    use ObjectType::{OBJECT_DOMAIN, OBJECT_STATISTIC_EXT, OBJECT_TYPE};
    let one = |kind: ObjectType::Type, object: NodePtr| -> Option<String> {
        match tree::tag(object)? {
            NodeTag::T_List if [OBJECT_TYPE, OBJECT_DOMAIN].contains(&kind) => {
                type_by_names(&tree::strings(object.cast()))
            }
            NodeTag::T_List if kind == OBJECT_STATISTIC_EXT => qualified(object.cast()),
            NodeTag::T_TypeName => type_named(object),
            NodeTag::T_ObjectWithArgs => routine(object),
            _ => None,
        }
    };
    if let Some(drop) = tree::cast::<pg_sys::DropStmt, _>(statement) {
        return tree::nodes(drop.objects).find_map(|object| one(drop.removeType, object));
    }
    if let Some(rename) = tree::cast::<pg_sys::RenameStmt, _>(statement) {
        return one(rename.renameType, rename.object);
    }
    if let Some(owner) = tree::cast::<pg_sys::AlterOwnerStmt, _>(statement) {
        return one(owner.objectType, owner.object);
    }
    if let Some(schema) = tree::cast::<pg_sys::AlterObjectSchemaStmt, _>(statement) {
        return one(schema.objectType, schema.object);
    }
    if let Some(comment) = tree::cast::<pg_sys::CommentStmt, _>(statement) {
        return one(comment.objtype, comment.object);
    }
    if let Some(grant) = tree::cast::<pg_sys::GrantStmt, _>(statement) {
        return tree::nodes(grant.objects).find_map(|object| one(grant.objtype, object));
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterFunctionStmt, _>(statement) {
        return routine(alter.func.cast());
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterDomainStmt, _>(statement) {
        return type_by_names(&tree::strings(alter.typeName));
    }
    let alter = tree::cast::<pg_sys::AlterTypeStmt, _>(statement)?;
    type_by_names(&tree::strings(alter.typeName))
}

/// Whether a query reads temporary relations, views included, or has values of temporary types.
fn is_queried(query: &pg_sys::Query) -> bool {
    tree::any(
        std::ptr::from_ref(query).cast_mut().cast(),
        &mut |node| match tree::cast::<pg_sys::Query, _>(node) {
            Some(level) => tree::list::<pg_sys::RangeTblEntry>(level.rtable).any(|entry| {
                entry.rtekind == pg_sys::RTEKind::RTE_RELATION
                    && relation::is_temporary(entry.relid)
            }),
            None => is_temporary_value(node),
        },
    )
}

/// Whether a query reads temporary views, which the nodes that have the rows do not know.
pub fn reads_view(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            tree::list::<pg_sys::RangeTblEntry>(level.rtable).any(|entry| {
                entry.relkind as u8 == pg_sys::RELKIND_VIEW && relation::is_temporary(entry.relid)
            })
        })
    })
}

/// Whether a value has a temporary type.
fn is_temporary_value(node: NodePtr) -> bool {
    use NodeTag::{
        T_ArrayExpr, T_CoerceToDomain, T_CoerceViaIO, T_Const, T_ConvertRowtypeExpr, T_FuncExpr,
        T_Param, T_RelabelType, T_RowExpr, T_Var,
    };
    tree::tag(node).is_some_and(|tag| {
        matches!(
            tag,
            T_Const
                | T_Param
                | T_Var
                | T_FuncExpr
                | T_RelabelType
                | T_ArrayExpr
                | T_RowExpr
                | T_CoerceViaIO
                | T_ConvertRowtypeExpr
                | T_CoerceToDomain
        ) && is_temporary_schema(relation::namespace_of_type(tree::type_of(node)))
    })
}

/// A temporary relation that the query of a view, or an action of a rule, names: the view is temporary, too.
fn read(statement: NodePtr) -> Option<String> {
    let queries = if let Some(view) = tree::cast::<pg_sys::ViewStmt, _>(statement) {
        vec![view.query]
    } else {
        let rule = tree::cast::<pg_sys::RuleStmt, _>(statement)?;
        tree::nodes(rule.actions)
            .filter(|action| is_query(*action))
            .collect()
    };
    let mut found = None;
    for query in queries {
        tree::walk_raw(query, &mut |node| {
            if found.is_none()
                && let Some(name) = tree::cast::<pg_sys::RangeVar, _>(node)
                && relation::existing(name).is_some_and(relation::is_temporary)
            {
                found = Some(tree::string(name.relname));
            }
        });
    }
    found
}

/// An action of a rule may also be NOTIFY.
fn is_query(action: NodePtr) -> bool {
    use NodeTag::{T_DeleteStmt, T_InsertStmt, T_SelectStmt, T_UpdateStmt};
    matches!(
        tree::tag(action),
        Some(T_SelectStmt | T_InsertStmt | T_UpdateStmt | T_DeleteStmt)
    )
}

/// The name of an object that the command makes, if it makes it a temporary one.
fn made(names: *const pg_sys::List) -> Option<String> {
    match tree::strings(names).as_slice() {
        [name] => relation::creates_temporarily().then(|| name.clone()),
        _ => qualified(names),
    }
}

/// A name whose schema is that of temporary objects.
fn qualified(names: *const pg_sys::List) -> Option<String> {
    match tree::strings(names).as_slice() {
        // The first of them makes the session's schema.
        [of, name] => (of == "pg_temp" || is_temporary_schema(schema(of))).then(|| name.clone()),
        _ => None,
    }
}

fn routine(object: NodePtr) -> Option<String> {
    let object = tree::cast::<pg_sys::ObjectWithArgs, _>(object)?;
    qualified(object.objname).or_else(|| type_in(object.objargs))
}

/// A temporary type among types, parameters, columns and options.
fn type_in(nodes: *const pg_sys::List) -> Option<String> {
    tree::nodes(nodes).find_map(type_named)
}

fn type_named(node: NodePtr) -> Option<String> {
    match tree::tag(node)? {
        NodeTag::T_TypeName => {
            let name = tree::cast::<pg_sys::TypeName, _>(node)?;
            (!name.pct_type)
                .then(|| type_by_names(&tree::strings(name.names)))
                .flatten()
        }
        NodeTag::T_FunctionParameter => {
            let parameter = tree::cast::<pg_sys::FunctionParameter, _>(node)?;
            type_named(parameter.argType.cast())
        }
        NodeTag::T_ColumnDef => {
            let column = tree::cast::<pg_sys::ColumnDef, _>(node)?;
            type_named(column.typeName.cast())
        }
        NodeTag::T_DefElem => type_named(tree::cast::<pg_sys::DefElem, _>(node)?.arg),
        _ => None,
    }
}

/// The type's name, if it exists and is temporary, as the row type of a temporary table is.
fn type_by_names(names: &[String]) -> Option<String> {
    let name = names.last()?;
    let text = CString::new(name.as_str()).ok()?;
    // SAFETY: catalogue look-ups that may find nothing.
    let found = unsafe {
        match names {
            [_] => pg_sys::TypenameGetTypid(text.as_ptr()),
            [of, _] => pg_sys::GetSysCacheOid(
                SysCacheIdentifier::TYPENAMENSP as i32,
                pg_sys::Anum_pg_type_oid as i16,
                text.as_ptr().into(),
                schema(of).into(),
                pg_sys::Datum::null(),
                pg_sys::Datum::null(),
            ),
            _ => Oid::INVALID,
        }
    };
    is_temporary_schema(relation::namespace_of_type(found)).then(|| name.clone())
}

/// The schema of that name; invalid when there is none. Before it has temporary objects, a session's own schema for them is none.
fn schema(name: &str) -> Oid {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a look-up that may find nothing.
    unsafe { pg_sys::LookupNamespaceNoError(name.as_ptr()) }
}

fn is_temporary_schema(schema: Oid) -> bool {
    // SAFETY: compares with the session's own.
    schema != Oid::INVALID && unsafe { pg_sys::isTempNamespace(schema) }
}
