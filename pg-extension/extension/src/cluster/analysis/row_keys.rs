//! Rows by their primary key.

use super::merge::build;
use super::parser;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use crate::operation;
use pgrx::pg_sys::{self, CmdType, LockClauseStrength, Oid, SubLinkType};
use std::collections::BTreeSet;

/// The columns of the primary key; none when there is none.
pub fn key_columns(table: &Opened) -> BTreeSet<i16> {
    let kind = pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_PRIMARY_KEY;
    operation::attributes(table, kind)
}

/// The columns of the primary key, of a table as the range of that number.
pub fn key_vars(table: &Opened, range: i32) -> Vec<NodePtr> {
    key_columns(table)
        .into_iter()
        .map(|number| tree::make_column(range, &table.columns()[number as usize - 1]))
        .collect()
}

/// The lock that an UPDATE or a DELETE takes on the rows that it finds.
pub fn lock_of(change: &pg_sys::Query, table: &Opened) -> LockClauseStrength::Type {
    let kind = pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_KEY;
    let keys = operation::attributes(table, kind);
    let mut assigned = tree::assignments(change).into_iter();
    match change.commandType == CmdType::CMD_DELETE || assigned.any(|to| keys.contains(&to.resno)) {
        true => LockClauseStrength::LCS_FORUPDATE,
        false => LockClauseStrength::LCS_FORNOKEYUPDATE,
    }
}

/// The default equality of a column's type.
pub fn equality(column: NodePtr) -> Oid {
    // SAFETY: a look-up of an existing type, which an index compares.
    unsafe {
        (*pg_sys::lookup_type_cache(tree::type_of(column), pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr
    }
}

/// The column's equality with a value of its type.
pub fn is_equal(column: NodePtr, other: NodePtr) -> NodePtr {
    let collation = tree::collation_of(column);
    // SAFETY: both are of the type that the operator compares.
    unsafe {
        pg_sys::make_opclause(
            equality(column),
            pg_sys::BOOLOID,
            false,
            tree::copy(column).cast(),
            other.cast(),
            Oid::INVALID,
            collation,
        )
        .cast()
    }
}

/// That a column has a value of the array that is the parameter behind the first ones.
pub fn in_array(column: NodePtr, first: usize, parameters: &[Oid]) -> NodePtr {
    let array = tree::make_parameter(first as i32 + 1, parameters[first]);
    tree::make_any(equality(column), tree::collation_of(column), column, array)
}

/// `(columns) IN (rows)` over rows in one array for each column, the parameters behind the first ones.
pub fn in_rows(
    columns: &[NodePtr],
    first: usize,
    parameters: &[Oid],
) -> Result<NodePtr, PostgresError> {
    let rows = build::rows(first, &parameters[..first + columns.len()])?;
    let fields = columns.iter().zip(1..);
    let fields = fields.map(|(column, number)| tree::make_field(1, number, *column));
    rows.targetList = tree::make_list(build::targets(fields, 1));
    Ok(in_query(columns, rows))
}

/// `(columns) IN (query)`
pub fn in_query(columns: &[NodePtr], query: &'static mut pg_sys::Query) -> NodePtr {
    let equal = columns.iter().zip(1..).map(|(column, number)| {
        let field = tree::make::<pg_sys::Param>();
        field.paramkind = pg_sys::ParamKind::PARAM_SUBLINK;
        field.paramid = number;
        field.paramtype = tree::type_of(*column);
        field.paramtypmod = -1;
        field.paramcollid = tree::collation_of(*column);
        field.location = -1;
        is_equal(*column, std::ptr::from_mut(field).cast())
    });
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = SubLinkType::ANY_SUBLINK;
    link.subselect = std::ptr::from_mut(query).cast();
    link.location = -1;
    // SAFETY: makes nodes of a name and of conditions.
    unsafe {
        let name = pg_sys::pstrdup(parser::c_text("=").as_ptr());
        link.operName = tree::make_list([pg_sys::makeString(name).cast()]);
        link.testexpr = pg_sys::make_ands_explicit(tree::make_list(equal)).cast();
    }
    std::ptr::from_mut(link).cast()
}
