//! What planning needs to know of a relation, gathered once and kept until the relation changes.

use super::missing;
use super::symbols::Symbols;
use pgrx::pg_sys::{self, Oid};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A column of an Abelian type.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its number in the relation.
    pub attribute: i16,
    /// Its type.
    pub type_: Oid,
}

/// Facts about a relation and, for inheritance and partitioning, its children.
#[derive(Debug, Default)]
pub struct Facts {
    /// The columns of Abelian types, by number.
    pub columns: Vec<Column>,
    /// An ordinary heap table without children: the only kind that operations can bypass ModifyTable on.
    pub simple: bool,
    /// Columns that identify rows to foreign keys; an UPDATE of one locks the row as a DELETE does.
    pub keys: BTreeSet<i16>,
    /// Columns that decide in which partition a row lies.
    pub partitioning: BTreeSet<i16>,
    /// Columns that some index depends on.
    pub indexed: BTreeSet<i16>,
    /// Columns that some CHECK constraint reads.
    pub checked: BTreeSet<i16>,
    /// A user's trigger FOR EACH ROW, or with transition tables, on UPDATE: it may read every column.
    pub update_trigger_reads: bool,
    /// The same on DELETE.
    pub delete_trigger_reads: bool,
    /// A user's trigger BEFORE UPDATE or DELETE ... FOR EACH ROW: it may suppress the change.
    pub may_suppress: bool,
    /// Any user's trigger on UPDATE.
    pub update_trigger: bool,
}

impl Facts {
    /// The Abelian column with this number.
    pub fn column(&self, attribute: i16) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.attribute == attribute)
    }

    /// The facts of a relation that the caller has locked; `None` when it has no Abelian column.
    pub fn of(symbols: &Symbols, relation: Oid, inherited: bool) -> Option<Rc<Facts>> {
        let key = (relation, inherited);
        if let Some(known) = CACHE.with_borrow(|cache| cache.known.get(&key).cloned()) {
            return known;
        }
        let mut members = Vec::new();
        let facts = gather(symbols, relation, inherited, &mut members).map(Rc::new);
        CACHE.with_borrow_mut(|cache| {
            if cache.known.len() >= MOST {
                cache.known.clear();
                cache.members.clear();
            }
            cache.members.extend(members);
            cache.known.insert(key, facts.clone());
        });
        facts
    }
}

/// Bound on remembered relations; beyond it the cache starts anew.
const MOST: usize = 4096;

#[derive(Default)]
struct Cache {
    known: HashMap<(Oid, bool), Option<Rc<Facts>>>,
    members: HashSet<Oid>,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Registers for changes of relations.
pub fn install() {
    unsafe extern "C-unwind" fn forget(_: pg_sys::Datum, relation: Oid) {
        CACHE.with_borrow_mut(|cache| {
            if relation == pg_sys::InvalidOid || cache.members.contains(&relation) {
                cache.known.clear();
                cache.members.clear();
            }
        });
    }
    // SAFETY: the callback touches only our own cache.
    unsafe { pg_sys::CacheRegisterRelcacheCallback(Some(forget), pg_sys::Datum::null()) };
}

/// Forgets everything, as when the extension itself came or went.
pub fn forget_all() {
    CACHE.with_borrow_mut(|cache| {
        cache.known.clear();
        cache.members.clear();
    });
}

/// An open relation; closed, its lock kept, when dropped.
struct Opened(pg_sys::Relation);

impl Opened {
    fn open(relation: Oid) -> Option<Opened> {
        // SAFETY: the lock, which the statement holds already, is taken once more and kept.
        let opened = unsafe { pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32) };
        (!opened.is_null()).then(|| Opened(opened))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: opened in `open`.
        unsafe { pg_sys::relation_close(self.0, pg_sys::NoLock as i32) };
    }
}

fn gather(
    symbols: &Symbols,
    relation: Oid,
    inherited: bool,
    members: &mut Vec<Oid>,
) -> Option<Facts> {
    members.push(relation);
    let opened = Opened::open(relation).filter(stores_rows)?;
    let mut facts = Facts {
        columns: columns(symbols, &opened),
        ..Facts::default()
    };
    let children = if inherited {
        missing::descendants(relation)
    } else {
        Vec::new()
    };
    members.extend(&children);
    // A child may have Abelian columns that its parent lacks; what names the parent still closes such rows.
    let opened_children: Vec<Opened> = children
        .iter()
        .filter_map(|child| Opened::open(*child))
        .collect();
    if facts.columns.is_empty()
        && opened_children
            .iter()
            .all(|child| columns(symbols, child).is_empty())
    {
        return None;
    }
    add(&mut facts, &opened);
    // SAFETY: plain reads of an open relation.
    facts.simple = opened_children.is_empty()
        && unsafe {
            let class = &*(*opened.0).rd_rel;
            class.relkind as u8 == pg_sys::RELKIND_RELATION
                && class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT
                && !class.relispartition
                && class.relam == pg_sys::HEAP_TABLE_AM_OID
        };
    for child in &opened_children {
        add_child(&mut facts, child, &opened);
    }
    Some(facts)
}

/// Views and foreign tables keep no rows of their own.
fn stores_rows(relation: &Opened) -> bool {
    // SAFETY: plain read of an open relation.
    let kind = unsafe { (*(*relation.0).rd_rel).relkind } as u8;
    kind == pg_sys::RELKIND_RELATION || kind == pg_sys::RELKIND_PARTITIONED_TABLE
}

fn columns(symbols: &Symbols, relation: &Opened) -> Vec<Column> {
    // SAFETY: an open relation has a descriptor; attributes are numbered from 1.
    unsafe {
        let descriptor = (*relation.0).rd_att;
        let attributes = (*descriptor).attrs.as_slice((*descriptor).natts as usize);
        attributes
            .iter()
            .filter(|attribute| {
                !attribute.attisdropped && symbols.kind(attribute.atttypid).is_some()
            })
            .map(|attribute| Column {
                attribute: attribute.attnum,
                type_: attribute.atttypid,
            })
            .collect()
    }
}

fn add(facts: &mut Facts, relation: &Opened) {
    use pg_sys::IndexAttrBitmapKind::*;
    facts.keys = attributes(relation, INDEX_ATTR_BITMAP_KEY);
    facts.indexed = attributes(relation, INDEX_ATTR_BITMAP_ALL);
    facts.checked = checked(relation);
    facts.partitioning = partitioning(relation);
    add_triggers(facts, relation);
}

/// Numbers of a child's columns can differ from its parent's: names connect them.
fn add_child(facts: &mut Facts, child: &Opened, parent: &Opened) {
    let mut own = Facts::default();
    add(&mut own, child);
    let translate = |attributes: BTreeSet<i16>| -> BTreeSet<i16> {
        attributes
            .into_iter()
            .filter_map(|number| translated(child, number, parent))
            .collect()
    };
    facts.keys.extend(translate(own.keys));
    facts.indexed.extend(translate(own.indexed));
    facts.checked.extend(translate(own.checked));
    facts.partitioning.extend(translate(own.partitioning));
    facts.update_trigger |= own.update_trigger;
    facts.update_trigger_reads |= own.update_trigger_reads;
    facts.delete_trigger_reads |= own.delete_trigger_reads;
    facts.may_suppress |= own.may_suppress;
}

fn translated(child: &Opened, attribute: i16, parent: &Opened) -> Option<i16> {
    if attribute <= 0 {
        return Some(attribute);
    }
    // SAFETY: lookups by relation and number or name.
    unsafe {
        let name = pg_sys::get_attname((*child.0).rd_id, attribute, true);
        if name.is_null() {
            return None;
        }
        let number = pg_sys::get_attnum((*parent.0).rd_id, name);
        (number > 0).then_some(number)
    }
}

fn attributes(relation: &Opened, kind: pg_sys::IndexAttrBitmapKind::Type) -> BTreeSet<i16> {
    // SAFETY: the bitmap is a copy in the current context.
    members(unsafe { pg_sys::RelationGetIndexAttrBitmap(relation.0, kind) })
}

/// The attribute numbers in a bitmap that PostgreSQL keeps offset, so that system columns fit.
pub fn members(bitmap: *mut pg_sys::Bitmapset) -> BTreeSet<i16> {
    let mut found = BTreeSet::new();
    let mut member = -1;
    loop {
        // SAFETY: null is the empty set.
        member = unsafe { pg_sys::bms_next_member(bitmap, member) };
        if member < 0 {
            return found;
        }
        found.insert(member as i16 + pg_sys::FirstLowInvalidHeapAttributeNumber as i16);
    }
}

fn checked(relation: &Opened) -> BTreeSet<i16> {
    let mut found = BTreeSet::new();
    // SAFETY: constraints are stored as text of expression trees over relation number 1.
    unsafe {
        let constraints = (*(*relation.0).rd_att).constr;
        if constraints.is_null() {
            return found;
        }
        for i in 0..(*constraints).num_check as usize {
            let tree = pg_sys::stringToNode((*(*constraints).check.add(i)).ccbin);
            let mut bitmap = std::ptr::null_mut();
            pg_sys::pull_varattnos(tree.cast(), 1, &mut bitmap);
            found.extend(members(bitmap));
        }
    }
    found
}

fn partitioning(relation: &Opened) -> BTreeSet<i16> {
    // SAFETY: an open relation.
    unsafe {
        let count = (*(*relation.0).rd_att).natts as i16;
        (1..=count)
            .filter(|attribute| missing::partitions_by(relation.0, *attribute))
            .collect()
    }
}

fn add_triggers(facts: &mut Facts, relation: &Opened) {
    // SAFETY: the trigger descriptor of an open relation, null without triggers.
    let triggers = unsafe {
        let descriptor = (*relation.0).trigdesc;
        if descriptor.is_null() {
            return;
        }
        std::slice::from_raw_parts((*descriptor).triggers, (*descriptor).numtriggers as usize)
    };
    for trigger in triggers.iter().filter(|trigger| !trigger.tgisinternal) {
        let kind = u32::from(trigger.tgtype as u16);
        let on = |event| kind & event != 0;
        let row = on(pg_sys::TRIGGER_TYPE_ROW);
        let reads = row || !trigger.tgoldtable.is_null() || !trigger.tgnewtable.is_null();
        facts.update_trigger |= on(pg_sys::TRIGGER_TYPE_UPDATE);
        facts.update_trigger_reads |= reads && on(pg_sys::TRIGGER_TYPE_UPDATE);
        facts.delete_trigger_reads |= reads && on(pg_sys::TRIGGER_TYPE_DELETE);
        facts.may_suppress |= row
            && on(pg_sys::TRIGGER_TYPE_BEFORE)
            && (on(pg_sys::TRIGGER_TYPE_UPDATE) || on(pg_sys::TRIGGER_TYPE_DELETE));
    }
}
