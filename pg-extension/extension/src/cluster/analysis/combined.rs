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

/// How two operands become one.
#[derive(Clone, Copy, PartialEq)]
enum Merge {
    Sum,
    Greatest,
    Least,
}

impl Merge {
    fn name(self) -> &'static str {
        match self {
            Merge::Sum => "sum",
            Merge::Greatest => "greatest",
            Merge::Least => "least",
        }
    }
}

/// One assignment: `c = c + operand`, `c = c - operand`, `c = greatest(c, operand)` or `c = least(c, operand)`.
struct Assignment {
    /// The expression of that, without casts.
    operation: NodePtr,
    merge: Merge,
    /// The column, as it stands in there.
    column: NodePtr,
    /// The type of what takes the operand's place.
    type_: Oid,
    /// Where the operand comes from.
    operand: Json,
}

/// Under this name are facts about sums alone: it is the only one that routers before 0.5.0 know, which can do nothing but add.
const SUMS: &str = "combined";

/// Of statements with extrema among their operations.
const EXTREMA: &str = "combined_extrema";

/// Adds the facts about a mere update by operations with operands of which a router can make one.
///
/// `query` is as analysed, `rewritten` what the rewriter made of it.
pub fn describe(
    query: &pg_sys::Query,
    rewritten: &pg_sys::Query,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let found = find(query, rewritten, parameters)?;
    let sums_only = found["operands"]
        .as_array()
        .is_none_or(|operands| operands.iter().all(|one| one["merge"] == Merge::Sum.name()));
    facts[if sums_only { SUMS } else { EXTREMA }] = found;
    Ok(())
}

fn find(
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
        let Some(marked) = assignment.marked(types.len() as i32) else {
            return Ok(Json::Null);
        };
        let replaced = tree::replace(expression, &mut |node| {
            (node == assignment.operation).then_some(marked)
        });
        // SAFETY: as above.
        unsafe { (*entry).expr = replaced.cast() };
        operands.push(assignment.operand);
    }
    Ok(json!({
        "text": parser::deparse_for(copy, &[])?,
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
    let column_type = tree::type_of(expression);
    // Each amount is rounded by itself before it is added.
    if column_type == catalog.bounded_decimal {
        return None;
    }
    let bounded = catalog.is_bounded_type(column_type);
    let operation = under_casts(expression)?;
    let (merge, negative, arguments) = merge(operation)?;
    let [left, right] = tree::nodes(arguments).collect::<Vec<_>>()[..] else {
        return None;
    };
    let (column, other) = match (is_column(left, &catalog), is_column(right, &catalog)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    // `greatest(c, x)` compares objects: x is cast to the column's type, or is of it.
    let type_ = tree::type_of(operation);
    let making = operation::combined::making(type_);
    let value_type = making.as_ref().map_or(type_, |making| making.value_type);
    let other = if making.is_some() {
        made_of(other, type_)
    } else {
        other
    };
    let mut operand = operand::value(other)?;
    let of_type = match operand["param"].as_u64() {
        Some(number) if uses(query, number as i32) == 1 => *parameters.get(number as usize - 1)?,
        Some(_) => return None,
        None => tree::type_of(other),
    };
    let of_type = if of_type == type_ {
        value_type
    } else {
        of_type
    };
    let integer = [pg_sys::INT2OID, pg_sys::INT4OID, pg_sys::INT8OID].contains(&of_type);
    let known = integer || of_type == pg_sys::NUMERICOID && value_type == pg_sys::NUMERICOID;
    if !known || operand["null"] == true {
        return None;
    }
    operand["type"] = json!(of_type.to_u32());
    operand["negative"] = json!(negative);
    operand["bounded"] = json!(bounded);
    operand["merge"] = json!(merge.name());
    Some(Assignment {
        operation,
        merge,
        column,
        type_: value_type,
        operand,
    })
}

/// What the expression casts to the type.
fn made_of(expression: NodePtr, type_: Oid) -> NodePtr {
    tree::cast::<pg_sys::FuncExpr, _>(expression)
        .filter(|call| call.funcresulttype == type_)
        .filter(|call| call.funcformat != pg_sys::CoercionForm::COERCE_EXPLICIT_CALL)
        .and_then(|cast| tree::nodes(cast.args).next())
        .unwrap_or(expression)
}

/// What is below the casts of an assignment.
fn under_casts(mut node: NodePtr) -> Option<NodePtr> {
    while let Some(cast) = tree::cast::<pg_sys::FuncExpr, _>(node) {
        node = tree::nodes(cast.args).next()?;
    }
    Some(node)
}

/// How such operations are merged, whether their operands are subtracted, and their arguments.
fn merge(operation: NodePtr) -> Option<(Merge, bool, *const pg_sys::List)> {
    if let Some(extremum) = tree::cast::<pg_sys::MinMaxExpr, _>(operation) {
        let merge = match extremum.op {
            pg_sys::MinMaxOp::IS_GREATEST => Merge::Greatest,
            _ => Merge::Least,
        };
        return Some((merge, false, extremum.args));
    }
    let operator = tree::cast::<pg_sys::OpExpr, _>(operation)?;
    // SAFETY: lookup of an operator's function.
    let negative = SUBTRACTIONS.contains(&unsafe { pg_sys::get_opcode(operator.opno) }.to_u32());
    Some((Merge::Sum, negative, operator.args))
}

/// Whether this is an Abelian column, itself or cast to its value type.
fn is_column(node: NodePtr, catalog: &catalog::Catalog) -> bool {
    let cast = tree::cast::<pg_sys::FuncExpr, _>(node);
    let inner = cast.map_or(Some(node), |cast| tree::nodes(cast.args).next());
    inner
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

impl Assignment {
    /// The same operation with the marked parameter of that number for its operand.
    fn marked(&self, number: i32) -> Option<NodePtr> {
        let operand = marked_parameter(self.type_, number)?;
        if self.merge == Merge::Sum {
            return sum(self.type_, self.column, operand);
        }
        let extremum = tree::cast::<pg_sys::MinMaxExpr, _>(self.operation)?;
        let operand = match operation::combined::making(extremum.minmaxtype) {
            Some(making) => cast(making.function, extremum.minmaxtype, operand),
            None => operand,
        };
        let copy = tree::copy(extremum);
        // SAFETY: a private copy.
        unsafe { (*copy).args = tree::make_list([self.column, operand]) };
        Some(copy.cast())
    }
}

/// A cast that is not written.
fn cast(function: Oid, type_: Oid, operand: NodePtr) -> NodePtr {
    call(
        function,
        type_,
        operand,
        pg_sys::CoercionForm::COERCE_IMPLICIT_CAST,
    )
}

fn call(function: Oid, type_: Oid, argument: NodePtr, form: pg_sys::CoercionForm::Type) -> NodePtr {
    // SAFETY: makes a node of a valid function and type.
    let call = unsafe {
        pg_sys::makeFuncExpr(
            function,
            type_,
            tree::make_list([argument]),
            Oid::INVALID,
            Oid::INVALID,
            form,
        )
    };
    call.cast()
}

fn marked_parameter(type_: Oid, number: i32) -> Option<NodePtr> {
    let mark = operation::combined::mark(type_)?;
    let argument = tree::make_parameter(number, type_);
    let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
    Some(call(mark, type_, argument, form))
}

fn sum(type_: Oid, column: NodePtr, operand: NodePtr) -> Option<NodePtr> {
    let (_, add) = *ADD.iter().find(|(of, _)| *of == type_)?;
    // SAFETY: makes a node of a valid operator and type.
    let sum = unsafe {
        pg_sys::make_opclause(
            Oid::from(add),
            type_,
            false,
            column.cast(),
            operand.cast(),
            Oid::INVALID,
            Oid::INVALID,
        )
    };
    Some(sum.cast())
}
