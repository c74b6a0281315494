//! What COPY FROM reads: a router that divides the lines among nodes must find the distribution column in each.

use super::functions::{self, Functions};
use super::parser;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
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
    let defaults: Vec<NodePtr> = attributes
        .iter()
        .filter(|attribute| !named.is_empty() && !named.contains(&attribute.name))
        .map(|attribute| attribute.default)
        .collect();
    let facts = json!({
        "client": copy.filename.is_null() && !copy.is_program, "columns": columns,
        "options": options(copy.options), "filtered": false,
    });
    let expressions: Vec<NodePtr> = defaults.into_iter().chain(condition(copy, text)?).collect();
    Ok((facts, functions::called_by(&expressions)))
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
    name: String,
    /// With its modifier, as `format_type` writes it.
    type_name: String,
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
                name: tree::string(attribute.attname.data.as_ptr()),
                type_name: tree::string(pg_sys::format_type_with_typemod(
                    attribute.atttypid,
                    attribute.atttypmod,
                )),
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
