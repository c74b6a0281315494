//! `abelian.unique_id`: numbers that are given out once.
//!
//! Nobody is promised which number comes next, only that it is new: so drawing commutes with drawing (the UIdGenerator
//! of the Claret paper), and needs no lock that anybody waits for. An [`Allocator`] hands out blocks; what it has
//! handed out is durable before the block is used. Whoever holds a [`Block`] draws from it alone; what it does not draw
//! is lost, so there are gaps. Nodes draw in lanes of their own.

use crate::Merge;

/// How many lanes there are. Fixed for good: lanes of different division meet.
pub const LANES: u32 = 1024;

/// One of the residues modulo [`LANES`]: what a node draws leaves this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane(u32);

impl Lane {
    /// The lane of this number, if there is one.
    pub fn new(number: u32) -> Option<Self> {
        (number < LANES).then_some(Lane(number))
    }
}

/// No numbers are left (2200H, as for a sequence that has reached its end).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all numbers have been given out")]
pub struct Exhausted;

/// What has been handed out in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocator {
    /// Count of the numbers handed out so far.
    handed_out: i64,
}

impl Allocator {
    /// What to store: [`Allocator::stored`] reads it.
    pub fn to_stored(self) -> i64 {
        self.handed_out
    }

    /// As stored; what is below zero was never stored.
    pub fn stored(handed_out: i64) -> Option<Self> {
        (handed_out >= 0).then_some(Allocator { handed_out })
    }

    /// Takes the next so many numbers.
    pub fn take(&mut self, lane: Lane, size: u32) -> Result<Block, Exhausted> {
        let next = self.handed_out;
        let end = next.checked_add(size.into()).ok_or(Exhausted)?;
        number(lane, end).ok_or(Exhausted)?;
        self.handed_out = end;
        Ok(Block { lane, next, end })
    }
}

impl Merge for Allocator {
    fn identity() -> Self {
        Allocator { handed_out: 0 }
    }

    /// Of two copies the one that has handed out more is right.
    fn merge(&self, other: &Self) -> Option<Self> {
        let handed_out = self.handed_out.max(other.handed_out);
        Some(Allocator { handed_out })
    }
}

/// Numbers that one holder may draw. Not `Clone`: each number is drawn once.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    lane: Lane,
    next: i64,
    end: i64,
}

impl Block {
    /// A number that nobody else has or will have; none when the block is used up.
    pub fn draw(&mut self) -> Option<i64> {
        if self.next >= self.end {
            return None;
        }
        let drawn = number(self.lane, self.next);
        self.next += 1;
        drawn
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.next.abs_diff(self.end)
    }
}

/// The n-th number of a lane, from 0.
fn number(lane: Lane, n: i64) -> Option<i64> {
    n.checked_mul(LANES.into())?.checked_add(lane.0.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const HOLDERS: usize = 3;

    /// A node: its allocator as stored, and who holds which block.
    struct Node {
        lane: Lane,
        stored: Allocator,
        blocks: [Option<Block>; HOLDERS],
    }

    impl Node {
        fn new(lane: u32) -> Self {
            Node {
                lane: Lane::new(lane).unwrap(),
                stored: Allocator::identity(),
                blocks: [const { None }; HOLDERS],
            }
        }

        fn draw(&mut self, holder: usize, size: u32) -> Option<i64> {
            let block = &mut self.blocks[holder];
            if let Some(id) = block.as_mut().and_then(Block::draw) {
                return Some(id);
            }
            *block = self.stored.take(self.lane, size).ok();
            block.as_mut().and_then(Block::draw)
        }

        fn crash(&mut self) {
            self.stored = Allocator::stored(self.stored.to_stored()).unwrap();
            self.blocks = [const { None }; HOLDERS];
        }
    }

    proptest! {
        #[test]
        fn no_number_is_given_out_twice(
            steps in prop::collection::vec((0..2_usize, 0..HOLDERS, 1..5_u32, 0..10_u8), 0..200),
        ) {
            let mut nodes = [Node::new(0), Node::new(1)];
            let mut seen = HashSet::new();
            for (node, holder, size, action) in steps {
                if action == 0 {
                    nodes[node].crash();
                } else if let Some(id) = nodes[node].draw(holder, size) {
                    prop_assert!(seen.insert(id), "{} again", id);
                } else {
                    return Err(TestCaseError::fail("no number left"));
                }
            }
        }

        #[test]
        fn copies_of_an_allocator_merge_in_any_order(a in 0..=i64::MAX, b in 0..=i64::MAX, c in 0..=i64::MAX) {
            let [a, b, c] = [a, b, c].map(|number| Allocator::stored(number).unwrap());
            crate::laws::merging(&a, &b, &c).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn the_end_is_told_and_not_passed() {
        let lane = Lane::new(LANES - 1).unwrap();
        let mut near = Allocator::stored(i64::MAX / i64::from(LANES) - 2).unwrap();
        let mut last = near.take(lane, 2).unwrap();
        assert!(last.draw() < last.draw());
        assert_eq!((last.left(), last.draw()), (0, None));
        assert_eq!(near.take(lane, 2), Err(Exhausted));
        assert_eq!(
            Allocator::stored(i64::MAX).unwrap().take(lane, 1),
            Err(Exhausted)
        );
        assert_eq!(Lane::new(LANES), None);
    }
}
