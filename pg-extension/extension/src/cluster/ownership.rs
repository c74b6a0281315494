//! Who owns what a placement function is called with.
//!
//! These functions change the catalogue as the extension's owner, who cannot see any more who called. So what users call claims its object
//! before, in the rights of the user who calls; the claim is good for the function that is called next.

use crate::harmless;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::Cell;

/// An object's catalogue and number, and the subtransaction in which it was claimed.
type Claim = (Oid, Oid, pg_sys::SubTransactionId);

thread_local! {
    static CLAIM: Cell<Option<Claim>> = const { Cell::new(None) };
}

/// Whether the current user owns the object; false for catalogues other than those of relations and functions.
fn owns(class: Oid, object: Oid) -> bool {
    // SAFETY: catalogue look-ups inside a transaction; what does not exist is an error.
    unsafe {
        let user = pg_sys::GetUserId();
        #[cfg(feature = "pg15")]
        return match class {
            pg_sys::RelationRelationId => pg_sys::pg_class_ownercheck(object, user),
            pg_sys::ProcedureRelationId => pg_sys::pg_proc_ownercheck(object, user),
            _ => false,
        };
        #[cfg(not(feature = "pg15"))]
        return [pg_sys::RelationRelationId, pg_sys::ProcedureRelationId].contains(&class)
            && pg_sys::object_ownercheck(class, object, user);
    }
}

fn claim(call: crate::function::Call) -> Claim {
    let oid = |argument: usize| Oid::from(call.arg(argument).value() as u32);
    // SAFETY: plain read of the transaction's state.
    (oid(0), oid(1), unsafe {
        harmless::GetCurrentSubTransactionId()
    })
}

pg_function!(
    /// `abelian.claim(class, object)`: remembers an object of the current user's.
    fn abelian_claim(call) {
        let claim = claim(call);
        CLAIM.set(owns(claim.0, claim.1).then_some(claim));
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.is_claimed(class, object)`: whether it was claimed last. The claim is used up.
    fn abelian_is_claimed(call) {
        Ok((CLAIM.take() == Some(claim(call))).into())
    }
);
