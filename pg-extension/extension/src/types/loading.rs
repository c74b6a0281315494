//! COPY FROM: the values that it reads for columns become objects as they are read, since no plan makes them so.
//!
//! PostgreSQL has the type's input function read each of them, and says nothing of a column. What is asked instead: a COPY FROM into a table
//! is running; no other statement, of a trigger say, is inside of it; and PostgreSQL looked the function up in the memory context of that name.
//! Elements of arrays, fields of rows and bounds of ranges are read in the same way and must not be objects. So nothing is where the table has
//! a column of a type that holds such values.

use crate::catalog::{self, Catalog};
use crate::compat;
use crate::error::Error;
use crate::function::Call;
use crate::hooks::{self, utility};
use crate::object;
use crate::types::detached;
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;

thread_local! {
    /// How deep inside of statements the COPY runs whose values become objects; 0 for none.
    static LOADING: Cell<u32> = const { Cell::new(0) };
}

/// Notices COPY FROM; called once when the library is loaded.
pub fn install() {
    utility::subscribe(utility::Around {
        concerns: |command| command.loaded_table().is_some(),
        around: load,
    });
}

/// The identity of what an input function has read: 0 for none.
pub fn id_of_input(call: Call) -> Result<i64, Error> {
    let loading = LOADING.get();
    match loading != 0 && loading == hooks::depth() && call.was_found_by(c"COPY") {
        true => object::new_id(),
        false => Ok(0),
    }
}

fn load(command: &utility::Command, copy: utility::Runner<'_>) {
    struct Before(u32);
    impl Drop for Before {
        fn drop(&mut self) {
            LOADING.set(self.0);
        }
    }
    // SAFETY: plain read of a variable of the process. Who may write to temporary tables alone cannot take numbers.
    let read_only = unsafe { pg_sys::XactReadOnly };
    let gives = !read_only && command.loaded_table().is_some_and(has_objects_alone);
    let _before = Before(LOADING.replace(if gives { hooks::depth() + 1 } else { 0 }));
    copy(command);
}

/// Whether the table has columns of our types, and none that holds such values inside.
fn has_objects_alone(table: *mut pg_sys::RangeVar) -> bool {
    let Some(catalog) = catalog::find() else {
        return false;
    };
    // SAFETY: a relation that is open as long as its columns are looked at; they stay what they are, since the lock is COPY's own, which asks for
    // privileges behind it, and says what is not there.
    unsafe {
        let relation = pg_sys::table_openrv_extended(table, pg_sys::RowExclusiveLock as i32, true);
        if relation.is_null() {
            return false;
        }
        let columns = compat::columns_of((*relation).rd_att);
        let types = columns.iter().filter(|column| !column.attisdropped);
        let alone = are_alone(&catalog, types.map(|column| column.atttypid));
        pg_sys::table_close(relation, pg_sys::NoLock as i32);
        alone
    }
}

fn are_alone(catalog: &Catalog, types: impl Iterator<Item = Oid>) -> bool {
    let mut found = false;
    for type_ in types {
        // SAFETY: a syscache lookup.
        let base = unsafe { pg_sys::getBaseType(type_) };
        if object::is_object_type(catalog, base) {
            found = true;
        } else if detached::may_hold(base) {
            return false;
        }
    }
    found
}
