//! Objects of the database that are made, dropped or emptied.

use super::subscribers::{List, Subscriber};
use pgrx::pg_sys::{self, ObjectAccessType, Oid};
use std::ffi::{c_int, c_void};

/// What happens to an object.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// One of `OAT_...`.
    pub kind: ObjectAccessType::Type,
    /// The catalogue that lists the object.
    pub class: Oid,
    /// The object.
    pub object: Oid,
    /// The column of a relation; 0 stands for all of it.
    pub column: c_int,
}

static SUBSCRIBERS: List<Subscriber<Access>> = List::new();
static mut NEXT: pg_sys::object_access_hook_type = None;

/// Has `subscriber` told of accesses to objects.
pub fn subscribe(subscriber: Subscriber<Access>) {
    SUBSCRIBERS.add(subscriber);
}

/// Sets the hook.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT = pg_sys::object_access_hook;
        pg_sys::object_access_hook = Some(accessed);
    }
}

/// PostgreSQL calls it for every function of every statement, too.
unsafe extern "C-unwind" fn accessed(
    kind: ObjectAccessType::Type,
    class: Oid,
    object: Oid,
    column: c_int,
    argument: *mut c_void,
) {
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        if let Some(next) = NEXT {
            next(kind, class, object, column, argument);
        }
        SUBSCRIBERS.tell(&Access {
            kind,
            class,
            object,
            column,
        });
    }
}
