//! The SQL face of Abelian: a PostgreSQL extension.
//!
//! Rooms, arrows only downwards: `operation` (interception of statements) → `types` (one file per SQL type) →
//! `object` (slices, splitting, folding) → `lock` (modes) → `aggregate` (states of types over an aggregate); beside
//! them `cluster` (the node side of a cluster), above it `advice` (which columns would gain from a type). At the bottom lie `backend`, `boundary`, `catalog`, `compat`, `error`, `function`,
//! `harmless`, `hooks`, `identity`, `numeric`, `opened`, `owner`, `settings`, `statistics` and `varlena`, which know none of the rooms, and
//! `shared_memory`, which knows what each of them keeps there.
//!
//! SQL functions use the version-1 calling convention by [`function::pg_function`]; their declarations are in
//! the install scripts in `sql`.

pub mod advice;
pub mod aggregate;
pub mod backend;
pub mod boundary;
pub mod catalog;
pub mod cluster;
pub mod compat;
pub mod error;
pub mod function;
pub mod harmless;
pub mod hooks;
pub mod identity;
pub mod lock;
pub mod numeric;
pub mod object;
pub mod opened;
pub mod operation;
pub mod owner;
pub mod settings;
pub mod shared_memory;
pub mod statistics;
pub mod types;
pub mod varlena;

use pgrx::pg_sys;

::pgrx::pg_module_magic!(name, version);

callback!(
    /// Called once in the postmaster.
    #[unsafe(no_mangle)]
    pub fn _PG_init() = load
);

/// The library must be preloaded, since its hooks have to see every statement.
fn load() {
    // SAFETY: plain read of a flag that the postmaster set before loading libraries.
    if !unsafe { pg_sys::process_shared_preload_libraries_in_progress } {
        error::Error::NotPreloaded.raise();
    }
    hooks::install();
    settings::define();
    shared_memory::request();
    cluster::rw_conflicts::install(); // The first to be installed is the last to be told.
    catalog::install();
    aggregate::install();
    lock::install();
    object::install();
    types::install();
    operation::install();
    cluster::install();
}
