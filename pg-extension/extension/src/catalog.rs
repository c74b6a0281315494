//! Identities of the extension's own database objects, looked up once per backend and forgotten when a schema changes.

use crate::backend;
use crate::error::Error;
use crate::hooks::cache;
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;
use std::ffi::CStr;

/// The object identifiers that the extension needs at run time.
#[derive(Clone, Copy, Debug)]
pub struct Catalog {
    /// Schema `abelian`.
    pub schema: Oid,
    /// Type `abelian.counter`.
    pub counter: Oid,
    /// Type `abelian.bounded_counter`; invalid where the extension has not been updated to it.
    pub bounded_counter: Oid,
    /// Type `abelian.bounded_decimal`; invalid likewise.
    pub bounded_decimal: Oid,
    /// Type `abelian.decimal_counter`.
    pub decimal_counter: Oid,
    /// Table `abelian.slice`.
    pub slice: Oid,
    /// Columns of the slice table for types over an aggregate, 0 before version 0.2.0: the type, and the state.
    pub slice_type: i16,
    /// See [`Catalog::slice_type`].
    pub slice_state: i16,
    /// Unique index on `(object, slot)` of the slice table.
    pub slice_key: Oid,
    /// Sequence of object ids.
    pub object_id: Oid,
}

impl Catalog {
    /// Whether values of this type are kept as sums of integers, bounded or not.
    pub fn is_counter_type(&self, type_oid: Oid) -> bool {
        type_oid != Oid::INVALID && (type_oid == self.counter || self.is_bounded_type(type_oid))
    }

    /// Whether operations on values of this type may be refused for their bounds.
    pub fn is_bounded_type(&self, type_oid: Oid) -> bool {
        let bounded = [self.bounded_counter, self.bounded_decimal];
        type_oid != Oid::INVALID && bounded.contains(&type_oid)
    }
}

thread_local! {
    static CACHED: Cell<Option<Catalog>> = const { Cell::new(None) };
}

/// The catalogue of the current database, or `None` where the extension is not installed.
pub fn find() -> Option<Catalog> {
    CACHED.with(|cached| {
        if cached.get().is_none() {
            cached.set(look_up());
        }
        cached.get()
    })
}

/// As [`find`], for code that only runs where the extension is installed.
pub fn get() -> Result<Catalog, Error> {
    find().ok_or(Error::NotInstalled)
}

/// Watches for changes of schemas (DROP EXTENSION drops ours) and of the slice table (ALTER EXTENSION UPDATE adds columns); called once
/// when the library is loaded.
pub fn install() {
    cache::on_catalogues(&[pg_sys::SysCacheIdentifier::NAMESPACEOID], forget);
    cache::on_relation(forget_relation);
}

fn forget_relation(relation: Oid) {
    CACHED.with(|cached| {
        let concerned = |c: Catalog| relation == Oid::INVALID || relation == c.slice;
        if cached.get().is_some_and(concerned) {
            cached.set(None);
        }
    });
}

fn forget() {
    CACHED.with(|cached| cached.set(None));
}

/// Whether a function is one of this library, or one that the extension has made of those.
pub fn is_own_function(function: Oid) -> bool {
    is_of_library(function) || is_of_extension(function)
}

/// Whether a function belongs to one of the two extensions. The functions of types that `abelian.create_type` has made do not.
pub fn is_of_extension(function: Oid) -> bool {
    is_ours(extension_of(function))
}

/// Whether a trigger is a user's: neither PostgreSQL's own, as those of foreign keys are, nor one of the two extensions'.
pub fn is_trigger_of_user(trigger: &pg_sys::Trigger) -> bool {
    !trigger.tgisinternal && !is_of_extension(trigger.tgfoid)
}

/// Whether a function belongs to somebody else's extension.
pub fn is_of_another_extension(function: Oid) -> bool {
    let extension = extension_of(function);
    extension != Oid::INVALID && !is_ours(extension)
}

/// Invalid for a function of no extension.
fn extension_of(function: Oid) -> Oid {
    // SAFETY: a catalogue look-up.
    unsafe { pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, function) }
}

fn is_ours(extension: Oid) -> bool {
    extension != Oid::INVALID
        && [c"abelian", c"abelian_cluster"]
            .iter()
            // SAFETY: a look-up by name; missing is allowed.
            .any(|name| unsafe { pg_sys::get_extension_oid(name.as_ptr(), true) } == extension)
}

fn is_of_library(function: Oid) -> bool {
    let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
    // SAFETY: the row is released; the column is a text.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            return false;
        }
        let mut null = false;
        let number = pg_sys::Anum_pg_proc_probin as i16;
        let library = pg_sys::SysCacheGetAttr(cache, row, number, &mut null);
        let ours = !null
            && CStr::from_ptr(pg_sys::text_to_cstring(library.cast_mut_ptr()))
                == c"$libdir/abelian";
        pg_sys::ReleaseSysCache(row);
        ours
    }
}

fn look_up() -> Option<Catalog> {
    if !backend::in_transaction() || backend::database() == Oid::INVALID {
        return None; // there is nothing to look up
    }
    // SAFETY: catalogue lookups inside of a transaction.
    unsafe {
        let schema = pg_sys::get_namespace_oid(c"abelian".as_ptr(), true);
        if schema == Oid::INVALID {
            return None;
        }
        let relation =
            |name: &CStr| Some(pg_sys::get_relname_relid(name.as_ptr(), schema)).filter(valid);
        let slice = relation(c"slice")?;
        let column = |name: &CStr| pg_sys::get_attnum(slice, name.as_ptr());
        Some(Catalog {
            schema,
            counter: type_named(c"counter", schema)?,
            bounded_counter: type_named(c"bounded_counter", schema).unwrap_or(Oid::INVALID),
            bounded_decimal: type_named(c"bounded_decimal", schema).unwrap_or(Oid::INVALID),
            decimal_counter: type_named(c"decimal_counter", schema)?,
            slice,
            slice_type: column(c"type"),
            slice_state: column(c"state"),
            slice_key: relation(c"slice_key")?,
            object_id: relation(c"object_id")?,
        })
    }
}

fn valid(oid: &Oid) -> bool {
    *oid != Oid::INVALID
}

fn type_named(name: &CStr, schema: Oid) -> Option<Oid> {
    // SAFETY: syscache lookup by (name, schema).
    let oid = unsafe {
        pg_sys::GetSysCacheOid(
            pg_sys::SysCacheIdentifier::TYPENAMENSP as i32,
            pg_sys::Anum_pg_type_oid as i16,
            name.as_ptr().into(),
            schema.into(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        )
    };
    Some(oid).filter(valid)
}
