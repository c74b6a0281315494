//! DDL: no slice outlives its column, and nothing stands in the way of commands on databases.
//!
//! | command | what happens |
//! |---|---|
//! | DROP TABLE, DROP COLUMN, and whatever cascades to them | the slices of the column go in the same transaction |
//! | TRUNCATE | likewise, once the command holds its locks |
//! | ALTER TABLE | values are read as of now, since the command's snapshot is older than its lock; slices of columns that have another type afterwards go |
//! | CREATE, DROP, ALTER DATABASE | folding workers leave first |
//! | SECURITY LABEL | the provider is there for labels of ours |

use crate::aggregate;
use crate::boundary;
use crate::catalog;
use crate::object::slice_table::{Content, Slice};
use crate::object::{self, read, split_set, worker, write};
use crate::utility::UtilityCall;
use pgrx::pg_sys::{self, NodeTag, Oid};
use pgrx::prelude::*;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::ManuallyDrop;

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

/// Not guarded as a whole: errors of commands must pass with all their fields.
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
    // SAFETY: the next hook or PostgreSQL's own function gets what we got; nothing here has a destructor but what is dropped when an
    // error passes. A utility statement has a node of the type that its tag says.
    unsafe {
        let go_on = || call.pass_on(NEXT_UTILITY);
        let statement = call.node();
        match (*statement).type_ {
            NodeTag::T_AlterTableStmt => {
                read::with_newest(go_on);
                boundary::guarded(|| {
                    if alters_type(statement.cast()) {
                        remove(&|slice| !fits(slice));
                    }
                });
            }
            NodeTag::T_TruncateStmt => {
                boundary::guarded(|| TRUNCATED.with_borrow_mut(Vec::clear));
                go_on();
                boundary::guarded(|| truncated(TRUNCATED.take()));
            }
            NodeTag::T_SecLabelStmt => {
                boundary::guarded(|| aggregate::provide_label(statement.cast()));
                go_on();
            }
            tag if concerns_database(tag, statement) => {
                let mut away = ManuallyDrop::new(None);
                boundary::guarded(|| *away = Some(worker::stay_away()));
                boundary::pass_errors(go_on, || drop(away.take()));
                boundary::guarded(|| {
                    drop(away.take());
                    split_set::forget_databases();
                });
            }
            _ => go_on(),
        }
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

unsafe fn concerns_database(tag: NodeTag, statement: *mut pg_sys::Node) -> bool {
    match tag {
        NodeTag::T_CreatedbStmt | NodeTag::T_DropdbStmt | NodeTag::T_AlterDatabaseStmt => true,
        // SAFETY: by the caller.
        NodeTag::T_RenameStmt => unsafe {
            (*statement.cast::<pg_sys::RenameStmt>()).renameType
                == pg_sys::ObjectType::OBJECT_DATABASE
        },
        _ => false,
    }
}
