//! INSERT ... SELECT whose rows go to other nodes than those that select them: a query that gives the rows, and an INSERT that takes them as one
//! array for each column, from which a router gives each node its part.

use super::super::postgres;
use super::below_view::Table;
use super::computed::{self, Computing};
use super::merge::build::{self, WorkerColumns};
use super::merge::parts;
use super::operand;
use super::parser;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// The two statements.
pub struct Gathered {
    /// Gives the rows.
    pub source: &'static mut pg_sys::Query,
    /// Takes them; the parameters after the statement's own are the arrays.
    pub insert: &'static mut pg_sys::Query,
    /// The types of all parameters of the INSERT.
    pub parameters: Vec<Oid>,
    /// Where each distribution column's value comes from.
    pub keys: Vec<Json>,
    /// What a node computes for each row, given their number as the parameter after the statement's own.
    pub computed: Option<Json>,
}

/// Of an INSERT, as analysed; `None` when its rows cannot be gathered.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
) -> Result<Option<Gathered>, PostgresError> {
    let placed = target.placement != Placement::Catalog;
    let table = Table::below(tree::target(query)).filter(|table| table.oid == target.oid);
    let Some(table) = table.filter(|_| query.commandType == CmdType::CMD_INSERT && placed) else {
        return Ok(None);
    };
    let Some(query) = with_in_select(query).map(|query| with_cast_keys(query, target, &table))
    else {
        return Ok(None);
    };
    let Some((number, selected)) = selected(query) else {
        return Ok(None);
    };
    let source = build::copy(selected);
    let mut columns = WorkerColumns::default();
    for entry in tree::list::<pg_sys::TargetEntry>(source.targetList) {
        if !entry.resjunk {
            columns.push(entry.expr.cast(), 0);
        }
    }
    let source = with_states(source, &columns);
    // Rows without columns are no arrays.
    if columns.has_anonymous_rows() || columns.len() == 0 {
        return Ok(None);
    }
    // Parts of columns are assigned by expressions around them, of which the text of an INSERT has several for one column.
    if tree::nodes(query.targetList).count() != columns.len() || assigns_parts(query) {
        return Ok(None);
    }
    let Some(mut keys) = keys(query, number, (target, &table), &columns) else {
        return Ok(None);
    };
    let insert = build::copy(query);
    // A view may not have the columns that are missing.
    let computed = match table.is_named() {
        true => add_computed(query, target, &mut columns, insert, &mut keys, parameters),
        false => None,
    };
    if keys.iter().any(Json::is_null) {
        return Ok(None);
    }
    let parameters: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let first = parameters.len() - columns.len();
    put_rows(insert, number, &columns, build::rows(first, &parameters)?);
    Ok(Some(Gathered {
        source,
        insert,
        parameters,
        keys,
        computed,
    }))
}

/// The same INSERT whose SELECT has the queries of WITH; `None` when these change rows or more than the SELECT may read them.
fn with_in_select(query: &pg_sys::Query) -> Option<&pg_sys::Query> {
    if query.cteList.is_null() {
        return Some(query);
    }
    let reads_elsewhere =
        has_subquery(query.returningList.cast()) || has_subquery(query.onConflict.cast());
    if query.hasModifyingCTE || reads_elsewhere {
        return None;
    }
    let query = build::copy(query);
    let (number, selected) = selected(query)?;
    let mut inner = build::copy(selected);
    if inner.cteList.is_null() {
        // What it read one level above it has itself now.
        // SAFETY: the walker knows all nodes of a query.
        unsafe { pg_sys::IncrementVarSublevelsUp(std::ptr::from_mut(inner).cast(), -1, 1) };
    } else {
        // Names of its own WITH may hide those of the other, so it stays one level below that.
        inner = over(inner);
    }
    (inner.cteList, inner.hasRecursive) = (query.cteList, query.hasRecursive);
    (query.cteList, query.hasRecursive) = (std::ptr::null_mut(), false);
    // SAFETY: an entry of a private copy, of which nothing else is held.
    unsafe { (*tree::range(query, number)).subquery = inner };
    Some(query)
}

/// The same INSERT whose SELECT casts what is assigned to distribution columns, where only a node knows how: a moment becomes one with a time zone by
/// the session's.
fn with_cast_keys<'q>(
    query: &'q pg_sys::Query,
    target: &Relation,
    table: &Table,
) -> &'q pg_sys::Query {
    let (Some(spreading), Some((number, selected))) = (target.spreading(), selected(query)) else {
        return query;
    };
    let keys = spreading.columns.iter().map(|(attribute, _)| *attribute);
    let assigned: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter(|entry| !entry.resjunk && keys.clone().any(|key| key == table.column(entry.resno)))
        .filter_map(|entry| {
            let value = operand::without_length(entry.expr.cast());
            let field = tree::cast::<pg_sys::Var, _>(operand::strip_casts(value))?;
            let is_cast = field.varno == number
                && !operand::is_cast_by_router(field.vartype, tree::type_of(value));
            is_cast.then(|| (field.varattno, operand::explicit(value)))
        })
        .collect();
    if assigned.is_empty() {
        return query;
    }
    let outer = over(build::copy(selected));
    for entry in tree::list::<pg_sys::TargetEntry>(outer.targetList) {
        if let Some((_, cast)) = assigned.iter().find(|(field, _)| *field == entry.resno) {
            let field: NodePtr = entry.expr.cast();
            let value = tree::replace(*cast, &mut |node| {
                tree::cast::<pg_sys::Var, _>(node).map(|_| tree::copy(field))
            });
            // SAFETY: an entry of a query that was just made.
            unsafe { (*std::ptr::from_ref(entry).cast_mut()).expr = value.cast() };
        }
    }
    let query = build::copy(query);
    // SAFETY: an entry of a private copy, of which nothing else is held.
    unsafe { (*tree::range(query, number)).subquery = outer };
    query
}

/// An INSERT of VALUES of one row that are several, `VALUES (generate_series(1, 3), 'x')`, as INSERT ... SELECT; `None` of any other.
pub fn of_series(query: &pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let is_one_row = query.commandType == CmdType::CMD_INSERT && from.fromlist.is_null();
    if !is_one_row || !query.hasTargetSRFs || assigns_parts(query) {
        return None;
    }
    let given: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter(|entry| tree::tag(entry.expr) != Some(pg_sys::NodeTag::T_SetToDefault))
        .collect();
    let value =
        |entry: &pg_sys::TargetEntry| -> NodePtr { operand::without_length(entry.expr.cast()) };
    let select = parts::select([], std::ptr::null_mut());
    select.hasSubLinks = query.hasSubLinks;
    select.hasTargetSRFs = true;
    select.targetList = tree::make_list(
        given
            .iter()
            .enumerate()
            .map(|(at, entry)| build::target(tree::copy(value(entry)), at as i16 + 1).cast()),
    );
    let insert = build::copy(query);
    let number = tree::nodes(insert.rtable).count() as i32 + 1;
    insert.targetList = tree::make_list(given.iter().enumerate().map(|(at, entry)| {
        let field = tree::make_field(number, at as i16 + 1, value(entry));
        build::target(field, entry.resno).cast()
    }));
    // SAFETY: appends to a list of a private copy.
    insert.rtable =
        unsafe { pg_sys::lappend(insert.rtable, build::range_of(select, "series").cast()) };
    insert.jointree = parts::from_ranges([number]);
    insert.hasTargetSRFs = false;
    insert.hasSubLinks = false;
    Some(insert)
}

/// The query so that its rows, as texts, say all there is of columns that are read again as values of the same types.
pub fn with_states(
    source: &'static mut pg_sys::Query,
    columns: &WorkerColumns,
) -> &'static mut pg_sys::Query {
    if !columns.have_states() {
        return source;
    }
    if source.commandType != CmdType::CMD_SELECT {
        source.returningList = build::map_columns(source.returningList, &mut build::written);
        return source;
    }
    let outer = over(source);
    outer.targetList = build::map_columns(outer.targetList, &mut build::written);
    outer
}

/// SELECT of all columns of a query.
fn over(query: &'static mut pg_sys::Query) -> &'static mut pg_sys::Query {
    let given = tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk);
    let columns = given.enumerate().map(|(at, entry)| {
        let place = at as i16 + 1;
        build::target(tree::make_field(1, place, entry.expr.cast()), place).cast()
    });
    let targets = tree::make_list(columns);
    let outer = parts::select([build::range_of(query, "selected")], std::ptr::null_mut());
    outer.targetList = targets;
    outer
}

fn has_subquery(node: NodePtr) -> bool {
    tree::any(node, &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// Whether it assigns elements of arrays or fields of rows.
pub fn assigns_parts(query: &pg_sys::Query) -> bool {
    use pg_sys::NodeTag::{T_FieldStore, T_SubscriptingRef};
    tree::list::<pg_sys::TargetEntry>(query.targetList).any(|entry| {
        let mut value: NodePtr = entry.expr.cast();
        while let Some(domain) = tree::cast::<pg_sys::CoerceToDomain, _>(value) {
            value = domain.arg.cast();
        }
        matches!(tree::tag(value), Some(T_FieldStore | T_SubscriptingRef))
    })
}

/// The SELECT, and its number in the range table.
fn selected(query: &pg_sys::Query) -> Option<(i32, &'static pg_sys::Query)> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let range = tree::list::<pg_sys::RangeTblRef>(from.fromlist).next()?;
    let entry =
        tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(range.rtindex as usize - 1)?;
    let selected = tree::cast::<pg_sys::Query, _>(entry.subquery)?;
    (selected.commandType == CmdType::CMD_SELECT).then_some((range.rtindex, selected))
}

/// Whether it already takes its rows from arrays, and nothing else.
pub fn is_gathered(query: &pg_sys::Query) -> bool {
    let Some((_, selected)) = selected(query) else {
        return false;
    };
    let mut ranges = tree::list::<pg_sys::RangeTblEntry>(selected.rtable);
    let unnests = |node: NodePtr| {
        tree::cast::<pg_sys::FuncExpr, _>(node).is_some_and(|call| {
            call.funcid.to_u32() == pg_sys::F_UNNEST_ANYARRAY
                && tree::nodes(call.args).all(|argument| operand::parameter(argument).is_some())
        })
    };
    match (ranges.next(), ranges.next()) {
        (Some(entry), None) if entry.rtekind == pg_sys::RTEKind::RTE_FUNCTION => {
            tree::list::<pg_sys::RangeTblFunction>(entry.functions)
                .all(|function| unnests(function.funcexpr))
        }
        _ => false,
    }
}

/// Puts the rows in the place of the SELECT.
fn put_rows(
    insert: &mut pg_sys::Query,
    number: i32,
    columns: &WorkerColumns,
    rows: &mut pg_sys::Query,
) {
    // Written as SQL, the columns of the SELECT are those of the INSERT; casts are found anew. Literals have the type of their column already.
    let given: Vec<NodePtr> = tree::list::<pg_sys::TargetEntry>(insert.targetList)
        .map(|entry| entry.expr.cast())
        .collect();
    rows.targetList = tree::make_list((0..columns.len()).map(|index| {
        let literal = given.get(index).and_then(|value| literal(*value));
        let value = literal.unwrap_or_else(|| columns.read(index));
        let entry = build::target(value, index as i16 + 1);
        // SAFETY: the entry was just made.
        unsafe { (*entry).resname = name(index) };
        entry.cast()
    }));
    // SAFETY: an entry for a SELECT, of a private copy.
    unsafe {
        let entry = tree::range(insert, number);
        (*entry).subquery = rows;
        let names = (0..columns.len()).map(|index| pg_sys::makeString(name(index)).cast());
        (*(*entry).eref).colnames = tree::make_list(names);
    }
}

/// A literal that is assigned to a column, of the column's type; the column's length is found anew.
fn literal(value: NodePtr) -> Option<NodePtr> {
    let value = operand::without_length(value);
    let shortened = tree::cast::<pg_sys::FuncExpr, _>(value)
        .filter(|call| call.funcformat == pg_sys::CoercionForm::COERCE_IMPLICIT_CAST)
        .and_then(|call| tree::nodes(call.args).next())
        .filter(|given| tree::type_of(*given) == tree::type_of(value));
    let value = shortened.unwrap_or(value);
    tree::cast::<pg_sys::Const, _>(value).map(|_| value)
}

fn name(index: usize) -> *mut std::ffi::c_char {
    let name = parser::c_text(&format!("c{}", index + 1));
    // SAFETY: a copy of a C string.
    unsafe { pg_sys::pstrdup(name.as_ptr()) }
}

/// For each distribution column where its value comes from; null for one that is not given; `None` when a router cannot read one.
fn keys(
    query: &pg_sys::Query,
    number: i32,
    (target, table): (&Relation, &Table),
    columns: &WorkerColumns,
) -> Option<Vec<Json>> {
    let Some(spreading) = target.spreading() else {
        return Some(Vec::new());
    };
    let mut keys = Vec::new();
    for (attribute, _) in &spreading.columns {
        let entry = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .find(|entry| table.column(entry.resno) == *attribute && !entry.resjunk);
        keys.push(match entry {
            None => Json::Null,
            Some(entry) => key(entry.expr.cast(), number, columns)?,
        });
    }
    Some(keys)
}

fn key(expression: NodePtr, number: i32, columns: &WorkerColumns) -> Option<Json> {
    let Some(variable) = tree::cast::<pg_sys::Var, _>(operand::strip_casts(expression)) else {
        let value = operand::assigned_value(expression);
        return (value["other"] != true).then(|| json!({ "value": value }));
    };
    if variable.varno != number {
        return None;
    }
    let field = variable.varattno as usize - 1;
    Some(json!({
        "field": field, "type": operand::base_type(columns.types()[field]), "cast": operand::type_name(expression),
    }))
}

/// Adds what a node computes to the columns and to the INSERT: distribution columns that are not given, and of a reference table what each copy
/// would make by itself.
fn add_computed(
    query: &pg_sys::Query,
    target: &Relation,
    columns: &mut WorkerColumns,
    insert: &mut pg_sys::Query,
    keys: &mut [Json],
    parameters: &[Oid],
) -> Option<Json> {
    let relation = Opened::open(target.oid, pg_sys::AccessShareLock)?;
    let computing = Computing::of(Some(target), query);
    let number = selected(query)?.0;
    let mut expressions = Vec::new();
    for (attribute, place) in missing(query, target, &relation, keys) {
        // SAFETY: a column of the open relation.
        let value = unsafe { pg_sys::build_column_default(relation.relation(), attribute.into()) };
        if let (true, Some(place)) = (value.is_null(), place) {
            keys[place] = json!({ "value": { "null": true } });
            continue;
        }
        let Some(expression) = computing.default(attribute, value) else {
            match place {
                Some(_) => return None,
                None => continue,
            }
        };
        let column = &relation.columns()[attribute as usize - 1];
        let parameter = tree::make_parameter(0, column.atttypid); // for its type
        let at = columns.push(parameter, 0);
        // SAFETY: appends to a list of a private copy.
        unsafe {
            let name = pg_sys::pstrdup(column.attname.data.as_ptr());
            let read = pg_sys::makeVar(
                number,
                at as i16 + 1,
                column.atttypid,
                column.atttypmod,
                column.attcollation,
                0,
            );
            let entry = pg_sys::makeTargetEntry(read.cast(), attribute, name, false);
            insert.targetList = pg_sys::lappend(insert.targetList, entry.cast());
        }
        if column.attidentity as u8 == pg_sys::ATTRIBUTE_IDENTITY_ALWAYS {
            insert.override_ = pg_sys::OverridingKind::OVERRIDING_SYSTEM_VALUE;
        }
        if let Some(place) = place {
            keys[place] = json!({
                "field": at, "type": operand::base_type(column.atttypid), "cast": operand::type_name(parameter),
            });
        }
        expressions.push(expression);
    }
    (!expressions.is_empty()).then(|| computed::query_of_rows(&expressions, parameters.len() + 1))
}

/// The columns that are not given and may have to be known before: distribution columns, with their places in the key, or all of a reference
/// table's that the session may write.
fn missing(
    query: &pg_sys::Query,
    target: &Relation,
    relation: &Opened,
    keys: &[Json],
) -> Vec<(i16, Option<usize>)> {
    if let Some(spreading) = target.spreading() {
        return spreading
            .columns
            .iter()
            .enumerate()
            .filter(|(place, _)| keys[*place].is_null())
            .map(|(place, (attribute, _))| (*attribute, Some(place)))
            .collect();
    }
    if target.placement != Placement::Reference {
        return Vec::new();
    }
    let given: Vec<i16> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .map(|entry| entry.resno)
        .collect();
    relation
        .columns()
        .iter()
        .filter(|column| {
            !column.attisdropped
                && column.attgenerated == 0
                && !given.contains(&column.attnum)
                && postgres::may_insert(target.oid, column.attnum)
        })
        .map(|column| (column.attnum, None))
        .collect()
}

/// Whether copies of a reference table would differ: each node runs the INSERT by itself.
pub fn differs(target: &Relation, insert: &Json) -> bool {
    target.placement == Placement::Reference && insert["differs"] == true
}
