//! Temporary views over placed tables. They are on the first node only, and their rows on all, so that nodes run the statement with the
//! views' queries in their places.

use super::below_view;
use super::merge::{self, build, used};
use super::relation::{Placement, Relation};
use super::scope::Scopes;
use super::tree;
use super::view_query;
use crate::opened::Opened;
use pgrx::pg_sys::{self, RangeTblEntry};

/// The statement without temporary views; `None` when it has none, needs no other node, or would then not do the same.
pub fn expand(query: &pg_sys::Query, scopes: &Scopes) -> Option<&'static mut pg_sys::Query> {
    let mut relations = scopes.relations.iter();
    let placed = relations.any(|relation| {
        matches!(
            relation.placement,
            Placement::Distributed(_) | Placement::Reference
        )
    });
    if !placed || !(mentions_temporary_view(query) || names_temporary_view(query)) {
        return None;
    }
    let mut copy = build::copy(query);
    while names_temporary_view(copy) {
        copy = below_view::find(copy)?;
    }
    expand_in(copy)?;
    Some(copy)
}

/// Whether the statement, or a query of WITH, changes rows through such a view, over a placed table: no other node could.
pub fn is_changed(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            names_temporary_view(level)
                && below_view::Table::below(tree::target(level)).is_some_and(|table| {
                    let placement = Relation::new(table.oid, 0).placement;
                    matches!(placement, Placement::Distributed(_) | Placement::Reference)
                })
        })
    })
}

fn names_temporary_view(level: &pg_sys::Query) -> bool {
    level.resultRelation > 0
        && tree::cast::<RangeTblEntry, _>(tree::range(level, level.resultRelation))
            .is_some_and(is_temporary_view)
}

fn mentions_temporary_view(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| !temporary_views(level).is_empty())
    })
}

/// The entries of the level's range table that stand for such views in FROM, with their numbers from 1.
fn temporary_views(level: &pg_sys::Query) -> Vec<(i32, *mut RangeTblEntry)> {
    used::relations(level)
        .into_iter()
        .map(|index| (index, tree::range(level, index)))
        .filter(|(_, entry)| tree::cast::<RangeTblEntry, _>(*entry).is_some_and(is_temporary_view))
        .collect()
}

fn is_temporary_view(entry: &RangeTblEntry) -> bool {
    // SAFETY: a look-up of a relation that is locked.
    let persistence = unsafe { pg_sys::get_rel_persistence(entry.relid) } as u8;
    entry.relkind as u8 == pg_sys::RELKIND_VIEW && persistence == pg_sys::RELPERSISTENCE_TEMP
}

/// What locks rows of such a view, reads it with another's rights, or hides its rows from functions, stays as it is.
fn expand_in(query: &mut pg_sys::Query) -> Option<()> {
    for level in tree::levels(query) {
        pgrx::check_for_interrupts!();
        let level = tree::cast::<pg_sys::Query, _>(level)?;
        for (index, entry) in temporary_views(level) {
            // SAFETY: an entry of a private copy, of which nothing else is held.
            let view = unsafe { (*entry).relid };
            let changed = index == level.resultRelation;
            if changed || !level.rowMarks.is_null() || !is_own(view) {
                return None;
            }
            let inner = build::copy(view_query::of(view)?);
            expand_in(inner)?;
            // SAFETY: as above.
            unsafe { merge::put_subquery(entry, inner) };
        }
    }
    Some(())
}

fn is_own(view: pg_sys::Oid) -> bool {
    // SAFETY: reads the session's role.
    let user = unsafe { pg_sys::GetUserId() };
    Opened::open(view, pg_sys::NoLock).is_some_and(|view| {
        // SAFETY: an open relation.
        let plain = unsafe { (*view.relation()).rd_options.is_null() };
        plain && view.class().relowner == user
    })
}
