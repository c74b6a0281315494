//! Statements that have been analysed.

use super::subscribers::List;
use crate::boundary;
use pgrx::pg_sys;

/// Who looks at an analysed query, and may change it.
pub type Look = fn(*mut pg_sys::Query);

static SUBSCRIBERS: List<Look> = List::new();
static mut NEXT: pg_sys::post_parse_analyze_hook_type = None;

/// Has every query shown to `look` after its analysis.
pub fn subscribe(look: Look) {
    SUBSCRIBERS.add(look);
}

/// Sets the hook.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT = pg_sys::post_parse_analyze_hook;
        pg_sys::post_parse_analyze_hook = Some(analysed);
    }
}

unsafe extern "C-unwind" fn analysed(
    state: *mut pg_sys::ParseState,
    query: *mut pg_sys::Query,
    jumble: *mut pg_sys::JumbleState,
) {
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        if let Some(next) = NEXT {
            next(state, query, jumble);
        }
        boundary::guard(|| SUBSCRIBERS.iter().for_each(|look| look(query)));
    }
}
