//! A SELECT that takes any rows, but no more than so many: LIMIT or OFFSET without ORDER BY. Nobody has to finish them: a router passes on what nodes
//! give, leaves out the first ones, and stops.

use super::super::operand;
use super::super::parser;
use super::super::tree::NodePtr;
use super::{build, finish};
use crate::boundary::PostgresError;
use pgrx::pg_sys;
use serde_json::{Value as Json, json};

/// Its values of LIMIT and OFFSET, and the text by which a node gives the rows up to the end of both; no text when that is the statement itself. Null
/// where only a node can compute the values.
pub fn facts(query: &pg_sys::Query) -> Result<Json, PostgresError> {
    let (Some(limit), Some(offset)) = (value(query.limitCount), value(query.limitOffset)) else {
        return Ok(Json::Null);
    };
    let text = match query.limitOffset.is_null() {
        true => None,
        false => {
            let worker = build::copy(query);
            finish::limit_to_end(worker);
            Some(parser::deparse_for(worker, &[])?)
        }
    };
    Ok(json!({ "limit": limit, "offset": offset, "text": text }))
}

/// What is not there is as good as NULL.
fn value(expression: NodePtr) -> Option<Json> {
    if expression.is_null() {
        return Some(json!({ "null": true }));
    }
    operand::value(expression)
}
