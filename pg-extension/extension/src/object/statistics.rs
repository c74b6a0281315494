//! Figures since the server started, for `abelian.statistics`. All databases together.

use pgrx::PGRXSharedMemory;
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
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Figures {}

/// Counts one event.
pub fn count(figure: &AtomicI64, events: i64) {
    figure.fetch_add(events, Ordering::Relaxed);
}
