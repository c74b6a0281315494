//! Reports to a router which transaction it has open, as soon as that has an id: `abelian.transaction_id` becomes
//! `<system identifier>-<run of the server>:<transaction id>`. With it the router can ask what became of a COMMIT whose
//! answer it lost. A crash loses what was not yet written, transaction ids included, and the next run gives those out
//! again: so the run is part of the token.

use super::{postgres, settings};
use crate::backend;
use crate::pg_function;
use pgrx::pg_sys;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The transaction reported last by this backend.
static REPORTED: AtomicU64 = AtomicU64::new(0);

/// Which run of the server this is: drawn by the postmaster each time it makes shared memory anew, after a crash of a
/// backend too, and inherited by the processes that it starts then. 0 when the library is not preloaded.
static RUN: AtomicU64 = AtomicU64::new(0);

/// A new run begins; called by the postmaster.
pub fn begin_run() {
    let mut bytes = [0u8; 8];
    // SAFETY: fills the buffer of the given length.
    let drawn = unsafe { pg_sys::pg_strong_random(bytes.as_mut_ptr().cast(), bytes.len()) };
    let time = backend::now() as u64;
    RUN.store(
        if drawn {
            u64::from_ne_bytes(bytes)
        } else {
            time
        },
        Relaxed,
    );
}

/// Which run of the server this is.
pub fn run() -> u64 {
    RUN.load(Relaxed)
}

/// The part of a token that says which run of which server gave it.
fn server_run() -> String {
    // SAFETY: plain read of the control file's copy in memory.
    let system = unsafe { pg_sys::GetSystemIdentifier() };
    format!("{system}-{:x}", RUN.load(Relaxed))
}

pg_function!(
    /// `abelian.server_run()`
    fn abelian_server_run(_call) {
        Ok(postgres::text_datum(&server_run()))
    }
);

/// Whether the transaction has changed anything, or may have.
pub fn has_written() -> bool {
    // SAFETY: a plain read of the transaction state.
    unsafe { pg_sys::GetTopTransactionIdIfAny() != pg_sys::InvalidTransactionId }
}

/// Called after each statement of the client. Transactions outside a transaction block are not reported: they are
/// over before a router could read it.
pub fn report() {
    if settings::PLACEMENT_VERSION.get() == 0 {
        return;
    }
    // SAFETY: plain reads of the transaction state.
    let (in_block, id) = unsafe {
        (
            pg_sys::IsTransactionBlock(),
            pg_sys::GetTopFullTransactionIdIfAny().value,
        )
    };
    if !in_block || id == 0 || REPORTED.swap(id, Relaxed) == id {
        return;
    }
    let token = CString::new(format!("{}:{id}", server_run())).unwrap_or_default();
    // SAFETY: sets our own setting, which PostgreSQL reports before ReadyForQuery.
    unsafe {
        pg_sys::SetConfigOption(
            settings::TRANSACTION_ID_NAME.as_ptr(),
            token.as_ptr(),
            pg_sys::GucContext::PGC_INTERNAL,
            pg_sys::GucSource::PGC_S_OVERRIDE,
        );
    }
}
