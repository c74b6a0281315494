//! From a function to its body: the stored tree of BEGIN ATOMIC, or PL/pgSQL's own compilation.

use super::super::super::analysis::tree;
use super::findings::{Findings, Sources};
use super::{plpgsql, query};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};
use std::ffi::CStr;

/// Analyses the body of a function.
pub fn analyse(function: Oid) -> Result<Findings, PostgresError> {
    let mut findings = Findings::default();
    // SAFETY: a catalogue row that is released after use; the texts are copied by the conversions.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            findings.not_understood("there is no such function".to_owned());
            return Ok(findings);
        }
        let mut no_tree = false;
        let body = pg_sys::SysCacheGetAttr(
            cache,
            row,
            pg_sys::Anum_pg_proc_prosqlbody as i16,
            &mut no_tree,
        );
        let mut is_null = false;
        let language = pg_sys::SysCacheGetAttr(
            cache,
            row,
            pg_sys::Anum_pg_proc_prolang as i16,
            &mut is_null,
        );
        let arguments = pg_sys::SysCacheGetAttr(
            cache,
            row,
            pg_sys::Anum_pg_proc_pronargs as i16,
            &mut is_null,
        );
        let stored = (!no_tree).then(|| pg_sys::text_to_cstring(body.cast_mut_ptr()));
        pg_sys::ReleaseSysCache(row);
        findings.arguments = (1..=arguments.value() as i16).map(i32::from).collect();
        let name = tree::string(pg_sys::get_language_name(
            Oid::from(language.value() as u32),
            true,
        ));
        match (stored, name.as_str()) {
            (Some(text), _) => atomic(&mut findings, CStr::from_ptr(text)),
            (None, "plpgsql") => plpgsql::analyse(&mut findings, function)?,
            (None, language) => findings.not_understood(format!(
                "a body in {language} is text; write it as BEGIN ATOMIC or in plpgsql"
            )),
        }
    }
    Ok(findings)
}

/// # Safety
/// The text must be a stored tree.
unsafe fn atomic(findings: &mut Findings, text: &CStr) {
    // SAFETY: by the caller's promise: a list of lists of queries, or one query.
    let root: *mut pg_sys::Node = unsafe { pg_sys::stringToNode(text.as_ptr()).cast() };
    let mut queries = Vec::new();
    collect(root, &mut queries);
    for (number, body) in queries.iter().enumerate() {
        // SAFETY: takes the locks that running it would take, and applies nothing.
        unsafe { pg_sys::AcquireRewriteLocks(std::ptr::from_ref(*body).cast_mut(), true, false) };
        query::look(
            findings,
            body,
            &format!("statement {}", number + 1),
            &Sources::new(),
        );
    }
}

fn collect(node: *mut pg_sys::Node, into: &mut Vec<&'static pg_sys::Query>) {
    if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        into.push(query);
    } else if tree::tag(node) == Some(pg_sys::NodeTag::T_List) {
        tree::nodes(node.cast()).for_each(|part| collect(part, into));
    }
}
