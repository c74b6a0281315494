//! Operations on elements of `set`, `multiset`, `scored_set`, `dict` and `lww_map`: as functions of SQL, and as what they change once it is known what is there.
//!
//! Applied to a value, `abelian.add(c, x)`, `put`, `remove` and the others give the value afterwards. Applied to a recorder, which the plan of an
//! operation has in the place of the column, they write themselves down; [`change`] tells under the locks what they come to.

use super::aggregated::{self, Aggregated};
use super::lww_map;
use super::structures::{finite, finite_in, text, written_as_text};
use crate::aggregate::{Family, Structure};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::varlena::{array_of, content_of};
use abelian_adt::dict;
use abelian_adt::encoding::Encoding;
use abelian_adt::exact::Exact;
use abelian_adt::lww_map::LwwMap;
use abelian_adt::multiset;
use abelian_adt::ordered::Text;
use abelian_adt::program::{Elements, Program};
use abelian_adt::scored_set;
use abelian_adt::set;
use pgrx::pg_sys::{Datum, VARHDRSZ};
use std::rc::Rc;

/// What a function does to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Add,
    AddAll,
    Put,
    PutGreater,
    PutIfAbsent,
    PutLess,
    Remove,
}

fn written<D: Elements>(operation: D::Operation) -> Vec<u8> {
    all_written::<D>(vec![operation])
}

fn all_written<D: Elements>(operations: Vec<D::Operation>) -> Vec<u8> {
    let mut program = Vec::new();
    Program::<D>::new(operations).write(&mut program);
    program
}

/// The operations that a call asks for; none of its arguments is NULL.
fn program(structure: Structure, method: Method, call: Call) -> Result<Vec<u8>, Error> {
    if method == Method::AddAll {
        return additions(structure, call);
    }
    match structure {
        Structure::Set => on_set(method, call),
        Structure::Multiset => on_multiset(method, call),
        Structure::ScoredSet => on_scored_set(method, call),
        Structure::Dict => on_dict(method, call),
        Structure::LwwMap => Ok(written::<LwwMap>(match method {
            Method::Put => lww_map::put(call)?,
            Method::Remove => lww_map::remove(call)?,
            _ => return Err(Error::NoSuchOperation),
        })),
    }
}

fn on_set(method: Method, call: Call) -> Result<Vec<u8>, Error> {
    use set::Operation::{Add, Remove};
    let x = written_as_text(call.arg(1), call.declared(1));
    Ok(written::<set::Set>(match method {
        Method::Add => Add(x),
        Method::Remove => Remove(x),
        _ => return Err(Error::NoSuchOperation),
    }))
}

fn on_multiset(method: Method, call: Call) -> Result<Vec<u8>, Error> {
    use multiset::Operation::{Add, Remove};
    let x = text(call, 1);
    Ok(written::<multiset::Multiset>(match method {
        Method::Add => Add(x, call.i64(2)),
        Method::Remove => Remove(x, call.i64(2)),
        _ => return Err(Error::NoSuchOperation),
    }))
}

fn on_scored_set(method: Method, call: Call) -> Result<Vec<u8>, Error> {
    use scored_set::Operation::{Add, Put, PutGreater, PutLess, Remove};
    let x = text(call, 1);
    let scored: fn(Text, Exact) -> scored_set::Operation = match method {
        Method::Add => Add,
        Method::Put => Put,
        Method::PutGreater => PutGreater,
        Method::PutLess => PutLess,
        Method::Remove => return Ok(written::<scored_set::ScoredSet>(Remove(x))),
        Method::AddAll | Method::PutIfAbsent => return Err(Error::NoSuchOperation),
    };
    Ok(written::<scored_set::ScoredSet>(scored(
        x,
        finite(call, 2)?,
    )))
}

fn on_dict(method: Method, call: Call) -> Result<Vec<u8>, Error> {
    use dict::Operation::{Put, PutIfAbsent, Remove};
    let x = text(call, 1);
    Ok(written::<dict::Dict>(match method {
        Method::Put => Put(x, text(call, 2)),
        Method::PutIfAbsent => PutIfAbsent(x, text(call, 2)),
        Method::Remove => Remove(x),
        _ => return Err(Error::NoSuchOperation),
    }))
}

/// Additions of all elements of arrays, side by side; elements that are NULL, or whose number is, add nothing.
fn additions(structure: Structure, call: Call) -> Result<Vec<u8>, Error> {
    let (elements, type_) = array_of(call.arg(1));
    let texts = || {
        let present = elements.iter().flatten();
        present.map(|x| written_as_text(*x, type_))
    };
    Ok(match structure {
        Structure::Set => all_written::<set::Set>(texts().map(set::Operation::Add).collect()),
        Structure::Multiset => all_written::<multiset::Multiset>(
            texts().map(|x| multiset::Operation::Add(x, 1)).collect(),
        ),
        Structure::ScoredSet => {
            let (scores, _) = array_of(call.arg(2));
            if scores.len() != elements.len() {
                return Err(Error::LengthsDiffer);
            }
            let pairs = elements.iter().zip(&scores);
            let additions = pairs
                .filter_map(|(x, n)| Some(((*x)?, (*n)?)))
                .map(|(x, n)| Ok(scored_set::Operation::Add(content_of(x), finite_in(n)?)));
            all_written::<scored_set::ScoredSet>(additions.collect::<Result<_, Error>>()?)
        }
        Structure::Dict | Structure::LwwMap => return Err(Error::NoSuchOperation),
    })
}

/// The state of an object as the algebra writes it: what follows the length in the image of a `bytea`.
pub fn bytes(state: &[u8]) -> &[u8] {
    state.get(VARHDRSZ..).unwrap_or_default()
}

/// The other way.
fn state(bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() + VARHDRSZ) as u32;
    // Two bits tell of what kind the length is.
    let length = match cfg!(target_endian = "big") {
        true => size,
        false => size << 2,
    };
    [&length.to_ne_bytes(), bytes].concat()
}

/// The state of a set as the algebra has it.
pub fn set_of(state: &[u8]) -> Result<set::Additions, Error> {
    Ok(set::Additions::decode(bytes(state))?)
}

fn structure(family: &Family) -> Result<Structure, Error> {
    family.structure.ok_or(Error::NoSuchOperation)
}

/// What all parts together know of the elements on which the operations depend. Equal bytes: equal knowledge.
pub fn known(
    family: &Family,
    program: &[u8],
    base: &[u8],
    slices: &[Vec<u8>],
) -> Result<Vec<u8>, Error> {
    let parts = parts(base, slices);
    structure(family)?.known(program, parts)
}

/// The same of one element.
pub fn known_of(
    family: &Family,
    element: &[u8],
    base: &[u8],
    slices: &[Vec<u8>],
) -> Result<Vec<u8>, Error> {
    let parts = parts(base, slices);
    structure(family)?.known_of(element, parts)
}

/// Whether the operations change nothing in an object of these parts.
pub fn is_idle(
    family: &Family,
    program: &[u8],
    base: &[u8],
    slices: &[Vec<u8>],
) -> Result<bool, Error> {
    let parts = parts(base, slices);
    structure(family)?.is_idle(program, parts)
}

fn parts<'a>(base: &'a [u8], slices: &'a [Vec<u8>]) -> impl Iterator<Item = &'a [u8]> {
    let slices = slices.iter().map(Vec::as_slice);
    std::iter::once(base).chain(slices).map(bytes)
}

/// The state that the operations merge into the part that is written; `None` if they change nothing.
pub fn change(family: &Family, program: &[u8], known: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let change = structure(family)?.change(program, known)?;
    Ok(change.map(|change| state(&change)))
}

/// The state that the operations make of NULL, which stays NULL if there is nothing to put in.
pub fn filled(family: &Family, program: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if !structure(family)?.fills(program)? {
        return Ok(None);
    }
    let empty = family.empty().ok_or(Error::NoState)?;
    after(family, program, empty).map(Some)
}

/// A whole state after the operations.
fn after(family: &Family, program: &[u8], whole: &[u8]) -> Result<Vec<u8>, Error> {
    let known = known(family, program, whole, &[])?;
    match change(family, program, &known)? {
        None => Ok(whole.to_vec()),
        Some(change) => family.merged(whole, &change),
    }
}

/// `f(c, x, ...)`. NULL for an argument changes nothing.
fn operate(call: Call, method: Method) -> Result<Datum, Error> {
    let family: Rc<Family> = aggregated::family_of(call)?;
    let unchanged = || {
        if call.is_null(0) {
            call.null()
        } else {
            call.arg(0)
        }
    };
    if (1..call.len()).any(|n| call.is_null(n)) {
        return Ok(unchanged());
    }
    let program = program(structure(&family)?, method, call)?;
    if call.is_null(0) {
        return Ok(match filled(&family, &program)? {
            None => call.null(),
            Some(state) => Aggregated::unidentified(family, state).into_datum(),
        });
    }
    // SAFETY: declared with this type.
    let mut content = unsafe { Aggregated::from_datum(family.clone(), call.arg(0)) };
    if content.recorded().is_some() {
        content.state.extend(program);
        return Ok(content.into_datum());
    }
    let state = after(&family, &program, &content.seen()?)?;
    Ok(Aggregated::unidentified(family, state).into_datum())
}

pg_function!(
    /// Puts an element in, or adds to it.
    fn abelian_element_add(call) { operate(call, Method::Add) }
);
pg_function!(
    /// Puts several elements in, or adds to them.
    fn abelian_element_add_all(call) { operate(call, Method::AddAll) }
);
pg_function!(
    /// Gives an element, or a key, a value.
    fn abelian_element_put(call) { operate(call, Method::Put) }
);
pg_function!(
    /// The same, if the value is greater than the one that is there.
    fn abelian_element_put_greater(call) { operate(call, Method::PutGreater) }
);
pg_function!(
    /// The same, if none is there.
    fn abelian_element_put_if_absent(call) { operate(call, Method::PutIfAbsent) }
);
pg_function!(
    /// The same, if the value is less than the one that is there.
    fn abelian_element_put_less(call) { operate(call, Method::PutLess) }
);
pg_function!(
    /// Takes an element out.
    fn abelian_element_remove(call) { operate(call, Method::Remove) }
);
