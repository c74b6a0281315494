//! The routers' keys, in shared memory: a restart forgets them, nothing copies them, and who reads all tables does not see them.

use super::Router;
use crate::boundary::functions;
use crate::error::Error;
use crate::shared_memory::ROUTER_KEYS;
use crate::{backend, cluster::seal::trust};
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;
use std::ffi::c_int;

/// Routers that are known at a time, over all databases; the one that has not been heard of for longest makes room.
const ROUTERS: usize = 1024;

const KEY: usize = 32;

/// `PG_SHA256` of `enum pg_cryptohash_type`.
const SHA256: c_int = 3;
const SHA256_BYTES: usize = 32;

/// A router's key, and the role that it was given to.
#[derive(Clone, Copy)]
pub struct Key {
    pub bytes: [u8; KEY],
    pub role: Oid,
}

#[derive(Clone, Copy)]
struct Entry {
    database: Oid,
    router: Router,
    key: Key,
    /// When it was asked for last.
    asked_at: i64,
}

/// All keys of the server.
pub struct Keys {
    entries: [Entry; ROUTERS],
    count: usize,
}

// SAFETY: plain numbers.
unsafe impl PGRXSharedMemory for Keys {}

impl Keys {
    /// None.
    pub fn new() -> Keys {
        let nobody = Entry {
            database: Oid::INVALID,
            router: [0; 16],
            key: Key {
                bytes: [0; KEY],
                role: Oid::INVALID,
            },
            asked_at: 0,
        };
        Keys {
            entries: [nobody; ROUTERS],
            count: 0,
        }
    }

    fn position(&self, database: Oid, router: Router) -> Option<usize> {
        self.entries[..self.count]
            .iter()
            .position(|entry| entry.router == router && entry.database == database)
    }

    /// Keeps a new entry, in the place of the oldest where there is no other.
    fn keep(&mut self, entry: Entry) {
        let at = if self.count < ROUTERS {
            self.count += 1;
            self.count - 1
        } else {
            (0..ROUTERS)
                .min_by_key(|at| self.entries[*at].asked_at)
                .unwrap_or(0)
        };
        self.entries[at] = entry;
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self::new()
    }
}

thread_local! {
    /// The router whose seals this process has met last: as a rule the only one.
    static LAST: Cell<Option<(Router, Key)>> = const { Cell::new(None) };
}

/// The router's key, if it is the one that this process has met last.
pub fn remembered(router: Router) -> Option<Key> {
    LAST.get()
        .filter(|(known, _)| *known == router)
        .map(|(_, key)| key)
}

/// The key of a router of this database; none when it has not asked for one since the server started.
pub fn find(router: Router) -> Option<Key> {
    let keys = ROUTER_KEYS.share();
    // SAFETY: plain read of a backend variable.
    let at = keys.position(unsafe { pg_sys::MyDatabaseId }, router)?;
    let key = keys.entries[at].key;
    LAST.set(Some((router, key)));
    Some(key)
}

/// The key of a router that asks for it, drawn when it asks first. Only the role to which it was given gets it again.
pub fn give(router: Router) -> Result<[u8; KEY], Error> {
    // SAFETY: plain reads of backend variables.
    let (database, role) = unsafe { (pg_sys::MyDatabaseId, pg_sys::GetSessionUserId()) };
    if !trust::is_router(role) {
        return Err(Error::NotSealed);
    }
    let mut drawn = [0; KEY];
    // SAFETY: fills so many bytes.
    if !unsafe { pg_sys::pg_strong_random(drawn.as_mut_ptr().cast(), KEY) } {
        return Err(Error::Internal("no random numbers can be had".to_owned()));
    }
    let asked_at = backend::now();
    let mut keys = ROUTER_KEYS.exclusive();
    let Some(at) = keys.position(database, router) else {
        let key = Key { bytes: drawn, role };
        keys.keep(Entry {
            database,
            router,
            key,
            asked_at,
        });
        return Ok(drawn);
    };
    let known = &mut keys.entries[at];
    if known.key.role != role {
        return Err(Error::NotYourRouter);
    }
    known.asked_at = asked_at;
    Ok(known.key.bytes)
}

/// The code of a message under a key: HMAC-SHA-256 in PostgreSQL's own implementation.
pub fn code(key: &[u8; KEY], message: &[u8]) -> Result<[u8; SHA256_BYTES], Error> {
    let mut code = [0; SHA256_BYTES];
    // SAFETY: the state is made, used and freed here; PostgreSQL frees it with the resource owner after an error.
    let done = unsafe {
        let state = functions::pg_hmac_create(SHA256);
        let done = !state.is_null()
            && functions::pg_hmac_init(state, key.as_ptr(), KEY) >= 0
            && functions::pg_hmac_update(state, message.as_ptr(), message.len()) >= 0
            && functions::pg_hmac_final(state, code.as_mut_ptr(), code.len()) >= 0;
        functions::pg_hmac_free(state);
        done
    };
    match done {
        true => Ok(code),
        false => Err(Error::Internal("a seal could not be computed".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32) -> Entry {
        let mut router = [0; 16];
        router[..4].copy_from_slice(&number.to_ne_bytes());
        let key = Key {
            bytes: [number as u8; KEY],
            role: Oid::from(10),
        };
        Entry {
            database: Oid::from(5),
            router,
            key,
            asked_at: i64::from(number),
        }
    }

    #[test]
    fn the_router_that_was_silent_for_longest_makes_room() {
        let mut keys = Box::new(Keys::new());
        for number in 1..=ROUTERS as u32 + 1 {
            keys.keep(entry(number));
        }
        let database = Oid::from(5);
        assert_eq!(keys.position(database, entry(1).router), None);
        assert!(keys.position(database, entry(2).router).is_some());
        let newest = entry(ROUTERS as u32 + 1).router;
        assert!(keys.position(database, newest).is_some());
    }

    #[test]
    fn a_router_has_a_key_of_its_own_in_each_database() {
        let mut keys = Box::new(Keys::new());
        keys.keep(entry(1));
        assert!(keys.position(Oid::from(6), entry(1).router).is_none());
    }
}
