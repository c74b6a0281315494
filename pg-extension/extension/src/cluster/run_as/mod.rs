//! What recovery runs for others, in their roles: the operations of an intent (`operations`), the call of a fragment (`call`).
//!
//! The texts come from records that sessions of these roles have written. They run in a context that they cannot leave, as the body of a
//! SECURITY DEFINER function does: the role is PostgreSQL's current user, and SET ROLE is refused. What such a text may leave behind for
//! the router's own statements goes with it: settings, and advisory locks of the session, are given back; deferred triggers are fired
//! while the role still holds; commands that prepare, declare or listen are refused. PostgreSQL's security-restricted operation does
//! the same, but refuses deferred triggers, which such calls may have.

mod call;
mod operations;

use super::analysis::tree;
use super::{hooks, procedure};
use crate::boundary::{self, PostgresError, functions};
use crate::error::Error;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, NodeTag, Oid};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How many texts of others enclose the current point: one at most, as they cannot call what runs them.
static INSIDE: AtomicU32 = AtomicU32::new(0);

/// Whether something runs here for another role.
pub fn is_inside() -> bool {
    INSIDE.load(Relaxed) > 0
}

/// Counts while it lives.
struct Inside;

impl Inside {
    fn enter() -> Inside {
        INSIDE.fetch_add(1, Relaxed);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Relaxed);
    }
}

/// Does the work as that role, of which the session's user must be a member. After an error the transaction, or subtransaction, must be
/// rolled back, which ends the role as well.
fn run_as(role: &CStr, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
    let role = member(role)?;
    let _inside = Inside::enter();
    // SAFETY: what PostgreSQL itself does around a function that is SECURITY DEFINER, and around VACUUM of another's table.
    unsafe {
        let (mut user, mut context) = (Oid::INVALID, 0);
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        let level = functions::NewGUCNestLevel();
        let within = context | pg_sys::SECURITY_LOCAL_USERID_CHANGE as i32;
        pg_sys::SetUserIdAndSecContext(role, within);
        work()?;
        hooks::fire_deferred();
        procedure::end_statement().map_err(Error::Postgres)?;
        pg_sys::SetUserIdAndSecContext(user, context);
        functions::AtEOXact_GUC(false, level);
        pg_sys::LockReleaseSession(pg_sys::USER_LOCKMETHOD as u16);
    }
    Ok(())
}

fn member(name: &CStr) -> Result<Oid, Error> {
    // SAFETY: catalogue look-ups; an unknown role is an error.
    unsafe {
        let role = pg_sys::get_role_oid(name.as_ptr(), false);
        let router = pg_sys::GetSessionUserId();
        match pg_sys::is_member_of_role(router, role) {
            true => Ok(role),
            false => Err(Error::NotAMember(format!(
                "{} is no member of {}.",
                name_of(router),
                name.to_string_lossy()
            ))),
        }
    }
}

fn name_of(role: Oid) -> String {
    // SAFETY: the name of an existing role is palloc'd.
    let name = unsafe { CStr::from_ptr(pg_sys::GetUserNameFromId(role, false)) };
    name.to_string_lossy().into_owned()
}

/// Runs one statement, which was looked at before.
fn execute(
    text: &CStr,
    types: &mut [Oid],
    values: &mut [Option<pg_sys::Datum>],
) -> Result<(), PostgresError> {
    let nulls: Vec<u8> = values
        .iter()
        .map(|value| if value.is_none() { b'n' } else { b' ' })
        .chain([0])
        .collect();
    let mut datums: Vec<pg_sys::Datum> = values
        .iter()
        .map(|value| value.unwrap_or(pg_sys::Datum::null()))
        .collect();
    let (count, types, datums, nulls) = (
        types.len() as i32,
        types.as_mut_ptr(),
        datums.as_mut_ptr(),
        nulls.as_ptr(),
    );
    // SAFETY: the arrays have as many elements as parameters; SPI is left again, by PostgreSQL itself after an error.
    unsafe {
        boundary::caught(|| {
            functions::SPI_connect();
            let plan = functions::SPI_prepare(text.as_ptr(), count, types);
            functions::SPI_execute_plan(plan, datums, nulls.cast(), false, 0);
            functions::SPI_finish();
        })
    }
}

/// EXPLAIN ANALYZE runs what it explains, past all that looks at commands.
pub fn explains_a_command(statement: *mut pg_sys::Node) -> bool {
    tree::cast::<pg_sys::ExplainStmt, _>(statement)
        .and_then(|explain| tree::cast::<pg_sys::Query, _>(explain.query))
        .is_some_and(|query| query.commandType == pg_sys::CmdType::CMD_UTILITY)
}

/// Refuses commands whose effect outlives the text, in the router's own session. Calls of procedures are held to less by
/// [`super::procedure::check_command`].
pub fn check_command(statement: *mut pg_sys::Node) {
    use NodeTag::*;
    // SAFETY: every node starts with its tag.
    let harmless = matches!(
        unsafe { (*statement).type_ },
        T_CallStmt
            | T_DoStmt
            | T_ExplainStmt
            | T_VariableSetStmt
            | T_VariableShowStmt
            | T_ConstraintsSetStmt
            | T_FetchStmt
            | T_ClosePortalStmt
            | T_NotifyStmt
    );
    if harmless && !explains_a_command(statement) {
        return;
    }
    let error = PostgresError::made(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE as i32,
        "this command cannot run for another role",
        "A router completes the transaction of a role; what would outlive it there is refused.",
        None,
    );
    error.raise()
}
