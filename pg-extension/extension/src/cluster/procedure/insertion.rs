//! INSERT inside a distributed procedure: each participant computes all rows, and keeps those that are its own.

use super::key::{self, Partition};
use super::participants;
use super::placements::{Hash, Home};
use crate::boundary::PostgresError;
use crate::hooks::rows::{self, Keep};
use pgrx::pg_sys;
use std::rc::Rc;

/// Lets only this node's rows reach the table.
///
/// # Safety
/// The state must be an initialised ModifyTable of an INSERT.
pub unsafe fn install(modify: &pg_sys::ModifyTableState, home: Home) {
    // SAFETY: an initialised ModifyTable has a subplan and a result relation.
    unsafe {
        let relation = (*modify.resultRelInfo).ri_RelationDesc;
        let keep: Keep = match home {
            Home::Here => return,
            Home::Everywhere => refuse((*relation).rd_id),
            Home::Node(node) if node == participants::own_node() => return,
            Home::Node(node) => {
                participants::require([node]);
                Rc::new(|_| false)
            }
            Home::Hash(hash) => {
                let type_oid = key_type(modify, &hash);
                Rc::new(move |slot| is_own(&hash, type_oid, slot))
            }
        };
        rows::filter(modify.ps.lefttree, keep);
    }
}

/// Refuses rows of a distributed table that are not this node's, for an INSERT that only this node runs.
///
/// # Safety
/// As [`install`].
pub unsafe fn check(modify: &pg_sys::ModifyTableState, hash: Rc<Hash>, node: i32) {
    // SAFETY: an initialised ModifyTable has a subplan.
    unsafe {
        let type_oid = key_type(modify, &hash);
        let keep: Keep =
            Rc::new(move |slot| node_of(&hash, type_oid, slot) == Some(node) || refuse_elsewhere());
        rows::filter(modify.ps.lefttree, keep);
    }
}

/// # Safety
/// As [`install`].
unsafe fn key_type(modify: &pg_sys::ModifyTableState, hash: &Hash) -> pg_sys::Oid {
    // SAFETY: an initialised ModifyTable has a result relation.
    let columns =
        unsafe { crate::opened::columns_of((*(*modify.resultRelInfo).ri_RelationDesc).rd_att) };
    columns[hash.attribute as usize - 1].atttypid
}

/// Raises: nobody would look for the row here.
fn refuse_elsewhere() -> ! {
    PostgresError::unsupported(
        "a function or trigger inserts a row of a distributed table that belongs to another node",
        "Insert it by a statement of its own, or make the function a distributed procedure (create_distributed_procedure).",
    )
    .raise()
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
    error.raise()
}

/// Raises, at all participants alike: such a row would have no node.
fn refuse_null() -> ! {
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_NOT_NULL_VIOLATION as i32,
        "null value in the distribution column of a row that a distributed procedure inserts",
        "The distribution column decides which node holds the row.",
        None,
    );
    error.raise()
}

/// Whether the row in the slot is this node's.
fn is_own(hash: &Hash, type_oid: pg_sys::Oid, slot: *mut pg_sys::TupleTableSlot) -> bool {
    match node_of(hash, type_oid, slot) {
        Some(node) if node != participants::own_node() => {
            participants::require([node]);
            false
        }
        _ => true,
    }
}

/// The node of the row in the slot; `None` for a key that no node has.
fn node_of(hash: &Hash, type_oid: pg_sys::Oid, slot: *mut pg_sys::TupleTableSlot) -> Option<i32> {
    // SAFETY: the row has as many columns as the table; values that the slot gives are of the column's type.
    unsafe {
        let attribute = i32::from(hash.attribute);
        if i32::from((*slot).tts_nvalid) < attribute {
            pg_sys::slot_getsomeattrs_int(slot, attribute);
        }
        let index = hash.attribute as usize - 1;
        if *(*slot).tts_isnull.add(index) {
            refuse_null();
        }
        let value = *(*slot).tts_values.add(index);
        match key::partition(hash.kind, hash.nodes.len(), type_oid, value) {
            Partition::At(partition) => Some(hash.nodes[partition]),
            Partition::Nowhere | Partition::Unknown => None,
        }
    }
}
