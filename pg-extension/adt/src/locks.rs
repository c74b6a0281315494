//! Locks on objects and their elements, derived from what a method does. The matrix is that of four of PostgreSQL's
//! lock modes, so that its lock manager can enforce it as it is.

use crate::data_type::{Access, DataType};

/// How an object or an element is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// On an object: some of its elements, or a fact that no operation can undo, must stay. On an element: a fact that
    /// nothing but overwriting it can undo. Stops only overwriting.
    /// (PostgreSQL: RowShare.)
    IntentionRead,
    /// On an object: it or some of its elements are changed by operations that commute. On an element: likewise.
    /// (RowExclusive.)
    Add,
    /// All of it must stay as it is. (Share.)
    Read,
    /// Nobody else may see or change it. (Exclusive.)
    Overwrite,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 4] = [Mode::IntentionRead, Mode::Add, Mode::Read, Mode::Overwrite];

    /// Whether two transactions may hold these on one thing.
    pub fn is_compatible_with(self, other: Mode) -> bool {
        use Mode::{Add, Overwrite, Read};
        !matches!(
            (self, other),
            (Overwrite, _) | (_, Overwrite) | (Add, Read) | (Read, Add)
        )
    }
}

/// The locks of a method: on the object, and on its element if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// On the object.
    pub object: Mode,
    /// On the element.
    pub element: Option<Mode>,
}

impl Footprint {
    /// Changes the object; commutes with all that does.
    pub const ADD: Footprint = Footprint::object(Mode::Add);
    /// Sees the object.
    pub const READ: Footprint = Footprint::object(Mode::Read);
    /// Replaces the object.
    pub const OVERWRITE: Footprint = Footprint::object(Mode::Overwrite);
    /// Relies on what no operation undoes.
    pub const LASTING: Footprint = Footprint::object(Mode::IntentionRead);
    /// Changes an element; commutes with what changes it likewise.
    pub const ADD_ELEMENT: Footprint = Footprint::element(Mode::Add, Mode::Add);
    /// Changes an element; nobody else may see or change that element.
    pub const OVERWRITE_ELEMENT: Footprint = Footprint::element(Mode::Add, Mode::Overwrite);
    /// Sees an element.
    pub const READ_ELEMENT: Footprint = Footprint::element(Mode::IntentionRead, Mode::Read);

    /// Relies on what nothing but overwriting the element undoes.
    pub const LASTING_ELEMENT: Footprint =
        Footprint::element(Mode::IntentionRead, Mode::IntentionRead);

    const fn object(object: Mode) -> Self {
        Footprint {
            object,
            element: None,
        }
    }

    const fn element(object: Mode, element: Mode) -> Self {
        Footprint {
            object,
            element: Some(element),
        }
    }
}

/// What is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The object. Ordered before its elements: in this order locks are taken.
    Object,
    /// The elements with this hash; see [`element_hash`]. Elements that share one only exclude more.
    Element(u64),
}

/// One lock to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What.
    pub target: Target,
    /// How.
    pub mode: Mode,
}

/// The locks that an access needs, in the order in which to take them.
///
/// `newest`, if given, is the newest state (what is committed, and the transaction's own changes), looked at under the
/// locks of an operation that changes nothing: if it changes nothing there, these suffice.
pub fn requests<D: DataType>(access: &Access<D>, newest: Option<&D::State>) -> Vec<Request> {
    let description = access.method().describe();
    let footprint = match (description.idle, newest) {
        (Some(idle), Some(state)) if access.is_idle(state) => idle.footprint,
        _ => description.footprint,
    };
    list(footprint, access.element())
}

fn list(footprint: Footprint, element: Option<&[u8]>) -> Vec<Request> {
    let mut requests = vec![Request {
        target: Target::Object,
        mode: footprint.object,
    }];
    if let (Some(mode), Some(element)) = (footprint.element, element) {
        let target = Target::Element(element_hash(element));
        requests.push(Request { target, mode });
    }
    requests
}

/// Whether two transactions may hold these at the same time.
pub fn are_compatible(a: &[Request], b: &[Request]) -> bool {
    a.iter().all(|x| {
        b.iter()
            .all(|y| x.target != y.target || x.mode.is_compatible_with(y.mode))
    })
}

/// Hash of an element's bytes: the same in every process and version, since prepared transactions keep their locks
/// across restarts. (FNV-1a, then mixed so that all bits depend on all bytes.)
pub fn element_hash(element: &[u8]) -> u64 {
    let fnv = element.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3_u64)
    });
    mix(fnv)
}

/// The name of an element's lock among those of all objects.
pub fn lock_key(object: i64, element_hash: u64) -> u64 {
    mix((object as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ element_hash)
}

/// A permutation of the 64-bit words in which neighbours end up far apart (the finalizer of MurmurHash3).
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word = (word ^ (word >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ (word >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_is_that_of_the_modes_of_postgresql() {
        let compatible = [
            [true, true, true, false],
            [true, true, false, false],
            [true, false, true, false],
            [false, false, false, false],
        ];
        for (i, a) in Mode::ALL.into_iter().enumerate() {
            for (j, b) in Mode::ALL.into_iter().enumerate() {
                assert_eq!(a.is_compatible_with(b), compatible[i][j], "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn hashes_of_elements_never_change() {
        assert_eq!(element_hash(b""), 0xefd0_1f60_ba99_2926);
        assert_eq!(element_hash(b"ann"), element_hash(b"ann"));
        assert_ne!(element_hash(b"ann"), element_hash(b"bob"));
        assert_ne!(
            lock_key(1, element_hash(b"x")),
            lock_key(2, element_hash(b"x"))
        );
    }
}
