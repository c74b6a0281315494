//! The parts of a worker query: what one statement needs of one relation or subquery each. They are joined by UNION ALL, and all have the same
//! columns: the number of the part, and those of all parts, of which only a part's own have values.

use super::super::super::settings;
use super::super::parser;
use super::super::tree::{self, NodePtr};
use super::build::{self, WorkerColumns};
use super::filter;
use crate::boundary::functions;
use crate::boundary::{self, PostgresError};
use crate::compat;
use pgrx::pg_sys::{self, LockClauseStrength, LockWaitPolicy, Oid};

/// One mention of a relation, or a subquery that nodes evaluate.
pub struct Part {
    /// Selects its rows.
    pub query: &'static mut pg_sys::Query,
    pub columns: WorkerColumns,
    /// The same rows on several nodes, or of the first node alone.
    pub from_one_node: bool,
}

/// A condition on rows of other relations must leave no more than this part of a relation.
const REDUCED_MAX: f64 = 0.5;

impl Part {
    /// The rows of a relation.
    ///
    /// `filter` is its own; each of `further` is a condition, too, which is looked at where it makes the rows much fewer.
    pub fn of_relation(
        entry: *mut pg_sys::RangeTblEntry,
        filter: NodePtr,
        further: Vec<NodePtr>,
        columns: WorkerColumns,
        from_one_node: bool,
    ) -> Part {
        let mut part = Part {
            query: select([entry], filter),
            columns,
            from_one_node,
        };
        let whole = match further.is_empty() {
            true => None,
            false => part.estimated_bytes().filter(|bytes| is_large(*bytes)),
        };
        let Some(whole) = whole else {
            return part;
        };
        let own = tree::conjuncts(filter);
        let mut all = own.clone();
        for condition in further {
            let mut with = own.clone();
            with.push(condition);
            part.query = select([entry], filter::all_of(with));
            if part
                .estimated_bytes()
                .is_some_and(|bytes| bytes <= REDUCED_MAX * whole)
            {
                all.push(condition);
            }
        }
        part.query = select([entry], filter::all_of(all));
        part
    }

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

/// Whether it is worth the while to look for ways to move less.
pub fn is_large(bytes: f64) -> bool {
    bytes >= 1024.0 * f64::from(settings::MIN_BROADCAST_SIZE.get())
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

/// SELECT of nothing yet from relations or subqueries.
pub fn select(
    entries: impl IntoIterator<Item = *mut pg_sys::RangeTblEntry>,
    filter: NodePtr,
) -> &'static mut pg_sys::Query {
    let query = tree::make::<pg_sys::Query>();
    let entries: Vec<*mut pg_sys::RangeTblEntry> =
        entries.into_iter().map(|entry| tree::copy(entry)).collect();
    let from = from_ranges(1..=entries.len() as i32);
    from.quals = filter;
    query.commandType = pg_sys::CmdType::CMD_SELECT;
    query.canSetTag = true;
    query.jointree = from;
    for entry in &entries {
        // SAFETY: a copy that is the query's alone.
        unsafe {
            if (**entry).rtekind == pg_sys::RTEKind::RTE_RELATION {
                compat::add_privileges(query, *entry);
            }
        }
    }
    query.rtable = tree::make_list(entries.into_iter().map(|entry| entry.cast()));
    query.hasSubLinks = tree::any(filter, &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
    });
    query
}

/// FROM of entries of the range table.
pub fn from_ranges(indexes: impl IntoIterator<Item = i32>) -> &'static mut pg_sys::FromExpr {
    let from = tree::make::<pg_sys::FromExpr>();
    from.fromlist = tree::make_list(indexes.into_iter().map(|index| {
        let range = tree::make::<pg_sys::RangeTblRef>();
        range.rtindex = index;
        std::ptr::from_mut(range).cast()
    }));
    from
}

/// Makes of a statement that changes rows a SELECT of what it finds for them, which may lock these rows. Its target list is still to be made.
pub fn select_changed(statement: &mut pg_sys::Query, lock: Option<LockClauseStrength::Type>) {
    let target = statement.resultRelation;
    statement.commandType = pg_sys::CmdType::CMD_SELECT;
    statement.resultRelation = 0;
    statement.returningList = std::ptr::null_mut();
    // SAFETY: the FROM of a private copy.
    let from = unsafe { &mut (*statement.jointree).fromlist };
    let is_target = |item: NodePtr| {
        tree::cast::<pg_sys::RangeTblRef, _>(item).is_some_and(|range| range.rtindex == target)
    };
    // An UPDATE or a DELETE has it among these, a MERGE has not.
    if !tree::nodes(*from).any(is_target) {
        let range = tree::make::<pg_sys::RangeTblRef>();
        range.rtindex = target;
        // SAFETY: a list and a node of it.
        *from = unsafe { pg_sys::lappend(*from, std::ptr::from_mut(range).cast()) };
    }
    // SAFETY: a range of a private copy.
    unsafe { (*tree::range(statement, target)).inFromCl = true };
    if let Some(strength) = lock {
        let mark = tree::make::<pg_sys::RowMarkClause>();
        mark.rti = target as u32;
        mark.strength = strength;
        mark.waitPolicy = LockWaitPolicy::LockWaitBlock;
        statement.rowMarks = tree::make_list([std::ptr::from_mut(mark).cast()]);
        statement.hasForUpdate = true;
    }
}

/// Columns of which nobody reads any.
pub fn anything() -> *mut pg_sys::List {
    // SAFETY: makes a constant.
    let anything = unsafe { pg_sys::makeBoolConst(true, false) };
    tree::make_list([build::target(anything, 1).cast()])
}

/// That a query has rows.
pub fn exists(query: &'static mut pg_sys::Query) -> NodePtr {
    query.targetList = anything();
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = pg_sys::SubLinkType::EXISTS_SUBLINK;
    link.subselect = std::ptr::from_mut(query).cast();
    link.location = -1;
    std::ptr::from_mut(link).cast()
}
