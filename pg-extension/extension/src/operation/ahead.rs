//! Holding before looking: what a statement reads of what its transaction has operated on is held before its snapshot counts.
//!
//! Over plain columns the transaction has the row since its operation, so that whatever a later statement's snapshot shows of it is
//! the newest. Here others may have added meanwhile, or do so now. The read waits for them. A snapshot that is older than the wait would
//! not show what they have done, in this row or anywhere else; so it is taken anew, under READ COMMITTED, where every statement has one of its
//! own. Where it is not the statement's own (a STABLE function reads under that of the query it is called by), it stays, and a read that
//! misses anything fails with 40001; so that this is rare, a query that calls such functions holds everything.

use super::evaluate::evaluate;
use super::own;
use super::row::Table;
use super::row_conditions::Conditions;
use super::tree::{self, Any, Tree};
use crate::backend;
use crate::callback;
use crate::catalog;
use crate::compat;
use crate::hooks::executor::{self, Start};
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::object;
use crate::settings;
use crate::varlena::content_of;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind, SysCacheIdentifier};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};

/// Has statements looked at when they start; called once when the library is loaded.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: |start| object::reads_are_watched() && !start.is_explain_only(),
        tell: hold,
    });
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_ExecuteStmt && object::reads_are_watched(),
        around: execute,
    });
}

/// The query of an EXECUTE gets the snapshot of the command, which the client's portal needs as well. It is to have one of its own.
fn execute(command: &Command, run: Runner<'_>) {
    if backend::has_one_snapshot() {
        return run(command);
    }
    // SAFETY: a command that runs a query has an active snapshot, and this one lies above it for the time of the command.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot()) };
    run(command);
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
}

fn hold(start: &Start) {
    let query = start.query();
    let Some(statement) = Tree::new(query.plannedstmt) else {
        return;
    };
    // SAFETY: a plan; a snapshot that the query has registered.
    let (operates, shown_until) = unsafe {
        let plan = statement.planTree;
        let operates = !plan.is_null() && super::own_node(&*plan).is_some();
        (operates, (*query.snapshot).curcid)
    };
    if operates || backend::has_one_snapshot() {
        return;
    }
    let most = usize::try_from(settings::LOCK_ESCALATION.get()).unwrap_or(0);
    let kept = Kept::of(statement);
    let reads = |table, column| match &kept {
        _ if is_marked(statement) => Reading::Whole,
        _ if !reads(statement, table, column) => Reading::Nothing,
        Some(kept) => kept.reading(table, column, query.params),
        None => Reading::Whole,
    };
    let conditions = OnceCell::new();
    let may_read = |row: &Table| {
        let of_statement = || Conditions::of(statement, query.params);
        is_marked(statement) || conditions.get_or_init(of_statement).may_read(row)
    };
    match own::hold_all(reads, may_read, shown_until, most) {
        Ok(true) if start.has_own_snapshot() => start.renew_snapshot(),
        Ok(_) => {}
        Err(error) => error.raise(),
    }
    if start.has_own_snapshot() {
        own::note_snapshot(start.query().snapshot);
    }
}

/// Whether a statement reads or changes a column; 0 stands for one that is not known.
fn reads(statement: Tree<pg_sys::PlannedStmt>, table: Oid, column: i16) -> bool {
    let number = |column: i16| i32::from(column) - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: a plan's range table; sets of it, or null.
    tree::each::<pg_sys::RangeTblEntry>(statement.rtable).any(|entry| unsafe {
        (*entry).rtekind == RTEKind::RTE_RELATION
            && (*entry).relid == table
            && (column == 0
                || compat::used_columns(&statement, &*entry).iter().any(|set| {
                    pg_sys::bms_is_member(number(column), *set)
                        || pg_sys::bms_is_member(number(0), *set)
                }))
    })
}

/// Whether a query calls functions of users that read under its snapshot: those that are STABLE and not compiled. (Ours
/// read their arguments.)
pub fn calls_stable_functions(query: Tree<pg_sys::Query>) -> bool {
    callback!(fn is_one(function: Oid, _context: *mut c_void) -> bool = |function, _| is_stable_function(function));
    query.commandType != CmdType::CMD_UTILITY
        && tree::any_node(query.pointer(), &mut |node, _| {
            // SAFETY: any node may be asked; the function looks at a function's row.
            node.type_ != NodeTag::T_Query
                && unsafe {
                    pg_sys::check_functions_in_node(
                        node.pointer(),
                        Some(is_one),
                        std::ptr::null_mut(),
                    )
                }
        })
}

/// `internal` and `c` in every database.
const COMPILED_LANGUAGES: [u32; 2] = [12, 13];

fn is_stable_function(function: Oid) -> bool {
    if function.to_u32() < pg_sys::FirstNormalObjectId {
        return false;
    }
    // SAFETY: a row of the catalogue, given back.
    unsafe {
        let row = pg_sys::SearchSysCache1(SysCacheIdentifier::PROCOID as i32, function.into());
        if row.is_null() {
            return false;
        }
        let form = pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_proc>();
        let stable = (*form).provolatile as u8 == pg_sys::PROVOLATILE_STABLE;
        let compiled = COMPILED_LANGUAGES.contains(&(*form).prolang.to_u32());
        let ours = catalog::find().is_some_and(|ours| ours.schema == (*form).pronamespace);
        pg_sys::ReleaseSysCache(row);
        stable && !compiled && !ours
    }
}

/// Marks the plan of a query that does. A plan has no room for remarks; but it may depend on one function more, which does not exist.
pub fn mark(mut statement: Tree<pg_sys::PlannedStmt>) {
    // SAFETY: zeroed memory of the node's size, tagged; the list is the plan's.
    unsafe {
        let item =
            pg_sys::palloc0(size_of::<pg_sys::PlanInvalItem>()).cast::<pg_sys::PlanInvalItem>();
        (*item).type_ = NodeTag::T_PlanInvalItem;
        (*item).cacheId = SysCacheIdentifier::PROCOID as i32;
        (*item).hashValue = mark_of_plans();
        statement.invalItems = pg_sys::lappend(statement.invalItems, item.cast());
    }
}

fn is_marked(statement: Tree<pg_sys::PlannedStmt>) -> bool {
    let mut items = tree::each::<pg_sys::PlanInvalItem>(statement.invalItems).peekable();
    if items.peek().is_none() {
        return false;
    }
    let hash = mark_of_plans();
    // SAFETY: the items of a plan.
    items.any(|item| unsafe {
        (*item).cacheId == SysCacheIdentifier::PROCOID as i32 && (*item).hashValue == hash
    })
}

/// Plans depend on every function that they call, so it must be none of those. If one has the same hash, more is held than need be.
fn mark_of_plans() -> u32 {
    // SAFETY: the hash of a key.
    unsafe {
        let none = pg_sys::Datum::null();
        pg_sys::GetSysCacheHashValue(
            SysCacheIdentifier::PROCOID as i32,
            Oid::INVALID.into(),
            none,
            none,
            none,
        )
    }
}

/// What a statement reads of the objects in a column.
pub enum Reading {
    /// Nothing, or it holds what it reads by other means.
    Nothing,
    /// These elements.
    Elements(Vec<Vec<u8>>),
    /// All of them.
    Whole,
}

/// Columns of which a query asks for single elements only: what it then has to hold ahead. Noted while it is rewritten.
#[derive(Default)]
pub struct Parts(BTreeMap<(u32, i16), Part>);

#[derive(Default)]
struct Part {
    /// None of them depends on rows.
    elements: Vec<Any>,
    whole: bool,
    held: bool,
}

impl Parts {
    /// Whether no column is asked for elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The element is asked for.
    pub fn note(&mut self, table: Oid, column: i16, element: Any) {
        let part = self.0.entry((table.to_u32(), column)).or_default();
        match is_known_ahead(element) {
            true => part.elements.push(element.copy()),
            false => part.whole = true,
        }
    }

    /// It is read in another way, too.
    pub fn note_whole(&mut self, table: Oid, column: i16) {
        self.0.entry((table.to_u32(), column)).or_default().whole = true;
    }

    /// A locking clause or a change holds what it reads.
    pub fn note_held(&mut self, table: Oid, column: i16) {
        self.0.entry((table.to_u32(), column)).or_default().held = true;
    }

    /// Keeps them with the plan: as the target list of a subplan that nobody runs.
    pub fn keep(&self, mut statement: Tree<pg_sys::PlannedStmt>) {
        let mut entries = Vec::new();
        let parts = self.0.iter().filter(|(_, part)| !part.whole);
        for ((table, column), part) in parts {
            let nothing = [tree::null(pg_sys::TEXTOID)];
            let elements = match part.elements.is_empty() {
                true => nothing.as_slice(),
                false => part.elements.as_slice(),
            };
            for element in elements {
                let three = [
                    tree::oid(Oid::from(*table)),
                    tree::integer((*column).into()),
                    element.copy(),
                ];
                for expression in three {
                    let number = entries.len() as i16 + 1;
                    entries.push(tree::target(expression, number, NAME, false));
                }
            }
        }
        if entries.is_empty() {
            return;
        }
        // SAFETY: zeroed memory of the node's size, tagged; the list is the plan's.
        unsafe {
            let plan = pg_sys::palloc0(size_of::<pg_sys::Result>()).cast::<pg_sys::Plan>();
            (*plan).type_ = NodeTag::T_Result;
            (*plan).targetlist = tree::list(&entries);
            statement.subplans = pg_sys::lappend(statement.subplans, plan.cast());
        }
    }
}

/// Of the columns of such a subplan.
const NAME: &CStr = c"abelian_elements";

/// Whether an expression is the same for all rows, and nothing has to run for it but itself.
fn is_known_ahead(expression: Any) -> bool {
    let is_column = |node: Any| {
        node.cast::<pg_sys::Var>().is_some()
            || node
                .cast::<pg_sys::Param>()
                .is_some_and(|param| param.paramkind != pg_sys::ParamKind::PARAM_EXTERN)
    };
    !tree::any_node(expression.pointer(), &mut |node, _| is_column(node))
}

/// What [`Parts::keep`] has kept.
struct Kept(Vec<Tree<pg_sys::TargetEntry>>);

impl Kept {
    fn of(statement: Tree<pg_sys::PlannedStmt>) -> Option<Self> {
        let plan = tree::items::<pg_sys::Plan>(statement.subplans)
            .into_iter()
            .next_back()?;
        if plan.type_ != NodeTag::T_Result {
            return None;
        }
        let entries = tree::items::<pg_sys::TargetEntry>(plan.targetlist);
        let first = entries.first()?;
        // SAFETY: a name is a C string, or null.
        let ours = !first.resname.is_null() && unsafe { CStr::from_ptr(first.resname) } == NAME;
        ours.then_some(Kept(entries))
    }

    /// What is read of a column, as far as that was kept; else the whole.
    fn reading(&self, table: Oid, column: i16, parameters: pg_sys::ParamListInfo) -> Reading {
        let mut elements = None;
        for three in self.0.chunks_exact(3) {
            let number = |n: usize| {
                let node = Tree::<pg_sys::Node>::new(three[n].expr.cast());
                let constant = node.and_then(|node| node.cast::<pg_sys::Const>());
                constant.map(|constant| constant.constvalue.value())
            };
            if number(0) == Some(table.to_u32() as usize) && number(1) == Some(column as usize) {
                elements
                    .get_or_insert_with(Vec::new)
                    .extend(text_of(three[2].expr, parameters));
            }
        }
        match elements {
            None => Reading::Whole,
            Some(elements) if elements.is_empty() => Reading::Nothing,
            Some(elements) => Reading::Elements(elements),
        }
    }
}

/// The value of an expression of type `text` that depends on parameters alone; `None` for NULL.
fn text_of(expression: *mut pg_sys::Expr, parameters: pg_sys::ParamListInfo) -> Option<Vec<u8>> {
    // SAFETY: an expression that names no columns.
    let text = unsafe { evaluate(expression, parameters, std::ptr::null_mut()) };
    text.map(content_of)
}
