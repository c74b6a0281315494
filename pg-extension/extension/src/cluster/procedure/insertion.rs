//! INSERT inside a distributed procedure: each participant computes all rows, and keeps those that are its own. Elsewhere a row that is not
//! this node's own is an error.

use super::super::analysis::tree;
use super::super::placement::Distribution;
use super::participants;
use super::placements::Home;
use crate::boundary::PostgresError;
use crate::compat;
use crate::hooks::rows::{self, Keep};
use pgrx::pg_sys::{self, Oid, TupleTableSlot};
use std::rc::Rc;

/// Lets only this node's rows reach the table.
///
/// # Safety
/// The state must be an initialised ModifyTable of an INSERT.
pub unsafe fn install(modify: &pg_sys::ModifyTableState, home: Home) {
    // SAFETY: an initialised ModifyTable has a subplan and a result relation.
    unsafe {
        let relation = (*modify.resultRelInfo).ri_RelationDesc;
        let keep: Keep = match home {
            Home::Here => return,
            Home::Everywhere => refuse((*relation).rd_id),
            Home::Node(node) if node == participants::own_node() => return,
            Home::Node(node) => {
                participants::require([node]);
                Box::new(|_| false)
            }
            Home::Distributed(distribution) => {
                let rows = Rows::of(relation, distribution);
                Box::new(move |slot| is_own(&rows, slot))
            }
        };
        rows::filter(modify.ps.lefttree, keep);
    }
}

/// Says why a row of the table, which belongs to that node, is refused.
pub type Elsewhere = fn(Oid, i32) -> PostgresError;

/// Refuses rows of a distributed table that are not this node's, for an INSERT or MERGE that only this node runs.
///
/// # Safety
/// The state must be an initialised ModifyTable.
pub unsafe fn check(
    modify: &pg_sys::ModifyTableState,
    distribution: &Rc<Distribution>,
    node: i32,
    elsewhere: Elsewhere,
) {
    // SAFETY: an initialised ModifyTable has a subplan, and a result relation; a MERGE the projections of its actions.
    unsafe {
        let relation = (*modify.resultRelInfo).ri_RelationDesc;
        let checked = || -> Keep {
            let rows = Rows::of(relation, Rc::clone(distribution));
            Box::new(move |slot| {
                let of_row = rows.node_of(slot).unwrap_or(node);
                of_row == node || elsewhere(rows.relation, of_row).raise()
            })
        };
        match modify.operation {
            pg_sys::CmdType::CMD_INSERT => rows::filter(modify.ps.lefttree, checked()),
            pg_sys::CmdType::CMD_MERGE => {
                let memory = (*modify.ps.state).es_query_cxt;
                for projection in merge_rows(modify, pg_sys::CmdType::CMD_INSERT) {
                    rows::watch(projection, memory, checked());
                }
            }
            _ => {}
        }
    }
}

/// Refuses rows that would get another node by what ON CONFLICT DO UPDATE or a MERGE assigns to their distribution columns. Those that keep theirs,
/// as where the same value is assigned again, stay.
///
/// # Safety
/// As above.
pub unsafe fn check_kept(
    modify: &pg_sys::ModifyTableState,
    distribution: &Rc<Distribution>,
    node: i32,
    elsewhere: Elsewhere,
) {
    // SAFETY: as above; ON CONFLICT DO UPDATE has a projection.
    unsafe {
        let target = modify.resultRelInfo;
        let conflict = (*target).ri_onConflict;
        let projections = match modify.operation {
            pg_sys::CmdType::CMD_INSERT if !conflict.is_null() => vec![(*conflict).oc_ProjInfo],
            pg_sys::CmdType::CMD_MERGE => merge_rows(modify, pg_sys::CmdType::CMD_UPDATE),
            _ => Vec::new(),
        };
        for projection in projections {
            let rows = Rows::of((*target).ri_RelationDesc, Rc::clone(distribution));
            let stays = move |slot| {
                let of_row = rows.node_of(slot).unwrap_or(node);
                of_row == node || elsewhere(rows.relation, of_row).raise()
            };
            rows::watch(projection, (*modify.ps.state).es_query_cxt, Box::new(stays));
        }
    }
}

/// Whether ON CONFLICT DO UPDATE gives the distribution columns what the row has, or the one that could not be inserted, which was this node's.
///
/// # Safety
/// As above.
pub unsafe fn assigns_same(modify: &pg_sys::ModifyTableState, distribution: &Distribution) -> bool {
    if modify.operation != pg_sys::CmdType::CMD_INSERT {
        return false;
    }
    // SAFETY: the plan of a ModifyTable, with as many numbers of columns as values for them.
    unsafe {
        let plan = &*modify.ps.plan.cast::<pg_sys::ModifyTable>();
        let target = pg_sys::list_nth_int(plan.resultRelations, 0);
        let mut assigned = tree::list::<pg_sys::TargetEntry>(plan.onConflictSet).enumerate();
        assigned.all(|(at, entry)| {
            let number = pg_sys::list_nth_int(plan.onConflictCols, at as i32);
            let mut columns = distribution.columns().iter();
            let places = columns.any(|column| i32::from(column.attribute) == number);
            !places
                || tree::cast::<pg_sys::Var, _>(entry.expr).is_some_and(|same| {
                    i32::from(same.varattno) == number
                        && (same.varno == pg_sys::INNER_VAR || same.varno == target)
                })
        })
    }
}

/// What makes the rows of a MERGE that it inserts, or what others become.
///
/// # Safety
/// An initialised MERGE.
unsafe fn merge_rows(
    modify: &pg_sys::ModifyTableState,
    command: pg_sys::CmdType::Type,
) -> Vec<*mut pg_sys::ProjectionInfo> {
    // SAFETY: by the caller.
    unsafe {
        let target = &*modify.resultRelInfo;
        compat::merge_actions(target)
            .into_iter()
            .flat_map(|list| tree::nodes(list))
            .map(|action| action.cast::<pg_sys::MergeActionState>())
            .filter(|action| (*(**action).mas_action).commandType == command)
            .map(|action| (*action).mas_proj)
            .collect()
    }
}

/// Where the rows of a table lie.
struct Rows {
    relation: Oid,
    distribution: Rc<Distribution>,
    /// The numbers and types of the distribution columns.
    columns: Vec<(i16, Oid)>,
    last: i32,
    /// Whether a distribution column may be NULL as far as PostgreSQL is concerned.
    lets_null: bool,
}

impl Rows {
    /// # Safety
    /// An open relation, which has the columns.
    unsafe fn of(relation: pg_sys::Relation, distribution: Rc<Distribution>) -> Self {
        // SAFETY: by the caller's promise.
        let (oid, all) = unsafe {
            (
                (*relation).rd_id,
                crate::compat::columns_of((*relation).rd_att),
            )
        };
        let columns: Vec<(i16, Oid)> = distribution
            .columns()
            .iter()
            .map(|column| {
                (
                    column.attribute,
                    all[column.attribute as usize - 1].atttypid,
                )
            })
            .collect();
        Rows {
            relation: oid,
            distribution,
            last: columns
                .iter()
                .map(|(number, _)| i32::from(*number))
                .max()
                .unwrap_or(0),
            lets_null: columns
                .iter()
                .any(|(number, _)| !all[*number as usize - 1].attnotnull),
            columns,
        }
    }

    /// The node of the row in the slot; `None` when PostgreSQL refuses the row for a NULL, and shows it. Raises when the row has no node otherwise.
    fn node_of(&self, slot: *mut TupleTableSlot) -> Option<i32> {
        // SAFETY: the row has as many columns as the table; values that the slot gives are of the column's type.
        unsafe {
            if i32::from((*slot).tts_nvalid) < self.last {
                pg_sys::slot_getsomeattrs_int(slot, self.last);
            }
            let (nulls, values) = ((*slot).tts_isnull, (*slot).tts_values);
            let place = |number: i16| number as usize - 1;
            if self
                .columns
                .iter()
                .any(|(number, _)| *nulls.add(place(*number)))
            {
                if !self.lets_null {
                    return None;
                }
                let node = self.distribution.node_of_null();
                return Some(node.unwrap_or_else(|| refuse_null(self.relation)));
            }
            let node = self.distribution.node_of(|key| {
                let (number, type_oid) = self.columns[key];
                (type_oid, *values.add(place(number)))
            });
            Some(node.unwrap_or_else(|_| refuse_unplaced(self.relation)))
        }
    }
}

/// Raises: participants would make different copies.
pub fn refuse(relation: Oid) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32,
        &format!("a distributed procedure cannot change reference table \"{name}\""),
        "Only the participants would change their copies.",
        None,
    );
    error.raise()
}

/// Raises, at all participants alike, of a table with several distribution columns: a row with NULL in one of them has no node.
pub fn refuse_null(relation: Oid) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_NOT_NULL_VIOLATION as i32,
        &format!("null value in a distribution column of table \"{name}\""),
        "A table with several distribution columns takes no NULL in them.",
        None,
    );
    error.raise()
}

/// Raises, at all participants alike: no rule covers the row, or its key is no number.
pub fn refuse_unplaced(relation: Oid) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_CHECK_VIOLATION as i32,
        &format!("no partition for a row of table \"{name}\""),
        "No rule of the table's placement covers it.",
        None,
    );
    error.raise()
}

/// Whether the row in the slot is this node's.
fn is_own(rows: &Rows, slot: *mut TupleTableSlot) -> bool {
    let Some(node) = rows.node_of(slot) else {
        return true;
    };
    if node == participants::own_node() {
        return true;
    }
    participants::require([node]);
    false
}
