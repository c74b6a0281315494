//! Which conditions of a query level rows of one relation must satisfy to matter, whatever they are joined with.

use super::super::tree::{self, NodePtr};
use super::{build, equal};
use pgrx::pg_sys::{self, JoinType};
use std::collections::BTreeSet;

/// Conditions by the relation whose columns alone they read.
pub struct Filters {
    /// Conditions of the level itself.
    own: Vec<(i32, NodePtr)>,
    /// What follows from others of its conditions, which compare more.
    implied: Vec<(i32, NodePtr)>,
    /// All that each row of an inner join meets.
    of_joins: Vec<NodePtr>,
    /// The ranges whose rows are dropped by conditions that they fail.
    kept: BTreeSet<i32>,
}

/// Of a level, as analysed: in WHERE, and in ON where it drops rows.
pub fn of(level: &pg_sys::Query) -> Filters {
    let mut filters = Filters {
        own: Vec::new(),
        implied: Vec::new(),
        of_joins: Vec::new(),
        kept: BTreeSet::new(),
    };
    if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(level.jointree) {
        let mut kept = BTreeSet::new();
        for item in tree::nodes(from.fromlist) {
            filters.read(item, &mut kept);
        }
        // What MERGE compares drops no rows: those that match nothing are inserted.
        if level.commandType != pg_sys::CmdType::CMD_MERGE {
            filters.take(from.quals, &kept);
            filters.of_joins.extend(tree::conjuncts(from.quals));
        }
        let equal = equal::implied(&filters.of_joins, &kept);
        filters.implied.extend(equal);
        filters.kept = kept;
    }
    filters
}

impl Filters {
    /// All conditions on one relation as one, for a query in which it is the only range; null for none.
    pub fn of_range(&self, range: i32) -> NodePtr {
        let all = self.own.iter().chain(&self.implied);
        let of_range = all.filter(|(index, _)| *index == range);
        let conditions = of_range.map(|(_, condition)| {
            tree::replace(*condition, &mut |node| {
                let var = tree::cast::<pg_sys::Var, _>(node)?;
                Some(build::renumbered(var, 1, var.varlevelsup))
            })
        });
        all_of(conditions.collect())
    }

    /// Whether rows of a range do not matter that fail a condition of WHERE or of an inner join.
    pub fn keeps(&self, range: i32) -> bool {
        self.kept.contains(&range)
    }

    /// The conditions of WHERE and of inner joins, one by one.
    pub fn joins(&self) -> &[NodePtr] {
        &self.of_joins
    }

    /// What follows for one relation from others of the conditions.
    pub fn implied_of(&self, range: i32) -> impl Iterator<Item = NodePtr> {
        self.implied
            .iter()
            .filter(move |(index, _)| *index == range)
            .map(|(_, condition)| *condition)
    }

    /// Removes from the level its own conditions on the relations of which only rows come that meet them.
    pub fn remove_from(&self, level: &mut pg_sys::Query, comes: impl Fn(i32) -> bool) {
        let met: Vec<NodePtr> = self
            .own
            .iter()
            .filter(|(range, _)| comes(*range))
            .map(|(_, condition)| *condition)
            .collect();
        if !met.is_empty() {
            remove(level.jointree.cast(), &met);
        }
    }

    /// Reads an item of FROM; gives the ranges whose rows are dropped by conditions further up.
    fn read(&mut self, item: NodePtr, kept: &mut BTreeSet<i32>) {
        if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(item) {
            kept.insert(range.rtindex);
            return;
        }
        let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) else {
            return;
        };
        let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
        self.read(join.larg, &mut left);
        self.read(join.rarg, &mut right);
        match join.jointype {
            JoinType::JOIN_INNER => {
                left.extend(right);
                self.take(join.quals, &left);
                self.of_joins.extend(tree::conjuncts(join.quals));
                kept.extend(left);
            }
            JoinType::JOIN_LEFT => {
                self.take(join.quals, &right);
                kept.extend(left);
            }
            JoinType::JOIN_RIGHT => {
                self.take(join.quals, &left);
                kept.extend(right);
            }
            _ => {}
        }
    }

    fn take(&mut self, condition: NodePtr, of: &BTreeSet<i32>) {
        let conjunction = tree::cast::<pg_sys::BoolExpr, _>(condition)
            .filter(|expression| expression.boolop == pg_sys::BoolExprType::AND_EXPR);
        if let Some(conjunction) = conjunction {
            for part in tree::nodes(conjunction.args) {
                self.take(part, of);
            }
        } else if let Some(range) = only_range(condition).filter(|range| of.contains(range)) {
            self.own.push((range, condition));
        } else {
            let implied = of
                .iter()
                .filter_map(|range| Some((*range, implied(condition, *range)?)));
            self.implied.extend(implied);
        }
    }
}

/// What follows for one relation from an OR over several: in each arm there is a condition on it, and one of them must hold.
fn implied(condition: NodePtr, range: i32) -> Option<NodePtr> {
    let disjunction = tree::cast::<pg_sys::BoolExpr, _>(condition)
        .filter(|expression| expression.boolop == pg_sys::BoolExprType::OR_EXPR)?;
    let mut arms = Vec::new();
    for arm in tree::nodes(disjunction.args) {
        let own: Vec<NodePtr> = tree::conjuncts(arm)
            .into_iter()
            .filter(|one| only_range(*one) == Some(range))
            .collect();
        if own.is_empty() {
            return None;
        }
        // SAFETY: makes a node of conditions, which others keep.
        arms.push(unsafe { pg_sys::make_ands_explicit(tree::make_list(own)) }.cast());
    }
    // SAFETY: as above.
    Some(
        unsafe { pg_sys::makeBoolExpr(pg_sys::BoolExprType::OR_EXPR, tree::make_list(arms), -1) }
            .cast(),
    )
}

/// Takes conditions out of an item of FROM of a private copy, and out of those below it.
fn remove(item: NodePtr, met: &[NodePtr]) {
    let without = |condition: NodePtr| {
        let left: Vec<NodePtr> = tree::conjuncts(condition)
            .into_iter()
            .filter(|one| !one.is_null() && !met.contains(one))
            .collect();
        all_of(left)
    };
    if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(item) {
        tree::nodes(from.fromlist).for_each(|item| remove(item, met));
        // SAFETY: the caller's copy.
        unsafe { (*std::ptr::from_ref(from).cast_mut()).quals = without(from.quals) };
    } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) {
        remove(join.larg, met);
        remove(join.rarg, met);
        // SAFETY: as above.
        unsafe { (*std::ptr::from_ref(join).cast_mut()).quals = without(join.quals) };
    }
}

/// The conditions as one; null for none.
pub fn all_of(conditions: Vec<NodePtr>) -> NodePtr {
    match conditions.is_empty() {
        true => std::ptr::null_mut(),
        // SAFETY: makes a node of conditions.
        false => unsafe { pg_sys::make_ands_explicit(tree::make_list(conditions)) }.cast(),
    }
}

/// That a condition does not hold.
pub fn not(condition: NodePtr) -> NodePtr {
    let arguments = tree::make_list([condition]);
    // SAFETY: makes a node.
    unsafe { pg_sys::makeBoolExpr(pg_sys::BoolExprType::NOT_EXPR, arguments, -1).cast() }
}

/// Adds a condition to WHERE of a level of a private copy.
pub fn add(level: &mut pg_sys::Query, condition: NodePtr) {
    // SAFETY: the FROM of a private copy.
    let from = unsafe { &mut *level.jointree };
    let mut conditions = tree::conjuncts(from.quals);
    conditions.push(condition);
    from.quals = all_of(conditions);
}

/// The only range whose columns a condition reads, if it reads nothing else and has no effects.
fn only_range(condition: NodePtr) -> Option<i32> {
    let mut ranges = plain_ranges(condition)?.into_iter();
    match (ranges.next(), ranges.next()) {
        (Some(range), None) => Some(range),
        _ => None,
    }
}

/// The ranges whose columns a condition reads, if it reads nothing else and has no effects.
pub fn plain_ranges(condition: NodePtr) -> Option<BTreeSet<i32>> {
    let mut ranges = BTreeSet::new();
    let mut plain = true;
    tree::walk(condition, &mut |node| {
        if let Some(var) = tree::cast::<pg_sys::Var, _>(node) {
            ranges.insert(var.varno);
            plain &= var.varlevelsup == 0 && var.varattno > 0;
        }
        plain &= tree::cast::<pg_sys::SubLink, _>(node).is_none();
        plain
    });
    // SAFETY: a valid expression.
    let stays = plain && !unsafe { pg_sys::contain_volatile_functions(condition) };
    stays.then_some(ranges)
}
