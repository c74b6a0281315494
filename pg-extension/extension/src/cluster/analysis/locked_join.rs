//! A SELECT that joins rows of several nodes and locks some of them, in steps of one transaction. The join alone gives the primary keys of the rows to
//! lock; each of their tables locks those that are still there; then the join is run over the rows that were locked. What has changed before it was
//! locked is thereby looked at as it is now. Each step gives its rows to the next ones as arrays, one parameter for each column.

use super::merge::build::{self, WorkerColumns};
use super::merge::{filter, used};
use super::parser;
use super::reading::kept_ranges;
use super::row_keys::{in_array, in_rows, key_columns};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, NodeTag, Oid, RTEKind};

/// The steps.
pub struct LockedJoin {
    /// Gives the keys of the rows to lock.
    pub keys: &'static mut pg_sys::Query,
    /// How many columns these are.
    pub key_count: usize,
    /// Lock the rows of one table each, by the arrays of the keys.
    pub locks: Vec<Lock>,
    /// The join of the locked rows.
    pub join: &'static mut pg_sys::Query,
    /// The types of all its parameters: the statement's own, the keys', then those of each lock.
    pub parameters: Vec<Oid>,
}

/// What locks rows of one table.
pub struct Lock {
    pub text: String,
    /// How many columns it gives.
    pub count: usize,
}

/// One table whose rows are locked.
struct Locked {
    mark: &'static pg_sys::RowMarkClause,
    entry: &'static pg_sys::RangeTblEntry,
    keys: Vec<Key>,
}

struct Key {
    name: String,
    column: NodePtr,
}

/// Of a query as analysed; `None` when it locks nothing itself, or no such steps would do the same: which rows LIMIT leaves depends on which can be
/// locked.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Option<LockedJoin> {
    let plain = query.commandType == pg_sys::CmdType::CMD_SELECT
        && !query.rowMarks.is_null()
        && query.limitCount.is_null()
        && query.limitOffset.is_null();
    if !plain {
        return None;
    }
    let kept = kept_ranges(query);
    let tables: Vec<Locked> = tree::list::<pg_sys::RowMarkClause>(query.rowMarks)
        .map(|mark| Locked::of(query, mark).filter(|_| kept.contains(&(mark.rti as i32))))
        .collect::<Option<_>>()?;
    let mut columns = WorkerColumns::default();
    for key in tables.iter().flat_map(|table| &table.keys) {
        columns.push(key.column, 0);
    }
    let passes_as_is = |index| tree::tag(columns.read(index)) == Some(NodeTag::T_Var);
    if !(0..columns.len()).all(passes_as_is) {
        return None;
    }
    let keys = without_locks(query);
    keys.targetList = columns.targets();
    keys.sortClause = std::ptr::null_mut();
    let mut given: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let arrays = columns.arrays();
    let mut first = 0;
    let mut locks = Vec::new();
    for table in &tables {
        locks.push(Lock {
            text: table.lock(parameters.len() + first),
            count: table.keys.len(),
        });
        first += table.keys.len();
    }
    let mut before = given.len();
    given.extend(arrays);
    let join = without_locks(query);
    for table in &tables {
        table.restrict(join, before, &given).ok()?;
        before += table.keys.len();
    }
    Some(LockedJoin {
        keys,
        key_count: columns.len(),
        locks,
        join,
        parameters: given,
    })
}

fn without_locks(query: &pg_sys::Query) -> &'static mut pg_sys::Query {
    let copy = build::copy(query);
    copy.rowMarks = std::ptr::null_mut();
    copy.hasForUpdate = false;
    copy
}

impl Locked {
    /// `None` unless it is a table with a primary key.
    fn of(query: &pg_sys::Query, mark: &'static pg_sys::RowMarkClause) -> Option<Locked> {
        let entry = tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(mark.rti as usize - 1)?;
        let kind = entry.relkind as u8;
        let is_table = entry.rtekind == RTEKind::RTE_RELATION
            && (kind == pg_sys::RELKIND_RELATION || kind == pg_sys::RELKIND_PARTITIONED_TABLE)
            && entry.tablesample.is_null();
        let listed = used::relations(query).contains(&(mark.rti as i32));
        if !is_table || !listed {
            return None;
        }
        let table = Opened::open(entry.relid, pg_sys::NoLock)?;
        let keys: Vec<Key> = key_columns(&table)
            .into_iter()
            .map(|number| {
                let column = &table.columns()[number as usize - 1];
                Key {
                    name: parser::quoted(&tree::string(column.attname.data.as_ptr())),
                    column: tree::make_column(mark.rti as i32, column),
                }
            })
            .collect();
        (!keys.is_empty()).then_some(Locked { mark, entry, keys })
    }

    /// Locks the rows whose keys are in arrays, and gives their keys.
    fn lock(&self, first: usize) -> String {
        let names: Vec<&str> = self.keys.iter().map(|key| key.name.as_str()).collect();
        let numbers: Vec<usize> = (1..=names.len()).map(|at| first + at).collect();
        let mut conditions: Vec<String> = names
            .iter()
            .zip(&numbers)
            .map(|(name, number)| format!("{name} = ANY (${number})"))
            .collect();
        if names.len() > 1 {
            let unnested: Vec<String> = numbers
                .iter()
                .map(|number| format!("pg_catalog.unnest(${number})"))
                .collect();
            conditions.push(format!(
                "({}) IN (SELECT * FROM ROWS FROM ({}) AS w)",
                names.join(", "),
                unnested.join(", ")
            ));
        }
        let only = if self.entry.inh { "" } else { "ONLY " };
        format!(
            "SELECT {} FROM {only}{} WHERE {} {}",
            names.join(", "),
            parser::qualified_name(self.entry.relid),
            conditions.join(" AND "),
            self.clause()
        )
    }

    fn clause(&self) -> String {
        use pg_sys::LockClauseStrength::{LCS_FORKEYSHARE, LCS_FORNOKEYUPDATE, LCS_FORSHARE};
        let strength = match self.mark.strength {
            LCS_FORKEYSHARE => "KEY SHARE",
            LCS_FORSHARE => "SHARE",
            LCS_FORNOKEYUPDATE => "NO KEY UPDATE",
            _ => "UPDATE",
        };
        let policy = match self.mark.waitPolicy {
            pg_sys::LockWaitPolicy::LockWaitSkip => " SKIP LOCKED",
            pg_sys::LockWaitPolicy::LockWaitError => " NOWAIT",
            _ => "",
        };
        format!("FOR {strength}{policy}")
    }

    /// Adds to WHERE that the rows are those that were locked: by each column, which nodes know as a condition of their own, and by all together.
    fn restrict(
        &self,
        join: &mut pg_sys::Query,
        first: usize,
        parameters: &[Oid],
    ) -> Result<(), PostgresError> {
        let columns: Vec<NodePtr> = self.keys.iter().map(|key| key.column).collect();
        for (column, before) in columns.iter().zip(first..) {
            filter::add(join, in_array(*column, before, parameters));
        }
        if columns.len() > 1 {
            filter::add(join, in_rows(&columns, first, parameters)?);
            join.hasSubLinks = true;
        }
        Ok(())
    }
}
