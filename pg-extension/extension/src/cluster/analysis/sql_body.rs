//! Functions in SQL, which PostgreSQL may put into the statement that calls them: whether tables come with them.

use super::functions::FIRST_USER_OBJECT;
use super::parser;
use super::tree::{self, NodePtr};
use crate::callback;
use crate::compat;
use pgrx::pg_sys::{self, NodeTag, Oid};
use std::ffi::{CStr, c_char, c_void};

/// Whether the body mentions a table, or a function of a user, which may itself do so.
pub fn may_read_tables(function: Oid) -> bool {
    match body(function) {
        Some(Body::Tree(text)) => stored_tree_reads(text),
        Some(Body::Text(text)) => text_reads(text),
        None => true,
    }
}

enum Body {
    /// That of BEGIN ATOMIC or RETURN, as PostgreSQL stores it.
    Tree(*mut c_char),
    Text(*mut c_char),
}

fn body(function: Oid) -> Option<Body> {
    let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
    // SAFETY: a catalogue row that is released after use; the texts are copied by the conversion.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            return None;
        }
        let text = |number: u32| {
            let mut is_null = false;
            let value = pg_sys::SysCacheGetAttr(cache, row, number as i16, &mut is_null);
            (!is_null).then(|| pg_sys::text_to_cstring(value.cast_mut_ptr()))
        };
        let found = text(pg_sys::Anum_pg_proc_prosqlbody)
            .map(Body::Tree)
            .or_else(|| text(pg_sys::Anum_pg_proc_prosrc).map(Body::Text));
        pg_sys::ReleaseSysCache(row);
        found
    }
}

fn stored_tree_reads(text: *const c_char) -> bool {
    // SAFETY: a stored tree.
    let tree: NodePtr = unsafe { pg_sys::stringToNode(text) }.cast();
    let mut called = false;
    let reads = tree::any(tree, &mut |node| {
        let may_call =
            tree::tag(node).is_some_and(|tag| !matches!(tag, NodeTag::T_Query | NodeTag::T_List));
        called |= may_call
            // SAFETY: the checker only looks at the OID.
            && unsafe { pg_sys::check_functions_in_node(node, Some(is_users), std::ptr::null_mut()) };
        tree::cast::<pg_sys::RangeTblEntry, _>(node)
            .is_some_and(|entry| entry.rtekind == pg_sys::RTEKind::RTE_RELATION)
            || tree::cast::<pg_sys::Query, _>(node).is_some_and(|query| {
                tree::list::<pg_sys::RangeTblEntry>(query.rtable)
                    .any(|entry| entry.rtekind == pg_sys::RTEKind::RTE_RELATION)
            })
    });
    reads || called
}

callback!(fn is_users(function: Oid, _context: *mut c_void) -> bool = |function: Oid, _| function.to_u32() >= FIRST_USER_OBJECT);

fn text_reads(text: *const c_char) -> bool {
    // SAFETY: a C string that the catalogue gave.
    let statements = parser::parse(unsafe { CStr::from_ptr(text) });
    // A body that cannot be parsed is no part of any statement.
    statements.is_ok_and(|statements| statements.iter().any(|statement| mentions(statement.stmt)))
}

/// Whether a raw tree names a table or a function that may be a user's. What is no SELECT is no part of another statement either.
fn mentions(node: NodePtr) -> bool {
    tree::tag(node) != Some(NodeTag::T_SelectStmt) || is_mentioned(node, std::ptr::null_mut())
}

callback!(fn visit(node: NodePtr, context: *mut c_void) -> bool = is_mentioned);

fn is_mentioned(node: NodePtr, context: *mut c_void) -> bool {
    match tree::tag(node) {
        None => false,
        Some(NodeTag::T_RangeVar) => true,
        Some(NodeTag::T_FuncCall)
            if tree::cast::<pg_sys::FuncCall, _>(node)
                .is_some_and(|call| may_be_users(call.funcname)) =>
        {
            true
        }
        // SAFETY: a valid raw tree.
        Some(_) => unsafe { compat::raw_expression_tree_walker(node, visit, context) },
    }
}

/// Whether some function of that name is not PostgreSQL's own.
fn may_be_users(name: *const pg_sys::List) -> bool {
    let Some(last) = tree::nodes(name).next_back() else {
        return false;
    };
    let cache = pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP as i32;
    // SAFETY: the elements of a name are String nodes; the list of rows is released after use.
    unsafe {
        let key = (*last.cast::<pg_sys::String>()).sval;
        let rows = pg_sys::SearchSysCacheList(
            cache,
            1,
            pg_sys::Datum::from(key),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        );
        let found = (*rows)
            .members
            .as_slice((*rows).n_members as usize)
            .iter()
            .any(|member| {
                let row = &raw mut (**member).tuple;
                let mut is_null = false;
                let oid = pg_sys::SysCacheGetAttr(
                    cache,
                    row,
                    pg_sys::Anum_pg_proc_oid as i16,
                    &mut is_null,
                );
                oid.value() as u32 >= FIRST_USER_OBJECT
            });
        pg_sys::ReleaseCatCacheList(rows);
        found
    }
}
