//! The keys of a lookup that have a partition of their own, as far as this backend has asked for them.

use super::super::postgres;
use super::kind::Kind;
use super::value::Value;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::RefCell;
use std::collections::HashMap;

/// So many answers are remembered.
const KNOWN_MAX: usize = 65_536;

/// The entries of one colocation group.
pub struct Entries {
    colocation: i32,
    known: RefCell<HashMap<Value, Option<usize>>>,
}

impl Entries {
    /// Of the group of that number.
    pub fn of(colocation: i32) -> Self {
        Entries {
            colocation,
            known: RefCell::default(),
        }
    }

    /// The number of the group.
    pub fn colocation(&self) -> i32 {
        self.colocation
    }

    /// The partition of a key that has an entry.
    pub fn find(&self, kind: Kind, key: &Value) -> Option<usize> {
        if let Some(answer) = self.known.borrow().get(key) {
            return *answer;
        }
        let answer = read(self.colocation, &key.print(kind));
        let mut known = self.known.borrow_mut();
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(key.clone(), answer);
        answer
    }
}

/// Positions of the columns of `abelian.lookup_entry`, of which the first two are its key.
const COLOCATION: i16 = 1;
const KEY: i16 = 2;
const PARTITION: i32 = 3;

fn read(colocation: i32, key: &str) -> Option<usize> {
    let (catalogue, index) = (
        postgres::own_relation(c"lookup_entry"),
        postgres::own_relation(c"lookup_entry_pkey"),
    );
    if catalogue == Oid::INVALID {
        return None; // the extension's SQL is of an older version
    }
    // SAFETY: a scan of our own table by its key; everything opened is closed.
    unsafe {
        let table = pg_sys::table_open(catalogue, pg_sys::AccessShareLock as i32);
        let mut keys = [pg_sys::ScanKeyData::default(); 2];
        let equal = pg_sys::BTEqualStrategyNumber as u16;
        let number = Datum::from(colocation);
        pg_sys::ScanKeyInit(
            &mut keys[0],
            COLOCATION,
            equal,
            pg_sys::F_INT4EQ.into(),
            number,
        );
        pg_sys::ScanKeyInit(
            &mut keys[1],
            KEY,
            equal,
            pg_sys::F_TEXTEQ.into(),
            postgres::text_datum(key),
        );
        keys[1].sk_collation = pg_sys::C_COLLATION_OID;
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let scan = pg_sys::systable_beginscan(table, index, true, snapshot, 2, keys.as_mut_ptr());
        let row = pg_sys::systable_getnext(scan);
        let mut is_null = false;
        let partition = (!row.is_null())
            .then(|| pg_sys::heap_getattr(row, PARTITION, (*table).rd_att, &mut is_null));
        pg_sys::systable_endscan(scan);
        pg_sys::UnregisterSnapshot(snapshot);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
        partition.map(|partition| partition.value() as u32 as usize)
    }
}
