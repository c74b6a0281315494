//! COPY TO the client: the query whose rows it gives, and how they are to be written. A router whose rows come from several
//! nodes writes them itself.

use super::merge::build;
use super::tokens::{self, Token};
use super::tree::{self, NodePtr};
use crate::boundary::{self, PostgresError, functions};
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

/// Fills in what is known about a COPY TO the client; nothing about other statements.
pub fn describe(
    statement: NodePtr,
    table: Option<Oid>,
    facts: &mut Json,
    text: &CStr,
) -> Result<(), PostgresError> {
    let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(statement) else {
        return Ok(());
    };
    if copy.is_from {
        return Ok(());
    }
    let client = copy.filename.is_null() && !copy.is_program;
    facts["copy"] = json!({ "client": client, "filtered": false });
    if !client {
        return Ok(());
    }
    let select = tree::cast::<pg_sys::SelectStmt, _>(copy.query);
    let mut query = None;
    let source = match (table, select) {
        (Some(table), _) => rows_of(copy, table)?,
        (None, Some(select)) if select.intoClause.is_null() => {
            query = inside(text, facts);
            query.as_ref().map(|(_, query)| query.clone())
        }
        _ => None,
    };
    let changes = !copy.query.is_null() && select.is_none();
    let format = source.as_ref().map(|_| format(copy, text)).transpose()?;
    let is_binary = format
        .as_ref()
        .is_some_and(|format| format["binary"] == true);
    match source {
        // What is sent in binary form is no text.
        Some(source) if !(is_binary && table.is_some_and(has_states)) => {
            let place = query.map(|(start, query)| [start, query.len()]);
            facts["copy"]["out"] = json!({ "source": source, "query": place, "of_table": table.is_some(), "format": format });
        }
        _ => facts["copy"]["refused"] = json!(!changes),
    }
    Ok(())
}

/// The rows of a table alone; none when it is a relation that COPY refuses.
fn rows_of(copy: &pg_sys::CopyStmt, table: Oid) -> Result<Option<String>, PostgresError> {
    let Some(relation) = Opened::open(table, pg_sys::AccessShareLock) else {
        return Ok(None);
    };
    // SAFETY: the relation is open, and so are its columns; the names are those of the statement. Strings are copied.
    unsafe {
        let opened = relation.relation();
        if (*(*opened).rd_rel).relkind != pg_sys::RELKIND_RELATION as std::ffi::c_char {
            return Ok(None);
        }
        let columns = (*opened).rd_att;
        let numbers =
            boundary::caught(|| functions::CopyGetAttnums(columns, opened, copy.attlist))?;
        let names: Vec<String> = numbers_of(numbers)
            .map(|number| &relation.columns()[number as usize - 1])
            .map(|column| written(column))
            .collect();
        let schema = pg_sys::get_namespace_name((*(*opened).rd_rel).relnamespace);
        let name = (*(*opened).rd_rel).relname.data.as_ptr();
        let table = tree::string(pg_sys::quote_qualified_identifier(schema, name));
        Ok(Some(format!(
            "SELECT {} FROM ONLY {table}",
            names.join(", ")
        )))
    }
}

/// A column as COPY of the table writes it: queries give less of an Abelian type that is written as its state.
///
/// # Safety
/// The column's name must be a C string.
unsafe fn written(column: &pg_sys::FormData_pg_attribute) -> String {
    // SAFETY: by the caller.
    let name = unsafe { quoted(column.attname.data.as_ptr()) };
    if !build::is_of_state(column.atttypid) {
        return name;
    }
    let output = build::output_function(column.atttypid);
    // SAFETY: names of a function that exists.
    let function = unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_func_namespace(output));
        pg_sys::quote_qualified_identifier(schema, pg_sys::get_func_name(output))
    };
    format!("pg_catalog.textin({}({name}))", tree::string(function))
}

/// Whether some column is so written.
fn has_states(table: Oid) -> bool {
    Opened::open(table, pg_sys::AccessShareLock).is_some_and(|table| {
        let mut columns = table.columns().iter();
        columns.any(|column| !column.attisdropped && build::is_of_state(column.atttypid))
    })
}

fn numbers_of(list: *mut pg_sys::List) -> impl Iterator<Item = i32> {
    // SAFETY: a list of integers, or null.
    let length = unsafe { list.as_ref().map_or(0, |list| list.length) };
    // SAFETY: so many are there.
    (0..length).map(move |at| unsafe { pg_sys::list_nth_int(list, at) })
}

/// # Safety
/// `name` must be a C string.
unsafe fn quoted(name: *const std::ffi::c_char) -> String {
    // SAFETY: by the caller.
    unsafe { tree::string(pg_sys::quote_identifier(name)) }
}

/// The query in the first parentheses, in the client's words, and where it begins.
fn inside(text: &CStr, facts: &Json) -> Option<(usize, String)> {
    let start = facts["span"][0].as_u64()? as usize;
    let end = start + facts["span"][1].as_u64()? as usize;
    let mut tokens = tokens::tokens(text);
    tokens.retain(|(_, offset)| (start..end).contains(offset));
    let (mut depth, mut from) = (0, None);
    for (token, offset) in tokens {
        match token {
            Token::Open => {
                depth += 1;
                from = from.or(Some(offset + 1));
            }
            Token::Close => {
                depth -= 1;
                if depth == 0 {
                    let query = &text.to_bytes()[from?..offset];
                    return Some((from?, String::from_utf8_lossy(query).into_owned()));
                }
            }
            _ => {}
        }
    }
    None
}

/// The options as PostgreSQL understands them, and its error when it does not.
fn format(copy: &pg_sys::CopyStmt, statement: &CStr) -> Result<Json, PostgresError> {
    let mut options = pg_sys::CopyFormatOptions::default();
    // SAFETY: what PostgreSQL itself does before it copies; the strings that it sets are C strings.
    unsafe {
        let out = &raw mut options;
        let state = pg_sys::make_parsestate(std::ptr::null_mut());
        (*state).p_sourcetext = statement.as_ptr(); // by which errors know their position
        boundary::caught(|| functions::ProcessCopyOptions(state, out, false, copy.options))?;
        let encoding = options.file_encoding;
        let text = |text| json!(tree::string(text));
        let csv = |text: *mut std::ffi::c_char| {
            if options.csv_mode {
                json!(tree::string(text))
            } else {
                Json::Null
            }
        };
        Ok(json!({
            "binary": options.binary, "csv": options.csv_mode, "header": options.header_line != 0,
            "delimiter": text(options.delim), "null": text(options.null_print),
            "quote": csv(options.quote), "escape": csv(options.escape),
            "force_quote": tree::strings(options.force_quote), "force_quote_all": options.force_quote_all,
            "encoding": if encoding < 0 { Json::Null } else { text(crate::compat::encoding_name(encoding).cast_mut()) },
        }))
    }
}
