//! Rows that a router takes from a node to give them to others travel as texts. Some settings of the session would have a text say less than the value:
//! with `extra_float_digits` below 1 a number loses digits, and but for the DateStyle ISO a moment has the abbreviation of a time zone, which may mean
//! another one. So the texts of such rows are made under settings that keep all; what the query computes sees the session's own.
//!
//! A router marks the text of such a query. Whoever else marks one gets its rows in that form.

use super::analysis::parser;
use crate::hooks::executor::{self, Run};
use crate::hooks::is_client_statement;
use crate::hooks::subscribers::Subscriber;
use pgrx::pg_sys;
use std::ffi::{CStr, c_int};

/// What a marked text begins with; routers know it, too.
const MARK: &[u8] = b"/* rows for nodes */";

/// Subscribes to the hooks.
pub fn install() {
    executor::before_run(Subscriber {
        concerns: |run| !are_exact() && is_client_statement() && is_marked(run),
        tell: |run| run.around_rows(|give| parser::unambiguously(give)),
    });
}

/// Whether texts say all of a value under the session's settings.
pub fn are_exact() -> bool {
    // SAFETY: plain reads of settings.
    unsafe { pg_sys::extra_float_digits > 0 && pg_sys::DateStyle == pg_sys::USE_ISO_DATES as c_int }
}

/// Whether the texts of a type's values say all of them under the session's settings.
pub fn say_all(type_oid: pg_sys::Oid) -> bool {
    are_exact() || has_one_text(type_oid)
}

/// Whether each value of a type has one text, whatever the settings for numbers and moments; false for what is not known.
fn has_one_text(type_oid: pg_sys::Oid) -> bool {
    use pg_sys::*;
    // SAFETY: look-ups of a type that exists.
    let (base, is_enum) = unsafe {
        let base = getBaseType(type_oid);
        (base, get_typtype(base) as u8 == TYPTYPE_ENUM)
    };
    [
        BOOLOID,
        INT2OID,
        INT4OID,
        INT8OID,
        NUMERICOID,
        OIDOID,
        TEXTOID,
        VARCHAROID,
        BPCHAROID,
        CHAROID,
        NAMEOID,
        BYTEAOID,
        UUIDOID,
        DATEOID,
        TIMEOID,
        TIMESTAMPOID,
        BITOID,
        VARBITOID,
        JSONOID,
        JSONBOID,
        INETOID,
        CIDROID,
        MACADDROID,
        TEXTARRAYOID,
        VARCHARARRAYOID,
        INT2ARRAYOID,
        INT4ARRAYOID,
        INT8ARRAYOID,
        NUMERICARRAYOID,
        UUIDARRAYOID,
        INT4RANGEOID,
        INT8RANGEOID,
        NUMRANGEOID,
        DATERANGEOID,
    ]
    .contains(&base)
        || is_enum
}

fn is_marked(run: &Run) -> bool {
    let (text, receiver) = (run.query().sourceText, run.query().dest);
    if text.is_null() || receiver.is_null() {
        return false;
    }
    // SAFETY: the text of a query is a C string.
    unsafe { CStr::from_ptr(text) }.to_bytes().starts_with(MARK)
}
