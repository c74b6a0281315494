//! Rows of distributed tables that belong to another node: nobody would look for them here, so they are refused, whoever sends them. Routers
//! send each row where it belongs; other clients of a node may not know.
//!
//! INSERT and MERGE are watched in the executor. COPY has none: a condition is put behind its own that raises an error.

use super::analysis::relation;
use super::analysis::tree::{self, NodePtr};
use super::placement::{Distribution, Unplaced};
use super::postgres;
use super::procedure::guard;
use super::procedure::insertion;
use super::procedure::placements::{self, Home};
use crate::boundary::PostgresError;
use crate::error::Error;
use crate::function::Call;
use crate::hooks::executor;
use crate::hooks::utility::Command;
use crate::opened::Opened;
use crate::pg_function;
use pgrx::pg_sys::{self, CmdType, Datum, NodeTag, Oid};
use std::ffi::CString;

/// The name in the errors' field for constraints.
const CONSTRAINT: &std::ffi::CStr = c"abelian_placement";

/// Whether a query may bring rows here.
pub fn concerns(query: &pg_sys::QueryDesc) -> bool {
    // SAFETY: a query has a plan.
    let changes = || unsafe { (*query.plannedstmt).hasModifyingCTE };
    matches!(
        query.operation,
        CmdType::CMD_INSERT | CmdType::CMD_UPDATE | CmdType::CMD_MERGE
    ) || changes()
}

/// Looks at an initialised query.
pub fn check_query(query: &pg_sys::QueryDesc) {
    let Some(own) = placements::own_node_of_several() else {
        return;
    };
    for state in executor::changes(query) {
        // SAFETY: it has just been initialised.
        unsafe { check_change(&*state, own) };
    }
}

/// # Safety
/// An initialised ModifyTable.
unsafe fn check_change(modify: &pg_sys::ModifyTableState, own: i32) {
    // SAFETY: its result relation is open.
    unsafe {
        // Its rows come as rows of the parent, and go to any partition.
        let merges_partitions = modify.operation == CmdType::CMD_MERGE
            && modify.rootResultRelInfo != modify.resultRelInfo;
        if merges_partitions {
            return;
        }
        let relation = (*(*modify.resultRelInfo).ri_RelationDesc).rd_id;
        let Home::Distributed(distribution) = placements::home(relation) else {
            return;
        };
        if guard::assigns_key(modify, &distribution) {
            let class = (*(*modify.resultRelInfo).ri_RelationDesc).rd_rel;
            let divides = (*class).relkind as u8 == pg_sys::RELKIND_PARTITIONED_TABLE;
            let stays = match divides {
                true => insertion::assigns_same(modify, &distribution),
                false => modify.operation != CmdType::CMD_UPDATE,
            };
            if !stays {
                drop(distribution);
                new_key(relation, own).raise();
            }
            if !divides {
                insertion::check_kept(modify, &distribution, own, new_key);
            }
        }
        insertion::check(modify, &distribution, own, elsewhere);
    }
}

fn name_of(relation: Oid) -> String {
    // SAFETY: the name of a relation that is open.
    unsafe { tree::string(pg_sys::get_rel_name(relation)) }
}

fn elsewhere(relation: Oid, node: i32) -> PostgresError {
    let own = placements::own_node_of_several().unwrap_or_default();
    PostgresError::with_hint(
        pgrx::PgSqlErrorCode::ERRCODE_CHECK_VIOLATION as i32,
        &format!(
            "a row of distributed table \"{}\" belongs to node {node}, and this is node {own}",
            name_of(relation)
        ),
        "Nobody would look for it here.",
        "Send the statement through the router.",
        None,
    )
    .of_constraint(CONSTRAINT)
}

/// The row would stay on the node of its old key, where nobody looks for it.
fn new_key(relation: Oid, _node: i32) -> PostgresError {
    PostgresError::unsupported(
        &format!(
            "a distribution column of \"{}\" cannot be changed",
            name_of(relation)
        ),
        "DELETE the row and INSERT it with the new value in one transaction, through the router.",
    )
}

/// A COPY that refuses rows of other nodes, in the place of one that brings rows of a distributed table; `None` for other commands.
pub fn checked_load(command: &Command) -> Option<*mut pg_sys::PlannedStmt> {
    let named = command.loaded_table()?;
    placements::own_node_of_several()?;
    let table = tree::cast::<pg_sys::RangeVar, _>(named).and_then(relation::existing)?;
    let condition = condition(table)?;
    let copy = tree::copy(command.statement());
    // SAFETY: a private copy of a planned COPY.
    unsafe {
        let load = (*copy).utilityStmt.cast::<pg_sys::CopyStmt>();
        (*load).whereClause = match (*load).whereClause {
            own if own.is_null() => condition,
            own => {
                let both = tree::make_list([own, condition]);
                pg_sys::makeBoolExpr(pg_sys::BoolExprType::AND_EXPR, both, -1).cast()
            }
        };
    }
    Some(copy)
}

/// `abelian.check_own_row(table, distribution columns)`, as a condition of COPY that has not been analysed. The columns are, already: so they need
/// no privilege to read them, as those that PostgreSQL makes of JOIN USING.
fn condition(table: Oid) -> Option<NodePtr> {
    let Home::Distributed(distribution) = placements::home(table) else {
        return None;
    };
    // The extension's SQL may be of an older version.
    let known = [pg_sys::OIDOID, pg_sys::ANYOID];
    if postgres::own_function(c"check_own_row", &known) == Oid::INVALID {
        return None;
    }
    let opened = Opened::open(table, pg_sys::AccessShareLock)?;
    let number = CString::new(table.to_u32().to_string()).ok()?;
    // SAFETY: nodes in the current memory context, of columns that are there.
    unsafe {
        let constant = tree::make::<pg_sys::A_Const>();
        constant.val.sval.type_ = NodeTag::T_String;
        constant.val.sval.sval = pg_sys::pstrdup(number.as_ptr());
        constant.location = -1;
        let mut arguments = vec![std::ptr::from_mut(constant).cast()];
        for column in distribution.columns() {
            let described = &opened.columns()[column.attribute as usize - 1];
            let variable = pg_sys::makeVar(
                1,
                column.attribute,
                described.atttypid,
                described.atttypmod,
                described.attcollation,
                0,
            );
            arguments.push(variable.cast());
        }
        let name = [c"abelian", c"check_own_row"]
            .map(|part| pg_sys::makeString(pg_sys::pstrdup(part.as_ptr())).cast());
        let call = pg_sys::makeFuncCall(
            tree::make_list(name),
            tree::make_list(arguments),
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
            -1,
        );
        Some(call.cast())
    }
}

pg_function!(
    /// `abelian.check_own_row(table, VARIADIC distribution columns)`: true, or an error when the row belongs to another node.
    fn abelian_check_own_row(call) {
        check_row(call, elsewhere)
    }
);

pg_function!(
    /// `abelian.check_changed_row(table, VARIADIC distribution columns)`: the same of a row that triggers may have changed.
    fn abelian_check_changed_row(call) {
        check_row(call, changed_by_trigger)
    }
);

fn check_row(call: Call, refusal: fn(Oid, i32) -> PostgresError) -> Result<Datum, Error> {
    let relation = Oid::from(call.arg(0).value() as u32);
    if relation == Oid::INVALID {
        // The update of a row that has become one of another partition: it is inserted there, and looked at then.
        return Ok(true.into());
    }
    let Home::Distributed(distribution) = placements::home(relation) else {
        return Ok(true.into());
    };
    let count = distribution.columns().len();
    if call.len() != count + 1 {
        return Ok(true.into()); // nobody else but COPY and our trigger call it, and they give all columns
    }
    let node = if (1..=count).any(|argument| call.is_null(argument)) {
        if !lets_null(relation, &distribution) {
            return Ok(true.into()); // PostgreSQL refuses the row, and shows it
        }
        let Some(node) = distribution.node_of_null() else {
            insertion::refuse_null(relation);
        };
        Ok(node)
    } else {
        // SAFETY: the arguments have the types that the call says.
        unsafe {
            let function = (*call.info()).flinfo;
            distribution.node_of(|key| {
                let argument = key + 1;
                (
                    pg_sys::get_fn_expr_argtype(function, argument as i32),
                    call.arg(argument),
                )
            })
        }
    };
    match (node, placements::own_node_of_several()) {
        (Ok(node), Some(own)) if node != own => refusal(relation, node).raise(),
        (Err(Unplaced::Nowhere | Unplaced::Unknown), _) => insertion::refuse_unplaced(relation),
        _ => Ok(true.into()),
    }
}

fn changed_by_trigger(relation: Oid, node: i32) -> PostgresError {
    PostgresError::unsupported(
        &format!(
            "a trigger has given a row of distributed table \"{}\" a key of node {node}",
            name_of(relation)
        ),
        "A trigger must leave the distribution columns as they are, or choose keys of the same node.",
    )
}

/// Whether a distribution column may be NULL as far as PostgreSQL is concerned.
fn lets_null(table: Oid, distribution: &Distribution) -> bool {
    Opened::open(table, pg_sys::AccessShareLock).is_some_and(|opened| {
        let columns = opened.columns();
        distribution
            .columns()
            .iter()
            .any(|key| !columns[key.attribute as usize - 1].attnotnull)
    })
}
