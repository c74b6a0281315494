//! Independent transactions on a node: the lane in which fragments are executed in the order of their timestamps.
//!
//! docs/protocols/independent-messages.md has the algorithm. `lanes` is the state, `turn` waits for it and ends it with the
//! transaction, `gate` keeps coordinated commits and reads of several nodes apart from it, `fragment`
//! writes what a fragment leaves behind, `functions` is the SQL face. The records are tables of the install script. Nothing here talks to other nodes.

mod fragment;
mod functions;
pub mod gate;
mod lanes;
pub mod turn;

pub use lanes::Lanes;
pub use turn::{Progress, install};
