//! Tables whose updates are published. A subscriber gets what is in a row, and knows nothing of slices: such a table keeps its values in
//! its rows, whatever `abelian.split` says, and what is split when a table becomes published is joined.

use crate::boundary::functions;
use pgrx::pg_sys::{self, CmdType};

/// Whether updates of the table are published. Raises what PostgreSQL's UPDATE raises where they could not be: 55000 without a replica
/// identity, 42P10 where a row filter or column list does not fit it.
///
/// # Safety
/// The relation must be open.
pub unsafe fn publishes_updates(relation: pg_sys::Relation) -> bool {
    // SAFETY: by the caller; the cache entry's description is made by the check, and read before anything can renew it.
    unsafe {
        let publishes = || {
            let known = (*relation).rd_pubdesc.as_ref();
            known.map(|known| known.pubactions.pubupdate)
        };
        if publishes() != Some(false) {
            functions::CheckCmdReplicaIdentity(relation, CmdType::CMD_UPDATE);
        }
        publishes() == Some(true)
    }
}
