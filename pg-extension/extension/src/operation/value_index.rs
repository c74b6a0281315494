//! Indexes over what a row stores of an Abelian column: its base, or which object it is. An operation in a slice changes neither, so that
//! operations need not know of these indexes; one in the row makes new entries, as every UPDATE of an indexed column does.
//!
//! What is found by them: [`super::by_value`]. Here, only what indexes there are.

use super::symbols::{Indexed, Symbols};
use super::tree::{self, Any};
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};
use std::collections::{BTreeMap, BTreeSet};

/// What the indexes of a table read of its Abelian columns.
pub struct Over(BTreeMap<i16, Uses>);

/// Of one column.
#[derive(Default)]
struct Uses {
    /// An index reads it otherwise, or must not have two equal keys.
    otherwise: bool,
    orders_by_base: bool,
    finds_object: bool,
}

impl Over {
    /// Looks at all indexes of a table that the caller has open.
    pub fn of(symbols: &Symbols, table: &Opened) -> Self {
        let columns = table.columns().iter();
        let abelian = columns.filter(|column| symbols.kind(column.atttypid).is_some());
        let mut over = Over(abelian.map(|c| (c.attnum, Uses::default())).collect());
        for index in indexes(table) {
            over.add(symbols, &index);
        }
        over
    }

    /// Whether the column is Abelian, and indexes read nothing of it but what is stored.
    pub fn stored_only(&self, column: i16) -> bool {
        self.0.get(&column).is_some_and(|uses| !uses.otherwise)
    }

    /// The columns by which rows can be ordered, and found by their objects.
    pub fn by_value(&self) -> BTreeSet<i16> {
        let both = |uses: &Uses| uses.orders_by_base && uses.finds_object;
        let found = self.0.iter().filter(|(_, uses)| both(uses));
        found.map(|(column, _)| *column).collect()
    }

    fn add(&mut self, symbols: &Symbols, index: &Opened) {
        // SAFETY: an open index; the lists are copies, or kept by its cache entry.
        let (form, expressions, condition) = unsafe {
            (
                &*(*index.relation()).rd_index,
                pg_sys::RelationGetIndexExpressions(index.relation()),
                pg_sys::RelationGetIndexPredicate(index.relation()),
            )
        };
        let unique = form.indisunique || form.indisexclusion;
        for (column, uses) in &mut self.0 {
            let reads = |list: *mut pg_sys::List| reads_otherwise(symbols, list, *column);
            uses.otherwise |= is_key(form, *column)
                || reads(expressions)
                || reads(condition)
                || unique && reads_at_all(expressions, *column);
        }
        let ordered = index.class().relam == pg_sys::BTREE_AM_OID;
        if ordered && form.indisvalid && condition.is_null() {
            self.add_first_key(symbols, form, expressions);
        }
    }

    fn add_first_key(
        &mut self,
        symbols: &Symbols,
        form: &pg_sys::FormData_pg_index,
        expressions: *mut pg_sys::List,
    ) {
        let first = tree::first::<pg_sys::Node>(expressions).filter(|_| key(form, 0) == 0);
        let Some((column, function, indexed)) = first.and_then(|first| stored(symbols, first))
        else {
            return;
        };
        if let Some(uses) = self.0.get_mut(&column) {
            uses.orders_by_base |= function == indexed.base;
            uses.finds_object |= function == indexed.object;
        }
    }
}

/// Whether all expressions of an index are what is stored of an Abelian column.
pub fn is_one(index: Oid) -> bool {
    let (Some(symbols), Some(index)) =
        (Symbols::get(), Opened::open(index, pg_sys::AccessShareLock))
    else {
        return false;
    };
    let expressions = tree::items::<pg_sys::Node>(index.index_expressions());
    expressions
        .into_iter()
        .all(|one| stored(&symbols, one).is_some())
}

/// The indexes of a table, open.
fn indexes(table: &Opened) -> Vec<Opened> {
    // SAFETY: the table is open; the list is a copy.
    let numbers: Vec<Oid> = unsafe {
        let list = pg_sys::RelationGetIndexList(table.relation());
        let count = pg_sys::list_length(list);
        (0..count).map(|n| pg_sys::list_nth_oid(list, n)).collect()
    };
    let open = |index: Oid| Opened::open(index, pg_sys::AccessShareLock);
    numbers.into_iter().filter_map(open).collect()
}

/// The column that is the key with this number, from 0; 0 if that is an expression.
fn key(form: &pg_sys::FormData_pg_index, number: usize) -> i16 {
    // SAFETY: an index has as many keys as it says.
    unsafe { form.indkey.values.as_slice(number + 1)[number] }
}

fn is_key(form: &pg_sys::FormData_pg_index, column: i16) -> bool {
    (0..form.indnatts as usize).any(|number| key(form, number) == column)
}

/// The column of which an expression is what is stored, by which function, and the functions of its type.
fn stored(symbols: &Symbols, expression: Any) -> Option<(i16, Oid, Indexed)> {
    let call = expression.cast::<pg_sys::FuncExpr>()?;
    let column = tree::first::<pg_sys::Node>(call.args)?.cast::<pg_sys::Var>()?;
    let indexed = symbols.kind(column.vartype)?.indexed?;
    let is_stored = [indexed.base, indexed.object].contains(&call.funcid);
    is_stored.then_some((column.varattno, call.funcid, indexed))
}

/// How often the expressions name the column, or the whole row, and how often in asking for what is stored.
fn count(symbols: Option<&Symbols>, list: *mut pg_sys::List, column: i16) -> (usize, usize) {
    let (mut named, mut of_stored) = (0, 0);
    tree::any_node(list.cast(), &mut |node, _| {
        let is_one = |number: i16| number == column || number == 0;
        let variable = node.cast::<pg_sys::Var>();
        named += usize::from(variable.is_some_and(|one| is_one(one.varattno)));
        let asks = symbols.and_then(|symbols| stored(symbols, node));
        of_stored += usize::from(asks.is_some_and(|(asked, ..)| asked == column));
        false
    });
    (named, of_stored)
}

fn reads_otherwise(symbols: &Symbols, list: *mut pg_sys::List, column: i16) -> bool {
    let (named, of_stored) = count(Some(symbols), list, column);
    named != of_stored
}

fn reads_at_all(list: *mut pg_sys::List, column: i16) -> bool {
    count(None, list, column).0 > 0
}
