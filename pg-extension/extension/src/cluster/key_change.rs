//! ALTER TABLE ... ALTER COLUMN ... TYPE of a distribution column: rows stay where they are, so their keys must stay what they are.

use super::analysis::relation;
use super::analysis::tree;
use super::placement::{Distribution, Kind};
use super::procedure::placements::{self, Home};
use super::{postgres, settings};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, AlterTableType, Oid};

/// Raises 0A000 if the command could change keys of rows that are there.
pub fn check(alter: &pg_sys::AlterTableStmt) {
    if settings::NODE_ID.get() == 0 {
        return;
    }
    let Some(table) =
        tree::cast::<pg_sys::RangeVar, _>(alter.relation).and_then(relation::existing)
    else {
        return;
    };
    let Home::Distributed(distribution) = placements::home(table) else {
        return;
    };
    let changes = tree::list::<pg_sys::AlterTableCmd>(alter.cmds)
        .filter(|command| command.subtype == AlterTableType::AT_AlterColumnType)
        .find(|command| may_change(table, &distribution, command));
    if let Some(command) = changes {
        drop(distribution);
        // SAFETY: a lock to the end of the transaction, which the command takes as well.
        unsafe { pg_sys::LockRelationOid(table, pg_sys::AccessExclusiveLock as i32) };
        if postgres::has_rows(table) {
            refuse(table, &tree::string(command.name));
        }
    }
}

fn may_change(table: Oid, distribution: &Distribution, command: &pg_sys::AlterTableCmd) -> bool {
    // SAFETY: look-ups of a column of that table, which may be none.
    let (attribute, old) = unsafe {
        let attribute = pg_sys::get_attnum(table, command.name);
        (attribute, modifier_of(table, attribute))
    };
    let key = distribution
        .columns()
        .iter()
        .find(|column| column.attribute == attribute);
    let (Some(key), Some(column)) = (key, tree::cast::<pg_sys::ColumnDef, _>(command.def)) else {
        return false;
    };
    // SAFETY: a name of a type, which may be none; PostgreSQL says so then.
    unsafe {
        let (mut type_oid, mut new) = (Oid::INVALID, -1);
        let found = pg_sys::LookupTypeName(std::ptr::null_mut(), column.typeName, &mut new, true);
        if !found.is_null() {
            type_oid = pg_sys::getBaseTypeAndTypmod(pg_sys::typeTypeId(found), &mut new);
            pg_sys::ReleaseSysCache(found.cast());
        }
        !column.raw_default.is_null() || !keeps(key.kind, old, type_oid, new)
    }
}

unsafe fn modifier_of(table: Oid, attribute: i16) -> i32 {
    let (mut type_oid, mut modifier, mut collation) = (Oid::INVALID, -1, Oid::INVALID);
    if attribute > 0 {
        // SAFETY: a column of an existing table.
        unsafe {
            pg_sys::get_atttypetypmodcoll(
                table,
                attribute,
                &mut type_oid,
                &mut modifier,
                &mut collation,
            );
            pg_sys::getBaseTypeAndTypmod(type_oid, &mut modifier);
        }
    }
    modifier
}

/// Whether the cast to the type of that modifier leaves all values of a column as they are, or fails.
fn keeps(kind: Kind, old: i32, type_oid: Oid, new: i32) -> bool {
    match kind {
        Kind::Integer
        | Kind::BlankPadded
        | Kind::Uuid
        | Kind::Boolean
        | Kind::Date
        | Kind::Bytea => true,
        // Shorter ones cut blanks, and the others round.
        Kind::Text | Kind::Timestamp | Kind::Timestamptz | Kind::Time => {
            new < 0 || (old >= 0 && new >= old)
        }
        Kind::Decimal => new < 0 || (old >= 0 && scale(new) >= scale(old)),
        Kind::Float => type_oid == pg_sys::FLOAT8OID,
    }
}

/// The digits behind the point of `numeric(p, s)`, by its modifier.
fn scale(modifier: i32) -> i32 {
    let bits = (modifier - 4) & 0x7FF;
    (bits ^ 1024) - 1024
}

fn refuse(table: Oid, column: &str) -> ! {
    // SAFETY: the name of a relation that exists.
    let name = unsafe { tree::string(pg_sys::get_rel_name(table)) };
    PostgresError::unsupported(
        &format!("the new type could change the values of distribution column \"{column}\" of table \"{name}\""),
        "Rows lie where their values say. Call undistribute_table(), alter the column, and distribute the table again.",
    )
    .raise()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(precision: i32, scale: i32) -> i32 {
        ((precision << 16) | (scale & 0x7FF)) + 4
    }

    #[test]
    fn what_rounds_or_cuts_may_change_values() {
        let numbers = pg_sys::NUMERICOID;
        let keeps_scale = |old, new| keeps(Kind::Decimal, old, numbers, new);
        assert!(keeps_scale(numeric(10, 2), numeric(12, 2)));
        assert!(keeps_scale(numeric(10, -3), numeric(10, 2)));
        assert!(keeps_scale(-1, -1));
        assert!(!keeps_scale(numeric(10, 2), numeric(12, 1)));
        assert!(!keeps_scale(-1, numeric(12, 1)));
        assert!(keeps(Kind::Text, 9, pg_sys::VARCHAROID, 12));
        assert!(!keeps(Kind::Text, -1, pg_sys::VARCHAROID, 12));
        assert!(keeps(Kind::Float, -1, pg_sys::FLOAT8OID, -1));
        assert!(!keeps(Kind::Float, -1, pg_sys::FLOAT4OID, -1));
    }
}
