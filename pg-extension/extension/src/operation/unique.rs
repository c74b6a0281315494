//! Whether conditions name at most one row of a table, by a unique key.

use super::rewrite::Relation;
use super::tree::{self, Any};
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};

/// A unique index over columns that holds for all rows at any time.
#[derive(Debug)]
pub struct Key(Vec<Part>);

impl Key {
    /// Whether the column is one of its columns.
    pub fn has(&self, attribute: i16) -> bool {
        self.0.iter().any(|part| part.attribute == attribute)
    }

    /// Whether each of its columns, with the operator family and collation by which its values are equal, passes the test.
    pub fn is_named(&self, mut test: impl FnMut(i16, Oid, Oid) -> bool) -> bool {
        let mut parts = self.0.iter();
        parts.all(|part| test(part.attribute, part.family, part.collation))
    }
}

/// A column of a key, and what makes two of its values equal.
#[derive(Debug)]
struct Part {
    attribute: i16,
    family: Oid,
    collation: Oid,
}

/// The keys of a relation.
pub fn keys(relation: &Opened) -> Vec<Key> {
    let mut keys = Vec::new();
    // SAFETY: the indexes of an open relation; each is opened and closed here.
    unsafe {
        let indexes = pg_sys::RelationGetIndexList(relation.relation());
        for n in 0..pg_sys::list_length(indexes) {
            let index = pg_sys::list_nth_oid(indexes, n);
            if let Some(index) = Opened::open(index, pg_sys::AccessShareLock) {
                keys.extend(key(&index));
            }
        }
    }
    keys
}

/// # Safety
/// `index` must be an index.
unsafe fn key(index: &Opened) -> Option<Key> {
    // SAFETY: an open index has as many operator families and collations as columns.
    unsafe {
        let relation = index.relation();
        let form = &*(*relation).rd_index;
        let attributes = form.indkey.values.as_slice(form.indnkeyatts as usize);
        // The last column of WITHOUT OVERLAPS is compared otherwise.
        let usable = form.indisunique
            && !form.indisexclusion
            && form.indimmediate
            && form.indisvalid
            && attributes.iter().all(|attribute| *attribute > 0)
            && pg_sys::RelationGetIndexPredicate(relation).is_null();
        let part = |(n, attribute): (usize, &i16)| Part {
            attribute: *attribute,
            family: *(*relation).rd_opfamily.add(n),
            collation: *(*relation).rd_indcollation.add(n),
        };
        usable.then(|| Key(attributes.iter().enumerate().map(part).collect()))
    }
}

/// Whether the conditions of a statement that reads no other relation leave one row of this one at most, whatever the rows
/// contain.
pub fn names_one_row(target: &Relation<'_>, conditions: &[Any]) -> bool {
    target.facts.unique.iter().any(|key| {
        key.0.iter().all(|part| {
            let equals = |condition: &Any| equals(target, part, *condition).unwrap_or(false);
            conditions.iter().any(equals)
        })
    })
}

/// Whether a condition compares the column with something that is the same for all rows.
fn equals(target: &Relation<'_>, part: &Part, condition: Any) -> Option<bool> {
    let comparison = condition.cast::<pg_sys::OpExpr>()?;
    let [left, right] = tree::items::<pg_sys::Node>(comparison.args)[..] else {
        return None;
    };
    let is_constant = |node: Any| {
        target
            .columns_read(node.pointer::<pg_sys::Node>())
            .is_empty()
            && !tree::is_volatile(node)
    };
    let (column, other) = match is_constant(right) {
        true => (left, right),
        false => (right, left),
    };
    // `varchar` is compared as `text`.
    let column = column
        .cast::<pg_sys::RelabelType>()
        .and_then(|label| tree::Tree::new(label.arg.cast()))
        .unwrap_or(column);
    let column = column.cast::<pg_sys::Var>()?;
    // SAFETY: a lookup of an operator.
    let strategy = unsafe { pg_sys::get_op_opfamily_strategy(comparison.opno, part.family) };
    Some(
        column.varno == target.number
            && column.varattno == part.attribute
            && column.varlevelsup == 0
            && is_constant(other)
            && strategy as u32 == pg_sys::BTEqualStrategyNumber
            && (part.collation == pg_sys::InvalidOid || comparison.inputcollid == part.collation),
    )
}
