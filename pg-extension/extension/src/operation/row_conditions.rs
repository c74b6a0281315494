//! Which rows of a table a statement can read, as far as its conditions on single columns tell.
//!
//! What a statement reads of what its transaction has operated on is held before ([`super::ahead`]). A statement about other rows (`WHERE
//! id = 2`) need not hold it. A condition counts if it compares a column of a built-in type with constants or parameters, by an operator of
//! a B-tree: such a comparison fails for no value, and has no effects. All this is a hint. What is read though it says otherwise is held when
//! it is met.

use super::evaluate::evaluate;
use super::row::Table;
use super::tree::{self, Any, Tree};
use crate::{backend, compat};
use pgrx::pg_sys::{self, NodeTag, ParamListInfo, RTEKind};

/// The conditions of a statement that starts.
pub struct Conditions {
    statement: Tree<pg_sys::PlannedStmt>,
    parameters: ParamListInfo,
    /// Every scan of a relation that is known.
    scans: Vec<Scan>,
}

/// A scan of a relation of the range table.
struct Scan {
    number: u32,
    /// Those that count; each must be true of a row.
    conditions: Vec<Any>,
}

impl Conditions {
    /// Those of a plan that runs with these parameters.
    pub fn of(statement: Tree<pg_sys::PlannedStmt>, parameters: ParamListInfo) -> Self {
        let mut scans = Vec::new();
        let mut plans: Vec<_> = tree::each(statement.subplans).collect();
        plans.push(statement.planTree);
        while let Some(plan) = plans.pop() {
            let Some(plan) = Tree::<pg_sys::Plan>::new(plan) else {
                continue;
            };
            push_children(plan, &mut plans);
            scans.extend(Scan::of(plan));
        }
        Conditions {
            statement,
            parameters,
            scans,
        }
    }

    /// Whether the statement may read the row that was fetched last.
    pub fn may_read(&self, table: &Table) -> bool {
        // SAFETY: an open relation.
        let relation = unsafe { (*table.relation()).rd_id };
        let entries = tree::each::<pg_sys::RangeTblEntry>(self.statement.rtable);
        entries.zip(1..).any(|(entry, number)| {
            // SAFETY: a plan's range table.
            let is_read =
                unsafe { (*entry).rtekind == RTEKind::RTE_RELATION && (*entry).relid == relation };
            is_read && self.may_scan(number, table)
        })
    }

    /// Where no scan is known, another kind of node may read it.
    fn may_scan(&self, number: u32, table: &Table) -> bool {
        let of_it = |scan: &&Scan| scan.number == number;
        let mut scans = self.scans.iter().filter(of_it).peekable();
        scans.peek().is_none() || scans.any(|scan| scan.may_give(table, self.parameters))
    }
}

impl Scan {
    fn of(plan: Tree<pg_sys::Plan>) -> Option<Scan> {
        let node = plan.any();
        let index = node.cast::<pg_sys::IndexScan>();
        let bitmap = node.cast::<pg_sys::BitmapHeapScan>();
        let by_index = index
            .map(|scan| scan.indexqualorig)
            .or(bitmap.map(|scan| scan.bitmapqualorig));
        let is_scan = by_index.is_some() || OTHER_SCANS.contains(&plan.type_);
        let scan = Tree::<pg_sys::Scan>::new(plan.pointer())?;
        let number = if is_scan { scan.scanrelid } else { 0 };
        let all = [plan.qual, by_index.unwrap_or(std::ptr::null_mut())];
        let counts = |condition: &Any| counts(*condition, number);
        (number > 0).then(|| Scan {
            number,
            conditions: all
                .into_iter()
                .flat_map(tree::items)
                .filter(counts)
                .collect(),
        })
    }

    /// Whether the row at hand may be among its rows.
    fn may_give(&self, table: &Table, parameters: ParamListInfo) -> bool {
        let is_met = |condition: &Any| {
            // SAFETY: the condition reads the columns of this table, and parameters.
            let value = unsafe { evaluate(condition.pointer(), parameters, table.row_at_hand()) };
            value.is_some_and(|value| value.value() & 0xFF != 0)
        };
        backend::in_scratch(|| self.conditions.iter().all(is_met))
    }
}

/// Those whose conditions are all in one place.
const OTHER_SCANS: [NodeTag; 6] = [
    NodeTag::T_SeqScan,
    NodeTag::T_SampleScan,
    NodeTag::T_IndexOnlyScan,
    NodeTag::T_TidScan,
    NodeTag::T_TidRangeScan,
    NodeTag::T_CustomScan,
];

/// Whether a condition on this relation can be asked ahead.
fn counts(condition: Any, relation: u32) -> bool {
    let operator = condition
        .cast::<pg_sys::OpExpr>()
        .map(|one| one.opno)
        .or_else(|| Some(condition.cast::<pg_sys::ScalarArrayOpExpr>()?.opno));
    let compares = operator.is_some_and(compat::is_comparison);
    let no_operand = &mut |node: Any, _| {
        node.pointer::<pg_sys::Node>() != condition.pointer() && !is_operand(node, relation)
    };
    compares && !tree::any_node(condition.pointer(), no_operand)
}

fn is_operand(node: Any, relation: u32) -> bool {
    if let Some(column) = node.cast::<pg_sys::Var>() {
        return column.varno as u32 == relation
            && column.varattno > 0
            && column.vartype.to_u32() < pg_sys::FirstNormalObjectId;
    }
    if let Some(parameter) = node.cast::<pg_sys::Param>() {
        return parameter.paramkind == pg_sys::ParamKind::PARAM_EXTERN;
    }
    [
        NodeTag::T_Const,
        NodeTag::T_RelabelType,
        NodeTag::T_ArrayExpr,
        NodeTag::T_List,
    ]
    .contains(&node.type_)
}

/// What may have scans below a node.
fn push_children(plan: Tree<pg_sys::Plan>, plans: &mut Vec<*mut pg_sys::Plan>) {
    plans.extend([plan.lefttree, plan.righttree]);
    let node = plan.any();
    if let Some(append) = node.cast::<pg_sys::Append>() {
        plans.extend(tree::each(append.appendplans));
    } else if let Some(append) = node.cast::<pg_sys::MergeAppend>() {
        plans.extend(tree::each(append.mergeplans));
    } else if let Some(scan) = node.cast::<pg_sys::SubqueryScan>() {
        plans.push(scan.subplan);
    } else if let Some(scan) = node.cast::<pg_sys::CustomScan>() {
        plans.extend(tree::each(scan.custom_plans));
    }
}
