//! Which temporary objects the session has: tables, views, functions, whatever lies in its temporary schema. They outlive transactions, and
//! triggers and functions may make them, so a router cannot see it in a statement. It is told by [`super::session_locks`].

use super::{nested, postgres, refused};
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::Cell;
use std::ffi::CStr;
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
    let (now, relations) = match looks {
        true => look(),
        false => (before, Vec::new()),
    };
    let made = now != before && !nested::is_first_node();
    if let Some(name) = relations.into_iter().find(|name| made && hides_other(name)) {
        raise_hidden(name);
    }
    FOUND.set(now);
    now != before
}

/// What depends on the session's temporary schema, as `DISCARD TEMP` finds it: a number for all of it, and the relations' names.
fn look() -> (Option<u64>, Vec<&'static CStr>) {
    let Some(schema) = schema() else {
        return (None, Vec::new());
    };
    let mut any = false;
    let mut relations = Vec::new();
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
            let values = postgres::values(row, (*table).rd_att, OBJECT);
            let number = |at: usize| values[at].map_or(0, |value: Datum| value.value() as u32);
            (number(0), number(1)).hash(&mut hash);
            if number(0) == pg_sys::RelationRelationId.to_u32()
                && let Some(name) = name_of(Oid::from(number(1)))
            {
                name.hash(&mut hash); // It may have been renamed.
                relations.push(name);
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
    }
    (any.then(|| hash.finish()), relations)
}

/// Whether a bare name would stand for a permanent relation, were it not for the temporary one.
fn hides_other(name: &CStr) -> bool {
    // SAFETY: a list of schemas in the current memory context; look-ups that may find nothing.
    unsafe {
        let path = pg_sys::fetch_search_path(false);
        let count = pg_sys::list_length(path);
        (0..count)
            .map(|n| pg_sys::list_nth_oid(path, n))
            .filter(|schema| !pg_sys::isAnyTempNamespace(*schema))
            .any(|schema| pg_sys::get_relname_relid(name.as_ptr(), schema) != Oid::INVALID)
    }
}

/// A router looks for temporary objects on the first node alone.
fn raise_hidden(name: &CStr) -> ! {
    refused::raise(
        &format!(
            "a function or trigger has made a temporary object with the name of table \"{}\" on another node than the first",
            name.to_string_lossy()
        ),
        "Give it another name, or drop it before the statement ends.",
    )
}

fn name_of(relation: Oid) -> Option<&'static CStr> {
    // SAFETY: the name is a C string, if there is one, in the memory of the statement.
    unsafe {
        let name = pg_sys::get_rel_name(relation);
        (!name.is_null()).then(|| CStr::from_ptr(name))
    }
}

/// The session's temporary schema, if it has come to need one.
fn schema() -> Option<Oid> {
    let (mut schema, mut toast) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: two places for identifiers.
    unsafe { pg_sys::GetTempNamespaceState(&mut schema, &mut toast) };
    (schema != Oid::INVALID).then_some(schema)
}
