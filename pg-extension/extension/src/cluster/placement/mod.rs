//! The placement function: in which partition a row lies, by the values of its distribution columns. Nodes compute it here, routers in Java;
//! the two must agree on every value, which tests/cluster compares. It is part of the data format: rows lie by it.
//! docs/decisions/fibonacci-placement.md and placement-rules.md.
//!
//! From below: `kind` and `value` (the canonical form of values), `column` (what of a row is looked at), `rule` (clauses and what holds for other
//! rows), `function` (all together). Nothing of these knows PostgreSQL. Beside them `datum` (values as PostgreSQL passes them), `entries`
//! (the keys of a lookup), and above them `distribution` (how the rows of a table
//! are spread), `rule_text` (rules as users write them) and `functions` (those for SQL).

mod column;
mod datum;
mod distribution;
mod entries;
mod function;
mod functions;
mod kind;
mod rule;
mod rule_json;
mod rule_text;
mod value;

pub use column::{KeyColumn, Operation};
pub use datum::Unplaced;
pub use distribution::{Distribution, Way, key};
pub use entries::Entries;
pub use function::{Function, Method};
pub use kind::Kind;
pub use rule::Rule;
pub use rule_json::columns;
pub use value::{Value, hash_of_bytes};
