//! The tables of whose rows a statement needs the locks, and the columns for which it would not need them.

use super::{assignment, condition};
use crate::cluster::analysis::tree::{self, NodePtr};
use pgrx::pg_sys::{self, CmdType, RTEKind};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// Identifier of a table.
type Table = u32;

/// How often a statement reads each column of each table; number 0 stands for all columns.
type Reads = BTreeMap<(Table, i16), usize>;

/// What a statement does with columns, by their numbers; `None` if it must lock the row whatever their types are.
type Operations = Option<BTreeMap<i16, Use>>;

/// What a statement does with one column.
#[derive(Clone, Copy)]
struct Use {
    name: &'static str,
    /// How often the statement reads the column for that.
    reads: usize,
}

/// An object for each table that the statement changes or locks: `relation`; `operations`, from the number of a column to what the statement does with
/// it, or null; `reads`, the columns that it reads beside that.
pub fn uses(query: &'static pg_sys::Query) -> Vec<Json> {
    let mut reads = Reads::new();
    count_reads(as_node(query), &mut Vec::new(), &mut reads);
    let mut found: BTreeMap<Table, Operations> = BTreeMap::new();
    tree::walk(as_node(query), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            for relation in locked(level) {
                let operations = lone_update(level).filter(|_| std::ptr::eq(level, query));
                found
                    .entry(relation)
                    .and_modify(|of_two| *of_two = None)
                    .or_insert(operations);
            }
        }
        true
    });
    found
        .into_iter()
        .map(|(relation, operations)| described(relation, operations.as_ref(), &reads))
        .collect()
}

fn as_node(query: &pg_sys::Query) -> NodePtr {
    std::ptr::from_ref(query).cast_mut().cast()
}

fn described(relation: Table, operations: Option<&BTreeMap<i16, Use>>, reads: &Reads) -> Json {
    let own = |column| {
        let own = operations.and_then(|operations| operations.get(column));
        own.map_or(0, |own| own.reads)
    };
    let reads: Vec<i16> = reads
        .iter()
        .filter(|((of, column), count)| *of == relation && **count > own(column))
        .map(|((_, column), _)| *column)
        .collect();
    let operations = operations.map(|operations| {
        operations
            .iter()
            .map(|(column, operation)| (column.to_string(), json!(operation.name)))
            .collect::<Map<_, _>>()
    });
    json!({ "relation": relation, "operations": operations, "reads": reads })
}

/// The tables of which one level of the statement changes or locks rows that are there already.
fn locked(level: &pg_sys::Query) -> Vec<Table> {
    let changes = match level.commandType {
        CmdType::CMD_UPDATE | CmdType::CMD_DELETE | CmdType::CMD_MERGE => true,
        CmdType::CMD_INSERT => !level.onConflict.is_null(),
        _ => false,
    };
    let ranges: Vec<&pg_sys::RangeTblEntry> = tree::list(level.rtable).collect();
    let marked = tree::list::<pg_sys::RowMarkClause>(level.rowMarks).map(|mark| mark.rti as usize);
    marked
        .chain(changes.then_some(level.resultRelation as usize))
        .filter_map(|number| ranges.get(number.checked_sub(1)?))
        .filter(|range| range.rtekind == RTEKind::RTE_RELATION)
        .map(|range| range.relid.to_u32())
        .collect()
}

/// What an UPDATE of one table does, if it assigns nothing but the results of operations. With rows of other queries beside it, or as a part of another
/// statement, it takes PostgreSQL's ordinary path, which locks the row.
fn lone_update(query: &pg_sys::Query) -> Operations {
    // SAFETY: an UPDATE has a join tree.
    let sources = unsafe { tree::nodes((*query.jointree).fromlist) }.len();
    if query.commandType != CmdType::CMD_UPDATE || sources != 1 || !query.cteList.is_null() {
        return None;
    }
    let taken = condition::taken(query);
    tree::assignments(query)
        .into_iter()
        .map(|entry| Some((entry.resno, operation(query, entry, taken)?)))
        .collect()
}

fn operation(
    query: &pg_sys::Query,
    entry: &pg_sys::TargetEntry,
    taken: Option<(i16, usize)>,
) -> Option<Use> {
    let name = assignment::operation(query.resultRelation, entry.resno, entry.expr.cast())?;
    Some(match taken {
        Some((column, conditions)) if column == entry.resno => Use {
            name: "take",
            reads: 1 + conditions,
        },
        _ => Use { name, reads: 1 },
    })
}

/// Visits a tree with the queries that it lies in, the innermost last.
fn count_reads(node: NodePtr, around: &mut Vec<&'static pg_sys::Query>, reads: &mut Reads) {
    if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        around.push(query);
        tree::query_children_but_join_columns(query, &mut |child| {
            count_reads(child, around, reads);
        });
        around.pop();
    } else if let Some(variable) = tree::cast::<pg_sys::Var, _>(node) {
        count_read(variable, around, reads);
    } else {
        tree::children(node, &mut |child| count_reads(child, around, reads));
    }
}

fn count_read(variable: &pg_sys::Var, around: &mut Vec<&'static pg_sys::Query>, reads: &mut Reads) {
    let up = variable.varlevelsup as usize;
    let range = (around.iter().rev().nth(up))
        .and_then(|query| tree::list(query.rtable).nth(variable.varno as usize - 1));
    let Some(range): Option<&pg_sys::RangeTblEntry> = range else {
        return;
    };
    if range.rtekind == RTEKind::RTE_RELATION {
        *reads
            .entry((range.relid.to_u32(), variable.varattno))
            .or_default() += 1;
    } else if range.rtekind == RTEKind::RTE_JOIN && variable.varattno > 0 {
        // A column of a join is one of its sides', at the join's own level.
        let behind = tree::nodes(range.joinaliasvars).nth(variable.varattno as usize - 1);
        let inner = around.split_off(around.len() - up);
        count_reads(behind.unwrap_or(std::ptr::null_mut()), around, reads);
        around.extend(inner);
    }
}
