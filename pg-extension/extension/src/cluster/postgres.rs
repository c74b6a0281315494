//! PostgreSQL calls that pgrx has no binding or no face for, each behind a safe function.

use crate::operation::missing;
use pgrx::pg_sys;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int};

/// PostgreSQL's packing of five characters, six bits each.
pub fn make_sqlstate(code: [u8; 5]) -> c_int {
    code.iter().enumerate().fold(0, |packed, (i, c)| {
        packed | ((c_int::from(*c) - c_int::from(b'0')) & 0x3f) << (6 * i)
    })
}

/// The OID of a table in schema abelian; InvalidOid when the extension is not installed in this database.
pub fn own_relation(name: &CStr) -> pg_sys::Oid {
    // SAFETY: catalogue look-ups inside a transaction.
    unsafe {
        let schema = pg_sys::get_namespace_oid(c"abelian".as_ptr(), true);
        if schema == pg_sys::InvalidOid {
            return schema;
        }
        pg_sys::get_relname_relid(name.as_ptr(), schema)
    }
}

/// The OID of a function in schema abelian; InvalidOid when the extension is not installed in this database, or older.
pub fn own_function(name: &CStr, arguments: &[pg_sys::Oid]) -> pg_sys::Oid {
    // SAFETY: a look-up by a list of String nodes; missing is allowed.
    unsafe {
        let names = [c"abelian", name]
            .into_iter()
            .fold(std::ptr::null_mut(), |list, part| {
                let part = pg_sys::makeString(pg_sys::pstrdup(part.as_ptr()));
                pg_sys::lappend(list, part.cast())
            });
        pg_sys::LookupFuncName(names, arguments.len() as c_int, arguments.as_ptr(), true)
    }
}

/// Whether the current user may give the column a value in an INSERT; a default needs no such privilege.
pub fn may_insert(table: pg_sys::Oid, column: i16) -> bool {
    may(table, column, pg_sys::ACL_INSERT)
}

/// Whether the current user may give the column another value in an UPDATE.
pub fn may_update(table: pg_sys::Oid, column: i16) -> bool {
    may(table, column, pg_sys::ACL_UPDATE)
}

/// Whether the current user has a privilege on the whole table.
pub fn may_whole(table: pg_sys::Oid, mode: u32) -> bool {
    // SAFETY: a catalogue look-up.
    let allowed =
        unsafe { pg_sys::pg_class_aclcheck(table, pg_sys::GetUserId(), mode as pg_sys::AclMode) };
    allowed == pg_sys::AclResult::ACLCHECK_OK
}

fn may(table: pg_sys::Oid, column: i16, mode: u32) -> bool {
    may_whole(table, mode) || {
        let mode = mode as pg_sys::AclMode;
        // SAFETY: a catalogue look-up.
        let allowed =
            unsafe { pg_sys::pg_attribute_aclcheck(table, column, pg_sys::GetUserId(), mode) };
        allowed == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Whether the current user may insert nothing at all into the table, so that an INSERT is refused whatever it gives.
pub fn may_not_insert(table: pg_sys::Oid) -> bool {
    let mode = pg_sys::ACL_INSERT as pg_sys::AclMode;
    // SAFETY: catalogue look-ups.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck(table, user, mode) != pg_sys::AclResult::ACLCHECK_OK
            && pg_sys::pg_attribute_aclcheck_all(table, user, mode, pg_sys::AclMaskHow::ACLMASK_ANY)
                != pg_sys::AclResult::ACLCHECK_OK
    }
}

/// A field of the row that `pg_class` has of a relation, of a type that is passed by value and never NULL; `None` when the relation is gone. Needs no
/// lock.
pub fn class_field(relation: pg_sys::Oid, attribute: u32) -> Option<pg_sys::Datum> {
    let cache = pg_sys::SysCacheIdentifier::RELOID as c_int;
    // SAFETY: a look-up by number; the row is released after use, and the value is no part of it.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache, relation.into());
        if row.is_null() {
            return None;
        }
        let mut is_null = false;
        let value = pg_sys::SysCacheGetAttr(cache, row, attribute as i16, &mut is_null);
        pg_sys::ReleaseSysCache(row);
        Some(value)
    }
}

/// Sets a parameter for the rest of the transaction.
pub fn set_local(name: &CStr, value: &CStr) {
    set(name, value, pg_sys::GucAction::GUC_ACTION_LOCAL);
}

/// Others act on the strength of what this transaction writes: its commit waits for the disk.
pub fn flush_at_commit() {
    // SAFETY: plain read of a setting.
    let level = unsafe { pg_sys::synchronous_commit };
    if level <= pg_sys::SyncCommitLevel::SYNCHRONOUS_COMMIT_LOCAL_FLUSH as i32 {
        set_local(c"synchronous_commit", c"on");
    }
}

/// Sets a parameter, to the end of the current nest level of settings with `GUC_ACTION_SAVE`.
pub fn set(name: &CStr, value: &CStr, action: pg_sys::GucAction::Type) {
    // SAFETY: a setting that any user may make; errors unwind.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            action,
            true,
            0,
            false,
        );
    }
}

thread_local! {
    /// Grows with each call of [`report_again`].
    static REPORTS: Cell<u64> = const { Cell::new(0) };
}

/// Has PostgreSQL look again at a parameter that is computed when it is reported: before it tells the client that it is ready, and once more
/// after the transaction, with which the number that is set here falls back. A parallel plan does not call what sets, and must not set itself.
pub fn report_again(name: &CStr) {
    // SAFETY: plain reads of the backend's state.
    if unsafe { pg_sys::IsInParallelMode() || !pg_sys::IsTransactionState() } {
        return;
    }
    let count = REPORTS.get() + 1;
    REPORTS.set(count);
    let value = CString::new(count.to_string()).unwrap_or_default();
    set_internal(name, &value, pg_sys::GucAction::GUC_ACTION_LOCAL);
}

/// Sets a parameter that users cannot set.
pub fn set_internal(name: &CStr, value: &CStr, action: pg_sys::GucAction::Type) {
    // SAFETY: a setting of our own; errors unwind.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_INTERNAL,
            pg_sys::GucSource::PGC_S_SESSION, // What overrides becomes the default, also of enclosing transactions.
            action,
            true,
            0,
            false,
        );
    }
}

/// Has a scan take the snapshot that PostgreSQL takes for its catalogues: made anew for each scan of another table, and to be had in parallel
/// plans, too, where a latest snapshot is refused.
pub const NEWEST: pg_sys::Snapshot = std::ptr::null_mut();

/// Calls the visitor for each row of a table in schema abelian, with the newest state of the transaction; it gets the
/// values, `None` for NULL and for columns that the table of an older version lacks.
///
/// # Safety
/// The visitor must read the columns as the types that they have.
pub unsafe fn each_row(
    name: &CStr,
    columns: usize,
    visitor: &mut dyn FnMut(&[Option<pg_sys::Datum>]),
) {
    let relation = own_relation(name);
    if relation == pg_sys::InvalidOid {
        return;
    }
    // SAFETY: a sequential scan; everything opened is closed.
    unsafe {
        let table = pg_sys::table_open(relation, pg_sys::AccessShareLock as i32);
        let (no_index, no_key) = (pg_sys::InvalidOid, std::ptr::null_mut());
        let scan = pg_sys::systable_beginscan(table, no_index, false, NEWEST, 0, no_key);
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            visitor(&values(row, (*table).rd_att, columns));
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
    }
}

/// The values of the first columns of a row; `None` for NULL and for columns that there are not.
///
/// # Safety
/// The description must be that of the row.
pub unsafe fn values(
    row: pg_sys::HeapTuple,
    description: pg_sys::TupleDesc,
    columns: usize,
) -> Vec<Option<pg_sys::Datum>> {
    let value = |number: i32| {
        // SAFETY: by the caller's promise.
        unsafe {
            let mut is_null = number > (*description).natts;
            let value =
                (!is_null).then(|| pg_sys::heap_getattr(row, number, description, &mut is_null));
            value.filter(|_| !is_null)
        }
    };
    (1..=columns as i32).map(value).collect()
}

/// Whether a table or one of its partitions has rows here, in the newest state.
pub fn has_rows(relation: pg_sys::Oid) -> bool {
    std::iter::once(relation)
        .chain(missing::descendants(relation))
        .any(|member| {
            // SAFETY: the relation exists; that of a table is looked at.
            unsafe {
                pg_sys::LockRelationOid(member, pg_sys::AccessShareLock as i32);
                let kind = pg_sys::get_rel_relkind(member) as u8;
                kind == pg_sys::RELKIND_RELATION && has_own_rows(member)
            }
        })
}

/// # Safety
/// A locked table.
unsafe fn has_own_rows(table: pg_sys::Oid) -> bool {
    // SAFETY: by the caller's promise.
    unsafe {
        let table = pg_sys::table_open(table, pg_sys::AccessShareLock as i32);
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let slot = pg_sys::table_slot_create(table, std::ptr::null_mut());
        let scan = pg_sys::table_beginscan(table, snapshot, 0, std::ptr::null_mut());
        let found =
            pg_sys::table_scan_getnextslot(scan, pg_sys::ScanDirection::ForwardScanDirection, slot);
        pg_sys::table_endscan(scan);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::UnregisterSnapshot(snapshot);
        pg_sys::table_close(table, pg_sys::AccessShareLock as i32);
        found
    }
}

/// A fresh `text` datum (also good for `json`, which is stored alike).
pub fn text_datum(text: &str) -> pg_sys::Datum {
    // SAFETY: copies `text` into a palloc'd varlena of the given length.
    unsafe {
        pg_sys::Datum::from(pg_sys::cstring_to_text_with_len(
            text.as_ptr().cast(),
            text.len() as c_int,
        ))
    }
}

/// An `integer[]`.
pub fn integers(values: &[i32]) -> pg_sys::Datum {
    let mut data: Vec<pg_sys::Datum> = values.iter().map(|value| (*value).into()).collect();
    // SAFETY: copies as many values as there are, of a type that is passed by value in four bytes.
    unsafe {
        pg_sys::Datum::from(pg_sys::construct_array(
            data.as_mut_ptr(),
            data.len() as c_int,
            pg_sys::INT4OID,
            size_of::<i32>() as c_int,
            true,
            pg_sys::TYPALIGN_INT as std::ffi::c_char,
        ))
    }
}

/// The bytes of a `text` argument as a C string.
///
/// # Safety
/// `datum` must be a non-null `text`.
pub unsafe fn text_argument(datum: pg_sys::Datum) -> CString {
    // SAFETY: text_to_cstring gives a NUL-terminated palloc'd copy.
    unsafe { CStr::from_ptr(pg_sys::text_to_cstring(datum.cast_mut_ptr())).to_owned() }
}

/// A text of the server's in UTF-8.
pub fn to_utf8(text: &CStr) -> CString {
    // SAFETY: the conversion gives its argument or a palloc'd string.
    unsafe {
        let length = text.count_bytes() as c_int;
        let utf8 = pg_sys::pg_enc::PG_UTF8 as c_int;
        CStr::from_ptr(pg_sys::pg_server_to_any(text.as_ptr(), length, utf8)).to_owned()
    }
}

/// A text in UTF-8 as the server keeps it.
pub fn from_utf8(text: &CStr) -> CString {
    // SAFETY: as above.
    unsafe {
        let length = text.count_bytes() as c_int;
        let utf8 = pg_sys::pg_enc::PG_UTF8 as c_int;
        CStr::from_ptr(pg_sys::pg_any_to_server(text.as_ptr(), length, utf8)).to_owned()
    }
}

/// A `name` argument as a C string.
///
/// # Safety
/// `datum` must be a non-null `name`.
pub unsafe fn name_argument(datum: pg_sys::Datum) -> CString {
    // SAFETY: by the caller's promise; a name ends with a zero byte.
    unsafe { CStr::from_ptr(datum.cast_mut_ptr()).to_owned() }
}

/// The elements of an `integer[]` without NULLs that are not negative.
///
/// # Safety
/// `datum` must be such an array.
pub unsafe fn int_array(datum: pg_sys::Datum) -> Vec<usize> {
    let (mut values, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: by the caller's promise; integers are passed by value in four bytes.
    unsafe {
        let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast();
        pg_sys::deconstruct_array(
            array,
            pg_sys::INT4OID,
            size_of::<i32>() as c_int,
            true,
            pg_sys::TYPALIGN_INT as c_char,
            &mut values,
            std::ptr::null_mut(),
            &mut count,
        );
        (0..count as usize)
            .map(|i| values.add(i).read().value() as u32 as usize)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_are_packed_as_postgresql_packs_them() {
        assert_eq!(
            make_sqlstate(*b"40001"),
            pgrx::PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE as c_int
        );
        assert_eq!(
            make_sqlstate(*b"0A000"),
            pgrx::PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as c_int
        );
    }
}
