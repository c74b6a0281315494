//! Types over an aggregate (`crate::aggregate`): `abelian.max`, `abelian.set`, and those that `abelian.create_type` makes.
//!
//! The datum is a varlena: header, 4 bytes of padding, the object's id, and the state as bytes. It may be compressed or stored apart, as a
//! text may. Ids as in [`super::counter`]. The SQL functions here serve all such types; each finds its type by its own declaration.

use crate::aggregate::{self, Family, Notation};
use crate::error::Error;
use crate::function::Call;
use crate::object::{self, Slices};
use crate::pg_function;
use crate::types::loading;
use pgrx::pg_sys::{self, Datum, Oid};
use std::cmp::Ordering;
use std::rc::Rc;

/// Bytes before the id, and before the state.
const ID_OFFSET: usize = 8;
const STATE_OFFSET: usize = 16;

/// In the place of an id: what follows are operations on elements, written down.
const RECORDER: i64 = i64::MIN;

/// Whether it names an object.
pub fn is_identity(id: i64) -> bool {
    ![0, RECORDER].contains(&id)
}

/// A datum taken apart.
#[derive(Clone, Debug)]
pub struct Aggregated {
    /// Its type.
    pub family: Rc<Family>,
    /// Identity of the object; 0 if it has none yet.
    pub id: i64,
    /// The part that is stored in the row.
    pub state: Vec<u8>,
}

impl Aggregated {
    /// A value without identity.
    pub fn unidentified(family: Rc<Family>, state: Vec<u8>) -> Self {
        Aggregated {
            family,
            id: 0,
            state,
        }
    }

    /// What operations on elements applied to it write themselves down in. Only the plans of operations have such datums.
    pub fn recorder(family: Rc<Family>) -> Self {
        Aggregated {
            family,
            id: RECORDER,
            state: Vec::new(),
        }
    }

    /// The operations written down, if it is a recorder.
    pub fn recorded(&self) -> Option<&[u8]> {
        (self.id == RECORDER).then_some(&self.state)
    }

    /// # Safety
    /// `datum` must be a non-null datum of the family's type.
    pub unsafe fn from_datum(family: Rc<Family>, datum: Datum) -> Self {
        // SAFETY: by the caller.
        unsafe {
            let start = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let size = pgrx::varsize_any(start);
            let start = start.cast::<u8>();
            let id = start.add(ID_OFFSET).cast::<i64>().read_unaligned();
            let length = size - STATE_OFFSET;
            let state = std::slice::from_raw_parts(start.add(STATE_OFFSET), length).to_vec();
            if start != datum.cast_mut_ptr() {
                pg_sys::pfree(start.cast()); // statements about many rows come here
            }
            Aggregated { family, id, state }
        }
    }

    /// The id alone.
    ///
    /// # Safety
    /// `datum` must be a non-null datum of a type over an aggregate.
    pub unsafe fn id_of(datum: Datum) -> i64 {
        let slice = (STATE_OFFSET - pg_sys::VARHDRSZ) as i32;
        // SAFETY: by the caller; a slice has at most the length asked for, and these bytes are always there.
        unsafe {
            let start = pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, slice).cast::<u8>();
            let id = start.add(ID_OFFSET).cast::<i64>().read_unaligned();
            if start != datum.cast_mut_ptr() {
                pg_sys::pfree(start.cast()); // statements about many rows come here
            }
            id
        }
    }

    /// Copies it to the current memory context.
    pub fn into_datum(self) -> Datum {
        let size = STATE_OFFSET + self.state.len();
        // SAFETY: the block is as large as its parts; palloc raises for what is too large for a varlena.
        unsafe {
            let start = pg_sys::palloc0(size).cast::<u8>();
            pgrx::set_varsize_4b(start.cast(), size as i32);
            start.add(ID_OFFSET).cast::<i64>().write_unaligned(self.id);
            start
                .add(STATE_OFFSET)
                .copy_from_nonoverlapping(self.state.as_ptr(), self.state.len());
            Datum::from(start)
        }
    }

    /// The whole state under the active snapshot.
    pub fn seen(&self) -> Result<Vec<u8>, Error> {
        with_slices(&self.family, self.base()?, self.visible_slices()?.states())
    }

    /// The part in the row.
    pub fn base(&self) -> Result<&[u8], Error> {
        match self.recorded() {
            // EXPLAIN prints it.
            Some(_) => self.family.empty().ok_or(Error::NoState),
            None => Ok(&self.state),
        }
    }

    /// Its slices under the active snapshot.
    pub fn visible_slices(&self) -> Result<Slices, Error> {
        match is_identity(self.id) && object::may_have_slices(self.id) {
            true => object::visible(self.id),
            false => Ok(Slices::default()),
        }
    }

    /// The whole state that everything committed and this transaction's own work give; see
    /// [`super::counter::Counter::newest_value`].
    pub fn newest(&self) -> Result<Vec<u8>, Error> {
        if self.id == 0 {
            return Ok(self.state.clone());
        }
        let slices = object::newest(self.id)?;
        with_slices(&self.family, &self.state, slices.states())
    }

    /// The same state as a new object.
    pub fn identified(mut self) -> Result<Self, Error> {
        self.id = object::new_id()?;
        Ok(self)
    }
}

/// A state and all slices beside it. Merging one slice after the other into the whole would copy the whole once for each slice; in pairs, each byte is copied
/// only as often as the number of slices can be halved.
pub fn with_slices(family: &Family, base: &[u8], slices: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let merged_in_pairs = |states: &[Vec<u8>]| -> Result<Vec<Vec<u8>>, Error> {
        let merged = |pair: &[Vec<u8>]| match pair {
            [one, other] => family.merged(one, other),
            alone => Ok(alone.concat()),
        };
        states.chunks(2).map(merged).collect()
    };
    let mut merged = merged_in_pairs(slices)?;
    while merged.len() > 1 {
        merged = merged_in_pairs(&merged)?;
    }
    match merged.first() {
        Some(slices) => family.merged(base, slices),
        None => Ok(base.to_vec()),
    }
}

/// An operation done in the row: the content with `change` merged into it. NULL is the empty content, and changes nothing, but for `OR`
/// and `AND`, which follow SQL's logic of three values.
pub fn in_place(
    family: &Rc<Family>,
    content: Option<Datum>,
    change: Option<Datum>,
) -> Result<Option<Datum>, Error> {
    require_operand(family, content.is_some(), change.is_some())?;
    // SAFETY: both are datums of the family's type.
    let read = |datum| unsafe { Aggregated::from_datum(family.clone(), datum) };
    if let (None, Some(recorded)) = (content, change.map(read))
        && let Some(program) = recorded.recorded()
    {
        let filled = super::elements::filled(family, program)?;
        return match filled.map(|state| Aggregated::unidentified(family.clone(), state)) {
            None => Ok(None),
            Some(filled) => {
                Family::require_room(0, filled.state.len())?;
                Ok(Some(filled.identified()?.into_datum()))
            }
        };
    }
    Ok(match (content, change.map(read)) {
        (content, None) => content,
        (None, Some(change)) => {
            let stays_null =
                logic(family).is_some_and(|absorbing| truth(&change.state) != absorbing);
            match stays_null {
                true => None,
                false => {
                    Family::require_room(0, change.state.len())?;
                    Some(change.identified()?.into_datum())
                }
            }
        }
        (Some(content), Some(change)) => {
            let mut content = read(content);
            let merged = family.merged(&content.state, &change.state)?;
            Family::require_room(content.state.len(), merged.len())?;
            content.state = merged;
            if content.id == 0 {
                content.id = object::new_id()?;
            }
            Some(content.into_datum())
        }
    })
}

/// `c OR NULL` is NULL unless `c` is true: whoever assigns that does not operate.
pub fn require_operand(family: &Family, content: bool, change: bool) -> Result<(), Error> {
    if content && !change && logic(family).is_some() {
        return Err(Error::NullOperand);
    }
    Ok(())
}

/// The operand that decides alone.
fn logic(family: &Family) -> Option<bool> {
    match family.notation {
        Some(Notation::Or) => Some(true),
        Some(Notation::And) => Some(false),
        _ => None,
    }
}

fn truth(state: &[u8]) -> bool {
    state.first().is_some_and(|byte| *byte != 0)
}

/// The content with a change merged into it that was found out under locks on elements.
pub fn with_change(
    family: &Rc<Family>,
    content: Datum,
    change: Option<&[u8]>,
) -> Result<Datum, Error> {
    // SAFETY: a datum of the family's type.
    let mut content = unsafe { Aggregated::from_datum(family.clone(), content) };
    if let Some(change) = change {
        let merged = family.merged(&content.state, change)?;
        Family::require_room(content.state.len(), merged.len())?;
        content.state = merged;
    }
    if content.id == 0 {
        content.id = object::new_id()?;
    }
    Ok(content.into_datum())
}

/// The family that a function is declared for: its result's, or its first argument's.
pub fn family_of(call: Call) -> Result<Rc<Family>, Error> {
    // SAFETY: the call information is PostgreSQL's own.
    let function = unsafe { (*(*call.info()).flinfo).fn_oid };
    let (mut types, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the function exists; the results are ours.
    let candidates = unsafe {
        let result = pg_sys::get_func_signature(function, &mut types, &mut count);
        let first = if count > 0 { *types } else { Oid::INVALID };
        [result, first]
    };
    let family = candidates
        .into_iter()
        .find_map(Family::of)
        .ok_or(Error::NotAggregated)?;
    family.require_states()?;
    Ok(family)
}

/// The family of the `n`-th argument of a polymorphic function.
pub fn family_of_argument(call: Call, n: i32) -> Result<Rc<Family>, Error> {
    // SAFETY: the call information is PostgreSQL's own.
    let type_ = unsafe { pg_sys::get_fn_expr_argtype((*call.info()).flinfo, n) };
    Family::required(type_)
}

/// The `n`-th argument, of the type that the function is declared for.
pub fn content(call: Call, n: usize) -> Result<Aggregated, Error> {
    // SAFETY: declared with this type.
    Ok(unsafe { Aggregated::from_datum(family_of(call)?, call.arg(n)) })
}

/// A value of the state's type as a datum with this identity; 0 for none.
fn made(family: Rc<Family>, value: Datum, id: i64) -> Result<Datum, Error> {
    let state = family.normal(value)?;
    Family::require_room(0, state.len())?;
    let mut content = Aggregated::unidentified(family, state);
    content.id = id;
    Ok(content.into_datum())
}

pg_function!(fn abelian_object_in(call) {
    let family = family_of(call)?;
    let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: an input function takes a C string; the results are ours.
    let value = unsafe {
        pg_sys::getTypeInputInfo(family.text_type, &mut function, &mut parameter);
        pg_sys::OidInputFunctionCall(function, call.arg(0).cast_mut_ptr(), parameter, -1)
    };
    made(family, value, loading::id_of_input(call)?)
});

pg_function!(fn abelian_object_out(call) {
    let content = content(call, 0)?;
    let stored = content.family.written(&content.seen()?)?;
    let (mut function, mut varlena) = (Oid::INVALID, false);
    // SAFETY: the state's own output function.
    unsafe {
        pg_sys::getTypeOutputInfo(content.family.text_type, &mut function, &mut varlena);
        Ok(Datum::from(pg_sys::OidOutputFunctionCall(function, stored)))
    }
});

pg_function!(fn abelian_object_recv(call) {
    let family = family_of(call)?;
    let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: a receive function takes the message; the results are ours.
    let value = unsafe {
        pg_sys::getTypeBinaryInputInfo(family.text_type, &mut function, &mut parameter);
        pg_sys::OidReceiveFunctionCall(function, call.arg(0).cast_mut_ptr(), parameter, -1)
    };
    made(family, value, loading::id_of_input(call)?)
});

pg_function!(fn abelian_object_send(call) {
    let content = content(call, 0)?;
    let stored = content.family.written(&content.seen()?)?;
    let (mut function, mut varlena) = (Oid::INVALID, false);
    // SAFETY: the state's own send function.
    unsafe {
        pg_sys::getTypeBinaryOutputInfo(content.family.text_type, &mut function, &mut varlena);
        Ok(Datum::from(pg_sys::OidSendFunctionCall(function, stored)))
    }
});

pg_function!(
    /// The cast from the value type, where the state is the value.
    fn abelian_object_make(call) {
        made(family_of(call)?, call.arg(0), 0)
    }
);

pg_function!(
    /// The cast to the value type: what the aggregate gives under the active snapshot.
    fn abelian_object_value(call) {
        let content = content(call, 0)?;
        let value = content.family.value(&content.seen()?)?;
        Ok(value.unwrap_or_else(|| call.null()))
    }
);

pg_function!(
    /// The state as it is stored, under the active snapshot: for accessors.
    fn abelian_object_state(call) {
        let content = content(call, 0)?;
        Ok(content.family.stored(&content.seen()?))
    }
);

pg_function!(
    /// `abelian.add(c, ...)`: the aggregate's transition. With NULL for `c`, the change alone.
    fn abelian_object_apply(call) {
        let family = family_of(call)?;
        let before = match call.is_null(0) {
            true => None,
            // SAFETY: declared with this type.
            false => Some(unsafe { Aggregated::from_datum(family.clone(), call.arg(0)) }.seen()?),
        };
        let arguments: Vec<Option<Datum>> = (1..call.len())
            .map(|n| (!call.is_null(n)).then(|| call.arg(n)))
            .collect();
        Ok(match family.apply(before.as_deref(), &arguments)? {
            None => call.null(),
            Some(state) => Aggregated::unidentified(family, state).into_datum(),
        })
    }
);

pg_function!(
    /// `abelian.merged(a, b)`: the two combined as slices are. NULL is the empty state.
    fn abelian_object_merged(call) {
        let family = family_of_argument(call, 0)?;
        // SAFETY: an argument of this type.
        let read = |n: usize| unsafe { Aggregated::from_datum(family.clone(), call.arg(n)) };
        let seen = |n: usize| match call.is_null(n) {
            true => Ok(family.empty().map(<[u8]>::to_vec)),
            false => read(n).seen().map(Some),
        };
        let state = match (seen(0)?, seen(1)?) {
            (Some(a), Some(b)) => Some(family.merged(&a, &b)?),
            (a, b) => a.or(b),
        };
        Ok(match state {
            None => call.null(),
            Some(state) => Aggregated::unidentified(family, state).into_datum(),
        })
    }
);

pg_function!(
    /// The object's id, for views and tests.
    fn abelian_object_id(call) {
        family_of_argument(call, 0)?;
        // SAFETY: the argument is of a type over an aggregate.
        Ok(Datum::from(unsafe { Aggregated::id_of(call.arg(0)) }))
    }
);

pg_function!(
    /// A new object with the value of the given one: what INSERT stores.
    fn abelian_object_copy(call) {
        let family = family_of_argument(call, 0)?;
        // SAFETY: the argument is of this type.
        let mut content = unsafe { Aggregated::from_datum(family, call.arg(0)) };
        content.state = content.seen()?;
        Ok(content.identified()?.into_datum())
    }
);

// Order and equality of objects are those of their values.

fn compare(call: Call) -> Result<Ordering, Error> {
    let family = family_of(call)?;
    let value = |n: usize| -> Result<Option<Datum>, Error> {
        // SAFETY: declared with two arguments of this type.
        let content = unsafe { Aggregated::from_datum(family.clone(), call.arg(n)) };
        family.value(&content.seen()?)
    };
    let (a, b) = (value(0)?, value(1)?);
    if a.is_none() || b.is_none() {
        return Ok(a.is_none().cmp(&b.is_none())); // NULL last
    }
    // SAFETY: an entry of the type cache.
    let function = unsafe {
        let flags = pg_sys::TYPECACHE_CMP_PROC as i32;
        (*pg_sys::lookup_type_cache(family.value_type, flags)).cmp_proc
    };
    let order = aggregate::call(function, &[a, b])?.map_or(0, |datum| datum.value() as i32);
    Ok(order.cmp(&0))
}

pg_function!(fn abelian_object_compare(call) { Ok(Datum::from(compare(call)? as i32)) });
pg_function!(fn abelian_object_lt(call) { Ok(Datum::from(compare(call)?.is_lt())) });
pg_function!(fn abelian_object_le(call) { Ok(Datum::from(compare(call)?.is_le())) });
pg_function!(fn abelian_object_eq(call) { Ok(Datum::from(compare(call)?.is_eq())) });
pg_function!(fn abelian_object_ge(call) { Ok(Datum::from(compare(call)?.is_ge())) });
pg_function!(fn abelian_object_gt(call) { Ok(Datum::from(compare(call)?.is_gt())) });

pg_function!(fn abelian_object_hash(call) {
    let content = content(call, 0)?;
    let family = &content.family;
    // SAFETY: an entry of the type cache.
    let function = unsafe {
        let flags = pg_sys::TYPECACHE_HASH_PROC as i32;
        (*pg_sys::lookup_type_cache(family.value_type, flags)).hash_proc
    };
    let value = family.value(&content.seen()?)?;
    let hash = aggregate::call(function, &[value])?;
    Ok(hash.unwrap_or(Datum::from(0_i32)))
});
