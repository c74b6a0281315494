//! Where the rows of `INSERT ... VALUES (...), (...)` stand in the text.

use super::tokens::{Token, tokens};
use std::ffi::CStr;

/// A piece of the text: offset and length in bytes.
pub type Span = (usize, usize);

/// The rows of the VALUES list whose first expression stands at `first_value`; `None` when they cannot be told apart
/// with certainty.
pub fn find(text: &CStr, first_value: usize, rows: usize) -> Option<Vec<Span>> {
    let tokens = tokens(text);
    let start = tokens.windows(2).rposition(|pair| {
        pair[0].0 == Token::Values && pair[1].0 == Token::Open && pair[1].1 <= first_value
    })?;
    let spans = matched_rows(&tokens[start + 1..]);
    (spans.len() == rows).then_some(spans)
}

/// The parenthesised rows at the start of the tokens, separated by commas.
fn matched_rows(tokens: &[(Token, usize)]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut depth = 0usize;
    let mut open = 0;
    for (token, offset) in tokens {
        match token {
            Token::Open => {
                if depth == 0 {
                    open = *offset;
                }
                depth += 1;
            }
            Token::Close if depth == 1 => {
                depth = 0;
                spans.push((open, offset + 1 - open));
            }
            Token::Close if depth == 0 => return spans,
            Token::Close => depth -= 1,
            Token::Comma => {}
            _ if depth > 0 => {}
            _ => return spans,
        }
    }
    spans
}
