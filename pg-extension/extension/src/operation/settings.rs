//! The settings of this room.

use crate::callback;
use pgrx::prelude::*;
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting, PostgresGucEnum};

/// What a locking clause locks besides the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PostgresGucEnum)]
pub enum LockingReads {
    /// All Abelian columns of the row: the row is a mutex, as applications use it.
    #[name = c"row"]
    Row,
    /// Those that the query names.
    #[name = c"selected"]
    Selected,
}

/// Which value RETURNING gives of a column that the statement operates on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PostgresGucEnum)]
pub enum ReturnedValues {
    /// The one that stays until the transaction ends: nobody else operates meanwhile.
    #[name = c"exact"]
    Exact,
    /// What is committed, and the transaction's own operations.
    #[name = c"snapshot"]
    Snapshot,
}

/// `abelian.returned_values`
pub static RETURNED_VALUES: GucSetting<ReturnedValues> =
    GucSetting::<ReturnedValues>::new(ReturnedValues::Exact);

/// `abelian.locking_reads`
pub static LOCKING_READS: GucSetting<LockingReads> =
    GucSetting::<LockingReads>::new(LockingReads::Row);

/// `abelian.concurrent_operations`: off sends every operation down the ordinary path.
pub static CONCURRENT_OPERATIONS: GucSetting<bool> = GucSetting::<bool>::new(true);

/// `abelian.strict_reads`: every read of a value takes the Read lock on it (strict two-phase locking).
pub static STRICT_READS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// `abelian.value_indexes`: whether queries use indexes over the bases of counters.
pub static VALUE_INDEXES: GucSetting<bool> = GucSetting::<bool>::new(true);

callback!(fn assigned(_value: bool, _extra: *mut std::ffi::c_void) = |_, _| forget_plans());
callback!(fn enum_assigned(_value: i32, _extra: *mut std::ffi::c_void) = |_, _| forget_plans());

/// Plans are made for one value of the setting.
fn forget_plans() {
    // SAFETY: marks cached plans as invalid, without looking anything up.
    unsafe { pg_sys::ResetPlanCache() };
}

/// Registers all; called once when the library is loaded.
pub fn define() {
    GucRegistry::define_bool_guc(
        c"abelian.concurrent_operations",
        c"Operations need not wait for the row lock.",
        c"Off: every UPDATE takes PostgreSQL's ordinary path, with the same results.",
        &CONCURRENT_OPERATIONS,
        GucContext::Userset,
        GucFlags::default(),
    );
    // SAFETY: the hooks live as long as the process.
    unsafe {
        GucRegistry::define_enum_guc_with_hooks(
            c"abelian.locking_reads",
            c"What FOR UPDATE and FOR SHARE lock besides the row.",
            c"row: all Abelian columns of the row; selected: those that the query names.",
            &LOCKING_READS,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(enum_assigned),
            None,
        );
        GucRegistry::define_enum_guc_with_hooks(
            c"abelian.returned_values",
            c"Which value RETURNING gives of a column that an UPDATE operates on.",
            c"exact: the one that it has when the transaction commits; snapshot: what is committed, and the transaction's own operations, without waiting for those of others.",
            &RETURNED_VALUES,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(enum_assigned),
            None,
        );
        GucRegistry::define_bool_guc_with_hooks(
            c"abelian.strict_reads",
            c"Reads of Abelian columns keep the value as it is until the transaction ends.",
            c"On: a statement that reads a value waits for operations on it, and holds off others (strict two-phase locking).",
            &STRICT_READS,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(assigned),
            None,
        );
        GucRegistry::define_bool_guc_with_hooks(
            c"abelian.value_indexes",
            c"Queries find and order rows by indexes over the bases of counters.",
            c"Off: they read the whole table, with the same results.",
            &VALUE_INDEXES,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(assigned),
            None,
        );
    }
}
