//! Which table a version of a row is of, where BEFORE triggers have waited for it.
//!
//! PostgreSQL locks the row before such a trigger runs. If it has to wait, and finds a newer version, it evaluates the statement on that one, in
//! a place of its own that it does not give the table's number: `tableoid` is 0 there. Our functions are told by `tableoid` where to look for the
//! row's newest version. So these places are made, and given the number, when the query starts.

use crate::hooks::executor::{self, Start};
use crate::hooks::subscribers::Subscriber;
use pgrx::pg_sys;

/// Has queries looked at when they start; called once when the library is loaded.
pub fn install() {
    executor::after_start(Subscriber {
        concerns: |start| !start.is_explain_only(),
        tell: start,
    });
}

fn start(start: &Start) {
    for state in executor::changes(start.query()) {
        // SAFETY: it has just been initialised, and is nobody else's; its targets are open.
        unsafe {
            let change = &mut *state;
            for at in 0..change.mt_nrels as usize {
                let target = &*change.resultRelInfo.add(at);
                if locks_for_triggers(target) {
                    name_version(&mut change.mt_epqstate, target);
                }
            }
        }
    }
}

/// # Safety
/// As in `start`.
unsafe fn locks_for_triggers(target: &pg_sys::ResultRelInfo) -> bool {
    // SAFETY: an open relation has these, or null.
    unsafe {
        let triggers = target.ri_TrigDesc.as_ref();
        let is_table = !(*target.ri_RelationDesc).rd_tableam.is_null();
        is_table
            && triggers.is_some_and(|all| all.trig_update_before_row || all.trig_delete_before_row)
    }
}

/// # Safety
/// As in `start`.
unsafe fn name_version(rechecks: &mut pg_sys::EPQState, target: &pg_sys::ResultRelInfo) {
    // SAFETY: by the caller. PostgreSQL makes the place in this way itself, and keeps it until the query ends; what it stores there leaves the number.
    unsafe {
        let relation = target.ri_RelationDesc;
        let place = pg_sys::EvalPlanQualSlot(rechecks, relation, target.ri_RangeTableIndex);
        (*place).tts_tableOid = (*relation).rd_id;
    }
}
