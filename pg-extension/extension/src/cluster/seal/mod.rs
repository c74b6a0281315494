//! Seals: how a node tells what a router says on a client's connection from what the client says there.
//!
//! A router works on its clients' connections in their roles, so a role says nothing about who speaks. Each router has a key, which
//! only it and the node know (`keys`). A statement of the router's own carries a seal: its code under that key (HMAC-SHA-256) for the
//! connection, the function, all arguments and a number that grows. Each is good once: who sees one can do nothing with it, for the router
//! has said it already.
//!
//! Members of `abelian_router` need none (`trust`). docs/security.md says who may do what. What a sealed call allows lives with what it
//! allows, not here.

mod connection;
mod keys;
mod trust;

pub use connection::show as show_connection;
pub use keys::Keys;
pub use trust::{is_router, is_trusted};

use super::postgres;
use crate::boundary::PostgresError;
use crate::error::Error;
use crate::pg_function;
use crate::varlena;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Datum;
use std::cell::Cell;

thread_local! {
    static USED: Cell<Used> = const { Cell::new(Used { newest: 0, before: 0 }) };
}

/// The numbers of the seals that were used on this connection. Routers do not send everything in the order in which they seal it.
#[derive(Clone, Copy)]
struct Used {
    newest: i64,
    /// A bit for each of those before, the lowest for the newest; what is older counts as used.
    before: u64,
}

impl Used {
    /// The same with a number more, and whether it was not there yet.
    fn with(self, number: i64) -> (Used, bool) {
        let behind = self.newest.saturating_sub(number);
        if behind < 0 {
            let ahead = behind.unsigned_abs();
            let newest_too = self.before << 1 | 1;
            let before = match u32::try_from(ahead - 1) {
                Ok(more) => newest_too.checked_shl(more).unwrap_or(0),
                Err(_) => 0,
            };
            let newest = number;
            return (Used { newest, before }, true);
        }
        if behind == 0 || behind > i64::from(u64::BITS) {
            return (self, false);
        }
        let bit = 1 << (behind - 1);
        let before = self.before | bit;
        (Used { before, ..self }, self.before & bit == 0)
    }
}

/// Bytes of the router's UUID, as text and as it is.
const UUID_TEXT: usize = 36;
pub type Router = [u8; 16];

/// Half of the code is enough, and is what a seal carries, in hexadecimal digits.
const CODE: usize = 16;

/// What is sealed: the connection, the function and its arguments, each followed by a zero byte, which no text holds.
pub struct Sealed(Vec<u8>);

impl Sealed {
    /// A call of this function on this connection.
    pub fn call(function: &str) -> Sealed {
        Sealed(Vec::new())
            .bytes(connection::name().as_bytes())
            .bytes(function.as_bytes())
    }

    /// What was said on the connection of a process that started then.
    pub fn on(word: &str, process: i32, start: i64) -> Sealed {
        Sealed(Vec::new())
            .bytes(connection::name_of(process, start).as_bytes())
            .bytes(word.as_bytes())
    }

    /// A text without zero bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Sealed {
        self.0.extend_from_slice(bytes);
        self.0.push(0);
        self
    }

    /// A `text` argument. Routers speak UTF-8, whatever the database is kept in.
    ///
    /// # Safety
    /// `datum` must be a non-null `text`.
    pub unsafe fn text(self, datum: Datum) -> Sealed {
        // SAFETY: by the caller's promise.
        let text = unsafe { postgres::text_argument(datum) };
        self.bytes(postgres::to_utf8(&text).to_bytes())
    }

    /// A number.
    pub fn number(self, number: impl Into<i64>) -> Sealed {
        let number: i64 = number.into();
        self.bytes(number.to_string().as_bytes())
    }

    /// An array of numbers, as its text.
    pub fn numbers<N: ToString>(self, numbers: &[N]) -> Sealed {
        let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        self.bytes(format!("{{{}}}", list.join(",")).as_bytes())
    }

    /// Raises unless the seal, `<number>.<code>`, is that router's for this call, and was not used before.
    ///
    /// # Safety
    /// `seal` must be a non-null `text`.
    pub unsafe fn check(self, router: Router, seal: Datum) -> Result<(), Error> {
        // SAFETY: by the caller's promise.
        let seal = unsafe { postgres::text_argument(seal) };
        let seal = seal.to_string_lossy();
        let (number, code) = numbered(&seal).ok_or(Error::NotSealed)?;
        if self.number(number).holds(router, code)? {
            let (used, is_new) = USED.get().with(number);
            USED.set(used);
            return is_new.then_some(()).ok_or(Error::NotSealed);
        }
        Err(match keys::find(router) {
            Some(_) => Error::NotSealed,
            None => unknown_router(),
        })
    }

    /// Whether the seal is that router's.
    pub fn holds(&self, router: Router, seal: &str) -> Result<bool, Error> {
        let Some(code) = code_of(seal) else {
            return Ok(false);
        };
        // What this process remembers of a router may be older than its key.
        for look in [keys::remembered, keys::find] {
            if let Some(key) = look(router)
                && agree(&keys::code(&key.bytes, &self.0)?[..CODE], &code)
            {
                return Ok(trust::is_router(key.role));
            }
        }
        Ok(false)
    }
}

/// The number of a seal, and its code.
fn numbered(seal: &str) -> Option<(i64, &str)> {
    let (number, code) = seal.split_once('.')?;
    Some((number.parse().ok()?, code))
}

/// Whether they are the same, in a time that does not tell how much of them is.
fn agree(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |bits, (a, b)| bits | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differing) == 0
}

fn code_of(seal: &str) -> Option<[u8; CODE]> {
    let mut code = [0; CODE];
    (seal.len() == 2 * CODE && seal.is_ascii()).then_some(())?;
    for (byte, digits) in code.iter_mut().zip(seal.as_bytes().chunks_exact(2)) {
        let digits = std::str::from_utf8(digits).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(code)
}

/// The router's UUID at the beginning of the name of a transaction, as routers write it.
pub fn router_named(name: &[u8]) -> Option<Router> {
    let text = std::str::from_utf8(name.get(..UUID_TEXT)?).ok()?;
    let mut bytes = [0; 16];
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    (digits.len() == 32 && text.chars().filter(|c| *c == '-').count() == 4).then_some(())?;
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// A `uuid` argument.
///
/// # Safety
/// `datum` must be a non-null `uuid`.
pub unsafe fn router_argument(datum: Datum) -> Router {
    // SAFETY: by the caller's promise.
    unsafe { *datum.cast_mut_ptr::<Router>() }
}

/// Routers look for the constraint's name: they ask for a new key then.
fn unknown_router() -> Error {
    let error = PostgresError::made(
        PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE as i32,
        "the node does not know this router, or not any more",
        "It forgets routers when it is restarted.",
        None,
    );
    Error::Postgres(error.of_constraint(c"router_key"))
}

pg_function!(
    /// `abelian.router_key(router)`: the key with which that router seals, the same for as long as the node runs.
    fn abelian_router_key(call) {
        // SAFETY: declared as uuid, the function as STRICT.
        let router = unsafe { router_argument(call.arg(0)) };
        let key = keys::give(router)?;
        Ok(varlena::bytea_of(&key))
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_so_many_digits_and_nothing_else() {
        assert_eq!(code_of(&"0f".repeat(CODE)), Some([15; CODE]));
        assert_eq!(code_of(&"0f".repeat(CODE - 1)), None);
        assert_eq!(code_of(&"zz".repeat(CODE)), None);
        assert_eq!(code_of("é".repeat(CODE).as_str()), None);
        assert_eq!(code_of(""), None);
    }

    #[test]
    fn a_seal_has_a_number() {
        assert_eq!(numbered("12.0f"), Some((12, "0f")));
        assert_eq!(numbered("0f"), None);
        assert_eq!(numbered("x.0f"), None);
        assert_eq!(numbered("99999999999999999999.0f"), None);
    }

    #[test]
    fn a_number_is_used_once_and_not_when_it_is_old() {
        let mut used = Used {
            newest: 0,
            before: 0,
        };
        let mut take = |number| {
            let (next, is_new) = used.with(number);
            used = next;
            is_new
        };
        assert!(take(1) && !take(1));
        assert!(take(3) && take(2) && !take(2) && !take(1) && !take(3));
        assert!(take(66) && take(4) && !take(3) && take(65) && !take(66));
        assert!(take(1000) && !take(66) && !take(935) && take(936) && take(999) && !take(999));
        assert!(take(i64::MAX) && !take(1000) && !take(0) && !take(-1) && !take(i64::MIN));
    }

    #[test]
    fn a_name_begins_with_its_router() {
        let name = "00010203-0405-0607-0809-0a0b0c0d0e0f:7-1";
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(router_named(name.as_bytes()).map(Vec::from), Some(bytes));
        assert_eq!(router_named(b"00010203"), None);
        assert_eq!(router_named(&[b'-'; 36]), None);
        assert_eq!(router_named("é".repeat(18).as_bytes()), None);
    }
}
