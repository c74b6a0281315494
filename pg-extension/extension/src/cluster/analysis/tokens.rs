//! Where the words of a text stand, found with PostgreSQL's own scanner, which knows quotes, dollar quotes, comments and escapes.

use super::tree;
use crate::harmless;
use pgrx::pg_sys;
use std::ffi::{CStr, c_int};
use std::ops::Range;

/// A token that matters to somebody here; `Other` for any other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Token {
    Values,
    As,
    Execute,
    For,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Other,
}

/// The tokens of a text that has been parsed before, each with its offset in bytes.
pub fn tokens(text: &CStr) -> Vec<(Token, usize)> {
    let keywords = [
        (keyword(c"values"), Token::Values),
        (keyword(c"as"), Token::As),
        (keyword(c"execute"), Token::Execute),
        (keyword(c"for"), Token::For),
    ];
    let mut tokens = Vec::new();
    // SAFETY: the text has been parsed before, so the scanner finds no error in it; its memory is the current context's.
    unsafe {
        let mut extra: pg_sys::core_yy_extra_type = std::mem::zeroed();
        let codes = (&raw const harmless::ScanKeywordTokens).cast::<u16>();
        let scanner = pg_sys::scanner_init(
            text.as_ptr(),
            &mut extra,
            &raw const pg_sys::ScanKeywords,
            codes,
        );
        loop {
            let mut value: pg_sys::core_YYSTYPE = std::mem::zeroed();
            let mut location: c_int = 0;
            let code = pg_sys::core_yylex(&mut value, &mut location, scanner);
            if code == 0 {
                break;
            }
            tokens.push((classify(code, &value, &keywords), location as usize));
        }
        pg_sys::scanner_finish(scanner);
    }
    tokens
}

/// A keyword's code in the grammar, which differs between versions of PostgreSQL, and its text.
type Keyword = (c_int, &'static CStr);

/// # Safety
/// `value` must be what the scanner set with `code`.
unsafe fn classify(
    code: c_int,
    value: &pg_sys::core_YYSTYPE,
    keywords: &[(Keyword, Token)],
) -> Token {
    match u8::try_from(code) {
        Ok(b'(') => return Token::Open,
        Ok(b')') => return Token::Close,
        Ok(b'[') => return Token::OpenBracket,
        Ok(b']') => return Token::CloseBracket,
        Ok(b',') => return Token::Comma,
        _ => {}
    }
    let Some((code_and_word, token)) = keywords.iter().find(|((known, _), _)| code == *known)
    else {
        return Token::Other;
    };
    // SAFETY: by the caller's promise: keyword tokens set `keyword`.
    let word = tree::string(unsafe { value.keyword });
    if word.as_bytes() == code_and_word.1.to_bytes() {
        *token
    } else {
        Token::Other
    }
}

/// What stands behind the first of these tokens, up to the end of the statement that the tokens between two offsets are.
pub fn behind(text: &CStr, statement: Range<usize>, first: Token) -> Option<(usize, usize)> {
    let mut tokens = tokens(text);
    tokens.retain(|(_, offset)| statement.contains(offset));
    let at = tokens.iter().position(|(token, _)| *token == first)?;
    let (_, offset) = tokens.get(at + 1)?;
    Some((*offset, statement.end - offset))
}

fn keyword(word: &'static CStr) -> Keyword {
    // SAFETY: a look-up in constant tables, whose index the first gives for the second.
    unsafe {
        let number = pg_sys::ScanKeywordLookup(word.as_ptr(), &raw const pg_sys::ScanKeywords);
        let codes = (&raw const harmless::ScanKeywordTokens).cast::<u16>();
        (c_int::from(*codes.add(number as usize)), word)
    }
}
