//! A SELECT with functions that read tables and cannot become a part of it, such as loops in PL/pgSQL: a query that gives the rows of all tables that
//! the statement and the functions read, and the statement over them, on one node ([`super::super::gathered_tables`]). Statements that change rows
//! get theirs from such a SELECT (`changing_calls.rs`).
//!
//! What a body reads is only guessed here. Whatever it does beyond that is refused when it runs.

use super::super::exact_texts;
use super::super::procedure;
use super::functions;
use super::merge::build;
use super::parser;
use super::relation::{Placement, Relation};
use super::scope::Scopes;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::compat;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use std::collections::BTreeSet;

/// The two statements.
pub struct Over {
    /// Gives the rows: the number of the table, and the row as a text.
    pub source: String,
    /// The statement over them, as two arrays.
    pub text: String,
    /// The types of all its parameters.
    pub parameters: Vec<Oid>,
}

/// So many parameters are arrays.
pub const COUNT: usize = 2;

/// `None` where the statement does more than read, or its functions do.
pub fn find(
    query: &pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
) -> Result<Option<Over>, PostgresError> {
    let exact = exact_texts::are_exact();
    let plain = scopes.relations.iter().all(|relation| {
        !relation.write
            && relation.locking.is_none()
            && !relation.temporary
            && relation.placement != Placement::Catalog
    });
    if query.commandType != CmdType::CMD_SELECT || query.hasModifyingCTE || !plain || !exact {
        return Ok(None);
    }
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    if functions::with_effects(node).is_some() || parameters.contains(&Oid::INVALID) {
        return Ok(None);
    }
    let mut tables: BTreeSet<u32> = scopes
        .relations
        .iter()
        .map(|table| table.oid.to_u32())
        .collect();
    for function in functions::opaque_of(node) {
        let Some(read) = procedure::read_by(function) else {
            return Ok(None);
        };
        tables.extend(read.tables);
    }
    let Some(columns) = columns(query) else {
        return Ok(None);
    };
    let mut tables: Vec<Oid> = tables.into_iter().map(Oid::from).collect();
    if tables.iter().any(|table| is_catalogue(*table)) {
        return Ok(None); // Each node has numbers of its own in it.
    }
    tables.retain(|table| has_rows(*table));
    let text = text(query, &tables, parameters, &columns)?;
    let arrays = [pg_sys::INT4ARRAYOID, pg_sys::TEXTARRAYOID];
    let all: Vec<Oid> = parameters.iter().copied().chain(arrays).collect();
    if tables.is_empty() || build::result_types(&text, &all)? != build::types_of(query) {
        return Ok(None);
    }
    Ok(Some(Over {
        source: source(&tables),
        text,
        parameters: all,
    }))
}

fn is_catalogue(relation: Oid) -> bool {
    Relation::new(relation, 0).placement == Placement::Catalog
}

/// Views have none of their own.
fn has_rows(relation: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    let kind = unsafe { pg_sys::get_rel_relkind(relation) } as u8;
    [
        pg_sys::RELKIND_RELATION,
        pg_sys::RELKIND_PARTITIONED_TABLE,
        pg_sys::RELKIND_MATVIEW,
    ]
    .contains(&kind)
}

/// A column of the result.
enum Column {
    /// Its type by name.
    Value(String),
    /// A row without a type of its own, as functions with OUT parameters give: fields, and their types by name.
    Row(Vec<(String, String)>),
}

/// `None` when one has no type, or is a cursor, whose rows are read when there are no others any more.
fn columns(query: &pg_sys::Query) -> Option<Vec<Column>> {
    let entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    entries
        .filter(|entry| !entry.resjunk)
        .map(|entry| {
            let type_oid = tree::type_of(entry.expr);
            let pseudo = [
                pg_sys::RECORDARRAYOID,
                pg_sys::UNKNOWNOID,
                pg_sys::VOIDOID,
                pg_sys::REFCURSOROID,
            ];
            match type_oid {
                pg_sys::RECORDOID => fields(entry.expr.cast()).map(Column::Row),
                other if pseudo.contains(&other) => None,
                // SAFETY: a valid expression.
                other => Some(Column::Value(type_name(other, unsafe {
                    pg_sys::exprTypmod(entry.expr.cast())
                }))),
            }
        })
        .collect()
}

/// Of the row that a call gives.
fn fields(call: NodePtr) -> Option<Vec<(String, String)>> {
    tree::cast::<pg_sys::FuncExpr, _>(call)?;
    let mut row = std::ptr::null_mut();
    // SAFETY: a valid expression; a row that is known has a description, which lives as long as the analysis.
    let columns = unsafe {
        let kind = pg_sys::get_expr_result_type(call, std::ptr::null_mut(), &raw mut row);
        if kind != pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE {
            return None;
        }
        compat::columns_of(row)
    };
    let field = |column: &pg_sys::FormData_pg_attribute| {
        let name = tree::string(column.attname.data.as_ptr());
        (name, type_name(column.atttypid, column.atttypmod))
    };
    Some(columns.iter().map(field).collect())
}

fn type_name(type_oid: Oid, modifier: i32) -> String {
    // SAFETY: the name of a type that exists.
    unsafe { tree::string(pg_sys::format_type_with_typemod(type_oid, modifier)) }
}

fn source(tables: &[Oid]) -> String {
    let parts = tables.iter().enumerate().map(|(number, table)| {
        let columns = Opened::open(*table, pg_sys::AccessShareLock).map_or(Vec::new(), |opened| {
            let columns = opened.columns().iter();
            columns
                .filter(|column| !column.attisdropped)
                .map(|column| {
                    format!(
                        "t.{}",
                        parser::quoted(&tree::string(column.attname.data.as_ptr()))
                    )
                })
                .collect()
        });
        format!(
            "SELECT {number} AS part, ROW({})::text AS row FROM {} t",
            columns.join(", "),
            parser::qualified_name(*table)
        )
    });
    parts.collect::<Vec<_>>().join(" UNION ALL ")
}

fn text(
    query: &pg_sys::Query,
    tables: &[Oid],
    parameters: &[Oid],
    columns: &[Column],
) -> Result<String, PostgresError> {
    let statement = parser::deparse_for(build::copy(query), &[])?;
    let first = parameters.len();
    let list = |items: Vec<String>, of: &str| format!("ARRAY[{}]::{of}[]", items.join(", "));
    let tables = tables
        .iter()
        .map(|table| format!("{}::regclass", literal(&parser::qualified_name(*table))));
    // SAFETY: names of types that exist.
    let types = parameters.iter().map(|type_oid| unsafe {
        let name = tree::string(pg_sys::format_type_be_qualified(*type_oid));
        format!("{}::regtype", literal(&name))
    });
    let values = (1..=first).map(|number| format!("${number}::text"));
    let entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    let targets = entries
        .filter(|entry| !entry.resjunk)
        .zip((1..).zip(columns))
        // SAFETY: the name of a column.
        .map(|(entry, (number, column))| unsafe {
            let shown = pg_sys::quote_identifier(entry.resname);
            format!(
                "{} AS {}",
                put_together(number, column),
                tree::string(shown)
            )
        });
    Ok(format!(
        "SELECT {} FROM abelian.run_over({}, {}, ${}, ${}, {}, {}) AS rows({})",
        targets.collect::<Vec<_>>().join(", "),
        literal(&in_values(statement, columns)),
        list(tables.collect(), "oid"),
        first + 1,
        first + 2,
        list(types.collect(), "oid"),
        list(values.collect(), "text"),
        declared(columns).join(", "),
    ))
}

/// The statement, its rows in their fields, and whether they are none; each is computed once.
fn in_values(statement: String, columns: &[Column]) -> String {
    if !columns
        .iter()
        .any(|column| matches!(column, Column::Row(_)))
    {
        return statement;
    }
    let names: Vec<String> = (1..=columns.len()).map(name).collect();
    let mut values = Vec::new();
    for (name, column) in names.iter().zip(columns) {
        match column {
            Column::Value(_) => values.push(name.clone()),
            Column::Row(fields) => {
                let field =
                    |(field, _): &(String, String)| format!("({name}).{}", parser::quoted(field));
                values.extend(fields.iter().map(field));
                values.push(format!("{name} IS NOT DISTINCT FROM NULL"));
            }
        }
    }
    format!(
        "SELECT {} FROM (SELECT * FROM ({statement}) given({}) OFFSET 0) once",
        values.join(", "),
        names.join(", "),
    )
}

/// The columns of such a statement with their types.
fn declared(columns: &[Column]) -> Vec<String> {
    let mut declared = Vec::new();
    for (number, column) in (1..).zip(columns) {
        match column {
            Column::Value(of) => declared.push(format!("{} {of}", name(number))),
            Column::Row(fields) => {
                let fields = (1..).zip(fields);
                let field = |(at, (_, of)): (usize, &(String, String))| {
                    format!("{} {of}", field_name(number, at))
                };
                declared.extend(fields.map(field));
                declared.push(format!("{} boolean", name(number)));
            }
        }
    }
    declared
}

/// A column of the result, from these.
fn put_together(number: usize, column: &Column) -> String {
    match column {
        Column::Value(_) => name(number),
        Column::Row(fields) => {
            let fields: Vec<String> = (1..=fields.len())
                .map(|at| field_name(number, at))
                .collect();
            let (missing, fields) = (name(number), fields.join(", "));
            format!("CASE WHEN {missing} THEN NULL ELSE ROW({fields}) END")
        }
    }
}

fn name(number: usize) -> String {
    format!("c{number}")
}

fn field_name(number: usize, at: usize) -> String {
    format!("c{number}_{at}")
}

fn literal(text: &str) -> String {
    let text = parser::c_text(text);
    // SAFETY: a C string.
    unsafe { tree::string(pg_sys::quote_literal_cstr(text.as_ptr())) }
}
