//! Types over an aggregate: an object's state is the state of a parallel-safe SQL aggregate. The aggregate's transition function applies an
//! operation, its combine function merges slices, its final function reads.
//!
//! Here lie the description of such a type ([`Family`]), states as bytes, and the calls of the aggregate's functions. Nothing here knows
//! objects, slices, locks or statements.

mod call;
mod changes;
mod family;
mod label;
mod state;
mod structure;
mod trust;

pub use call::call;
pub use family::{Family, Notation, is_input};
pub use label::{Operation, operation};
pub use structure::Structure;

/// Registers callbacks and the label provider; called once when the library is loaded.
pub fn install() {
    family::install();
    label::install();
    changes::install();
}
