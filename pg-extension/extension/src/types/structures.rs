//! The states of `abelian.set`, `multiset`, `scored_set`, `dict`, `ordered_put` and `summary_bag`: the algebra of `abelian_adt` as the functions of
//! aggregates over `bytea`. Beside it [`super::lww_map`] and [`super::boards`]. What the types are made of beside that is SQL, in the install script.

use crate::aggregate::is_input;
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::varlena::{array_of, bytea_of, content_of};
use abelian_adt::Merge;
use abelian_adt::data_type::DataType;
use abelian_adt::dict::{self, Dict};
use abelian_adt::encoding::{Encoding, Unmergeable};
use abelian_adt::exact::Exact;
use abelian_adt::multiset::{self, Multiset};
use abelian_adt::numeric::Numeric;
use abelian_adt::ordered::Text;
use abelian_adt::ordered_put::OrderedPut;
use abelian_adt::program::Parts;
use abelian_adt::scored_set::{self, ScoredSet};
use abelian_adt::set::{self, Set};
use abelian_adt::summary_bag::{self, Answer, Population, Query, Quotient, SummaryBag};
use pgrx::pg_sys::{self, Datum};
use std::ffi::{CStr, CString};
use std::fmt::Display;

/// Orders are numbers.
type Newest = OrderedPut<Numeric>;

pub(super) fn decoded<S: Encoding>(call: Call, n: usize) -> Result<S, Error> {
    S::decode(&content_of(call.arg(n))).map_err(|why| unusable(call, why.into()))
}

/// Stored states are damaged if they cannot be read; others were never states.
pub(super) fn unusable(call: Call, why: Unmergeable) -> Error {
    match why {
        Unmergeable::Corrupt(why) if call.is_direct() || is_input() => Error::NotAState(why),
        why => why.into(),
    }
}

pub(super) fn encoded(state: &impl Encoding) -> Datum {
    let mut bytes = Vec::new();
    state.encode(&mut bytes);
    bytea_of(&bytes)
}

/// The state in the first argument after a blind operation.
pub(super) fn stepped<D: DataType>(call: Call, operation: &D::Operation) -> Result<Datum, Error> {
    let mut change = Vec::new();
    D::change(operation, None)?.encode(&mut change);
    let state = D::State::merge_encoded(&content_of(call.arg(0)), &change)
        .map_err(|why| unusable(call, why))?;
    Ok(bytea_of(&state))
}

/// The state of many blind operations at once.
pub(super) fn built<D: DataType>(
    operations: impl Iterator<Item = Result<D::Operation, Error>>,
) -> Result<Datum, Error> {
    let changes = operations.map(|operation| Ok(D::change(&operation?, None)?));
    let changes = changes.collect::<Result<Vec<D::State>, Error>>()?;
    let state = D::State::merge_all(changes).ok_or(Error::OutOfRange)?;
    Ok(encoded(&state))
}

/// The pairs of two arrays in the first two arguments; those with a NULL are left out.
pub(super) fn pairs(call: Call) -> Result<impl Iterator<Item = (Datum, Datum)>, Error> {
    let ((first, _), (second, _)) = (array_of(call.arg(0)), array_of(call.arg(1)));
    if first.len() != second.len() {
        return Err(Error::LengthsDiffer);
    }
    let pairs = first.into_iter().zip(second);
    Ok(pairs.filter_map(|(a, b)| Some((a?, b?))))
}

pub(super) fn merged<D: DataType>(call: Call) -> Result<Datum, Error> {
    let state = D::State::merge_encoded(&content_of(call.arg(0)), &content_of(call.arg(1)))
        .map_err(|why| unusable(call, why))?;
    Ok(bytea_of(&state))
}

pub(super) fn text(call: Call, n: usize) -> Text {
    content_of(call.arg(n))
}

/// An element of a set in the form in which the state keeps it. The types of which there are sets write equal values alike, whatever is set.
pub(super) fn written_as_text(element: Datum, type_: pg_sys::Oid) -> Text {
    if type_ == pg_sys::TEXTOID {
        return content_of(element);
    }
    let (mut function, mut is_varlena) = (pg_sys::Oid::INVALID, false);
    // SAFETY: a datum of the type; the output is a C string.
    unsafe {
        pg_sys::getTypeOutputInfo(type_, &mut function, &mut is_varlena);
        let text = pg_sys::OidOutputFunctionCall(function, element);
        CStr::from_ptr(text).to_bytes().to_vec()
    }
}

/// These bytes as a `text`, which has the form of a `bytea`; 22021 as for [`verify`].
pub(super) fn text_of(bytes: &[u8]) -> Datum {
    verify(bytes);
    bytea_of(bytes)
}

/// Raises 22021 where bytes are no text in the database's encoding: a state may have been written by anybody, and in another database.
fn verify(bytes: &[u8]) {
    // SAFETY: as many bytes as said.
    unsafe { pg_sys::pg_verifymbstr(bytes.as_ptr().cast(), bytes.len() as i32, false) };
}

pub(super) fn numeric(call: Call, n: usize) -> Result<Numeric, Error> {
    numeric_in(call.arg(n))
}

pub(super) fn numeric_in(datum: Datum) -> Result<Numeric, Error> {
    // SAFETY: declared with a numeric; its output is ASCII.
    let written = unsafe {
        let text = pgrx::direct_function_call::<&CStr>(pg_sys::numeric_out, &[Some(datum)]);
        text.map(|text| text.to_string_lossy().into_owned())
    };
    written
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Error::Internal("numeric_out gave no number".into()))
}

pub(super) fn finite(call: Call, n: usize) -> Result<Exact, Error> {
    finite_in(call.arg(n))
}

/// The number in a `numeric`.
pub(super) fn finite_in(datum: Datum) -> Result<Exact, Error> {
    match numeric_in(datum)? {
        Numeric::Finite(number) => Ok(number),
        _ => Err(abelian_adt::data_type::Refused::NotFinite.into()),
    }
}

/// The number as a `numeric`.
pub(super) fn numeric_of(number: &impl Display) -> Result<Datum, Error> {
    let text = CString::new(number.to_string()).unwrap_or_default();
    let no_modifier = Datum::from(-1_i32);
    // SAFETY: numeric_in(cstring, oid, int4); the text outlives the call.
    unsafe {
        let text = Datum::from(text.as_ptr());
        pgrx::direct_function_call_as_datum(
            pg_sys::numeric_in,
            &[Some(text), Some(Datum::null()), Some(no_modifier)],
        )
    }
    .ok_or_else(|| Error::Internal("numeric_in gave NULL".into()))
}

/// JSON under construction, in the encoding of the database.
#[derive(Default)]
pub(super) struct Json(Vec<u8>);

impl Json {
    pub(super) fn raw(&mut self, text: impl Display) -> &mut Self {
        self.0.extend(text.to_string().bytes());
        self
    }

    pub(super) fn string(&mut self, text: &[u8]) -> &mut Self {
        self.0.push(b'"');
        for byte in text {
            match byte {
                b'"' | b'\\' => self.0.extend([b'\\', *byte]),
                0..0x20 => self.0.extend(format!("\\u{byte:04x}").bytes()),
                _ => self.0.push(*byte),
            }
        }
        self.0.push(b'"');
        self
    }

    /// Infinities and `NaN` have no number in JSON.
    pub(super) fn number(&mut self, number: &Numeric) -> &mut Self {
        match number {
            Numeric::Finite(exact) => self.raw(exact),
            other => self.string(other.to_string().as_bytes()),
        }
    }

    /// Keys and values, which are JSON already.
    pub(super) fn object<'a>(entries: impl Iterator<Item = (&'a Text, impl AsRef<[u8]>)>) -> Self {
        let mut json = Json::default();
        json.raw("{");
        for (place, (key, value)) in entries.enumerate() {
            json.raw(if place == 0 { "" } else { "," });
            json.string(key).raw(":").0.extend(value.as_ref());
        }
        json.raw("}");
        json
    }

    /// As a `jsonb`.
    pub(super) fn into_datum(self) -> Result<Datum, Error> {
        verify(&self.0);
        let text = CString::new(self.0).map_err(|_| Error::Internal("a text with NUL".into()))?;
        // SAFETY: jsonb_in takes a C string, which outlives the call.
        unsafe {
            let text = Datum::from(text.as_ptr());
            pgrx::direct_function_call_as_datum(pg_sys::jsonb_in, &[Some(text)])
        }
        .ok_or_else(|| Error::Internal("jsonb_in gave NULL".into()))
    }
}

pg_function!(fn abelian_set_empty(_call) { Ok(encoded(&<Set as DataType>::State::identity())) });
pg_function!(fn abelian_set_merge(call) { merged::<Set>(call) });
pg_function!(fn abelian_set_step(call) { stepped::<Set>(call, &set::Operation::Add(text(call, 1))) });
pg_function!(
    /// The set of the elements of an array.
    fn abelian_set_from_array(call) {
        let (elements, type_) = array_of(call.arg(0));
        let elements = elements.into_iter().flatten();
        built::<Set>(elements.map(|x| Ok(set::Operation::Add(written_as_text(x, type_)))))
    }
);
pg_function!(
    /// The elements in the order of their bytes, as `text[]`.
    fn abelian_set_value(call) {
        let state: set::Additions = decoded(call, 0)?;
        let mut elements: Vec<Datum> = state.elements().map(|element| text_of(element)).collect();
        // SAFETY: as many texts as the length says; text is a varlena aligned to 4 bytes.
        Ok(unsafe {
            Datum::from(pg_sys::construct_array(
                elements.as_mut_ptr(),
                elements.len() as i32,
                pg_sys::TEXTOID,
                -1,
                false,
                b'i' as std::ffi::c_char,
            ))
        })
    }
);

pg_function!(fn abelian_multiset_empty(_call) { Ok(encoded(&<Multiset as DataType>::State::identity())) });
pg_function!(fn abelian_multiset_merge(call) { merged::<Multiset>(call) });
pg_function!(fn abelian_multiset_step(call) {
    stepped::<Multiset>(call, &multiset::Operation::Add(text(call, 1), call.i64(2)))
});
pg_function!(
    /// The state of elements and their counts.
    fn abelian_multiset_from_arrays(call) {
        let pairs = pairs(call)?;
        built::<Multiset>(pairs.map(|(x, n)| Ok(multiset::Operation::Add(content_of(x), n.value() as i64))))
    }
);
pg_function!(
    /// Elements and counts, as `jsonb`.
    fn abelian_multiset_value(call) {
        let counts = Multiset::value(&decoded(call, 0)?);
        Json::object(counts.iter().map(|(element, count)| (element, count.to_string()))).into_datum()
    }
);

pg_function!(fn abelian_scored_set_empty(_call) { Ok(encoded(&<ScoredSet as DataType>::State::identity())) });
pg_function!(fn abelian_scored_set_merge(call) { merged::<ScoredSet>(call) });
pg_function!(fn abelian_scored_set_step(call) {
    stepped::<ScoredSet>(call, &scored_set::Operation::Add(text(call, 1), finite(call, 2)?))
});
pg_function!(
    /// The state of elements and their scores.
    fn abelian_scored_set_from_arrays(call) {
        let pairs = pairs(call)?;
        built::<ScoredSet>(pairs.map(|(x, n)| Ok(scored_set::Operation::Add(content_of(x), finite_in(n)?))))
    }
);
pg_function!(
    /// Elements and scores, as `jsonb`.
    fn abelian_scored_set_value(call) {
        let scores = ScoredSet::value(&decoded(call, 0)?);
        Json::object(scores.iter().map(|(element, score)| (element, score.to_string()))).into_datum()
    }
);

pg_function!(fn abelian_dict_empty(_call) { Ok(encoded(&<Dict as DataType>::State::identity())) });
pg_function!(fn abelian_dict_merge(call) { merged::<Dict>(call) });
pg_function!(
    /// The state with a key put: what depends on the key's version.
    fn abelian_dict_step(call) {
        let before = content_of(call.arg(0));
        let key = text(call, 1);
        let known = dict::Mapping::part(&before, &key)?;
        let mut change = Vec::new();
        Dict::change(&dict::Operation::Put(key, text(call, 2)), Some(&known))?.encode(&mut change);
        let state = dict::Mapping::merge_encoded(&before, &change).map_err(|why| unusable(call, why))?;
        Ok(bytea_of(&state))
    }
);
pg_function!(
    /// The state of keys, no two of which are the same, and their values.
    fn abelian_dict_from_arrays(call) {
        let put = |(key, value)| dict::Operation::Put(content_of(key), content_of(value));
        let empty = dict::Mapping::identity();
        let changes = pairs(call)?.map(|pair| Dict::change(&put(pair), Some(&empty)));
        let changes = changes.collect::<Result<Vec<_>, _>>()?;
        Ok(encoded(&dict::Mapping::merge_all(changes).ok_or(Error::OutOfRange)?))
    }
);
pg_function!(
    /// Keys and values, as `jsonb`.
    fn abelian_dict_value(call) {
        let state: dict::Mapping = decoded(call, 0)?;
        let mut json = Json::default();
        json.raw("{");
        for (place, (key, value)) in state.iter().enumerate() {
            json.raw(if place == 0 { "" } else { "," });
            json.string(key).raw(":").string(value);
        }
        json.raw("}");
        json.into_datum()
    }
);

pg_function!(fn abelian_ordered_put_empty(_call) { Ok(encoded(&<Newest as DataType>::State::identity())) });
pg_function!(fn abelian_ordered_put_merge(call) { merged::<Newest>(call) });
pg_function!(
    /// Not strict: the payload may be NULL, and a NULL order puts nothing.
    fn abelian_ordered_put_step(call) {
        if call.is_null(0) || call.is_null(1) {
            return Ok(if call.is_null(0) { call.null() } else { call.arg(0) });
        }
        let payload = (!call.is_null(2)).then(|| text(call, 2));
        stepped::<Newest>(call, &abelian_adt::extremum::Put((numeric(call, 1)?, payload)))
    }
);
pg_function!(
    /// The payload.
    fn abelian_ordered_put_value(call) {
        let payload = Newest::value(&decoded(call, 0)?).and_then(|(_, payload)| payload);
        Ok(payload.map_or_else(|| call.null(), |payload| text_of(&payload)))
    }
);
pg_function!(
    /// Its order.
    fn abelian_ordered_put_order(call) {
        match Newest::value(&decoded(call, 0)?) {
            Some((order, _)) => numeric_of(&order),
            None => Ok(call.null()),
        }
    }
);

pg_function!(fn abelian_summary_bag_empty(_call) { Ok(encoded(&<SummaryBag as DataType>::State::identity())) });
pg_function!(fn abelian_summary_bag_merge(call) { merged::<SummaryBag>(call) });
pg_function!(fn abelian_summary_bag_step(call) { stepped::<SummaryBag>(call, &summary_bag::Add(numeric(call, 1)?)) });
pg_function!(
    /// One of the figures as a `numeric`: count, sum, mean, var_pop, var_samp, min, max.
    fn abelian_summary_bag_figure(call) {
        let name = text(call, 1);
        let query = match name.as_slice() {
            b"count" => Query::Count,
            b"sum" => Query::Sum,
            b"mean" => Query::Mean,
            b"var_pop" => Query::Variance(Population::Whole),
            b"var_samp" => Query::Variance(Population::Sample),
            b"min" => Query::Min,
            b"max" => Query::Max,
            _ => return Err(Error::UnknownFigure),
        };
        match SummaryBag::answer(&decoded(call, 0)?, &query) {
            Answer::Count(count) => numeric_of(&count),
            Answer::Number(Some(number)) => numeric_of(&number),
            Answer::Quotient(Some(Quotient { numerator, denominator })) => {
                let parts = [Some(numeric_of(&numerator)?), Some(numeric_of(&denominator)?)];
                // SAFETY: two numerics; the denominator is positive.
                unsafe { pgrx::direct_function_call_as_datum(pg_sys::numeric_div, &parts) }
                    .ok_or_else(|| Error::Internal("numeric_div gave NULL".into()))
            }
            Answer::Number(None) | Answer::Quotient(None) => Ok(call.null()),
        }
    }
);
