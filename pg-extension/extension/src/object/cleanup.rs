//! DDL: no slice outlives its column, and nothing stands in the way of commands on databases.
//!
//! | command | what happens |
//! |---|---|
//! | DROP TABLE, DROP COLUMN, and whatever cascades to them | the slices of the column go in the same transaction |
//! | TRUNCATE | likewise, once the command holds its locks |
//! | ALTER TABLE | values are read as of now, since the command's snapshot is older than its lock; slices of columns that have another type afterwards go |
//! | CREATE, DROP, ALTER DATABASE | the folding worker of the database leaves first |

use crate::catalog;
use crate::compat;
use crate::hooks::access;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::object::databases::{self, Needs};
use crate::object::slice_table::{Content, Slice};
use crate::object::{self, leftovers, orphans, read, split_set, worker, write};
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
        concerns: databases::concerns,
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

fn alter_table(command: &Command, alter: Runner<'_>) {
    // SAFETY: the node is of this type.
    let alters_type = unsafe { alters_type(command.node().cast()) };
    read::with_newest(|| alter(command));
    if alters_type {
        remove(&|slice| !fits(slice));
        note_rewritten();
    }
}

fn truncate(command: &Command, truncate: Runner<'_>) {
    TRUNCATED.with_borrow_mut(Vec::clear);
    truncate(command);
    truncated(TRUNCATED.take());
}

fn change_database(command: &Command, change: Runner<'_>) {
    // SAFETY: a command that is about to run.
    let _away = match unsafe { databases::needs(command.node()) } {
        Needs::One(database) => worker::stay_away(database),
        Needs::None => None,
    };
    change(command);
    split_set::forget_databases();
}

/// Columns of the tables that the command has rewritten may have new objects.
fn note_rewritten() {
    let Ok(tables) = orphans::tables() else {
        return;
    };
    for table in tables.into_iter().filter(|table| is_locked(*table)) {
        leftovers::note(table);
        worker::note_slices();
    }
}

/// Whether the transaction holds the lock under which a table is rewritten.
fn is_locked(table: Oid) -> bool {
    // SAFETY: looks at the transaction's own locks.
    unsafe {
        let tag = pg_sys::LOCKTAG {
            locktag_field1: pg_sys::MyDatabaseId.to_u32(),
            locktag_field2: table.to_u32(),
            locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
            locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
            ..Default::default()
        };
        compat::holds_lock(&tag, pg_sys::AccessExclusiveLock as i32)
    }
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
