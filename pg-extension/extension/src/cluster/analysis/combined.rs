//! How updates of several sessions, equal but for their operands, can be run as one: a text whose operands are parameters of their own, marked
//! (see `crate::operation::combined`), and where the router finds each session's operands.

use super::operand;
use super::parser;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::{catalog, object, operation};
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// PostgreSQL's `bigint + bigint` and `numeric + numeric`.
const ADD: [(Oid, u32); 2] = [(pg_sys::INT8OID, 684), (pg_sys::NUMERICOID, 1758)];

/// The functions of PostgreSQL's subtractions that are operations.
const SUBTRACTIONS: [u32; 4] = [
    pg_sys::F_INT8MI,
    pg_sys::F_INT84MI,
    pg_sys::F_INT82MI,
    pg_sys::F_NUMERIC_SUB,
];

/// One assignment `c = c + operand` or `c = c - operand`.
struct Assignment {
    /// The addition or subtraction.
    sum: NodePtr,
    /// The column, cast to its value type.
    column: NodePtr,
    /// The type of the sum.
    type_: Oid,
    /// Where the operand comes from.
    operand: Json,
}

/// The facts; null for a statement that is not a mere update by operations with operands that a router can add up.
///
/// `query` is as analysed, `rewritten` what the rewriter made of it.
pub fn facts(
    query: &pg_sys::Query,
    rewritten: &pg_sys::Query,
    parameters: &[Oid],
) -> Result<Json, PostgresError> {
    let is_update = query.commandType == CmdType::CMD_UPDATE && query.returningList.is_null();
    if !is_update || parameters.contains(&Oid::INVALID) || !operation::combined::is_pure(rewritten)
    {
        return Ok(Json::Null);
    }
    let copy = tree::copy(query);
    let mut types = parameters.to_vec();
    let mut operands = Vec::new();
    // SAFETY: a private copy.
    for entry in tree::nodes(unsafe { (*copy).targetList }) {
        let entry = entry.cast::<pg_sys::TargetEntry>();
        // SAFETY: target lists hold target entries.
        let expression: NodePtr = unsafe { (*entry).expr.cast() };
        let Some(assignment) = assignment(query, parameters, expression) else {
            return Ok(Json::Null);
        };
        types.push(assignment.type_);
        let Some(sum) = marked_sum(&assignment, types.len() as i32) else {
            return Ok(Json::Null);
        };
        let replaced = tree::replace(expression, &mut |node| {
            (node == assignment.sum).then_some(sum)
        });
        // SAFETY: as above.
        unsafe { (*entry).expr = replaced.cast() };
        operands.push(assignment.operand);
    }
    Ok(json!({
        "text": parser::deparse(copy)?,
        "parameters": types.iter().map(|oid| oid.to_u32()).collect::<Vec<_>>(),
        "operands": operands,
    }))
}

fn assignment(
    query: &pg_sys::Query,
    parameters: &[Oid],
    expression: NodePtr,
) -> Option<Assignment> {
    let catalog = catalog::find()?;
    let bounded = tree::type_of(expression) == catalog.bounded_counter;
    let (sum, operator) = under_casts(expression)?;
    let [left, right] = tree::nodes(operator.args).collect::<Vec<_>>()[..] else {
        return None;
    };
    let (column, other) = match (is_column(left, &catalog), is_column(right, &catalog)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    // SAFETY: lookup of an operator's function.
    let negative = SUBTRACTIONS.contains(&unsafe { pg_sys::get_opcode(operator.opno) }.to_u32());
    let mut operand = operand::value(other)?;
    let of_type = match operand["param"].as_u64() {
        Some(number) if uses(query, number as i32) == 1 => *parameters.get(number as usize - 1)?,
        Some(_) => return None,
        None => tree::type_of(other),
    };
    let integer = [pg_sys::INT2OID, pg_sys::INT4OID, pg_sys::INT8OID].contains(&of_type);
    let known = integer || of_type == pg_sys::NUMERICOID;
    if !known || operand["null"] == true {
        return None;
    }
    operand["type"] = json!(of_type.to_u32());
    operand["negative"] = json!(negative);
    operand["bounded"] = json!(bounded);
    Some(Assignment {
        sum,
        column,
        type_: operator.opresulttype,
        operand,
    })
}

/// The operator below the casts of an assignment.
fn under_casts(mut node: NodePtr) -> Option<(NodePtr, &'static pg_sys::OpExpr)> {
    while let Some(cast) = tree::cast::<pg_sys::FuncExpr, _>(node) {
        node = tree::nodes(cast.args).next()?;
    }
    Some((node, tree::cast::<pg_sys::OpExpr, _>(node)?))
}

/// Whether this is an Abelian column, cast to its value type.
fn is_column(node: NodePtr, catalog: &catalog::Catalog) -> bool {
    tree::cast::<pg_sys::FuncExpr, _>(node)
        .and_then(|cast| tree::nodes(cast.args).next())
        .and_then(|inner| tree::cast::<pg_sys::Var, _>(inner))
        .is_some_and(|column| object::is_object_type(catalog, column.vartype))
}

/// How often a parameter is used in the statement.
fn uses(query: &pg_sys::Query, number: i32) -> usize {
    let mut count = 0;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        count += usize::from(operand::parameter(node) == Some(number));
        true
    });
    count
}

/// The column plus the marked parameter of that number.
fn marked_sum(assignment: &Assignment, number: i32) -> Option<NodePtr> {
    let (type_, add) = *ADD.iter().find(|(type_, _)| *type_ == assignment.type_)?;
    let mark = operation::combined::mark(type_)?;
    let parameter = tree::make::<pg_sys::Param>();
    parameter.paramkind = pg_sys::ParamKind::PARAM_EXTERN;
    parameter.paramid = number;
    parameter.paramtype = type_;
    parameter.paramtypmod = -1;
    parameter.location = -1;
    // SAFETY: makes nodes of valid functions, operators and types.
    unsafe {
        let marked = pg_sys::makeFuncExpr(
            mark,
            type_,
            tree::make_list([std::ptr::from_mut(parameter).cast()]),
            Oid::INVALID,
            Oid::INVALID,
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
        );
        let sum = pg_sys::make_opclause(
            Oid::from(add),
            type_,
            false,
            assignment.column.cast(),
            marked.cast(),
            Oid::INVALID,
            Oid::INVALID,
        );
        Some(sum.cast())
    }
}
