//! Triggers of users on distributed tables. They run on the node of the row, where [`super::nested`] looks at what they do.
//!
//! One of the extension's own, which users see as little as those of foreign keys, looks whether rows that others have changed still belong
//! here. And rows that follow a change of their table's placement fire none of users: for these, nothing happens to them. Constraints are
//! checked all the same.

use super::analysis::{parser, tree};
use super::postgres;
use crate::boundary::functions;
use crate::catalog;
use crate::compat;
use crate::error::Error;
use crate::hooks;
use crate::hooks::executor::{self, Start};
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, NodeTag, Oid};
use std::cell::Cell;

thread_local! {
    /// The table whose triggers keep silent; invalid for none.
    static TABLE: Cell<Oid> = const { Cell::new(Oid::INVALID) };
}

/// Subscribes to the hooks.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: |_| is_muted() && hooks::is_client_statement(),
        tell: |_| TABLE.set(Oid::INVALID),
    });
    executor::after_start(Subscriber {
        concerns: |start| is_muted() && !start.is_explain_only(),
        tell: mute,
    });
    executor::after_run(Subscriber {
        concerns: |_| is_muted() && hooks::is_client_statement(),
        tell: |_| TABLE.set(Oid::INVALID),
    });
    transaction::on_end(&Subscriber {
        concerns: |event| is_muted() && transaction::is_over(*event),
        tell: |_| TABLE.set(Oid::INVALID),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |end| is_muted() && end.kind == pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB,
        tell: |_| TABLE.set(Oid::INVALID),
    });
}

/// Whether a trigger is running, be it one of a foreign key.
pub fn is_running() -> bool {
    // SAFETY: it reads a counter, and no argument.
    let depth = unsafe { pg_sys::pg_trigger_depth(std::ptr::null_mut()) };
    depth.value() as i32 > 0
}

fn is_muted() -> bool {
    TABLE.get() != Oid::INVALID
}

pg_function!(
    /// `abelian.mute_triggers(table)`: queries inside of the running function that change it fire no triggers of users; 0 ends that. For its
    /// owner, who can switch triggers off anyway.
    fn abelian_mute_triggers(call) {
        let table = Oid::from(call.arg(0).value() as u32);
        // SAFETY: plain read of the session's state.
        let user = unsafe { pg_sys::GetUserId() };
        if table != Oid::INVALID && !compat::owns(pg_sys::RelationRelationId, table, user) {
            return Err(Error::NotOwner);
        }
        TABLE.set(table);
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.add_internal_trigger(table, command)`: makes what this CREATE TRIGGER says, but as one that is PostgreSQL's own: dumps and
    /// clients do not show it, its number is a part of its name, and it fires whatever `session_replication_role` is.
    fn abelian_add_internal_trigger(call) {
        let table = Oid::from(call.arg(0).value() as u32);
        // SAFETY: declared as regclass and text, the function as STRICT.
        let command = unsafe { postgres::text_argument(call.arg(1)) };
        let parsed = parser::parse(&command).map_err(Error::Postgres)?;
        let statement = parsed.first().map(|raw| raw.stmt);
        if let Some(trigger) = statement.filter(|node| tree::tag(*node) == Some(NodeTag::T_CreateTrigStmt)) {
            let none = Oid::INVALID;
            // SAFETY: the tag says what it is; the text outlives the call.
            unsafe {
                functions::CreateTriggerFiringOn(
                    trigger.cast(), command.as_ptr(), table, none, none, none, none, none, std::ptr::null_mut(), true, false,
                    pg_sys::TRIGGER_FIRES_ALWAYS as std::ffi::c_char,
                );
                pg_sys::CommandCounterIncrement();
            }
        }
        Ok(Datum::null())
    }
);

fn mute(start: &Start) {
    let query = start.query();
    if query.planstate.is_null() {
        return;
    }
    // SAFETY: a query that has just been initialised; the tag says what the state is.
    unsafe {
        if tree::tag((*query.planstate).plan) == Some(NodeTag::T_ModifyTable) {
            let modify = &*query.planstate.cast::<pg_sys::ModifyTableState>();
            let target = &*modify.resultRelInfo;
            if (*target.ri_RelationDesc).rd_id == TABLE.get() {
                mute_all(target.ri_TrigDesc);
            }
        }
    }
}

/// # Safety
/// The descriptor is null, or the query's own copy.
unsafe fn mute_all(triggers: *mut pg_sys::TriggerDesc) {
    // SAFETY: by the caller's promise; it has as many as it says.
    unsafe {
        let Some(described) = triggers.as_ref() else {
            return;
        };
        let all =
            std::slice::from_raw_parts_mut(described.triggers, described.numtriggers as usize);
        for trigger in all {
            if catalog::is_trigger_of_user(trigger) {
                trigger.tgenabled = pg_sys::TRIGGER_DISABLED as std::ffi::c_char;
            }
        }
    }
}
