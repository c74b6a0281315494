//! The beginning of a fragment: what its transaction does before it goes on to run the call. On the path of every
//! independent transaction, hence not in SQL; completion and catching up, which do the same, are.

use super::turn;
use crate::backend;
use crate::boundary;
use crate::boundary::functions;
use crate::cluster::seal::Sealed;
use crate::cluster::{gate, intent, postgres, procedure};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum};
use std::ffi::CStr;

/// Columns of `abelian.independent_record`, and which of them is the failure.
const RECORD: usize = 7;
const FAILURE: usize = 5;

/// Columns of `abelian.independent_lane`.
const LANE: usize = 4;

pg_function!(
    /// `abelian.independent_run(id, at, self, nodes, intent)`: waits for the turn, writes the record and the watermark, and
    /// tells the node who takes part.
    fn abelian_independent_run(call) {
        begin(call, "")
    }
);

pg_function!(
    /// `abelian.independent_run_calls(id, at, self, nodes, intent)`: the same for an intent of several calls.
    fn abelian_independent_run_calls(call) {
        begin(call, "*")
    }
);

/// The sixth argument, where there is one, is the seal.
fn check_seal(call: Call, mark: &str) -> Result<(), Error> {
    let function = match mark {
        "" => "independent_run",
        _ => "independent_run_calls",
    };
    // SAFETY: declared as text, bigint, integer, integer[], text and text, the function as STRICT.
    unsafe {
        Sealed::call(function)
            .text(call.arg(0))
            .number(call.i64(1))
            .number(call.i32(2))
            .numbers(&postgres::int_array(call.arg(3)))
            .text(call.arg(4))
            .check(super::functions::router(call)?, call.arg(5))
    }
}

/// The mark tells the node what follows: one call, or nothing but calls.
fn begin(call: Call, mark: &str) -> Result<Datum, Error> {
    if call.len() == 6 {
        check_seal(call, mark)?;
    }
    if backend::has_one_snapshot() {
        return Err(Error::IndependentIsolation);
    }
    turn::wait_for_turn(super::functions::id(call)?, call.i64(1))?;
    // The lane goes on at the commit; the flush comes after it.
    postgres::set_local(c"synchronous_commit", c"off");
    write(call)?;
    // SAFETY: declared as integer[].
    let nodes = unsafe { postgres::int_array(call.arg(3)) };
    let list: Vec<String> = nodes.iter().map(usize::to_string).collect();
    gate::note(
        format!("{}/{}", super::functions::id(call)?.text(), list.join(",")).as_bytes(),
        false,
    );
    let participants = procedure::told(call.i32(2), &nodes, mark);
    postgres::set_local(c"abelian.participants", &participants);
    Ok(Datum::null())
}

fn write(call: Call) -> Result<(), Error> {
    let (id, at, nodes) = (call.arg(0), call.arg(1), call.arg(3));
    // SAFETY: the values have the types of the columns.
    unsafe {
        let table = intent::open(c"independent_record")?;
        let values: [Datum; RECORD] = [
            id,
            at,
            nodes,
            recorded(call.arg(4)),
            intent::role(),
            Datum::null(),
            backend::now().into(),
        ];
        insert(table, values)?;
        pg_sys::table_close(table, pg_sys::NoLock as i32);
        let lane = intent::open(c"independent_lane")?;
        move_watermark(lane, at, id)?;
        pg_sys::table_close(lane, pg_sys::NoLock as i32);
    }
    Ok(())
}

/// Inserts the record and what its indexes want of it, some of which are partial.
///
/// # Safety
/// The values have the types of the table's columns; all but the failure are there.
unsafe fn insert(table: pg_sys::Relation, values: [Datum; RECORD]) -> Result<(), Error> {
    // SAFETY: what ExecSimpleRelationInsert wants: a relation with its indexes open, and a stored virtual tuple.
    unsafe {
        let state = pg_sys::CreateExecutorState();
        let target = pg_sys::palloc0(size_of::<pg_sys::ResultRelInfo>()).cast();
        let target: *mut pg_sys::ResultRelInfo = target;
        (*target).type_ = pg_sys::NodeTag::T_ResultRelInfo;
        pg_sys::InitResultRelInfo(target, table, 1, std::ptr::null_mut(), 0);
        pg_sys::ExecOpenIndices(target, false);
        let slot = pg_sys::MakeSingleTupleTableSlot((*table).rd_att, &pg_sys::TTSOpsVirtual);
        pg_sys::ExecClearTuple(slot);
        for (column, value) in values.into_iter().enumerate() {
            (*slot).tts_values.add(column).write(value);
            (*slot).tts_isnull.add(column).write(column == FAILURE);
        }
        pg_sys::ExecStoreVirtualTuple(slot);
        let inserted =
            boundary::caught(|| functions::ExecSimpleRelationInsert(target, state, slot));
        pg_sys::ExecCloseIndices(target);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::FreeExecutorState(state);
        inserted.map_err(Error::Postgres)
    }
}

/// Updates the lane's only row, which the transaction before in the lane has left behind. A router that lets the lane
/// catch up numbers a run there at any moment: such a change is waited for, and kept.
///
/// # Safety
/// The values are a `bigint` and a `text`.
unsafe fn move_watermark(lane: pg_sys::Relation, at: Datum, id: Datum) -> Result<(), Error> {
    // SAFETY: a sequential scan of a page or two; everything opened is closed.
    unsafe {
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let (no_index, no_key) = (pg_sys::InvalidOid, std::ptr::null_mut());
        let scan = pg_sys::systable_beginscan(lane, no_index, false, snapshot, 0, no_key);
        let seen = pg_sys::systable_getnext(scan);
        let place = (!seen.is_null()).then(|| (*seen).t_self);
        pg_sys::systable_endscan(scan);
        let slot = pg_sys::MakeSingleTupleTableSlot((*lane).rd_att, &pg_sys::TTSOpsBufferHeapTuple);
        let moved = match place {
            None => Err(Error::NotInstalled),
            Some(place) if !lock_newest(lane, place, snapshot, slot) => {
                Err(Error::ConcurrentUpdate)
            }
            Some(_) => {
                let new = with_watermark(lane, slot, at, id);
                boundary::caught(|| functions::CatalogTupleUpdate(lane, &mut (*slot).tts_tid, new))
                    .map_err(Error::Postgres)
            }
        };
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::UnregisterSnapshot(snapshot);
        moved
    }
}

/// Locks the newest version of a row as an UPDATE does and puts it into the slot; false when there is none.
///
/// # Safety
/// The place is that of a version of a row of the table, and the slot one for rows on its pages.
unsafe fn lock_newest(
    table: pg_sys::Relation,
    mut place: pg_sys::ItemPointerData,
    snapshot: pg_sys::Snapshot,
    slot: *mut pg_sys::TupleTableSlot,
) -> bool {
    let mut failure = pg_sys::TM_FailureData::default();
    // SAFETY: by the caller.
    let result = unsafe {
        pg_sys::table_tuple_lock(
            table,
            &mut place,
            snapshot,
            slot,
            pg_sys::GetCurrentCommandId(true),
            pg_sys::LockTupleMode::LockTupleNoKeyExclusive,
            pg_sys::LockWaitPolicy::LockWaitBlock,
            pg_sys::TUPLE_LOCK_FLAG_FIND_LAST_VERSION as u8,
            &mut failure,
        )
    };
    result == pg_sys::TM_Result::TM_Ok
}

/// The lane's row with another watermark.
///
/// # Safety
/// The slot has a row of the table; the values are a `bigint` and a `text`.
unsafe fn with_watermark(
    lane: pg_sys::Relation,
    slot: *mut pg_sys::TupleTableSlot,
    at: Datum,
    id: Datum,
) -> pg_sys::HeapTuple {
    let absent = Datum::null();
    let mut values = [absent, absent, at, id];
    let mut nulls = [false; LANE];
    let mut replaced = [false, false, true, true];
    // SAFETY: by the caller.
    unsafe {
        pg_sys::heap_modify_tuple(
            pg_sys::ExecFetchSlotHeapTuple(slot, false, std::ptr::null_mut()),
            (*lane).rd_att,
            values.as_mut_ptr(),
            nulls.as_mut_ptr(),
            replaced.as_mut_ptr(),
        )
    }
}

/// With the search path in front, so that names mean the same to whoever runs it again.
fn recorded(call: Datum) -> Datum {
    // SAFETY: a `text`; the search path is a string, which quote_literal_cstr copies.
    unsafe {
        let path =
            CStr::from_ptr(pg_sys::quote_literal_cstr(pg_sys::namespace_search_path)).to_owned();
        let call = postgres::text_argument(call);
        postgres::text_datum(&format!(
            "SELECT pg_catalog.set_config('search_path', {}, true); {}",
            path.to_string_lossy(),
            call.to_string_lossy()
        ))
    }
}
