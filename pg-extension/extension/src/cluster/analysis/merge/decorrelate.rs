//! `x < (SELECT 0.2 * avg(y) FROM t WHERE t.k = o.k)` in WHERE asks anew for each outer row. Over rows that have no index that is a scan each
//! time, so it becomes a join with the aggregates of all groups: `FROM ..., (SELECT k, avg(y) FROM t GROUP BY k) d WHERE d.k = o.k AND x < 0.2 * d.avg`
//! (W. Kim, On Optimizing an SQL-like Nested Query, 1982). Where there is no group the subquery gives NULL; only conditions that NULL fails are
//! joined so, which leaves out count().

use super::super::conditions;
use super::super::functions::FIRST_USER_OBJECT;
use super::super::tree::{self, NodePtr};
use super::{build, filter, outer};
use pgrx::pg_sys::{self, SubLinkType};

/// Aggregates that give NULL over no rows, and meet no error over values that are there.
const AGGREGATES: [&str; 4] = ["avg", "max", "min", "sum"];

/// Makes joins of what can be joined in the query and its subqueries, a private copy.
pub fn apply(levels: &[*mut pg_sys::Query]) {
    for level in levels {
        // SAFETY: a level of a private copy, of which nothing else is held.
        let level = unsafe { &mut **level };
        let Some(from) = tree::cast::<pg_sys::FromExpr, _>(level.jointree) else {
            continue;
        };
        if level.commandType != pg_sys::CmdType::CMD_SELECT || !level.rowMarks.is_null() {
            continue;
        }
        for condition in tree::conjuncts(from.quals) {
            if let Some(join) = joined(level, condition) {
                join.put(level, condition);
            }
        }
    }
}

/// A condition with a subquery, as a join.
struct Join {
    /// The aggregates of each group.
    groups: &'static mut pg_sys::Query,
    /// The condition over the columns of the groups, and that which finds the group of a row.
    conditions: Vec<NodePtr>,
}

impl Join {
    fn put(self, level: &mut pg_sys::Query, condition: NodePtr) {
        let Some(from) = tree::cast::<pg_sys::FromExpr, _>(level.jointree) else {
            return;
        };
        let mut all = tree::conjuncts(from.quals);
        all.retain(|one| *one != condition);
        all.extend(self.conditions);
        let all = tree::make_list(all);
        let range = tree::make::<pg_sys::RangeTblRef>();
        range.rtindex = next_range(level);
        let entry = build::range_of(self.groups, "groups");
        // SAFETY: appends to lists of a private copy; makes a node of the conditions.
        unsafe {
            level.rtable = pg_sys::lappend(level.rtable, entry.cast());
            let from = std::ptr::from_ref(from).cast_mut();
            (*from).fromlist = pg_sys::lappend((*from).fromlist, std::ptr::from_mut(range).cast());
            (*from).quals = pg_sys::make_ands_explicit(all).cast();
        }
    }
}

fn next_range(level: &pg_sys::Query) -> i32 {
    tree::nodes(level.rtable).len() as i32 + 1
}

fn joined(level: &pg_sys::Query, condition: NodePtr) -> Option<Join> {
    let link = only_subquery(condition)?;
    let inner = tree::cast::<pg_sys::Query, _>(link.subselect)?;
    let (own, correlated) = divide_conditions(inner)?;
    let entries: Vec<_> = tree::list::<pg_sys::TargetEntry>(inner.targetList).collect();
    let [entry] = entries.as_slice() else {
        return None;
    };
    let mut groups = Groups {
        range: next_range(level),
        targets: Vec::new(),
        clauses: Vec::new(),
    };
    let mut conditions = Vec::new();
    for equality in &correlated {
        conditions.push(groups.find_by(equality)?);
    }
    let value = groups.aggregated(entry.expr.cast())?;
    let link: NodePtr = std::ptr::from_ref(link).cast_mut().cast();
    let condition = tree::replace(condition, &mut |node| (node == link).then_some(value));
    // SAFETY: a valid expression without aggregates and subqueries.
    if unsafe { pg_sys::contain_nonstrict_functions(condition) } {
        return None;
    }
    conditions.push(condition);
    Some(Join {
        groups: groups.query(inner, own),
        conditions,
    })
}

/// The subquery of a condition that has one, a scalar one that aggregates all its rows.
fn only_subquery(condition: NodePtr) -> Option<&'static pg_sys::SubLink> {
    let mut found: Vec<&pg_sys::SubLink> = Vec::new();
    tree::walk(condition, &mut |node| {
        found.extend(tree::cast::<pg_sys::SubLink, _>(node));
        tree::cast::<pg_sys::SubLink, _>(node).is_none()
    });
    let &[link] = found.as_slice() else {
        return None;
    };
    let inner = tree::cast::<pg_sys::Query, _>(link.subselect)?;
    let aggregates = link.subLinkType == SubLinkType::EXPR_SUBLINK
        && inner.commandType == pg_sys::CmdType::CMD_SELECT
        && inner.hasAggs
        && inner.groupClause.is_null()
        && inner.groupingSets.is_null()
        && inner.havingQual.is_null()
        && !inner.hasWindowFuncs
        && !inner.hasTargetSRFs
        && inner.setOperations.is_null()
        && inner.cteList.is_null()
        && inner.distinctClause.is_null()
        && inner.sortClause.is_null()
        && inner.limitCount.is_null()
        && inner.limitOffset.is_null()
        && inner.rowMarks.is_null();
    // SAFETY: a valid query.
    let stays = aggregates && !unsafe { pg_sys::contain_volatile_functions(link.subselect) };
    stays.then_some(link)
}

/// Conditions of the subquery's own, and equalities with the outer row, of which there must be some; `None` if it knows the outer row otherwise.
fn divide_conditions(inner: &pg_sys::Query) -> Option<(Vec<NodePtr>, Vec<Equality>)> {
    let from = tree::cast::<pg_sys::FromExpr, _>(inner.jointree)?;
    let (mut own, mut correlated) = (Vec::new(), Vec::new());
    for condition in tree::conjuncts(from.quals) {
        match outer::expression_reads_above(condition) {
            false => own.push(condition),
            true => correlated.push(Equality::of(condition)?),
        }
    }
    let rest = build::copy(inner);
    // SAFETY: the copy's own FROM.
    unsafe { (*rest.jointree).quals = std::ptr::null_mut() };
    (!outer::reads_above(rest) && !correlated.is_empty()).then_some((own, correlated))
}

/// `inner = outer`, by an operator that hashes, so that rows of one group are equal to the same outer rows.
struct Equality {
    operation: &'static pg_sys::OpExpr,
    inner: NodePtr,
    /// Whether the inner side is the first one.
    inner_is_first: bool,
}

impl Equality {
    fn of(condition: NodePtr) -> Option<Equality> {
        let operation = tree::cast::<pg_sys::OpExpr, _>(condition)?;
        let sides: Vec<NodePtr> = tree::nodes(operation.args).collect();
        let &[first, second] = sides.as_slice() else {
            return None;
        };
        let inner_is_first = !outer::expression_reads_above(first);
        let (inner, outer) = match inner_is_first {
            true => (first, second),
            false => (second, first),
        };
        let usable = !outer::expression_reads_above(inner)
            && has_own_columns(inner)
            && !has_own_columns(outer)
            && !has_subquery(condition)
            && compares_groups(operation, inner);
        usable.then_some(Equality {
            operation,
            inner,
            inner_is_first,
        })
    }
}

/// Whether the operator's equality is that by which GROUP BY makes groups.
pub fn compares_groups(operation: &pg_sys::OpExpr, inner: NodePtr) -> bool {
    let Some(clause) = build::grouping_clause(tree::type_of(inner), 0) else {
        return false;
    };
    let collation = tree::collation_of(inner);
    // SAFETY: look-ups by number.
    let fits = unsafe {
        pg_sys::op_hashjoinable(operation.opno, tree::type_of(inner))
            && pg_sys::equality_ops_are_compatible(operation.opno, clause.eqop)
    };
    fits && clause.hashable
        && conditions::tells_apart(collation)
        && conditions::tells_apart(operation.inputcollid)
}

fn has_own_columns(node: NodePtr) -> bool {
    tree::any(node, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some_and(|var| var.varlevelsup == 0)
    })
}

fn has_subquery(node: NodePtr) -> bool {
    tree::any(node, &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// The columns of the groups' query.
struct Groups {
    /// Its place in the outer range table.
    range: i32,
    targets: Vec<NodePtr>,
    clauses: Vec<NodePtr>,
}

impl Groups {
    /// A column of the query, as the outer level reads it.
    fn column(&mut self, expression: NodePtr, reference: u32) -> NodePtr {
        let number = self.targets.len() as i16 + 1;
        let entry = build::target(expression, number);
        // SAFETY: a fresh entry.
        unsafe { (*entry).ressortgroupref = reference };
        self.targets.push(entry.cast());
        tree::make_field(self.range, number, expression)
    }

    /// Groups by the inner side; gives the equality as the outer level has it.
    fn find_by(&mut self, equality: &Equality) -> Option<NodePtr> {
        let reference = self.clauses.len() as u32 + 1;
        let clause = build::grouping_clause(tree::type_of(equality.inner), reference)?;
        self.clauses.push(std::ptr::from_mut(clause).cast());
        let column = self.column(tree::copy(equality.inner), reference);
        let operation = tree::copy(equality.operation);
        // SAFETY: the copy was just made, with two arguments.
        unsafe {
            let place = usize::from(!equality.inner_is_first);
            (*(*(*operation).args).elements.add(place)).ptr_value = column.cast();
            let other = (*(*(*operation).args).elements.add(1 - place))
                .ptr_value
                .cast();
            pg_sys::IncrementVarSublevelsUp(other, -1, 1);
        }
        Some(operation.cast())
    }

    /// What the subquery selects, over the groups' aggregates; `None` when it needs more, or would not be NULL without any row.
    fn aggregated(&mut self, value: NodePtr) -> Option<NodePtr> {
        let (mut usable, mut aggregates) = (true, 0);
        let over = tree::replace(value, &mut |node| {
            if let Some(call) = tree::cast::<pg_sys::Aggref, _>(node) {
                usable &= is_known(call);
                aggregates += 1;
                return Some(self.column(node, 0));
            }
            usable &= tree::cast::<pg_sys::Var, _>(node).is_none()
                && tree::cast::<pg_sys::SubLink, _>(node).is_none();
            None
        });
        (usable && aggregates > 0).then_some(over)
    }

    fn query(self, inner: &pg_sys::Query, own: Vec<NodePtr>) -> &'static mut pg_sys::Query {
        let query = build::copy(inner);
        let conditions: Vec<NodePtr> = own.into_iter().map(|one| tree::copy(one)).collect();
        query.targetList = tree::make_list(self.targets);
        query.groupClause = tree::make_list(self.clauses);
        // SAFETY: the copy's own FROM.
        unsafe { (*query.jointree).quals = filter::all_of(conditions) };
        query
    }
}

/// Whether it is one of PostgreSQL's that give NULL over no rows, of a column as it is.
fn is_known(call: &pg_sys::Aggref) -> bool {
    // SAFETY: a look-up by number.
    let name = tree::string(unsafe { pg_sys::get_func_name(call.aggfnoid) });
    let plain =
        |node: NodePtr| tree::cast::<pg_sys::Var, _>(node).is_some_and(|var| var.varlevelsup == 0);
    call.aggfnoid.to_u32() < FIRST_USER_OBJECT
        && AGGREGATES.contains(&name.as_str())
        && call.agglevelsup == 0
        && call.aggfilter.is_null()
        && call.aggorder.is_null()
        && tree::list::<pg_sys::TargetEntry>(call.args).all(|entry| plain(entry.expr.cast()))
}
