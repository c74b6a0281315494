//! Whether a statement may ask for the moment at which the transaction has begun, which all of its nodes must then agree about
//! (docs/design/transaction-clock.md). In doubt it may.

use super::changing_calls;
use super::functions::Functions;
use super::relation::Relation;
use crate::operation::missing;
use pgrx::pg_sys::Oid;
use serde_json::{Value as Json, json};

/// Whether its functions may: those of users may do so inside.
pub fn is_asked_by(found: &Functions) -> bool {
    found.clock || found.stable_by_node || found.leaves_state || !found.opaque.is_empty()
}

/// Triggers of what the statement changes may, too.
pub fn note_triggers(relations: &[Relation], facts: &mut Json) {
    let changed = relations.iter().filter(|relation| relation.write);
    for table in changed {
        note_triggers_of(table.oid, facts);
    }
}

/// The same of one table that it changes.
pub fn note_triggers_of(table: Oid, facts: &mut Json) {
    if facts["clock"] != true {
        let mut family = missing::descendants(table).into_iter().chain([table]);
        facts["clock"] = json!(family.any(changing_calls::fires_triggers));
    }
}
