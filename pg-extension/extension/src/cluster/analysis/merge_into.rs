//! MERGE into a table whose rows lie on several nodes: a query that gives the rows of USING, and a MERGE that takes them as one array for each column,
//! from which a router gives each node its part. ON must equate the distribution columns with columns of USING, and a row that is inserted must get
//! these values. Then a row of USING matches on the node of its key or nowhere, and is inserted there.

use super::conditions::{conjuncts, equality_sides};
use super::insert_select::Gathered;
use super::merge::build::{self, WorkerColumns};
use super::merge::{put_subquery, used::Used};
use super::operand;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// What USING names, by its number in the range table.
struct Source {
    number: i32,
    entry: &'static pg_sys::RangeTblEntry,
}

/// Of a MERGE, as analysed; `None` when its rows cannot be given to nodes by their keys.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
) -> Result<Option<Gathered>, PostgresError> {
    let placed = matches!(
        target.placement,
        Placement::Distributed(_) | Placement::Reference
    );
    let plain = query.commandType == CmdType::CMD_MERGE
        && target.oid == tree::target(query)
        && !query.hasSubLinks
        && !query.hasModifyingCTE;
    if !placed || !plain {
        return Ok(None);
    }
    let Some(source) = source_of(query) else {
        return Ok(None);
    };
    let used = Used::by(query);
    let mut columns = WorkerColumns::default();
    let mut places = Vec::new();
    for column in columns_of(&source) {
        let wanted = used.has(source.number, column.varattno) && column.vartype != Oid::INVALID;
        places.push(wanted.then(|| columns.push(alone(column), 0)));
    }
    if columns.len() == 0 {
        // SAFETY: makes a constant, since there must be something for each row.
        columns.push(unsafe { pg_sys::makeBoolConst(true, false) }, 0);
    }
    if columns.has_anonymous_rows() || used.has_system_columns(source.number) {
        return Ok(None);
    }
    let Some(keys) = keys(query, &source, target, &places, &columns) else {
        return Ok(None);
    };
    let selecting = select(query, &source, &columns);
    let merge = build::copy(query);
    let parameters: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let rows = build::rows(parameters.len() - columns.len(), &parameters)?;
    rows.targetList = tree::make_list(columns_of(&source).into_iter().zip(&places).map(
        |(column, place)| {
            let value = place.map_or_else(|| null_of(column), |place| columns.read(place));
            let target = build::target(value, column.varattno);
            // SAFETY: just made. The columns behind a dropped one keep their numbers, by which the query reads them.
            unsafe { (*target).resjunk = column.vartype == Oid::INVALID };
            target.cast()
        },
    ));
    merge.cteList = std::ptr::null_mut();
    // SAFETY: the entry is of a private copy.
    unsafe {
        put_subquery(tree::range(merge, source.number), rows);
    }
    Ok(Some(Gathered {
        source: selecting,
        insert: merge,
        parameters,
        keys,
        computed: None,
    }))
}

/// USING, if it is one table, query or function.
fn source_of(query: &pg_sys::Query) -> Option<Source> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let mut items = tree::nodes(from.fromlist);
    let range = tree::cast::<pg_sys::RangeTblRef, _>(items.next()?)?;
    let number = range.rtindex;
    let entry = tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(number as usize - 1)?;
    items.next().is_none().then_some(Source { number, entry })
}

/// Its columns as what reads them where it is the only range; dropped ones have no type.
fn columns_of(source: &Source) -> Vec<&'static pg_sys::Var> {
    let (mut names, mut columns) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: lists the columns of a valid entry.
    unsafe {
        let entry = std::ptr::from_ref(source.entry).cast_mut();
        pg_sys::expandRTE(entry, 1, 0, -1, true, &mut names, &mut columns);
    }
    tree::nodes(columns)
        .enumerate()
        .map(|(at, node)| {
            tree::cast::<pg_sys::Var, _>(node).unwrap_or_else(|| {
                let dropped = tree::make::<pg_sys::Var>();
                dropped.varattno = at as i16 + 1;
                dropped
            })
        })
        .collect()
}

fn alone(column: &pg_sys::Var) -> NodePtr {
    tree::copy(column).cast()
}

fn null_of(column: &pg_sys::Var) -> NodePtr {
    match column.vartype {
        Oid::INVALID => build::null(pg_sys::INT4OID),
        type_oid => build::null(build::value_type(type_oid)),
    }
}

/// SELECT of the columns from USING, with the queries of WITH.
fn select(
    query: &pg_sys::Query,
    source: &Source,
    columns: &WorkerColumns,
) -> &'static mut pg_sys::Query {
    let select = tree::make::<pg_sys::Query>();
    let from = tree::make::<pg_sys::FromExpr>();
    let range = tree::make::<pg_sys::RangeTblRef>();
    range.rtindex = 1;
    from.fromlist = tree::make_list([std::ptr::from_mut(range).cast()]);
    select.commandType = CmdType::CMD_SELECT;
    select.canSetTag = true;
    select.jointree = from;
    select.cteList = tree::copy(query.cteList);
    select.hasRecursive = query.hasRecursive;
    select.rtable = tree::make_list([tree::copy(source.entry).cast()]);
    select.targetList = columns.targets();
    select
}

/// Where the value of each distribution column stands in a row of USING; `None` when it is not said.
fn keys(
    query: &pg_sys::Query,
    source: &Source,
    target: &Relation,
    places: &[Option<usize>],
    columns: &WorkerColumns,
) -> Option<Vec<Json>> {
    let Some(spreading) = target.spreading() else {
        return Some(Vec::new());
    };
    let key = |attribute| {
        let column = compared_with(query, source, attribute)?;
        if !is_inserted(query, source, attribute, column.varattno) {
            return None;
        }
        let field = (*places.get(column.varattno as usize - 1)?)?;
        Some(json!({
            "field": field, "type": columns.types()[field].to_u32(), "cast": operand::type_name(alone(column)),
        }))
    };
    let attributes = spreading.columns.iter().map(|(attribute, _)| *attribute);
    attributes.map(key).collect()
}

/// The column of USING that ON equates with a column of the target.
fn compared_with(
    query: &pg_sys::Query,
    source: &Source,
    attribute: i16,
) -> Option<&'static pg_sys::Var> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let column = |side| tree::cast::<pg_sys::Var, _>(operand::strip_faithful(side));
    let is_key = |var: &pg_sys::Var| (var.varno, var.varattno) == (query.resultRelation, attribute);
    let is_given = |var: &pg_sys::Var| var.varno == source.number && var.varattno > 0;
    conjuncts(from.quals).into_iter().find_map(|conjunct| {
        let (left, right) = equality_sides(conjunct)?;
        match (column(left)?, column(right)?) {
            (left, right) if is_key(left) && is_given(right) => Some(right),
            (left, right) if is_key(right) && is_given(left) => Some(left),
            _ => None,
        }
    })
}

/// Whether every row that is inserted gets the value of that column of USING.
fn is_inserted(query: &pg_sys::Query, source: &Source, attribute: i16, given: i16) -> bool {
    tree::list::<pg_sys::MergeAction>(query.mergeActionList)
        .filter(|action| action.commandType == CmdType::CMD_INSERT)
        .all(|action| {
            tree::list::<pg_sys::TargetEntry>(action.targetList)
                .filter(|entry| entry.resno == attribute && !entry.resjunk)
                .any(|entry| {
                    tree::cast::<pg_sys::Var, _>(operand::strip_casts(entry.expr.cast()))
                        .is_some_and(|var| (var.varno, var.varattno) == (source.number, given))
                })
        })
}
