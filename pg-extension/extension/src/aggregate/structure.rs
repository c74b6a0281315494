//! Types whose operations are about elements: the algebra that an aggregate's states are those of, told by the type's label, and
//! operations on elements written down to be done under the locks (`abelian_adt::program`). Everything is bytes here.

use crate::error::Error;
use abelian_adt::data_type::DataType;
use abelian_adt::dict::Dict;
use abelian_adt::encoding::{Corrupt, Encoding};
use abelian_adt::locks::Mode;
use abelian_adt::lww_map::LwwMap;
use abelian_adt::multiset::Multiset;
use abelian_adt::program::{Elements, Parts, Program};
use abelian_adt::scored_set::ScoredSet;
use abelian_adt::set::Set;
use std::collections::BTreeMap;

/// Which algebra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// `abelian_adt::set`
    Set,
    /// `abelian_adt::multiset`
    Multiset,
    /// `abelian_adt::scored_set`
    ScoredSet,
    /// `abelian_adt::dict`
    Dict,
    /// `abelian_adt::lww_map`
    LwwMap,
}

/// Runs an expression with `$type` being the algebra.
macro_rules! with {
    ($structure:expr, $type:ident => $body:expr) => {
        match $structure {
            Structure::Set => {
                type $type = Set;
                $body
            }
            Structure::Multiset => {
                type $type = Multiset;
                $body
            }
            Structure::ScoredSet => {
                type $type = ScoredSet;
                $body
            }
            Structure::Dict => {
                type $type = Dict;
                $body
            }
            Structure::LwwMap => {
                type $type = LwwMap;
                $body
            }
        }
    };
}

fn encoded(state: &impl Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    state.encode(&mut bytes);
    bytes
}

/// What is known by all these together.
fn together<D: Elements>(
    parts: impl Iterator<Item = Result<D::State, Corrupt>>,
) -> Result<Vec<u8>, Error> {
    use abelian_adt::Merge;
    let mut known = D::State::identity();
    for part in parts {
        known = known.merge(&part?).ok_or(Error::OutOfRange)?;
    }
    Ok(encoded(&known))
}

impl Structure {
    /// The algebra of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "set" => Some(Structure::Set),
            "multiset" => Some(Structure::Multiset),
            "scored_set" => Some(Structure::ScoredSet),
            "dict" => Some(Structure::Dict),
            "lww_map" => Some(Structure::LwwMap),
            _ => None,
        }
    }

    /// The locks on elements that operations need, by hash.
    pub fn locks(self, program: &[u8]) -> Result<BTreeMap<u64, Mode>, Error> {
        with!(self, D => Ok(Program::<D>::read(program)?.locks()))
    }

    /// The locks on elements that suffice if the operations change nothing, by hash; `None` if others are needed then, too.
    pub fn idle_locks(self, program: &[u8]) -> Result<Option<BTreeMap<u64, Mode>>, Error> {
        with!(self, D => Ok(Program::<D>::read(program)?.idle_locks()))
    }

    /// Whether operations change nothing in an object of these parts.
    pub fn is_idle<'a>(
        self,
        program: &[u8],
        mut parts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<bool, Error> {
        with!(self, D => {
            use abelian_adt::Merge;
            let program = Program::<D>::read(program)?;
            let known = parts.try_fold(<D as DataType>::State::identity(), |known, part| {
                known.merge(&program.known_of_all(part)?).ok_or(Error::OutOfRange)
            });
            Ok(program.is_idle(&known?))
        })
    }

    /// The locks on elements that merging a state needs, which was made of additions.
    pub fn locks_of_state(self, state: &[u8]) -> Result<BTreeMap<u64, Mode>, Error> {
        fn named<D: Elements>(state: &[u8]) -> Result<BTreeMap<u64, Mode>, Error> {
            let elements = D::State::named(state)?;
            let hashes = elements.iter().map(|x| abelian_adt::locks::element_hash(x));
            Ok(hashes.map(|hash| (hash, Mode::Add)).collect())
        }
        with!(self, D => named::<D>(state))
    }

    /// The element with this hash among those that operations are about.
    pub fn element(self, program: &[u8], hash: u64) -> Result<Option<Vec<u8>>, Error> {
        with!(self, D => Ok(Program::<D>::read(program)?.element(hash).map(<[u8]>::to_vec)))
    }

    /// The element with this hash among those of a state.
    pub fn element_of_state(self, state: &[u8], hash: u64) -> Result<Option<Vec<u8>>, Error> {
        fn named<D: Elements>(state: &[u8], hash: u64) -> Result<Option<Vec<u8>>, Error> {
            let elements = D::State::named(state)?;
            let found = elements
                .iter()
                .find(|x| abelian_adt::locks::element_hash(x) == hash);
            Ok(found.map(|x| x.to_vec()))
        }
        with!(self, D => named::<D>(state, hash))
    }

    /// Whether operations need not know what is there.
    pub fn is_blind(self, program: &[u8]) -> Result<bool, Error> {
        with!(self, D => Ok(Program::<D>::read(program)?.is_blind()))
    }

    /// Whether operations do something to the empty object.
    pub fn fills(self, program: &[u8]) -> Result<bool, Error> {
        with!(self, D => Ok(Program::<D>::read(program)?.fills()))
    }

    /// What parts of an object together know of the elements on which operations depend: equal bytes, equal knowledge.
    pub fn known<'a>(
        self,
        program: &[u8],
        parts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<u8>, Error> {
        with!(self, D => {
            let program = Program::<D>::read(program)?;
            together::<D>(parts.map(|part| program.known(part)))
        })
    }

    /// The same of one element.
    pub fn known_of<'a>(
        self,
        element: &[u8],
        parts: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<u8>, Error> {
        with!(self, D => {
            together::<D>(parts.map(|part| <D as DataType>::State::part(part, element)))
        })
    }

    /// The change that operations make, given what [`Structure::known`] gave for all parts. `None`: nothing changes.
    pub fn change(self, program: &[u8], known: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        fn change<D: Elements>(program: &[u8], known: &[u8]) -> Result<Option<Vec<u8>>, Error> {
            use abelian_adt::Merge;
            let known = D::State::decode(known)?;
            let change = Program::<D>::read(program)?.change(&known)?;
            Ok((change != D::State::identity()).then(|| encoded(&change)))
        }
        with!(self, D => change::<D>(program, known))
    }
}
