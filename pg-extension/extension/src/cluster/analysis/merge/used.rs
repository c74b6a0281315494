//! Which columns of its relations a query level, with all levels below it, uses.

use super::super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, RTEKind};
use std::collections::BTreeSet;

/// Columns by range table index and number; number 0 stands for the whole row.
pub struct Used(BTreeSet<(i32, i16)>);

impl Used {
    /// What uses columns of the level's ranges.
    pub fn by(level: &pg_sys::Query) -> Used {
        let mut found = BTreeSet::new();
        collect_query(level, 0, &mut found);
        let ranges: Vec<_> = tree::list::<pg_sys::RangeTblEntry>(level.rtable).collect();
        let mut waiting: Vec<(i32, i16)> = found.iter().copied().collect();
        while let Some((index, number)) = waiting.pop() {
            let Some(join) = ranges.get(index as usize - 1) else {
                continue;
            };
            if join.rtekind != RTEKind::RTE_JOIN {
                continue;
            }
            let mut behind = BTreeSet::new();
            for (at, alias) in tree::nodes(join.joinaliasvars).enumerate() {
                if number == 0 || at as i16 + 1 == number {
                    collect(alias, 0, &mut behind);
                }
            }
            waiting.extend(behind.into_iter().filter(|column| found.insert(*column)));
        }
        Used(found)
    }

    /// Whether a column is used, by itself or as a part of its row.
    pub fn has(&self, range: i32, column: i16) -> bool {
        self.0.contains(&(range, column)) || self.0.contains(&(range, 0))
    }

    /// Whether a system column of the range is used.
    pub fn has_system_columns(&self, range: i32) -> bool {
        self.0
            .iter()
            .any(|(index, column)| *index == range && *column < 0)
    }
}

/// The relations in FROM, by range table index.
pub fn relations(level: &pg_sys::Query) -> Vec<i32> {
    let mut found = BTreeSet::new();
    tree::walk(level.jointree.cast(), &mut |node| {
        if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
            found.insert(range.rtindex);
        }
        tree::cast::<pg_sys::Query, _>(node).is_none()
    });
    let ranges: Vec<_> = tree::list::<pg_sys::RangeTblEntry>(level.rtable).collect();
    found
        .into_iter()
        .filter(|index| {
            ranges
                .get(*index as usize - 1)
                .is_some_and(|entry| entry.rtekind == RTEKind::RTE_RELATION)
        })
        .collect()
}

/// How many mentions of relations a query has, at any depth, beside those that it changes.
pub fn mentions(query: &pg_sys::Query) -> usize {
    let mut count = 0;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            let read = relations(level).into_iter();
            count += read.filter(|index| *index != level.resultRelation).count();
        }
        true
    });
    count
}

fn collect(node: NodePtr, depth: u32, found: &mut BTreeSet<(i32, i16)>) {
    if let Some(var) = tree::cast::<pg_sys::Var, _>(node) {
        if var.varlevelsup == depth {
            found.insert((var.varno, var.varattno));
        }
    } else if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        collect_query(query, depth + 1, found);
    } else {
        tree::children(node, &mut |child| collect(child, depth, found));
    }
}

/// The columns of joins are looked at where they are used only.
fn collect_query(query: &pg_sys::Query, depth: u32, found: &mut BTreeSet<(i32, i16)>) {
    tree::query_children_but_join_columns(query, &mut |child| collect(child, depth, found));
}
