//! What COPY FROM reads: a router that divides the lines among nodes must find the distribution column in each.

use super::computed::{self, Computing, Expression};
use super::functions::{self, Functions};
use super::relation::{Placement, Relation};
use super::tokens::{self, Token};
use super::tree::{self, NodePtr};
use super::{operand, parser};
use crate::boundary::PostgresError;
use crate::compat;
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Map, Value as Json, json};
use std::ffi::CStr;

/// The facts of a COPY into a table that exists, and what its condition does, and the defaults of the columns that it
/// leaves out.
pub fn facts(
    copy: &pg_sys::CopyStmt,
    table: Oid,
    text: &CStr,
) -> Result<(Json, Functions), PostgresError> {
    let named = tree::strings(copy.attlist);
    let attributes = attributes(table);
    let find = |name: &String| {
        attributes
            .iter()
            .find(|attribute| attribute.name == *name)
            .map_or_else(|| json!([name, ""]), |a| json!([name, a.type_name]))
    };
    let columns: Vec<Json> = if named.is_empty() {
        let stored = attributes.iter().filter(|attribute| !attribute.generated);
        stored.map(|a| json!([a.name, a.type_name])).collect()
    } else {
        named.iter().map(find).collect()
    };
    let omitted: Vec<&Attribute> = attributes
        .iter()
        .filter(|attribute| !named.is_empty() && !named.contains(&attribute.name))
        .collect();
    let added = added(table, &omitted, text);
    let with_marker = || compat::COPY_TAKES_DEFAULTS && has(copy.options, "default");
    let marked = attributes
        .iter()
        .filter(|attribute| !attribute.generated && with_marker())
        .map(|attribute| attribute.default);
    let defaults: Vec<NodePtr> = omitted
        .iter()
        .filter(|attribute| {
            !added
                .iter()
                .flat_map(|added| &added.columns)
                .any(|column| *column == attribute.number)
        })
        .map(|attribute| attribute.default)
        .chain(marked)
        .collect();
    let forced = |option| names(copy.options, option);
    let mut facts = json!({
        "client": copy.filename.is_null() && !copy.is_program, "columns": columns,
        "options": options(copy.options), "filtered": false, "added": added.map(|added| added.facts),
        "force_null": forced("force_null"), "force_not_null": forced("force_not_null"),
    });
    let is_unknown =
        |option: &pg_sys::DefElem| !OPTIONS.contains(&tree::string(option.defname).as_str());
    if tree::list::<pg_sys::DefElem>(copy.options).any(is_unknown) {
        facts["refused"] = json!(true);
    }
    if skips_errors(copy.options) {
        facts["skips_errors"] = json!(true);
    }
    let expressions: Vec<NodePtr> = defaults.into_iter().chain(condition(copy, text)?).collect();
    Ok((facts, functions::called_by(&expressions)))
}

/// Columns that the statement leaves out, and of which the router brings a value with each line.
struct Added {
    columns: Vec<i16>,
    facts: Json,
}

/// What places a row and has to be computed before; in a reference table whatever may come out differently on each node.
fn added(table: Oid, omitted: &[&Attribute], text: &CStr) -> Option<Added> {
    let placement = Relation::new(table, 0).placement;
    let computing = Computing::of_table(table, Some(&placement));
    let is_key = |number: i16| match &placement {
        Placement::Distributed(spreading) => spreading
            .columns
            .iter()
            .any(|(column, _)| *column == number),
        _ => false,
    };
    let mut found: Vec<(&Attribute, Expression)> = Vec::new();
    for attribute in omitted
        .iter()
        .copied()
        .filter(|attribute| !attribute.generated)
    {
        match computing.default(attribute.number, attribute.default) {
            Some(expression) => found.push((attribute, expression.cast_to(&attribute.base_type))),
            None if is_key(attribute.number) => return None,
            None => {}
        }
    }
    let mixed = |one: &Expression| !one.is_constant() && one.is_transactional();
    if found.is_empty() || found.iter().any(|(_, one)| mixed(one)) {
        return None;
    }
    let (same, each): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, one)| one.is_constant());
    let all = || same.iter().chain(&each).map(|(column, _)| *column);
    let names: Vec<String> = all().map(|column| parser::quoted(&column.name)).collect();
    let columns: Vec<Json> = all()
        .map(|column| json!([column.name, column.type_name]))
        .collect();
    let numbers = all().map(|column| column.number).collect();
    let query = |some: Vec<(&Attribute, Expression)>| {
        let expressions: Vec<Expression> = some.into_iter().map(|(_, one)| one).collect();
        match expressions.is_empty() {
            true => Json::Null,
            false => json!({ "query": computed::query_of_rows(&expressions, 1) }),
        }
    };
    Some(Added {
        columns: numbers,
        facts: json!({
            "text": with_columns(text, &names)?, "columns": columns, "same": query(same), "each": query(each),
        }),
    })
}

/// The statement with more columns before those in its list, which are in the first parentheses.
fn with_columns(text: &CStr, names: &[String]) -> Option<String> {
    let found = tokens::tokens(text);
    let (_, open) = found.iter().find(|(token, _)| *token == Token::Open)?;
    let (before, behind) = text.to_bytes().split_at(open + 1);
    Some(format!(
        "{}{}, {}",
        String::from_utf8_lossy(before),
        names.join(", "),
        String::from_utf8_lossy(behind)
    ))
}

/// Those that some version of PostgreSQL knows.
const OPTIONS: [&str; 16] = [
    "convert_selectively",
    "default",
    "delimiter",
    "encoding",
    "escape",
    "force_not_null",
    "force_null",
    "force_quote",
    "format",
    "freeze",
    "header",
    "log_verbosity",
    "null",
    "on_error",
    "quote",
    "reject_limit",
];

/// The columns that an option lists; a star for all of them.
fn names(list: *const pg_sys::List, option: &str) -> Vec<String> {
    tree::list::<pg_sys::DefElem>(list)
        .filter(|element| tree::string(element.defname) == option)
        .flat_map(|element| match tree::tag(element.arg) {
            Some(pg_sys::NodeTag::T_List) => tree::strings(element.arg.cast()),
            Some(pg_sys::NodeTag::T_A_Star) => vec!["*".to_owned()],
            _ => Vec::new(),
        })
        .collect()
}

fn has(list: *const pg_sys::List, option: &str) -> bool {
    tree::list::<pg_sys::DefElem>(list).any(|element| tree::string(element.defname) == option)
}

/// Whether rows with values that cannot be read are left out.
fn skips_errors(list: *const pg_sys::List) -> bool {
    compat::COPY_SKIPS_ERRORS
        && tree::list::<pg_sys::DefElem>(list)
            .filter(|element| tree::string(element.defname) == "on_error" && !element.arg.is_null())
            // SAFETY: gives text for every value that the grammar allows.
            .map(|element| unsafe {
                tree::string(pg_sys::defGetString(std::ptr::from_ref(element).cast_mut()))
            })
            .any(|value| value.eq_ignore_ascii_case("ignore"))
}

/// The WHERE clause, as the condition of a query over the table.
fn condition(copy: &pg_sys::CopyStmt, text: &CStr) -> Result<Option<NodePtr>, PostgresError> {
    if copy.whereClause.is_null() {
        return Ok(None);
    }
    let mut select = pg_sys::SelectStmt {
        type_: pg_sys::NodeTag::T_SelectStmt,
        fromClause: tree::make_list([copy.relation.cast()]),
        whereClause: copy.whereClause,
        ..Default::default()
    };
    let statement = pg_sys::RawStmt {
        type_: pg_sys::NodeTag::T_RawStmt,
        stmt: (&raw mut select).cast(),
        ..Default::default()
    };
    let query = parser::analyse(&statement, text, &[])?.query;
    // SAFETY: an analysed query has a condition, which may be null.
    Ok(Some(unsafe { (*query.jointree).quals }))
}

struct Attribute {
    number: i16,
    name: String,
    /// With its modifier, as `format_type` writes it; of a domain, the type below.
    type_name: String,
    /// Without it.
    base_type: String,
    generated: bool,
    /// Null when there is none.
    default: NodePtr,
}

/// The columns of a table, in order.
fn attributes(table: Oid) -> Vec<Attribute> {
    let Some(relation) = Opened::open(table, pg_sys::AccessShareLock) else {
        return Vec::new();
    };
    relation
        .columns()
        .iter()
        .filter(|attribute| !attribute.attisdropped)
        // SAFETY: a column of the open relation, of which what is kept is copied.
        .map(|attribute| unsafe {
            Attribute {
                number: attribute.attnum,
                name: tree::string(attribute.attname.data.as_ptr()),
                type_name: operand::base_type_name(attribute.atttypid, attribute.atttypmod),
                base_type: parser::type_name(attribute.atttypid),
                generated: attribute.attgenerated != 0,
                default: pg_sys::build_column_default(relation.relation(), attribute.attnum.into()),
            }
        })
        .collect()
}

/// Options by name; null for one without a value, which means on.
fn options(list: *const pg_sys::List) -> Json {
    let value = |option: &pg_sys::DefElem| {
        if option.arg.is_null() {
            return Json::Null;
        }
        // SAFETY: gives text for every value that the grammar allows.
        json!(unsafe { tree::string(pg_sys::defGetString(std::ptr::from_ref(option).cast_mut())) })
    };
    let options: Map<String, Json> = tree::list::<pg_sys::DefElem>(list)
        .map(|option| (tree::string(option.defname), value(option)))
        .collect();
    Json::Object(options)
}
