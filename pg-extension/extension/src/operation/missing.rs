//! What the node and the facts about relations ask of PostgreSQL that the bindings leave out.

use crate::boundary::functions;
use pgrx::pg_sys::{self, Datum, Oid};

/// Whether two values of one type are the same bytes, however they are stored.
///
/// # Safety
/// Both must be datums of a type of this length.
pub unsafe fn same_image(a: Datum, b: Datum, by_value: bool, length: i16) -> bool {
    // SAFETY: by the caller.
    unsafe { functions::datum_image_eq(a, b, by_value, length.into()) }
}

/// A copy in the current memory context.
///
/// # Safety
/// A datum of a type of this length.
pub unsafe fn copy(datum: Datum, by_value: bool, length: i16) -> Datum {
    // SAFETY: by the caller.
    unsafe { functions::datumCopy(datum, by_value, length.into()) }
}

/// The relations that inherit from this one, or are its partitions, at any depth; they get an AccessShare lock.
pub fn descendants(relation: Oid) -> Vec<Oid> {
    // SAFETY: lookups by identifier; the list is ours and begins with the relation itself.
    unsafe {
        if !functions::has_subclass(relation) {
            return Vec::new();
        }
        let list = functions::find_all_inheritors(
            relation,
            pg_sys::AccessShareLock as i32,
            std::ptr::null_mut(),
        );
        (1..(*list).length)
            .map(|i| pg_sys::list_nth_oid(list, i))
            .collect()
    }
}

/// Whether the column is part of the relation's partition key.
///
/// # Safety
/// The relation must be open.
pub unsafe fn partitions_by(relation: pg_sys::Relation, attribute: i16) -> bool {
    let member = i32::from(attribute) - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: by the caller.
    unsafe {
        let attributes = pg_sys::bms_make_singleton(member);
        functions::has_partition_attrs(relation, attributes, std::ptr::null_mut())
    }
}

/// Puts the SQL functions in the FROM of the root's query in the place of their calls, where PostgreSQL would.
///
/// # Safety
/// The root must have a query, and a place for what the plan depends on.
pub unsafe fn preprocess_function_rtes(root: *mut pg_sys::PlannerInfo) {
    // SAFETY: by the caller.
    unsafe { functions::preprocess_function_rtes(root) };
}
