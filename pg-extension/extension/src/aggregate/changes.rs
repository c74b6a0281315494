//! Commands that would take from a type what its label names: they rename, move, replace or drop it. They are refused, since the
//! values of such a type could not be read any more, and would be copied with their identities.

use super::family::Family;
use super::label;
use crate::error::Error;
use crate::hooks::utility::{self, Around, Command, Runner};
use pgrx::pg_sys::{self, NodeTag, ObjectType, Oid};

/// Subscribes to commands; called once when the library is loaded.
pub fn install() {
    utility::subscribe(Around { concerns, around });
}

fn concerns(command: &Command) -> bool {
    use ObjectType::{OBJECT_AGGREGATE, OBJECT_FUNCTION, OBJECT_ROUTINE};
    // SAFETY: the tags say what the nodes are; a plain read.
    unsafe {
        // Update scripts of extensions may take several steps, and pg_upgrade makes labels before what they name.
        if pg_sys::creating_extension || pg_sys::IsBinaryUpgrade {
            return false;
        }
        match command.tag() {
            NodeTag::T_DefineStmt => {
                let definition = &*command.node().cast::<pg_sys::DefineStmt>();
                definition.kind == OBJECT_AGGREGATE && definition.replace
            }
            // The type of states may be that of a table's rows.
            NodeTag::T_AlterObjectSchemaStmt
            | NodeTag::T_AlterTableStmt
            | NodeTag::T_DropOwnedStmt
            | NodeTag::T_ReassignOwnedStmt => true,
            NodeTag::T_AlterOwnerStmt => {
                let altered = (*command.node().cast::<pg_sys::AlterOwnerStmt>()).objectType;
                [OBJECT_AGGREGATE, OBJECT_FUNCTION, OBJECT_ROUTINE].contains(&altered)
            }
            NodeTag::T_RenameStmt => {
                let renamed = (*command.node().cast::<pg_sys::RenameStmt>()).renameType;
                NAMED.contains(&renamed)
            }
            NodeTag::T_DropStmt => {
                let dropped = (*command.node().cast::<pg_sys::DropStmt>()).removeType;
                NAMED.contains(&dropped) && !IS_RELATION.contains(&dropped)
            }
            _ => false,
        }
    }
}

/// What a label may name, or may name types by. Relations, too: each has a type of its rows, and is renamed by any of these commands.
const NAMED: [ObjectType::Type; 12] = [
    ObjectType::OBJECT_AGGREGATE,
    ObjectType::OBJECT_DOMAIN,
    ObjectType::OBJECT_FOREIGN_TABLE,
    ObjectType::OBJECT_FUNCTION,
    ObjectType::OBJECT_INDEX,
    ObjectType::OBJECT_MATVIEW,
    ObjectType::OBJECT_ROUTINE,
    ObjectType::OBJECT_SCHEMA,
    ObjectType::OBJECT_SEQUENCE,
    ObjectType::OBJECT_TABLE,
    ObjectType::OBJECT_TYPE,
    ObjectType::OBJECT_VIEW,
];

/// Of these, what takes no type with it that a label names: the row's type goes with what depends on it.
const IS_RELATION: [ObjectType::Type; 5] = [
    ObjectType::OBJECT_FOREIGN_TABLE,
    ObjectType::OBJECT_INDEX,
    ObjectType::OBJECT_MATVIEW,
    ObjectType::OBJECT_TABLE,
    ObjectType::OBJECT_VIEW,
];

fn around(command: &Command, run: Runner<'_>) {
    let whole: Vec<Family> = label::types_over_users_objects()
        .into_iter()
        .filter_map(|type_| usable(type_)?.ok())
        .collect();
    run(command);
    if whole.is_empty() {
        return;
    }
    // SAFETY: within a transaction; what the command has done becomes visible to the lookups.
    unsafe { pg_sys::CommandCounterIncrement() };
    for before in whole {
        let lost = match usable(before.type_) {
            None => None, // The type is gone as well.
            Some(Ok(now)) => (!before.has_states_of(&now)).then_some(Error::OtherStates),
            Some(Err(error)) => Some(error),
        };
        if let Some(error) = lost {
            let why = match error {
                Error::UnusableAggregate(why) => why,
                error => error.to_string(),
            };
            Error::TypeWouldLose(label::type_name(before.type_), why).raise();
        }
    }
}

/// A type that has a label, or why its values cannot be read. `None` if it has none.
fn usable(type_: Oid) -> Option<Result<Family, Error>> {
    let text = label::of_type(type_)?;
    let Some(functions) = label::Functions::named(&text) else {
        let names = format!("Its label names {}.", text.to_string_lossy());
        return Some(Err(Error::UnusableAggregate(names)));
    };
    Some(Family::over(type_, &functions).and_then(|family| {
        family.require_states()?;
        family.require_trust()?;
        Ok(family)
    }))
}
