//! Statements of a router that routes by an outdated catalogue are refused (SQLSTATE AB001).
//!
//! The node's version is a row of `abelian.cluster`, kept per backend until a relcache invalidation of that table
//! arrives. Such invalidations are transactional, also through COMMIT PREPARED, and a backend reads them when it has
//! waited for a lock: a statement that waited for a placement change to commit sees the new version, because the
//! check runs after the statement has its locks.
//!
//! A transaction that has itself changed the placement is not refused: nobody else can change it meanwhile, and the
//! router has asked for the change. Its next transaction is.

use super::{placed, postgres, settings};
use crate::boundary::PostgresError;
use crate::hooks::cache;
use crate::pg_function;
use pgrx::{PgSqlErrorCode, pg_sys};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The cached version; [`UNREAD`] after an invalidation, 0 when nobody is to be refused.
static NODE_VERSION: AtomicI64 = AtomicI64::new(UNREAD);
const UNREAD: i64 = -1;

/// The OID of `abelian.cluster` that [`NODE_VERSION`] was read from.
static CLUSTER_RELATION: AtomicU32 = AtomicU32::new(0);

/// How often what this backend knows of the placement has become void, by its own changes or others'.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// SQLSTATE of the refusal; routers refresh their catalogue and route again.
const OUTDATED: [u8; 5] = *b"AB001";

/// Registers the invalidation callback. It holds in each backend, which inherits it from the postmaster.
pub fn install() {
    cache::on_relation(forget_version);
}

fn forget_version(relation: pg_sys::Oid) {
    if relation == pg_sys::InvalidOid || relation.to_u32() == CLUSTER_RELATION.load(Relaxed) {
        forget();
    }
}

fn forget() {
    CHANGES.fetch_add(1, Relaxed);
    NODE_VERSION.store(UNREAD, Relaxed);
}

/// Another number after each change of the placement, also after those of this transaction; `None` where no change would be noticed.
pub fn changes() -> Option<u64> {
    (CLUSTER_RELATION.load(Relaxed) != 0).then(|| CHANGES.load(Relaxed))
}

/// The node's version, if the connected router's is older. Free for clients that are no routers.
pub fn newer_than_router() -> Option<i64> {
    let known = i64::from(settings::PLACEMENT_VERSION.get());
    if known == 0 {
        return None;
    }
    // SAFETY: inside a transaction; our callback only stores to a static.
    unsafe { pg_sys::AcceptInvalidationMessages() };
    Some(node_version()).filter(|current| known < *current)
}

/// Raises AB001: nothing has been done, and the router may have it done again.
pub fn refuse(current: i64) -> ! {
    raise(
        postgres::make_sqlstate(OUTDATED),
        current,
        "Routers read abelian.catalog() anew and route the statement again.",
    )
}

/// Raises 40001: a part of it has been committed.
pub fn refuse_rest(current: i64) -> ! {
    raise(
        PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE as i32,
        current,
        "What it has committed stays. Run the rest again.",
    )
}

fn raise(sqlstate: i32, current: i64, hint: &str) -> ! {
    let known = settings::PLACEMENT_VERSION.get();
    PostgresError::with_hint(
        sqlstate,
        &format!(
            "the placement has changed: version {current} is current, the statement was routed by version {known}"
        ),
        "",
        hint,
        None,
    )
    .raise()
}

/// The version as this backend knows it; 0 in a transaction that has changed it.
pub fn node_version() -> i64 {
    let cached = NODE_VERSION.load(Relaxed);
    if cached != UNREAD {
        return cached;
    }
    let relation = postgres::own_relation(c"cluster");
    CLUSTER_RELATION.store(relation.to_u32(), Relaxed);
    let version = if relation == pg_sys::InvalidOid {
        0
    } else {
        read_version(relation)
    };
    NODE_VERSION.store(version, Relaxed);
    version
}

/// Reads the newest version, whatever the transaction's snapshot is; 0 when this transaction has made it.
fn read_version(relation: pg_sys::Oid) -> i64 {
    // SAFETY: a sequential scan of a one-row table under a lock; everything opened is closed.
    unsafe {
        let cluster = pg_sys::table_open(relation, pg_sys::AccessShareLock as i32);
        let (no_index, no_key) = (pg_sys::InvalidOid, std::ptr::null_mut());
        let scan =
            pg_sys::systable_beginscan(cluster, no_index, false, postgres::NEWEST, 0, no_key);
        let row = pg_sys::systable_getnext(scan);
        let mut version = 0;
        if !row.is_null() {
            let maker = (*(*row).t_data).t_choice.t_heap.t_xmin;
            if !pg_sys::TransactionIdIsCurrentTransactionId(maker) {
                let mut is_null = false;
                let value =
                    pg_sys::heap_getattr(row, VERSION_ATTRIBUTE, (*cluster).rd_att, &mut is_null);
                version = value.value() as i64;
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(cluster, pg_sys::AccessShareLock as i32);
        version
    }
}

/// Position of column `version` in `abelian.cluster`.
const VERSION_ATTRIBUTE: i32 = 2;

pg_function!(
    /// The trigger of `abelian.cluster`, and of what the placement is stored in: tells all backends at commit to read the version anew.
    fn abelian_placement_changed(_call) {
        placed::begin_change();
        // SAFETY: queues an invalidation message in the running transaction; the trigger returns no row.
        unsafe { pg_sys::CacheInvalidateRelcacheByRelid(postgres::own_relation(c"cluster")) };
        // This backend gets its own message only when the command ends.
        forget();
        Ok(pg_sys::Datum::null())
    }
);
