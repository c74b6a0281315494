//! The laws of data types, as checks that every type's tests run: of merging and storing for generated states, of
//! commuting and locking exhaustively for all small states.

use crate::Merge;
use crate::data_type::{Access, DataType, Refused};
use crate::encoding::{Encoding, Unmergeable, crc32};
use crate::locks::{Request, Target, are_compatible, requests};
use crate::specification::commutes;
use proptest::prelude::BoxedStrategy;

/// What the checks need of a type.
pub(crate) trait Small: DataType {
    /// Whole states to begin with; the checks go on from there by up to three operations.
    fn beginnings() -> Vec<Self::State> {
        vec![Self::State::identity()]
    }

    /// A few operations, of every method.
    fn operations() -> Vec<Self::Operation>;

    /// A few queries, of every method.
    fn queries() -> Vec<Self::Query>;

    /// States of slices, any size.
    fn any_state() -> BoxedStrategy<Self::State>;

    /// Whether something beside locks lets an access through: `newest` is what its transaction sees; `pending`, for each
    /// of the others, what it had changed after each of its operations.
    fn is_admitted(
        _newest: &Self::State,
        _pending: &[&[Self::State]],
        _access: &Access<Self>,
    ) -> bool {
        true
    }
}

/// A check; the error says what is wrong with which example.
pub(crate) type Check = Result<(), String>;

/// All whole states within three operations.
fn states<D: Small>() -> Vec<D::State> {
    let mut states = D::beginnings();
    let mut newest = states.clone();
    for _ in 0..3 {
        let mut next = Vec::new();
        for state in &newest {
            for operation in D::operations() {
                let mut after = state.clone();
                if D::apply(&mut after, &operation).is_ok()
                    && !states.contains(&after)
                    && !next.contains(&after)
                {
                    next.push(after);
                }
            }
        }
        states.extend(next.iter().cloned());
        newest = next;
    }
    states
}

pub(crate) fn accesses<D: Small>() -> Vec<Access<D>> {
    let operations = D::operations().into_iter().map(Access::Operate);
    let queries = D::queries().into_iter().map(Access::Query);
    let states = states::<D>();
    let overwrites = [states.first(), states.last()]
        .into_iter()
        .flatten()
        .cloned();
    operations
        .chain(queries)
        .chain([Access::Read])
        .chain(overwrites.map(Access::Overwrite))
        .collect()
}

/// What the one who makes an access learns.
pub(crate) type Outcome<D> = (
    Option<Refused>,
    Option<<D as DataType>::Answer>,
    Option<<D as DataType>::Value>,
);

pub(crate) fn run<D: DataType>(state: &mut D::State, access: &Access<D>) -> Outcome<D> {
    match access {
        Access::Operate(operation) => (D::apply(state, operation).err(), None, None),
        Access::Query(query) => (None, Some(D::answer(state, query)), None),
        Access::Read => (None, None, Some(D::value(state))),
        Access::Overwrite(new) => {
            *state = new.clone();
            (None, None, None)
        }
    }
}

/// Value after both in this order, and what each learned.
fn serially<D: DataType>(
    state: &D::State,
    first: &Access<D>,
    second: &Access<D>,
) -> (D::Value, Outcome<D>, Outcome<D>) {
    let mut state = state.clone();
    let first = run(&mut state, first);
    let second = run(&mut state, second);
    (D::value(&state), first, second)
}

/// Whether both orders give the same.
fn do_commute<D: DataType>(state: &D::State, a: &Access<D>, b: &Access<D>) -> bool {
    let (value, first, second) = serially(state, a, b);
    let (other_value, other_second, other_first) = serially(state, b, a);
    (value, first, second) == (other_value, other_first, other_second)
}

fn each_pair<D: Small>(check: impl Fn(&Access<D>, &Access<D>) -> Check) -> Check {
    let accesses = accesses::<D>();
    accesses
        .iter()
        .try_for_each(|a| accesses.iter().try_for_each(|b| check(a, b)))
}

/// What is declared to commute does, and whoever is asked first.
pub(crate) fn declared_pairs_commute<D: Small>() -> Check {
    let states = states::<D>();
    each_pair::<D>(|a, b| {
        let everywhere = commutes(a, b, None);
        for state in &states {
            let declared = commutes(a, b, Some(state));
            if everywhere && !declared {
                return Err(format!(
                    "{a:?} and {b:?} are said to commute in every state but {state:?}"
                ));
            }
            if declared != commutes(b, a, Some(state)) {
                return Err(format!(
                    "{a:?} and {b:?} in {state:?}: the specification is not symmetric"
                ));
            }
            if declared && !do_commute(state, a, b) {
                return Err(format!("{a:?} and {b:?} do not commute in {state:?}"));
            }
        }
        Ok(())
    })
}

/// What is not declared to commute does not: for these arguments, in some state where it is not declared. (Overwriting
/// is not looked at: it is kept alone because it makes a new object, whatever the value.)
pub(crate) fn undeclared_pairs_have_a_counterexample<D: Small>() -> Check {
    let states = states::<D>();
    each_pair::<D>(|a, b| {
        if matches!(a, Access::Overwrite(_)) || matches!(b, Access::Overwrite(_)) {
            return Ok(());
        }
        let mut undeclared = states
            .iter()
            .filter(|state| !commutes(a, b, Some(state)))
            .peekable();
        if undeclared.peek().is_some() && undeclared.all(|state| do_commute(state, a, b)) {
            return Err(format!(
                "{a:?} and {b:?} commute in all states, but are not declared"
            ));
        }
        Ok(())
    })
}

/// What the locks admit side by side commutes, and changes made without seeing each other give what one after the
/// other gives.
pub(crate) fn locks_admit_only_what_commutes<D: Small>() -> Check {
    let states = states::<D>();
    each_pair::<D>(|a, b| {
        for state in &states {
            for (known_to_a, known_to_b) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                let a_known = known_to_a.then_some(state);
                let b_known = known_to_b.then_some(state);
                let (for_a, for_b) = (requests(a, a_known), requests(b, b_known));
                let compatible = are_compatible(&for_a, &for_b);
                if !compatible && are_compatible(&colliding(&for_a), &colliding(&for_b)) {
                    return Err(format!(
                        "{a:?} and {b:?} are admitted if their hashes collide"
                    ));
                }
                if !compatible || !admitted_together(state, a, b) {
                    continue;
                }
                if !do_commute(state, a, b) {
                    return Err(format!(
                        "locks admit {a:?} and {b:?} in {state:?}, but they do not commute"
                    ));
                }
                apart(state, (a, known_to_a), (b, known_to_b))?;
            }
        }
        Ok(())
    })
}

/// Whether what decides beside locks lets both through, the second while the first is pending.
pub(crate) fn admitted_together<D: Small>(state: &D::State, a: &Access<D>, b: &Access<D>) -> bool {
    changes(state, (a, false)).iter().all(|pending| {
        D::is_admitted(state, &[], a) && D::is_admitted(state, &[std::slice::from_ref(pending)], b)
    })
}

/// The same locks if all elements had one hash.
fn colliding(requests: &[Request]) -> Vec<Request> {
    let collide = |request: &Request| Request {
        target: match request.target {
            Target::Object => Target::Object,
            Target::Element(_) => Target::Element(0),
        },
        mode: request.mode,
    };
    requests.iter().map(collide).collect()
}

/// Both make their changes from the same state; merged they must give what both in turn give.
fn apart<D: DataType>(state: &D::State, a: (&Access<D>, bool), b: (&Access<D>, bool)) -> Check {
    let (value, ..) = serially(state, a.0, b.0);
    for first in changes(state, a) {
        for second in changes(state, b) {
            let merged = state.merge(&first).and_then(|state| state.merge(&second));
            let merged = merged.ok_or("small states merge")?;
            if D::value(&merged) != value {
                return Err(format!(
                    "{:?} and {:?} made apart in {state:?} give {merged:?}",
                    a.0, b.0
                ));
            }
        }
    }
    Ok(())
}

/// The changes that an access may write: none if it is known to be idle and rests on its locks for that.
fn changes<D: DataType>(state: &D::State, (access, known): (&Access<D>, bool)) -> Vec<D::State> {
    let Access::Operate(operation) = access else {
        return vec![D::State::identity()];
    };
    let rests = known && access.method().describe().idle.is_some() && access.is_idle(state);
    if rests {
        return vec![D::State::identity()];
    }
    let blind = D::change(operation, None).ok();
    let resolved = D::change(operation, Some(state)).unwrap_or_else(|_| D::State::identity());
    blind
        .into_iter()
        .filter(|_| D::is_blind(operation))
        .chain([resolved])
        .collect()
}

/// Equal values behave alike: nothing that users cannot see decides what happens later.
pub(crate) fn equal_values_behave_alike<D: Small>() -> Check {
    let states = states::<D>();
    for s in &states {
        for t in states.iter().chain([&D::compact(s.clone())]) {
            if D::value(s) != D::value(t) {
                continue;
            }
            for access in accesses::<D>() {
                let (mut after_s, mut after_t) = (s.clone(), t.clone());
                if run(&mut after_s, &access) != run(&mut after_t, &access)
                    || D::value(&after_s) != D::value(&after_t)
                {
                    return Err(format!(
                        "{access:?} tells {s:?} from {t:?}, which have the same value"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// An operation in a slice is the operation on the whole.
pub(crate) fn an_operation_in_a_slice_is_one_on_the_whole<D: Small>() -> Check {
    for base in states::<D>() {
        if base.merge(&D::new_slice(&base)).as_ref() != Some(&base) {
            return Err(format!("a new slice changes {base:?}"));
        }
        for operation in D::operations() {
            in_a_slice::<D>(&base, &operation)?;
        }
    }
    Ok(())
}

fn in_a_slice<D: Small>(base: &D::State, operation: &D::Operation) -> Check {
    let blind = D::change(operation, None);
    if !D::is_blind(operation) && blind != Err(Refused::NeedsValue) {
        return Err(format!(
            "{operation:?} is not blind, yet has a blind change {blind:?}"
        ));
    }
    for slice in D::operations() {
        let Ok(slice) = D::change(&slice, Some(base)) else {
            continue;
        };
        let Some(mut whole) = base.merge(&slice) else {
            continue;
        };
        let resolved = D::change(operation, Some(&whole));
        if D::apply(&mut whole, operation).is_err() {
            continue;
        }
        let changes = resolved.into_iter().chain(blind.clone().ok());
        for change in changes {
            let parts = slice.merge(&change).and_then(|slice| base.merge(&slice));
            if parts.as_ref().map(D::value) != Some(D::value(&whole)) {
                return Err(format!(
                    "{operation:?} in slice {slice:?} of {base:?} gives {parts:?}, not {whole:?}"
                ));
            }
        }
    }
    Ok(())
}

/// `is_idle` tells the truth, and all of it where the type makes use of it.
pub(crate) fn idle_operations_change_nothing<D: Small>() -> Check {
    for state in states::<D>() {
        for operation in D::operations() {
            let mut after = state.clone();
            let same =
                D::apply(&mut after, &operation).is_ok() && D::value(&after) == D::value(&state);
            let used = D::describe(D::operation_method(&operation)).idle.is_some();
            let idle = D::is_idle(&operation, &state);
            if idle && !same || same && !idle && used {
                return Err(format!("is_idle is {idle} for {operation:?} in {state:?}"));
            }
        }
    }
    Ok(())
}

/// Merging is commutative and associative wherever it is defined, and the identity is neutral.
pub(crate) fn merging<S: Merge + Clone + PartialEq + std::fmt::Debug>(
    a: &S,
    b: &S,
    c: &S,
) -> Check {
    if a.merge(b) != b.merge(a) {
        return Err(format!("{:?} is not {:?}", a.merge(b), b.merge(a)));
    }
    let left = a.merge(b).and_then(|ab| ab.merge(c));
    let right = b.merge(c).and_then(|bc| a.merge(&bc));
    if left != right && left.is_some() && right.is_some() {
        return Err(format!("{left:?} is not {right:?}"));
    }
    let all = S::merge_all([a, b, c, a, b].map(Clone::clone));
    let in_turn = [b, c, a, b]
        .iter()
        .try_fold(a.clone(), |all, part| all.merge(part));
    if all != in_turn && all.is_some() && in_turn.is_some() {
        return Err(format!("{all:?} is not {in_turn:?}"));
    }
    if a.merge(&S::identity()).as_ref() != Some(a) {
        return Err(format!("the identity changes {a:?}"));
    }
    Ok(())
}

/// Merging what is stored is storing what is merged.
pub(crate) fn merging_stored<S: Encoding + std::fmt::Debug>(a: &S, b: &S) -> Check {
    let encoded = |state: &S| {
        let mut bytes = Vec::new();
        state.encode(&mut bytes);
        bytes
    };
    let wanted = a
        .merge(b)
        .as_ref()
        .map(encoded)
        .ok_or(Unmergeable::OutOfRange);
    let merged = S::merge_encoded(&encoded(a), &encoded(b));
    if merged != wanted {
        return Err(format!(
            "{a:?} and {b:?} are merged to {merged:?}, not {wanted:?}"
        ));
    }
    Ok(())
}

/// What is stored comes back, has one form, and any damage of one byte is noticed.
pub(crate) fn storing<S: Encoding + PartialEq + std::fmt::Debug>(
    state: &S,
    place: usize,
    flip: u8,
) -> Check {
    let mut bytes = Vec::new();
    state.encode(&mut bytes);
    if S::decode(&bytes).as_ref() != Ok(state) {
        return Err(format!("{bytes:?} is read as {:?}", S::decode(&bytes)));
    }
    let place = place % bytes.len();
    bytes[place] ^= flip;
    if flip != 0 && S::decode(&bytes).is_ok() {
        return Err(format!("damaged at {place}, yet read"));
    }
    bytes.pop();
    if S::decode(&bytes).is_ok() {
        return Err("cut short, yet read".to_owned());
    }
    Ok(())
}

/// Garbage is refused or has the one form of what it is read as, even under a right checksum.
pub(crate) fn garbage<S: Encoding>(content: &[u8]) -> Check {
    if S::decode(content).is_ok() {
        return Err("garbage without a right checksum was read".to_owned());
    }
    let mut bytes = vec![S::TAG, S::VERSION];
    bytes.extend(content);
    bytes.extend(crc32(&bytes).to_le_bytes());
    let mut none = Vec::new();
    S::identity().encode(&mut none);
    let merged = S::merge_encoded(&bytes, &none);
    if let Ok(state) = S::decode(&bytes) {
        let mut again = Vec::new();
        state.encode(&mut again);
        if again != bytes || merged != Ok(again.clone()) {
            return Err(format!(
                "{bytes:?} is another form of {again:?}, or of {merged:?}"
            ));
        }
    } else if merged.is_ok() {
        return Err(format!(
            "{bytes:?} cannot be read, yet merged to {merged:?}"
        ));
    }
    Ok(())
}

/// The tests of one type.
macro_rules! laws {
    ($name:ident, $type:ty) => {
        mod $name {
            use super::*;
            use $crate::laws as check;
            type State = <$type as $crate::data_type::DataType>::State;

            #[track_caller]
            fn holds(check: check::Check) {
                if let Err(fault) = check {
                    panic!("{fault}");
                }
            }

            #[test]
            fn declared_pairs_commute() {
                holds(check::declared_pairs_commute::<$type>());
            }

            #[test]
            fn undeclared_pairs_have_a_counterexample() {
                holds(check::undeclared_pairs_have_a_counterexample::<$type>());
            }

            #[test]
            fn locks_admit_only_what_commutes() {
                holds(check::locks_admit_only_what_commutes::<$type>());
            }

            #[test]
            fn equal_values_behave_alike() {
                holds(check::equal_values_behave_alike::<$type>());
            }

            #[test]
            fn an_operation_in_a_slice_is_one_on_the_whole() {
                holds(check::an_operation_in_a_slice_is_one_on_the_whole::<$type>());
            }

            #[test]
            fn idle_operations_change_nothing() {
                holds(check::idle_operations_change_nothing::<$type>());
            }

            #[test]
            fn the_page_has_the_table_of_the_code() {
                holds($crate::table::tests::check_page::<$type>());
            }

            proptest! {
                #[test]
                fn any_schedule_is_serializable(seed: u64) {
                    holds($crate::schedule::is_serializable::<$type>(seed));
                }

                #[test]
                fn merging_has_no_order(
                    a in <$type>::any_state(), b in <$type>::any_state(), c in <$type>::any_state()
                ) {
                    holds(check::merging::<State>(&a, &b, &c));
                }

                #[test]
                fn stored_states_are_merged_as_they_are(
                    a in <$type>::any_state(), b in <$type>::any_state()
                ) {
                    holds(check::merging_stored::<State>(&a, &b));
                }

                #[test]
                fn stored_states_come_back(
                    state in <$type>::any_state(), place: usize, flip: u8
                ) {
                    holds(check::storing::<State>(&state, place, flip));
                }

                #[test]
                fn garbage_is_refused(content in prop::collection::vec(any::<u8>(), 0..40)) {
                    holds(check::garbage::<State>(&content));
                }
            }
        }
    };
}
pub(crate) use laws;
