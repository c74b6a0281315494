//! Maps from elements to something that merges: the body of the states of all collections.

use crate::encoding::{Corrupt, Reader, write_bytes, write_unsigned};
use crate::ordered::Text;
use std::collections::BTreeMap;

/// Both maps together. Where both have an element, `both` gives its entry, and none if nothing is left of it;
/// the outer `None` says that the result cannot be represented.
pub(crate) fn merge<E: Clone>(
    a: &BTreeMap<Text, E>,
    b: &BTreeMap<Text, E>,
    both: impl Fn(&E, &E) -> Option<Option<E>>,
) -> Option<BTreeMap<Text, E>> {
    let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut merged = large.clone();
    for (element, entry) in small {
        let Some(other) = merged.get(element) else {
            merged.insert(element.clone(), entry.clone());
            continue;
        };
        match both(entry, other)? {
            Some(entry) => merged.insert(element.clone(), entry),
            None => merged.remove(element),
        };
    }
    Some(merged)
}

/// Appends the number of entries, then each element with its entry, in order.
pub(crate) fn write<E>(
    entries: &BTreeMap<Text, E>,
    out: &mut Vec<u8>,
    entry: impl Fn(&E, &mut Vec<u8>),
) {
    write_unsigned(entries.len() as u128, out);
    for (element, content) in entries {
        write_bytes(element, out);
        entry(content, out);
    }
}

/// Reads what [`write`] wrote.
pub(crate) fn read<E>(
    input: &mut Reader<'_>,
    entry: impl Fn(&mut Reader<'_>) -> Result<E, Corrupt>,
) -> Result<BTreeMap<Text, E>, Corrupt> {
    let count = input.count()?;
    let mut entries = BTreeMap::new();
    let mut last: Option<&[u8]> = None;
    // Ends with the input: each entry takes at least a byte.
    for _ in 0..count {
        let element = input.bytes()?;
        if last.is_some_and(|last| last >= element) {
            return Err(Corrupt::Malformed);
        }
        last = Some(element);
        entries.insert(element.to_vec(), entry(input)?);
    }
    Ok(entries)
}

/// Numbers of which zero would mean that there is no entry.
pub(crate) fn not_zero<N: PartialEq + Default>(count: N) -> Result<N, Corrupt> {
    if count == N::default() {
        Err(Corrupt::Malformed)
    } else {
        Ok(count)
    }
}
