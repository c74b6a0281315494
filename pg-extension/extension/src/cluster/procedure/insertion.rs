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
    /// All rows, each of which must be this node's; the column's type stands beside.
    Check(Rc<Hash>, pg_sys::Oid, i32),
}

thread_local! {
    /// By the plan node that gives the rows. Entries of ended queries are harmless: who puts a node there writes anew.
    static FILTERS: RefCell<HashMap<usize, Filter>> = RefCell::default();
}

/// The call is over, and with it all its queries.
pub fn forget() {
    FILTERS.with_borrow_mut(HashMap::clear);
}

/// Refuses rows of a distributed table that are not this node's, for an INSERT that only this node runs.
///
/// # Safety
/// The state must be an initialised ModifyTable of an INSERT.
pub unsafe fn check(modify: &pg_sys::ModifyTableState, hash: Rc<Hash>, node: i32) {
    // SAFETY: an initialised ModifyTable has a result relation.
    unsafe {
        let type_oid = key_type(modify, &hash);
        stand_before(modify, Keep::Check(hash, type_oid, node));
    }
}

/// # Safety
/// As [`check`].
unsafe fn key_type(modify: &pg_sys::ModifyTableState, hash: &Hash) -> pg_sys::Oid {
    // SAFETY: by the caller's promise.
    unsafe {
        let descriptor = (*(*modify.resultRelInfo).ri_RelationDesc).rd_att;
        let columns = (*descriptor).attrs.as_slice((*descriptor).natts as usize);
        columns[hash.attribute as usize - 1].atttypid
    }
}

/// # Safety
/// As [`check`].
unsafe fn stand_before(modify: &pg_sys::ModifyTableState, keep: Keep) {
    // SAFETY: an initialised ModifyTable has a subplan.
    unsafe {
        let rows = modify.ps.lefttree;
        let filter = Filter {
            original: (*rows).ExecProcNodeReal,
            keep,
        };
        FILTERS.with_borrow_mut(|filters| filters.insert(rows as usize, filter));
        pg_sys::ExecSetExecProcNode(rows, Some(next_own_row));
    }
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
                let type_oid = key_type(modify, &hash);
                Keep::Own(hash, type_oid)
            }
        };
        stand_before(modify, keep);
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

/// Raises: nobody would look for the row here.
fn refuse_elsewhere() -> ! {
    PostgresError::unsupported(
        "a function or trigger inserts a row of a distributed table that belongs to another node",
        "Insert it by a statement of its own, or make the function a distributed procedure (create_distributed_procedure).",
    )
    .rethrow()
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
    let (hash, type_oid, only) = match keep {
        None => return true,
        Some(Keep::Nothing) => return false,
        Some(Keep::Own(hash, type_oid)) => (hash, type_oid, None),
        Some(Keep::Check(hash, type_oid, node)) => (hash, type_oid, Some(node)),
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
            Partition::Nowhere | Partition::Unknown if only.is_none() => return true,
            Partition::Nowhere | Partition::Unknown => i32::MIN,
        }
    };
    drop(hash);
    if let Some(node) = only {
        return target == node || refuse_elsewhere();
    }
    if target == participants::own_node() {
        return true;
    }
    participants::require([target]);
    false
}
