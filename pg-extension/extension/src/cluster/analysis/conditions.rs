//! Reads the conditions of a query level into the equality graph.

use super::bounds::Comparison;
use super::graph::{Column, Fact};
use super::operand::{self, Operand};
use super::scope::{Range, ScopeId, Scopes};
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, BoolExprType, JoinType, Oid, SubLinkType};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// What a true condition says about the rows of a level.
enum Strength {
    /// Rows for which it is not true do not matter.
    Filter,
    /// ON of an outer join: it restricts the relations of the nullable side only.
    Nullable(BTreeSet<Column>),
    /// ON of a full join: it restricts neither side.
    Full,
}

/// Reads WHERE and the ON clauses of a level.
pub fn read(scopes: &mut Scopes, scope: ScopeId) {
    let query = scopes.scopes[scope].query;
    if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree) {
        for item in tree::nodes(from.fromlist) {
            read_joins(scopes, scope, item);
        }
        read_condition(scopes, scope, from.quals, &Strength::Filter);
    }
}

fn read_joins(scopes: &mut Scopes, scope: ScopeId, item: NodePtr) {
    let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) else {
        return;
    };
    read_joins(scopes, scope, join.larg);
    read_joins(scopes, scope, join.rarg);
    let strength = match join.jointype {
        JoinType::JOIN_INNER => Strength::Filter,
        JoinType::JOIN_LEFT => {
            Strength::Nullable(columns_compared_in(scopes, scope, join, join.rarg))
        }
        JoinType::JOIN_RIGHT => {
            Strength::Nullable(columns_compared_in(scopes, scope, join, join.larg))
        }
        _ => Strength::Full,
    };
    read_condition(scopes, scope, join.quals, &strength);
}

/// The columns of the join's condition that come from one of its sides.
fn columns_compared_in(
    scopes: &mut Scopes,
    scope: ScopeId,
    join: &pg_sys::JoinExpr,
    side: NodePtr,
) -> BTreeSet<Column> {
    let mut ranges = BTreeSet::new();
    tree::walk(side, &mut |node| {
        if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
            ranges.insert(range.rtindex);
        } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
            ranges.insert(join.rtindex);
        }
        tree::cast::<pg_sys::Query, _>(node).is_none()
    });
    let mut vars: Vec<&'static pg_sys::Var> = Vec::new();
    tree::walk(join.quals, &mut |node| {
        vars.extend(tree::cast::<pg_sys::Var, _>(node));
        tree::cast::<pg_sys::Query, _>(node).is_none()
    });
    vars.into_iter()
        .filter(|var| var.varlevelsup == 0 && ranges.contains(&var.varno))
        .filter_map(|var| scopes.resolve(scope, var))
        .collect()
}

fn read_condition(scopes: &mut Scopes, scope: ScopeId, condition: NodePtr, strength: &Strength) {
    for conjunct in tree::conjuncts(condition) {
        read_conjunct(scopes, scope, conjunct, strength);
    }
}

fn read_conjunct(scopes: &mut Scopes, scope: ScopeId, conjunct: NodePtr, strength: &Strength) {
    if let Some((left, right)) = equality_sides(conjunct) {
        let left = operand::operand(scopes, scope, left);
        let right = operand::operand(scopes, scope, right);
        match (left, right) {
            (Operand::Column(one), Operand::Column(other)) => {
                relate(scopes, scope, one, other, strength)
            }
            (Operand::Column(column), Operand::Value(value))
            | (Operand::Value(value), Operand::Column(column)) => {
                state(scopes, scope, column, Fact::Is(value), strength);
            }
            _ => {}
        }
        return;
    }
    if let Some(comparison) = Comparison::of(conjunct) {
        read_comparison(scopes, scope, &comparison, strength);
        return;
    }
    for (column, mut values) in restrictions(scopes, scope, conjunct) {
        let fact = match values.len() {
            1 if values[0].get("param_array").is_none() => Fact::Is(values.remove(0)),
            _ => Fact::In(values),
        };
        state(scopes, scope, column, fact, strength);
    }
}

fn read_comparison(
    scopes: &mut Scopes,
    scope: ScopeId,
    comparison: &Comparison,
    strength: &Strength,
) {
    let left = operand::operand(scopes, scope, comparison.left);
    let right = operand::operand(scopes, scope, comparison.right);
    let (column, bound) = match (left, right) {
        (Operand::Column(column), Operand::Value(value)) => (column, comparison.of_left(value)),
        (Operand::Value(value), Operand::Column(column)) => (column, comparison.of_right(value)),
        _ => return,
    };
    state(scopes, scope, column, Fact::Bounded(bound), strength);
}

fn state(scopes: &mut Scopes, scope: ScopeId, column: Column, fact: Fact, strength: &Strength) {
    let restricts = match strength {
        // Of a column of an outer level, the condition says nothing about rows there.
        Strength::Filter => is_of_level(scopes, scope, column),
        Strength::Nullable(columns) => columns.contains(&column),
        Strength::Full => false,
    };
    if restricts {
        scopes.graph.state(column, fact);
    }
}

fn relate(scopes: &mut Scopes, scope: ScopeId, one: Column, other: Column, strength: &Strength) {
    match strength {
        Strength::Filter => match (
            is_of_level(scopes, scope, one),
            is_of_level(scopes, scope, other),
        ) {
            // A column of an outer level: the condition says nothing about rows there.
            (true, false) => scopes.graph.lead(other, one),
            (false, true) => scopes.graph.lead(one, other),
            (true, true) => scopes.graph.unite(one, other),
            (false, false) => {}
        },
        Strength::Nullable(columns) => match (columns.contains(&one), columns.contains(&other)) {
            (true, true) => scopes.graph.unite(one, other),
            (true, false) => scopes.graph.lead(other, one),
            (false, true) => scopes.graph.lead(one, other),
            (false, false) => {}
        },
        Strength::Full => scopes.graph.match_up(one, other),
    }
}

/// Whether a column belongs to this level or to a subquery in its FROM, rather than to an enclosing level.
fn is_of_level(scopes: &Scopes, scope: ScopeId, column: Column) -> bool {
    match scopes.origin(column) {
        Some((relation, _)) => ranges_below(scopes, scope).contains(&relation),
        None => scopes.is_derived_in(scope, column),
    }
}

/// Relations in FROM of this level and of the subqueries there.
fn ranges_below(scopes: &Scopes, scope: ScopeId) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for range in &scopes.scopes[scope].ranges {
        match range {
            Range::Relation(id) => {
                found.insert(*id);
            }
            Range::Subquery(inner)
            | Range::With {
                scope: inner,
                once: true,
            } => {
                found.extend(ranges_below(scopes, *inner));
            }
            _ => {}
        }
    }
    found
}

/// Both sides of an equality by an operator that means equality to hash and merge joins too.
pub fn equality_sides(conjunct: NodePtr) -> Option<(NodePtr, NodePtr)> {
    let operator = tree::cast::<pg_sys::OpExpr, _>(conjunct)?;
    let mut arguments = tree::nodes(operator.args);
    let (left, right) = (arguments.next()?, arguments.next()?);
    is_equality(operator.opno, operator.inputcollid, left).then_some((left, right))
}

/// Whether an operator means equality to hash and merge joins too, and to the collation.
pub fn is_equality(operator: Oid, collation: Oid, left: NodePtr) -> bool {
    // SAFETY: a catalogue look-up.
    unsafe { pg_sys::op_mergejoinable(operator, tree::type_of(left)) && tells_apart(collation) }
}

/// Whether texts of different bytes differ for the collation, if it is one.
pub fn tells_apart(collation: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    collation == Oid::INVALID || unsafe { pg_sys::get_collation_isdeterministic(collation) }
}

/// Columns that a condition restricts to a list of values: `IN`, `= ANY`, OR of such, a boolean column by itself.
fn restrictions(
    scopes: &mut Scopes,
    scope: ScopeId,
    condition: NodePtr,
) -> BTreeMap<Column, Vec<Json>> {
    if let Some(any) = tree::cast::<pg_sys::ScalarArrayOpExpr, _>(condition) {
        return any_restriction(scopes, scope, any).into_iter().collect();
    }
    if let Some((left, right)) = equality_sides(condition) {
        let left = operand::operand(scopes, scope, left);
        let right = operand::operand(scopes, scope, right);
        return match (left, right) {
            (Operand::Column(column), Operand::Value(value))
            | (Operand::Value(value), Operand::Column(column)) => {
                BTreeMap::from([(column, vec![value])])
            }
            _ => BTreeMap::new(),
        };
    }
    if let Some(var) = tree::cast::<pg_sys::Var, _>(condition) {
        return boolean_restriction(scopes, scope, var, "t");
    }
    match tree::cast::<pg_sys::BoolExpr, _>(condition) {
        Some(or) if or.boolop == BoolExprType::OR_EXPR => or_restrictions(scopes, scope, or),
        Some(and) if and.boolop == BoolExprType::AND_EXPR => tree::nodes(and.args)
            .flat_map(|part| restrictions(scopes, scope, part))
            .collect(), // of several restrictions of one column, any is true
        Some(not) => tree::nodes(not.args)
            .next()
            .and_then(|node| tree::cast::<pg_sys::Var, _>(node))
            .map(|var| boolean_restriction(scopes, scope, var, "f"))
            .unwrap_or_default(),
        None => BTreeMap::new(),
    }
}

fn any_restriction(
    scopes: &mut Scopes,
    scope: ScopeId,
    any: &pg_sys::ScalarArrayOpExpr,
) -> Option<(Column, Vec<Json>)> {
    let mut arguments = tree::nodes(any.args);
    let (left, array) = (arguments.next()?, arguments.next()?);
    if !any.useOr || !is_equality(any.opno, any.inputcollid, left) {
        return None;
    }
    match operand::operand(scopes, scope, left) {
        Operand::Column(column) => Some((column, operand::array_values(array)?)),
        _ => None,
    }
}

/// A column that every arm restricts is restricted to the values of all arms.
fn or_restrictions(
    scopes: &mut Scopes,
    scope: ScopeId,
    or: &pg_sys::BoolExpr,
) -> BTreeMap<Column, Vec<Json>> {
    let mut arms = tree::nodes(or.args)
        .map(|arm| restrictions(scopes, scope, arm))
        .collect::<Vec<_>>()
        .into_iter();
    let Some(mut common) = arms.next() else {
        return BTreeMap::new();
    };
    for arm in arms {
        common.retain(|column, _| arm.contains_key(column));
        for (column, values) in &mut common {
            values.extend(arm[column].iter().cloned());
        }
    }
    common
}

fn boolean_restriction(
    scopes: &mut Scopes,
    scope: ScopeId,
    var: &pg_sys::Var,
    value: &str,
) -> BTreeMap<Column, Vec<Json>> {
    let value = json!({ "const": value, "type": pg_sys::BOOLOID.to_u32(), "location": -1 });
    scopes
        .resolve(scope, var)
        .map(|column| BTreeMap::from([(column, vec![value])]))
        .unwrap_or_default()
}

/// `x IN (SELECT ...)` as a condition of WHERE: rows of the subquery matter only where they equal x.
///
/// Not under NOT: there a NULL among the other rows changes the answer.
pub fn read_sublink(
    scopes: &mut Scopes,
    scope: ScopeId,
    sublink: &'static pg_sys::SubLink,
    inner: ScopeId,
) {
    let query = scopes.scopes[scope].query;
    let is_condition = tree::cast::<pg_sys::FromExpr, _>(query.jointree).is_some_and(|from| {
        tree::conjuncts(from.quals).contains(&std::ptr::from_ref(sublink).cast_mut().cast())
    });
    if sublink.subLinkType != SubLinkType::ANY_SUBLINK || !is_condition {
        return;
    }
    for conjunct in tree::conjuncts(sublink.testexpr) {
        let Some((left, right)) = equality_sides(conjunct) else {
            continue;
        };
        let Some(output) = sublink_output(right) else {
            continue;
        };
        if let (Operand::Column(outer), Some(column)) = (
            operand::operand(scopes, scope, left),
            scopes.resolve_output(inner, output),
        ) {
            scopes.graph.lead(outer, column);
        }
    }
}

/// Which output column of the subquery an expression stands for.
fn sublink_output(expression: NodePtr) -> Option<i16> {
    let param = tree::cast::<pg_sys::Param, _>(operand::strip_faithful(expression))?;
    (param.paramkind == pg_sys::ParamKind::PARAM_SUBLINK).then_some(param.paramid as i16)
}
