//! How the rows of one table are spread over the nodes.

use super::column::{KeyColumn, Operation};
use super::datum::{self, Unplaced};
use super::entries::Entries;
use super::function::{Function, Method, scaled};
use super::value::{Value, hash_of_bytes};
use pgrx::pg_sys::{Datum, Oid};
use std::collections::BTreeSet;

/// What two tables have in common whose rows with an equal value in their only distribution column lie together: the colocation group, and what is made
/// of the value.
pub type Way = (i32, Option<Operation>);

/// The partition of the rows that have NULL in the only distribution column of their table, whatever the function. Nothing is equal to NULL, so
/// who asks for them asks every node; that they lie together is what GROUP BY and DISTINCT need.
const OF_NULL: usize = 0;

/// The distribution columns of a table, and the function and nodes of its colocation group.
pub struct Distribution {
    columns: Vec<KeyColumn>,
    function: Function,
    /// The node of each partition.
    nodes: Vec<i32>,
    entries: Entries,
}

impl Distribution {
    /// There is at least one column, and a node for each partition.
    pub fn new(
        columns: Vec<KeyColumn>,
        function: Function,
        nodes: Vec<i32>,
        entries: Entries,
    ) -> Self {
        Distribution {
            columns,
            function,
            nodes,
            entries,
        }
    }

    /// The distribution columns, in their order.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// The distribution column of a table that has one only.
    pub fn single(&self) -> Option<&KeyColumn> {
        match &self.columns[..] {
            [column] => Some(column),
            _ => None,
        }
    }

    /// How a value of the only distribution column leads to a node; `None` when there are several.
    pub fn way(&self) -> Option<Way> {
        self.single()
            .map(|column| (self.entries.colocation(), column.operation))
    }

    /// Whether rows that have the same in their distribution columns, one after the other, lie together.
    pub fn places_as(&self, other: &Distribution) -> bool {
        let operations = |of: &Distribution| -> Vec<Option<Operation>> {
            of.columns.iter().map(|column| column.operation).collect()
        };
        self.entries.colocation() == other.entries.colocation()
            && operations(self) == operations(other)
    }

    /// The column of a table that is distributed by the hash of one plain column.
    fn plain(&self) -> Option<&KeyColumn> {
        let column = self.single()?;
        (self.function.method == Method::Hash && column.operation.is_none()).then_some(column)
    }

    /// Whether rows lie by what they have in this column.
    pub fn is_by(&self, attribute: i16) -> bool {
        self.columns
            .iter()
            .any(|column| column.attribute == attribute)
    }

    /// The node of the rows with NULL in the distribution column; `None` of a table with several, which has no such rows: a statement that knows one of
    /// the columns would have to ask this node, too.
    pub fn node_of_null(&self) -> Option<i32> {
        self.partition_of_null()
            .map(|partition| self.nodes[partition])
    }

    /// As [`Self::node_of_null`], the partition.
    pub fn partition_of_null(&self) -> Option<usize> {
        self.single().map(|_| OF_NULL)
    }

    /// Every node that has a partition.
    pub fn all_nodes(&self) -> BTreeSet<i32> {
        self.nodes.iter().copied().collect()
    }

    /// The partition of a row with these keys; `None` when no rule covers it.
    pub fn partition(&self, keys: &[Value]) -> Option<usize> {
        self.function
            .partition(keys, |key| self.entries.find(self.columns[0].kind, key))
    }

    /// The node of a row with these keys; `None` when no rule covers it.
    pub fn node(&self, keys: &[Value]) -> Option<i32> {
        self.partition(keys).map(|partition| self.nodes[partition])
    }

    /// The node of a row, of its values in the distribution columns and their types.
    ///
    /// # Safety
    /// `value` must give, for the place of a distribution column, a datum of the type that it says, which is not null.
    pub unsafe fn node_of(&self, value: impl Fn(usize) -> (Oid, Datum)) -> Result<i32, Unplaced> {
        if let Some(column) = self.plain() {
            let (type_oid, datum) = value(0);
            // SAFETY: by the caller's promise.
            let hash =
                unsafe { datum::read(column.kind, type_oid, datum, |n| n as u64, hash_of_bytes)? };
            return Ok(self.nodes[scaled(hash, self.nodes.len())]);
        }
        let keys: Result<Vec<Value>, Unplaced> = (0..self.columns.len())
            .map(|place| {
                let (type_oid, datum) = value(place);
                // SAFETY: by the caller's promise.
                unsafe { key(&self.columns[place], type_oid, datum) }
            })
            .collect();
        self.node(&keys?).ok_or(Unplaced::Nowhere)
    }
}

/// The key of a row that has the value in the column.
///
/// # Safety
/// The datum must be of that type, and not null.
pub unsafe fn key(column: &KeyColumn, type_oid: Oid, datum: Datum) -> Result<Value, Unplaced> {
    // SAFETY: by the caller's promise.
    Ok(column.key(unsafe { whole(column, type_oid, datum)? }))
}

/// The canonical value that such a column has.
///
/// # Safety
/// The datum must be of that type, and not null.
pub unsafe fn whole(column: &KeyColumn, type_oid: Oid, datum: Datum) -> Result<Value, Unplaced> {
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    // SAFETY: by the caller's promise.
    unsafe { datum::read(column.kind, type_oid, datum, Value::Number, bytes) }
}
