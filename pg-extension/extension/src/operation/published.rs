//! Tables whose updates are published. A subscriber gets what is in a row, and knows nothing of slices: such a table keeps its values in
//! its rows, whatever `abelian.split` says, and what is split when a table becomes published is joined.
//!
//! Why nobody adds to a slice of a published table: every statement looks at its start, under its lock on the table. Whoever publishes a
//! table takes a lock against writers, so that those who have looked before have ended, and those who come later see the publication.

use super::joining;
use crate::boundary::functions;
use crate::catalog;
use crate::error::Error;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::object;
use crate::opened::Opened;
use pgrx::Spi;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::collections::BTreeSet;

/// Whether updates of the table are published. Raises what PostgreSQL's UPDATE raises where they could not be: 55000 without a replica
/// identity, 42P10 where a row filter or column list does not fit it.
///
/// # Safety
/// The relation must be open.
pub unsafe fn publishes_updates(relation: pg_sys::Relation) -> bool {
    // SAFETY: by the caller; the cache entry's description is made by the check, and read before anything can renew it.
    unsafe {
        let publishes = || {
            let known = (*relation).rd_pubdesc.as_ref();
            known.map(|known| known.pubactions.pubupdate)
        };
        if publishes() != Some(false) {
            functions::CheckCmdReplicaIdentity(relation, CmdType::CMD_UPDATE);
        }
        publishes() == Some(true)
    }
}

/// Has commands looked at that may publish a table; called once when the library is loaded.
pub fn install() {
    utility::subscribe(Around {
        concerns: |command| {
            matches!(
                command.tag(),
                NodeTag::T_CreatePublicationStmt | NodeTag::T_AlterPublicationStmt
            )
        },
        around: change_publication,
    });
    utility::subscribe(Around {
        concerns: |command| {
            matches!(
                command.tag(),
                NodeTag::T_AlterTableStmt | NodeTag::T_AlterObjectSchemaStmt
            )
        },
        around: alter_table,
    });
}

fn change_publication(command: &Command, change: Runner<'_>) {
    if catalog::find().is_none() {
        return change(command);
    }
    let before = published().unwrap_or_else(|error| error.raise());
    change(command);
    let joined = published().and_then(|after| join_all(after.difference(&before).copied()));
    joined.unwrap_or_else(|error| error.raise());
}

/// The command holds its lock on a table that it moves to where it is published (SET SCHEMA, ATTACH PARTITION, SET LOGGED), or whose rows
/// it lets be updated (REPLICA IDENTITY).
fn alter_table(command: &Command, alter: Runner<'_>) {
    alter(command);
    if catalog::find().is_none() {
        return;
    }
    let split = object::split_relations().unwrap_or_else(|error| error.raise());
    if !split.is_empty() {
        let joined =
            published().and_then(|published| join_all(published.intersection(&split).copied()));
        joined.unwrap_or_else(|error| error.raise());
    }
}

fn join_all(tables: impl Iterator<Item = u32>) -> Result<(), Error> {
    for table in tables {
        if let Some(opened) = Opened::open(table.into(), pg_sys::ShareRowExclusiveLock)
            && has_replica_identity(&opened)
        {
            joining::join(&opened)?;
        }
    }
    Ok(())
}

fn has_replica_identity(table: &Opened) -> bool {
    let is_full = table.class().relreplident as u8 == pg_sys::REPLICA_IDENTITY_FULL;
    // SAFETY: an open relation.
    is_full || unsafe { pg_sys::RelationGetReplicaIndex(table.relation()) } != Oid::INVALID
}

/// The tables with columns of types that are not PostgreSQL's own whose updates some publication publishes. Those without a replica identity
/// get none: they have nothing to join until they have one, and commands of others do not lock them. Takes no locks.
const PUBLISHED: &str = "
    SELECT c.oid FROM pg_catalog.pg_class c
    WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND c.relpersistence OPERATOR(pg_catalog.=) 'p'
      AND EXISTS (SELECT FROM pg_catalog.pg_attribute a
                  WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0
                    AND a.atttypid OPERATOR(pg_catalog.>=) 16384)
      AND (c.relreplident OPERATOR(pg_catalog.=) 'f'
        OR EXISTS (SELECT FROM pg_catalog.pg_index x
                   WHERE x.indrelid OPERATOR(pg_catalog.=) c.oid AND x.indisvalid
                     AND (x.indisreplident OR x.indisprimary AND c.relreplident OPERATOR(pg_catalog.=) 'd')))
      AND EXISTS (
        SELECT FROM pg_catalog.pg_publication p, LATERAL (
            SELECT c.oid, c.relnamespace
            UNION ALL
            SELECT above.oid, above.relnamespace FROM pg_catalog.pg_partition_ancestors(c.oid) ancestor
              JOIN pg_catalog.pg_class above ON above.oid OPERATOR(pg_catalog.=) ancestor.relid
            WHERE c.relispartition) named
        WHERE p.pubupdate AND (p.puballtables
          OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel r
                     WHERE r.prpubid OPERATOR(pg_catalog.=) p.oid AND r.prrelid OPERATOR(pg_catalog.=) named.oid)
          OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace n
                     WHERE n.pnpubid OPERATOR(pg_catalog.=) p.oid AND n.pnnspid OPERATOR(pg_catalog.=) named.relnamespace)))";

fn published() -> Result<BTreeSet<u32>, Error> {
    // Not read-only: what the command itself has changed is to be seen.
    let found = Spi::connect_mut(|client| {
        let rows = client.update(PUBLISHED, None, &[])?;
        rows.map(|row| row.get::<Oid>(1))
            .collect::<Result<Vec<_>, _>>()
    });
    let found = found.map_err(|error| Error::Internal(error.to_string()))?;
    Ok(found.into_iter().flatten().map(Oid::to_u32).collect())
}
