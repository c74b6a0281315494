//! What keeps others from the parts of an object for a moment.

use super::{LongMoment, Moment, Purpose};

/// Given back when dropped.
pub enum Guard {
    /// Of numbers, which are written without waiting.
    Short(Moment),
    /// Of states.
    Long(LongMoment),
}

impl Guard {
    /// Waits for that of some objects.
    pub fn begin(is_long: bool, objects: impl IntoIterator<Item = (i64, Purpose)>) -> Self {
        match is_long {
            true => Guard::Long(LongMoment::begin(objects)),
            false => Guard::Short(Moment::begin(objects)),
        }
    }

    /// That of one object, if it is free.
    pub fn try_begin(is_long: bool, object: i64, purpose: Purpose) -> Option<Self> {
        match is_long {
            true => LongMoment::try_begin(object, purpose).map(Guard::Long),
            false => Moment::try_begin(object, purpose).map(Guard::Short),
        }
    }

    /// Whether it is of states.
    pub fn is_long(&self) -> bool {
        matches!(self, Guard::Long(_))
    }
}
