//! What an INSERT inserts: columns, values of each row, where the rows stand in the text.

use super::graph::Column;
use super::operand;
use super::relation::{Relation, Spreading};
use super::row_spans;
use super::scope::{Range, ScopeId, Scopes};
use super::tree::{self, NodePtr};
use crate::opened::Opened;
use pgrx::pg_sys::{self, Oid, RTEKind};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::ffi::CStr;

/// The facts of an INSERT.
///
/// `query` is as analysed, before defaults were added; `scope` belongs to the rewritten one, which alone knows the columns of the table
/// behind a view.
pub fn facts(
    scopes: &mut Scopes,
    scope: ScopeId,
    query: &'static pg_sys::Query,
    statement: &pg_sys::RawStmt,
    text: &CStr,
) -> Option<Json> {
    let target = scopes
        .relations
        .iter()
        .position(|relation| relation.write && relation.level == 0)?;
    let rewritten = scopes.scopes[scope].query;
    let query = if tree::target(query) == tree::target(rewritten) {
        query
    } else {
        rewritten
    };
    let entries: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter(|entry| !entry.resjunk)
        .collect();
    let columns: Vec<String> = entries
        .iter()
        .map(|entry| scopes.relations[target].column_name(entry.resno))
        .collect();
    let mut facts = json!({ "relation": target, "columns": columns });
    if let Some(attributes) = arbiter(query) {
        facts["conflict"] = attributes
            .into_iter()
            .map(|attribute| match attribute {
                0 => Json::Null,
                _ => json!(scopes.relations[target].column_name(attribute)),
            })
            .collect();
    }
    let source = source_of(query);
    facts["source"] = json!(source.name());
    let spreading = scopes.relations[target].spreading();
    let keys: BTreeSet<i16> = spreading
        .iter()
        .flat_map(|spreading| spreading.columns.iter().map(|(column, _)| *column))
        .collect();
    match source {
        Source::Default => facts["rows"] = json!([[]]),
        Source::OneRow => facts["rows"] = json!([row(&entries, &keys, None)]),
        Source::Rows(values) => {
            facts["rows"] = tree::nodes(values.values_lists)
                .map(|list| row(&entries, &keys, Some(list)))
                .collect();
        }
        Source::Select => {
            let filled = filled(scopes);
            facts["rows"] = json!([selected_row(scopes, scope, &filled, &entries)]);
            facts["key_links"] = key_links(scopes, scope, target, &filled, &columns, &entries);
        }
    }
    add_null_keys(&scopes.relations[target], &mut facts);
    let count = facts["rows"].as_array().map_or(0, Vec::len);
    if let Some(spans) = value_spans(statement, text, count) {
        let (first, last) = (spans.first()?, spans.last()?);
        facts["values_span"] = json!([first.0, last.0 + last.1 - first.0]);
        facts["row_spans"] = json!(spans);
    }
    Some(facts)
}

/// A distribution column that is not given, or by DEFAULT, and has no default, gets NULL.
fn add_null_keys(target: &Relation, facts: &mut Json) {
    let Some(spreading) = target.spreading() else {
        return;
    };
    for (attribute, _) in &spreading.columns {
        let name = json!(target.column_name(*attribute));
        if has_default(target.oid, *attribute) {
            continue;
        }
        let columns = facts["columns"].as_array_mut();
        let place = columns.map(
            |columns| match columns.iter().position(|one| *one == name) {
                Some(place) => place,
                None => {
                    columns.push(name);
                    columns.len() - 1
                }
            },
        );
        let rows = facts["rows"].as_array_mut().into_iter().flatten();
        for values in rows.filter_map(Json::as_array_mut) {
            match place.and_then(|place| values.get_mut(place)) {
                Some(given) if given["default"] == true => *given = json!({ "null": true }),
                Some(_) => {}
                None => values.push(json!({ "null": true })),
            }
        }
    }
}

fn has_default(table: Oid, attribute: i16) -> bool {
    let Some(relation) = Opened::open(table, pg_sys::AccessShareLock) else {
        return true;
    };
    let column = &relation.columns()[attribute as usize - 1];
    // A domain may have one, too.
    // SAFETY: a column of the open relation.
    let default = unsafe { pg_sys::build_column_default(relation.relation(), attribute.into()) };
    column.attidentity != 0 || !default.is_null()
}

/// The attributes of the unique index that ON CONFLICT asks for, 0 for expressions; none for any index. `None` without ON CONFLICT, and where it
/// names a constraint.
pub fn arbiter(query: &pg_sys::Query) -> Option<Vec<i16>> {
    // SAFETY: null, or an OnConflictExpr.
    let conflict = unsafe { query.onConflict.as_ref() }?;
    if conflict.constraint != pg_sys::Oid::INVALID {
        return None;
    }
    let attributes = tree::list::<pg_sys::InferenceElem>(conflict.arbiterElems)
        .map(|element| {
            tree::cast::<pg_sys::Var, _>(element.expr).map_or(0, |column| column.varattno)
        })
        .collect();
    Some(attributes)
}

enum Source {
    Default,
    OneRow,
    Rows(&'static pg_sys::RangeTblEntry),
    Select,
}

impl Source {
    fn name(&self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::OneRow | Source::Rows(_) => "values",
            Source::Select => "select",
        }
    }
}

fn source_of(query: &pg_sys::Query) -> Source {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let item = from.and_then(|from| tree::list::<pg_sys::RangeTblRef>(from.fromlist).next());
    let Some(range) = item else {
        return if query.targetList.is_null() {
            Source::Default
        } else {
            Source::OneRow
        };
    };
    match tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(range.rtindex as usize - 1) {
        Some(entry) if entry.rtekind == RTEKind::RTE_VALUES => Source::Rows(entry),
        _ => Source::Select,
    }
}

/// One row's values, aligned with the target entries, which refer to the row's expressions when there are several. `keys`: distribution columns.
fn row(entries: &[&pg_sys::TargetEntry], keys: &BTreeSet<i16>, list: Option<NodePtr>) -> Json {
    let expressions: Vec<NodePtr> = list
        .map(|list| tree::nodes(list.cast()).collect())
        .unwrap_or_default();
    entries
        .iter()
        .map(|entry| {
            let assigned = match keys.contains(&entry.resno) {
                true => operand::assigned_key,
                false => operand::assigned_value,
            };
            let stripped = operand::strip_stored(entry.expr.cast());
            match tree::cast::<pg_sys::Var, _>(stripped) {
                Some(var) => expressions
                    .get(var.varattno as usize - 1)
                    .map_or(json!({ "other": true }), |e| assigned(*e)),
                None => assigned(entry.expr.cast()),
            }
        })
        .collect()
}

/// What a SELECT feeds into each column: a column of a relation, a value, or something else.
fn selected_row(
    scopes: &mut Scopes,
    scope: ScopeId,
    filled: &BTreeSet<usize>,
    entries: &[&'static pg_sys::TargetEntry],
) -> Json {
    entries
        .iter()
        .map(|entry| selected_value(scopes, scope, filled, entry.expr.cast()))
        .collect()
}

fn selected_value(
    scopes: &mut Scopes,
    scope: ScopeId,
    filled: &BTreeSet<usize>,
    expression: NodePtr,
) -> Json {
    let stripped = operand::strip_faithful(expression);
    let Some(var) = tree::cast::<pg_sys::Var, _>(stripped) else {
        return operand::assigned_value(expression);
    };
    let origin = scopes
        .resolve(scope, var)
        .and_then(|column| scopes.origin(column));
    if let Some((relation, attribute)) = origin {
        if filled.contains(&relation) {
            return json!({ "other": true }); // NULL in some rows, whatever the column equals in others
        }
        return json!({ "column": [relation, scopes.relations[relation].column_name(attribute)] });
    }
    // A value that the SELECT gives to every row.
    let inner = match scopes.scopes[scope].ranges.get(var.varno as usize - 1) {
        Some(Range::Subquery(inner)) => scopes.scopes[*inner].query,
        _ => return json!({ "other": true }),
    };
    tree::list::<pg_sys::TargetEntry>(inner.targetList)
        .find(|entry| entry.resno == var.varattno && inner.setOperations.is_null())
        .and_then(|entry| operand::value(entry.expr.cast()))
        .unwrap_or(json!({ "other": true }))
}

/// The relations of the source whose distribution columns always equal those of the inserted row, all of them, pair by pair; each with its first
/// distribution column.
fn key_links(
    scopes: &mut Scopes,
    scope: ScopeId,
    target: usize,
    filled: &BTreeSet<usize>,
    columns: &[String],
    entries: &[&'static pg_sys::TargetEntry],
) -> Json {
    let Some(spreading) = scopes.relations[target].spreading() else {
        return json!([]);
    };
    let given: Option<Vec<Column>> = spreading
        .columns
        .iter()
        .map(|(attribute, _)| {
            let name = scopes.relations[target].column_name(*attribute);
            let entry = entries[columns.iter().position(|column| *column == name)?];
            let stripped = operand::strip_faithful(entry.expr.cast());
            tree::cast::<pg_sys::Var, _>(stripped).and_then(|var| scopes.resolve(scope, var))
        })
        .collect();
    let is_filled = |column: &Column| {
        let origin = scopes.origin(*column);
        origin.is_some_and(|(relation, _)| filled.contains(&relation))
    };
    let Some(given) = given.filter(|given| !given.iter().any(is_filled)) else {
        return json!([]);
    };
    let mut linked: Vec<(Column, Json)> = (0..scopes.relations.len())
        .filter(|relation| !filled.contains(relation))
        .filter_map(|relation| first_linked(scopes, relation, &spreading, &given))
        .collect();
    linked.sort_unstable_by_key(|(column, _)| *column);
    linked.into_iter().map(|(_, link)| link).collect()
}

/// The relations whose columns outer joins fill with NULLs.
fn filled(scopes: &mut Scopes) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for scope in 0..scopes.scopes.len() {
        let from = tree::cast::<pg_sys::FromExpr, _>(scopes.scopes[scope].query.jointree);
        for item in from.into_iter().flat_map(|from| tree::nodes(from.fromlist)) {
            find_filled(scopes, scope, item, false, &mut found);
        }
    }
    found
}

fn find_filled(
    scopes: &mut Scopes,
    scope: ScopeId,
    item: NodePtr,
    is_filled: bool,
    found: &mut BTreeSet<usize>,
) {
    use pg_sys::JoinType::{JOIN_INNER, JOIN_LEFT, JOIN_RIGHT};
    if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(item) {
        let (left, right) = match join.jointype {
            JOIN_INNER => (false, false),
            JOIN_LEFT => (false, true),
            JOIN_RIGHT => (true, false),
            _ => (true, true),
        };
        find_filled(scopes, scope, join.larg, is_filled || left, found);
        find_filled(scopes, scope, join.rarg, is_filled || right, found);
        return;
    }
    let range = tree::cast::<pg_sys::RangeTblRef, _>(item).filter(|_| is_filled);
    let Some(range) = range else {
        return;
    };
    match scopes.scopes[scope]
        .ranges
        .get(range.rtindex as usize - 1)
        .copied()
    {
        Some(Range::Relation(id)) => {
            found.insert(id);
        }
        Some(Range::Subquery(inner) | Range::With { scope: inner, .. }) => {
            found.extend(scopes.relations_below(inner));
        }
        _ => {}
    }
}

/// The relation with its first distribution column, if its rows lie by the same as the inserted ones, and have the same there.
fn first_linked(
    scopes: &mut Scopes,
    relation: usize,
    inserted: &Spreading,
    given: &[Column],
) -> Option<(Column, Json)> {
    let spreading = scopes.relations[relation].spreading()?;
    let operations = |one: &Spreading| one.columns.iter().map(|one| one.1).collect::<Vec<_>>();
    let united = operations(&spreading) == operations(inserted)
        && spreading
            .columns
            .iter()
            .zip(given)
            .all(|((attribute, _), given)| {
                let own = scopes.column(relation, *attribute);
                scopes.graph.are_united(own, *given)
            });
    let first = spreading.columns[0].0;
    let link = json!([relation, scopes.relations[relation].column_name(first)]);
    united.then(|| (scopes.column(relation, first), link))
}

fn value_spans(
    statement: &pg_sys::RawStmt,
    text: &CStr,
    rows: usize,
) -> Option<Vec<row_spans::Span>> {
    let insert = tree::cast::<pg_sys::InsertStmt, _>(statement.stmt)?;
    let select = tree::cast::<pg_sys::SelectStmt, _>(insert.selectStmt)?;
    let first_row = tree::nodes(select.valuesLists).next()?;
    let first = tree::nodes(first_row.cast()).next()?;
    // Of a subscript, and of what stands on its right, PostgreSQL does not tell the beginning.
    let mut locations = Vec::new();
    tree::walk_raw(first, &mut |node| {
        // SAFETY: the location of a raw expression.
        locations.push(unsafe { pg_sys::exprLocation(node) });
    });
    let begin = locations.into_iter().filter(|at| *at >= 0).min()?;
    row_spans::find(text, usize::try_from(begin).ok()?, rows)
}
