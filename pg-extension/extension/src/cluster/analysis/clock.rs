//! Whether a statement may ask for the moment at which the transaction has begun, which all of its nodes must then agree about
//! (docs/design/transaction-clock.md). In doubt it may.

use super::functions::Functions;
use super::relation::Relation;
use super::tree::NodePtr;
use super::{moments, parser};
use crate::catalog;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Whether its functions may: those of users may do so inside.
pub fn is_asked_by(found: &Functions) -> bool {
    found.clock || found.stable_by_node || found.leaves_state || !found.opaque.is_empty()
}

/// What `'now'` and its like mean is found out when a text is read, on each node.
pub fn note_moments(trees: &[NodePtr], facts: &mut Json) {
    if trees.iter().any(|tree| moments::is_read_by(*tree)) {
        facts["clock"] = json!(true);
    }
}

/// Triggers of what the statement changes may, too, be it by a foreign key.
pub fn note_triggers(relations: &[Relation], facts: &mut Json) {
    let changed = relations.iter().filter(|relation| relation.write);
    for table in changed {
        note_triggers_of(table.oid, facts);
    }
}

/// The same of one table that it changes.
pub fn note_triggers_of(table: Oid, facts: &mut Json) {
    if facts["clock"] != true {
        facts["clock"] = json!(fires(table, &mut BTreeSet::new()));
    }
}

/// The same of the tables that a body changes.
pub fn note_triggers_of_body(body: &Json, facts: &mut Json) {
    let touches = body["touches"].as_array().into_iter().flatten();
    for touch in touches.filter(|touch| touch["write"] == true) {
        let part = |name: &str| parser::c_text(touch[name].as_str().unwrap_or_default());
        let (schema, table) = (part("schema"), part("table"));
        // SAFETY: look-ups by names that may find nothing.
        let table = unsafe {
            let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
            pg_sys::get_relname_relid(table.as_ptr(), schema)
        };
        note_triggers_of(table, facts);
    }
}

/// Whether triggers of users fire where rows of the table, or those that refer to them, change.
fn fires(table: Oid, seen: &mut BTreeSet<u32>) -> bool {
    let family = missing::descendants(table).into_iter().chain([table]);
    family.into_iter().any(|table| {
        if !seen.insert(table.to_u32()) {
            return false;
        }
        let Some(open) = Opened::open(table, pg_sys::AccessShareLock) else {
            return true;
        };
        open.triggers().iter().any(|trigger| {
            // SAFETY: a comparison with known functions.
            let kind = unsafe { pg_sys::RI_FKey_trigger_type(trigger.tgfoid) };
            match kind == pg_sys::RI_TRIGGER_PK as i32 {
                true => fires(trigger.tgconstrrelid, seen),
                false => catalog::is_trigger_of_user(trigger),
            }
        })
    })
}
