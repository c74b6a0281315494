//! Interception: which statements are operations on Abelian columns, and how they are carried out.

/// Installs the hooks of this room; called once when the library is loaded.
pub fn install() {}
