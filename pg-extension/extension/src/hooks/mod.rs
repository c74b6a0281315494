//! PostgreSQL's hooks: one of each kind, and those who want to be told.
//!
//! PostgreSQL has one function pointer for each kind of hook; whoever sets it calls what was there before. That is done here, once for each
//! kind, and so are the precautions of [`crate::boundary`]: rooms subscribe with safe functions. A subscriber says first, cheaply, whether
//! an event concerns it: most concern nobody, and for those nothing is guarded and PostgreSQL's errors pass untouched. Who has subscribed
//! last is told first. Nothing here knows the rooms.

pub mod access;
pub mod analysis;
pub mod block;
pub mod cache;
pub mod executor;
pub mod memory;
pub mod planner;
mod receiver;
pub mod rows;
pub mod statistics;
pub mod subscribers;
pub mod transaction;
pub mod utility;

use crate::boundary;
use pgrx::pg_sys;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Sets the hooks; called once when the library is loaded, before anybody subscribes.
pub fn install() {
    access::install();
    analysis::install();
    executor::install();
    memory::install();
    planner::install();
    statistics::install();
    utility::install();
}

/// How many runs of queries, commands and plannings enclose the current point.
static DEPTH: AtomicU32 = AtomicU32::new(0);

/// How many of these are utility commands.
static COMMANDS: AtomicU32 = AtomicU32::new(0);

/// How many utility commands enclose the current point.
pub fn commands() -> u32 {
    COMMANDS.load(Relaxed)
}

/// Whether what runs now is called by a query that the client itself has sent.
pub fn is_client_query() -> bool {
    DEPTH.load(Relaxed) == 1 && commands() == 0
}

/// Whether this is inside of a statement: one of a function, a trigger or a utility command.
pub fn is_nested() -> bool {
    DEPTH.load(Relaxed) > 0
}

/// How many runs of queries, commands and plannings enclose the current point.
pub fn depth() -> u32 {
    DEPTH.load(Relaxed)
}

/// Whether a statement that starts now is what the client sent: not one inside of another, and nothing that runs at COMMIT (deferred
/// triggers).
pub fn is_client_statement() -> bool {
    // SAFETY: plain read of a backend variable.
    !is_nested() && !unsafe { pg_sys::ActivePortal }.is_null()
}

/// One level deeper for the time of a raw call, also when an error ends it.
///
/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn nested(call: impl FnOnce()) {
    // SAFETY: by the caller's promise.
    unsafe { counted(&DEPTH, call) }
}

/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn counted(counter: &'static AtomicU32, call: impl FnOnce()) {
    counter.fetch_add(1, Relaxed);
    // SAFETY: by the caller's promise.
    unsafe {
        boundary::pass_errors(call, || {
            counter.fetch_sub(1, Relaxed);
        });
    }
    counter.fetch_sub(1, Relaxed);
}

/// One level deeper for the time of `code`, which may raise errors.
pub fn deeper<R>(code: impl FnOnce() -> R) -> R {
    struct Level;
    impl Drop for Level {
        fn drop(&mut self) {
            DEPTH.fetch_sub(1, Relaxed);
        }
    }
    DEPTH.fetch_add(1, Relaxed);
    let _level = Level;
    code()
}
