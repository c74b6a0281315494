//! Which of our gids a transaction may be prepared under.
//!
//! What is prepared holds the gates until a router finishes it, and only routers know how. So PREPARE TRANSACTION with a gid of ours is
//! refused unless a router has said before, in the same transaction, that it votes for this gid.

use super::{gate, postgres, seal};
use crate::boundary::PostgresError;
use crate::error::Error;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::pg_function;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::RefCell;

thread_local! {
    /// What the router has named in this transaction; empty when it has not.
    static NAMED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Sees the end of each transaction; called once when the library is loaded.
pub fn install() {
    transaction::on_end(&Subscriber {
        concerns: |event| transaction::is_over(*event) && NAMED.with_borrow(|gid| !gid.is_empty()),
        tell: |_| NAMED.with_borrow_mut(Vec::clear),
    });
}

pg_function!(
    /// `abelian.vote(gid, seal)`: the transaction may be prepared under that gid.
    fn abelian_vote(call) {
        // SAFETY: declared as two texts, the function as STRICT.
        let gid = unsafe {
            check_seal(call.arg(0), "vote", &[], call.arg(1))?;
            postgres::text_argument(call.arg(0))
        };
        NAMED.replace(gid.into_bytes());
        Ok(Datum::null())
    }
);

/// Whether the gid's router has sealed this call of the function, whose other arguments are `words`.
///
/// # Safety
/// `gid`, the words and `seal` must be texts that are not null.
pub unsafe fn check_seal(
    gid: Datum,
    function: &str,
    words: &[Datum],
    seal: Datum,
) -> Result<(), Error> {
    // SAFETY: by the caller's promise.
    unsafe {
        let name = postgres::text_argument(gid);
        let router = router_of(name.to_bytes()).ok_or(Error::NotSealed)?;
        let call = seal::Sealed::call(function).text(gid);
        let sealed = words.iter().fold(call, |sealed, word| sealed.text(*word));
        sealed.check(router, seal)
    }
}

/// The router of `abelian:<holder>:<router's uuid>:...`.
fn router_of(gid: &[u8]) -> Option<seal::Router> {
    let name = gid.strip_prefix(gate::GID_PREFIX)?;
    let holder = name.iter().position(|byte| *byte == b':')?;
    seal::router_named(&name[holder + 1..])
}

/// Raises unless the transaction may be prepared under that gid of ours.
pub fn require(gid: &[u8]) {
    // An older version of the extension's SQL has no votes.
    let votes =
        || postgres::own_function(c"vote", &[pg_sys::TEXTOID, pg_sys::TEXTOID]) != Oid::INVALID;
    if NAMED.with_borrow(|named| named == gid) || seal::is_trusted() || !votes() {
        return;
    }
    let error = PostgresError::made(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE as i32,
        "permission denied: only a router can prepare a transaction under this name",
        "Names that begin with \"abelian:\" are the routers'.",
        None,
    );
    error.raise()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gid_names_its_router() {
        let gid = b"abelian:12:00000000-0000-0000-0000-000000000001:7-3";
        assert_eq!(router_of(gid).map(|router| router[15]), Some(1));
        assert_eq!(router_of(b"abelian:12"), None);
        assert_eq!(router_of(b"abelian:12:x:7-3"), None);
        assert_eq!(
            router_of(b"other:1:00000000-0000-0000-0000-000000000001"),
            None
        );
    }
}
