//! The executor node that carries out pure operations: PostgreSQL's callbacks, and what they keep.
//!
//! What happens to one row is in [`super::apply`].

use super::apply::Apply;
use super::published;
use super::pure::Private;
use super::tree::{self, Tree};
use crate::boundary::functions;
use crate::callback;
use pgrx::error;
use pgrx::pg_sys::{self, NodeTag};
use std::ffi::c_int;

struct Methods(pg_sys::CustomScanMethods);
// SAFETY: constant tables of functions.
unsafe impl Sync for Methods {}

static METHODS: Methods = Methods(pg_sys::CustomScanMethods {
    CustomName: c"AbelianOperation".as_ptr(),
    CreateCustomScanState: Some(create),
});

struct ExecMethods(pg_sys::CustomExecMethods);
// SAFETY: as above.
unsafe impl Sync for ExecMethods {}

static EXEC_METHODS: ExecMethods = ExecMethods(pg_sys::CustomExecMethods {
    CustomName: c"AbelianOperation".as_ptr(),
    BeginCustomScan: Some(begin),
    ExecCustomScan: Some(execute),
    EndCustomScan: Some(end),
    ReScanCustomScan: Some(rescan),
    MarkPosCustomScan: None,
    RestrPosCustomScan: None,
    EstimateDSMCustomScan: None,
    InitializeDSMCustomScan: None,
    ReInitializeDSMCustomScan: None,
    InitializeWorkerCustomScan: None,
    ShutdownCustomScan: None,
    ExplainCustomScan: Some(explain),
});

/// What plans refer to.
pub fn methods() -> *const pg_sys::CustomScanMethods {
    &METHODS.0
}

/// Makes the node known; called once when the library is loaded.
pub fn install() {
    // SAFETY: registration of a constant.
    unsafe { pg_sys::RegisterCustomScanMethods(methods()) };
}

/// PostgreSQL's state of a custom scan, followed by ours.
#[repr(C)]
struct State {
    scan: pg_sys::CustomScanState,
    /// Made at the beginning, in the statement's memory; owns nothing elsewhere.
    apply: *mut Apply,
}

callback!(fn create(plan: *mut pg_sys::CustomScan) -> *mut pg_sys::Node = make_state);
callback!(fn begin(node: *mut pg_sys::CustomScanState, estate: *mut pg_sys::EState, flags: c_int) = start);
callback!(fn execute(node: *mut pg_sys::CustomScanState) -> *mut pg_sys::TupleTableSlot = next_row);
callback!(fn end(node: *mut pg_sys::CustomScanState) = finish);
callback!(fn rescan(_node: *mut pg_sys::CustomScanState) = |_| error!("abelian: an UPDATE cannot be run twice"));
callback!(fn explain(node: *mut pg_sys::CustomScanState, ancestors: *mut pg_sys::List, explain: *mut pg_sys::ExplainState) = show);

fn make_state(_plan: *mut pg_sys::CustomScan) -> *mut pg_sys::Node {
    // SAFETY: zeroed memory of the state's size, tagged as PostgreSQL requires.
    unsafe {
        let state = pg_sys::palloc0(size_of::<State>()).cast::<State>();
        (*state).scan.ss.ps.type_ = NodeTag::T_CustomScanState;
        (*state).scan.methods = &EXEC_METHODS.0;
        state.cast()
    }
}

/// Our own part of a state that `make_state` made.
///
/// # Safety
/// `node` must be such a state, after `start`.
unsafe fn apply_of<'a>(node: *mut pg_sys::CustomScanState) -> Option<&'a mut Apply> {
    // SAFETY: by the caller.
    unsafe { (*node.cast::<State>()).apply.as_mut() }
}

fn start(node: *mut pg_sys::CustomScanState, estate: *mut pg_sys::EState, flags: c_int) {
    // SAFETY: PostgreSQL passes the state that `make_state` made, and the plan that `pure` made.
    unsafe {
        let plan = (*node).ss.ps.plan.cast::<pg_sys::CustomScan>();
        let Some(subplan) = tree::first::<pg_sys::Plan>((*plan).custom_plans) else {
            error!("abelian: plan without source of rows");
        };
        let Some(private) = Private::of(&*plan) else {
            error!("abelian: plan without columns")
        };
        // As ModifyTable does, of which EXPLAIN is no exception.
        let published = published::publishes_updates((*node).ss.ss_currentRelation);
        let child = functions::ExecInitNode(subplan.pointer(), estate, flags);
        (*node).custom_ps = pg_sys::lappend(std::ptr::null_mut(), child.cast());
        if flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as i32 != 0 {
            return;
        }
        let apply = pg_sys::palloc(size_of::<Apply>()).cast::<Apply>();
        apply.write(Apply::new(node, child, private, published));
        (*node.cast::<State>()).apply = apply;
    }
}

fn next_row(node: *mut pg_sys::CustomScanState) -> *mut pg_sys::TupleTableSlot {
    // SAFETY: as in `start`.
    let Some(apply) = (unsafe { apply_of(node) }) else {
        return std::ptr::null_mut();
    };
    match apply.next_row() {
        Ok(slot) => slot,
        Err(error) => error.raise(),
    }
}

fn finish(node: *mut pg_sys::CustomScanState) {
    // SAFETY: as in `start`; the child is the one made there.
    unsafe {
        if let Some(apply) = apply_of(node) {
            apply.end();
        }
        if let Some(child) = tree::first::<pg_sys::PlanState>((*node).custom_ps) {
            pg_sys::ExecEndNode(child.pointer());
        }
    }
}

fn show(
    node: *mut pg_sys::CustomScanState,
    _ancestors: *mut pg_sys::List,
    explain: *mut pg_sys::ExplainState,
) {
    // SAFETY: as in `start`; the relation was opened by PostgreSQL.
    unsafe {
        let plan = Tree::new((*node).ss.ps.plan.cast::<pg_sys::CustomScan>());
        let Some(private) = plan.and_then(|plan| Private::of(&plan)) else {
            return;
        };
        let relation = (*(*node).ss.ss_currentRelation).rd_id;
        let names = private
            .attributes
            .iter()
            .fold(std::ptr::null_mut(), |names, attribute| {
                pg_sys::lappend(
                    names,
                    pg_sys::get_attname(relation, attribute as i16, false).cast(),
                )
            });
        pg_sys::ExplainPropertyList(c"Operations".as_ptr(), names, explain);
        if private.tests_values() {
            let name = pg_sys::get_attname(relation, private.tested, false);
            pg_sys::ExplainPropertyText(c"Tested in Range".as_ptr(), name, explain);
        }
        if let Some(apply) = apply_of(node)
            && (*explain).analyze
        {
            let number = |label: &std::ffi::CStr, value: i64| {
                pg_sys::ExplainPropertyInteger(label.as_ptr(), std::ptr::null(), value, explain);
            };
            number(c"In Place", apply.done.in_place);
            number(c"In Slices", apply.done.in_slices);
        }
    }
}
