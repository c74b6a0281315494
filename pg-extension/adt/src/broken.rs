//! Proof that the laws notice faults: sets with one fault each.

use crate::data_type::{DataType, Description, Refused};
use crate::laws::{self, Check, Small};
use crate::locks::Footprint;
use crate::ordered::Text;
use crate::schedule::is_serializable;
use crate::set::{Additions, Answer, Method, Operation, Query, Set};
use crate::specification::Condition;
use proptest::prelude::BoxedStrategy;
use std::collections::BTreeSet;

const NONE: u8 = 0;
const DECLARES_TOO_MUCH: u8 = 1;
const DECLARES_TOO_LITTLE: u8 = 2;
const LOCKS_TOO_LITTLE: u8 = 3;
const LOCKS_TOO_LITTLE_WHEN_IDLE: u8 = 4;
const REMOVES_ONE_ADDITION: u8 = 5;
const REMOVES_BLINDLY: u8 = 6;
const SAYS_IDLE_TOO_OFTEN: u8 = 7;

/// A set with the fault of this number.
#[derive(Clone, Debug)]
struct Broken<const FAULT: u8>;

impl<const FAULT: u8> DataType for Broken<FAULT> {
    const NAME: &'static str = "broken";
    type State = Additions;
    type Value = BTreeSet<Text>;
    type Operation = Operation;
    type Query = Query;
    type Answer = Answer;
    type Method = Method;
    const METHODS: &'static [Method] = Set::METHODS;

    fn describe(method: Method) -> Description {
        let mut description = Set::describe(method);
        match (FAULT, method) {
            (LOCKS_TOO_LITTLE, Method::Remove) => description.footprint = Footprint::ADD_ELEMENT,
            (LOCKS_TOO_LITTLE_WHEN_IDLE, Method::Add) => {
                description = description.idle("", Footprint::LASTING);
            }
            _ => {}
        }
        description
    }

    fn rule(a: Method, b: Method) -> Condition<Self> {
        match (FAULT, a, b) {
            (DECLARES_TOO_MUCH, Method::Add, Method::Remove) => Condition::Always,
            (DECLARES_TOO_LITTLE, Method::Contains, Method::Add) => Condition::Never,
            (_, Method::Add, Method::Remove) => Condition::Different,
            (_, Method::Contains, _) => Condition::DifferentOrIdle,
            (_, Method::Size, _) => Condition::Idle,
            _ => Condition::Always,
        }
    }

    fn operation_method(operation: &Operation) -> Method {
        Set::operation_method(operation)
    }

    fn query_method(query: &Query) -> Method {
        Set::query_method(query)
    }

    fn operation_element(operation: &Operation) -> Option<&[u8]> {
        Set::operation_element(operation)
    }

    fn query_element(query: &Query) -> Option<&[u8]> {
        Set::query_element(query)
    }

    fn value(state: &Additions) -> BTreeSet<Text> {
        Set::value(state)
    }

    fn answer(state: &Additions, query: &Query) -> Answer {
        Set::answer(state, query)
    }

    fn is_blind(operation: &Operation) -> bool {
        FAULT == REMOVES_BLINDLY || Set::is_blind(operation)
    }

    fn change(operation: &Operation, newest: Option<&Additions>) -> Result<Additions, Refused> {
        match (FAULT, operation, newest) {
            (REMOVES_ONE_ADDITION, Operation::Remove(element), Some(_))
            | (REMOVES_BLINDLY, Operation::Remove(element), None) => {
                let one = Additions::of([element.clone()]);
                Set::change(operation, Some(&one))
            }
            _ => Set::change(operation, newest),
        }
    }

    fn is_idle(operation: &Operation, state: &Additions) -> bool {
        FAULT == SAYS_IDLE_TOO_OFTEN || Set::is_idle(operation, state)
    }
}

impl<const FAULT: u8> Small for Broken<FAULT> {
    fn operations() -> Vec<Operation> {
        Set::operations()
    }

    fn queries() -> Vec<Query> {
        Set::queries()
    }

    fn any_state() -> BoxedStrategy<Additions> {
        Set::any_state()
    }
}

/// The laws that a set with this fault breaks.
fn broken<const FAULT: u8>() -> Vec<&'static str> {
    let checks: [(&str, Check); 6] = [
        ("declared", laws::declared_pairs_commute::<Broken<FAULT>>()),
        (
            "undeclared",
            laws::undeclared_pairs_have_a_counterexample::<Broken<FAULT>>(),
        ),
        (
            "locks",
            laws::locks_admit_only_what_commutes::<Broken<FAULT>>(),
        ),
        ("values", laws::equal_values_behave_alike::<Broken<FAULT>>()),
        (
            "slices",
            laws::an_operation_in_a_slice_is_one_on_the_whole::<Broken<FAULT>>(),
        ),
        (
            "idle",
            laws::idle_operations_change_nothing::<Broken<FAULT>>(),
        ),
    ];
    checks
        .iter()
        .filter(|(_, check)| check.is_err())
        .map(|(name, _)| *name)
        .collect()
}

/// Whether some schedule of a set with this fault is not serializable.
fn goes_wrong<const FAULT: u8>() -> bool {
    (0..2_000).any(|seed| is_serializable::<Broken<FAULT>>(seed).is_err())
}

#[test]
fn schedules_go_wrong_exactly_for_faults_that_locks_or_changes_have() {
    assert!(!goes_wrong::<NONE>());
    assert!(!goes_wrong::<DECLARES_TOO_LITTLE>());
    assert!(goes_wrong::<LOCKS_TOO_LITTLE>());
    assert!(goes_wrong::<LOCKS_TOO_LITTLE_WHEN_IDLE>());
    assert!(goes_wrong::<REMOVES_BLINDLY>());
    assert!(goes_wrong::<SAYS_IDLE_TOO_OFTEN>());
}

#[test]
fn every_fault_is_noticed_by_the_law_that_it_breaks() {
    assert_eq!(broken::<NONE>(), Vec::<&str>::new());
    assert!(broken::<DECLARES_TOO_MUCH>().contains(&"declared"));
    assert_eq!(broken::<DECLARES_TOO_LITTLE>(), ["undeclared"]);
    assert_eq!(broken::<LOCKS_TOO_LITTLE>(), ["locks"]);
    assert_eq!(broken::<LOCKS_TOO_LITTLE_WHEN_IDLE>(), ["locks"]);
    assert!(broken::<REMOVES_ONE_ADDITION>().contains(&"values"));
    assert!(broken::<REMOVES_BLINDLY>().contains(&"slices"));
    assert!(broken::<SAYS_IDLE_TOO_OFTEN>().contains(&"idle"));
}
