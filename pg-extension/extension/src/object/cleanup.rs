//! DDL: no slice outlives its column, and nothing stands in the way of commands on databases.
//!
//! | command | what happens |
//! |---|---|
//! | DROP TABLE, DROP COLUMN, and whatever cascades to them | the slices of the column go in the same transaction |
//! | TRUNCATE | likewise, once the command holds its locks |
//! | ALTER TABLE | values are read as of now, since the command's snapshot is older than its lock; slices of columns that have another type afterwards go |
//! | CREATE, DROP, ALTER DATABASE | the folding worker of the database leaves first |

use crate::catalog;
use crate::object::databases::{self, Command};
use crate::object::slice_table::{Content, Slice};
use crate::object::{self, leftovers, orphans, read, split_set, worker, write};
use crate::utility::UtilityCall;
use pgrx::pg_sys::{self, NodeTag, Oid};
use pgrx::prelude::*;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};

static mut NEXT_ACCESS: pg_sys::object_access_hook_type = None;
static mut NEXT_UTILITY: pg_sys::ProcessUtility_hook_type = None;

thread_local! {
    /// Tables that the running TRUNCATE names; it does not have its locks yet when the hook hears of them.
    static TRUNCATED: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Installs the hooks; called once when the library is loaded.
pub fn install() {
    // SAFETY: before any session exists; earlier hooks are called from ours.
    unsafe {
        NEXT_ACCESS = pg_sys::object_access_hook;
        pg_sys::object_access_hook = Some(on_access);
        NEXT_UTILITY = pg_sys::ProcessUtility_hook;
        pg_sys::ProcessUtility_hook = Some(on_utility);
    }
}

/// PostgreSQL calls it for every function of every statement, too: for what is of no concern, nothing is guarded.
unsafe extern "C-unwind" fn on_access(
    access: pg_sys::ObjectAccessType::Type,
    class: Oid,
    object: Oid,
    column: c_int,
    argument: *mut c_void,
) {
    // SAFETY: the chained hook gets what we got; nothing here has a destructor.
    unsafe {
        if let Some(next) = NEXT_ACCESS {
            next(access, class, object, column, argument);
        }
        if class == pg_sys::RelationRelationId {
            on_relation(access, object, column);
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_relation(
    access: pg_sys::ObjectAccessType::Type,
    object: Oid,
    column: c_int,
) {
    use pg_sys::ObjectAccessType::{OAT_DROP, OAT_TRUNCATE};
    if access == OAT_DROP {
        dropped(object, column as i16);
    } else if access == OAT_TRUNCATE {
        TRUNCATED.with_borrow_mut(|tables| tables.push(object));
    }
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

/// Users' code runs below CALL and DO, whose errors must pass with all their fields; nothing else is to be done for them.
#[allow(clippy::too_many_arguments)] // PostgreSQL's signature
unsafe extern "C-unwind" fn on_utility(
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    destination: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    let call = UtilityCall {
        statement,
        text,
        read_only,
        context,
        parameters,
        environment,
        destination,
        completion,
    };
    // SAFETY: the arguments pass through as PostgreSQL gave them; nothing here has a destructor.
    unsafe {
        if call.runs_users_code() {
            call.pass_on(NEXT_UTILITY);
        } else {
            on_other_utility(call);
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_other_utility(call: UtilityCall) {
    // SAFETY: the next hook or PostgreSQL's own function gets what we got.
    let go_on = || unsafe { call.pass_on_guarded(NEXT_UTILITY) };
    // SAFETY: a utility statement has a node.
    let statement = unsafe { call.node() };
    match unsafe { (*statement).type_ } {
        NodeTag::T_AlterTableStmt => {
            read::with_newest(go_on);
            // SAFETY: the node is of this type.
            if unsafe { alters_type(statement.cast()) } {
                remove(&|slice| !fits(slice));
                note_rewritten();
            }
        }
        NodeTag::T_TruncateStmt => {
            TRUNCATED.with_borrow_mut(Vec::clear);
            go_on();
            truncated(TRUNCATED.take());
        }
        // SAFETY: a utility statement.
        _ => match unsafe { databases::command(statement) } {
            Command::Other => go_on(),
            Command::Harmless => {
                go_on();
                split_set::forget_databases();
            }
            Command::Needs(database) => {
                let _away = worker::stay_away(database);
                go_on();
                split_set::forget_databases();
            }
        },
    }
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
        pg_sys::LockHeldByMe(&tag, pg_sys::AccessExclusiveLock as i32)
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
