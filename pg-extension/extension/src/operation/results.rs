//! What clients see.

/// Installs the hook; called once when the library is loaded.
pub fn install() {}
