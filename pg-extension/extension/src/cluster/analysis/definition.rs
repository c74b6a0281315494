//! What commands that define objects are about: the relations they name, and whether PostgreSQL runs them only outside a
//! transaction block.

use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, NodeTag, ObjectType, ReindexObjectType};

/// The relations that a command creates, changes or drops, by the names it gives.
pub fn names(statement: NodePtr) -> Vec<&'static pg_sys::RangeVar> {
    if let Some(drop) = tree::cast::<pg_sys::DropStmt, _>(statement) {
        return dropped(drop);
    }
    let name = if let Some(create) = tree::cast::<pg_sys::CreateStmt, _>(statement) {
        create.relation
    } else if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        alter.relation
    } else if let Some(rename) = tree::cast::<pg_sys::RenameStmt, _>(statement) {
        rename.relation
    } else if let Some(alter) = tree::cast::<pg_sys::AlterObjectSchemaStmt, _>(statement) {
        alter.relation
    } else if let Some(index) = tree::cast::<pg_sys::IndexStmt, _>(statement) {
        index.relation
    } else if let Some(view) = tree::cast::<pg_sys::ViewStmt, _>(statement) {
        view.view
    } else if let Some(sequence) = tree::cast::<pg_sys::CreateSeqStmt, _>(statement) {
        sequence.sequence
    } else if let Some(trigger) = tree::cast::<pg_sys::CreateTrigStmt, _>(statement) {
        trigger.relation
    } else {
        return Vec::new();
    };
    tree::cast::<pg_sys::RangeVar, _>(name)
        .into_iter()
        .collect()
}

fn dropped(drop: &pg_sys::DropStmt) -> Vec<&'static pg_sys::RangeVar> {
    use ObjectType::{OBJECT_INDEX, OBJECT_MATVIEW, OBJECT_SEQUENCE, OBJECT_TABLE, OBJECT_VIEW};
    if ![
        OBJECT_TABLE,
        OBJECT_VIEW,
        OBJECT_MATVIEW,
        OBJECT_SEQUENCE,
        OBJECT_INDEX,
    ]
    .contains(&drop.removeType)
    {
        return Vec::new();
    }
    tree::nodes(drop.objects)
        // SAFETY: for relations, each object is a list of name parts; the result is a fresh node.
        .map(|names| unsafe { pg_sys::makeRangeVarFromNameList(names.cast()) })
        .filter_map(|name| tree::cast::<pg_sys::RangeVar, _>(name))
        .collect()
}

/// The target of CREATE TABLE AS, SELECT INTO and CREATE MATERIALIZED VIEW.
pub fn stored_into(statement: NodePtr) -> Option<&'static pg_sys::RangeVar> {
    let create = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement)?;
    let into = tree::cast::<pg_sys::IntoClause, _>(create.into)?;
    tree::cast::<pg_sys::RangeVar, _>(into.rel)
}

/// Whether PostgreSQL refuses the command inside a transaction block.
pub fn needs_own_transaction(statement: NodePtr) -> bool {
    if let Some(vacuum) = tree::cast::<pg_sys::VacuumStmt, _>(statement) {
        return vacuum.is_vacuumcmd;
    }
    if let Some(index) = tree::cast::<pg_sys::IndexStmt, _>(statement) {
        return index.concurrent;
    }
    if let Some(drop) = tree::cast::<pg_sys::DropStmt, _>(statement) {
        return drop.concurrent;
    }
    if let Some(cluster) = tree::cast::<pg_sys::ClusterStmt, _>(statement) {
        return cluster.relation.is_null();
    }
    if let Some(reindex) = tree::cast::<pg_sys::ReindexStmt, _>(statement) {
        let single = [
            ReindexObjectType::REINDEX_OBJECT_INDEX,
            ReindexObjectType::REINDEX_OBJECT_TABLE,
        ];
        let concurrently = tree::list::<pg_sys::DefElem>(reindex.params)
            .any(|option| tree::string(option.defname) == "concurrently");
        return concurrently || !single.contains(&reindex.kind);
    }
    matches!(
        tree::tag(statement),
        Some(
            NodeTag::T_CreatedbStmt
                | NodeTag::T_DropdbStmt
                | NodeTag::T_AlterSystemStmt
                | NodeTag::T_CreateTableSpaceStmt
                | NodeTag::T_DropTableSpaceStmt
        )
    )
}
