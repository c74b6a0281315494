//! The ends of transactions and subtransactions. PostgreSQL itself keeps the list of those who want to be told, the newest first.

use super::subscribers::Subscriber;
use crate::boundary;
use pgrx::pg_sys::{self, ResourceReleasePhase, SubTransactionId, SubXactEvent, XactEvent};
use std::ffi::c_void;

/// The end of a subtransaction.
#[derive(Clone, Copy, Debug)]
pub struct SubtransactionEnd {
    /// One of `SUBXACT_EVENT_...`.
    pub kind: SubXactEvent::Type,
    /// Which.
    pub own: SubTransactionId,
    /// Inside of which other.
    pub parent: SubTransactionId,
}

/// Whether this is the last step: the transaction is committed, aborted or prepared.
pub fn is_over(event: XactEvent::Type) -> bool {
    use XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
    [XACT_EVENT_COMMIT, XACT_EVENT_ABORT, XACT_EVENT_PREPARE].contains(&event)
}

/// Has `subscriber` told of steps towards the end of a transaction.
pub fn on_end(subscriber: &'static Subscriber<XactEvent::Type>) {
    // SAFETY: the subscriber lives as long as the process.
    unsafe { pg_sys::RegisterXactCallback(Some(ended), address(subscriber)) };
}

/// Has `subscriber` told of steps in the life of a subtransaction.
pub fn on_subtransaction(subscriber: &'static Subscriber<SubtransactionEnd>) {
    // SAFETY: as in `on_end`.
    unsafe { pg_sys::RegisterSubXactCallback(Some(subtransaction_ended), address(subscriber)) };
}

/// Has `subscriber` told when the locks of a transaction are released, or handed to a prepared one.
pub fn after_locks(subscriber: &'static Subscriber<()>) {
    // SAFETY: as in `on_end`.
    unsafe { pg_sys::RegisterResourceReleaseCallback(Some(released), address(subscriber)) };
}

fn address<E>(subscriber: &'static Subscriber<E>) -> *mut c_void {
    std::ptr::from_ref(subscriber).cast_mut().cast()
}

/// # Safety
/// `subscriber` must be what [`address`] gave for one of such events; the rest as [`boundary::guard`].
unsafe fn tell<E: 'static>(subscriber: *mut c_void, event: &E) {
    // SAFETY: by the caller.
    unsafe {
        let subscriber = &*subscriber.cast::<Subscriber<E>>();
        if (subscriber.concerns)(event) {
            boundary::guard(|| (subscriber.tell)(event));
        }
    }
}

unsafe extern "C-unwind" fn ended(event: XactEvent::Type, subscriber: *mut c_void) {
    // SAFETY: PostgreSQL calls, with the address given in `on_end`.
    unsafe { tell(subscriber, &event) }
}

unsafe extern "C-unwind" fn subtransaction_ended(
    kind: SubXactEvent::Type,
    own: SubTransactionId,
    parent: SubTransactionId,
    subscriber: *mut c_void,
) {
    let event = SubtransactionEnd { kind, own, parent };
    // SAFETY: PostgreSQL calls, with the address given in `on_subtransaction`.
    unsafe { tell(subscriber, &event) }
}

unsafe extern "C-unwind" fn released(
    phase: ResourceReleasePhase::Type,
    _commit: bool,
    top_level: bool,
    subscriber: *mut c_void,
) {
    if phase == ResourceReleasePhase::RESOURCE_RELEASE_AFTER_LOCKS && top_level {
        // SAFETY: PostgreSQL calls, with the address given in `after_locks`.
        unsafe { tell(subscriber, &()) }
    }
}
