//! The number that an identity column gives a row, drawn before the row is inserted: it decides where the row lies.

use super::postgres;
use crate::boundary::PostgresError;
use crate::compat;
use crate::error::Error;
use crate::object;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};

pg_function!(
    /// `abelian.identity_value(relation, column)`, for whoever may insert into it, as PostgreSQL has it: the privilege on the sequence does not
    /// matter.
    fn abelian_identity_value(call) {
        let table = Oid::from(call.arg(0).value() as u32);
        // SAFETY: the second argument is declared as text, the function as STRICT.
        let name = unsafe { postgres::text_argument(call.arg(1)) };
        // SAFETY: a catalogue look-up.
        let column = unsafe { pg_sys::get_attnum(table, name.as_ptr()) };
        if column <= 0 || !postgres::may_insert(table, column) {
            return Err(refused(table));
        }
        let sequence = compat::identity_sequence(table, column);
        if sequence == Oid::INVALID {
            return Err(refused(table));
        }
        // SAFETY: a sequence, as PostgreSQL has just said.
        Ok(Datum::from(unsafe { object::nextval(sequence) }))
    }
);

/// As an INSERT is refused, also of what is no identity column: nothing is told to who may not insert.
fn refused(table: Oid) -> Error {
    // SAFETY: a catalogue look-up; null when there is no such relation.
    let name = unsafe { super::analysis::tree::string(pg_sys::get_rel_name(table)) };
    Error::Postgres(PostgresError::made(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE as i32,
        &format!("permission denied for table {name}"),
        "The column must be an identity column, and you need INSERT on it.",
        None,
    ))
}
