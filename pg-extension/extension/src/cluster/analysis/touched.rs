//! What a change and the rest of its statement have in common: tables that both touch, and foreign keys between their tables, whose checks and actions
//! one PostgreSQL runs at the end of the whole statement.

use super::changed_once::OtherChanges;
use super::parser;
use super::tree;
use crate::boundary::PostgresError;
use crate::catalog;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::pg_sys::{self, CmdType, Oid, RTEKind};

/// A mention of a table.
pub struct Touched {
    table: Oid,
    /// The table and all below it, which hold its rows.
    family: Vec<Oid>,
    /// What is done with it.
    command: CmdType::Type,
    /// The columns that UPDATE assigns.
    assigned: Vec<i16>,
    /// INSERT says what to do with a row that is there.
    meets_rows: bool,
}

impl Touched {
    /// All that a query touches, views and policies included.
    pub fn by(query: &pg_sys::Query) -> Result<Vec<Touched>, PostgresError> {
        let mut found = Vec::new();
        for query in parser::rewrite(query)? {
            let node = std::ptr::from_ref(query).cast_mut().cast();
            tree::walk(node, &mut |node| {
                if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
                    add_level(level, &mut found);
                }
                true
            });
        }
        Ok(found)
    }

    /// Whether its rows change.
    pub fn changes(&self) -> bool {
        self.command != CmdType::CMD_SELECT
    }

    /// Whether both may be about the same rows.
    pub fn is_of(&self, other: &Touched) -> bool {
        self.family.iter().any(|table| other.family.contains(table))
    }

    fn has(&self, table: Oid) -> bool {
        self.family.contains(&table)
    }

    fn inserts_only(&self) -> bool {
        self.command == CmdType::CMD_INSERT && !self.meets_rows
    }

    /// Whether it changes rows that it finds.
    fn changes_found(&self) -> bool {
        matches!(self.command, CmdType::CMD_UPDATE | CmdType::CMD_DELETE)
    }

    /// Whether one of two changes of a table may take, in these columns, a value that the other gives up.
    fn order_matters(&self, other: &Touched, unique: &[i16]) -> bool {
        (self.takes_away(unique) && other.gives(unique))
            || (self.gives(unique) && other.takes_away(unique))
    }

    /// Whether rows that are there lose one of these columns' values.
    fn takes_away(&self, columns: &[i16]) -> bool {
        match self.command {
            CmdType::CMD_SELECT => false,
            CmdType::CMD_INSERT => self.meets_rows,
            CmdType::CMD_UPDATE => self.assigned.iter().any(|column| columns.contains(column)),
            _ => true,
        }
    }

    /// Whether rows get values in one of these columns.
    fn gives(&self, columns: &[i16]) -> bool {
        match self.command {
            CmdType::CMD_SELECT | CmdType::CMD_DELETE => false,
            CmdType::CMD_UPDATE => self.assigned.iter().any(|column| columns.contains(column)),
            _ => true,
        }
    }
}

fn add_level(level: &pg_sys::Query, found: &mut Vec<Touched>) {
    for (at, entry) in tree::list::<pg_sys::RangeTblEntry>(level.rtable).enumerate() {
        if entry.rtekind != RTEKind::RTE_RELATION {
            continue;
        }
        let is_target = at as i32 + 1 == level.resultRelation;
        let assignments = match (is_target, level.commandType) {
            (true, CmdType::CMD_UPDATE) => tree::assignments(level),
            _ => Vec::new(),
        };
        let mut family = missing::descendants(entry.relid);
        family.push(entry.relid);
        found.push(Touched {
            table: entry.relid,
            family,
            command: if is_target {
                level.commandType
            } else {
                CmdType::CMD_SELECT
            },
            assigned: assignments.iter().map(|entry| entry.resno).collect(),
            meets_rows: is_target && !level.onConflict.is_null(),
        });
    }
}

/// Whether the rest of a statement would meet what a change does, if that runs before it. The rest may insert into the same table what it makes of
/// the rows that the change returns (`readers`), as these are gone or as they are to be then, whichever comes first. It may change what a deletion leaves,
/// and, by queries that leave the rows out that have changed (`others`), what any change leaves; but not where one may take a unique value that the other
/// gives up, as their order decides whether there is an error.
pub fn meets(
    change: &pg_sys::Query,
    rest: &pg_sys::Query,
    readers: &[Oid],
    others: Option<&OtherChanges>,
) -> Result<bool, PostgresError> {
    let rest = Touched::by(rest)?;
    // A view or a rule may bring in further changes.
    let others = others.filter(|others| {
        let changes = rest.iter().filter(|touched| touched.changes_found());
        let of_table = changes.filter(|touched| touched.has(others.table()));
        of_table.count() == others.queries().len()
    });
    let unique = others.map_or_else(Vec::new, OtherChanges::unique_columns);
    let told_apart = |changed: &Touched, other: &Touched| {
        others.is_some_and(|others| [changed.table, other.table] == [others.table(); 2])
    };
    for changed in Touched::by(change)?
        .iter()
        .filter(|touched| touched.changes())
    {
        let same = |other: &Touched| {
            let of_same = |table: &Oid| *table == other.table;
            let changes = rest.iter().filter(|touched| touched.changes());
            let reads = readers.iter().filter(|table| of_same(table)).count()
                == changes.filter(|touched| of_same(&touched.table)).count();
            let inserts = other.inserts_only() && (changed.inserts_only() || reads);
            let left = other.changes_found()
                && told_apart(changed, other)
                && !changed.order_matters(other, &unique);
            changed.is_of(other) && !inserts && !left
        };
        if rest.iter().any(same) || has_effects(changed, &rest, 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many foreign keys in a row are followed.
const DEPTH_MAX: usize = 16;

/// Whether triggers or foreign keys of what changes concern the rest.
fn has_effects(changed: &Touched, rest: &[Touched], depth: usize) -> bool {
    depth == DEPTH_MAX
        || changed.family.iter().any(|table| {
            let Some(open) = Opened::open(*table, pg_sys::AccessShareLock) else {
                return true;
            };
            refers_to(&open, changed, rest) || is_referred_to(&open, changed, rest, depth)
        })
}

/// Whether new rows refer to ones that the rest changes.
fn refers_to(table: &Opened, changed: &Touched, rest: &[Touched]) -> bool {
    foreign_keys(table).any(|key| {
        changed.gives(&key.conkey[..key.nkeys as usize])
            && rest
                .iter()
                .any(|other| other.changes() && other.has(key.confrelid))
    })
}

/// Whether the rest touches rows that refer to those that change; or a trigger of a user would fire before its time.
fn is_referred_to(table: &Opened, changed: &Touched, rest: &[Touched], depth: usize) -> bool {
    table.triggers().iter().any(|trigger| {
        // SAFETY: a comparison with known functions.
        let kind = unsafe { pg_sys::RI_FKey_trigger_type(trigger.tgfoid) };
        if kind == pg_sys::RI_TRIGGER_PK as i32 {
            takes_from(trigger.tgconstrrelid, table.id(), changed, rest, depth)
        } else {
            catalog::is_trigger_of_user(trigger)
        }
    })
}

/// Whether rows of that table refer to values that go away, and the rest touches them, or what refers to them in its turn.
fn takes_from(
    referring: Oid,
    table: Oid,
    changed: &Touched,
    rest: &[Touched],
    depth: usize,
) -> bool {
    let Some(open) = Opened::open(referring, pg_sys::AccessShareLock) else {
        return true;
    };
    let concerned = foreign_keys(&open).any(|key| {
        key.confrelid == table && changed.takes_away(&key.confkey[..key.nkeys as usize])
    });
    if !concerned {
        return false;
    }
    let mut family = missing::descendants(referring);
    family.push(referring);
    let cascading = Touched {
        table: referring,
        family,
        command: CmdType::CMD_DELETE,
        assigned: Vec::new(),
        meets_rows: false,
    };
    rest.iter().any(|other| cascading.is_of(other)) || has_effects(&cascading, rest, depth + 1)
}

fn foreign_keys(table: &Opened) -> impl Iterator<Item = &'static pg_sys::ForeignKeyCacheInfo> {
    // SAFETY: a list of the open relation's cache entry, of which a copy is read.
    let list = unsafe { tree::copy(pg_sys::RelationGetFKeyList(table.relation())) };
    tree::nodes(list).map(|node| {
        // SAFETY: the list holds nothing else.
        unsafe { &*node.cast::<pg_sys::ForeignKeyCacheInfo>() }
    })
}
