//! A broadcast join: the tables of one colocation group stay where they are. The rows of the other distributed tables that can matter are
//! gathered, and every node gets all of them. Over these, as over a reference table, each node works on its own rows; what it gives is
//! merged like the answers to any other statement.

use super::super::parser;
use super::super::tree;
use super::Partitioned;
use super::gather::{self, Gathered, Mention, Stays};
use super::parts;
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
    let mut best: Option<(f64, Json)> = None;
    for first in largest(mentions).into_iter().take(TRIED_MAX) {
        let Some((stays, facts)) = from(query, parameters, mentions, first)? else {
            continue;
        };
        let moves = |(number, mention): (usize, &Mention)| {
            let stays = mention.is_everywhere || stays.contains(&number);
            if stays { 0.0 } else { bytes[number] }
        };
        let moved: f64 = mentions.iter().enumerate().map(moves).sum();
        if best.as_ref().is_none_or(|(least, _)| moved < *least) {
            best = Some((moved, facts));
        }
    }
    for (number, groups) in mentions.iter().enumerate().filter(|one| one.1.is_subquery) {
        let moved = all - groups.bytes.unwrap_or_default();
        if best.as_ref().is_none_or(|(least, _)| moved < *least)
            && let Some(facts) = of_groups(query, parameters, number)?
        {
            best = Some((moved, facts));
        }
    }
    Ok(best.map(|(moved, mut facts)| {
        facts["moved_bytes"] = json!(moved);
        facts["all_bytes"] = json!(all);
        facts
    }))
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
) -> Result<Option<(BTreeSet<usize>, Json)>, PostgresError> {
    let mut stays = BTreeSet::from([first]);
    let Some(mut facts) = attempt(query, parameters, &stays)? else {
        return Ok(None);
    };
    for other in largest(mentions) {
        if other == first || mentions[other].colocation != mentions[first].colocation {
            continue;
        }
        stays.insert(other);
        match attempt(query, parameters, &stays)? {
            Some(more) => facts = more,
            None => {
                stays.remove(&other);
            }
        }
    }
    Ok(Some((stays, facts)))
}

/// The facts when these mentions stay; `None` when nodes cannot work on their own rows then.
fn attempt(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    stays: &BTreeSet<usize>,
) -> Result<Option<Json>, PostgresError> {
    pgrx::check_for_interrupts!();
    let Ok(Gathered { facts: rows, .. }) = gather::divide(query, parameters, Stays::On(stays))?
    else {
        return Ok(None);
    };
    in_two_rounds(rows, parameters, merge_of)
}

/// The facts when the groups of that mention are computed by the nodes for the rows around it alone; `None` when those do not restrict them.
fn of_groups(
    query: &'static pg_sys::Query,
    parameters: &[Oid],
    number: usize,
) -> Result<Option<Json>, PostgresError> {
    pgrx::check_for_interrupts!();
    match gather::divide(query, parameters, Stays::Groups(number))? {
        Ok(Gathered { facts: rows, .. }) => in_two_rounds(rows, parameters, groups_merge_of),
        Err(_) => Ok(None),
    }
}

/// Facts of what is done over gathered rows; `None` when it cannot be.
fn in_two_rounds(
    rows: Json,
    parameters: &[Oid],
    merge_of: impl FnOnce(&str, &[Oid]) -> Result<Option<Json>, PostgresError>,
) -> Result<Option<Json>, PostgresError> {
    if rows["worker"].is_null() {
        return Ok(None); // All nodes must have been asked, for their snapshots.
    }
    let text = rows["combine"].as_str().unwrap_or_default().to_owned();
    let types = combine_types(&rows);
    let gathered = parameters.len()..types.len();
    let found = boundary::attempt(|| {
        let Some(merge) = merge_of(&text, &types)? else {
            return Ok(None);
        };
        let finish_needs = reads_parameters(&merge, gathered)?;
        Ok(Some(
            json!({ "rows": rows, "merge": merge, "finish_needs_rows": finish_needs }),
        ))
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

/// How what nodes make of the statement over arrays is merged; `None` when they cannot work on their own rows, or would give all of them.
fn merge_of(text: &str, types: &[Oid]) -> Result<Option<Json>, PostgresError> {
    let Some(mut partitioned) = Partitioned::of_text(text, types)? else {
        return Ok(None);
    };
    let division = partitioned.division().ok();
    let Some(division) = division.filter(|division| !division.pulls_rows) else {
        return Ok(None);
    };
    let merge = division.print(types)?;
    Ok((merge["mode"] == "combine").then_some(merge))
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
