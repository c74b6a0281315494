//! The executor of PostgreSQL as the node uses it: the source of rows, versions of the target's rows, rewriting one,
//! and testing the condition again on a newer one. All `unsafe` of the node is here and in [`store`].

mod store;

use super::escrow::Bounded;
use super::foresight::Statement;
use super::{missing, row_bounds, value_index, version};
use crate::aggregate::{Family, Structure};
use crate::boundary::functions;
use crate::compat;
use crate::compat::columns_of;
use crate::error::Error;
use crate::harmless;
use pgrx::pg_sys::{self, Datum, ItemPointerData, TM_Result, TupleTableSlot};
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;

/// What came of an attempt to rewrite a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// The row has a new version.
    Done,
    /// Another transaction is at it (or this one, with a lock).
    Taken,
    /// A newer version was committed.
    Updated,
    /// It was deleted.
    Deleted,
    /// This statement has rewritten it already.
    Again,
    /// A bound might be crossed.
    Refused,
    /// A condition on a value does not hold.
    Unmet,
}

/// Room for some values in the memory of the running statement, which is freed with it. An ERROR may pass whoever
/// holds it.
pub struct Room<T> {
    start: *mut T,
    length: usize,
}

impl<T: Copy + Default> Room<T> {
    /// # Safety
    /// The current memory context must be the statement's, which must live longer than the room is used.
    pub unsafe fn new(length: usize) -> Room<T> {
        // SAFETY: enough memory, or an ERROR; every value is written.
        unsafe {
            // PostgreSQL aligns to 8 bytes, which is not enough for every type.
            let room = pg_sys::palloc(length * size_of::<T>() + align_of::<T>()).cast::<u8>();
            let start = room.add(room.align_offset(align_of::<T>())).cast::<T>();
            (0..length).for_each(|n| start.add(n).write(T::default()));
            Room { start, length }
        }
    }
}

impl<T> Default for Room<T> {
    fn default() -> Self {
        Room {
            start: std::ptr::dangling_mut(),
            length: 0,
        }
    }
}

impl<T> Deref for Room<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: by the promise of `new`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T> DerefMut for Room<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: by the promise of `new`; rooms are not shared.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

/// The table that is operated on, and the source of its rows. What a statement may do without is made when it is
/// first needed.
pub struct Target {
    node: *mut pg_sys::CustomScanState,
    child: *mut pg_sys::PlanState,
    estate: *mut pg_sys::EState,
    /// Where the child keeps the row it read, if it is a scan of the table; else null.
    source: *mut TupleTableSlot,
    /// Null until needed.
    result: *mut pg_sys::ResultRelInfo,
    /// Null until needed.
    recheck: *mut pg_sys::EPQState,
    recheck_parameter: i32,
    /// The row that the child, or a recheck, yielded last.
    output: *mut TupleTableSlot,
    /// The version at hand: in `source` or in `fetched`.
    version: *mut TupleTableSlot,
    /// Null until needed.
    fetched: *mut TupleTableSlot,
    /// Another version, to compare with; null until needed.
    other: *mut TupleTableSlot,
    /// The version to be stored; null until needed.
    stored: *mut TupleTableSlot,
    ctid: i16,
}

impl Target {
    /// # Safety
    /// `node` must be the state of our node with its relation open, `child` the state of its subplan, `ctid` the
    /// column of that one's output that tells where the row is.
    pub unsafe fn new(
        node: *mut pg_sys::CustomScanState,
        child: *mut pg_sys::PlanState,
        recheck_parameter: i32,
        ctid: i16,
    ) -> Target {
        // SAFETY: by the caller; everything lives in the statement's memory context.
        unsafe {
            Target {
                node,
                child,
                estate: (*node).ss.ps.state,
                source: scan_slot(child),
                result: null_mut(),
                recheck: null_mut(),
                recheck_parameter,
                output: null_mut(),
                version: null_mut(),
                fetched: null_mut(),
                other: null_mut(),
                stored: null_mut(),
                ctid,
            }
        }
    }

    /// Ends the recheck; everything else belongs to the statement.
    pub fn end(&mut self) {
        if !self.recheck.is_null() {
            // SAFETY: begun in `recheck_state`.
            unsafe { pg_sys::EvalPlanQualEnd(self.recheck) };
        }
    }

    /// The relation's number in the range table.
    fn number(&self) -> u32 {
        // SAFETY: the plan belongs to the node.
        unsafe {
            (*(*self.node).ss.ps.plan.cast::<pg_sys::CustomScan>())
                .scan
                .scanrelid
        }
    }

    /// A slot for rows of the relation, made in `place` when first needed.
    fn slot(&self, place: *mut TupleTableSlot) -> *mut TupleTableSlot {
        if !place.is_null() {
            return place;
        }
        // SAFETY: the slot belongs to the statement.
        unsafe {
            self.in_statement_memory(|| {
                pg_sys::table_slot_create(self.relation(), &raw mut (*self.estate).es_tupleTable)
            })
        }
    }

    fn in_statement_memory<T>(&self, make: impl FnOnce() -> T) -> T {
        // SAFETY: the statement's own context; an ERROR in between ends the statement.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo((*self.estate).es_query_cxt);
            let made = make();
            pg_sys::MemoryContextSwitchTo(before);
            made
        }
    }

    fn recheck_state(&mut self) -> *mut pg_sys::EPQState {
        if self.recheck.is_null() {
            // SAFETY: zeroed memory of the statement, initialised by PostgreSQL.
            self.recheck = self.in_statement_memory(|| unsafe {
                let recheck =
                    pg_sys::palloc0(size_of::<pg_sys::EPQState>()).cast::<pg_sys::EPQState>();
                let plan = (*self.child).plan;
                compat::init_recheck(recheck, self.estate, plan, self.recheck_parameter);
                recheck
            });
        }
        self.recheck
    }

    fn result(&mut self) -> *mut pg_sys::ResultRelInfo {
        if self.result.is_null() {
            // SAFETY: as in `recheck_state`; the executor closes the indexes with the statement.
            self.result = self.in_statement_memory(|| unsafe {
                let result = pg_sys::palloc0(size_of::<pg_sys::ResultRelInfo>())
                    .cast::<pg_sys::ResultRelInfo>();
                (*result).type_ = pg_sys::NodeTag::T_ResultRelInfo;
                pg_sys::ExecInitResultRelation(self.estate, result, self.number());
                pg_sys::ExecOpenIndices(result, false);
                result
            });
        }
        self.result
    }

    /// The relation.
    pub fn relation(&self) -> pg_sys::Relation {
        // SAFETY: open as long as the node lives.
        unsafe { (*self.node).ss.ss_currentRelation }
    }

    /// Its object identifier.
    pub fn relation_id(&self) -> pg_sys::Oid {
        // SAFETY: as above.
        unsafe { (*self.relation()).rd_id }
    }

    /// The number of the statement in its transaction.
    pub fn command(&self) -> pg_sys::CommandId {
        // SAFETY: set when the statement started.
        unsafe { (*self.estate).es_output_cid }
    }

    /// The statement, as far as it can be known again.
    pub fn statement(&self) -> Option<Statement> {
        // SAFETY: the text of a running statement.
        unsafe { Statement::new(self.relation_id(), (*self.estate).es_sourceText) }
    }

    /// The column's type.
    pub fn type_of(&self, attribute: i16) -> pg_sys::Oid {
        // SAFETY: attributes are numbered from 1.
        unsafe { columns_of((*self.relation()).rd_att)[attribute as usize - 1].atttypid }
    }

    /// Whether the column's type has a fixed size: `counter` has, `decimal_counter` has not.
    pub fn is_fixed_size(&self, attribute: i16) -> bool {
        // SAFETY: attributes are numbered from 1.
        unsafe { columns_of((*self.relation()).rd_att)[attribute as usize - 1].attlen > 0 }
    }

    /// The place of the next row, whose changes [`Target::output`] then gives.
    pub fn next(&mut self) -> Option<ItemPointerData> {
        // SAFETY: the child is initialised; what a row needed is freed before the next.
        unsafe {
            harmless::MemoryContextReset(
                (*(*self.node).ss.ps.ps_ExprContext).ecxt_per_tuple_memory,
            );
            self.output = functions::ExecProcNode(self.child);
            if is_empty(self.output) {
                return None;
            }
            attribute_of(self.output, self.ctid.into())
                .map(|place| *place.cast_mut_ptr::<ItemPointerData>())
        }
    }

    /// The `n`-th column (from 0) of the plan's output; `None` for NULL.
    pub fn output(&self, n: usize) -> Option<Datum> {
        attribute_of(self.output, n as i32 + 1)
    }

    /// A column of the version at hand.
    pub fn column(&self, attribute: i16) -> Option<Datum> {
        attribute_of(self.version, attribute.into())
    }

    /// Takes the version at `place` at hand. False if it is gone.
    pub fn fetch(&mut self, place: ItemPointerData) -> bool {
        // What a version contains never changes, and the scan keeps its page pinned.
        // SAFETY: the slot belongs to the child.
        if !is_empty(self.source) && version::same_place(unsafe { (*self.source).tts_tid }, place) {
            self.version = self.source;
            return true;
        }
        self.fetched = self.slot(self.fetched);
        self.version = self.fetched;
        fetch_version(self.relation(), place, self.version)
    }

    /// A column of the version at `place`, whoever sees it; valid until the next version is looked at. `None` for NULL,
    /// or if the version is gone.
    pub fn column_at(&mut self, place: ItemPointerData, attribute: i16) -> Option<Datum> {
        self.other = self.slot(self.other);
        if fetch_version(self.relation(), place, self.other) {
            attribute_of(self.other, attribute.into())
        } else {
            None
        }
    }

    /// The bounds of a column, if it has any: of its values, or of the sizes of its sets.
    pub fn bounded(&self, attribute: i16) -> Option<Bounded> {
        let type_ = self.type_of(attribute);
        let is_set =
            || Family::of(type_).is_some_and(|family| family.structure == Some(Structure::Set));
        if crate::catalog::find()?.is_bounded_type(type_) {
            Some(Bounded::of(self.relation_id(), attribute))
        } else if is_set() && row_bounds::bound_column(self.relation_id(), attribute) {
            Some(Bounded::size_of(self.relation_id(), attribute))
        } else {
            None
        }
    }

    /// Whether storing a version may run code of users, or wait: for indexes on expressions other than what is stored of our columns, with
    /// conditions, and for exclusion constraints.
    pub fn runs_code_for_indexes(&self) -> bool {
        // SAFETY: the relation is open; a cached list of its own indexes, each of which is in the catalogue.
        unsafe {
            let indexes = pg_sys::RelationGetIndexList(self.relation());
            (0..pg_sys::list_length(indexes)).any(|n| {
                let index = pg_sys::list_nth_oid(indexes, n);
                let tuple = pg_sys::SearchSysCache1(
                    pg_sys::SysCacheIdentifier::INDEXRELID as i32,
                    index.into(),
                );
                if tuple.is_null() {
                    return true;
                }
                let has = |attribute: u32| {
                    let mut null = false;
                    pg_sys::SysCacheGetAttr(
                        pg_sys::SysCacheIdentifier::INDEXRELID as i32,
                        tuple,
                        attribute as i16,
                        &mut null,
                    );
                    !null
                };
                let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_index>();
                let runs = (*form).indisexclusion
                    || has(pg_sys::Anum_pg_index_indexprs) && !value_index::is_one(index)
                    || has(pg_sys::Anum_pg_index_indpred);
                pg_sys::ReleaseSysCache(tuple);
                runs
            })
        }
    }

    /// Takes the version `newest` at hand and tells whether it has the same content in these columns as `old`.
    pub fn same_columns(
        &mut self,
        old: ItemPointerData,
        newest: ItemPointerData,
        mut columns: impl Iterator<Item = i16>,
    ) -> bool {
        let relation = self.relation();
        self.other = self.slot(self.other);
        if !self.fetch(newest) || !fetch_version(relation, old, self.other) {
            return false;
        }
        // SAFETY: both slots hold rows of the relation.
        unsafe {
            let attributes = columns_of((*relation).rd_att);
            columns.all(|column| {
                let attribute = &attributes[column as usize - 1];
                match (
                    attribute_of(self.version, i32::from(column)),
                    attribute_of(self.other, i32::from(column)),
                ) {
                    (None, None) => true,
                    (Some(a), Some(b)) => {
                        missing::same_image(a, b, attribute.attbyval, attribute.attlen)
                    }
                    _ => false,
                }
            })
        }
    }

    /// Locks the version at `place` as an UPDATE of no key does, waiting for others or not, and puts it into `slot`.
    ///
    /// # Safety
    /// `slot` must be one for rows of the relation.
    unsafe fn lock_version(
        &self,
        place: &mut ItemPointerData,
        slot: *mut TupleTableSlot,
        flags: u32,
        wait: bool,
    ) -> (TM_Result::Type, pg_sys::TM_FailureData) {
        // SAFETY: by the caller; relation and snapshot are the statement's.
        unsafe {
            let mut failure: pg_sys::TM_FailureData = std::mem::zeroed();
            let result = functions::table_tuple_lock(
                self.relation(),
                place,
                (*self.estate).es_snapshot,
                slot,
                self.command(),
                pg_sys::LockTupleMode::LockTupleNoKeyExclusive,
                match wait {
                    true => pg_sys::LockWaitPolicy::LockWaitBlock,
                    false => pg_sys::LockWaitPolicy::LockWaitSkip,
                },
                flags as u8,
                &mut failure,
            );
            (result, failure)
        }
    }

    /// Runs the plan again for the version at `place`. False if it does not meet the condition.
    pub fn recheck(&mut self, place: ItemPointerData) -> bool {
        // SAFETY: the test slot takes a row of this relation.
        unsafe {
            let test =
                pg_sys::EvalPlanQualSlot(self.recheck_state(), self.relation(), self.number());
            fetch_version(self.relation(), place, test) && self.run_again(test)
        }
    }

    /// # Safety
    /// `test` must be the recheck's slot for the relation, holding a row.
    unsafe fn run_again(&mut self, test: *mut TupleTableSlot) -> bool {
        // SAFETY: by the caller.
        unsafe {
            let recheck = self.recheck_state();
            functions::EvalPlanQualBegin(recheck);
            let output = functions::EvalPlanQual(recheck, self.relation(), self.number(), test);
            if is_empty(output) {
                return false;
            }
            self.output = output;
            true
        }
    }

    /// Waits for whoever is at the row, locks its newest version, takes it at hand, and runs the plan again for it.
    /// Its place, or `None` if the row is gone or does not meet the condition any more.
    pub fn lock_and_recheck(
        &mut self,
        place: ItemPointerData,
    ) -> Result<Option<ItemPointerData>, Error> {
        // SAFETY: as in `rewrite` and `recheck`.
        unsafe {
            let test =
                pg_sys::EvalPlanQualSlot(self.recheck_state(), self.relation(), self.number());
            let mut at = place;
            let newest = pg_sys::TUPLE_LOCK_FLAG_FIND_LAST_VERSION;
            let (result, failure) = self.lock_version(&mut at, test, newest, true);
            match result {
                TM_Result::TM_Ok => Ok(self.run_again(test).then_some(at)),
                TM_Result::TM_Deleted => Ok(None),
                TM_Result::TM_SelfModified if failure.cmax == self.command() => Ok(None),
                TM_Result::TM_SelfModified => Err(Error::ModifiedByTrigger),
                other => Err(Error::Internal(format!(
                    "unexpected result {other} of locking a row"
                ))),
            }
        }
    }

    /// One more row for the command tag.
    pub fn count(&mut self) {
        // SAFETY: the statement's own state.
        unsafe { (*self.estate).es_processed += 1 };
    }

    /// Whether the statement has a RETURNING clause.
    pub fn returns(&self) -> bool {
        // SAFETY: the plan belongs to the node.
        unsafe { !(*(*self.node).ss.ps.plan).targetlist.is_null() }
    }

    /// What RETURNING gives for the version at hand, with other content in some columns.
    ///
    /// # Safety
    /// Each content must be of its column's type.
    pub unsafe fn project(&mut self, others: &[(i16, Option<Datum>)]) -> *mut TupleTableSlot {
        // SAFETY: the scan slot has the relation's columns, and the projection was made for it.
        unsafe {
            let scan = (*self.node).ss.ss_ScanTupleSlot;
            pg_sys::ExecCopySlot(scan, self.version);
            // The slot of a custom scan is a virtual one: its arrays are what it has.
            for (attribute, content) in others {
                let column = *attribute as usize - 1;
                *(*scan).tts_values.add(column) = content.unwrap_or(Datum::null());
                *(*scan).tts_isnull.add(column) = content.is_none();
            }
            let context = (*self.node).ss.ps.ps_ExprContext;
            (*context).ecxt_scantuple = scan;
            let projection = (*self.node).ss.ps.ps_ProjInfo;
            if projection.is_null() {
                scan
            } else {
                functions::ExecProject(projection)
            }
        }
    }
}

fn is_empty(slot: *mut TupleTableSlot) -> bool {
    // SAFETY: a slot, or null.
    slot.is_null() || unsafe { (*slot).tts_flags } & pg_sys::TTS_FLAG_EMPTY as u16 != 0
}

fn attribute_of(slot: *mut TupleTableSlot, number: i32) -> Option<Datum> {
    let mut null = false;
    // SAFETY: the slot holds a row with this column; what it has taken apart lies in its arrays.
    unsafe {
        if i32::from((*slot).tts_nvalid) >= number {
            let column = number as usize - 1;
            return (!*(*slot).tts_isnull.add(column)).then(|| *(*slot).tts_values.add(column));
        }
        let datum = pg_sys::slot_getattr(slot, number, &mut null);
        (!null).then_some(datum)
    }
}

/// Where a scan of one table keeps the row it has read; null for any other plan.
///
/// # Safety
/// `plan` must be the initialised state of a plan.
unsafe fn scan_slot(plan: *mut pg_sys::PlanState) -> *mut TupleTableSlot {
    use pg_sys::NodeTag::*;
    // SAFETY: by the caller; these states begin with that of a scan.
    unsafe {
        match (*plan).type_ {
            T_SeqScanState
            | T_IndexScanState
            | T_BitmapHeapScanState
            | T_TidScanState
            | T_TidRangeScanState => (*plan.cast::<pg_sys::ScanState>()).ss_ScanTupleSlot,
            _ => null_mut(),
        }
    }
}

fn fetch_version(
    relation: pg_sys::Relation,
    place: ItemPointerData,
    slot: *mut TupleTableSlot,
) -> bool {
    let mut place = place;
    // SAFETY: an open relation and a slot for its rows.
    unsafe {
        pg_sys::table_tuple_fetch_row_version(
            relation,
            &mut place,
            &raw mut pg_sys::SnapshotAnyData,
            slot,
        )
    }
}
