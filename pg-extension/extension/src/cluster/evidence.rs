//! What a read of several nodes finds out about its snapshot on this one: who has passed the commit gate and is seen, or not
//! (docs/protocols/reads.md). A router asks by the name of the read's portal, and is told as the query starts, before BindComplete: that
//! takes no statement of its own.

use super::passages::Passage;
use super::{bound_portal, independent, settings, transaction_token};
use crate::backend;
use crate::hooks::executor::{self, Start};
use crate::hooks::is_client_statement;
use crate::hooks::subscribers::Subscriber;
use crate::shared_memory::{LANES, PASSAGES};
use pgrx::pg_sys;
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString};

/// A portal that asks is named `abelian/<anything>/<run>/<passed>`: to be told of those who have passed the gate beyond that number in that
/// run of the server, or, with a negative number, only how many have. With one word more, `<timestamp>` in hexadecimal digits, the snapshot is taken
/// in the turn of what the session has proposed to the lane last, at that timestamp.
const ASKING: &[u8] = b"abelian/";

/// The ParameterStatus that answers.
const ANSWER: &CStr = c"abelian.read_evidence";

/// Type of the message ParameterStatus.
const PARAMETER_STATUS: u8 = b'S';

thread_local! {
    /// How many had passed the gate before the snapshot of the last portal that asked was taken; 0 when that is not known.
    static EARLY: Cell<u64> = const { Cell::new(0) };
    /// The timestamp at which that snapshot was taken in its turn, if it was.
    static IN_TURN: Cell<Option<i64>> = const { Cell::new(None) };
}

/// Sees the starts of queries; called once when the library is loaded.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: is_asked,
        tell: look_before_snapshot,
    });
    executor::after_start(Subscriber {
        concerns: is_asked,
        tell: |start| {
            // SAFETY: a query that has started has a snapshot, registered for as long as it runs.
            let snapshot = unsafe { start.query().snapshot.as_ref() };
            let told = snapshot
                .and_then(Moment::of)
                .zip(Question::of(bound_portal::name()))
                .and_then(|(moment, question)| evidence(&question, &moment));
            tell(&told.unwrap_or_default());
        },
    });
}

fn is_asked(start: &Start) -> bool {
    is_client_statement()
        && asks(bound_portal::name())
        && settings::PLACEMENT_VERSION.get() != 0
        && !start.is_explain_only()
}

/// Notes who has passed, and takes the query's snapshot anew behind that, in its turn if it has one.
fn look_before_snapshot(start: &Start) {
    EARLY.set(0);
    IN_TURN.set(None);
    if !start.has_own_snapshot() || backend::has_one_snapshot() {
        return;
    }
    let look = || {
        EARLY.set(PASSAGES.share().last(backend::database().to_u32()));
        start.renew_snapshot();
    };
    match Question::of(bound_portal::name()).and_then(|question| question.turn) {
        Some(timestamp) if independent::turn::in_turn(timestamp, look) => {
            IN_TURN.set(Some(timestamp));
        }
        Some(_) => {} // The answer says so, and nothing is read by this snapshot.
        None => look(),
    }
}

/// The one that is the `offset`th beyond what the portal of this name asked for, if the portal was the last that asked, and the transaction
/// had done its work and passed before its snapshot was taken.
pub fn passed_early(portal: &[u8], offset: u64) -> Option<Passage> {
    let question = Question::of(portal)?;
    let number = u64::try_from(question.passed).ok()? + offset;
    (offset > 0 && number <= EARLY.get()).then_some(())?;
    PASSAGES
        .share()
        .numbered(backend::database().to_u32(), number)
        .filter(|passage| passage.is_done)
}

fn asks(name: &[u8]) -> bool {
    name.starts_with(ASKING)
}

/// Sends the answer to the client, which is a router.
pub fn tell(evidence: &str) {
    let Ok(text) = CString::new(evidence) else {
        return;
    };
    // SAFETY: no other message is being written while a portal starts; the texts end with a zero and are copied.
    unsafe {
        if pg_sys::whereToSendOutput != pg_sys::CommandDest::DestRemote {
            return;
        }
        let mut message = pg_sys::StringInfoData::default();
        pg_sys::pq_beginmessage(&raw mut message, PARAMETER_STATUS as _);
        pg_sys::pq_sendstring(&raw mut message, ANSWER.as_ptr());
        pg_sys::pq_sendstring(&raw mut message, text.as_ptr());
        pg_sys::pq_endmessage(&raw mut message);
    }
}

/// What a router asks.
#[derive(Debug, PartialEq)]
struct Question<'a> {
    run: &'a str,
    /// Up to which number it knows of all; negative to be told numbers alone.
    passed: i64,
    /// The timestamp in whose turn the snapshot is taken.
    turn: Option<i64>,
}

impl<'a> Question<'a> {
    /// None when the name says something else.
    fn of(portal: &'a [u8]) -> Option<Self> {
        let mut words = std::str::from_utf8(portal).ok()?.split('/').skip(2);
        let (run, passed) = (words.next()?, words.next()?.parse().ok()?);
        let turn = words.next().map(|word| i64::from_str_radix(word, 16));
        let question = Question {
            run,
            passed,
            turn: turn.transpose().ok()?,
        };
        words.next().is_none().then_some(question)
    }
}

/// Which transactions had ended when a snapshot was taken.
struct Moment<'a> {
    xmin: u32,
    xmax: u32,
    running: &'a [pg_sys::TransactionId],
}

impl<'a> Moment<'a> {
    /// None for a snapshot that is of another kind.
    fn of(snapshot: &'a pg_sys::SnapshotData) -> Option<Self> {
        let known = snapshot.snapshot_type == pg_sys::SnapshotType::SNAPSHOT_MVCC
            && !snapshot.takenDuringRecovery;
        known.then(|| Moment {
            xmin: number(snapshot.xmin),
            xmax: number(snapshot.xmax),
            running: match snapshot.xcnt {
                0 => &[],
                // SAFETY: the array has so many ids.
                count => unsafe { std::slice::from_raw_parts(snapshot.xip, count as usize) },
            },
        })
    }

    /// Whether a transaction, not a subtransaction, had ended by then.
    fn has_ended(&self, id: u32) -> bool {
        precedes(id, self.xmin)
            || precedes(id, self.xmax) && !self.running.iter().any(|one| number(*one) == id)
    }
}

/// The order of ordinary transaction ids, which wrap around.
fn precedes(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) < 0
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
    match backend::transaction_status(passage.id).as_deref() {
        Some("committed") => Seen::Whole,
        Some("aborted") => Seen::Never,
        _ => Seen::Unknown,
    }
}

/// The timestamp in whose turn the snapshot was taken, where the question has one; else the lane's greatest timestamp. -1 when its turn has not come,
/// or the lane is not at rest.
fn lane(question: &Question) -> i64 {
    if question.turn.is_some() {
        return IN_TURN.get().unwrap_or(-1);
    }
    let database = backend::database().to_u32();
    let lanes = LANES.share();
    let lane = lanes.look(database);
    match lanes.is_at_rest(database) && (lane.open || lane.unused) {
        true => lane.last,
        false => -1,
    }
}

/// `<run> <last> <over> <lane>` and, for each, a mark and its name; None when not all of them are known. Up to `over` they have ended, and
/// need not be told again. Marks: `v` seen, `w` seen but to be told again, `p` not seen, and perhaps not done yet, `i` not seen, `e<n>:` not seen, but it had done its work and passed
/// before the snapshot was taken, as the nth beyond the number of the question.
fn evidence(question: &Question, moment: &Moment) -> Option<String> {
    let database = backend::database().to_u32();
    let own = format!("{:x}.{database}", transaction_token::run());
    if backend::has_one_snapshot() || question.passed >= 0 && question.run != own {
        return None;
    }
    // The lane comes first: who passes from here on reports a timestamp that is not less.
    let lane = lane(question);
    let (from, last, passages) = {
        let all = PASSAGES.share();
        let from = match u64::try_from(question.passed) {
            Ok(number) => number,
            Err(_) => all.before_kept(database)?,
        };
        let (last, passages) = all.beyond(database, from)?;
        (from, last, passages)
    };
    let early = EARLY.get();
    let seen: Vec<Seen> = passages.iter().map(|one| seen(one, moment)).collect();
    let over = seen.iter().take_while(|seen| **seen != Seen::Not).count();
    let mut told = format!("{own} {last} {} {lane}", from + over as u64);
    for (at, passage) in passages.iter().enumerate().filter(|_| question.passed >= 0) {
        let mark: Cow<str> = match seen[at] {
            Seen::Never => continue,
            Seen::Not if passage.is_done && from + (at as u64) < early => {
                format!("e{}:", at + 1).into()
            }
            Seen::Not if !passage.is_done => "p".into(),
            Seen::Not => "i".into(),
            Seen::Unknown => "?".into(),
            Seen::Whole if at < over => "v".into(),
            Seen::Whole => "w".into(),
        };
        told.push(' ');
        told.push_str(&mark);
        told.push_str(&String::from_utf8_lossy(passage.name()));
    }
    Some(told)
}

fn number(id: pg_sys::TransactionId) -> u32 {
    id.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_knows_who_had_ended() {
        let running = [u32::MAX - 1, 3].map(pg_sys::TransactionId::from);
        let moment = Moment {
            xmin: u32::MAX - 1,
            xmax: 5,
            running: &running,
        };
        let ended: Vec<u32> = [u32::MAX - 2, u32::MAX - 1, u32::MAX, 3, 4, 5, 6]
            .into_iter()
            .filter(|id| moment.has_ended(*id))
            .collect();
        assert_eq!(ended, [u32::MAX - 2, u32::MAX, 4]);
    }

    #[test]
    fn a_portal_asks_by_its_name() {
        let question = |name: &'static str| Question::of(name.as_bytes());
        let asked = |run, passed, turn| Some(Question { run, passed, turn });
        assert!(asks(b"abelian/7/5f.16384/12"));
        assert_eq!(
            question("abelian/7/5f.16384/12"),
            asked("5f.16384", 12, None)
        );
        assert_eq!(question("abelian/7//-1"), asked("", -1, None));
        assert_eq!(question("abelian/7/5f.1/1/ff"), asked("5f.1", 1, Some(255)));
        for other in [
            "abelian/7",
            "abelian/7/5f.1/x",
            "abelian/7/5f.1/1/",
            "abelian/7/5f.1/1/1/1",
        ] {
            assert_eq!(question(other), None, "{other}");
        }
        assert!(!asks(b"C_1"));
    }
}
