//! The hooks that see each statement: refusal of outdated routers, the commit gate at PREPARE TRANSACTION, the token.
//!
//! Only what the client itself sent is checked. Statements inside functions, triggers and utility commands run at a
//! depth above 0, as does a placement function's own work, which sees the new version that it makes.

use super::{
    column_fill, gate, nested, procedure, session_settings, settings, transaction_token, version,
};
use crate::boundary;
use crate::utility::UtilityCall;
use pgrx::pg_sys;
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The standard implementations, called raw: pgrx's bindings would convert the errors of the statements.
mod raw {
    use pgrx::pg_sys;
    use std::ffi::c_int;

    unsafe extern "C-unwind" {
        pub fn standard_ExecutorStart(query: *mut pg_sys::QueryDesc, flags: c_int);
        #[cfg(not(feature = "pg18"))]
        pub fn standard_ExecutorRun(
            query: *mut pg_sys::QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
            execute_once: bool,
        );
        #[cfg(feature = "pg18")]
        pub fn standard_ExecutorRun(
            query: *mut pg_sys::QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
        );
        pub fn standard_ExecutorFinish(query: *mut pg_sys::QueryDesc);
        pub fn standard_planner(
            query: *mut pg_sys::Query,
            text: *const std::ffi::c_char,
            options: c_int,
            parameters: pg_sys::ParamListInfo,
        ) -> *mut pg_sys::PlannedStmt;
        pub fn AfterTriggerFireDeferred();
        pub fn NewGUCNestLevel() -> c_int;
        pub fn AtEOXact_GUC(commit: bool, level: c_int);
    }
}

/// True inside a statement of a function, a trigger or a utility command.
pub fn is_nested() -> bool {
    DEPTH.load(Relaxed) > 0
}

/// How many executor runs and utility commands enclose the current point.
static DEPTH: AtomicU32 = AtomicU32::new(0);

static NEXT_START: OnceLock<pg_sys::ExecutorStart_hook_type> = OnceLock::new();
static NEXT_RUN: OnceLock<pg_sys::ExecutorRun_hook_type> = OnceLock::new();
static NEXT_FINISH: OnceLock<pg_sys::ExecutorFinish_hook_type> = OnceLock::new();
static NEXT_PLANNER: OnceLock<pg_sys::planner_hook_type> = OnceLock::new();
static NEXT_UTILITY: OnceLock<pg_sys::ProcessUtility_hook_type> = OnceLock::new();

/// Puts the hooks before those already installed.
pub fn install() {
    // SAFETY: the postmaster loads libraries in one thread.
    unsafe {
        NEXT_START.get_or_init(|| pg_sys::ExecutorStart_hook);
        pg_sys::ExecutorStart_hook = Some(executor_start);
        NEXT_RUN.get_or_init(|| pg_sys::ExecutorRun_hook);
        pg_sys::ExecutorRun_hook = Some(executor_run);
        NEXT_FINISH.get_or_init(|| pg_sys::ExecutorFinish_hook);
        pg_sys::ExecutorFinish_hook = Some(executor_finish);
        NEXT_PLANNER.get_or_init(|| pg_sys::planner_hook);
        pg_sys::planner_hook = Some(planner);
        NEXT_UTILITY.get_or_init(|| pg_sys::ProcessUtility_hook);
        pg_sys::ProcessUtility_hook = Some(process_utility);
    }
}

/// True for what the client sent; false inside other statements and for what runs at COMMIT (deferred triggers).
fn is_client_statement() -> bool {
    // SAFETY: plain read of a backend variable.
    DEPTH.load(Relaxed) == 0 && !unsafe { pg_sys::ActivePortal }.is_null()
}

/// True for what runs inside the client's statement; a parallel worker runs its part of the statement itself.
fn is_inside() -> bool {
    // SAFETY: plain read of a backend variable.
    let is_worker = unsafe { pg_sys::ParallelWorkerNumber } >= 0;
    if is_worker {
        DEPTH.load(Relaxed) > 0
    } else {
        !is_client_statement()
    }
}

/// One level deeper for the time of a raw call, also when an error ends it.
///
/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn nested(call: impl FnOnce()) {
    DEPTH.fetch_add(1, Relaxed);
    // SAFETY: by the caller's promise.
    unsafe {
        boundary::pass_errors(call, || {
            DEPTH.fetch_sub(1, Relaxed);
        });
    }
    DEPTH.fetch_sub(1, Relaxed);
}

/// Runs the client's statement. A call that shares its transaction with others ends as a transaction of its own would: its deferred
/// triggers are fired, and what it has set is taken back.
///
/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn whole(call: impl FnOnce()) {
    let shares = is_client_statement() && procedure::is_running() && procedure::are_several();
    // SAFETY: by the caller's promise; an error ends the transaction, and with it all levels of settings.
    unsafe {
        let level = if shares { raw::NewGUCNestLevel() } else { 0 };
        nested(call);
        if shares {
            nested(|| raw::AfterTriggerFireDeferred());
            raw::AtEOXact_GUC(false, level);
        }
    }
}

/// Runs our own code, whose panics become errors.
fn guarded<R: Copy>(code: impl FnOnce() -> R) -> R {
    // SAFETY: called by hooks that PostgreSQL called; `R` has no destructor.
    unsafe { pg_sys::submodules::panic::pgrx_extern_c_guard(std::panic::AssertUnwindSafe(code)) }
}

/// Whether a router is connected. Asked before anything is guarded, since most clients are none.
fn has_router() -> bool {
    settings::PLACEMENT_VERSION.get() != 0
}

/// Raises AB001 when the router's version is older than the node's.
///
/// # Safety
/// No value with a destructor may be alive between here and PostgreSQL.
unsafe fn refuse_outdated_router() {
    if has_router()
        && let Some(current) = guarded(version::newer_than_router)
    {
        // SAFETY: by the caller's promise.
        unsafe { version::refuse(current) }
    }
}

/// A transaction that has failed is rolled back by its PREPARE, and needs no gate.
fn enter_gate() {
    // SAFETY: plain read of the transaction's state.
    if unsafe { pg_sys::IsTransactionState() }
        && let Err(error) = gate::enter_to_commit()
    {
        error.raise();
    }
}

// The hooks are not wrapped as a whole: errors of the statements themselves must pass with all their fields.

unsafe extern "C-unwind" fn executor_start(query: *mut pg_sys::QueryDesc, flags: c_int) {
    // SAFETY: the arguments pass through as PostgreSQL gave them; nothing here has a destructor.
    unsafe {
        let is_run = flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int == 0;
        if is_client_statement() && is_run {
            refuse_outdated_router();
            if !procedure::is_idle() {
                guarded(procedure::statement_starts);
            }
            if has_router() {
                guarded(|| nested::statement_starts(std::ptr::null_mut()));
            }
        }
        match NEXT_START.get().copied().flatten() {
            Some(next) => next(query, flags),
            None => raw::standard_ExecutorStart(query, flags),
        }
        if procedure::is_running() && is_run {
            guarded(|| procedure::check_query(&*query));
        } else if has_router() && is_run && is_inside() {
            guarded(|| nested::check_query(&*query, DEPTH.load(Relaxed)));
        }
    }
}

#[cfg(not(feature = "pg18"))]
unsafe extern "C-unwind" fn executor_run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
    execute_once: bool,
) {
    // SAFETY: as in `executor_start`.
    unsafe {
        whole(|| match NEXT_RUN.get().copied().flatten() {
            Some(next) => next(query, direction, count, execute_once),
            None => raw::standard_ExecutorRun(query, direction, count, execute_once),
        });
    }
    report_transaction();
}

#[cfg(feature = "pg18")]
unsafe extern "C-unwind" fn executor_run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
) {
    // SAFETY: as in `executor_start`.
    unsafe {
        whole(|| match NEXT_RUN.get().copied().flatten() {
            Some(next) => next(query, direction, count),
            None => raw::standard_ExecutorRun(query, direction, count),
        });
    }
    report_transaction();
}

/// Triggers that come after the rows are changed run here.
unsafe extern "C-unwind" fn executor_finish(query: *mut pg_sys::QueryDesc) {
    // SAFETY: as in `executor_start`.
    unsafe {
        nested(|| match NEXT_FINISH.get().copied().flatten() {
            Some(next) => next(query),
            None => raw::standard_ExecutorFinish(query),
        });
    }
}

/// A function that is declared IMMUTABLE may run while a statement is planned.
unsafe extern "C-unwind" fn planner(
    query: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    parameters: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    let mut plan = std::ptr::null_mut();
    let next = NEXT_PLANNER.get().copied().flatten();
    let call = || match next {
        // SAFETY: as in `executor_start`.
        Some(next) => unsafe { next(query, text, options, parameters) },
        None => unsafe { raw::standard_planner(query, text, options, parameters) },
    };
    if !has_router() {
        return call();
    }
    if DEPTH.load(Relaxed) == 0 {
        nested::statement_ends();
    }
    // SAFETY: as in `executor_start`.
    unsafe { nested(|| plan = call()) };
    plan
}

fn report_transaction() {
    if procedure::is_running() && is_client_statement() {
        guarded(procedure::statement_ends);
    }
    if has_router() && is_client_statement() {
        guarded(transaction_token::report);
        guarded(session_settings::statement_ends);
        nested::statement_ends();
    }
}

#[allow(clippy::too_many_arguments)] // PostgreSQL's signature
unsafe extern "C-unwind" fn process_utility(
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    destination: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    let call = UtilityCall {
        statement,
        text,
        read_only,
        context,
        parameters,
        environment,
        destination,
        completion,
    };
    // SAFETY: as in `executor_start`; the statement is a valid planned utility statement.
    unsafe {
        // Looked at before the command runs: COMMIT frees the tree.
        let node = call.node();
        let checked = is_client_statement() && touches_tables(node);
        let mut call = call;
        if checked {
            refuse_outdated_router();
            guarded(procedure::statement_starts);
            if has_router() {
                guarded(|| nested::statement_starts(node));
                if let Some(changed) = guarded(|| nested::without_rows(statement)) {
                    call.statement = changed;
                }
                guarded(|| column_fill::check(node));
            }
        } else if !is_client_statement() && touches_tables(node) {
            if procedure::is_running() && DEPTH.load(Relaxed) > 0 {
                guarded(|| procedure::check_command(node));
            } else if has_router() {
                guarded(|| nested::check_command(node, context));
            }
        }
        // Looked at before the command runs, as above.
        let sets = has_router() && changes_settings(node);
        if prepares_our_gid(node) {
            guarded(enter_gate);
        }
        let run = || call.pass_on(NEXT_UTILITY.get().copied().flatten());
        if checked {
            whole(run);
        } else {
            nested(run);
        }
        if sets {
            guarded(session_settings::changed);
        }
        if checked && pg_sys::IsTransactionState() {
            // Utility commands take their locks while they run, so the version is looked at once more.
            refuse_outdated_router();
            report_transaction();
        }
    }
}

/// Commands that begin, end or configure something, or only look, are of no concern.
///
/// # Safety
/// `statement` must be a utility statement's node.
unsafe fn touches_tables(statement: *mut pg_sys::Node) -> bool {
    use pg_sys::NodeTag::*;
    // SAFETY: every node starts with its tag.
    !matches!(
        unsafe { (*statement).type_ },
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

/// # Safety
/// `statement` must be a utility statement's node.
unsafe fn changes_settings(statement: *mut pg_sys::Node) -> bool {
    use pg_sys::NodeTag::{T_DiscardStmt, T_VariableSetStmt};
    // SAFETY: every node starts with its tag.
    matches!(
        unsafe { (*statement).type_ },
        T_VariableSetStmt | T_DiscardStmt
    )
}

/// # Safety
/// `statement` must be a utility statement's node.
unsafe fn prepares_our_gid(statement: *mut pg_sys::Node) -> bool {
    // SAFETY: the tag says which structure it is; gid is a C string for this kind.
    unsafe {
        if (*statement).type_ != pg_sys::NodeTag::T_TransactionStmt {
            return false;
        }
        let transaction = statement.cast::<pg_sys::TransactionStmt>();
        (*transaction).kind == pg_sys::TransactionStmtKind::TRANS_STMT_PREPARE
            && !(*transaction).gid.is_null()
            && CStr::from_ptr((*transaction).gid)
                .to_bytes()
                .starts_with(gate::GID_PREFIX)
            && pg_sys::IsTransactionBlock()
    }
}
