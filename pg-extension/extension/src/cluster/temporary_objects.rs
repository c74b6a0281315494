//! Which temporary objects the session has: tables, views, functions, whatever lies in its temporary schema. They outlive transactions, and
//! triggers and functions may make them, so a router cannot see it in a statement. It is told by [`super::session_locks`].

use super::postgres;
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

/// `pg_depend`, its index by what is depended on, and its columns.
const DEPENDENCIES: Oid = Oid::from_u32(2608);
const BY_REFERENCED: Oid = Oid::from_u32(2674);
const OBJECT: usize = 2;
const REFERENCED_CATALOGUE: i16 = 4;
const REFERENCED: i16 = 5;

thread_local! {
    /// A number for the objects that were found last; another one when there are others, `None` when there is none.
    static FOUND: Cell<Option<u64>> = const { Cell::new(None) };
    /// The same when the last transaction was committed.
    static COMMITTED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The transaction is over.
pub fn transaction_ended(committed: bool) {
    match committed {
        true => COMMITTED.set(FOUND.get()),
        false => FOUND.set(COMMITTED.get()),
    }
}

/// A number for the temporary objects that the session has; `None` when it has none.
pub fn found() -> Option<u64> {
    FOUND.get()
}

/// Looks at what the running transaction may have made or dropped; whether it has. What is dropped on commit is there until then, and found gone
/// by the next transaction.
pub fn look_again() -> bool {
    // SAFETY: a plain read of the backend's state.
    let flags = unsafe { pg_sys::MyXactFlags as u32 };
    let looks = flags & pg_sys::XACT_FLAGS_ACCESSEDTEMPNAMESPACE != 0 || FOUND.get().is_some();
    let before = FOUND.get();
    if looks {
        FOUND.set(look());
    }
    FOUND.get() != before
}

/// What depends on the session's temporary schema, as `DISCARD TEMP` finds it.
fn look() -> Option<u64> {
    let schema = schema()?;
    let mut any = false;
    let mut hash = DefaultHasher::new();
    // SAFETY: a scan of the catalogue by an index; everything opened is closed, and rows are read before the next one.
    unsafe {
        let table = pg_sys::table_open(DEPENDENCIES, pg_sys::AccessShareLock as i32);
        let mut keys = [pg_sys::ScanKeyData::default(); 2];
        let columns = [
            (REFERENCED_CATALOGUE, pg_sys::NamespaceRelationId),
            (REFERENCED, schema),
        ];
        for (key, (column, value)) in keys.iter_mut().zip(columns) {
            pg_sys::ScanKeyInit(
                key,
                column,
                pg_sys::BTEqualStrategyNumber as u16,
                pg_sys::F_OIDEQ.into(),
                value.into(),
            );
        }
        let scan = pg_sys::systable_beginscan(
            table,
            BY_REFERENCED,
            true,
            postgres::NEWEST,
            keys.len() as i32,
            keys.as_mut_ptr(),
        );
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            any = true;
            for value in postgres::values(row, (*table).rd_att, OBJECT) {
                value.map(|value| value.value()).hash(&mut hash);
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
    }
    any.then(|| hash.finish())
}

/// The session's temporary schema, if it has come to need one.
fn schema() -> Option<Oid> {
    let (mut schema, mut toast) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: two places for identifiers.
    unsafe { pg_sys::GetTempNamespaceState(&mut schema, &mut toast) };
    (schema != Oid::INVALID).then_some(schema)
}
