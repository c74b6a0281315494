//! Functions of PostgreSQL that raise no ERROR where we call them. pgrx puts a `sigsetjmp` around every other call, about
//! 110 instructions, so that an ERROR unwinds Rust frames; these do without it. Here is what is called for every row,
//! statement or transaction, and why it cannot raise.

use pgrx::pg_sys::{
    Buffer, CommandId, LOCKMODE, MemoryContext, Page, Relation, Snapshot, SubTransactionId,
    TimestampTz, TransactionId,
};
use std::ffi::{c_int, c_void};

// They only look at variables.
unsafe extern "C" {
    pub fn ActiveSnapshotSet() -> bool;
    /// Asserts that there is one.
    pub fn GetActiveSnapshot() -> Snapshot;
    pub fn HistoricSnapshotActive() -> bool;
    pub fn GetCurrentTimestamp() -> TimestampTz;
    pub fn GetTopTransactionIdIfAny() -> TransactionId;
    pub fn GetCurrentSubTransactionId() -> SubTransactionId;
    pub fn ShareSerializableXact() -> *mut c_void;
    pub fn TransactionIdIsCurrentTransactionId(transaction: TransactionId) -> bool;
    pub fn PageGetHeapFreeSpace(page: Page) -> usize;
}

// They complain only of what is not there: a buffer that is not pinned, a relation that is not open, memory that is not
// allocated. Whoever calls them has it from PostgreSQL.
unsafe extern "C" {
    /// Waits for whoever has the page; nothing interrupts that.
    pub fn LockBuffer(buffer: Buffer, mode: c_int);
    pub fn ReleaseBuffer(buffer: Buffer);
    pub fn table_close(relation: Relation, lock: LOCKMODE);
    pub fn pfree(pointer: *mut c_void);
    /// No callback of PostgreSQL's on memory raises.
    pub fn MemoryContextReset(context: MemoryContext);
}

// The C library's, and a variable of PostgreSQL's scanner.
unsafe extern "C" {
    pub fn kill(process: c_int, signal: c_int) -> c_int;
    /// Its length is not part of the bindings.
    pub static ScanKeywordTokens: [u16; 1];
}

mod raw {
    unsafe extern "C" {
        pub fn get_timeout_active(timeout: std::ffi::c_int) -> bool;
        pub fn GetCurrentCommandId(used: bool) -> pgrx::pg_sys::CommandId;
    }
}

/// Whether `statement_timeout` runs, and has not fired.
pub fn statement_timeout_runs() -> bool {
    /// Its number, in all of 15 to 18.
    const STATEMENT_TIMEOUT: c_int = 3;
    // SAFETY: reads a variable of this process.
    unsafe { raw::get_timeout_active(STATEMENT_TIMEOUT) }
}

/// The number of the running command, which is not marked as having written (marking raises in parallel workers).
///
/// # Safety
/// Inside a transaction.
pub unsafe fn current_command() -> CommandId {
    // SAFETY: by the caller.
    unsafe { raw::GetCurrentCommandId(false) }
}
