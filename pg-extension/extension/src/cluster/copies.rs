//! Changes of reference tables, one after the other where the order shows. Each node finds the rows of a change in its own copy, and nodes run it one
//! after the other. A transaction that commits between two of them could be seen by the second alone, and the copies would differ for good. So a change
//! takes a lock on its node, before its snapshot, that it keeps to the end of its transaction; the first node's comes first, and decides the order.
//!
//! | change | lock | goes together with |
//! |---|---|---|
//! | INSERT, COPY | ROW EXCLUSIVE | the same |
//! | UPDATE, DELETE of the one row of a unique key, which keeps its keys | SHARE | the same: who comes second at the row waits on each node |
//! | others | SHARE ROW EXCLUSIVE | nothing |
//!
//! It is a lock of its own, on the table as an object, as PostgreSQL's lock of the table is taken when a statement is prepared, on all nodes at once.

use super::analysis::relation;
use super::analysis::tree::{self, NodePtr};
use super::procedure::placements::{self, Home};
use crate::hooks::executor::Start;
use crate::hooks::utility::Command;
use crate::opened::Opened;
use crate::operation::unique;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};

const BTREE_EQUAL: i32 = pg_sys::BTEqualStrategyNumber as i32;

/// Whether a query may change rows.
pub fn concerns(query: &pg_sys::QueryDesc) -> bool {
    // SAFETY: a query has a plan.
    let changes_inside = || unsafe { (*query.plannedstmt).hasModifyingCTE };
    query.operation != CmdType::CMD_SELECT || changes_inside()
}

/// Takes the locks of a query that starts, and its snapshot behind them.
pub fn lock(start: &Start) {
    if placements::own_node_of_several().is_none() {
        return;
    }
    let mut waited_for = false;
    // SAFETY: a query has a plan, whose range table has the relations that it changes.
    unsafe {
        let statement = &*start.query().plannedstmt;
        for plan in
            std::iter::once(statement.planTree.cast()).chain(tree::nodes(statement.subplans))
        {
            if tree::tag(plan) == Some(NodeTag::T_ModifyTable) {
                let change = &*plan.cast::<pg_sys::ModifyTable>();
                for n in 0..pg_sys::list_length(change.resultRelations) {
                    let range = pg_sys::list_nth_int(change.resultRelations, n);
                    let relation = (*tree::nodes(statement.rtable)
                        .nth(range as usize - 1)
                        .expect("a range of the plan")
                        .cast::<pg_sys::RangeTblEntry>())
                    .relid;
                    if matches!(placements::home(relation), Home::Everywhere) {
                        take(relation, mode(change, relation, range));
                        waited_for = true;
                    }
                }
            }
        }
    }
    // SAFETY: plain read of a backend variable: at higher levels the transaction has one snapshot, and finds by it what has changed since.
    let each_has_its_own = unsafe { pg_sys::XactIsoLevel } <= pg_sys::XACT_READ_COMMITTED as i32;
    if waited_for && each_has_its_own && start.has_own_snapshot() {
        start.renew_snapshot();
    }
}

/// Takes the lock of COPY into a table; nothing for other commands.
pub fn lock_load(command: &Command) {
    let Some(named) = command.loaded_table() else {
        return;
    };
    let table = tree::cast::<pg_sys::RangeVar, _>(named).and_then(relation::existing);
    if let Some(table) = table.filter(|_| placements::own_node_of_several().is_some())
        && matches!(placements::home(table), Home::Everywhere)
    {
        take(table, pg_sys::RowExclusiveLock);
    }
}

fn take(relation: Oid, mode: u32) {
    // SAFETY: a lock to the end of the transaction; an error while waiting has nothing to clean up.
    unsafe { pg_sys::LockDatabaseObject(pg_sys::RelationRelationId, relation, 0, mode as i32) };
}

/// # Safety
/// A ModifyTable that changes the relation as that entry of the range table.
unsafe fn mode(change: &pg_sys::ModifyTable, relation: Oid, range: i32) -> u32 {
    // SAFETY: by the caller.
    unsafe {
        match change.operation {
            CmdType::CMD_INSERT => pg_sys::RowExclusiveLock,
            CmdType::CMD_UPDATE | CmdType::CMD_DELETE if names_one_row(change, relation, range) => {
                pg_sys::ShareLock
            }
            _ => pg_sys::ShareRowExclusiveLock,
        }
    }
}

/// Whether the change is of the row of a unique key, whatever the rows contain, and assigns no column of such keys.
///
/// # Safety
/// As above.
unsafe fn names_one_row(change: &pg_sys::ModifyTable, relation: Oid, range: i32) -> bool {
    let Some(table) = Opened::open(relation, pg_sys::AccessShareLock) else {
        return false;
    };
    // SAFETY: by the caller.
    let (comparisons, assigned) = unsafe { (comparisons(change, range), assigned(change)) };
    let keys = unique::keys(&table);
    let keeps = keys
        .iter()
        .all(|key| !assigned.iter().any(|column| key.has(*column)));
    keeps
        && keys.iter().any(|key| {
            key.is_named(|attribute, family, collation| {
                comparisons.iter().any(|one| {
                    one.attribute == attribute
                        && one.collation == collation
                        // SAFETY: a catalogue look-up.
                        && unsafe { pg_sys::get_op_opfamily_strategy(one.operator, family) }
                            == BTREE_EQUAL
                })
            })
        })
}

/// `column <operator> value`
struct Comparison {
    attribute: i16,
    operator: Oid,
    collation: Oid,
}

/// The conditions of the scan that finds the rows, where nothing else is read, by values that are the same for all rows.
///
/// # Safety
/// As above.
unsafe fn comparisons(change: &pg_sys::ModifyTable, range: i32) -> Vec<Comparison> {
    let mut plan = change.plan.lefttree;
    // SAFETY: plans of the tree; the tag says which structure one is.
    unsafe {
        while tree::tag(plan) == Some(NodeTag::T_Result) && !(*plan).lefttree.is_null() {
            plan = (*plan).lefttree;
        }
        let of_index = match tree::tag(plan) {
            Some(NodeTag::T_SeqScan) => std::ptr::null_mut(),
            Some(NodeTag::T_IndexScan) => (*plan.cast::<pg_sys::IndexScan>()).indexqualorig,
            Some(NodeTag::T_BitmapHeapScan) => {
                (*plan.cast::<pg_sys::BitmapHeapScan>()).bitmapqualorig
            }
            _ => return Vec::new(),
        };
        if (*plan.cast::<pg_sys::Scan>()).scanrelid as i32 != range {
            return Vec::new();
        }
        tree::nodes(of_index)
            .chain(tree::nodes((*plan).qual))
            .filter_map(|condition| comparison(condition, range))
            .collect()
    }
}

fn comparison(condition: NodePtr, range: i32) -> Option<Comparison> {
    let operation = tree::cast::<pg_sys::OpExpr, _>(condition)?;
    let sides: Vec<NodePtr> = tree::nodes(operation.args).collect();
    let &[left, right] = sides.as_slice() else {
        return None;
    };
    let column = |side: NodePtr| {
        let stripped = match tree::cast::<pg_sys::RelabelType, _>(side) {
            Some(relabel) => relabel.arg.cast(),
            None => side,
        };
        tree::cast::<pg_sys::Var, _>(stripped).filter(|var| var.varno == range)
    };
    let (var, value, operator) = match (column(left), column(right)) {
        (Some(var), None) => (var, right, operation.opno),
        // SAFETY: a catalogue look-up.
        (None, Some(var)) => (var, left, unsafe { pg_sys::get_commutator(operation.opno) }),
        _ => return None,
    };
    is_given(value).then_some(Comparison {
        attribute: var.varattno,
        operator,
        collation: operation.inputcollid,
    })
}

/// Whether a value is of the statement, and reads no row.
fn is_given(value: NodePtr) -> bool {
    !tree::any(value, &mut |node| {
        let of_rows = tree::cast::<pg_sys::Var, _>(node).is_some()
            || matches!(
                tree::tag(node),
                Some(NodeTag::T_SubPlan | NodeTag::T_AlternativeSubPlan)
            );
        let of_plan = tree::cast::<pg_sys::Param, _>(node)
            .is_some_and(|value| value.paramkind != pg_sys::ParamKind::PARAM_EXTERN);
        of_rows || of_plan
    })
}

/// The columns that an UPDATE assigns.
///
/// # Safety
/// As above.
unsafe fn assigned(change: &pg_sys::ModifyTable) -> Vec<i16> {
    // SAFETY: a list of lists of numbers.
    unsafe {
        tree::nodes(change.updateColnosLists)
            .map(|columns| columns.cast::<pg_sys::List>())
            .flat_map(|columns| {
                (0..pg_sys::list_length(columns))
                    .map(move |n| pg_sys::list_nth_int(columns, n) as i16)
            })
            .collect()
    }
}
