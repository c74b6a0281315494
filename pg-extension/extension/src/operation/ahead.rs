//! Holding before looking: what a statement reads of what its transaction has operated on is held before its snapshot counts.
//!
//! Over plain columns the transaction has the row since its operation, so that whatever a later statement's snapshot shows of it is
//! the newest. Here others may have added meanwhile, or do so now. The read waits for them. A snapshot that is older than the wait would
//! not show what they have done, in this row or anywhere else; so it is taken anew, under READ COMMITTED, where every statement has one of its
//! own. Where it is not the statement's own (a STABLE function reads under that of the query it is called by), it stays, and a read that
//! misses anything fails with 40001; so that this is rare, a query that calls such functions holds everything.

use super::own;
use super::row;
use super::symbols::Symbols;
use super::tree::{self, Tree};
use crate::object;
use crate::settings;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind, SysCacheIdentifier};
use std::ffi::{c_int, c_void};

/// A statement is about to start.
///
/// # Safety
/// The arguments of the executor's hook. Nothing with a destructor may be alive between here and PostgreSQL.
pub unsafe fn statement_starts(query: *mut pg_sys::QueryDesc, flags: c_int) {
    if !object::reads_are_watched() || flags & pg_sys::EXEC_FLAG_EXPLAIN_ONLY as c_int != 0 {
        return;
    }
    // SAFETY: by the caller; panics become errors.
    unsafe {
        pg_sys::submodules::panic::pgrx_extern_c_guard(std::panic::AssertUnwindSafe(|| {
            hold(&mut *query);
        }));
    }
}

fn hold(query: &mut pg_sys::QueryDesc) {
    let Some(statement) = Tree::new(query.plannedstmt) else {
        return;
    };
    // SAFETY: a plan; a snapshot that the query has registered.
    let (operates, shown_until) = unsafe {
        let plan = statement.planTree;
        let operates = !plan.is_null() && super::is_pure_plan(&*plan);
        (operates, (*query.snapshot).curcid)
    };
    if operates || row::one_snapshot() {
        return;
    }
    let most = usize::try_from(settings::LOCK_ESCALATION.get()).unwrap_or(0);
    let reads = |table, column| reads(statement, table, column) || is_marked(statement);
    match own::hold_all(reads, shown_until, most) {
        Ok(true) => renew_snapshot(query),
        Ok(false) => {}
        Err(error) => error.raise(),
    }
}

/// Takes the statement's snapshot anew, if nobody else reads by it: it is the active one, for this statement alone.
fn renew_snapshot(query: &mut pg_sys::QueryDesc) {
    // SAFETY: the old snapshot lives as long as the query has registered it; the active one is replaced by one at the same place of
    // the stack, which whoever has pushed the old one pops.
    unsafe {
        let old = query.snapshot;
        let is_own = pg_sys::ActiveSnapshotSet()
            && pg_sys::GetActiveSnapshot() == old
            && (*old).active_count > 0
            && (*old).regd_count == 1;
        if !is_own {
            return;
        }
        pg_sys::PopActiveSnapshot();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        query.snapshot = pg_sys::RegisterSnapshot(pg_sys::GetActiveSnapshot());
        pg_sys::UnregisterSnapshot(old);
    }
}

/// Whether a statement reads or changes a column.
fn reads(statement: Tree<pg_sys::PlannedStmt>, table: Oid, column: i16) -> bool {
    let number = |column: i16| i32::from(column) - pg_sys::FirstLowInvalidHeapAttributeNumber;
    // SAFETY: a plan's range table; sets of it, or null.
    tree::each::<pg_sys::RangeTblEntry>(statement.rtable).any(|entry| unsafe {
        (*entry).rtekind == RTEKind::RTE_RELATION
            && (*entry).relid == table
            && used_columns(statement, &*entry).iter().any(|set| {
                pg_sys::bms_is_member(number(column), *set)
                    || pg_sys::bms_is_member(number(0), *set)
            })
    })
}

/// The sets of columns that privileges are asked for: those that are read or changed by any means.
#[cfg(feature = "pg15")]
fn used_columns(
    _statement: Tree<pg_sys::PlannedStmt>,
    entry: &pg_sys::RangeTblEntry,
) -> [*mut pg_sys::Bitmapset; 2] {
    [entry.selectedCols, entry.updatedCols]
}

/// As above. Children of a table have none of their own: then all columns are taken for read.
#[cfg(not(feature = "pg15"))]
fn used_columns(
    statement: Tree<pg_sys::PlannedStmt>,
    entry: &pg_sys::RangeTblEntry,
) -> [*mut pg_sys::Bitmapset; 2] {
    let number = entry.perminfoindex as usize;
    let info = tree::each::<pg_sys::RTEPermissionInfo>(statement.permInfos)
        .nth(number.wrapping_sub(1));
    // SAFETY: a node of the plan; a set of one number.
    unsafe {
        match info {
            Some(info) => [(*info).selectedCols, (*info).updatedCols],
            None => {
                let all = -pg_sys::FirstLowInvalidHeapAttributeNumber;
                [pg_sys::bms_make_singleton(all), std::ptr::null_mut()]
            }
        }
    }
}

/// Whether a query calls functions of users that read under its snapshot: those that are STABLE and in a language of their own.
pub fn calls_stable_functions(query: Tree<pg_sys::Query>) -> bool {
    unsafe extern "C-unwind" fn is_one(function: Oid, _context: *mut c_void) -> bool {
        is_stable_function(function)
    }
    query.commandType != CmdType::CMD_UTILITY
        && tree::any_node(query.pointer(), &mut |node, _| {
            // SAFETY: any node may be asked; the function looks at a function's row.
            node.type_ != NodeTag::T_Query && unsafe {
                pg_sys::check_functions_in_node(node.pointer(), Some(is_one), std::ptr::null_mut())
            }
        })
}

/// `internal` and `c` in every database.
const COMPILED_LANGUAGES: [u32; 2] = [12, 13];

fn is_stable_function(function: Oid) -> bool {
    if function.to_u32() < pg_sys::FirstNormalObjectId {
        return false;
    }
    // SAFETY: a row of the catalogue, given back.
    unsafe {
        let row = pg_sys::SearchSysCache1(SysCacheIdentifier::PROCOID as i32, function.into());
        if row.is_null() {
            return false;
        }
        let form = pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_proc>();
        let stable = (*form).provolatile as u8 == pg_sys::PROVOLATILE_STABLE;
        let compiled = COMPILED_LANGUAGES.contains(&(*form).prolang.to_u32());
        pg_sys::ReleaseSysCache(row);
        stable && !compiled
    }
}

/// Marks the plan of a query that does. A plan has no room for remarks; but it may depend on one function more, and be it ours.
pub fn mark(mut statement: Tree<pg_sys::PlannedStmt>) {
    let Some(hash) = mark_of_plans() else {
        return;
    };
    // SAFETY: zeroed memory of the node's size, tagged; the list is the plan's.
    unsafe {
        let item = pg_sys::palloc0(size_of::<pg_sys::PlanInvalItem>()).cast::<pg_sys::PlanInvalItem>();
        (*item).type_ = NodeTag::T_PlanInvalItem;
        (*item).cacheId = SysCacheIdentifier::PROCOID as i32;
        (*item).hashValue = hash;
        statement.invalItems = pg_sys::lappend(statement.invalItems, item.cast());
    }
}

fn is_marked(statement: Tree<pg_sys::PlannedStmt>) -> bool {
    let mut items = tree::each::<pg_sys::PlanInvalItem>(statement.invalItems).peekable();
    if items.peek().is_none() {
        return false;
    }
    let hash = mark_of_plans();
    // SAFETY: the items of a plan.
    items.any(|item| unsafe {
        (*item).cacheId == SysCacheIdentifier::PROCOID as i32 && Some((*item).hashValue) == hash
    })
}

fn mark_of_plans() -> Option<u32> {
    let function = Symbols::get()?.lock_row;
    // SAFETY: the hash of a key.
    Some(unsafe {
        let none = pg_sys::Datum::null();
        pg_sys::GetSysCacheHashValue(
            SysCacheIdentifier::PROCOID as i32,
            function.into(),
            none,
            none,
            none,
        )
    })
}
