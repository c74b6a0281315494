//! What commands that define objects are about: the relations they name, and whether PostgreSQL runs them only outside a
//! transaction block.

use super::relation;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, NodeTag, ObjectType, ReindexObjectType};
use std::ffi::CString;

/// The relations that a command creates, changes or drops, and the tables that a new one is made like, by the names it gives.
pub fn names(statement: NodePtr) -> Vec<&'static pg_sys::RangeVar> {
    if let Some(drop) = tree::cast::<pg_sys::DropStmt, _>(statement) {
        return dropped(drop);
    }
    if let Some(create) = tree::cast::<pg_sys::CreateStmt, _>(statement) {
        let likes = tree::list::<pg_sys::TableLikeClause>(create.tableElts);
        return std::iter::once(create.relation.cast())
            .chain(tree::nodes(create.inhRelations))
            .chain(likes.map(|like| like.relation.cast()))
            .filter_map(|name| tree::cast::<pg_sys::RangeVar, pg_sys::Node>(name))
            .collect();
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        return std::iter::once(alter.relation.cast())
            .chain(tree::list::<pg_sys::AlterTableCmd>(alter.cmds).map(attached))
            .filter_map(|name| tree::cast::<pg_sys::RangeVar, pg_sys::Node>(name))
            .collect();
    }
    if let Some(grant) = tree::cast::<pg_sys::GrantStmt, _>(statement) {
        return tree::list::<pg_sys::RangeVar>(grant.objects).collect();
    }
    if let Some(statistics) = tree::cast::<pg_sys::CreateStatsStmt, _>(statement) {
        return tree::list::<pg_sys::RangeVar>(statistics.relations).collect();
    }
    if let Some(comment) = tree::cast::<pg_sys::CommentStmt, _>(statement) {
        return commented(comment).into_iter().collect();
    }
    tree::cast::<pg_sys::RangeVar, _>(name(statement))
        .into_iter()
        .collect()
}

/// The one relation that a command names; null for commands that name none.
fn name(statement: NodePtr) -> *const pg_sys::RangeVar {
    macro_rules! of {
        ($($structure:ident . $field:ident),* $(,)?) => {
            $(if let Some(command) = tree::cast::<pg_sys::$structure, _>(statement) {
                return command.$field;
            })*
        };
    }
    of!(
        RenameStmt.relation,
        AlterObjectSchemaStmt.relation,
        AlterOwnerStmt.relation,
        IndexStmt.relation,
        ViewStmt.view,
        RuleStmt.relation,
        CreatePolicyStmt.table,
        AlterPolicyStmt.table,
        CreateSeqStmt.sequence,
        AlterSeqStmt.sequence,
        CreateTrigStmt.relation,
        CompositeTypeStmt.typevar,
        ClusterStmt.relation,
        ReindexStmt.relation,
        RefreshMatViewStmt.relation,
    );
    std::ptr::null()
}

/// The partition or parent of an ALTER TABLE.
fn attached(command: &pg_sys::AlterTableCmd) -> NodePtr {
    match tree::cast::<pg_sys::PartitionCmd, _>(command.def) {
        Some(partition) => partition.name.cast(),
        None => command.def,
    }
}

/// What DROP names. What does not exist is left out, unless nothing does: so the rest says where the command belongs.
fn dropped(drop: &pg_sys::DropStmt) -> Vec<&'static pg_sys::RangeVar> {
    use ObjectType::{
        OBJECT_INDEX, OBJECT_MATVIEW, OBJECT_POLICY, OBJECT_RULE, OBJECT_SEQUENCE, OBJECT_TABLE,
        OBJECT_TRIGGER, OBJECT_VIEW,
    };
    let last = match drop.removeType {
        OBJECT_TABLE | OBJECT_VIEW | OBJECT_MATVIEW | OBJECT_SEQUENCE | OBJECT_INDEX => 0,
        OBJECT_TRIGGER | OBJECT_RULE | OBJECT_POLICY => 1, // the name of its own comes after the table's
        _ => return Vec::new(),
    };
    let names: Vec<_> = tree::nodes(drop.objects)
        .filter_map(|object| relation_in(object, last))
        .collect();
    let (there, missing): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|name| relation::existing(name).is_some());
    if there.is_empty() { missing } else { there }
}

fn commented(comment: &pg_sys::CommentStmt) -> Option<&'static pg_sys::RangeVar> {
    use ObjectType::*;
    let last = match comment.objtype {
        OBJECT_TABLE | OBJECT_VIEW | OBJECT_MATVIEW | OBJECT_SEQUENCE | OBJECT_INDEX => 0,
        OBJECT_COLUMN | OBJECT_TRIGGER | OBJECT_RULE | OBJECT_POLICY | OBJECT_TABCONSTRAINT => 1,
        _ => return None,
    };
    relation_in(comment.object, last)
}

/// The relation in a list of name parts of which the last ones are something else's.
fn relation_in(names: NodePtr, last: usize) -> Option<&'static pg_sys::RangeVar> {
    let parts: Vec<NodePtr> = match tree::tag(names)? {
        NodeTag::T_List => tree::nodes(names.cast()).collect(),
        _ => return None,
    };
    let parts = parts.get(..parts.len().checked_sub(last)?)?;
    // More than catalog, schema and name is an error, which the command itself raises.
    if parts.is_empty() || parts.len() > 3 {
        return None;
    }
    // SAFETY: a list of one to three String nodes; the result is a fresh node.
    tree::cast::<pg_sys::RangeVar, _>(unsafe {
        pg_sys::makeRangeVarFromNameList(tree::make_list(parts.iter().copied()))
    })
}

/// The schema of that name; invalid when there is none. Before it has temporary objects, a session's own schema for them is none.
pub fn schema(name: &str) -> pg_sys::Oid {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: a look-up that may find nothing.
    unsafe { pg_sys::LookupNamespaceNoError(name.as_ptr()) }
}

/// The target of CREATE TABLE AS, SELECT INTO and CREATE MATERIALIZED VIEW.
pub fn stored_into(statement: NodePtr) -> Option<&'static pg_sys::RangeVar> {
    let create = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement)?;
    let into = tree::cast::<pg_sys::IntoClause, _>(create.into)?;
    tree::cast::<pg_sys::RangeVar, _>(into.rel)
}

/// Whether PostgreSQL refuses the command inside a transaction block, or as a part of a prepared transaction.
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
    if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(statement) {
        return refresh.concurrent; // by means of a temporary table
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        return tree::list::<pg_sys::AlterTableCmd>(alter.cmds)
            .filter_map(|command| tree::cast::<pg_sys::PartitionCmd, _>(command.def))
            .any(|partition| partition.concurrent);
    }
    if let Some(cluster) = tree::cast::<pg_sys::ClusterStmt, _>(statement) {
        return cluster.relation.is_null() || is_partitioned(cluster.relation);
    }
    if let Some(reindex) = tree::cast::<pg_sys::ReindexStmt, _>(statement) {
        let single = [
            ReindexObjectType::REINDEX_OBJECT_INDEX,
            ReindexObjectType::REINDEX_OBJECT_TABLE,
        ];
        let concurrently = tree::list::<pg_sys::DefElem>(reindex.params)
            .any(|option| tree::string(option.defname) == "concurrently");
        return concurrently || !single.contains(&reindex.kind) || is_partitioned(reindex.relation);
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

fn is_partitioned(name: *const pg_sys::RangeVar) -> bool {
    let relation = tree::cast::<pg_sys::RangeVar, _>(name).and_then(relation::existing);
    relation.is_some_and(|relation| {
        // SAFETY: a catalogue look-up.
        let kind = unsafe { pg_sys::get_rel_relkind(relation) } as u8;
        [
            pg_sys::RELKIND_PARTITIONED_TABLE,
            pg_sys::RELKIND_PARTITIONED_INDEX,
        ]
        .contains(&kind)
    })
}
