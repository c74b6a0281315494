//! Commuting data types, their operations and laws. Nothing here knows PostgreSQL, and nothing here may.
//!
//! The frame:
//!
//! * [`data_type`]: what a type is: state, operations, queries, and how an operation becomes a change that merges.
//! * [`specification`]: which accesses commute, as a table in code; [`table`] prints it for the documentation.
//! * [`locks`]: the locks that follow from it, on the object and on its elements.
//! * [`program`]: operations on elements, written down to be done under the locks.
//! * [`encoding`]: states as bytes.
//! * [`ordered`]: values with a total order; [`exact`] and [`numeric`]: decimal numbers.
//!
//! The types:
//!
//! * [`counter`]: the sum of 64-bit integers, and the bounds within which parts of it may be summed apart.
//! * [`decimal`]: the sum of decimal numbers with PostgreSQL's special values: the model of `decimal_counter`.
//! * [`sum`]: the specification of both.
//! * [`bounded_counter`]: escrow: when an operation on a sum keeps its bounds, however running transactions end;
//!   [`escrow`] is its specification; [`row_bounds`]: bounds that each row has for itself; [`remembered`]: what a sum
//!   may be, for operations far from its bounds; [`fixed_point`]: decimal numbers under escrow.
//! * [`max`], [`min`], [`bool_or`], [`bool_and`], [`ordered_put`]: the greatest, the least, the one with the greatest
//!   order; [`extremum`] is what they share.
//! * [`top_k`]: the k best pairs of score and item: the greatest or the least, with all pairs of an item or its best.
//! * [`set`], [`multiset`]: texts, and how many there are of each; [`size`]: escrow on the size of a set.
//! * [`scored_set`], [`dict`]: texts with scores, texts by key; [`lww_map`]: values by key, of which the greatest order
//!   wins.
//! * [`summary_bag`]: count, sum, mean, variance, least and greatest of numbers.
//! * [`unique_id`]: numbers that are given out once.

pub mod bool_and;
pub mod bool_or;
pub mod bounded_counter;
#[cfg(test)]
mod broken;
pub mod counter;
pub mod data_type;
pub mod decimal;
pub mod dict;
pub mod encoding;
mod entries;
pub mod escrow;
pub mod exact;
pub mod extremum;
pub mod fixed_point;
#[cfg(test)]
mod laws;
pub mod locks;
pub mod lww_map;
pub mod max;
pub mod min;
pub mod multiset;
pub mod numeric;
pub mod ordered;
pub mod ordered_put;
pub mod phases;
pub mod program;
pub mod remembered;
pub mod row_bounds;
#[cfg(test)]
mod schedule;
pub mod scored_set;
pub mod set;
pub mod size;
pub mod specification;
pub mod sum;
pub mod summary_bag;
pub mod table;
pub mod test_in_range;
pub mod top_k;
pub mod unique_id;

/// A commutative monoid: what the slices of a split object must form so that they may be merged in any order.
///
/// Laws (property tests prove them for every implementation): `merge` is associative and commutative wherever
/// it is defined, and `identity` is neutral.
pub trait Merge: Sized {
    /// The neutral element: an object without slices.
    fn identity() -> Self;

    /// Both parts together; `None` where the result cannot be represented.
    fn merge(&self, other: &Self) -> Option<Self>;

    /// All parts together, like with like: so n small ones take in the order of n log n steps, where one after the other
    /// would take their square.
    fn merge_all(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        // Of 2^level parts each, the levels descending.
        let mut merged: Vec<(u32, Self)> = Vec::new();
        for mut part in parts {
            let mut level = 0;
            while let Some((_, before)) = merged.pop_if(|(there, _)| *there == level) {
                part = before.merge(&part)?;
                level += 1;
            }
            merged.push((level, part));
        }
        let from_the_smallest = merged.into_iter().rev();
        from_the_smallest
            .map(|(_, part)| part)
            .try_fold(Self::identity(), |all, part| part.merge(&all))
    }
}
