//! Commands on databases that need a database for themselves, as far as can be told before they run: the folding worker of that
//! database leaves it first. Not for somebody who may not do it: nobody shall keep it away from its work.

use pgrx::pg_sys::{self, NodeTag, Oid};
use std::ffi::{CStr, c_char};

/// What a command does to databases.
pub enum Command {
    /// Nothing.
    Other,
    /// It needs this one for itself.
    Needs(Oid),
    /// It needs none, or will fail.
    Harmless,
}

/// # Safety
/// `statement` must be a utility statement.
pub unsafe fn command(statement: *mut pg_sys::Node) -> Command {
    // SAFETY: the node is of the type its tag says.
    unsafe {
        match (*statement).type_ {
            NodeTag::T_CreatedbStmt => copied(statement.cast()),
            NodeTag::T_DropdbStmt => owned((*statement.cast::<pg_sys::DropdbStmt>()).dbname),
            NodeTag::T_AlterDatabaseStmt => {
                let alter = statement.cast::<pg_sys::AlterDatabaseStmt>();
                match option((*alter).options, c"tablespace") {
                    Some(_) => owned((*alter).dbname),
                    None => Command::Harmless,
                }
            }
            NodeTag::T_RenameStmt => {
                let rename = statement.cast::<pg_sys::RenameStmt>();
                match (*rename).renameType {
                    pg_sys::ObjectType::OBJECT_DATABASE => owned((*rename).subname),
                    _ => Command::Other,
                }
            }
            _ => Command::Other,
        }
    }
}

/// The template must have no other users while it is copied.
unsafe fn copied(create: *mut pg_sys::CreatedbStmt) -> Command {
    // SAFETY: by the caller; lookups by name.
    unsafe {
        let template = option((*create).options, c"template");
        let name = template.map_or(c"template1".as_ptr(), |given| {
            pg_sys::defGetString(given).cast_const()
        });
        match pg_sys::get_database_oid(name, true) {
            Oid::INVALID => Command::Harmless,
            _ if !may_create_databases() => Command::Harmless,
            template => Command::Needs(template),
        }
    }
}

unsafe fn owned(name: *const c_char) -> Command {
    // SAFETY: by the caller; lookups by name and identifier.
    unsafe {
        let database = pg_sys::get_database_oid(name, true);
        let is_owner = database != Oid::INVALID
            && pg_sys::pg_database_ownercheck(database, pg_sys::GetUserId());
        match is_owner {
            true => Command::Needs(database),
            false => Command::Harmless,
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
