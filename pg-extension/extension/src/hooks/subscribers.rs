//! Lists of those who want to be told of events of one kind.

use crate::boundary;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Who is told of an event, and when.
#[derive(Debug)]
pub struct Subscriber<E: 'static> {
    /// Whether the event matters. Called for every event, unguarded: it must neither raise nor panic, nor call what may.
    pub concerns: fn(&E) -> bool,
    /// Called then; may raise errors.
    pub tell: fn(&E),
}

impl<E> Clone for Subscriber<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Subscriber<E> {}

/// Bound on the subscribers to one kind of event.
const MOST: usize = 16;

/// A list with room for some, filled while the library is loaded.
#[derive(Debug)]
pub struct List<S> {
    places: [OnceLock<S>; MOST],
    count: AtomicUsize,
}

impl<S: Copy> List<S> {
    /// An empty one.
    pub const fn new() -> Self {
        List {
            places: [const { OnceLock::new() }; MOST],
            count: AtomicUsize::new(0),
        }
    }

    /// Adds one, who comes before those that are there.
    pub fn add(&self, subscriber: S) {
        let place = self.places.get(self.count.fetch_add(1, Relaxed));
        assert!(
            place.is_some_and(|place| place.set(subscriber).is_ok()),
            "no room for another subscriber"
        );
    }

    /// All of them, the newest first.
    pub fn iter(&self) -> impl Iterator<Item = S> {
        let used = &self.places[..self.count.load(Relaxed)];
        used.iter().rev().filter_map(OnceLock::get).copied()
    }
}

impl<S: Copy> Default for List<S> {
    fn default() -> Self {
        List::new()
    }
}

impl<E> List<Subscriber<E>> {
    /// Tells those whom the event concerns.
    ///
    /// # Safety
    /// As [`boundary::guard`].
    pub(super) unsafe fn tell(&self, event: &E) {
        for subscriber in self.iter() {
            if (subscriber.concerns)(event) {
                // SAFETY: by the caller.
                unsafe { boundary::guard(|| (subscriber.tell)(event)) };
            }
        }
    }
}
