//! What a change of a table can violate.

use super::super::super::analysis::tree;
use pgrx::pg_sys::{self, CmdType};
use std::collections::BTreeSet;

/// What the constraints of the changed table may refuse, in words; empty for queries that change nothing.
pub fn of(query: &pg_sys::Query) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(target) = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .nth((query.resultRelation.max(1) - 1) as usize)
        .filter(|_| query.resultRelation > 0)
    else {
        return found;
    };
    // SAFETY: the relation is locked by the analysis of the query; it is opened and closed, the lists are copies.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(target.relid);
        if relation.is_null() {
            return found;
        }
        let table = tree::string((*(*relation).rd_rel).relname.data.as_ptr());
        let command = tree::string(pg_sys::GetCommandTagName(pg_sys::CreateCommandTag(
            std::ptr::from_ref(query).cast_mut().cast(),
        )));
        let assigned: BTreeSet<i16> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .map(|entry| entry.resno)
            .collect();
        let mut add = |what: &str| {
            found.insert(format!("{command} on table {table} may violate {what}"));
        };
        if query.commandType == CmdType::CMD_INSERT {
            let indexes = pg_sys::RelationGetIndexList(relation);
            let unique = (0..pg_sys::list_length(indexes)).any(|i| {
                let index = pg_sys::RelationIdGetRelation(pg_sys::list_nth_oid(indexes, i));
                let unique = !index.is_null() && (*(*index).rd_index).indisunique;
                if !index.is_null() {
                    pg_sys::RelationClose(index);
                }
                unique
            });
            let ignores = !query.onConflict.is_null()
                && (*query.onConflict).action == pg_sys::OnConflictAction::ONCONFLICT_NOTHING;
            if unique && !ignores {
                add("a unique constraint");
            }
        }
        if query.commandType == CmdType::CMD_DELETE {
            if (*(*relation).rd_rel).relhastriggers {
                add("a foreign key, or what its triggers check");
            }
        } else {
            let columns = (*(*relation).rd_att)
                .attrs
                .as_slice((*(*relation).rd_att).natts as usize);
            let not_null = columns.iter().any(|column| {
                let given =
                    query.commandType == CmdType::CMD_INSERT || assigned.contains(&column.attnum);
                column.attnotnull && given && !column.attisdropped && column.attidentity == 0
            });
            if not_null {
                add("a NOT NULL constraint");
            }
            let checks = (*(*relation).rd_att).constr;
            if !checks.is_null() && (*checks).num_check > 0 {
                add("a CHECK constraint");
            }
            if (*(*relation).rd_rel).relhastriggers {
                add("a foreign key, or what its triggers check");
            }
        }
        pg_sys::RelationClose(relation);
    }
    found
}
