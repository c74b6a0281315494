//! The SQL face of Abelian.
::pgrx::pg_module_magic!(name, version);
