//! Rows that a router has gathered come as arrays, of which the planner knows the length and nothing else. Their range is named after the
//! table that they are of, and its columns after those of the table; so its statistics on this node stand for theirs.

use super::analysis::tree;
use super::{postgres, settings};
use crate::hooks::statistics::{self, Column};
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, CString};

/// Longer names are cut; the rows of such a table have no statistics.
const NAME_MAX: usize = pg_sys::NAMEDATALEN as usize - 1;

/// Called once when the library is loaded.
pub fn install() {
    statistics::subscribe(like);
}

/// What the range of the rows of a table is named.
pub fn range_name(table: Oid) -> String {
    // SAFETY: catalogue look-ups; what is gone has no name.
    let name = unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(table));
        let relation = pg_sys::get_rel_name(table);
        format!("{}.{}", tree::string(schema), tree::string(relation))
    };
    cut(&name).to_owned()
}

fn cut(name: &str) -> &str {
    let end = (0..=NAME_MAX.min(name.len()))
        .rev()
        .find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

fn like(range: &pg_sys::RangeTblEntry, column: i16, type_oid: Oid) -> Option<Column> {
    if range.rtekind != pg_sys::RTEKind::RTE_FUNCTION || settings::PLACEMENT_VERSION.get() == 0 {
        return None;
    }
    // SAFETY: a range has its names.
    let names = unsafe { &*range.eref };
    // SAFETY: as above.
    let table = table_of(unsafe { CStr::from_ptr(names.aliasname) }.to_str().ok()?)?;
    let name = CString::new(
        tree::strings(names.colnames)
            .into_iter()
            .nth(column as usize - 1)?,
    );
    // SAFETY: look-ups by name and number.
    let (number, has_type) = unsafe {
        let number = pg_sys::get_attnum(table, name.ok()?.as_ptr());
        (number, pg_sys::get_atttype(table, number) == type_oid)
    };
    has_type.then(|| Column {
        table,
        number,
        // SAFETY: a look-up by number.
        with_partitions: unsafe { pg_sys::get_rel_relkind(table) } as u8
            == pg_sys::RELKIND_PARTITIONED_TABLE,
        may_be_shown: may_read(table),
    })
}

/// A schema's name may have dots, too.
fn table_of(name: &str) -> Option<Oid> {
    name.match_indices('.').find_map(|(at, _)| {
        let schema = CString::new(&name[..at]).ok()?;
        let relation = CString::new(&name[at + 1..]).ok()?;
        // SAFETY: look-ups by name; missing is allowed.
        let table = unsafe {
            let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
            match schema {
                Oid::INVALID => schema,
                _ => pg_sys::get_relname_relid(relation.as_ptr(), schema),
            }
        };
        (table != Oid::INVALID).then_some(table)
    })
}

/// Whether the user sees all rows of the table.
fn may_read(table: Oid) -> bool {
    let mode = pg_sys::ACL_SELECT as pg_sys::AclMode;
    // SAFETY: a look-up by number.
    let granted = unsafe {
        pg_sys::pg_class_aclcheck(table, pg_sys::GetUserId(), mode)
            == pg_sys::AclResult::ACLCHECK_OK
    };
    granted && !has_row_security(table)
}

/// Also true of what is gone. The planner holds no lock on the table, so it is not opened.
fn has_row_security(table: Oid) -> bool {
    postgres::class_field(table, pg_sys::Anum_pg_class_relrowsecurity)
        .is_none_or(|value| value.value() != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(cut("public.orders"), "public.orders");
        assert_eq!(cut(&"x".repeat(80)).len(), NAME_MAX);
        assert_eq!(cut(&format!("{}é", "x".repeat(62))).len(), 62);
    }
}
