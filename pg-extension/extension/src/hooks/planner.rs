//! Planning. A function that is declared IMMUTABLE may run meanwhile, inside of the statement that is planned.

use super::nested;
use super::subscribers::List;
use crate::boundary;
use pgrx::pg_sys;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

mod raw {
    use pgrx::pg_sys;
    unsafe extern "C-unwind" {
        pub fn standard_planner(
            query: *mut pg_sys::Query,
            text: *const std::ffi::c_char,
            options: std::ffi::c_int,
            parameters: pg_sys::ParamListInfo,
        ) -> *mut pg_sys::PlannedStmt;
    }
}

/// What is to be done with the plan.
pub type Finish = Box<dyn FnOnce(*mut pg_sys::PlannedStmt)>;

/// Who prepares a query for planning with these parameters, and may want its plan.
pub type Prepare = fn(*mut pg_sys::Query, pg_sys::ParamListInfo) -> Option<Finish>;

static SUBSCRIBERS: List<Prepare> = List::new();
static mut NEXT: pg_sys::planner_hook_type = None;

/// The text that the query which is being prepared stands in; null for none.
static TEXT: AtomicPtr<c_char> = AtomicPtr::new(std::ptr::null_mut());

/// The text of the client's or a function's that the query comes from; for those who prepare it.
pub fn text() -> Option<&'static CStr> {
    let text = TEXT.load(Relaxed);
    // SAFETY: PostgreSQL's own text, which outlives the planning.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// Has every query given to `prepare` before it is planned.
pub fn subscribe(prepare: Prepare) {
    SUBSCRIBERS.add(prepare);
}

/// Sets the hook.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT = pg_sys::planner_hook;
        pg_sys::planner_hook = Some(plan);
    }
}

unsafe extern "C-unwind" fn plan(
    query: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    parameters: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    // SAFETY: the planner gets what we got. Nothing here has a destructor; what wants the plan is kept by its address, and dropped
    // however the planning ends.
    unsafe {
        let next = NEXT.unwrap_or(raw::standard_planner);
        TEXT.store(text.cast_mut(), Relaxed);
        let finish = boundary::guard(|| prepared(query, parameters));
        TEXT.store(std::ptr::null_mut(), Relaxed);
        let mut statement = std::ptr::null_mut();
        let mut planned = || nested(|| statement = next(query, text, options, parameters));
        if finish.is_null() {
            planned();
            return statement;
        }
        boundary::pass_errors(planned, || drop(Box::from_raw(finish)));
        boundary::guard(|| {
            for finish in *Box::from_raw(finish) {
                finish(statement);
            }
        });
        statement
    }
}

/// Those who want the plan; null for nobody.
fn prepared(query: *mut pg_sys::Query, parameters: pg_sys::ParamListInfo) -> *mut Vec<Finish> {
    let all: Vec<Finish> = SUBSCRIBERS
        .iter()
        .filter_map(|prepare| prepare(query, parameters))
        .collect();
    match all.is_empty() {
        true => std::ptr::null_mut(),
        false => Box::into_raw(Box::new(all)),
    }
}
