//! Rows that a router has gathered from several nodes for a materialized view, whose query PostgreSQL would run over the rows of this node
//! alone. The router gives them in a call of its own, and sends the REFRESH next; what is planned for it is a query over these rows. All
//! else about a REFRESH stays PostgreSQL's: who may do it, its locks, CONCURRENTLY.

use super::analysis::{parser, tree};
use super::postgres;
use crate::boundary::PostgresError;
use crate::error::Error;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{self, planner, transaction};
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::RefCell;
use std::ffi::CString;

struct Kept {
    /// Gives the rows, by calls of `abelian.kept_rows`.
    query: CString,
    /// The text of the command that they are for.
    command: CString,
    arrays: Vec<(Oid, Datum)>,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Called once when the library is loaded.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event) && is_keeping(),
        tell: |_| KEPT.set(None),
    });
    planner::subscribe(|query, _| {
        if is_keeping() && hooks::commands() == 1 {
            // SAFETY: the planner is about to plan it.
            unsafe { put_instead(&mut *query) };
        }
        None
    });
}

fn is_keeping() -> bool {
    KEPT.with_borrow(Option::is_some)
}

pg_function!(
    /// `abelian.keep_rows(query, command, VARIADIC arrays)`: the rows for the command that comes in this transaction, a REFRESH of the client's own.
    fn abelian_keep_rows(call) {
        if !hooks::is_client_query() {
            return Err(Error::NotSealed);
        }
        // SAFETY: declared as text, text and VARIADIC "any"; the arrays are copied to where they stay until the end of the transaction.
        unsafe {
            let query = postgres::text_argument(call.arg(0));
            let command = postgres::text_argument(call.arg(1));
            let arrays = (2..call.len())
                .map(|at| {
                    let of = pg_sys::get_fn_expr_argtype((*call.info()).flinfo, at as i32);
                    if call.is_null(at) {
                        return (of, Datum::null());
                    }
                    let array = pg_sys::pg_detoast_datum(call.arg(at).cast_mut_ptr());
                    let before = pg_sys::MemoryContextSwitchTo(pg_sys::TopTransactionContext);
                    let copy = pg_sys::pg_detoast_datum_copy(array);
                    pg_sys::MemoryContextSwitchTo(before);
                    (of, Datum::from(copy))
                })
                .collect();
            KEPT.set(Some(Kept { query, command, arrays }));
        }
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.kept_rows(number, anyarray)`: the array of that number, from 1, which has the type of the second argument.
    fn abelian_kept_rows(call) {
        let number = call.i32(0);
        // SAFETY: the type of an argument of this call.
        let wanted = unsafe { pg_sys::get_fn_expr_argtype((*call.info()).flinfo, 1) };
        let kept = KEPT.with_borrow(|kept| {
            let arrays = kept.as_ref().map(|kept| kept.arrays.as_slice());
            arrays?.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
        });
        match kept {
            Some((of, array)) if of == wanted => Ok(array),
            _ => Err(Error::NotSealed),
        }
    }
);

/// Replaces the query of the command that the rows are for.
///
/// # Safety
/// A rewritten query that is about to be planned.
unsafe fn put_instead(query: &mut pg_sys::Query) {
    let text = KEPT.with_borrow(|kept| {
        let kept = kept.as_ref()?;
        (planner::text() == Some(kept.command.as_c_str())).then(|| kept.query.clone())
    });
    let Some(text) = text else { return };
    let instead = parser::parse(&text).and_then(|statements| {
        parser::analyse(statements[0], &text, &[]).map(|analysed| analysed.query)
    });
    let instead = match instead {
        Ok(instead) => instead,
        Err(error) => error.raise(),
    };
    let types = |query: &pg_sys::Query| -> Vec<Oid> {
        tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .map(|entry| tree::type_of(entry.expr))
            .collect()
    };
    if types(instead) != types(query) {
        PostgresError::with_hint(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE as i32,
            "the query of the materialized view has changed",
            "",
            "Try it again.",
            None,
        )
        .raise();
    }
    // SAFETY: a fresh copy of a valid query; the old one is left to its memory context.
    unsafe { std::ptr::copy_nonoverlapping(tree::copy(instead), query, 1) };
}
