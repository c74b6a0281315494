//! INSERT inside a distributed procedure: each participant computes all rows, and keeps those that are its own.

use super::key::{self, Partition};
use super::participants;
use super::placements::{Hash, Home};
use crate::boundary::PostgresError;
use pgrx::pg_sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What stands between ModifyTable and the rows that it is to insert.
#[derive(Clone)]
struct Filter {
    original: pg_sys::ExecProcNodeMtd,
    keep: Keep,
}

#[derive(Clone)]
enum Keep {
    /// Rows whose key lies on this node; the column's type stands beside.
    Own(Rc<Hash>, pg_sys::Oid),
    /// No rows: the table lies on another node.
    Nothing,
}

thread_local! {
    /// By the plan node that gives the rows. Entries of ended queries are harmless: who puts a node there writes anew.
    static FILTERS: RefCell<HashMap<usize, Filter>> = RefCell::default();
}

/// The call is over, and with it all its queries.
pub fn forget() {
    FILTERS.with_borrow_mut(HashMap::clear);
}

/// Lets only this node's rows reach the table.
///
/// # Safety
/// The state must be an initialised ModifyTable of an INSERT.
pub unsafe fn install(modify: &pg_sys::ModifyTableState, home: Home) {
    // SAFETY: an initialised ModifyTable has a subplan and a result relation.
    unsafe {
        let relation = (*modify.resultRelInfo).ri_RelationDesc;
        let keep = match home {
            Home::Here => return,
            Home::Everywhere => refuse((*relation).rd_id),
            Home::Node(node) if node == participants::own_node() => return,
            Home::Node(node) => {
                participants::require([node]);
                Keep::Nothing
            }
            Home::Hash(hash) => {
                let columns = (*(*relation).rd_att)
                    .attrs
                    .as_slice((*(*relation).rd_att).natts as usize);
                let type_oid = columns[hash.attribute as usize - 1].atttypid;
                Keep::Own(hash, type_oid)
            }
        };
        let rows = modify.ps.lefttree;
        let filter = Filter {
            original: (*rows).ExecProcNodeReal,
            keep,
        };
        FILTERS.with_borrow_mut(|filters| filters.insert(rows as usize, filter));
        pg_sys::ExecSetExecProcNode(rows, Some(next_own_row));
    }
}

/// Raises: participants would make different copies.
pub fn refuse(relation: pg_sys::Oid) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { super::super::analysis::tree::string(pg_sys::get_rel_name(relation)) };
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32,
        &format!("a distributed procedure cannot change reference table \"{name}\""),
        "Only the participants would change their copies.",
        None,
    );
    drop(name);
    error.rethrow()
}

/// Raises, at all participants alike: such a row would have no node.
fn refuse_null() -> ! {
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_NOT_NULL_VIOLATION as i32,
        "null value in the distribution column of a row that a distributed procedure inserts",
        "The distribution column decides which node holds the row.",
        None,
    );
    error.rethrow()
}

/// Stands in for the plan node's own function.
unsafe extern "C-unwind" fn next_own_row(
    node: *mut pg_sys::PlanState,
) -> *mut pg_sys::TupleTableSlot {
    // SAFETY: errors of the plan's own pass through raw calls; nothing with a destructor is alive while it runs.
    unsafe {
        loop {
            let original = original(node);
            let slot = match original {
                Some(original) => original(node),
                None => return std::ptr::null_mut(),
            };
            let is_empty = slot.is_null() || (*slot).tts_flags & pg_sys::TTS_FLAG_EMPTY as u16 != 0;
            if is_empty || is_own_guarded(node, slot) {
                return slot;
            }
        }
    }
}

type Function = unsafe extern "C-unwind" fn(*mut pg_sys::PlanState) -> *mut pg_sys::TupleTableSlot;

fn original(node: *mut pg_sys::PlanState) -> Option<Function> {
    FILTERS.with_borrow(|filters| {
        filters
            .get(&(node as usize))
            .and_then(|filter| filter.original)
    })
}

/// # Safety
/// The node must have a filter and the slot a row.
unsafe fn is_own_guarded(node: *mut pg_sys::PlanState, slot: *mut pg_sys::TupleTableSlot) -> bool {
    // SAFETY: called by a function that PostgreSQL called.
    unsafe {
        pg_sys::submodules::panic::pgrx_extern_c_guard(std::panic::AssertUnwindSafe(|| {
            is_own(node, slot)
        }))
    }
}

/// # Safety
/// As [`is_own_guarded`].
unsafe fn is_own(node: *mut pg_sys::PlanState, slot: *mut pg_sys::TupleTableSlot) -> bool {
    let keep = FILTERS.with_borrow(|filters| filters.get(&(node as usize)).map(|f| f.keep.clone()));
    let Some(Keep::Own(hash, type_oid)) = keep else {
        return keep.is_none();
    };
    // SAFETY: the row has as many columns as the table; values that the slot gives are of the column's type.
    let target = unsafe {
        let attribute = i32::from(hash.attribute);
        if i32::from((*slot).tts_nvalid) < attribute {
            pg_sys::slot_getsomeattrs_int(slot, attribute);
        }
        let index = hash.attribute as usize - 1;
        if *(*slot).tts_isnull.add(index) {
            drop(hash);
            refuse_null();
        }
        let value = *(*slot).tts_values.add(index);
        match key::partition(hash.kind, hash.nodes.len(), type_oid, value) {
            Partition::At(partition) => hash.nodes[partition],
            Partition::Nowhere | Partition::Unknown => return true,
        }
    };
    drop(hash);
    if target == participants::own_node() {
        return true;
    }
    participants::require([target]);
    false
}
