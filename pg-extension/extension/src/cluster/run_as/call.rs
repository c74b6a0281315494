//! The call of a distributed procedure that an independent transaction has recorded (docs/protocols/independent.md), run on a node that
//! lacks it.

use crate::boundary::{self, functions};
use crate::cluster::analysis::{parser, procedure_call, tree};
use crate::cluster::{postgres, procedure};
use crate::error::Error;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum};
use std::ffi::CStr;

const NO_CALL: &str = "A record holds calls of distributed procedures.";
const NO_SETTING: &str = "Before its calls, a record holds settings for one transaction.";

pg_function!(
    /// `abelian.run_call(role, settings, self, nodes, call)`: runs the call as that role and as a participant, and ends it as a
    /// transaction of its own would end: what it has deferred is done, what it has set is taken back.
    fn abelian_run_call(call) {
        // SAFETY: declared as name, text, integer, integer[] and text, the function as STRICT.
        let (role, settings, nodes, text) = unsafe {
            (
                postgres::name_argument(call.arg(0)),
                postgres::text_argument(call.arg(1)),
                postgres::int_array(call.arg(3)),
                postgres::text_argument(call.arg(4)),
            )
        };
        let participants = procedure::told(call.i32(2), &nodes, "");
        super::run_as(&role, || {
            set_up(&settings)?;
            check(&text)?;
            postgres::set_local(c"abelian.participants", &participants);
            procedure::statement_starts();
            super::execute(&text, &mut [], &mut []).map_err(Error::Postgres)
        })?;
        Ok(Datum::null())
    }
);

/// `SET LOCAL ...`, and `SELECT pg_catalog.set_config('search_path', '...', true)`, which the node itself has put there.
fn set_up(settings: &CStr) -> Result<(), Error> {
    for statement in parser::parse(settings).map_err(Error::Postgres)? {
        if let Some(set) = tree::cast::<pg_sys::VariableSetStmt, _>(statement.stmt)
            && set.is_local
        {
            let set = tree::copy(set);
            // SAFETY: a raw call on a private copy.
            unsafe { boundary::caught(|| functions::ExecSetVariableStmt(set, false)) }
                .map_err(Error::Postgres)?;
        } else if let Some(path) = search_path(statement) {
            let path = parser::c_text(&path);
            postgres::set_local(c"search_path", &path);
        } else {
            return Err(Error::NotRunnable(NO_SETTING));
        }
    }
    Ok(())
}

/// The path that the statement sets, if it does nothing else.
fn search_path(statement: &pg_sys::RawStmt) -> Option<String> {
    let select = tree::cast::<pg_sys::SelectStmt, _>(statement.stmt)?;
    let mut targets = tree::list::<pg_sys::ResTarget>(select.targetList);
    let (Some(target), None, true) = (
        targets.next(),
        targets.next(),
        select.fromClause.is_null() && select.whereClause.is_null(),
    ) else {
        return None;
    };
    let call = tree::cast::<pg_sys::FuncCall, _>(target.val)?;
    let arguments: Vec<_> = tree::nodes(call.args).collect();
    let [name, value, _local] = arguments[..] else {
        return None;
    };
    let is_it = tree::strings(call.funcname) == ["pg_catalog", "set_config"]
        && tree::literal(name).as_deref() == Some("search_path");
    is_it.then(|| tree::literal(value)).flatten()
}

/// One statement, which is nothing but the call of a distributed procedure.
fn check(text: &CStr) -> Result<(), Error> {
    let statements = parser::parse(text).map_err(Error::Postgres)?;
    let [statement] = statements[..] else {
        return Err(Error::NotRunnable(NO_CALL));
    };
    let analysed = parser::analyse(statement, text, &[]).map_err(Error::Postgres)?;
    match procedure_call::is_call(analysed.query) {
        true => Ok(()),
        false => Err(Error::NotRunnable(NO_CALL)),
    }
}
