//! `abelian.analyze()`: facts about each statement of a text, so that a router need not know PostgreSQL's grammar, types,
//! views or search path. Executes nothing; takes the locks that the analysis of the statement itself would take.
//!
//! From below: `tree` (faces of parse trees), `parser` (PostgreSQL's own), `graph` (equalities), `relation`, `operand`,
//! `scope`, `bounds` and `conditions` (levels of a query), `sql_body`, `node_functions` and `functions`, `blind`, `procedure_call`, `insert`, `copy`, `copy_out`, `tokens`, `prepared`, `cursor`, `utility`, `definition`, `temporary` and `view_query` (commands), `locality` (which queries can be
//! evaluated node by node), `merge` (how the answers become one), `combined` (how several updates become one), `computed` and `made` (values of an INSERT that are known before its rows are placed), `known_before` and `drawn_once` (other values that a statement gets before it runs), `given_rows` (a statement over the rows of one of its queries), `locked` and `locked_join` (rows that are locked first), `touched`, `changed`, `changed_once`, `with_queries` and `reading` (rows that change first, and in which order), `row_keys` and `unique_indexes` (what tells rows apart), `read_first`, `one_match` and `drawn` (rows that are read first), `called_body` and `inlined` (functions that become a part of the statement), `over_tables` and `changing_calls` (functions that run over gathered rows), `temporary_view` (what other nodes have not), `insert_select`, `merge_source`, `merge_into`, `merge_steps`, `moved_rows` and `stored_query` (rows that go to other nodes), `kept_value` (keys that are assigned again), `row_places` (rows that are found by ctid), `below_view` (rows that are changed through views), `instead` (all of these, as facts), `statement`.

mod below_view;
pub mod blind;
mod bounds;
pub mod called_body;
mod called_changes;
mod changed;
mod changed_once;
mod changing_calls;
mod clock;
mod combined;
mod computed;
pub mod conditions;
mod copy;
mod copy_out;
mod cursor;
pub mod definition;
mod drawn;
mod drawn_once;
pub mod functions;
mod given_rows;
mod graph;
mod inlined;
mod insert;
mod insert_select;
mod instead;
mod kept_value;
mod known_before;
mod locality;
mod locked;
mod locked_join;
mod made;
mod merge;
mod merge_into;
mod merge_source;
mod merge_steps;
pub mod moments;
mod moved_rows;
pub mod node_functions;
mod one_match;
pub mod operand;
mod over_tables;
mod overriding;
pub mod parser;
mod prepared;
pub mod procedure_call;
pub mod query_value;
mod read_first;
mod reading;
pub mod relation;
mod row_keys;
mod row_places;
mod row_spans;
mod scope;
mod set_default;
mod sorted_names;
mod sql_body;
mod statement;
mod stored_query;
pub mod temporary;
mod temporary_view;
mod tokens;
mod touched;
pub mod tree;
mod unique_indexes;
mod unread;
pub mod utility;
pub mod view_query;
mod with_queries;

use super::{postgres, refused};
use crate::boundary::{self, PostgresError};
use crate::error::Error;
use crate::pg_function;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

pg_function!(
    /// `abelian.analyze(query, parameter_types)`
    fn abelian_analyze(call) {
        // SAFETY: the arguments are declared as text and oid[], the function as STRICT.
        let (text, types) = unsafe { (postgres::text_argument(call.arg(0)), oid_array(call.arg(1))) };
        let facts = refused::looking(|| analyze(&text, &types)).map_err(Error::Postgres)?;
        Ok(postgres::text_datum(&facts.to_string()))
    }
);

pg_function!(
    /// `abelian.statements(query)`: begin and length of each statement, in bytes; raises what PostgreSQL's parser finds wrong with the text.
    fn abelian_statements(call) {
        // SAFETY: the argument is declared as text, the function as STRICT.
        let text = unsafe { postgres::text_argument(call.arg(0)) };
        let whole = text.to_bytes().len() as i32;
        let bounds = parser::parse(&text).map_err(Error::Postgres)?.into_iter().flat_map(|statement| {
            let start = statement.stmt_location.max(0);
            [start, if statement.stmt_len == 0 { whole - start } else { statement.stmt_len }]
        });
        Ok(postgres::integers(&bounds.collect::<Vec<_>>()))
    }
);

fn analyze(text: &CStr, types: &[Oid]) -> Result<Json, PostgresError> {
    let statements = parser::parse(text)?;
    if statements.is_empty() {
        return Ok(json!([{ "kind": "empty", "span": [0, text.to_bytes().len()], "tag": "" }]));
    }
    let mut facts = Vec::new();
    let mut deferred = false;
    for (index, statement) in statements.into_iter().enumerate() {
        let outline = || {
            let mut outline = statement::outline(statement, text);
            outline["deferred"] = json!(true);
            outline
        };
        // A later statement may depend on what an earlier one does, and its error must come only when it is its turn.
        let next = match index {
            0 => statement::facts(statement, text, types)?,
            _ if deferred => outline(),
            _ => boundary::attempt(|| statement::facts(statement, text, types))
                .unwrap_or_else(|_| outline()),
        };
        deferred = deferred || changes_meaning(&next);
        facts.push(next);
    }
    Ok(Json::Array(facts))
}

/// Whether later statements of the text may mean something else after this one has run.
fn changes_meaning(facts: &Json) -> bool {
    const HARMLESS: [&str; 4] = ["begin", "savepoint", "release", "show"];
    let utility = facts["utility"].as_str();
    facts["deferred"] == true
        || facts["kind"] == "cluster_call"
        || facts["volatile"] == true
        || utility.is_some_and(|utility| !HARMLESS.contains(&utility))
}

/// # Safety
/// `datum` must be a non-null `oid[]` without NULLs.
unsafe fn oid_array(datum: pg_sys::Datum) -> Vec<Oid> {
    let (mut values, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: by the caller's promise; OIDs are passed by value in four bytes.
    unsafe {
        let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast();
        pg_sys::deconstruct_array(
            array,
            pg_sys::OIDOID,
            size_of::<Oid>() as i32,
            true,
            pg_sys::TYPALIGN_INT as std::ffi::c_char,
            &mut values,
            std::ptr::null_mut(),
            &mut count,
        );
        (0..count as usize)
            .map(|i| Oid::from(values.add(i).read().value() as u32))
            .collect()
    }
}
