//! The node side of a cluster: statement analysis, placement, decisions, wait graph.

/// Installs the settings and hooks of this room; called once when the library is loaded.
pub fn install() {}
