//! A DO block that changes the schema, as migrations send it. What it does may depend on the catalogue, so the router has every node run it, the
//! first one before the others, and asks each what it has changed: these must be the same commands, or the whole is taken back. A block that has
//! changed nothing on the first node is not run on the others.
//!
//! Inside, the commands are watched as those that the client sends by itself, and whatever one of them is refused for fails the block, even if an
//! EXCEPTION block catches it. Rows are watched as those of any DO, but for changes that each node may make by itself ([`rows`]); these are compared
//! as well.

mod rows;

use super::analysis::functions;
use super::analysis::tree::{self, NodePtr};
use super::analysis::{definition, utility};
use super::{column_fill, foreign_key, nested, refused, role_passwords, sequence_commands};
use crate::boundary;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{Command, Runner};
use crate::hooks::{self, transaction};
use crate::pg_function;
use crate::varlena;
use pgrx::pg_sys::{self, CmdType, NodeTag, SubTransactionId};
use std::cell::{Cell, RefCell};

/// A command that has changed the schema, or rows on every node.
struct Change {
    within: SubTransactionId,
    /// What it is about: commands about one relation have an order.
    about: String,
    text: String,
}

thread_local! {
    /// Of the last block of the transaction.
    static CHANGES: RefCell<Vec<Change>> = const { RefCell::new(Vec::new()) };
    /// How many commands, and how many statements, enclose what the running one does; 0 for none.
    static AT: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    /// The client's statement is a DO.
    static RUNS: Cell<bool> = const { Cell::new(false) };
}

const BY_ITSELF: &str = "Send the command by itself: the router runs it on every node.";

/// Sees the ends of transactions; called once when the library is loaded.
pub fn install() {
    transaction::on_subtransaction(&Subscriber {
        concerns: |end| end.kind == pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB,
        // Those that started later have lain inside.
        tell: |end| {
            CHANGES.with_borrow_mut(|all| all.retain(|change| change.within < end.own));
        },
    });
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event),
        tell: |_| {
            AT.set((0, 0));
            CHANGES.take();
        },
    });
}

/// The client's next statement.
pub fn statement_starts(command: NodePtr) {
    AT.set((0, 0));
    RUNS.set(tree::tag(command) == Some(NodeTag::T_DoStmt));
    if RUNS.get() {
        CHANGES.take();
        rows::block_starts(command);
    }
}

/// Whether the client's statement is a DO: what its block calls is no command of the router's.
pub fn is_running() -> bool {
    RUNS.get()
}

/// How many statements enclose a command that changes the schema, besides itself.
pub fn depth() -> u32 {
    AT.get().1
}

/// Whether what runs now is what such a command itself does.
pub fn is_at_command() -> bool {
    AT.get().0 == hooks::commands()
}

/// Whether a command inside of the block changes the schema, on every node. Raises for those that would leave something on one node only.
pub fn makes(command: &Command) -> bool {
    let node = command.node();
    use NodeTag::*;
    match command.tag() {
        T_TruncateStmt => true,
        T_NotifyStmt | T_ListenStmt | T_UnlistenStmt => {
            refuse("a DO block that every node runs notifies or listens")
        }
        _ if !utility::defines(node) => false,
        _ if nested::is_temporary(node) && nested::is_first_node() => false,
        _ if nested::is_temporary(node) => {
            refuse("a DO block that every node runs makes or changes temporary objects")
        }
        _ if utility::stores_rows(node)
            && (rows::is_counted() || !utility::stores_in_table(node)) =>
        {
            refuse("a DO block that every node runs stores the rows of a query")
        }
        _ => true,
    }
}

/// Runs such a command.
pub fn run(command: &Command, run: Runner<'_>) {
    let before = AT.replace((hooks::commands(), hooks::depth()));
    let about = about(command);
    let finds_nothing = definition::drops_nothing(command.node());
    // SAFETY: a planned command.
    let changed = unsafe { nested::without_rows(command.statement()) }
        .or_else(|| sequence_commands::adapted(command))
        .or_else(|| role_passwords::adapted(command));
    let ran = {
        let _inside = nested::definition_starts();
        boundary::caught(|| {
            column_fill::check(command.node());
            foreign_key::check(command.node());
            sequence_commands::command_starts(command.node());
            match changed {
                Some(statement) => run(&command.with_statement(statement)),
                None => run(command),
            }
        })
    };
    AT.set(before);
    match ran {
        Ok(()) if finds_nothing => {}
        Ok(()) => note(about, command.text()),
        Err(error) => {
            if error.sqlstate() == pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32 {
                refused::note(&error.message(), BY_ITSELF);
            }
            error.raise()
        }
    }
}

fn note(about: String, text: String) {
    CHANGES.with_borrow_mut(|all| {
        all.push(Change {
            // SAFETY: a number of the transaction that runs.
            within: unsafe { pg_sys::GetCurrentSubTransactionId() },
            about,
            text,
        });
    });
}

/// Whether a query of the block that starts changes rows as every node may do by itself; it is noted then.
pub fn changes_alike(query: &pg_sys::QueryDesc) -> bool {
    match rows::changed_by(query) {
        Some((table, text)) => {
            note(rows::about(table), text);
            true
        }
        None => false,
    }
}

/// Whether a query of the block changes a table that lies on another node, the first, and nothing asks for more than that it does: what each node would
/// make of it by itself does not matter.
pub fn changes_first_node(query: &pg_sys::QueryDesc) -> bool {
    let changes = [
        CmdType::CMD_INSERT,
        CmdType::CMD_UPDATE,
        CmdType::CMD_DELETE,
    ];
    // SAFETY: a query has a plan.
    let plan = unsafe { &*query.plannedstmt };
    changes.contains(&plan.commandType)
        && !plan.hasReturning
        && !plan.hasModifyingCTE
        && !rows::is_counted()
        && !nested::is_first_node()
}

/// Catalogues are read in any order, so of commands about several objects it says nothing.
fn about(command: &Command) -> String {
    let named = definition::named(command.node());
    match named.changed.first() {
        Some(name) if command.tag() != NodeTag::T_DropStmt => {
            format!(
                "{}.{}",
                tree::string(name.schemaname),
                tree::string(name.relname)
            )
        }
        _ => command.text(),
    }
}

/// Looks at a query of the block before it is planned: what it does beside the schema is not done on every node.
pub fn check_query(query: *mut pg_sys::Query) {
    // SAFETY: the planner's query, which nobody changes meanwhile.
    rows::planned(unsafe { &*query });
    let called = functions::called_by(&[query.cast()]);
    // SAFETY: as above.
    let may_draw = rows::fills_first_node(unsafe { &*query });
    let draws = called.of_one_node.iter().filter(|name| *name == "nextval");
    let others = called.of_one_node.iter().filter(|name| *name != "nextval");
    let mut alone = draws.chain(&called.draws).filter(|_| !may_draw);
    let mut alone = others.chain(&called.of_no_node).chain(&mut alone);
    if let Some(name) = alone.next() {
        refuse(&format!(
            "a DO block whose commands the router does not see uses {name}, which belongs to one node"
        ));
    }
    if called.of_every_node || called.placement {
        refuse(
            "a DO block whose commands the router does not see changes the placement or settings of every node",
        );
    }
}

fn refuse(what: &str) -> ! {
    refused::raise(what, BY_ITSELF)
}

pg_function!(
    /// `abelian.block_changes()`: the commands by which the last DO block of the transaction has changed the schema here.
    fn abelian_block_changes(_call) {
        let text = CHANGES.with_borrow_mut(|all| {
            all.sort_by(|one, other| one.about.cmp(&other.about));
            let texts: Vec<&str> = all.iter().map(|change| change.text.trim()).collect();
            texts.join(";\n")
        });
        Ok(varlena::bytea_of(text.as_bytes()))
    }
);
