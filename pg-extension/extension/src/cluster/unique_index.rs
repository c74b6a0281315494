//! CREATE UNIQUE INDEX CONCURRENTLY on a distributed table. Whether the placement allows an index is asked when its command ends, and a refusal undoes
//! the command. This one has committed by then, and the index would stay and be in the way of every later command on the table. So it is asked before.

use super::analysis::conditions;
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
    let keys: Vec<&pg_sys::IndexElem> = tree::list(index.indexParams).collect();
    if matches!(keys.as_slice(), [only] if is_unique_over_cluster(table, only)) {
        return;
    }
    for (attribute, _) in &spreading.columns {
        let column = relation.column_name(*attribute);
        let mut same = keys.iter().filter(|key| tree::string(key.name) == column);
        // SAFETY: a catalogue look-up.
        let type_oid = unsafe { pg_sys::get_atttype(table, *attribute) };
        if same.clone().next().is_none() {
            refuse(&relation.name, &column);
        }
        if !same.any(|key| tells_apart(key, type_oid)) {
            refuse_comparison(&relation.name, &column);
        }
    }
}

/// Whether the key of an index tells values of a type apart as the type itself does.
fn tells_apart(key: &pg_sys::IndexElem, type_oid: Oid) -> bool {
    // SAFETY: look-ups of what the command names; what does not exist is an error, as it is to the command.
    unsafe {
        let by_collation = key.collation.is_null()
            || conditions::tells_apart(pg_sys::get_collation_oid(key.collation, false));
        let by_operator = || {
            let base = pg_sys::getBaseType(type_oid);
            let class =
                pg_sys::ResolveOpClass(key.opclass, base, c"btree".as_ptr(), pg_sys::BTREE_AM_OID);
            let (family, of) = (
                pg_sys::get_opclass_family(class),
                pg_sys::get_opclass_input_type(class),
            );
            let equality =
                pg_sys::get_opfamily_member(family, of, of, pg_sys::BTEqualStrategyNumber as i16);
            let usual = pg_sys::lookup_type_cache(base, pg_sys::TYPECACHE_EQ_OPR as i32);
            pg_sys::equality_ops_are_compatible(equality, (*usual).eq_opr)
        };
        by_collation && (key.opclass.is_null() || by_operator())
    }
}

/// Whether a lookup index keeps the column's values unique.
fn is_unique_over_cluster(table: Oid, key: &pg_sys::IndexElem) -> bool {
    if key.name.is_null() {
        return false;
    }
    // SAFETY: catalogue look-ups.
    let (attribute, type_oid) = unsafe {
        let attribute = pg_sys::get_attnum(table, key.name);
        (attribute, pg_sys::get_atttype(table, attribute))
    };
    if type_oid == Oid::INVALID || !tells_apart(key, type_oid) {
        return false;
    }
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

fn refuse_comparison(table: &str, column: &str) -> ! {
    PostgresError::unsupported(
        &format!(
            "a unique index of table \"{table}\" must compare the distribution column \"{column}\" as its type does, since what it takes for equal may lie on different nodes"
        ),
        "Use the default operator class and a deterministic collation for this column.",
    )
    .raise()
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
