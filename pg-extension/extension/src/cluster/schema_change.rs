//! Whether a statement changes the schema, or the placement, on all nodes: only a router can make such a change in a cluster of several
//! nodes, as each must make the same one.
//!
//! A router says so right before it passes the client's statement on. It holds for this one statement: a command, or the call of a
//! placement function by itself; not for what functions of the client do inside, which may differ from node to node. What a DO block does
//! inside is compared ([`super::block`]).

use super::shared_clock::{self, Moments};
use super::{block, seal, settings};
use crate::error::Error;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{self, transaction};
use crate::pg_function;
use pgrx::pg_sys::Datum;
use std::cell::Cell;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// No change of a router's.
    Idle,
    /// The client's next statement is one.
    Told,
    /// Inside a command.
    Command,
    /// Inside a query.
    Query,
}

thread_local! {
    static PHASE: Cell<Phase> = const { Cell::new(Phase::Idle) };
    /// The number of this node, as the router has told it with the change.
    static NODE: Cell<i32> = const { Cell::new(0) };
}

/// Sees the end of each transaction; called once when the library is loaded.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event) && is_concerned(),
        tell: |_| {
            PHASE.set(Phase::Idle);
            shared_clock::transaction_ends();
        },
    });
}

pg_function!(
    /// `abelian.change_schema(router, self, seal)`: the client's next statement is run on every node.
    fn abelian_change_schema(call) {
        let node = call.i32(1);
        // SAFETY: declared as uuid, integer and text, the function as STRICT.
        unsafe {
            let router = seal::router_argument(call.arg(0));
            seal::Sealed::call("change_schema").number(node).check(router, call.arg(2))?;
        }
        announced(node, None)
    }
);

pg_function!(
    /// `abelian.change_schema(router, self, transaction, statement, seal)`: the same, and for a command all nodes have this clock, the moments at
    /// which the transaction and the statement have begun.
    fn abelian_change_schema_at(call) {
        let node = call.i32(1);
        let moments = Moments { transaction: call.i64(2), statement: call.i64(3) };
        // SAFETY: as above, with two numbers.
        unsafe {
            let router = seal::router_argument(call.arg(0));
            let sealed = seal::Sealed::call("change_schema").number(node);
            sealed.number(moments.transaction).number(moments.statement).check(router, call.arg(4))?;
        }
        announced(node, Some(moments))
    }
);

fn announced(node: i32, moments: Option<Moments>) -> Result<Datum, Error> {
    if !hooks::is_client_query() {
        return Err(Error::NotSealed);
    }
    NODE.set(node);
    PHASE.set(Phase::Told);
    shared_clock::tell(moments);
    Ok(Datum::null())
}

/// The client's next statement.
pub fn statement_starts(is_command: bool) {
    match PHASE.get() {
        Phase::Told if is_command => shared_clock::command_starts(),
        _ => shared_clock::command_ends(),
    }
    PHASE.set(match PHASE.get() {
        Phase::Told if is_command => Phase::Command,
        Phase::Told => Phase::Query,
        _ => Phase::Idle,
    });
}

/// True when the client's statement begins or ends something here.
pub fn is_concerned() -> bool {
    PHASE.get() != Phase::Idle
}

/// Whether the client's statement is a command that every node runs.
pub fn is_told_of_command() -> bool {
    PHASE.get() == Phase::Command
}

/// The end of a statement of the client. What tells of the next one is a statement as well.
pub fn statement_ends() {
    if PHASE.get() != Phase::Told {
        PHASE.set(Phase::Idle);
        shared_clock::command_ends();
    }
}

pg_function!(
    /// `abelian.is_router(in_command)`: whether a router makes the change that is asked about on every node; `in_command` for what an event
    /// trigger sees of a command, else for a placement function.
    fn abelian_is_router(call) {
        let in_command = call.arg(0).value() != 0;
        let sealed = match PHASE.get() {
            Phase::Command if block::is_running() => in_command && block::is_at_command(),
            Phase::Command => in_command && hooks::commands() == 1,
            Phase::Query => !in_command && hooks::commands() == 0,
            _ => false,
        };
        let by_itself = || settings::PLACEMENT_VERSION.get() != 0 && seal::is_trusted();
        Ok((sealed || by_itself()).into())
    }
);

/// The number of this node, as the router has told it; 0 when it has not.
pub fn this_node() -> i32 {
    match PHASE.get() {
        Phase::Command | Phase::Query => NODE.get(),
        _ if seal::is_trusted() => settings::NODE_ID.get(),
        _ => 0,
    }
}

pg_function!(
    /// `abelian.this_node()`: see [`this_node`].
    fn abelian_this_node(_call) {
        Ok(Datum::from(this_node()))
    }
);
