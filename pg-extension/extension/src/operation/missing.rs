//! Functions of PostgreSQL (in all of 15 to 18) that the bindings leave out.

use pgrx::pg_sys::{self, Datum, Oid};

mod raw {
    use pgrx::pg_sys;
    unsafe extern "C-unwind" {
        pub fn datum_image_eq(
            a: pg_sys::Datum,
            b: pg_sys::Datum,
            by_value: bool,
            length: std::ffi::c_int,
        ) -> bool;
        pub fn datumCopy(
            datum: pg_sys::Datum,
            by_value: bool,
            length: std::ffi::c_int,
        ) -> pg_sys::Datum;
        pub fn has_subclass(relation: pg_sys::Oid) -> bool;
        pub fn find_all_inheritors(
            relation: pg_sys::Oid,
            lock: pg_sys::LOCKMODE,
            parents: *mut *mut pg_sys::List,
        ) -> *mut pg_sys::List;
        pub fn has_partition_attrs(
            relation: pg_sys::Relation,
            attributes: *mut pg_sys::Bitmapset,
            used_in_expression: *mut bool,
        ) -> bool;
        pub fn preprocess_function_rtes(root: *mut pg_sys::PlannerInfo);
    }
}

/// Calls C so that an ERROR unwinds Rust frames.
fn guarded<T>(call: impl FnOnce() -> T) -> T {
    // SAFETY: the boundary is made for this.
    unsafe { pg_sys::submodules::ffi::pg_guard_ffi_boundary(call) }
}

/// Whether two values of one type are the same bytes, however they are stored.
///
/// # Safety
/// Both must be datums of a type of this length.
pub unsafe fn same_image(a: Datum, b: Datum, by_value: bool, length: i16) -> bool {
    // SAFETY: by the caller.
    guarded(|| unsafe { raw::datum_image_eq(a, b, by_value, length.into()) })
}

/// A copy in the current memory context.
///
/// # Safety
/// A datum of a type of this length.
pub unsafe fn copy(datum: Datum, by_value: bool, length: i16) -> Datum {
    // SAFETY: by the caller.
    guarded(|| unsafe { raw::datumCopy(datum, by_value, length.into()) })
}

/// The relations that inherit from this one, or are its partitions, at any depth; they get an AccessShare lock.
pub fn descendants(relation: Oid) -> Vec<Oid> {
    // SAFETY: lookups by identifier; the list is ours and begins with the relation itself.
    guarded(|| unsafe {
        if !raw::has_subclass(relation) {
            return Vec::new();
        }
        let list = raw::find_all_inheritors(
            relation,
            pg_sys::AccessShareLock as i32,
            std::ptr::null_mut(),
        );
        (1..(*list).length)
            .map(|i| pg_sys::list_nth_oid(list, i))
            .collect()
    })
}

/// Whether the column is part of the relation's partition key.
///
/// # Safety
/// The relation must be open.
pub unsafe fn partitions_by(relation: pg_sys::Relation, attribute: i16) -> bool {
    let member = i32::from(attribute) - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: by the caller.
    guarded(|| unsafe {
        let attributes = pg_sys::bms_make_singleton(member);
        raw::has_partition_attrs(relation, attributes, std::ptr::null_mut())
    })
}

/// Puts the SQL functions in the FROM of the root's query in the place of their calls, where PostgreSQL would.
///
/// # Safety
/// The root must have a query, and a place for what the plan depends on.
pub unsafe fn preprocess_function_rtes(root: *mut pg_sys::PlannerInfo) {
    // SAFETY: by the caller.
    guarded(|| unsafe { raw::preprocess_function_rtes(root) });
}
