//! The hooks that see each statement: refusal of outdated routers, the commit gate at PREPARE TRANSACTION, the token.
//!
//! Only what the client itself sent is checked. Statements inside functions, triggers and utility commands run at a
//! depth above 0, as does a placement function's own work, which sees the new version that it makes.

use super::{gate, procedure, run_as, schema_change, settings, transaction_token, version, vote};
use crate::boundary;
use crate::error::Error;
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

/// How many of these are utility commands that may touch tables.
static COMMANDS: AtomicU32 = AtomicU32::new(0);

/// How many utility commands that may touch tables enclose the current point.
pub fn commands() -> u32 {
    COMMANDS.load(Relaxed)
}

/// True for what a query that the client itself has sent calls.
pub fn is_client_query() -> bool {
    DEPTH.load(Relaxed) == 1 && commands() == 0
}

static NEXT_START: OnceLock<pg_sys::ExecutorStart_hook_type> = OnceLock::new();
static NEXT_RUN: OnceLock<pg_sys::ExecutorRun_hook_type> = OnceLock::new();
static NEXT_UTILITY: OnceLock<pg_sys::ProcessUtility_hook_type> = OnceLock::new();

/// Puts the hooks before those already installed.
pub fn install() {
    // SAFETY: the postmaster loads libraries in one thread.
    unsafe {
        NEXT_START.get_or_init(|| pg_sys::ExecutorStart_hook);
        pg_sys::ExecutorStart_hook = Some(executor_start);
        NEXT_RUN.get_or_init(|| pg_sys::ExecutorRun_hook);
        pg_sys::ExecutorRun_hook = Some(executor_run);
        NEXT_UTILITY.get_or_init(|| pg_sys::ProcessUtility_hook);
        pg_sys::ProcessUtility_hook = Some(process_utility);
    }
}

/// True for what the client sent; false inside other statements and for what runs at COMMIT (deferred triggers).
fn is_client_statement() -> bool {
    // SAFETY: plain read of a backend variable.
    DEPTH.load(Relaxed) == 0 && !unsafe { pg_sys::ActivePortal }.is_null()
}

/// One level deeper for the time of a raw call, also when an error ends it.
///
/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn nested(call: impl FnOnce()) {
    // SAFETY: by the caller's promise.
    unsafe { counted(&DEPTH, call) }
}

/// # Safety
/// As [`boundary::pass_errors`].
unsafe fn counted(counter: &'static AtomicU32, call: impl FnOnce()) {
    counter.fetch_add(1, Relaxed);
    // SAFETY: by the caller's promise.
    unsafe {
        boundary::pass_errors(call, || {
            counter.fetch_sub(1, Relaxed);
        });
    }
    counter.fetch_sub(1, Relaxed);
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

/// Does what the transaction has deferred, as its end would.
pub fn fire_deferred() -> Result<(), Error> {
    DEPTH.fetch_add(1, Relaxed);
    // SAFETY: a raw call that owns nothing.
    let fired = unsafe { boundary::catch_errors(|| raw::AfterTriggerFireDeferred()) };
    DEPTH.fetch_sub(1, Relaxed);
    fired.map_err(Error::Postgres)
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
fn enter_gate(gid: &CStr) {
    // SAFETY: plain read of the transaction's state.
    if unsafe { !pg_sys::IsTransactionState() } {
        return;
    }
    vote::require(gid.to_bytes());
    if let Err(error) = gate::enter_to_commit() {
        error.raise();
    }
}

// The hooks are not wrapped as a whole: errors of the statements themselves must pass with all their fields.

unsafe extern "C-unwind" fn executor_start(query: *mut pg_sys::QueryDesc, flags: c_int) {
    // SAFETY: the arguments pass through as PostgreSQL gave them; nothing here has a destructor.
    unsafe {
        if is_client_statement() && flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int == 0 {
            refuse_outdated_router();
            if !procedure::is_idle() {
                guarded(procedure::statement_starts);
            }
            if schema_change::is_concerned() {
                schema_change::statement_starts(false);
            }
        }
        match NEXT_START.get().copied().flatten() {
            Some(next) => next(query, flags),
            None => raw::standard_ExecutorStart(query, flags),
        }
        if procedure::is_running() && flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int == 0 {
            guarded(|| procedure::check_query(&*query));
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

fn report_transaction() {
    if procedure::is_running() && is_client_statement() {
        guarded(procedure::statement_ends);
    }
    if schema_change::is_concerned() && is_client_statement() {
        schema_change::statement_ends();
    }
    if has_router() && is_client_statement() {
        guarded(transaction_token::report);
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
        let touches = touches_tables(node);
        let checked = is_client_statement() && touches;
        if run_as::is_inside() {
            guarded(|| run_as::check_command(node));
        }
        if checked {
            refuse_outdated_router();
            guarded(procedure::statement_starts);
            schema_change::statement_starts(true);
        } else if procedure::is_running() && DEPTH.load(Relaxed) > 0 && touches_tables(node) {
            guarded(|| procedure::check_command(node));
        }
        if let Some(gid) = our_gid_to_prepare(node) {
            guarded(|| enter_gate(gid));
        }
        let run = || call.pass_on(NEXT_UTILITY.get().copied().flatten());
        if checked {
            counted(&COMMANDS, || whole(run));
        } else if touches {
            counted(&COMMANDS, || nested(run));
        } else {
            nested(run);
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

/// The gid of ours under which the statement prepares a transaction, if it does.
///
/// # Safety
/// `statement` must be a utility statement's node.
unsafe fn our_gid_to_prepare(statement: *mut pg_sys::Node) -> Option<&'static CStr> {
    // SAFETY: the tag says which structure it is; gid is a C string for this kind, and lives as long as the statement.
    unsafe {
        if (*statement).type_ != pg_sys::NodeTag::T_TransactionStmt {
            return None;
        }
        let transaction = statement.cast::<pg_sys::TransactionStmt>();
        let prepares = (*transaction).kind == pg_sys::TransactionStmtKind::TRANS_STMT_PREPARE
            && !(*transaction).gid.is_null()
            && pg_sys::IsTransactionBlock();
        prepares
            .then(|| CStr::from_ptr((*transaction).gid))
            .filter(|gid| gid.to_bytes().starts_with(gate::GID_PREFIX))
    }
}
