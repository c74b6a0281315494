//! What commands that define objects are about: the relations that they name, and whether PostgreSQL runs them only outside a transaction
//! block. Other objects that are temporary are `temporary`'s.

use super::relation;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, DiscardMode, NodeTag, ObjectType, ReindexObjectType};

/// What a command names.
#[derive(Default)]
pub struct Named {
    /// The relations that it creates, changes or drops.
    pub changed: Vec<&'static pg_sys::RangeVar>,
    /// Those that it only refers to.
    pub used: Vec<&'static pg_sys::RangeVar>,
    /// It is about large objects, which lie on one node.
    pub large_object: bool,
}

impl Named {
    fn change(&mut self, name: *const pg_sys::RangeVar) {
        self.changed.extend(tree::cast::<pg_sys::RangeVar, _>(name));
    }

    fn refer(&mut self, name: *const pg_sys::RangeVar) {
        self.used.extend(tree::cast::<pg_sys::RangeVar, _>(name));
    }

    fn change_all(&mut self, names: *const pg_sys::List) {
        self.changed.extend(tree::list::<pg_sys::RangeVar>(names));
    }

    /// What does not exist is left out, unless nothing does: so the rest says where the command belongs.
    fn forget_missing(&mut self) {
        let is_there = |name: &&pg_sys::RangeVar| relation::existing(name).is_some();
        if self.changed.iter().any(is_there) {
            self.changed.retain(is_there);
        }
    }

    /// An object as commands name it that know many kinds.
    fn object(&mut self, kind: ObjectType::Type, object: NodePtr) {
        use ObjectType::*;
        match (kind, tree::tag(object)) {
            (
                OBJECT_TABLE | OBJECT_VIEW | OBJECT_MATVIEW | OBJECT_SEQUENCE | OBJECT_INDEX
                | OBJECT_FOREIGN_TABLE,
                Some(NodeTag::T_List),
            ) => self.change(range_var(object.cast(), 0)),
            (_, Some(NodeTag::T_RangeVar)) => self.change(object.cast()),
            (
                OBJECT_COLUMN | OBJECT_TABCONSTRAINT | OBJECT_TRIGGER | OBJECT_RULE | OBJECT_POLICY,
                Some(NodeTag::T_List),
            ) => self.change(range_var(object.cast(), 1)),
            (OBJECT_LARGEOBJECT, _) => self.large_object = true,
            _ => {}
        }
    }
}

/// The relation that a list of names means, so many at the end being something else.
fn range_var(names: *mut pg_sys::List, behind: usize) -> *const pg_sys::RangeVar {
    let all: Vec<NodePtr> = tree::nodes(names).collect();
    match all.len().checked_sub(behind) {
        None | Some(0) => std::ptr::null(),
        // SAFETY: a list of one to three String nodes; longer ones raise PostgreSQL's own error.
        Some(count) => unsafe {
            pg_sys::makeRangeVarFromNameList(tree::make_list(all.into_iter().take(count)))
        },
    }
}

/// What a command names.
pub fn named(statement: NodePtr) -> Named {
    let mut named = Named::default();
    relation_commands(statement, &mut named);
    object_commands(statement, &mut named);
    named
}

/// Whether a command is a DROP ... IF EXISTS of relations that are not there.
pub fn drops_nothing(statement: NodePtr) -> bool {
    let may_miss = tree::cast::<pg_sys::DropStmt, _>(statement).is_some_and(|drop| drop.missing_ok);
    let names = named(statement).changed;
    let mut there = names.iter().map(|name| relation::existing(name));
    may_miss && !names.is_empty() && there.all(|found| found.is_none())
}

/// Commands about one kind of relation.
fn relation_commands(statement: NodePtr, named: &mut Named) {
    if let Some(create) = tree::cast::<pg_sys::CreateStmt, _>(statement) {
        table(create, named);
    } else if let Some(create) = tree::cast::<pg_sys::CreateForeignTableStmt, _>(statement) {
        table(&create.base, named);
    } else if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        named.change(alter.relation);
        for command in tree::list::<pg_sys::AlterTableCmd>(alter.cmds) {
            named.refer(attached(command));
        }
    } else if let Some(index) = tree::cast::<pg_sys::IndexStmt, _>(statement) {
        named.change(index.relation);
    } else if let Some(view) = tree::cast::<pg_sys::ViewStmt, _>(statement) {
        named.change(view.view);
    } else if let Some(create) = tree::cast::<pg_sys::CreateSeqStmt, _>(statement) {
        named.change(create.sequence);
        named.refer(owner(create.options));
    } else if let Some(alter) = tree::cast::<pg_sys::AlterSeqStmt, _>(statement) {
        named.change(alter.sequence);
        named.refer(owner(alter.options));
    } else if let Some(trigger) = tree::cast::<pg_sys::CreateTrigStmt, _>(statement) {
        named.change(trigger.relation);
        named.refer(trigger.constrrel);
    } else if let Some(rule) = tree::cast::<pg_sys::RuleStmt, _>(statement) {
        named.change(rule.relation);
    } else if let Some(policy) = tree::cast::<pg_sys::CreatePolicyStmt, _>(statement) {
        named.change(policy.table);
    } else if let Some(policy) = tree::cast::<pg_sys::AlterPolicyStmt, _>(statement) {
        named.change(policy.table);
    } else if let Some(statistics) = tree::cast::<pg_sys::CreateStatsStmt, _>(statement) {
        named.change_all(statistics.relations);
    } else if let Some(cluster) = tree::cast::<pg_sys::ClusterStmt, _>(statement) {
        named.change(cluster.relation);
    } else if let Some(reindex) = tree::cast::<pg_sys::ReindexStmt, _>(statement) {
        named.change(reindex.relation);
    } else if let Some(vacuum) = tree::cast::<pg_sys::VacuumStmt, _>(statement) {
        for relation in tree::list::<pg_sys::VacuumRelation>(vacuum.rels) {
            named.change(relation.relation);
        }
    } else if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(statement) {
        named.change(refresh.relation);
    } else if let Some(create) = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement)
        && let Some(into) = tree::cast::<pg_sys::IntoClause, _>(create.into)
    {
        named.change(into.rel);
    } else if let Some(composite) = tree::cast::<pg_sys::CompositeTypeStmt, _>(statement) {
        named.change(composite.typevar);
    }
}

/// A table with what it refers to: parents, tables whose columns it takes over, foreign keys.
fn table(create: &'static pg_sys::CreateStmt, named: &mut Named) {
    named.change(create.relation);
    for parent in tree::list::<pg_sys::RangeVar>(create.inhRelations) {
        named.used.push(parent);
    }
    let constraints = |list: *const pg_sys::List, named: &mut Named| {
        for constraint in tree::list::<pg_sys::Constraint>(list) {
            named.refer(constraint.pktable);
        }
    };
    constraints(create.tableElts, named);
    for element in tree::nodes(create.tableElts) {
        if let Some(like) = tree::cast::<pg_sys::TableLikeClause, _>(element) {
            named.refer(like.relation);
        } else if let Some(column) = tree::cast::<pg_sys::ColumnDef, _>(element) {
            constraints(column.constraints, named);
        }
    }
}

/// The other table of ATTACH, DETACH, INHERIT and ADD FOREIGN KEY; null for none.
fn attached(command: &pg_sys::AlterTableCmd) -> *const pg_sys::RangeVar {
    if let Some(partition) = tree::cast::<pg_sys::PartitionCmd, _>(command.def) {
        return partition.name;
    }
    if let Some(constraint) = tree::cast::<pg_sys::Constraint, _>(command.def) {
        return constraint.pktable;
    }
    tree::cast::<pg_sys::RangeVar, _>(command.def).map_or(std::ptr::null(), std::ptr::from_ref)
}

/// The table of OWNED BY; null for none.
fn owner(options: *const pg_sys::List) -> *const pg_sys::RangeVar {
    tree::list::<pg_sys::DefElem>(options)
        .find(|option| tree::string(option.defname) == "owned_by")
        .map_or(std::ptr::null(), |option| range_var(option.arg.cast(), 1))
}

/// Commands that know many kinds of objects, or other kinds than relations.
fn object_commands(statement: NodePtr, named: &mut Named) {
    if let Some(drop) = tree::cast::<pg_sys::DropStmt, _>(statement) {
        tree::nodes(drop.objects).for_each(|object| named.object(drop.removeType, object));
        named.forget_missing();
    } else if let Some(rename) = tree::cast::<pg_sys::RenameStmt, _>(statement) {
        named.change(rename.relation);
        named.object(rename.renameType, rename.object);
    } else if let Some(alter) = tree::cast::<pg_sys::AlterObjectSchemaStmt, _>(statement) {
        named.change(alter.relation);
        named.object(alter.objectType, alter.object);
    } else if let Some(alter) = tree::cast::<pg_sys::AlterObjectDependsStmt, _>(statement) {
        named.change(alter.relation);
    } else if let Some(alter) = tree::cast::<pg_sys::AlterOwnerStmt, _>(statement) {
        named.change(alter.relation);
        named.object(alter.objectType, alter.object);
    } else if let Some(comment) = tree::cast::<pg_sys::CommentStmt, _>(statement) {
        named.object(comment.objtype, comment.object);
    } else if let Some(label) = tree::cast::<pg_sys::SecLabelStmt, _>(statement) {
        named.object(label.objtype, label.object);
    } else if let Some(grant) = tree::cast::<pg_sys::GrantStmt, _>(statement) {
        tree::nodes(grant.objects).for_each(|object| named.object(grant.objtype, object));
    }
}

/// Whether the command may compute a value for rows that are there: of a new column, or of one that gets another type.
pub fn gives_rows_values(statement: NodePtr) -> bool {
    use pg_sys::AlterTableType;
    tree::cast::<pg_sys::AlterTableStmt, _>(statement).is_some_and(|alter| {
        tree::list::<pg_sys::AlterTableCmd>(alter.cmds).any(|command| {
            matches!(
                command.subtype,
                AlterTableType::AT_AddColumn | AlterTableType::AT_AlterColumnType
            )
        })
    })
}

/// The password that a command gives to a role, as it stands there.
pub fn password(statement: NodePtr) -> Option<&'static pg_sys::String> {
    let options = match tree::tag(statement)? {
        NodeTag::T_CreateRoleStmt => tree::cast::<pg_sys::CreateRoleStmt, _>(statement)?.options,
        _ => tree::cast::<pg_sys::AlterRoleStmt, _>(statement)?.options,
    };
    let option = tree::list::<pg_sys::DefElem>(options)
        .find(|option| tree::string(option.defname) == "password")?;
    tree::cast(option.arg)
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
    if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(statement) {
        return refresh.concurrent; // by means of a temporary table
    }
    if let Some(cluster) = tree::cast::<pg_sys::ClusterStmt, _>(statement) {
        return cluster.relation.is_null() || is_partitioned(cluster.relation);
    }
    if let Some(reindex) = tree::cast::<pg_sys::ReindexStmt, _>(statement) {
        return reindexes_by_itself(reindex);
    }
    if let Some(discard) = tree::cast::<pg_sys::DiscardStmt, _>(statement) {
        return discard.target == DiscardMode::DISCARD_ALL;
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(statement) {
        return tree::list::<pg_sys::AlterTableCmd>(alter.cmds).any(detaches_concurrently);
    }
    if let Some(alter) = tree::cast::<pg_sys::AlterDatabaseStmt, _>(statement) {
        return tree::list::<pg_sys::DefElem>(alter.options)
            .any(|option| tree::string(option.defname) == "tablespace");
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

fn reindexes_by_itself(reindex: &pg_sys::ReindexStmt) -> bool {
    let single = [
        ReindexObjectType::REINDEX_OBJECT_INDEX,
        ReindexObjectType::REINDEX_OBJECT_TABLE,
    ];
    let concurrently = tree::list::<pg_sys::DefElem>(reindex.params)
        .any(|option| tree::string(option.defname) == "concurrently");
    concurrently || !single.contains(&reindex.kind) || is_partitioned(reindex.relation)
}

fn detaches_concurrently(command: &pg_sys::AlterTableCmd) -> bool {
    tree::cast::<pg_sys::PartitionCmd, _>(command.def).is_some_and(|partition| partition.concurrent)
}

/// A partitioned table or index.
fn is_partitioned(name: *const pg_sys::RangeVar) -> bool {
    tree::cast::<pg_sys::RangeVar, _>(name)
        .and_then(relation::existing)
        .is_some_and(|oid| {
            // SAFETY: a catalogue look-up.
            let kind = unsafe { pg_sys::get_rel_relkind(oid) } as u8;
            kind == pg_sys::RELKIND_PARTITIONED_TABLE || kind == pg_sys::RELKIND_PARTITIONED_INDEX
        })
}
