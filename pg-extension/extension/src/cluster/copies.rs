//! Changes of reference tables, one after the other where the order shows. Each node finds the rows of a change in its own copy, and nodes run it one
//! after the other. A transaction that commits between two of them could be seen by the second alone, and the copies would differ for good. So a change
//! takes a lock on its node, before its snapshot, that it keeps to the end of its transaction; the first node's comes first, and decides the order.
//!
//! | change | lock | goes together with |
//! |---|---|---|
//! | INSERT, COPY; with ON CONFLICT DO UPDATE if that assigns no column of an index | ROW EXCLUSIVE | the same |
//! | UPDATE, DELETE by a unique key and no other condition, which changes no unique key, of a table without a foreign key to itself that cascades | SHARE | the same: who comes second at the row waits on each node |
//! | others | SHARE ROW EXCLUSIVE | nothing |
//!
//! It is a lock of its own, on the table as an object, as PostgreSQL's lock of the table is taken when a statement is prepared, on all nodes at once.

use super::analysis::relation;
use super::analysis::tree::{self, NodePtr};
use super::procedure::placements::{self, Home};
use crate::boundary::functions;
use crate::compat;
use crate::hooks::executor::Start;
use crate::hooks::is_nested;
use crate::hooks::utility::Command;
use crate::opened::Opened;
use crate::operation::{self, unique};
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
    // SAFETY: plain read of a backend variable. PostgreSQL refuses such a query.
    let refused = unsafe { pg_sys::XactReadOnly };
    // SAFETY: a query has a plan.
    let own = is_nested() && unsafe { changes_placements(&*start.query().plannedstmt) };
    if refused || own || placements::own_node_of_several().is_none() {
        return;
    }
    // SAFETY: a query has a plan.
    let changes = unsafe { changes(&*start.query().plannedstmt) };
    if !changes.is_empty() {
        // Who may not change the table shall not keep others waiting.
        // SAFETY: as above.
        unsafe { compat::require_privileges(&*start.query().plannedstmt) };
    }
    for change in &changes {
        take(change.relation, change.mode());
    }
    // SAFETY: plain read of a backend variable: at higher levels the transaction has one snapshot, and finds by it what has changed since.
    let each_has_its_own = unsafe { pg_sys::XactIsoLevel } <= pg_sys::XACT_READ_COMMITTED as i32;
    if !changes.is_empty() && each_has_its_own && start.has_own_snapshot() {
        start.renew_snapshot();
    }
}

/// Whether a statement changes nothing but tables of ours, as the cascade does that drops a table's partitions, one by one: each has the placements
/// that were known forgotten.
///
/// # Safety
/// A valid plan.
unsafe fn changes_placements(statement: &pg_sys::PlannedStmt) -> bool {
    // SAFETY: by the caller; look-ups that may find nothing.
    unsafe {
        let own = pg_sys::get_namespace_oid(c"abelian".as_ptr(), true);
        let count = pg_sys::list_length(statement.resultRelations);
        (0..count)
            .map(|n| pg_sys::list_nth_int(statement.resultRelations, n))
            .filter_map(|range| tree::nodes(statement.rtable).nth(range as usize - 1))
            .all(|entry| {
                let entry = entry.cast::<pg_sys::RangeTblEntry>();
                pg_sys::get_rel_namespace((*entry).relid) == own
            })
    }
}

/// Takes the lock of COPY into a table; nothing for other commands.
pub fn lock_load(command: &Command) {
    let Some(named) = command.loaded_table() else {
        return;
    };
    let table = tree::cast::<pg_sys::RangeVar, _>(named).and_then(relation::existing);
    if let Some(table) = table.filter(|_| placements::own_node_of_several().is_some())
        && has_copies(table)
    {
        take(table, pg_sys::RowExclusiveLock);
    }
}

fn take(relation: Oid, mode: u32) {
    let mut table = relation;
    // Rows move between the partitions of a table, and come by its own name: it is locked as a whole.
    // SAFETY: look-ups of relations that exist; a lock to the end of the transaction.
    unsafe {
        while pg_sys::get_rel_relispartition(table) {
            table = functions::get_partition_parent(table, true);
        }
        pg_sys::LockDatabaseObject(pg_sys::RelationRelationId, table, 0, mode as i32);
    }
}

/// What a plan does to a relation.
struct Change {
    relation: Oid,
    range: i32,
    operation: CmdType::Type,
    /// What finds the rows.
    rows: *mut pg_sys::Plan,
    /// The columns that UPDATE or ON CONFLICT DO UPDATE assigns.
    assigned: Vec<i16>,
    /// Partitions change with it, or an Abelian column's value is tested, which the plan of the rows does not show.
    is_more: bool,
}

fn has_copies(relation: Oid) -> bool {
    matches!(placements::home(relation), Home::Everywhere)
}

/// The changes of reference tables in a statement.
///
/// # Safety
/// A valid plan, which lives as long as what is given.
unsafe fn changes(statement: &pg_sys::PlannedStmt) -> Vec<Change> {
    let mut found = Vec::new();
    // SAFETY: by the caller; tags say what plans are, and numbers of ranges which entries.
    unsafe {
        let relation = |range: i32| {
            let entry = tree::nodes(statement.rtable).nth(range as usize - 1);
            entry.map_or(Oid::INVALID, |entry| {
                (*entry.cast::<pg_sys::RangeTblEntry>()).relid
            })
        };
        for plan in
            std::iter::once(statement.planTree.cast()).chain(tree::nodes(statement.subplans))
        {
            if tree::tag(plan) == Some(NodeTag::T_ModifyTable) {
                let change = &*plan.cast::<pg_sys::ModifyTable>();
                let count = pg_sys::list_length(change.resultRelations);
                let ranges = (0..count)
                    .map(|n| pg_sys::list_nth_int(change.resultRelations, n))
                    .filter(|range| has_copies(relation(*range)));
                found.extend(ranges.map(|range| Change {
                    relation: relation(range),
                    range,
                    operation: change.operation,
                    rows: change.plan.lefttree,
                    assigned: assigned(change),
                    is_more: change.rootRelation != 0 || count > 1,
                }));
            }
        }
        // Operations on Abelian columns have a node of their own in the place of ModifyTable.
        if tree::tag(statement.planTree) == Some(NodeTag::T_CustomScan)
            && statement.commandType == CmdType::CMD_UPDATE
        {
            let scan = &*statement.planTree.cast::<pg_sys::CustomScan>();
            let range = scan.scan.scanrelid as i32;
            found.extend(has_copies(relation(range)).then(|| {
                Change {
                    relation: relation(range),
                    range,
                    operation: CmdType::CMD_UPDATE,
                    rows: tree::nodes(scan.custom_plans)
                        .next()
                        .map_or(std::ptr::null_mut(), |plan| plan.cast()),
                    assigned: Vec::new(), // no column of a key is of such a type
                    is_more: !operation::is_pure_plan(&*statement.planTree),
                }
            }));
        }
    }
    found
}

impl Change {
    fn mode(&self) -> u32 {
        match self.operation {
            CmdType::CMD_INSERT if !self.changes_keys() => pg_sys::RowExclusiveLock,
            CmdType::CMD_UPDATE | CmdType::CMD_DELETE if self.names_one_row() => pg_sys::ShareLock,
            _ => pg_sys::ShareRowExclusiveLock,
        }
    }

    fn table(&self) -> Option<Opened> {
        Opened::open(self.relation, pg_sys::AccessShareLock)
    }

    /// Whether ON CONFLICT DO UPDATE may change what makes rows unique; ON CONFLICT DO NOTHING locks no row.
    fn changes_keys(&self) -> bool {
        !self.assigned.is_empty()
            && self.table().is_none_or(|table| {
                let mut kinds = compat::IN_INDEXES.iter();
                generates(&table)
                    || kinds.any(|kind| {
                        let indexed = operation::attributes(&table, *kind);
                        self.assigned.iter().any(|column| indexed.contains(column))
                    })
            })
    }

    /// Whether the change is of the row of a unique key, and assigns no column of such keys. With another condition, a node on which the row does not meet
    /// it yet would not wait.
    fn names_one_row(&self) -> bool {
        let Some(table) = self.table().filter(|table| {
            !self.is_more && !generates(table) && !has_cascading_self_reference(table)
        }) else {
            return false;
        };
        // SAFETY: the plan lives as long as the statement.
        let Some(comparisons) = (unsafe { comparisons(self.rows, self.range) }) else {
            return false;
        };
        let keys = unique::keys(&table);
        let keeps = |key: &unique::Key| !self.assigned.iter().any(|column| key.has(*column));
        keys.iter().all(keeps)
            && keys.iter().any(|key| {
                comparisons.iter().all(|one| key.has(one.attribute))
                    && key.is_named(|attribute, family, collation| {
                        comparisons.iter().any(|one| {
                            one.attribute == attribute
                                && one.collation == collation
                                && is_equality(one.operator, family)
                        })
                    })
            })
    }
}

/// Whether a table has stored generated columns, which change with others.
fn generates(table: &Opened) -> bool {
    let constraints = table.constraints();
    constraints.is_some_and(|constraints| constraints.has_generated_stored)
}

/// Whether a foreign key from a table to itself changes further rows when one is changed.
fn has_cascading_self_reference(table: &Opened) -> bool {
    const NON_CASCADING: [u32; 4] = [
        pg_sys::F_RI_FKEY_NOACTION_DEL,
        pg_sys::F_RI_FKEY_NOACTION_UPD,
        pg_sys::F_RI_FKEY_RESTRICT_DEL,
        pg_sys::F_RI_FKEY_RESTRICT_UPD,
    ];
    table.triggers().iter().any(|trigger| {
        // SAFETY: a comparison with known functions.
        let kind = unsafe { pg_sys::RI_FKey_trigger_type(trigger.tgfoid) };
        trigger.tgconstrrelid == table.id()
            && kind == pg_sys::RI_TRIGGER_PK as i32
            && !NON_CASCADING.contains(&trigger.tgfoid.to_u32())
    })
}

fn is_equality(operator: Oid, family: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    unsafe { pg_sys::get_op_opfamily_strategy(operator, family) == BTREE_EQUAL }
}

/// `column <operator> value`
struct Comparison {
    attribute: i16,
    operator: Oid,
    collation: Oid,
}

/// The conditions of the scan that finds the rows, if all of them compare columns with values that are the same for all rows, and nothing else is read;
/// `None` for others.
///
/// # Safety
/// A valid plan, or null.
unsafe fn comparisons(mut plan: *mut pg_sys::Plan, range: i32) -> Option<Vec<Comparison>> {
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
            _ => return None,
        };
        if (*plan.cast::<pg_sys::Scan>()).scanrelid as i32 != range {
            return None;
        }
        tree::nodes(of_index)
            .chain(tree::nodes((*plan).qual))
            .map(|condition| comparison(condition, range))
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

/// The columns that an UPDATE, or ON CONFLICT DO UPDATE, assigns.
///
/// # Safety
/// A valid plan.
unsafe fn assigned(change: &pg_sys::ModifyTable) -> Vec<i16> {
    // SAFETY: lists of numbers.
    unsafe {
        tree::nodes(change.updateColnosLists)
            .map(|columns| columns.cast::<pg_sys::List>())
            .chain([change.onConflictCols])
            .flat_map(|columns| {
                (0..pg_sys::list_length(columns))
                    .map(move |n| pg_sys::list_nth_int(columns, n) as i16)
            })
            .collect()
    }
}
