//! The objects that may have slices: a set in shared memory that may hold too much, and never too little, so that
//! reading an object that was never split costs no look into the slice table.
//!
//! Whoever stores a version of a slice notes its object *afterwards*, in both maps. A database counts only from the
//! moment when somebody has scanned its slice table, dead rows too, into the current map: what stood there before
//! the scan was found by it, what came later was noted. A crowded map is exchanged for the other one, cleared, which
//! each database then has to scan into again. The argument is in `docs/design/objects.md`.

use crate::backend;
use crate::error::Error;
use crate::object::slice_table::{self, SliceTable};
use crate::pg_function;
use crate::shared_memory::SPLIT;
use pgrx::PGRXSharedMemory;
use pgrx::pg_sys::{self, Datum};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64};

/// Bits of a map: 512 kB. Ids are dense, so that this many objects share no bits.
const BITS: u64 = 1 << 22;
const WORDS: usize = (BITS / 64) as usize;

/// Noted objects from which on a map is crowded.
const CROWDED: u32 = (BITS / 4) as u32;

/// Databases whose slice tables can be known; reads in others always look.
const DATABASES: usize = 64;

/// Between two exchanges of the maps: 1 min.
const EXCHANGE_MICROSECONDS: i64 = 60_000_000;

struct Map([AtomicU64; WORDS]);

/// The set.
pub struct SplitSet {
    /// Its lowest bit tells the current map.
    generation: AtomicU32,
    maps: [Map; 2],
    /// The databases that have been scanned into the current map, each with the generation of that time.
    scanned: [AtomicU64; DATABASES],
    noted: AtomicU32,
    exchanging: AtomicBool,
    exchanged_at: AtomicI64,
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for SplitSet {}

impl Map {
    fn has(&self, bit: u64) -> bool {
        self.0[(bit / 64) as usize].load(Acquire) & (1 << (bit % 64)) != 0
    }

    /// Whether the bit is new.
    fn set(&self, bit: u64) -> bool {
        let mask = 1 << (bit % 64);
        !self.has(bit) && self.0[(bit / 64) as usize].fetch_or(mask, AcqRel) & mask == 0
    }
}

impl SplitSet {
    /// An empty set: no database is known.
    pub const fn new() -> Self {
        SplitSet {
            generation: AtomicU32::new(0),
            maps: [const { Map([const { AtomicU64::new(0) }; WORDS]) }; 2],
            scanned: [const { AtomicU64::new(0) }; DATABASES],
            noted: AtomicU32::new(0),
            exchanging: AtomicBool::new(false),
            exchanged_at: AtomicI64::new(0),
        }
    }

    fn current(&self, generation: u32) -> &Map {
        &self.maps[generation as usize % 2]
    }

    fn note(&self, bit: u64) {
        let current = self.generation.load(Acquire) as usize % 2;
        for (n, map) in self.maps.iter().enumerate() {
            if map.set(bit) && n == current {
                self.noted.fetch_add(1, Relaxed);
            }
        }
    }

    /// False only if nobody has noted the bit since the scan of `generation`.
    fn may_have(&self, bit: u64, generation: u32) -> bool {
        // The map is cleared again only in a later generation.
        self.current(generation).has(bit) || self.generation.load(Acquire) != generation
    }

    fn is_scanned(&self, database: u32, generation: u32) -> bool {
        let entry = entry(database, generation);
        self.scanned
            .iter()
            .any(|known| known.load(Acquire) == entry)
    }

    /// A place for one more database.
    fn free_place(&self, generation: u32) -> Option<&AtomicU64> {
        self.scanned.iter().find(|place| {
            let known = place.load(Acquire);
            known == 0 || (known >> 32) as u32 != generation
        })
    }

    /// Goes over to the other map, cleared. False if somebody else is at it.
    fn exchange(&self) -> bool {
        if self.exchanging.swap(true, AcqRel) {
            return false;
        }
        let next = self.generation.load(Acquire).wrapping_add(1);
        for word in &self.current(next).0 {
            word.store(0, Release);
        }
        self.noted.store(0, Relaxed);
        self.generation.store(next, Release);
        self.exchanging.store(false, Release);
        true
    }
}

impl Default for SplitSet {
    fn default() -> Self {
        Self::new()
    }
}

fn entry(database: u32, generation: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(database)
}

/// Databases begin at different places of the map.
fn bit(id: i64) -> u64 {
    let start = u64::from(backend::database().to_u32()).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (id as u64).wrapping_add(start) % BITS
}

/// What this backend knows: the generation into which its database was scanned, plus one; 0 for none.
static KNOWN: AtomicU64 = AtomicU64::new(0);

/// A slice of the object has just been stored.
pub fn note(id: i64) {
    SPLIT.get().note(bit(id));
}

/// Whether any snapshot may show slices of the object, as far as can be told without looking for them.
pub fn may_have_slices(id: i64) -> bool {
    let set = SPLIT.get();
    let generation = set.generation.load(Acquire);
    KNOWN.load(Relaxed) != u64::from(generation) + 1 || set.may_have(bit(id), generation)
}

/// As [`may_have_slices`]; scans the slice table first if nobody has done so.
pub fn look(id: i64) -> Result<bool, Error> {
    let set = SPLIT.get();
    let generation = set.generation.load(Acquire);
    if KNOWN.load(Relaxed) != u64::from(generation) + 1 {
        if !set.is_scanned(backend::database().to_u32(), generation) && !scan(set, generation)? {
            return Ok(true);
        }
        KNOWN.store(u64::from(generation) + 1, Relaxed);
    }
    Ok(set.may_have(bit(id), generation))
}

/// False where the set cannot be known: replay stores slices without noting them.
fn scan(set: &SplitSet, generation: u32) -> Result<bool, Error> {
    // SAFETY: looks at a variable.
    if unsafe { pg_sys::RecoveryInProgress() } || set.free_place(generation).is_none() {
        return Ok(false);
    }
    SliceTable::for_reading()?.all_objects(&mut |id| set.note(bit(id)))?;
    // Whoever needs the place at the same time scans again.
    let Some(place) = set.free_place(generation) else {
        return Ok(false);
    };
    place.store(entry(backend::database().to_u32(), generation), Release);
    Ok(set.generation.load(Acquire) == generation)
}

/// Exchanges a crowded map; the folding workers call this now and then.
pub fn renew_if_crowded() {
    let set = SPLIT.get();
    let now = crate::backend::now();
    if set.noted.load(Relaxed) >= CROWDED
        && now - set.exchanged_at.load(Relaxed) >= EXCHANGE_MICROSECONDS
    {
        set.exchanged_at.store(now, Relaxed);
        set.exchange();
    }
}

/// Forgets which databases are known, since one of them has gone and another may get its number.
pub fn forget_databases() {
    /// Another exchange takes less than a millisecond.
    const TRIES: usize = 1000;
    for _ in 0..TRIES {
        if SPLIT.get().exchange() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

pg_function!(
    /// The trigger on the slice table, for rows that others than this library store (replication, restoring).
    fn abelian_slice_stored(call) {
        // SAFETY: PostgreSQL passes its trigger data as the context of the call.
        unsafe {
            let trigger = (*call.info()).context.cast::<pg_sys::TriggerData>();
            if trigger.is_null() || (*trigger).type_ != pg_sys::NodeTag::T_TriggerData {
                return Err(Error::Internal("called as a function, not as a trigger".into()));
            }
            super::read::forget_loaded();
            let stored = [(*trigger).tg_newtuple, (*trigger).tg_trigtuple];
            for tuple in stored.into_iter().filter(|tuple| !tuple.is_null()) {
                note(slice_table::object_of(tuple, (*(*trigger).tg_relation).rd_att));
            }
        }
        Ok(Datum::null()) // what an AFTER trigger returns does not matter
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> Box<SplitSet> {
        Box::new(SplitSet::new())
    }

    #[test]
    fn what_was_noted_is_found_until_the_second_exchange() {
        let set = set();
        set.note(5);
        assert!(set.may_have(5, 0));
        assert!(!set.may_have(6, 0));
        set.exchange();
        assert!(!set.may_have(5, 1), "the other map starts empty");
    }

    #[test]
    fn a_reader_of_an_earlier_generation_is_never_told_no() {
        let set = set();
        set.exchange();
        assert!(set.may_have(6, 0));
    }

    #[test]
    fn what_is_noted_after_an_exchange_is_in_both_maps() {
        let set = set();
        set.exchange();
        set.note(7);
        assert!(set.maps.iter().all(|map| map.has(7)));
        assert_eq!(set.noted.load(Relaxed), 1);
    }

    #[test]
    fn a_scan_counts_only_for_its_generation() {
        let set = set();
        set.free_place(0).unwrap().store(entry(16384, 0), Release);
        assert!(set.is_scanned(16384, 0));
        assert!(!set.is_scanned(16385, 0));
        set.exchange();
        assert!(!set.is_scanned(16384, 1));
    }

    #[test]
    fn beyond_the_known_databases_there_is_no_place() {
        let set = set();
        for database in 1..=DATABASES as u32 {
            set.free_place(0)
                .unwrap()
                .store(entry(database, 0), Release);
        }
        assert!(set.free_place(0).is_none());
        set.exchange();
        assert!(set.free_place(1).is_some());
    }
}
