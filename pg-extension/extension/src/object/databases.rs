//! Commands on databases that need a database for themselves, as far as can be told before they run: the folding worker of that
//! database leaves it first. Not for somebody who may not do it: nobody shall keep it away from its work.

use crate::hooks::utility::Command;
use crate::owner;
use pgrx::pg_sys::{self, NodeTag, Oid};
use std::ffi::{CStr, c_char};

/// What a command on databases needs for itself.
pub enum Needs {
    /// This one.
    One(Oid),
    /// None, or it will fail.
    None,
}

/// Whether a command is one on databases.
pub fn concerns(command: &Command) -> bool {
    match command.tag() {
        NodeTag::T_CreatedbStmt | NodeTag::T_DropdbStmt | NodeTag::T_AlterDatabaseStmt => true,
        // SAFETY: the node is of the type its tag says.
        NodeTag::T_RenameStmt => unsafe {
            (*command.node().cast::<pg_sys::RenameStmt>()).renameType
                == pg_sys::ObjectType::OBJECT_DATABASE
        },
        _ => false,
    }
}

/// What one of them needs.
///
/// # Safety
/// `statement` must be a command's node.
pub unsafe fn needs(statement: *mut pg_sys::Node) -> Needs {
    // SAFETY: the node is of the type its tag says.
    unsafe {
        match (*statement).type_ {
            NodeTag::T_CreatedbStmt => copied(statement.cast()),
            NodeTag::T_DropdbStmt => owned((*statement.cast::<pg_sys::DropdbStmt>()).dbname),
            NodeTag::T_AlterDatabaseStmt => {
                let alter = statement.cast::<pg_sys::AlterDatabaseStmt>();
                match option((*alter).options, c"tablespace") {
                    Some(_) => owned((*alter).dbname),
                    None => Needs::None,
                }
            }
            NodeTag::T_RenameStmt => {
                let rename = statement.cast::<pg_sys::RenameStmt>();
                match (*rename).renameType {
                    pg_sys::ObjectType::OBJECT_DATABASE => owned((*rename).subname),
                    _ => Needs::None,
                }
            }
            _ => Needs::None,
        }
    }
}

/// The template must have no other users while it is copied.
unsafe fn copied(create: *mut pg_sys::CreatedbStmt) -> Needs {
    // SAFETY: by the caller; lookups by name.
    unsafe {
        let template = option((*create).options, c"template");
        let name = template.map_or(c"template1".as_ptr(), |given| {
            pg_sys::defGetString(given).cast_const()
        });
        match pg_sys::get_database_oid(name, true) {
            Oid::INVALID => Needs::None,
            _ if !may_create_databases() => Needs::None,
            template => Needs::One(template),
        }
    }
}

unsafe fn owned(name: *const c_char) -> Needs {
    // SAFETY: by the caller; lookups by name and identifier.
    unsafe {
        let database = pg_sys::get_database_oid(name, true);
        match database != Oid::INVALID && owner::is_own_database(database) {
            true => Needs::One(database),
            false => Needs::None,
        }
    }
}

fn may_create_databases() -> bool {
    let cache = pg_sys::SysCacheIdentifier::AUTHOID as i32;
    // SAFETY: a syscache lookup; the row is released.
    unsafe {
        if pg_sys::superuser() {
            return true;
        }
        let row = pg_sys::SearchSysCache1(cache, pg_sys::GetUserId().into());
        if row.is_null() {
            return false;
        }
        let may = (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_authid>()).rolcreatedb;
        pg_sys::ReleaseSysCache(row);
        may
    }
}

/// The option of this name, if it is given a value.
unsafe fn option(options: *mut pg_sys::List, name: &CStr) -> Option<*mut pg_sys::DefElem> {
    // SAFETY: by the caller: a list of DefElem nodes.
    unsafe {
        (0..pg_sys::list_length(options))
            .map(|n| pg_sys::list_nth(options, n).cast::<pg_sys::DefElem>())
            .find(|option| CStr::from_ptr((**option).defname) == name && !(**option).arg.is_null())
    }
}
