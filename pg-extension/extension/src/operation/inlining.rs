//! SQL functions in FROM that PostgreSQL puts in the place of their calls. It would do so when it plans, after the statement has been
//! rewritten; done before, what they read is rewritten with it.

use super::missing;
use super::tree::{self, Tree};
use pgrx::pg_sys::{self, RTEKind};
use std::ptr::null_mut;

/// The functions of one statement.
pub struct Inlining {
    parameters: pg_sys::ParamListInfo,
    /// What PostgreSQL notes about the plan; null until it is needed.
    root: *mut pg_sys::PlannerInfo,
}

impl Inlining {
    /// None so far. `parameters` are those that the statement is planned for.
    pub fn new(parameters: pg_sys::ParamListInfo) -> Self {
        Inlining {
            parameters,
            root: null_mut(),
        }
    }

    /// Whether nothing was expanded.
    pub fn is_empty(&self) -> bool {
        self.root.is_null()
    }

    /// Expands the calls in the FROM of one query. The queries they become may have such calls as well.
    pub fn expand(&mut self, query: Tree<pg_sys::Query>) {
        let calls = tree::items::<pg_sys::RangeTblEntry>(query.rtable)
            .into_iter()
            .any(is_call);
        if calls {
            // SAFETY: a root with a query of its own, in the memory of the statement.
            unsafe {
                let root = self.root();
                (*root).parse = query.pointer();
                missing::preprocess_function_rtes(root);
            }
        }
    }

    fn root(&mut self) -> *mut pg_sys::PlannerInfo {
        if self.root.is_null() {
            // SAFETY: zeroed is how PostgreSQL makes these nodes; the expansion of functions reads what is set here, and notes what the
            // plan depends on.
            unsafe {
                let global = pg_sys::palloc0(size_of::<pg_sys::PlannerGlobal>())
                    .cast::<pg_sys::PlannerGlobal>();
                (*global).type_ = pg_sys::NodeTag::T_PlannerGlobal;
                (*global).boundParams = self.parameters;
                self.root =
                    pg_sys::palloc0(size_of::<pg_sys::PlannerInfo>()).cast::<pg_sys::PlannerInfo>();
                (*self.root).type_ = pg_sys::NodeTag::T_PlannerInfo;
                (*self.root).glob = global;
                (*self.root).query_level = 1;
                (*self.root).planner_cxt = pg_sys::CurrentMemoryContext;
            }
        }
        self.root
    }

    /// Has the plan become invalid when one of the functions changes, as if PostgreSQL had expanded it.
    pub fn note_in(&self, mut statement: Tree<pg_sys::PlannedStmt>) {
        // SAFETY: made in `root`.
        if let Some(global) = unsafe { self.root.as_ref().and_then(|root| root.glob.as_ref()) } {
            for item in tree::items::<pg_sys::Node>(global.invalItems) {
                // SAFETY: appends to the plan's own list.
                statement.invalItems =
                    unsafe { pg_sys::lappend(statement.invalItems, item.pointer()) };
            }
            statement.dependsOnRole |= global.dependsOnRole;
        }
    }
}

/// Whether it calls one function that gives rows and that PostgreSQL does not come with.
fn is_call(entry: Tree<pg_sys::RangeTblEntry>) -> bool {
    entry.rtekind == RTEKind::RTE_FUNCTION
        && tree::first::<pg_sys::RangeTblFunction>(entry.functions)
            .and_then(|function| Tree::<pg_sys::Node>::new(function.funcexpr))
            .and_then(|expression| expression.cast::<pg_sys::FuncExpr>())
            .is_some_and(|call| {
                call.funcretset && call.funcid.to_u32() >= pg_sys::FirstNormalObjectId
            })
}
