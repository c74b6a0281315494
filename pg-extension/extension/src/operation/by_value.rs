//! Queries that find or order rows by the values of counters, for which the table has indexes ([`super::value_index`]). They get conditions
//! that follow from their own, and that PostgreSQL can use these indexes for. What the conditions let through is tested and sorted as ever,
//! by values under the statement's snapshot. So they only must not leave out a row of the result. The argument is in
//! `docs/design/value-indexes.md`; its two halves are:
//!
//! * An object of which the snapshot shows no slice has the value that its row stores.
//! * The others are listed by [`objects_with_slices`], so that their rows are found by an index over objects.

use super::functions::rewritten;
use super::own;
use super::rewrite::Relation;
use super::settings::{STRICT_READS, VALUE_INDEXES};
use super::symbols::{ByValue, Indexed, Kind, Symbols};
use super::tree::{self, Any, Tree};
use crate::compat;
use crate::error::Error;
use crate::harmless;
use crate::object;
use crate::opened::Opened;
use crate::pg_function;
use pgrx::IntoDatum;
use pgrx::pg_sys::{self, CmdType, Datum};
use std::rc::Rc;

mod ordered;

/// Whatever is in the slice table is read for each query. This many times dearer to read the table must be.
const DEARER: u32 = 8;

/// So many slices are as dear as a page of rows: each object that has some is looked up.
const SLICES_PER_PAGE: u32 = 50;

/// So many pages without slices are: the table grows with its versions, and shrinks late.
const EMPTY_PAGES_PER_PAGE: u32 = 16;

/// A column that has such indexes.
struct Column {
    attribute: i16,
    modifier: i32,
    kind: Rc<Kind>,
    indexed: Indexed,
}

/// Adds conditions to the queries of a statement that only reads.
pub fn queries(symbols: &Symbols, queries: &[Tree<pg_sys::Query>]) {
    let Some(functions) = symbols.by_value else {
        return;
    };
    // A strict read holds all that it reads, and is told by that what there is.
    if !VALUE_INDEXES.get() || STRICT_READS.get() {
        return;
    }
    let reads = |query: &Tree<pg_sys::Query>| {
        query.commandType == CmdType::CMD_SELECT && query.rowMarks.is_null()
    };
    if !queries.iter().all(reads) {
        return;
    }
    for query in queries {
        for relation in Relation::sources(symbols, *query) {
            if relation.facts.by_value.is_empty() || !is_apt(&relation) {
                continue;
            }
            let columns = columns(symbols, &relation);
            if !ordered::first_rows(*query, &relation, &columns, functions) {
                conditions(*query, &relation, &columns, functions);
            }
        }
    }
}

fn columns(symbols: &Symbols, relation: &Relation<'_>) -> Vec<Column> {
    let Some(table) = Opened::open(relation.id(), pg_sys::NoLock) else {
        return Vec::new();
    };
    let by_value = table.columns().iter();
    by_value
        .filter(|column| relation.facts.by_value.contains(&column.attnum))
        .filter_map(|column| {
            let kind = symbols.kind(column.atttypid)?;
            let indexed = kind.indexed?;
            Some(Column {
                attribute: column.attnum,
                modifier: column.atttypmod,
                kind,
                indexed,
            })
        })
        .collect()
}

/// Whether the relation is a plain table, large enough for its indexes to be worth a look into the slice table.
fn is_apt(relation: &Relation<'_>) -> bool {
    let pages = || {
        let table = Opened::open(relation.id(), pg_sys::NoLock)?;
        u32::try_from(table.class().relpages).ok()
    };
    relation.facts.simple
        && !relation.has_row_security()
        && !relation.is_sample()
        && pages()
            .is_some_and(|pages| object::slice_table_size().is_ok_and(|slices| pays(pages, slices)))
}

/// Whether reading a table of so many pages is dearer than reading the slices and looking up their objects.
fn pays(pages: u32, slices: object::SliceTableSize) -> bool {
    let empty = slices.pages / EMPTY_PAGES_PER_PAGE;
    let dear = match slices.rows {
        Some(rows) => empty.saturating_add(rows.div_ceil(SLICES_PER_PAGE)),
        None => slices.pages,
    };
    slices.pages <= pages && dear.saturating_mul(DEARER) <= pages
}

impl Column {
    /// The same expression of what is stored instead of values; `None` if it has none.
    fn of_base(&self, relation: &Relation<'_>, expression: Any) -> Option<Any> {
        let copy = expression.copy();
        let mut found = false;
        tree::any_node(copy.pointer(), &mut |node, levels| {
            if let Some(mut call) = self.value(relation, node).filter(|_| levels == 0) {
                call.funcid = self.indexed.base;
                call.funcformat = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
                found = true;
            }
            false
        });
        found.then_some(copy)
    }

    /// The call that reads the column's value, if a node is one.
    fn value(&self, relation: &Relation<'_>, node: Any) -> Option<Tree<pg_sys::FuncExpr>> {
        let call = node.cast::<pg_sys::FuncExpr>()?;
        let column = tree::first::<pg_sys::Node>(call.args)?.cast::<pg_sys::Var>()?;
        (call.funcid == self.kind.value && self.is(relation, column)).then_some(call)
    }

    fn is(&self, relation: &Relation<'_>, column: Tree<pg_sys::Var>) -> bool {
        column.varno == relation.number
            && column.varattno == self.attribute
            && column.varlevelsup == 0
    }

    /// `counter_object(column)`
    fn object(&self, relation: &Relation<'_>) -> Any {
        let stored = self.stored(relation);
        tree::call(self.indexed.object, pg_sys::INT8OID, &[stored])
    }

    /// `base(column)`
    fn base(&self, relation: &Relation<'_>) -> Any {
        let stored = self.stored(relation);
        tree::call(self.indexed.base, self.kind.value_type, &[stored])
    }

    /// The column, with its modifier, as it stands in an index.
    fn stored(&self, relation: &Relation<'_>) -> Any {
        let column = tree::column(relation.number, self.attribute, self.kind.type_, 0);
        if let Some(mut variable) = column.cast::<pg_sys::Var>() {
            variable.vartypmod = self.modifier;
        }
        column
    }
}

/// `counter_object(column) = ANY (objects with slices)`
fn has_slices(relation: &Relation<'_>, column: &Column, functions: ByValue) -> Any {
    let list = tree::internal_call(functions.objects_with_slices, pg_sys::INT8ARRAYOID, &[]);
    let once = tree::sublink(pg_sys::SubLinkType::EXPR_SUBLINK, tree::values(&[list]));
    tree::is_any(tree::INT8_EQUAL, column.object(relation), once)
}

/// The comparisons of a column's value among conditions, made comparisons of its base.
fn compared_bases(relation: &Relation<'_>, column: &Column, conditions: &[Any]) -> Vec<Any> {
    let compared = |one: &Any| {
        is_comparison(relation, column, *one).then(|| column.of_base(relation, *one))?
    };
    conditions.iter().filter_map(compared).collect()
}

/// For comparisons of a column's value: the same of its base, or the object has slices.
fn conditions(
    mut query: Tree<pg_sys::Query>,
    relation: &Relation<'_>,
    columns: &[Column],
    functions: ByValue,
) {
    let Some(mut join) = Tree::new(query.jointree) else {
        return;
    };
    let mut all = tree::conjuncts(join.quals);
    for column in columns {
        let of_base = compared_bases(relation, column, &all);
        if let Some(stored) = Tree::new(tree::conjunction(&of_base)) {
            let either = [stored, has_slices(relation, column, functions)];
            all.push(tree::boolean(pg_sys::BoolExprType::OR_EXPR, &either));
            query.hasSubLinks = true;
        }
    }
    join.quals = tree::conjunction(&all);
}

/// Whether a condition compares the column's value with something that is the same for all rows, in a way that an index knows. Such
/// comparisons do not fail, whatever the value.
fn is_comparison(relation: &Relation<'_>, column: &Column, condition: Any) -> bool {
    let Some(operator) = condition.cast::<pg_sys::OpExpr>() else {
        return false;
    };
    let [left, right] = tree::items::<pg_sys::Node>(operator.args)[..] else {
        return false;
    };
    let varies = |node: Any| {
        node.cast::<pg_sys::Var>().is_some()
            || node.cast::<pg_sys::SubLink>().is_some()
            || node.cast::<pg_sys::Query>().is_some()
    };
    let constant = |one: Any| {
        !tree::any_node(one.pointer(), &mut |node, _| varies(node)) && !tree::is_volatile(one)
    };
    let value = |one| column.value(relation, one).is_some();
    let fits = value(left) && constant(right) || value(right) && constant(left);
    fits && compat::is_of_an_order(operator.opno)
}

pg_function!(
    /// The objects that may have another value than their rows store: those of which the active snapshot shows slices. Those that the
    /// transaction has operated on are among them, so that the statement comes to read them, and to hold them as if it had read all.
    fn abelian_objects_with_slices(call) {
        rewritten(call)?;
        own::note_unseen_reads();
        // SAFETY: a statement has an active snapshot while it runs.
        let mut objects = unsafe { object::with_slices(harmless::GetActiveSnapshot())? };
        objects.extend(own::operated_objects());
        objects.into_datum().ok_or_else(|| Error::Internal("no array".into()))
    }
);

pg_function!(
    /// Whether the active snapshot shows no slices of an object, so that its row stores its value. So it is where there is none.
    fn abelian_has_no_slices(call) {
        rewritten(call)?;
        let none = call.is_null(0) || {
            // SAFETY: as above.
            unsafe { object::visible_to(call.i64(0), harmless::GetActiveSnapshot())? }.count == 0
        };
        Ok(Datum::from(none))
    }
);
