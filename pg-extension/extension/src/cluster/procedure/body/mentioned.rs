//! Which tables a function may read, guessed by the words of its body: for whoever gathers their rows before it runs, and watches it then. A body
//! that is not understood otherwise, or runs texts that it makes, names its tables too.

use super::super::super::analysis::functions::{self, FIRST_USER_OBJECT};
use super::super::super::analysis::relation::Placement;
use super::super::super::analysis::tree::{self, NodePtr};
use super::super::super::analysis::{called_body, parser, relation, view_query};
use super::super::super::postgres;
use super::{source, touched};
use crate::compat;
use pgrx::pg_sys::{self, Oid, RTEKind};
use std::collections::BTreeSet;

/// Functions that call each other are followed so far.
const FUNCTIONS_MAX: usize = 32;

/// Views over views are, too.
const RELATIONS_MAX: usize = 1000;

/// What a function may read, with the functions that it calls.
pub struct Reads {
    pub tables: BTreeSet<u32>,
    /// Its queries, or those of a function that it calls, may see what the calling statement has changed so far.
    pub volatile: bool,
}

/// The tables that a function may read; `None` where it is known to do more than read, or to read what another role may read: the rows are gathered
/// by the session's.
pub fn read_by(function: Oid) -> Option<Reads> {
    let mut tables = BTreeSet::new();
    let mut volatile = false;
    let mut seen = BTreeSet::new();
    let mut next = vec![function];
    while let Some(function) = next.pop() {
        if !seen.insert(function.to_u32()) || seen.len() > FUNCTIONS_MAX {
            continue;
        }
        // SAFETY: a catalogue look-up.
        volatile |=
            unsafe { pg_sys::func_volatile(function) } as u8 == pg_sys::PROVOLATILE_VOLATILE;
        let found = touched::findings(function);
        if found.as_ref().is_some_and(|found| found.writes) {
            return None;
        }
        if let Some(found) = found {
            if !found.touched.is_empty() && called_body::runs_as_another(function) {
                return None;
            }
            let named = found.touched.iter();
            let known = named.filter_map(|touch| relation::numbered(&touch.table));
            tables.extend(known.map(|table| table.to_u32()));
            let called = found.called.opaque.iter();
            next.extend(called.flat_map(|name| functions::named(name)));
        }
        for name in names_in(function) {
            if let Some(table) = table(&name) {
                if !may_read(table) && called_body::runs_as_another(function) {
                    return None;
                }
                if may_read(table) {
                    let below = tables_of(table).into_iter();
                    tables.extend(below.filter(|one| may_read(Oid::from(*one))));
                }
            }
            let called = functions::named_by(&name).into_iter();
            next.extend(called.filter(|called| called.to_u32() >= FIRST_USER_OBJECT));
        }
    }
    Some(Reads { tables, volatile })
}

/// Whether a function, or one that it calls, names a table that is placed, or a view over one, in a text in SQL or PL/pgSQL; also where these are too
/// many.
pub fn names_placed(function: Oid) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![function];
    while let Some(function) = next.pop() {
        if !seen.insert(function.to_u32()) {
            continue;
        } else if seen.len() > FUNCTIONS_MAX {
            return true;
        }
        if let Some(found) = touched::findings(function) {
            let mut named = found.touched.iter();
            if named.any(|touch| relation::numbered(&touch.table).is_none_or(is_over_placed)) {
                return true;
            }
            let called = found.called.opaque.iter();
            next.extend(called.flat_map(|name| functions::named(name)));
        }
        for name in names_in(function) {
            if table(&name).is_some_and(is_over_placed) {
                return true;
            }
            let called = functions::named_by(&name).into_iter();
            next.extend(called.filter(|called| called.to_u32() >= FIRST_USER_OBJECT));
        }
    }
    false
}

/// Whether a table is placed, or a view is over one that is.
fn is_over_placed(table: Oid) -> bool {
    let mut tables = tables_of(table).into_iter().map(Oid::from);
    tables.any(|table| {
        let placement = relation::Relation::new(table, 0).placement;
        !matches!(placement, Placement::None | Placement::Catalog)
    })
}

/// The table itself, or those that a view is over.
fn tables_of(relation: Oid) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut next = vec![relation];
    while let Some(relation) = next.pop() {
        pgrx::check_for_interrupts!();
        if seen.len() >= RELATIONS_MAX || !seen.insert(relation.to_u32()) {
            continue;
        }
        let Some(view) = view_query::of_view(relation) else {
            found.insert(relation.to_u32());
            continue;
        };
        let node: NodePtr = std::ptr::from_ref(view).cast_mut().cast();
        tree::walk(node, &mut |node| {
            if let Some(level) = tree::cast::<pg_sys::Query, _>(node) {
                let entries = tree::list::<pg_sys::RangeTblEntry>(level.rtable);
                let tables = entries.filter(|entry| entry.rtekind == RTEKind::RTE_RELATION);
                next.extend(tables.map(|entry| entry.relid));
            }
            true
        });
    }
    found
}

/// The table of that name, if there is one.
fn table(name: &[String]) -> Option<Oid> {
    let texts: Vec<_> = name.iter().map(|part| parser::c_text(part)).collect();
    // SAFETY: look-ups by names that are copied; what is missing has no number.
    unsafe {
        let parts: Vec<_> = texts
            .iter()
            .map(|text| pg_sys::pstrdup(text.as_ptr()))
            .collect();
        let range = match *parts.as_slice() {
            [only] => pg_sys::makeRangeVar(std::ptr::null_mut(), only, -1),
            [schema, only] => pg_sys::makeRangeVar(schema, only, -1),
            _ => return None,
        };
        let found = tree::cast::<pg_sys::RangeVar, _>(range).and_then(relation::existing)?;
        let is_users = found.to_u32() >= FIRST_USER_OBJECT && !relation::is_temporary(found);
        is_users.then_some(found)
    }
}

fn may_read(table: Oid) -> bool {
    postgres::may_whole(table, pg_sys::ACL_SELECT)
}

/// The names in a function's text, but for those in schemas that the user may not look into: the node that runs it watches what is done there.
fn names_in(function: Oid) -> BTreeSet<Vec<String>> {
    let mut found = source::text(function).map_or_else(BTreeSet::new, |text| names(&text));
    found.retain(|name| name.len() < 2 || may_use(&name[0]));
    found
}

fn may_use(schema: &str) -> bool {
    // SAFETY: look-ups by a name that is copied, and of the user.
    unsafe {
        let schema = pg_sys::get_namespace_oid(parser::c_text(schema).as_ptr(), true);
        schema == Oid::INVALID || compat::may_use(schema, pg_sys::GetUserId())
    }
}

/// The names in a text, with and without what is behind a dot.
fn names(text: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut chain: Vec<String> = Vec::new();
    let mut letters = text.chars().peekable();
    let mut joined = false;
    while let Some(letter) = letters.next() {
        let word = match letter {
            '"' => letters.by_ref().take_while(|next| *next != '"').collect(),
            _ if is_of_word(letter) => {
                let mut word = letter.to_lowercase().to_string();
                while let Some(next) = letters.next_if(|next| is_of_word(*next)) {
                    word.extend(next.to_lowercase());
                }
                word
            }
            _ => {
                joined = letter == '.' && !chain.is_empty();
                if !joined {
                    chain.clear();
                }
                continue;
            }
        };
        if !joined {
            chain.clear();
        }
        joined = false;
        chain.push(word);
        if chain.len() <= 2 {
            found.insert(chain.clone());
        }
    }
    found
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}
