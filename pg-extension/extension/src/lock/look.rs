//! Looking at rows for those who look at waits: tables are opened without waiting; the name of a row for people is its
//! primary key, for whom may read it.

use crate::compat;
use crate::pg_function;
use pgrx::pg_sys::{self, Datum, ItemPointerData, Oid, Relation};

/// A relation opened for a look. Whoever looks at waits must not wait himself: what is locked is left alone.
pub struct Opened(Relation);

impl Opened {
    fn open(id: Oid) -> Option<Self> {
        // SAFETY: a lock that is not waited for; gone relations are not opened.
        unsafe {
            let lock = pg_sys::AccessShareLock as i32;
            if !pg_sys::ConditionalLockRelationOid(id, lock) {
                return None;
            }
            let relation = pg_sys::try_relation_open(id, pg_sys::NoLock as i32);
            if relation.is_null() {
                pg_sys::UnlockRelationOid(id, lock);
            }
            (!relation.is_null()).then(|| Opened(relation))
        }
    }

    /// The table, if this session may look at its pages, and `place` is on one of them.
    pub fn table(id: Oid, place: ItemPointerData) -> Option<Self> {
        let block = u32::from(place.ip_blkid.bi_hi) << 16 | u32::from(place.ip_blkid.bi_lo);
        Self::open(id)
            .filter(|table| table.is_table() && place.ip_posid != 0 && table.has_block(block))
    }

    /// Whether the current user may read some column of it.
    pub fn may_be_read(&self) -> bool {
        let select = u64::from(pg_sys::ACL_SELECT);
        // SAFETY: catalogue look-ups of an open relation.
        unsafe {
            let (table, user) = ((*self.0).rd_id, pg_sys::GetUserId());
            let any = pg_sys::AclMaskHow::ACLMASK_ANY;
            pg_sys::pg_class_aclcheck(table, user, select as _) == pg_sys::AclResult::ACLCHECK_OK
                || pg_sys::pg_attribute_aclcheck_all(table, user, select as _, any)
                    == pg_sys::AclResult::ACLCHECK_OK
        }
    }

    /// The relation.
    pub fn relation(&self) -> Relation {
        self.0
    }

    fn is_table(&self) -> bool {
        // SAFETY: open.
        let form = unsafe { &*(*self.0).rd_rel };
        form.relkind as u8 == pg_sys::RELKIND_RELATION
            && form.relpersistence as u8 != pg_sys::RELPERSISTENCE_TEMP
    }

    fn has_block(&self, block: u32) -> bool {
        // SAFETY: a table has pages.
        let blocks = unsafe {
            pg_sys::RelationGetNumberOfBlocksInFork(self.0, pg_sys::ForkNumber::MAIN_FORKNUM)
        };
        block < blocks
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: PostgreSQL closes what is open
        }
        // SAFETY: opened and locked in `open`.
        unsafe { pg_sys::relation_close(self.0, pg_sys::AccessShareLock as i32) };
    }
}

fn primary_key(table: &Opened) -> Option<Opened> {
    // SAFETY: an open table.
    let index = unsafe { compat::primary_key(table.0) };
    (index != Oid::INVALID)
        .then(|| Opened::open(index))
        .flatten()
}

/// As PostgreSQL writes it in the message of a violated constraint.
fn key_of(table: &Opened, index: &Opened, place: ItemPointerData) -> Option<Datum> {
    let mut place = place;
    // SAFETY: both are open; the slot takes a row of the table. A primary key has no expressions.
    unsafe {
        let slot = pg_sys::table_slot_create(table.0, std::ptr::null_mut());
        let shown = pg_sys::table_tuple_fetch_row_version(
            table.0,
            &mut place,
            pg_sys::GetActiveSnapshot(),
            slot,
        );
        let mut text: *mut std::ffi::c_char = std::ptr::null_mut();
        if shown {
            let form = &*(*index.0).rd_index;
            let keys = form.indkey.values.as_slice(form.indnkeyatts as usize);
            let (mut values, mut nulls): (Vec<Datum>, Vec<bool>) = keys
                .iter()
                .map(|attribute| {
                    let mut null = false;
                    let value = pg_sys::slot_getattr(slot, (*attribute).into(), &mut null);
                    (value, null)
                })
                .unzip();
            text = pg_sys::BuildIndexValueDescription(
                index.0,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
        }
        let text = (!text.is_null()).then(|| Datum::from(pg_sys::cstring_to_text(text)));
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        text
    }
}

pg_function!(
    /// The primary key of a row: `(id)=(7)`. NULL if there is none, if the caller may not read it or does not see the row, and if the table is locked.
    fn abelian_row_key(call) {
        // SAFETY: declared with a tid.
        let place = unsafe { *call.arg(1).cast_mut_ptr::<ItemPointerData>() };
        let text = Opened::table(Oid::from(call.arg(0).value() as u32), place)
            .and_then(|table| key_of(&table, &primary_key(&table)?, place));
        Ok(text.unwrap_or_else(|| call.null()))
    }
);
