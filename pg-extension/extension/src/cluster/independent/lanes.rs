//! What is pending in the lanes, as a value: no waiting, no locks, no PostgreSQL. One value serves all databases of the
//! server; a crash forgets it.

use pgrx::PGRXSharedMemory;

/// Databases with a lane.
const LANES: usize = 8;

/// Transactions pending at a time; more are refused.
const ENTRIES: usize = 512;

/// Transactions remembered as refused; older ones are covered by the horizon.
const TOMBSTONES: usize = 1024;

/// Peers, over all databases.
const FENCES: usize = 64;

/// Nodes that may take part in one transaction.
pub const PARTICIPANTS: usize = 16;

const ID_BYTES: usize = 80;

/// A transaction's name. Compared as bytes, as the collation "C" does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id([u8; ID_BYTES]);

impl Id {
    /// None when it is empty or too long.
    pub fn new(text: &[u8]) -> Option<Id> {
        let mut bytes = [0; ID_BYTES];
        if text.is_empty() || text.len() > ID_BYTES || text.contains(&0) {
            return None;
        }
        bytes[..text.len()].copy_from_slice(text);
        Some(Id(bytes))
    }

    /// As text.
    pub fn text(&self) -> String {
        let end = self.0.iter().position(|b| *b == 0).unwrap_or(ID_BYTES);
        String::from_utf8_lossy(&self.0[..end]).into_owned()
    }
}

/// A node and its run, as the router knew it before the transaction began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The node's number in the catalogue.
    pub node: i32,
    /// Counts the times that its lane was closed by a start of the server.
    pub run: i64,
}

/// Why a node does not propose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has to catch up first.
    Closed = -1,
    /// What the router knows of this node is too old.
    Outdated = -2,
    /// What the router knows of another participant is too old.
    Fenced = -3,
    /// A coordinated commit, or a read of several nodes, has the gate.
    Gate = -4,
    /// It is pending already, or settled.
    Settled = -5,
    /// Too much is pending, or there are too many lanes or participants.
    Full = -6,
    /// The session's transactions are stricter than READ COMMITTED.
    Isolation = -7,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Proposed,
    Final,
    Frozen,
}

#[derive(Clone, Copy)]
struct Entry {
    database: u32,
    id: Id,
    /// Proposed, or final.
    timestamp: i64,
    state: State,
    /// The process that executes it, or waits for its turn; -1 for none.
    process: i32,
    running: bool,
    /// When it was proposed, by this node's clock.
    since: i64,
    participants: [Participant; PARTICIPANTS],
    count: usize,
}

impl Entry {
    fn key(&self) -> (i64, Id) {
        (self.timestamp, self.id)
    }

    fn participants(&self) -> &[Participant] {
        &self.participants[..self.count]
    }
}

const NOBODY: Participant = Participant { node: 0, run: 0 };
const NO_ENTRY: Entry = Entry {
    database: 0,
    id: Id([0; ID_BYTES]),
    timestamp: 0,
    state: State::Proposed,
    process: -1,
    running: false,
    since: 0,
    participants: [NOBODY; PARTICIPANTS],
    count: 0,
};

#[derive(Clone, Copy)]
struct Tombstone {
    database: u32,
    id: Id,
    /// The lane's last timestamp when it was made.
    made_at: i64,
}

#[derive(Clone, Copy)]
struct Fence {
    database: u32,
    peer: Participant,
}

/// What is known of one database's lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lane {
    database: u32,
    /// 0 until somebody lets it catch up.
    pub run: i64,
    /// Proposals are accepted.
    pub open: bool,
    /// It is known that no independent transaction has ever been run here.
    pub unused: bool,
    /// The greatest timestamp given or executed.
    pub last: i64,
    horizon: i64,
}

/// A transaction that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It may execute, and nobody else does.
    Now,
    /// Something comes before it.
    Later,
    /// It is not pending here, or about to be settled.
    Gone,
}

/// What came of freezing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freeze {
    /// It will not be executed but by completion; or it never will.
    Done,
    /// It is being executed at this moment.
    Running,
}

/// A pending transaction, as recovery sees it.
pub struct Pending {
    /// Its name.
    pub id: Id,
    /// Who takes part.
    pub nodes: Vec<i32>,
}

/// All lanes of the server.
#[derive(Clone, Copy)]
pub struct Lanes {
    lanes: [Lane; LANES],
    entries: [Entry; ENTRIES],
    entry_count: usize,
    tombstones: [Tombstone; TOMBSTONES],
    tombstone_count: usize,
    fences: [Fence; FENCES],
    fence_count: usize,
}

// SAFETY: plain numbers.
unsafe impl PGRXSharedMemory for Lanes {}

impl Lanes {
    /// Nothing pending, every lane closed.
    pub fn new() -> Self {
        Lanes {
            lanes: [Lane::default(); LANES],
            entries: [NO_ENTRY; ENTRIES],
            entry_count: 0,
            tombstones: [Tombstone {
                database: 0,
                id: NO_ENTRY.id,
                made_at: 0,
            }; TOMBSTONES],
            tombstone_count: 0,
            fences: [Fence {
                database: 0,
                peer: NOBODY,
            }; FENCES],
            fence_count: 0,
        }
    }

    /// A database's lane; None when there are too many. One of which nothing is known but that it was never used makes way: that is found
    /// out again.
    pub fn lane(&mut self, database: u32) -> Option<&mut Lane> {
        let place = |is_it: &dyn Fn(&Lane) -> bool| self.lanes.iter().position(is_it);
        let place = place(&|lane| lane.database == database)
            .or_else(|| place(&|lane| lane.database == 0))
            .or_else(|| place(&|lane| lane.unused && lane.last == 0 && lane.run == 0))?;
        let lane = &mut self.lanes[place];
        if lane.database != database {
            *lane = Lane {
                database,
                ..Lane::default()
            };
        }
        Some(lane)
    }

    /// What is known of a lane that may not be there.
    pub fn look(&self, database: u32) -> Lane {
        self.lanes
            .iter()
            .find(|lane| lane.database == database)
            .copied()
            .unwrap_or_default()
    }

    fn pending(&self) -> &[Entry] {
        &self.entries[..self.entry_count]
    }

    fn find(&self, database: u32, id: &Id) -> Option<usize> {
        self.pending()
            .iter()
            .position(|entry| entry.database == database && entry.id == *id)
    }

    fn first(&self, database: u32) -> Option<&Entry> {
        self.pending()
            .iter()
            .filter(|entry| entry.database == database)
            .min_by_key(|entry| entry.key())
    }

    /// The process whose turn it is, if it waits for that.
    pub fn next_process(&self, database: u32) -> Option<i32> {
        self.first(database)
            .filter(|entry| entry.state == State::Final && !entry.running && entry.process >= 0)
            .map(|entry| entry.process)
    }

    /// The process that waits for its turn or executes, or none.
    pub fn process_of(&self, database: u32, id: &Id) -> Option<i32> {
        let process = self.entries[self.find(database, id)?].process;
        (process >= 0).then_some(process)
    }

    /// True when no transaction has a place in the lane.
    pub fn is_at_rest(&self, database: u32) -> bool {
        self.first(database).is_none()
    }

    fn is_tombstone(&self, database: u32, id: &Id) -> bool {
        self.tombstones[..self.tombstone_count]
            .iter()
            .any(|tombstone| tombstone.database == database && tombstone.id == *id)
    }

    /// Gives the transaction a place in the lane; the timestamp proposed.
    ///
    /// `horizon` is what the router had read as `last` before the transaction began; `now` is the node's clock.
    pub fn propose(
        &mut self,
        database: u32,
        id: Id,
        own: Participant,
        participants: &[Participant],
        horizon: i64,
        now: i64,
    ) -> Result<i64, Refusal> {
        let lane = self.look(database);
        if !lane.open {
            return Err(Refusal::Closed);
        }
        if own.run != lane.run || horizon < lane.horizon {
            return Err(Refusal::Outdated);
        }
        let fenced = |fence: &Fence| {
            fence.database == database
                && participants
                    .iter()
                    .any(|known| known.node == fence.peer.node && known.run != fence.peer.run)
        };
        if self.fences[..self.fence_count].iter().any(fenced) {
            return Err(Refusal::Fenced);
        }
        if self.find(database, &id).is_some() || self.is_tombstone(database, &id) {
            return Err(Refusal::Settled);
        }
        if self.entry_count == ENTRIES || participants.len() > PARTICIPANTS {
            return Err(Refusal::Full);
        }
        let timestamp = now.max(lane.last + 1);
        self.lane(database).ok_or(Refusal::Full)?.last = timestamp;
        let mut entry = Entry {
            database,
            id,
            timestamp,
            since: now,
            count: participants.len(),
            ..NO_ENTRY
        };
        entry.participants[..participants.len()].copy_from_slice(participants);
        self.entries[self.entry_count] = entry;
        self.entry_count += 1;
        Ok(timestamp)
    }

    /// The final timestamp of a transaction that a process wants to execute. When its turn has come, the process has
    /// the lane until [`Self::finished`] or [`Self::left`].
    pub fn turn(&mut self, database: u32, id: &Id, timestamp: i64, process: i32) -> Turn {
        let Some(at) = self.find(database, id) else {
            return Turn::Gone;
        };
        if self.entries[at].state == State::Frozen
            || self.entries[at].process >= 0 && self.entries[at].process != process
        {
            return Turn::Gone;
        }
        self.make_final(at, timestamp);
        self.entries[at].process = process;
        if self.first(database).is_none_or(|first| first.id != *id) {
            return Turn::Later;
        }
        self.entries[at].running = true;
        Turn::Now
    }

    fn make_final(&mut self, at: usize, timestamp: i64) {
        let entry = &mut self.entries[at];
        entry.state = State::Final;
        entry.timestamp = timestamp;
        let database = entry.database;
        if let Some(lane) = self.lane(database) {
            lane.last = lane.last.max(timestamp);
        }
    }

    /// Something that comes before whatever is proposed from now on has met this timestamp on another node.
    pub fn advance(&mut self, database: u32, timestamp: i64) {
        if let Some(lane) = self.lane(database) {
            lane.last = lane.last.max(timestamp);
        }
    }

    /// Another participant has executed it: it will be executed here, at that timestamp. False when it is not pending.
    pub fn complete(&mut self, database: u32, id: &Id, timestamp: i64) -> bool {
        let Some(at) = self.find(database, id) else {
            return false;
        };
        if self.entries[at].state == State::Frozen {
            self.make_final(at, timestamp);
        }
        true
    }

    /// The fragment is committed.
    pub fn finished(&mut self, database: u32, id: &Id) {
        if let Some(at) = self.find(database, id) {
            self.remove(at);
        }
    }

    /// The process gives up its turn, or the fragment failed; its place stays.
    pub fn left(&mut self, database: u32, id: &Id, process: i32) {
        if let Some(at) = self.find(database, id)
            && self.entries[at].process == process
        {
            self.entries[at].process = -1;
            self.entries[at].running = false;
        }
    }

    /// Keeps a transaction from being executed by its router; one that is not pending never will be.
    pub fn freeze(&mut self, database: u32, id: Id) -> Freeze {
        match self.find(database, &id) {
            Some(at) if self.entries[at].running => Freeze::Running,
            Some(at) => {
                self.entries[at].state = State::Frozen;
                self.entries[at].process = -1;
                Freeze::Done
            }
            None => {
                self.bury(database, id);
                Freeze::Done
            }
        }
    }

    /// Nobody has executed it, and nobody ever will.
    pub fn cancel(&mut self, database: u32, id: Id) {
        if let Some(at) = self.find(database, &id)
            && !self.entries[at].running
        {
            self.remove(at);
            self.bury(database, id);
        }
    }

    fn remove(&mut self, at: usize) {
        self.entry_count -= 1;
        self.entries[at] = self.entries[self.entry_count];
    }

    fn bury(&mut self, database: u32, id: Id) {
        if self.is_tombstone(database, &id) {
            return;
        }
        let Some(lane) = self.lane(database) else {
            return; // without a lane, nothing is ever accepted
        };
        // Whatever begins from now on has read a horizon that is not less.
        lane.last += 1;
        let made_at = lane.last;
        if self.tombstone_count == TOMBSTONES {
            let oldest = self.tombstones[0];
            if let Some(lane) = self.lane(oldest.database) {
                lane.horizon = lane.horizon.max(oldest.made_at);
            }
            self.tombstones.copy_within(1.., 0);
            self.tombstone_count -= 1;
        }
        self.tombstones[self.tombstone_count] = Tombstone {
            database,
            id,
            made_at,
        };
        self.tombstone_count += 1;
    }

    /// A peer catches up for a new run: nothing of its earlier runs is accepted any more. The pending transactions to
    /// freeze are returned; None when there are too many peers.
    pub fn fence(&mut self, database: u32, peer: Participant) -> Option<Vec<Id>> {
        let known = self.fences[..self.fence_count]
            .iter()
            .position(|fence| fence.database == database && fence.peer.node == peer.node);
        match known {
            Some(at) => {
                self.fences[at].peer.run = self.fences[at].peer.run.max(peer.run);
            }
            None if self.fence_count == FENCES => return None,
            None => {
                self.fences[self.fence_count] = Fence { database, peer };
                self.fence_count += 1;
            }
        }
        let outdated = |entry: &&Entry| {
            entry.database == database
                && entry
                    .participants()
                    .iter()
                    .any(|known| known.node == peer.node && known.run < peer.run)
        };
        Some(
            self.pending()
                .iter()
                .filter(outdated)
                .map(|entry| entry.id)
                .collect(),
        )
    }

    /// The processes that execute a fragment at this moment.
    pub fn executing(&self, database: u32) -> Vec<i32> {
        self.pending()
            .iter()
            .filter(|entry| entry.database == database && entry.running)
            .map(|entry| entry.process)
            .collect()
    }

    /// What has been pending since before a moment of the node's clock.
    pub fn pending_since(&self, database: u32, moment: i64) -> Vec<Pending> {
        self.pending()
            .iter()
            .filter(|entry| entry.database == database && entry.since <= moment)
            .map(|entry| Pending {
                id: entry.id,
                nodes: entry
                    .participants()
                    .iter()
                    .map(|known| known.node)
                    .collect(),
            })
            .collect()
    }
}

impl Default for Lanes {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DB: u32 = 5;
    const OWN: Participant = Participant { node: 1, run: 3 };
    const PEER: Participant = Participant { node: 2, run: 8 };

    fn id(name: &str) -> Id {
        Id::new(name.as_bytes()).expect("a short name")
    }

    fn open() -> Box<Lanes> {
        let mut lanes = Box::new(Lanes::new());
        let lane = lanes.lane(DB).expect("a free lane");
        lane.run = OWN.run;
        lane.open = true;
        lanes
    }

    fn propose(lanes: &mut Lanes, name: &str, now: i64) -> Result<i64, Refusal> {
        let horizon = lanes.look(DB).last;
        lanes.propose(DB, id(name), OWN, &[OWN, PEER], horizon, now)
    }

    #[test]
    fn a_lane_that_was_never_used_makes_way() {
        let mut lanes = open();
        for database in 100..100 + LANES as u32 - 1 {
            lanes.lane(database).expect("a free lane").last = 7;
        }
        assert!(lanes.lane(200).is_none());
        let never_used = lanes.lane(100).expect("its lane");
        (never_used.unused, never_used.last) = (true, 0);
        lanes.lane(200).expect("the other one's place").last = 9;
        assert_eq!((lanes.look(200).last, lanes.look(200).unused), (9, false));
        assert_eq!(lanes.look(DB).run, OWN.run);
        assert!(lanes.lane(100).is_none(), "nobody else makes way");
    }

    #[test]
    fn proposals_grow_although_the_clock_goes_back() {
        let mut lanes = open();
        assert_eq!(propose(&mut lanes, "a", 100), Ok(100));
        assert_eq!(propose(&mut lanes, "b", 50), Ok(101));
        assert_eq!(propose(&mut lanes, "c", 200), Ok(200));
    }

    #[test]
    fn proposals_are_greater_than_what_was_met_on_another_node() {
        let mut lanes = open();
        lanes.advance(DB, 500);
        lanes.advance(DB, 300);
        assert_eq!(propose(&mut lanes, "a", 100), Ok(501));
    }

    #[test]
    fn a_fragment_waits_for_everything_that_may_come_before_it() {
        let mut lanes = open();
        let first = propose(&mut lanes, "a", 100).unwrap();
        let second = propose(&mut lanes, "b", 101).unwrap();
        assert_eq!(lanes.turn(DB, &id("b"), second, 7), Turn::Later);
        assert_eq!(lanes.turn(DB, &id("a"), first + 50, 8), Turn::Later);
        assert_eq!(lanes.next_process(DB), Some(7));
        assert_eq!(lanes.turn(DB, &id("b"), second, 7), Turn::Now);
        lanes.finished(DB, &id("b"));
        assert_eq!(lanes.next_process(DB), Some(8));
        assert_eq!(lanes.turn(DB, &id("a"), first + 50, 8), Turn::Now);
        assert_eq!(propose(&mut lanes, "c", 1), Ok(first + 51));
    }

    #[test]
    fn what_is_frozen_is_executed_by_completion_only() {
        let mut lanes = open();
        propose(&mut lanes, "a", 100).unwrap();
        assert_eq!(lanes.freeze(DB, id("a")), Freeze::Done);
        assert_eq!(lanes.turn(DB, &id("a"), 100, 7), Turn::Gone);
        assert!(!lanes.is_at_rest(DB));
        assert!(lanes.complete(DB, &id("a"), 120));
        assert_eq!(lanes.turn(DB, &id("a"), 120, 7), Turn::Now);
        assert_eq!(lanes.freeze(DB, id("a")), Freeze::Running);
        lanes.left(DB, &id("a"), 7);
        assert_eq!(lanes.freeze(DB, id("a")), Freeze::Done);
    }

    #[test]
    fn what_was_refused_once_is_never_accepted() {
        let mut lanes = open();
        lanes.freeze(DB, id("late"));
        assert_eq!(propose(&mut lanes, "late", 100), Err(Refusal::Settled));
        propose(&mut lanes, "a", 100).unwrap();
        lanes.cancel(DB, id("a"));
        assert_eq!(propose(&mut lanes, "a", 100), Err(Refusal::Settled));
        assert_eq!(lanes.turn(DB, &id("a"), 100, 7), Turn::Gone);
    }

    #[test]
    fn a_forgotten_tombstone_is_covered_by_the_horizon() {
        let mut lanes = open();
        let horizon = lanes.look(DB).last;
        lanes.freeze(DB, id("late"));
        for number in 0..TOMBSTONES {
            lanes.freeze(DB, id(&format!("other {number}")));
        }
        assert!(!lanes.is_tombstone(DB, &id("late")));
        let late = lanes.propose(DB, id("late"), OWN, &[OWN], horizon, 0);
        assert_eq!(late, Err(Refusal::Outdated));
        assert!(propose(&mut lanes, "new", 0).is_ok());
    }

    #[test]
    fn what_began_before_a_start_of_a_participant_is_refused() {
        let mut lanes = open();
        let old = Participant { node: 1, run: 2 };
        let refused = lanes.propose(DB, id("a"), old, &[old, PEER], i64::MAX, 0);
        assert_eq!(refused, Err(Refusal::Outdated));
        propose(&mut lanes, "b", 0).unwrap();
        let frozen = lanes.fence(DB, Participant { node: 2, run: 9 });
        assert_eq!(frozen, Some(vec![id("b")]));
        assert_eq!(propose(&mut lanes, "c", 0), Err(Refusal::Fenced));
        assert_eq!(lanes.fence(DB, PEER).map(|ids| ids.len()), Some(0));
        assert_eq!(propose(&mut lanes, "d", 0), Err(Refusal::Fenced));
    }
}
