//! Locking clauses. `FOR UPDATE`, `FOR NO KEY UPDATE` and `FOR SHARE` lock the objects of the row too, since
//! operations do not wait for the row, and show their newest values. `FOR KEY SHARE` (which foreign keys use) lets
//! operations pass, as it lets changes of plain columns pass.

use super::rewrite::Relation;
use super::row::{self, Hold};
use super::settings::LockingReads;
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use pgrx::pg_sys::{self, JoinType, LockClauseStrength, LockWaitPolicy};

/// A relation whose rows a query locks.
struct Locked<'a> {
    relation: Relation<'a>,
    /// How the values are held that the query names.
    named: i32,
    /// How all others are.
    whole: i32,
}

impl Locked<'_> {
    fn is_read_by(&self, expression: Any) -> bool {
        let columns = self
            .relation
            .columns_read(expression.pointer::<pg_sys::Node>());
        self.relation.abelian_among(&columns)
    }

    fn newest(&self, expression: Any) -> Any {
        self.relation.newest_in_part(expression, self.named, 0)
    }
}

/// Rewrites a SELECT with a locking clause.
pub fn select(symbols: &Symbols, query: Tree<pg_sys::Query>, reads: LockingReads) {
    let marks = tree::items::<pg_sys::RowMarkClause>(query.rowMarks);
    let mut locked: Vec<Locked<'_>> = marks
        .into_iter()
        .filter_map(|mark| locked(symbols, query, mark, reads))
        .collect();
    let mut policies = Vec::new();
    for one in &mut locked {
        let opened = one.relation.open_policies().into_iter();
        policies.extend(opened.map(|policy| one.newest(policy)));
    }
    if !locked.is_empty() {
        newest_conditions(query, &locked, policies);
    }
    for one in &locked {
        lock(query, one);
    }
}

fn locked<'a>(
    symbols: &'a Symbols,
    query: Tree<pg_sys::Query>,
    mark: Tree<pg_sys::RowMarkClause>,
    reads: LockingReads,
) -> Option<Locked<'a>> {
    let (with_objects, row_only) = holds(mark.strength)?;
    let relation = Relation::of(symbols, query, mark.rti as i32)?;
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
    Some(Locked {
        relation,
        named,
        whole,
    })
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

/// Has conditions on values tested on the newest ones of all rows that are locked.
fn newest_conditions(query: Tree<pg_sys::Query>, locked: &[Locked<'_>], policies: Vec<Any>) {
    if let Some(mut join) = Tree::new(query.jointree) {
        let of_joins = conditions_of_joins(locked, join.any());
        let conditions: Vec<Any> = tree::conjuncts(join.quals)
            .into_iter()
            .chain(of_joins)
            .flat_map(|condition| newest(locked, condition))
            .chain(policies)
            .collect();
        join.quals = tree::conjunction(&conditions);
    }
}

/// The condition under the snapshot, where all its rows are those that the snapshot shows, and on the newest values.
fn newest(locked: &[Locked<'_>], condition: Any) -> Vec<Any> {
    let read: Vec<&Locked<'_>> = locked
        .iter()
        .filter(|one| one.is_read_by(condition))
        .collect();
    if read.is_empty() {
        return vec![condition];
    }
    let filter = read.iter().fold(condition.copy(), |condition, one| {
        one.relation.or_changed(condition)
    });
    let newest = read
        .iter()
        .fold(condition, |condition, one| one.newest(condition));
    vec![filter, newest]
}

fn lock(mut query: Tree<pg_sys::Query>, one: &Locked<'_>) {
    let mut entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
    let mut sort_keys = Vec::new();
    for entry in &mut entries {
        let Some(expression) = Tree::<pg_sys::Node>::new(entry.expr.cast()) else {
            continue;
        };
        if !one.is_read_by(expression) {
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
        entry.expr = one.newest(expression).pointer();
    }
    entries.extend(sort_keys);
    entries.push(tree::target(
        one.relation.lock_row(one.whole),
        0,
        c"abelian_lock",
        true,
    ));
    for (number, entry) in entries.iter_mut().enumerate() {
        entry.resno = number as i16 + 1;
    }
    query.targetList = tree::list(&entries);
}

/// Takes conditions on values of locked rows out of ON of inner joins, and gives them: as conditions of the whole query they mean the same.
/// ON of outer joins decides what is joined with the row, and has them tested on the newest values where it is.
fn conditions_of_joins(locked: &[Locked<'_>], part: Any) -> Vec<Any> {
    let parts_of = |parts: &[*mut pg_sys::Node]| -> Vec<Any> {
        let parts = parts.iter().filter_map(|part| Tree::new(*part));
        parts
            .flat_map(|part| conditions_of_joins(locked, part))
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
            let (values, others): (Vec<_>, Vec<_>) = conditions
                .into_iter()
                .partition(|one| locked.iter().any(|locked| locked.is_read_by(*one)));
            join.quals = tree::conjunction(&others);
            let mut found = parts_of(&[join.larg, join.rarg]);
            found.extend(values);
            found
        }
        JoinType::JOIN_LEFT | JoinType::JOIN_RIGHT => {
            let conditions: Vec<Any> = conditions
                .into_iter()
                .flat_map(|one| newest(locked, one))
                .collect();
            join.quals = tree::conjunction(&conditions);
            parts_of(&[match join.jointype {
                JoinType::JOIN_LEFT => join.larg,
                _ => join.rarg,
            }])
        }
        _ => Vec::new(),
    }
}
