//! Byte strings in PostgreSQL's form, `bytea`, and in Rust's. A `text` has the same form.

use pgrx::pg_sys::{self, Datum};

/// The bytes in a `bytea`.
pub fn content_of(bytea: Datum) -> Vec<u8> {
    // SAFETY: a bytea, detoasted; header and content are as long as the header says.
    unsafe {
        let start = pg_sys::pg_detoast_datum(bytea.cast_mut_ptr());
        let content = pgrx::vardata_any(start).cast::<u8>();
        let bytes = std::slice::from_raw_parts(content, pgrx::varsize_any_exhdr(start)).to_vec();
        if start != bytea.cast_mut_ptr() {
            pg_sys::pfree(start.cast()); // statements about many rows come here
        }
        bytes
    }
}

/// The bytes in a `bytea` or `text`, where they are.
///
/// # Safety
/// Such a datum, which lives as long as the result; so does the memory context, into which a compressed one is unpacked.
pub unsafe fn borrowed<'a>(datum: Datum) -> &'a [u8] {
    // SAFETY: by the caller's promise; header and content are as long as the header says.
    unsafe {
        let start = pg_sys::pg_detoast_datum_packed(datum.cast_mut_ptr());
        let content = pgrx::vardata_any(start).cast::<u8>();
        std::slice::from_raw_parts(content, pgrx::varsize_any_exhdr(start))
    }
}

/// These bytes as a `bytea` in the current memory context.
pub fn bytea_of(content: &[u8]) -> Datum {
    let size = content.len() + pg_sys::VARHDRSZ;
    // SAFETY: the block is as large as header and content.
    unsafe {
        let start = pg_sys::palloc(size).cast::<u8>();
        pgrx::set_varsize_4b(start.cast(), size as i32);
        start
            .add(pg_sys::VARHDRSZ)
            .copy_from_nonoverlapping(content.as_ptr(), content.len());
        Datum::from(start)
    }
}

/// The elements of an array, and their type; `None` is NULL.
pub fn array_of(array: Datum) -> (Vec<Option<Datum>>, pg_sys::Oid) {
    let (mut values, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    // SAFETY: an array, detoasted, which is taken apart by what its own header says; values and nulls are as many as the count says.
    unsafe {
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
        let element = (*array).elemtype;
        let (mut length, mut by_value, mut align) = (0, false, 0);
        pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut align);
        pg_sys::deconstruct_array(
            array,
            element,
            length.into(),
            by_value,
            align,
            &mut values,
            &mut nulls,
            &mut count,
        );
        let elements = (0..count as usize).map(|n| (!*nulls.add(n)).then(|| *values.add(n)));
        (elements.collect(), element)
    }
}
