//! Rows that a DO block changes when every node runs it: each node changes its own rows of a distributed table, and its copy of a reference table, where
//! that comes to what one PostgreSQL does. Such a change names one table and nothing else, neither variables nor functions that differ from node to
//! node. How many rows it has changed nobody may ask, since each node knows its own part.

use super::super::analysis::functions;
use super::super::analysis::parser;
use super::super::analysis::relation::{Placement, Relation};
use super::super::analysis::tree::{self, NodePtr};
use super::super::shared_clock;
use crate::hooks::planner;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::CStr;

/// Where a statement stands in a text, and the text.
type Place = (i32, String);

thread_local! {
    /// The changes of the block that have been planned, and are of this kind, with their tables.
    static ALIKE: RefCell<HashMap<Place, Oid>> = RefCell::new(HashMap::new());
    /// The block asks how many rows it has changed.
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

/// The client's DO starts.
pub fn block_starts(command: NodePtr) {
    ALIKE.with_borrow_mut(HashMap::clear);
    let Some(block) = tree::cast::<pg_sys::DoStmt, _>(command) else {
        return;
    };
    let counts = tree::list::<pg_sys::DefElem>(block.args)
        .filter_map(|option| tree::cast::<pg_sys::String, _>(option.arg))
        .any(|text| {
            let text = tree::string(text.sval).to_lowercase();
            text.contains("found") || text.contains("diagnostics")
        });
    COUNTS.set(counts);
}

/// Whether the block asks how many rows it has changed.
pub fn is_counted() -> bool {
    COUNTS.get()
}

/// Whether a query inserts into a table without placement, and gives nothing back: numbers of sequences that it takes are those of the first node, which
/// has the rows.
pub fn fills_first_node(query: &pg_sys::Query) -> bool {
    query.commandType == CmdType::CMD_INSERT
        && query.returningList.is_null()
        && !query.hasModifyingCTE
        && !COUNTS.get()
        && Relation::new(tree::target(query), 0).placement == Placement::None
}

/// A query of the block is about to be planned.
pub fn planned(query: &pg_sys::Query) {
    if !COUNTS.get()
        && query.commandType != CmdType::CMD_SELECT
        && is_alike(query)
        && let Some(text) = planner::text()
    {
        let place = (query.stmt_location, text.to_string_lossy().into_owned());
        ALIKE.with_borrow_mut(|all| all.insert(place, tree::target(query)));
    }
}

/// The table that a query changes, if it is such a change.
pub fn changed_by(query: &pg_sys::QueryDesc) -> Option<(Oid, String)> {
    // SAFETY: the statement and the text of a query that starts.
    let (plan, text) = unsafe { (&*query.plannedstmt, CStr::from_ptr(query.sourceText)) };
    let changes = [
        CmdType::CMD_INSERT,
        CmdType::CMD_UPDATE,
        CmdType::CMD_DELETE,
    ];
    if !changes.contains(&plan.commandType) {
        return None;
    }
    let text = text.to_string_lossy().into_owned();
    let place = (plan.stmt_location, text);
    let table = ALIKE.with_borrow(|all| all.get(&place).copied())?;
    Some((table, format!("{} at {}", place.1, place.0)))
}

/// Whether every node may run a change by itself.
fn is_alike(query: &pg_sys::Query) -> bool {
    let table = tree::target(query);
    if table == Oid::INVALID {
        return false;
    }
    let relation = Relation::new(table, 0);
    let spreading = relation.spreading();
    let may_change = match (&spreading, query.commandType) {
        (Some(spreading), CmdType::CMD_UPDATE | CmdType::CMD_DELETE) => {
            let places = |entry: &pg_sys::TargetEntry| {
                let mut columns = spreading.columns.iter();
                !entry.resjunk && columns.any(|(attribute, _)| *attribute == entry.resno)
            };
            query.commandType == CmdType::CMD_DELETE
                || !tree::list::<pg_sys::TargetEntry>(query.targetList).any(places)
        }
        (None, CmdType::CMD_INSERT | CmdType::CMD_UPDATE | CmdType::CMD_DELETE) => {
            relation.placement == Placement::Reference
        }
        _ => false,
    };
    may_change && names_one_table(query, table) && comes_out_alike(query)
}

fn names_one_table(query: &pg_sys::Query, table: Oid) -> bool {
    let plain = query.returningList.is_null()
        && query.cteList.is_null()
        && query.setOperations.is_null()
        && !query.hasSubLinks;
    let inserts = query.commandType == CmdType::CMD_INSERT;
    let mut entries = tree::list::<pg_sys::RangeTblEntry>(query.rtable);
    let only = entries.all(|entry| {
        entry.securityQuals.is_null()
            && match entry.rtekind {
                RTEKind::RTE_RELATION => entry.relid == table,
                RTEKind::RTE_VALUES => inserts,
                _ => false,
            }
    });
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let from: Vec<NodePtr> = from.map_or(Vec::new(), |from| tree::nodes(from.fromlist).collect());
    let reads_itself = match from.as_slice() {
        [] => inserts,
        [one] => tree::cast::<pg_sys::RangeTblRef, _>(*one)
            .is_some_and(|range| inserts || range.rtindex == query.resultRelation),
        _ => false,
    };
    plain && only && reads_itself
}

fn comes_out_alike(query: &pg_sys::Query) -> bool {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let found = functions::called_by(&[node]);
    let knows_variables = tree::any(node, &mut |node| {
        matches!(
            tree::tag(node),
            Some(NodeTag::T_Param | NodeTag::T_CurrentOfExpr)
        )
    });
    !found.volatile
        && !found.stable_by_node
        && (!found.clock || shared_clock::is_shared())
        && !found.settings
        && !found.object_ids
        && found.opaque.is_empty()
        && found.draws.is_empty()
        && !knows_variables
}

/// What a change is about, beside changes of the schema.
pub fn about(table: Oid) -> String {
    format!("rows of {}", parser::qualified_name(table))
}
