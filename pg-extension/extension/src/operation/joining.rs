//! Joining: the values of a table are taken out of the slices, back into its rows.

use super::functions::joined;
use super::row::{self, Locked, Request, Table};
use crate::compat;
use crate::error::Error;
use crate::object::{self, Object};
use crate::opened::Opened;
use crate::owner;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, Oid, TM_Result, TupleTableSlot};
use std::collections::BTreeSet;
use std::ptr::null_mut;

/// Rewrites the rows of a table that have split objects. Triggers do not see it, since no value changes; each gets a new object, so that
/// whoever reads the row under an older snapshot does not add the slices once more.
///
/// The caller holds ShareRowExclusiveLock on the table, or a stronger one. Gives the number of rows.
pub fn join(table: &Opened) -> Result<i64, Error> {
    let split = object::split_in(table.id())?;
    if split.is_empty() {
        return Ok(0);
    }
    // SAFETY: an open relation. Changes whose triggers have yet to fire refer to versions of rows: 55006.
    unsafe { pg_sys::CheckTableNotInUse(table.relation(), c"join the values of".as_ptr()) };
    owner::work_as(table.class().relowner, || {
        let mut rewriting = Rewriting::begin(table, split);
        let result = rewriting.all();
        rewriting.end();
        result
    })
}

/// A scan of a table, and what storing new versions of its rows needs.
struct Rewriting<'t> {
    table: &'t Opened,
    split: BTreeSet<i64>,
    estate: *mut pg_sys::EState,
    result: *mut pg_sys::ResultRelInfo,
    snapshot: pg_sys::Snapshot,
    scan: pg_sys::TableScanDesc,
    /// The version at hand.
    old: *mut TupleTableSlot,
    new: *mut TupleTableSlot,
}

impl<'t> Rewriting<'t> {
    fn begin(table: &'t Opened, split: BTreeSet<i64>) -> Self {
        let relation = table.relation();
        // SAFETY: inside of a transaction, over an open relation; what is made here is released in `end`, or by the end of the
        // transaction. The own changes so far are to be seen.
        unsafe {
            pg_sys::CommandCounterIncrement();
            let result =
                pg_sys::palloc0(size_of::<pg_sys::ResultRelInfo>()).cast::<pg_sys::ResultRelInfo>();
            (*result).type_ = pg_sys::NodeTag::T_ResultRelInfo;
            pg_sys::InitResultRelInfo(result, relation, 0, null_mut(), 0);
            pg_sys::ExecOpenIndices(result, false);
            let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
            pg_sys::PushActiveSnapshot(snapshot);
            Rewriting {
                table,
                split,
                estate: pg_sys::CreateExecutorState(),
                result,
                snapshot,
                scan: pg_sys::table_beginscan(relation, snapshot, 0, null_mut()),
                old: pg_sys::table_slot_create(relation, null_mut()),
                new: pg_sys::MakeSingleTupleTableSlot(
                    (*relation).rd_att,
                    &raw const pg_sys::TTSOpsHeapTuple,
                ),
            }
        }
    }

    fn end(self) {
        // SAFETY: begun in `begin`.
        unsafe {
            pg_sys::table_endscan(self.scan);
            pg_sys::ExecDropSingleTupleTableSlot(self.old);
            pg_sys::ExecDropSingleTupleTableSlot(self.new);
            pg_sys::PopActiveSnapshot();
            pg_sys::UnregisterSnapshot(self.snapshot);
            pg_sys::ExecCloseIndices(self.result);
            pg_sys::FreeExecutorState(self.estate);
        }
    }

    fn all(&mut self) -> Result<i64, Error> {
        let mut rows = 0;
        let forward = pg_sys::ScanDirection::ForwardScanDirection;
        // SAFETY: scan and slot are of one relation.
        while unsafe { pg_sys::table_scan_getnextslot(self.scan, forward, self.old) } {
            // SAFETY: the slot holds a row of the relation.
            let objects = unsafe { row::objects_in(self.table.relation(), self.old) }?;
            let split: Vec<Object> = objects
                .into_iter()
                .filter(|object| self.split.contains(&object.id))
                .collect();
            if !split.is_empty() {
                self.rewrite(&split)?;
                rows += 1;
            }
            pgrx::check_for_interrupts!();
        }
        Ok(rows)
    }

    fn rewrite(&mut self, split: &[Object]) -> Result<(), Error> {
        // SAFETY: the slot holds a version of a row.
        let mut place = unsafe { (*self.old).tts_tid };
        let request = Request::overwrite();
        let locked = Table::open(split[0].relation).lock_version(&mut place, request)?;
        if locked != Locked::Newest {
            return Err(changed());
        }
        let mut values = Vec::new();
        for object in split {
            request.lock_object(object)?;
            values.push((object.attribute, self.joined(object)?));
        }
        self.store(place, &values)?;
        split
            .iter()
            .try_for_each(|object| object::discard(object.id))
    }

    /// A new object with the whole value of one of the row.
    fn joined(&self, object: &Object) -> Result<Datum, Error> {
        let mut null = false;
        // SAFETY: the slot holds a row with this object in this column.
        unsafe {
            let datum = pg_sys::slot_getattr(self.old, object.attribute.into(), &mut null);
            joined(self.type_of(object), datum)
        }
    }

    fn type_of(&self, object: &Object) -> Oid {
        self.table.columns()[object.attribute as usize - 1].atttypid
    }

    fn store(
        &mut self,
        place: pg_sys::ItemPointerData,
        values: &[(i16, Datum)],
    ) -> Result<(), Error> {
        let relation = self.table.relation();
        let count = self.table.columns().len();
        // SAFETY: the slots are of the relation, and the values of their columns' types.
        unsafe {
            pg_sys::slot_getallattrs(self.old);
            let mut datums = std::slice::from_raw_parts((*self.old).tts_values, count).to_vec();
            let mut nulls = std::slice::from_raw_parts((*self.old).tts_isnull, count).to_vec();
            for (attribute, value) in values {
                datums[*attribute as usize - 1] = *value;
            }
            let description = (*relation).rd_att;
            let tuple =
                pg_sys::heap_form_tuple(description, datums.as_mut_ptr(), nulls.as_mut_ptr());
            (*tuple).t_tableOid = (*relation).rd_id;
            pg_sys::ExecForceStoreHeapTuple(tuple, self.new, true);
            let command = pg_sys::GetCurrentCommandId(true);
            let (result, _, entries) =
                compat::table_tuple_update(relation, place, self.new, command, self.snapshot, true);
            if result != TM_Result::TM_Ok {
                return Err(changed());
            }
            if entries.any() {
                // No key changes, and nobody else writes: no constraint is in doubt.
                compat::insert_index_tuples(self.result, self.new, self.estate, false, entries);
            }
        }
        Ok(())
    }
}

fn changed() -> Error {
    Error::Internal("a row has changed under a lock that forbids it".into())
}

pg_function!(
    /// `abelian.join_values(table)`: for its owner. Gives the number of rewritten rows.
    fn abelian_join_values(call) {
        let relation = Oid::from(call.arg(0).value() as u32);
        // Before the lock, which stops writers, and after it.
        let own = || if owner::is_own(relation) { Ok(()) } else { Err(Error::NotOwner) };
        own()?;
        let table = Opened::open(relation, pg_sys::ShareRowExclusiveLock).ok_or(Error::NotATable)?;
        own()?;
        if table.class().relkind as u8 != pg_sys::RELKIND_RELATION {
            return Err(Error::NotATable);
        }
        Ok(join(&table)?.into())
    }
);
