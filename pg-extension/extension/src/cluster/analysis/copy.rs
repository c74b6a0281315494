//! What COPY FROM reads: a router that divides the lines among nodes must find the distribution column in each.

use super::functions::{self, Functions};
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid};
use serde_json::{Map, Value as Json, json};

/// The facts of a COPY into a table that exists, and what the defaults of the columns do that it leaves out.
pub fn facts(copy: &pg_sys::CopyStmt, table: Oid) -> (Json, Functions) {
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
        "options": options(copy.options), "filtered": !copy.whereClause.is_null(),
    });
    (facts, functions::called_by(&defaults))
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
    let lock = pg_sys::AccessShareLock as i32;
    // SAFETY: the table exists; it stays locked to the end of the transaction, and what is read of it is copied.
    unsafe {
        let relation = pg_sys::relation_open(table, lock);
        let descriptor = (*relation).rd_att;
        let found = (*descriptor)
            .attrs
            .as_slice((*descriptor).natts as usize)
            .iter()
            .filter(|attribute| !attribute.attisdropped)
            .map(|attribute| Attribute {
                name: tree::string(attribute.attname.data.as_ptr()),
                type_name: tree::string(pg_sys::format_type_with_typemod(
                    attribute.atttypid,
                    attribute.atttypmod,
                )),
                generated: attribute.attgenerated != 0,
                default: pg_sys::build_column_default(relation, attribute.attnum.into()),
            })
            .collect();
        pg_sys::relation_close(relation, pg_sys::NoLock as i32);
        found
    }
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
