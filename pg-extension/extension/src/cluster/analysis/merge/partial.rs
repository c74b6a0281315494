//! Workers aggregate per group; the partial results are aggregated again.

use super::super::tree::{self, NodePtr};
use super::aggregate;
use super::build::{self, Division, WorkerColumns};
use pgrx::pg_sys;

/// `None` when some aggregate has no partial form, or when there are steps other than grouping.
///
/// `is_key` tells whether an expression is the distribution column.
pub fn divide(
    query: &'static pg_sys::Query,
    is_key: &mut dyn FnMut(NodePtr) -> bool,
) -> Option<Division> {
    let grouped = query.hasAggs || !query.groupClause.is_null();
    if !grouped || query.hasWindowFuncs || query.hasTargetSRFs || !query.groupingSets.is_null() {
        return None;
    }
    let mut plan = Plan {
        columns: WorkerColumns::default(),
        groups: Vec::new(),
        dependents: Vec::new(),
        is_key,
        failed: false,
    };
    for clause in tree::list::<pg_sys::SortGroupClause>(query.groupClause) {
        let expression: NodePtr = tree::target_of(query, clause)?.expr.cast();
        let column = plan.columns.add(expression, clause.tleSortGroupRef);
        plan.groups.push((expression, column));
    }
    let combine = build::copy(query);
    combine.targetList = build::map_targets(query, &mut |expression| plan.replace(expression));
    combine.havingQual = plan.replace(query.havingQual);
    plan.group_by_dependents(combine)?;
    build::sort_values(combine, query);
    if plan.failed || plan.columns.len() == 0 {
        return None;
    }
    let worker = build::copy(query);
    build::strip_after_groups(worker);
    // Windows that no function uses.
    worker.windowClause = std::ptr::null_mut();
    combine.windowClause = std::ptr::null_mut();
    Some(Division {
        order: Vec::new(),
        columns: plan.columns,
        worker,
        combine,
        pulls_rows: false,
        finish: None,
    })
}

struct Plan<'k> {
    columns: WorkerColumns,
    /// Grouping expressions and the columns they are.
    groups: Vec<(NodePtr, usize)>,
    /// Columns that a primary key among the groups determines.
    dependents: Vec<usize>,
    is_key: &'k mut dyn FnMut(NodePtr) -> bool,
    failed: bool,
}

impl Plan<'_> {
    /// The expression over the workers' columns.
    fn replace(&mut self, expression: NodePtr) -> NodePtr {
        if expression.is_null() {
            return expression;
        }
        tree::replace(expression, &mut |node| self.replacement(node))
    }

    fn replacement(&mut self, node: NodePtr) -> Option<NodePtr> {
        if let Some((_, column)) = self
            .groups
            .iter()
            .find(|(group, _)| tree::equal(*group, node))
        {
            return Some(self.columns.read(*column));
        }
        if let Some(call) = tree::cast::<pg_sys::Aggref, _>(node) {
            let combined = aggregate::combine(call, &mut self.columns, self.is_key);
            self.failed |= combined.is_none();
            return Some(combined.unwrap_or(node));
        }
        if tree::cast::<pg_sys::SubLink, _>(node).is_some()
            || tree::cast::<pg_sys::GroupingFunc, _>(node).is_some()
        {
            self.failed = true;
            return Some(node);
        }
        if tree::cast::<pg_sys::Var, _>(node).is_some() {
            let column = self.columns.add(node, 0);
            if !self.dependents.contains(&column) {
                self.dependents.push(column);
            }
            return Some(self.columns.read(column));
        }
        None
    }

    /// The combine query cannot know that the groups determine them, so it groups by them too.
    fn group_by_dependents(&self, combine: &mut pg_sys::Query) -> Option<()> {
        for column in &self.dependents {
            let entries = tree::list::<pg_sys::TargetEntry>(combine.targetList);
            let (count, reference) = entries.fold((0, 0), |(count, top), entry| {
                (count + 1, entry.ressortgroupref.max(top))
            });
            let expression = self.columns.read(*column);
            let clause = build::grouping_clause(tree::type_of(expression), reference + 1)?;
            let entry = build::target(expression, count + 1);
            // SAFETY: fresh nodes, appended to lists of their kinds.
            unsafe {
                (*entry).ressortgroupref = reference + 1;
                (*entry).resjunk = true;
                combine.targetList = pg_sys::lappend(combine.targetList, entry.cast());
                combine.groupClause =
                    pg_sys::lappend(combine.groupClause, std::ptr::from_mut(clause).cast());
            }
        }
        Some(())
    }
}
