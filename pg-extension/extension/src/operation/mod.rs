//! Interception: which statements are operations on Abelian columns, and how they are carried out.
//!
//! A statement passes here three times. After analysis, [`results`] gives its result columns the plain types that
//! clients expect. Before planning, [`pure`] recognises a statement that only operates, and [`rewrite`] and
//! [`locking`] rewrite every other one that touches Abelian columns, for PostgreSQL's ordinary executor with the
//! help of [`functions`]. In execution, [`scan`] carries out pure operations.
//!
//! Nothing here knows how values are kept: that is `object` and `types`.

mod apply;
mod column;
pub mod combined;
mod elements;
mod escrow;
mod executor;
mod functions;
mod joining;
mod locking;
pub mod missing;
mod own;
mod parallel;
mod published;
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
use crate::hooks::planner::{self, Finish};
use pgrx::pg_sys::{self, Oid};
use symbols::Symbols;
use tree::Tree;

/// Installs the hooks of this room; called once when the library is loaded.
pub fn install() {
    settings::define();
    symbols::install();
    relation::install();
    scan::install();
    results::install();
    own::install();
    parallel::install();
    published::install();
    planner::subscribe(prepare_plan);
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

/// Prepares a statement for planning. The plan of one that only operates gets our node.
fn prepare_plan(query: *mut pg_sys::Query) -> Option<Finish> {
    let pure = prepare(Tree::new(query)?)?;
    Some(Box::new(move |statement| {
        if !Tree::new(statement).is_some_and(|statement| pure.replace(statement)) {
            Error::Internal("unexpected plan of an operation".into()).raise();
        }
    }))
}

/// Prepares a statement for planning; gives what to do with its plan if it only operates.
fn prepare(query: Tree<pg_sys::Query>) -> Option<pure::Pure> {
    let symbols = Symbols::get()?;
    if settings::CONCURRENT_OPERATIONS.get()
        && let Some(pure) = pure::prepare(&symbols, query)
    {
        return Some(pure);
    }
    rewrite::statement(&symbols, query, settings::LOCKING_READS.get());
    None
}

/// Whether a trigger of the relation may suppress a change of a row after its expressions were evaluated.
fn triggers_may_suppress(relation: Oid) -> bool {
    let facts = Symbols::get().and_then(|symbols| relation::Facts::of(&symbols, relation, false));
    facts.is_some_and(|facts| facts.may_suppress)
}
