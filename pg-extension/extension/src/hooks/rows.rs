//! Rows on their way from one plan node to the next.

use crate::boundary;
use pgrx::pg_sys::{self, PlanState, TupleTableSlot};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Which rows go on.
pub type Keep = Rc<dyn Fn(*mut TupleTableSlot) -> bool>;

#[derive(Clone)]
struct Filter {
    original: pg_sys::ExecProcNodeMtd,
    keep: Keep,
}

thread_local! {
    /// By plan node. Entries of ended queries are harmless: who puts a node there writes anew.
    static FILTERS: RefCell<HashMap<usize, Filter>> = RefCell::default();
}

/// Lets only some of the rows that a plan node gives reach the node above.
///
/// # Safety
/// The state of an initialised plan node.
pub unsafe fn filter(node: *mut PlanState, keep: Keep) {
    // SAFETY: by the caller.
    unsafe {
        let original = (*node).ExecProcNodeReal;
        FILTERS.with_borrow_mut(|all| all.insert(node as usize, Filter { original, keep }));
        pg_sys::ExecSetExecProcNode(node, Some(next_kept));
    }
}

/// Forgets all filters, when the queries are over.
pub fn forget() {
    FILTERS.with_borrow_mut(HashMap::clear);
}

/// Stands in for the plan node's own function.
unsafe extern "C-unwind" fn next_kept(node: *mut PlanState) -> *mut TupleTableSlot {
    // SAFETY: errors of the node's own pass through; nothing with a destructor is alive while it runs.
    unsafe {
        let Some(original) = boundary::guard(|| filter_of(node).and_then(|one| one.original))
        else {
            return std::ptr::null_mut();
        };
        loop {
            let slot = original(node);
            let is_empty = slot.is_null() || (*slot).tts_flags & pg_sys::TTS_FLAG_EMPTY as u16 != 0;
            let goes_on = || filter_of(node).is_none_or(|one| (one.keep)(slot));
            if is_empty || boundary::guard(goes_on) {
                return slot;
            }
        }
    }
}

fn filter_of(node: *mut PlanState) -> Option<Filter> {
    FILTERS.with_borrow(|all| all.get(&(node as usize)).cloned())
}
