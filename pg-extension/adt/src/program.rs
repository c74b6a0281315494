//! Operations on elements, written down to be done later: what `f(c, x)` is before it is known what `c` contains.
//!
//! A change that merges can be computed before any lock is taken. A removal cannot: it depends on what is there. But it
//! depends on one element alone, so that it is enough to lock that element, to look at what all parts of the object know of
//! it, and to make the change of that.

use crate::Merge;
use crate::data_type::{Access, DataType, Refused};
use crate::encoding::{Corrupt, Encoding, Reader};
use crate::locks::{Mode, element_hash};
use crate::ordered::Text;
use std::collections::BTreeMap;

/// A state whose part about some elements can be taken without the rest.
pub trait Parts: Encoding {
    /// What a stored state knows of these elements, which ascend: a state with that alone.
    fn parts(stored: &[u8], elements: &[&[u8]]) -> Result<Self, Corrupt>;

    /// What a stored state knows of one element.
    fn part(stored: &[u8], element: &[u8]) -> Result<Self, Corrupt> {
        Self::parts(stored, &[element])
    }

    /// The elements that a stored state knows something of, in order.
    fn named(stored: &[u8]) -> Result<Vec<Text>, Corrupt>;
}

/// A data type with operations each of which is about one element, depends on nothing else, and changes nothing else.
/// Operations that are about no element belong in no program: what is written of them is not read.
pub trait Elements: DataType<State: Parts> {
    /// Appends an operation.
    fn write_operation(operation: &Self::Operation, out: &mut Vec<u8>);

    /// Reads one that was written.
    fn read_operation(input: &mut Reader<'_>) -> Result<Self::Operation, Corrupt>;
}

/// Operations in the order in which they are to be done.
#[derive(Clone, Debug)]
pub struct Program<D: Elements>(Vec<D::Operation>);

impl<D: Elements> Program<D> {
    /// These operations.
    pub fn new(operations: Vec<D::Operation>) -> Self {
        Program(operations)
    }

    /// Appends the operations.
    pub fn write(&self, out: &mut Vec<u8>) {
        for operation in &self.0 {
            D::write_operation(operation, out);
        }
    }

    /// Reads all that [`Program::write`] wrote, once or several times.
    pub fn read(bytes: &[u8]) -> Result<Self, Corrupt> {
        let mut input = Reader::new(bytes);
        let mut operations = Vec::new();
        while !input.rest().is_empty() {
            operations.push(D::read_operation(&mut input)?);
        }
        Ok(Program(operations))
    }

    /// The locks on elements that it needs, by hash: in this order they are taken. On the object, all need Add.
    pub fn locks(&self) -> BTreeMap<u64, Mode> {
        let mut locks = BTreeMap::new();
        for operation in &self.0 {
            let access = Access::<D>::Operate(operation.clone());
            let mode = access.method().describe().footprint.element;
            if let (Some(mode), Some(element)) = (mode, access.element()) {
                let strongest = locks.entry(element_hash(element)).or_insert(mode);
                if mode == Mode::Overwrite {
                    *strongest = mode;
                }
            }
        }
        locks
    }

    /// The locks on elements that suffice if it changes nothing, see [`Program::is_idle`]; `None` if one of its operations
    /// needs others then, too. On the object, IntentionRead.
    pub fn idle_locks(&self) -> Option<BTreeMap<u64, Mode>> {
        let mut locks = BTreeMap::new();
        for operation in &self.0 {
            let idle = D::describe(D::operation_method(operation)).idle?;
            let (mode, element) = (idle.footprint.element?, D::operation_element(operation)?);
            let strongest = locks.entry(element_hash(element)).or_insert(mode);
            if mode == Mode::Read {
                *strongest = mode;
            }
        }
        Some(locks)
    }

    /// Whether no operation changes the value. `known`: what all parts together know, see [`Program::known_of_all`].
    pub fn is_idle(&self, known: &D::State) -> bool {
        let mut operations = self.0.iter();
        operations.all(|operation| D::is_idle(operation, known))
    }

    /// The element with this hash, if an operation is about it.
    pub fn element(&self, hash: u64) -> Option<&[u8]> {
        let mut elements = self.0.iter().filter_map(D::operation_element);
        elements.find(|element| element_hash(element) == hash)
    }

    /// Whether no operation needs to know what is there.
    pub fn is_blind(&self) -> bool {
        self.0.iter().all(D::is_blind)
    }

    /// Whether it does something to an object that has no elements.
    pub fn fills(&self) -> bool {
        let empty = D::State::identity();
        self.0
            .iter()
            .any(|operation| !D::is_idle(operation, &empty))
    }

    /// What a stored part of the object knows of the elements on which the change depends.
    pub fn known(&self, stored: &[u8]) -> Result<D::State, Corrupt> {
        Self::known_of(stored, self.0.iter().filter(|one| !D::is_blind(one)))
    }

    /// What a stored part of the object knows of all elements that the operations are about.
    pub fn known_of_all(&self, stored: &[u8]) -> Result<D::State, Corrupt> {
        Self::known_of(stored, self.0.iter())
    }

    fn known_of<'a>(
        stored: &[u8],
        operations: impl Iterator<Item = &'a D::Operation>,
    ) -> Result<D::State, Corrupt> {
        let mut elements: Vec<&[u8]> = operations.filter_map(D::operation_element).collect();
        elements.sort_unstable();
        elements.dedup();
        D::State::parts(stored, &elements)
    }

    /// What all operations together merge into the part that is written. `known`: what all parts together know, see
    /// [`Program::known`].
    pub fn change(&self, known: &D::State) -> Result<D::State, Refused> {
        if self.is_blind() {
            let changes = self.0.iter().map(|operation| D::change(operation, None));
            let changes = changes.collect::<Result<Vec<_>, _>>()?;
            return D::State::merge_all(changes).ok_or(Refused::OutOfRange);
        }
        let mut newest = known.clone();
        let mut all = D::State::identity();
        for operation in &self.0 {
            let change = D::change(operation, Some(&newest))?;
            newest = newest.merge(&change).ok_or(Refused::OutOfRange)?;
            all = all.merge(&change).ok_or(Refused::OutOfRange)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::dict::Dict;
    use crate::laws::{Check, Small};
    use crate::lww_map::LwwMap;
    use crate::multiset::Multiset;
    use crate::scored_set::ScoredSet;
    use crate::set::Set;
    use proptest::prelude::*;

    fn stored<S: Encoding>(state: &S) -> Vec<u8> {
        let mut bytes = Vec::new();
        state.encode(&mut bytes);
        bytes
    }

    /// Does the operations as a program to an object of several parts and as themselves to the whole.
    fn as_the_operations_themselves<D: Elements + Small>(
        before: &[usize],
        chosen: &[usize],
    ) -> Check {
        let all = operations::<D>();
        let pick = |n: &usize| all[n % all.len()].clone();
        let mut parts = vec![D::State::identity(); 3];
        for (place, n) in before.iter().enumerate() {
            let whole = merged(&parts)?;
            let change = D::change(&pick(n), Some(&whole)).map_err(|why| why.to_string())?;
            parts[place % 3] = merged(&[parts[place % 3].clone(), change])?;
        }
        let operations: Vec<_> = chosen.iter().map(pick).collect();
        let mut wanted = merged(&parts)?;
        for operation in &operations {
            D::apply(&mut wanted, operation).map_err(|why| why.to_string())?;
        }
        let mut bytes = Vec::new();
        Program::<D>::new(operations).write(&mut bytes);
        let program = Program::<D>::read(&bytes).map_err(|why| why.to_string())?;
        let known = parts.iter().map(|part| program.known(&stored(part)));
        let known: Result<Vec<_>, _> = known.collect();
        let known = merged(&known.map_err(|why| why.to_string())?)?;
        let change = program.change(&known).map_err(|why| why.to_string())?;
        parts[chosen.len() % 3] = merged(&[parts[chosen.len() % 3].clone(), change])?;
        let (value, wanted) = (D::value(&merged(&parts)?), D::value(&wanted));
        (value == wanted)
            .then_some(())
            .ok_or(format!("{value:?}, not {wanted:?}, by {program:?}"))
    }

    /// The operations that are about an element.
    fn operations<D: Small>() -> Vec<D::Operation> {
        let all = D::operations().into_iter();
        all.filter(|operation| D::operation_element(operation).is_some())
            .collect()
    }

    fn merged<S: Merge + Clone>(parts: &[S]) -> Result<S, String> {
        parts
            .iter()
            .try_fold(S::identity(), |all, part| all.merge(part))
            .ok_or("small states merge".to_owned())
    }

    /// Every operation locks its element, and changes nothing but what it has locked.
    fn changes_stay_in_what_is_locked<D: Elements + Small>() -> Check {
        for operation in operations::<D>() {
            let program = Program::<D>::new(vec![operation.clone()]);
            let element = D::operation_element(&operation).ok_or("no element")?;
            if program.locks().keys().copied().collect::<Vec<_>>() != [element_hash(element)] {
                return Err(format!("{operation:?} locks something else"));
            }
            let change = program
                .change(&D::State::identity())
                .map_err(|why| why.to_string())?;
            let named = D::State::named(&stored(&change)).map_err(|why| why.to_string())?;
            if named.iter().any(|name| name != element) {
                return Err(format!("{operation:?} changes {named:?}"));
            }
        }
        Ok(())
    }

    macro_rules! of_type {
        ($name:ident, $type:ty) => {
            mod $name {
                use super::*;

                proptest! {
                    #[test]
                    fn a_program_does_what_its_operations_do(
                        before in prop::collection::vec(any::<usize>(), 0..8),
                        chosen in prop::collection::vec(any::<usize>(), 0..5),
                    ) {
                        as_the_operations_themselves::<$type>(&before, &chosen)
                            .map_err(TestCaseError::fail)?;
                    }
                }

                #[test]
                fn an_operation_changes_the_element_that_it_locks() {
                    changes_stay_in_what_is_locked::<$type>().unwrap();
                }
            }
        };
    }
    of_type!(set, Set);
    of_type!(multiset, Multiset);
    of_type!(scored_set, ScoredSet);
    of_type!(dict, Dict);
    of_type!(lww_map, LwwMap);

    #[test]
    fn the_strongest_lock_on_an_element_counts() {
        use crate::set::Operation;
        let [x, y] = ["x", "y"].map(Text::from);
        let program = Program::<Set>::new(vec![
            Operation::Remove(x.clone()),
            Operation::Add(x.clone()),
            Operation::Add(y.clone()),
        ]);
        let locks = program.locks();
        assert_eq!(locks[&element_hash(&x)], Mode::Overwrite);
        assert_eq!(locks[&element_hash(&y)], Mode::Add);
        assert!(!program.is_blind() && program.fills());
        assert!(!Program::<Set>::new(vec![Operation::Remove(x)]).fills());
    }

    #[test]
    fn what_was_never_written_is_no_program() {
        assert!(Program::<Set>::read(&[9]).is_err());
        assert!(Program::<Set>::read(&[0, 5, b'a']).is_err());
        assert_eq!(Program::<Set>::read(&[]).map(|p| p.0.len()), Ok(0));
    }
}
