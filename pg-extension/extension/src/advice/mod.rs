//! What `abelian.advise_types()` needs to know of a statement: which columns it adds to, raises or lowers without reading them otherwise, so that its
//! row would not have to be locked if they had an Abelian type. The advice itself is SQL (see the install script). Nothing here reads users' rows.

mod assignment;
mod statement;

use crate::boundary::{self, PostgresError};
use crate::cluster::analysis::parser;
use crate::cluster::postgres;
use crate::error::Error;
use crate::owner;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, NodeTag, Oid};
use serde_json::Value as Json;
use std::ffi::CStr;

pg_function!(
    /// `abelian.column_uses(query, role, search_path)`: NULL for a text that cannot be analysed.
    fn abelian_column_uses(call) {
        // SAFETY: declared as text, oid and text, STRICT.
        let (text, path) = unsafe { (postgres::text_argument(call.arg(0)), postgres::text_argument(call.arg(2))) };
        let role = Oid::from(call.arg(1).value() as u32);
        // SAFETY: a catalogue look-up.
        if !unsafe { pg_sys::has_privs_of_role(pg_sys::GetUserId(), role) } {
            return Err(Error::OthersStatement);
        }
        // What the text names may be code of that role: it runs with that role's rights, not with those of whoever asks for advice.
        let uses = owner::work_as(role, || {
            postgres::set(c"search_path", &path, pg_sys::GucAction::GUC_ACTION_SAVE);
            boundary::undone(|| uses(&text))
        });
        match uses {
            Ok(uses) => Ok(postgres::text_datum(&uses.to_string())),
            Err(error) if error.sqlstate() == PgSqlErrorCode::ERRCODE_QUERY_CANCELED as i32 => Err(Error::Postgres(error)),
            Err(_) => Ok(call.null()),
        }
    }
);

/// An entry for each table that the text changes or locks rows of; none for commands that are no queries.
fn uses(text: &CStr) -> Result<Json, PostgresError> {
    let mut found = Vec::new();
    for parsed in parser::parse(text)? {
        if is_query(parsed) {
            let analysed = parser::analyse(parsed, text, &[])?;
            for query in parser::rewrite(analysed.query)? {
                found.extend(statement::uses(query));
            }
        }
    }
    Ok(Json::Array(found))
}

fn is_query(statement: &pg_sys::RawStmt) -> bool {
    matches!(
        crate::cluster::analysis::tree::tag(statement.stmt),
        Some(
            NodeTag::T_SelectStmt
                | NodeTag::T_InsertStmt
                | NodeTag::T_UpdateStmt
                | NodeTag::T_DeleteStmt
                | NodeTag::T_MergeStmt
        )
    )
}
