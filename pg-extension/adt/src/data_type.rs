//! What a data type is: a state that merges, operations that change it, queries that see part of it, and a
//! specification of what commutes.
//!
//! How an operation travels. [`DataType::change`] turns it into a state of its own, the *change*; whatever part of
//! the object is written (the base in the row, or a slice) is merged with the change. So an operation applied to a
//! slice and one applied to the whole value are the same thing, and merging slices in any order gives the value.
//! Two kinds of operations:
//!
//! * *blind*: the change is the same whatever the value is. It needs no look at the object.
//! * *resolved*: the change depends on the newest value (removing an element must cancel all that added it). Whoever
//!   does it holds a lock that keeps others from that element, reads the newest value, and then writes its change
//!   into its own slice like everybody else.

use crate::Merge;
use crate::encoding::Encoding;
use crate::locks::Footprint;
use crate::specification::Condition;
use std::fmt::Debug;

/// A commuting data type.
pub trait DataType: Clone + Debug + Sized + 'static {
    /// Name in SQL, without schema.
    const NAME: &'static str;

    /// What beside locks decides whether two operations are done side by side, in words.
    const ADMISSION: Option<&'static str> = None;

    /// What is stored in the row and in each slice.
    type State: Merge + Encoding + Clone + PartialEq + Debug;

    /// What the user sees of a whole state. States with equal values behave alike from then on.
    type Value: PartialEq + Debug;

    /// A change of the value.
    type Operation: Clone + Debug;

    /// A look at part of the value. (Seeing all of it is [`Access::Read`].)
    type Query: Clone + Debug;

    /// What a query gives.
    type Answer: PartialEq + Debug;

    /// The operations and queries without their arguments.
    type Method: Copy + PartialEq + Debug + 'static;

    /// All of them, in the order of the documentation.
    const METHODS: &'static [Self::Method];

    /// Name, arguments and locks of a method.
    fn describe(method: Self::Method) -> Description;

    /// When two methods commute: a query and an operation, or an operation and one that does not come earlier in
    /// [`Self::METHODS`]. Two queries always commute; they are not asked for.
    fn rule(a: Self::Method, b: Self::Method) -> Condition<Self>;

    /// The method of an operation.
    fn operation_method(operation: &Self::Operation) -> Self::Method;

    /// The method of a query.
    fn query_method(query: &Self::Query) -> Self::Method;

    /// The element that an operation is about, if it is about one.
    fn operation_element(operation: &Self::Operation) -> Option<&[u8]>;

    /// The element that a query is about, if it is about one.
    fn query_element(query: &Self::Query) -> Option<&[u8]>;

    /// The value of a whole state: the base merged with all slices that count.
    fn value(state: &Self::State) -> Self::Value;

    /// The answer to a query about a whole state.
    fn answer(state: &Self::State, query: &Self::Query) -> Self::Answer;

    /// Whether [`Self::change`] works without the newest state.
    fn is_blind(operation: &Self::Operation) -> bool;

    /// What the operation merges into the part that is written. `newest` is the whole state as everything committed
    /// and the transaction itself have left it; `None` asks for the blind form.
    fn change(
        operation: &Self::Operation,
        newest: Option<&Self::State>,
    ) -> Result<Self::State, Refused>;

    /// Whether the operation leaves the value of this whole state as it is.
    fn is_idle(operation: &Self::Operation, state: &Self::State) -> bool;

    /// The first state of a slice of an object with this base. Only types whose objects have parameters (the k of
    /// `top_k`) need more than the identity.
    fn new_slice(_base: &Self::State) -> Self::State {
        Self::State::identity()
    }

    /// A whole state of the same value without what only slices need (counts of equal additions, traces of
    /// removed elements): what an overwrite stores, or a fold of all there is.
    fn compact(whole: Self::State) -> Self::State {
        whole
    }

    /// Does the operation to a whole state.
    fn apply(state: &mut Self::State, operation: &Self::Operation) -> Result<(), Refused> {
        let change = Self::change(operation, Some(state))?;
        *state = state.merge(&change).ok_or(Refused::OutOfRange)?;
        Ok(())
    }
}

/// What a transaction does to an object.
#[derive(Clone, Debug)]
pub enum Access<D: DataType> {
    /// Changes the value.
    Operate(D::Operation),
    /// Sees part of the value.
    Query(D::Query),
    /// Sees the whole value.
    Read,
    /// Replaces the value, or removes it.
    Overwrite(D::State),
}

impl<D: DataType> Access<D> {
    /// The access without its arguments.
    pub fn method(&self) -> AnyMethod<D> {
        match self {
            Access::Operate(operation) => AnyMethod::Own(D::operation_method(operation)),
            Access::Query(query) => AnyMethod::Own(D::query_method(query)),
            Access::Read => AnyMethod::Read,
            Access::Overwrite(_) => AnyMethod::Overwrite,
        }
    }

    /// The element it is about, if it is about one.
    pub fn element(&self) -> Option<&[u8]> {
        match self {
            Access::Operate(operation) => D::operation_element(operation),
            Access::Query(query) => D::query_element(query),
            Access::Read | Access::Overwrite(_) => None,
        }
    }

    /// Whether it leaves the value of this state as it is. Overwriting never counts as idle: it makes a new object.
    pub fn is_idle(&self, state: &D::State) -> bool {
        match self {
            Access::Operate(operation) => D::is_idle(operation, state),
            Access::Query(_) | Access::Read => true,
            Access::Overwrite(_) => false,
        }
    }
}

/// The methods of a type and the two that every type has.
#[derive(Debug)]
pub enum AnyMethod<D: DataType> {
    /// One of the type's own.
    Own(D::Method),
    /// Seeing the whole value.
    Read,
    /// Replacing or removing it.
    Overwrite,
}

// Derived they would ask the same of D itself.
impl<D: DataType> Clone for AnyMethod<D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D: DataType> Copy for AnyMethod<D> {}
impl<D: DataType> PartialEq for AnyMethod<D> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (AnyMethod::Own(a), AnyMethod::Own(b)) => a == b,
            (AnyMethod::Read, AnyMethod::Read) => true,
            (AnyMethod::Overwrite, AnyMethod::Overwrite) => true,
            _ => false,
        }
    }
}

impl<D: DataType> AnyMethod<D> {
    /// All methods of a type, in the order of the documentation.
    pub fn all() -> Vec<Self> {
        let own = D::METHODS.iter().map(|method| AnyMethod::Own(*method));
        own.chain([AnyMethod::Read, AnyMethod::Overwrite]).collect()
    }

    /// Name, arguments and locks.
    pub fn describe(self) -> Description {
        match self {
            AnyMethod::Own(method) => D::describe(method),
            AnyMethod::Read => Description::query("read", &[], Footprint::READ),
            AnyMethod::Overwrite => Description {
                name: "overwrite",
                arguments: &[],
                role: Role::Overwrite,
                footprint: Footprint::OVERWRITE,
                idle: None,
            },
        }
    }
}

/// What a method does to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Changes it.
    Operation,
    /// Sees it.
    Query,
    /// Replaces it.
    Overwrite,
}

/// What there is to know about a method.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name in SQL.
    pub name: &'static str,
    /// Its arguments beside the object; the element comes first and is written `x`.
    pub arguments: &'static [&'static str],
    /// What it does.
    pub role: Role,
    /// The locks it takes.
    pub footprint: Footprint,
    /// The state in which an operation changes nothing, if that pays, and the locks that then suffice.
    pub idle: Option<Idle>,
}

/// When an operation changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// In words, about the element `{}`.
    pub when: &'static str,
    /// The locks that keep it so.
    pub footprint: Footprint,
}

impl Description {
    /// An operation.
    pub const fn operation(
        name: &'static str,
        arguments: &'static [&'static str],
        footprint: Footprint,
    ) -> Self {
        Description {
            name,
            arguments,
            role: Role::Operation,
            footprint,
            idle: None,
        }
    }

    /// A query.
    pub const fn query(
        name: &'static str,
        arguments: &'static [&'static str],
        footprint: Footprint,
    ) -> Self {
        Description {
            name,
            arguments,
            role: Role::Query,
            footprint,
            idle: None,
        }
    }

    /// The same, which changes nothing when the words say so; `footprint` keeps it so.
    pub const fn idle(mut self, when: &'static str, footprint: Footprint) -> Self {
        self.idle = Some(Idle { when, footprint });
        self
    }
}

/// Why an operation is not done. The extension gives each its SQLSTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A resolved operation was asked for its blind form: a fault of the caller.
    #[error("the operation depends on the newest value")]
    NeedsValue,
    /// The result cannot be represented (22003).
    #[error("the result is out of range")]
    OutOfRange,
    /// An argument that must be a positive number is not (22023).
    #[error("the number must be positive")]
    NotPositive,
    /// `NaN` or an infinity where only numbers can be summed and subtracted again (22023).
    #[error("the number must be finite")]
    NotFinite,
    /// The value would cross its bound (23514).
    #[error("the value would cross its bound")]
    OutOfBounds,
    /// The condition of the operation does not hold: no row, and no error.
    #[error("the condition does not hold")]
    Unmet,
}
