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
    use ObjectType::*;
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
            NodeTag::T_AlterObjectSchemaStmt => true,
            NodeTag::T_RenameStmt => {
                let renamed = (*command.node().cast::<pg_sys::RenameStmt>()).renameType;
                [
                    OBJECT_AGGREGATE,
                    OBJECT_DOMAIN,
                    OBJECT_FUNCTION,
                    OBJECT_ROUTINE,
                    OBJECT_SCHEMA,
                    OBJECT_SEQUENCE,
                    OBJECT_TABLE,
                    OBJECT_TYPE,
                ]
                .contains(&renamed)
            }
            NodeTag::T_DropStmt => {
                let dropped = (*command.node().cast::<pg_sys::DropStmt>()).removeType;
                [OBJECT_FUNCTION, OBJECT_ROUTINE, OBJECT_SEQUENCE].contains(&dropped)
            }
            _ => false,
        }
    }
}

fn around(command: &Command, run: Runner<'_>) {
    let whole: Vec<Oid> = label::labelled_types()
        .into_iter()
        .filter(|type_| lost(*type_).is_none())
        .collect();
    run(command);
    if whole.is_empty() {
        return;
    }
    // SAFETY: within a transaction; what the command has done becomes visible to the lookups.
    unsafe { pg_sys::CommandCounterIncrement() };
    if let Some(error) = whole.into_iter().find_map(lost) {
        error.raise();
    }
}

/// Why values of a type that has a label cannot be read.
fn lost(type_: Oid) -> Option<Error> {
    let text = label::of_type(type_)?;
    let why = match label::Functions::named(&text) {
        None => Some(format!("Its label names {}.", text.to_string_lossy())),
        Some(functions) => match Family::over(type_, &functions) {
            Err(Error::UnusableAggregate(why)) => Some(why),
            Err(error) => Some(error.to_string()),
            Ok(family) => family.require_states().err().map(|error| error.to_string()),
        },
    };
    why.map(|why| Error::TypeWouldLose(label::type_name(type_), why))
}
