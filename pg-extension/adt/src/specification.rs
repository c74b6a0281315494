//! When two accesses to one object commute: the same result in either order, for the object and for both who ask.
//! The specification says so per pair of methods, as Table 2 of the Claret paper does for its set (Holt et al.,
//! "Claret: Avoiding Contention in Transactions with Abstract Data Types"); here the table is code, and tests compare
//! it with what the operations do (see the crate's `laws`).

use crate::data_type::{Access, AnyMethod, DataType, Role};

/// A custom condition: decides by the state and both accesses, which come in the order of [`in_order`].
pub type Predicate<D> = fn(&<D as DataType>::State, &Access<D>, &Access<D>) -> bool;

/// When a pair of methods commutes.
pub enum Condition<D: DataType> {
    /// In every state, whatever the arguments.
    Always,
    /// Nothing is promised.
    Never,
    /// If they are about different elements.
    Different,
    /// If what is an operation of the two changes nothing (see [`crate::data_type::Idle`]).
    Idle,
    /// Either of the two above.
    DifferentOrIdle,
    /// If the predicate says so; in words, with the operation's arguments as `{x}`.
    When(&'static str, Predicate<D>),
    /// If they are about different elements, or the predicate says so.
    DifferentOrWhen(&'static str, Predicate<D>),
}

/// The condition for two methods, the first of which must not come after the second (see [`in_order`]).
pub fn condition<D: DataType>(a: AnyMethod<D>, b: AnyMethod<D>) -> Condition<D> {
    use AnyMethod::{Overwrite, Own, Read};
    match (a, b) {
        (Overwrite, _) | (_, Overwrite) => Condition::Never,
        (Own(a), Own(b)) if D::describe(b).role == Role::Operation => D::rule(a, b),
        (Own(operation), Read) if D::describe(operation).role == Role::Operation => {
            match D::describe(operation).idle {
                Some(_) => Condition::Idle,
                None => Condition::Never,
            }
        }
        _ => Condition::Always,
    }
}

/// Whether the first of two methods comes first in the specification: a query before an operation, and operations as in
/// [`DataType::METHODS`]; `read` and `overwrite` last.
pub fn in_order<D: DataType>(a: AnyMethod<D>, b: AnyMethod<D>) -> bool {
    rank(a) <= rank(b)
}

fn rank<D: DataType>(method: AnyMethod<D>) -> (usize, Option<usize>) {
    match method {
        AnyMethod::Own(own) => {
            let place = D::METHODS.iter().position(|other| *other == own);
            let group = usize::from(D::describe(own).role == Role::Operation);
            (group, place)
        }
        AnyMethod::Read => (2, None),
        AnyMethod::Overwrite => (3, None),
    }
}

/// Whether two accesses commute. With a state: in that state. Without: in every state.
pub fn commutes<D: DataType>(a: &Access<D>, b: &Access<D>, state: Option<&D::State>) -> bool {
    let (a, b) = if in_order(a.method(), b.method()) {
        (a, b)
    } else {
        (b, a)
    };
    let different = || matches!((a.element(), b.element()), (Some(x), Some(y)) if x != y);
    let idle = || state.is_some_and(|state| a.is_idle(state) && b.is_idle(state));
    match condition(a.method(), b.method()) {
        Condition::Always => true,
        Condition::Never => false,
        Condition::Different => different(),
        Condition::Idle => idle(),
        Condition::DifferentOrIdle => different() || idle(),
        Condition::When(_, holds) => state.is_some_and(|state| holds(state, a, b)),
        Condition::DifferentOrWhen(_, holds) => {
            different() || state.is_some_and(|state| holds(state, a, b))
        }
    }
}
