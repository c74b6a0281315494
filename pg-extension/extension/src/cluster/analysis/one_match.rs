//! UPDATE ... FROM of a reference table: of several rows that match one, PostgreSQL takes any, and each copy might take another. So FROM is a query by
//! itself, which one node evaluates, and all copies take the first of its rows that matches.
//!
//! `UPDATE t SET a = s.x + t.b FROM s WHERE s.k = t.k AND s.y > 5` becomes `SELECT s.x, s.k FROM s WHERE s.y > 5` and, with `f` for arrays of these rows,
//! `UPDATE t SET a = (SELECT f.x + t.b FROM f WHERE f.k = t.k ORDER BY f.place LIMIT 1) WHERE (EXISTS (SELECT FROM f WHERE f.k = t.k)) IS TRUE`.
//! The table is read where it is changed only, and what depends on it stands in subqueries that are not joined with it: a row that another transaction
//! has changed meanwhile is looked at anew, and comes out alike on a node that waited for it and on one that did not.

use super::super::exact_texts;
use super::given_rows::{self, Given};
use super::insert_select::assigns_parts;
use super::merge::build::{self, WorkerColumns};
use super::merge::{determined, filter, parts};
use super::moved_rows;
use super::operand;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, CmdType, Oid, SubLinkType};

/// The number of the subquery that gives several columns; there is one.
const SUBLINK: i32 = 1;

/// Whether an UPDATE gives the rows of a reference table what it finds in whichever row of FROM matches.
pub fn concerns(query: &pg_sys::Query) -> bool {
    query.commandType == CmdType::CMD_UPDATE
        && Relation::new(tree::target(query), 0).placement == Placement::Reference
        && !determined::is_one(query)
}

/// Of a query as analysed; `None` when it is no such UPDATE, or cannot be said so.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    if !concerns(query) || !may_be_divided(query) {
        return Ok(None);
    }
    let mut fields = Fields::of(query);
    let (open, kept): (Vec<_>, Vec<_>) = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .partition(|entry| reads_others(query, entry.expr.cast()));
    let values: Vec<NodePtr> = open
        .iter()
        .map(|entry: &&pg_sys::TargetEntry| {
            fields.read_below(operand::without_length(entry.expr.cast()))
        })
        .collect();
    // SAFETY: a query has a join tree.
    let conditions = tree::conjuncts(unsafe { (*query.jointree).quals });
    let (of_target, own): (Vec<_>, Vec<_>) = conditions
        .into_iter()
        .partition(|condition| reads_target(query, *condition));
    let matches: Vec<NodePtr> = of_target
        .into_iter()
        .map(|condition| fields.read_below(condition))
        .collect();
    if fields.has_odd_types() {
        return Ok(None);
    }
    let source = source(query, own, &fields);
    let types: Vec<Oid> = parameters
        .iter()
        .copied()
        .chain(fields.columns.arrays())
        .collect();
    let rows = || -> Result<_, PostgresError> {
        let rows = build::numbered_rows(parameters.len(), &types)?;
        let place = build::place(fields.columns.len());
        let read = (0..fields.columns.len()).map(|at| fields.columns.read(at));
        rows.targetList = tree::make_list(build::targets(read.chain([place]), 1));
        let rows = build::range_of(rows, "given");
        let matches = matches.iter().map(|one| tree::copy(*one)).collect();
        Ok(parts::select([rows], filter::all_of(matches)))
    };
    let first = first(rows()?, &values, fields.columns.len());
    let kept = kept.into_iter().map(|entry| tree::copy(entry)).collect();
    let statement = update(query, &open, kept, first, exists(rows()?));
    if !given_rows::has_same_result(query, statement, &types)? {
        return Ok(None);
    }
    Ok(Some(Given {
        source,
        statement,
        count: fields.columns.len(),
        parameters: types,
    }))
}

fn may_be_divided(query: &pg_sys::Query) -> bool {
    // SAFETY: a query has a join tree.
    let condition = unsafe { (*query.jointree).quals };
    let mut entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    !query.hasModifyingCTE
        && exact_texts::are_exact()
        && tree::cast::<pg_sys::CurrentOfExpr, _>(condition).is_none()
        && !reads_others(query, query.returningList.cast())
        && !assigns_parts(query)
        && !moved_rows::assigns_several(query)
        && entries.all(|entry| {
            let given = tree::type_of(entry.expr);
            build::value_type(given) == given
        })
}

fn reads_target(query: &pg_sys::Query, expression: NodePtr) -> bool {
    determined::ranges_in(expression).contains(&query.resultRelation)
}

/// Whether an expression reads rows of FROM.
fn reads_others(query: &pg_sys::Query, expression: NodePtr) -> bool {
    determined::ranges_in(expression)
        .into_iter()
        .any(|range| range != query.resultRelation)
}

/// What is needed of the rows of FROM.
struct Fields {
    target: i32,
    columns: WorkerColumns,
    needs_with: bool,
}

impl Fields {
    fn of(query: &pg_sys::Query) -> Self {
        Fields {
            target: query.resultRelation,
            columns: WorkerColumns::default(),
            needs_with: false,
        }
    }

    /// An expression of the statement as one of a subquery over the rows, which is the only range there.
    fn read_below(&mut self, expression: NodePtr) -> NodePtr {
        self.needs_with |= mentions_with(expression);
        tree::replace_by_depth(expression, 0, &mut |node, depth| {
            let var = tree::cast::<pg_sys::Var, _>(node)?;
            if var.varlevelsup as i32 != depth {
                return None;
            }
            if var.varno == self.target {
                return Some(build::renumbered(var, self.target, var.varlevelsup + 1));
            }
            let own = tree::copy(var);
            // SAFETY: the copy was just made.
            unsafe { (*own).varlevelsup = 0 };
            let column = self.columns.add(own.cast(), 0);
            let read = tree::make_field(1, column as i16 + 1, own.cast());
            // SAFETY: as above.
            unsafe { (*read.cast::<pg_sys::Var>()).varlevelsup = depth as u32 };
            Some(read)
        })
    }

    /// Whether rows cannot travel as arrays, or what stays would name a query of WITH.
    fn has_odd_types(&self) -> bool {
        let types = self.columns.types();
        self.needs_with
            || self.columns.len() == 0
            || self.columns.has_anonymous_rows()
            || types
                .iter()
                .any(|given| build::value_type(*given) != *given)
    }
}

/// Whether a subquery of an expression reads a query of WITH.
fn mentions_with(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            tree::list::<pg_sys::RangeTblEntry>(level.rtable)
                .any(|entry| entry.rtekind == pg_sys::RTEKind::RTE_CTE)
        })
    })
}

/// FROM and the conditions that do not read the table, as a query by itself.
fn source(
    query: &pg_sys::Query,
    conditions: Vec<NodePtr>,
    fields: &Fields,
) -> &'static mut pg_sys::Query {
    let source = build::copy(query);
    source.commandType = CmdType::CMD_SELECT;
    source.resultRelation = 0;
    source.returningList = std::ptr::null_mut();
    source.targetList = fields.columns.targets();
    // SAFETY: the copy's own FROM.
    unsafe {
        (*source.jointree).fromlist = tree::make_list(items(source, query.resultRelation, false));
        (*source.jointree).quals =
            filter::all_of(conditions.into_iter().map(|one| tree::copy(one)).collect());
    }
    source
}

/// What is in FROM: the table that is changed, or all else.
fn items(query: &pg_sys::Query, target: i32, is_target: bool) -> Vec<NodePtr> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    from.into_iter()
        .flat_map(|from| tree::nodes(from.fromlist))
        .filter(|item| {
            let range = tree::cast::<pg_sys::RangeTblRef, _>(*item);
            range.is_some_and(|range| range.rtindex == target) == is_target
        })
        .collect()
}

/// These values of the first of the rows.
fn first(
    rows: &'static mut pg_sys::Query,
    values: &[NodePtr],
    columns: usize,
) -> &'static mut pg_sys::Query {
    let number = values.len() as i16 + 1;
    let place = tree::make_field(1, columns as i16 + 1, build::place(columns));
    let order = build::target(place, number);
    let clause = build::grouping_clause(pg_sys::INT8OID, 1);
    // SAFETY: a fresh entry, and a constant.
    unsafe {
        (*order).resjunk = true;
        (*order).ressortgroupref = 1;
        let (length, one) = (8, pg_sys::Datum::from(1_i64));
        rows.limitCount =
            pg_sys::makeConst(pg_sys::INT8OID, -1, Oid::INVALID, length, one, false, true).cast();
    }
    let targets = build::targets(values.iter().copied(), 1);
    rows.targetList = tree::make_list(targets.chain([order.cast()]));
    rows.sortClause = tree::make_list(clause.map(|clause| std::ptr::from_mut(clause).cast()));
    rows.hasSubLinks = true;
    rows
}

/// That there is a row, in a form that PostgreSQL does not join with the table.
fn exists(rows: &'static mut pg_sys::Query) -> NodePtr {
    // SAFETY: makes a constant.
    let anything: NodePtr = unsafe { pg_sys::makeBoolConst(true, false) };
    rows.targetList = tree::make_list([build::target(anything, 1).cast()]);
    rows.hasSubLinks = true;
    let test = tree::make::<pg_sys::BooleanTest>();
    test.arg = sublink(SubLinkType::EXISTS_SUBLINK, 0, rows).cast();
    test.booltesttype = pg_sys::BoolTestType::IS_TRUE;
    test.location = -1;
    std::ptr::from_mut(test).cast()
}

fn sublink(kind: SubLinkType::Type, number: i32, query: &mut pg_sys::Query) -> NodePtr {
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = kind;
    link.subLinkId = number;
    link.subselect = std::ptr::from_mut(query).cast();
    link.location = -1;
    std::ptr::from_mut(link).cast()
}

/// The UPDATE without FROM. `first` gives the values of the open assignments.
fn update(
    query: &pg_sys::Query,
    open: &[&pg_sys::TargetEntry],
    kept: Vec<*mut pg_sys::TargetEntry>,
    first: &mut pg_sys::Query,
    condition: NodePtr,
) -> &'static mut pg_sys::Query {
    let (mut targets, junk) = assignments(open, first);
    targets.extend(kept);
    targets.extend(junk);
    let update = build::copy(query);
    update.targetList = tree::make_list(targets.into_iter().map(|entry| entry.cast()));
    update.hasSubLinks = true;
    // SAFETY: the copy's own FROM and entries. The others stay in the range table, as Vars count by position; the deparser needs nothing of RTE_RESULT.
    unsafe {
        for entry in tree::nodes(update.rtable).map(|entry| entry.cast::<pg_sys::RangeTblEntry>()) {
            if entry != tree::range(update, update.resultRelation) {
                (*entry).rtekind = pg_sys::RTEKind::RTE_RESULT;
            }
        }
        (*update.jointree).fromlist = tree::make_list(items(update, update.resultRelation, true));
        (*update.jointree).quals = condition;
    }
    update
}

/// `SET a = (SELECT ...)`, or `SET (a, b) = (SELECT ...)` with the subquery as an entry of its own.
fn assignments(
    open: &[&pg_sys::TargetEntry],
    first: &mut pg_sys::Query,
) -> (
    Vec<*mut pg_sys::TargetEntry>,
    Option<*mut pg_sys::TargetEntry>,
) {
    if let [only] = open {
        let assignment = tree::copy(*only);
        // SAFETY: the copy was just made.
        unsafe { (*assignment).expr = sublink(SubLinkType::EXPR_SUBLINK, 0, first).cast() };
        return (vec![assignment], None);
    }
    let given: Vec<Oid> = tree::list::<pg_sys::TargetEntry>(first.targetList)
        .map(|entry| tree::type_of(entry.expr))
        .collect();
    let assignments = open.iter().enumerate().map(|(at, entry)| {
        let value = tree::make::<pg_sys::Param>();
        value.paramkind = pg_sys::ParamKind::PARAM_MULTIEXPR;
        value.paramid = (SUBLINK << 16) | (at as i32 + 1);
        value.paramtype = given[at];
        value.paramtypmod = -1;
        value.paramcollid = tree::collation_of(entry.expr);
        value.location = -1;
        let assignment = tree::copy(*entry);
        // SAFETY: the copy was just made.
        unsafe { (*assignment).expr = std::ptr::from_mut(value).cast() };
        assignment
    });
    let all = build::target(sublink(SubLinkType::MULTIEXPR_SUBLINK, SUBLINK, first), 0);
    // SAFETY: a fresh entry.
    unsafe { (*all).resjunk = true };
    (assignments.collect(), Some(all))
}
