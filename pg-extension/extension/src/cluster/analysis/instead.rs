//! What a router runs instead of a statement: it in other words, over values or rows that come first, or in parts. Each way has the facts of what
//! then runs.

use super::super::settings;
use super::given_rows::Given;
use super::insert_select::Gathered;
use super::merge_steps::{self, Inserting};
use super::relation::{Placement, Relation};
use super::scope::Scopes;
use super::stored_query::Stored;
use super::tree::NodePtr;
use super::{
    blind, changed, changing_calls, drawn, inlined, insert_select, kept_value, known_before,
    locked, locked_join, made, merge, merge_into, moved_rows, over_tables, parser, read_first,
    row_places, statement, stored_query, temporary_view,
};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::ffi::CStr;
use std::ops::Range;

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
    let described = boundary::attempt(|| {
        let (text, inner) = described(inlined.query, parameters)?;
        let types = merge::build::result_types(&text, parameters)?;
        Ok((types == merge::build::types_of(query)).then_some((text, inner)))
    });
    if let Ok(Some((text, inner))) = described {
        facts["inlined"] = json!({ "text": text, "count": 0, "facts": inner });
    }
    Ok(())
}

/// How a statement runs in words that mean the same on several nodes: an INSERT of VALUES that are several rows, rows that are found by ctid.
pub fn describe_in_words(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) {
    let described = boundary::attempt(|| {
        insert_select::of_series(query)
            .or_else(|| row_places::by_keys(query))
            .map(|words| described(words, parameters))
            .transpose()
    });
    if let Ok(Some((text, inner))) = described {
        facts["inlined"] = json!({ "text": text, "count": 0, "facts": inner });
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
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
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

/// How an UPDATE runs without the distribution columns that it leaves as they are, if it assigns such.
pub fn describe_without_kept(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<bool, PostgresError> {
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
    let Some(target) = target else {
        return Ok(false);
    };
    let Some(without) = kept_value::without_kept(query, target)? else {
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
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
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

/// How an INSERT or a MERGE runs over the rows that its subqueries read, if it does; what cannot be said in other words stays as it is.
pub fn describe_read(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) -> bool {
    describe_given("read", facts, parameters, || {
        read_first::find(query, parameters)
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

/// How a join of rows of several nodes locks some of them, if it does; each step is told as what runs instead of the one before.
pub fn describe_locked_join(query: &'static pg_sys::Query, parameters: &[Oid], facts: &mut Json) {
    let steps = boundary::attempt(|| {
        let Some(join) = locked_join::find(query, parameters) else {
            return Ok(None);
        };
        let (text, mut inner) = described(join.join, &join.parameters)?;
        let mut known = join.parameters.len();
        for lock in join.locks.iter().rev() {
            known -= lock.count;
            let source = parser::c_text(&lock.text);
            let types = &join.parameters[..known];
            let step = json!({
                "text": text, "count": lock.count, "facts": inner,
                "query": { "text": lock.text, "facts": facts_of(&source, types)? },
            });
            // Before all is locked, it is what is refused over several nodes.
            inner = facts.clone();
            inner["parameters"] = numbers(types);
            inner["locked"] = step;
        }
        let (keys, keys_facts) = described(join.keys, parameters)?;
        Ok(Some(json!({
            "text": text, "count": join.key_count, "facts": inner, "query": { "text": keys, "facts": keys_facts },
        })))
    });
    if let Ok(Some(steps)) = steps {
        facts["locked"] = steps;
    }
}

/// How a MERGE runs whose rows may match on any node, if it does; the steps are told as what runs instead of the one before.
pub fn describe_merge_steps(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) {
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
    let (Some(target), "refuse") = (target, facts["merge"]["mode"].as_str().unwrap_or("")) else {
        return;
    };
    let steps = boundary::attempt(|| {
        let Some(steps) = merge_steps::find(query, parameters, target)? else {
            return Ok(None);
        };
        if steps.inserting.is_none() && merge::used::mentions(steps.source) == 0 {
            return Ok(None); // It is what it would become.
        }
        let (source, source_facts) = described(steps.source, parameters)?;
        let (text, inner) = match steps.inserting {
            None => described(steps.merge, &steps.parameters)?,
            Some(inserting) => inserting_steps(steps.merge, inserting, &steps.parameters, facts)?,
        };
        Ok(Some(json!({
            "text": text, "count": steps.count, "facts": inner, "query": { "text": source, "facts": source_facts },
        })))
    });
    if let Ok(Some(steps)) = steps {
        facts["read"] = steps;
    }
}

/// The text of a MERGE over the rows of USING, and how it runs: over the places of the rows that match, by several changes.
fn inserting_steps(
    merge: *mut pg_sys::Query,
    inserting: Inserting,
    parameters: &[Oid],
    facts: &Json,
) -> Result<(String, Json), PostgresError> {
    let text = parser::deparse_for(merge, &[])?;
    let all: Vec<Oid> = parameters
        .iter()
        .copied()
        .chain([merge_steps::PLACES])
        .collect();
    let mut steps = Vec::new();
    for change in inserting.changes {
        let (text, inner) = described(change, &all)?;
        steps.push(json!({ "text": text, "facts": inner }));
    }
    let (matching, matching_facts) = described(inserting.matching, parameters)?;
    let mut last = facts.clone();
    last["parameters"] = numbers(&all);
    last["steps"] = json!(steps);
    // Before it is known what matches, it is what is refused over several nodes.
    let mut inner = facts.clone();
    inner["parameters"] = numbers(parameters);
    inner["read"] = json!({
        "text": text, "count": 1, "facts": last, "query": { "text": matching, "facts": matching_facts },
    });
    Ok((text, inner))
}

/// How a DO block runs that is nothing but such changes: each by itself.
pub fn describe_changes(texts: &[String], facts: &mut Json) {
    let steps: Result<Vec<Json>, PostgresError> = texts
        .iter()
        .map(|text| {
            let inner = boundary::attempt(|| facts_of(&parser::c_text(text), &[]))?;
            Ok(json!({ "text": text, "facts": inner }))
        })
        .collect();
    if let Ok(steps) = steps {
        facts["steps"] = json!(steps);
    }
}

/// OIDs as routers are told them.
fn numbers(types: &[Oid]) -> Json {
    types.iter().map(|oid| oid.to_u32()).collect()
}

thread_local! {
    /// How many texts of ours are being looked at, each for the sake of the one before.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// No statement needs more; what becomes the same again and again would never end.
const DEPTH_MAX: u32 = 16;

struct Deeper(u32);

impl Deeper {
    /// None when it goes on for too long.
    fn enter() -> Option<Deeper> {
        let depth = DEPTH.get();
        (depth < DEPTH_MAX).then(|| {
            DEPTH.set(depth + 1);
            Deeper(depth)
        })
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

/// The facts of a text of ours, which is one statement.
fn facts_of(text: &CStr, parameters: &[Oid]) -> Result<Json, PostgresError> {
    let _inside = Deeper::enter().ok_or_else(|| {
        PostgresError::unsupported(
            "the statement cannot be divided between nodes",
            "Use several statements in one transaction.",
        )
    })?;
    let mut inner = Json::Null;
    for statement in parser::parse(text)? {
        inner = statement::facts(statement, text, parameters)?;
    }
    Ok(inner)
}

/// How an INSERT ... SELECT, a MERGE or an UPDATE runs whose rows go to other nodes, if it can.
pub fn describe_gathered(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
    let gathered = match target {
        Some(target) => divided(query, parameters, target, facts)?,
        None => None,
    };
    let (Some(target), Some(gathered)) = (target, gathered) else {
        return Ok(());
    };
    // What cannot be said in other words stays as it is.
    let described = boundary::attempt(|| {
        let source = described(gathered.source, parameters)?;
        gathered_facts(gathered, target, source)
    });
    match described {
        Ok(Some(described)) => put_gathered(facts, described),
        Err(_) if query.commandType == CmdType::CMD_UPDATE => {
            facts["unmoved"] = json!("its parts cannot be put together");
        }
        _ => {}
    }
    Ok(())
}

/// The facts of both parts, where `source` gives the rows; `None` when copies of a reference table would differ.
fn gathered_facts(
    gathered: Gathered,
    target: &Relation,
    (source, source_facts): (String, Json),
) -> Result<Option<Json>, PostgresError> {
    let (insert, insert_facts) = described(gathered.insert, &gathered.parameters)?;
    let differs = insert_select::differs(target, &insert_facts);
    Ok((!differs).then(|| json!({
        "source": source, "source_facts": source_facts, "insert": insert, "insert_facts": insert_facts,
        "keys": gathered.keys, "query": gathered.computed,
    })))
}

fn put_gathered(facts: &mut Json, gathered: Json) {
    match selects(facts) {
        true => facts["insert"]["gathered"] = gathered,
        false => facts["gathered"] = gathered,
    }
}

/// How an INSERT ... SELECT or a MERGE runs over what the functions of its SELECT read, or over the rows for which that takes numbers.
pub fn describe_calling_source(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) {
    let gathered = match selects(facts) {
        true => &facts["insert"]["gathered"],
        false => &facts["gathered"],
    };
    let Some(first) = ReadFirst::of(gathered, parameters) else {
        return;
    };
    let mut relations = scopes.relations.iter();
    let target = relations.find(|relation| relation.write && relation.level == 0);
    let described = boundary::attempt(|| {
        let Some(target) = target.filter(|_| !changing_calls::see_changes(query)) else {
            return Ok(None);
        };
        let Some(gathered) = divided(query, &first.parameters, target, &mut facts.clone())? else {
            return Ok(None);
        };
        let text = parser::deparse_for(merge::build::copy(query), &[])?;
        let gathered = gathered_facts(gathered, target, first.source())?;
        Ok(gathered.map(|gathered| (text, gathered)))
    });
    if let Ok(Some((text, gathered))) = described {
        let mut inner = first.statement(facts);
        put_gathered(&mut inner, gathered);
        facts["read"] = first.described(&text, inner);
    }
}

/// What a SELECT reads first whose rows a statement takes; so the statement reads it first.
struct ReadFirst {
    read: Json,
    /// The statement's own, and behind them arrays of what is read.
    parameters: Vec<Oid>,
}

impl ReadFirst {
    /// Of a statement in two, whose SELECT calls functions; `None` when it reads nothing first.
    fn of(divided: &Json, own: &[Oid]) -> Option<ReadFirst> {
        let source = &divided["source_facts"];
        let read = &source["read"];
        let draws = source["of_one_node"] == json!(["nextval"]);
        let calls = source["functions"] != json!([]) && source["inlined"].is_null();
        if !(calls || draws) || read.is_null() {
            return None;
        }
        let types = read["facts"]["parameters"]
            .as_array()?
            .iter()
            .skip(own.len());
        let types = types.filter_map(|oid| Some(Oid::from(oid.as_u64()? as u32)));
        Some(ReadFirst {
            parameters: own.iter().copied().chain(types).collect(),
            read: read.clone(),
        })
    }

    /// The SELECT over what is read.
    fn source(&self) -> (String, Json) {
        let text = self.read["text"].as_str().unwrap_or("");
        (text.to_owned(), self.read["facts"].clone())
    }

    /// The statement, which knows what is read; its parts are still those that do not.
    fn statement(&self, facts: &Json) -> Json {
        let mut inner = facts.clone();
        inner["parameters"] = numbers(&self.parameters);
        for way in ["known", "changed", "locked", "read", "computed", "made"] {
            inner[way] = Json::Null;
        }
        inner
    }

    /// How that runs.
    fn described(&self, text: &str, inner: Json) -> Json {
        json!({ "text": text, "count": self.read["count"], "facts": inner, "query": self.read["query"] })
    }
}

/// Whether it is an INSERT ... SELECT.
fn selects(facts: &Json) -> bool {
    facts["insert"]["source"] == "select"
}

/// The two statements; of an UPDATE that cannot be divided, the facts say why.
fn divided(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
    facts: &mut Json,
) -> Result<Option<Gathered>, PostgresError> {
    match moved_rows::find(query, parameters, target)? {
        Some(Ok(moved)) => Ok(Some(moved)),
        Some(Err(obstacle)) => {
            facts["unmoved"] = json!(obstacle);
            Ok(None)
        }
        None if selects(facts) => insert_select::find(query, parameters, target),
        None => merge_into::find(query, parameters, target),
    }
}

/// How CREATE TABLE AS, SELECT INTO or a materialized view takes rows that come from several nodes, if it can.
pub fn describe_stored(
    command: NodePtr,
    statement: &pg_sys::RawStmt,
    text: &CStr,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let find = |parameters: &[Oid]| stored_query::find(command, statement, text, facts, parameters);
    let described = boundary::attempt(|| {
        let Some(stored) = find(parameters)? else {
            return Ok(None);
        };
        // The new table may stand before one that the query reads.
        let source = parser::qualified(|| described(stored.source, parameters))?;
        let described = stored_facts(stored, source)?;
        let Some(first) = ReadFirst::of(&described, parameters) else {
            return Ok(Some((described, None)));
        };
        let Some(stored) = find(&first.parameters)? else {
            return Ok(None);
        };
        let over = stored_facts(stored, first.source())?;
        Ok(Some((described, Some((first, over)))))
    });
    let Ok(Some((described, over))) = described else {
        return Ok(());
    };
    if let Some((first, over)) = over {
        let mut inner = first.statement(facts);
        inner["stored"] = over;
        facts["read"] = first.described(&text.to_string_lossy(), inner);
    }
    facts["stored"] = described;
    Ok(())
}

/// The facts of what makes and fills the table, where `source` gives the rows.
fn stored_facts(
    stored: Stored,
    (source, source_facts): (String, Json),
) -> Result<Json, PostgresError> {
    // What the table is like is known only when it is there.
    let insert = parser::c_text(&stored.insert);
    let mut insert_facts = statement::outline(parser::parse(&insert)?[0], &insert);
    insert_facts["parameters"] = numbers(&stored.parameters);
    Ok(json!({
        "source": source, "source_facts": source_facts, "insert": stored.insert, "insert_facts": insert_facts, "keys": [],
        "table": {
            "create": stored.create, "name": stored.target, "unless_exists": stored.unless_exists, "refresh": stored.refresh,
        },
    }))
}

/// The text of a query of ours, and its facts.
fn described(
    query: *mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<(String, Json), PostgresError> {
    let text = parser::c_text(&parser::deparse_for(query, &[])?);
    let inner = facts_of(&text, parameters)?;
    Ok((text.to_string_lossy().into_owned(), inner))
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
