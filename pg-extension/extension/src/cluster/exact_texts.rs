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

/// Gives rows on to another receiver, which makes their texts.
#[repr(C)]
struct Exactly {
    receiver: pg_sys::DestReceiver,
    inner: *mut pg_sys::DestReceiver,
}

/// Subscribes to the hooks.
pub fn install() {
    executor::before_run(Subscriber {
        concerns: |run| !are_exact() && is_client_statement() && is_marked(run),
        tell: replace,
    });
    executor::after_run(Subscriber {
        concerns: |run| !run.query().dest.is_null() && is_ours(run.query().dest),
        tell: put_back,
    });
}

/// Whether texts say all of a value under the session's settings.
pub fn are_exact() -> bool {
    // SAFETY: plain reads of settings.
    unsafe { pg_sys::extra_float_digits > 0 && pg_sys::DateStyle == pg_sys::USE_ISO_DATES as c_int }
}

/// Whether each value of a type has one text, whatever the settings for numbers and moments; false for what is not known.
pub fn has_one_text(type_oid: pg_sys::Oid) -> bool {
    use pg_sys::*;
    // SAFETY: a look-up of a type that exists.
    let base = unsafe { getBaseType(type_oid) };
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
        || unsafe { get_typtype(base) } as u8 == TYPTYPE_ENUM
}

fn is_marked(run: &Run) -> bool {
    let (text, receiver) = (run.query().sourceText, run.query().dest);
    // SAFETY: the text of a query is a C string.
    !text.is_null()
        && !receiver.is_null()
        && unsafe { CStr::from_ptr(text) }.to_bytes().starts_with(MARK)
}

fn is_ours(receiver: *mut pg_sys::DestReceiver) -> bool {
    // SAFETY: the receiver of a query that has just run.
    unsafe { (*receiver).receiveSlot }.is_some_and(|function| {
        std::ptr::fn_addr_eq(
            function,
            receive
                as unsafe extern "C-unwind" fn(
                    *mut pg_sys::TupleTableSlot,
                    *mut pg_sys::DestReceiver,
                ) -> bool,
        )
    })
}

fn replace(run: &Run) {
    let inner = run.query().dest;
    // SAFETY: what is allocated lives as long as the portal, which is longer than the run.
    unsafe {
        let exactly = pg_sys::palloc0(size_of::<Exactly>()).cast::<Exactly>();
        (*exactly).receiver = pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(start),
            rShutdown: Some(shut_down),
            rDestroy: Some(destroy),
            mydest: (*inner).mydest,
        };
        (*exactly).inner = inner;
        run.send_to(exactly.cast());
    }
}

fn put_back(run: &Run) {
    // SAFETY: the receiver is ours.
    unsafe { run.send_to((*run.query().dest.cast::<Exactly>()).inner) }
}

unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    this: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: the inner receiver gets what we got; nothing here has a destructor.
    unsafe {
        let inner = (*this.cast::<Exactly>()).inner;
        match (*inner).receiveSlot {
            Some(receive) => parser::unambiguously(|| receive(slot, inner)),
            None => false,
        }
    }
}

unsafe extern "C-unwind" fn start(
    this: *mut pg_sys::DestReceiver,
    operation: c_int,
    columns: pg_sys::TupleDesc,
) {
    // SAFETY: as in `receive`.
    unsafe {
        let inner = (*this.cast::<Exactly>()).inner;
        if let Some(start) = (*inner).rStartup {
            start(inner, operation, columns);
        }
    }
}

unsafe extern "C-unwind" fn shut_down(this: *mut pg_sys::DestReceiver) {
    // SAFETY: as in `receive`.
    unsafe {
        let inner = (*this.cast::<Exactly>()).inner;
        if let Some(shut_down) = (*inner).rShutdown {
            shut_down(inner);
        }
    }
}

/// The inner one is destroyed by who has made it.
unsafe extern "C-unwind" fn destroy(_this: *mut pg_sys::DestReceiver) {}
