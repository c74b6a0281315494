//! The prepared statements of a client's session. This node may have prepared some of them, and others for other sessions; so a router that sends
//! a query about `pg_prepared_statements` tells before what it should show, until the transaction ends.

use super::analysis::tree;
use super::postgres;
use crate::hooks::planner;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::pg_function;
use crate::varlena;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::RefCell;

thread_local! {
    /// As JSON: an array of rows.
    static TOLD: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Has queries show what was told; called once when the library is loaded.
pub fn install() {
    planner::subscribe(|query, _| {
        if is_told() {
            show_told(query);
        }
        None
    });
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event) && is_told(),
        tell: |_| TOLD.set(None),
    });
}

fn is_told() -> bool {
    TOLD.with_borrow(Option::is_some)
}

fn show_told(query: *mut pg_sys::Query) {
    let mut instead = Oid::INVALID;
    tree::walk(query.cast(), &mut |node| {
        let of_node = tree::cast::<pg_sys::FuncExpr, _>(node)
            .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_PG_PREPARED_STATEMENT);
        if of_node {
            if instead == Oid::INVALID {
                instead = postgres::own_function(c"told_statements", &[]);
            }
            if instead != Oid::INVALID {
                // SAFETY: a call in the planner's query, which nobody else looks at meanwhile. It gives rows of the same columns.
                unsafe {
                    let call = &mut *node.cast::<pg_sys::FuncExpr>();
                    call.funcid = instead;
                    call.funcresulttype = pg_sys::get_func_rettype(instead);
                }
            }
        }
        true
    });
}

pg_function!(
    /// `abelian.tell_statements(told)`: what `pg_prepared_statements` shows in this transaction.
    fn abelian_tell_statements(call) {
        TOLD.set(Some(varlena::content_of(call.arg(0))));
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.statements_told()`: what was told.
    fn abelian_statements_told(_call) {
        let told = TOLD.with_borrow(Clone::clone);
        Ok(varlena::bytea_of(&told.unwrap_or_else(|| b"[]".to_vec())))
    }
);
