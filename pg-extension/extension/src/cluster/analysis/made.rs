//! INSERT with values that are known before the row is there: each becomes a parameter after the statement's own. Random keys
//! (`gen_random_uuid()` as a column's whole value, written or as its default) are drawn by the router, so that a repetition inserts the same
//! row. What else places a row and is neither a constant nor a parameter, a node computes first (`computed`).

use super::super::postgres;
use super::computed::{self, Computing};
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// A statement with more random values stays as it is.
const RANDOM_MAX: usize = 1_000;

/// The message Bind has 16 bits for the number of parameters.
const PARAMETERS_MAX: usize = 65_535;

/// What becomes of one of the additional parameters.
pub enum Value {
    /// A new random UUID.
    Random,
    /// What a node computes, as SQL.
    Computed(computed::Cell),
}

/// An INSERT with a parameter for each value that is to be known before.
pub struct Made {
    /// The statement, analysed.
    pub query: &'static pg_sys::Query,
    /// The types of all parameters, the statement's own first.
    pub parameters: Vec<Oid>,
    /// Those of the additional ones, in their order.
    pub values: Vec<Value>,
    /// The columns that have a random value in every row.
    pub columns: BTreeSet<i16>,
    /// The columns that have such a value in some row.
    somewhere: BTreeSet<i16>,
}

impl Made {
    /// Whether all of the values are random, so that no node has to compute any.
    pub fn is_random(&self) -> bool {
        self.values
            .iter()
            .all(|value| matches!(value, Value::Random))
    }

    /// How many rows have such values.
    pub fn rows(&self) -> usize {
        let rows = self.values.iter().filter_map(|value| match value {
            Value::Random => None,
            Value::Computed(cell) => Some(cell.row),
        });
        rows.collect::<BTreeSet<_>>().len()
    }

    /// The query that computes those which are not, and where in its answer each value stands.
    pub fn computing(&self) -> (Json, Vec<Json>) {
        let cells: Vec<_> = self
            .values
            .iter()
            .map(|value| match value {
                Value::Random => None,
                Value::Computed(cell) => Some(cell),
            })
            .collect();
        computed::query(&cells)
    }

    /// Whether the router has to know the values to place the rows.
    pub fn places(&self, placement: &Placement) -> bool {
        match placement {
            Placement::Reference => true,
            Placement::Distributed(spreading) => {
                let mut columns = spreading.columns.iter();
                !self.is_random() || columns.any(|(column, _)| self.somewhere.contains(column))
            }
            Placement::None | Placement::Catalog => false,
        }
    }
}

/// What a router can run instead of the statement; `None` when there is nothing to be known before.
///
/// `query` is as analysed, before defaults are put in; `target` is the table that its rows go into in the end.
pub fn find(query: &pg_sys::Query, parameters: &[Oid], target: Option<&Relation>) -> Option<Made> {
    if query.commandType != CmdType::CMD_INSERT {
        return None;
    }
    let target = target.filter(|target| target.oid == tree::target(query));
    let copy = tree::copy(query);
    // SAFETY: a private copy of an INSERT, whose target is in its range table.
    let copy = unsafe { &mut *copy };
    let computing = Computing::of(target, query);
    let mut making = Making {
        parameters: parameters.to_vec(),
        defaults: known_defaults(tree::target(query), &computing),
        computing,
        values: Vec::new(),
        somewhere: BTreeSet::new(),
        overrides: false,
    };
    let columns = match source(copy)? {
        Source::Row => making.row(copy),
        Source::Rows(number, values) => making.rows(copy, number, values),
    };
    if making.overrides {
        copy.override_ = pg_sys::OverridingKind::OVERRIDING_SYSTEM_VALUE;
    }
    let random = making
        .values
        .iter()
        .filter(|value| matches!(value, Value::Random))
        .count();
    let fits = random <= RANDOM_MAX && making.parameters.len() <= PARAMETERS_MAX;
    (!making.values.is_empty() && fits).then_some(Made {
        query: copy,
        parameters: making.parameters,
        values: making.values,
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

/// A column that takes a value that is to be known before, when none is given.
struct Column {
    number: i16,
    name: *mut std::ffi::c_char,
    type_: ColumnType,
    /// What gives the value.
    default: Default,
    /// Whether the statement may name it.
    allowed: bool,
    /// Whether a value needs OVERRIDING SYSTEM VALUE.
    always: bool,
}

#[derive(Clone)]
enum Default {
    Random,
    Computed(computed::Expression),
}

#[derive(Clone, Copy)]
struct ColumnType {
    oid: Oid,
    modifier: i32,
    collation: Oid,
}

impl ColumnType {
    fn of(expression: NodePtr) -> ColumnType {
        // SAFETY: an expression of a statement.
        unsafe {
            ColumnType {
                oid: pg_sys::exprType(expression),
                modifier: pg_sys::exprTypmod(expression),
                collation: pg_sys::exprCollation(expression),
            }
        }
    }
}

fn known_defaults(table: Oid, computing: &Computing) -> Vec<Column> {
    let mut found = Vec::new();
    let Some(relation) = Opened::open(table, pg_sys::AccessShareLock) else {
        return found;
    };
    let refused = postgres::may_not_insert(table); // by its node
    for column in relation.columns() {
        let identity = column.attidentity as u8;
        let has_default = column.atthasdef || identity != 0;
        if column.attisdropped || !has_default || column.attgenerated != 0 {
            continue;
        }
        // SAFETY: a column of the open relation, of which what is kept is copied.
        unsafe {
            let value = pg_sys::build_column_default(relation.relation(), column.attnum.into());
            let default = if column.atttypid == pg_sys::UUIDOID && is_random(value) {
                Some(Default::Random)
            } else {
                computing
                    .default(column.attnum, value)
                    .map(Default::Computed)
            };
            found.extend(default.map(|default| Column {
                number: column.attnum,
                name: pg_sys::pstrdup(column.attname.data.as_ptr()),
                type_: ColumnType {
                    oid: column.atttypid,
                    modifier: column.atttypmod,
                    collation: column.attcollation,
                },
                default,
                allowed: refused || postgres::may_insert(table, column.attnum),
                always: identity == pg_sys::ATTRIBUTE_IDENTITY_ALWAYS,
            }));
        }
    }
    found
}

/// PostgreSQL's own function: 122 random bits that nobody else can have.
fn is_random(expression: NodePtr) -> bool {
    tree::cast::<pg_sys::FuncExpr, _>(expression)
        .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_GEN_RANDOM_UUID)
}

struct Making {
    parameters: Vec<Oid>,
    defaults: Vec<Column>,
    computing: Computing,
    values: Vec<Value>,
    somewhere: BTreeSet<i16>,
    /// Some value stands for that of an identity column which is always generated.
    overrides: bool,
}

impl Making {
    fn parameter(&mut self, column: i16, row: usize, type_: Oid, default: Default) -> NodePtr {
        self.somewhere.insert(column);
        self.values.push(match default {
            Default::Random => Value::Random,
            Default::Computed(expression) => Value::Computed(computed::Cell { row, expression }),
        });
        self.parameters.push(type_);
        tree::make_parameter(self.parameters.len() as i32, type_)
    }

    /// The parameter in place of the value, and whether it is random; `None` when the node is to compute it.
    fn instead(&mut self, column: i16, row: usize, value: NodePtr) -> Option<(NodePtr, bool)> {
        let (type_, default) = self.known(column, value)?;
        let random = matches!(default, Default::Random);
        Some((self.parameter(column, row, type_, default), random))
    }

    fn known(&mut self, column: i16, value: NodePtr) -> Option<(Oid, Default)> {
        if tree::cast::<pg_sys::SetToDefault, _>(value).is_some() {
            let known = self.defaults.iter().find(|known| known.number == column)?;
            self.overrides |= known.always;
            return Some((known.type_.oid, known.default.clone()));
        }
        if is_random(value) {
            return Some((pg_sys::UUIDOID, Default::Random));
        }
        let expression = self.computing.given(column, value)?;
        Some((ColumnType::of(value).oid, Default::Computed(expression)))
    }

    /// Columns with such a default that the statement does not mention: their places in the list.
    fn omitted(&self, query: &pg_sys::Query) -> Vec<usize> {
        let mentioned: BTreeSet<i16> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .map(|entry| entry.resno)
            .collect();
        (0..self.defaults.len())
            .filter(|at| {
                let column = &self.defaults[*at];
                column.allowed && !mentioned.contains(&column.number)
            })
            .collect()
    }

    /// A parameter for each row's value of a column that the statement does not mention.
    fn omit(&mut self, at: usize, row: usize) -> NodePtr {
        let column = &self.defaults[at];
        let (number, type_, default) = (column.number, column.type_.oid, column.default.clone());
        self.overrides |= column.always;
        self.parameter(number, row, type_, default)
    }

    fn is_random(&self, at: usize) -> bool {
        matches!(self.defaults[at].default, Default::Random)
    }

    fn row(&mut self, query: &mut pg_sys::Query) -> BTreeSet<i16> {
        let mut made = BTreeSet::new();
        for entry in tree::nodes(query.targetList) {
            let entry = entry.cast::<pg_sys::TargetEntry>();
            // SAFETY: target lists hold target entries; the list is a private copy.
            unsafe {
                if let Some((parameter, random)) =
                    self.instead((*entry).resno, 0, (*entry).expr.cast())
                {
                    (*entry).expr = parameter.cast();
                    if random {
                        made.insert((*entry).resno);
                    }
                }
            }
        }
        for at in self.omitted(query) {
            let parameter = self.omit(at, 0);
            add_target(
                query,
                self.defaults[at].number,
                self.defaults[at].name,
                parameter,
            );
            if self.is_random(at) {
                made.insert(self.defaults[at].number);
            }
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
            for (position, row) in rows.iter().enumerate() {
                let Some(value) = tree::nodes(*row).nth(index) else {
                    return made;
                };
                let instead = self.instead(column, position, value);
                everywhere &= matches!(instead, Some((_, true)));
                if let Some((parameter, _)) = instead {
                    // SAFETY: the list has such a cell.
                    unsafe {
                        (*(**row).elements.add(index)).ptr_value = parameter.cast();
                    }
                }
            }
            if everywhere {
                made.insert(column);
            }
        }
        for at in self.omitted(query) {
            let variable = self.add_column(at, number, values, &rows);
            add_target(
                query,
                self.defaults[at].number,
                self.defaults[at].name,
                variable,
            );
            if self.is_random(at) {
                made.insert(self.defaults[at].number);
            }
        }
        made
    }

    /// Gives each row one more value; the variable that stands for it.
    fn add_column(
        &mut self,
        at: usize,
        number: i32,
        values: *mut pg_sys::RangeTblEntry,
        rows: &[*mut pg_sys::List],
    ) -> NodePtr {
        let type_ = self.defaults[at].type_;
        // SAFETY: lists of a private copy, which are not empty and so stay where they are when they grow.
        unsafe {
            for (position, row) in rows.iter().enumerate() {
                pg_sys::lappend(*row, self.omit(at, position).cast());
            }
            let entry = &mut *values;
            entry.coltypes = pg_sys::lappend_oid(entry.coltypes, type_.oid);
            entry.coltypmods = pg_sys::lappend_int(entry.coltypmods, type_.modifier);
            entry.colcollations = pg_sys::lappend_oid(entry.colcollations, type_.collation);
            let names = &mut (*entry.eref).colnames;
            let name = pg_sys::makeString(pg_sys::pstrdup(c"made".as_ptr()));
            *names = pg_sys::lappend(*names, name.cast());
            let position = tree::nodes(*names).len() as i16;
            pg_sys::makeVar(
                number,
                position,
                type_.oid,
                type_.modifier,
                type_.collation,
                0,
            )
            .cast()
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
