//! The call that runs now: who takes part, and which nodes turned out to be missing.
//!
//! A router sets `abelian.participants` right before the call, for the rest of the transaction. The next statement of
//! the client is the call; with the one after it, or with the transaction, the call is over. Where several calls share a
//! transaction, each of its statements from there on is a call, and ends as a transaction of its own would.

use super::super::postgres;
use crate::boundary::PostgresError;
use crate::callback;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{is_nested, transaction};
use pgrx::pg_sys;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// No call.
    Idle,
    /// The next statement is the call.
    Told,
    /// Inside the call.
    Running,
}

#[derive(Default)]
struct Call {
    own_node: i32,
    participants: Vec<i32>,
    missing: BTreeSet<i32>,
    in_one_round: bool,
    /// The statements that follow are calls as well.
    several: bool,
}

thread_local! {
    static PHASE: Cell<Phase> = const { Cell::new(Phase::Idle) };
    static CALL: RefCell<Call> = RefCell::default();
}

/// SQLSTATE of the refusal; routers run the call again with the missing nodes.
const MISROUTED: [u8; 5] = *b"AB002";

/// Registers the watch over the transaction's end; called once when the library is loaded.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| {
            *event == pg_sys::XactEvent::XACT_EVENT_PRE_COMMIT && is_running() && is_nested()
        },
        tell: |_| refuse_commit(),
    });
}

/// A body must not commit: its call is a part of a transaction over the nodes.
fn refuse_commit() {
    PHASE.set(Phase::Idle);
    pgrx::ereport!(
        ERROR,
        pgrx::PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_TERMINATION,
        "a distributed procedure cannot commit or roll back"
    );
}

callback!(
    /// Assign hook of `abelian.participants`.
    pub fn on_assign(value: *const c_char, _extra: *mut c_void) = |value, _| assign(value)
);

fn assign(value: *const c_char) {
    let told = if value.is_null() {
        None
    } else {
        // SAFETY: a C string.
        read(&unsafe { CStr::from_ptr(value) }.to_string_lossy())
    };
    PHASE.set(if told.is_some() {
        Phase::Told
    } else {
        Phase::Idle
    });
    CALL.replace(told.unwrap_or_default());
}

/// `<this node>:<node>,<node>...`, and behind it `!` when others may commit before this one has run the call, or `*` when all
/// statements that follow are calls.
fn read(value: &str) -> Option<Call> {
    let (own_node, participants) = value.split_once(':')?;
    let in_one_round = participants.ends_with('!');
    let several = participants.ends_with('*');
    let participants = participants.trim_end_matches(['!', '*']);
    let participants: Result<Vec<i32>, _> = participants.split(',').map(str::parse).collect();
    Some(Call {
        own_node: own_node.parse().ok()?,
        participants: participants.ok()?,
        missing: BTreeSet::new(),
        in_one_round,
        several,
    })
}

/// True inside a call whose participants commit in one round.
pub fn is_in_one_round() -> bool {
    is_running() && CALL.with_borrow(|call| call.in_one_round)
}

/// True when the statements of the client are calls that share a transaction.
pub fn are_several() -> bool {
    PHASE.get() != Phase::Idle && CALL.with_borrow(|call| call.several)
}

/// True inside a call.
pub fn is_running() -> bool {
    PHASE.get() == Phase::Running
}

/// True where no call is running, nor told of.
pub fn is_idle() -> bool {
    PHASE.get() == Phase::Idle
}

/// The client's next statement.
pub fn statement_starts() {
    if !is_idle() {
        let told = PHASE.get() == Phase::Told || are_several();
        PHASE.set(if told { Phase::Running } else { Phase::Idle });
    }
}

/// The end of a statement of the client. Raises what a body has caught and hidden.
pub fn statement_ends() {
    if let Err(error) = end_statement() {
        error.raise();
    }
}

/// The same, for who runs a call by itself.
pub fn end_statement() -> Result<(), PostgresError> {
    match is_running() && CALL.with_borrow(|call| !call.missing.is_empty()) {
        true => Err(missing()),
        false => Ok(()),
    }
}

/// The value of `abelian.participants`; the mark is one of those that [`read`] knows, or none.
pub fn told(own_node: i32, nodes: &[usize], mark: &str) -> CString {
    let nodes: Vec<String> = nodes.iter().map(usize::to_string).collect();
    let text = format!("{own_node}:{}{mark}", nodes.join(","));
    CString::new(text).unwrap_or_default()
}

/// The number of this node, as the router told it.
pub fn own_node() -> i32 {
    CALL.with_borrow(|call| call.own_node)
}

/// The call needs rows of these nodes.
///
/// Raises AB002 unless all of them take part. Where they do, they run the same body, and this node can go on without their rows.
pub fn require(nodes: impl IntoIterator<Item = i32>) {
    let complete = CALL.with_borrow_mut(|call| {
        for node in nodes {
            if !call.participants.contains(&node) {
                call.missing.insert(node);
            }
        }
        call.missing.is_empty()
    });
    if !complete {
        raise_missing();
    }
}

fn raise_missing() -> ! {
    missing().raise()
}

fn missing() -> PostgresError {
    let missing = CALL.with_borrow(|call| {
        let numbers: Vec<String> = call.missing.iter().map(i32::to_string).collect();
        numbers.join(", ")
    });
    PostgresError::made(
        postgres::make_sqlstate(MISROUTED),
        "the distributed procedure needs rows of nodes that do not take part in this call",
        &format!("Missing nodes: {missing}."),
        None,
    )
}
