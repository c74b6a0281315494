//! The states of `abelian.top_k`, `bottom_k`, `top_items` and `bottom_items` as the functions of aggregates over `bytea`. Scores are numbers.

use super::queries::{limit, seen};
use super::structures::{
    Json, built, decoded, encoded, merged, numeric, numeric_in, numeric_of, pairs, stepped, text,
    text_of,
};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::varlena::content_of;
use abelian_adt::Merge;
use abelian_adt::data_type::{DataType, Refused};
use abelian_adt::numeric::Numeric;
use abelian_adt::top_k::{
    Add, Best, Board, GreatestItems, GreatestPairs, LeastItems, LeastPairs, Ranking,
};
use pgrx::pg_sys::Datum;
use std::cmp::Reverse;

/// A score that is a number, the greatest or the least of which is the best.
trait Score {
    fn of(number: Numeric) -> Self;

    fn number(&self) -> &Numeric;
}

impl Score for Numeric {
    fn of(number: Numeric) -> Self {
        number
    }

    fn number(&self) -> &Numeric {
        self
    }
}

impl Score for Reverse<Numeric> {
    fn of(number: Numeric) -> Self {
        Reverse(number)
    }

    fn number(&self) -> &Numeric {
        &self.0
    }
}

/// The state with a pair added.
fn with<R: Ranking<Score: Score>>(call: Call) -> Result<Datum, Error> {
    let pair = Add(R::Score::of(numeric(call, 1)?), text(call, 2));
    stepped::<Board<R>>(call, &pair)
}

/// The state of scores and their items.
fn of_all<R: Ranking<Score: Score>>(call: Call) -> Result<Datum, Error> {
    let pairs = pairs(call)?;
    built::<Board<R>>(pairs.map(|(score, item)| {
        let score = R::Score::of(numeric_in(score)?);
        Ok(Add(score, content_of(item)))
    }))
}

/// The state with at most so many pairs.
fn cut<R: Ranking>(call: Call) -> Result<Datum, Error> {
    let state: Best<R> = decoded(call, 0)?;
    let k = u32::try_from(call.i32(1)).ok().filter(|k| *k > 0);
    let best = Best::none(k.ok_or(Refused::NotPositive)?);
    Ok(encoded(&best.merge(&state).ok_or(Error::NoState)?))
}

/// k, and the pairs, the best first, as `jsonb`.
fn value<R: Ranking<Score: Score>>(call: Call) -> Result<Datum, Error> {
    let state: Best<R> = decoded(call, 0)?;
    let mut json = Json::default();
    json.raw("{\"k\":");
    match state.k() {
        u32::MAX => json.raw("null"),
        k => json.raw(k),
    };
    json.raw(",").string(R::BEST.as_bytes()).raw(":[");
    for (place, (score, item)) in state.pairs().enumerate() {
        json.raw(if place == 0 { "" } else { "," });
        json.raw("{\"score\":").number(score.number());
        json.raw(",\"item\":").string(item).raw("}");
    }
    json.raw("]}");
    json.into_datum()
}

/// The pairs of a board, the best first, at most so many if the second argument says how many.
fn best<R: Ranking<Score: Score>>(call: Call) -> Result<Datum, Error> {
    let rows = call.rows();
    let limit = limit(call, 1)?;
    if !call.is_null(0) {
        let state: Best<R> = seen(call, 0)?;
        for (score, item) in state.pairs().take(limit) {
            rows.add(&[Some(numeric_of(score.number())?), Some(text_of(item))]);
        }
    }
    Ok(call.null())
}

/// The functions of a type.
macro_rules! board {
    ($ranking:ident, $empty:ident, $merge:ident, $step:ident, $from_arrays:ident, $cut:ident, $slice:ident, $value:ident, $best:ident) => {
        pg_function!(fn $empty(_call) { Ok(encoded(&Best::<$ranking<Numeric>>::identity())) });
        pg_function!(fn $merge(call) { merged::<Board<$ranking<Numeric>>>(call) });
        pg_function!(fn $step(call) { with::<$ranking<Numeric>>(call) });
        pg_function!(fn $from_arrays(call) { of_all::<$ranking<Numeric>>(call) });
        pg_function!(fn $cut(call) { cut::<$ranking<Numeric>>(call) });
        pg_function!(
            /// What a slice of an object with this base begins with.
            fn $slice(call) {
                Ok(encoded(&Board::<$ranking<Numeric>>::new_slice(&decoded(call, 0)?)))
            }
        );
        pg_function!(fn $value(call) { value::<$ranking<Numeric>>(call) });
        pg_function!(fn $best(call) { best::<$ranking<Numeric>>(call) });
    };
}

board!(
    GreatestPairs,
    abelian_top_k_empty,
    abelian_top_k_merge,
    abelian_top_k_step,
    abelian_top_k_from_arrays,
    abelian_top_k_cut,
    abelian_top_k_slice,
    abelian_top_k_value,
    abelian_top_k_best
);
board!(
    LeastPairs,
    abelian_bottom_k_empty,
    abelian_bottom_k_merge,
    abelian_bottom_k_step,
    abelian_bottom_k_from_arrays,
    abelian_bottom_k_cut,
    abelian_bottom_k_slice,
    abelian_bottom_k_value,
    abelian_bottom_k_best
);
board!(
    GreatestItems,
    abelian_top_items_empty,
    abelian_top_items_merge,
    abelian_top_items_step,
    abelian_top_items_from_arrays,
    abelian_top_items_cut,
    abelian_top_items_slice,
    abelian_top_items_value,
    abelian_top_items_best
);
board!(
    LeastItems,
    abelian_bottom_items_empty,
    abelian_bottom_items_merge,
    abelian_bottom_items_step,
    abelian_bottom_items_from_arrays,
    abelian_bottom_items_cut,
    abelian_bottom_items_slice,
    abelian_bottom_items_value,
    abelian_bottom_items_best
);
