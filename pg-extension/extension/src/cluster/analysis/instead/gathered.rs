//! Statements in two, of which one gives rows and the other takes them: INSERT ... SELECT, MERGE, an UPDATE that moves rows, CREATE TABLE AS.

use super::super::insert_select::{self, Gathered};
use super::super::relation::Relation;
use super::super::scope::Scopes;
use super::super::stored_query::{self, Stored};
use super::super::tree::NodePtr;
use super::super::{changing_calls, merge, merge_into, moved_rows, parser, statement};
use super::ours::{described, described_over_arrays, numbers};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

/// How an INSERT ... SELECT, a MERGE or an UPDATE runs whose rows go to other nodes, if it can.
pub fn describe_gathered(
    query: &'static pg_sys::Query,
    scopes: &Scopes,
    parameters: &[Oid],
    facts: &mut Json,
) -> Result<(), PostgresError> {
    let target = scopes.target();
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
    let (insert, insert_facts) = described_over_arrays(gathered.insert, &gathered.parameters)?;
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
    let target = scopes.target();
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
