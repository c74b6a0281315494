//! What a read of several nodes finds out about its snapshot on this one: who has passed the commit gate and is seen, or not
//! (docs/protocols/reads.md). A router asks right behind the statement, which it need not announce: each start of a client's query leaves its
//! snapshot here.

use super::passages::Passage;
use super::{postgres, settings, transaction_token};
use crate::backend;
use crate::hooks::executor;
use crate::hooks::is_client_statement;
use crate::hooks::subscribers::Subscriber;
use crate::pg_function;
use crate::shared_memory::{LANES, PASSAGES};
use pgrx::pg_sys;
use std::cell::RefCell;
use std::ffi::CStr;

/// Which transactions had ended when a snapshot was taken.
#[derive(Default)]
struct Moment {
    is_known: bool,
    xmin: u32,
    xmax: u32,
    running: Vec<u32>,
}

impl Moment {
    fn note(&mut self, snapshot: &pg_sys::SnapshotData) {
        self.is_known = snapshot.snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC
            && !snapshot.takenDuringRecovery;
        self.xmin = number(snapshot.xmin);
        self.xmax = number(snapshot.xmax);
        self.running.clear();
        if self.is_known && snapshot.xcnt > 0 {
            // SAFETY: the array has so many ids.
            let running =
                unsafe { std::slice::from_raw_parts(snapshot.xip, snapshot.xcnt as usize) };
            self.running.extend(running.iter().map(|id| number(*id)));
        }
    }

    /// Whether a transaction, not a subtransaction, had ended by then.
    fn has_ended(&self, id: u32) -> bool {
        precedes(id, self.xmin) || precedes(id, self.xmax) && !self.running.contains(&id)
    }
}

/// The order of ordinary transaction ids, which wrap around.
fn precedes(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) < 0
}

thread_local! {
    /// Of the query that has started last, and of the one before.
    static MOMENTS: RefCell<(Moment, Moment)> = RefCell::default();
}

/// Sees the starts of queries; called once when the library is loaded.
pub fn install() {
    executor::after_start(Subscriber {
        concerns: |start| {
            is_client_statement()
                && settings::PLACEMENT_VERSION.get() != 0
                && !start.is_explain_only()
        },
        tell: |start| {
            let snapshot = start.query().snapshot;
            MOMENTS.with_borrow_mut(|(last, before)| {
                std::mem::swap(last, before);
                // SAFETY: a query that has started has a snapshot, registered for as long as it runs.
                match unsafe { snapshot.as_ref() } {
                    Some(snapshot) => last.note(snapshot),
                    None => last.is_known = false,
                }
            });
        },
    });
}

/// What a snapshot shows of a transaction.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Not,
    Whole,
    /// It was rolled back.
    Never,
    /// Too long ago to tell.
    Unknown,
}

fn seen(passage: &Passage, moment: &Moment) -> Seen {
    if !moment.has_ended(passage.id as u32) {
        return Seen::Not;
    }
    let id = [Some(pg_sys::Datum::from(passage.id))];
    // SAFETY: the function takes a transaction id with its epoch, and returns a text, or NULL for one whose status is not kept.
    let status: Option<String> = unsafe { pgrx::direct_function_call(pg_sys::pg_xact_status, &id) };
    match status.as_deref() {
        Some("committed") => Seen::Whole,
        Some("aborted") => Seen::Never,
        _ => Seen::Unknown,
    }
}

/// The lane's greatest timestamp; -1 unless it is at rest.
fn lane() -> i64 {
    let database = backend::database().to_u32();
    let lanes = LANES.share();
    let lane = lanes.look(database);
    match lanes.is_at_rest(database) && (lane.open || lane.unused) {
        true => lane.last,
        false => -1,
    }
}

pg_function!(
    /// `abelian.read_evidence(run, passed)`: what the query that was started last before this one saw of those who have passed the gate
    /// beyond that number in that run of the server; of a negative number, how many have.
    fn abelian_read_evidence(call) {
        // SAFETY: declared as text and bigint, the function as STRICT.
        let run = unsafe { postgres::text_argument(call.arg(0)) };
        let told = evidence(&run, call.i64(1)).unwrap_or_default();
        Ok(postgres::text_datum(&told))
    }
);

/// `<run> <last> <over> <lane>` and, for each, a mark and its name; None when not all of them are known. Up to `over` they have ended, and
/// need not be told again. Marks: `v` seen, `w` seen but to be told again, `i` not seen.
fn evidence(run: &CStr, passed: i64) -> Option<String> {
    let database = backend::database().to_u32();
    let own = format!("{:x}.{database}", transaction_token::run());
    if backend::has_one_snapshot() || passed >= 0 && run.to_bytes() != own.as_bytes() {
        return None;
    }
    // The lane comes first: who passes from here on reports a timestamp that is not less.
    let lane = lane();
    let (from, last, passages) = {
        let all = PASSAGES.share();
        let from = match u64::try_from(passed) {
            Ok(number) => number,
            Err(_) => all.before_kept(database)?,
        };
        let (last, passages) = all.beyond(database, from)?;
        (from, last, passages)
    };
    MOMENTS.with_borrow(|(_, before)| {
        before.is_known.then(|| {
            let seen: Vec<Seen> = passages.iter().map(|one| seen(one, before)).collect();
            let over = seen.iter().take_while(|seen| **seen != Seen::Not).count();
            let mut told = format!("{own} {last} {} {lane}", from + over as u64);
            for (at, passage) in passages.iter().enumerate().filter(|_| passed >= 0) {
                let mark = match seen[at] {
                    Seen::Never => continue,
                    Seen::Not => 'i',
                    Seen::Unknown => '?',
                    Seen::Whole if at < over => 'v',
                    Seen::Whole => 'w',
                };
                told.push(' ');
                told.push(mark);
                told.push_str(&String::from_utf8_lossy(passage.name()));
            }
            told
        })
    })
}

fn number(id: pg_sys::TransactionId) -> u32 {
    id.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_knows_who_had_ended() {
        let moment = Moment {
            is_known: true,
            xmin: u32::MAX - 1,
            xmax: 5,
            running: vec![u32::MAX - 1, 3],
        };
        let ended: Vec<u32> = [u32::MAX - 2, u32::MAX - 1, u32::MAX, 3, 4, 5, 6]
            .into_iter()
            .filter(|id| moment.has_ended(*id))
            .collect();
        assert_eq!(ended, [u32::MAX - 2, u32::MAX, 4]);
    }
}
