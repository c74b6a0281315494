//! Which statements' operations are followed by a read of what they changed, in the same transaction.
//!
//! Two transactions that operate on one object and then read it had better queue from the beginning, as over plain columns: whoever
//! operates first and reads second waits twice, and holds up others meanwhile. What a transaction will do next is not known. But a
//! statement that was followed by such a read tends to be followed by one again. So for each text, numbers and strings in it aside, there
//! is a counter of two bits, as processors have them for branches. It rises when an object that the statement operated on was read
//! later, and somebody was in the way, and falls when a transaction has queued for its row in vain. A hint: it decides what is waited for when.

use crate::settings::{self, Split};
use crate::shared_memory::FORESIGHT;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, Oid};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Statements share a counter when their hashes do.
const PLACES: usize = 1 << 16;

/// Of a text, so many bytes count.
const LONGEST: usize = 1024;

/// From here on, a read is expected.
const EXPECTED: u8 = 2;
const MOST: u8 = 3;

/// The counters.
pub struct Foresight([AtomicU8; PLACES]);

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Foresight {}

impl Default for Foresight {
    fn default() -> Self {
        Foresight(std::array::from_fn(|_| AtomicU8::new(0)))
    }
}

/// A statement, as far as its counter is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement(u16);

impl Statement {
    /// One that changes this relation. `None` if it is a transaction of its own, in which nothing follows.
    ///
    /// # Safety
    /// `text` must be null or a C string.
    pub unsafe fn new(relation: Oid, text: *const std::ffi::c_char) -> Option<Self> {
        // SAFETY: plain reads; by the caller.
        unsafe {
            let alone = !pg_sys::IsTransactionBlock() && text == pg_sys::debug_query_string;
            if alone || text.is_null() || settings::SPLIT.get() != Split::Auto {
                return None;
            }
            let hash = fingerprint(CStr::from_ptr(text).to_bytes());
            let place =
                u64::from(pg_sys::MyDatabaseId.to_u32()) << 32 | u64::from(relation.to_u32());
            let mixed = (hash ^ place).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            Some(Statement((mixed >> 48) as u16))
        }
    }

    fn counter(self) -> &'static AtomicU8 {
        &FORESIGHT.get().0[usize::from(self.0)]
    }

    /// Whether a read is expected of what it operates on.
    pub fn expects_read(self) -> bool {
        self.counter().load(Relaxed) >= EXPECTED
    }

    /// A read of what it operated on met others who had operated, too.
    pub fn note_conflict(self) {
        self.counter().store(MOST, Relaxed);
    }

    /// It queued for what it operated on: whether that was read.
    pub fn note(self, read: bool) {
        let before = self.counter().load(Relaxed);
        let after = match read {
            true => (before + 1).min(MOST),
            false => before.saturating_sub(1),
        };
        if after != before {
            self.counter().store(after, Relaxed);
        }
    }
}

/// A hash of a text without its digits and strings.
fn fingerprint(text: &[u8]) -> u64 {
    let mut quoted = false;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in text.iter().take(LONGEST) {
        if *byte == b'\'' {
            quoted = !quoted;
        } else if !quoted && !byte.is_ascii_digit() {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn texts_that_differ_in_numbers_and_strings_only_are_one() {
        let one = fingerprint(b"UPDATE t SET n = n + 1 WHERE id = 17 AND note = 'a b'");
        let other = fingerprint(b"UPDATE t SET n = n + 25 WHERE id = 3 AND note = 'it''s'");
        assert_eq!(one, other);
        assert_ne!(
            one,
            fingerprint(b"UPDATE t SET m = m + 1 WHERE id = 17 AND note = 'a b'")
        );
    }
}
