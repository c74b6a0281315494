//! PREPARE and EXECUTE, also inside of EXPLAIN and CREATE TABLE AS: where the prepared statement and the arguments stand in the text. Their
//! sessions are the router's, not a node's, so it is the router that keeps the one and evaluates the others.

use super::tokens::{self, Token};
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, NodeTag};
use serde_json::{Value as Json, json};
use std::ffi::CStr;
use std::ops::Range;

/// A piece of the text: offset and length in bytes.
type Span = (usize, usize);

/// Fills in what is known about PREPARE or EXECUTE; nothing about other statements.
pub fn describe(statement: NodePtr, facts: &mut Json, text: &CStr) {
    let start = facts["span"][0].as_u64().unwrap_or(0) as usize;
    let end = start + facts["span"][1].as_u64().unwrap_or(0) as usize;
    if tree::tag(statement) == Some(NodeTag::T_PrepareStmt) {
        // The name before AS cannot be that word, which is reserved.
        facts["prepares"] = json!(tokens::behind(text, start..end, Token::As));
    } else if let Some(execute) = tree::cast::<pg_sys::ExecuteStmt, _>(statement) {
        let bytes = text.to_bytes();
        let (span, arguments) = call(&within(text, start..end), bytes, end);
        let constants: Vec<Json> = tree::nodes(execute.params).map(constant).collect();
        let arguments: Vec<Json> = arguments
            .iter()
            .zip(constants)
            .map(|(span, constant)| json!({ "span": span, "constant": constant }))
            .collect();
        facts["executes"] = json!({ "span": span, "arguments": arguments });
    }
}

fn within(text: &CStr, range: Range<usize>) -> Vec<(Token, usize)> {
    let mut tokens = tokens::tokens(text);
    tokens.retain(|(_, offset)| range.contains(offset));
    tokens
}

/// EXECUTE with its name and arguments, and each argument. Before it may stand EXPLAIN, or CREATE TABLE up to AS, with names that are the same word.
fn call(tokens: &[(Token, usize)], text: &[u8], end: usize) -> (Option<Span>, Vec<Span>) {
    let mut depth = 0_usize;
    let mut start = None;
    for (index, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Open | Token::OpenBracket => depth += 1,
            Token::Close | Token::CloseBracket => depth = depth.saturating_sub(1),
            Token::As if depth == 0 => start = None,
            Token::Execute if depth == 0 => start = start.or(Some(index)),
            _ => {}
        }
    }
    let Some(start) = start else {
        return (None, Vec::new());
    };
    let offset = tokens[start].1;
    let behind = tokens.get(start + 2);
    match behind {
        Some((Token::Open, _)) => {
            let (close, arguments) = arguments(&tokens[start + 2..], text);
            (Some((offset, close + 1 - offset)), arguments)
        }
        Some((_, next)) => (Some((offset, next - offset)), Vec::new()),
        None => (Some((offset, end - offset)), Vec::new()),
    }
}

/// The place of the closing parenthesis, and what stands between the commas before it.
fn arguments(tokens: &[(Token, usize)], text: &[u8]) -> (usize, Vec<Span>) {
    let mut spans = Vec::new();
    let mut depth = 0_usize;
    let mut from = tokens[0].1 + 1;
    for (token, offset) in tokens {
        match token {
            Token::Open | Token::OpenBracket => depth += 1,
            Token::CloseBracket => depth -= 1,
            Token::Close if depth == 1 => {
                spans.push(trimmed(text, from..*offset));
                return (*offset, spans);
            }
            Token::Close => depth -= 1,
            Token::Comma if depth == 1 => {
                spans.push(trimmed(text, from..*offset));
                from = offset + 1;
            }
            _ => {}
        }
    }
    (text.len().saturating_sub(1), spans)
}

fn trimmed(text: &[u8], range: Range<usize>) -> Span {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_ascii_start().len());
    (start, piece.trim_ascii().len())
}

/// The value of an argument that is a constant without a cast: its text, and what kind of constant it is.
fn constant(node: NodePtr) -> Json {
    if tree::tag(node) != Some(NodeTag::T_A_Const) {
        return Json::Null;
    }
    // SAFETY: the tag says which structure it is, and the value's own tag which member is set.
    unsafe {
        let constant = &*node.cast::<pg_sys::A_Const>();
        if constant.isnull {
            return json!({ "kind": "null" });
        }
        match constant.val.node.type_ {
            NodeTag::T_Integer => {
                json!({ "kind": "integer", "text": constant.val.ival.ival.to_string() })
            }
            NodeTag::T_String => {
                json!({ "kind": "string", "text": tree::string(constant.val.sval.sval) })
            }
            _ => Json::Null,
        }
    }
}
