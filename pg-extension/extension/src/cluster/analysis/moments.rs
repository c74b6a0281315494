//! Constants that mean another moment whenever they are read: `'now'`, `'today'`. Routers keep what they are told of a text, so the value that
//! one has now must not be told. What is stored, as the text of a view, has been read once and for all.

use super::tree::{self, NodePtr};
use super::{parser, tokens};
use pgrx::pg_sys::{self, Oid};
use std::collections::BTreeMap;
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
            if is_read_by_settings(constant.consttype) && written.is_some_and(names_moment) {
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

/// Texts that are longer stay as they are: there may be very many literals in them.
const LONGEST_SETTLED: usize = 1 << 16;

/// The text of a query whose literals mean the same to whoever reads it, if it has some that mean something else under other settings for dates,
/// times and intervals, or for backslashes. All else stays as it is. `None` when there are none; those that ask for the moment of their
/// reading stay, too.
pub fn settled(query: &pg_sys::Query, text: &CStr) -> Option<String> {
    let bytes = text.to_bytes();
    let mut constants = BTreeMap::new();
    let backslashes = bytes.contains(&b'\\');
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        if let Some(constant) = tree::cast::<pg_sys::Const, _>(node)
            && !constant.constisnull
            && let Ok(at) = usize::try_from(constant.location)
            && (backslashes || is_read_by_settings(constant.consttype))
        {
            constants.insert(at, constant);
        }
        true
    });
    if constants.is_empty() || bytes.len() > LONGEST_SETTLED {
        return None;
    }
    let mut starts: Vec<usize> = tokens::tokens(text).into_iter().map(|(_, at)| at).collect();
    starts.push(bytes.len());
    let mut settled = Vec::new();
    let mut done = 0;
    for (at, constant) in constants {
        let token = starts.binary_search(&at).ok();
        let Some(token) = token.and_then(|token| bytes.get(at..*starts.get(token + 1)?)) else {
            continue;
        };
        // What has `U&` before it may have UESCAPE behind it.
        let is_read = match token.first() {
            Some(b'\'') => token.contains(&b'\\') || is_read_by_settings(constant.consttype),
            Some(b'$' | b'e' | b'E') => is_read_by_settings(constant.consttype),
            _ => false,
        };
        if is_read {
            settled.extend_from_slice(&bytes[done..at]);
            settled.extend_from_slice(literal(constant).as_bytes());
            settled.push(b' ');
            done = at + token.len();
        }
    }
    settled.extend_from_slice(&bytes[done..]);
    (done > 0).then(|| String::from_utf8(settled).ok())?
}

/// A constant as a string that all settings read alike.
fn literal(constant: &pg_sys::Const) -> String {
    let value = parser::unambiguously(|| {
        let mut output = Oid::INVALID;
        let mut is_varlena = false;
        // SAFETY: the output function of the constant's type.
        unsafe {
            pg_sys::getTypeOutputInfo(constant.consttype, &mut output, &mut is_varlena);
            tree::string(pg_sys::OidOutputFunctionCall(output, constant.constvalue))
        }
    });
    let quoted = value.replace('\'', "''");
    match quoted.contains('\\') {
        true => format!("E'{}'", quoted.replace('\\', "\\\\")),
        false => format!("'{quoted}'"),
    }
}

/// Whether a literal of the type is a date, a time or an interval, or may have one in it, as a row may.
fn is_read_by_settings(type_oid: Oid) -> bool {
    // SAFETY: look-ups of a type that exists; they give none for what is no array or range.
    let (base, parts, is_row) = unsafe {
        let base = pg_sys::getBaseType(type_oid);
        let parts = [
            pg_sys::get_element_type(base),
            pg_sys::get_range_subtype(base),
            pg_sys::get_multirange_range(base),
        ];
        (base, parts, pg_sys::type_is_rowtype(base))
    };
    let times = [
        pg_sys::DATEOID,
        pg_sys::TIMEOID,
        pg_sys::TIMETZOID,
        pg_sys::TIMESTAMPOID,
        pg_sys::TIMESTAMPTZOID,
        pg_sys::INTERVALOID,
    ];
    is_row
        || times.contains(&base)
        || parts
            .into_iter()
            .any(|part| part != Oid::INVALID && is_read_by_settings(part))
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
