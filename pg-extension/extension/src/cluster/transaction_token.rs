//! Reports to a router which transaction it has open, as soon as that has an id: `abelian.transaction_id` becomes
//! `<system identifier>:<transaction id>`. With it the router can ask what became of a COMMIT whose answer it lost.

use super::settings;
use pgrx::pg_sys;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The transaction reported last by this backend.
static REPORTED: AtomicU64 = AtomicU64::new(0);

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
    // SAFETY: plain read of the control file's copy in memory.
    let system = unsafe { pg_sys::GetSystemIdentifier() };
    let token = CString::new(format!("{system}:{id}")).unwrap_or_default();
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
