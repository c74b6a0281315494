//! Two changes of one table in one statement, `WITH a AS (UPDATE account ... WHERE id = 1) UPDATE account ... WHERE id = 2`. One PostgreSQL changes a row
//! once: whichever change comes second leaves alone what the first one has changed, and sees nothing of it. Here the one that is taken first gives the
//! primary keys of its rows, and the others leave these out. It leaves out in its turn the rows of those that PostgreSQL would run before.

use super::merge::{build, filter, parts};
use super::row_keys::{in_array, in_query, in_rows, key_columns, key_vars, lock_of};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::boundary::functions;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, CmdType, LockClauseStrength, Oid};

/// The other UPDATEs and DELETEs of the table that a change, which is taken out of its statement, changes.
pub struct OtherChanges {
    table: Opened,
    /// Of a private copy.
    queries: Vec<*mut pg_sys::Query>,
}

impl OtherChanges {
    /// Those of `statement` than the one that is its level `taken`; `change` is that as a statement of its own. `None` when there are none, and where
    /// rows cannot be told apart: in views, in tables without a primary key, and in those with children of which each has a key of its own.
    pub fn of(
        change: &pg_sys::Query,
        taken: *mut pg_sys::Query,
        statement: &mut pg_sys::Query,
    ) -> Option<OtherChanges> {
        let target = tree::target(change);
        let mut queries: Vec<*mut pg_sys::Query> =
            tree::list::<pg_sys::CommonTableExpr>(statement.cteList)
                .map(|with| with.ctequery.cast())
                .collect();
        queries.push(statement);
        queries.retain(|query| {
            // SAFETY: a level of a private copy.
            let other = unsafe { &**query };
            let meets_rows = matches!(other.commandType, CmdType::CMD_UPDATE | CmdType::CMD_DELETE);
            *query != taken && meets_rows && tree::target(other) == target
        });
        if queries.is_empty() {
            return None;
        }
        let table = Opened::open(target, pg_sys::NoLock)?;
        let is_whole = match table.class().relkind as u8 {
            // SAFETY: a catalogue look-up.
            pg_sys::RELKIND_RELATION => !unsafe { functions::has_subclass(target) },
            kind => kind == pg_sys::RELKIND_PARTITIONED_TABLE,
        };
        (is_whole && !key_columns(&table).is_empty()).then_some(OtherChanges { table, queries })
    }

    pub fn table(&self) -> Oid {
        self.table.id()
    }

    pub fn queries(&self) -> &[*mut pg_sys::Query] {
        &self.queries
    }

    /// The columns on which it depends whether a row may be there: those of unique indexes and exclusion constraints; all, where these look at
    /// more than plain columns.
    pub fn unique_columns(&self) -> Vec<i16> {
        let mut columns = unique_columns(&self.table);
        let partitions = missing::descendants(self.table());
        let own = partitions
            .iter()
            .filter_map(|partition| Opened::open(*partition, pg_sys::AccessShareLock))
            .any(|partition| has_own_unique_index(&partition));
        let all = self.table.columns().iter().map(|column| column.attnum);
        if own || columns.contains(&0) {
            columns.extend(all);
        }
        columns
    }

    /// Has the change return the keys of its rows, behind what it returns; gives the number of these columns.
    pub fn return_keys(&self, change: &mut pg_sys::Query) -> usize {
        let returned: Vec<NodePtr> = tree::nodes(change.returningList).collect();
        let keys = key_vars(&self.table, change.resultRelation);
        let count = keys.len();
        let targets = targets(keys, returned.len() as i16 + 1);
        change.returningList = tree::make_list(returned.into_iter().chain(targets));
        count
    }

    /// Has the others leave out the rows that the change has changed; their keys are in the arrays that are the parameters behind the first ones.
    pub fn skip_changed_rows(&self, first: usize, parameters: &[Oid]) -> Result<(), PostgresError> {
        for query in &self.queries {
            // SAFETY: a level of a private copy, of which nothing else is held.
            let query = unsafe { &mut **query };
            let keys = key_vars(&self.table, query.resultRelation);
            let is_changed = match keys.as_slice() {
                &[key] => in_array(key, first, parameters),
                _ => in_rows(&keys, first, parameters)?,
            };
            exclude(query, is_changed);
        }
        Ok(())
    }

    /// Has the change lock and leave out the rows that another one finds, which is a query by itself; `false` if that calls something volatile: run
    /// again, it might find other rows.
    pub fn skip_rows_of(
        &self,
        change: &mut pg_sys::Query,
        other: &'static mut pg_sys::Query,
    ) -> bool {
        let lock = self.lock(other);
        let found = key_vars(&self.table, other.resultRelation);
        parts::select_changed(other, Some(lock));
        other.targetList = tree::make_list(targets(found, 1));
        // SAFETY: a valid query.
        if unsafe { pg_sys::contain_volatile_functions(std::ptr::from_mut(other).cast()) } {
            return false;
        }
        let keys = key_vars(&self.table, change.resultRelation);
        exclude(change, in_query(&keys, other));
        true
    }

    /// The lock that the other change will take itself. Where an UPDATE finds its rows by their keys alone, it finds them as long as they have these.
    fn lock(&self, other: &pg_sys::Query) -> LockClauseStrength::Type {
        let keys = key_columns(&self.table);
        let reads_more = tree::any(other.jointree.cast(), &mut |node| {
            tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| {
                column.varno != other.resultRelation || !keys.contains(&column.varattno)
            }) || tree::cast::<pg_sys::SubLink, _>(node).is_some()
        });
        match lock_of(other, &self.table) {
            LockClauseStrength::LCS_FORNOKEYUPDATE if !reads_more => {
                LockClauseStrength::LCS_FORKEYSHARE
            }
            lock => lock,
        }
    }
}

/// The columns of the table's unique indexes and exclusion constraints; 0 for what is no plain column.
fn unique_columns(table: &Opened) -> Vec<i16> {
    let mut found = Vec::new();
    for index in unique_indexes(table) {
        // SAFETY: an open index has such a row, with as many columns as it says.
        let columns = unsafe {
            let form = &*(*index.relation()).rd_index;
            form.indkey.values.as_slice(form.indnkeyatts as usize)
        };
        found.extend_from_slice(columns);
        let is_generated =
            |number: &i16| *number > 0 && table.columns()[*number as usize - 1].attgenerated != 0;
        // SAFETY: it is open.
        let predicate = unsafe { pg_sys::RelationGetIndexPredicate(index.relation()) };
        if !predicate.is_null() || columns.iter().any(is_generated) {
            found.push(0);
        }
    }
    found
}

/// Whether a partition has a unique index that is no part of one of the whole table.
fn has_own_unique_index(partition: &Opened) -> bool {
    // SAFETY: a field of an open index.
    unique_indexes(partition).any(|index| unsafe { !(*(*index.relation()).rd_rel).relispartition })
}

fn unique_indexes(table: &Opened) -> impl Iterator<Item = Opened> {
    // SAFETY: the table is open, and the list a copy.
    let indexes = unsafe { pg_sys::RelationGetIndexList(table.relation()) };
    tree::oids(indexes)
        .filter_map(|index| Opened::open(index, pg_sys::AccessShareLock))
        .filter(|index| {
            // SAFETY: an open index has such a row.
            let form = unsafe { &*(*index.relation()).rd_index };
            form.indisunique || form.indisexclusion
        })
}

/// Columns of these expressions, from that number on.
fn targets(expressions: Vec<NodePtr>, first: i16) -> impl Iterator<Item = NodePtr> {
    expressions
        .into_iter()
        .zip(first..)
        .map(|(expression, number)| build::target(expression, number).cast())
}

/// Adds to WHERE that a condition does not hold.
fn exclude(query: &mut pg_sys::Query, condition: NodePtr) {
    query.hasSubLinks |= tree::cast::<pg_sys::SubLink, _>(condition).is_some();
    filter::add(query, filter::not(condition));
}
