//! What `abelian.advise_types()` needs to know of a statement: which columns it adds to, raises or lowers without reading them otherwise, or takes
//! from if there is enough, so that its row would not have to be locked if they had an Abelian type. The advice itself is SQL (see the install script). Nothing here reads users' rows.

mod assignment;
mod condition;
mod statement;

use crate::boundary::{self, PostgresError};
use crate::cluster::analysis::{parser, tree};
use crate::cluster::postgres;
use crate::error::Error;
use crate::owner;
use crate::pg_function;
use pgrx::pg_sys::{self, NodeTag, Oid};
use serde_json::Value as Json;
use std::ffi::CStr;

pg_function!(
    /// `abelian.column_uses(query, role, search_path)`: NULL for a text with an UPDATE that cannot be analysed, or that is no SQL.
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
            Err(_) => Ok(call.null()),
        }
    }
);

/// An entry for each table that the text changes or locks rows of; none for commands that are no queries.
fn uses(text: &CStr) -> Result<Json, PostgresError> {
    let mut found = Vec::new();
    for parsed in parser::parse(text)? {
        let (updates, others) = kind(parsed);
        if !updates && !others {
            continue;
        }
        match boundary::attempt(|| of_statement(parsed, text)) {
            Ok(uses) => found.extend(uses),
            // Only updates lead to advice: what else cannot be resolved is not missed.
            Err(error) if updates => return Err(error),
            Err(_) => {}
        }
    }
    Ok(Json::Array(found))
}

fn of_statement(parsed: &pg_sys::RawStmt, text: &CStr) -> Result<Vec<Json>, PostgresError> {
    let analysed = parser::analyse(parsed, text, &[])?;
    let queries = parser::rewrite(analysed.query)?;
    Ok(queries.into_iter().flat_map(statement::uses).collect())
}

/// Whether the statement is an UPDATE, and whether it is another query.
fn kind(statement: &pg_sys::RawStmt) -> (bool, bool) {
    use NodeTag::{T_DeleteStmt, T_InsertStmt, T_MergeStmt, T_SelectStmt, T_UpdateStmt};
    let tag = tree::tag(statement.stmt);
    let others = [T_SelectStmt, T_InsertStmt, T_DeleteStmt, T_MergeStmt];
    (
        tag == Some(T_UpdateStmt),
        tag.is_some_and(|tag| others.contains(&tag)),
    )
}
