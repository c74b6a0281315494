//! Who owns what a placement function is called with.
//!
//! These functions change the catalogue as the extension's owner, who cannot see any more who called. So what users call claims its object
//! before, in the rights of the user who calls; the claim is good for the function that is called next.

use crate::boundary::functions;
use crate::compat;
use crate::harmless;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::Cell;

/// An object's catalogue and number, and the subtransaction in which it was claimed.
type Object = (Oid, Oid, pg_sys::SubTransactionId);

/// What was claimed, and by whom.
type Claim = (Object, Oid);

thread_local! {
    static CLAIM: Cell<Option<Claim>> = const { Cell::new(None) };
}

/// Whether the user owns the object; false for catalogues other than those of relations and functions.
fn owns(user: Oid, class: Oid, object: Oid) -> bool {
    [pg_sys::RelationRelationId, pg_sys::ProcedureRelationId].contains(&class)
        && compat::owns(class, object, user)
}

/// The partitions of a partitioned table, at all levels; of anything else nothing.
fn partitions(class: Oid, object: Oid) -> Vec<Oid> {
    // SAFETY: look-ups by number; the list is ours, and begins with the table itself. Locked, they do not go away.
    unsafe {
        if class != pg_sys::RelationRelationId
            || pg_sys::get_rel_relkind(object) as u8 != pg_sys::RELKIND_PARTITIONED_TABLE
        {
            return Vec::new();
        }
        let lock = pg_sys::AccessShareLock as i32;
        let list = functions::find_all_inheritors(object, lock, std::ptr::null_mut());
        (1..(*list).length)
            .map(|i| pg_sys::list_nth_oid(list, i))
            .collect()
    }
}

fn object(call: crate::function::Call) -> Object {
    let oid = |argument: usize| Oid::from(call.arg(argument).value() as u32);
    // SAFETY: plain read of the transaction's state.
    (oid(0), oid(1), unsafe {
        harmless::GetCurrentSubTransactionId()
    })
}

pg_function!(
    /// `abelian.claim(class, object)`: remembers an object of the current user's.
    fn abelian_claim(call) {
        let object = object(call);
        // SAFETY: plain read of the session's state.
        let user = unsafe { pg_sys::GetUserId() };
        CLAIM.set(owns(user, object.0, object.1).then_some((object, user)));
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.is_claimed(class, object)`: whether it was claimed last, by who owns all its partitions as well. The claim is used up.
    fn abelian_is_claimed(call) {
        let object = object(call);
        let claimed = CLAIM.take().filter(|claim| claim.0 == object);
        let owned = |user: Oid| {
            let (class, number, _) = object;
            partitions(class, number).into_iter().all(|one| owns(user, class, one))
        };
        Ok(claimed.is_some_and(|(_, user)| owned(user)).into())
    }
);
