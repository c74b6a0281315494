//! Values of an INSERT that a node computes before its rows are placed: what a distribution column gets from a default, a sequence or an
//! expression; and in a reference table, whose copies must be alike, whatever may come out differently each time.

use super::functions;
use super::merge::{outer, used};
use super::parser;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use super::{moments, operand};
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// A value that a node computes.
#[derive(Clone)]
pub struct Expression {
    /// As SQL, with the statement's own parameters.
    text: String,
    /// The column that it is for.
    column: i16,
    /// It takes a number of a sequence, which counts on the first node.
    sequence: bool,
    /// It depends on the transaction that asks, as `now()` does.
    transactional: bool,
    /// It may come out differently for each row.
    volatile: bool,
    /// The sequences that it draws from.
    draws: BTreeSet<String>,
}

impl Expression {
    /// Whether one value of it serves all rows of a statement.
    pub fn is_constant(&self) -> bool {
        !self.volatile
    }

    /// The same, in the column's own type.
    pub fn cast_to(self, type_name: &str) -> Expression {
        Expression {
            text: format!("CAST({} AS {type_name})", self.text),
            ..self
        }
    }

    /// Whether it depends on the transaction that asks.
    pub fn is_transactional(&self) -> bool {
        self.transactional
    }
}

/// One such value.
pub struct Cell {
    /// Of the INSERT, from 0.
    pub row: usize,
    /// What computes it.
    pub expression: Expression,
}

/// Which values of an INSERT are to be known before.
pub struct Computing {
    table: Oid,
    wanted: Wanted,
}

enum Wanted {
    Nothing,
    /// What these columns get.
    Columns(BTreeSet<i16>),
    /// What may come out differently each time.
    Mutable,
}

impl Computing {
    /// For this table; an INSERT whose values an identity column ignores stays as it is.
    pub fn of(target: Option<&Relation>, query: &pg_sys::Query) -> Computing {
        let ignores = query.override_ == pg_sys::OverridingKind::OVERRIDING_USER_VALUE;
        Computing::of_table(
            tree::target(query),
            target.filter(|_| !ignores).map(|target| &target.placement),
        )
    }

    /// For rows that come into this table; nothing for one that is not placed.
    pub fn of_table(table: Oid, placement: Option<&Placement>) -> Computing {
        let wanted = match placement {
            Some(Placement::Distributed(spreading)) => Wanted::Columns(
                spreading
                    .columns
                    .iter()
                    .map(|(column, _)| *column)
                    .collect(),
            ),
            Some(Placement::Reference) => Wanted::Mutable,
            Some(Placement::None | Placement::Catalog) | None => Wanted::Nothing,
        };
        Computing { table, wanted }
    }

    /// How the default of a column is computed; `None` when it is not to be, or cannot.
    pub fn default(&self, column: i16, value: NodePtr) -> Option<Expression> {
        if value.is_null() {
            return None;
        }
        match tree::cast::<pg_sys::NextValueExpr, _>(value) {
            Some(next) => match self.wants(column) {
                Want::Always | Want::IfMutable => Some(self.identity(column, next.seqid)),
                Want::IfCounting | Want::No => None,
            },
            None => self.expression(column, value),
        }
    }

    /// The same for a value that the statement gives; one that the router can read is no such value.
    pub fn given(&self, column: i16, value: NodePtr) -> Option<Expression> {
        let assigned = match self.wants(column) {
            Want::Always => operand::assigned_key(value),
            Want::IfMutable | Want::IfCounting | Want::No => operand::assigned_value(value),
        };
        if assigned["other"] != true {
            return None;
        }
        self.expression(column, value)
    }

    fn wants(&self, column: i16) -> Want {
        match &self.wanted {
            Wanted::Columns(columns) if columns.contains(&column) => Want::Always,
            Wanted::Columns(_) => Want::IfCounting,
            Wanted::Nothing => Want::No,
            Wanted::Mutable => Want::IfMutable,
        }
    }

    /// What an identity column draws: for this, who may insert needs no privilege on the sequence.
    fn identity(&self, column: i16, sequence: Oid) -> Expression {
        // SAFETY: names of a table that is locked, and of its column.
        let text = unsafe {
            let table = parser::c_text(&parser::qualified_name(self.table));
            let column = pg_sys::get_attname(self.table, column, false);
            format!(
                "abelian.identity_value({}::pg_catalog.regclass, {})",
                tree::string(pg_sys::quote_literal_cstr(table.as_ptr())),
                tree::string(pg_sys::quote_literal_cstr(column)),
            )
        };
        Expression {
            text,
            column,
            sequence: true,
            transactional: false,
            volatile: true,
            draws: [parser::qualified_name(sequence)].into(),
        }
    }

    fn expression(&self, column: i16, value: NodePtr) -> Option<Expression> {
        let want = self.wants(column);
        // A constant that means another moment each time would be told once.
        let is_key = matches!(want, Want::Always);
        if matches!(want, Want::No) || reads_rows(value) || (is_key && moments::is_read_by(value)) {
            return None;
        }
        let found = functions::called_by(&[value]);
        let wanted = match want {
            Want::Always => true,
            Want::IfMutable => found.mutable,
            // Numbers of a sequence that the nodes do not share come from the first node, wherever the row goes.
            Want::IfCounting => !found.of_one_node.is_empty(),
            Want::No => false,
        };
        if !wanted {
            return None;
        }
        let counts = found.of_one_node.iter().all(|name| name == "nextval");
        let harmless = found.opaque.is_empty()
            && found.of_no_node.is_empty()
            && !found.settings
            && !found.placement;
        (counts && harmless).then(|| Expression {
            text: cast(value),
            column,
            sequence: calls_sequence(value),
            transactional: found.stable || reads_clock(value),
            volatile: found.volatile,
            draws: found.draws.clone(),
        })
    }
}

/// The value with its type: casts that PostgreSQL adds are not written. Lengths are checked when the row comes.
fn cast(value: NodePtr) -> String {
    let type_ = parser::type_name(tree::type_of(value));
    format!("({})::{type_}", parser::deparse_value(value))
}

enum Want {
    No,
    Always,
    IfMutable,
    IfCounting,
}

/// Whether it needs more than values: columns, tables, or the place where it stands.
pub fn reads_rows(expression: NodePtr) -> bool {
    use pg_sys::NodeTag::{T_Aggref, T_GroupingFunc, T_SetToDefault, T_Var, T_WindowFunc};
    // SAFETY: an expression of a statement.
    let mut found = unsafe { pg_sys::expression_returns_set(expression) };
    tree::walk(expression, &mut |node| {
        let query = tree::cast::<pg_sys::Query, _>(node);
        found |= match query {
            Some(query) => used::mentions(query) > 0 || outer::reads_above(query),
            None => matches!(
                tree::tag(node),
                Some(T_Var | T_SetToDefault | T_Aggref | T_WindowFunc | T_GroupingFunc)
            ),
        };
        !found && query.is_none()
    });
    found
}

fn calls_sequence(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::FuncExpr, _>(node)
            .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_NEXTVAL)
    })
}

pub fn reads_clock(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::tag(node) == Some(pg_sys::NodeTag::T_SQLValueFunction)
    })
}

/// The query that computes them, a row for each row of the INSERT that has some, and where in its answer each of them stands.
pub fn query(cells: &[Option<&Cell>]) -> (Json, Vec<Json>) {
    let known = || cells.iter().flatten();
    let columns: BTreeSet<i16> = known().map(|cell| cell.expression.column).collect();
    let columns: Vec<i16> = columns.into_iter().collect();
    let mut rows = BTreeMap::<usize, Vec<&str>>::new();
    for cell in known() {
        let row = rows
            .entry(cell.row)
            .or_insert_with(|| vec!["NULL"; columns.len()]);
        row[position(&columns, cell.expression.column)] = &cell.expression.text;
    }
    let numbers: Vec<usize> = rows.keys().copied().collect();
    let lists: Vec<String> = rows
        .values()
        .map(|row| format!("({})", row.join(", ")))
        .collect();
    let places = cells.iter().map(|cell| {
        cell.map_or(Json::Null, |cell| {
            json!([
                position(&numbers, cell.row),
                position(&columns, cell.expression.column)
            ])
        })
    });
    let query = json!({
        "text": format!("VALUES {}", lists.join(", ")),
        "sequences": known().any(|cell| cell.expression.sequence),
        "transactional": known().any(|cell| cell.expression.transactional),
        "draws": draws(known().map(|cell| &cell.expression)),
    });
    (query, places.collect())
}

/// The query that computes these for each of so many rows; their number is this parameter.
pub fn query_of_rows(expressions: &[Expression], parameter: usize) -> Json {
    let texts: Vec<&str> = expressions.iter().map(|one| one.text.as_str()).collect();
    json!({
        "text": format!("SELECT {} FROM pg_catalog.generate_series(1, ${parameter})", texts.join(", ")),
        "sequences": expressions.iter().any(|one| one.sequence),
        "transactional": expressions.iter().any(|one| one.transactional),
        "draws": draws(expressions.iter()),
    })
}

fn draws<'e>(expressions: impl Iterator<Item = &'e Expression>) -> BTreeSet<&'e String> {
    expressions.flat_map(|one| &one.draws).collect()
}

fn position<T: PartialEq>(list: &[T], item: T) -> usize {
    list.iter()
        .position(|known| *known == item)
        .unwrap_or_default()
}
