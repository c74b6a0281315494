//! DDL: no slice outlives its column, and nothing stands in the way of commands on databases.
//!
//! | command | what happens |
//! |---|---|
//! | DROP TABLE, DROP COLUMN, and whatever cascades to them | the slices of the column go in the same transaction |
//! | TRUNCATE | likewise, once the command holds its locks |
//! | ALTER TABLE | values are read as of now, since the command's snapshot is older than its lock; slices of columns that have another type afterwards go |
//! | CREATE, DROP, ALTER DATABASE | folding workers leave first |

use crate::catalog;
use crate::hooks::access;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command};
use crate::object::slice_table::{Content, Slice};
use crate::object::{self, read, split_set, worker, write};
use pgrx::pg_sys::{self, NodeTag, Oid};
use std::cell::RefCell;

thread_local! {
    /// Tables that the running TRUNCATE names; it does not have its locks yet when the hook hears of them.
    static TRUNCATED: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Subscribes to hooks; called once when the library is loaded.
pub fn install() {
    use pg_sys::ObjectAccessType::{OAT_DROP, OAT_TRUNCATE};
    access::subscribe(Subscriber {
        concerns: |access| {
            access.class == pg_sys::RelationRelationId
                && (access.kind == OAT_DROP || access.kind == OAT_TRUNCATE)
        },
        tell: |access| match access.kind {
            OAT_DROP => dropped(access.object, access.column as i16),
            _ => TRUNCATED.with_borrow_mut(|tables| tables.push(access.object)),
        },
    });
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_AlterTableStmt,
        around: alter_table,
    });
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_TruncateStmt,
        around: truncate,
    });
    utility::subscribe(Around {
        concerns: concerns_database,
        around: change_database,
    });
}

/// A table (`column` 0) or column is about to be dropped; the command holds AccessExclusiveLock.
fn dropped(relation: Oid, column: i16) {
    if (column == 0 && has_objects(relation)) || is_object(relation, column) {
        remove(&|slice| {
            slice.object.relation == relation && (column == 0 || slice.object.attribute == column)
        });
    }
}

fn remove(filter: &dyn Fn(&Slice) -> bool) {
    // While the extension itself is dropped, its table may be gone before the users' columns.
    let there = catalog::find().is_some_and(|c| exists(c.slice) && exists(c.slice_key));
    if there && let Err(error) = write::discard_where(filter) {
        error.raise();
    }
}

fn exists(relation: Oid) -> bool {
    // SAFETY: syscache lookup.
    unsafe {
        pg_sys::SearchSysCacheExists(
            pg_sys::SysCacheIdentifier::RELOID as i32,
            relation.into(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        )
    }
}

fn has_objects(relation: Oid) -> bool {
    // SAFETY: syscache lookup; the tuple is released.
    let columns = unsafe {
        let tuple =
            pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::RELOID as i32, relation.into());
        if tuple.is_null() {
            return false;
        }
        let columns = (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>()).relnatts;
        pg_sys::ReleaseSysCache(tuple);
        columns
    };
    (1..=columns).any(|column| is_object(relation, column))
}

fn is_object(relation: Oid, column: i16) -> bool {
    column > 0
        && catalog::find().is_some_and(|c| object::is_object_type(&c, type_of(relation, column)))
}

/// Type of a column; invalid for one that does not exist (any more).
fn type_of(relation: Oid, column: i16) -> Oid {
    // SAFETY: syscache lookup.
    unsafe { pg_sys::get_atttype(relation, column) }
}

fn alter_table(command: &Command, alter: &mut dyn FnMut()) {
    // SAFETY: the node is of this type.
    let alters_type = unsafe { alters_type(command.node().cast()) };
    read::with_newest(alter);
    if alters_type {
        remove(&|slice| !fits(slice));
    }
}

fn truncate(_: &Command, truncate: &mut dyn FnMut()) {
    TRUNCATED.with_borrow_mut(Vec::clear);
    truncate();
    truncated(TRUNCATED.take());
}

fn change_database(_: &Command, change: &mut dyn FnMut()) {
    let _away = worker::stay_away();
    change();
    split_set::forget_databases();
}

fn truncated(mut tables: Vec<Oid>) {
    tables.retain(|table| has_objects(*table));
    if !tables.is_empty() {
        remove(&|slice| tables.contains(&slice.object.relation));
    }
}

unsafe fn alters_type(statement: *mut pg_sys::AlterTableStmt) -> bool {
    // SAFETY: by the caller; the list holds AlterTableCmd nodes.
    unsafe {
        let commands = (*statement).cmds;
        (0..pg_sys::list_length(commands)).any(|n| {
            let command = pg_sys::list_nth(commands, n).cast::<pg_sys::AlterTableCmd>();
            (*command).subtype == pg_sys::AlterTableType::AT_AlterColumnType
        })
    }
}

/// Whether the slice's column (still) is of the slice's type.
fn fits(slice: &Slice) -> bool {
    let column = type_of(slice.object.relation, slice.object.attribute);
    catalog::find().is_some_and(|c| match slice.content {
        Content::Counter(_) => c.is_counter_type(column),
        Content::Decimal(_) => column == c.decimal_counter,
        Content::State(type_, _) => column == type_,
    })
}

fn concerns_database(command: &Command) -> bool {
    match command.tag() {
        NodeTag::T_CreatedbStmt | NodeTag::T_DropdbStmt | NodeTag::T_AlterDatabaseStmt => true,
        // SAFETY: the node is of the type its tag says.
        NodeTag::T_RenameStmt => unsafe {
            (*command.node().cast::<pg_sys::RenameStmt>()).renameType
                == pg_sys::ObjectType::OBJECT_DATABASE
        },
        _ => false,
    }
}
