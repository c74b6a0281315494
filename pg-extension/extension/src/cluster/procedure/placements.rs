//! Where the rows of each relation lie, kept per backend until the placement changes.

use super::super::placement::{Distribution, Entries, Function, KeyColumn, Kind, Method};
use super::super::{postgres, version};
use pgrx::pg_sys::{self, Oid};
use std::cell::RefCell;
use std::collections::HashMap;
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
    first_node: i32,
    node_count: usize,
    homes: HashMap<u32, Home>,
}

thread_local! {
    static PLACEMENTS: RefCell<Placements> = RefCell::default();
}

fn with_current<R>(code: impl FnOnce(&mut Placements) -> R) -> R {
    let version = version::node_version();
    PLACEMENTS.with_borrow_mut(|placements| {
        if placements.version != version || version == 0 {
            *placements = load(version);
        }
        code(placements)
    })
}

/// The node that has the tables without a placement; `None` in a cluster of one.
pub fn first_of_several() -> Option<i32> {
    with_current(|placements| (placements.node_count > 1).then_some(placements.first_node))
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

fn load(version: i64) -> Placements {
    let mut loaded = Placements {
        version,
        first_node: i32::MAX,
        ..Placements::default()
    };
    let mut kinds = HashMap::new();
    let mut nodes: HashMap<i32, Vec<i32>> = HashMap::new();
    // SAFETY: the columns have the types that the install script gives them, and are not null.
    unsafe {
        postgres::each_row(c"node", 1, &mut |row| {
            loaded.first_node = loaded.first_node.min(row[0].value() as i32);
            loaded.node_count += 1;
        });
        postgres::each_row(c"colocation", 3, &mut |row| {
            let kind = postgres::text_argument(row[2]);
            kinds.insert(row[0].value() as i32, Kind::named(&kind.to_string_lossy()));
            nodes.insert(
                row[0].value() as i32,
                vec![0; row[1].value() as u32 as usize],
            );
        });
        postgres::each_row(c"partition", 3, &mut |row| {
            let nodes = nodes.entry(row[0].value() as i32).or_default();
            if let Some(node) = nodes.get_mut(row[1].value() as u32 as usize) {
                *node = row[2].value() as i32;
            }
        });
        // Two columns are null for a reference table.
        postgres::each_row(c"placement", 2, &mut |row| {
            let is_reference = postgres::text_argument(row[1]).to_bytes() == b"reference";
            let home = if is_reference {
                Home::Everywhere
            } else {
                Home::Here
            };
            loaded.homes.insert(row[0].value() as u32, home);
        });
        postgres::each_row(c"placement", 4, &mut |row| {
            let relation = Oid::from(row[0].value() as u32);
            let colocation = row[3].value() as i32;
            let is_hash = postgres::text_argument(row[1]).to_bytes() == b"hash";
            if let (true, Some(Some(kind))) = (is_hash, kinds.get(&colocation)) {
                let name = row[2].cast_mut_ptr::<pg_sys::NameData>().cast();
                let column = KeyColumn {
                    attribute: pg_sys::get_attnum(relation, name),
                    kind: *kind,
                    operation: None,
                };
                let nodes = nodes.get(&colocation).cloned().unwrap_or_default();
                let function = Function {
                    method: Method::Hash,
                    partition_count: nodes.len(),
                };
                let distribution =
                    Distribution::new(vec![column], function, nodes, Entries::of(colocation));
                loaded
                    .homes
                    .insert(relation.to_u32(), Home::Distributed(Rc::new(distribution)));
            }
        });
    }
    loaded
}
