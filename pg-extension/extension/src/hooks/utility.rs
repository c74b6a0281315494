//! Commands other than queries.

use super::subscribers::List;
use super::{COMMANDS, counted, nested};
use crate::boundary;
use pgrx::pg_sys::{self, NodeTag};
use std::ffi::{CStr, c_char};

mod raw {
    use pgrx::pg_sys;

    unsafe extern "C-unwind" {
        pub fn standard_ProcessUtility(
            statement: *mut pg_sys::PlannedStmt,
            text: *const std::ffi::c_char,
            read_only: bool,
            context: pg_sys::ProcessUtilityContext::Type,
            parameters: pg_sys::ParamListInfo,
            environment: *mut pg_sys::QueryEnvironment,
            destination: *mut pg_sys::DestReceiver,
            completion: *mut pg_sys::QueryCompletion,
        );
    }
}

/// A command that is about to run. What it consists of must not be looked at after it has run: COMMIT frees it.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    destination: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
}

impl Command {
    /// The command's node.
    pub fn node(&self) -> *mut pg_sys::Node {
        // SAFETY: the planned statement of a command has one.
        unsafe { (*self.statement).utilityStmt }
    }

    /// What kind of command it is.
    pub fn tag(&self) -> NodeTag {
        // SAFETY: every node starts with its tag.
        unsafe { (*self.node()).type_ }
    }

    /// The command's planned statement, which may be somebody else's as well: it must not be changed.
    pub fn statement(&self) -> *mut pg_sys::PlannedStmt {
        self.statement
    }

    /// How it has come here.
    pub fn context(&self) -> pg_sys::ProcessUtilityContext::Type {
        self.context
    }

    /// Whether it is BEGIN or START TRANSACTION.
    pub fn begins_transaction(&self) -> bool {
        use pg_sys::TransactionStmtKind::{TRANS_STMT_BEGIN, TRANS_STMT_START};
        // SAFETY: the tag says what the node is.
        self.tag() == NodeTag::T_TransactionStmt
            && [TRANS_STMT_BEGIN, TRANS_STMT_START]
                .contains(&unsafe { (*self.node().cast::<pg_sys::TransactionStmt>()).kind })
    }

    /// The table that COPY FROM brings rows to; none for other commands.
    pub fn loaded_table(&self) -> Option<*mut pg_sys::RangeVar> {
        if self.tag() != NodeTag::T_CopyStmt {
            return None;
        }
        // SAFETY: the tag says what the node is.
        let copy = unsafe { &*self.node().cast::<pg_sys::CopyStmt>() };
        (copy.is_from && !copy.relation.is_null()).then_some(copy.relation)
    }

    /// The command's own text.
    pub fn text(&self) -> String {
        // SAFETY: the text is a C string, in which the planned statement says where it stands: from 0 to its end when it does not.
        unsafe {
            let all = CStr::from_ptr(self.text).to_bytes();
            let start = (*self.statement).stmt_location.max(0) as usize;
            let length = (*self.statement).stmt_len.max(0) as usize;
            let from = &all[start.min(all.len())..];
            let own = if length == 0 {
                from
            } else {
                &from[..length.min(from.len())]
            };
            String::from_utf8_lossy(own).into_owned()
        }
    }

    /// Another statement, of the same kind, in the place of this one.
    pub fn with_statement(self, statement: *mut pg_sys::PlannedStmt) -> Command {
        Command { statement, ..self }
    }

    /// A raw call.
    unsafe fn pass_on(&self) {
        // SAFETY: by the caller.
        unsafe {
            NEXT.unwrap_or(raw::standard_ProcessUtility)(
                self.statement,
                self.text,
                self.read_only,
                self.context,
                self.parameters,
                self.environment,
                self.destination,
                self.completion,
            );
        }
    }
}

/// What runs a command.
pub type Runner<'a> = &'a mut dyn FnMut(&Command);

/// Who does something before and after commands.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Whether the command matters; as `concerns` of [`super::subscribers::Subscriber`].
    pub concerns: fn(&Command) -> bool,
    /// Called then; it runs the command, or another in its place, by calling its second argument, once. Both may raise errors.
    pub around: fn(&Command, Runner<'_>),
}

static SUBSCRIBERS: List<Around> = List::new();
static mut NEXT: pg_sys::ProcessUtility_hook_type = None;

/// Has `subscriber` run commands that concern it.
pub fn subscribe(subscriber: Around) {
    SUBSCRIBERS.add(subscriber);
}

/// Sets the hook.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT = pg_sys::ProcessUtility_hook;
        pg_sys::ProcessUtility_hook = Some(process);
    }
}

#[allow(clippy::too_many_arguments)] // PostgreSQL's signature
unsafe extern "C-unwind" fn process(
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    destination: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    let command = Command {
        statement,
        text,
        read_only,
        context,
        parameters,
        environment,
        destination,
        completion,
    };
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        // Asked once: what the first does may change what the others would say.
        let concerned = concerned(&command);
        counted(&COMMANDS, || {
            if concerned == 0 {
                nested(|| command.pass_on());
            } else {
                boundary::guard(|| run(&command, concerned));
            }
        });
    }
}

/// Whom a command concerns: bits, the lowest for the newest.
fn concerned(command: &Command) -> u32 {
    SUBSCRIBERS
        .iter()
        .map(|one| u32::from((one.concerns)(command)))
        .enumerate()
        .fold(0, |all, (place, one)| all | one << place)
}

/// Runs the command with what those around it do.
fn run(command: &Command, concerned: u32) {
    let next = concerned.trailing_zeros();
    match SUBSCRIBERS.iter().nth(next as usize) {
        Some(one) => (one.around)(command, &mut |command| {
            run(command, concerned & !(1 << next));
        }),
        // SAFETY: the call itself owns nothing.
        None => super::deeper(|| unsafe { boundary::call(|| command.pass_on()) }),
    }
}
