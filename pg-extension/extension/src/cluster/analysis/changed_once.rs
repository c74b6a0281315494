//! Two changes of one table in one statement, `WITH a AS (UPDATE account ... WHERE id = 1) UPDATE account ... WHERE id = 2`. One PostgreSQL changes a row
//! once: whichever change comes second leaves alone what the first one has changed, and sees nothing of it. Here the one that is taken first gives the
//! primary keys of its rows, and the others leave these out. It leaves out in its turn the rows of those that PostgreSQL would run before.

use super::merge::{build, filter, parts};
use super::row_keys::{in_array, in_query, in_rows, key_columns};
use super::tree::{self, NodePtr};
use crate::boundary::{PostgresError, functions};
use crate::opened::Opened;
use pgrx::pg_sys::{self, BoolExprType, CmdType, LockClauseStrength, Oid};

/// What is left of a statement when a change has been taken out of it, where it changes the same table.
pub struct Others {
    table: Opened,
    /// The queries that do, of a private copy.
    levels: Vec<*mut pg_sys::Query>,
}

impl Others {
    /// `None` when there are none, and where rows cannot be told apart: in views, in tables without a primary key, and in those with children of
    /// which each has a key of its own.
    ///
    /// `change` is the level of the statement that is taken out.
    pub fn of(
        source: &pg_sys::Query,
        statement: &mut pg_sys::Query,
        change: *mut pg_sys::Query,
    ) -> Option<Others> {
        let target = tree::target(source);
        let mut levels: Vec<*mut pg_sys::Query> =
            tree::list::<pg_sys::CommonTableExpr>(statement.cteList)
                .map(|with| with.ctequery.cast())
                .collect();
        levels.push(statement);
        levels.retain(|level| {
            // SAFETY: a level of a private copy.
            let other = unsafe { &**level };
            let meets_rows = matches!(other.commandType, CmdType::CMD_UPDATE | CmdType::CMD_DELETE);
            *level != change && meets_rows && tree::target(other) == target
        });
        if levels.is_empty() {
            return None;
        }
        let table = Opened::open(target, pg_sys::NoLock)?;
        let is_whole = match table.class().relkind as u8 {
            // SAFETY: a catalogue look-up.
            pg_sys::RELKIND_RELATION => !unsafe { functions::has_subclass(target) },
            kind => kind == pg_sys::RELKIND_PARTITIONED_TABLE,
        };
        (is_whole && !key_columns(&table).is_empty()).then_some(Others { table, levels })
    }

    pub fn table(&self) -> Oid {
        self.table.id()
    }

    /// The queries that change it.
    pub fn levels(&self) -> &[*mut pg_sys::Query] {
        &self.levels
    }

    pub fn count(&self) -> usize {
        self.levels.len()
    }

    /// The columns of the table's indexes that are unique or exclude others.
    pub fn unique_columns(&self) -> Vec<i16> {
        // SAFETY: the table is open.
        let indexes = unsafe { pg_sys::RelationGetIndexList(self.table.relation()) };
        let mut columns = Vec::new();
        for index in tree::oids(indexes) {
            let Some(index) = Opened::open(index, pg_sys::AccessShareLock) else {
                continue;
            };
            // SAFETY: an open index has such a row, with as many columns as it says.
            let form = unsafe { &*(*index.relation()).rd_index };
            if !form.indisunique && !form.indisexclusion {
                continue;
            }
            // SAFETY: as above.
            let numbers = unsafe { form.indkey.values.as_slice(form.indnkeyatts as usize) };
            match numbers.contains(&0) {
                // An expression may read any of them.
                true => columns.extend(self.table.columns().iter().map(|column| column.attnum)),
                false => columns.extend_from_slice(numbers),
            }
        }
        columns
    }

    fn keys(&self, range: i32) -> Vec<NodePtr> {
        key_columns(&self.table)
            .into_iter()
            .map(|number| tree::make_column(range, &self.table.columns()[number as usize - 1]))
            .collect()
    }

    /// Has the change return the keys of its rows, behind what it returns; gives their number.
    pub fn return_keys(&self, source: &mut pg_sys::Query) -> usize {
        let returned: Vec<NodePtr> = tree::nodes(source.returningList).collect();
        let keys = self.keys(source.resultRelation);
        let count = keys.len();
        let first = returned.len() as i16 + 1;
        let targets = keys
            .into_iter()
            .zip(first..)
            .map(|(key, number)| build::target(key, number).cast());
        source.returningList = tree::make_list(returned.into_iter().chain(targets));
        count
    }

    /// Has the others leave out the rows whose keys are in the arrays that are the parameters behind the first ones.
    pub fn leave_out(&self, first: usize, parameters: &[Oid]) -> Result<(), PostgresError> {
        for level in &self.levels {
            // SAFETY: a level of a private copy, of which nothing else is held.
            let level = unsafe { &mut **level };
            let keys = self.keys(level.resultRelation);
            let is_changed = match keys.as_slice() {
                &[key] => in_array(key, first, parameters),
                _ => in_rows(&keys, first, parameters)?,
            };
            exclude(level, is_changed);
        }
        Ok(())
    }

    /// Has the change leave out, and lock, the rows that another one finds; `false` when it may find others the next time. `other` is a query by itself.
    pub fn let_go_before(
        &self,
        source: &mut pg_sys::Query,
        other: &'static mut pg_sys::Query,
    ) -> bool {
        let lock = self.lock(other);
        let found = self.keys(other.resultRelation);
        parts::select_changed(other, Some(lock));
        other.targetList = tree::make_list(
            found
                .into_iter()
                .zip(1..)
                .map(|(key, number)| build::target(key, number).cast()),
        );
        let node: NodePtr = std::ptr::from_mut(other).cast();
        // SAFETY: a valid query.
        if unsafe { pg_sys::contain_volatile_functions(node) } {
            return false;
        }
        let keys = self.keys(source.resultRelation);
        exclude(source, in_query(&keys, other));
        true
    }

    /// What keeps the rows as they were found, and lets others go on otherwise: a row that an UPDATE finds by its key stays so while the key does.
    fn lock(&self, other: &pg_sys::Query) -> LockClauseStrength::Type {
        let keys = key_columns(&self.table);
        let mut assigned = tree::assignments(other).into_iter();
        if other.commandType == CmdType::CMD_DELETE || assigned.any(|to| keys.contains(&to.resno)) {
            return LockClauseStrength::LCS_FORUPDATE;
        }
        let reads_more = tree::any(other.jointree.cast(), &mut |node| {
            tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| {
                column.varno != other.resultRelation || !keys.contains(&column.varattno)
            }) || tree::cast::<pg_sys::SubLink, _>(node).is_some()
        });
        match reads_more {
            true => LockClauseStrength::LCS_FORNOKEYUPDATE,
            false => LockClauseStrength::LCS_FORKEYSHARE,
        }
    }
}

/// Adds to WHERE that a condition does not hold.
fn exclude(level: &mut pg_sys::Query, condition: NodePtr) {
    level.hasSubLinks |= tree::cast::<pg_sys::SubLink, _>(condition).is_some();
    // SAFETY: makes a node of a condition; FROM is that of a private copy.
    unsafe {
        let arguments = tree::make_list([condition]);
        let is_left: NodePtr = pg_sys::makeBoolExpr(BoolExprType::NOT_EXPR, arguments, -1).cast();
        let mut conditions = tree::conjuncts((*level.jointree).quals);
        conditions.push(is_left);
        (*level.jointree).quals = filter::all_of(conditions);
    }
}
