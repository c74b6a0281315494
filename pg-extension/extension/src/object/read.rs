//! Reading slices: what a snapshot sees of an object.
//!
//! A statement that reads many objects probes the slice table for the first few and then, if the table is small
//! against the number of probes, loads all slices that its snapshot sees at once. What was loaded is used only
//! under a snapshot with the same content, in the same (sub)transaction.

use crate::backend;
use crate::error::Error;
use crate::harmless;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::transaction;
use crate::identity::ById;
use crate::numeric;
use crate::object::slice_table::{Content, Slice, SliceTable};
use crate::object::split_set;
use crate::varlena::content_of;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Probes under one snapshot before loading is considered.
const PROBES: u32 = 8;

/// The same under SERIALIZABLE, where loading takes a predicate lock on all objects together.
const SERIALIZABLE_PROBES: u32 = 64;

/// Pages of the slice table that one probe pays for.
const PAGES_PER_PROBE: u32 = 4;

/// Tables larger than this are never loaded (64 MB).
const MOST_PAGES: u32 = 8192;

/// All slices of an object that were visible, summed.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    /// How many there were; 0 means that the object is not split.
    pub count: u32,
    delta: i64,
    amount: Option<Datum>,
    states: Vec<Vec<u8>>,
    state_type: Option<Oid>,
}

impl Slices {
    /// Their sum, for a counter.
    pub fn counter(&self) -> i64 {
        self.delta
    }

    /// Their sum, for a decimal counter: a `numeric`, or `None` without slices.
    pub fn decimal(&self) -> Option<Datum> {
        self.amount
    }

    /// They themselves, for a type over an aggregate: whoever reads merges them.
    pub fn states(&self) -> &[Vec<u8>] {
        &self.states
    }

    /// The type of their object, if they are states.
    pub fn state_type(&self) -> Option<Oid> {
        self.state_type
    }

    fn include(&mut self, content: Content) -> Result<(), Error> {
        self.count += 1;
        match content {
            // The aggregate's functions may be anybody's and read objects themselves: they are not called in a scan.
            Content::State(type_, state) => {
                self.state_type = Some(type_);
                self.states.push(content_of(state));
            }
            // Cannot overflow: every slice is inside its zone.
            Content::Counter(delta) => {
                self.delta = self.delta.checked_add(delta).ok_or(Error::OutOfRange)?;
            }
            Content::Decimal(amount) => {
                self.amount = Some(match self.amount {
                    None => amount,
                    Some(sum) => numeric::add(sum, amount)?,
                });
            }
        }
        Ok(())
    }
}

/// Set while the hook before reads has something to look at under READ COMMITTED, too.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Has the hook before reads called for every read under READ COMMITTED, or only for objects that may have slices.
pub fn watch_reads(on: bool) {
    WATCHED.store(on, Relaxed);
}

/// Whether it is called for every read.
pub fn reads_are_watched() -> bool {
    WATCHED.load(Relaxed)
}

/// Whether more than the base has to be looked at to know the object's value, or the read is to be noted.
pub fn may_have_slices(id: i64) -> bool {
    id != 0
        && (WATCHED.load(Relaxed) || backend::has_one_snapshot() || split_set::may_have_slices(id))
}

static BEFORE_READ: OnceLock<fn(i64)> = OnceLock::new();

/// Has `hook` called with the id before every read of an object under the active snapshot; set once, when the
/// library is loaded.
pub fn before_read(hook: fn(i64)) {
    if BEFORE_READ.set(hook).is_err() {
        pgrx::error!("abelian: a second hook for reads");
    }
}

/// What the active snapshot sees.
///
/// Logical decoding reads under a snapshot of the past that shows catalogues only: there, a row's datum stands for
/// itself, and slices are decoded as the rows they are.
pub fn visible(id: i64) -> Result<Slices, Error> {
    if NEWEST_ONLY.get() {
        return newest(id); // nobody else can use the table: nothing to hold off
    }
    if let Some(before_read) = BEFORE_READ.get() {
        before_read(id);
    }
    // SAFETY: inside a transaction; where no snapshot is active, a fresh one is for as long as we need it.
    unsafe {
        if harmless::HistoricSnapshotActive() {
            return Ok(Slices::default());
        }
        if harmless::ActiveSnapshotSet() {
            return visible_to(id, harmless::GetActiveSnapshot());
        }
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let slices = visible_to(id, pg_sys::GetActiveSnapshot());
        pg_sys::PopActiveSnapshot();
        slices
    }
}

/// What everything committed and this transaction's own work amount to, this command's included.
pub fn newest(id: i64) -> Result<Slices, Error> {
    // SAFETY: inside a transaction; the snapshot is popped again (or by the abort).
    unsafe {
        pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        let snapshot = pg_sys::GetActiveSnapshot();
        // One more than the current command: sees what this command has written, too.
        (*snapshot).curcid = pg_sys::GetCurrentCommandId(false).saturating_add(1);
        let slices = visible_to(id, snapshot);
        pg_sys::PopActiveSnapshot();
        slices
    }
}

/// What a given snapshot sees.
///
/// # Safety
/// `snapshot` must be valid.
pub unsafe fn visible_to(id: i64, snapshot: pg_sys::Snapshot) -> Result<Slices, Error> {
    // A predicate lock is needed where slices could come.
    if id == 0 || !backend::is_serializable() && !split_set::look(id)? {
        return Ok(Slices::default());
    }
    LOADED.with_borrow_mut(|loaded| {
        // SAFETY: the caller's snapshot is valid.
        let cacheable = unsafe { loaded.use_for(snapshot) };
        if let Some(all) = &loaded.all {
            let kept = all.get(&id);
            if !kept.is_some_and(|kept| kept.is_unread) {
                return Ok(kept.map_or_else(Slices::default, Kept::slices));
            }
        }
        if cacheable {
            loaded.probes += 1;
        }
        let table = SliceTable::for_reading()?;
        if cacheable && loaded.probes >= first_probes() && pays(&table, loaded.probes) {
            let all = load(&table, snapshot)?;
            let slices = all.get(&id).map_or_else(Slices::default, Kept::slices);
            loaded.all = Some(all);
            return Ok(slices);
        }
        let mut slices = Slices::default();
        table.scan_object(id, None, snapshot, &mut |slice| {
            slices.include(slice.content)
        })?;
        Ok(slices)
    })
}

/// The counters and decimal counters of which a snapshot shows slices, each once.
///
/// # Safety
/// `snapshot` must be valid.
pub unsafe fn with_slices(snapshot: pg_sys::Snapshot) -> Result<Vec<i64>, Error> {
    LOADED.with_borrow_mut(|loaded| {
        // SAFETY: the caller's snapshot is valid.
        let cacheable = unsafe { loaded.use_for(snapshot) };
        if let Some(all) = &loaded.all {
            return Ok(counters(all));
        }
        let table = SliceTable::for_reading()?;
        let all = load_numbers(&table, snapshot)?;
        let found = counters(&all);
        if cacheable && table.pages() <= MOST_PAGES {
            loaded.all = Some(all); // their values are read next
        }
        Ok(found)
    })
}

/// How large the table of slices is.
#[derive(Clone, Copy, Debug)]
pub struct SliceTableSize {
    /// Its pages.
    pub pages: u32,
    /// How many slices there may be; `None` if VACUUM and ANALYZE have not looked.
    pub rows: Option<u32>,
}

/// The size of the table of slices.
pub fn slice_table_size() -> Result<SliceTableSize, Error> {
    let table = SliceTable::for_reading()?;
    Ok(SliceTableSize {
        pages: table.pages(),
        rows: table.likely_rows(),
    })
}

fn first_probes() -> u32 {
    if backend::is_serializable() {
        SERIALIZABLE_PROBES
    } else {
        PROBES
    }
}

fn pays(table: &SliceTable, probes: u32) -> bool {
    // Asking for the size costs a system call: only at each power of two.
    probes.is_power_of_two()
        && table.pages() <= MOST_PAGES.min(probes.saturating_mul(PAGES_PER_PROBE))
}

fn load(table: &SliceTable, snapshot: pg_sys::Snapshot) -> Result<All, Error> {
    let mut all = All::default();
    table.scan_all(snapshot, &mut |slice| include(&mut all, slice))?;
    Ok(all)
}

fn include(all: &mut All, slice: Slice) -> Result<(), Error> {
    all.entry(slice.object.id)
        .or_default()
        .include(slice.content)
}

/// As [`load`], but of objects with states it notes only that they are there.
fn load_numbers(table: &SliceTable, snapshot: pg_sys::Snapshot) -> Result<All, Error> {
    let (mut all, mut states) = (All::default(), Vec::new());
    let mut number = |slice| include(&mut all, slice);
    table.scan_numbers(snapshot, &mut number, &mut |id| states.push(id))?;
    for id in states {
        all.entry(id).or_default().is_unread = true;
    }
    Ok(all)
}

/// Slices kept beyond one call: numbers in our own memory.
#[derive(Default)]
struct Kept {
    count: u32,
    delta: i64,
    amount: Option<Vec<u8>>,
    states: Vec<Vec<u8>>,
    state_type: Option<Oid>,
    /// It has states, which were not read.
    is_unread: bool,
}

impl Kept {
    fn include(&mut self, content: Content) -> Result<(), Error> {
        if let Content::State(type_, state) = content {
            self.count += 1;
            self.state_type = Some(type_);
            self.states.push(content_of(state));
            return Ok(());
        }
        let mut slices = self.slices();
        slices.include(content)?;
        self.count = slices.count;
        self.delta = slices.delta;
        self.amount = slices.amount.map(numeric::bytes);
        Ok(())
    }

    /// The `numeric` is copied to the current memory context, like every function result.
    fn slices(&self) -> Slices {
        Slices {
            count: self.count,
            delta: self.delta,
            amount: self.amount.as_deref().map(numeric::from_bytes),
            states: self.states.clone(),
            state_type: self.state_type,
        }
    }
}

type All = ById<Kept>;

/// Those that are counters or decimal counters.
fn counters(all: &All) -> Vec<i64> {
    let is_counter = |kept: &Kept| kept.states.is_empty() && !kept.is_unread;
    let found = all.iter().filter(|(_, kept)| is_counter(kept));
    found.map(|(id, _)| *id).collect()
}

/// What decides visibility under an MVCC snapshot, beside the transaction's own state.
#[derive(Default, PartialEq, Eq)]
struct Visibility {
    xmin: u32,
    xmax: u32,
    command: u32,
    overflowed: bool,
    recovery: bool,
    running: Vec<pg_sys::TransactionId>,
    running_sub: Vec<pg_sys::TransactionId>,
}

#[derive(Default)]
struct Loaded {
    visibility: Visibility,
    generation: u64,
    probes: u32,
    all: Option<All>,
}

thread_local! {
    static LOADED: RefCell<Loaded> = RefCell::default();
    /// Counts the ends of transactions and subtransactions, and our own writes: each may change what a snapshot shows of our own work.
    static GENERATION: Cell<u64> = const { Cell::new(1) };
    /// Set while a command rewrites a table that nobody else can use, under a snapshot older than its lock.
    static NEWEST_ONLY: Cell<bool> = const { Cell::new(false) };
}

impl Loaded {
    /// Prepares for a snapshot: keeps what was loaded if it is equivalent, forgets it otherwise. False if nothing
    /// may be kept for this kind of snapshot.
    ///
    /// # Safety
    /// `snapshot` must be valid.
    unsafe fn use_for(&mut self, snapshot: pg_sys::Snapshot) -> bool {
        // SAFETY: by the caller.
        let s = unsafe { &*snapshot };
        if s.snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC {
            self.all = None;
            self.generation = 0;
            return false;
        }
        // SAFETY: the snapshot's arrays have the stated lengths.
        let (running, running_sub) = unsafe {
            (
                slice_or_empty(s.xip, s.xcnt as usize),
                slice_or_empty(s.subxip, s.subxcnt.max(0) as usize),
            )
        };
        let same = self.generation == GENERATION.get()
            && self.visibility.command == s.curcid
            && self.visibility.xmin == u32::from(s.xmin)
            && self.visibility.xmax == u32::from(s.xmax)
            && self.visibility.overflowed == s.suboverflowed
            && self.visibility.recovery == s.takenDuringRecovery
            && self.visibility.running == running
            && self.visibility.running_sub == running_sub;
        if !same {
            self.all = None;
            self.probes = 0;
            self.generation = GENERATION.get();
            let content = &mut self.visibility;
            content.command = s.curcid;
            content.xmin = s.xmin.into();
            content.xmax = s.xmax.into();
            content.overflowed = s.suboverflowed;
            content.recovery = s.takenDuringRecovery;
            content.running.clear();
            content.running.extend_from_slice(running);
            content.running_sub.clear();
            content.running_sub.extend_from_slice(running_sub);
        }
        true
    }
}

unsafe fn slice_or_empty<'a>(
    start: *const pg_sys::TransactionId,
    length: usize,
) -> &'a [pg_sys::TransactionId] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// Runs `body` with reads that see the newest state instead of the active snapshot, for commands that hold
/// AccessExclusiveLock on the table they read.
pub fn with_newest<T>(body: impl FnOnce() -> T) -> T {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            NEWEST_ONLY.set(self.0);
        }
    }
    let _reset = Reset(NEWEST_ONLY.replace(true));
    body()
}

/// Registers what invalidates the backend's cache; called once when the library is loaded.
pub fn install() {
    use pg_sys::XactEvent;
    transaction::on_end(&Subscriber {
        concerns: |event| {
            matches!(
                *event,
                XactEvent::XACT_EVENT_COMMIT
                    | XactEvent::XACT_EVENT_PARALLEL_COMMIT
                    | XactEvent::XACT_EVENT_ABORT
                    | XactEvent::XACT_EVENT_PARALLEL_ABORT
                    | XactEvent::XACT_EVENT_PREPARE
            )
        },
        tell: |_| transaction_ended(),
    });
    transaction::on_subtransaction(&Subscriber {
        concerns: |_| true,
        tell: |_| forget_loaded(),
    });
}

/// A slice was written. An ordinary snapshot does not show that, but [`newest`] does, and so does the snapshot of the next command, which may be like that
/// of [`newest`] before the write.
pub(super) fn forget_loaded() {
    GENERATION.set(GENERATION.get() + 1);
}

fn transaction_ended() {
    forget_loaded();
    // It is gone when a process ends in the middle of something.
    let _ = LOADED.try_with(|loaded| {
        if let Ok(mut loaded) = loaded.try_borrow_mut() {
            loaded.all = None;
        }
    });
}
