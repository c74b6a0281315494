//! Who holds a lock, and who waits for whom, at one moment: a look at PostgreSQL's lock table. What it tells may have changed by the time it
//! is used.

use super::{Mode, level};
use crate::compat;
use pgrx::pg_sys::{self, LOCKTAG, LockInstanceData};
use std::collections::{HashMap, HashSet};

/// A transaction, as PostgreSQL waits for its end.
#[derive(Clone, Copy)]
pub(super) struct Transaction(pub(super) pg_sys::VirtualTransactionId);

impl PartialEq for Transaction {
    fn eq(&self, other: &Self) -> bool {
        self.backend() == other.backend() && self.0.localTransactionId == other.0.localTransactionId
    }
}

impl Transaction {
    /// The number that [`crate::backend::number`] gives there.
    pub(super) fn backend(&self) -> i32 {
        compat::backend_of(&self.0)
    }
}

/// Another transaction that holds a lock.
#[derive(Clone, Copy)]
pub(super) struct Holder {
    /// 0 of a prepared one.
    pid: i32,
    /// The modes of PostgreSQL in which it holds the lock, as bits.
    modes: i32,
    pub(super) transaction: Transaction,
}

impl Holder {
    fn of(one: &LockInstanceData) -> Self {
        Holder {
            pid: one.pid,
            modes: one.holdMask,
            transaction: Transaction(compat::transaction_of(one)),
        }
    }

    /// Whether it may have seen the value, not only added to it (or seen elements, which nobody overwrites who goes before others).
    pub(super) fn has_seen(&self) -> bool {
        self.modes & (1 << level(Mode::Read) | 1 << level(Mode::Overwrite)) != 0
    }

    pub(super) fn is_prepared(&self) -> bool {
        self.pid == 0
    }
}

/// The other transactions that hold a lock in a mode that conflicts with this one, but for those that have ended and have not given back their
/// locks yet. Cheaper than a look at all locks.
pub(super) fn running(tag: &LOCKTAG, mode: Mode) -> Vec<Transaction> {
    // SAFETY: gives an array of so many, in the current memory context.
    unsafe {
        let mut count = 0;
        let found = pg_sys::GetLockConflicts(tag, level(mode), &mut count);
        let all = std::slice::from_raw_parts(found, count as usize);
        let all = all.iter().copied().map(Transaction).collect();
        pg_sys::pfree(found.cast());
        all
    }
}

/// Whether a process holds advisory locks of users' statements. Looks at all locks.
pub fn advisory_of(pid: i32) -> bool {
    /// Field 4 of the tags of `pg_advisory_lock`, with one number and with two.
    const OF_USERS: [u16; 2] = [1, 2];
    Locks::all().iter().any(|one| {
        one.pid == pid
            && one.holdMask != 0
            && one.locktag.locktag_type == pg_sys::LockTagType::LOCKTAG_ADVISORY as u8
            && OF_USERS.contains(&one.locktag.locktag_field4)
    })
}

/// The lock table at one moment.
pub(super) struct Locks {
    me: i32,
    all: Vec<LockInstanceData>,
    /// What each process waits for that waits.
    waits: HashMap<i32, LockInstanceData>,
    /// Who holds that, or waits for it; this process comes first.
    at: HashMap<Fields, Vec<LockInstanceData>>,
    /// Those who are known to wait for us.
    behind: HashSet<i32>,
    /// Those who are known not to.
    apart: HashSet<i32>,
}

impl Locks {
    /// Now.
    pub(super) fn look() -> Self {
        // SAFETY: plain read of the backend's state.
        Locks::of(Locks::all(), unsafe { pg_sys::MyProcPid })
    }

    fn all() -> Vec<LockInstanceData> {
        // SAFETY: a copy of the lock table in the current memory context, freed again: there may be many looks.
        unsafe {
            let data = pg_sys::GetLockStatusData();
            let locks = std::slice::from_raw_parts((*data).locks, (*data).nelements as usize);
            let all = locks.to_vec();
            pg_sys::pfree((*data).locks.cast());
            pg_sys::pfree(data.cast());
            all
        }
    }

    fn of(all: Vec<LockInstanceData>, me: i32) -> Self {
        let waiting = all.iter().filter(|one| one.waitLockMode != 0);
        let waits: HashMap<_, _> = waiting.map(|one| (one.pid, *one)).collect();
        let wanted = waits.values().map(|one| (fields(&one.locktag), Vec::new()));
        let mut at: HashMap<_, Vec<LockInstanceData>> = wanted.collect();
        for one in &all {
            if let Some(there) = at.get_mut(&fields(&one.locktag)) {
                there.push(*one);
                if one.pid == me {
                    let last = there.len() - 1;
                    there.swap(0, last);
                }
            }
        }
        Locks {
            me,
            all,
            waits,
            at,
            behind: HashSet::new(),
            apart: HashSet::new(),
        }
    }

    /// The other transactions that hold a lock in a mode that conflicts with this one.
    pub(super) fn holders(&self, tag: &LOCKTAG, mode: Mode) -> Vec<Holder> {
        let held = |one: &&LockInstanceData| {
            one.pid != self.me
                && one.holdMask & conflicts(level(mode)) != 0
                && fields(&one.locktag) == fields(tag)
        };
        self.all.iter().filter(held).map(Holder::of).collect()
    }

    /// Whether a prepared transaction holds one of our locks of this class in one of these modes.
    pub(super) fn has_prepared(&self, class: u16, modes: &[Mode]) -> bool {
        self.held(class, modes).any(|one| one.pid == 0)
    }

    /// Whether anybody holds one of our locks of this class in this mode.
    pub(super) fn has(&self, class: u16, mode: Mode) -> bool {
        self.held(class, &[mode]).next().is_some()
    }

    fn held(&self, class: u16, modes: &[Mode]) -> impl Iterator<Item = &LockInstanceData> {
        let bits = modes.iter().fold(0, |bits, mode| bits | 1 << level(*mode));
        self.all.iter().filter(move |one| {
            one.locktag.locktag_type == pg_sys::LockTagType::LOCKTAG_ADVISORY as u8
                && one.locktag.locktag_field4 == class
                && one.holdMask & bits != 0
        })
    }

    /// Whether a transaction cannot go on before this one has ended: it waits for it, or for others who do.
    pub(super) fn waits_for_us(&mut self, other: &Holder) -> bool {
        if other.is_prepared() || self.apart.contains(&other.pid) {
            return false;
        }
        if self.behind.contains(&other.pid) {
            return true;
        }
        // Depth first over those who block one another.
        let mut seen = HashSet::from([other.pid]);
        let mut path = Vec::new();
        let mut next = other.pid;
        loop {
            let is_behind = |pid: i32| pid == self.me || self.behind.contains(&pid);
            if self.blockers(next).any(is_behind) {
                let found = path.iter().map(|(pid, _): &(i32, Vec<i32>)| *pid);
                self.behind.extend(found.chain([next]));
                return true;
            }
            let left = self.blockers(next);
            let left = left.filter(|pid| !self.apart.contains(pid)).collect();
            path.push((next, left));
            next = loop {
                let Some((_, left)) = path.last_mut() else {
                    self.apart.extend(seen);
                    return false;
                };
                match left.pop() {
                    Some(pid) if seen.insert(pid) => break pid,
                    Some(_) => {}
                    None => {
                        path.pop();
                    }
                }
            };
        }
    }

    /// The processes that a process waits for: those that hold what it wants, and those who came before it for something that conflicts.
    fn blockers(&self, pid: i32) -> impl Iterator<Item = i32> {
        let wait = self.waits.get(&pid);
        let there = wait.and_then(|wait| self.at.get(&fields(&wait.locktag)));
        let (mode, start) = wait.map_or((0, 0), |wait| (wait.waitLockMode, wait.waitStart));
        let conflicts = conflicts(mode);
        let is_before = move |one: &LockInstanceData| {
            one.waitLockMode != 0 && conflicts & 1 << one.waitLockMode != 0 && one.waitStart < start
        };
        there
            .into_iter()
            .flatten()
            .filter(move |one| one.pid != pid)
            .filter(move |one| one.holdMask & conflicts != 0 || is_before(one))
            .map(|one| one.pid)
    }
}

/// What makes two tags the same.
type Fields = (u32, u32, u32, u16, u8, u8);

fn fields(tag: &LOCKTAG) -> Fields {
    (
        tag.locktag_field1,
        tag.locktag_field2,
        tag.locktag_field3,
        tag.locktag_field4,
        tag.locktag_type,
        tag.locktag_lockmethodid,
    )
}

/// The modes that a mode of PostgreSQL conflicts with, as bits: the table of its documentation.
fn conflicts(level: i32) -> i32 {
    const TABLE: [i32; 9] = [
        0, // no lock
        0b1_0000_0000,
        0b1_1000_0000,
        0b1_1110_0000,
        0b1_1111_0000,
        0b1_1101_1000,
        0b1_1111_1000,
        0b1_1111_1100,
        0b1_1111_1110,
    ];
    usize::try_from(level).map_or(0, |level| TABLE.get(level).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_those_of_our_modes() {
        for one in Mode::ALL {
            for other in Mode::ALL {
                let conflict = conflicts(level(one)) & 1 << level(other) != 0;
                assert_eq!(
                    conflict,
                    !one.is_compatible_with(other),
                    "{one:?}, {other:?}"
                );
            }
        }
    }

    /// Lock `tag` as the process holds it, or waits for it, in mode Overwrite.
    fn lock(tag: u32, pid: i32, waits: bool) -> LockInstanceData {
        // SAFETY: zeroes are valid for this structure.
        let mut one: LockInstanceData = unsafe { std::mem::zeroed() };
        one.locktag.locktag_field1 = tag;
        one.pid = pid;
        match waits {
            true => one.waitLockMode = level(Mode::Overwrite),
            false => one.holdMask = 1 << level(Mode::Overwrite),
        }
        one
    }

    /// Who of these hold lock number n, and who wait for it.
    fn table(me: i32, locks: &[(&[i32], &[i32])]) -> Locks {
        let mut all = Vec::new();
        for (n, (holders, waiting)) in locks.iter().enumerate() {
            all.extend(holders.iter().map(|pid| lock(n as u32, *pid, false)));
            all.extend(waiting.iter().map(|pid| lock(n as u32, *pid, true)));
        }
        Locks::of(all, me)
    }

    fn holder(pid: i32) -> Holder {
        Holder::of(&lock(0, pid, false))
    }

    #[test]
    fn waits_are_followed_through_others() {
        // 2 and 3 wait for 1, 4 for 3; 5 for 6, who waits for nobody; 7 and 8 for each other.
        let locks: [(&[i32], &[i32]); 5] = [
            (&[1], &[2, 3]),
            (&[3], &[4]),
            (&[6], &[5]),
            (&[7], &[8]),
            (&[8], &[7]),
        ];
        for order in [[2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2]] {
            let mut locks = table(1, &locks);
            for pid in order {
                assert_eq!(locks.waits_for_us(&holder(pid)), pid < 5, "{pid}");
            }
        }
    }

    #[test]
    fn circles_hide_nobody_who_waits_for_us() {
        // 3 waits for 2 and 4, 4 for 3, 5 for 4; and 2 for 1.
        let locks: [(&[i32], &[i32]); 4] =
            [(&[2, 4], &[3]), (&[3], &[4]), (&[4], &[5]), (&[1], &[2])];
        for order in [[2, 3, 4, 5], [5, 4, 3, 2], [4, 3, 5, 2], [3, 5, 2, 4]] {
            let mut locks = table(1, &locks);
            for pid in order {
                assert!(locks.waits_for_us(&holder(pid)), "{pid} in {order:?}");
            }
        }
    }

    #[test]
    fn conflicts_are_mutual() {
        for one in 1..=8 {
            for other in 1..=8 {
                let (there, back) = (conflicts(one) & 1 << other, conflicts(other) & 1 << one);
                assert_eq!(there != 0, back != 0, "{one}, {other}");
            }
        }
    }
}
