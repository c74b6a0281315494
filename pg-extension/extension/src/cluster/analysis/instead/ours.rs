//! Texts of ours, which stand for a statement or a part of it, and their facts.

use super::super::{parser, statement};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};
use serde_json::Value as Json;
use std::cell::Cell;
use std::ffi::CStr;

/// OIDs as routers are told them.
pub fn numbers(types: &[Oid]) -> Json {
    types.iter().map(|oid| oid.to_u32()).collect()
}

thread_local! {
    /// How many texts of ours are being looked at, each for the sake of the one before.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The depth at which the INSERT is looked at that takes gathered rows as arrays, of which a router gives each node its part; 0 for none.
    static OVER_ARRAYS: Cell<u32> = const { Cell::new(0) };
}

/// No statement needs more; what becomes the same again and again would never end.
const DEPTH_MAX: u32 = 16;

struct Deeper(u32);

impl Deeper {
    /// None when it goes on for too long.
    fn enter() -> Option<Deeper> {
        let depth = DEPTH.get();
        (depth < DEPTH_MAX).then(|| {
            DEPTH.set(depth + 1);
            Deeper(depth)
        })
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

/// Whether the text that is being looked at is one of ours.
pub fn is_inside() -> bool {
    DEPTH.get() > 0
}

/// Whether the text that is being looked at is such an INSERT, whose rows need not be gathered again.
pub fn is_over_arrays() -> bool {
    is_inside() && OVER_ARRAYS.get() == DEPTH.get()
}

/// As [`described`], of such an INSERT.
pub fn described_over_arrays(
    query: *mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<(String, Json), PostgresError> {
    struct Before(u32);
    impl Drop for Before {
        fn drop(&mut self) {
            OVER_ARRAYS.set(self.0);
        }
    }
    let _before = Before(OVER_ARRAYS.replace(DEPTH.get() + 1));
    described(query, parameters)
}

/// The facts of a text of ours, which is one statement.
pub fn facts_of(text: &CStr, parameters: &[Oid]) -> Result<Json, PostgresError> {
    let _inside = Deeper::enter().ok_or_else(|| {
        PostgresError::unsupported(
            "the statement cannot be divided between nodes",
            "Use several statements in one transaction.",
        )
    })?;
    let mut inner = Json::Null;
    for statement in parser::parse(text)? {
        inner = statement::facts(statement, text, parameters)?;
    }
    Ok(inner)
}

/// The text of a query of ours, and its facts.
pub fn described(
    query: *mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<(String, Json), PostgresError> {
    let text = parser::c_text(&parser::deparse_for(query, &[])?);
    let inner = facts_of(&text, parameters)?;
    Ok((text.to_string_lossy().into_owned(), inner))
}
