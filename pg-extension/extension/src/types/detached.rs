//! `abelian.detached(x)`: the value of `x` under the active snapshot, in which nothing is an object any more.
//!
//! Objects are the content of columns: a datum with an identity belongs to its row alone. Whoever takes a value away from there, to
//! keep it in an array, a row, or a variable, takes what this gives. `x` may be of an Abelian type, or of one that holds such
//! values at any depth: rows, arrays, ranges, domains over them.

use crate::catalog::{self, Catalog};
use crate::compat;
use crate::error::Error;
use crate::object;
use crate::pg_function;
use crate::types::aggregated::{self, Aggregated};
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ptr::null_mut;

/// Whether values of the type can hold one of an Abelian type, or be one. Of what is known when it is there only, such as `record`, it is so.
pub fn may_hold(type_: Oid) -> bool {
    match type_ {
        pg_sys::RECORDOID | pg_sys::RECORDARRAYOID | pg_sys::INTERNALOID => true,
        _ if type_.to_u32() < pg_sys::FirstNormalObjectId => false,
        _ => catalog::find().is_some_and(|catalog| holds(&catalog, type_)),
    }
}

/// The same of a type that a user has made.
fn holds(catalog: &Catalog, type_: Oid) -> bool {
    if object::is_object_type(catalog, type_) {
        return true;
    }
    // SAFETY: syscache lookups.
    let inner = unsafe {
        match pg_sys::get_typtype(type_) as u8 {
            pg_sys::TYPTYPE_DOMAIN => pg_sys::getBaseType(type_),
            pg_sys::TYPTYPE_RANGE => pg_sys::get_range_subtype(type_),
            pg_sys::TYPTYPE_MULTIRANGE => pg_sys::get_multirange_range(type_),
            pg_sys::TYPTYPE_COMPOSITE => {
                return Columns::of(type_, -1).types().any(may_hold);
            }
            _ => pg_sys::get_element_type(type_),
        }
    };
    inner != Oid::INVALID && may_hold(inner)
}

/// The columns of a row type.
struct Columns(pg_sys::TupleDesc);

impl Columns {
    /// Raises if the type is not one of rows.
    fn of(type_: Oid, modifier: i32) -> Self {
        // SAFETY: a lookup; the descriptor is given back when this is dropped, or by the resource owner.
        Columns(unsafe { pg_sys::lookup_rowtype_tupdesc(type_, modifier) })
    }

    fn all(&self) -> &[pg_sys::FormData_pg_attribute] {
        // SAFETY: a descriptor has so many columns.
        unsafe { compat::columns_of(self.0) }
    }

    fn types(&self) -> impl Iterator<Item = Oid> {
        let there = self.all().iter().filter(|column| !column.attisdropped);
        there.map(|column| column.atttypid)
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        // SAFETY: from `lookup_rowtype_tupdesc`; those that are not counted are not given back.
        unsafe {
            if !std::thread::panicking() && (*self.0).tdrefcount >= 0 {
                pg_sys::DecrTupleDescRefCount(self.0);
            }
        }
    }
}

/// Whether a row of the type has a column of an Abelian type, or one of rows that have. Of `record` it is not known. What arrays hold was
/// detached when they were made.
pub fn has_objects(row_type: Oid) -> bool {
    if row_type.to_u32() < pg_sys::FirstNormalObjectId {
        return row_type == pg_sys::RECORDOID;
    }
    // SAFETY: syscache lookups.
    let (row_type, kind) = unsafe {
        let base = pg_sys::getBaseType(row_type);
        (base, pg_sys::get_typtype(base) as u8)
    };
    let Some(catalog) = catalog::find() else {
        return false;
    };
    kind == pg_sys::TYPTYPE_COMPOSITE
        && Columns::of(row_type, -1)
            .types()
            .any(|column| object::is_object_type(&catalog, column) || has_objects(column))
}

/// The datum itself if it holds no object, or another one of the same type.
pub fn detached(catalog: &Catalog, type_: Oid, datum: Datum) -> Result<Datum, Error> {
    // SAFETY: syscache lookup.
    let type_ = unsafe { pg_sys::getBaseType(type_) };
    if catalog.is_counter_type(type_) {
        // SAFETY: a datum of this type.
        let counter = unsafe { Counter::from_datum(datum) };
        return match counter.id {
            0 => Ok(datum),
            _ => Ok(counter.seen_alone()?.into_datum()),
        };
    }
    if type_ == catalog.decimal_counter {
        // SAFETY: a datum of this type.
        let counter = unsafe { DecimalCounter::from_datum(datum) };
        return match counter.id {
            0 => Ok(datum),
            _ => Ok(DecimalCounter::unidentified(counter.value()?).into_datum()),
        };
    }
    if object::is_object_type(catalog, type_) {
        return without_identity(type_, datum);
    }
    if !may_hold(type_) {
        return Ok(datum);
    }
    // SAFETY: syscache lookups; the datum is of the type.
    unsafe {
        match pg_sys::get_typtype(type_) as u8 {
            pg_sys::TYPTYPE_COMPOSITE => row(catalog, datum),
            pg_sys::TYPTYPE_PSEUDO if type_ == pg_sys::RECORDOID => row(catalog, datum),
            pg_sys::TYPTYPE_RANGE | pg_sys::TYPTYPE_MULTIRANGE => {
                Ok(written_and_read(type_, datum))
            }
            _ => match pg_sys::get_element_type(type_) {
                Oid::INVALID => Ok(datum),
                element => array(catalog, element, datum),
            },
        }
    }
}

fn without_identity(type_: Oid, datum: Datum) -> Result<Datum, Error> {
    let family = crate::aggregate::Family::required(type_)?;
    // SAFETY: a datum of the family's type.
    let content = unsafe {
        if !aggregated::is_identity(Aggregated::id_of(datum)) {
            return Ok(datum);
        }
        Aggregated::from_datum(family.clone(), datum)
    };
    let state = content.seen()?;
    Ok(Aggregated::unidentified(family, state).into_datum())
}

/// # Safety
/// `datum` must be a row.
unsafe fn row(catalog: &Catalog, datum: Datum) -> Result<Datum, Error> {
    // SAFETY: a row says of which type it is; as many values as its type has columns.
    unsafe {
        let header =
            pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::HeapTupleHeaderData>();
        let fields = (*header).t_choice.t_datum;
        let columns = Columns::of(fields.datum_typeid, fields.datum_typmod);
        if !columns.types().any(may_hold) {
            return Ok(datum);
        }
        let mut tuple = pg_sys::HeapTupleData {
            t_len: pgrx::varsize_any(header.cast()) as u32,
            t_data: header,
            ..Default::default()
        };
        let count = columns.all().len();
        let mut values = vec![Datum::null(); count];
        let mut nulls = vec![true; count];
        pg_sys::heap_deform_tuple(
            &mut tuple,
            columns.0,
            values.as_mut_ptr(),
            nulls.as_mut_ptr(),
        );
        let mut changed = false;
        for (n, column) in columns.all().iter().enumerate() {
            if !nulls[n] && !column.attisdropped && may_hold(column.atttypid) {
                let value = detached(catalog, column.atttypid, values[n])?;
                changed |= value != values[n];
                values[n] = value;
            }
        }
        if !changed {
            return Ok(datum);
        }
        let made = pg_sys::heap_form_tuple(columns.0, values.as_mut_ptr(), nulls.as_mut_ptr());
        Ok(pg_sys::HeapTupleHeaderGetDatum((*made).t_data))
    }
}

/// # Safety
/// `datum` must be an array of such elements.
unsafe fn array(catalog: &Catalog, element: Oid, datum: Datum) -> Result<Datum, Error> {
    // SAFETY: the array is taken apart and put together by what its own header says.
    unsafe {
        let whole = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
        let (mut length, mut by_value, mut alignment) = (0, false, 0);
        pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut alignment);
        let (mut values, mut nulls, mut count) = (null_mut(), null_mut(), 0);
        let length = length.into();
        pg_sys::deconstruct_array(
            whole,
            element,
            length,
            by_value,
            alignment,
            &mut values,
            &mut nulls,
            &mut count,
        );
        let mut changed = false;
        for n in 0..count as usize {
            if !*nulls.add(n) {
                let value = detached(catalog, element, *values.add(n))?;
                changed |= value != *values.add(n);
                *values.add(n) = value;
            }
        }
        if !changed {
            return Ok(datum);
        }
        // Behind the header stand the lengths of the dimensions, then their lower bounds.
        let dimensions = whole.add(1).cast::<i32>();
        let bounds = dimensions.add((*whole).ndim as usize);
        Ok(Datum::from(pg_sys::construct_md_array(
            values,
            nulls,
            (*whole).ndim,
            dimensions,
            bounds,
            element,
            length,
            by_value,
            alignment,
        )))
    }
}

/// What a type's own functions write down, and read again.
///
/// # Safety
/// `datum` must be of the type.
unsafe fn written_and_read(type_: Oid, datum: Datum) -> Datum {
    let (mut output, mut varlena) = (Oid::INVALID, false);
    let (mut input, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: by the caller; the results are ours.
    unsafe {
        pg_sys::getTypeOutputInfo(type_, &mut output, &mut varlena);
        pg_sys::getTypeInputInfo(type_, &mut input, &mut parameter);
        let text = pg_sys::OidOutputFunctionCall(output, datum);
        pg_sys::OidInputFunctionCall(input, text, parameter, -1)
    }
}

pg_function!(fn abelian_detached(call) {
    // SAFETY: the call information is PostgreSQL's own.
    let type_ = unsafe { pg_sys::get_fn_expr_argtype((*call.info()).flinfo, 0) };
    detached(&catalog::get()?, type_, call.arg(0))
});
