//! Two changes of one table in one statement, `WITH a AS (UPDATE account ... WHERE id = 1) UPDATE account ... WHERE id = 2`. One PostgreSQL changes a row
//! once: whichever change comes second leaves alone what the first one has changed, and sees nothing of it. Here the one that is taken first gives the
//! primary keys of its rows, and the others leave these out. It leaves out in its turn the rows of those that PostgreSQL would run before.

use super::super::exact_texts;
use super::super::postgres::may_whole;
use super::merge::build::{self, WorkerColumns};
use super::merge::{filter, parts};
use super::relation::has_policies;
use super::row_keys::{in_array, in_query, in_rows, key_columns, key_vars, lock_of};
use super::tree::{self, NodePtr};
use super::unique_indexes::{self, Index};
use crate::boundary::PostgresError;
use crate::boundary::functions;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, CmdType, LockClauseStrength, Oid, RTEKind};

/// The other UPDATEs and DELETEs of the table that a change, which is taken out of its statement, changes.
pub struct OtherChanges {
    table: Opened,
    /// Of a private copy.
    queries: Vec<*mut pg_sys::Query>,
}

impl OtherChanges {
    /// Those of `statement` than the one that is its level `taken`; `change` is that as a statement of its own. `None` when there are none.
    pub fn of(
        change: &pg_sys::Query,
        taken: *mut pg_sys::Query,
        statement: &mut pg_sys::Query,
    ) -> Option<OtherChanges> {
        let target = tree::target(change);
        let mut queries = levels(statement);
        queries.retain(|query| {
            // SAFETY: a level of a private copy.
            let other = unsafe { &**query };
            let meets_rows = matches!(other.commandType, CmdType::CMD_UPDATE | CmdType::CMD_DELETE);
            *query != taken && meets_rows && tree::target(other) == target
        });
        // MERGE and ON CONFLICT fail at rows that another change has changed.
        let is_plain = change.onConflict.is_null() && change.commandType != CmdType::CMD_MERGE;
        if queries.is_empty() || !is_plain {
            return None;
        }
        Some(OtherChanges {
            table: Opened::open(target, pg_sys::NoLock)?,
            queries,
        })
    }

    /// Whether rows can be told apart by their keys, which the role may read.
    pub fn tells_rows_apart(&self) -> bool {
        has_known_rows(&self.table)
            && !has_policies(self.table())
            && may_whole(self.table(), pg_sys::ACL_SELECT)
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
        let targets = build::targets(keys, returned.len() as i16 + 1);
        change.returningList = tree::make_list(returned.into_iter().chain(targets));
        count
    }

    /// Has the others, of that statement, leave out the rows that the change has changed; their keys are in the arrays that are the parameters behind the
    /// first ones.
    pub fn skip_changed_rows(
        &self,
        statement: &mut pg_sys::Query,
        first: usize,
        parameters: &[Oid],
    ) -> Result<(), PostgresError> {
        for query in levels(statement) {
            if !self.queries.contains(&query) {
                continue;
            }
            // SAFETY: a level of a private copy, of which nothing else is held now.
            let query = unsafe { &mut *query };
            let keys = key_vars(&self.table, query.resultRelation);
            let is_changed = match keys.as_slice() {
                &[key] => in_array(key, first, parameters),
                _ => in_rows(&keys, first, parameters)?,
            };
            exclude(query, is_changed);
        }
        Ok(())
    }

    /// Has the change lock and leave out the rows that another one finds, which is a query by itself; `false` if that may find other rows when it is run
    /// again, since it calls something volatile or reads more than the rows that are locked.
    pub fn skip_rows_of(
        &self,
        change: &mut pg_sys::Query,
        other: &'static mut pg_sys::Query,
    ) -> bool {
        let lock = self.lock(other);
        let found = key_vars(&self.table, other.resultRelation);
        parts::select_changed(other, Some(lock));
        other.targetList = tree::make_list(build::targets(found, 1));
        let node: NodePtr = std::ptr::from_mut(other).cast();
        // SAFETY: a valid query.
        let is_volatile = unsafe { pg_sys::contain_volatile_functions(node) };
        if is_volatile || reads_more(other) || !may_whole(self.table(), pg_sys::ACL_UPDATE) {
            return false;
        }
        let keys = key_vars(&self.table, change.resultRelation);
        exclude(change, in_query(&keys, other));
        true
    }

    /// The lock that the other change will take itself. Where an UPDATE finds its rows by their keys alone, it finds them as long as they have these.
    fn lock(&self, other: &pg_sys::Query) -> LockClauseStrength::Type {
        let keys = key_columns(&self.table);
        let reads_others = tree::any(other.jointree.cast(), &mut |node| {
            tree::cast::<pg_sys::Var, _>(node)
                .is_some_and(|column| !keys.contains(&column.varattno))
        });
        match lock_of(other, &self.table) {
            LockClauseStrength::LCS_FORNOKEYUPDATE if !reads_others => {
                LockClauseStrength::LCS_FORKEYSHARE
            }
            lock => lock,
        }
    }
}

/// A statement and the queries of its WITH.
fn levels(statement: &mut pg_sys::Query) -> Vec<*mut pg_sys::Query> {
    let with = tree::list::<pg_sys::CommonTableExpr>(statement.cteList)
        .map(|with| with.ctequery.cast())
        .collect::<Vec<_>>();
    with.into_iter().chain([&raw mut *statement]).collect()
}

/// Whether each row has a primary key, one for all children, whose values come as they are when they travel as arrays.
fn has_known_rows(table: &Opened) -> bool {
    let is_whole = match table.class().relkind as u8 {
        // SAFETY: a catalogue look-up.
        pg_sys::RELKIND_RELATION => !unsafe { functions::has_subclass(table.id()) },
        kind => kind == pg_sys::RELKIND_PARTITIONED_TABLE,
    };
    let mut columns = WorkerColumns::default();
    for key in key_vars(table, 1) {
        columns.push(key, 0);
    }
    let comes_as_is = |at| {
        let key = columns.read(at);
        tree::tag(key) == Some(pg_sys::NodeTag::T_Var) && exact_texts::say_all(tree::type_of(key))
    };
    is_whole && columns.len() > 0 && (0..columns.len()).all(comes_as_is)
}

/// Whether two changes of a table find different rows: those with one integer in a column, and those with another one.
pub fn are_disjoint(one: &pg_sys::Query, other: &pg_sys::Query) -> bool {
    let others = compared(other);
    compared(one).iter().any(|(column, operator, value)| {
        others
            .iter()
            .any(|(other_column, other_operator, other_value)| {
                (column, operator) == (other_column, other_operator) && value != other_value
            })
    })
}

/// The columns of the changed table that WHERE sets equal to integers, with the operators and the values.
fn compared(change: &pg_sys::Query) -> Vec<(i16, Oid, i64)> {
    // SAFETY: the FROM of a change.
    let conditions = tree::conjuncts(unsafe { (*change.jointree).quals });
    let equality = |condition: NodePtr| {
        let operator = tree::cast::<pg_sys::OpExpr, _>(condition)?;
        let mut sides = tree::nodes(operator.args);
        let column = tree::cast::<pg_sys::Var, _>(sides.next()?)?;
        let value = tree::cast::<pg_sys::Const, _>(sides.next()?)?;
        let own = column.varno == change.resultRelation && column.varlevelsup == 0;
        // SAFETY: a catalogue look-up.
        let equals = unsafe { pg_sys::op_mergejoinable(operator.opno, column.vartype) };
        if !own || !equals || value.constisnull {
            return None;
        }
        let value = match value.consttype {
            pg_sys::INT2OID => value.constvalue.value() as i16 as i64,
            pg_sys::INT4OID => value.constvalue.value() as i32 as i64,
            pg_sys::INT8OID => value.constvalue.value() as i64,
            _ => return None,
        };
        Some((column.varattno, operator.opno, value))
    };
    conditions.into_iter().filter_map(equality).collect()
}

/// Whether a query reads other tables than one.
fn reads_more(query: &pg_sys::Query) -> bool {
    let mut tables = 0;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
            tables += tree::list::<pg_sys::RangeTblEntry>(level.rtable)
                .filter(|entry| entry.rtekind == RTEKind::RTE_RELATION)
                .count();
        }
        true
    });
    tables > 1
}

/// The columns of the table's unique indexes and exclusion constraints; 0 for what is no plain column.
fn unique_columns(table: &Opened) -> Vec<i16> {
    let of_index = |index: &Index| {
        let mut columns = index.attributes().to_vec();
        let is_generated =
            |number: &i16| *number > 0 && table.columns()[*number as usize - 1].attgenerated != 0;
        if index.is_partial() || columns.iter().any(is_generated) {
            columns.push(0);
        }
        columns
    };
    unique_indexes::each(table, of_index).concat()
}

/// Whether a partition has a unique index that is no part of one of the whole table.
fn has_own_unique_index(partition: &Opened) -> bool {
    unique_indexes::each(partition, |index| index.is_part()).contains(&false)
}

/// Adds to WHERE that a condition does not hold.
fn exclude(query: &mut pg_sys::Query, condition: NodePtr) {
    query.hasSubLinks |= tree::cast::<pg_sys::SubLink, _>(condition).is_some();
    filter::add(query, filter::not(condition));
}
