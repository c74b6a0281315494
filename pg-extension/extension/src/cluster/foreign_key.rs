//! ALTER TABLE that adds a foreign key to rows that are there. Whether the placement allows it is asked when the command ends
//! (`abelian.is_local_foreign_key()`), but each node looks for its own rows before, and would say that some are missing which lie on another one.
//! So what cannot be right is refused before.

use super::analysis::relation::{self, Relation};
use super::analysis::tree::{self, NodePtr};
use super::postgres;
use super::procedure::placements::{self, Home};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, AlterTableType, ConstrType, Oid};

/// Raises 0A000 if the router's command adds a foreign key on a distributed table to rows that lie elsewhere.
pub fn check(command: NodePtr) {
    let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(command) else {
        return;
    };
    let added = tree::list::<pg_sys::AlterTableCmd>(alter.cmds)
        .filter(|command| command.subtype == AlterTableType::AT_AddConstraint)
        .filter_map(|command| tree::cast::<pg_sys::Constraint, _>(command.def))
        .filter(|constraint| constraint.contype == ConstrType::CONSTR_FOREIGN);
    for constraint in added {
        let child = existing(alter.relation);
        let parent = existing(constraint.pktable);
        if let (Some(child), Some(parent)) = (child, parent)
            && crosses(child, parent, constraint)
        {
            refuse(child, parent);
        }
    }
}

fn existing(name: *mut pg_sys::RangeVar) -> Option<Oid> {
    tree::cast::<pg_sys::RangeVar, _>(name).and_then(relation::existing)
}

fn crosses(child: Oid, parent: Oid, constraint: &pg_sys::Constraint) -> bool {
    let is_distributed = matches!(placements::home(parent), Home::Distributed(_));
    if placements::first_of_several().is_none() || !is_distributed || constraint.skip_validation {
        return false;
    }
    let relation = Relation::new(child, 0);
    match relation.spreading() {
        None => postgres::has_rows(child),
        Some(spreading) => {
            let columns = tree::strings(constraint.fk_attrs);
            let mut keys = spreading.columns.iter();
            !keys.all(|(attribute, _)| columns.contains(&relation.column_name(*attribute)))
        }
    }
}

fn refuse(child: Oid, parent: Oid) -> ! {
    let error = {
        // SAFETY: the names of relations that exist.
        let name = |table| unsafe { tree::string(pg_sys::get_rel_name(table)) };
        PostgresError::unsupported(
            &format!(
                "a foreign key of table \"{}\" on table \"{}\" would cross nodes",
                name(child),
                name(parent)
            ),
            "A foreign key may refer to a reference table, or map the distribution columns to those of a colocated table.",
        )
    };
    error.raise()
}
