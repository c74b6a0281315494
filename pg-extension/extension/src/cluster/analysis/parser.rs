//! PostgreSQL's own parser, analyser, rewriter and deparser. User errors come back complete (see `crate::boundary`).

use super::super::postgres;
use super::tree::{self, NodePtr};
use super::{moments, sorted_names, unread};
use crate::boundary::functions;
use crate::boundary::{self, PostgresError};
use crate::compat;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, CString, c_char, c_int};

/// A name as it stands in a statement.
pub fn quoted(name: &str) -> String {
    let name = c_text(name);
    // SAFETY: a C string, of which the result is copied.
    unsafe { tree::string(pg_sys::quote_identifier(name.as_ptr())) }
}

/// The name of a type as a cast in SQL may have it: by `character` and `bit`, as people are told of them, a cast would mean one character or bit.
pub fn type_name(type_oid: Oid) -> String {
    let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_FORCE_QUALIFY;
    // SAFETY: the name of a type that exists.
    unsafe { tree::string(pg_sys::format_type_extended(type_oid, -1, flags as u16)) }
}

/// The name of a relation with its schema, as it stands in a statement; empty when it is gone.
pub fn qualified_name(relation: Oid) -> String {
    // SAFETY: catalogue look-ups.
    unsafe {
        let name = pg_sys::get_rel_name(relation);
        if name.is_null() {
            return String::new();
        }
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        tree::string(pg_sys::quote_qualified_identifier(schema, name))
    }
}

/// Splits a text into statements.
pub fn parse(text: &CStr) -> Result<Vec<&'static pg_sys::RawStmt>, PostgresError> {
    let text = text.as_ptr();
    // SAFETY: a raw call that owns nothing.
    let statements = unsafe {
        boundary::caught(|| functions::raw_parser(text, pg_sys::RawParseMode::RAW_PARSE_DEFAULT))?
    };
    Ok(tree::list(statements).collect())
}

/// A statement with its names and types resolved.
pub struct Analysed {
    /// The tree.
    pub query: &'static pg_sys::Query,
    /// Types of the parameters, given or inferred; InvalidOid where nothing says.
    pub parameters: Vec<Oid>,
}

/// Resolves names and types; locks the relations as PostgreSQL does for the statement itself.
pub fn analyse(
    statement: &pg_sys::RawStmt,
    text: &CStr,
    given: &[Oid],
) -> Result<Analysed, PostgresError> {
    let text = text.as_ptr();
    let mut count = given.len() as c_int;
    // SAFETY: the parser enlarges the array by repalloc, so it is palloc'd. It may scribble on the statement, which
    // is therefore copied.
    unsafe {
        let statement = tree::copy(statement);
        let mut types = pg_sys::palloc(size_of::<Oid>() * given.len().max(1)).cast::<Oid>();
        types.copy_from_nonoverlapping(given.as_ptr(), given.len());
        let query = boundary::caught(|| {
            functions::parse_analyze_varparams(
                statement,
                text,
                &mut types,
                &mut count,
                std::ptr::null_mut(),
            )
        })?;
        moments::mark(query.cast(), CStr::from_ptr(text));
        Ok(Analysed {
            query: readable(query),
            parameters: std::slice::from_raw_parts(types, count as usize).to_vec(),
        })
    }
}

/// A query that PostgreSQL has analysed, in the form that is analysed here, which is the same in all versions.
///
/// # Safety
/// Nobody else may have the query.
pub unsafe fn readable(query: *mut pg_sys::Query) -> &'static pg_sys::Query {
    tree::change_queries(query, |query| {
        compat::move_on_to_where(query);
        compat::name_groups(query);
    });
    // SAFETY: a query, which lives as long as the module's rule says; its levels are part of it.
    unsafe {
        // From the inside: what only an unread query mentions is unread, too.
        for level in tree::levels(&mut *query).into_iter().rev() {
            unread::forget(&mut *level);
        }
        &*query
    }
}

/// Applies views, rules and row security to a copy; usually one query comes out.
pub fn rewrite(query: &pg_sys::Query) -> Result<Vec<&'static pg_sys::Query>, PostgresError> {
    let copy = tree::copy(query);
    tree::change_queries(copy, compat::move_on_back); // to PostgreSQL's own form
    // SAFETY: a raw call on a private copy; the relations are locked by the analysis.
    let queries = unsafe { boundary::caught(|| functions::QueryRewrite(copy))? };
    // SAFETY: queries that are ours.
    Ok(tree::nodes(queries)
        .map(|query| unsafe { readable(query.cast()) })
        .collect())
}

/// The query as SQL.
fn deparse(query: *mut pg_sys::Query) -> Result<String, PostgresError> {
    let copy = tree::copy(query);
    tree::change_queries(copy, sorted_names::keep_apart);
    tree::change_queries(copy, compat::move_on_back);
    // SAFETY: a raw call on a private copy.
    let text = unsafe { boundary::caught(|| functions::pg_get_querydef(copy, false))? };
    Ok(tree::string(text))
}

/// Under these settings constants have texts that mean the same under all.
const UNAMBIGUOUS: [(&CStr, &CStr); 3] = [
    (c"DateStyle", c"ISO, YMD"),
    (c"IntervalStyle", c"iso_8601"),
    (c"extra_float_digits", c"1"),
];

/// Runs code that prints constants.
pub fn unambiguously<R>(code: impl FnOnce() -> R) -> R {
    // SAFETY: as in `deparse_for`.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        for (name, value) in UNAMBIGUOUS {
            postgres::set(name, value, pg_sys::GucAction::GUC_ACTION_SAVE);
        }
        let result = code();
        pg_sys::AtEOXact_GUC(true, level);
        result
    }
}

/// The query as SQL under these settings, with constants whose texts do not depend on the reader's.
pub fn deparse_for(
    query: *mut pg_sys::Query,
    settings: &[(&CStr, &CStr)],
) -> Result<String, PostgresError> {
    // SAFETY: the settings are put back at the end of the nest level, and by PostgreSQL itself after an error.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        for (name, value) in UNAMBIGUOUS.iter().chain(settings) {
            postgres::set(name, value, pg_sys::GucAction::GUC_ACTION_SAVE);
        }
        let text = deparse(query);
        pg_sys::AtEOXact_GUC(true, level);
        text
    }
}

/// Where a text names all but PostgreSQL's own with its schema, so that it means the same whatever is found first by a bare name.
pub const QUALIFIED: (&CStr, &CStr) = (c"search_path", c"pg_catalog");

/// Runs code whose texts are to be qualified.
pub fn qualified<R>(code: impl FnOnce() -> R) -> R {
    // SAFETY: as in `deparse_for`.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        let (name, value) = QUALIFIED;
        postgres::set(name, value, pg_sys::GucAction::GUC_ACTION_SAVE);
        let result = code();
        pg_sys::AtEOXact_GUC(true, level);
        result
    }
}

/// The expression as SQL, if it reads no column.
pub fn deparse_expression(expression: NodePtr) -> String {
    // SAFETY: an expression without Vars needs no context.
    unsafe {
        tree::string(pg_sys::deparse_expression(
            expression,
            std::ptr::null_mut(),
            false,
            false,
        ))
    }
}

/// The same so that it means the same in every session, whatever its settings are.
pub fn deparse_value(expression: NodePtr) -> String {
    // SAFETY: as in `deparse_for`.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        for (name, value) in UNAMBIGUOUS {
            postgres::set(name, value, pg_sys::GucAction::GUC_ACTION_SAVE);
        }
        let text = deparse_expression(expression);
        pg_sys::AtEOXact_GUC(true, level);
        text
    }
}

/// An SQL text of our own as a C string; texts come from PostgreSQL and hold no NUL.
pub fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// The command tag of a statement.
pub fn command_tag(statement: NodePtr) -> String {
    // SAFETY: raw and analysed statements have a tag.
    unsafe {
        tree::string(
            pg_sys::GetCommandTagName(pg_sys::CreateCommandTag(statement)).cast::<c_char>(),
        )
    }
}
