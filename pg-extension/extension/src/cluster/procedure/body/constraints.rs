//! What a change of a table can violate: its unique indexes, NOT NULL, CHECK, foreign keys, and whatever computes values for it.
//! A change that leaves a constraint's columns alone does not violate it.

use super::super::super::analysis::operand;
use super::super::super::analysis::tree::{self, NodePtr};
use super::super::placements::{self, Home};
use super::{nullness, query};
use pgrx::pg_sys::{self, CmdType, Oid};
use std::collections::{BTreeMap, BTreeSet};

/// Something that the changed table may refuse.
pub struct Violation {
    /// In words.
    pub what: String,
    /// Only the values that the query gives decide, not which node has the row.
    pub alike: bool,
}

/// The changed table, open.
struct Target<'q> {
    query: &'q pg_sys::Query,
    relation: pg_sys::Relation,
    /// The columns that get values, and from what.
    assigned: BTreeMap<i16, NodePtr>,
    found: BTreeMap<String, bool>,
}

/// What the constraints of the changed table may refuse; empty for queries that change nothing.
pub fn of(query: &pg_sys::Query) -> Vec<Violation> {
    let Some(target) = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .nth((query.resultRelation.max(1) - 1) as usize)
        .filter(|_| query.resultRelation > 0)
    else {
        return Vec::new();
    };
    // SAFETY: the relation is locked by the analysis of the query; it is opened and closed, what is read of it is copied.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(target.relid);
        if relation.is_null() {
            return Vec::new();
        }
        let mut target = Target {
            query,
            relation,
            assigned: assigned(query),
            found: BTreeMap::new(),
        };
        if tree::list::<pg_sys::RangeTblEntry>(query.rtable).any(has_defaults) {
            target.add("fail in what a DEFAULT among several rows stands for");
        }
        target.indexes();
        if query.commandType != CmdType::CMD_DELETE {
            target.columns(placements::home(target_oid(relation)));
            target.checks();
        }
        target.triggers();
        let table = tree::string((*(*relation).rd_rel).relname.data.as_ptr());
        let found = target.found;
        pg_sys::RelationClose(relation);
        let command = tree::string(pg_sys::GetCommandTagName(pg_sys::CreateCommandTag(
            std::ptr::from_ref(query).cast_mut().cast(),
        )));
        found
            .into_iter()
            .map(|(what, alike)| Violation {
                what: format!("{command} on table {table} may {what}"),
                alike,
            })
            .collect()
    }
}

/// # Safety
/// An open relation.
unsafe fn target_oid(relation: pg_sys::Relation) -> Oid {
    // SAFETY: by the caller's promise.
    unsafe { (*relation).rd_id }
}

/// The columns that a query gives values to; those of ON CONFLICT DO UPDATE as well.
fn assigned(query: &pg_sys::Query) -> BTreeMap<i16, NodePtr> {
    let of = |list: *mut pg_sys::List| {
        tree::list::<pg_sys::TargetEntry>(list)
            .filter(|entry| !entry.resjunk && !is_default(entry.expr.cast()))
            .map(|entry| (entry.resno, entry.expr.cast()))
    };
    let mut columns: BTreeMap<i16, NodePtr> = of(query.targetList).collect();
    if query.commandType == CmdType::CMD_MERGE {
        columns.clear(); // MERGE is refused when it runs
    }
    columns
}

/// DEFAULT in a list of VALUES.
fn has_defaults(entry: &pg_sys::RangeTblEntry) -> bool {
    entry.rtekind == pg_sys::RTEKind::RTE_VALUES
        && tree::nodes(entry.values_lists).any(|row| tree::nodes(row.cast()).any(is_default))
}

fn is_default(expression: NodePtr) -> bool {
    tree::cast::<pg_sys::SetToDefault, _>(expression).is_some()
}

/// The columns of a table that a stored expression mentions.
fn columns_of(expression: NodePtr) -> BTreeSet<i16> {
    let mut columns = BTreeSet::new();
    tree::walk(expression, &mut |node| {
        if let Some(var) = tree::cast::<pg_sys::Var, _>(node) {
            columns.insert(var.varattno);
        }
        true
    });
    columns
}

impl Target<'_> {
    fn add(&mut self, what: impl Into<String>) {
        self.found.insert(what.into(), false);
    }

    fn inserts(&self) -> bool {
        self.query.commandType == CmdType::CMD_INSERT
    }

    fn assigns_any(&self, mut columns: impl Iterator<Item = i16>) -> bool {
        self.inserts() || columns.any(|column| self.assigned.contains_key(&column))
    }

    /// What ON CONFLICT makes of the unique indexes: none, if there is one and it can be no other.
    fn resolves_conflicts(&self, unique: usize) -> bool {
        if self.query.onConflict.is_null() {
            return false;
        }
        // SAFETY: a part of the query.
        let conflict = unsafe { &*self.query.onConflict };
        let nothing = conflict.action == pg_sys::OnConflictAction::ONCONFLICT_NOTHING;
        let any = conflict.arbiterElems.is_null() && conflict.constraint == Oid::INVALID;
        nothing && (any || unique == 1)
    }

    /// # Safety
    /// The relation must be open.
    unsafe fn indexes(&mut self) {
        if self.query.commandType == CmdType::CMD_DELETE {
            return;
        }
        // SAFETY: each index is opened and closed.
        unsafe {
            let indexes = pg_sys::RelationGetIndexList(self.relation);
            let (mut unique, mut touched) = (0, false);
            for i in 0..pg_sys::list_length(indexes) {
                let index = pg_sys::RelationIdGetRelation(pg_sys::list_nth_oid(indexes, i));
                if index.is_null() {
                    continue;
                }
                let form = &*(*index).rd_index;
                let keys = form.indkey.values.as_slice(form.indnatts as usize).to_vec();
                let computed = !pg_sys::heap_attisnull(
                    (*index).rd_indextuple,
                    pg_sys::Anum_pg_index_indexprs as i32,
                    std::ptr::null_mut(),
                ) || !pg_sys::heap_attisnull(
                    (*index).rd_indextuple,
                    pg_sys::Anum_pg_index_indpred as i32,
                    std::ptr::null_mut(),
                );
                let (is_unique, exclusion) = (form.indisunique, form.indisexclusion);
                pg_sys::RelationClose(index);
                if computed {
                    self.add("fail in an index over an expression, or with a condition");
                }
                if is_unique || exclusion {
                    unique += 1;
                    touched |= computed || self.assigns_any(keys.iter().copied());
                }
                for key in &keys {
                    self.indexed(*key, keys.len());
                }
            }
            if touched && !self.resolves_conflicts(unique) {
                self.add("violate a unique constraint; ON CONFLICT DO NOTHING cannot");
            }
        }
    }

    /// A row of an index has to fit a page.
    unsafe fn indexed(&mut self, column: i16, columns: usize) {
        let longest = 500 / columns.max(1) as i32; // characters of four bytes, of 2704 that there are
        // SAFETY: a column of the open relation.
        unsafe {
            let given = self.assigned.contains_key(&column)
                || self.inserts() && column > 0 && !self.default_of(column).is_null();
            if !given {
                return; // what was there before, or NULL
            }
            let form = &crate::compat::columns_of((*self.relation).rd_att)[column as usize - 1];
            let bounded = form.attlen > 0
                || form.atttypid == pg_sys::NUMERICOID && form.atttypmod >= 0
                || [pg_sys::VARCHAROID, pg_sys::BPCHAROID].contains(&form.atttypid)
                    && (1..=longest).contains(&form.atttypmod);
            if !bounded {
                let name = tree::string(form.attname.data.as_ptr());
                self.add(format!("not fit the index on {name}; declare its length"));
            }
        }
    }

    /// NOT NULL, and the defaults of columns that get no value.
    unsafe fn columns(&mut self, home: Home) {
        // SAFETY: the relation is open.
        unsafe {
            let columns = crate::compat::columns_of((*self.relation).rd_att);
            for column in columns {
                if column.attisdropped {
                    continue;
                }
                let name = tree::string(column.attname.data.as_ptr());
                let given = self.assigned.get(&column.attnum).copied();
                let value = match given {
                    Some(value) => value,
                    None if !self.inserts() && column.attgenerated == 0 => continue,
                    None => self.default_of(column.attnum),
                };
                if given.is_none() {
                    if column.attidentity != 0 {
                        self.add(format!("come to the end of the sequence of {name}"));
                        continue;
                    }
                    for why in query::failures(value) {
                        self.add(format!("fail in the default of {name}: {why}"));
                    }
                }
                if !column.attnotnull || !value.is_null() && nullness::never(value, self.query) {
                    continue;
                }
                // No participant leaves a row with NULL out, as the column is NOT NULL: PostgreSQL refuses it on all of them.
                let alike = self.inserts()
                    && matches!(&home, Home::Distributed(distribution) if distribution.is_by(column.attnum))
                    && operand::compared_parameter(value).is_some();
                self.found.insert(
                    format!("violate the NOT NULL constraint of {name}; coalesce() gives what is not NULL"),
                    alike,
                );
            }
        }
    }

    /// The stored default of a column, or the expression that generates it; null if there is none.
    unsafe fn default_of(&self, column: i16) -> NodePtr {
        // SAFETY: the relation is open; the text is a stored tree.
        unsafe {
            let constraints = (*(*self.relation).rd_att).constr;
            if constraints.is_null() {
                return std::ptr::null_mut();
            }
            (0..usize::from((*constraints).num_defval))
                .map(|i| &*(*constraints).defval.add(i))
                .find(|default| default.adnum == column)
                .map_or(std::ptr::null_mut(), |default| {
                    pg_sys::stringToNode(default.adbin).cast()
                })
        }
    }

    unsafe fn checks(&mut self) {
        // SAFETY: the relation is open; the texts are stored trees.
        unsafe {
            let constraints = (*(*self.relation).rd_att).constr;
            if constraints.is_null() {
                return;
            }
            for i in 0..usize::from((*constraints).num_check) {
                let check = &*(*constraints).check.add(i);
                let expression = pg_sys::stringToNode(check.ccbin).cast();
                let columns = columns_of(expression);
                if !check.ccvalid || self.assigns_any(columns.into_iter()) {
                    self.add(format!(
                        "violate CHECK constraint {}",
                        tree::string(check.ccname)
                    ));
                }
            }
        }
    }

    unsafe fn triggers(&mut self) {
        // SAFETY: the relation is open; the lists are its own.
        unsafe {
            let triggers = (*self.relation).trigdesc;
            if triggers.is_null() {
                return;
            }
            let event = match self.query.commandType {
                CmdType::CMD_INSERT => pg_sys::TRIGGER_TYPE_INSERT,
                CmdType::CMD_DELETE => pg_sys::TRIGGER_TYPE_DELETE,
                _ => pg_sys::TRIGGER_TYPE_UPDATE,
            };
            let mut referenced = false;
            for i in 0..(*triggers).numtriggers as usize {
                let trigger = &*(*triggers).triggers.add(i);
                if trigger.tgtype as u32 & event == 0 {
                    continue;
                } else if !trigger.tgisinternal {
                    let name = tree::string(trigger.tgname);
                    self.add(format!("fail in trigger {name}"));
                } else {
                    referenced = true;
                }
            }
            if !referenced {
                return;
            }
            let mut columns = BTreeSet::new();
            let keys = pg_sys::RelationGetFKeyList(self.relation);
            for key in tree::nodes(keys) {
                let key = &*key.cast::<pg_sys::ForeignKeyCacheInfo>();
                columns.extend(key.conkey[..key.nkeys as usize].iter().copied());
            }
            let kind = pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_KEY;
            let unique = pg_sys::RelationGetIndexAttrBitmap(self.relation, kind);
            columns.extend(self.assigned.keys().copied().filter(|column| {
                let member = i32::from(*column) - pg_sys::FirstLowInvalidHeapAttributeNumber;
                pg_sys::bms_is_member(member, unique)
            }));
            let deletes = self.query.commandType == CmdType::CMD_DELETE;
            if deletes || self.assigns_any(columns.into_iter()) {
                self.add("violate a foreign key");
            }
        }
    }
}
