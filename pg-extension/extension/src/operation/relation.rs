//! What planning needs to know of a relation, gathered once and kept until the relation changes.

use super::missing;
use super::row_bounds::RowBounds;
use super::symbols::Symbols;
use super::tree::{self, Tree};
use super::unique::{self, Key};
use super::value_index;
use crate::catalog;
use crate::compat;
use crate::hooks::cache;
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::CStr;
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
    /// Columns whose new value must be known: those that an index, a CHECK, a generated column or a foreign key reads.
    pub watched: BTreeSet<i16>,
    /// Columns with an index over their base and one over their object: what [`super::by_value`] needs.
    pub by_value: BTreeSet<i16>,
    /// A CHECK that the rows there are may not meet: not validated, or giving another result at another time.
    pub doubtful_check: bool,
    /// What CHECKs demand of bounded counters that nothing else watches. Operations keep it by themselves.
    pub row_bounds: RowBounds,
    /// The columns that such a CHECK is about, valid or not, whatever else watches them. Changes of plain columns hold them: when the CHECK is
    /// validated, or an index goes, operations are judged by it while such changes are under way.
    pub held_with_plain: BTreeSet<i16>,
    /// A user's trigger FOR EACH ROW, or with transition tables, on UPDATE: it may read every column.
    pub update_trigger_reads: bool,
    /// The same on DELETE.
    pub delete_trigger_reads: bool,
    /// A user's trigger BEFORE UPDATE or DELETE ... FOR EACH ROW: it may suppress the change.
    pub may_suppress: bool,
    /// Any user's trigger on UPDATE.
    pub update_trigger: bool,
    /// What tells its rows apart; children's do not count.
    pub unique: Vec<Key>,
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
        let changes = CACHE.with_borrow(|cache| cache.changes);
        let facts = gather(symbols, relation, inherited, &mut members).map(Rc::new);
        CACHE.with_borrow_mut(|cache| {
            if cache.changes != changes {
                return; // Something has changed meanwhile: perhaps this, after it was looked at.
            }
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
    /// How often a relation has changed.
    changes: u64,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// Registers for changes of relations.
pub fn install() {
    cache::on_relation(|relation| {
        CACHE.with_borrow_mut(|cache| {
            cache.changes += 1;
            if relation == pg_sys::InvalidOid || cache.members.contains(&relation) {
                cache.known.clear();
                cache.members.clear();
            }
        });
    });
}

/// Forgets everything, as when the extension itself came or went.
pub fn forget_all() {
    CACHE.with_borrow_mut(|cache| {
        cache.known.clear();
        cache.members.clear();
    });
}

/// The statement holds the lock already.
fn open(relation: Oid) -> Option<Opened> {
    Opened::open(relation, pg_sys::AccessShareLock)
}

fn gather(
    symbols: &Symbols,
    relation: Oid,
    inherited: bool,
    members: &mut Vec<Oid>,
) -> Option<Facts> {
    members.push(relation);
    let opened = open(relation).filter(stores_rows)?;
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
    let opened_children: Vec<Opened> = children.iter().filter_map(|child| open(*child)).collect();
    if facts.columns.is_empty()
        && opened_children
            .iter()
            .all(|child| columns(symbols, child).is_empty())
    {
        return None;
    }
    add(symbols, &mut facts, &opened);
    facts.unique = unique::keys(&opened);
    let class = opened.class();
    facts.simple = opened_children.is_empty()
        && class.relkind as u8 == pg_sys::RELKIND_RELATION
        && class.relpersistence as u8 == pg_sys::RELPERSISTENCE_PERMANENT
        && !class.relispartition
        && class.relam == pg_sys::HEAP_TABLE_AM_OID;
    for child in &opened_children {
        add_child(symbols, &mut facts, child, &opened);
    }
    Some(facts)
}

/// Views and foreign tables keep no rows of their own.
fn stores_rows(relation: &Opened) -> bool {
    let kind = relation.class().relkind as u8;
    kind == pg_sys::RELKIND_RELATION || kind == pg_sys::RELKIND_PARTITIONED_TABLE
}

fn columns(symbols: &Symbols, relation: &Opened) -> Vec<Column> {
    relation
        .columns()
        .iter()
        .filter(|attribute| !attribute.attisdropped && symbols.kind(attribute.atttypid).is_some())
        .map(|attribute| Column {
            attribute: attribute.attnum,
            type_: attribute.atttypid,
        })
        .collect()
}

fn add(symbols: &Symbols, facts: &mut Facts, relation: &Opened) {
    use pg_sys::IndexAttrBitmapKind::*;
    facts.keys = attributes(relation, INDEX_ATTR_BITMAP_KEY);
    facts.watched = compat::IN_INDEXES
        .iter()
        .flat_map(|kind| attributes(relation, *kind))
        .collect();
    let stored = columns(symbols, relation)
        .iter()
        .any(|column| facts.watched.contains(&column.attribute));
    if stored {
        let over = value_index::Over::of(symbols, relation);
        facts.watched.retain(|column| !over.stored_only(*column));
        facts.by_value = over.by_value();
    }
    facts.watched.extend(referencing(relation));
    add_expressions(symbols, facts, relation);
    facts.partitioning = partitioning(relation);
    add_triggers(facts, relation);
}

/// Numbers of a child's columns can differ from its parent's: names connect them.
fn add_child(symbols: &Symbols, facts: &mut Facts, child: &Opened, parent: &Opened) {
    let mut own = Facts::default();
    add(symbols, &mut own, child);
    let translate = |attributes: BTreeSet<i16>| -> BTreeSet<i16> {
        attributes
            .into_iter()
            .filter_map(|number| translated(child, number, parent))
            .collect()
    };
    facts.keys.extend(translate(own.keys));
    facts.watched.extend(translate(own.watched));
    facts.doubtful_check |= own.doubtful_check;
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
        let name = pg_sys::get_attname((*child.relation()).rd_id, attribute, true);
        if name.is_null() {
            return None;
        }
        let number = pg_sys::get_attnum((*parent.relation()).rd_id, name);
        (number > 0).then_some(number)
    }
}

/// The columns of the relation's indexes of a kind.
pub fn attributes(relation: &Opened, kind: pg_sys::IndexAttrBitmapKind::Type) -> BTreeSet<i16> {
    // SAFETY: the bitmap is a copy in the current context.
    members(unsafe { pg_sys::RelationGetIndexAttrBitmap(relation.relation(), kind) })
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

/// What CHECK constraints and generated columns read.
fn add_expressions(symbols: &Symbols, facts: &mut Facts, relation: &Opened) {
    let Some(constraints) = relation.constraints() else {
        return;
    };
    // A statement about the parent does not know what it must hold of the child.
    let inherits = relation
        .columns()
        .iter()
        .any(|column| column.attinhcount > 0);
    for i in 0..constraints.num_check as usize {
        // SAFETY: so many there are, each the text of an expression.
        let (check, tree) = unsafe {
            let check = &*constraints.check.add(i);
            (check, pg_sys::stringToNode(check.ccbin).cast())
        };
        // SAFETY: the name of a constraint.
        let name = unsafe { CStr::from_ptr(check.ccname) };
        let mut found = RowBounds::default();
        let is_bound =
            !inherits && Tree::new(tree).is_some_and(|t| found.add(symbols, relation, t, name));
        if is_bound {
            facts.held_with_plain.extend(found.columns());
            if check.ccvalid {
                facts.row_bounds.append(found);
                continue;
            }
        }
        facts.watched.extend(columns_of(tree));
        // SAFETY: looks at the tree.
        facts.doubtful_check |=
            !check.ccvalid || unsafe { pg_sys::contain_mutable_functions(tree) };
    }
    for i in 0..constraints.num_defval as usize {
        // SAFETY: as above.
        let default = unsafe { &*constraints.defval.add(i) };
        if relation.columns()[default.adnum as usize - 1].attgenerated != 0 {
            // SAFETY: the text of an expression.
            let tree = unsafe { pg_sys::stringToNode(default.adbin) };
            facts.watched.extend(columns_of(tree.cast()));
        }
    }
    let bounded: Vec<i16> = facts.row_bounds.columns().collect();
    facts.row_bounds.except(&facts.watched);
    facts.watched.extend(bounded);
}

/// The columns that an expression over relation number 1 reads.
fn columns_of(tree: *mut pg_sys::Node) -> BTreeSet<i16> {
    let mut bitmap = std::ptr::null_mut();
    // SAFETY: a tree, or null; the bitmap is made in the current memory context.
    unsafe { pg_sys::pull_varattnos(tree, 1, &mut bitmap) };
    members(bitmap)
}

/// The columns that refer to other tables.
fn referencing(relation: &Opened) -> BTreeSet<i16> {
    // SAFETY: an open relation; its cache entry keeps the list, of structures with as many columns as they say.
    unsafe {
        tree::items::<pg_sys::ForeignKeyCacheInfo>(pg_sys::RelationGetFKeyList(relation.relation()))
            .iter()
            .flat_map(|key| key.conkey[..key.nkeys as usize].to_vec())
            .collect()
    }
}

fn partitioning(relation: &Opened) -> BTreeSet<i16> {
    // SAFETY: an open relation.
    unsafe {
        let count = relation.columns().len() as i16;
        (1..=count)
            .filter(|attribute| missing::partitions_by(relation.relation(), *attribute))
            .collect()
    }
}

/// Those of lookup indexes read the distribution columns and their own, and fire for changes of these alone: operations do not concern them.
fn add_triggers(facts: &mut Facts, relation: &Opened) {
    for trigger in relation
        .triggers()
        .iter()
        .filter(|trigger| !checks_constraint(trigger) && !catalog::is_of_extension(trigger.tgfoid))
    {
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

/// Whether a trigger is PostgreSQL's own, of a foreign key or of a unique or exclusion constraint that can be deferred: what they need is
/// done wherever a row is rewritten.
fn checks_constraint(trigger: &pg_sys::Trigger) -> bool {
    // SAFETY: a comparison with known functions.
    let of_foreign_key = unsafe { pg_sys::RI_FKey_trigger_type(trigger.tgfoid) };
    trigger.tgisinternal
        && (of_foreign_key != pg_sys::RI_TRIGGER_NONE as i32
            || trigger.tgfoid == Oid::from(pg_sys::F_UNIQUE_KEY_RECHECK))
}
