//! An UPDATE or a DELETE with functions that run over gathered rows (`over_tables.rs`), or that takes a number for each row, in two: a SELECT of the rows that change, which locks them and
//! computes what is assigned, and the change by their primary keys, over these rows as one array parameter for each column after the statement's own.
//! And which statements cannot be divided so, whatever they change.

use super::super::procedure;
use super::below_view::Table;
use super::drawn;
use super::functions;
use super::given_rows::{self, Given};
use super::insert_select::assigns_parts;
use super::merge::build::{self, WorkerColumns};
use super::merge::{filter, parts};
use super::moved_rows::{assigned_one_by_one, assigns_several, returns_own_rows};
use super::operand;
use super::row_keys::{in_array, is_equal, key_vars, lock_of};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::catalog;
use crate::object;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, CmdType, LockClauseStrength, Oid};
use std::collections::BTreeSet;

/// Whether a VOLATILE function may see what the statement has changed so far: as each of its queries sees its own moment, what it gives for one row
/// depends on the rows before.
pub fn see_changes(query: &pg_sys::Query) -> bool {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let named = tree::target(query);
    let changed = family(Table::below(named).map_or(named, |table| table.oid));
    functions::opaque_of(node).into_iter().any(|function| {
        procedure::read_by(function).is_none_or(|reads| {
            let mut tables = reads.tables.into_iter().map(Oid::from);
            reads.volatile
                && (changed
                    .iter()
                    .any(|table| fires_triggers(Oid::from(*table)))
                    || tables.any(|table| !family(table).is_disjoint(&changed)))
        })
    })
}

/// A table and all below it, which hold its rows.
fn family(table: Oid) -> BTreeSet<u32> {
    let below = missing::descendants(table).into_iter();
    below.chain([table]).map(|table| table.to_u32()).collect()
}

/// Whether changes of the table, or of one below it, may fire triggers of users.
pub fn may_fire_triggers(table: Oid) -> bool {
    family(table).into_iter().map(Oid::from).any(fires_triggers)
}

/// Whether triggers of users may change others while the statement runs.
fn fires_triggers(table: Oid) -> bool {
    Opened::open(table, pg_sys::AccessShareLock).is_none_or(|table| {
        let mut triggers = table.triggers().iter();
        triggers.any(catalog::is_trigger_of_user)
    })
}

/// Of a query as analysed; `None` when it is no such change, or cannot be divided.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    let query = assigned_one_by_one(query);
    let is_change = matches!(query.commandType, CmdType::CMD_UPDATE | CmdType::CMD_DELETE);
    let divides = is_change
        && !query.hasModifyingCTE
        && query.resultRelation == 1
        && returns_own_rows(query)
        && !assigns_parts(query)
        && !assigns_several(query)
        && !see_changes(query);
    let table = Opened::open(tree::target(query), pg_sys::NoLock).filter(|_| divides);
    let Some(change) = table.and_then(|table| Change::of(query, &table)) else {
        return Ok(None);
    };
    let arrays = change.columns.arrays();
    let all: Vec<Oid> = parameters.iter().copied().chain(arrays).collect();
    let statement = change.by_keys(parameters.len(), &all)?;
    if !given_rows::has_same_result(query, statement, &all)? {
        return Ok(None);
    }
    Ok(Some(Given {
        source: change.source(),
        statement,
        count: change.columns.len(),
        parameters: all,
    }))
}

struct Change<'q> {
    query: &'q pg_sys::Query,
    /// The primary key of a row, and behind it the values that it gets.
    columns: WorkerColumns,
    keys: Vec<NodePtr>,
    /// As the change itself would lock a row.
    lock: LockClauseStrength::Type,
    /// For columns whose values the SELECT gives, where these stand.
    computed: Vec<(i16, usize)>,
    /// The same for columns of RETURNING, by their numbers.
    returned: Vec<(i16, usize)>,
}

impl Change<'_> {
    /// `None` without a primary key, and where a state of an Abelian type would have to travel.
    fn of<'q>(query: &'q pg_sys::Query, table: &Opened) -> Option<Change<'q>> {
        let mut columns = WorkerColumns::default();
        let keys = key_vars(table, 1);
        for key in &keys {
            columns.push(*key, 0);
        }
        let ours = catalog::find();
        let mut computed = Vec::new();
        for entry in tree::assignments(query) {
            let value: NodePtr = entry.expr.cast();
            if !is_of_row(value) {
                let is_state =
                    |ours: &catalog::Catalog| object::is_object_type(ours, tree::type_of(value));
                if ours.as_ref().is_some_and(is_state) {
                    return None;
                }
                let at = columns.push(operand::without_length(value), 0);
                computed.push((entry.resno, at));
            }
        }
        let mut returned = Vec::new();
        for entry in tree::list::<pg_sys::TargetEntry>(query.returningList) {
            if !functions::opaque_of(entry.expr.cast()).is_empty() {
                let at = columns.push(over_old_row(query, entry.expr.cast())?, 0);
                returned.push((entry.resno, at));
            }
        }
        (!keys.is_empty() && !columns.has_anonymous_rows()).then_some(Change {
            query,
            columns,
            keys,
            lock: lock_of(query, table),
            computed,
            returned,
        })
    }

    /// SELECT of the keys and the values, which locks the rows.
    fn source(&self) -> &'static mut pg_sys::Query {
        let select = build::copy(self.query);
        parts::select_changed(select, Some(self.lock));
        select.targetList = self.columns.targets();
        select
    }

    /// The statement over the rows of the SELECT, by their keys.
    fn by_keys(
        &self,
        first: usize,
        parameters: &[Oid],
    ) -> Result<&'static mut pg_sys::Query, PostgresError> {
        let rows = build::rows(first, parameters)?;
        let read = (0..self.columns.len()).map(|at| self.read(at));
        rows.targetList = tree::make_list(build::targets(read, 1));
        let statement = build::copy(self.query);
        let target = tree::copy(tree::range(statement, 1));
        statement.rtable = tree::make_list([target.cast(), build::range_of(rows, "given").cast()]);
        statement.cteList = std::ptr::null_mut();
        statement.hasRecursive = false;
        statement.hasSubLinks = false;
        let from = parts::from_ranges([2]);
        from.quals = filter::all_of(self.conditions(first, parameters));
        statement.jointree = from;
        self.put(statement.targetList, &self.computed);
        self.put(statement.returningList, &self.returned);
        Ok(statement)
    }

    /// Has columns of a private copy read what the SELECT gives for them.
    fn put(&self, columns: *const pg_sys::List, given: &[(i16, usize)]) {
        for node in tree::nodes(columns) {
            let entry = node.cast::<pg_sys::TargetEntry>();
            // SAFETY: an entry of a private copy.
            let number = unsafe { (*entry).resno };
            if let Some((_, at)) = given.iter().find(|(column, _)| *column == number) {
                // SAFETY: as above.
                unsafe { (*entry).expr = self.field(*at).cast() };
            }
        }
    }

    fn read(&self, at: usize) -> NodePtr {
        self.columns.read(at)
    }

    /// A column of the rows, which are the second range.
    fn field(&self, at: usize) -> NodePtr {
        tree::make_field(2, at as i16 + 1, self.read(at))
    }

    /// That a row is the one of the keys: by all of them together, and by each that nodes know as a condition of their own.
    fn conditions(&self, first: usize, parameters: &[Oid]) -> Vec<NodePtr> {
        let mut conditions = Vec::new();
        for (at, key) in self.keys.iter().enumerate() {
            conditions.push(is_equal(*key, self.field(at)));
            if tree::tag(self.read(at)) == Some(pg_sys::NodeTag::T_Var) {
                conditions.push(in_array(*key, first + at, parameters));
            }
        }
        conditions
    }
}

/// What RETURNING tells of the new row, in terms of the old one; `None` where that may come out otherwise.
fn over_old_row(query: &pg_sys::Query, expression: NodePtr) -> Option<NodePtr> {
    let assigned = tree::assignments(query);
    let value = tree::replace(expression, &mut |node| {
        let column = tree::cast::<pg_sys::Var, _>(node)?;
        let entry = assigned
            .iter()
            .find(|entry| entry.resno == column.varattno)?;
        Some(tree::copy(entry.expr).cast())
    });
    let whole_row = tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| column.varattno <= 0)
    });
    let calls = functions::opaque_of(value);
    // SAFETY: catalogue look-ups, and a valid expression.
    let is_volatile = unsafe {
        calls
            .iter()
            .any(|function| pg_sys::func_volatile(*function) as u8 == pg_sys::PROVOLATILE_VOLATILE)
            || pg_sys::contain_volatile_functions(value)
    };
    (!whole_row && !is_volatile).then_some(value)
}

/// Whether the node of the row can compute a value by itself: it reads nothing but the row, and takes no number; functions that read tables are not in it.
fn is_of_row(value: NodePtr) -> bool {
    let reads_others = tree::any(value, &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
            || tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| column.varno != 1)
    });
    !reads_others && functions::opaque_of(value).is_empty() && !drawn::counts(value)
}
