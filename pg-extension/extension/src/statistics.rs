//! Figures since the server started, for `abelian.statistics`. All databases together.

use crate::pg_function;
use crate::shared_memory::{FIGURES, PHASER};
use pgrx::{FromDatum, PGRXSharedMemory};
use std::sync::atomic::{AtomicI64, Ordering};

/// One counter each; relaxed, since they are only looked at.
#[derive(Default)]
pub struct Figures {
    /// Operations done in the row.
    pub in_place: AtomicI64,
    /// Operations done in a slice.
    pub in_slices: AtomicI64,
    /// Slices created.
    pub slices_created: AtomicI64,
    /// In-place attempts that met another transaction.
    pub collisions: AtomicI64,
    /// Objects that a round of folding merged.
    pub folds: AtomicI64,
    /// Slices that folding removed.
    pub slices_folded: AtomicI64,
    /// Slices removed because their row was gone.
    pub orphans_collected: AtomicI64,
    /// Abstract locks that had to be waited for.
    pub waits: AtomicI64,
    /// Waits for one's turn before an object.
    pub phaser_waits: AtomicI64,
    /// Those that ended in the lock queue, because the turn did not come.
    pub phaser_timeouts: AtomicI64,
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Figures {}

impl Figures {
    fn named(&self, name: &str) -> Option<&AtomicI64> {
        Some(match name {
            "in_place" => &self.in_place,
            "in_slices" => &self.in_slices,
            "slices_created" => &self.slices_created,
            "collisions" => &self.collisions,
            "folds" => &self.folds,
            "slices_folded" => &self.slices_folded,
            "orphans_collected" => &self.orphans_collected,
            "waits" => &self.waits,
            "phaser_waits" => &self.phaser_waits,
            "phaser_timeouts" => &self.phaser_timeouts,
            _ => return None,
        })
    }
}

pg_function!(
    /// One figure by name; NULL for an unknown name.
    fn abelian_figure(call) {
        // SAFETY: declared with a text argument.
        let name = unsafe { String::from_datum(call.arg(0), false) }.unwrap_or_default();
        if name == "in_phases" {
            return Ok(PHASER.get().present().into());
        }
        Ok(match FIGURES.get().named(&name) {
            Some(figure) => figure.load(Ordering::Relaxed).into(),
            None => call.null(),
        })
    }
);

/// Counts events.
pub fn count(figure: &AtomicI64, events: i64) {
    figure.fetch_add(events, Ordering::Relaxed);
}
