//! What the queries of a distributed procedure need: after a query is initialised, each scan of a table is looked at. The values that
//! its distribution column must equal tell the nodes whose rows matter; where no value is known, all nodes of the table matter.

use super::super::analysis::conditions::is_equality;
use super::super::analysis::operand::strip_faithful;
use super::super::analysis::tree::{self, NodePtr};
use super::super::placement::{self, Distribution, KeyColumn, Unplaced, Value};
use super::super::{postgres, run_as};
use super::body;
use super::insertion;
use super::participants;
use super::placements::{self, Home};
use crate::boundary::{self, PostgresError};
use crate::callback;
use crate::compat;
use crate::error::Error;
use crate::operation;
use crate::pg_function;
use crate::varlena::array_of;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::collections::BTreeSet;
use std::ffi::c_void;

/// Looks at an initialised query inside a call; raises AB002 when nodes are missing.
pub fn check_query(query: &pg_sys::QueryDesc) {
    if query.planstate.is_null() {
        return;
    }
    if participants::is_in_one_round() {
        // SAFETY: an initialised query has a plan.
        let obstacle = unsafe { more_than_blind(&*query.plannedstmt) };
        if let Some(obstacle) = obstacle {
            refuse_more(obstacle);
        }
    }
    let mut needed = BTreeSet::new();
    // SAFETY: a query that has just been initialised.
    unsafe { look(query.planstate, &mut needed) };
    if !needed.is_empty() {
        participants::require(needed);
    }
}

/// Why a planned statement may fail on this participant alone. What the router knows of the body may be older than the last change of a
/// table.
///
/// # Safety
/// A planned statement.
unsafe fn more_than_blind(statement: &pg_sys::PlannedStmt) -> Option<&'static str> {
    // SAFETY: by the caller's promise.
    unsafe {
        if operation::is_pure_plan(&*statement.planTree) {
            return None;
        }
        let insert = tree::cast::<pg_sys::ModifyTable, _>(statement.planTree)
            .filter(|modify| modify.operation == CmdType::CMD_INSERT);
        let Some(modify) = insert else {
            return Some(
                "it does more than commuting operations on the Abelian columns of a plain table",
            );
        };
        let number = pg_sys::list_nth_int(statement.resultRelations, 0);
        let relation = tree::list::<pg_sys::RangeTblEntry>(statement.rtable)
            .nth(number as usize - 1)
            .map_or(Oid::INVALID, |entry| entry.relid);
        body::row_obstacle(relation, (*modify.plan.lefttree).targetlist)
    }
}

/// Raises AB004: the router reads its facts anew and runs the call in another way.
fn refuse_more(obstacle: &str) -> ! {
    let error = PostgresError::made(
        postgres::make_sqlstate(*b"AB004"),
        "the distributed procedure cannot commit in one round",
        &format!("A statement is no blind operation any more: {obstacle}."),
        None,
    );
    error.raise()
}

pg_function!(
    /// `abelian.is_local(relation, key)`: whether rows with that key are this node's to work on.
    fn abelian_is_local(call) {
        if !participants::is_running() {
            return Ok(true.into());
        }
        // SAFETY: the first argument is declared as regclass; the second has the type that the call says.
        let type_oid = unsafe { pg_sys::get_fn_expr_argtype((*call.info()).flinfo, 1) };
        let own = participants::own_node();
        let node = match placements::home(Oid::from(call.arg(0).value() as u32)) {
            Home::Here | Home::Everywhere => own,
            Home::Node(node) => node,
            Home::Distributed(distribution) if distribution.single().is_none() => {
                return Err(Error::SeveralKeys);
            }
            // SAFETY: as above.
            Home::Distributed(distribution) => match unsafe { distribution.node_of(|_| (type_oid, call.arg(1))) } {
                Ok(node) => node,
                Err(Unplaced::Nowhere) => return Ok(false.into()),
                Err(Unplaced::Unknown) => return Err(Error::KeyType),
            },
        };
        participants::require([node]);
        Ok((node == own).into())
    }
);

/// Refuses commands that change more than rows.
pub fn check_command(statement: *mut pg_sys::Node) {
    let harmless = matches!(
        tree::tag(statement),
        Some(NodeTag::T_CallStmt | NodeTag::T_DoStmt | NodeTag::T_ExplainStmt)
    );
    if harmless && !run_as::explains_a_command(statement) {
        return;
    }
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32,
        "a distributed procedure cannot run commands other than queries",
        "Each participant runs the body; a command would change only these nodes.",
        None,
    );
    error.raise()
}

callback!(fn visit(state: *mut pg_sys::PlanState, context: *mut c_void) -> bool = look_below);

fn look_below(state: *mut pg_sys::PlanState, context: *mut c_void) -> bool {
    // SAFETY: the context is the set that `look` passed.
    unsafe { look(state, &mut *context.cast::<BTreeSet<i32>>()) };
    false
}

/// Plan nodes that read a table of this node.
pub fn is_scan(tag: NodeTag) -> bool {
    matches!(
        tag,
        NodeTag::T_SeqScan
            | NodeTag::T_SampleScan
            | NodeTag::T_IndexScan
            | NodeTag::T_IndexOnlyScan
            | NodeTag::T_BitmapHeapScan
            | NodeTag::T_TidScan
            | NodeTag::T_TidRangeScan
    )
}

/// # Safety
/// The state must be an initialised plan node.
unsafe fn look(state: *mut pg_sys::PlanState, needed: &mut BTreeSet<i32>) {
    // SAFETY: the plan's tag says what its state is.
    unsafe {
        match tree::tag((*state).plan) {
            Some(NodeTag::T_ModifyTable) => {
                look_at_change(&*state.cast::<pg_sys::ModifyTableState>())
            }
            Some(tag) if is_scan(tag) => look_at_scan(&*state.cast::<pg_sys::ScanState>(), needed),
            _ => {}
        }
        compat::planstate_tree_walker(state, visit, std::ptr::from_mut(needed).cast());
    }
}

/// # Safety
/// An initialised ModifyTable.
unsafe fn look_at_change(modify: &pg_sys::ModifyTableState) {
    // SAFETY: its result relations are open.
    unsafe {
        let relation = (*(*modify.resultRelInfo).ri_RelationDesc).rd_id;
        let home = placements::home(relation);
        let changes_key =
            matches!(&home, Home::Distributed(distribution) if assigns_key(modify, distribution));
        if changes_key {
            drop(home);
            refuse_new_key(relation);
        }
        match (modify.operation, &home) {
            (CmdType::CMD_INSERT, _) => insertion::install(modify, home),
            (_, Home::Everywhere) => {
                drop(home);
                insertion::refuse(relation)
            }
            (CmdType::CMD_MERGE, Home::Distributed(_) | Home::Node(_)) => {
                drop(home);
                check_command(std::ptr::null_mut())
            }
            _ => {}
        }
    }
}

/// Whether SET, or that of ON CONFLICT, names a distribution column.
///
/// # Safety
/// An initialised ModifyTable.
pub unsafe fn assigns_key(modify: &pg_sys::ModifyTableState, distribution: &Distribution) -> bool {
    // SAFETY: a result relation has an entry in the range table.
    unsafe {
        let updated = pg_sys::ExecGetUpdatedCols(modify.resultRelInfo, modify.ps.state);
        distribution.columns().iter().any(|column| {
            let member = i32::from(column.attribute) - pg_sys::FirstLowInvalidHeapAttributeNumber;
            pg_sys::bms_is_member(member, updated)
        })
    }
}

/// Raises: the row would stay on the node of its old key, where nobody looks for it.
fn refuse_new_key(relation: Oid) -> ! {
    // SAFETY: the name of a relation that is open.
    let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
    let error = PostgresError::made(
        pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32,
        &format!("a distributed procedure cannot change the distribution column of \"{name}\""),
        "DELETE the row and INSERT it with the new value instead.",
        None,
    );
    error.raise()
}

/// # Safety
/// An initialised scan of a relation.
unsafe fn look_at_scan(scan: &pg_sys::ScanState, needed: &mut BTreeSet<i32>) {
    if scan.ss_currentRelation.is_null() {
        return;
    }
    // SAFETY: the relation is open.
    match unsafe { wanted(scan) } {
        Wanted::Nothing => {}
        Wanted::Node(node) => {
            needed.insert(node);
        }
        Wanted::Keys(nodes) | Wanted::All(nodes) => needed.extend(nodes),
    }
}

/// The nodes that have what a scan looks for.
pub enum Wanted {
    /// Every node has it.
    Nothing,
    /// The relation lies on this node only.
    Node(i32),
    /// Rows of some keys.
    Keys(BTreeSet<i32>),
    /// Rows of any key.
    All(BTreeSet<i32>),
}

/// What a scan looks for.
///
/// # Safety
/// An initialised scan of an open relation.
pub unsafe fn wanted(scan: &pg_sys::ScanState) -> Wanted {
    // SAFETY: by the caller's promise; the clauses are those of the scan.
    unsafe {
        match placements::home((*scan.ss_currentRelation).rd_id) {
            Home::Here | Home::Everywhere => Wanted::Nothing,
            Home::Node(node) => Wanted::Node(node),
            Home::Distributed(distribution) => nodes_of(scan, &distribution)
                .map_or_else(|| Wanted::All(distribution.all_nodes()), Wanted::Keys),
        }
    }
}

/// The conditions of a scan, those of its index in their original form.
///
/// # Safety
/// An initialised scan.
unsafe fn clauses(scan: &pg_sys::ScanState) -> Vec<NodePtr> {
    let plan = scan.ps.plan;
    // SAFETY: the tag says which structure it is.
    unsafe {
        let of_index = match tree::tag(plan) {
            Some(NodeTag::T_IndexScan) => (*plan.cast::<pg_sys::IndexScan>()).indexqualorig,
            Some(NodeTag::T_IndexOnlyScan) => (*plan.cast::<pg_sys::IndexOnlyScan>()).indexqual,
            Some(NodeTag::T_BitmapHeapScan) => {
                (*plan.cast::<pg_sys::BitmapHeapScan>()).bitmapqualorig
            }
            _ => std::ptr::null_mut(),
        };
        tree::nodes(of_index)
            .chain(tree::nodes((*plan).qual))
            .collect()
    }
}

/// More combinations of keys are not looked at.
const COMBINATIONS_MAX: usize = 10_000;

/// The nodes of the rows that the conditions of a scan allow; `None` when they do not say.
///
/// # Safety
/// An initialised scan.
unsafe fn nodes_of(scan: &pg_sys::ScanState, distribution: &Distribution) -> Option<BTreeSet<i32>> {
    // SAFETY: by the caller's promise; the clauses are those of the scan.
    let keys: Option<Vec<Vec<Value>>> = unsafe {
        let clauses = clauses(scan);
        distribution
            .columns()
            .iter()
            .map(|column| clauses.iter().find_map(|one| keys_of(scan, column, *one)))
            .collect()
    };
    let keys = keys?;
    if distribution.single().is_some() {
        let nodes = keys[0].chunks(1).filter_map(|key| distribution.node(key));
        return Some(nodes.collect());
    }
    let count = keys
        .iter()
        .try_fold(1_usize, |count, keys| count.checked_mul(keys.len()))?;
    (count <= COMBINATIONS_MAX).then(|| {
        let combinations = keys.iter().fold(vec![Vec::new()], |begun, next| {
            let longer =
                |one: &Vec<Value>, key: &Value| [&one[..], std::slice::from_ref(key)].concat();
            begun
                .iter()
                .flat_map(|one| next.iter().map(move |key| longer(one, key)))
                .collect()
        });
        let nodes = combinations
            .iter()
            .filter_map(|keys| distribution.node(keys));
        nodes.collect()
    })
}

/// The keys that a condition allows in a distribution column; `None` when it does not say.
///
/// # Safety
/// The clause must belong to the scan.
unsafe fn keys_of(
    scan: &pg_sys::ScanState,
    column: &KeyColumn,
    clause: NodePtr,
) -> Option<Vec<Value>> {
    // SAFETY: by the caller's promise.
    unsafe {
        if let Some(operator) = tree::cast::<pg_sys::OpExpr, _>(clause) {
            let sides: Vec<NodePtr> = tree::nodes(operator.args).collect();
            let [left, right] = sides[..] else {
                return None;
            };
            if !is_equality(operator.opno, operator.inputcollid, left) {
                return None;
            }
            let value = if is_key(scan, column, left) {
                right
            } else if is_key(scan, column, right) {
                left
            } else {
                return None;
            };
            return keys_of_value(scan, column, value);
        }
        if let Some(any) = tree::cast::<pg_sys::ScalarArrayOpExpr, _>(clause) {
            let sides: Vec<NodePtr> = tree::nodes(any.args).collect();
            let [left, right] = sides[..] else {
                return None;
            };
            if !any.useOr
                || !is_equality(any.opno, any.inputcollid, left)
                || !is_key(scan, column, left)
            {
                return None;
            }
            return keys_of_elements(scan, column, right);
        }
        let either = tree::cast::<pg_sys::BoolExpr, _>(clause)?;
        let mut arms = tree::nodes(either.args).map(|arm| keys_of(scan, column, arm));
        match either.boolop {
            pg_sys::BoolExprType::OR_EXPR => arms.try_fold(Vec::new(), |mut all, arm| {
                all.extend(arm?);
                Some(all)
            }),
            pg_sys::BoolExprType::AND_EXPR => arms.find_map(|arm| arm),
            _ => None,
        }
    }
}

/// Whether an expression is the distribution column, or a faithful cast of it.
///
/// # Safety
/// The expression must belong to the scan.
unsafe fn is_key(scan: &pg_sys::ScanState, column: &KeyColumn, expression: NodePtr) -> bool {
    let Some(var) = tree::cast::<pg_sys::Var, _>(strip_faithful(expression)) else {
        return false;
    };
    if var.varno != pg_sys::INDEX_VAR {
        return var.varattno == column.attribute;
    }
    // SAFETY: only index-only scans have such Vars; their list names the columns of the index.
    unsafe {
        let plan = scan.ps.plan.cast::<pg_sys::IndexOnlyScan>();
        tree::list::<pg_sys::TargetEntry>((*plan).indextlist)
            .nth(var.varattno as usize - 1)
            .and_then(|entry| tree::cast::<pg_sys::Var, _>(entry.expr))
            .is_some_and(|indexed| indexed.varattno == column.attribute)
    }
}

/// The value of an expression that neither rows nor other parts of the plan change; the flag says whether it is null.
///
/// # Safety
/// The expression must belong to the scan.
unsafe fn evaluate(scan: &pg_sys::ScanState, expression: NodePtr) -> Option<(pg_sys::Datum, bool)> {
    let depends = tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
            || tree::cast::<pg_sys::Param, _>(node)
                .is_some_and(|param| param.paramkind != pg_sys::ParamKind::PARAM_EXTERN)
            || matches!(
                tree::tag(node),
                Some(NodeTag::T_SubPlan | NodeTag::T_AlternativeSubPlan)
            )
    });
    // SAFETY: a planned expression; a volatile one would not be a condition of an index, but may be one of a filter.
    unsafe {
        if depends || pg_sys::contain_volatile_functions(expression) {
            return None;
        }
        if let Some(constant) = tree::cast::<pg_sys::Const, _>(expression) {
            return Some((constant.constvalue, constant.constisnull));
        }
        let estate = scan.ps.state;
        let before = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = (*estate).es_query_cxt;
        let state = pg_sys::ExecInitExprWithParams(expression.cast(), (*estate).es_param_list_info);
        let context = if (*estate).es_per_tuple_exprcontext.is_null() {
            pg_sys::MakePerTupleExprContext(estate)
        } else {
            (*estate).es_per_tuple_exprcontext
        };
        let mut is_null = false;
        let value = (*state)
            .evalfunc
            .map(|run| boundary::call(|| run(state, context, &mut is_null)));
        pg_sys::CurrentMemoryContext = before;
        value.map(|value| (value, is_null))
    }
}

/// # Safety
/// As [`evaluate`].
unsafe fn keys_of_value(
    scan: &pg_sys::ScanState,
    column: &KeyColumn,
    value: NodePtr,
) -> Option<Vec<Value>> {
    // SAFETY: the value is of the expression's type.
    unsafe {
        let (datum, is_null) = evaluate(scan, value)?;
        let mut keys = Vec::new();
        if !is_null {
            add(&mut keys, column, tree::type_of(value), datum)?;
        }
        Some(keys)
    }
}

/// # Safety
/// As [`evaluate`].
unsafe fn keys_of_elements(
    scan: &pg_sys::ScanState,
    column: &KeyColumn,
    array: NodePtr,
) -> Option<Vec<Value>> {
    // SAFETY: the value is an array, and its elements are of the type that it names.
    unsafe {
        let (datum, is_null) = evaluate(scan, array)?;
        let mut keys = Vec::new();
        if is_null {
            return Some(keys);
        }
        let (elements, type_) = array_of(datum);
        for element in elements.into_iter().flatten() {
            add(&mut keys, column, type_, element)?;
        }
        Some(keys)
    }
}

/// Adds the key of a value; `None` when the placement function does not know its type.
///
/// # Safety
/// The datum must be of that type.
unsafe fn add(
    keys: &mut Vec<Value>,
    column: &KeyColumn,
    type_oid: Oid,
    datum: pg_sys::Datum,
) -> Option<()> {
    // SAFETY: by the caller's promise.
    match unsafe { placement::key(column, type_oid, datum) } {
        Ok(key) => keys.push(key),
        Err(Unplaced::Nowhere) => {}
        Err(Unplaced::Unknown) => return None,
    }
    Some(())
}
