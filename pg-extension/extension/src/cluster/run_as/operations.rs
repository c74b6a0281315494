//! The operations of an intent (docs/protocols/commuting.md), done again on a node that lacks them.

use crate::boundary::{self, PostgresError, functions};
use crate::cluster::analysis::{blind, parser};
use crate::cluster::postgres;
use crate::error::Error;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{Datum, Oid};
use serde_json::Value as Json;
use std::ffi::{CStr, CString};

const NOT_BLIND: &str = "An intent holds INSERT and UPDATE statements that are blind operations.";
const NO_INTENT: &str = "It is not written as an intent.";

/// A statement with its parameters.
struct Operation {
    text: CString,
    types: Vec<Oid>,
    values: Vec<Option<CString>>,
}

pg_function!(
    /// `abelian.run_operations(role, operations)`: does a node's part of an intent as that role.
    fn abelian_run_operations(call) {
        // SAFETY: declared as name and text, the function as STRICT.
        let (role, operations) = unsafe {
            (postgres::name_argument(call.arg(0)), postgres::text_argument(call.arg(1)))
        };
        let operations = read(&operations)?;
        super::run_as(&role, || operations.iter().try_for_each(redo))?;
        Ok(Datum::null())
    }
);

/// `[{"sql": text, "types": [oid, ...], "values": [text or null, ...]}, ...]`
fn read(text: &CStr) -> Result<Vec<Operation>, Error> {
    let utf8 = postgres::to_utf8(text);
    let all: Json =
        serde_json::from_slice(utf8.to_bytes()).map_err(|_| Error::NotRunnable(NO_INTENT))?;
    let all = all.as_array().ok_or(Error::NotRunnable(NO_INTENT))?;
    all.iter()
        .map(|one| operation(one, postgres::from_utf8).ok_or(Error::NotRunnable(NO_INTENT)))
        .collect()
}

/// The texts are in UTF-8; `kept` makes of each what the server keeps.
fn operation(json: &Json, kept: fn(&CStr) -> CString) -> Option<Operation> {
    let text = |json: &Json| CString::new(json.as_str()?).ok().map(|text| kept(&text));
    let types = json["types"].as_array()?.iter();
    let values = json["values"].as_array()?.iter();
    let operation = Operation {
        text: text(&json["sql"])?,
        types: types
            .map(|oid| Some(Oid::from(u32::try_from(oid.as_u64()?).ok()?)))
            .collect::<Option<_>>()?,
        values: values
            .map(|value| match value {
                Json::Null => Some(None),
                value => Some(Some(text(value)?)),
            })
            .collect::<Option<_>>()?,
    };
    (operation.types.len() == operation.values.len()).then_some(operation)
}

/// What was dropped since is no error: as if the drop came after the operation.
fn redo(operation: &Operation) -> Result<(), Error> {
    let mut refusal = None;
    let done = boundary::attempt(|| match check(operation)? {
        true => run(operation),
        false => {
            refusal = Some(Error::NotRunnable(NOT_BLIND));
            Ok(())
        }
    });
    match (refusal, done) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(error)) if !is_gone(&error) => Err(Error::Postgres(error)),
        _ => Ok(()),
    }
}

fn is_gone(error: &PostgresError) -> bool {
    [
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE as i32,
        PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN as i32,
    ]
    .contains(&error.sqlstate())
}

/// One statement, which has the form of a blind operation. Indexes and triggers that came since make no difference: the transaction is
/// committed elsewhere.
fn check(operation: &Operation) -> Result<bool, PostgresError> {
    let statements = parser::parse(&operation.text)?;
    let [statement] = statements[..] else {
        return Ok(false);
    };
    let analysed = parser::analyse(statement, &operation.text, &operation.types)?;
    Ok(blind::has_form(analysed.query))
}

fn run(operation: &Operation) -> Result<(), PostgresError> {
    let mut types = operation.types.clone();
    let mut values = Vec::with_capacity(types.len());
    for (type_oid, value) in types.iter().zip(&operation.values) {
        values.push(match value {
            None => None,
            Some(text) => Some(input(*type_oid, text)?),
        });
    }
    super::execute(&operation.text, &mut types, &mut values)
}

/// A value of a type from its text; the type may be a user's.
fn input(type_oid: Oid, text: &CStr) -> Result<Datum, PostgresError> {
    let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
    let text = text.as_ptr().cast_mut();
    // SAFETY: a raw call that owns nothing; input functions do not change the text.
    unsafe {
        boundary::caught(|| {
            functions::getTypeInputInfo(type_oid, &mut function, &mut parameter);
            functions::OidInputFunctionCall(function, text, parameter, -1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_has_as_many_types_as_values() {
        let json = |text: &str| serde_json::from_str::<Json>(text).unwrap_or_default();
        let good = json(r#"{"sql":"UPDATE t SET n = n + $1","types":[20],"values":["1"]}"#);
        let operation = |json: &Json| operation(json, CStr::to_owned);
        assert!(operation(&good).is_some());
        let null = json(r#"{"sql":"UPDATE t SET n = n + $1","types":[20],"values":[null]}"#);
        assert!(operation(&null).is_some_and(|operation| operation.values == [None]));
        for bad in [
            r#"{"sql":"x","types":[20],"values":[]}"#,
            r#"{"sql":"x","types":["text"],"values":["1"]}"#,
            r#"{"sql":"x","types":[-1],"values":["1"]}"#,
            r#"{"sql":["x"],"types":[],"values":[]}"#,
            r#"{"types":[],"values":[]}"#,
            r#"{"sql":"a\u0000b","types":[],"values":[]}"#,
        ] {
            assert!(operation(&json(bad)).is_none(), "{bad}");
        }
    }
}
