//! From a function to its body: the stored tree of BEGIN ATOMIC, or PL/pgSQL's own compilation.

use super::super::super::analysis::{moments, parser, tree};
use super::findings::{Findings, Sources};
use super::{plpgsql, query, sql_text};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};
use std::ffi::c_char;

/// What is stored of a function.
struct Stored {
    /// The tree of a body in BEGIN ATOMIC.
    tree: Option<*mut c_char>,
    language: String,
    arguments: i16,
    /// What `prosrc` says.
    text: String,
}

/// Analyses the body of a function.
pub fn analyse(function: Oid) -> Result<Findings, PostgresError> {
    let mut findings = Findings::default();
    let Some(stored) = stored(function) else {
        findings.not_understood("there is no such function".to_owned());
        return Ok(findings);
    };
    findings.arguments = (1..=stored.arguments).map(i32::from).collect();
    match (stored.tree, stored.language.as_str()) {
        (Some(text), _) => atomic(&mut findings, text),
        (None, "plpgsql") => plpgsql::analyse(&mut findings, function)?,
        (None, language) => findings.not_understood(format!(
            "a body in {language} is text; write it as BEGIN ATOMIC or in plpgsql"
        )),
    }
    Ok(findings)
}

/// The same; a body in SQL that is text as well. It is read as the session would read it now, which nobody may rely on who stores what comes
/// out.
pub fn analyse_as_it_reads(function: Oid) -> Result<Findings, PostgresError> {
    match stored(function) {
        Some(stored) if stored.tree.is_none() && stored.language == "sql" => {
            let mut findings = Findings::default();
            findings.arguments = (1..=stored.arguments).map(i32::from).collect();
            sql_text::analyse(&mut findings, function)?;
            Ok(findings)
        }
        _ => analyse(function),
    }
}

/// The queries of a body that is nothing but SQL statements one after the other, and where each stands; or what else it is. Arguments are
/// parameters, numbered from 1.
pub fn straight_line(function: Oid) -> Result<plpgsql::Queries<String>, PostgresError> {
    let Some(stored) = stored(function) else {
        return Ok(Err("there is no such function".to_owned()));
    };
    Ok(match (stored.tree, stored.language.as_str()) {
        (Some(text), _) => Ok((1..)
            .zip(queries(text))
            .map(|(number, query)| (format!("statement {number}"), query))
            .collect()),
        (None, "plpgsql") => plpgsql::straight_line(function)?.map(|queries| {
            queries
                .into_iter()
                .map(|(line, query)| (format!("line {}", line.number), query))
                .collect()
        }),
        (None, language) => Err(format!("a body in {language} is text")),
    })
}

/// The queries of a body that is nothing but changes that give no rows, one after the other, as the session would read it now; `None` when it is more,
/// or may have a constant such as `'now'`, which is read at each call.
/// Arguments are parameters, numbered from 1.
pub fn changes(function: Oid) -> Result<Option<Vec<&'static pg_sys::Query>>, PostgresError> {
    let stored = stored(function);
    let text = stored.as_ref().map_or("", |stored| stored.text.as_str());
    if moments::are_in(text.as_bytes()) {
        return Ok(None);
    }
    let queries = match stored {
        Some(stored) if stored.tree.is_none() && stored.language == "sql" => {
            sql_text::queries(function, std::ptr::null_mut(), Oid::INVALID)?
        }
        _ => straight_line(function)?
            .ok()
            .map(|queries| queries.into_iter().map(|(_, query)| query).collect()),
    };
    Ok(queries.filter(|queries: &Vec<_>| {
        !queries.is_empty() && queries.iter().all(|query| is_change(query))
    }))
}

/// Whether a statement is a change that gives no rows.
pub fn is_change(query: &pg_sys::Query) -> bool {
    let reads = [pg_sys::CmdType::CMD_SELECT, pg_sys::CmdType::CMD_UTILITY];
    !reads.contains(&query.commandType) && query.returningList.is_null()
}

/// The one query whose rows, or whose value, a function gives, as the session would read it now; `None` when it does more. Arguments are parameters,
/// numbered from 1.
///
/// `call` is the call of the function.
pub fn selected(call: &pg_sys::FuncExpr) -> Result<Option<&'static pg_sys::Query>, PostgresError> {
    let Some(stored) = stored(call.funcid) else {
        return Ok(None);
    };
    let queries = match (stored.tree, stored.language.as_str()) {
        (Some(text), _) => queries(text),
        (None, "sql") => {
            let node = std::ptr::from_ref(call).cast_mut().cast();
            sql_text::queries(call.funcid, node, call.inputcollid)?.unwrap_or_default()
        }
        (None, "plpgsql") => plpgsql::selected(call.funcid)?.into_iter().collect(),
        _ => Vec::new(),
    };
    Ok(match queries.as_slice() {
        &[query] if query.commandType == pg_sys::CmdType::CMD_SELECT => Some(query),
        _ => None,
    })
}

/// The body of a function in SQL or PL/pgSQL, if it is text.
pub fn text(function: Oid) -> Option<String> {
    stored(function)
        .filter(|stored| {
            stored.tree.is_none() && ["sql", "plpgsql"].contains(&stored.language.as_str())
        })
        .map(|stored| stored.text)
}

fn stored(function: Oid) -> Option<Stored> {
    // SAFETY: a catalogue row that is released after use; the texts are copied by the conversions.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            return None;
        }
        let column = |number: u32| {
            let mut is_null = false;
            let value = pg_sys::SysCacheGetAttr(cache, row, number as i16, &mut is_null);
            (!is_null).then_some(value)
        };
        let tree = column(pg_sys::Anum_pg_proc_prosqlbody);
        let language = column(pg_sys::Anum_pg_proc_prolang).map_or(0, |value| value.value());
        let arguments = column(pg_sys::Anum_pg_proc_pronargs).map_or(0, |value| value.value());
        let stored = Stored {
            tree: tree.map(|body| pg_sys::text_to_cstring(body.cast_mut_ptr())),
            text: column(pg_sys::Anum_pg_proc_prosrc).map_or(String::new(), |text| {
                tree::string(pg_sys::text_to_cstring(text.cast_mut_ptr()))
            }),
            language: tree::string(pg_sys::get_language_name(Oid::from(language as u32), true)),
            arguments: arguments as i16,
        };
        pg_sys::ReleaseSysCache(row);
        Some(stored)
    }
}

fn atomic(findings: &mut Findings, text: *const c_char) {
    for (number, body) in queries(text).into_iter().enumerate() {
        query::look(
            findings,
            // SAFETY: a tree of our own.
            unsafe { parser::readable(std::ptr::from_ref(body).cast_mut()) },
            &format!("statement {}", number + 1),
            &Sources::new(),
        );
    }
}

/// The queries of a stored tree, with the locks that running them would take.
fn queries(text: *const c_char) -> Vec<&'static pg_sys::Query> {
    let mut queries = Vec::new();
    // SAFETY: a stored tree: a list of lists of queries, or one query. Nothing is applied.
    unsafe {
        collect(pg_sys::stringToNode(text).cast(), &mut queries);
        for query in &queries {
            pg_sys::AcquireRewriteLocks(std::ptr::from_ref(*query).cast_mut(), true, false);
        }
    }
    queries
}

fn collect(node: *mut pg_sys::Node, into: &mut Vec<&'static pg_sys::Query>) {
    if let Some(query) = tree::cast::<pg_sys::Query, _>(node) {
        into.push(query);
    } else if tree::tag(node) == Some(pg_sys::NodeTag::T_List) {
        tree::nodes(node.cast()).for_each(|part| collect(part, into));
    }
}
