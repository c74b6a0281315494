//! The description of a type over an aggregate, read from the catalogues once and kept until they change.

use super::call;
use super::label;
use super::state::Layout;
use super::structure::Structure;
use super::trust;
use crate::backend;
use crate::boundary;
use crate::catalog;
use crate::compat::columns_of;
use crate::error::Error;
use crate::hooks::cache;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, Oid, SysCacheIdentifier};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ffi::CString;
use std::rc::Rc;

/// What SQL has a notation of its own for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `greatest(c, x)`
    Greatest,
    /// `least(c, x)`
    Least,
    /// `c OR x`
    Or,
    /// `c AND x`
    And,
}

/// A type over an aggregate.
#[derive(Debug)]
pub struct Family {
    /// The type itself.
    pub type_: Oid,
    /// The type of its value: what the aggregate gives.
    pub value_type: Oid,
    /// The type in whose form states are written and read: the value's if it makes a state, else the state's, which is `bytea` if
    /// the aggregate calls it `internal`.
    pub text_type: Oid,
    /// How its operation is written, beside `abelian.add`.
    pub notation: Option<Notation>,
    /// The types of the aggregate's arguments.
    pub arguments: Vec<Oid>,
    layout: Layout,
    transition: Oid,
    combine: Oid,
    final_function: Option<Oid>,
    final_arguments: usize,
    /// For states of type `internal`: to `bytea` and back.
    serial: Option<(Oid, Oid)>,
    state_type: Oid,
    /// The types of the columns of composite states.
    shape: Vec<Oid>,
    /// As the catalogue has it.
    initial_text: Option<CString>,
    /// Read when it is first needed: the input function of a state's type may run anybody's code.
    initial: OnceCell<Option<Vec<u8>>>,
    /// Whether superusers own all its functions.
    is_trusted: bool,
    /// Whether the aggregate's states were of another type when the type was made: what is stored would be taken for something else.
    has_other_states: bool,
    /// Makes a state of a value.
    from_value: Option<Oid>,
    /// Makes, of the state in the row, what a new slice begins with.
    new_slice: Option<Oid>,
    /// The algebra of its elements, if its operations lock elements.
    pub structure: Option<Structure>,
    /// The sequence of the numbers that its operation draws, each for whoever draws it alone.
    pub numbers: Option<Oid>,
}

thread_local! {
    static INPUT: Cell<bool> = const { Cell::new(false) };
    static STALE: Cell<bool> = const { Cell::new(false) };
    static KNOWN: RefCell<HashMap<Oid, Option<Rc<Family>>>> = RefCell::default();
}

/// Registers for changes of the catalogues.
pub fn install() {
    let catalogues = [
        SysCacheIdentifier::TYPEOID,
        SysCacheIdentifier::PROCOID,
        SysCacheIdentifier::AGGFNOID,
        SysCacheIdentifier::AUTHOID,
    ];
    cache::on_catalogues(&catalogues, forget);
}

/// What is known is looked up again.
pub fn forget() {
    STALE.set(true);
}

/// Of a state in a row or slice: each operation reads and writes the whole.
pub const MOST_BYTES: usize = 16 << 20;

impl Family {
    /// The description of a type, if it is one over an aggregate.
    pub fn of(type_: Oid) -> Option<Rc<Family>> {
        if type_.to_u32() < pg_sys::FirstNormalObjectId {
            return None;
        }
        if STALE.replace(false) {
            KNOWN.with_borrow_mut(HashMap::clear);
        }
        if let Some(known) = KNOWN.with_borrow(|known| known.get(&type_).cloned()) {
            return known;
        }
        let family = label::of_type(type_)
            .and_then(|text| label::Functions::named(&text))
            .and_then(|functions| Family::over(type_, &functions).ok())
            .map(Rc::new);
        KNOWN.with_borrow_mut(|known| known.insert(type_, family.clone()));
        family
    }

    /// The same of a type that must be one, and whose states are about to be looked at.
    pub fn required(type_: Oid) -> Result<Rc<Family>, Error> {
        let family = Family::of(type_).ok_or(Error::NotAggregated)?;
        family.require_states()?;
        Ok(family)
    }

    /// Describes a type over this aggregate; an error says why it cannot be.
    pub fn over(type_: Oid, functions: &label::Functions) -> Result<Family, Error> {
        let aggregate = functions.aggregate;
        let row = AggregateRow::of(aggregate)?;
        let unusable = |why: &str| Err(Error::UnusableAggregate(why.into()));
        let arguments = arguments(aggregate);
        if row.kind != b'n' {
            return unusable("It is an ordered-set aggregate.");
        }
        // SAFETY: syscache lookup of a function that exists.
        if unsafe { pg_sys::func_parallel(aggregate) } as u8 != b's' {
            return unusable("It is not parallel-safe.");
        }
        let Some(combine) = row.combine else {
            return unusable("It has no combine function.");
        };
        let serial = row.serial.zip(row.deserial);
        let internal = row.state == pg_sys::INTERNALOID;
        if internal && serial.is_none() {
            return unusable("Its state is internal, and it has no functions that serialise it.");
        }
        let pseudo = |type_: &Oid| {
            // SAFETY: syscache lookup.
            unsafe { pg_sys::get_typtype(*type_) as u8 == b'p' }
        };
        if arguments.iter().any(pseudo) || !internal && pseudo(&row.state) {
            return unusable("It is polymorphic: name one over a particular type.");
        }
        let state_type = if internal {
            pg_sys::BYTEAOID
        } else {
            row.state
        };
        if functions.structure.is_some() && row.state != pg_sys::BYTEAOID {
            return unusable("Its states have no elements.");
        }
        if functions.numbers.is_some() && row.state != pg_sys::INT8OID {
            return unusable("Its states are no numbers.");
        }
        let layout = Layout::of(state_type);
        if !layout.is_storable() {
            return unusable("Its state cannot be stored.");
        }
        // SAFETY: syscache lookup.
        let value_type = unsafe { pg_sys::get_func_rettype(aggregate) };
        let mut family = Family {
            type_,
            value_type,
            text_type: state_type,
            notation: None,
            layout,
            transition: row.transition,
            combine,
            final_function: row.final_function,
            final_arguments: if row.final_extra { arguments.len() } else { 0 },
            serial: if internal { serial } else { None },
            state_type,
            shape: shape(state_type),
            initial_text: row.initial,
            initial: OnceCell::new(),
            is_trusted: false,
            has_other_states: functions.state.is_some_and(|state| state != row.state),
            from_value: functions.from_value,
            new_slice: functions.new_slice,
            structure: functions.structure,
            numbers: functions.numbers,
            arguments,
        };
        let functions: Vec<Oid> = family.functions().chain([aggregate]).collect();
        family.is_trusted = functions.into_iter().all(trust::is_trusted);
        if family.from_value.is_some() {
            family.text_type = value_type;
        }
        // What is drawn is nobody's to give.
        if family.numbers.is_none() {
            family.notation = notation(row.transition, value_type, row.sort_operator);
        }
        Ok(family)
    }

    /// Both states together; `None` is the empty one.
    pub fn merge(&self, a: Option<&[u8]>, b: Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
        let (Some(a), Some(b)) = (a, b) else {
            return Ok(a.or(b).map(<[u8]>::to_vec));
        };
        backend::in_scratch(|| {
            let result = self.call(self.combine, &[self.live(a)?, self.live(b)?])?;
            self.keep(result)
        })
    }

    /// Two states together, neither of them empty.
    pub fn merged(&self, a: &[u8], b: &[u8]) -> Result<Vec<u8>, Error> {
        self.merge(Some(a), Some(b))?.ok_or(Error::NoState)
    }

    /// Refuses to store a state of so many bytes in the place of one, if it is too large and has grown.
    pub fn require_room(before: usize, after: usize) -> Result<(), Error> {
        match after > MOST_BYTES && after > before {
            true => Err(Error::TooLarge(MOST_BYTES)),
            false => Ok(()),
        }
    }

    /// The state after one operation: the aggregate's transition. `None` is the empty state. A strict transition ignores NULL.
    pub fn apply(
        &self,
        state: Option<&[u8]>,
        arguments: &[Option<Datum>],
    ) -> Result<Option<Vec<u8>>, Error> {
        let before = state.or(self.empty());
        // SAFETY: syscache lookup.
        if unsafe { pg_sys::func_strict(self.transition) } {
            if arguments.iter().any(Option::is_none) {
                return Ok(state.map(<[u8]>::to_vec));
            }
            if before.is_none() {
                // PostgreSQL has made sure that the argument is of the state's type.
                return Ok(arguments
                    .first()
                    .copied()
                    .flatten()
                    .map(|x| self.layout.image(x)));
            }
        }
        backend::in_scratch(|| {
            let mut all = vec![match before {
                Some(before) => self.live(before)?,
                None => None,
            }];
            all.extend(arguments);
            let result = self.call(self.transition, &all)?;
            self.keep(result)
        })
    }

    /// What the aggregate gives for this state, in the current memory context; `None` is NULL.
    pub fn value(&self, state: &[u8]) -> Result<Option<Datum>, Error> {
        let live = self.live(state)?;
        let Some(function) = self.final_function else {
            return Ok(live);
        };
        let mut arguments = vec![live];
        arguments.resize(1 + self.final_arguments, None);
        self.call(function, &arguments)
    }

    /// The state that a datum of [`Family::text_type`] makes. A state itself is merged with the initial one, which brings it to normal form.
    pub fn normal(&self, value: Datum) -> Result<Vec<u8>, Error> {
        let _input = Input::begin();
        if let Some(function) = self.from_value {
            let state = backend::in_scratch(|| self.keep(self.call(function, &[Some(value)])?))?;
            return state.ok_or(Error::NoState);
        }
        let image = self.layout.image(value);
        if self.serial.is_some() {
            return self.checked(&image)?.ok_or(Error::NoState);
        }
        if self.empty().is_none() {
            return Ok(image);
        }
        let state = self.merge(self.empty(), Some(&image))?;
        let state = state.ok_or(Error::NoState)?;
        if self.final_function.is_some_and(catalog::is_of_extension) {
            backend::in_scratch(|| self.value(&state).map(|_| ()))?; // Its texts may be none.
        }
        Ok(state)
    }

    /// A serialized state, taken apart and put together again: what is no state is refused.
    fn checked(&self, image: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let apart = || backend::in_scratch(|| self.keep(self.live(image)?));
        boundary::caught(apart).unwrap_or_else(|error| {
            // PostgreSQL's functions take any bytes for a state: they meet its end, or ask for too much memory.
            let is_no_state = [
                PgSqlErrorCode::ERRCODE_INTERNAL_ERROR as i32,
                PgSqlErrorCode::ERRCODE_PROTOCOL_VIOLATION as i32,
            ]
            .contains(&error.sqlstate());
            Err(match is_no_state {
                true => Error::NotSerialized,
                false => Error::Postgres(error),
            })
        })
    }

    /// The state as a datum of [`Family::text_type`], in the current memory context.
    pub fn written(&self, state: &[u8]) -> Result<Datum, Error> {
        match self.from_value {
            Some(_) => self.value(state)?.ok_or(Error::NoState),
            None => Ok(self.layout.datum(state)),
        }
    }

    /// The state as a datum of the type in which it is stored, in the current memory context.
    pub fn stored(&self, state: &[u8]) -> Datum {
        self.layout.datum(state)
    }

    /// The state to which nothing has been done, if there is one.
    pub fn empty(&self) -> Option<&[u8]> {
        let read = || self.initial_text.as_ref().map(|text| self.read(text));
        self.initial.get_or_init(read).as_deref()
    }

    /// Whether values of the type can be looked at without running the code of people whom nobody has to trust.
    pub fn require_trust(&self) -> Result<(), Error> {
        self.is_trusted
            .then_some(())
            .ok_or(Error::UntrustedAggregate)
    }

    /// Whether states that are stored are those of the aggregate as it is now.
    pub fn require_states(&self) -> Result<(), Error> {
        match self.has_other_states {
            true => Err(Error::OtherStates),
            false => Ok(()),
        }
    }

    /// Whether states of both are of one kind, so that what the one has stored the other can read.
    pub fn has_states_of(&self, other: &Family) -> bool {
        self.state_type == other.state_type
            && self.serial == other.serial
            && self.shape == other.shape
    }

    fn functions(&self) -> impl Iterator<Item = Oid> {
        let serial = self.serial.into_iter().flat_map(|(out, back)| [out, back]);
        let others = [self.final_function, self.from_value, self.new_slice];
        [self.transition, self.combine]
            .into_iter()
            .chain(others.into_iter().flatten())
            .chain(serial)
    }

    /// Calls one of the aggregate's functions.
    fn call(&self, function: Oid, arguments: &[Option<Datum>]) -> Result<Option<Datum>, Error> {
        self.require_trust()?;
        call(function, arguments)
    }

    /// Whether [`Family::for_slice`] has something to say.
    pub fn bounds_slices(&self) -> bool {
        self.new_slice.is_some()
    }

    /// What a slice has to take in, where it is more than the change: what the state in the row sets bounds to.
    pub fn for_slice(&self, base: &[u8], change: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let Some(function) = self.new_slice else {
            return Ok(None);
        };
        let start = backend::in_scratch(|| self.keep(self.call(function, &[self.live(base)?])?))?;
        self.merge(start.as_deref(), Some(change))
    }

    fn read(&self, text: &std::ffi::CStr) -> Vec<u8> {
        let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
        // SAFETY: an input function takes a C string; the results are ours.
        let datum = unsafe {
            pg_sys::getTypeInputInfo(self.state_type, &mut function, &mut parameter);
            pg_sys::OidInputFunctionCall(function, text.as_ptr().cast_mut(), parameter, -1)
        };
        self.layout.image(datum)
    }

    /// The state as the aggregate's functions take it.
    fn live(&self, image: &[u8]) -> Result<Option<Datum>, Error> {
        self.require_states()?;
        let datum = self.layout.datum(image);
        match self.serial {
            None => Ok(Some(datum)),
            Some((_, deserial)) => self.call(deserial, &[Some(datum), Some(Datum::null())]),
        }
    }

    fn keep(&self, state: Option<Datum>) -> Result<Option<Vec<u8>>, Error> {
        let stored = match (self.serial, state) {
            (_, None) => None,
            (None, state) => state,
            (Some((serial, _)), state) => self.call(serial, &[state])?,
        };
        Ok(stored.map(|datum| self.layout.image(datum)))
    }
}

/// Whether the aggregate's functions are called for a state that a user has written, and that may be anything.
pub fn is_input() -> bool {
    INPUT.get()
}

/// As long as it lives, they are.
struct Input;

impl Input {
    fn begin() -> Self {
        INPUT.set(true);
        Input
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        INPUT.set(false);
    }
}

/// The types of the columns of a composite type, and of those that are composite themselves; empty for others. Dropped columns count.
fn shape(type_: Oid) -> Vec<Oid> {
    // SAFETY: a catalogue lookup; the description is counted as used, and released.
    unsafe {
        if pg_sys::get_typtype(type_) as u8 != b'c' {
            return Vec::new();
        }
        let description = pg_sys::lookup_rowtype_tupdesc(type_, -1);
        let types: Vec<Oid> = columns_of(description)
            .iter()
            .map(|column| column.atttypid)
            .collect();
        if (*description).tdrefcount >= 0 {
            pg_sys::DecrTupleDescRefCount(description);
        }
        let nested = types.iter().flat_map(|column| shape(*column));
        types.iter().copied().chain(nested).collect()
    }
}

/// A row of pg_aggregate, as far as needed.
struct AggregateRow {
    kind: u8,
    transition: Oid,
    final_function: Option<Oid>,
    combine: Option<Oid>,
    serial: Option<Oid>,
    deserial: Option<Oid>,
    final_extra: bool,
    sort_operator: Oid,
    state: Oid,
    initial: Option<std::ffi::CString>,
}

impl AggregateRow {
    fn of(aggregate: Oid) -> Result<Self, Error> {
        // SAFETY: the columns of pg_aggregate have had these numbers and types since PostgreSQL 11; the row is released.
        unsafe {
            let row =
                pg_sys::SearchSysCache1(SysCacheIdentifier::AGGFNOID as i32, aggregate.into());
            if row.is_null() {
                return Err(Error::UnusableAggregate("It is not an aggregate.".into()));
            }
            let column = |number: i16| {
                let mut null = false;
                let cache = SysCacheIdentifier::AGGFNOID as i32;
                let datum = pg_sys::SysCacheGetAttr(cache, row, number, &mut null);
                (!null).then_some(datum)
            };
            let oid = |number| column(number).map_or(Oid::INVALID, |d| Oid::from(d.value() as u32));
            let function = |number| Some(oid(number)).filter(|oid| *oid != Oid::INVALID);
            let found = AggregateRow {
                kind: column(2).map_or(0, |d| d.value() as u8),
                transition: oid(4),
                final_function: function(5),
                combine: function(6),
                serial: function(7),
                deserial: function(8),
                final_extra: column(12).is_some_and(|d| d.value() & 1 != 0),
                sort_operator: oid(16),
                state: oid(17),
                initial: column(21).map(|text| {
                    std::ffi::CStr::from_ptr(pg_sys::text_to_cstring(text.cast_mut_ptr()))
                        .to_owned()
                }),
            };
            pg_sys::ReleaseSysCache(row);
            Ok(found)
        }
    }
}

fn arguments(aggregate: Oid) -> Vec<Oid> {
    let (mut types, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the results are ours; the array is a copy.
    unsafe {
        pg_sys::get_func_signature(aggregate, &mut types, &mut count);
        if count == 0 {
            return Vec::new();
        }
        std::slice::from_raw_parts(types, count as usize).to_vec()
    }
}

/// PostgreSQL says of an aggregate which operator's order it picks the first of: that is how it knows `max` and `min`.
fn notation(transition: Oid, value_type: Oid, sort_operator: Oid) -> Option<Notation> {
    match transition.to_u32() {
        pg_sys::F_BOOLOR_STATEFUNC => return Some(Notation::Or),
        pg_sys::F_BOOLAND_STATEFUNC => return Some(Notation::And),
        _ if sort_operator == Oid::INVALID => return None,
        _ => {}
    }
    // SAFETY: entries of the type cache live as long as the backend.
    let entry = unsafe {
        &*pg_sys::lookup_type_cache(
            value_type,
            (pg_sys::TYPECACHE_LT_OPR | pg_sys::TYPECACHE_GT_OPR) as i32,
        )
    };
    if sort_operator == entry.gt_opr {
        Some(Notation::Greatest)
    } else if sort_operator == entry.lt_opr {
        Some(Notation::Least)
    } else {
        None
    }
}
