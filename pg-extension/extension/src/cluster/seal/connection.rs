//! What a connection is called: `abelian.connection`, which the node reports when it begins. No other connection of the cluster ever
//! has that name; it is no secret.

use crate::callback;
use crate::cluster::transaction_token;
use pgrx::pg_sys;
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    /// What was shown last: PostgreSQL reads it after the hook has returned.
    static SHOWN: RefCell<CString> = RefCell::default();
}

/// The name of this connection.
pub fn name() -> String {
    // SAFETY: plain reads of what each process knows of itself.
    unsafe { name_of(pg_sys::MyProcPid, pg_sys::MyStartTimestamp) }
}

/// `<run of the server>-<database>.<process>.<its start>`: before the first point is what a key is good for. A process of another database
/// has another name.
pub fn name_of(process: i32, start: i64) -> String {
    // SAFETY: plain read of a backend variable.
    let database = unsafe { pg_sys::MyDatabaseId }.to_u32();
    let run = transaction_token::run();
    format!("{run:x}-{database:x}.{process}.{start:x}")
}

callback!(
    /// Show hook of `abelian.connection`.
    pub fn show() -> *const c_char = shown
);

fn shown() -> *const c_char {
    SHOWN.with_borrow_mut(|shown| {
        *shown = CString::new(name()).unwrap_or_default();
        shown.as_ptr()
    })
}
