//! INSERT whose random keys the router makes: each `gen_random_uuid()` that is a column's whole value, written or as its default, becomes
//! a parameter after the statement's own. So the router knows the key before the row is there, and a repetition inserts the same row.

use super::relation::Placement;
use super::tree::{self, NodePtr};
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use std::collections::BTreeSet;

/// A statement with more such values stays as it is.
const VALUES_MAX: usize = 1_000;

/// The message Bind has 16 bits for the number of parameters.
const PARAMETERS_MAX: usize = 65_535;

/// An INSERT with a parameter for each value that the router is to make.
pub struct Made {
    /// The statement, analysed.
    pub query: &'static pg_sys::Query,
    /// The types of all parameters, the statement's own first.
    pub parameters: Vec<Oid>,
    /// The columns that have such a value in every row.
    pub columns: BTreeSet<i16>,
    /// The columns that have such a value in some row.
    somewhere: BTreeSet<i16>,
}

impl Made {
    /// Whether the router has to know the values to place the rows.
    pub fn places(&self, placement: &Placement) -> bool {
        match placement {
            Placement::Reference => true,
            Placement::Distributed(spreading) => {
                let mut columns = spreading.columns.iter();
                columns.any(|(column, _)| self.somewhere.contains(column))
            }
            Placement::None | Placement::Catalog => false,
        }
    }
}

/// What a router can run instead of the statement; `None` when there is nothing that it could make.
///
/// `query` is as analysed, before defaults are put in.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Option<Made> {
    if query.commandType != CmdType::CMD_INSERT || !query.onConflict.is_null() {
        return None;
    }
    let copy = tree::copy(query);
    // SAFETY: a private copy of an INSERT, whose target is in its range table.
    let copy = unsafe { &mut *copy };
    let mut making = Making {
        parameters: parameters.to_vec(),
        defaults: random_defaults(tree::target(query)),
        somewhere: BTreeSet::new(),
    };
    let columns = match source(copy)? {
        Source::Row => making.row(copy),
        Source::Rows(number, values) => making.rows(copy, number, values),
    };
    let made = making.parameters.len() - parameters.len();
    let fits = made <= VALUES_MAX && making.parameters.len() <= PARAMETERS_MAX;
    (made > 0 && fits).then_some(Made {
        query: copy,
        parameters: making.parameters,
        columns,
        somewhere: making.somewhere,
    })
}

enum Source {
    /// The target list has the values.
    Row,
    /// This entry of the range table has them, counted from 1.
    Rows(i32, *mut pg_sys::RangeTblEntry),
}

/// Where the rows come from; `None` when they are not VALUES.
fn source(query: &pg_sys::Query) -> Option<Source> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    match tree::nodes(from.fromlist).collect::<Vec<_>>()[..] {
        [] => Some(Source::Row),
        [item] => {
            let number = tree::cast::<pg_sys::RangeTblRef, _>(item)?.rtindex;
            let entry = tree::nodes(query.rtable).nth(number as usize - 1)?;
            let values = tree::cast::<pg_sys::RangeTblEntry, _>(entry)?;
            (values.rtekind == pg_sys::RTEKind::RTE_VALUES)
                .then_some(Source::Rows(number, entry.cast()))
        }
        _ => None,
    }
}

/// A column that takes a random value when none is given.
struct Column {
    number: i16,
    name: *mut std::ffi::c_char,
    /// Whether the statement may name it.
    allowed: bool,
}

fn random_defaults(table: Oid) -> Vec<Column> {
    let mut found = Vec::new();
    let Some(relation) = Opened::open(table, pg_sys::AccessShareLock) else {
        return found;
    };
    for column in relation.columns() {
        let plain = !column.attisdropped
            && column.atthasdef
            && column.attgenerated == 0
            && column.atttypid == pg_sys::UUIDOID;
        // SAFETY: a column of the open relation, of which what is kept is copied.
        unsafe {
            let default =
                || pg_sys::build_column_default(relation.relation(), column.attnum.into());
            if plain && is_random(default()) {
                found.push(Column {
                    number: column.attnum,
                    name: pg_sys::pstrdup(column.attname.data.as_ptr()),
                    allowed: may_insert(table, column.attnum),
                });
            }
        }
    }
    found
}

/// A default needs no privilege on its column, a value does.
fn may_insert(table: Oid, column: i16) -> bool {
    let mode = pg_sys::ACL_INSERT as pg_sys::AclMode;
    // SAFETY: catalogue look-ups.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck(table, user, mode) == pg_sys::AclResult::ACLCHECK_OK
            || pg_sys::pg_attribute_aclcheck(table, column, user, mode)
                == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// PostgreSQL's own function: 122 random bits that nobody else can have.
fn is_random(expression: NodePtr) -> bool {
    tree::cast::<pg_sys::FuncExpr, _>(expression)
        .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_GEN_RANDOM_UUID)
}

struct Making {
    parameters: Vec<Oid>,
    defaults: Vec<Column>,
    somewhere: BTreeSet<i16>,
}

impl Making {
    fn parameter(&mut self, column: i16) -> NodePtr {
        self.somewhere.insert(column);
        self.parameters.push(pg_sys::UUIDOID);
        tree::make_parameter(self.parameters.len() as i32, pg_sys::UUIDOID)
    }

    /// The parameter in place of the value; `None` when the node is to compute it.
    fn instead(&mut self, column: i16, value: NodePtr) -> Option<NodePtr> {
        let by_default = tree::cast::<pg_sys::SetToDefault, _>(value).is_some()
            && self.defaults.iter().any(|known| known.number == column);
        (by_default || is_random(value)).then(|| self.parameter(column))
    }

    /// Columns with such a default that the statement does not mention.
    fn omitted(&self, query: &pg_sys::Query) -> Vec<(i16, *mut std::ffi::c_char)> {
        let mentioned: BTreeSet<i16> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .map(|entry| entry.resno)
            .collect();
        self.defaults
            .iter()
            .filter(|column| column.allowed && !mentioned.contains(&column.number))
            .map(|column| (column.number, column.name))
            .collect()
    }

    fn row(&mut self, query: &mut pg_sys::Query) -> BTreeSet<i16> {
        let mut made = BTreeSet::new();
        for entry in tree::nodes(query.targetList) {
            let entry = entry.cast::<pg_sys::TargetEntry>();
            // SAFETY: target lists hold target entries; the list is a private copy.
            unsafe {
                if let Some(parameter) = self.instead((*entry).resno, (*entry).expr.cast()) {
                    (*entry).expr = parameter.cast();
                    made.insert((*entry).resno);
                }
            }
        }
        for (column, name) in self.omitted(query) {
            let parameter = self.parameter(column);
            add_target(query, column, name, parameter);
            made.insert(column);
        }
        made
    }

    fn rows(
        &mut self,
        query: &mut pg_sys::Query,
        number: i32,
        values: *mut pg_sys::RangeTblEntry,
    ) -> BTreeSet<i16> {
        let mut made = BTreeSet::new();
        let targets: Vec<(i16, usize)> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter_map(|entry| {
                let variable = tree::cast::<pg_sys::Var, _>(entry.expr)?;
                (variable.varno == number).then_some((entry.resno, variable.varattno as usize - 1))
            })
            .collect();
        // SAFETY: an entry of VALUES, part of a private copy.
        let rows: Vec<*mut pg_sys::List> = unsafe { tree::nodes((*values).values_lists) }
            .map(|row| row.cast())
            .collect();
        for (column, index) in targets {
            let mut everywhere = true;
            for row in &rows {
                let Some(value) = tree::nodes(*row).nth(index) else {
                    return made;
                };
                match self.instead(column, value) {
                    // SAFETY: the list has such a cell.
                    Some(parameter) => unsafe {
                        (*(**row).elements.add(index)).ptr_value = parameter.cast();
                    },
                    None => everywhere = false,
                }
            }
            if everywhere {
                made.insert(column);
            }
        }
        for (column, name) in self.omitted(query) {
            let variable = self.add_column(column, number, values, &rows);
            add_target(query, column, name, variable);
            made.insert(column);
        }
        made
    }

    /// Gives each row one more value; the variable that stands for it.
    fn add_column(
        &mut self,
        column: i16,
        number: i32,
        values: *mut pg_sys::RangeTblEntry,
        rows: &[*mut pg_sys::List],
    ) -> NodePtr {
        // SAFETY: lists of a private copy, which are not empty and so stay where they are when they grow.
        unsafe {
            for row in rows {
                pg_sys::lappend(*row, self.parameter(column).cast());
            }
            let entry = &mut *values;
            entry.coltypes = pg_sys::lappend_oid(entry.coltypes, pg_sys::UUIDOID);
            entry.coltypmods = pg_sys::lappend_int(entry.coltypmods, -1);
            entry.colcollations = pg_sys::lappend_oid(entry.colcollations, Oid::INVALID);
            let names = &mut (*entry.eref).colnames;
            let name = pg_sys::makeString(pg_sys::pstrdup(c"made".as_ptr()));
            *names = pg_sys::lappend(*names, name.cast());
            let position = tree::nodes(*names).len() as i16;
            pg_sys::makeVar(number, position, pg_sys::UUIDOID, -1, Oid::INVALID, 0).cast()
        }
    }
}

fn add_target(query: &mut pg_sys::Query, column: i16, name: *mut std::ffi::c_char, value: NodePtr) {
    // SAFETY: appends to a list of a private copy.
    unsafe {
        let entry = pg_sys::makeTargetEntry(value.cast(), column, name, false);
        query.targetList = pg_sys::lappend(query.targetList, entry.cast());
    }
}
