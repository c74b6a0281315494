//! The decision of a coordinated transaction (see docs/protocols/coordinated.md): a row that the holder commits with its own part. On the path
//! of every such commit, hence not in SQL; recovery and forgetting are.

use super::{gate, intent, postgres, vote};
use crate::backend;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum};

pg_function!(
    /// `abelian.decide(gid)`, sealed with a second argument: unique_violation when recovery has aborted the transaction already.
    fn abelian_decide(call) {
        if call.len() == 2 {
            // SAFETY: declared as two texts, the function as STRICT.
            unsafe { vote::check_seal(call.arg(0), "decide", &[], call.arg(1))? };
        }
        // SAFETY: as above.
        let gid = unsafe { postgres::text_argument(call.arg(0)) };
        gate::enter_to_commit(gid.to_bytes())?;
        // SAFETY: assigns an id if there is none; the transaction is in progress.
        let id = unsafe { pg_sys::GetTopFullTransactionId() }.value;
        let committed = Datum::from(true);
        intent::insert(c"decision", &mut [call.arg(0), committed, backend::now().into(), id.into()])?;
        postgres::flush_at_commit();
        Ok(Datum::null())
    }
);
