//! Row security. Policies on values decide by the newest ones, as the conditions of a statement do.

use super::{Hold, Relation};
use crate::operation::tree::{self, Any, Tree};
use pgrx::pg_sys;

impl Relation<'_> {
    /// Has policies on values let rows pass that are others than the snapshot shows, and gives them, to be tested on the newest values where the
    /// conditions of the query are: there fewer rows are held.
    pub fn open_policies(&mut self) -> Vec<Any> {
        let mut policies = Vec::new();
        if self.has_row_security() {
            let mut seen = tree::items::<pg_sys::Node>(self.entry.securityQuals);
            for policy in &mut seen {
                if self.abelian_among(&self.columns_read(policy.pointer::<pg_sys::Node>())) {
                    policies.push(policy.copy());
                    *policy = self.or_changed(*policy);
                }
            }
            self.entry.securityQuals = tree::list(&seen);
        }
        policies
    }

    /// Has what policies ask of a row that is there already, and is changed by MERGE or DO UPDATE, test its newest values.
    pub(super) fn newest_checks(&self) {
        use pg_sys::WCOKind::*;
        for mut check in tree::items::<pg_sys::WithCheckOption>(self.query.withCheckOptions) {
            let of_old = matches!(
                check.kind,
                WCO_RLS_CONFLICT_CHECK | WCO_RLS_MERGE_UPDATE_CHECK | WCO_RLS_MERGE_DELETE_CHECK
            );
            if of_old && let Some(condition) = Tree::<pg_sys::Node>::new(check.qual) {
                check.qual = self.newest(condition, Hold::Overwrite as i32).pointer();
            }
        }
    }

    pub(super) fn newest_policies(&mut self, hold: i32) {
        if self.has_row_security() {
            let conditions: Vec<Any> = tree::items::<pg_sys::Node>(self.entry.securityQuals)
                .into_iter()
                .map(|c| Tree::new(tree::conjunction(&self.newest_condition(c, hold))).unwrap_or(c))
                .collect();
            self.entry.securityQuals = tree::list(&conditions);
        }
    }
}
