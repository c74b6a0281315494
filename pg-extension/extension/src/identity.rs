//! Which object is meant: what the rooms of locks and of objects both speak of.

use pgrx::pg_sys::Oid;

/// Where an object lives; relation and attribute are for views and clean-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Identity; never 0 for an object that is split.
    pub id: i64,
    /// Table that holds the row.
    pub relation: Oid,
    /// Column number in that table.
    pub attribute: i16,
}
