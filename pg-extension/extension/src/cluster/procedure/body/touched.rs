//! Which rows the body of an ordinary function touches, and by which arguments it names them: for whoever wonders whether it should be
//! a distributed procedure.

use super::super::super::analysis::{functions, tree};
use super::super::placements;
use super::findings::Findings;
use super::source;
use crate::boundary;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// A mention of a table in a query of the body.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    pub table: (String, String),
    pub write: bool,
    /// Columns, and the variable that each equals in all rows that matter.
    pub columns: Vec<(String, i32)>,
}

/// Null on the node of a cluster, whose routers need not know it, and where the body is not looked into.
pub fn facts(function: Oid, returns: bool) -> Json {
    if function.to_u32() < functions::FIRST_USER_OBJECT || placements::has_nodes() {
        return Json::Null;
    }
    boundary::attempt(|| {
        let findings = source::analyse(function)?;
        let flat = source::straight_line(function)?.is_ok_and(|queries| {
            let mut queries = queries.iter();
            queries.all(|(_, query)| is_change_of_one_table(query))
        });
        // SAFETY: the function exists; the text is the server's.
        let signature = unsafe { tree::string(pg_sys::format_procedure_qualified(function)) };
        Ok(json!({
            "signature": signature, "returns": returns, "flat": flat, "unseen": findings.unseen, "touches": touches(&findings),
        }))
    })
    .unwrap_or_default()
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
            let columns: Vec<Json> = touch
                .columns
                .iter()
                .filter_map(|(column, variable)| Some(json!([column, position(*variable)?])))
                .collect();
            let (schema, table) = &touch.table;
            json!({ "schema": schema, "table": table, "write": touch.write, "columns": columns })
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
