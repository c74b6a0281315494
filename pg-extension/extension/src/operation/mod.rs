//! Interception: which statements are operations on Abelian columns, and how they are carried out.
//!
//! A statement passes here three times. After analysis, [`results`] gives its result columns the plain types that
//! clients expect. Before planning, [`pure`] recognises a statement that only operates, and [`rewrite`] and
//! [`locking`] rewrite every other one that touches Abelian columns, for PostgreSQL's ordinary executor with the
//! help of [`functions`]. In execution, [`scan`] carries out pure operations.
//!
//! Nothing here knows how values are kept: that is `object` and `types`.

mod ahead;
mod apply;
mod column;
pub mod combined;
mod elements;
mod escrow;
mod executor;
pub mod foresight;
mod functions;
mod locking;
mod missing;
mod own;
mod parallel;
mod pure;
mod recognise;
mod recognise_aggregated;
mod relation;
mod results;
mod rewrite;
mod row;
mod scan;
mod settings;
mod strict;
mod symbols;
mod tree;
mod version;

use crate::error::Error;
use pgrx::pg_sys::{self, Oid, ffi::pg_guard_ffi_boundary};
use pgrx::prelude::*;
use std::ffi::{c_char, c_int};
use symbols::Symbols;
use tree::Tree;

static mut PREVIOUS_PLANNER: pg_sys::planner_hook_type = None;

/// Installs the hooks of this room; called once when the library is loaded.
pub fn install() {
    settings::define();
    symbols::install();
    relation::install();
    scan::install();
    results::install();
    own::install();
    parallel::install();
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        PREVIOUS_PLANNER = pg_sys::planner_hook;
        pg_sys::planner_hook = Some(plan);
    }
}

/// Whether an analysed statement is nothing but operations on a plain table, so that it neither waits for rows nor rewrites them.
pub fn is_pure(query: &pg_sys::Query) -> bool {
    let query = Tree::new(std::ptr::from_ref(query).cast_mut());
    match (Symbols::get(), query) {
        (Some(symbols), Some(query)) => pure::prepare(&symbols, query.copy()).is_some(),
        _ => false,
    }
}

/// Whether a plan is that of a statement which [`is_pure`].
pub fn is_pure_plan(plan: &pg_sys::Plan) -> bool {
    let plan: *const pg_sys::Plan = plan;
    // SAFETY: the tag says which structure it is.
    unsafe {
        (*plan).type_ == pg_sys::NodeTag::T_CustomScan
            && (*plan.cast::<pg_sys::CustomScan>()).methods == scan::methods()
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn plan(
    query: *mut pg_sys::Query,
    text: *const c_char,
    options: c_int,
    parameters: pg_sys::ParamListInfo,
) -> *mut pg_sys::PlannedStmt {
    let tree = Tree::new(query);
    let reads_anything = tree.is_some_and(ahead::calls_stable_functions);
    let prepared = tree.map_or(Prepared::Nothing, prepare);
    // SAFETY: the arguments are PostgreSQL's own; the previous hook is set once.
    let statement = unsafe {
        match PREVIOUS_PLANNER {
            Some(previous) => pg_guard_ffi_boundary(|| previous(query, text, options, parameters)),
            None => pg_sys::standard_planner(query, text, options, parameters),
        }
    };
    let Some(planned) = Tree::new(statement) else {
        return statement;
    };
    match prepared {
        Prepared::Pure(pure) if !pure.replace(planned) => {
            Error::Internal("unexpected plan of an operation".into()).raise();
        }
        Prepared::Rewritten(parts) => parts.keep(planned),
        Prepared::Pure(_) | Prepared::Nothing => {}
    }
    if reads_anything {
        ahead::mark(planned);
    }
    statement
}

/// What was done to a statement before planning.
enum Prepared {
    /// The extension is not installed.
    Nothing,
    /// It only operates.
    Pure(pure::Pure),
    /// It is for PostgreSQL's executor, and asks for these elements.
    Rewritten(ahead::Parts),
}

/// Prepares a statement for planning.
fn prepare(query: Tree<pg_sys::Query>) -> Prepared {
    let Some(symbols) = Symbols::get() else {
        return Prepared::Nothing;
    };
    if settings::CONCURRENT_OPERATIONS.get()
        && let Some(pure) = pure::prepare(&symbols, query)
    {
        return Prepared::Pure(pure);
    }
    let parts = rewrite::statement(&symbols, query, settings::LOCKING_READS.get());
    Prepared::Rewritten(parts)
}

/// Whether a trigger of the relation may suppress a change of a row after its expressions were evaluated.
fn triggers_may_suppress(relation: Oid) -> bool {
    let facts = Symbols::get().and_then(|symbols| relation::Facts::of(&symbols, relation, false));
    facts.is_some_and(|facts| facts.may_suppress)
}
