//! Looks through tables for objects that have slices and no row: the slices that DELETE ... RETURNING, triggers, MERGE, and what
//! happens outside our sight leave behind. Why nothing is removed that anybody needs is in `docs/design/objects.md`.

use crate::catalog::{self, Catalog};
use crate::compat;
use crate::error::Error;
use crate::object::attempt::{LONG, SHORT, attempt};
use crate::object::orphans::{self, Candidates, Place};
use crate::object::{self, leftovers, worker};
use crate::owner;
use crate::pg_function;
use crate::types::aggregated::Aggregated;
use crate::types::counter::Counter;
use crate::types::decimal_counter::DecimalCounter;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ptr::null_mut;

/// Objects whose slices are removed in one transaction.
const OBJECTS_PER_TRANSACTION: usize = 1000;

/// Rows between two looks whether to go on.
const ROWS_BETWEEN_LOOKS: usize = 1000;

/// Has the folding workers look; called once when the library is loaded.
pub fn install() {
    worker::also_do(round);
}

/// True if nothing is left to look through.
fn round(go_on: &dyn Fn() -> bool) -> bool {
    if leftovers::begin_search() {
        // What was left before the server started is known to nobody.
        let tables = attempt(LONG, orphans::tables).unwrap_or_default();
        tables.into_iter().for_each(leftovers::suspect);
    }
    let Some((due, others)) = attempt(SHORT, || Ok(leftovers::due())) else {
        return false;
    };
    let mut all = !others;
    for relation in due {
        let began = crate::backend::now();
        let found = attempt(LONG, || find(relation, false, go_on)).flatten();
        all &= found.is_some();
        if let Some(found) = found {
            for some in found.chunks(OBJECTS_PER_TRANSACTION) {
                attempt(SHORT, || orphans::remove(some));
            }
            leftovers::done(relation, began);
        }
        if !go_on() {
            return false;
        }
    }
    all
}

/// The objects of a table that are in none of its rows. `None` if the table is locked, and that is not to be waited for, or if it is not
/// to go on.
fn find(relation: Oid, wait: bool, go_on: &dyn Fn() -> bool) -> Result<Option<Vec<i64>>, Error> {
    let Some(table) = Table::lock(relation, wait) else {
        return Ok(None);
    };
    // Taken after the lock: whoever has rewritten the table before it is seen, and nobody rewrites it from here on.
    let snapshot = Snapshot::new();
    let mut found = Vec::new();
    let mut after = 0;
    loop {
        // SAFETY: a valid snapshot.
        let mut candidates = unsafe { orphans::candidates(relation, after, snapshot.0) }?;
        if !table.without_those_in_rows(&snapshot, &mut candidates, go_on)? {
            return Ok(None);
        }
        found.extend(candidates.objects.keys());
        match candidates.more_after {
            Some(id) => after = id,
            None => return Ok(Some(found)),
        }
    }
}

/// Registered, so that what it shows stays where it is.
struct Snapshot(pg_sys::Snapshot);

impl Snapshot {
    fn new() -> Self {
        // SAFETY: inside a transaction.
        Snapshot(unsafe { pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot()) })
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: registered in `new`.
            unsafe { pg_sys::UnregisterSnapshot(self.0) };
        }
    }
}

/// A table that is locked. `None`: there is none, or what has got its number keeps no rows of its own.
struct Table(Option<pg_sys::Relation>);

impl Table {
    /// `None` if the lock cannot be had at once, and is not to be waited for.
    fn lock(relation: Oid, wait: bool) -> Option<Table> {
        let mode = pg_sys::AccessShareLock as i32;
        // SAFETY: the lock stays to the end of the transaction.
        unsafe {
            if wait {
                pg_sys::LockRelationOid(relation, mode);
            } else if !pg_sys::ConditionalLockRelationOid(relation, mode) {
                return None;
            }
            let opened = pg_sys::try_relation_open(relation, pg_sys::NoLock as i32);
            if opened.is_null() {
                return Some(Table(None));
            }
            let kind = (*(*opened).rd_rel).relkind as u8;
            if kind == pg_sys::RELKIND_RELATION || kind == pg_sys::RELKIND_MATVIEW {
                return Some(Table(Some(opened)));
            }
            pg_sys::relation_close(opened, pg_sys::NoLock as i32);
            Some(Table(None))
        }
    }

    /// Whether the whole table was read. A table that is no more has no rows.
    fn without_those_in_rows(
        &self,
        snapshot: &Snapshot,
        candidates: &mut Candidates,
        go_on: &dyn Fn() -> bool,
    ) -> Result<bool, Error> {
        let Some(relation) = self.0 else {
            return Ok(true);
        };
        let columns = columns(relation, candidates)?;
        if columns.is_empty() || candidates.objects.is_empty() {
            return Ok(true);
        }
        // SAFETY: an open table, a registered snapshot; what is opened is closed, or given back by the transaction's end.
        unsafe {
            let row = pg_sys::table_slot_create(relation, null_mut());
            let scan =
                pg_sys::table_beginscan_strat(relation, snapshot.0, 0, null_mut(), true, false);
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            let mut rows = 0;
            let mut all = true;
            while !candidates.objects.is_empty()
                && pg_sys::table_scan_getnextslot(scan, forward, row)
            {
                for (attribute, layout) in &columns {
                    let mut null = false;
                    let datum = pg_sys::slot_getattr(row, (*attribute).into(), &mut null);
                    if !null {
                        candidates.objects.remove(&layout.id(datum));
                    }
                }
                rows += 1;
                if rows % ROWS_BETWEEN_LOOKS == 0 {
                    pgrx::check_for_interrupts!();
                    if !go_on() {
                        all = false;
                        break;
                    }
                }
            }
            pg_sys::table_endscan(scan);
            pg_sys::ExecDropSingleTupleTableSlot(row);
            Ok(all)
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if let (Some(relation), false) = (self.0, std::thread::panicking()) {
            // SAFETY: opened in `lock`, which stays.
            unsafe { pg_sys::relation_close(relation, pg_sys::NoLock as i32) };
        }
    }
}

/// How a type keeps the id.
#[derive(Clone, Copy)]
enum Layout {
    Counter,
    Decimal,
    Aggregated,
}

impl Layout {
    /// `type_` is what slices of the column say, who may know a type of which the label was taken away.
    fn of(catalog: &Catalog, column: Oid, type_: Option<Oid>) -> Option<Layout> {
        if catalog.is_counter_type(column) {
            Some(Layout::Counter)
        } else if column == catalog.decimal_counter {
            Some(Layout::Decimal)
        } else {
            let known = type_ == Some(column) || object::is_object_type(catalog, column);
            known.then_some(Layout::Aggregated)
        }
    }

    /// # Safety
    /// A datum of such a type, not NULL.
    unsafe fn id(self, datum: Datum) -> i64 {
        // SAFETY: by the caller.
        unsafe {
            match self {
                Layout::Counter => Counter::from_datum(datum).id,
                Layout::Decimal => DecimalCounter::from_datum(datum).id,
                Layout::Aggregated => Aggregated::id_of(datum),
            }
        }
    }
}

/// The columns in which an object may be: all that have objects, whatever the slices say.
fn columns(
    relation: pg_sys::Relation,
    candidates: &Candidates,
) -> Result<Vec<(i16, Layout)>, Error> {
    let catalog = catalog::get()?;
    // SAFETY: an open relation; a descriptor has so many columns.
    let attributes = unsafe { compat::columns_of((*relation).rd_att) };
    let named = |attribute: i16, type_: Oid| {
        let named = |place: &Place| place.attribute == attribute && place.type_ == Some(type_);
        candidates.objects.values().any(named).then_some(type_)
    };
    let there = attributes.iter().filter(|column| !column.attisdropped);
    Ok(there
        .filter_map(|column| {
            let type_ = named(column.attnum, column.atttypid);
            let layout = Layout::of(&catalog, column.atttypid, type_)?;
            Some((column.attnum, layout))
        })
        .collect())
}

pg_function!(
    /// Removes the slices of a table, or of all, whose rows are gone, and tells how many.
    fn abelian_collect_orphans(call) {
        let tables: Vec<Oid> = match call.is_null(0) {
            true => orphans::tables()?.into_iter().collect(),
            false => vec![Oid::from(call.arg(0).value() as u32)],
        };
        // SAFETY: a lookup of privileges.
        let is_superuser = unsafe { pg_sys::superuser() };
        let owns_all = !call.is_null(0) && tables.iter().all(|table| owner::is_own(*table));
        if !is_superuser && !owns_all {
            return Err(Error::OwnersOnly);
        }
        let mut removed = 0;
        for table in tables {
            let found = find(table, true, &|| true)?.unwrap_or_default();
            removed += orphans::remove(&found)?;
        }
        Ok(Datum::from(removed))
    }
);
