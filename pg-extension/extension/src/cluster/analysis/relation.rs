//! The relations that a statement touches, and where their rows lie.

use super::super::placement::Operation;
use super::super::postgres;
use super::super::procedure::{placements, source_text};
use super::parser;
use super::tree;
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::ffi::CString;
use std::rc::Rc;

/// Where the rows of a relation lie.
#[derive(Clone, PartialEq, Debug)]
pub enum Placement {
    /// A system catalogue: each node has its own.
    Catalog,
    /// On the first node only.
    None,
    /// A copy on every node.
    Reference,
    /// Each row on the node that its distribution columns say.
    Distributed(Rc<Spreading>),
}

/// By what the rows of a table are spread.
#[derive(PartialEq, Debug)]
pub struct Spreading {
    /// The distribution columns, and what is made of them.
    pub columns: Vec<(i16, Option<Operation>)>,
    /// The number of the colocation group.
    pub colocation: i32,
}

/// One mention of a relation in a statement.
pub struct Relation {
    pub oid: Oid,
    pub schema: String,
    pub name: String,
    pub temporary: bool,
    pub placement: Placement,
    /// The statement inserts, updates, deletes or truncates here.
    pub write: bool,
    /// The columns that UPDATE, DO UPDATE or MERGE assigns here.
    pub assigned: Vec<String>,
    /// The strongest locking clause on it.
    pub locking: Option<&'static str>,
    /// 0 for the statement itself, deeper for subqueries.
    pub level: usize,
}

impl Relation {
    /// Looks up its names and placement.
    pub fn new(oid: Oid, level: usize) -> Self {
        // SAFETY: catalogue look-ups of a relation that is locked.
        let (schema_oid, name, persistence) = unsafe {
            (
                pg_sys::get_rel_namespace(oid),
                tree::string(pg_sys::get_rel_name(oid)),
                pg_sys::get_rel_persistence(oid),
            )
        };
        // SAFETY: as above.
        let schema = unsafe { tree::string(pg_sys::get_namespace_name(schema_oid)) };
        let is_catalog = matches!(
            schema.as_str(),
            "pg_catalog" | "information_schema" | "pg_toast" | "abelian"
        );
        Relation {
            oid,
            schema,
            name,
            temporary: persistence == pg_sys::RELPERSISTENCE_TEMP as std::ffi::c_char,
            placement: if is_catalog {
                Placement::Catalog
            } else {
                placement_of(oid)
            },
            write: false,
            assigned: Vec::new(),
            locking: None,
            level,
        }
    }

    /// Rows that come with the statement, the same on every node.
    pub fn of_rows(level: usize) -> Self {
        Relation {
            oid: Oid::INVALID,
            schema: String::new(),
            name: String::new(),
            temporary: false,
            placement: Placement::Reference,
            write: false,
            assigned: Vec::new(),
            locking: None,
            level,
        }
    }

    /// The attribute's name, as routers know columns.
    pub fn column_name(&self, attribute: i16) -> String {
        // SAFETY: a catalogue look-up; null when there is no such attribute.
        unsafe { tree::string(pg_sys::get_attname(self.oid, attribute, true)) }
    }

    /// What decides where its rows lie.
    pub fn spreading(&self) -> Option<Rc<Spreading>> {
        match &self.placement {
            Placement::Distributed(spreading) => Some(Rc::clone(spreading)),
            _ => None,
        }
    }

    /// As analyze() prints it.
    pub fn to_json(&self, id: usize) -> Json {
        let mut facts = json!({
            "id": id, "schema": self.schema, "name": self.name, "catalog": self.placement == Placement::Catalog,
            "temporary": self.temporary, "write": self.write, "assigned": self.assigned, "locking": self.locking, "level": self.level,
        });
        if self.write && self.has_key_in_every_row() {
            facts["key_not_null"] = json!(true);
        }
        if self.placement != Placement::Catalog && self.may_be_unpreparable() {
            facts["unpreparable"] = json!(true);
        }
        facts
    }

    /// Whether what a statement does with it may be what PREPARE TRANSACTION refuses: triggers may notify, or make temporary tables, and
    /// wrappers of foreign tables refuse it. From a table without placement, foreign keys and inheritance may lead to others.
    fn may_be_unpreparable(&self) -> bool {
        let Some(table) = Opened::open(self.oid, pg_sys::NoLock) else {
            return false;
        };
        // SAFETY: fields of an open relation, which has so many triggers.
        let (kind, has_children, triggers) = unsafe {
            let relation = &*table.relation();
            let triggers = relation.trigdesc.as_ref().map_or(&[][..], |all| {
                std::slice::from_raw_parts(all.triggers, all.numtriggers as usize)
            });
            let described = &*relation.rd_rel;
            (described.relkind as u8, described.relhassubclass, triggers)
        };
        let leads = self.placement == Placement::None;
        kind == pg_sys::RELKIND_FOREIGN_TABLE
            || self.write
                && (leads && has_children || triggers.iter().any(|one| may_notify(one, leads)))
    }

    /// Whether PostgreSQL itself refuses rows without a value in one of the distribution columns.
    fn has_key_in_every_row(&self) -> bool {
        self.spreading().is_some_and(|spreading| {
            let mut columns = spreading.columns.iter();
            columns.all(|(attribute, _)| is_not_null(self.oid, *attribute))
        })
    }
}

fn is_not_null(table: Oid, attribute: i16) -> bool {
    let cache = pg_sys::SysCacheIdentifier::ATTNUM as i32;
    // SAFETY: a catalogue row that is released after use; the value is passed by value.
    unsafe {
        let row = pg_sys::SearchSysCache2(cache, table.into(), attribute.into());
        if row.is_null() {
            return false;
        }
        let number = pg_sys::Anum_pg_attribute_attnotnull as i16;
        let mut is_null = false;
        let value = pg_sys::SysCacheGetAttr(cache, row, number, &mut is_null);
        pg_sys::ReleaseSysCache(row);
        value.value() != 0
    }
}

/// Reads `abelian.placement`, with the newest state of the transaction.
fn placement_of(oid: Oid) -> Placement {
    let catalogue = postgres::own_relation(c"placement");
    if catalogue == Oid::INVALID {
        return Placement::None;
    }
    // SAFETY: a scan of our own table by its key; everything opened is closed.
    unsafe {
        let table = pg_sys::table_open(catalogue, pg_sys::AccessShareLock as i32);
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut key,
            RELATION,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::F_OIDEQ.into(),
            oid.into(),
        );
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let scan = pg_sys::systable_beginscan(table, Oid::INVALID, false, snapshot, 1, &mut key);
        let row = pg_sys::systable_getnext(scan);
        let placement = if row.is_null() {
            Placement::None
        } else {
            placement_from(row, (*table).rd_att, oid)
        };
        pg_sys::systable_endscan(scan);
        pg_sys::UnregisterSnapshot(snapshot);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
        placement
    }
}

/// Positions of columns of `abelian.placement`.
const RELATION: i16 = 1;
const COLOCATION: usize = 4;

/// # Safety
/// `row` must be a row of `abelian.placement`.
unsafe fn placement_from(
    row: pg_sys::HeapTuple,
    columns: pg_sys::TupleDesc,
    oid: Oid,
) -> Placement {
    // SAFETY: the columns have the types that the install script gives them.
    unsafe {
        let values = postgres::values(row, columns, placements::COLUMNS);
        match placements::columns(oid, &values) {
            None => Placement::Reference,
            Some(columns) => Placement::Distributed(Rc::new(Spreading {
                columns,
                colocation: values[COLOCATION - 1].map_or(0, |number| number.value() as i32),
            })),
        }
    }
}

/// A relation by its name in a utility command, as analyze() prints it. Takes no lock.
pub fn named(name: &pg_sys::RangeVar, write: bool) -> Json {
    match existing(name) {
        Some(oid) => {
            let mut relation = Relation::new(oid, 0);
            relation.write = write;
            relation.to_json(0)
        }
        None => missing(name, write),
    }
}

/// A relation that a command makes, whatever else has that name now.
pub fn made(name: &pg_sys::RangeVar) -> Json {
    missing(name, true)
}

fn missing(name: &pg_sys::RangeVar, write: bool) -> Json {
    let schema = tree::string(name.schemaname);
    let temporary = name.relpersistence as u8 == pg_sys::RELPERSISTENCE_TEMP
        || schema.starts_with("pg_temp")
        || (schema.is_empty() && creates_temporarily());
    json!({
        "id": 0, "schema": schema, "name": tree::string(name.relname), "catalog": false, "temporary": temporary,
        "write": write, "assigned": [], "locking": null, "level": 0,
    })
}

/// Whether a trigger may notify, or make something temporary, as far as the text of its function tells; with `leads` also by changing rows of
/// tables that refer to this one.
fn may_notify(trigger: &pg_sys::Trigger, leads: bool) -> bool {
    const CHECKS: [u32; 7] = [
        pg_sys::F_RI_FKEY_CHECK_INS,
        pg_sys::F_RI_FKEY_CHECK_UPD,
        pg_sys::F_RI_FKEY_NOACTION_DEL,
        pg_sys::F_RI_FKEY_NOACTION_UPD,
        pg_sys::F_RI_FKEY_RESTRICT_DEL,
        pg_sys::F_RI_FKEY_RESTRICT_UPD,
        pg_sys::F_UNIQUE_KEY_RECHECK,
    ];
    const WORDS: [&str; 5] = ["notify", "temp", "execute", "perform", "call"];
    let function = trigger.tgfoid.to_u32();
    if function < pg_sys::FirstNormalObjectId {
        return leads && trigger.tgisinternal && !CHECKS.contains(&function);
    }
    !trigger.tgisinternal
        && source_text(trigger.tgfoid).is_none_or(|text| {
            let text = text.to_lowercase();
            WORDS.iter().any(|word| text.contains(word))
        })
}

/// Whether the search path names the schema of temporary objects before any that is there. Creates nothing.
pub fn creates_temporarily() -> bool {
    let mut names = std::ptr::null_mut();
    // SAFETY: the text is a private copy, into which the names point; the rest are look-ups.
    unsafe {
        let path = pg_sys::pstrdup(pg_sys::namespace_search_path);
        if !pg_sys::SplitIdentifierString(path, b',' as std::ffi::c_char, &mut names) {
            return false;
        }
        for name in tree::nodes(names) {
            let text = tree::string(name.cast());
            if text == "pg_temp" {
                return true;
            }
            let schema = match text.as_str() {
                "$user" => pg_sys::GetUserNameFromId(pg_sys::GetUserId(), true),
                _ => name.cast(),
            };
            if !schema.is_null() && pg_sys::get_namespace_oid(schema, true) != Oid::INVALID {
                return false;
            }
        }
    }
    false
}

/// The schema of a type.
pub fn namespace_of_type(oid: Oid) -> Oid {
    // SAFETY: a catalogue row that is released after use.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::TYPEOID as i32;
        let row = pg_sys::SearchSysCache1(cache, oid.into());
        if row.is_null() {
            return Oid::INVALID;
        }
        let mut is_null = false;
        let namespace = pg_sys::SysCacheGetAttr(
            cache,
            row,
            pg_sys::Anum_pg_type_typnamespace as i16,
            &mut is_null,
        );
        pg_sys::ReleaseSysCache(row);
        Oid::from(namespace.value() as u32)
    }
}

/// Whether policies limit which rows of a table the current role sees or changes. The table must be locked.
pub fn has_policies(table: Oid) -> bool {
    // SAFETY: catalogue look-ups of a table that is locked.
    let limited = unsafe { pg_sys::check_enable_rls(table, Oid::INVALID, true) };
    limited == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
}

/// Whether it belongs to one session.
pub fn is_temporary(relation: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    unsafe { pg_sys::get_rel_persistence(relation) as u8 == pg_sys::RELPERSISTENCE_TEMP }
}

/// The relation of that name. Takes no lock.
pub fn existing(name: &pg_sys::RangeVar) -> Option<Oid> {
    // CREATE TEMPORARY with a schema: whether that may be, the command itself finds out.
    if name.relpersistence as u8 == pg_sys::RELPERSISTENCE_TEMP && !name.schemaname.is_null() {
        return None;
    }
    // SAFETY: a look-up that may find nothing.
    let oid = unsafe {
        pg_sys::RangeVarGetRelidExtended(
            name,
            pg_sys::NoLock as i32,
            pg_sys::RVROption::RVR_MISSING_OK,
            None,
            std::ptr::null_mut(),
        )
    };
    (oid != Oid::INVALID).then_some(oid)
}

/// The relation of that schema and name.
pub fn numbered((schema, name): &(String, String)) -> Option<Oid> {
    let (schema, name) = (parser::c_text(schema), parser::c_text(name));
    // SAFETY: catalogue look-ups; what is missing has no number.
    let oid = unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        pg_sys::get_relname_relid(name.as_ptr(), schema)
    };
    (oid != Oid::INVALID).then_some(oid)
}

/// A function's schema and name.
pub fn function_name(function: Oid) -> (String, String) {
    // SAFETY: catalogue look-ups.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_func_namespace(function));
        (
            tree::string(schema),
            tree::string(pg_sys::get_func_name(function)),
        )
    }
}

/// A function of PostgreSQL's own catalogue by name and argument types.
pub fn builtin(name: &str, arguments: &[Oid]) -> Option<Oid> {
    let parts = ["pg_catalog", name].map(|part| CString::new(part).unwrap_or_default());
    // SAFETY: a look-up by a list of String nodes; missing is allowed.
    let oid = unsafe {
        let names = tree::make_list(
            parts
                .iter()
                .map(|part| pg_sys::makeString(pg_sys::pstrdup(part.as_ptr())).cast()),
        );
        pg_sys::LookupFuncName(names, arguments.len() as i32, arguments.as_ptr(), true)
    };
    Some(oid).filter(|oid| *oid != Oid::INVALID)
}
