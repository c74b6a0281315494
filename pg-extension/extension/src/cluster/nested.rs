//! What a router has not seen: the statements inside functions, triggers, constraints and commands that its client's statements run.
//!
//! The router proves of its client's own statements that each node has the rows they need. Inside, nothing is proved; so this node refuses
//! there what would read or write a part of the rows only: rows of other keys than its own, tables that lie on another node, changes of
//! what is alike on all nodes. Queries of foreign keys are PostgreSQL's own, and right by the rules of placement; distributed procedures
//! have a guard of their own.

use super::analysis::definition;
use super::analysis::node_functions;
use super::analysis::relation;
use super::analysis::temporary;
use super::analysis::tree::{self, NodePtr};
use super::procedure::guard::{self, Wanted};
use super::procedure::insertion;
use super::procedure::placements::{self, Home};
use super::row_triggers;
use super::{
    block, gathered_tables, misplaced, placement_calls, postgres, procedure, refused,
    schema_change, settings,
};
use crate::boundary::PostgresError;
use crate::callback;
use crate::compat;
use crate::hooks::{depth, rows};
use crate::pg_function;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::cell::Cell;
use std::ffi::{CStr, c_void};

thread_local! {
    /// What the client's running statement is.
    static TOP: Cell<Top> = const { Cell::new(Top::Other) };
}

/// What the client's running statement is, as far as it says how to look at what runs inside.
#[derive(Clone, Copy, PartialEq)]
enum Top {
    Other,
    /// A command that runs a query of its own, which the router has seen.
    Query,
    /// A command that all nodes run, as they must.
    Definition,
    /// A DO block that all nodes run, if it changes the schema.
    Block,
    /// A function that changes the placement, which all nodes run.
    Placement,
}

pg_function!(
    /// `abelian.placement_change_begins()`: the client's statement is one that all nodes run.
    fn abelian_placement_change_begins(_call) {
        if watched().is_some() {
            placement_calls::check();
        }
        TOP.set(Top::Placement);
        Ok(pg_sys::Datum::null())
    }
);

/// This node's number, if a router's statements here are to be watched: it is one of several nodes, and runs no distributed procedure.
fn watched() -> Option<i32> {
    let own = settings::NODE_ID.get();
    let watches = own != 0
        && settings::PLACEMENT_VERSION.get() != 0
        && (!procedure::is_running() || row_triggers::is_running())
        && TOP.get() != Top::Placement
        && placements::first_of_several().is_some();
    watches.then_some(own)
}

/// The client's next statement; null for a query.
pub fn statement_starts(command: NodePtr) {
    TOP.set(match tree::tag(command) {
        None => Top::Other,
        Some(
            NodeTag::T_ExplainStmt
            | NodeTag::T_DeclareCursorStmt
            | NodeTag::T_CreateTableAsStmt
            | NodeTag::T_RefreshMatViewStmt,
        ) => Top::Query,
        Some(NodeTag::T_CopyStmt) => match tree::cast::<pg_sys::CopyStmt, _>(command) {
            Some(copy) if !copy.query.is_null() => Top::Query,
            _ => Top::Other,
        },
        Some(NodeTag::T_DoStmt) if schema_change::is_told_of_command() => Top::Block,
        Some(NodeTag::T_CallStmt | NodeTag::T_DoStmt | NodeTag::T_LockStmt) => Top::Other,
        Some(_) => Top::Definition,
    });
}

/// The client's statement is over, or its transaction.
pub fn statement_ends() {
    TOP.set(Top::Other);
}

/// Looks at an initialised query that is not the client's own; `depth` runs and commands enclose it.
pub fn check_query(query: &pg_sys::QueryDesc, depth: u32) {
    let is_own = depth == 1 && TOP.get() == Top::Query;
    if is_own {
        misplaced::check_query(query);
        return;
    } else if query.planstate.is_null() {
        return;
    }
    let Some(own) = watched() else {
        return;
    };
    if is_in_block() && block::changes_alike(query) {
        return;
    }
    // SAFETY: a query's text is a C string; the state has just been initialised.
    unsafe {
        let text = CStr::from_ptr(query.sourceText).to_bytes();
        let by_foreign_key = if is_of_foreign_key(query) {
            true
        } else if depth == block::depth() + 1 && TOP.get() == Top::Definition {
            // The check of rows that are there, when a foreign key is added.
            text.starts_with(b"SELECT fk.")
        } else {
            false
        };
        if by_foreign_key {
            misplaced::check_query(query); // what it cascades to may be a distribution column
        }
        let mut look = Look {
            own,
            by_foreign_key,
            of_referencing_rows: by_foreign_key && compares_values_first(text),
            changes_first_node: depth == 1 && is_in_block() && block::changes_first_node(query),
        };
        look.at(query.planstate);
    }
}

/// Looks at a query that is about to be planned inside of the client's statement. Numbers of a sequence are drawn on the first node, which counts for
/// all; another one would give numbers that were given already.
pub fn check_numbers(query: &pg_sys::Query) {
    let is_own = depth() == 1 && TOP.get() == Top::Query;
    if is_own || matches!(TOP.get(), Top::Definition | Top::Block) || is_first_node() {
        return;
    }
    if watched().is_none() {
        return;
    }
    let mut found = None;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node) {
            found = found.or_else(|| node_functions::counts_on_first_node(call));
        }
        found.is_none()
    });
    if let Some(sequence) = found.filter(|sequence| !is_of_extension(*sequence)) {
        refuse_numbers(sequence);
    }
}

/// Raises; InvalidOid stands for a sequence that is not known yet.
fn refuse_numbers(sequence: Oid) -> ! {
    let which = match sequence {
        Oid::INVALID => "a sequence".to_owned(),
        // SAFETY: a catalogue look-up.
        _ => unsafe {
            format!(
                "sequence \"{}\"",
                tree::string(pg_sys::get_rel_name(sequence))
            )
        },
    };
    refused::raise(
        &format!("a function or trigger uses numbers of {which}, which the first node counts"),
        "Draw the number in the statement that calls it, or let it be a column's default.",
    )
}

/// Whether a query is inside of a user's trigger, and not one of a foreign key. There each node does what its own rows ask for, also in the call
/// of a distributed procedure.
pub fn is_in_trigger(query: &pg_sys::QueryDesc) -> bool {
    row_triggers::is_running() && !is_of_foreign_key(query)
}

/// Whether a query is a foreign key's own. Triggers that rows fire which it changes are under its settings, too, but have other texts.
fn is_of_foreign_key(query: &pg_sys::QueryDesc) -> bool {
    // SAFETY: plain read of the backend's state; a query's text is a C string.
    let text = unsafe {
        if !pg_sys::InNoForceRLSOperation() {
            return false;
        }
        CStr::from_ptr(query.sourceText).to_bytes()
    };
    let has = |part: &[u8]| text.windows(part.len()).any(|found| found == part);
    match text {
        [b'S', ..] => text.starts_with(b"SELECT 1 FROM ") && has(b" FOR KEY SHARE OF x"),
        [b'D', ..] => text.starts_with(b"DELETE FROM ") && has(b" WHERE $1 OPERATOR("),
        _ => text.starts_with(b"UPDATE ") && has(b" OPERATOR(") && has(b" WHERE $"),
    }
}

/// Of the queries of foreign keys, those about the rows that refer to one which goes have the value before the column; the check of a new
/// row has it behind.
fn compares_values_first(text: &[u8]) -> bool {
    let first = b" WHERE $1 ";
    text.windows(first.len()).any(|part| part == first)
}

struct Look {
    own: i32,
    by_foreign_key: bool,
    /// A foreign key looks for rows that refer to one of a reference table: every node does, among its own.
    of_referencing_rows: bool,
    /// A DO block changes what the first node has, and this is another, which has no rows of it.
    changes_first_node: bool,
}

callback!(fn visit(state: *mut pg_sys::PlanState, context: *mut c_void) -> bool = look_below);

fn look_below(state: *mut pg_sys::PlanState, context: *mut c_void) -> bool {
    // SAFETY: the context is the one that `Look::at` passed.
    unsafe { (*context.cast::<Look>()).at(state) };
    false
}

impl Look {
    /// # Safety
    /// The state must be an initialised plan node.
    unsafe fn at(&mut self, state: *mut pg_sys::PlanState) {
        // SAFETY: the plan's tag says what its state is.
        unsafe {
            match tree::tag((*state).plan) {
                Some(NodeTag::T_ModifyTable) if !self.by_foreign_key => {
                    self.at_change(&*state.cast::<pg_sys::ModifyTableState>());
                }
                Some(tag) if guard::is_scan(tag) || tag == NodeTag::T_ForeignScan => {
                    self.at_scan(&*state.cast::<pg_sys::ScanState>());
                }
                _ => {}
            }
            compat::planstate_tree_walker(state, visit, std::ptr::from_mut(self).cast());
        }
    }

    /// # Safety
    /// An initialised scan.
    unsafe fn at_scan(&self, scan: &pg_sys::ScanState) {
        if scan.ss_currentRelation.is_null() {
            return;
        }
        // SAFETY: the relation is open.
        unsafe {
            let relation = (*scan.ss_currentRelation).rd_id;
            match guard::wanted(scan) {
                Wanted::Nothing => {}
                Wanted::Keys(nodes)
                    if self.of_referencing_rows || nodes.iter().all(|node| *node == self.own) => {}
                Wanted::Node(node) if node == self.own || self.by_foreign_key => {}
                Wanted::All(_) if self.by_foreign_key => {}
                Wanted::Node(_) if self.changes_first_node || is_alike_everywhere(relation) => {}
                Wanted::Node(_) => refuse(relation, Why::OnFirstNode),
                Wanted::Keys(_) | Wanted::All(_) => refuse(relation, Why::OfSeveralNodes),
            }
        }
    }

    /// # Safety
    /// An initialised ModifyTable.
    unsafe fn at_change(&self, modify: &pg_sys::ModifyTableState) {
        // SAFETY: its result relation is open.
        unsafe {
            let relation = (*(*modify.resultRelInfo).ri_RelationDesc).rd_id;
            match placements::home(relation) {
                Home::Here => {}
                Home::Node(node) if node == self.own => {}
                Home::Node(_) if self.changes_first_node => {
                    if modify.operation == CmdType::CMD_INSERT {
                        rows::filter(modify.ps.lefttree, Box::new(|_| false));
                    }
                }
                Home::Node(_) => refuse(relation, Why::OnFirstNode),
                Home::Everywhere => refuse(relation, Why::OnEveryNode),
                Home::Distributed(distribution) => {
                    let may_move = modify.operation == CmdType::CMD_MERGE
                        || guard::assigns_key(modify, &distribution);
                    if may_move {
                        drop(distribution);
                        refuse(relation, Why::OfSeveralNodes)
                    } else if modify.operation == CmdType::CMD_INSERT {
                        insertion::check(modify, &distribution, self.own, elsewhere);
                    }
                }
            }
        }
    }
}

/// Nobody would look for the row here.
fn elsewhere(_relation: Oid, _node: i32) -> PostgresError {
    let what =
        "a function or trigger inserts a row of a distributed table that belongs to another node";
    let hint = "Insert it by a statement of its own, or make the function a distributed procedure (create_distributed_procedure).";
    refused::note(what, hint);
    PostgresError::unsupported(what, hint)
}

/// Sequences count on each node; tables that an extension brought were filled on each node alike.
fn is_alike_everywhere(relation: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    let kind = unsafe { pg_sys::get_rel_relkind(relation) };
    kind as u8 == pg_sys::RELKIND_SEQUENCE || is_of_extension(relation)
}

fn is_of_extension(relation: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    unsafe { pg_sys::getExtensionOfObject(pg_sys::RelationRelationId, relation) != Oid::INVALID }
}

enum Why {
    OfSeveralNodes,
    OnFirstNode,
    OnEveryNode,
}

/// Raises: the statement inside would see or change a part only.
fn refuse(relation: Oid, why: Why) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
    let (what, hint) = match why {
        Why::OfSeveralNodes => (
            "has rows on several nodes",
            "Send its statements by themselves, or make it a distributed procedure (create_distributed_procedure).",
        ),
        Why::OnFirstNode => (
            "lies on the first node only",
            "Make the table a reference table (create_reference_table), or send its statements by themselves.",
        ),
        Why::OnEveryNode => (
            "has a copy on every node",
            "Change a reference table by statements of their own.",
        ),
    };
    let what = format!("a function, trigger or constraint uses table \"{name}\", which {what}");
    gathered_tables::note_refusal(&what);
    refused::raise(&what, hint)
}

/// Looks at a command that is not the client's own.
pub fn check_command(command: NodePtr, context: pg_sys::ProcessUtilityContext::Type) {
    let part_of_another = context == pg_sys::ProcessUtilityContext::PROCESS_UTILITY_SUBCOMMAND
        // SAFETY: plain read of a flag of the backend.
        || unsafe { pg_sys::creating_extension };
    if part_of_another || TOP.get() == Top::Definition {
        return;
    }
    let Some(own) = watched() else {
        return;
    };
    use NodeTag::*;
    match tree::tag(command) {
        Some(
            T_CallStmt | T_DoStmt | T_ExplainStmt | T_DeclareCursorStmt | T_PrepareStmt
            | T_ExecuteStmt,
        ) => {}
        Some(T_CopyStmt | T_LockStmt | T_TruncateStmt) => {
            tables_of(command).for_each(|table| check_table(table, own));
        }
        Some(T_VacuumStmt) | None => {}
        Some(_) if is_temporary(command) => {}
        Some(_) => refuse_definition(),
    }
}

/// Commands of functions about the session, which has connections to several nodes.
pub fn is_of_session(tag: NodeTag) -> bool {
    use NodeTag::*;
    matches!(
        tag,
        T_ListenStmt | T_UnlistenStmt | T_DeallocateStmt | T_ConstraintsSetStmt
    )
}

/// All, or one with a name that routers give.
fn deallocates_others(command: NodePtr) -> bool {
    tree::cast::<pg_sys::DeallocateStmt, _>(command)
        .is_some_and(|one| one.name.is_null() || tree::string(one.name).starts_with("abelian_"))
}

/// Looks at one that is not the client's own: the router knows nothing of it.
pub fn check_session_command(command: NodePtr) {
    let (what, hint) = match tree::tag(command) {
        Some(NodeTag::T_ListenStmt | NodeTag::T_UnlistenStmt) => (
            "a function or procedure cannot LISTEN or UNLISTEN",
            "Send the command by itself: the router listens for its clients.",
        ),
        Some(NodeTag::T_DeallocateStmt) if deallocates_others(command) => (
            "a function or procedure cannot DEALLOCATE ALL, nor what a router has prepared",
            "Send the command by itself, or name what the function has prepared.",
        ),
        Some(NodeTag::T_ConstraintsSetStmt)
            if placements::are_spread() && !procedure::is_running() =>
        {
            (
                "a function or procedure cannot SET CONSTRAINTS of a cluster",
                "Send the command by itself: the router runs it on every node.",
            )
        }
        _ => return,
    };
    refused::raise(what, hint)
}

/// Whether this is the node that has the tables without a placement.
pub fn is_first_node() -> bool {
    placements::first_of_several().is_none_or(|first| first == settings::NODE_ID.get())
}

/// Whether the client's statement is a DO block that every node runs, and this is not inside of a command that changes the schema there.
pub fn is_in_block() -> bool {
    TOP.get() == Top::Block
}

/// Inside of such a block a command starts that changes the schema; it is over when the result is dropped.
pub fn definition_starts() -> impl Drop {
    struct Inside;
    impl Drop for Inside {
        fn drop(&mut self) {
            TOP.set(Top::Block);
        }
    }
    TOP.set(Top::Definition);
    Inside
}

/// The tables that COPY, LOCK or TRUNCATE names.
fn tables_of(command: NodePtr) -> impl Iterator<Item = Oid> {
    let mut names: Vec<&'static pg_sys::RangeVar> = Vec::new();
    if let Some(copy) = tree::cast::<pg_sys::CopyStmt, _>(command) {
        names.extend(tree::cast::<pg_sys::RangeVar, _>(copy.relation));
    } else if let Some(lock) = tree::cast::<pg_sys::LockStmt, _>(command) {
        names.extend(tree::list::<pg_sys::RangeVar>(lock.relations));
    } else if let Some(truncate) = tree::cast::<pg_sys::TruncateStmt, _>(command) {
        names.extend(tree::list::<pg_sys::RangeVar>(truncate.relations));
    }
    names.into_iter().filter_map(relation::existing)
}

fn check_table(table: Oid, own: i32) {
    match placements::home(table) {
        Home::Here => {}
        Home::Node(node) if node == own => {}
        Home::Node(_) => refuse(table, Why::OnFirstNode),
        Home::Everywhere => refuse(table, Why::OnEveryNode),
        Home::Distributed(distribution) => {
            drop(distribution);
            refuse(table, Why::OfSeveralNodes)
        }
    }
}

/// Whether a command is about objects of the session alone.
pub fn is_temporary(command: NodePtr) -> bool {
    let named = definition::named(command);
    let creates = matches!(
        tree::tag(command),
        Some(
            NodeTag::T_CreateStmt
                | NodeTag::T_CreateTableAsStmt
                | NodeTag::T_CreateSeqStmt
                | NodeTag::T_ViewStmt
        )
    );
    let is_own = |name: &&pg_sys::RangeVar| {
        let facts = if creates {
            relation::made(name)
        } else {
            relation::named(name, true)
        };
        facts["temporary"] == true
    };
    temporary::object(command).is_some()
        || (!named.changed.is_empty() && named.changed.iter().all(is_own))
}

/// Raises: only this node would have it.
fn refuse_definition() -> ! {
    refused::raise(
        "a function, procedure or DO block cannot change the schema of a cluster",
        "Send the command by itself: the router runs it on every node.",
    )
}

/// The command that stores the rows of a query: this one, or the one that it explains.
fn storing(command: NodePtr) -> Option<NodePtr> {
    match tree::tag(command)? {
        NodeTag::T_CreateTableAsStmt | NodeTag::T_RefreshMatViewStmt => Some(command),
        NodeTag::T_ExplainStmt => {
            let explain = tree::cast::<pg_sys::ExplainStmt, _>(command)?;
            let query = tree::cast::<pg_sys::Query, _>(explain.query)?;
            storing(query.utilityStmt)
        }
        _ => None,
    }
}

/// The command as a node that is not the first runs it: tables without a placement have their rows there only. `None` as it is.
///
/// # Safety
/// A planned utility statement.
pub unsafe fn without_rows(
    statement: *mut pg_sys::PlannedStmt,
) -> Option<*mut pg_sys::PlannedStmt> {
    let own = settings::NODE_ID.get();
    // SAFETY: by the caller's promise; what is changed is a copy.
    unsafe {
        if own == 0
            || settings::PLACEMENT_VERSION.get() == 0
            || storing((*statement).utilityStmt).is_none()
            || placements::first_of_several().is_none_or(|first| first == own)
        {
            return None;
        }
        let copy = tree::copy(statement);
        let command = storing((*copy).utilityStmt)?;
        if tree::tag(command) == Some(NodeTag::T_RefreshMatViewStmt) {
            let refresh = command.cast::<pg_sys::RefreshMatViewStmt>();
            (*refresh).skipData = true;
            (*refresh).concurrent = false;
        } else {
            (*(*command.cast::<pg_sys::CreateTableAsStmt>()).into).skipData = true;
        }
        Some(copy)
    }
}

/// Whether the first node looks into the body of a function that a command creates, and this one does not: the body may name temporary
/// tables, which lie there.
pub fn checks_bodies_elsewhere(command: NodePtr) -> bool {
    let own = settings::NODE_ID.get();
    tree::tag(command) == Some(NodeTag::T_CreateFunctionStmt)
        && own != 0
        && settings::PLACEMENT_VERSION.get() != 0
        && placements::first_of_several().is_some_and(|first| first != own)
}

pg_function!(
    /// `abelian.has_rows(relation)`: whether this node has rows of a table or of its partitions. For who may read it.
    fn abelian_has_rows(call) {
        let relation = Oid::from(call.arg(0).value() as u32);
        // SAFETY: look-ups of a relation that the caller names; everything opened is closed.
        unsafe {
            let allowed = pg_sys::pg_class_aclcheck(
                relation,
                pg_sys::GetUserId(),
                pg_sys::ACL_SELECT as pg_sys::AclMode,
            );
            if allowed != pg_sys::AclResult::ACLCHECK_OK {
                pg_sys::aclcheck_error(
                    allowed,
                    pg_sys::ObjectType::OBJECT_TABLE,
                    pg_sys::get_rel_name(relation),
                );
            }
        }
        Ok(postgres::has_rows(relation).into())
    }
);
