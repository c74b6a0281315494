//! UPDATE of a distribution column, whose rows go to the nodes of their new keys: a DELETE that returns the rows as they are to be, and an INSERT that
//! takes them as one array for each column, from which a router gives each node its part. So PostgreSQL itself moves a row to another partition.

use super::super::exact_texts;
use super::below_view::{self, Table};
use super::computed::{self, Computing};
use super::insert_select::{Gathered, assigns_parts};
use super::merge::build::{self, WorkerColumns};
use super::merge::parts;
use super::operand;
use super::parser;
use super::relation::{Relation, has_policies};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::catalog;
use crate::cluster::postgres;
use crate::compat;
use crate::opened::Opened;
use crate::operation::missing;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, CmdType, FormData_pg_attribute, Oid};
use serde_json::{Value as Json, json};

/// Why the rows cannot be moved.
pub type Obstacle = &'static str;

/// Of an UPDATE, as analysed; `None` when it leaves the distribution columns alone.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
) -> Result<Option<Result<Gathered, Obstacle>>, PostgresError> {
    let Some(spreading) = target.spreading() else {
        return Ok(None);
    };
    let mut keys = spreading.columns.iter();
    let changes_key = keys.any(|(key, _)| target.assigned.contains(&target.column_name(*key)));
    if query.commandType != CmdType::CMD_UPDATE || !changes_key {
        return Ok(None);
    }
    let named = assigned_one_by_one(query);
    let Some((query, table)) = below(named, target) else {
        return Ok(Some(Err("it changes rows through a view")));
    };
    if let Some(obstacle) = of_statement(query) {
        return Ok(Some(Err(obstacle)));
    }
    check_privilege(query, target)?;
    let Some(relation) = Opened::open(target.oid, pg_sys::AccessShareLock) else {
        return Ok(Some(Err("the table is gone")));
    };
    if let Some(obstacle) = of_table(&relation) {
        return Ok(Some(Err(obstacle)));
    }
    let mut divided = divide(query, parameters, target, (&relation, &table))?;
    if let Ok(gathered) = &mut divided {
        gathered.insert.returningList = returned(named);
    }
    Ok(Some(divided))
}

/// The statement as one about the table itself, and that; through a view the rows come again, which is asked then what it says about them.
fn below<'q>(query: &'q pg_sys::Query, target: &Relation) -> Option<(&'q pg_sys::Query, Table)> {
    let table = Table::below(tree::target(query)).filter(|table| table.oid == target.oid)?;
    match table.is_named() {
        true => Some((query, table)),
        false => Some((below_view::unchecked(query)?, table)),
    }
}

// ---- what stands against it

fn of_statement(query: &pg_sys::Query) -> Option<Obstacle> {
    if query.hasModifyingCTE {
        return Some("a query in WITH changes rows");
    }
    if assigns_parts(query) {
        return Some("it assigns a part of a column");
    }
    if !exact_texts::are_exact() && !travels_exactly(query) {
        return Some(
            "extra_float_digits is less than 1, or the DateStyle not ISO, and values travel as texts",
        );
    }
    if assigns_several(query) {
        return Some("it assigns several columns from one subquery, which is volatile");
    }
    (!returns_own_rows(query)).then_some("RETURNING names more than columns of the table")
}

/// Whether the columns of the changed table have texts that say all of their values.
fn travels_exactly(query: &pg_sys::Query) -> bool {
    Opened::open(tree::target(query), pg_sys::NoLock).is_some_and(|table| {
        let mut columns = table.columns().iter();
        columns.all(|column| column.attisdropped || exact_texts::say_all(column.atttypid))
    })
}

/// `SET (a, b) = (SELECT ...)`
pub fn assigns_several(query: &pg_sys::Query) -> bool {
    tree::any(query.targetList.cast(), &mut |node| {
        tree::cast::<pg_sys::Param, _>(node)
            .is_some_and(|parameter| parameter.paramkind == pg_sys::ParamKind::PARAM_MULTIEXPR)
    })
}

/// `SET (a, b) = (SELECT x, y ...)` as a subquery for each column; the same query where that is volatile, and might come out otherwise each time.
pub fn assigned_one_by_one(query: &pg_sys::Query) -> &pg_sys::Query {
    let sources: Vec<&pg_sys::SubLink> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter_map(|entry| tree::cast::<pg_sys::SubLink, _>(entry.expr))
        .filter(|link| link.subLinkType == pg_sys::SubLinkType::MULTIEXPR_SUBLINK)
        .collect();
    // SAFETY: valid queries.
    let is_volatile =
        |link: &&pg_sys::SubLink| unsafe { pg_sys::contain_volatile_functions(link.subselect) };
    if sources.is_empty() || sources.iter().any(is_volatile) {
        return query;
    }
    let entries = tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| {
        let link = tree::cast::<pg_sys::SubLink, _>(entry.expr);
        link.is_none_or(|link| link.subLinkType != pg_sys::SubLinkType::MULTIEXPR_SUBLINK)
    });
    let assigned = tree::make_list(entries.map(|entry| {
        let mut entry = *entry;
        entry.expr =
            tree::replace(entry.expr.cast(), &mut |node| one_column(node, &sources)).cast();
        tree::copy(&raw const entry).cast()
    }));
    let single = build::copy(query);
    single.targetList = assigned;
    single
}

/// What stands for one column of the row that several are assigned from.
fn one_column(node: NodePtr, sources: &[&pg_sys::SubLink]) -> Option<NodePtr> {
    let parameter = tree::cast::<pg_sys::Param, _>(node)
        .filter(|parameter| parameter.paramkind == pg_sys::ParamKind::PARAM_MULTIEXPR)?;
    let (number, column) = (parameter.paramid >> 16, parameter.paramid & 0xFFFF);
    let source = sources.iter().find(|link| link.subLinkId == number)?;
    let inner = build::copy(tree::cast::<pg_sys::Query, _>(source.subselect)?);
    // SAFETY: the walker knows all nodes of a query. What it reads above it is one level further up.
    unsafe { pg_sys::IncrementVarSublevelsUp(std::ptr::from_mut(inner).cast(), 1, 1) };
    let value = tree::make_field(1, column as i16, node);
    let select = parts::select([build::range_of(inner, "assigned")], std::ptr::null_mut());
    select.targetList = tree::make_list([build::target(value, 1).cast()]);
    let link = tree::make::<pg_sys::SubLink>();
    link.subLinkType = pg_sys::SubLinkType::EXPR_SUBLINK;
    link.subselect = std::ptr::from_mut(select).cast();
    link.location = -1;
    Some(std::ptr::from_mut(link).cast())
}

/// Whether RETURNING names nothing but columns of the new rows.
pub fn returns_own_rows(query: &pg_sys::Query) -> bool {
    !tree::any(query.returningList.cast(), &mut |node| {
        tree::cast::<pg_sys::SubLink, _>(node).is_some()
            || tree::cast::<pg_sys::Var, _>(node).is_some_and(|column| {
                column.varno != query.resultRelation
                    || column.varattno < 0
                    || compat::is_old(column)
            })
    })
}

/// The statements that move rows ask for other privileges than the UPDATE itself.
pub fn check_privilege(query: &pg_sys::Query, target: &Relation) -> Result<(), PostgresError> {
    let mut assigned = tree::assignments(query).into_iter();
    if assigned.all(|entry| postgres::may_update(target.oid, entry.resno)) {
        return Ok(());
    }
    Err(PostgresError::made(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE as i32,
        &format!("permission denied for table {}", target.name),
        "",
        None,
    ))
}

fn of_table(relation: &Opened) -> Option<Obstacle> {
    if has_policies(relation.id()) {
        return Some(
            "its policies for UPDATE are not those of the DELETE and INSERT that would move rows",
        );
    }
    let partitions = missing::descendants(relation.id());
    let opened = partitions
        .into_iter()
        .filter_map(|partition| Opened::open(partition, pg_sys::NoLock));
    let mut obstacles = opened.map(|partition| of_triggers(&partition));
    of_triggers(relation).or_else(|| obstacles.find_map(|obstacle| obstacle))
}

fn of_triggers(relation: &Opened) -> Option<Obstacle> {
    relation.triggers().iter().find_map(|trigger| {
        // SAFETY: a comparison with known functions.
        let of_foreign_key = unsafe { pg_sys::RI_FKey_trigger_type(trigger.tgfoid) };
        if of_foreign_key == pg_sys::RI_TRIGGER_PK as i32 {
            Some("a foreign key refers to its rows")
        } else if catalog::is_trigger_of_user(trigger) {
            Some("its triggers for UPDATE would not fire")
        } else {
            None
        }
    })
}

// ---- the two statements

fn divide(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
    (relation, table): (&Opened, &Table),
) -> Result<Result<Gathered, Obstacle>, PostgresError> {
    let computing = Computing::of_table(target.oid, Some(&target.placement));
    // Numbers that a column takes always are not for the nodes of the rows to count; they stand behind the rest.
    let (mut stored, mut drawn, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let columns = relation.columns().iter();
    for column in columns.filter(|column| !column.attisdropped && column.attgenerated == 0) {
        match taken(query, relation, &computing, column) {
            None => stored.push(column),
            Some(number) => {
                drawn.push(column);
                numbers.push(number);
            }
        }
    }
    let mut columns = WorkerColumns::default();
    for column in &stored {
        columns.push(new_value(query, relation, column), 0);
    }
    if columns.has_anonymous_rows() {
        return Ok(Err("a column is of type record"));
    }
    let source = build::copy(query);
    source.commandType = CmdType::CMD_DELETE;
    source.targetList = std::ptr::null_mut();
    source.returningList = columns.targets();
    let computed =
        (!numbers.is_empty()).then(|| computed::query_of_rows(&numbers, parameters.len() + 1));
    for column in &drawn {
        columns.push(tree::make_parameter(0, column.atttypid), 0); // for its type
    }
    stored.extend(drawn);
    let parameters: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let Some(names) = table.names(&stored) else {
        return Ok(Err(
            "it changes rows through a view that has not all columns",
        ));
    };
    let insert = insert(names, &stored, &columns, &parameters)?;
    Ok(Ok(Gathered {
        source,
        insert,
        parameters,
        keys: keys(target, &stored),
        computed,
    }))
}

/// The number that SET gives a distribution column GENERATED ALWAYS, which nothing but DEFAULT does.
fn taken(
    query: &pg_sys::Query,
    relation: &Opened,
    computing: &Computing,
    column: &FormData_pg_attribute,
) -> Option<computed::Expression> {
    let mut entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    let is_default = |entry: &pg_sys::TargetEntry| {
        entry.resno == column.attnum
            && tree::tag(entry.expr) == Some(pg_sys::NodeTag::T_SetToDefault)
    };
    let is_taken =
        column.attidentity as u8 == pg_sys::ATTRIBUTE_IDENTITY_ALWAYS && entries.any(is_default);
    if !is_taken {
        return None;
    }
    // SAFETY: a column of the open relation.
    let default =
        unsafe { pg_sys::build_column_default(relation.relation(), column.attnum.into()) };
    computing.default(column.attnum, default)
}

/// What a column of the new row has.
fn new_value(query: &pg_sys::Query, relation: &Opened, column: &FormData_pg_attribute) -> NodePtr {
    let mut entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
    let Some(entry) = entries.find(|entry| !entry.resjunk && entry.resno == column.attnum) else {
        return tree::make_column(query.resultRelation, column);
    };
    if tree::tag(entry.expr) != Some(pg_sys::NodeTag::T_SetToDefault) {
        return operand::without_length(entry.expr.cast());
    }
    // SAFETY: a column of the open relation.
    let default =
        unsafe { pg_sys::build_column_default(relation.relation(), column.attnum.into()) };
    match default.is_null() {
        true => build::null(build::value_type(column.atttypid)),
        false => default.cast(),
    }
}

/// INSERT of the rows that the last parameters carry.
fn insert(
    (table, names): (String, Vec<String>),
    stored: &[&FormData_pg_attribute],
    columns: &WorkerColumns,
    parameters: &[Oid],
) -> Result<&'static mut pg_sys::Query, PostgresError> {
    let rows = build::rows(parameters.len() - columns.len(), parameters)?;
    rows.targetList = tree::make_list(
        (0..columns.len()).map(|index| build::target(columns.read(index), index as i16 + 1).cast()),
    );
    let names = names.join(", ");
    let always = |column: &&FormData_pg_attribute| {
        column.attidentity as u8 == pg_sys::ATTRIBUTE_IDENTITY_ALWAYS
    };
    let overriding = if stored.iter().any(always) {
        " OVERRIDING SYSTEM VALUE"
    } else {
        ""
    };
    let rows = parser::deparse_for(rows, &[parser::QUALIFIED])?;
    let text = parser::c_text(&format!("INSERT INTO {table} ({names}){overriding} {rows}"));
    let statement = parser::parse(&text)?[0];
    Ok(build::copy(
        parser::analyse(statement, &text, parameters)?.query,
    ))
}

/// RETURNING of the UPDATE over the rows of an INSERT, whose table is its first range.
fn returned(query: &pg_sys::Query) -> *mut pg_sys::List {
    build::map_columns(query.returningList, &mut |expression| {
        tree::replace(expression, &mut |node| {
            let mut column = *tree::cast::<pg_sys::Var, _>(node)?;
            column.varno = 1;
            column.varnosyn = 1;
            Some(tree::copy(&raw const column).cast())
        })
    })
}

/// Where the value of each distribution column stands in a row.
fn keys(target: &Relation, stored: &[&FormData_pg_attribute]) -> Vec<Json> {
    let Some(spreading) = target.spreading() else {
        return Vec::new();
    };
    // The value has been cast to the column's type already, but for its length.
    let key = |attribute: i16| {
        let field = stored
            .iter()
            .position(|column| column.attnum == attribute)?;
        let (type_oid, modifier) = (stored[field].atttypid, stored[field].atttypmod);
        // SAFETY: the type of a column.
        let cast = unsafe { operand::base_type_name(type_oid, modifier) };
        Some(json!({ "field": field, "type": operand::base_type(type_oid), "cast": cast }))
    };
    let attributes = spreading.columns.iter();
    attributes
        .filter_map(|(attribute, _)| key(*attribute))
        .collect()
}
