//! Statements that are nothing but operations: recognised before planning, turned into a custom scan afterwards.
//!
//! PostgreSQL plans the UPDATE with the changes in place of the new values. The plan below its ModifyTable then
//! yields, for each row, the changes, the data of the columns, and where the row is; ModifyTable is replaced by
//! our node (see [`super::scan`]), which neither waits for the row nor has to rewrite it.

use super::combined;
use super::conditions::{Form, Tests};
use super::rewrite::Relation;
use super::settings::{RETURNED_VALUES, ReturnedValues, STRICT_READS};
use super::symbols::Symbols;
use super::tree::{self, Any, Integers, Tree};
use crate::aggregate::Family;
use crate::compat;
use pgrx::pg_sys::{self, CmdType, NodeTag};
use std::collections::BTreeSet;
use std::ffi::CStr;

/// A statement whose plan is to be replaced.
pub struct Pure {
    /// The columns that are operated on, in the order of the plan's output.
    attributes: Vec<i16>,
    /// The columns that WHERE, arguments and RETURNING read.
    reads: Vec<i16>,
    /// Whether one of them is no key: then the row's plain columns must not change meanwhile.
    reads_plain: bool,
    /// Conditions on a value.
    tests: Option<Tests>,
    /// The columns of which RETURNING gives what is committed, and the transaction's own operations.
    returned: Vec<i16>,
}

/// Prepares an UPDATE that only operates, on a plain table, and nothing else sees the new values. `None`, and the
/// statement untouched, otherwise.
pub fn prepare(symbols: &Symbols, mut query: Tree<pg_sys::Query>) -> Option<Pure> {
    if query.commandType != CmdType::CMD_UPDATE
        || query.hasSubLinks
        || query.hasTargetSRFs
        || !query.cteList.is_null()
        || !query.rowMarks.is_null()
        || !query.withCheckOptions.is_null()
    {
        return None;
    }
    let target = Relation::of(symbols, query, query.resultRelation)?;
    let facts = &target.facts;
    if !facts.simple
        || facts.update_trigger
        || facts.doubtful_check
        || target.has_row_security()
        || !only_source(query)
    {
        return None;
    }
    let entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
    // Nobody but PostgreSQL's own node has both versions at hand.
    let names_version = |node: Any| {
        node.cast::<pg_sys::Var>()
            .is_some_and(|column| compat::names_version(&column))
    };
    if tree::any_node(query.returningList.cast(), &mut |node, _| {
        names_version(node)
    }) {
        return None;
    }
    let changes: Vec<Any> = changes(&target, &entries)?
        .into_iter()
        .map(|change| combined::unmarked(symbols, change))
        .collect();
    let attributes: Vec<i16> = entries.iter().map(|entry| entry.resno).collect();
    let mut join = Tree::new(query.jointree)?;
    let mut conditions = tree::conjuncts(join.quals);
    let tests = match reads_value(&target, &conditions) {
        // A strict read holds what it reads.
        true if STRICT_READS.get() => return None,
        true => {
            let made: Vec<_> = attributes
                .iter()
                .copied()
                .zip(changes.iter().copied())
                .collect();
            Some(Tests::taken_from(symbols, &target, &mut conditions, &made)?)
        }
        false => None,
    };
    let compared: Vec<Any> = tests.iter().flat_map(Tests::expressions).collect();
    let used = [conditions.as_slice(), &changes, &compared].concat();
    let returned = returned(query, &target, &attributes);
    let mut reads = reads(query, &target, &used, &returned)?;
    let reads_plain = reads.iter().any(|column| !facts.keys.contains(column));
    // Whoever changes a bound holds the value.
    for attribute in &attributes {
        reads.extend(facts.row_bounds.read_for(*attribute));
    }
    query.targetList = output(symbols, &target, &attributes, &changes, &compared)?;
    if tests.is_some() {
        join.quals = tree::conjunction(&conditions);
    }
    Some(Pure {
        attributes,
        reads: reads.into_iter().collect(),
        reads_plain,
        tests,
        returned,
    })
}

/// The columns that are operated on and returned, where a value that others change meanwhile will do.
fn returned(query: Tree<pg_sys::Query>, target: &Relation<'_>, attributes: &[i16]) -> Vec<i16> {
    if RETURNED_VALUES.get() == ReturnedValues::Exact || STRICT_READS.get() {
        return Vec::new();
    }
    let returned = target.columns_read(query.returningList);
    let all = attributes.iter().copied();
    all.filter(|column| returned.contains(column) && !is_drawn(target, *column))
        .collect()
}

/// Whether the column hands out numbers: what is drawn is known, whatever the column contains.
fn is_drawn(target: &Relation<'_>, column: i16) -> bool {
    let family = |type_| Family::of(type_);
    let column = target.facts.column(column);
    column.is_some_and(|column| family(column.type_).is_some_and(|one| one.numbers.is_some()))
}

/// Whether one of the conditions reads an Abelian column.
fn reads_value(target: &Relation<'_>, conditions: &[Any]) -> bool {
    let reads = |one: &Any| target.columns_read(one.pointer::<pg_sys::Node>());
    conditions
        .iter()
        .any(|one| target.abelian_among(&reads(one)))
}

/// Whether the statement reads the target alone.
fn only_source(query: Tree<pg_sys::Query>) -> bool {
    let Some(join) = Tree::new(query.jointree) else {
        return false;
    };
    let sources = tree::items::<pg_sys::Node>(join.fromlist);
    sources.len() == 1
        && sources[0]
            .cast::<pg_sys::RangeTblRef>()
            .is_some_and(|source| source.rtindex == query.resultRelation)
}

/// The change of each assignment, if all are operations whose results nobody checks.
fn changes(target: &Relation<'_>, entries: &[Tree<pg_sys::TargetEntry>]) -> Option<Vec<Any>> {
    let facts = &target.facts;
    entries
        .iter()
        .map(|entry| {
            let attribute = entry.resno;
            let watched = facts.watched.contains(&attribute) || facts.watched.contains(&0);
            let watched = watched && !facts.row_bounds.are_of(attribute);
            if entry.resjunk || watched {
                return None;
            }
            target.operation(attribute, Tree::new(entry.expr.cast())?)
        })
        .collect()
}

/// The columns the statement depends on, of which these expressions are evaluated; those in `apart` are returned apart. `None` if one of them is Abelian or says where the
/// row is stored, or if a cursor does.
fn reads(
    query: Tree<pg_sys::Query>,
    target: &Relation<'_>,
    expressions: &[Any],
    apart: &[i16],
) -> Option<BTreeSet<i16>> {
    let by_cursor = expressions.iter().any(|expression| {
        tree::any_node(expression.pointer(), &mut |node, _| {
            node.type_ == NodeTag::T_CurrentOfExpr
        })
    });
    let mut reads = BTreeSet::new();
    let assigned: BTreeSet<i16> = tree::items::<pg_sys::TargetEntry>(query.targetList)
        .iter()
        .map(|entry| entry.resno)
        .collect();
    let is_known = |column: &i16| {
        apart.contains(column) || assigned.contains(column) && is_drawn(target, *column)
    };
    let returned = target.columns_read(query.returningList);
    reads.extend(returned.into_iter().filter(|column| !is_known(column)));
    for expression in expressions {
        reads.extend(target.columns_read(expression.pointer::<pg_sys::Node>()));
    }
    let stored = reads.iter().any(|column| *column < 0);
    (!by_cursor && !stored && !target.abelian_among(&reads)).then_some(reads)
}

/// What the plan yields: the changes, then the columns themselves, then what conditions compare.
fn output(
    symbols: &Symbols,
    target: &Relation<'_>,
    attributes: &[i16],
    changes: &[Any],
    compared: &[Any],
) -> Option<*mut pg_sys::List> {
    let mut entries = Vec::new();
    for (change, attribute) in changes.iter().zip(attributes) {
        let change = target.amount(*attribute, *change);
        entries.push(tree::target(change, *attribute, c"change", false));
    }
    for attribute in attributes {
        let column = target.facts.column(*attribute)?;
        let kind = symbols.kind(column.type_)?;
        let own = tree::column(target.number, *attribute, kind.type_, 0);
        entries.push(tree::target(own, entries.len() as i16 + 1, c"object", true));
    }
    for expression in compared {
        let number = entries.len() as i16 + 1;
        entries.push(tree::target(*expression, number, c"compared", true));
    }
    Some(tree::list(&entries))
}

/// What [`super::scan`] reads from the plan. Read for every execution, so nothing is copied.
pub struct Private {
    /// Columns operated on.
    pub attributes: Integers,
    reads: Integers,
    /// Whether one of the columns read is no key.
    pub reads_plain: bool,
    /// PostgreSQL's parameter that makes the plan run again for one newer row.
    pub recheck_parameter: i32,
    /// The column of the plan's output that tells where the row is.
    pub place: i16,
    /// The column that conditions test; 0 for none.
    pub tested: i16,
    /// Whether the statement's snapshot must show that they hold.
    pub tests_snapshot: bool,
    returned: Integers,
    forms: Integers,
}

impl Private {
    /// Reads what `Pure::replace` stored.
    pub fn of(scan: &pg_sys::CustomScan) -> Option<Private> {
        let mut lists = tree::each::<pg_sys::List>(scan.custom_private).map(Integers::new);
        let (attributes, reads, rest) = (lists.next()?, lists.next()?, lists.next()?);
        let returned = lists.next()?;
        let forms = lists.next().unwrap_or(Integers::new(std::ptr::null_mut()));
        let mut rest = rest.iter();
        Some(Private {
            attributes,
            reads,
            reads_plain: rest.next()? != 0,
            recheck_parameter: rest.next()?,
            place: rest.next()? as i16,
            tested: rest.next()? as i16,
            tests_snapshot: rest.next()? != 0,
            returned,
            forms,
        })
    }

    /// The comparisons of the conditions.
    pub fn forms(&self) -> impl ExactSizeIterator<Item = Form> + use<> {
        self.forms.iter().map(Form::of)
    }

    /// Whether it depends on values what is done.
    pub fn tests_values(&self) -> bool {
        self.tested != 0
    }

    /// Columns the statement depends on.
    pub fn reads(&self) -> impl Iterator<Item = i16> {
        columns(self.reads)
    }

    /// Whether RETURNING gives of this column what is committed, and the transaction's own operations.
    pub fn returns(&self, column: i16) -> bool {
        columns(self.returned).any(|one| one == column)
    }
}

/// What [`listed`] wrote.
fn columns(list: Integers) -> impl Iterator<Item = i16> {
    list.iter().skip(1).map(|column| column as i16)
}

/// The list begins with a 0, since an empty list is a null pointer.
fn listed(columns: &[i16]) -> Option<Tree<pg_sys::List>> {
    let all = columns.iter().map(|column| i32::from(*column));
    let all: Vec<i32> = std::iter::once(0).chain(all).collect();
    Tree::new(tree::integer_list(&all))
}

impl Pure {
    /// Whether it depends on values what is done.
    pub fn tests_values(&self) -> bool {
        self.tests.is_some()
    }

    /// Puts our node in the place of ModifyTable. False if the plan is not the one expected.
    pub fn replace(&self, mut statement: Tree<pg_sys::PlannedStmt>) -> bool {
        let Some(modify) = Tree::<pg_sys::Node>::new(statement.planTree.cast())
            .and_then(|plan| plan.cast::<pg_sys::ModifyTable>())
        else {
            return false;
        };
        let mut relations = Integers::new(modify.resultRelations).iter();
        let (Some(relation), None) = (relations.next(), relations.next()) else {
            return false;
        };
        let Some(place) = place_column(modify.plan.lefttree) else {
            return false;
        };
        let returning = tree::items::<pg_sys::List>(modify.returningLists);
        let integers = |numbers: &[i32]| Tree::new(tree::integer_list(numbers));
        let attributes: Vec<i32> = self
            .attributes
            .iter()
            .map(|column| i32::from(*column))
            .collect();
        let (Some(attributes), Some(reads), Some(returned), Some(rest)) = (
            integers(&attributes),
            listed(&self.reads),
            listed(&self.returned),
            integers(&[
                i32::from(self.reads_plain),
                modify.epqParam,
                place,
                self.tests
                    .as_ref()
                    .map_or(0, |tests| tests.attribute.into()),
                i32::from(self.tests.as_ref().is_some_and(|tests| tests.in_snapshot)),
            ]),
        ) else {
            return false;
        };
        let forms: Vec<i32> = self
            .tests
            .iter()
            .flat_map(Tests::forms)
            .map(Form::number)
            .collect();
        let lists = [attributes, reads, rest, returned]
            .into_iter()
            .chain(integers(&forms));
        let lists: Vec<_> = lists.collect();
        let Some(mut scan) = new_scan() else {
            return false;
        };
        scan.scan.plan = modify.plan; // costs, node id, initial plans, parameters
        scan.scan.plan.type_ = NodeTag::T_CustomScan;
        scan.scan.plan.lefttree = std::ptr::null_mut();
        scan.scan.plan.targetlist = returning
            .first()
            .map_or(std::ptr::null_mut(), |list| list.pointer());
        scan.scan.scanrelid = relation as u32;
        scan.custom_plans = Tree::new(modify.plan.lefttree)
            .map_or(std::ptr::null_mut(), |plan| tree::list(&[plan]));
        scan.custom_private = tree::list(&lists);
        // SAFETY: a set of one relation.
        scan.custom_relids = unsafe { pg_sys::bms_make_singleton(relation) };
        scan.methods = super::scan::methods();
        statement.planTree = scan.pointer();
        true
    }
}

/// The column of a plan's output that tells where the row is.
fn place_column(plan: *mut pg_sys::Plan) -> Option<i32> {
    let entries = tree::items::<pg_sys::TargetEntry>(Tree::new(plan)?.targetlist);
    entries.iter().find_map(|entry| {
        // SAFETY: names of entries are C strings.
        let named = entry.resjunk
            && !entry.resname.is_null()
            && unsafe { CStr::from_ptr(entry.resname) } == c"ctid";
        named.then_some(i32::from(entry.resno))
    })
}

fn new_scan() -> Option<Tree<pg_sys::CustomScan>> {
    // SAFETY: zeroed memory of the node's size, which the caller tags.
    Tree::new(unsafe { pg_sys::palloc0(size_of::<pg_sys::CustomScan>()) }.cast())
}
