//! Interception: which statements are operations on Abelian columns, and how they are carried out.
//!
//! A statement passes here three times. After analysis, [`results`] gives its result columns the plain types that
//! clients expect. Before planning, [`pure`] recognises a statement that only operates, and [`rewrite`] and
//! [`locking`] rewrite every other one that touches Abelian columns, for PostgreSQL's ordinary executor with the
//! help of [`functions`]. In execution, [`scan`] carries out pure operations. [`escrow`], [`conditions`], [`row_bounds`] and
//! [`units`]: sums with bounds; [`sizes`]: sets whose size has bounds.
//!
//! Nothing here knows how values are kept: that is `object` and `types`.

mod ahead;
mod apply;
mod by_value;
mod column;
pub mod combined;
mod conditions;
mod copies;
mod definitions;
mod elements;
mod escrow;
mod evaluate;
mod executor;
pub mod foresight;
mod functions;
mod inlining;
mod joining;
mod locking;
pub mod missing;
mod orphans;
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
mod row_bounds;
mod row_conditions;
mod scan;
mod settings;
mod sizes;
mod strict;
mod symbols;
mod time_functions;
mod tree;
mod trigger_versions;
pub mod unique;
mod units;
mod value_index;
mod version;
mod whole_row;

pub use relation::attributes;
pub use results::operators;

use crate::error::Error;
use crate::hooks::planner::{self, Finish};
use copies::Copies;
use inlining::Inlining;
use pgrx::pg_sys::{self, Oid};
use symbols::Symbols;
use tree::{Any, Tree};

/// Installs the hooks of this room; called once when the library is loaded.
pub fn install() {
    settings::define();
    symbols::install();
    relation::install();
    scan::install();
    results::install();
    definitions::install();
    own::install();
    ahead::install();
    parallel::install();
    trigger_versions::install();
    published::install();
    orphans::install();
    planner::subscribe(prepare_plan);
}

/// Whether an analysed statement is nothing but operations on a plain table, so that it neither waits for rows nor rewrites them, and
/// tells nothing of values.
pub fn is_pure(query: &pg_sys::Query) -> bool {
    let query = Tree::new(std::ptr::from_ref(query).cast_mut());
    match (Symbols::get(), query) {
        (Some(symbols), Some(query)) => {
            pure::prepare(&symbols, query.copy()).is_some_and(|pure| !pure.tests_values())
        }
        _ => false,
    }
}

/// Whether a plan is that of a statement which [`is_pure`].
pub fn is_pure_plan(plan: &pg_sys::Plan) -> bool {
    own_node(plan)
        .and_then(pure::Private::of)
        .is_some_and(|private| !private.tests_values())
}

/// The node of ours that a plan consists of, if it is one.
fn own_node(plan: &pg_sys::Plan) -> Option<&pg_sys::CustomScan> {
    let plan: *const pg_sys::Plan = plan;
    // SAFETY: the tag says which structure it is.
    unsafe {
        let scan = plan.cast::<pg_sys::CustomScan>();
        let ours =
            (*plan).type_ == pg_sys::NodeTag::T_CustomScan && (*scan).methods == scan::methods();
        ours.then(|| &*scan)
    }
}

/// Prepares a statement for planning. The plan of one that only operates gets our node.
fn prepare_plan(query: *mut pg_sys::Query, parameters: pg_sys::ParamListInfo) -> Option<Finish> {
    let query = Tree::new(query)?;
    let symbols = Symbols::get()?;
    let reads_anything = ahead::calls_stable_functions(query);
    let mut inlining = Inlining::new(parameters);
    let prepared = prepare(&symbols, query, &mut inlining);
    if prepared.is_done() && inlining.is_empty() && !reads_anything {
        return None;
    }
    Some(Box::new(move |statement| {
        let Some(statement) = Tree::new(statement) else {
            return;
        };
        inlining.note_in(statement);
        match prepared {
            Prepared::Pure(pure) if !pure.replace(statement) => {
                Error::Internal("unexpected plan of an operation".into()).raise();
            }
            Prepared::Rewritten(parts) => parts.keep(statement),
            Prepared::Pure(_) => {}
        }
        if reads_anything {
            ahead::mark(statement);
        }
    }))
}

/// What was done to a statement before planning.
enum Prepared {
    /// It only operates.
    Pure(pure::Pure),
    /// It is for PostgreSQL's executor, and asks for these elements.
    Rewritten(ahead::Parts),
}

impl Prepared {
    /// Whether nothing is to be done with the plan.
    fn is_done(&self) -> bool {
        matches!(self, Prepared::Rewritten(parts) if parts.is_empty())
    }
}

/// Prepares a statement for planning.
fn prepare(symbols: &Symbols, query: Tree<pg_sys::Query>, inlining: &mut Inlining) -> Prepared {
    let mut copies = Copies::new(symbols);
    if settings::CONCURRENT_OPERATIONS.get()
        && let Some(pure) = pure::prepare(symbols, query)
    {
        visit(query.targetList.cast(), |node, levels| {
            if let Some(copies) = &mut copies {
                copies.visit(node, levels);
            }
        });
        return Prepared::Pure(pure);
    }
    if !copies::meets_objects(query.any()) {
        copies = None;
    }
    let mut queries = Vec::new();
    visit(query.pointer(), |node, levels| {
        if let Some(query) = node.cast::<pg_sys::Query>() {
            inlining.expand(query);
            queries.push(query);
        }
        if let Some(copies) = &mut copies {
            copies.visit(node, levels);
        }
    });
    let parts = rewrite::statement(symbols, queries.clone(), settings::LOCKING_READS.get());
    by_value::queries(symbols, &queries);
    Prepared::Rewritten(parts)
}

/// Calls `each` for every node of a tree, from the top down.
fn visit(root: *mut pg_sys::Node, mut each: impl FnMut(Any, u32)) {
    tree::any_node(root, &mut |node, levels| {
        each(node, levels);
        false
    });
}

/// Whether an overwritten value may be asked for after it was overwritten: by a trigger that sees the old row, or because a trigger
/// suppresses the change after its expressions were evaluated.
fn old_value_is_needed(relation: Oid) -> bool {
    let facts = Symbols::get().and_then(|symbols| relation::Facts::of(&symbols, relation, false));
    facts.is_some_and(|facts| facts.may_suppress || facts.update_trigger_reads)
}
