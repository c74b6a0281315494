//! What is done around each row that a query gives.

use pgrx::pg_sys;
use std::ffi::c_int;

/// Is given the code that passes a row on, and runs it once.
pub type AroundRow = fn(&mut dyn FnMut());

/// Passes rows on to another receiver.
#[repr(C)]
struct Passing {
    receiver: pg_sys::DestReceiver,
    inner: *mut pg_sys::DestReceiver,
    around: AroundRow,
}

/// A receiver that passes rows on to another one.
///
/// # Safety
/// The other one must live as long as the memory context in which this is made.
pub(super) unsafe fn around(
    inner: *mut pg_sys::DestReceiver,
    around: AroundRow,
) -> *mut pg_sys::DestReceiver {
    // SAFETY: just allocated; the other one is live.
    unsafe {
        let passing = pg_sys::palloc0(size_of::<Passing>()).cast::<Passing>();
        passing.write(Passing {
            receiver: pg_sys::DestReceiver {
                receiveSlot: Some(receive),
                rStartup: Some(start),
                rShutdown: Some(shut_down),
                rDestroy: Some(destroy),
                mydest: (*inner).mydest,
            },
            inner,
            around,
        });
        passing.cast()
    }
}

/// # Safety
/// A receiver that [`around`] has made.
unsafe fn inner(this: *mut pg_sys::DestReceiver) -> *mut pg_sys::DestReceiver {
    // SAFETY: by the caller.
    unsafe { (*this.cast::<Passing>()).inner }
}

unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    this: *mut pg_sys::DestReceiver,
) -> bool {
    let mut goes_on = false;
    // SAFETY: the other one gets what we got; nothing here has a destructor.
    unsafe {
        let (inner, around) = (inner(this), (*this.cast::<Passing>()).around);
        if let Some(receive) = (*inner).receiveSlot {
            around(&mut || goes_on = receive(slot, inner));
        }
    }
    goes_on
}

unsafe extern "C-unwind" fn start(
    this: *mut pg_sys::DestReceiver,
    operation: c_int,
    columns: pg_sys::TupleDesc,
) {
    // SAFETY: as in `receive`.
    unsafe {
        let inner = inner(this);
        if let Some(start) = (*inner).rStartup {
            start(inner, operation, columns);
        }
    }
}

unsafe extern "C-unwind" fn shut_down(this: *mut pg_sys::DestReceiver) {
    // SAFETY: as in `receive`.
    unsafe {
        let inner = inner(this);
        if let Some(shut_down) = (*inner).rShutdown {
            shut_down(inner);
        }
    }
}

/// Who has made the other one destroys it.
unsafe extern "C-unwind" fn destroy(_this: *mut pg_sys::DestReceiver) {}
