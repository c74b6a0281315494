//! How a query reads another one of WITH, which PostgreSQL runs row by row as its rows are asked for: whether that comes before anything that the query
//! does itself, and to its end.

use super::given_rows::mentions;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, JoinType, NodeTag, RTEKind, SubLinkType};
use std::collections::BTreeSet;

/// Whether a query reads all rows before it changes one of its own: in FROM, in IN, or in a subquery that gives a value; never below what may leave it
/// out or stop before its end. The name is that of a query in WITH of so many levels above.
pub fn reads_first(query: &pg_sys::Query, name: &str, depth: u32) -> bool {
    let all = mentions(query, name, depth).len();
    all > 0 && read_to_end(query, name, depth) == all
}

/// Whether a query reads all rows whatever other rows there are: it reads nothing else, without conditions.
pub fn reads_nothing_else(query: &pg_sys::Query, name: &str, depth: u32) -> bool {
    let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree) else {
        return false;
    };
    let is_plain = from.quals.is_null()
        && query.havingQual.is_null()
        && query.limitCount.is_null()
        && query.setOperations.is_null()
        && mentions(query, name, depth).len() == 1;
    // 0 stands for a join.
    let ranges: Vec<i32> = tree::nodes(from.fromlist)
        .map(|item| tree::cast::<pg_sys::RangeTblRef, _>(item).map_or(0, |range| range.rtindex))
        .filter(|range| *range == 0 || *range != query.resultRelation)
        .collect();
    let &[range] = ranges.as_slice() else {
        return false;
    };
    is_plain
        && entry(query, range).is_some_and(|entry| {
            is_mention(entry, name, depth)
                || inner(entry).is_some_and(|inner| reads_nothing_else(inner, name, depth + 1))
        })
}

/// How many mentions are read to their end before the query goes on.
fn read_to_end(query: &pg_sys::Query, name: &str, depth: u32) -> usize {
    if !query.limitCount.is_null() {
        return 0;
    }
    let ranges = match query.setOperations.is_null() {
        true => kept_ranges(query),
        false => (1..=tree::nodes(query.rtable).count() as i32).collect(),
    };
    let in_from: usize = ranges
        .into_iter()
        .filter_map(|range| entry(query, range))
        .map(|entry| match inner(entry) {
            Some(inner) => read_to_end(inner, name, depth + 1),
            None => usize::from(is_mention(entry, name, depth)),
        })
        .sum();
    let mut in_values = 0;
    let mut add = |node: NodePtr| {
        if let Some(link) = tree::cast::<pg_sys::SubLink, _>(node) {
            let kinds = [SubLinkType::ANY_SUBLINK, SubLinkType::EXPR_SUBLINK];
            let level = tree::cast::<pg_sys::Query, _>(link.subselect);
            if let Some(level) = level.filter(|_| kinds.contains(&link.subLinkType)) {
                in_values += read_to_end(level, name, depth + 1);
            }
            return false;
        }
        !matches!(
            tree::tag(node),
            Some(NodeTag::T_BoolExpr | NodeTag::T_CaseExpr | NodeTag::T_CoalesceExpr)
        )
    };
    let conditions = tree::cast::<pg_sys::FromExpr, _>(query.jointree)
        .map_or_else(Vec::new, |from| tree::conjuncts(from.quals));
    for condition in conditions {
        tree::walk(condition, &mut add);
    }
    tree::walk(query.targetList.cast(), &mut add);
    in_from + in_values
}

fn entry(query: &pg_sys::Query, range: i32) -> Option<&'static pg_sys::RangeTblEntry> {
    let at = usize::try_from(range).ok()?.checked_sub(1)?;
    tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(at)
}

fn inner(entry: &pg_sys::RangeTblEntry) -> Option<&'static pg_sys::Query> {
    match entry.rtekind {
        RTEKind::RTE_SUBQUERY => tree::cast(entry.subquery),
        _ => None,
    }
}

fn is_mention(entry: &pg_sys::RangeTblEntry, name: &str, depth: u32) -> bool {
    entry.rtekind == RTEKind::RTE_CTE
        && entry.ctelevelsup == depth
        && tree::string(entry.ctename) == name
}

/// The ranges of which each row of the join has one, not NULLs instead: PostgreSQL locks no others, and reads no others in any case.
pub fn kept_ranges(query: &pg_sys::Query) -> BTreeSet<i32> {
    let mut kept = BTreeSet::new();
    if let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree) {
        tree::nodes(from.fromlist).for_each(|item| keep(item, &mut kept));
    }
    kept
}

fn keep(item: NodePtr, kept: &mut BTreeSet<i32>) {
    if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(item) {
        kept.insert(range.rtindex);
    }
    let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) else {
        return;
    };
    if [JoinType::JOIN_INNER, JoinType::JOIN_LEFT].contains(&join.jointype) {
        keep(join.larg, kept);
    }
    if [JoinType::JOIN_INNER, JoinType::JOIN_RIGHT].contains(&join.jointype) {
        keep(join.rarg, kept);
    }
}
