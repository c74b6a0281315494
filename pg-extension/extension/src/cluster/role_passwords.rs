//! Passwords of roles in commands that every node runs. PostgreSQL stores a password that it gets in clear as a SCRAM verifier with a salt that it
//! draws, so each node would have another one. But what a client proves by one node's verifier must be good for the others. So each
//! makes the same verifier: its salt follows from the moment of the command, which a router tells all nodes ([`super::shared_clock`]).

use super::analysis::definition;
use super::analysis::tree::{self, NodePtr};
use super::placement::hash_of_bytes;
use super::{refused, shared_clock};
use crate::compat::scram;
use crate::hooks::utility::Command;
use pgrx::pg_sys::{self, PasswordType};
use std::ffi::CStr;

const CHECKED: &str = "the nodes check passwords, and would store different verifiers for this one";
const SEND_A_VERIFIER: &str =
    "Give a verifier in place of the password, as \\password of psql does.";

/// What this node runs in the place of a command that gives a role a password in clear; `None` for the command as it is.
pub fn adapted(command: &Command) -> Option<*mut pg_sys::PlannedStmt> {
    if !shared_clock::is_shared() || !is_clear(definition::password(command.node())?) {
        return None;
    }
    // SAFETY: plain read of a variable that libraries set when they are loaded.
    if unsafe { pg_sys::check_password_hook }.is_some() {
        refused::raise(CHECKED, SEND_A_VERIFIER); // It would be asked about the verifier.
    }
    let copy = tree::copy(command.statement());
    // SAFETY: a copy of a planned command.
    let node = unsafe { (*copy).utilityStmt };
    let password = std::ptr::from_ref(definition::password(node)?).cast_mut();
    // SAFETY: a node of the copy with a C string; the new one lives as long.
    unsafe {
        let verifier = scram::verifier(CStr::from_ptr((*password).sval), &salt(node));
        (*password).sval = pg_sys::pstrdup(verifier.as_ptr());
    }
    Some(copy)
}

/// Whether PostgreSQL would draw a salt for it. An empty password is none.
fn is_clear(password: &pg_sys::String) -> bool {
    // SAFETY: a C string of the tree, and a plain read of a setting.
    unsafe {
        !CStr::from_ptr(password.sval).is_empty()
            && pg_sys::get_password_type(password.sval) == PasswordType::PASSWORD_TYPE_PLAINTEXT
            && pg_sys::Password_encryption as u32 == PasswordType::PASSWORD_TYPE_SCRAM_SHA_256
    }
}

/// The moment, and the role's name: a salt must be another for each password that is stored, and may be known.
fn salt(command: NodePtr) -> [u8; scram::SALT_LENGTH] {
    let name = match tree::cast::<pg_sys::CreateRoleStmt, _>(command) {
        Some(create) => tree::string(create.role),
        None => tree::cast::<pg_sys::AlterRoleStmt, _>(command)
            .and_then(|alter| tree::cast::<pg_sys::RoleSpec, _>(alter.role))
            .map_or_else(String::new, |role| tree::string(role.rolename)),
    };
    let mut salt = [0; scram::SALT_LENGTH];
    let (moment, role) = salt.split_at_mut(8);
    moment.copy_from_slice(&shared_clock::statement().to_be_bytes());
    role.copy_from_slice(&hash_of_bytes(name.as_bytes()).to_be_bytes());
    salt
}
