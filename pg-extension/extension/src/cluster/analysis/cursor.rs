//! DECLARE, FETCH and MOVE: what a router needs to keep a cursor over several nodes.

use super::tokens::{self, Token};
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, FetchDirection};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

/// Fills in what is known about a cursor; nothing about other statements.
pub fn describe(statement: NodePtr, facts: &mut Json, text: &CStr) {
    if let Some(declare) = tree::cast::<pg_sys::DeclareCursorStmt, _>(statement) {
        let start = facts["span"][0].as_u64().unwrap_or(0) as usize;
        let end = start + facts["span"][1].as_u64().unwrap_or(0) as usize;
        let asks = |option| declare.options as u32 & option != 0;
        facts["cursor"] = json!({
            // What stands before FOR cannot have that word as a name, which is reserved.
            "query": tokens::behind(text, start..end, Token::For),
            "scroll": asks(pg_sys::CURSOR_OPT_SCROLL),
            "binary": asks(pg_sys::CURSOR_OPT_BINARY),
        });
    } else if let Some(fetch) = tree::cast::<pg_sys::FetchStmt, _>(statement) {
        facts["fetch"] = json!({
            "direction": direction(fetch.direction),
            // Routers of former versions know no other.
            "forward": fetch.direction == FetchDirection::FETCH_FORWARD,
            "count": fetch.howMany,
            "moves": fetch.ismove,
        });
    }
}

fn direction(direction: FetchDirection::Type) -> &'static str {
    match direction {
        FetchDirection::FETCH_FORWARD => "forward",
        FetchDirection::FETCH_BACKWARD => "backward",
        FetchDirection::FETCH_ABSOLUTE => "absolute",
        _ => "relative",
    }
}
