//! The settings (`abelian.*`) of types, objects and locks. Those of the cluster are defined in `cluster`.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting, PostgresGucEnum};

/// When operations go to slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PostgresGucEnum)]
pub enum Split {
    /// When writers contend.
    #[name = c"auto"]
    Auto,
    /// Whenever possible: for tests.
    #[name = c"always"]
    Always,
    /// Never: operations wait for their row, as those on plain columns do.
    #[name = c"never"]
    Never,
}

/// `abelian.split`
pub static SPLIT: GucSetting<Split> = GucSetting::<Split>::new(Split::Auto);

/// `abelian.lock_escalation`: objects of one table that a transaction locks one by one before it locks the table
/// instead; the lock table is finite.
pub static LOCK_ESCALATION: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.fold_interval`: milliseconds between rounds of the folding worker; 0 switches folding off.
pub static FOLD_INTERVAL: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.fold_after`: milliseconds an object must be left alone before its slices are folded.
pub static FOLD_AFTER: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.hot_for`: milliseconds an object stays split after the last sign of contention.
pub static HOT_FOR: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.phaser`: operations and reads that must stay true wait apart and take turns.
pub static PHASER: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Registers all of them; called once when the library is loaded.
pub fn define() {
    GucRegistry::define_enum_guc(
        c"abelian.split",
        c"When operations go to slices, so that their writers do not wait for each other.",
        c"auto: when writers contend; always: whenever possible; never: operations wait for their row.",
        &SPLIT,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"abelian.lock_escalation",
        c"Objects of one table that a transaction locks before it locks the table instead.",
        c"The lock table is finite: every object takes an entry.",
        &LOCK_ESCALATION,
        1,
        i32::MAX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"abelian.phaser",
        c"Operations on an object, and reads that hold it, wait apart and take turns in groups.",
        c"Off: they queue in the order in which they come. Changes only who waits how long.",
        &PHASER,
        GucContext::Userset,
        GucFlags::default(),
    );
    let milliseconds = |name, text, setting| {
        GucRegistry::define_int_guc(
            name,
            text,
            c"",
            setting,
            0,
            3_600_000,
            GucContext::Sighup,
            GucFlags::UNIT_MS,
        );
    };
    milliseconds(
        c"abelian.fold_interval",
        c"Time between two rounds of the folding worker; 0 switches folding off.",
        &FOLD_INTERVAL,
    );
    milliseconds(
        c"abelian.fold_after",
        c"Time an object must be left alone before its slices are folded.",
        &FOLD_AFTER,
    );
    milliseconds(
        c"abelian.hot_for",
        c"Time an object counts as contended after the last sign of contention.",
        &HOT_FOR,
    );
}
