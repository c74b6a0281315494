//! Which rows the body of an ordinary function touches, and by which arguments it names them: for routers, which look for the node that has
//! them all, and for whoever wonders whether it should be a distributed procedure.

use super::super::super::analysis::functions::{self, Functions};
use super::super::super::analysis::{relation, tree};
use super::super::placements;
use super::findings::Findings;
use super::{mentioned, plpgsql, source};
use crate::boundary;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::ffi::CStr;

/// A mention of a table in a query of the body.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    pub table: (String, String),
    pub write: bool,
    /// Columns, and what each equals in all rows that matter.
    pub columns: Vec<(String, Named)>,
}

/// What a column equals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    Variable(i32),
    /// As `operand` prints it.
    Constant(String),
}

thread_local! {
    /// Functions whose bodies are being looked into, each called by the one before.
    static INSIDE: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Functions that call each other are followed so far.
const NESTED_MAX: usize = 8;

struct Deeper;

impl Deeper {
    /// None for a body that is being looked into already, or too far from the first.
    fn enter(function: Oid) -> Option<Deeper> {
        INSIDE.with_borrow_mut(|inside| {
            let enters = inside.len() < NESTED_MAX && !inside.contains(&function);
            enters.then(|| {
                inside.push(function);
                Deeper
            })
        })
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        INSIDE.with_borrow_mut(Vec::pop);
    }
}

/// The findings about a body, unless it calls itself; an error is for whoever runs it.
pub fn findings(function: Oid) -> Option<Findings> {
    let _inside = Deeper::enter(function)?;
    let mut found = boundary::attempt(|| source::analyse_as_it_reads(function)).ok()?;
    note_placement(&mut found);
    Some(found)
}

/// What changes the placement concerns every node.
fn note_placement(findings: &mut Findings) {
    if findings.called.placement {
        findings.not_understood("a change of the placement".to_owned());
    }
}

/// Whether a function changes nothing and reads nothing but its arguments and reference tables, so that every node may run it for its own
/// rows.
pub fn is_alike_everywhere(function: Oid) -> bool {
    function.to_u32() >= functions::FIRST_USER_OBJECT
        && findings(function).is_some_and(|found| {
            let known = found.unseen.is_empty() && !found.writes && !found.beyond_references;
            known && found.called.run_anywhere()
        })
}

/// And what it calls; `None` where the body is not looked into.
pub fn facts(function: Oid, returns: bool) -> Option<(Json, Functions)> {
    if function.to_u32() < functions::FIRST_USER_OBJECT {
        return None;
    }
    let findings = findings(function)?;
    // Routers need not know it.
    let flat = !placements::has_nodes()
        && boundary::attempt(|| source::straight_line(function)).is_ok_and(|lines| {
            lines.is_ok_and(|queries| {
                let mut queries = queries.iter();
                queries.all(|(_, query)| is_change_of_one_table(query))
            })
        });
    // SAFETY: the function exists; the text is the server's.
    let signature = unsafe { tree::string(pg_sys::format_procedure_qualified(function)) };
    let (schema, name) = relation::function_name(function);
    // What it does besides, the node watches while it runs.
    let stays = !findings.unseen.is_empty()
        && !findings.called.placement
        && !mentioned::names_placed(function);
    let facts = json!({
        "signature": signature, "stays": stays, "function": format!("{schema}.{name}"), "returns": returns, "flat": flat,
        "unseen": findings.unseen, "ends": findings.ends_transactions, "touches": touches(&findings),
    });
    Some((facts, findings.called))
}

/// The same of the block of a DO in PL/pgSQL. What cannot be compiled, or names what the block itself makes, is for the node that runs it.
pub fn block_facts(text: &CStr) -> (Json, Functions) {
    let found = boundary::attempt(|| {
        let mut findings = Findings::default();
        plpgsql::analyse_block(&mut findings, text)?;
        note_placement(&mut findings);
        Ok(findings)
    });
    let findings = found.unwrap_or_else(|_| {
        let mut unknown = Findings::default();
        unknown.not_understood("the block".to_owned());
        unknown
    });
    let facts = json!({
        "signature": "DO", "function": "", "returns": false, "flat": false, "unseen": findings.unseen,
        "ends": findings.ends_transactions, "touches": touches(&findings),
    });
    (facts, findings.called)
}

/// The changes that the block of a DO consists of, one after the other, if it is nothing else.
pub fn block_changes(text: &CStr) -> Option<Vec<String>> {
    let lines = boundary::attempt(|| plpgsql::straight_block(text))
        .ok()?
        .ok()?;
    lines
        .into_iter()
        .map(|(line, query)| source::is_change(query).then_some(line.text))
        .collect()
}

/// Arguments by their positions, from 1.
fn touches(findings: &Findings) -> Vec<Json> {
    let mut arguments: Vec<i32> = findings.arguments.iter().copied().collect();
    arguments.sort_unstable();
    let position = |variable: i32| {
        let variable = findings.argument(variable)?;
        arguments.binary_search(&variable).ok().map(|at| at + 1)
    };
    findings
        .touched
        .iter()
        .map(|touch| {
            let columns = |named: &dyn Fn(&Named) -> Option<Json>| -> Vec<Json> {
                let pair = |(column, value): &(String, Named)| Some(json!([column, named(value)?]));
                touch.columns.iter().filter_map(pair).collect()
            };
            let arguments = columns(&|value| match value {
                Named::Variable(variable) => position(*variable).map(Json::from),
                Named::Constant(_) => None,
            });
            let constants = columns(&|value| match value {
                Named::Variable(_) => None,
                Named::Constant(value) => serde_json::from_str(value).ok(),
            });
            let (schema, table) = &touch.table;
            json!({ "schema": schema, "table": table, "write": touch.write, "columns": arguments, "constants": constants })
        })
        .collect()
}

/// Such statements pass nothing on from one row to another.
fn is_change_of_one_table(query: &pg_sys::Query) -> bool {
    let mut tables = 0;
    let node = std::ptr::from_ref(query).cast_mut().cast();
    tree::walk(node, &mut |inner| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(inner) {
            let entries = tree::list::<pg_sys::RangeTblEntry>(level.rtable);
            tables += entries
                .filter(|entry| entry.rtekind == pg_sys::RTEKind::RTE_RELATION)
                .count();
        }
        true
    });
    query.commandType != CmdType::CMD_SELECT && tables == 1
}
