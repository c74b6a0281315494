//! What a router asks of a node before it commits a SERIALIZABLE transaction that is on several nodes (docs/protocols/serializable.md): which
//! rw-conflicts the transaction has here, and which the node is to assume from then on.

use super::{gate, hooks, postgres, rw_conflicts, vote};
use crate::error::Error;
use crate::lock;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum};

/// On which sides a transaction has rw-conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictSet {
    /// Another transaction has read what it has changed.
    pub into: bool,
    /// Another transaction has changed what it has read.
    pub out: bool,
}

impl ConflictSet {
    pub const NONE: ConflictSet = ConflictSet {
        into: false,
        out: false,
    };
    pub const BOTH: ConflictSet = ConflictSet {
        into: true,
        out: true,
    };

    /// As routers write it.
    fn word(self) -> &'static str {
        match (self.into, self.out) {
            (false, false) => "none",
            (true, false) => "in",
            (false, true) => "out",
            (true, true) => "both",
        }
    }

    fn of_word(word: &[u8]) -> Option<ConflictSet> {
        [false, true]
            .iter()
            .flat_map(|&into| [false, true].map(|out| ConflictSet { into, out }))
            .find(|set| set.word().as_bytes() == word)
    }
}

pg_function!(
    /// `abelian.finish_deferred()`: runs what the transaction has deferred, and waits for those who go before it. On all nodes, before
    /// the transaction holds what others wait for on one of them.
    fn abelian_finish_deferred(_call) {
        hooks::fire_deferred();
        lock::before_commit();
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.hold_conflicts(gid)`, sealed with a second argument: `none`, `in`, `out` or `both`. Waits for others of its kind that commit here.
    fn abelian_hold_conflicts(call) {
        if call.len() == 2 {
            // SAFETY: declared as two texts, the function as STRICT.
            unsafe { vote::check_seal(call.arg(0), "hold_conflicts", &[], call.arg(1))? };
        }
        hooks::fire_deferred();
        lock::before_commit();
        // The holder may only have read, but needs an id before others prepare: docs/protocols/coordinated.md, retention.
        // SAFETY: the transaction is in progress.
        unsafe { pg_sys::GetTopFullTransactionId() };
        gate::enter_serializable_order();
        Ok(postgres::text_datum(rw_conflicts::hold()?.word()))
    }
);

pg_function!(
    /// `abelian.settle_conflicts(gid, kept)`, sealed with a third argument.
    fn abelian_settle_conflicts(call) {
        if call.len() == 3 {
            // SAFETY: declared as texts, the function as STRICT.
            unsafe { vote::check_seal(call.arg(0), "settle_conflicts", &[call.arg(1)], call.arg(2))? };
        }
        // SAFETY: as above.
        let kept = unsafe { postgres::text_argument(call.arg(1)) };
        let kept = ConflictSet::of_word(kept.to_bytes())
            .ok_or_else(|| Error::Internal(format!("unknown conflicts {kept:?}")))?;
        rw_conflicts::settle(kept);
        Ok(Datum::null())
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_read_what_nodes_write() {
        for word in ["none", "in", "out", "both"] {
            let set = ConflictSet::of_word(word.as_bytes());
            assert_eq!(set.map(ConflictSet::word), Some(word));
        }
        assert_eq!(ConflictSet::of_word(b"all"), None);
    }
}
