//! Bodies of functions in SQL that are stored as text.

use super::super::super::analysis::parser;
use super::super::super::analysis::tree::{self, NodePtr};
use super::findings::{Findings, Sources};
use super::query;
use crate::boundary::{self, PostgresError, functions};
use pgrx::pg_sys::{self, CmdType, Oid};

/// Analyses the statements of a function in SQL, whose arguments are parameters.
pub fn analyse(findings: &mut Findings, function: Oid) -> Result<(), PostgresError> {
    let Some(statements) = queries(function, std::ptr::null_mut(), Oid::INVALID)? else {
        findings.not_understood("there is no such function".to_owned());
        return Ok(());
    };
    for (number, body) in (1..).zip(statements) {
        let place = format!("statement {number}");
        if body.commandType == CmdType::CMD_UTILITY {
            findings.not_understood(format!("{place}: a command"));
        } else {
            query::look(findings, body, &place, &Sources::new());
        }
    }
    Ok(())
}

/// The statements of a function in SQL, as the session reads them now; `None` when it is gone.
///
/// `call` and its collation say what polymorphic arguments are; null and invalid for a function without such.
pub fn queries(
    function: Oid,
    call: NodePtr,
    collation: Oid,
) -> Result<Option<Vec<&'static pg_sys::Query>>, PostgresError> {
    // SAFETY: a catalogue row that is released after use, also by the end of the transaction that an error brings; what is made of it is copied.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCacheCopy(
            cache,
            function.into(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        );
        if row.is_null() {
            return Ok(None);
        }
        let mut is_null = false;
        let body =
            pg_sys::SysCacheGetAttr(cache, row, pg_sys::Anum_pg_proc_prosrc as i16, &mut is_null);
        let text = std::ffi::CStr::from_ptr(pg_sys::text_to_cstring(body.cast_mut_ptr()));
        let setup = functions::ARGUMENTS_IN_SQL;
        let mut queries = Vec::new();
        for statement in parser::parse(text)? {
            queries.push(boundary::caught(|| {
                let arguments = functions::prepare_sql_fn_parse_info(row, call, collation);
                let environment = std::ptr::null_mut();
                let statement = tree::copy(statement);
                parser::readable(functions::parse_analyze_withcb(
                    statement,
                    text.as_ptr(),
                    setup,
                    arguments,
                    environment,
                ))
            })?);
        }
        Ok(Some(queries))
    }
}
