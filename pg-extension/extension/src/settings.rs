//! The settings (`abelian.*`) of types, objects and locks. Those of the cluster are defined in `cluster`.

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

/// `abelian.split`: allow slices at all; off makes every operation wait for its row, as plain columns do.
pub static SPLIT: GucSetting<bool> = GucSetting::<bool>::new(true);

/// `abelian.fold_interval`: milliseconds between rounds of the folding worker; 0 switches folding off.
pub static FOLD_INTERVAL: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.fold_after`: milliseconds an object must be left alone before its slices are folded.
pub static FOLD_AFTER: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// `abelian.hot_for`: milliseconds an object stays split after the last sign of contention.
pub static HOT_FOR: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// Registers all of them; called once when the library is loaded.
pub fn define() {
    GucRegistry::define_bool_guc(
        c"abelian.split",
        c"Contended objects are split so that their writers do not wait for each other.",
        c"",
        &SPLIT,
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
