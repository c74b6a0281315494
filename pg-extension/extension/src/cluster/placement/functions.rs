//! What SQL asks of the placement function.

use super::super::analysis::tree;
use super::super::postgres;
use super::super::procedure::placements::{self, Home};
use super::datum::Unplaced;
use super::distribution::{self, Distribution};
use super::kind::Kind;
use super::rule_text;
use super::value::Value;
use super::{KeyColumn, rule_json};
use crate::boundary::PostgresError;
use crate::error::Error;
use crate::function::Call;
use crate::opened::Opened;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::{CString, c_char};
use std::rc::Rc;

fn text(call: Call, argument: usize) -> String {
    // SAFETY: the argument is declared as text or json, the function as STRICT.
    let text = unsafe { postgres::text_argument(call.arg(argument)) };
    text.to_string_lossy().into_owned()
}

fn json(call: Call, argument: usize) -> Result<serde_json::Value, Error> {
    serde_json::from_str(&text(call, argument)).map_err(|error| Error::Internal(error.to_string()))
}

/// Routers read it with the catalogue.
const RULE_BYTES_MAX: usize = 1_000_000;

pg_function!(
    /// `abelian.parse_key_columns(columns)`
    fn abelian_parse_key_columns(call) {
        let columns = rule_text::columns(&text(call, 0)).unwrap_or_else(|error| error.raise());
        Ok(postgres::text_datum(&rule_text::columns_json(&columns).to_string()))
    }
);

pg_function!(
    /// `abelian.parse_rule(rule, method, columns, kinds)`
    fn abelian_parse_rule(call) {
        let internal = || Error::Internal("these are no columns".to_owned());
        let columns = rule_json::columns(&json(call, 2)?).ok_or_else(internal)?;
        let kinds = Kind::list(&text(call, 3)).ok_or_else(internal)?;
        if columns.len() != kinds.len() {
            return Err(internal());
        }
        if text(call, 0).len() > RULE_BYTES_MAX {
            PostgresError::with_hint(
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED as i32,
                "the rule is too long",
                "",
                "A rule takes up to 1000000 bytes; keys by the thousand belong into a lookup.",
                None,
            )
            .raise();
        }
        let rule = rule_text::rule(&text(call, 0), &text(call, 1), &columns, &kinds);
        Ok(postgres::text_datum(&rule.unwrap_or_else(|error| error.raise()).to_string()))
    }
);

/// The table that is the first argument.
fn relation(call: Call) -> Oid {
    Oid::from(call.arg(0).value() as u32)
}

/// How the table that is the first argument is distributed; raises when it is not.
fn distribution_of(call: Call) -> Rc<Distribution> {
    let relation = relation(call);
    match placements::home(relation) {
        Home::Distributed(distribution) => distribution,
        _ => {
            // SAFETY: a look-up by number, which may find nothing.
            let name = unsafe { tree::string(pg_sys::get_rel_name(relation)) };
            PostgresError::with_hint(
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE as i32,
                &format!("table \"{name}\" is not distributed"),
                "",
                "Distribute it first.",
                None,
            )
            .raise()
        }
    }
}

fn refuse_value(column: &KeyColumn, text: &str) -> ! {
    PostgresError::with_hint(
        PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION as i32,
        &format!(
            "\"{text}\" is no value of distribution column {}",
            column.attribute
        ),
        "",
        "Dates are written as YYYY-MM-DD.",
        None,
    )
    .raise()
}

fn value(relation: Oid, column: &KeyColumn, text: &str) -> Value {
    let read = match column.kind.is_named() {
        true => rule_text::canonical(column.kind, text),
        false => read(relation, column, text),
    };
    read.unwrap_or_else(|| refuse_value(column, text))
}

/// The canonical form of a text that PostgreSQL reads as a value of the column's type.
fn read(relation: Oid, column: &KeyColumn, text: &str) -> Option<Value> {
    let text = CString::new(text).ok()?;
    let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: look-ups of an existing column and its type; the value is of that type.
    unsafe {
        let type_oid = pg_sys::getBaseType(pg_sys::get_atttype(relation, column.attribute));
        pg_sys::getTypeInputInfo(type_oid, &mut function, &mut parameter);
        let written = text.as_ptr().cast_mut();
        let datum = pg_sys::OidInputFunctionCall(function, written, parameter, -1);
        distribution::whole(column, type_oid, datum).ok()
    }
}

/// The keys of a row, of the array of its values that is the second argument; `None` when one is NULL.
fn keys(call: Call, distribution: &Distribution) -> Option<Vec<Value>> {
    // SAFETY: declared as text[], the function as STRICT.
    let texts = unsafe { texts(call.arg(1)) };
    if texts.len() != distribution.columns().len() {
        let count = distribution.columns().len();
        PostgresError::with_hint(
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE as i32,
            &format!(
                "the table has {count} distribution columns, and {} values were given",
                texts.len()
            ),
            "",
            "Give one value for each distribution column, in their order.",
            None,
        )
        .raise();
    }
    let relation = relation(call);
    distribution
        .columns()
        .iter()
        .zip(&texts)
        .map(|(column, text)| Some(column.key(value(relation, column, text.as_ref()?))))
        .collect()
}

/// # Safety
/// The datum must be a `text[]`.
unsafe fn texts(array: Datum) -> Vec<Option<String>> {
    let (mut values, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    // SAFETY: by the caller's promise; texts are of variable length, aligned as integers.
    unsafe {
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast();
        let (length, align) = (-1, pg_sys::TYPALIGN_INT as c_char);
        pg_sys::deconstruct_array(
            array,
            pg_sys::TEXTOID,
            length,
            false,
            align,
            &mut values,
            &mut nulls,
            &mut count,
        );
        (0..count as usize)
            .map(|i| {
                let text = || {
                    postgres::text_argument(*values.add(i))
                        .to_string_lossy()
                        .into_owned()
                };
                (!*nulls.add(i)).then(text)
            })
            .collect()
    }
}

fn or_null<T: Into<Datum>>(call: Call, value: Option<T>) -> Datum {
    value.map_or_else(|| call.null(), Into::into)
}

pg_function!(
    /// `abelian.partition_of(relation, VARIADIC values)`
    fn abelian_partition_of(call) {
        let distribution = distribution_of(call);
        let partition = match keys(call, &distribution) {
            Some(keys) => distribution.partition(&keys),
            None => distribution.partition_of_null(),
        };
        Ok(or_null(call, partition.map(|partition| partition as i32)))
    }
);

pg_function!(
    /// `abelian.node_of(relation, VARIADIC values)`
    fn abelian_node_of(call) {
        let distribution = distribution_of(call);
        let node = match keys(call, &distribution) {
            Some(keys) => distribution.node(&keys),
            None => distribution.node_of_null(),
        };
        Ok(or_null(call, node))
    }
);

/// The key of a lookup that is the second argument.
fn key_of(call: Call, distribution: &Distribution) -> Value {
    value(relation(call), &distribution.columns()[0], &text(call, 1))
}

pg_function!(
    /// `abelian.partition_of_key(relation, key)`
    fn abelian_partition_of_key(call) {
        let distribution = distribution_of(call);
        let partition = distribution.partition(&[key_of(call, &distribution)]);
        Ok(or_null(call, partition.map(|partition| partition as i32)))
    }
);

pg_function!(
    /// `abelian.lookup_key(relation, key)`
    fn abelian_lookup_key(call) {
        let distribution = distribution_of(call);
        let kind = distribution.columns()[0].kind;
        Ok(postgres::text_datum(&key_of(call, &distribution).print(kind)))
    }
);

pg_function!(
    /// `abelian.has_key(relation, key)`: runs no code of whoever owns the table, not even that of its indexes.
    fn abelian_has_key(call) {
        let distribution = distribution_of(call);
        let key = key_of(call, &distribution);
        Ok(has_key(relation(call), &distribution.columns()[0], &key).into())
    }
);

/// Whether a table has a row with that key here; its partitions are tables of their own.
fn has_key(table: Oid, column: &KeyColumn, key: &Value) -> bool {
    // SAFETY: the kind of a relation that exists, or not.
    if unsafe { pg_sys::get_rel_relkind(table) } as u8 != pg_sys::RELKIND_RELATION {
        return false;
    }
    let Some(opened) = Opened::open(table, pg_sys::AccessShareLock) else {
        return false;
    };
    let number = column.attribute;
    let type_oid = opened.columns()[number as usize - 1].atttypid;
    let mut found = false;
    // SAFETY: a sequential scan of an open table; everything opened is closed.
    unsafe {
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let slot = pg_sys::table_slot_create(opened.relation(), std::ptr::null_mut());
        let scan = pg_sys::table_beginscan(opened.relation(), snapshot, 0, std::ptr::null_mut());
        let forward = pg_sys::ScanDirection::ForwardScanDirection;
        while !found && pg_sys::table_scan_getnextslot(scan, forward, slot) {
            pgrx::check_for_interrupts!();
            pg_sys::slot_getsomeattrs_int(slot, i32::from(number));
            let index = number as usize - 1;
            let own = || distribution::key(column, type_oid, *(*slot).tts_values.add(index));
            found = !*(*slot).tts_isnull.add(index) && own() == Ok::<_, Unplaced>(key.clone());
        }
        pg_sys::table_endscan(scan);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::UnregisterSnapshot(snapshot);
    }
    found
}
