//! What SQL asks the objects of collections. A question about one element reads that element's part of the state and passes over the rest;
//! none makes `jsonb` of the whole value first. Beside it [`super::boards`] and [`super::lww_map`].

use super::structures::{numeric_of, text, text_of, unusable};
use super::{aggregated, elements};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::varlena::content_of;
use abelian_adt::data_type::DataType;
use abelian_adt::dict::Mapping;
use abelian_adt::encoding::Encoding;
use abelian_adt::multiset::Multiset;
use abelian_adt::program::Parts;
use abelian_adt::scored_set::ScoredSet;
use abelian_adt::set::Set;
use pgrx::pg_sys::Datum;

type Scores = <ScoredSet as DataType>::State;

/// The bytes of an object's state, under the active snapshot.
fn stored(call: Call, n: usize) -> Result<Vec<u8>, Error> {
    let object = aggregated::content(call, n)?;
    Ok(content_of(object.family.stored(&object.seen()?)))
}

/// The state of an object, under the active snapshot.
pub(super) fn seen<S: Encoding>(call: Call, n: usize) -> Result<S, Error> {
    S::decode(&stored(call, n)?).map_err(|why| unusable(call, why.into()))
}

/// What the object in the first argument knows of the element in the second, and the element.
fn part<S: Parts>(call: Call) -> Result<(S, Vec<u8>), Error> {
    let element = text(call, 1);
    let object = aggregated::content(call, 0)?;
    let slices = object.visible_slices()?;
    let known = elements::known_of(&object.family, &element, object.base()?, slices.states())?;
    let part = S::decode(&known).map_err(|why| unusable(call, why.into()))?;
    Ok((part, element))
}

/// How many rows are wanted, as of LIMIT: all if it is NULL.
pub(super) fn limit(call: Call, n: usize) -> Result<usize, Error> {
    if call.is_null(n) {
        return Ok(usize::MAX);
    }
    usize::try_from(call.i32(n)).map_err(|_| Error::NegativeLimit)
}

fn answer(call: Call, value: Option<Datum>) -> Datum {
    value.unwrap_or_else(|| call.null())
}

pg_function!(
    /// `abelian.contains(set, text)`
    fn abelian_set_contains(call) {
        let (state, element) = part::<<Set as DataType>::State>(call)?;
        Ok(Datum::from(state.contains(&element)))
    }
);

pg_function!(
    /// `abelian.count(multiset, text)`
    fn abelian_multiset_count(call) {
        let (state, element) = part::<<Multiset as DataType>::State>(call)?;
        let count = i64::try_from(state.count(&element)).map_err(|_| Error::OutOfRange)?;
        Ok(Datum::from(count))
    }
);

pg_function!(
    /// `abelian.contains(multiset, text)`
    fn abelian_multiset_contains(call) {
        let (state, element) = part::<<Multiset as DataType>::State>(call)?;
        Ok(Datum::from(state.count(&element) > 0))
    }
);

pg_function!(
    /// `abelian.score(scored_set, text)`
    fn abelian_scored_set_score(call) {
        let (state, element) = part::<Scores>(call)?;
        let score = state.score(&element).map(numeric_of).transpose()?;
        Ok(answer(call, score))
    }
);

pg_function!(
    /// `abelian.contains(scored_set, text)`
    fn abelian_scored_set_contains(call) {
        let (state, element) = part::<Scores>(call)?;
        Ok(Datum::from(state.score(&element).is_some()))
    }
);

pg_function!(
    /// `abelian.top(scored_set, n)`: the elements with the greatest scores, those of equal score by element.
    fn abelian_scored_set_top(call) {
        let rows = call.rows();
        let limit = limit(call, 1)?;
        let state: Scores = seen(call, 0)?;
        for (element, score) in state.ranking().into_iter().take(limit) {
            rows.add(&[Some(text_of(element)), Some(numeric_of(score)?)]);
        }
        Ok(call.null())
    }
);

pg_function!(
    /// `abelian.get(dict, text)`
    fn abelian_dict_get(call) {
        let (state, key) = part::<Mapping>(call)?;
        Ok(answer(call, state.get(&key).map(|value| text_of(value))))
    }
);

pg_function!(
    /// `abelian.contains(dict, text)`
    fn abelian_dict_contains(call) {
        let (state, key) = part::<Mapping>(call)?;
        Ok(Datum::from(state.get(&key).is_some()))
    }
);
