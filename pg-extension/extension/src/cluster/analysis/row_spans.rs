//! Where the rows of `INSERT ... VALUES (...), (...)` stand in the text, found with PostgreSQL's own scanner, which knows
//! quotes, dollar quotes, comments and escapes.

use super::tree;
use crate::harmless;
use pgrx::pg_sys;
use std::ffi::{CStr, c_int};

/// A piece of the text: offset and length in bytes.
pub type Span = (usize, usize);

/// A token that matters here; `None` in [`tokens`] for any other.
#[derive(Clone, Copy, PartialEq)]
enum Token {
    Values,
    Open,
    Close,
    Comma,
    Other,
}

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
            Token::Values | Token::Other if depth > 0 => {}
            Token::Values | Token::Other => return spans,
        }
    }
    spans
}

fn tokens(text: &CStr) -> Vec<(Token, usize)> {
    let mut tokens = Vec::new();
    // SAFETY: the text has been parsed before, so the scanner finds no error in it; its memory is the current context's.
    unsafe {
        let mut extra: pg_sys::core_yy_extra_type = std::mem::zeroed();
        let keywords = (&raw const harmless::ScanKeywordTokens).cast::<u16>();
        let scanner = pg_sys::scanner_init(
            text.as_ptr(),
            &mut extra,
            &raw const pg_sys::ScanKeywords,
            keywords,
        );
        loop {
            let mut value: pg_sys::core_YYSTYPE = std::mem::zeroed();
            let mut location: c_int = 0;
            let code = pg_sys::core_yylex(&mut value, &mut location, scanner);
            if code == 0 {
                break;
            }
            tokens.push((classify(code, &value), location as usize));
        }
        pg_sys::scanner_finish(scanner);
    }
    tokens
}

/// # Safety
/// `value` must be what the scanner set with `code`.
unsafe fn classify(code: c_int, value: &pg_sys::core_YYSTYPE) -> Token {
    match u8::try_from(code) {
        Ok(b'(') => return Token::Open,
        Ok(b')') => return Token::Close,
        Ok(b',') => return Token::Comma,
        _ => {}
    }
    // Codes from 258 on are the grammar's; that of VALUES is known by asking for the keyword's token.
    // SAFETY: by the caller's promise: keyword tokens set `keyword`.
    if code == values_token() && unsafe { tree::string(value.keyword) } == "values" {
        return Token::Values;
    }
    Token::Other
}

/// The grammar's code of the keyword VALUES, which differs between versions of PostgreSQL.
fn values_token() -> c_int {
    // SAFETY: a look-up in constant tables, whose index the first gives for the second.
    unsafe {
        let number = pg_sys::ScanKeywordLookup(c"values".as_ptr(), &raw const pg_sys::ScanKeywords);
        let tokens = (&raw const harmless::ScanKeywordTokens).cast::<u16>();
        c_int::from(*tokens.add(number as usize))
    }
}
