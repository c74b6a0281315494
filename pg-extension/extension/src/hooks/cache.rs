//! Changes of catalogues, by which what is kept of them becomes stale. PostgreSQL itself keeps the list of those who want to be told.

use crate::boundary;
use pgrx::pg_sys::{self, Datum, Oid, SysCacheIdentifier};

/// Who is told which relation has changed; `Oid::INVALID` stands for all.
pub type RelationChanged = fn(Oid);
/// Who is told that something in a catalogue has changed.
pub type CatalogueChanged = fn();

/// Has `told` called for every relation that has changed, in every process.
pub fn on_relation(told: RelationChanged) {
    // SAFETY: the argument comes back as it is.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation_changed), Datum::from(told as usize))
    };
}

/// Has `told` called when one of these catalogues has changed.
pub fn on_catalogues(catalogues: &[SysCacheIdentifier::Type], told: CatalogueChanged) {
    for catalogue in catalogues {
        // SAFETY: as above.
        unsafe {
            pg_sys::CacheRegisterSyscacheCallback(
                *catalogue as i32,
                Some(catalogue_changed),
                Datum::from(told as usize),
            )
        };
    }
}

unsafe extern "C-unwind" fn relation_changed(told: Datum, relation: Oid) {
    // SAFETY: PostgreSQL calls, with the function given in `on_relation`.
    unsafe {
        let told = std::mem::transmute::<usize, RelationChanged>(told.value());
        boundary::guard(|| told(relation));
    }
}

unsafe extern "C-unwind" fn catalogue_changed(told: Datum, _cache: i32, _hash: u32) {
    // SAFETY: PostgreSQL calls, with the function given in `on_catalogues`.
    unsafe {
        let told = std::mem::transmute::<usize, CatalogueChanged>(told.value());
        boundary::guard(told);
    }
}
