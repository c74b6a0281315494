//! Which calls for lookup indexes are a router's own (docs/design/lookup-indexes.md): a client that fetched what its statements have changed would leave an
//! index behind its table, and one that asked for entries would learn of rows that it may not read.
//!
//! What the calls do is SQL (see the install script).

use super::seal;
use crate::error::Error;
use crate::pg_function;
use pgrx::pg_sys::Datum;

pg_function!(
    /// `abelian.check_lookup_seal(router, what, seal)`: raises unless that router says so on this connection, or one is connected in its own name.
    fn abelian_check_lookup_seal(call) {
        if call.is_null(2) {
            return match seal::is_trusted() {
                true => Ok(Datum::null()),
                false => Err(Error::NotSealed),
            };
        }
        if call.is_null(0) || call.is_null(1) {
            return Err(Error::NotSealed);
        }
        // SAFETY: declared as uuid and two texts, none of which is null.
        unsafe {
            let router = seal::router_argument(call.arg(0));
            seal::Sealed::call("lookup").text(call.arg(1)).check(router, call.arg(2))?;
        }
        Ok(Datum::null())
    }
);
