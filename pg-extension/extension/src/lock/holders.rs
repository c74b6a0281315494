//! Who holds a lock, and who waits for whom, at one moment: a look at PostgreSQL's lock table. What it tells may have changed by the time it
//! is used.

use super::{Mode, level};
use pgrx::pg_sys::{self, LOCKTAG, LockInstanceData};
use std::collections::HashSet;

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
        #[cfg(not(any(feature = "pg17", feature = "pg18")))]
        return self.0.backendId;
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return self.0.procNumber + 1;
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
            #[cfg(not(any(feature = "pg17", feature = "pg18")))]
            transaction: Transaction(pg_sys::VirtualTransactionId {
                backendId: one.backend,
                localTransactionId: one.lxid,
            }),
            #[cfg(any(feature = "pg17", feature = "pg18"))]
            transaction: Transaction(one.vxid),
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

/// The lock table at one moment.
pub(super) struct Locks {
    all: Vec<LockInstanceData>,
    /// Those who are known to wait for us.
    behind: HashSet<i32>,
}

impl Locks {
    /// Now.
    pub(super) fn look() -> Self {
        // SAFETY: a copy of the lock table in the current memory context, freed again: there may be many looks.
        let all = unsafe {
            let data = pg_sys::GetLockStatusData();
            let locks = std::slice::from_raw_parts((*data).locks, (*data).nelements as usize);
            let all = locks.to_vec();
            pg_sys::pfree((*data).locks.cast());
            pg_sys::pfree(data.cast());
            all
        };
        Locks {
            all,
            behind: HashSet::new(),
        }
    }

    /// The other transactions that hold a lock in a mode that conflicts with this one.
    pub(super) fn holders(&self, tag: &LOCKTAG, mode: Mode) -> Vec<Holder> {
        let me = me();
        let held = |one: &&LockInstanceData| {
            one.pid != me
                && one.holdMask & conflicts(level(mode)) != 0
                && fields(&one.locktag) == fields(tag)
        };
        self.all.iter().filter(held).map(Holder::of).collect()
    }

    /// Whether a prepared transaction holds one of our locks of this class in one of these modes.
    pub(super) fn has_prepared(&self, class: u16, modes: &[Mode]) -> bool {
        let bits = modes.iter().fold(0, |bits, mode| bits | 1 << level(*mode));
        self.all.iter().any(|one| {
            one.pid == 0
                && one.locktag.locktag_type == pg_sys::LockTagType::LOCKTAG_ADVISORY as u8
                && one.locktag.locktag_field4 == class
                && one.holdMask & bits != 0
        })
    }

    /// Whether a transaction cannot go on before this one has ended: it waits for it, or for others who do.
    pub(super) fn waits_for_us(&mut self, other: &Holder) -> bool {
        if other.is_prepared() {
            return false;
        }
        // Depth first over those who block one another.
        let me = me();
        let mut path = vec![(other.pid, self.blockers(other.pid))];
        let mut seen = HashSet::from([other.pid]);
        while let Some((_, left)) = path.last_mut() {
            match left.pop() {
                Some(next) if next == me || self.behind.contains(&next) => {
                    self.behind.extend(path.iter().map(|(pid, _)| *pid));
                    return true;
                }
                Some(next) if seen.insert(next) => path.push((next, self.blockers(next))),
                Some(_) => {}
                None => {
                    path.pop();
                }
            }
        }
        false
    }

    /// The processes that a process waits for: those that hold what it wants, and those who came before it for something that conflicts.
    fn blockers(&self, pid: i32) -> Vec<i32> {
        let Some(wait) = self
            .all
            .iter()
            .find(|one| one.pid == pid && one.waitLockMode != 0)
        else {
            return Vec::new();
        };
        let conflicts = conflicts(wait.waitLockMode);
        let is_before = |one: &LockInstanceData| {
            one.waitLockMode != 0
                && conflicts & 1 << one.waitLockMode != 0
                && one.waitStart < wait.waitStart
        };
        self.all
            .iter()
            .filter(|one| one.pid != pid && fields(&one.locktag) == fields(&wait.locktag))
            .filter(|one| one.holdMask & conflicts != 0 || is_before(one))
            .map(|one| one.pid)
            .collect()
    }
}

fn me() -> i32 {
    // SAFETY: plain read.
    unsafe { pg_sys::MyProcPid }
}

fn fields(tag: &LOCKTAG) -> (u32, u32, u32, u16, u8, u8) {
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
