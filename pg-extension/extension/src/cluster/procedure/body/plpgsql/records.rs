//! Variables of the call that stands in for a running one while a body is looked at: their types, and the columns of records, which PL/pgSQL knows
//! only when it runs.

use pgrx::pg_sys::{self, Oid, PLpgSQL_datum_type as Variable};

/// As each call has them: what it keeps of a variable, such as the columns of a record, must not get into the compiled function, which outlives
/// the call's memory.
///
/// # Safety
/// A compiled function.
pub(super) unsafe fn variables_of_a_call(
    function: &pg_sys::PLpgSQL_function,
) -> Vec<*mut pg_sys::PLpgSQL_datum> {
    // SAFETY: by the caller; the kind of a variable says what it is.
    unsafe {
        std::slice::from_raw_parts(function.datums, function.ndatums as usize)
            .iter()
            .map(|datum| match (**datum).dtype {
                Variable::PLPGSQL_DTYPE_VAR | Variable::PLPGSQL_DTYPE_PROMISE => {
                    copied((*datum).cast::<pg_sys::PLpgSQL_var>()).cast()
                }
                Variable::PLPGSQL_DTYPE_REC => {
                    copied((*datum).cast::<pg_sys::PLpgSQL_rec>()).cast()
                }
                _ => *datum,
            })
            .collect()
    }
}

/// A copy in the current memory context.
///
/// # Safety
/// It holds a value.
unsafe fn copied<T>(original: *const T) -> *mut T {
    // SAFETY: by the caller; the room is as large.
    unsafe {
        let copy = pg_sys::palloc(size_of::<T>()).cast::<T>();
        copy.copy_from_nonoverlapping(original, 1);
        copy
    }
}

/// Gives a variable of the call that is looked at another type.
///
/// # Safety
/// A compiled function with the state of a call; the variable is a scalar.
pub(super) unsafe fn retype(function: *mut pg_sys::PLpgSQL_function, number: i32, type_oid: Oid) {
    // SAFETY: by the caller; the variable is the call's own, and its type is copied.
    unsafe {
        let datum = *(*(*function).cur_estate).datums.add(number as usize);
        let variable = &mut *datum.cast::<pg_sys::PLpgSQL_var>();
        let copy = copied(variable.datatype);
        (*copy).typoid = type_oid;
        (*copy).atttypmod = -1;
        (*copy).collation = pg_sys::get_typcollation(type_oid);
        variable.datatype = copy;
    }
}

/// Whether a variable is a RECORD, whose columns are known only when it is assigned.
///
/// # Safety
/// A compiled function.
pub(super) unsafe fn is_of_any_row(function: *mut pg_sys::PLpgSQL_function, number: i32) -> bool {
    // SAFETY: by the caller; the kind of a variable says what it is.
    unsafe {
        let datum = *(*function).datums.add(number as usize);
        (*datum).dtype == Variable::PLPGSQL_DTYPE_REC
            && (*datum.cast::<pg_sys::PLpgSQL_rec>()).rectypeid == pg_sys::RECORDOID
    }
}

/// Gives a variable of type RECORD the columns of what was assigned to it last; null for what is not known.
///
/// # Safety
/// A compiled function with the state of a call.
pub(super) unsafe fn shape(
    function: *mut pg_sys::PLpgSQL_function,
    number: i32,
    row: pg_sys::TupleDesc,
) {
    // SAFETY: by the caller; the kind of a variable says what it is, and this one is the call's own.
    unsafe {
        let datum = *(*(*function).cur_estate).datums.add(number as usize);
        if row.is_null() || (*datum).dtype != Variable::PLPGSQL_DTYPE_REC {
            return;
        }
        let record = &mut *datum.cast::<pg_sys::PLpgSQL_rec>();
        if record.rectypeid == pg_sys::RECORDOID {
            record.erh =
                pg_sys::make_expanded_record_from_tupdesc(row, pg_sys::CurrentMemoryContext);
        }
    }
}

/// The same with the columns of a value's type, if it has any.
///
/// # Safety
/// As of [`shape`].
pub(super) unsafe fn shape_by_type(
    function: *mut pg_sys::PLpgSQL_function,
    number: i32,
    type_oid: Option<Oid>,
) {
    let Some(type_oid) = type_oid.filter(|it| *it != pg_sys::RECORDOID) else {
        return;
    };
    // SAFETY: by the caller; a named type of rows has columns.
    unsafe {
        let type_oid = pg_sys::getBaseType(type_oid);
        if type_oid != pg_sys::RECORDOID && pg_sys::type_is_rowtype(type_oid) {
            let row = pg_sys::lookup_rowtype_tupdesc_copy(type_oid, -1);
            shape(function, number, row);
        }
    }
}
