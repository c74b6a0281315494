//! Storing a new version of a row: what PostgreSQL's UPDATE does to the table, its indexes and its constraints, and nothing else.

use super::{Rewrite, Target, attribute_of};
use crate::boundary::functions;
use crate::compat::columns_of;
use crate::compat::{self, NewEntries};
use crate::error::Error;
use crate::harmless;
use pgrx::pg_sys::{self, Datum, ItemPointerData, TM_Result};
use std::ptr::null_mut;

impl Target {
    /// Locks the version at `place` for a rewrite, waiting for others or not. `Done` if it is the newest and ours to rewrite.
    pub fn lock(&mut self, place: ItemPointerData, wait: bool) -> Result<Rewrite, Error> {
        self.other = self.slot(self.other);
        let mut at = place;
        // SAFETY: `other` takes a row of the relation.
        let (result, failure) = unsafe { self.lock_version(&mut at, self.other, 0, wait) };
        self.rewritten(result, &failure)
    }

    /// Rewrites the version at hand, which is the one at `place`, with new content in some columns.
    pub fn rewrite(
        &mut self,
        place: ItemPointerData,
        values: &[(i16, Option<Datum>)],
        wait: bool,
    ) -> Result<Rewrite, Error> {
        self.fill_stored(values);
        // Other constraints cannot be broken by an operation: `Facts::watched` keeps them from us, and bounds of rows know no NULL.
        if values
            .iter()
            .any(|(column, value)| value.is_none() && self.is_not_null(*column))
        {
            self.require_not_null();
        }
        // SAFETY: the slots fit the relation; the result's structures were initialised with it.
        unsafe {
            let (result, failure, entries) = compat::table_tuple_update(
                self.relation(),
                place,
                self.stored,
                self.command(),
                (*self.estate).es_snapshot,
                wait,
            );
            if result == TM_Result::TM_Ok {
                let doubtful = match entries.any() {
                    true => self.insert_index_entries(entries),
                    false => null_mut(),
                };
                self.queue_checks(place, doubtful);
            }
            self.rewritten(result, &failure)
        }
    }

    fn rewritten(
        &self,
        result: TM_Result::Type,
        failure: &pg_sys::TM_FailureData,
    ) -> Result<Rewrite, Error> {
        match result {
            TM_Result::TM_Ok => Ok(Rewrite::Done),
            TM_Result::TM_BeingModified | TM_Result::TM_WouldBlock => Ok(Rewrite::Taken),
            TM_Result::TM_Updated => Ok(Rewrite::Updated),
            TM_Result::TM_Deleted => Ok(Rewrite::Deleted),
            TM_Result::TM_SelfModified if failure.cmax == self.command() => Ok(Rewrite::Again),
            TM_Result::TM_SelfModified => Err(Error::ModifiedByTrigger),
            other => Err(Error::Internal(format!(
                "unexpected result {other} of rewriting a row"
            ))),
        }
    }

    /// Where the version stored last is.
    pub fn stored_at(&self) -> ItemPointerData {
        // SAFETY: set when it was stored.
        unsafe { (*self.stored).tts_tid }
    }

    /// A column of the version stored last; `None` for NULL.
    pub fn stored_column(&self, attribute: i16) -> Option<Datum> {
        attribute_of(self.stored, attribute.into())
    }

    fn fill_stored(&mut self, values: &[(i16, Option<Datum>)]) {
        // SAFETY: `version` holds a row; `stored` takes as many columns. The tuple is formed in the memory that is
        // reset with the next row.
        unsafe {
            if self.stored.is_null() {
                self.stored = self.in_statement_memory(|| {
                    pg_sys::ExecInitExtraTupleSlot(
                        self.estate,
                        (*self.relation()).rd_att,
                        &raw const pg_sys::TTSOpsHeapTuple,
                    )
                });
            }
            let memory = (*(*self.node).ss.ps.ps_ExprContext).ecxt_per_tuple_memory;
            let before = pg_sys::MemoryContextSwitchTo(memory);
            let tuple = self.patched(values).unwrap_or_else(|| self.formed(values));
            pg_sys::MemoryContextSwitchTo(before);
            (*tuple).t_tableOid = (*self.relation()).rd_id;
            pg_sys::ExecForceStoreHeapTuple(tuple, self.stored, false);
        }
    }

    /// A copy of the version at hand with other bytes in the place of values that cannot change their size. `None`
    /// if there are others.
    ///
    /// # Safety
    /// `version` must hold a row, and each value be of its column's type.
    unsafe fn patched(&self, values: &[(i16, Option<Datum>)]) -> Option<pg_sys::HeapTuple> {
        // SAFETY: by the caller; the slot's kind is that of heap tables. What is written lies inside the copy.
        unsafe {
            let version = self.version;
            let old = self.stored_tuple()?;
            let place = |attribute: i16| {
                let kinds = columns_of((*self.relation()).rd_att);
                let kind = &kinds[attribute as usize - 1];
                let length = usize::try_from(kind.attlen)
                    .ok()
                    .filter(|_| !kind.attbyval)?;
                let content = attribute_of(version, attribute.into())?.value();
                let offset = content.checked_sub((*old).t_data as usize)?;
                (offset + length <= (*old).t_len as usize).then_some((offset, length))
            };
            if !values
                .iter()
                .all(|(a, value)| value.is_some() && place(*a).is_some())
            {
                return None;
            }
            let copy = pg_sys::heap_copytuple(old);
            for (attribute, value) in values {
                let (offset, length) = place(*attribute)?;
                let value = value.as_ref()?.cast_mut_ptr::<u8>();
                (*copy)
                    .t_data
                    .cast::<u8>()
                    .add(offset)
                    .copy_from_nonoverlapping(value, length);
            }
            Some(copy)
        }
    }

    /// The version at hand with new content in some columns, formed anew.
    ///
    /// # Safety
    /// As [`Self::patched`].
    unsafe fn formed(&self, values: &[(i16, Option<Datum>)]) -> pg_sys::HeapTuple {
        // SAFETY: by the caller.
        unsafe {
            let relation = self.relation();
            let count = (*(*relation).rd_att).natts as usize;
            pg_sys::slot_getallattrs(self.version);
            let mut datums = std::slice::from_raw_parts((*self.version).tts_values, count).to_vec();
            let mut nulls = std::slice::from_raw_parts((*self.version).tts_isnull, count).to_vec();
            for (attribute, value) in values {
                let column = *attribute as usize - 1;
                nulls[column] = value.is_none();
                datums[column] = value.unwrap_or(Datum::null());
            }
            pg_sys::heap_form_tuple((*relation).rd_att, datums.as_mut_ptr(), nulls.as_mut_ptr())
        }
    }

    fn is_not_null(&self, attribute: i16) -> bool {
        // SAFETY: attributes are numbered from 1.
        unsafe { columns_of((*self.relation()).rd_att)[attribute as usize - 1].attnotnull }
    }

    /// Demands of the version to be stored what PostgreSQL's UPDATE does: 23502.
    fn require_not_null(&mut self) {
        let result = self.result();
        // SAFETY: the slot holds a row of the relation.
        unsafe {
            if !(*(*self.relation()).rd_att).constr.is_null() {
                functions::ExecConstraints(result, self.stored, self.estate);
            }
        }
    }

    /// Whether a change of the row with the version at `place` must make a new version of it, wherever the row is hot. What waits for the
    /// end of the transaction looks at versions that this transaction has written: a trigger sees the row as it was then, so no slice may be
    /// added to it; and the check of a foreign key passes over a version that is not live any more, so that each one that takes the place of
    /// one of our own is checked again.
    pub fn is_looked_at_later(&mut self, place: ItemPointerData) -> bool {
        // SAFETY: the triggers of an open relation, or null.
        let has_triggers =
            unsafe { (*self.relation()).trigdesc.as_ref() }.is_some_and(|triggers| {
                triggers.trig_insert_after_row || triggers.trig_update_after_row
            });
        has_triggers && self.fetch(place) && self.is_own_version()
    }

    /// Whether the version at hand was written by this transaction.
    fn is_own_version(&self) -> bool {
        // SAFETY: the header of a pinned version, and a look at the transaction's own state.
        self.stored_tuple().is_none_or(|tuple| unsafe {
            let writer = (*(*tuple).t_data).t_choice.t_heap.t_xmin;
            harmless::TransactionIdIsCurrentTransactionId(writer)
        })
    }

    /// The version at hand as it lies in the table; `None` if it is a copy.
    fn stored_tuple(&self) -> Option<pg_sys::HeapTuple> {
        // SAFETY: `version` holds a row; the slot's kind is that of heap tables.
        unsafe {
            let is_stored = std::ptr::eq(
                (*self.version).tts_ops,
                &raw const pg_sys::TTSOpsBufferHeapTuple,
            );
            let tuple =
                is_stored.then(|| (*self.version.cast::<pg_sys::HeapTupleTableSlot>()).tuple)?;
            (!tuple.is_null()).then_some(tuple)
        }
    }

    /// Has the constraints of the rewritten row checked that PostgreSQL checks at the end of the statement or transaction, as its own
    /// UPDATE does. `doubtful`: indexes whose constraints the row may break.
    fn queue_checks(&mut self, old: ItemPointerData, doubtful: *mut pg_sys::List) {
        // SAFETY: the triggers of an open relation, or null: those of foreign keys and of constraints that can be deferred, since no others
        // are left to us.
        let has_checks = unsafe { (*self.relation()).trigdesc.as_ref() }
            .is_some_and(|triggers| triggers.trig_update_after_row);
        if !has_checks || (doubtful.is_null() && !self.is_own_version()) {
            return;
        }
        let result = self.result();
        let mut old = old;
        // SAFETY: the stored version has its place; there are no transition tables, nor partitions.
        unsafe {
            functions::ExecARUpdateTriggers(
                self.estate,
                result,
                null_mut(),
                null_mut(),
                &mut old,
                null_mut(),
                self.stored,
                doubtful,
                null_mut(),
                false,
            );
            pg_sys::list_free(doubtful);
        }
    }

    /// Gives the indexes of constraints that can be deferred and that the version may break.
    fn insert_index_entries(&mut self, entries: NewEntries) -> *mut pg_sys::List {
        let result = self.result();
        // SAFETY: the stored version has its place; the indexes are open.
        unsafe {
            let doubtful =
                compat::insert_index_tuples(result, self.stored, self.estate, true, entries);
            let context = (*self.estate).es_per_tuple_exprcontext;
            if !context.is_null() {
                pg_sys::MemoryContextReset((*context).ecxt_per_tuple_memory);
            }
            doubtful
        }
    }
}
