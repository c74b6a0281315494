//! Rows of `abelian.procedure`.

use super::super::postgres;
use pgrx::pg_sys::{self, Oid};
use std::ffi::CStr;

/// One distributed procedure.
pub struct Record {
    /// As `regprocedure` prints it with an empty search path.
    pub signature: String,
    /// Positions, from 1, of the arguments that name keys.
    pub arguments: Vec<usize>,
    /// The table whose placement says which node has a key.
    pub colocated_with: Oid,
    /// How the participants' results become one.
    pub merge: String,
    /// The commit class that its calls may take: `independent` or `coordinated`.
    pub class: String,
    /// Why nobody may call it any more; empty when all may.
    pub stopped: String,
    /// Its owner has chosen the class, not the analysis.
    pub is_declared: bool,
}

/// Positions of the columns.
const SIGNATURE: i16 = 1;
const ARGUMENTS: i32 = 2;
const COLOCATED_WITH: i32 = 3;
const MERGE: i32 = 4;
const CLASS: i32 = 5;
const STOPPED: i32 = 6;
const DECLARED: i32 = 7;

/// The record of a function, if it is a distributed procedure.
pub fn find(function: Oid) -> Option<Record> {
    let catalogue = postgres::own_relation(c"procedure");
    if catalogue == Oid::INVALID {
        return None; // the extension's SQL is of an older version
    }
    // SAFETY: a scan of our own table by its key; everything opened is closed, and what is returned was copied.
    unsafe {
        let signature = signature(function);
        let table = pg_sys::table_open(catalogue, pg_sys::AccessShareLock as i32);
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut key,
            SIGNATURE,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::F_TEXTEQ.into(),
            postgres::text_datum(&signature),
        );
        let scan =
            pg_sys::systable_beginscan(table, Oid::INVALID, false, postgres::NEWEST, 1, &mut key);
        let row = pg_sys::systable_getnext(scan);
        let record = (!row.is_null()).then(|| read(row, (*table).rd_att, signature));
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
        record
    }
}

/// As `regprocedure` prints it with an empty search path: the function's schema always, a type's unless it is PostgreSQL's own.
///
/// # Safety
/// A function that exists.
unsafe fn signature(function: Oid) -> String {
    // SAFETY: by the caller's promise; the text is copied.
    let qualified = unsafe { CStr::from_ptr(pg_sys::format_procedure_qualified(function)) };
    let qualified = qualified.to_string_lossy();
    qualified
        .replace("(pg_catalog.", "(")
        .replace(",pg_catalog.", ",")
}

/// # Safety
/// `row` must be a row of `abelian.procedure`.
unsafe fn read(row: pg_sys::HeapTuple, columns: pg_sys::TupleDesc, signature: String) -> Record {
    // SAFETY: no column is null, and each has the type that the install script gives it.
    unsafe {
        let mut is_null = false;
        let mut column = |number| pg_sys::heap_getattr(row, number, columns, &mut is_null);
        let text = |datum| {
            postgres::text_argument(datum)
                .to_string_lossy()
                .into_owned()
        };
        Record {
            signature,
            arguments: postgres::int_array(column(ARGUMENTS)),
            colocated_with: Oid::from(column(COLOCATED_WITH).value() as u32),
            merge: text(column(MERGE)),
            class: text(column(CLASS)),
            stopped: text(column(STOPPED)),
            is_declared: text(column(DECLARED)) != "analysed",
        }
    }
}
