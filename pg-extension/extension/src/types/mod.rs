//! The SQL types: layout of their datums, input and output, what COPY reads, casts, and operations on a row's own datum.

pub mod aggregated;
pub mod boards;
pub mod bounded_counter;
pub mod bounded_decimal;
pub mod counter;
pub mod decimal_counter;
pub mod detached;
pub mod elements;
mod loading;
pub mod lww_map;
pub mod queries;
pub mod sampled;
pub mod structures;
pub mod unique_id;

/// Subscribes to hooks; called once when the library is loaded.
pub fn install() {
    loading::install();
}
