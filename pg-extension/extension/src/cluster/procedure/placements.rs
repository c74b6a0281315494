//! Where the rows of each relation lie, kept per backend until the placement changes.

use super::super::analysis::operand;
use super::super::placement::{
    self, Distribution, Entries, Function, KeyColumn, Kind, Method, Operation, Rule,
};
use super::super::{postgres, settings, version};
use pgrx::pg_sys::{self, Datum, Oid};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// Where the rows of a relation lie.
#[derive(Clone)]
pub enum Home {
    /// This node's own: temporary tables, catalogues.
    Here,
    /// A copy on every node.
    Everywhere,
    /// On this node only: the first of the cluster.
    Node(i32),
    /// Each on the node that its distribution columns say.
    Distributed(Rc<Distribution>),
}

#[derive(Default)]
struct Placements {
    version: i64,
    /// [`version::changes`] when it was read; `None` where it must be read anew.
    changes: Option<u64>,
    first_node: i32,
    /// Which node this is; 0 when no router has said so yet.
    own_node: i32,
    node_count: usize,
    has_placed: bool,
    homes: HashMap<u32, Home>,
}

thread_local! {
    static PLACEMENTS: RefCell<Placements> = RefCell::default();
}

fn with_current<R>(code: impl FnOnce(&mut Placements) -> R) -> R {
    let version = version::node_version();
    PLACEMENTS.with_borrow_mut(|placements| {
        let changes = version::changes();
        let own = version == 0 && (changes.is_none() || changes != placements.changes);
        if placements.version != version || own {
            *placements = load(version);
            placements.changes = changes;
        }
        code(placements)
    })
}

/// How many nodes the cluster has, at least 1.
pub fn node_count() -> usize {
    with_current(|placements| placements.node_count.max(1))
}

/// The node that has the tables without a placement; `None` in a cluster of one.
pub fn first_of_several() -> Option<i32> {
    with_current(|placements| (placements.node_count > 1).then_some(placements.first_node))
}

/// This node's number: as the connected router says, else as the last change of the placement has told; `None` in a cluster of one, and when
/// nobody has.
pub fn own_node_of_several() -> Option<i32> {
    // Databases without the extension know no version to keep anything for.
    if version::node_version() == 0 && postgres::own_relation(c"cluster") == Oid::INVALID {
        return None;
    }
    let told = match settings::PLACEMENT_VERSION.get() {
        0 => 0,
        _ => settings::NODE_ID.get(),
    };
    with_current(|placements| {
        let own = if told != 0 { told } else { placements.own_node };
        (placements.node_count > 1 && own != 0).then_some(own)
    })
}

/// Where the rows of a relation lie.
pub fn home(relation: Oid) -> Home {
    with_current(|placements| {
        let first_node = placements.first_node;
        placements
            .homes
            .entry(relation.to_u32())
            .or_insert_with(|| unplaced(relation, first_node))
            .clone()
    })
}

/// Whether some table has a placement in a cluster of several nodes.
pub fn are_spread() -> bool {
    with_current(|placements| placements.node_count > 1 && placements.has_placed)
}

/// Whether this is a node of a cluster.
pub fn has_nodes() -> bool {
    with_current(|placements| placements.first_node != i32::MAX)
}

fn unplaced(relation: Oid, first_node: i32) -> Home {
    // SAFETY: catalogue look-ups of a relation that is open.
    let own = unsafe {
        let schema = pg_sys::get_rel_namespace(relation);
        pg_sys::get_rel_persistence(relation) as u8 == pg_sys::RELPERSISTENCE_TEMP
            || schema.to_u32() < pg_sys::FirstNormalObjectId
                && schema.to_u32() != pg_sys::PG_PUBLIC_NAMESPACE
            || schema == pg_sys::get_namespace_oid(c"abelian".as_ptr(), true)
    };
    if own {
        Home::Here
    } else {
        Home::Node(first_node)
    }
}

/// What the tables of a colocation group have in common.
struct Group {
    kinds: Vec<Kind>,
    /// `None` when this library does not know what it says.
    function: Option<Function>,
    nodes: Vec<i32>,
}

fn load(version: i64) -> Placements {
    let mut loaded = Placements {
        version,
        first_node: i32::MAX,
        ..Placements::default()
    };
    let mut groups = HashMap::new();
    // SAFETY: the columns have the types that the install script gives them.
    unsafe {
        postgres::each_row(c"node", 1, &mut |row| {
            loaded.first_node = loaded.first_node.min(number(row[0]));
            loaded.node_count += 1;
        });
        postgres::each_row(c"own_node", 2, &mut |row| loaded.own_node = number(row[1]));
        postgres::each_row(c"colocation", 6, &mut |row| {
            groups.insert(number(row[0]), group(row));
        });
        postgres::each_row(c"partition", 3, &mut |row| {
            let group = groups.get_mut(&number(row[0]));
            let place = number(row[1]) as usize;
            if let Some(node) = group.and_then(|group| group.nodes.get_mut(place)) {
                *node = number(row[2]);
            }
        });
        postgres::each_row(c"placement", COLUMNS, &mut |row| {
            loaded.has_placed = true;
            let relation = Oid::from(number(row[0]) as u32);
            loaded
                .homes
                .insert(relation.to_u32(), placed(relation, row, &groups));
        });
    }
    loaded
}

/// A number that is never NULL.
fn number(value: Option<Datum>) -> i32 {
    value.map_or(0, |value| value.value() as i32)
}

/// # Safety
/// A `text`, or NULL.
unsafe fn text(value: Option<Datum>) -> String {
    value.map_or(String::new(), |value| {
        // SAFETY: by the caller's promise.
        let text = unsafe { postgres::text_argument(value) };
        text.to_string_lossy().into_owned()
    })
}

/// A `jsonb`, or NULL.
fn json(value: Option<Datum>) -> Json {
    let printed = value.map(|value| operand::output(pg_sys::JSONBOID, value));
    printed.map_or(Json::Null, |text| {
        serde_json::from_str(&text).unwrap_or_default()
    })
}

/// # Safety
/// A row of `abelian.colocation`.
unsafe fn group(row: &[Option<Datum>]) -> Group {
    let partition_count = number(row[1]) as usize;
    // SAFETY: by the caller's promise.
    let (kinds, method) = unsafe { (Kind::list(&text(row[2])), text(row[4])) };
    let kinds = kinds.unwrap_or_default();
    let rule = || Rule::from_json(&json(row[5]), &kinds, partition_count);
    let method = match &method[..] {
        "hash" | "" => Some(Method::Hash),
        "lookup" => rule().map(Method::Lookup),
        _ => rule().map(Method::Rule),
    };
    Group {
        function: method.map(|method| Function {
            method,
            partition_count,
        }),
        nodes: vec![0; partition_count],
        kinds,
    }
}

/// # Safety
/// A row of `abelian.placement`.
unsafe fn placed(relation: Oid, row: &[Option<Datum>], groups: &HashMap<i32, Group>) -> Home {
    let colocation = number(row[3]);
    let group = groups.get(&colocation);
    // SAFETY: by the caller's promise.
    let columns = unsafe { columns(relation, row) };
    let (Some(columns), Some(group)) = (columns, group) else {
        return Home::Everywhere;
    };
    let columns: Vec<KeyColumn> = columns
        .into_iter()
        .zip(&group.kinds)
        .map(|((attribute, operation), kind)| KeyColumn {
            attribute,
            kind: *kind,
            operation,
        })
        .collect();
    let distribution = group.function.clone().map(|function| {
        Distribution::new(
            columns,
            function,
            group.nodes.clone(),
            Entries::of(colocation),
        )
    });
    match distribution {
        Some(distribution) if distribution.columns().len() == group.kinds.len() => {
            Home::Distributed(Rc::new(distribution))
        }
        _ => Home::Here,
    }
}

/// How many columns of `abelian.placement` are read.
pub const COLUMNS: usize = 5;

/// The numbers of the distribution columns, and what is made of them; `None` for a reference table.
///
/// # Safety
/// A row of `abelian.placement`.
pub unsafe fn columns(
    relation: Oid,
    row: &[Option<Datum>],
) -> Option<Vec<(i16, Option<Operation>)>> {
    let attribute = |name: &CStr| {
        // SAFETY: a look-up by name.
        unsafe { pg_sys::get_attnum(relation, name.as_ptr()) }
    };
    // The table of an older version has one column, by its name.
    let Some(columns) = row[4] else {
        // SAFETY: by the caller's promise.
        let name = unsafe { postgres::name_argument(row[2]?) };
        return Some(vec![(attribute(&name), None)]);
    };
    let columns = placement::columns(&json(Some(columns))).unwrap_or_default();
    let named = columns.into_iter().map(|(name, operation)| {
        let name = CString::new(name).unwrap_or_default();
        (attribute(&name), operation)
    });
    Some(named.collect())
}
