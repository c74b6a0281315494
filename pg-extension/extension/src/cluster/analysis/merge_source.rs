//! What USING of a MERGE names, as a query that gives its rows, and as rows that come as one array for each column.

use super::merge::build::{self, WorkerColumns};
use super::merge::{parts, put_subquery, used::Used};
use super::tree::{self, NodePtr};
use crate::compat;
use pgrx::pg_sys::{self, Oid};

/// What USING names.
pub struct MergeSource {
    /// Its number in the range table.
    pub number: i32,
    /// The columns that are used.
    pub columns: WorkerColumns,
    /// For each column of what USING names the one of `columns` that it is, if it is used.
    pub places: Vec<Option<usize>>,
    entry: &'static pg_sys::RangeTblEntry,
}

impl MergeSource {
    /// `None` unless USING names one table, query or function, of which rows can come to others.
    pub fn of(query: &pg_sys::Query) -> Option<MergeSource> {
        let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
        let mut items = tree::nodes(from.fromlist);
        let number = tree::cast::<pg_sys::RangeTblRef, _>(items.next()?)?.rtindex;
        let entry = tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(number as usize - 1)?;
        let used = Used::by(query);
        let mut columns = WorkerColumns::default();
        let mut places = Vec::new();
        for column in columns_of(entry) {
            let wanted = used.has(number, column.varattno) && column.vartype != Oid::INVALID;
            places.push(wanted.then(|| columns.push(tree::copy(column).cast(), 0)));
        }
        if columns.len() == 0 {
            // SAFETY: makes a constant, since there must be something for each row.
            columns.push(unsafe { pg_sys::makeBoolConst(true, false) }, 0);
        }
        let travels = !columns.has_anonymous_rows() && !used.has_system_columns(number);
        (items.next().is_none() && travels).then_some(MergeSource {
            number,
            columns,
            places,
            entry,
        })
    }

    /// SELECT of the columns from it, with the queries of WITH.
    pub fn select(&self, query: &pg_sys::Query) -> &'static mut pg_sys::Query {
        let entry = std::ptr::from_ref(self.entry).cast_mut();
        let select = parts::select([entry], std::ptr::null_mut());
        select.cteList = tree::copy(query.cteList);
        select.hasRecursive = query.hasRecursive;
        select.targetList = self.columns.targets();
        select
    }

    /// Puts a query over the arrays in its place, in a private copy of the statement.
    pub fn put(&self, statement: &mut pg_sys::Query, rows: &mut pg_sys::Query) {
        rows.targetList = self.targets();
        statement.cteList = std::ptr::null_mut();
        statement.hasRecursive = false;
        // SAFETY: the entry is of a private copy.
        unsafe { put_subquery(tree::range(statement, self.number), rows) };
    }

    /// The same with one column more, the place of each row; gives the number of that column.
    pub fn put_numbered(&self, statement: &mut pg_sys::Query, rows: &mut pg_sys::Query) -> i16 {
        let number = self.places.len() as i16 + 1;
        let target = build::target(self.place(), number).cast();
        rows.targetList = tree::make_list(tree::nodes(self.targets()).chain([target]));
        statement.cteList = std::ptr::null_mut();
        statement.hasRecursive = false;
        let entry = tree::range(statement, self.number);
        // SAFETY: the entry is of a private copy, and its names are a list of strings.
        unsafe {
            let names = (*(*entry).eref).colnames;
            let name = unlike(&tree::strings(names));
            let name = pg_sys::pstrdup(super::parser::c_text(&name).as_ptr());
            (*(*entry).eref).colnames = pg_sys::lappend(names, pg_sys::makeString(name).cast());
            put_subquery(entry, rows);
        }
        number
    }

    /// The place of a row, in a query of numbered rows.
    pub fn place(&self) -> NodePtr {
        let number = self.columns.len() as i16 + 1;
        // SAFETY: makes a node.
        unsafe { pg_sys::makeVar(1, number, pg_sys::INT8OID, -1, Oid::INVALID, 0).cast() }
    }

    fn targets(&self) -> *mut pg_sys::List {
        let columns = columns_of(self.entry);
        tree::make_list(
            columns
                .into_iter()
                .zip(&self.places)
                .map(|(column, place)| {
                    let value =
                        place.map_or_else(|| null_of(column), |place| self.columns.read(place));
                    let target = build::target(value, column.varattno);
                    // SAFETY: just made. The columns behind a dropped one keep their numbers, by which the query reads them.
                    unsafe { (*target).resjunk = column.vartype == Oid::INVALID };
                    target.cast()
                }),
        )
    }
}

/// The same MERGE with a subquery in the place of a join behind USING; `None` when there is no join, or it cannot be one.
pub fn with_join_as_subquery(query: &pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let mut items = tree::nodes(from.fromlist);
    let join = items.next()?;
    tree::cast::<pg_sys::JoinExpr, _>(join)?;
    if items.next().is_some() || !query.cteList.is_null() {
        return None;
    }
    let statement = build::copy(query);
    let ranges = std::mem::replace(&mut statement.rtable, std::ptr::null_mut());
    // SAFETY: the FROM of a private copy.
    unsafe { (*statement.jointree).fromlist = std::ptr::null_mut() };
    let (target, number) = (query.resultRelation, tree::nodes(ranges).count() as i32 + 1);
    let mut given = Vec::new();
    let changed = tree::replace_by_depth(
        std::ptr::from_mut(statement).cast(),
        0,
        &mut |node, depth| {
            let column = tree::cast::<pg_sys::Var, _>(node)?;
            if column.varno == target || column.varlevelsup as i32 != depth {
                return None;
            }
            let place = place_of(column, &mut given);
            let mut read = *column;
            (read.varno, read.varattno) = (number, place);
            (read.varnosyn, read.varattnosyn) = (number as u32, place);
            Some(tree::copy(&raw const read).cast())
        },
    );
    if given
        .iter()
        .any(|column: &pg_sys::Var| column.varattno <= 0)
    {
        return None;
    }
    let select = parts::select([], std::ptr::null_mut());
    select.rtable = tree::copy(ranges);
    select.hasSubLinks = query.hasSubLinks;
    select.targetList = match given.is_empty() {
        true => parts::anything(),
        false => tree::make_list(given.iter().enumerate().map(|(at, column)| {
            build::target(tree::copy(std::ptr::from_ref(column)).cast(), at as i16 + 1).cast()
        })),
    };
    // SAFETY: the FROM was just made; the copy is a query of its own, whose entries nothing else holds. A join that is no part of FROM has no text.
    unsafe {
        (*select.jointree).fromlist = tree::make_list([tree::copy(join).cast()]);
        for entry in tree::nodes(ranges) {
            let entry = &mut *entry.cast::<pg_sys::RangeTblEntry>();
            if entry.rtekind == pg_sys::RTEKind::RTE_JOIN {
                entry.rtekind = pg_sys::RTEKind::RTE_RESULT;
                entry.joinaliasvars = std::ptr::null_mut();
                (*entry.eref).colnames = std::ptr::null_mut();
            }
        }
        let changed = &mut *changed.cast::<pg_sys::Query>();
        changed.rtable = pg_sys::lappend(ranges, build::range_of(select, "joined").cast());
        (*changed.jointree).fromlist = parts::from_ranges([number]).fromlist;
        Some(changed)
    }
}

/// The number of a column among those that a subquery gives.
fn place_of(column: &pg_sys::Var, given: &mut Vec<pg_sys::Var>) -> i16 {
    let number = |known: &pg_sys::Var| (known.varno, known.varattno);
    let known = given
        .iter()
        .position(|known| number(known) == number(column));
    let at = known.unwrap_or_else(|| {
        let mut own = *column;
        own.varlevelsup = 0;
        given.push(own);
        given.len() - 1
    });
    at as i16 + 1
}

/// A name that none of these is.
fn unlike(names: &[String]) -> String {
    let mut name = "place".to_owned();
    while names.contains(&name) {
        name.push('_');
    }
    name
}

/// The columns of an entry as what reads them where it is the only range; dropped ones have no type.
fn columns_of(entry: &pg_sys::RangeTblEntry) -> Vec<&'static pg_sys::Var> {
    let (mut names, mut columns) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: lists the columns of a valid entry.
    unsafe {
        let entry = std::ptr::from_ref(entry).cast_mut();
        compat::expand_entry(entry, &mut names, &mut columns);
    }
    tree::nodes(columns)
        .enumerate()
        .map(|(at, node)| {
            tree::cast::<pg_sys::Var, _>(node).unwrap_or_else(|| {
                let dropped = tree::make::<pg_sys::Var>();
                dropped.varattno = at as i16 + 1;
                dropped
            })
        })
        .collect()
}

fn null_of(column: &pg_sys::Var) -> NodePtr {
    match column.vartype {
        Oid::INVALID => build::null(pg_sys::INT4OID),
        type_oid => build::null(build::value_type(type_oid)),
    }
}
