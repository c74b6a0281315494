//! Columns and rules as users write them, read by PostgreSQL's own parser: the inside of a CASE expression whose results are partitions. What
//! comes out is the JSON of the catalogue, with every constant in its output form, so that it means the same on each node.

use super::super::analysis::parser;
use super::super::analysis::tree::{self, NodePtr};
use super::column::Operation;
use super::kind::Kind;
use super::value::Value;
use crate::boundary::PostgresError;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, A_Expr_Kind, NodeTag};
use serde_json::{Value as Json, json};
use std::ffi::CString;

/// More distribution columns, or conditions of a rule, are refused.
const COLUMNS_MAX: usize = 8;
const CONDITIONS_MAX: usize = 10_000;
/// PostgreSQL's limit of abelian.colocation.partition_count.
const PARTITION_MAX: i64 = 65_535;

const RULE_HINT: &str = "A rule reads WHEN column < 100 AND other IN ('a', 'b') THEN 0 WHEN ... ELSE 1. A condition compares a distribution column with a constant, by <, <=, =, >=, >, IN or BETWEEN.";
const COLUMNS_HINT: &str =
    "Name columns, separated by commas, each perhaps as column / n, column % n or left(column, n).";

type Result<T> = std::result::Result<T, PostgresError>;

/// A distribution column: its name and what is made of it.
pub type Named = (String, Option<Operation>);

fn error(code: PgSqlErrorCode, message: &str, hint: &str) -> PostgresError {
    PostgresError::with_hint(code as i32, message, "", hint, None)
}

fn unsupported(message: &str) -> PostgresError {
    PostgresError::unsupported(message, RULE_HINT)
}

fn invalid(message: &str, hint: &str) -> PostgresError {
    error(
        PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        message,
        hint,
    )
}

fn syntax(message: &str, hint: &str) -> PostgresError {
    error(PgSqlErrorCode::ERRCODE_SYNTAX_ERROR, message, hint)
}

/// The expressions of `SELECT text`, if the text is nothing but expressions separated by commas.
fn expressions(text: &str, what: &str, hint: &str) -> Result<Vec<NodePtr>> {
    let text = CString::new(text).unwrap_or_default();
    let statements = parser::parse(&text)
        .map_err(|parsed| syntax(&format!("{what}: {}", parsed.message()), hint))?;
    let nothing_else = || syntax(&format!("{what}: it goes on behind its end"), hint);
    let [statement] = statements[..] else {
        return Err(nothing_else());
    };
    let select = tree::cast::<pg_sys::SelectStmt, _>(statement.stmt).ok_or_else(nothing_else)?;
    let bare = select.distinctClause.is_null()
        && select.intoClause.is_null()
        && select.fromClause.is_null()
        && select.whereClause.is_null()
        && select.groupClause.is_null()
        && select.havingClause.is_null()
        && select.windowClause.is_null()
        && select.valuesLists.is_null()
        && select.sortClause.is_null()
        && select.limitOffset.is_null()
        && select.limitCount.is_null()
        && select.lockingClause.is_null()
        && select.withClause.is_null()
        && select.op == pg_sys::SetOperation::SETOP_NONE;
    let targets = tree::list::<pg_sys::ResTarget>(select.targetList)
        .map(|target| (bare && target.name.is_null()).then_some(target.val))
        .collect::<Option<Vec<NodePtr>>>();
    targets
        .filter(|targets| !targets.is_empty())
        .ok_or_else(nothing_else)
}

/// The columns of a text such as `a, b / 10, left(c, 2)`.
pub fn columns(text: &str) -> Result<Vec<Named>> {
    let what = "syntax error in the distribution columns";
    let columns: Vec<Named> = expressions(&format!("SELECT {text}\n"), what, COLUMNS_HINT)?
        .into_iter()
        .map(|expression| {
            key(expression).ok_or_else(|| {
                PostgresError::unsupported(
                    "rows can be distributed by columns and a few expressions over one column only",
                    COLUMNS_HINT,
                )
            })
        })
        .collect::<Result<_>>()?;
    if columns.len() > COLUMNS_MAX {
        let message = format!("there can be at most {COLUMNS_MAX} distribution columns");
        return Err(error(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            &message,
            "",
        ));
    }
    for (place, (name, _)) in columns.iter().enumerate() {
        if columns[..place].iter().any(|(before, _)| before == name) {
            let message = format!("column \"{name}\" is named twice");
            return Err(error(
                PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN,
                &message,
                "",
            ));
        }
    }
    Ok(columns)
}

/// The JSON of columns.
pub fn columns_json(columns: &[Named]) -> Json {
    let column = |(name, operation): &Named| match operation {
        None => json!({ "name": name }),
        Some(Operation::Divide(n)) => json!({ "name": name, "operator": "/", "operand": n }),
        Some(Operation::Modulo(n)) => json!({ "name": name, "operator": "%", "operand": n }),
        Some(Operation::Left(n)) => json!({ "name": name, "operator": "left", "operand": n }),
    };
    columns.iter().map(column).collect()
}

/// A column, or an expression over one; `None` for anything else.
fn key(expression: NodePtr) -> Option<Named> {
    if let Some(name) = column_name(expression) {
        return Some((name, None));
    }
    if let Some(operator) = tree::cast::<pg_sys::A_Expr, _>(expression) {
        let name = &tree::strings(operator.name)[..];
        let [name] = name else { return None };
        let operand = whole(operator.rexpr)?;
        let is_operator = operator.kind == A_Expr_Kind::AEXPR_OP && ["/", "%"].contains(&&name[..]);
        let operation = is_operator
            .then(|| Operation::named(name, operand))
            .flatten()?;
        return Some((column_name(operator.lexpr)?, Some(operation)));
    }
    let call = tree::cast::<pg_sys::FuncCall, _>(expression)?;
    let name = tree::strings(call.funcname);
    let arguments: Vec<NodePtr> = tree::nodes(call.args).collect();
    match (&name[..], &arguments[..]) {
        ([name], [column, count]) if name == "left" => {
            let operation = Operation::named("left", whole(*count)?)?;
            Some((column_name(*column)?, Some(operation)))
        }
        _ => None,
    }
}

fn column_name(expression: NodePtr) -> Option<String> {
    let column = tree::cast::<pg_sys::ColumnRef, _>(expression)?;
    let fields: Vec<NodePtr> = tree::nodes(column.fields).collect();
    match fields[..] {
        [field] if tree::tag(field) == Some(NodeTag::T_String) => {
            tree::strings(column.fields).pop()
        }
        _ => None,
    }
}

/// What a constant is, as it is written.
enum Constant {
    Null,
    Number(String),
    Text(String),
    Boolean(bool),
}

fn constant(expression: NodePtr) -> Option<Constant> {
    let constant = tree::cast::<pg_sys::A_Const, _>(expression)?;
    if constant.isnull {
        return Some(Constant::Null);
    }
    let value = &raw const constant.val;
    // SAFETY: each kind of value is a node, which starts with its tag.
    unsafe {
        Some(match tree::tag(value.cast::<pg_sys::Node>())? {
            NodeTag::T_Integer => Constant::Number((*value).ival.ival.to_string()),
            NodeTag::T_Float => Constant::Number(tree::string((*value).fval.fval)),
            NodeTag::T_Boolean => Constant::Boolean((*value).boolval.boolval),
            NodeTag::T_String => Constant::Text(tree::string((*value).sval.sval)),
            _ => return None,
        })
    }
}

fn whole(expression: NodePtr) -> Option<i64> {
    match constant(expression)? {
        Constant::Number(number) => number.parse().ok(),
        _ => None,
    }
}

/// Reads a rule over some columns.
struct Reader<'a> {
    columns: &'a [Named],
    kinds: &'a [Kind],
    conditions: usize,
}

/// The JSON of a rule. `kinds` are those of the columns.
pub fn rule(text: &str, method: &str, columns: &[Named], kinds: &[Kind]) -> Result<Json> {
    // A clause before the user's, so that there is one where only ELSE may stand.
    let text = format!("SELECT CASE WHEN NULL THEN 0 {text}\nEND");
    let what = "syntax error in the rule";
    let found = expressions(&text, what, RULE_HINT)?;
    let case = match found[..] {
        [expression] => tree::cast::<pg_sys::CaseExpr, _>(expression),
        _ => None,
    };
    let case =
        case.ok_or_else(|| syntax(&format!("{what}: it goes on behind its end"), RULE_HINT))?;
    let mut reader = Reader {
        columns,
        kinds,
        conditions: 0,
    };
    let clauses: Vec<Json> = tree::list::<pg_sys::CaseWhen>(case.args)
        .skip(1)
        .map(|clause| reader.clause(clause))
        .collect::<Result<_>>()?;
    let rule = json!({ "clauses": clauses, "default": reader.default(case.defresult.cast())? });
    check_method(method, columns.len(), &rule)?;
    Ok(rule)
}

/// Whether the method allows such a rule.
fn check_method(method: &str, columns: usize, rule: &Json) -> Result<()> {
    if columns > 1 && method != "rules" {
        let message = format!("distribution by {method} is by one column");
        return Err(invalid(
            &message,
            "The distribution types hash and rules take several columns.",
        ));
    }
    let clauses = rule["clauses"].as_array().map_or(&[][..], Vec::as_slice);
    if clauses.is_empty() != (method == "lookup") {
        let (message, hint) = match method {
            "lookup" => (
                "the rule of a lookup has no WHEN",
                "Its keys are placed by abelian.place_key(); the rule says ELSE for the others.",
            ),
            _ => ("a rule needs a WHEN", RULE_HINT),
        };
        return Err(invalid(message, hint));
    }
    let conditions = clauses
        .iter()
        .flat_map(|clause| clause["conditions"].as_array().into_iter().flatten());
    for condition in conditions {
        let is_list = condition["values"]
            .as_array()
            .is_some_and(|values| values.len() > 1);
        if method == "range" && is_list {
            return Err(invalid(
                "a range has no IN",
                "The distribution types list and rules have.",
            ));
        }
        if method == "list" && condition["operator"] != "=" {
            return Err(invalid(
                "a list has no comparison but = and IN",
                "The distribution types range and rules have others.",
            ));
        }
    }
    Ok(())
}

impl Reader<'_> {
    fn clause(&mut self, clause: &pg_sys::CaseWhen) -> Result<Json> {
        let mut conditions = Vec::new();
        self.conditions(clause.expr.cast(), &mut conditions)?;
        let partition = partition(clause.result.cast())?
            .ok_or_else(|| unsupported("the result of WHEN is not the number of a partition"))?;
        Ok(json!({ "partition": partition, "conditions": conditions }))
    }

    fn conditions(&mut self, expression: NodePtr, found: &mut Vec<Json>) -> Result<()> {
        pgrx::check_for_interrupts!();
        if let Some(all) = tree::cast::<pg_sys::BoolExpr, _>(expression) {
            if all.boolop != pg_sys::BoolExprType::AND_EXPR {
                let hint = "Instead of OR, write WHEN twice, or IN.";
                return Err(PostgresError::unsupported(
                    "conditions of a rule are joined by AND only",
                    hint,
                ));
            }
            return tree::nodes(all.args).try_for_each(|one| self.conditions(one, found));
        }
        let comparison = tree::cast::<pg_sys::A_Expr, _>(expression)
            .ok_or_else(|| unsupported("a condition of the rule is not a comparison"))?;
        self.comparison(comparison, found)?;
        self.conditions = self.conditions.max(found.len());
        if found.len() > CONDITIONS_MAX {
            return Err(too_many());
        }
        Ok(())
    }

    fn comparison(&mut self, comparison: &pg_sys::A_Expr, found: &mut Vec<Json>) -> Result<()> {
        let name = tree::strings(comparison.name).pop().unwrap_or_default();
        let several = || tree::nodes(comparison.rexpr.cast::<pg_sys::List>());
        match (comparison.kind, &name[..]) {
            (A_Expr_Kind::AEXPR_OP, "<" | "<=" | "=" | ">=" | ">") => {
                // SAFETY: an operator has a right side; one without a left side is no comparison.
                let (mut column, mut value, mut operator) =
                    (comparison.lexpr, comparison.rexpr, &name[..]);
                if is_constant(column) {
                    (column, value, operator) = (value, column, mirrored(operator));
                }
                self.condition(column, operator, &[value], found)
            }
            (A_Expr_Kind::AEXPR_IN, "=") => {
                let values: Vec<NodePtr> = several().collect();
                self.condition(comparison.lexpr, "=", &values, found)
            }
            (A_Expr_Kind::AEXPR_BETWEEN, _) => {
                let ends: Vec<NodePtr> = several().collect();
                self.condition(comparison.lexpr, ">=", &ends[..1], found)?;
                self.condition(comparison.lexpr, "<=", &ends[1..], found)
            }
            _ => Err(unsupported(&format!(
                "a condition of the rule uses {}",
                described(&name)
            ))),
        }
    }

    fn condition(
        &mut self,
        column: NodePtr,
        operator: &str,
        values: &[NodePtr],
        found: &mut Vec<Json>,
    ) -> Result<()> {
        self.conditions += values.len();
        if self.conditions > CONDITIONS_MAX {
            return Err(too_many());
        }
        let place = self.place(column)?;
        let values: Vec<String> = values
            .iter()
            .map(|value| self.value(place, *value))
            .collect::<Result<_>>()?;
        found.push(json!({ "column": place, "operator": operator, "values": values }));
        Ok(())
    }

    /// The place of the distribution column that an expression is.
    fn place(&self, expression: NodePtr) -> Result<usize> {
        let named = key(expression).ok_or_else(|| {
            unsupported(
                "a condition of the rule compares something else than a distribution column",
            )
        })?;
        if let Some(place) = self.columns.iter().position(|column| *column == named) {
            return Ok(place);
        }
        let (name, _) = named;
        Err(
            match self.columns.iter().any(|(column, _)| *column == name) {
                true => PostgresError::unsupported(
                    &format!(
                        "the rule uses column \"{name}\" otherwise than the distribution does"
                    ),
                    "Write the same expression as in the distribution columns.",
                ),
                false => error(
                    PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
                    &format!("column \"{name}\" of the rule is not a distribution column"),
                    "Name it among the distribution columns as well.",
                ),
            },
        )
    }

    /// A constant in the output form of its column.
    fn value(&self, place: usize, expression: NodePtr) -> Result<String> {
        let kind = self.kinds[place];
        let bare = match tree::cast::<pg_sys::TypeCast, _>(expression) {
            Some(cast) if is_of(kind, cast) => cast.arg,
            _ => expression,
        };
        let constant = constant(bare).ok_or_else(|| {
            unsupported(
                "the rule compares a column with something else than a constant of its type",
            )
        })?;
        let written = match (&constant, kind.is_text()) {
            (Constant::Text(text), _) => text.clone(),
            (Constant::Number(number), false) => number.clone(),
            (Constant::Boolean(value), false) => value.to_string(),
            (Constant::Null, _) => {
                return Err(invalid(
                    "the rule compares a column with NULL",
                    "Rows with NULL lie in partition 0.",
                ));
            }
            (Constant::Number(other), true) => return Err(mismatch(&self.columns[place].0, other)),
            (Constant::Boolean(other), true) => {
                return Err(mismatch(&self.columns[place].0, &other.to_string()));
            }
        };
        canonical(kind, &written)
            .map(|value| value.print(kind))
            .ok_or_else(|| mismatch(&self.columns[place].0, &written))
    }

    fn default(&self, expression: NodePtr) -> Result<Json> {
        if expression.is_null() || matches!(constant(expression), Some(Constant::Null)) {
            return Ok(Json::Null);
        }
        if let Some(partition) = partition(expression)? {
            return Ok(json!({ "partition": partition }));
        }
        if column_name(expression).as_deref() == Some("hash") {
            return Ok(json!({ "hash": (0..self.columns.len()).collect::<Vec<_>>() }));
        }
        let call = tree::cast::<pg_sys::FuncCall, _>(expression).filter(|call| {
            tree::strings(call.funcname) == ["hash"] && !call.args.is_null() && !call.agg_star
        });
        let Some(call) = call else {
            let hint = "ELSE gives the number of a partition, HASH, or HASH(column, ...).";
            return Err(PostgresError::unsupported(
                "the rule has an ELSE that gives no partition",
                hint,
            ));
        };
        let places: Vec<usize> = tree::nodes(call.args)
            .map(|argument| self.place(argument))
            .collect::<Result<_>>()?;
        Ok(json!({ "hash": places }))
    }
}

fn too_many() -> PostgresError {
    let message = format!("the rule has more than {CONDITIONS_MAX} comparisons");
    let hint = "Distribute by lookup: each key has an entry of its own.";
    error(
        PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        &message,
        hint,
    )
}

fn mismatch(column: &str, written: &str) -> PostgresError {
    error(
        PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION,
        &format!(
            "the rule compares column \"{column}\" with \"{written}\", which is no value of its type"
        ),
        "Texts and dates stand in quotes; dates as YYYY-MM-DD.",
    )
}

fn described(operator: &str) -> &str {
    match operator {
        "" => "something that is not a comparison",
        operator => operator,
    }
}

fn is_constant(expression: NodePtr) -> bool {
    let bare = tree::cast::<pg_sys::TypeCast, _>(expression).map_or(expression, |cast| cast.arg);
    constant(bare).is_some()
}

fn mirrored(operator: &str) -> &str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

/// Whether a cast is to a type of that kind.
fn is_of(kind: Kind, cast: &pg_sys::TypeCast) -> bool {
    // SAFETY: a cast has a type.
    let name = tree::strings(unsafe { (*cast.typeName).names }).pop();
    let names: &[&str] = match kind {
        Kind::Integer => &["int2", "int4", "int8", "numeric"],
        Kind::Text | Kind::BlankPadded => &["text", "varchar", "bpchar"],
        Kind::Uuid => &["uuid"],
        Kind::Boolean => &["bool"],
        Kind::Date => &["date"],
        _ => &[],
    };
    name.is_some_and(|name| names.contains(&&name[..]))
}

/// The number of a partition; `None` when the expression is no number.
fn partition(expression: NodePtr) -> Result<Option<i64>> {
    let Some(Constant::Number(number)) = constant(expression) else {
        return Ok(None);
    };
    match number.parse() {
        Ok(partition) if (0..=PARTITION_MAX).contains(&partition) => Ok(Some(partition)),
        _ => Err(invalid(
            &format!("{number} is not the number of a partition"),
            "Partitions are counted from 0, to 65535 at most.",
        )),
    }
}

/// A value as users write it: with blanks around numbers, uuids in capitals, short booleans. Dates only as they mean the same everywhere.
pub fn canonical(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Text | Kind::BlankPadded => Value::parse(kind, text),
        Kind::Boolean => match text.trim() {
            "t" => Some(Value::Number(1)),
            "f" => Some(Value::Number(0)),
            text => Value::parse(kind, text),
        },
        Kind::Date => {
            Value::parse(kind, text.trim()).filter(|date| date.print(kind) == text.trim())
        }
        Kind::Integer => Value::parse(kind, text.trim()),
        Kind::Uuid => Value::parse(kind, text.trim().trim_matches(['{', '}'])),
        _ => None,
    }
}
