//! As [`Moment`](super::Moment), but for objects whose parts can be large: to read or write one may mean to open tables, and so to wait
//! for locks that transactions keep. Hence these are heavyweight locks, of one object each, which deadlock detection, time limits and
//! cancellation know. They cost more.

use super::moment::strongest;
use super::{Mode, Purpose, Tag, lock, unlock};

/// The locks of some objects, given back when dropped.
pub struct LongMoment(Vec<(Tag, Mode)>);

fn mode(purpose: Purpose) -> Mode {
    match purpose {
        Purpose::Write => Mode::Add,
        Purpose::AddUp => Mode::Overwrite,
    }
}

impl LongMoment {
    /// Takes the locks of these objects, waiting for them in ascending order.
    pub fn begin(objects: impl IntoIterator<Item = (i64, Purpose)>) -> Self {
        let wanted = strongest(objects);
        let mut held = LongMoment(Vec::with_capacity(wanted.len()));
        for (object, purpose) in wanted {
            let (tag, mode) = (Tag::Moment(object), mode(purpose));
            lock(tag, mode, true);
            held.0.push((tag, mode));
        }
        held
    }

    /// Takes the lock of one object if it is free.
    pub fn try_begin(object: i64, purpose: Purpose) -> Option<Self> {
        let (tag, mode) = (Tag::Moment(object), mode(purpose));
        lock(tag, mode, false).then(|| LongMoment(vec![(tag, mode)]))
    }
}

impl Drop for LongMoment {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return; // an ERROR is under way: PostgreSQL releases what is held
        }
        for (tag, mode) in &self.0 {
            unlock(*tag, *mode);
        }
    }
}
