//! Which client session of which router each backend serves, in shared memory, so that the wait graphs of several
//! nodes can be joined. A label is a hint for finding deadlocks; nothing else depends on it. It counts when a router has sealed it, or is
//! connected in a role of its own: nobody is found in a circle by what a stranger says.

use super::postgres;
use super::seal::{self, Sealed};
use crate::backend;
use crate::callback;
use crate::error::Error;
use crate::hooks::memory::{self, Needs};
use crate::pg_function;
use pgrx::pg_sys;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Longest label in bytes; longer ones are cut.
const LABEL_BYTES: usize = 96;
const WORDS: usize = LABEL_BYTES / 8;

/// Processes beyond MaxBackends that have an entry in the process array: auxiliary ones, which never set a label.
const SPARE_ENTRIES: usize = 64;

/// One backend's label, written only by its owner. `sequence` is odd while it changes (a sequence lock).
#[repr(C)]
struct Entry {
    sequence: AtomicU32,
    pid: AtomicI32,
    /// When the process started, which its connection's name tells.
    start: AtomicI64,
    words: [AtomicU64; WORDS],
}

/// What a backend says of itself.
struct Label {
    text: String,
    start: i64,
}

/// How often a reader retries while the owner writes; then the label counts as absent.
const READ_ATTEMPTS: usize = 100;

static ENTRIES: AtomicPtr<Entry> = AtomicPtr::new(std::ptr::null_mut());

impl Entry {
    fn write(&self, pid: i32, start: i64, label: &[u8]) {
        let mut bytes = [0u8; LABEL_BYTES];
        let length = label.len().min(LABEL_BYTES);
        bytes[..length].copy_from_slice(&label[..length]);
        self.sequence.fetch_add(1, Ordering::AcqRel);
        self.pid.store(pid, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        for (word, chunk) in self.words.iter().zip(bytes.chunks_exact(8)) {
            word.store(
                u64::from_ne_bytes(chunk.try_into().unwrap_or_default()),
                Ordering::Relaxed,
            );
        }
        self.sequence.fetch_add(1, Ordering::Release);
    }

    fn read(&self, pid: i32) -> Option<Label> {
        for _ in 0..READ_ATTEMPTS {
            let before = self.sequence.load(Ordering::Acquire);
            let owner = self.pid.load(Ordering::Relaxed);
            let start = self.start.load(Ordering::Relaxed);
            let mut bytes = [0u8; LABEL_BYTES];
            for (word, chunk) in self.words.iter().zip(bytes.chunks_exact_mut(8)) {
                chunk.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            std::sync::atomic::fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == before {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(LABEL_BYTES);
                return (owner == pid && end > 0).then(|| Label {
                    text: String::from_utf8_lossy(&bytes[..end]).into_owned(),
                    start,
                });
            }
            std::hint::spin_loop();
        }
        None
    }
}

/// Asks for the shared memory.
pub fn install() {
    memory::request(Needs {
        bytes: || capacity() * size_of::<Entry>(),
        attach: attach_memory,
    });
}

fn capacity() -> usize {
    // SAFETY: known before shared memory is requested.
    unsafe { pg_sys::MaxBackends as usize + SPARE_ENTRIES }
}

fn attach_memory() {
    // SAFETY: called while the postmaster alone has the segment; all-zero bytes are valid entries.
    unsafe {
        let bytes = capacity() * size_of::<Entry>();
        let mut found = false;
        let memory = pg_sys::ShmemInitStruct(c"abelian session labels".as_ptr(), bytes, &mut found);
        if !found {
            memory.cast::<u8>().write_bytes(0, bytes);
        }
        ENTRIES.store(memory.cast(), Ordering::Release);
    }
    super::transaction_token::begin_run();
}

/// The entry of a process of the process array.
///
/// # Safety
/// `process` must point into that array or be null.
unsafe fn entry_of(process: *mut pg_sys::PGPROC) -> Option<&'static Entry> {
    let entries = ENTRIES.load(Ordering::Acquire);
    if process.is_null() || entries.is_null() {
        return None;
    }
    // SAFETY: both pointers are in the process array; the index is checked against what was allocated.
    unsafe {
        let number = process.offset_from((*pg_sys::ProcGlobal).allProcs);
        let number = usize::try_from(number).ok()?;
        (number < capacity()).then(|| &*entries.add(number))
    }
}

callback!(
    /// Assign hook of `abelian.session`.
    pub fn on_assign(label: *const c_char, _extra: *mut c_void) = |label, _| assign(label)
);

fn assign(label: *const c_char) {
    // SAFETY: MyProc is null until the backend has its entry in the process array; the label is a C string.
    unsafe {
        if let Some(entry) = entry_of(pg_sys::MyProc) {
            let bytes = if label.is_null() {
                &[][..]
            } else {
                CStr::from_ptr(label).to_bytes()
            };
            entry.write(backend::pid(), pg_sys::MyStartTimestamp, bytes);
        }
    }
}

pg_function!(
    /// `abelian.session_label(pid)`
    fn abelian_session_label(call) {
        let pid = call.i32(0);
        // SAFETY: finds the live process, or null; entries of ended processes carry another pid.
        let (label, role) = unsafe {
            let process = pg_sys::BackendPidGetProc(pid);
            let role = if process.is_null() { pg_sys::InvalidOid } else { (*process).roleId };
            (entry_of(process).and_then(|entry| entry.read(pid)), role)
        };
        let trusted = label.map(|label| trusted(label, pid, role)).transpose()?.flatten();
        Ok(trusted.map_or_else(|| call.null(), |label| postgres::text_datum(&label)))
    }
);

/// The label without its seal, `<router>:<session>[:<seal>]`, if it counts.
fn trusted(label: Label, pid: i32, role: pg_sys::Oid) -> Result<Option<String>, Error> {
    let (text, seal) = match label.text.match_indices(':').nth(1) {
        Some((at, _)) => (&label.text[..at], Some(&label.text[at + 1..])),
        None => (label.text.as_str(), None),
    };
    let counts = match (seal, seal::router_named(text.as_bytes())) {
        (Some(seal), Some(router)) => Sealed::on("session", pid, label.start)
            .bytes(text.as_bytes())
            .holds(router, seal)?,
        _ => seal::is_router(role),
    };
    Ok(counts.then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            sequence: AtomicU32::new(0),
            pid: AtomicI32::new(0),
            start: AtomicI64::new(0),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    #[test]
    fn a_label_is_read_back_by_its_owner_only() {
        let entry = entry();
        entry.write(7, 100, b"router:12");
        let label = entry.read(7).map(|label| (label.text, label.start));
        assert_eq!(label, Some(("router:12".to_owned(), 100)));
        assert!(entry.read(8).is_none());
    }

    #[test]
    fn a_shorter_label_leaves_nothing_of_the_longer_one() {
        let entry = entry();
        let length = |entry: &Entry| entry.read(7).map(|label| label.text.len());
        entry.write(7, 100, &[b'x'; LABEL_BYTES + 20]);
        assert_eq!(length(&entry), Some(LABEL_BYTES));
        entry.write(7, 100, b"ab");
        assert_eq!(length(&entry), Some(2));
        entry.write(7, 100, b"");
        assert_eq!(length(&entry), None);
    }
}
