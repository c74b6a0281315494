//! Locking clauses. `FOR UPDATE`, `FOR NO KEY UPDATE` and `FOR SHARE` lock the objects of the row too, since
//! operations do not wait for the row, and show their newest values. `FOR KEY SHARE` (which foreign keys use) lets
//! operations pass, as it lets changes of plain columns pass.

use super::rewrite::Relation;
use super::row::{self, Hold};
use super::settings::LockingReads;
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use pgrx::pg_sys::{self, JoinType, LockClauseStrength, LockWaitPolicy};

/// Rewrites a SELECT with a locking clause.
pub fn select(symbols: &Symbols, query: Tree<pg_sys::Query>, reads: LockingReads) {
    for mark in tree::items::<pg_sys::RowMarkClause>(query.rowMarks) {
        let Some((with_objects, row_only)) = holds(mark.strength) else {
            continue;
        };
        let Some(relation) = Relation::of(symbols, query, mark.rti as i32) else {
            continue;
        };
        let policy = match mark.waitPolicy {
            LockWaitPolicy::LockWaitError => row::NO_WAIT,
            LockWaitPolicy::LockWaitSkip => row::SKIP_LOCKED,
            _ => 0,
        };
        let named = with_objects as i32 | policy;
        let whole = match reads {
            LockingReads::Row => named,
            LockingReads::Selected => row_only as i32 | policy,
        };
        lock(query, &relation, named, whole);
    }
}

/// Whether a locking clause of the query holds the values that it reads of this relation.
pub fn holds_values(query: Tree<pg_sys::Query>, number: i32) -> bool {
    tree::items::<pg_sys::RowMarkClause>(query.rowMarks)
        .iter()
        .any(|mark| mark.rti as i32 == number && holds(mark.strength).is_some())
}

/// How a clause holds the row with, and without, its objects.
fn holds(strength: LockClauseStrength::Type) -> Option<(Hold, Hold)> {
    match strength {
        LockClauseStrength::LCS_FORSHARE => Some((Hold::Share, Hold::ShareRow)),
        LockClauseStrength::LCS_FORNOKEYUPDATE => Some((Hold::Overwrite, Hold::UpdateRow)),
        LockClauseStrength::LCS_FORUPDATE => Some((Hold::ForUpdate, Hold::UpdateRow)),
        _ => None,
    }
}

fn lock(mut query: Tree<pg_sys::Query>, relation: &Relation<'_>, named: i32, whole: i32) {
    if let Some(mut join) = Tree::new(query.jointree) {
        let of_joins = conditions_of_joins(relation, join.any(), named);
        let conditions: Vec<Any> = tree::conjuncts(join.quals)
            .into_iter()
            .chain(of_joins)
            .flat_map(|condition| {
                relation.condition_on(condition, |condition| {
                    relation.newest_in_part(condition, named, 0)
                })
            })
            .collect();
        join.quals = tree::conjunction(&conditions);
    }
    let mut entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
    let mut sort_keys = Vec::new();
    for entry in &mut entries {
        let Some(expression) = Tree::<pg_sys::Node>::new(entry.expr.cast()) else {
            continue;
        };
        if !relation.abelian_among(&relation.columns_read(expression.pointer::<pg_sys::Node>())) {
            continue;
        }
        if entry.ressortgroupref != 0 {
            // The order is that of the snapshot, as in PostgreSQL; the row shown is the newest.
            if entry.resjunk {
                continue;
            }
            let mut key = entry.copy();
            key.resjunk = true;
            sort_keys.push(key);
            entry.ressortgroupref = 0;
        }
        entry.expr = relation.newest_in_part(expression, named, 0).pointer();
    }
    entries.extend(sort_keys);
    entries.push(tree::target(
        relation.lock_row(whole),
        0,
        c"abelian_lock",
        true,
    ));
    for (number, entry) in entries.iter_mut().enumerate() {
        entry.resno = number as i16 + 1;
    }
    query.targetList = tree::list(&entries);
}

/// Takes conditions on the relation's values out of ON of inner joins, and gives them: as conditions of the whole query they mean the same.
/// ON of outer joins decides what is joined with the row, and has them tested on the newest values where it is.
fn conditions_of_joins(relation: &Relation<'_>, part: Any, named: i32) -> Vec<Any> {
    let parts_of = |parts: &[*mut pg_sys::Node]| -> Vec<Any> {
        let parts = parts.iter().filter_map(|part| Tree::new(*part));
        parts
            .flat_map(|part| conditions_of_joins(relation, part, named))
            .collect()
    };
    if let Some(from) = part.cast::<pg_sys::FromExpr>() {
        return parts_of(&tree::each(from.fromlist).collect::<Vec<_>>());
    }
    let Some(mut join) = part.cast::<pg_sys::JoinExpr>() else {
        return Vec::new();
    };
    let conditions = tree::conjuncts(join.quals);
    match join.jointype {
        JoinType::JOIN_INNER => {
            let (values, others): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|one| {
                relation.abelian_among(&relation.columns_read(one.pointer::<pg_sys::Node>()))
            });
            join.quals = tree::conjunction(&others);
            let mut found = parts_of(&[join.larg, join.rarg]);
            found.extend(values);
            found
        }
        JoinType::JOIN_LEFT | JoinType::JOIN_RIGHT => {
            let newest =
                |one| relation.condition_on(one, |one| relation.newest_in_part(one, named, 0));
            let conditions: Vec<Any> = conditions.into_iter().flat_map(newest).collect();
            join.quals = tree::conjunction(&conditions);
            parts_of(&[match join.jointype {
                JoinType::JOIN_LEFT => join.larg,
                _ => join.rarg,
            }])
        }
        _ => Vec::new(),
    }
}
