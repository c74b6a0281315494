//! The record of a commuting transaction (see docs/protocols/commuting.md): what each of its nodes commits with its own
//! part. On the path of every such commit, hence not in SQL; completion, recovery and forgetting are.

use super::seal::{self, Sealed};
use super::{gate, postgres};
use crate::backend;
use crate::boundary::{self, functions};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// Column `router` of `abelian.intent_horizon`, and column `closed`.
const HORIZON_ROUTER: i16 = 1;
const HORIZON_CLOSED: i32 = 3;

pg_function!(
    /// `abelian.commit_intent(router, number, nodes, work)`, sealed with a fifth argument.
    fn abelian_commit_intent(call) {
        if call.len() == 5 {
            check_seal(call)?;
        }
        gate::enter_to_commit(name(call).as_bytes())?;
        let row = [call.arg(0), call.arg(1), true.into(), call.arg(2), role(), call.arg(3), backend::now().into()];
        insert(c"intent", &mut { row })?;
        // The row is there first: a horizon that the removal of another came with is visible now.
        if closed_below(call.arg(0)) > call.i64(1) {
            return Err(Error::IntentOver);
        }
        postgres::flush_at_commit();
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.visible_intents(nodes, own, own_below)`: for a read that holds the snapshot side of the gate. Without any intents it need not
    /// run the query.
    fn abelian_visible_intents(call) {
        // SAFETY: a look at our own table; the function of the query is declared with the same arguments, and gives a text.
        unsafe {
            let table = pg_sys::table_open(
                postgres::own_relation(c"intent"),
                pg_sys::AccessShareLock as i32,
            );
            let pages = pg_sys::RelationGetNumberOfBlocksInFork(table, pg_sys::ForkNumber::MAIN_FORKNUM);
            pg_sys::table_close(table, pg_sys::NoLock as i32);
            if pages == 0 {
                return Ok(call.null());
            }
            let query = postgres::own_function(
                c"listed_intents",
                &[pg_sys::INT4ARRAYOID, pg_sys::UUIDOID, pg_sys::INT8OID],
            );
            let list = pg_sys::OidFunctionCall3Coll(
                query,
                Oid::INVALID,
                call.arg(0),
                call.arg(1),
                call.arg(2),
            );
            Ok(match postgres::text_argument(list).is_empty() {
                true => call.null(),
                false => list,
            })
        }
    }
);

/// What reads of several nodes know it by, with its nodes.
fn name(call: Call) -> String {
    // SAFETY: declared as uuid, bigint and integer[], the function as STRICT.
    let (router, nodes) = unsafe {
        (
            seal::router_argument(call.arg(0)),
            postgres::int_array(call.arg(2)),
        )
    };
    let nodes: Vec<String> = nodes.iter().map(usize::to_string).collect();
    let router: String = router.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{router}:{}/{}", call.i64(1), nodes.join(","))
}

fn check_seal(call: Call) -> Result<(), Error> {
    // SAFETY: declared as uuid, bigint, integer[], text and text, the function as STRICT.
    unsafe {
        let router = seal::router_argument(call.arg(0));
        Sealed::call("commit_intent")
            .number(call.i64(1))
            .numbers(&postgres::int_array(call.arg(2)))
            .text(call.arg(3))
            .check(router, call.arg(4))
    }
}

/// Inserts a row into one of our tables; the values have the types of its columns, and none is null.
pub fn insert(table: &CStr, values: &mut [Datum]) -> Result<(), Error> {
    let mut nulls = vec![false; values.len()];
    // SAFETY: there are as many values as columns.
    unsafe {
        let table = open(table)?;
        let row = pg_sys::heap_form_tuple((*table).rd_att, values.as_mut_ptr(), nulls.as_mut_ptr());
        boundary::caught(|| functions::CatalogTupleInsert(table, row)).map_err(Error::Postgres)?;
        pg_sys::table_close(table, pg_sys::NoLock as i32);
    }
    Ok(())
}

/// One of our tables, locked for writing to the end of the transaction.
pub fn open(name: &CStr) -> Result<pg_sys::Relation, Error> {
    let oid = postgres::own_relation(name);
    if oid == Oid::INVALID {
        return Err(Error::NotInstalled);
    }
    // SAFETY: opens an existing table.
    Ok(unsafe { pg_sys::table_open(oid, pg_sys::RowExclusiveLock as i32) })
}

/// Who works here: the role that was set, or else the session's user; as a `name`.
pub fn role() -> Datum {
    // SAFETY: the name of an existing role is palloc'd and copied into a palloc'd name.
    unsafe {
        let set = pg_sys::GetCurrentRoleId();
        let role = if set == Oid::INVALID {
            pg_sys::GetSessionUserId()
        } else {
            set
        };
        let name = pg_sys::palloc0(size_of::<pg_sys::NameData>()).cast::<pg_sys::NameData>();
        pg_sys::namestrcpy(name, pg_sys::GetUserNameFromId(role, false));
        Datum::from(name)
    }
}

/// The number below which sessions of the router commit nothing any more.
fn closed_below(router: Datum) -> i64 {
    let (table, index) = (
        postgres::own_relation(c"intent_horizon"),
        postgres::own_relation(c"intent_horizon_pkey"),
    );
    // SAFETY: a scan of our own table by its key; everything opened is closed.
    unsafe {
        let table = pg_sys::table_open(table, pg_sys::AccessShareLock as i32);
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut key,
            HORIZON_ROUTER,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::F_UUID_EQ.into(),
            router,
        );
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let scan = pg_sys::systable_beginscan(table, index, true, snapshot, 1, &mut key);
        let row = pg_sys::systable_getnext(scan);
        let mut is_null = false;
        let closed = if row.is_null() {
            0
        } else {
            pg_sys::heap_getattr(row, HORIZON_CLOSED, (*table).rd_att, &mut is_null).value() as i64
        };
        pg_sys::systable_endscan(scan);
        pg_sys::UnregisterSnapshot(snapshot);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
        closed
    }
}
