//! Which object is meant: what the rooms of locks and of objects both speak of.

use pgrx::pg_sys::Oid;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Where an object lives; relation and attribute are for views and clean-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Identity; never 0 for an object that is split.
    pub id: i64,
    /// Table that holds the row.
    pub relation: Oid,
    /// Column number in that table.
    pub attribute: i16,
}

/// A map by objects' ids.
pub type ById<T> = HashMap<i64, T, BuildHasherDefault<IdHasher>>;

/// Ids are dense: one multiplication spreads them.
#[derive(Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i64(i64::from(*byte));
        }
    }

    fn write_i64(&mut self, id: i64) {
        let spread = (self.0 ^ id as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }
}
