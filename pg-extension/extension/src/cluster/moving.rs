//! Rows that follow a change of their table's placement: docs/design/moving-rows.md. The move itself is SQL (see the install script); here
//! are its parts that need PostgreSQL's own structures. Nothing here talks to other nodes.

use super::placement::{Distribution, Unplaced};
use super::procedure::insertion;
use super::procedure::placements::{self, Home};
use crate::boundary::PostgresError;
use crate::function::Call;
use crate::opened::Opened;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    /// The table that was asked about last: a transaction that changes the placement reads it anew at each look.
    static LAST: RefCell<Option<(Oid, Rc<Distribution>)>> = const { RefCell::new(None) };
}

/// How the table is distributed; looked up once for each place in a statement that asks.
fn distribution(call: Call, relation: Oid) -> Option<Rc<Distribution>> {
    // SAFETY: the call's own structure; what is kept there is a mark, and never read.
    let asked_before = unsafe {
        let function = (*call.info()).flinfo;
        let before = !(*function).fn_extra.is_null();
        (*function).fn_extra = function.cast();
        before
    };
    let kept = LAST.with_borrow(|last| last.clone().filter(|last| last.0 == relation));
    if let (true, Some((_, distribution))) = (asked_before, kept) {
        return Some(distribution);
    }
    let Home::Distributed(distribution) = placements::home(relation) else {
        return None;
    };
    LAST.set(Some((relation, Rc::clone(&distribution))));
    Some(distribution)
}

fn refuse_table() -> ! {
    PostgresError::with_hint(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE as i32,
        "the table is not distributed",
        "",
        "Distribute it first.",
        None,
    )
    .raise()
}

pg_function!(
    /// `abelian.node_of_row(table, VARIADIC distribution columns)`: the node of a row; an error when none may have it.
    fn abelian_node_of_row(call) {
        let relation = Oid::from(call.arg(0).value() as u32);
        let Some(distribution) = distribution(call, relation) else {
            refuse_table();
        };
        if call.len() != distribution.columns().len() + 1 {
            refuse_table();
        }
        if (1..call.len()).any(|argument| call.is_null(argument)) {
            let node = distribution.node_of_null();
            drop(distribution);
            return match node {
                Some(node) => Ok(Datum::from(node)),
                None => insertion::refuse_null(relation),
            };
        }
        // SAFETY: the arguments have the types that the call says.
        let node = unsafe {
            let function = (*call.info()).flinfo;
            distribution.node_of(|key| {
                let argument = key + 1;
                (pg_sys::get_fn_expr_argtype(function, argument as i32), call.arg(argument))
            })
        };
        drop(distribution);
        match node {
            Ok(node) => Ok(Datum::from(node)),
            Err(Unplaced::Nowhere | Unplaced::Unknown) => insertion::refuse_unplaced(relation),
        }
    }
);

pg_function!(
    /// `abelian.check_not_in_use(table)`: raises when the session has an open cursor over the table, or triggers and constraints of it to come.
    fn abelian_check_not_in_use(call) {
        let relation = Oid::from(call.arg(0).value() as u32);
        if let Some(opened) = Opened::open(relation, pg_sys::AccessExclusiveLock) {
            // SAFETY: an open table, whose only user here this is.
            unsafe { pg_sys::CheckTableNotInUse(opened.relation(), c"move the rows of".as_ptr()) };
        }
        Ok(Datum::null())
    }
);
