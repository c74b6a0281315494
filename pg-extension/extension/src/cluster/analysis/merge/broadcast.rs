//! A broadcast join: the tables of one colocation group stay where they are. The rows of the other distributed tables that can matter are
//! gathered, and every node gets all of them, or where [`repartition`] finds a way, those that can meet something there. Over these, as over a
//! reference table, each node works on its own rows; what it gives is merged like the answers to any other statement.

use super::super::super::procedure::placements;
use super::super::locality;
use super::super::parser;
use super::super::scope::Scopes;
use super::super::tree;
use super::Partitioned;
use super::gather::{self, Gathered, Mention, Stays};
use super::parts;
use super::repartition::{self, Part, Split};
use crate::boundary::{self, PostgresError};
use crate::cluster::settings;
use pgrx::pg_sys::{self, Oid, ParamKind};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// So many of the largest mentions are tried as what stays.
const TRIED_MAX: usize = 4;

/// Beyond so many mentions the trials take longer than they save.
const MENTIONS_MAX: usize = 16;

/// The facts of the best one; `None` when there is none, or it would save nothing.
///
/// `mentions` are those of the whole statement.
pub fn facts(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    mentions: &[Mention],
) -> Result<Option<Json>, PostgresError> {
    let bytes: Option<Vec<f64>> = mentions.iter().map(|mention| mention.bytes).collect();
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let all: f64 = bytes.iter().sum();
    let size = settings::MIN_BROADCAST_SIZE.get();
    let is_off = size < 0 || !settings::PLAN_EXCHANGES.get();
    if is_off || !parts::is_large(all) || mentions.len() > MENTIONS_MAX || is_volatile(query) {
        return Ok(None);
    }
    let mut plans = Vec::new();
    for first in largest(mentions).into_iter().take(TRIED_MAX) {
        plans.extend(from(query, parameters, mentions, first)?);
    }
    if locality::groups(query) || !query.limitCount.is_null() {
        // Where all rows move anyway, what nodes make of them must be little.
        plans.extend(attempt(query, parameters, mentions, &BTreeSet::new())?);
    }
    for (number, groups) in mentions.iter().enumerate().filter(|one| one.1.is_subquery) {
        if let Some(facts) = of_groups(query, parameters, number)? {
            let moved = all - groups.bytes.unwrap_or_default();
            plans.push(Plan {
                facts,
                moved,
                split: 0.0,
            });
        }
    }
    let best = plans
        .into_iter()
        .min_by(|one, other| one.cost().total_cmp(&other.cost()));
    Ok(best.map(|plan| {
        let mut facts = plan.facts;
        facts["moved_bytes"] = json!(plan.moved);
        facts["split_bytes"] = json!(plan.split);
        facts["all_bytes"] = json!(all);
        facts
    }))
}

/// One way to run the statement.
struct Plan {
    facts: Json,
    /// Bytes that a node gives for all nodes.
    moved: f64,
    /// Bytes that it gives for one node each.
    split: f64,
}

impl Plan {
    /// What passes through the router: each row comes once, and goes to one node or to all.
    fn cost(&self) -> f64 {
        (1.0 + placements::node_count() as f64) * self.moved + 2.0 * self.split
    }
}

/// Distributed mentions, the largest first.
fn largest(mentions: &[Mention]) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..mentions.len())
        .filter(|number| mentions[*number].colocation.is_some())
        .collect();
    let bytes = |number: usize| mentions[number].bytes.unwrap_or_default();
    numbers.sort_by(|one, other| bytes(*other).total_cmp(&bytes(*one)));
    numbers
}

/// The one in which a mention stays, and with it as many others of its group as can.
fn from(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    mentions: &[Mention],
    first: usize,
) -> Result<Option<Plan>, PostgresError> {
    let mut stays = BTreeSet::from([first]);
    let Some(mut plan) = attempt(query, parameters, mentions, &stays)? else {
        return Ok(None);
    };
    for other in largest(mentions) {
        if other == first || mentions[other].colocation != mentions[first].colocation {
            continue;
        }
        stays.insert(other);
        match attempt(query, parameters, mentions, &stays)? {
            Some(more) => plan = more,
            None => {
                stays.remove(&other);
            }
        }
    }
    Ok(Some(plan))
}

/// The plan in which these mentions stay; `None` when nodes cannot work by themselves then.
fn attempt(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    mentions: &[Mention],
    stays: &BTreeSet<usize>,
) -> Result<Option<Plan>, PostgresError> {
    pgrx::check_for_interrupts!();
    let Ok(Gathered { facts: rows, .. }) = gather::divide(query, parameters, Stays::On(stays))?
    else {
        return Ok(None);
    };
    let moving = mentions.iter().enumerate().filter(|(number, mention)| {
        let stays = mention.is_everywhere || stays.contains(number);
        !stays
    });
    let bytes: Vec<f64> = moving
        .map(|(_, mention)| mention.bytes.unwrap_or_default())
        .collect();
    let parts = parts_of(&rows, parameters.len(), &bytes);
    let by_hash = stays.is_empty();
    let facts = in_two_rounds(rows, parameters, |text, types, divides| {
        let parts = if divides { parts.as_slice() } else { &[] };
        merge_of(text, types, parameters.len(), parts, by_hash)
    })?;
    Ok(facts.map(|(facts, splits)| {
        let split: f64 = splits.iter().map(|split| bytes[split.part]).sum();
        Plan {
            facts,
            moved: bytes.iter().sum::<f64>() - split,
            split,
        }
    }))
}

/// The parts of rows that are gathered, in the order of their mentions.
fn parts_of(rows: &Json, own: usize, bytes: &[f64]) -> Vec<Part> {
    let mut types = combine_types(rows).into_iter().skip(own);
    let counts = rows["parts"].as_array().into_iter().flatten();
    counts
        .filter_map(Json::as_u64)
        .zip(bytes)
        .map(|(count, bytes)| Part {
            bytes: *bytes,
            types: types
                .by_ref()
                .take(count as usize)
                // SAFETY: a look-up of a type.
                .map(|array| unsafe { pg_sys::get_element_type(array) })
                .collect(),
        })
        .collect()
}

/// The facts when the groups of that mention are computed by the nodes for the rows around it alone; `None` when those do not restrict them.
fn of_groups(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    number: usize,
) -> Result<Option<Json>, PostgresError> {
    pgrx::check_for_interrupts!();
    match gather::divide(query, parameters, Stays::Groups(number))? {
        Ok(Gathered { facts: rows, .. }) => {
            let facts = in_two_rounds(rows, parameters, |text, types, _| {
                Ok(groups_merge_of(text, types)?.map(|merge| (merge, Vec::new())))
            })?;
            Ok(facts.map(|(facts, _)| facts))
        }
        Err(_) => Ok(None),
    }
}

/// Facts of what is done over gathered rows, and how these are divided; `None` when it cannot be done.
///
/// `merge_of` is asked whether nodes can work by themselves; a second time if it must not divide rows.
fn in_two_rounds(
    rows: Json,
    parameters: &[Oid],
    merge_of: impl Fn(&str, &[Oid], bool) -> Result<Option<(Json, Vec<Split>)>, PostgresError>,
) -> Result<Option<(Json, Vec<Split>)>, PostgresError> {
    if rows["worker"].is_null() {
        return Ok(None); // All nodes must have been asked, for their snapshots.
    }
    let text = rows["combine"].as_str().unwrap_or_default().to_owned();
    let types = combine_types(&rows);
    let gathered = parameters.len()..types.len();
    let found = boundary::attempt(|| {
        for divides in [true, false] {
            let Some((merge, splits)) = merge_of(&text, &types, divides)? else {
                return Ok(None);
            };
            let finish_needs = reads_parameters(&merge, gathered.clone())?;
            // What finishes needs all of the rows.
            if finish_needs && !splits.is_empty() {
                continue;
            }
            let divided: Vec<Json> = splits.iter().map(Split::facts).collect();
            let facts = json!({ "rows": rows, "merge": merge, "finish_needs_rows": finish_needs, "splits": divided });
            return Ok(Some((facts, splits)));
        }
        Ok(None)
    });
    // What cannot be analysed anew is gathered as ever.
    Ok(found.unwrap_or(None))
}

/// How the groups that nodes compute are gathered; `None` when anything else would be, too.
fn groups_merge_of(text: &str, types: &[Oid]) -> Result<Option<Json>, PostgresError> {
    let text = parser::c_text(text);
    let statement = parser::parse(&text)?[0];
    let query = parser::analyse(statement, &text, types)?.query;
    let Ok(divided) = gather::divide(query, types, Stays::Nothing)? else {
        return Ok(None);
    };
    let groups_alone = divided.mentions.iter().all(|mention| mention.is_subquery);
    Ok(groups_alone.then_some(divided.facts))
}

/// How what nodes make of the statement over arrays is merged, and which of these are divided; `None` when they cannot work by themselves, or would
/// give all rows.
fn merge_of(
    text: &str,
    types: &[Oid],
    own: usize,
    parts: &[Part],
    by_hash: bool,
) -> Result<Option<(Json, Vec<Split>)>, PostgresError> {
    let first_of = parts.iter().scan(own, |next, part| {
        let first = *next;
        *next += part.types.len();
        Some(first)
    });
    let mut splits = Vec::new();
    let scopes = Scopes::over_parts(first_of);
    let found = Partitioned::of_text_in(scopes, text, types, |scopes, scope| {
        splits = repartition::choose(scopes, scope, parts, by_hash);
    })?;
    let Some(mut partitioned) = found else {
        return Ok(None);
    };
    let division = partitioned.division().ok();
    let Some(division) = division.filter(|division| !division.pulls_rows) else {
        return Ok(None);
    };
    let merge = division.print(types)?;
    Ok((merge["mode"] == "combine").then_some((merge, splits)))
}

/// The types of the parameters of a combine query.
fn combine_types(merge: &Json) -> Vec<Oid> {
    let numbers = merge["combine_parameters"].as_array().into_iter().flatten();
    numbers
        .filter_map(Json::as_u64)
        .map(|number| Oid::from(number as u32))
        .collect()
}

/// Whether the query that one node runs at the end reads some of these parameters, numbered from 0.
fn reads_parameters(merge: &Json, numbers: std::ops::Range<usize>) -> Result<bool, PostgresError> {
    let text = parser::c_text(merge["combine"].as_str().unwrap_or_default());
    let types = combine_types(merge);
    let statement = parser::parse(&text)?[0];
    let query = parser::analyse(statement, &text, &types)?.query;
    Ok(tree::any(
        std::ptr::from_ref(query).cast_mut().cast(),
        &mut |node| {
            tree::cast::<pg_sys::Param, _>(node).is_some_and(|param| {
                param.paramkind == ParamKind::PARAM_EXTERN
                    && numbers.contains(&(param.paramid as usize - 1))
            })
        },
    ))
}

/// Something in it would come out otherwise on each node.
fn is_volatile(query: &pg_sys::Query) -> bool {
    // SAFETY: a valid query.
    unsafe { pg_sys::contain_volatile_functions(std::ptr::from_ref(query).cast_mut().cast()) }
}
