//! A read's snapshot, completed by transactions that were ready to commit when it was taken, and have committed since (docs/protocols/reads.md).

use super::passages::Passage;
use crate::backend;
use pgrx::pg_sys::{self, TransactionId};

/// Transactions that began before the last of those by which a snapshot is completed, and after all that it knows: with more of them it is
/// not completed.
const BEYOND_MAX: u32 = 4096;

/// So many milliseconds it waits for commits in all; a commit that takes longer may have lost its router.
const WAIT_MAX: u32 = 100;

/// A snapshot that shows some transactions more than another one.
pub struct CompletedSnapshot {
    data: pg_sys::SnapshotData,
    running: Vec<TransactionId>,
    subtransactions: Vec<TransactionId>,
}

impl CompletedSnapshot {
    /// Waits for the transactions to commit. None when one does not in time, or too many have begun meanwhile.
    ///
    /// The caller warrants that each had done all of its work before the snapshot was taken: so what it builds on is seen as well.
    pub fn of(snapshot: &pg_sys::SnapshotData, passages: &[Passage]) -> Option<Self> {
        let mut left = WAIT_MAX;
        for passage in passages {
            let ended = loop {
                let status = backend::transaction_status(passage.id)?;
                if status != "in progress" {
                    break status;
                }
                left = left.checked_sub(1)?;
                backend::sleep(1);
            };
            if ended != "committed" {
                return None; // Here another transaction does it, by the record that this one has left elsewhere.
            }
        }
        let mut ids: Vec<u32> = passages.iter().map(|one| one.id as u32).collect();
        ids.dedup(); // Calls share transactions.
        let view = View {
            xmax: snapshot.xmax.into_inner(),
            // SAFETY: the array has so many ids.
            running: unsafe { ids_at(snapshot.xip, snapshot.xcnt) },
            subtransactions: match snapshot.suboverflowed {
                true => &[], // they are not kept
                // SAFETY: as above.
                false => unsafe { ids_at(snapshot.subxip, snapshot.subxcnt.max(0) as u32) },
            },
        };
        // SAFETY: reads a counter.
        let next = unsafe { pg_sys::ReadNextFullTransactionId() }.value as u32;
        let completed = view.completed(&ids, next, |id| {
            // SAFETY: the id is not older than the snapshot's oldest, and was given out.
            unsafe { pg_sys::SubTransGetTopmostTransaction(id.into()) }.into_inner()
        })?;
        Some(CompletedSnapshot {
            data: pg_sys::SnapshotData {
                xmax: completed.xmax.into(),
                copied: false,
                active_count: 0,
                regd_count: 0,
                ..*snapshot
            },
            running: completed.running.into_iter().map(Into::into).collect(),
            subtransactions: completed
                .subtransactions
                .into_iter()
                .map(Into::into)
                .collect(),
        })
    }

    /// What PostgreSQL reads by, valid as long as this.
    pub fn data(&mut self) -> &mut pg_sys::SnapshotData {
        self.data.xip = self.running.as_mut_ptr();
        self.data.xcnt = self.running.len() as u32;
        self.data.subxip = self.subtransactions.as_mut_ptr();
        self.data.subxcnt = self.subtransactions.len() as i32;
        &mut self.data
    }
}

/// # Safety
/// There must be so many at the address.
unsafe fn ids_at<'a>(first: *const TransactionId, count: u32) -> &'a [TransactionId] {
    match count {
        0 => &[],
        // SAFETY: by the caller.
        count => unsafe { std::slice::from_raw_parts(first, count as usize) },
    }
}

/// Which transactions a snapshot does not show: those from `xmax` on, and these.
struct View<'a> {
    xmax: u32,
    running: &'a [TransactionId],
    subtransactions: &'a [TransactionId],
}

#[derive(Debug, PartialEq)]
struct CompletedView {
    xmax: u32,
    running: Vec<u32>,
    subtransactions: Vec<u32>,
}

impl View<'_> {
    /// The same, but that it shows the transactions `ids` and their subtransactions; `next` is the first id that nobody has yet.
    ///
    /// `xmax` is one more than the greatest id that has ended, so that a transaction which it does not show may have subtransactions
    /// behind it, and all of them.
    fn completed(
        &self,
        ids: &[u32],
        next: u32,
        topmost: impl Fn(u32) -> u32,
    ) -> Option<CompletedView> {
        let later = next.wrapping_sub(self.xmax);
        if later > BEYOND_MAX {
            return None;
        }
        let begun = (0..later)
            .rev()
            .find(|at| {
                let id = self.xmax.wrapping_add(*at);
                is_normal(id) && ids.contains(&topmost(id))
            })
            .map_or(0, |at| at + 1);
        let xmax = self.xmax.wrapping_add(begun);
        // What the old snapshot did not know has not ended for the new one either.
        let later = (0..begun)
            .map(|at| self.xmax.wrapping_add(at))
            .filter(|id| is_normal(*id) && !ids.contains(&topmost(*id)));
        let others = |known: &[TransactionId]| known.iter().map(|id| id.into_inner()).collect();
        let running: Vec<u32> = others(self.running);
        let subtransactions: Vec<u32> = others(self.subtransactions);
        Some(CompletedView {
            xmax: if is_normal(xmax) { xmax } else { FIRST_NORMAL },
            running: running
                .into_iter()
                .filter(|id| !ids.contains(id))
                .chain(later)
                .collect(),
            subtransactions: subtransactions
                .into_iter()
                .filter(|id| !ids.contains(&topmost(*id)))
                .collect(),
        })
    }
}

/// The ids before it have meanings of their own.
const FIRST_NORMAL: u32 = 3;

fn is_normal(id: u32) -> bool {
    id >= FIRST_NORMAL
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six ids have been given out since.
    fn completed(ids: &[u32], xmax: u32) -> Option<CompletedView> {
        completed_until(ids, xmax, xmax.wrapping_add(6))
    }

    fn completed_until(ids: &[u32], xmax: u32, next: u32) -> Option<CompletedView> {
        let running = [10, 12, 14].map(TransactionId::from);
        let subtransactions = [11, 13].map(TransactionId::from);
        let view = View {
            xmax,
            running: &running,
            subtransactions: &subtransactions,
        };
        // 11 belongs to 10, 13 to 12, 17 to 16; everybody else to nobody.
        view.completed(ids, next, |id| match id {
            11 | 13 | 17 => id - 1,
            other => other,
        })
    }

    #[test]
    fn one_that_was_running_is_shown_with_its_subtransactions() {
        let view = completed(&[12], 15).unwrap();
        assert_eq!((view.xmax, &view.running[..]), (15, &[10, 14][..]));
        assert_eq!(view.subtransactions, [11]);
    }

    #[test]
    fn those_that_began_before_it_and_were_not_known_stay_hidden() {
        let view = completed(&[16, 10], 15).unwrap();
        assert_eq!((view.xmax, &view.running[..]), (18, &[12, 14, 15][..]));
        let view = completed(&[16, 18], 15).unwrap();
        assert_eq!((view.xmax, &view.running[..]), (19, &[10, 12, 14, 15][..]));
    }

    #[test]
    fn subtransactions_are_shown_that_began_behind_the_last_end() {
        let view = completed(&[16], 16).unwrap();
        assert_eq!((view.xmax, &view.running[..]), (18, &[10, 12, 14][..]));
        let view = completed(&[16], 17).unwrap();
        assert_eq!((view.xmax, &view.running[..]), (18, &[10, 12, 14][..]));
    }

    #[test]
    fn ids_wrap_around() {
        let view = completed_until(&[4], u32::MAX - 1, 6).unwrap();
        let hidden = [10, 12, 14, u32::MAX - 1, u32::MAX, 3];
        assert_eq!((view.xmax, &view.running[..]), (5, &hidden[..]));
    }

    #[test]
    fn a_snapshot_of_long_ago_is_not_completed() {
        assert_eq!(completed_until(&[12], 15, 16 + BEYOND_MAX), None);
        assert!(completed_until(&[12], 15, 15 + BEYOND_MAX).is_some());
    }
}
