//! What follows for other columns from a column's comparison with a value, where columns are compared with each other: from `r.u = 5` and
//! `u.id = r.u` follows `u.id = 5`. So a node gives the rows of both relations that matter, not all of one of them.

use super::super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid};
use std::collections::BTreeSet;

/// A column: its range and its number.
type Column = (i32, i16);

/// An equality that a level demands.
struct Equality {
    condition: &'static pg_sys::OpExpr,
    columns: Vec<&'static pg_sys::Var>,
}

/// Gives further equalities with values by the range that they are on; the conditions must all hold for each row that matters of these ranges.
pub fn implied(conditions: &[NodePtr], of: &BTreeSet<i32>) -> Vec<(i32, NodePtr)> {
    let equalities: Vec<Equality> = conditions.iter().filter_map(|one| read(*one, of)).collect();
    let (mut given, joins): (Vec<Equality>, Vec<Equality>) = equalities
        .into_iter()
        .partition(|one| one.columns.len() == 1);
    let mut known: BTreeSet<Column> = given.iter().map(|one| column(one.columns[0])).collect();
    let mut found = Vec::new();
    while let Some(value) = given.pop() {
        for join in &joins {
            let Some(other) = joined(&value, join).filter(|other| known.insert(column(other)))
            else {
                continue;
            };
            let condition = about(&value, other);
            found.push((other.varno, condition));
            given.extend(read(condition, of));
        }
    }
    found
}

/// An equality of a column with a value, or of columns of two relations.
fn read(condition: NodePtr, of: &BTreeSet<i32>) -> Option<Equality> {
    let operator = tree::cast::<pg_sys::OpExpr, _>(condition)?;
    let sides: Vec<NodePtr> = tree::nodes(operator.args).collect();
    let [left, right] = sides[..] else {
        return None;
    };
    // SAFETY: catalogue look-ups, and an expression as analysed.
    let is_plain = unsafe {
        pg_sys::op_mergejoinable(operator.opno, tree::type_of(left))
            && !pg_sys::contain_volatile_functions(condition)
    };
    if !is_plain {
        return None;
    }
    let mut columns = Vec::new();
    for side in [left, right] {
        match plain_column(side) {
            Some(column) if of.contains(&column.varno) => columns.push(column),
            Some(_) => return None,
            None if is_value(side) => {}
            None => return None,
        }
    }
    let is_known = match columns[..] {
        [_] => true,
        [one, other] => one.varno != other.varno,
        _ => false,
    };
    is_known.then_some(Equality {
        condition: operator,
        columns,
    })
}

/// The column that a side is, as it is or as a type with the same values.
fn plain_column(side: NodePtr) -> Option<&'static pg_sys::Var> {
    let inner = match tree::cast::<pg_sys::RelabelType, _>(side) {
        Some(relabelled) => relabelled.arg.cast(),
        None => side,
    };
    tree::cast::<pg_sys::Var, _>(inner).filter(|var| var.varlevelsup == 0 && var.varattno > 0)
}

/// Whether it reads no columns and runs no query.
fn is_value(side: NodePtr) -> bool {
    !tree::any(side, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
            || tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// The column that is equal to the value, too. Operators of one family compare alike, and the value's takes the other column if that is of the
/// same type.
fn joined(value: &Equality, join: &Equality) -> Option<&'static pg_sys::Var> {
    let (from, to) = match (join.columns[0], join.columns[1]) {
        (from, to) if column(from) == column(value.columns[0]) => (from, to),
        (to, from) if column(from) == column(value.columns[0]) => (from, to),
        _ => return None,
    };
    let alike = from.vartype == to.vartype
        && from.varcollid == to.varcollid
        && value.condition.inputcollid == join.condition.inputcollid
        && share_a_family(value.condition.opno, join.condition.opno);
    alike.then_some(to)
}

fn share_a_family(one: Oid, other: Oid) -> bool {
    // SAFETY: catalogue look-ups.
    let (ours, theirs) = unsafe {
        (
            pg_sys::get_mergejoin_opfamilies(one),
            pg_sys::get_mergejoin_opfamilies(other),
        )
    };
    let theirs: Vec<Oid> = tree::oids(theirs).collect();
    tree::oids(ours).any(|family| theirs.contains(&family))
}

/// The comparison with the value, of another column.
fn about(value: &Equality, other: &pg_sys::Var) -> NodePtr {
    let own = column(value.columns[0]);
    let condition = std::ptr::from_ref(value.condition).cast_mut().cast();
    tree::replace(condition, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node)
            .filter(|var| column(var) == own)
            .map(|_| tree::copy(other).cast())
    })
}

fn column(var: &pg_sys::Var) -> Column {
    (var.varno, var.varattno)
}
