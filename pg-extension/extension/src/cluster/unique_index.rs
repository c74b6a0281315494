//! CREATE UNIQUE INDEX CONCURRENTLY on a distributed table. Whether the placement allows an index is asked when its command ends, and a refusal undoes
//! the command. This one has committed by then, and the index would stay and be in the way of every later command on the table. So it is asked before.

use super::analysis::relation::{self, Relation};
use super::analysis::tree::{self, NodePtr};
use super::postgres;
use crate::boundary::PostgresError;
use pgrx::datum::FromDatum;
use pgrx::pg_sys::{self, Oid};

/// Raises 0A000 if the command would make an index of which each node could only check its own rows.
pub fn check(command: NodePtr) {
    let Some(index) = tree::cast::<pg_sys::IndexStmt, _>(command) else {
        return;
    };
    let table = tree::cast::<pg_sys::RangeVar, _>(index.relation).and_then(relation::existing);
    let Some(table) = table.filter(|_| index.unique && index.concurrent) else {
        return;
    };
    let relation = Relation::new(table, 0);
    let Some(spreading) = relation.spreading() else {
        return;
    };
    let names: Vec<String> = tree::list::<pg_sys::IndexElem>(index.indexParams)
        .map(|column| tree::string(column.name))
        .collect();
    if matches!(names.as_slice(), [only] if is_unique_over_cluster(table, only)) {
        return;
    }
    let columns = spreading.columns.iter();
    let missing = columns
        .map(|(attribute, _)| relation.column_name(*attribute))
        .find(|column| !names.contains(column));
    if let Some(column) = missing {
        refuse(&relation.name, &column);
    }
}

/// Whether a lookup index keeps the column's values unique.
fn is_unique_over_cluster(table: Oid, column: &str) -> bool {
    let name = super::analysis::parser::c_text(column);
    // SAFETY: a catalogue look-up.
    let attribute = unsafe { pg_sys::get_attnum(table, name.as_ptr()) };
    let mut found = false;
    let mut look = |row: &[Option<pg_sys::Datum>]| {
        // SAFETY: the columns have these types.
        let (of, at) = unsafe {
            (
                row[1].and_then(|value| Oid::from_datum(value, false)),
                row[2].and_then(|value| i16::from_datum(value, false)),
            )
        };
        found |= (of, at) == (Some(table), Some(attribute));
    };
    // SAFETY: the first three columns of the table, read with their types.
    unsafe { postgres::each_row(c"lookup_index", 3, &mut look) };
    found
}

fn refuse(table: &str, column: &str) -> ! {
    PostgresError::unsupported(
        &format!(
            "a unique index of table \"{table}\" must contain the distribution column \"{column}\", since each node can only check its own rows"
        ),
        &format!("Add column {column} to the index, or distribute by a column that it contains."),
    )
    .raise()
}
