//! CREATE TABLE AS, SELECT INTO and materialized views whose rows come from several nodes: a query that gives the rows, a command that makes
//! the empty table on every node, and an INSERT that takes the rows as one array for each column. A materialized view takes none: the rows
//! are kept (`kept_rows.rs`) for a REFRESH.

use super::inlined;
use super::insert_select;
use super::merge::build::{self, WorkerColumns};
use super::parser;
use super::relation;
use super::temporary;
use super::tokens;
use super::tree::{self, NodePtr};
use super::view_query;
use crate::boundary::{self, PostgresError, functions};
use crate::cluster::postgres;
use pgrx::pg_sys::{self, CmdType, ObjectType, Oid};
use serde_json::Value as Json;
use std::ffi::{CStr, c_char};
use std::ops::Range;

/// The three of them.
pub struct Stored {
    /// Gives the rows.
    pub source: &'static mut pg_sys::Query,
    /// Makes the table without rows; fails if it is there already. `None` for one that has to be there.
    pub create: Option<String>,
    /// Fills a materialized view with the rows that are kept for it.
    pub refresh: Option<String>,
    /// Whether the command does nothing if the table is there already.
    pub unless_exists: bool,
    /// The name of the table, with its schema.
    pub target: String,
    /// Takes the rows; the parameters after the statement's own are the arrays.
    pub insert: String,
    /// The types of all parameters of the INSERT.
    pub parameters: Vec<Oid>,
}

/// Of a command, as analysed and as parsed; `None` when it is another one, or cannot be said in these words.
pub fn find(
    command: NodePtr,
    statement: &pg_sys::RawStmt,
    text: &CStr,
    facts: &Json,
    parameters: &[Oid],
) -> Result<Option<Stored>, PostgresError> {
    if let Some(refresh) = tree::cast::<pg_sys::RefreshMatViewStmt, _>(command) {
        return refreshed(refresh, parameters);
    }
    let Some(create) = tree::cast::<pg_sys::CreateTableAsStmt, _>(command) else {
        return Ok(None);
    };
    let into = tree::cast::<pg_sys::IntoClause, _>(create.into);
    let query = tree::cast::<pg_sys::Query, _>(create.query);
    let (Some(into), Some(query)) = (into, query) else {
        return Ok(None);
    };
    let Some(name) = tree::cast::<pg_sys::RangeVar, _>(into.rel) else {
        return Ok(None);
    };
    let is_view = create.objtype == ObjectType::OBJECT_MATVIEW;
    let is_table = is_view || create.objtype == ObjectType::OBJECT_TABLE;
    if !is_table
        || !name.catalogname.is_null()
        || into.skipData
        || query.commandType != CmdType::CMD_SELECT
        || temporary::reads_view(query)
    {
        return Ok(None);
    }
    let source = match inlined::find(query)? {
        Some(inlined) => {
            inlined.check_rights()?;
            inlined.query
        }
        None => build::copy(query),
    };
    let Some(columns) = columns(source) else {
        return Ok(None);
    };
    let target = target(name, is_temporary(facts))?;
    if is_view {
        let refresh = format!("REFRESH MATERIALIZED VIEW {target}");
        let create_text = without_rows(create, name, statement, text, &span(facts), &target);
        let Some(create_text) = create_text else {
            return Ok(None);
        };
        return Ok(Some(Stored {
            create: Some(create_text),
            unless_exists: create.if_not_exists,
            ..kept(source, &columns, target, refresh, parameters)?
        }));
    }
    let all: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let rows = rows(&columns, parameters.len(), &all)?;
    let insert = format!("INSERT INTO {target} {rows}");
    let made = match create.is_select_into {
        true => Some(made_of(
            name,
            &target,
            &parser::deparse_for(source, &[parser::QUALIFIED])?,
        )),
        false => without_rows(create, name, statement, text, &span(facts), &target),
    };
    Ok(made.map(|create_text| Stored {
        source: insert_select::with_states(source, &columns),
        create: Some(create_text),
        refresh: None,
        unless_exists: create.if_not_exists,
        target,
        insert,
        parameters: all,
    }))
}

/// The columns that the rows of a query have; `None` when they have no form in which they can travel.
fn columns(source: &pg_sys::Query) -> Option<WorkerColumns> {
    let mut columns = WorkerColumns::default();
    for entry in tree::list::<pg_sys::TargetEntry>(source.targetList) {
        if !entry.resjunk {
            columns.push(entry.expr.cast(), 0);
        }
    }
    (columns.len() > 0 && !columns.has_anonymous_rows()).then_some(columns)
}

/// A query of the rows that arrays have, which are the parameters after the first ones.
fn rows(columns: &WorkerColumns, first: usize, all: &[Oid]) -> Result<String, PostgresError> {
    let rows = build::rows(first, all)?;
    rows.targetList = tree::make_list(
        (0..columns.len()).map(|index| build::target(columns.read(index), index as i16 + 1).cast()),
    );
    parser::deparse_for(rows, &[parser::QUALIFIED])
}

/// A function takes so many arguments at most.
const KEPT_MAX: usize = 98;

/// A REFRESH by its owner: the query runs in the rights of who sends it.
fn refreshed(
    refresh: &pg_sys::RefreshMatViewStmt,
    parameters: &[Oid],
) -> Result<Option<Stored>, PostgresError> {
    let name = tree::cast::<pg_sys::RangeVar, _>(refresh.relation);
    let Some(view) = name.and_then(relation::existing) else {
        return Ok(None);
    };
    let (Some(query), false) = (view_query::of(view), refresh.skipData) else {
        return Ok(None);
    };
    if !is_own(view) {
        return Ok(None);
    }
    let source = build::copy(query);
    let Some(columns) = columns(source) else {
        return Ok(None);
    };
    let target = parser::qualified_name(view);
    let way = if refresh.concurrent {
        "CONCURRENTLY "
    } else {
        ""
    };
    let command = format!("REFRESH MATERIALIZED VIEW {way}{target}");
    kept(source, &columns, target, command, parameters).map(Some)
}

/// Whether the current user is the owner, not only one who may act as that.
fn is_own(relation: Oid) -> bool {
    // SAFETY: plain read of a backend variable.
    let user = unsafe { pg_sys::GetUserId() };
    postgres::class_field(relation, pg_sys::Anum_pg_class_relowner)
        .is_some_and(|owner| owner.value() as u32 == user.to_u32())
}

/// A materialized view that is filled by the command. The arrays of its rows are the parameters after the first ones.
fn kept(
    source: &'static mut pg_sys::Query,
    columns: &WorkerColumns,
    target: String,
    command: String,
    own: &[Oid],
) -> Result<Stored, PostgresError> {
    if columns.len() > KEPT_MAX {
        return Err(PostgresError::unsupported(
            &format!("a materialized view of more than {KEPT_MAX} columns over several nodes"),
            "Make a table with CREATE TABLE AS.",
        ));
    }
    let arrays = columns.arrays();
    let reading = parser::c_text(&rows(columns, 0, &arrays)?);
    let mut query = String::new();
    let mut at = 0;
    for (_, offset) in tokens::tokens(&reading) {
        let text = &reading.to_bytes()[offset..];
        let digits = text.iter().skip(1).take_while(|c| c.is_ascii_digit());
        let length = 1 + digits.count();
        if text[0] != b'$' || length == 1 {
            continue;
        }
        query.push_str(&String::from_utf8_lossy(&reading.to_bytes()[at..offset]));
        let number = String::from_utf8_lossy(&text[1..length])
            .parse()
            .unwrap_or(1);
        let of = parser::type_name(arrays[number - 1]);
        query.push_str(&format!("abelian.kept_rows({number}, NULL::{of})"));
        at = offset + length;
    }
    query.push_str(&String::from_utf8_lossy(&reading.to_bytes()[at..]));
    let numbers: Vec<String> = (1..=columns.len())
        .map(|number| format!("${}", own.len() + number))
        .collect();
    let insert = format!(
        "SELECT abelian.keep_rows({}, {}, {})",
        literal(&query),
        literal(&command),
        numbers.join(", ")
    );
    Ok(Stored {
        source: insert_select::with_states(source, columns),
        create: None,
        refresh: Some(command),
        unless_exists: false,
        target,
        insert,
        parameters: own.iter().copied().chain(arrays).collect(),
    })
}

/// A text as SQL has it.
fn literal(text: &str) -> String {
    let text = parser::c_text(text);
    // SAFETY: quotes a C string.
    unsafe { tree::string(pg_sys::quote_literal_cstr(text.as_ptr())) }
}

/// Whether the table belongs to the session alone.
fn is_temporary(facts: &Json) -> bool {
    // What a command makes stands behind what its query reads.
    facts["relations"]
        .as_array()
        .and_then(|relations| relations.last())
        .is_some_and(|made| made["temporary"] == true)
}

fn span(facts: &Json) -> Range<usize> {
    let start = facts["span"][0].as_u64().unwrap_or(0) as usize;
    start..start + facts["span"][1].as_u64().unwrap_or(0) as usize
}

/// The name with the schema in which the table will be: what has the bare name already may be found before it.
fn target(name: &pg_sys::RangeVar, temporary: bool) -> Result<String, PostgresError> {
    let schema: *const c_char = if !name.schemaname.is_null() {
        name.schemaname
    } else if temporary {
        c"pg_temp".as_ptr()
    } else {
        // SAFETY: look-ups by a name of the tree.
        unsafe {
            let schema = boundary::caught(|| functions::RangeVarGetCreationNamespace(name))?;
            pg_sys::get_namespace_name(schema)
        }
    };
    // SAFETY: both are C strings.
    Ok(unsafe { tree::string(pg_sys::quote_qualified_identifier(schema, name.relname)) })
}

/// SELECT INTO in other words.
fn made_of(name: &pg_sys::RangeVar, target: &str, source: &str) -> String {
    let kind = match name.relpersistence as u8 {
        pg_sys::RELPERSISTENCE_TEMP => "TEMP ",
        pg_sys::RELPERSISTENCE_UNLOGGED => "UNLOGGED ",
        _ => "",
    };
    format!("CREATE {kind}TABLE {target} AS {source}\nWITH NO DATA")
}

/// The command in the client's words, but for the name and what is said about rows and tables that exist.
fn without_rows(
    create: &pg_sys::CreateTableAsStmt,
    name: &pg_sys::RangeVar,
    statement: &pg_sys::RawStmt,
    text: &CStr,
    span: &Range<usize>,
    target: &str,
) -> Option<String> {
    let query = tree::cast::<pg_sys::CreateTableAsStmt, _>(statement.stmt)?.query;
    let words: Vec<usize> = tokens::tokens(text)
        .into_iter()
        .map(|(_, offset)| offset)
        .filter(|offset| span.contains(offset))
        .collect();
    let location = usize::try_from(name.location).ok()?;
    let at = words.iter().position(|offset| *offset == location)?;
    let parts = if name.schemaname.is_null() { 1 } else { 3 };
    let behind = *words.get(at + parts)?;
    let before = match create.if_not_exists {
        true => *words.get(at.checked_sub(3)?)?,
        false => location,
    };
    // The last two words may be WITH DATA.
    let ends = [span.end, *words.get(words.len().checked_sub(2)?)?];
    let piece = |range: Range<usize>| String::from_utf8_lossy(&text.to_bytes()[range]);
    ends.into_iter()
        .filter(|end| *end > behind)
        .map(|end| {
            let (head, tail) = (piece(span.start..before), piece(behind..end));
            format!("{head}{target} {tail}\nWITH NO DATA")
        })
        .find(|made| makes_empty(made, query))
}

/// Whether a text makes an empty table of a query as parsed, unless there is one.
fn makes_empty(text: &str, query: NodePtr) -> bool {
    let text = parser::c_text(text);
    let Ok(statements) = boundary::attempt(|| parser::parse(&text)) else {
        return false;
    };
    let [statement] = statements.as_slice() else {
        return false;
    };
    tree::cast::<pg_sys::CreateTableAsStmt, _>(statement.stmt).is_some_and(|create| {
        let into = tree::cast::<pg_sys::IntoClause, _>(create.into);
        !create.if_not_exists
            && into.is_some_and(|into| into.skipData)
            && tree::equal(create.query, query)
    })
}
