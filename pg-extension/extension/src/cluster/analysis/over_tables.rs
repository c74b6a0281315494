//! A SELECT with functions that read tables and cannot become a part of it, such as loops in PL/pgSQL: a query that gives the rows of all tables that
//! the statement and the functions read, and the statement over them, on one node ([`super::super::gathered_tables`]). Statements that change rows
//! get theirs from such a SELECT (`changing_calls.rs`).
//!
//! What a body reads is only guessed here. Whatever it does beyond that is refused when it runs.

use super::super::procedure;
use super::functions;
use super::merge::build;
use super::parser;
use super::relation::Placement;
use super::scope::Scopes;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
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
    // SAFETY: plain read of a setting.
    let exact = unsafe { pg_sys::extra_float_digits } > 0;
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
    let tables = tables.into_iter().map(Oid::from);
    let tables: Vec<Oid> = tables.filter(|table| has_rows(*table)).collect();
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

/// The types of the columns by name; `None` when one has none, or is a cursor, whose rows are read when there are no others any more.
fn columns(query: &pg_sys::Query) -> Option<Vec<String>> {
    let entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    entries
        .filter(|entry| !entry.resjunk)
        .map(|entry| {
            let type_oid = tree::type_of(entry.expr);
            let pseudo = [
                pg_sys::RECORDOID,
                pg_sys::RECORDARRAYOID,
                pg_sys::UNKNOWNOID,
                pg_sys::VOIDOID,
                pg_sys::REFCURSOROID,
            ];
            // SAFETY: a valid expression, and the name of its type.
            (!pseudo.contains(&type_oid)).then(|| unsafe {
                let modifier = pg_sys::exprTypmod(entry.expr.cast());
                tree::string(pg_sys::format_type_with_typemod(type_oid, modifier))
            })
        })
        .collect()
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
    columns: &[String],
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
    let names: Vec<String> = (1..=columns.len())
        .map(|number| format!("c{number}"))
        .collect();
    let entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    let targets = entries
        .filter(|entry| !entry.resjunk)
        .zip(&names)
        // SAFETY: the name of a column.
        .map(|(entry, name)| unsafe {
            let shown = pg_sys::quote_identifier(entry.resname);
            format!("{name} AS {}", tree::string(shown))
        });
    let declared: Vec<String> = names
        .iter()
        .zip(columns)
        .map(|(name, column)| format!("{name} {column}"))
        .collect();
    Ok(format!(
        "SELECT {} FROM abelian.run_over({}, {}, ${}, ${}, {}, {}) AS rows({})",
        targets.collect::<Vec<_>>().join(", "),
        literal(&statement),
        list(tables.collect(), "oid"),
        first + 1,
        first + 2,
        list(types.collect(), "oid"),
        list(values.collect(), "text"),
        declared.join(", "),
    ))
}

fn literal(text: &str) -> String {
    let text = parser::c_text(text);
    // SAFETY: a C string.
    unsafe { tree::string(pg_sys::quote_literal_cstr(text.as_ptr())) }
}
