//! Which databases have slices, and who folds them: places in shared memory. Processes note their database; only the launcher gives places and
//! takes them back, so that no database has two.

use pgrx::PGRXSharedMemory;
use std::array::from_fn;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU32,
    Ordering::{Relaxed, SeqCst},
};

/// Databases that can be folded at the same time; others wait for a place.
const PLACES: usize = 32;

/// Databases without a place that can be noted between two rounds of the launcher, before it has to visit them all.
const NOTES: usize = 64;

/// A database's place.
#[derive(Default)]
pub struct Place {
    /// The database; 0 if the place is free.
    pub oid: AtomicU32,
    /// It has slices, as far as anybody knows.
    pub due: AtomicBool,
    /// The process that folds them, or 0.
    pub worker: AtomicI32,
    /// When one was started last, in microseconds.
    pub started_at: AtomicI64,
    /// Until when no worker may be in the database, in microseconds.
    pub away_until: AtomicI64,
}

impl Place {
    /// Whether no worker may be in the database.
    pub fn is_away(&self, now: i64) -> bool {
        self.away_until.load(Relaxed) > now
    }

    /// False if the place is not the database's any more.
    fn mark_due(&self, oid: u32) -> bool {
        if !self.due.load(SeqCst) {
            self.due.store(true, SeqCst);
        }
        self.oid.load(SeqCst) == oid
    }
}

/// Who has slices, who folds.
pub struct Folding {
    places: [Place; PLACES],
    noted: [AtomicU32; NOTES],
    /// More databases than can be noted.
    overflowed: AtomicBool,
}

// SAFETY: atomics only.
unsafe impl PGRXSharedMemory for Folding {}

impl Default for Folding {
    fn default() -> Self {
        Folding {
            places: from_fn(|_| Place::default()),
            noted: from_fn(|_| AtomicU32::default()),
            overflowed: AtomicBool::new(false),
        }
    }
}

impl Folding {
    /// The place of a database.
    pub fn place(&self, oid: u32) -> Option<&Place> {
        self.places
            .iter()
            .find(|place| place.oid.load(Relaxed) == oid)
    }

    /// All places.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter()
    }

    /// A database has slices.
    pub fn note(&self, oid: u32) {
        if self.place(oid).is_some_and(|place| place.mark_due(oid)) {
            return;
        }
        let is_noted = |note: &AtomicU32| {
            let holder = note.load(SeqCst);
            // If the launcher takes a note that is there at this moment, that is fine: the worker that it starts looks after the slices were written.
            holder == oid || holder == 0 && note.compare_exchange(0, oid, SeqCst, SeqCst).is_ok()
        };
        if !self.noted.iter().any(is_noted) {
            self.overflowed.store(true, SeqCst);
        }
    }

    /// For the launcher: the databases noted since the last time; `None` if there were too many to tell.
    pub fn take_noted(&self) -> Option<Vec<u32>> {
        let noted = self.noted.iter().map(|note| note.swap(0, SeqCst));
        let noted = noted.filter(|oid| *oid != 0).collect();
        (!self.overflowed.swap(false, SeqCst)).then_some(noted)
    }

    /// For the launcher: gives a database a place and marks it due. False if none is free.
    pub fn assign_place(&self, oid: u32) -> bool {
        let Some(place) = self.place(oid).or_else(|| self.place(0)) else {
            return false;
        };
        place.oid.store(oid, SeqCst);
        place.due.store(true, SeqCst);
        true
    }

    /// For the launcher: frees the places of databases without slices.
    pub fn free_idle_places(&self) {
        for place in &self.places {
            let oid = place.oid.load(Relaxed);
            if oid != 0 && !place.due.load(SeqCst) && place.worker.load(SeqCst) == 0 {
                place.oid.store(0, SeqCst);
                // Slices came in this moment, or a worker that was late.
                if place.due.load(SeqCst) || place.worker.load(SeqCst) != 0 {
                    place.oid.store(oid, SeqCst);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn databases(folding: &Folding) -> Vec<u32> {
        let places = folding.places().map(|place| place.oid.load(Relaxed));
        places.filter(|oid| *oid != 0).collect()
    }

    /// A round of the launcher, with the databases that wait for a place.
    fn round(folding: &Folding, waiting: &mut BTreeSet<u32>) {
        waiting.extend(folding.take_noted().unwrap());
        waiting.retain(|oid| !folding.assign_place(*oid));
        folding.free_idle_places();
    }

    #[test]
    fn a_database_keeps_its_place_when_one_before_it_becomes_free() {
        let (folding, mut waiting) = (Folding::default(), BTreeSet::new());
        folding.note(1);
        folding.note(2);
        round(&folding, &mut waiting);
        folding.place(2).unwrap().worker.store(77, Relaxed);
        folding.place(1).unwrap().due.store(false, Relaxed);
        round(&folding, &mut waiting);
        folding.note(2);
        round(&folding, &mut waiting);
        assert_eq!(databases(&folding), [2]);
        assert_eq!(folding.place(2).unwrap().worker.load(Relaxed), 77);
    }

    #[test]
    fn who_finds_no_place_waits_for_one() {
        let (folding, mut waiting) = (Folding::default(), BTreeSet::new());
        (1..=PLACES as u32 + 1).for_each(|oid| folding.note(oid));
        round(&folding, &mut waiting);
        assert_eq!(waiting.len(), 1);
        folding.place(7).unwrap().due.store(false, Relaxed);
        round(&folding, &mut waiting);
        round(&folding, &mut waiting);
        assert!(waiting.is_empty());
        assert_eq!(databases(&folding).len(), PLACES);
        assert!(folding.place(7).is_none());
    }

    #[test]
    fn overflow_of_notes_is_reported() {
        let folding = Folding::default();
        (1..=NOTES as u32 + 1).for_each(|oid| folding.note(oid));
        assert_eq!(folding.take_noted(), None);
        assert_eq!(folding.take_noted(), Some(vec![]));
    }

    /// Processes of a few databases note slices while the launcher gives and frees places and workers find nothing more to do: no note is lost, and no
    /// database has two places.
    #[test]
    fn notes_beside_the_launcher_are_not_lost() {
        const DATABASES: usize = 40;
        const NOTED: u32 = 20_000;
        let folding = Folding::default();
        let slices: [AtomicI32; DATABASES] = from_fn(|_| AtomicI32::new(0));
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..2)
                .map(|writer| {
                    let (folding, slices) = (&folding, &slices);
                    scope.spawn(move || {
                        for n in 0..NOTED {
                            let database =
                                (n.wrapping_mul(2_654_435_761) >> 7) as usize % DATABASES;
                            slices[database].fetch_add(1 + writer, SeqCst);
                            folding.note(database as u32 + 1);
                        }
                    })
                })
                .collect();
            let mut waiting = BTreeSet::new();
            let mut quiet = 0;
            // After the writers some rounds more, in which all that is noted must be found.
            while quiet < DATABASES {
                quiet += usize::from(writers.iter().all(|writer| writer.is_finished()));
                round(&folding, &mut waiting);
                let held = databases(&folding);
                assert_eq!(held.len(), held.iter().collect::<BTreeSet<_>>().len());
                for place in folding.places().filter(|place| place.due.load(SeqCst)) {
                    let oid = place.oid.load(SeqCst);
                    place.due.store(false, SeqCst);
                    if oid != 0 {
                        slices[oid as usize - 1].store(0, SeqCst);
                    }
                }
            }
        });
        let left: i32 = slices.iter().map(|left| left.load(SeqCst)).sum();
        assert_eq!(left, 0);
    }
}
