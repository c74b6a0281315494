//! MERGE. Which row an action changes ON decides, and WHEN; both are tested on the newest values.

use super::{Hold, Relation};
use crate::compat;
use crate::operation::tree::{self, Any, Tree};
use pgrx::pg_sys::{self, CmdType};
use std::collections::BTreeSet;

impl Relation<'_> {
    pub(super) fn merge(&mut self) {
        let mut query = self.query;
        self.newest_on();
        self.newest_checks();
        let mut entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
        let number = entries.len() as i16 + 1;
        entries.push(tree::target(
            self.lock_row(Hold::Leave as i32),
            number,
            c"abelian_lock",
            true,
        ));
        query.targetList = tree::list(&entries);
        for mut action in tree::items::<pg_sys::MergeAction>(query.mergeActionList) {
            let (junk, mut targets) = super::junk_apart(tree::items(action.targetList));
            match action.commandType {
                CmdType::CMD_INSERT => self.store_new_objects(&targets),
                CmdType::CMD_UPDATE => self.assign(&mut targets, true, &BTreeSet::new()),
                _ => {}
            }
            targets.extend(junk);
            action.targetList = tree::list(&targets);
            if let Some(condition) = Tree::<pg_sys::Node>::new(action.qual) {
                action.qual = self.newest(condition, Hold::Overwrite as i32).pointer();
            }
        }
        // A row that is deleted is returned as it was.
        self.return_newest(|column| compat::is_old(&column) || !compat::names_version(&column));
    }

    /// A row whose newest values do not meet ON is not matched, as one that another transaction has changed.
    fn newest_on(&mut self) {
        let mut query = self.query;
        let on = compat::condition_of_merge(&mut query);
        let mut conditions: Vec<Any> = tree::conjuncts(*on)
            .into_iter()
            .flat_map(|condition| self.newest_condition(condition, Hold::Overwrite as i32))
            .collect();
        let policies = self.open_policies().into_iter();
        conditions.extend(policies.map(|policy| self.newest(policy, Hold::Overwrite as i32)));
        *on = tree::conjunction(&conditions);
    }
}
