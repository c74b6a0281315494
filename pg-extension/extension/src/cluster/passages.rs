//! Who has passed the commit gate lately, as a value: no waiting, no locks, no PostgreSQL. One value serves all databases of the server; a crash
//! forgets it, and a node says so by the name of its run (see docs/protocols/reads.md).

use pgrx::PGRXSharedMemory;

/// Databases with a list.
const DATABASES: usize = 8;

/// So many are kept; readers whose knowledge is older go behind the gate.
pub const KEPT: u64 = 1024;

/// Longer names are not kept: such a transaction is unknown to readers.
const NAME_BYTES: usize = 120;

/// A transaction that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its transaction id on this node, epoch included.
    pub id: u64,
    /// It had done all of its work by then.
    pub is_done: bool,
    length: usize,
    name: [u8; NAME_BYTES],
}

impl Passage {
    /// What other nodes know it by, and its nodes; empty when that is not known.
    pub fn name(&self) -> &[u8] {
        &self.name[..self.length]
    }

    fn new(id: u64, name: &[u8], is_done: bool) -> Passage {
        let mut passage = Passage {
            id,
            is_done,
            ..NOBODY
        };
        if name.len() <= NAME_BYTES && name.iter().all(u8::is_ascii_graphic) {
            passage.length = name.len();
            passage.name[..name.len()].copy_from_slice(name);
        }
        passage
    }
}

const NOBODY: Passage = Passage {
    id: 0,
    is_done: false,
    length: 0,
    name: [0; NAME_BYTES],
};

/// Those of one database, numbered from 1.
#[derive(Clone, Copy)]
struct List {
    database: u32,
    /// Everybody is in the list who may hold the gate, or has held it since number 1.
    complete: bool,
    last: u64,
    kept: [Passage; KEPT as usize],
}

const UNUSED: List = List {
    database: 0,
    complete: false,
    last: 0,
    kept: [NOBODY; KEPT as usize],
};

/// Those of all databases.
#[derive(Clone, Copy)]
pub struct Passages([List; DATABASES]);

// SAFETY: plain numbers.
unsafe impl PGRXSharedMemory for Passages {}

impl Default for Passages {
    /// Nobody has passed, and what was before is not known.
    fn default() -> Self {
        Passages([UNUSED; DATABASES])
    }
}

impl Passages {
    fn list(&mut self, database: u32) -> Option<&mut List> {
        let list = self
            .0
            .iter_mut()
            .find(|list| list.database == database || list.database == 0)?;
        list.database = database;
        Some(list)
    }

    /// A transaction has the gate. A database for which there is no room never becomes complete.
    pub fn pass(&mut self, database: u32, id: u64, name: &[u8], is_done: bool) {
        if let Some(list) = self.list(database) {
            list.last += 1;
            list.kept[(list.last % KEPT) as usize] = Passage::new(id, name, is_done);
        }
    }

    /// Somebody holds the gate against everybody: who has passed before is over.
    pub fn is_empty_now(&mut self, database: u32) {
        if let Some(list) = self.list(database) {
            list.complete = true;
        }
    }

    /// Those with greater numbers, and the last number; None when not all of them are known.
    pub fn beyond(&self, database: u32, number: u64) -> Option<(u64, Vec<Passage>)> {
        let list = self.known(database)?;
        (number <= list.last && number + KEPT >= list.last).then(|| {
            let passages = number + 1..=list.last;
            (
                list.last,
                passages.map(|n| list.kept[(n % KEPT) as usize]).collect(),
            )
        })
    }

    /// The last number; 0 when not all are known.
    pub fn last(&self, database: u32) -> u64 {
        self.known(database).map_or(0, |list| list.last)
    }

    /// The one of a number; None when it is not kept.
    pub fn numbered(&self, database: u32, number: u64) -> Option<Passage> {
        let list = self.known(database)?;
        let is_kept = number > 0 && number <= list.last && number + KEPT > list.last;
        is_kept.then(|| list.kept[(number % KEPT) as usize])
    }

    /// The number before the first that is kept; None as above.
    pub fn before_kept(&self, database: u32) -> Option<u64> {
        Some(self.known(database)?.last.saturating_sub(KEPT))
    }

    fn known(&self, database: u32) -> Option<&List> {
        self.0
            .iter()
            .find(|list| list.database == database && list.complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(passages: &Passages, number: u64) -> Option<Vec<String>> {
        let (_, beyond) = passages.beyond(1, number)?;
        let text = |p: &Passage| String::from_utf8_lossy(p.name()).into_owned();
        Some(beyond.iter().map(text).collect())
    }

    #[test]
    fn nothing_is_known_before_the_gate_was_held_once() {
        let mut passages = Passages::default();
        passages.pass(1, 7, b"t/1,2", true);
        assert_eq!(names(&passages, 0), None);
        passages.is_empty_now(1);
        assert_eq!(names(&passages, 0), Some(vec!["t/1,2".to_owned()]));
        assert_eq!(passages.beyond(2, 0), None);
    }

    #[test]
    fn what_is_overwritten_is_not_known() {
        let mut passages = Passages::default();
        passages.is_empty_now(1);
        for n in 1..=KEPT + 2 {
            passages.pass(1, n, n.to_string().as_bytes(), true);
        }
        assert_eq!(passages.beyond(1, 1), None);
        let (last, beyond) = passages.beyond(1, 2).unwrap();
        assert_eq!((last, beyond.len() as u64), (KEPT + 2, KEPT));
        assert_eq!((beyond[0].id, beyond[0].name()), (3, &b"3"[..]));
        assert_eq!(passages.before_kept(1), Some(2));
        assert_eq!(passages.beyond(1, KEPT + 3), None);
    }

    #[test]
    fn one_is_found_by_its_number_while_it_is_kept() {
        let mut passages = Passages::default();
        passages.pass(1, 7, b"t/1,2", true);
        assert_eq!((passages.last(1), passages.numbered(1, 1)), (0, None));
        passages.is_empty_now(1);
        for n in 2..=KEPT + 1 {
            passages.pass(1, n, b"t/1,2", true);
        }
        assert_eq!(passages.last(1), KEPT + 1);
        let id = |number| passages.numbered(1, number).map(|one| one.id);
        assert_eq!([id(0), id(1), id(KEPT + 2)], [None; 3]);
        assert_eq!([id(2), id(KEPT + 1)], [Some(2), Some(KEPT + 1)]);
    }

    #[test]
    fn a_name_that_cannot_be_told_is_empty() {
        let mut passages = Passages::default();
        passages.is_empty_now(1);
        passages.pass(1, 1, b"a b", true);
        passages.pass(1, 2, &[b'x'; NAME_BYTES + 1], true);
        assert_eq!(
            names(&passages, 0),
            Some(vec![String::new(), String::new()])
        );
    }
}
