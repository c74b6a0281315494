//! The parts of a worker query: what one statement needs of one relation or subquery each. They are joined by UNION ALL, and all have the same
//! columns: the number of the part, and those of all parts, of which only a part's own have values.

use super::super::parser;
use super::super::tree::{self, NodePtr};
use super::build::{self, WorkerColumns};
use crate::boundary::functions;
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid};

/// One mention of a relation, or a subquery that nodes evaluate.
pub struct Part {
    /// Selects its rows.
    pub query: &'static mut pg_sys::Query,
    pub columns: WorkerColumns,
    /// The same rows on several nodes, or of the first node alone.
    pub from_one_node: bool,
}

impl Part {
    /// Bytes of its rows, by its cheapest plan; `None` when it cannot be planned without its parameters.
    pub fn estimated_bytes(&self) -> Option<f64> {
        let query = build::copy(self.query);
        query.targetList = self.columns.targets();
        let planned = boundary::attempt(|| {
            // SAFETY: plans a private copy, whose relations are locked.
            let plan = unsafe {
                boundary::caught(|| {
                    functions::standard_planner(query, c"".as_ptr(), 0, std::ptr::null_mut())
                })?
            };
            // SAFETY: a plan has a top node.
            Ok(unsafe {
                let top = (*plan).planTree;
                (*top).plan_rows * f64::from((*top).plan_width)
            })
        });
        planned.ok()
    }
}

/// Gives each part the columns of all.
pub fn fill_target_lists(parts: &mut [Part]) {
    for number in 0..parts.len() {
        let mut values = vec![number_of(number)];
        for (other, part) in parts.iter().enumerate() {
            values.extend(part.columns.values(other == number));
        }
        parts[number].query.targetList = tree::make_list(
            values
                .into_iter()
                .enumerate()
                .map(|(at, value)| build::target(value, at as i16 + 1).cast()),
        );
    }
}

/// The text of one query with some of the parts; empty for none.
pub fn union_all(parts: &mut [Part], of: impl Fn(&Part) -> bool) -> Result<String, PostgresError> {
    let mut texts = Vec::new();
    for part in parts.iter_mut().filter(|part| of(part)) {
        texts.push(format!("({})", parser::deparse_for(part.query, &[])?));
    }
    Ok(texts.join(" UNION ALL "))
}

/// Leaves of rows with the columns of all parts those of one part.
pub fn keep_only(rows: &mut pg_sys::Query, part: usize) {
    // SAFETY: makes nodes; the FROM is of a private copy.
    unsafe {
        let number = pg_sys::makeVar(1, 1, pg_sys::INT4OID, -1, Oid::INVALID, 0);
        let own = pg_sys::make_opclause(
            pg_sys::Int4EqualOperator.into(),
            pg_sys::BOOLOID,
            false,
            number.cast(),
            number_of(part).cast(),
            Oid::INVALID,
            Oid::INVALID,
        );
        (*rows.jointree).quals = own.cast();
    }
}

/// The number of a part, as its rows say it.
pub fn number_of(part: usize) -> NodePtr {
    // SAFETY: makes a constant of a type that is passed by value.
    unsafe {
        pg_sys::makeConst(
            pg_sys::INT4OID,
            -1,
            Oid::INVALID,
            4,
            pg_sys::Datum::from(part as i32),
            false,
            true,
        )
        .cast()
    }
}

/// SELECT of nothing yet from one relation.
pub fn select(entry: *mut pg_sys::RangeTblEntry, filter: NodePtr) -> &'static mut pg_sys::Query {
    let query = tree::make::<pg_sys::Query>();
    let from = from_range(1);
    from.quals = filter;
    query.commandType = pg_sys::CmdType::CMD_SELECT;
    query.canSetTag = true;
    query.jointree = from;
    query.rtable = tree::make_list([tree::copy(entry).cast()]);
    query
}

/// FROM of one entry of the range table.
pub fn from_range(index: i32) -> &'static mut pg_sys::FromExpr {
    let from = tree::make::<pg_sys::FromExpr>();
    let range = tree::make::<pg_sys::RangeTblRef>();
    range.rtindex = index;
    from.fromlist = tree::make_list([std::ptr::from_mut(range).cast()]);
    from
}
