//! Shared memory whose size only the server's settings tell; what has a constant size is in `crate::shared_memory`.

use super::subscribers::List;
use crate::boundary;
use pgrx::pg_sys;

/// Who needs memory.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// How many bytes.
    pub bytes: fn() -> usize,
    /// Called in the postmaster once the memory can be had.
    pub attach: fn(),
}

static SUBSCRIBERS: List<Needs> = List::new();
static mut NEXT_REQUEST: pg_sys::shmem_request_hook_type = None;
static mut NEXT_STARTUP: pg_sys::shmem_startup_hook_type = None;

/// Asks for memory.
pub fn request(needs: Needs) {
    SUBSCRIBERS.add(needs);
}

/// Sets the hooks.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT_REQUEST = pg_sys::shmem_request_hook;
        pg_sys::shmem_request_hook = Some(requested);
        NEXT_STARTUP = pg_sys::shmem_startup_hook;
        pg_sys::shmem_startup_hook = Some(started);
    }
}

unsafe extern "C-unwind" fn requested() {
    // SAFETY: called by the postmaster at the time for requests; nothing here has a destructor.
    unsafe {
        if let Some(next) = NEXT_REQUEST {
            next();
        }
        boundary::guard(|| {
            let bytes = SUBSCRIBERS.iter().map(|one| (one.bytes)()).sum();
            pg_sys::RequestAddinShmemSpace(bytes);
        });
    }
}

unsafe extern "C-unwind" fn started() {
    // SAFETY: called by the postmaster while it alone has the segment; nothing here has a destructor.
    unsafe {
        if let Some(next) = NEXT_STARTUP {
            next();
        }
        boundary::guard(|| SUBSCRIBERS.iter().for_each(|one| (one.attach)()));
    }
}
