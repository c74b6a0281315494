//! Whole schedules of transactions on one object, as the extension runs them: locks held to the end, operations as
//! changes in slices that others see after the commit, looks at the newest state, aborts, folding. Whatever happens,
//! the committed transactions run one after the other in the order of their commits must give the same answers and the
//! same value. The laws of pairs imply it; here it is tried out with more than two at a time.

use crate::Merge;
use crate::data_type::{Access, DataType};
use crate::encoding::Encoding;
use crate::laws::{Check, Outcome, Small, accesses, run};
use crate::locks::{Request, are_compatible, requests};

const SLOTS: usize = 4;
const STEPS: usize = 40;

/// A transaction that has not ended.
struct Running<D: DataType> {
    holds: Vec<Request>,
    /// What it has put in place of the object.
    overwrite: Option<D::State>,
    /// Its own slice, seen by itself, after each operation.
    own: Vec<D::State>,
    done: Vec<(Access<D>, Outcome<D>)>,
}

impl<D: DataType> Running<D> {
    /// Its slice as it is now.
    fn slice(&self) -> D::State {
        self.own.last().cloned().unwrap_or_else(D::State::identity)
    }

    fn new() -> Self {
        Running {
            holds: Vec::new(),
            overwrite: None,
            own: vec![D::State::identity()],
            done: Vec::new(),
        }
    }
}

/// The object: what is committed, as it is stored, and who works on it.
struct Object<D: DataType> {
    base: D::State,
    slices: Vec<Vec<u8>>,
    running: Vec<Running<D>>,
    history: Vec<(Access<D>, Outcome<D>)>,
}

/// Numbers that look random (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn stored<S: Encoding>(state: &S) -> Vec<u8> {
    let mut bytes = Vec::new();
    state.encode(&mut bytes);
    bytes
}

fn merged<S: Merge>(a: &S, b: &S) -> Result<S, String> {
    a.merge(b).ok_or("small states merge".to_owned())
}

impl<D: Small> Object<D> {
    fn new(base: D::State) -> Self {
        let empty = stored(&D::new_slice(&base));
        Object {
            base,
            slices: vec![empty; SLOTS],
            running: (0..SLOTS).map(|_| Running::new()).collect(),
            history: Vec::new(),
        }
    }

    fn committed(&self) -> Result<D::State, String> {
        self.slices
            .iter()
            .try_fold(self.base.clone(), |whole, slice| {
                let slice = D::State::decode(slice).map_err(|error| error.to_string())?;
                merged(&whole, &slice)
            })
    }

    /// What a transaction sees: everything committed, and its own.
    fn newest(&self, who: usize) -> Result<D::State, String> {
        let running = &self.running[who];
        let below = match &running.overwrite {
            Some(new) => new.clone(),
            None => self.committed()?,
        };
        merged(&below, &running.slice())
    }

    /// Does the access if the locks can be had; otherwise the transaction waits, that is, does something else. What
    /// is refused leaves no trace: an error undoes it, and what an error saw is not protected.
    fn step(&mut self, who: usize, access: &Access<D>, blindly: bool) -> Check {
        let newest = self.newest(who)?;
        let wanted = requests(access, Some(&newest));
        let others = || {
            self.running
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != who)
        };
        let pending: Vec<_> = others().map(|(_, other)| other.own.as_slice()).collect();
        let outcome = run(&mut newest.clone(), access);
        if others().any(|(_, other)| !are_compatible(&wanted, &other.holds))
            || !D::is_admitted(&newest, &pending, access)
            || outcome.0.is_some()
        {
            return Ok(());
        }
        let rests = access.method().describe().idle.is_some() && access.is_idle(&newest);
        let running = &mut self.running[who];
        running.holds.extend(wanted);
        match access {
            Access::Operate(operation) if !rests => {
                let known = (!blindly || !D::is_blind(operation)).then_some(&newest);
                if let Ok(change) = D::change(operation, known) {
                    running.own.push(merged(&running.slice(), &change)?);
                }
            }
            Access::Overwrite(new) => {
                running.overwrite = Some(new.clone());
                running.own = vec![D::new_slice(new)];
            }
            _ => {}
        }
        running.done.push((access.clone(), outcome));
        Ok(())
    }

    fn commit(&mut self, who: usize) -> Check {
        let ended = std::mem::replace(&mut self.running[who], Running::new());
        let own = ended.slice();
        if let Some(new) = ended.overwrite {
            self.slices = vec![stored(&D::new_slice(&new)); SLOTS];
            self.base = new;
        }
        let slice = D::State::merge_encoded(&self.slices[who], &stored(&own));
        self.slices[who] = slice.map_err(|error| error.to_string())?;
        self.history.extend(ended.done);
        Ok(())
    }

    /// Two slices become one; if nobody is at work, everything becomes the base.
    fn fold(&mut self, from: usize, into: usize) -> Check {
        if self.running.iter().all(|running| running.holds.is_empty()) {
            self.base = D::compact(self.committed()?);
            self.slices = vec![stored(&D::new_slice(&self.base)); SLOTS];
        } else if from != into {
            let both = D::State::merge_encoded(&self.slices[from], &self.slices[into]);
            self.slices[into] = both.map_err(|error| error.to_string())?;
            self.slices[from] = stored(&D::new_slice(&self.base));
        }
        Ok(())
    }
}

/// One schedule; the same seed gives the same.
pub(crate) fn is_serializable<D: Small>(seed: u64) -> Check {
    let mut random = Random(seed | 1);
    let beginnings = D::beginnings();
    let beginning = &beginnings[random.below(beginnings.len())];
    let accesses = accesses::<D>();
    let mut object = Object::<D>::new(beginning.clone());
    for _ in 0..STEPS {
        let who = random.below(SLOTS);
        match random.below(12) {
            0 => object.fold(who, random.below(SLOTS))?,
            1 => object.running[who] = Running::new(),
            2 | 3 => object.commit(who)?,
            choice => {
                let access = &accesses[random.below(accesses.len())];
                object.step(who, access, choice % 2 == 0)?;
            }
        }
    }
    replay(&object, beginning.clone())
}

fn replay<D: Small>(object: &Object<D>, mut state: D::State) -> Check {
    for (place, (access, outcome)) in object.history.iter().enumerate() {
        let wanted = run(&mut state, access);
        if *outcome != wanted {
            let before = &object.history[..place];
            return Err(format!(
                "{access:?} gave {outcome:?}, not {wanted:?}, after {before:?}"
            ));
        }
    }
    let (value, wanted) = (D::value(&object.committed()?), D::value(&state));
    if value != wanted {
        return Err(format!(
            "{value:?} is left, not {wanted:?}, by {:?}",
            object.history
        ));
    }
    Ok(())
}
