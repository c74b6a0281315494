//! Which client session of which router each backend serves, in shared memory, so that the wait graphs of several
//! nodes can be joined. A label is a hint for finding deadlocks; nothing else depends on it.

use super::postgres;
use crate::backend;
use crate::callback;
use crate::hooks::memory::{self, Needs};
use crate::pg_function;
use pgrx::pg_sys;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};

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
    words: [AtomicU64; WORDS],
}

/// How often a reader retries while the owner writes; then the label counts as absent.
const READ_ATTEMPTS: usize = 100;

static ENTRIES: AtomicPtr<Entry> = AtomicPtr::new(std::ptr::null_mut());

impl Entry {
    fn write(&self, pid: i32, label: &[u8]) {
        let mut bytes = [0u8; LABEL_BYTES];
        let length = label.len().min(LABEL_BYTES);
        bytes[..length].copy_from_slice(&label[..length]);
        self.sequence.fetch_add(1, Ordering::AcqRel);
        self.pid.store(pid, Ordering::Relaxed);
        for (word, chunk) in self.words.iter().zip(bytes.chunks_exact(8)) {
            word.store(
                u64::from_ne_bytes(chunk.try_into().unwrap_or_default()),
                Ordering::Relaxed,
            );
        }
        self.sequence.fetch_add(1, Ordering::Release);
    }

    fn read(&self, pid: i32) -> Option<String> {
        for _ in 0..READ_ATTEMPTS {
            let before = self.sequence.load(Ordering::Acquire);
            let owner = self.pid.load(Ordering::Relaxed);
            let mut bytes = [0u8; LABEL_BYTES];
            for (word, chunk) in self.words.iter().zip(bytes.chunks_exact_mut(8)) {
                chunk.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            std::sync::atomic::fence(Ordering::Acquire);
            if before.is_multiple_of(2) && self.sequence.load(Ordering::Relaxed) == before {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(LABEL_BYTES);
                return (owner == pid && end > 0)
                    .then(|| String::from_utf8_lossy(&bytes[..end]).into_owned());
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
            entry.write(backend::pid(), bytes);
        }
    }
}

pg_function!(
    /// `abelian.session_label(pid)`
    fn abelian_session_label(call) {
        let pid = call.i32(0);
        // SAFETY: finds the live process's entry, or null; entries of ended processes carry another pid.
        let label = unsafe { entry_of(pg_sys::BackendPidGetProc(pid)) }.and_then(|entry| entry.read(pid));
        Ok(match label {
            Some(label) => postgres::text_datum(&label),
            None => call.null(),
        })
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            sequence: AtomicU32::new(0),
            pid: AtomicI32::new(0),
            words: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    #[test]
    fn a_label_is_read_back_by_its_owner_only() {
        let entry = entry();
        entry.write(7, b"router:12");
        assert_eq!(entry.read(7).as_deref(), Some("router:12"));
        assert_eq!(entry.read(8), None);
    }

    #[test]
    fn a_shorter_label_leaves_nothing_of_the_longer_one() {
        let entry = entry();
        entry.write(7, &[b'x'; LABEL_BYTES + 20]);
        assert_eq!(entry.read(7).map(|l| l.len()), Some(LABEL_BYTES));
        entry.write(7, b"ab");
        assert_eq!(entry.read(7).as_deref(), Some("ab"));
        entry.write(7, b"");
        assert_eq!(entry.read(7), None);
    }
}
