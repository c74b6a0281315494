//! `abelian.bounded_counter(floor, ceiling)`: a `bigint` that is never outside its bounds, whose additions commute as
//! long as they cannot take it there.
//!
//! The datum is that of [`super::counter`]. The bounds are the column's, in its type modifier
//! ([`Bounds::to_modifier`]): whatever is stored in the column is checked by PostgreSQL's own coercion to it, and
//! operations by `operation::escrow`. A value without type modifier (a function's argument, say) has no bounds.

use crate::boundary::PostgresError;
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::types::counter::Counter;
use abelian_adt::bounded_counter::{Bound, Bounds};
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::{Array, FromDatum, PgSqlErrorCode};
use std::ffi::{CStr, CString};

/// 23514 for a value outside its bounds, in PostgreSQL's own form; `place` is table and column, where known.
pub fn violation(bound: Bound, place: Option<(Oid, i16)>, detail: &str) -> Error {
    let (limit, side) = match bound {
        Bound::Floor(floor) => (floor, "below its floor"),
        Bound::Ceiling(ceiling) => (ceiling, "above its ceiling"),
    };
    let names = place.and_then(|(relation, attribute)| Names::of(relation, attribute));
    let message = match &names {
        Some(names) => format!(
            "value of column \"{}\" of relation \"{}\" would be {side} {limit}",
            names.column.to_string_lossy(),
            names.table.to_string_lossy()
        ),
        None => format!("value of type abelian.bounded_counter would be {side} {limit}"),
    };
    Error::Postgres(raised(&message, detail, names.as_ref()))
}

/// 23514 as PostgreSQL tells it of a CHECK.
pub fn check_violation(relation: Oid, attribute: i16, check: &CStr, detail: &str) -> Error {
    let names = Names::of(relation, attribute);
    let table = names.as_ref().map_or(c"", |names| &names.table);
    let message = format!(
        "new row for relation \"{}\" violates check constraint \"{}\"",
        table.to_string_lossy(),
        check.to_string_lossy()
    );
    Error::Postgres(raised(&message, detail, names.as_ref()).of_check(check))
}

struct Names {
    schema: CString,
    table: CString,
    column: CString,
}

impl Names {
    /// `None` for a column that does not exist any more.
    fn of(relation: Oid, attribute: i16) -> Option<Names> {
        let owned = |name: *mut std::ffi::c_char| {
            // SAFETY: a C string of the syscache's, or null.
            (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_owned())
        };
        // SAFETY: lookups by identifier.
        unsafe {
            Some(Names {
                schema: owned(pg_sys::get_namespace_name(pg_sys::get_rel_namespace(
                    relation,
                )))?,
                table: owned(pg_sys::get_rel_name(relation))?,
                column: owned(pg_sys::get_attname(relation, attribute, true))?,
            })
        }
    }
}

fn raised(message: &str, detail: &str, names: Option<&Names>) -> PostgresError {
    let code = PgSqlErrorCode::ERRCODE_CHECK_VIOLATION as i32;
    let names = names.map(|n| (n.schema.as_c_str(), n.table.as_c_str(), n.column.as_c_str()));
    PostgresError::made(code, message, detail, names)
}

/// Fails if the value is outside.
pub fn require(bounds: Bounds, value: i64, place: Option<(Oid, i16)>) -> Result<(), Error> {
    match bounds.crossed_by(value.into()) {
        None => Ok(()),
        Some(bound) => Err(violation(bound, place, &format!("The value is {value}."))),
    }
}

fn read(call: Call, value: Option<Datum>) -> Result<Datum, Error> {
    let value = value.map_or(0, |datum| datum.value() as i64);
    require(Bounds::of_modifier(call.i32(2)), value, None)?;
    Ok(Counter::from_input(call, Counter::unidentified(value))?.into_datum())
}

pg_function!(fn abelian_bounded_counter_in(call) {
    // SAFETY: int8in checks the text and raises PostgreSQL's own errors, but for the type's name.
    let value = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8in, &[Some(call.arg(0))]) };
    read(call, value)
});

pg_function!(fn abelian_bounded_counter_recv(call) {
    // SAFETY: int8recv reads the message PostgreSQL passes.
    let value = unsafe { pgrx::direct_function_call_as_datum(pg_sys::int8recv, &[Some(call.arg(0))]) };
    read(call, value)
});

pg_function!(
    /// `(floor)` or `(floor, ceiling)`, as PostgreSQL's parser splits it.
    fn abelian_bounded_counter_modifier_in(call) {
        bounds_of(call)?.to_modifier().map_err(Error::Bounds).map(Datum::from)
    }
);

fn bounds_of(call: Call) -> Result<Bounds, Error> {
    // SAFETY: declared with a cstring[].
    let parts = unsafe { Array::<&CStr>::from_datum(call.arg(0), false) };
    let parts: Vec<String> = parts
        .iter()
        .flat_map(|array| array.iter_deny_null())
        .map(|part| part.to_string_lossy().trim().to_lowercase())
        .collect();
    let bound = |text: &str, infinite: &str| {
        if text == infinite {
            return Ok(None);
        }
        text.parse()
            .map(Some)
            .map_err(|_| Error::NotABound(text.to_owned()))
    };
    match &parts[..] {
        [floor] => Ok(Bounds {
            floor: bound(floor, "-infinity")?,
            ceiling: None,
        }),
        [floor, ceiling] => Ok(Bounds {
            floor: bound(floor, "-infinity")?,
            ceiling: bound(ceiling, "infinity")?,
        }),
        _ => Err(Error::NotABound(parts.join(", "))),
    }
}

pg_function!(fn abelian_bounded_counter_modifier_out(call) {
    let text = CString::new(Bounds::of_modifier(call.i32(0)).to_string())
        .map_err(|_| Error::Internal("bounds with a zero byte".into()))?;
    // SAFETY: copied to the current memory context.
    Ok(Datum::from(unsafe { pg_sys::pstrdup(text.as_ptr()) }))
});

pg_function!(
    /// The coercion to a column's bounds: the same datum, checked. It keeps its identity, so that ALTER TABLE may
    /// change the bounds of a column whose objects have slices.
    fn abelian_bounded_counter_check(call) {
        // SAFETY: declared with this type.
        let value = unsafe { Counter::from_datum(call.arg(0)) }.value()?;
        require(Bounds::of_modifier(call.i32(1)), value, None)?;
        Ok(call.arg(0))
    }
);
