//! Several queries of one read that see the same: a router has one run first, and binds those that need its rows by its snapshot.
//!
//! A portal that is named `abelian-as/<anything>/<unique>` reads by the snapshot of the portal `abelian/<unique>/...`, which must be the last
//! one that asked for [evidence](super::evidence), and still be open in the same transaction.
//!
//! With one word more, `abelian-as/<anything>/<unique>/<n,n-m...>`, the snapshot is [completed](super::completed_snapshot) by these transactions,
//! as the evidence has numbered them. The answer is a ParameterStatus as that of the evidence: `completed`, or empty when it could not be. From then
//! on this is the portal whose snapshot is shared.

use super::completed_snapshot::CompletedSnapshot;
use super::passages::{KEPT, Passage};
use super::{bound_portal, evidence, settings};
use crate::boundary::PostgresError;
use crate::hooks::executor::{self, Start};
use crate::hooks::is_client_statement;
use crate::hooks::subscribers::Subscriber;
use pgrx::{PgSqlErrorCode, pg_sys};
use std::cell::RefCell;
use std::ffi::CString;

const FIRST: &[u8] = b"abelian/";
const LATER: &[u8] = b"abelian-as/";

thread_local! {
    /// The name of the last portal of a first query.
    static LAST: RefCell<CString> = RefCell::default();
}

/// Sees the starts of queries; called once when the library is loaded.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: |start| {
            is_client_statement()
                && bound_portal::name().starts_with(b"abelian")
                && settings::PLACEMENT_VERSION.get() != 0
                && !start.is_explain_only()
        },
        tell: |start| {
            let name = bound_portal::name();
            if name.starts_with(FIRST) {
                LAST.with_borrow_mut(|last| *last = CString::new(name).unwrap_or_default());
            } else if name.starts_with(LATER) {
                share(start, name);
            }
        },
    });
}

fn share(start: &Start, name: &[u8]) {
    let snapshot = LAST.with_borrow(|last| {
        let is_meant = word(last.as_bytes(), 1) == word(name, 2);
        // SAFETY: a look-up by name; a portal that has started has its query's description as long as it is there.
        unsafe {
            let portal = pg_sys::GetPortalByName(last.as_ptr());
            let query = portal.as_ref().map(|portal| portal.queryDesc);
            query
                .filter(|query| is_meant && !query.is_null())
                .map(|query| (*query).snapshot)
        }
    });
    match snapshot {
        Some(snapshot) if word(name, COMPLETED_BY).is_some() => complete(start, name, snapshot),
        // A transaction that has one snapshot for all has shared it already.
        Some(snapshot) if !snapshot.is_null() && start.has_own_snapshot() => {
            // SAFETY: the portal is open, and holds it.
            unsafe { start.read_by(snapshot) };
        }
        Some(_) => {}
        None => PostgresError::made(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE as i32,
            "the portal whose snapshot is to be shared is not there",
            "",
            None,
        )
        .raise(),
    }
}

fn complete(start: &Start, name: &[u8], snapshot: pg_sys::Snapshot) {
    let passages = LAST.with_borrow(|last| early(last.as_bytes(), name));
    // SAFETY: the portal is open, and holds its snapshot.
    let known = unsafe { snapshot.as_ref() }.filter(|_| start.has_own_snapshot());
    let completed = known
        .zip(passages)
        .and_then(|(snapshot, passages)| CompletedSnapshot::of(snapshot, &passages));
    if let Some(mut completed) = completed {
        // SAFETY: it shows what the first one shows, which is still held, and what has committed since.
        unsafe { start.read_by_copy(completed.data()) };
        LAST.with_borrow_mut(|last| *last = CString::new(name).unwrap_or_default());
        evidence::tell("completed");
    } else {
        evidence::tell("");
    }
}

/// The transactions of the last word; None unless all of them are known, and had passed the gate before the snapshot was taken.
fn early(first: &[u8], name: &[u8]) -> Option<Vec<Passage>> {
    let numbers = numbers(std::str::from_utf8(word(name, COMPLETED_BY)?).ok()?)?;
    let passed = |number| evidence::passed_early(first, number);
    numbers.into_iter().map(passed).collect()
}

/// Those of a list of numbers and ranges, in its order; None when it is none, or too long.
fn numbers(list: &str) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last - first >= KEPT {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// The place of the transactions by which a snapshot is completed.
const COMPLETED_BY: usize = 3;

/// A word between the slashes of a name.
fn word(name: &[u8], number: usize) -> Option<&[u8]> {
    name.split(|byte| *byte == b'/').nth(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_portal_is_meant() {
        let first: &[u8] = b"abelian/7/5f.16384/12";
        assert_eq!(word(first, 1), Some(&b"7"[..]));
        assert_eq!(word(b"abelian-as/8/7", 2), word(first, 1));
        assert_ne!(word(b"abelian-as/8/6", 2), word(first, 1));
        assert_eq!(word(b"abelian-as/8", 2), None);
    }

    #[test]
    fn names_say_by_which_transactions_a_snapshot_is_completed() {
        assert_eq!(numbers("7"), Some(vec![7]));
        assert_eq!(numbers("3-5,9"), Some(vec![3, 4, 5, 9]));
        let bad = ["", "x", "5-3", "1-", "-2", "1-99999999999"];
        assert_eq!(bad.map(numbers), [const { None }; 6]);
    }
}
