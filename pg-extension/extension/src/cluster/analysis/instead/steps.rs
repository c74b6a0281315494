//! Statements that run in steps: joins that lock rows of several nodes, a MERGE whose rows may match on any node, a DO block or a procedure that is nothing but changes.

use super::super::merge_steps::{self, Inserting};
use super::super::scope::Scopes;
use super::super::{locked_join, merge, parser};
use super::ours::{described, facts_of, numbers};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};

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
    let target = scopes.target();
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

/// How a DO block, or a call of a procedure, runs that is nothing but such changes: each by itself.
pub fn describe_changes(texts: &[String], parameters: &[Oid], facts: &mut Json) {
    if texts.is_empty() {
        return;
    }
    let steps: Result<Vec<Json>, PostgresError> = texts
        .iter()
        .map(|text| {
            let inner = boundary::attempt(|| facts_of(&parser::c_text(text), parameters))?;
            Ok(json!({ "text": text, "facts": inner }))
        })
        .collect();
    if let Ok(steps) = steps {
        facts["steps"] = json!(steps);
    }
}

/// How a SELECT runs that is nothing but the call of such a function: `text` when the changes have been made, each by itself.
pub fn describe_changes_before(
    changes: &[String],
    text: &str,
    parameters: &[Oid],
    facts: &mut Json,
) {
    if changes.is_empty() {
        return;
    }
    let steps = boundary::attempt(|| {
        let mut inner = facts_of(&parser::c_text(text), parameters)?;
        let mut steps = Json::Null;
        for change in changes.iter().rev() {
            let source = facts_of(&parser::c_text(change), parameters)?;
            steps = json!({
                "text": text, "count": 0, "facts": inner, "query": { "text": change, "facts": source },
            });
            // Before all is changed, it is what is refused over several nodes.
            inner = facts.clone();
            inner["changed"] = steps.clone();
        }
        Ok(steps)
    });
    if let Ok(steps) = steps {
        facts["changed"] = steps;
    }
}
