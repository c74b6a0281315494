//! What each statement of a client passes: refusal of outdated routers, the commit gate at PREPARE TRANSACTION, the token.
//!
//! Only what the client itself sent is checked. Statements inside functions, triggers and utility commands are nested, as is a placement
//! function's own work, which sees the new version that it makes.

use super::{
    block, column_fill, copies, foreign_key, gate, misplaced, nested, postgres, procedure, refused,
    role_passwords, row_triggers, run_as, schema_change, sequence_commands, session_locks,
    session_settings, settings, transaction_token, unique_index, version, vote,
};
use crate::backend;
use crate::boundary::functions;
use crate::compat;
use crate::hooks::executor::{self, Start};
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::hooks::{deeper, depth, is_client_statement, is_nested, planner};
use pgrx::pg_sys::{self, NodeTag};
use std::cell::Cell;
use std::ffi::CStr;

thread_local! {
    /// The level of settings at which a call runs that shares its transaction; 0 for none.
    static LEVEL: Cell<i32> = const { Cell::new(0) };
}

/// Subscribes to the hooks.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: |start| is_client_statement() && !start.is_explain_only() && is_watched(),
        tell: |_| statement_starts(std::ptr::null_mut()),
    });
    executor::before_start(Subscriber {
        concerns: |start| copies::concerns(start.query()) && !start.is_explain_only(),
        tell: copies::lock,
    });
    executor::after_start(Subscriber {
        concerns: |start| {
            let is_watched = procedure::is_running() || has_router() && is_inside();
            (is_watched || misplaced::concerns(start.query())) && !start.is_explain_only()
        },
        tell: |start: &Start| {
            if procedure::is_running() && !nested::is_in_trigger(start.query()) {
                procedure::check_query(start.query());
            } else if has_router() && is_inside() {
                nested::check_query(start.query(), depth());
            } else {
                misplaced::check_query(start.query());
            }
        },
    });
    planner::subscribe(|query, _| {
        // When the client binds a statement there is no portal yet, as there is none for what deferred triggers run.
        let is_own = !is_nested() && !row_triggers::is_running();
        if has_router() && is_own {
            nested::statement_ends();
        } else if has_router() {
            // SAFETY: the planner's own query.
            nested::check_numbers(unsafe { &*query });
        }
        if nested::is_in_block() {
            block::check_query(query);
        }
        None
    });
    executor::before_run(Subscriber {
        concerns: |_| is_client_statement() && procedure::is_running(),
        tell: |_| LEVEL.set(begin_call()),
    });
    executor::after_run(Subscriber {
        concerns: |_| is_client_statement() && is_watched(),
        tell: |_| {
            end_call(LEVEL.take());
            report_transaction();
        },
    });
    // AFTER triggers have run.
    executor::after_finish(Subscriber {
        concerns: |_| is_client_statement() && has_router(),
        tell: |_| session_locks::statement_ends(),
    });
    utility::subscribe(Around {
        concerns: concerns_command,
        around: around_command,
    });
}

/// Whether a router is connected.
fn has_router() -> bool {
    settings::PLACEMENT_VERSION.get() != 0
}

/// Whether a client's statements are of any concern; most clients are no routers.
fn is_watched() -> bool {
    has_router() || !procedure::is_idle() || schema_change::is_concerned()
}

/// Raises AB001 when the router's version is older than the node's.
fn refuse_outdated_router() {
    if let Some(current) = version::newer_than_router() {
        version::refuse(current);
    }
}

/// True for what runs inside the client's statement; a parallel worker runs its part of the statement itself.
fn is_inside() -> bool {
    // SAFETY: plain read of a backend variable.
    match unsafe { pg_sys::ParallelWorkerNumber } >= 0 {
        true => is_nested(),
        false => !is_client_statement(),
    }
}

/// The client's statement starts; null stands for a query.
fn statement_starts(command: *mut pg_sys::Node) {
    refuse_outdated_router();
    procedure::statement_starts();
    schema_change::statement_starts(!command.is_null());
    refused::statement_starts();
    block::statement_starts(command);
    if has_router() {
        nested::statement_starts(command);
        sequence_commands::command_starts(command);
    }
}

/// A call that shares its transaction with others ends as a transaction of its own would: its deferred triggers are fired, and what it has
/// set is taken back. Gives the level of settings to go back to; an error ends the transaction, and with it all levels.
fn begin_call() -> i32 {
    match procedure::is_running() && procedure::are_several() {
        // SAFETY: inside of a transaction.
        true => unsafe { functions::NewGUCNestLevel() },
        false => 0,
    }
}

fn end_call(level: i32) {
    if level != 0 {
        fire_deferred();
        // SAFETY: the level is one that `begin_call` began.
        unsafe { functions::AtEOXact_GUC(false, level) };
    }
}

/// Does what the transaction has deferred, as its end would.
pub fn fire_deferred() {
    // SAFETY: inside of a transaction.
    deeper(|| unsafe { functions::AfterTriggerFireDeferred() });
}

fn report_transaction() {
    if procedure::is_running() {
        procedure::statement_ends();
    }
    schema_change::statement_ends();
    if has_router() {
        transaction_token::report();
        session_locks::statement_ends();
        session_settings::statement_ends();
        nested::statement_ends();
        refused::raise_caught();
    }
}

fn concerns_command(command: &Command) -> bool {
    let concerned = match is_client_statement() {
        true => is_watched(),
        false => has_router() || is_nested() && procedure::is_running(),
    };
    concerned && touches_tables(command.tag())
        || has_router() && (changes_settings(command.tag()) || command.begins_transaction())
        || is_inner_session_command(command)
        || run_as::is_inside()
        || command.loaded_table().is_some()
        || our_gid_to_prepare(command).is_some()
        || nested::is_in_block()
}

fn is_inner_session_command(command: &Command) -> bool {
    has_router() && !is_client_statement() && nested::is_of_session(command.tag())
}

fn around_command(command: &Command, run: Runner<'_>) {
    let mut command = *command;
    let touches_tables = touches_tables(command.tag());
    let is_checked = touches_tables && is_client_statement();
    if run_as::is_inside() {
        run_as::check_command(command.node());
    }
    copies::lock_load(&command);
    if let Some(checked) = misplaced::checked_load(&command) {
        command = command.with_statement(checked);
    }
    let begins = has_router() && command.begins_transaction();
    let changes_settings = has_router() && changes_settings(command.tag());
    if is_checked {
        command = command_starts(command);
    } else if nested::is_in_block() && block::makes(&command) {
        return block::run(&command, run);
    } else if touches_tables {
        inner_command_starts(&command);
        if let Some(adapted) = sequence_commands::adapted(&command) {
            command = command.with_statement(adapted);
        }
    }
    if is_inner_session_command(&command) {
        nested::check_session_command(command.node());
    }
    if let Some(gid) = our_gid_to_prepare(&command) {
        enter_gate(gid);
    }
    let level = if is_checked { begin_call() } else { 0 };
    let transaction = compat::local_transaction();
    match is_checked && nested::checks_bodies_elsewhere(command.node()) {
        true => without_bodies(&mut || run(&command)),
        false => run(&command),
    }
    end_call(level);
    if changes_settings {
        session_settings::changed();
    }
    if begins {
        transaction_token::report(); // A router may begin it behind statements that have written already.
    }
    if is_checked && backend::in_transaction() {
        // Utility commands take their locks while they run, so the version is looked at once more.
        let has_committed = compat::local_transaction() != transaction;
        check_version_again(command.tag(), has_committed);
        report_transaction();
    }
}

/// What VACUUM and its like have committed is done.
fn check_version_again(tag: NodeTag, has_committed: bool) {
    if !has_committed {
        refuse_outdated_router();
    } else if matches!(tag, NodeTag::T_CallStmt | NodeTag::T_DoStmt)
        && transaction_token::has_written()
        && let Some(current) = version::newer_than_router()
    {
        version::refuse_rest(current);
    }
}

/// A command that the client sent starts; gives the one that this node runs.
fn command_starts(command: Command) -> Command {
    statement_starts(command.node());
    if !has_router() {
        return command;
    }
    column_fill::check(command.node());
    foreign_key::check(command.node());
    unique_index::check(command.node());
    // They plan expressions, which says that another statement is the client's.
    nested::statement_starts(command.node());
    // SAFETY: a planned command.
    let changed = unsafe { nested::without_rows(command.statement()) };
    let adapted = changed
        .or_else(|| sequence_commands::adapted(&command))
        .or_else(|| role_passwords::adapted(&command));
    match adapted {
        Some(changed) => command.with_statement(changed),
        None => command,
    }
}

/// Runs the command that creates a function or procedure without a look into its body. An error ends the transaction, and with it the setting.
fn without_bodies(run: &mut dyn FnMut()) {
    // SAFETY: inside of a transaction; the level is ended here.
    let level = unsafe { functions::NewGUCNestLevel() };
    postgres::set(
        c"check_function_bodies",
        c"off",
        pg_sys::GucAction::GUC_ACTION_SAVE,
    );
    run();
    // SAFETY: as above.
    unsafe { functions::AtEOXact_GUC(true, level) };
}

/// A command inside of another statement starts.
fn inner_command_starts(command: &Command) {
    if is_nested() && procedure::is_running() {
        procedure::check_command(command.node());
    } else if has_router() {
        nested::check_command(command.node(), command.context());
    }
}

/// A transaction that has failed is rolled back by its PREPARE, and needs no gate.
fn enter_gate(gid: &CStr) {
    if !backend::in_transaction() {
        return;
    }
    vote::require(gid.to_bytes());
    if let Err(error) = gate::enter_to_commit(gid.to_bytes()) {
        error.raise();
    }
}

/// Commands that begin, end or configure something, or only look, are of no concern.
fn touches_tables(tag: NodeTag) -> bool {
    use NodeTag::*;
    !matches!(
        tag,
        T_TransactionStmt
            | T_VariableSetStmt
            | T_VariableShowStmt
            | T_DiscardStmt
            | T_DeallocateStmt
            | T_FetchStmt
            | T_ClosePortalStmt
            | T_ListenStmt
            | T_UnlistenStmt
            | T_NotifyStmt
            | T_ConstraintsSetStmt
            | T_LoadStmt
            | T_CheckPointStmt
    )
}

fn changes_settings(tag: NodeTag) -> bool {
    matches!(tag, NodeTag::T_DiscardStmt | NodeTag::T_VariableSetStmt)
}

/// The gid of ours under which the command prepares a transaction, if it does. It lives as long as the command.
fn our_gid_to_prepare(command: &Command) -> Option<&CStr> {
    if command.tag() != NodeTag::T_TransactionStmt {
        return None;
    }
    let transaction = command.node().cast::<pg_sys::TransactionStmt>();
    // SAFETY: the tag says which structure it is; gid is a C string for this kind.
    unsafe {
        let prepares = (*transaction).kind == pg_sys::TransactionStmtKind::TRANS_STMT_PREPARE
            && !(*transaction).gid.is_null()
            && pg_sys::IsTransactionBlock();
        prepares
            .then(|| CStr::from_ptr((*transaction).gid))
            .filter(|gid| gid.to_bytes().starts_with(gate::GID_PREFIX))
    }
}
