//! Statistics of columns, as the planner asks for them.

use super::subscribers::List;
use crate::boundary;
use pgrx::pg_sys::{self, Oid};

/// A column of a table, whose statistics stand for those of another column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The table.
    pub table: Oid,
    /// Its number in the table.
    pub number: i16,
    /// Whether the statistics are those of the table with its partitions.
    pub with_partitions: bool,
    /// Whether values in them may be shown to operators that might tell them.
    pub may_be_shown: bool,
}

/// Names the column of a table, of the same type, that a column of a range is like.
pub type Like = fn(&pg_sys::RangeTblEntry, i16, Oid) -> Option<Column>;

static SUBSCRIBERS: List<Like> = List::new();
static mut NEXT: pg_sys::get_relation_stats_hook_type = None;

/// Has the planner use statistics of tables for ranges that are none.
pub fn subscribe(like: Like) {
    SUBSCRIBERS.add(like);
}

/// Sets the hook.
pub(super) fn install() {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        NEXT = pg_sys::get_relation_stats_hook;
        pg_sys::get_relation_stats_hook = Some(find);
    }
}

unsafe extern "C-unwind" fn find(
    root: *mut pg_sys::PlannerInfo,
    range: *mut pg_sys::RangeTblEntry,
    column: pg_sys::AttrNumber,
    asked: *mut pg_sys::VariableStatData,
) -> bool {
    // SAFETY: the planner's own range and question; nothing here has a destructor.
    unsafe {
        if NEXT.is_some_and(|next| next(root, range, column, asked)) {
            return true;
        }
        if (*range).rtekind == pg_sys::RTEKind::RTE_RELATION {
            return false; // PostgreSQL knows.
        }
        let mut found = false;
        boundary::guard(|| found = answer(&*range, column, &mut *asked));
        found
    }
}

unsafe extern "C-unwind" fn release(row: pg_sys::HeapTuple) {
    // SAFETY: what the planner got from the cache below.
    unsafe { pg_sys::ReleaseSysCache(row) };
}

fn answer(
    range: &pg_sys::RangeTblEntry,
    column: i16,
    asked: &mut pg_sys::VariableStatData,
) -> bool {
    let like = SUBSCRIBERS
        .iter()
        .find_map(|like| like(range, column, asked.atttype));
    let Some(like) = like else {
        return false;
    };
    // SAFETY: a look-up by the keys of that cache; the planner gives it back by the function it gets.
    unsafe {
        asked.statsTuple = pg_sys::SearchSysCache3(
            pg_sys::SysCacheIdentifier::STATRELATTINH as i32,
            pg_sys::Datum::from(like.table),
            pg_sys::Datum::from(like.number),
            pg_sys::Datum::from(like.with_partitions),
        );
    }
    asked.freefunc = Some(release);
    asked.acl_ok = like.may_be_shown;
    true
}
