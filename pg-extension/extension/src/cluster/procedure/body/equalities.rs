//! What the columns of a query equal in all rows that matter: other columns, variables, constants.

use super::super::super::analysis::{conditions, operand, tree};
use super::touched::Named;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use tree::NodePtr;

/// The number of an entry in the range table of a query, and of its column.
pub type Column = (i32, i16);

/// What a column equals.
pub struct Equal {
    pub columns: BTreeSet<Column>,
    /// Columns of the queries around this one, so many levels up.
    pub outer: BTreeSet<(u32, Column)>,
    /// A variable, or else a constant.
    pub value: Option<Named>,
    /// The same as it stands in the query.
    pub expression: Option<NodePtr>,
}

impl Equal {
    /// Whether an expression has the same value.
    pub fn has(&self, expression: NodePtr) -> bool {
        column_of(expression).is_some_and(|column| self.columns.contains(&column))
            || self.is(value_of(expression).as_ref())
    }

    /// Whether it is this value.
    pub fn is(&self, value: Option<&Named>) -> bool {
        matches!((&self.value, value), (Some(one), Some(other)) if key_of(one) == key_of(other))
    }
}

/// What a column of an entry equals, by WHERE and inner joins, and by `more` conditions.
pub fn of_column(level: &pg_sys::Query, asked: Column, more: &[NodePtr]) -> Equal {
    let mut conditions = more.to_vec();
    certain(level.jointree.cast(), &mut conditions);
    let pairs: Vec<(NodePtr, NodePtr)> = conditions
        .iter()
        .filter_map(|condition| conditions::equality_sides(*condition))
        .collect();
    let mut equal = Equal {
        columns: BTreeSet::from([asked]),
        outer: BTreeSet::new(),
        value: None,
        expression: None,
    };
    loop {
        let before = equal.columns.len();
        for (left, right) in &pairs {
            for (one, other) in [(*left, *right), (*right, *left)] {
                if column_of(one).is_some_and(|column| equal.columns.contains(&column)) {
                    equal.take(other);
                }
            }
        }
        if equal.columns.len() == before {
            return equal;
        }
    }
}

impl Equal {
    fn take(&mut self, other: NodePtr) {
        match leveled(other) {
            Some((0, same)) => self.columns.extend([same]),
            found => self.outer.extend(found),
        }
        let is_variable = matches!(self.value, Some(Named::Variable(_)));
        if let Some(value) = value_of(other).filter(|_| !is_variable) {
            self.value = Some(value);
            self.expression = Some(other);
        }
    }
}

/// The variable or constant that an expression is.
pub fn value_of(expression: NodePtr) -> Option<Named> {
    if let Some((variable, _, is_padded)) = operand::compared_parameter(expression) {
        // Compared with a column of char(n), a text loses what the column ignores. As another text, it would be another value.
        let is_same = !is_padded || tree::type_of(expression) == pg_sys::BPCHAROID;
        return is_same.then_some(Named::Variable(variable));
    }
    let mut constant = operand::value(expression)?;
    // Where it stands makes no other value of it.
    constant.as_object_mut()?.remove("location");
    Some(Named::Constant(constant.to_string()))
}

/// The same text for constants of several types that are one key.
pub fn key_of(named: &Named) -> Named {
    let Named::Constant(text) = named else {
        return named.clone();
    };
    let parsed = serde_json::from_str::<Json>(text);
    let Some((mut constant, type_oid)) = parsed
        .ok()
        .and_then(|constant| Some((constant.clone(), constant["type"].as_u64()? as u32)))
    else {
        return named.clone();
    };
    let same = match Oid::from(type_oid) {
        pg_sys::INT2OID | pg_sys::INT4OID => pg_sys::INT8OID,
        pg_sys::VARCHAROID => pg_sys::TEXTOID,
        other => other,
    };
    constant["type"] = Json::from(same.to_u32());
    Named::Constant(constant.to_string())
}

/// What a column equals in all rows of this mention that matter: a variable, or else a constant.
pub fn named(level: &pg_sys::Query, index: i32, attribute: i16, is_target: bool) -> Option<Named> {
    if is_target && level.commandType == CmdType::CMD_INSERT {
        return inserted(level, assigned(level, attribute)?)
            .into_iter()
            .map(value_of)
            .reduce(|one, other| if one == other { one } else { None })?;
    }
    of_column(level, (index, attribute), &[]).value
}

/// What an INSERT gives a column, or a query its column of that number.
pub fn assigned(level: &pg_sys::Query, attribute: i16) -> Option<NodePtr> {
    tree::list::<pg_sys::TargetEntry>(level.targetList)
        .find(|entry| entry.resno == attribute && !entry.resjunk)
        .map(|entry| entry.expr.cast())
}

/// The expressions that give a column of the rows that an INSERT makes: of several rows, or of its query.
fn inserted(level: &pg_sys::Query, expression: NodePtr) -> Vec<NodePtr> {
    let source = column_of(expression)
        .and_then(|(index, attribute)| Some((entry(level, index)?, attribute)));
    let Some((entry, attribute)) = source else {
        return vec![expression];
    };
    if entry.rtekind == pg_sys::RTEKind::RTE_VALUES {
        return tree::nodes(entry.values_lists)
            .filter_map(|row| tree::nodes(row.cast()).nth(attribute as usize - 1))
            .collect();
    }
    tree::cast::<pg_sys::Query, _>(entry.subquery)
        .and_then(|query| assigned(query, attribute))
        .map_or(vec![expression], |inner| vec![inner])
}

/// An entry of the range table.
pub fn entry(level: &pg_sys::Query, index: i32) -> Option<&'static pg_sys::RangeTblEntry> {
    tree::list::<pg_sys::RangeTblEntry>(level.rtable).nth(usize::try_from(index - 1).ok()?)
}

/// Whether there is no row of a query without one of this entry: a condition that all rows pass compares its columns.
pub fn is_present(level: &pg_sys::Query, index: i32) -> bool {
    let mut conditions = Vec::new();
    certain(level.jointree.cast(), &mut conditions);
    let is_of = |side| column_of(side).is_some_and(|(of, _)| of == index);
    let mut pairs = conditions
        .into_iter()
        .filter_map(conditions::equality_sides);
    pairs.any(|(left, right)| is_of(left) || is_of(right))
}

/// Conditions that every row has passed: WHERE, and inner joins whose rows no outer join makes.
pub fn certain(node: NodePtr, conditions: &mut Vec<NodePtr>) {
    if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(node) {
        conditions.extend(tree::conjuncts(from.quals));
        tree::nodes(from.fromlist).for_each(|part| certain(part, conditions));
    } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
        use pg_sys::JoinType::{JOIN_INNER, JOIN_LEFT, JOIN_RIGHT};
        if join.jointype == JOIN_INNER {
            conditions.extend(tree::conjuncts(join.quals));
        }
        if matches!(join.jointype, JOIN_INNER | JOIN_LEFT) {
            certain(join.larg, conditions);
        }
        if matches!(join.jointype, JOIN_INNER | JOIN_RIGHT) {
            certain(join.rarg, conditions);
        }
    }
}

/// The column of this level that an expression is, casts that change no value aside.
pub fn column_of(expression: NodePtr) -> Option<Column> {
    leveled(expression)
        .filter(|(up, _)| *up == 0)
        .map(|(_, column)| column)
}

/// The column that an expression is, and how many levels up.
fn leveled(expression: NodePtr) -> Option<(u32, Column)> {
    tree::cast::<pg_sys::Var, _>(operand::strip_faithful(expression))
        .filter(|var| var.varattno > 0)
        .map(|var| (var.varlevelsup, (var.varno, var.varattno)))
}
