//! A repartition join: each gathered row goes to one node only, the one that holds the rows it can match. One of its columns decides: by the placement
//! of a table that stays and is joined on its distribution column, or, where no table stays, by the hash of the column's value. No proof of its own says
//! that the nodes can then work by themselves: such rows are looked at as a table that is distributed by that column.

use super::super::graph::Column;
use super::super::locality::{self, Locality};
use super::super::relation::{Placement, Spreading};
use super::super::scope::{ScopeId, Scopes};
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::rc::Rc;

/// So many columns are tried by which rows that all move can be divided.
const TRIED_MAX: usize = 4;

/// The colocation group of rows that are divided by the hash of a column; tables have others.
const BY_HASH: i32 = i32::MIN;

/// The gathered rows of one mention, passed as one array for each column.
pub struct Part {
    /// How many bytes of them a node gives.
    pub bytes: f64,
    /// Types of its columns.
    pub types: Vec<Oid>,
}

/// Rows that are divided between the nodes.
#[derive(Clone)]
pub struct Split {
    /// Which of the parts.
    pub part: usize,
    /// By which of its columns, from 0.
    column: usize,
    type_oid: Oid,
    /// As this relation's rows lie, by its name; `None` for the hash.
    like: Option<(String, String)>,
}

impl Split {
    /// For the router.
    pub fn facts(&self) -> Json {
        let like = self
            .like
            .as_ref()
            .map(|(schema, table)| json!({ "schema": schema, "name": table }));
        json!({ "part": self.part, "column": self.column, "type": self.type_oid.to_u32(), "like": like })
    }
}

/// Values of these types have one form each, which routers know whatever the settings; equal values of one kind lie together.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Integer,
    Text,
    Uuid,
}

impl Kind {
    fn of(type_oid: Oid) -> Option<Kind> {
        match type_oid {
            pg_sys::INT2OID | pg_sys::INT4OID | pg_sys::INT8OID => Some(Kind::Integer),
            pg_sys::TEXTOID | pg_sys::VARCHAROID => Some(Kind::Text),
            pg_sys::UUIDOID => Some(Kind::Uuid),
            _ => None,
        }
    }
}

/// A column of a part that conditions name.
#[derive(Clone, Copy)]
struct Candidate {
    part: usize,
    relation: usize,
    attribute: i16,
    column: Column,
    kind: Kind,
    type_oid: Oid,
}

/// Chooses which parts to divide and by which columns, so that nodes can work by themselves, and marks these parts as distributed in the scopes. Empty
/// if no choice achieves that.
///
/// `by_hash` allows that no table stays.
pub fn choose(scopes: &mut Scopes, scope: ScopeId, parts: &[Part], by_hash: bool) -> Vec<Split> {
    let mut candidates = candidates(scopes, parts);
    candidates.sort_by(|one, other| {
        let bytes = |candidate: &Candidate| parts[candidate.part].bytes;
        bytes(other).total_cmp(&bytes(one))
    });
    let stays = scopes
        .relations
        .iter()
        .any(|relation| relation.spreading().is_some());
    let mut splits = match stays {
        true => like_tables(scopes, scope, &candidates),
        false if by_hash => by_hash_of_joined_columns(scopes, scope, &candidates, parts),
        false => Vec::new(),
    };
    splits.sort_by_key(|split| split.part);
    splits
}

/// The columns by which parts could be divided, in the order of the parts.
fn candidates(scopes: &Scopes, parts: &[Part]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (part, relation) in scopes.parts() {
        for (at, type_oid) in parts[part].types.iter().enumerate() {
            let attribute = at as i16 + 1;
            let column = scopes.known_column(relation, attribute);
            if let (Some(column), Some(kind)) = (column, Kind::of(*type_oid)) {
                found.push(Candidate {
                    part,
                    relation,
                    attribute,
                    column,
                    kind,
                    type_oid: *type_oid,
                });
            }
        }
    }
    found
}

/// Whether rows meet only where both columns are equal, or those of one matter only there.
fn are_compared(scopes: &Scopes, one: Column, other: Column) -> bool {
    let graph = &scopes.graph;
    graph.reaches(one, other) || graph.reaches(other, one) || graph.are_matched(one, other)
}

fn is_local(scopes: &mut Scopes, scope: ScopeId) -> bool {
    scopes.localities.clear();
    matches!(locality::rows(scopes, scope), Locality::Partitioned { .. })
}

/// Puts a part where such rows lie.
fn place(scopes: &mut Scopes, candidate: &Candidate, way: &Spreading) {
    let operation = way.columns.first().and_then(|(_, operation)| *operation);
    scopes.relations[candidate.relation].placement = Placement::Distributed(Rc::new(Spreading {
        columns: vec![(candidate.attribute, operation)],
        colocation: way.colocation,
    }));
}

fn put_back(scopes: &mut Scopes, relation: usize) {
    scopes.relations[relation].placement = Placement::Reference;
}

/// Divides parts as the rows of tables lie to which their columns are compared: each that can be.
fn like_tables(scopes: &mut Scopes, scope: ScopeId, candidates: &[Candidate]) -> Vec<Split> {
    let mut splits: Vec<Split> = Vec::new();
    let mut was_local = is_local(scopes, scope);
    for candidate in candidates {
        if splits.iter().any(|split| split.part == candidate.part) {
            continue;
        }
        let Some((way, like)) = table_beside(scopes, candidate) else {
            continue;
        };
        place(scopes, candidate, &way);
        let is_local_now = is_local(scopes, scope);
        if was_local && !is_local_now {
            put_back(scopes, candidate.relation);
            continue;
        }
        was_local = is_local_now;
        splits.push(split(candidate, Some(like)));
    }
    if !is_local(scopes, scope) {
        splits.clear();
    }
    splits
}

/// How the rows of a table lie whose only distribution column is compared with the candidate, and its name.
fn table_beside(
    scopes: &mut Scopes,
    candidate: &Candidate,
) -> Option<(Rc<Spreading>, (String, String))> {
    let parts: BTreeSet<usize> = scopes.parts().map(|(_, relation)| relation).collect();
    for id in (0..scopes.relations.len()).filter(|id| !parts.contains(id)) {
        let relation = &scopes.relations[id];
        let name = (relation.schema.clone(), relation.name.clone());
        let Some(spreading) = relation.spreading() else {
            continue;
        };
        let &[(attribute, _)] = spreading.columns.as_slice() else {
            continue;
        };
        // SAFETY: catalogue look-ups of a relation that is locked.
        let type_oid = unsafe { pg_sys::getBaseType(pg_sys::get_atttype(relation.oid, attribute)) };
        let key = scopes.column(id, attribute);
        if Kind::of(type_oid) == Some(candidate.kind) && are_compared(scopes, key, candidate.column)
        {
            return Some((spreading, name));
        }
    }
    None
}

/// Divides parts by a column of each that are compared with each other: where the most bytes are.
fn by_hash_of_joined_columns(
    scopes: &mut Scopes,
    scope: ScopeId,
    candidates: &[Candidate],
    parts: &[Part],
) -> Vec<Split> {
    let mut sets: Vec<Vec<Candidate>> = Vec::new();
    for seed in candidates {
        let set = compared_with(scopes, candidates, seed);
        if set.len() > 1 {
            sets.push(set);
        }
    }
    let bytes = |set: &Vec<Candidate>| -> f64 { set.iter().map(|one| parts[one.part].bytes).sum() };
    sets.sort_by(|one, other| bytes(other).total_cmp(&bytes(one)));
    let by_hash = Spreading {
        columns: Vec::new(),
        colocation: BY_HASH,
    };
    for set in sets.into_iter().take(TRIED_MAX) {
        for one in &set {
            place(scopes, one, &by_hash);
        }
        if is_local(scopes, scope) {
            return set.iter().map(|one| split(one, None)).collect();
        }
        for one in &set {
            put_back(scopes, one.relation);
        }
    }
    scopes.localities.clear();
    Vec::new()
}

/// The candidate, and one of each other part that is compared with it.
fn compared_with(scopes: &Scopes, candidates: &[Candidate], seed: &Candidate) -> Vec<Candidate> {
    let mut set = vec![*seed];
    for other in candidates {
        let is_new = set.iter().all(|one| one.part != other.part);
        if is_new && other.kind == seed.kind && are_compared(scopes, seed.column, other.column) {
            set.push(*other);
        }
    }
    set
}

fn split(candidate: &Candidate, like: Option<(String, String)>) -> Split {
    Split {
        part: candidate.part,
        column: candidate.attribute as usize - 1,
        type_oid: candidate.type_oid,
        like,
    }
}
