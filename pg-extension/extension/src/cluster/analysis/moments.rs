//! Constants that mean another moment whenever they are read: `'now'`, `'today'`. Routers keep what they are told of a text, so the value that
//! one has now must not be told. What is stored, as the text of a view, has been read once and for all.

use super::parser;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, c_int};

/// The location that such constants get here. Their text is to be found nowhere.
const OF_THE_MOMENT: c_int = -7;

/// What PostgreSQL reads as a date or time of the moment, in lower case.
const WORDS: [&[u8]; 4] = [b"now", b"today", b"tomorrow", b"yesterday"];

/// Marks them in a query that is private and whose text this is.
pub fn mark(query: NodePtr, text: &CStr) {
    tree::walk(query, &mut |node| {
        if let Some(constant) = tree::cast::<pg_sys::Const, _>(node) {
            let written = usize::try_from(constant.location)
                .ok()
                .and_then(|start| text.to_bytes().get(start..));
            if tells_time(constant.consttype) && written.is_some_and(names_moment) {
                // SAFETY: a node of the query, by the caller's promise its only user.
                unsafe { (*node.cast::<pg_sys::Const>()).location = OF_THE_MOMENT };
            }
        }
        true
    });
}

/// Whether an expression has one that is marked.
pub fn is_read_by(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Const, _>(node)
            .is_some_and(|constant| constant.location == OF_THE_MOMENT)
    })
}

/// The query as SQL whose constants mean the same to whoever reads it, if it has some that mean something else under other settings for dates,
/// times and intervals. `None` when it has none, or asks for the moment of its reading.
pub fn settled(query: &pg_sys::Query) -> Result<Option<String>, PostgresError> {
    let root = std::ptr::from_ref(query).cast_mut().cast();
    let is_read = tree::any(root, &mut |node| {
        tree::cast::<pg_sys::Const, _>(node).is_some_and(|constant| {
            !constant.constisnull && is_read_by_settings(constant.consttype)
        })
    });
    if !is_read || is_read_by(root) {
        return Ok(None);
    }
    parser::deparse_for(tree::copy(query), &[]).map(Some)
}

fn is_read_by_settings(type_oid: Oid) -> bool {
    // SAFETY: look-ups of a type that exists; they give none for what is no array or range.
    let inner = unsafe {
        let base = pg_sys::getBaseType(type_oid);
        let of_array = pg_sys::get_element_type(base);
        let of_range = pg_sys::get_range_subtype(base);
        [base, of_array, of_range]
    };
    inner
        .iter()
        .any(|inner| tells_time(*inner) || [pg_sys::INTERVALOID, pg_sys::TIMETZOID].contains(inner))
}

fn tells_time(type_oid: Oid) -> bool {
    // SAFETY: a look-up of a type that exists; it gives none for what is no array.
    let element = unsafe { pg_sys::get_element_type(type_oid) };
    let known = [
        pg_sys::DATEOID,
        pg_sys::TIMEOID,
        pg_sys::TIMETZOID,
        pg_sys::TIMESTAMPOID,
        pg_sys::TIMESTAMPTZOID,
    ];
    known.contains(&type_oid) || known.contains(&element)
}

/// Whether the literal at the beginning has such a word: it ends with what it starts with, a quote or `$tag$`.
/// Whether a text of statements may have one.
pub fn are_in(text: &[u8]) -> bool {
    let quotes = (0..text.len()).filter(|at| text[*at] == b'\'' || text[*at] == b'$');
    quotes.into_iter().any(|at| names_moment(&text[at..]))
}

fn names_moment(text: &[u8]) -> bool {
    let is_quote = |byte: &u8| matches!(byte, b'\'' | b'$');
    let Some(start) = text.iter().position(is_quote) else {
        return false;
    };
    let text = &text[start..];
    let tag = match text[0] {
        b'$' => text[1..].iter().position(|byte| *byte == b'$'),
        _ => None,
    };
    let (quote, inside) = text.split_at(tag.map_or(1, |length| length + 2));
    let end = inside.windows(quote.len()).position(|part| part == quote);
    let literal = inside[..end.unwrap_or(inside.len())].to_ascii_lowercase();
    WORDS
        .iter()
        .any(|word| literal.windows(word.len()).any(|part| part == *word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_within_the_literal_only() {
        for text in [
            "'now', 'x'",
            "' TODAY '",
            "$$tomorrow$$",
            "$a$now$a$",
            "E'yesterday'",
            "'{2024-01-01,Now}'",
        ] {
            assert!(names_moment(text.as_bytes()), "{text}");
        }
        for text in [
            "'2024-01-01', 'now'",
            "'infinity'",
            "5",
            "'epoch' AND a = 'today'",
        ] {
            assert!(!names_moment(text.as_bytes()), "{text}");
        }
    }
}
