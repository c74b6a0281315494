//! Commuting data types, their operations and laws. Nothing here knows PostgreSQL, and nothing here may.
//!
//! * [`bounded_counter`]: escrow: when an operation on a sum keeps its bounds, however running transactions end.
//! * [`counter`]: the sum of 64-bit integers, and the bounds within which parts of it may be summed apart.
//! * [`decimal`]: the sum of decimal numbers with PostgreSQL's special values: the model of `decimal_counter`.
//! * [`commutativity`]: which kinds of access commute; the extension derives its lock modes from this table.

pub mod bounded_counter;
pub mod commutativity;
pub mod counter;
pub mod decimal;

/// A commutative monoid: what the slices of a split object must form so that they may be merged in any order.
///
/// Laws (property tests prove them for every implementation): `merge` is associative and commutative wherever
/// it is defined, and `identity` is neutral.
pub trait Merge: Sized {
    /// The neutral element: an object without slices.
    fn identity() -> Self;

    /// Both parts together; `None` where the result cannot be represented.
    fn merge(&self, other: &Self) -> Option<Self>;
}
