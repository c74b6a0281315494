//! Serial and identity columns that ALTER TABLE adds to a distributed table: PostgreSQL makes the sequence and numbers the rows at once, so the
//! sequence must count as on this node from its beginning. What does not fit the rules of such sequences is left as it is, and refused when the
//! command ends (`abelian.divide_sequences()`).

use super::analysis::tree;
use super::procedure::placements::{self, Home};
use super::schema_change;
use crate::hooks;
use crate::hooks::utility::Command;
use pgrx::pg_sys::{self, AlterTableType, Oid};
use std::cell::Cell;

thread_local! {
    /// How many commands enclose what the running one makes for such a column; 0 when it adds none.
    static ADDS: Cell<u32> = const { Cell::new(0) };
}

/// A command of the client's starts, or one of a DO block that every node runs.
pub fn command_starts(command: tree::NodePtr) {
    let adds = tree::cast::<pg_sys::AlterTableStmt, _>(command).is_some_and(adds_to_distributed);
    ADDS.set(if adds { hooks::commands() + 1 } else { 0 });
}

fn adds_to_distributed(alter: &pg_sys::AlterTableStmt) -> bool {
    let commands = || tree::list::<pg_sys::AlterTableCmd>(alter.cmds);
    let adds = commands().any(|command| command.subtype == AlterTableType::AT_AddColumn);
    // That of a distribution column counts on the first node alone.
    let alters = commands().any(|command| command.subtype == AlterTableType::AT_AddIdentity);
    let table = tree::cast::<pg_sys::RangeVar, _>(alter.relation)
        .filter(|_| adds && !alters)
        .and_then(super::analysis::relation::existing);
    table.is_some_and(|table| matches!(placements::home(table), Home::Distributed(_)))
}

/// The statement that makes the sequence of such a column, counting in steps from this node's number; `None` for any other.
pub fn divided(command: &Command) -> Option<*mut pg_sys::PlannedStmt> {
    let is_part = command.context() == pg_sys::ProcessUtilityContext::PROCESS_UTILITY_SUBCOMMAND;
    if !is_part || ADDS.get() != hooks::commands() {
        return None;
    }
    let sequence = tree::cast::<pg_sys::CreateSeqStmt, _>(command.node())?;
    let steps = Steps::of(sequence)?;
    let copy = tree::copy(command.statement());
    // SAFETY: a copy of a planned CREATE SEQUENCE.
    unsafe {
        let sequence = (*copy).utilityStmt.cast::<pg_sys::CreateSeqStmt>();
        let others = tree::list::<pg_sys::DefElem>((*sequence).options)
            .filter(|option| tree::string(option.defname) != "start")
            .map(|option| std::ptr::from_ref(option).cast_mut().cast());
        let own = [
            number(c"increment", steps.stride),
            number(c"start", steps.start),
        ];
        (*sequence).options = tree::make_list(others.chain(own));
    }
    Some(copy)
}

/// How the sequence counts here.
struct Steps {
    start: i32,
    stride: i32,
}

impl Steps {
    /// The strides are those of `abelian.divide_sequences()`.
    fn of(sequence: &pg_sys::CreateSeqStmt) -> Option<Steps> {
        let mut type_ = pg_sys::INT8OID;
        let mut start = 1;
        for option in tree::list::<pg_sys::DefElem>(sequence.options) {
            let value = std::ptr::from_ref(option).cast_mut();
            // SAFETY: options of PostgreSQL's grammar; a value that is none raises its error, as it would later.
            match tree::string(option.defname).as_str() {
                "as" => type_ = unsafe { type_named(pg_sys::defGetTypeName(value)) },
                "start" => start = unsafe { pg_sys::defGetInt64(value) },
                "increment" | "minvalue" | "cycle" | "restart" => return None,
                _ => {}
            }
        }
        let stride = match type_ {
            pg_sys::INT8OID => 1024,
            pg_sys::INT4OID => 64,
            pg_sys::INT2OID => 16,
            _ => return None,
        };
        let node = schema_change::this_node();
        let start = start.checked_add(i64::from(node) - 1)?;
        (1..=stride).contains(&node).then_some(Steps {
            start: i32::try_from(start).ok()?,
            stride,
        })
    }
}

/// # Safety
/// A type's name.
unsafe fn type_named(name: *mut pg_sys::TypeName) -> Oid {
    // SAFETY: by the caller; a look-up that may find none.
    unsafe { pg_sys::LookupTypeNameOid(std::ptr::null_mut(), name, true) }
}

fn number(name: &std::ffi::CStr, value: i32) -> tree::NodePtr {
    // SAFETY: makes a node with a copy of the name, in the current context.
    unsafe {
        let name = pg_sys::pstrdup(name.as_ptr());
        pg_sys::makeDefElem(name, pg_sys::makeInteger(value).cast(), -1).cast()
    }
}
