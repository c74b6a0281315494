//! The states of `abelian.lww_map` as the functions of aggregates over `bytea`. Values are the texts of `jsonb`s.

use super::structures::{Json, decoded, encoded, merged, numeric, numeric_of, stepped, text};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::varlena::content_of;
use abelian_adt::Merge;
use abelian_adt::data_type::DataType;
use abelian_adt::lww_map::{LwwMap, Operation, Writes};
use abelian_adt::ordered::Text;
use abelian_adt::program::Parts;
use pgrx::pg_sys;
use std::ffi::CStr;

/// What a call of `put(m, key, order, value)` asks for; no argument is NULL.
pub(super) fn put(call: Call) -> Result<Operation, Error> {
    Ok(Operation::Put(
        text(call, 1),
        numeric(call, 2)?,
        json(call, 3)?,
    ))
}

/// What a call of `remove(m, key, order)` asks for; no argument is NULL.
pub(super) fn remove(call: Call) -> Result<Operation, Error> {
    Ok(Operation::Remove(text(call, 1), numeric(call, 2)?))
}

/// The text of a `jsonb`: equal ones have the same.
fn json(call: Call, n: usize) -> Result<Text, Error> {
    // SAFETY: declared with a jsonb; the result is a C string.
    let written = unsafe {
        let text = pgrx::direct_function_call::<&CStr>(pg_sys::jsonb_out, &[Some(call.arg(n))]);
        text.map(|text| text.to_bytes().to_vec())
    };
    written.ok_or_else(|| Error::Internal("jsonb_out gave NULL".into()))
}

pg_function!(fn abelian_lww_map_empty(_call) { Ok(encoded(&Writes::identity())) });
pg_function!(fn abelian_lww_map_merge(call) { merged::<LwwMap>(call) });
pg_function!(fn abelian_lww_map_step(call) { stepped::<LwwMap>(call, &put(call)?) });
pg_function!(
    /// Keys and values, as `jsonb`.
    fn abelian_lww_map_value(call) {
        let state: Writes = decoded(call, 0)?;
        Json::object(state.iter()).into_datum()
    }
);
pg_function!(
    /// The order of a key, of a removed one too.
    fn abelian_lww_map_order(call) {
        let known = Writes::part(&content_of(call.arg(0)), &text(call, 1))?;
        match LwwMap::value(&known).into_values().next() {
            Some((order, _)) => numeric_of(&order),
            None => Ok(call.null()),
        }
    }
);
