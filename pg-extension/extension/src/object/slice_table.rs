//! Access to `abelian.slice` at the level of heap and index: all `unsafe` of reading and writing slices.
//!
//! A slice is a row (object, slot, relation, attribute, delta | amount | type, state). Rows of one slot are rewritten by one
//! transaction at a time; nobody ever waits for a row here.

use crate::catalog::{self, Catalog};
use crate::compat;
use crate::error::Error;
use crate::harmless;
use crate::object::{Object, read, split_set};
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::ptr::null_mut;

const OBJECT: usize = 0;
const SLOT: usize = 1;
const RELATION: usize = 2;
const ATTRIBUTE: usize = 3;
const DELTA: usize = 4;
const AMOUNT: usize = 5;
/// Of the table as 0.1.0 made it, and at most.
const FIRST_COLUMNS: usize = 6;
const MOST_COLUMNS: usize = 16;

/// What a slice holds.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A counter's part.
    Counter(i64),
    /// A decimal counter's part: a `numeric`.
    Decimal(Datum),
    /// A part of an object whose type is over an aggregate: that type, and a state as `bytea`.
    State(Oid, Datum),
}

impl Content {
    /// The bytes of a state.
    pub fn size(&self) -> usize {
        match self {
            // SAFETY: slices hold detoasted states.
            Content::State(_, state) => unsafe { pgrx::varsize_any_exhdr(state.cast_mut_ptr()) },
            Content::Counter(_) | Content::Decimal(_) => 0,
        }
    }
}

/// A slice as found.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// The object and where it lives.
    pub object: Object,
    /// Its slot; 0 collects folded slices.
    pub slot: i32,
    /// Its part of the value.
    pub content: Content,
    /// Where the row is.
    pub place: pg_sys::ItemPointerData,
    /// Who wrote this version.
    pub writer: pg_sys::TransactionId,
}

/// A slice's newest version, and who else is at it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The version.
    pub slice: Slice,
    /// Another transaction that has written or is removing it and has not ended.
    pub holder: Option<pg_sys::TransactionId>,
    /// That transaction has written it.
    pub is_new: bool,
}

impl Found {
    /// # Safety
    /// `snapshot` must be the dirty snapshot whose scan gave the slice last.
    unsafe fn new(slice: Slice, snapshot: pg_sys::Snapshot) -> Found {
        // SAFETY: by the caller.
        let (writer, holder) = unsafe { ((*snapshot).xmin, holder(snapshot)) };
        Found {
            slice,
            holder,
            is_new: writer != pg_sys::InvalidTransactionId,
        }
    }
}

/// The answer to an attempt to change a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Done.
    Done,
    /// Somebody else has the row or changed it.
    Taken,
}

/// The open table and its index; closed when dropped (locks stay to the end of the transaction).
pub struct SliceTable {
    relation: pg_sys::Relation,
    /// Null until it is needed.
    index: Cell<pg_sys::Relation>,
    lock: i32,
    /// Numbers of the columns for states, 0 before 0.2.0.
    state_columns: StateColumns,
}

#[derive(Clone, Copy)]
struct StateColumns {
    type_: i16,
    state: i16,
}

impl SliceTable {
    /// Opens for reading.
    pub fn for_reading() -> Result<Self, Error> {
        Self::open(pg_sys::AccessShareLock as i32)
    }

    /// Opens for writing.
    pub fn for_writing() -> Result<Self, Error> {
        Self::open(pg_sys::RowExclusiveLock as i32)
    }

    fn open(lock: i32) -> Result<Self, Error> {
        let Catalog {
            slice,
            slice_type,
            slice_state,
            ..
        } = catalog::get()?;
        // SAFETY: it exists while the extension does.
        let relation = unsafe { pg_sys::table_open(slice, lock) };
        Ok(SliceTable {
            relation,
            index: Cell::new(null_mut()),
            lock,
            state_columns: StateColumns {
                type_: slice_type,
                state: slice_state,
            },
        })
    }

    fn index(&self) -> Result<pg_sys::Relation, Error> {
        if self.index.get().is_null() {
            let index = catalog::get()?.slice_key;
            // SAFETY: as in `open`.
            self.index
                .set(unsafe { pg_sys::index_open(index, self.lock) });
        }
        Ok(self.index.get())
    }

    /// Size in pages.
    pub fn pages(&self) -> u32 {
        // SAFETY: the relation is open.
        unsafe {
            pg_sys::RelationGetNumberOfBlocksInFork(self.relation, pg_sys::ForkNumber::MAIN_FORKNUM)
        }
    }

    /// How many slices there are, if its pages are as full as VACUUM or ANALYZE have found them last; `None` if they have not looked.
    pub fn likely_rows(&self) -> Option<u32> {
        // SAFETY: the relation is open, with its row of the catalogue.
        let (rows, pages) = unsafe {
            let class = (*self.relation).rd_rel;
            ((*class).reltuples, (*class).relpages)
        };
        let is_known = rows >= 0.0 && pages > 0;
        is_known.then(|| (f64::from(rows) / f64::from(pages) * f64::from(self.pages())) as u32)
    }

    /// Whether the table has this page. Vacuum may have cut it off before we locked the table.
    ///
    /// Asking for the size costs a system call. PostgreSQL keeps the last answer, and we may rely on it for "yes": whoever cuts off
    /// pages locks the table against everybody, and before he does it tells all processes to forget the answer. We have
    /// read what was told since we got the lock, and an answer that came later came under a lock that keeps him off.
    fn has_page(&self, block: u32) -> bool {
        // SAFETY: the relation is open; the file's state is PostgreSQL's own, or null.
        let known = unsafe {
            let file = (*self.relation).rd_smgr.as_ref();
            file.map_or(pg_sys::InvalidBlockNumber, |file| {
                file.smgr_cached_nblocks[pg_sys::ForkNumber::MAIN_FORKNUM as usize]
            })
        };
        known != pg_sys::InvalidBlockNumber && block < known || block < self.pages()
    }

    /// Calls `each` for every slice of the object (of one slot only if given) that `snapshot` shows.
    pub fn scan_object(
        &self,
        id: i64,
        slot: Option<i32>,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(Slice) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.scan_rows(id, slot, snapshot, &mut |row| {
            each(row.slice()).map(|()| ControlFlow::Continue(()))
        })
    }

    /// Calls `each` for every row of the object (of one slot only if given) that `snapshot` shows, until it breaks off.
    fn scan_rows(
        &self,
        id: i64,
        slot: Option<i32>,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        // SAFETY: keys match the index columns' types; scan and slot are released before returning (and by
        // PostgreSQL's resource owner if `each` raises).
        unsafe {
            let mut keys: [pg_sys::ScanKeyData; 2] = std::mem::zeroed();
            let equal = pg_sys::BTEqualStrategyNumber as u16;
            pg_sys::ScanKeyInit(&mut keys[0], 1, equal, pg_sys::F_INT8EQ.into(), id.into());
            let count = match slot {
                Some(slot) => {
                    pg_sys::ScanKeyInit(
                        &mut keys[1],
                        2,
                        equal,
                        pg_sys::F_INT4EQ.into(),
                        slot.into(),
                    );
                    2
                }
                None => 1,
            };
            let row = pg_sys::table_slot_create(self.relation, null_mut());
            let scan = compat::index_beginscan(self.relation, self.index()?, snapshot, count);
            pg_sys::index_rescan(scan, keys.as_mut_ptr(), count, null_mut(), 0);
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let mut result = Ok(ControlFlow::Continue(()));
            while matches!(result, Ok(ControlFlow::Continue(())))
                && pg_sys::index_getnext_slot(scan, forward, row)
            {
                result = each(&Row::new(row, self.state_columns));
            }
            pg_sys::index_endscan(scan);
            pg_sys::ExecDropSingleTupleTableSlot(row);
            result.map(|_| ())
        }
    }

    /// Calls `each` for every slice that `snapshot` shows.
    pub fn scan_all(
        &self,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(Slice) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.scan_all_rows(snapshot, &mut |row| each(row.slice()))
    }

    /// Calls `each` for every slice of a counter that `snapshot` shows, and `each_state` with the object of every other one. What these hold is
    /// not looked at: it may be large.
    pub fn scan_numbers(
        &self,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(Slice) -> Result<(), Error>,
        each_state: &mut dyn FnMut(i64),
    ) -> Result<(), Error> {
        self.scan_all_rows(snapshot, &mut |row| match row.state_size() {
            None => each(row.slice()),
            Some(_) => {
                each_state(row.object().id);
                Ok(())
            }
        })
    }

    fn scan_all_rows(
        &self,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(&Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // SAFETY: as in `scan_rows`.
        unsafe {
            let row = pg_sys::table_slot_create(self.relation, null_mut());
            let scan = pg_sys::table_beginscan(self.relation, snapshot, 0, null_mut());
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let mut result = Ok(());
            while result.is_ok() && pg_sys::table_scan_getnextslot(scan, forward, row) {
                result = each(&Row::new(row, self.state_columns));
            }
            pg_sys::table_endscan(scan);
            pg_sys::ExecDropSingleTupleTableSlot(row);
            result
        }
    }

    /// Calls `each` with the object of every row of the table, whoever may see it.
    pub fn all_objects(&self, each: &mut dyn FnMut(i64)) -> Result<(), Error> {
        // SAFETY: every process has this snapshot.
        unsafe {
            self.scan_objects(&raw mut pg_sys::SnapshotAnyData, &mut |object, _| {
                each(object.id)
            })
        }
    }

    /// Calls `each` with the object of every slice that `snapshot` shows, and with its type if that is one over an aggregate. What the slices
    /// hold is not looked at.
    ///
    /// # Safety
    /// `snapshot` must be valid.
    pub unsafe fn scan_objects(
        &self,
        snapshot: pg_sys::Snapshot,
        each: &mut dyn FnMut(Object, Option<Oid>),
    ) -> Result<(), Error> {
        self.scan_all_rows(snapshot, &mut |row| {
            each(row.object(), row.type_());
            pgrx::check_for_interrupts!();
            Ok(())
        })
    }

    /// The newest versions of an object's slices (of one slot only if given): committed, our own, or under way.
    pub fn newest(&self, id: i64, slot: Option<i32>) -> Result<Vec<Found>, Error> {
        let mut dirty = dirty_snapshot();
        let snapshot: pg_sys::Snapshot = &mut dirty;
        let mut found = Vec::new();
        self.scan_object(id, slot, snapshot, &mut |slice| {
            // SAFETY: the scan sets the snapshot's xmin and xmax for the row it returns.
            found.push(unsafe { Found::new(slice, snapshot) });
            Ok(())
        })?;
        Ok(found)
    }

    /// One of the first slices of the object, in its newest version, that no other transaction is at and that `accept` takes; a state only if it has at most
    /// `most_bytes`.
    pub fn find_free(
        &self,
        id: i64,
        most_bytes: usize,
        accept: &dyn Fn(&Slice) -> bool,
    ) -> Result<Option<Slice>, Error> {
        /// Who finds none among so many meets many others: a slice of one's own is worth it.
        const MOST_LOOKED_AT: u32 = 16;
        let mut dirty = dirty_snapshot();
        let snapshot: pg_sys::Snapshot = &mut dirty;
        let (mut found, mut left) = (None, MOST_LOOKED_AT);
        self.scan_rows(id, None, snapshot, &mut |row| {
            left -= 1;
            // SAFETY: the scan sets the snapshot's xmin and xmax for the row it returns.
            let is_free = unsafe { holder(snapshot) }.is_none();
            if is_free && row.state_size().is_none_or(|size| size <= most_bytes) {
                found = Some(row.slice()).filter(|slice| accept(slice));
            }
            Ok(match found {
                None if left > 0 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            })
        })?;
        Ok(found)
    }

    /// As [`SliceTable::newest`], for all slices that `filter` accepts.
    pub fn newest_where(&self, filter: &dyn Fn(&Slice) -> bool) -> Result<Vec<Found>, Error> {
        let mut dirty = dirty_snapshot();
        let snapshot: pg_sys::Snapshot = &mut dirty;
        let mut found = Vec::new();
        self.scan_all(snapshot, &mut |slice| {
            if filter(&slice) {
                // SAFETY: as above.
                found.push(unsafe { Found::new(slice, snapshot) });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The slice in this slot of the object if its newest version is at `place` and no other transaction is at it.
    /// `None` tells nothing.
    ///
    /// Scans make room on the pages they pass; whoever comes this way does so, too, when little is left.
    pub fn at(&self, place: pg_sys::ItemPointerData, id: i64, slot: i32) -> Option<Slice> {
        /// Enough for 50 more versions, while few are there that a reader would have to pass.
        const LITTLE_ROOM: usize = 3072;
        let block = u32::from(place.ip_blkid.bi_hi) << 16 | u32::from(place.ip_blkid.bi_lo);
        if !self.has_page(block) {
            return None;
        }
        // SAFETY: the page exists; it stays pinned while its content is copied.
        unsafe {
            let mut dirty = dirty_snapshot();
            let mut tuple: pg_sys::HeapTupleData = std::mem::zeroed();
            tuple.t_self = place;
            let mut buffer: pg_sys::Buffer = 0;
            if !pg_sys::heap_fetch(self.relation, &mut dirty, &mut tuple, &mut buffer, false) {
                return None;
            }
            let mut values = [Datum::null(); MOST_COLUMNS];
            let mut nulls = [true; MOST_COLUMNS];
            let columns = (*self.relation).rd_att;
            pg_sys::heap_deform_tuple(&mut tuple, columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            let slice = slice_of(&tuple, &values, &nulls, self.state_columns);
            if harmless::PageGetHeapFreeSpace(pg_sys::BufferGetPage(buffer)) < LITTLE_ROOM {
                pg_sys::heap_page_prune_opt(self.relation, buffer);
            }
            harmless::ReleaseBuffer(buffer);
            let same = slice.object.id == id && slice.slot == slot;
            (same && holder(&mut dirty).is_none()).then_some(slice)
        }
    }

    /// Stores a new slice and tells where; `None` if there is one in this slot. The caller has not seen any, but a scan with a dirty snapshot may
    /// miss a row: it is at the row's old place in the index when the new version comes to another page.
    pub fn insert(
        &self,
        object: &Object,
        slot: i32,
        content: Content,
    ) -> Result<Option<pg_sys::ItemPointerData>, Error> {
        // SAFETY: the tuple matches the table's columns; its index entry follows.
        unsafe {
            let tuple = self.tuple(object, slot, content);
            pg_sys::heap_insert(
                self.relation,
                tuple,
                pg_sys::GetCurrentCommandId(true),
                0,
                null_mut(),
            );
            let is_alone = self.index_entry(object.id, slot, tuple, false)?;
            let place = (*tuple).t_self;
            pg_sys::heap_freetuple(tuple);
            split_set::note(object.id);
            read::forget_loaded();
            if !is_alone {
                // What a command has written, only a later one can change.
                pg_sys::CommandCounterIncrement();
                if self.delete_at(place)? != Change::Done {
                    return Err(Error::Internal("two slices in one slot".into()));
                }
            }
            Ok(is_alone.then_some(place))
        }
    }

    /// Replaces the content of a slice found by [`SliceTable::newest`]; `slice.place` is where it is afterwards.
    pub fn update(&self, slice: &mut Slice, content: Content) -> Result<Change, Error> {
        // SAFETY: as in `insert`; `wait` is false.
        unsafe {
            let tuple = self.tuple(&slice.object, slice.slot, content);
            let mut place = slice.place;
            let result = compat::heap_update(self.relation, &mut place, tuple);
            let done = change(result)?;
            if done == Change::Done
                && (*(*tuple).t_data).t_infomask2 & pg_sys::HEAP_ONLY_TUPLE as u16 == 0
            {
                // It takes the place of the row in this slot, so there is no other. Looking for one keeps it apart from those who insert.
                self.index_entry(slice.object.id, slice.slot, tuple, true)?;
            }
            if done == Change::Done {
                slice.place = (*tuple).t_self;
            }
            harmless::pfree(tuple.cast());
            split_set::note(slice.object.id);
            read::forget_loaded();
            Ok(done)
        }
    }

    /// Removes a slice found by a scan.
    pub fn delete(&self, slice: &Slice) -> Result<Change, Error> {
        self.delete_at(slice.place)
    }

    fn delete_at(&self, mut place: pg_sys::ItemPointerData) -> Result<Change, Error> {
        read::forget_loaded();
        // SAFETY: the place is one of this table; `wait` is false.
        unsafe {
            let mut failure: pg_sys::TM_FailureData = std::mem::zeroed();
            change(pg_sys::heap_delete(
                self.relation,
                &mut place,
                pg_sys::GetCurrentCommandId(true),
                null_mut(),
                false,
                &mut failure,
                false,
            ))
        }
    }

    unsafe fn tuple(&self, object: &Object, slot: i32, content: Content) -> pg_sys::HeapTuple {
        let mut values = [Datum::null(); MOST_COLUMNS];
        let mut nulls = [true; MOST_COLUMNS];
        nulls[..FIRST_COLUMNS].fill(false);
        values[OBJECT] = object.id.into();
        values[SLOT] = slot.into();
        values[RELATION] = object.relation.into();
        values[ATTRIBUTE] = object.attribute.into();
        match content {
            Content::Counter(delta) => {
                values[DELTA] = delta.into();
                nulls[AMOUNT] = true;
            }
            Content::Decimal(amount) => {
                values[AMOUNT] = amount;
                nulls[DELTA] = true;
            }
            Content::State(type_, state) => {
                nulls[DELTA] = true;
                nulls[AMOUNT] = true;
                let StateColumns {
                    type_: type_column,
                    state: state_column,
                } = self.state_columns;
                for (column, value) in [(type_column, type_.into()), (state_column, state)] {
                    values[column as usize - 1] = value;
                    nulls[column as usize - 1] = false;
                }
            }
        }
        // SAFETY: as many values as the table has columns.
        unsafe {
            pg_sys::heap_form_tuple(
                (*self.relation).rd_att,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            )
        }
    }

    /// Whether no other row of the slot was found; that is looked for under the lock on the first index page where it may be, and not waited for.
    unsafe fn index_entry(
        &self,
        id: i64,
        slot: i32,
        tuple: pg_sys::HeapTuple,
        is_update: bool,
    ) -> Result<bool, Error> {
        let mut values: [Datum; 2] = [id.into(), slot.into()];
        let mut nulls = [false; 2];
        // SAFETY: the values are those of the index columns; the tuple was just stored.
        unsafe {
            let index = self.index()?;
            let info = pg_sys::BuildIndexInfo(index);
            let is_alone = pg_sys::index_insert(
                index,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
                &mut (*tuple).t_self,
                self.relation,
                pg_sys::IndexUniqueCheck::UNIQUE_CHECK_PARTIAL,
                is_update,
                info,
            );
            pg_sys::pfree(info.cast());
            Ok(is_alone)
        }
    }
}

impl Drop for SliceTable {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: the resource owner closes what is open
        }
        let release = if self.lock == pg_sys::AccessShareLock as i32 {
            self.lock
        } else {
            pg_sys::NoLock as i32
        };
        // SAFETY: opened by us, closed once.
        unsafe {
            if !self.index.get().is_null() {
                pg_sys::index_close(self.index.get(), release);
            }
            harmless::table_close(self.relation, release);
        }
    }
}

/// The transaction under way that the last row seen by a dirty snapshot belongs to.
unsafe fn holder(snapshot: pg_sys::Snapshot) -> Option<pg_sys::TransactionId> {
    // SAFETY: by the caller: a valid snapshot.
    let (writer, remover) = unsafe { ((*snapshot).xmin, (*snapshot).xmax) };
    [writer, remover]
        .into_iter()
        .find(|id| *id != pg_sys::InvalidTransactionId)
}

/// A snapshot that sees what is committed, what is under way, and whose it is.
fn dirty_snapshot() -> pg_sys::SnapshotData {
    pg_sys::SnapshotData {
        snapshot_type: pg_sys::SnapshotType::SNAPSHOT_DIRTY,
        ..Default::default()
    }
}

fn change(result: pg_sys::TM_Result::Type) -> Result<Change, Error> {
    use pg_sys::TM_Result;
    match result {
        TM_Result::TM_Ok => Ok(Change::Done),
        TM_Result::TM_BeingModified | TM_Result::TM_Updated | TM_Result::TM_Deleted => {
            Ok(Change::Taken)
        }
        other => Err(Error::Internal(format!(
            "unexpected result {other} on a slice"
        ))),
    }
}

/// A row that a scan has come to.
struct Row {
    slot: *mut pg_sys::TupleTableSlot,
    state_columns: StateColumns,
}

impl Row {
    /// # Safety
    /// The slot must hold a heap tuple of the table in a buffer for as long as the result is used.
    unsafe fn new(slot: *mut pg_sys::TupleTableSlot, state_columns: StateColumns) -> Self {
        // SAFETY: by the caller.
        unsafe { pg_sys::slot_getallattrs(slot) };
        Row {
            slot,
            state_columns,
        }
    }

    fn columns(&self) -> (&[Datum], &[bool]) {
        // SAFETY: by the promise of `new`; all attributes were taken out there.
        unsafe {
            let count = (*self.slot).tts_nvalid as usize;
            let values = std::slice::from_raw_parts((*self.slot).tts_values, count);
            let nulls = std::slice::from_raw_parts((*self.slot).tts_isnull, count);
            (values, nulls)
        }
    }

    fn object(&self) -> Object {
        object_in(self.columns().0)
    }

    /// The object's type, if it is one over an aggregate.
    fn type_(&self) -> Option<Oid> {
        let (values, nulls) = self.columns();
        let column = usize::try_from(self.state_columns.type_ - 1).ok()?;
        (!nulls[column]).then(|| Oid::from(values[column].value() as u32))
    }

    /// How large its state is, if it has one; the state is not read.
    fn state_size(&self) -> Option<usize> {
        let (values, nulls) = self.columns();
        let state = usize::try_from(self.state_columns.state - 1).ok()?;
        // SAFETY: a varlena.
        (!nulls[state])
            .then(|| unsafe { pg_sys::toast_raw_datum_size(values[state]) } - pg_sys::VARHDRSZ)
    }

    fn slice(&self) -> Slice {
        let (values, nulls) = self.columns();
        // SAFETY: by the promise of `new`.
        unsafe {
            let tuple = (*self.slot.cast::<pg_sys::BufferHeapTupleTableSlot>())
                .base
                .tuple;
            slice_of(&*tuple, values, nulls, self.state_columns)
        }
    }
}

/// # Safety
/// `tuple` must be a row of the table in a pinned buffer, which has these contents.
unsafe fn slice_of(
    tuple: &pg_sys::HeapTupleData,
    values: &[Datum],
    nulls: &[bool],
    state_columns: StateColumns,
) -> Slice {
    let column = |n: usize| (!nulls[n]).then(|| values[n]);
    // A copy: the row's page may change once the scan has left it.
    // SAFETY: a varlena.
    let copy =
        |datum: Datum| Datum::from(unsafe { pg_sys::pg_detoast_datum_copy(datum.cast_mut_ptr()) });
    let type_ = match state_columns.type_ {
        0 => None,
        number => column(number as usize - 1),
    };
    let content = match (column(DELTA), type_) {
        (Some(delta), _) => Content::Counter(delta.value() as i64),
        (None, Some(type_)) => Content::State(
            Oid::from(type_.value() as u32),
            copy(values[state_columns.state as usize - 1]),
        ),
        (None, None) => Content::Decimal(copy(values[AMOUNT])),
    };
    // SAFETY: by the caller.
    let writer = unsafe { writer_of(tuple.t_data) };
    Slice {
        object: object_in(values),
        slot: values[SLOT].value() as i32,
        content,
        place: tuple.t_self,
        writer,
    }
}

/// The object that a row's columns name.
fn object_in(values: &[Datum]) -> Object {
    Object {
        id: values[OBJECT].value() as i64,
        relation: Oid::from(values[RELATION].value() as u32),
        attribute: values[ATTRIBUTE].value() as i16,
    }
}

/// The object of a row.
///
/// # Safety
/// `tuple` must be a row of the slice table, which `columns` describes.
pub unsafe fn object_of(tuple: pg_sys::HeapTuple, columns: pg_sys::TupleDesc) -> i64 {
    let mut null = false;
    // SAFETY: by the caller.
    unsafe { pg_sys::heap_getattr(tuple, OBJECT as i32 + 1, columns, &mut null) }.value() as i64
}

/// The transaction that wrote the tuple; frozen for all if it is long ago.
unsafe fn writer_of(tuple: pg_sys::HeapTupleHeader) -> pg_sys::TransactionId {
    // SAFETY: by the caller: a tuple in a pinned buffer.
    unsafe {
        let frozen = pg_sys::HEAP_XMIN_FROZEN as u16;
        if (*tuple).t_infomask & frozen == frozen {
            pg_sys::FrozenTransactionId
        } else {
            (*tuple).t_choice.t_heap.t_xmin
        }
    }
}
