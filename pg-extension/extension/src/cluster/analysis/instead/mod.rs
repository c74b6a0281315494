//! What a router runs instead of a statement: it in other words, over values or rows that come first, or in parts. Each way has the facts of what
//! then runs.

mod gathered;
mod ours;
mod steps;

use super::super::settings;
use super::given_rows::Given;
use super::relation::Placement;
use super::scope::Scopes;
use super::{
    below_view, blind, changed, changing_calls, drawn, inlined, insert_select, kept_value,
    known_before, locked, made, merge, one_match, over_tables, overriding, parser, read_first,
    row_places, set_default, temporary_view,
};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::ops::Range;

pub use gathered::{describe_calling_source, describe_gathered, describe_stored};
pub use ours::{is_inside, is_over_arrays};
pub use steps::{
    describe_changes, describe_changes_before, describe_locked_join, describe_merge_steps,
};

use ours::{described, facts_of};

/// How a statement runs with the bodies of functions in the places of their calls; what cannot be said in other words stays as it is.
pub fn describe_inlined(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    // An error of a body comes when it runs.
    let Ok(Some(inlined)) = boundary::attempt(|| inlined::find(query)) else {
        return Ok(());
    };
    inlined.check_rights()?;
    put_inlined(facts, described_alike(query, inlined.query, parameters));
    Ok(())
}

/// The statement in other words, if these give columns of the same types.
fn described_alike(
    query: &pg_sys::Query,
    words: &'static mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<Option<(String, Json)>, PostgresError> {
    boundary::attempt(|| {
        let (text, inner) = described(words, parameters)?;
        let types = merge::build::result_types(&text, parameters)?;
        Ok((types == merge::build::types_of(query)).then_some((text, inner)))
    })
}

/// Such words, if there are some; without them, the statement stays as it is.
fn put_inlined(facts: &mut Json, described: Result<Option<(String, Json)>, PostgresError>) {
    if let Ok(Some((text, inner))) = described {
        facts["inlined"] = json!({ "text": text, "count": 0, "facts": inner });
    }
}

/// How a statement runs in words that mean the same on several nodes: an INSERT of VALUES that are several rows, rows that are found by ctid.
pub fn describe_in_words(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) {
    let described = boundary::attempt(|| {
        insert_select::of_series(query)
            .or_else(|| row_places::by_keys(query))
            .map(|words| described(words, parameters))
            .transpose()
    });
    put_inlined(facts, described);
}

/// How a statement runs that changes rows through a view, without the view; what cannot be said in other words stays as it is.
pub fn describe_below_view(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) {
    if let Ok(Some(words)) = boundary::attempt(|| Ok(below_view::find(query))) {
        put_inlined(facts, described_alike(query, words, parameters));
    }
}

/// How a statement runs whose functions do more than could be a part of it: a SELECT over the rows of all tables that it and they read, another
/// statement over the rows of such a SELECT.
pub fn describe_calls(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) {
    match query.commandType {
        CmdType::CMD_SELECT if !query.rowMarks.is_null() => {
            describe_locked_join(query, parameters, facts);
        }
        CmdType::CMD_SELECT => describe_over_tables(query, scopes, parameters, facts),
        CmdType::CMD_UPDATE | CmdType::CMD_DELETE => {
            describe_given("read", facts, parameters, || {
                changing_calls::find(query, parameters)
            });
        }
        _ => describe_calling_source(query, scopes, parameters, facts),
    }
}

fn describe_over_tables(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) {
    let described = boundary::attempt(|| {
        let Some(over) = over_tables::find(query, scopes, parameters)? else {
            return Ok(None);
        };
        let source = facts_of(&parser::c_text(&over.source), parameters)?;
        let inner = facts_of(&parser::c_text(&over.text), &over.parameters)?;
        Ok(Some(json!({
            "text": over.text, "count": over_tables::COUNT, "facts": inner, "query": { "text": over.source, "facts": source },
        })))
    });
    if let Ok(Some(described)) = described {
        facts["read"] = described;
    }
}

/// How an INSERT runs with values that are known before its rows are placed, if it has such values.
pub fn describe_made(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    alone: bool,
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let target = scopes.target();
    let Some(made) = made::find(query, parameters, target) else {
        return Ok(());
    };
    // What currval() tells then is the number that was taken last.
    let asks = known_before::asks_session(std::ptr::from_ref(query).cast_mut().cast());
    if asks && (made.rows() > 1 || known_before::asks_session(query.targetList.cast())) {
        return Ok(());
    }
    let places = target.is_some_and(|target| made.places(&target.placement));
    let conflicts = !query.onConflict.is_null();
    if made.is_random() && !conflicts {
        facts["random_keys"] = json!(true);
    }
    if places || (settings::RANDOM_KEYS.get() && made.is_random() && !conflicts) {
        let random = made.is_random();
        let described = made_facts(made, alone)?;
        facts[if random { "made" } else { "computed" }] = described;
    }
    Ok(())
}

/// How a statement runs without the temporary views that it mentions, if it does; what cannot be said in other words stays as it is.
pub fn describe_expanded(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> bool {
    let expanded = boundary::attempt(|| {
        let Some(expanded) = temporary_view::expand(query, scopes) else {
            return Ok(None);
        };
        let (text, inner) = described(expanded, parameters)?;
        Ok(Some(
            json!({ "text": text, "count": 0, "facts": inner, "values": [] }),
        ))
    });
    match expanded {
        Ok(Some(described)) => {
            facts["known"] = described;
            true
        }
        _ => false,
    }
}

/// How an UPDATE or a MERGE runs without the distribution columns that it leaves as they are, if it assigns such; or with DEFAULT written out; or an INSERT
/// without what identity columns are given and ignore.
pub fn describe_without_kept(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<bool, PostgresError> {
    let target = scopes.target();
    let Some(target) = target else {
        return Ok(false);
    };
    let without = match kept_value::without_kept(query, target)? {
        None => kept_value::merge_without_kept(query, target)?
            .or_else(|| set_default::written_out(query, target))
            .or_else(|| overriding::without_ignored(query, target)),
        without => without,
    };
    let Some(without) = without else {
        return Ok(false);
    };
    let described = boundary::attempt(|| described(without, parameters));
    if let Ok((text, inner)) = described {
        facts["known"] = json!({ "text": text, "count": 0, "facts": inner, "values": [] });
        return Ok(true);
    }
    Ok(false)
}

/// How a statement runs with values that are known before, if it has some; what cannot be said in other words stays as it is.
pub fn describe_known(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> bool {
    let target = scopes.target();
    let placed = scopes
        .relations
        .iter()
        .any(|relation| !matches!(relation.placement, Placement::None | Placement::Catalog));
    let draws = drawn_by(facts);
    let known = boundary::attempt(|| {
        let Some(known) = known_before::find(query, parameters, target, placed, &draws)? else {
            return Ok(None);
        };
        let text = parser::c_text(&known.text);
        let inner = facts_of(&text, &known.parameters)?;
        let mut described = json!({
            "text": known.text, "count": known.values.len(), "facts": inner, "values": known.values,
        });
        if let Some(mut computing) = known.query {
            if known.reads {
                let source = parser::c_text(computing["text"].as_str().unwrap_or(""));
                computing["facts"] = facts_of(&source, parameters)?;
            }
            described["query"] = computing;
        }
        Ok(Some(described))
    });
    match known {
        Ok(Some(described)) => {
            facts["known"] = described;
            true
        }
        _ => false,
    }
}

/// The sequences that a statement moves.
fn drawn_by(facts: &Json) -> Vec<String> {
    let names = facts["draws"].as_array().into_iter().flatten();
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// How a statement runs by rows that a subquery locks, if it has one; what cannot be said in other words stays as it is.
pub fn describe_locked(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> bool {
    let mut relations = scopes.relations.iter();
    if !relations.any(|relation| relation.locking.is_some() && relation.level > 0) {
        return false;
    }
    describe_given("locked", facts, parameters, || {
        locked::find(query, parameters)
    })
}

/// How an INSERT or a MERGE runs over the rows that its subqueries read, or an UPDATE over those of FROM, if it does; what cannot be said in other words
/// stays as it is.
pub fn describe_read(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) -> bool {
    describe_given("read", facts, parameters, || {
        match one_match::find(query, parameters)? {
            None => read_first::find(query, parameters),
            given => Ok(given),
        }
    })
}

/// How a SELECT takes numbers of sequences for rows of several nodes, if it does; what cannot be said in other words stays as it is.
pub fn describe_drawn(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) -> bool {
    let draws =
        query.commandType == CmdType::CMD_SELECT && facts["of_one_node"] == json!(["nextval"]);
    draws
        && !facts["merge"].is_null()
        && describe_given("read", facts, parameters, || drawn::find(query, parameters))
}

/// How DECLARE or COPY of a query over temporary views runs, which other nodes do not have. `place` says where the query stands. Where it is refused
/// otherwise, the router looks at the query by itself.
pub fn describe_command(text: &str, place: Range<usize>, parameters: &[Oid], facts: &mut Json) {
    let parts = (
        text.get(..place.start),
        text.get(place.clone()),
        text.get(place.end..),
    );
    let (Some(before), Some(query), Some(behind)) = parts else {
        return;
    };
    let described = boundary::attempt(|| {
        let inner = facts_of(&parser::c_text(query), parameters)?;
        if inner["known"]["count"] != 0 {
            return Ok(None);
        }
        let words = inner["known"]["text"].as_str().unwrap_or("");
        let text = format!("{before}{words}{behind}");
        let inner = facts_of(&parser::c_text(&text), parameters)?;
        Ok(Some(
            json!({ "text": text, "count": 0, "facts": inner, "values": [] }),
        ))
    });
    if let Ok(Some(described)) = described {
        facts["known"] = described;
    }
}

/// How a statement runs by rows that a query of WITH changes, if it has one; what cannot be said in other words stays as it is.
pub fn describe_changed(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    facts: &mut Json,
) -> bool {
    // What a function reads, nobody knows: it might be what changes.
    facts["functions"] == json!([])
        && describe_given("changed", facts, parameters, || {
            changed::find(query, parameters)
        })
}

/// How a statement runs over the rows of one of its queries, if there is such a way.
fn describe_given(
    way: &str,
    facts: &mut Json,
    parameters: &[Oid],
    find: impl FnOnce() -> Result<Option<Given>, PostgresError>,
) -> bool {
    let described = boundary::attempt(|| {
        let Some(given) = find()? else {
            return Ok(None);
        };
        let (source, source_facts) = described(given.source, parameters)?;
        let (text, inner) = described(given.statement, &given.parameters)?;
        Ok(Some(json!({
            "text": text, "count": given.count, "facts": inner, "query": { "text": source, "facts": source_facts },
        })))
    });
    match described {
        Ok(Some(described)) => {
            facts[way] = described;
            true
        }
        _ => false,
    }
}

/// The facts of the statement with these values as parameters.
fn made_facts(made: made::Made, alone: bool) -> Result<Json, PostgresError> {
    let query = std::ptr::from_ref(made.query).cast_mut();
    let (text, mut inner) = described(query, &made.parameters)?;
    let mutable = inner["mutable"] == true;
    inner["blind"] = blind::facts(made.query, alone, mutable, &made.columns)?;
    let mut described = json!({ "text": text, "count": made.values.len(), "facts": inner });
    if !made.is_random() {
        let (query, places) = made.computing();
        described["values"] = json!(places);
        described["query"] = query;
    }
    Ok(described)
}
