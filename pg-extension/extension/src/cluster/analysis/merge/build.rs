//! Builds worker and combine queries: the workers' columns, and FROM of the combine query that stands for them.

use super::super::super::exact_texts;
use super::super::functions::FIRST_USER_OBJECT;
use super::super::parser;
use super::super::tree::{self, NodePtr};
use super::{domains, inner_order, refuse, sorted_values, taken, window};
use crate::boundary::{self, PostgresError};
use crate::catalog;
use crate::object;
use pgrx::pg_sys::{self, CoercionForm, Oid};
use serde_json::{Value as Json, json};

/// The columns that workers give. In the combine query they are those of its only range.
#[derive(Default)]
pub struct WorkerColumns(Vec<WorkerColumn>);

struct WorkerColumn {
    expression: NodePtr,
    /// Of the group or sort clause that refers to it; 0 for none.
    reference: u32,
    type_oid: Oid,
    collation: Oid,
}

impl WorkerColumns {
    /// A column with that expression; equal expressions share one.
    pub fn add(&mut self, expression: NodePtr, reference: u32) -> usize {
        let known = self.0.iter_mut().enumerate().find(|(_, column)| {
            tree::equal(column.expression, expression)
                && (reference == 0 || [0, reference].contains(&column.reference))
        });
        if let Some((index, column)) = known {
            column.reference = column.reference.max(reference);
            return index;
        }
        self.push(expression, reference)
    }

    /// A column of its own, for a list that must keep its positions.
    pub fn push(&mut self, expression: NodePtr, reference: u32) -> usize {
        self.0.push(WorkerColumn {
            expression,
            reference,
            type_oid: read_type(tree::type_of(expression)),
            collation: tree::collation_of(expression),
        });
        self.0.len() - 1
    }

    /// The columns of others behind these, for what reads them.
    pub fn extend(&mut self, others: &WorkerColumns) {
        let expressions = others.0.iter().map(|column| column.expression);
        expressions.for_each(|expression| {
            self.push(expression, 0);
        });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Their types, as clients see them.
    pub fn types(&self) -> Vec<Oid> {
        self.0.iter().map(|column| column.type_oid).collect()
    }

    /// Whether some are rows of no named type, or arrays of them, which no node can read again.
    pub fn has_anonymous_rows(&self) -> bool {
        let anonymous = [pg_sys::RECORDOID, pg_sys::RECORDARRAYOID];
        self.0
            .iter()
            .any(|column| anonymous.contains(&column.type_oid))
    }

    /// Whether some have to be [`written`].
    pub fn have_states(&self) -> bool {
        self.0.iter().any(|column| is_of_state(column.type_oid))
    }

    /// Whether their texts say all of the values under the session's settings.
    pub fn have_exact_texts(&self) -> bool {
        let mut types = self.0.iter().map(|column| column.type_oid);
        types.all(exact_texts::say_all)
    }

    /// The types of the arrays that carry them.
    pub fn arrays(&self) -> Vec<Oid> {
        // SAFETY: catalogue look-ups.
        self.types()
            .into_iter()
            .map(|type_oid| unsafe { pg_sys::get_array_type(passed_type(type_oid)) })
            .collect()
    }

    /// The column as the arrays have it.
    fn passed(&self, index: usize) -> NodePtr {
        let passed = passed_type(self.0[index].type_oid);
        // SAFETY: makes a node of a valid type.
        unsafe {
            let collation = pg_sys::get_typcollation(passed);
            pg_sys::makeVar(1, index as i16 + 1, passed, -1, collation, 0).cast()
        }
    }

    /// The column as an expression of the combine query.
    pub fn read(&self, index: usize) -> NodePtr {
        let column = &self.0[index];
        let passed = passed_type(column.type_oid);
        let mut expression = self.passed(index);
        // SAFETY: makes nodes of valid types.
        unsafe {
            if passed != column.type_oid {
                let cast = tree::make::<pg_sys::CoerceViaIO>();
                cast.arg = expression.cast();
                cast.resulttype = column.type_oid;
                cast.resultcollid = pg_sys::get_typcollation(column.type_oid);
                cast.coerceformat = CoercionForm::COERCE_EXPLICIT_CAST;
                cast.location = -1;
                expression = std::ptr::from_mut(cast).cast();
            }
            if column.collation != Oid::INVALID
                && column.collation != tree::collation_of(expression)
            {
                let collate = tree::make::<pg_sys::CollateExpr>();
                collate.arg = expression.cast();
                collate.collOid = column.collation;
                collate.location = -1;
                expression = std::ptr::from_mut(collate).cast();
            }
            expression
        }
    }

    /// The columns as a query gives them that has them or, by NULLs of their types, one that has not.
    pub fn values(&self, has: bool) -> Vec<NodePtr> {
        let value = |column: &WorkerColumn| match (has, is_of_state(column.type_oid)) {
            (true, _) => written(column.expression),
            (false, true) => null(pg_sys::TEXTOID),
            (false, false) => null(column.type_oid),
        };
        self.0.iter().map(value).collect()
    }

    /// Target list of the worker query. What sorts or groups goes on to do so unseen where its text is given.
    pub fn targets(&self) -> *mut pg_sys::List {
        let mut hidden: Vec<NodePtr> = Vec::new();
        let given = self.0.iter().zip(1..).map(|(column, number)| {
            let entry = target(written(column.expression), number);
            let is_unseen = column.reference != 0 && is_of_state(column.type_oid);
            let sorting = match is_unseen {
                true => target(column.expression, (self.len() + hidden.len()) as i16 + 1),
                false => entry,
            };
            // SAFETY: the entries were just made.
            unsafe {
                (*sorting).ressortgroupref = column.reference;
                (*sorting).resjunk = is_unseen;
            }
            hidden.extend(is_unseen.then_some(sorting.cast()));
            entry.cast()
        });
        let given: Vec<NodePtr> = given.collect();
        tree::make_list(given.into_iter().chain(hidden))
    }
}

/// A column as that of another range, so many levels up.
pub fn renumbered(var: &pg_sys::Var, range: i32, level: u32) -> NodePtr {
    let copy = tree::copy(var);
    // SAFETY: the copy was just made; the columns as written are what deparsing looks at.
    unsafe {
        (*copy).varno = range;
        (*copy).varlevelsup = level;
        (*copy).varnosyn = range as u32;
        (*copy).varattnosyn = (*copy).varattno;
    }
    copy.cast()
}

/// An entry of a target list.
pub fn target(expression: NodePtr, number: i16) -> *mut pg_sys::TargetEntry {
    // SAFETY: makes a node.
    unsafe { pg_sys::makeTargetEntry(expression.cast(), number, std::ptr::null_mut(), false) }
}

/// Columns of these expressions, from that number on.
pub fn targets(
    expressions: impl IntoIterator<Item = NodePtr>,
    first: i16,
) -> impl Iterator<Item = NodePtr> {
    let numbered = expressions.into_iter().zip(first..);
    numbered.map(|(expression, number)| target(expression, number).cast())
}

/// NULL of a type; of a domain, which may forbid NULLs, of the type below it.
pub fn null(type_oid: Oid) -> NodePtr {
    // SAFETY: makes a constant of an existing type.
    unsafe {
        let type_oid = pg_sys::getBaseType(type_oid);
        pg_sys::makeNullConst(type_oid, -1, pg_sys::get_typcollation(type_oid)).cast()
    }
}

/// What clients and arrays see of an Abelian type, or of an array of it.
pub fn value_type(type_oid: Oid) -> Oid {
    // SAFETY: catalogue look-ups.
    unsafe {
        let element = match type_oid.to_u32() >= FIRST_USER_OBJECT {
            true => pg_sys::get_element_type(type_oid),
            false => Oid::INVALID,
        };
        if element != Oid::INVALID && value_type(element) != element {
            return pg_sys::get_array_type(value_type(element));
        }
    }
    match catalog::find() {
        Some(catalog) if [catalog.decimal_counter, catalog.bounded_decimal].contains(&type_oid) => {
            pg_sys::NUMERICOID
        }
        Some(catalog) if catalog.is_counter_type(type_oid) => pg_sys::INT8OID,
        _ if type_oid == pg_sys::UNKNOWNOID => pg_sys::TEXTOID,
        _ => type_oid,
    }
}

/// Whether what clients see of an Abelian type may be less than its state, as which it is written and read.
pub fn is_of_state(type_oid: Oid) -> bool {
    let is_object = |catalog| object::is_object_type(&catalog, type_oid);
    catalog::find().is_some_and(is_object) && value_type(type_oid) == type_oid
}

/// The expression so that its text says all there is, for who reads it as its type.
pub fn written(expression: NodePtr) -> NodePtr {
    let type_oid = tree::type_of(expression);
    if !is_of_state(type_oid) {
        return expression;
    }
    let text = call(output_function(type_oid), pg_sys::CSTRINGOID, expression);
    call(pg_sys::F_TEXTIN.into(), pg_sys::TEXTOID, text)
}

/// The function that writes values of a type.
pub fn output_function(type_oid: Oid) -> Oid {
    let (mut output, mut varlena) = (Oid::INVALID, false);
    // SAFETY: look-ups of an existing type.
    unsafe { pg_sys::getTypeOutputInfo(type_oid, &mut output, &mut varlena) };
    output
}

fn call(function: Oid, result: Oid, argument: NodePtr) -> NodePtr {
    let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
    let arguments = tree::make_list([argument]);
    // SAFETY: makes a node of a valid function and type.
    unsafe {
        let collation = pg_sys::get_typcollation(result);
        pg_sys::makeFuncExpr(function, result, arguments, collation, Oid::INVALID, form).cast()
    }
}

/// As what the combine query reads values of this type. A domain's constraints held when a value was stored, but need not hold now (NOT VALID),
/// and not for the NULLs of an outer join; PostgreSQL does not test them where a value is only read. Where the type itself decides about
/// the answer it stays.
fn read_type(type_oid: Oid) -> Oid {
    let type_oid = value_type(type_oid);
    // SAFETY: catalogue look-ups of a type.
    unsafe {
        match !domains::are_kept() && pg_sys::DomainHasConstraints(type_oid) {
            true => pg_sys::getBaseType(type_oid),
            false => type_oid,
        }
    }
}

/// The type whose array carries values of this type: text where there is no array of it, for rows, which unnest() would take apart, for boxes, whose
/// arrays are not written with commas, and for users' types, which have other numbers on other nodes.
fn passed_type(type_oid: Oid) -> Oid {
    // SAFETY: catalogue look-ups.
    let fits = unsafe {
        type_oid.to_u32() < FIRST_USER_OBJECT
            && type_oid != pg_sys::BOXOID
            && pg_sys::get_array_type(type_oid) != Oid::INVALID
            && !pg_sys::type_is_rowtype(type_oid)
    };
    if fits { type_oid } else { pg_sys::TEXTOID }
}

/// A SELECT divided between workers and the node that combines.
pub struct Division {
    /// What the workers give; the worker query's target list.
    pub columns: WorkerColumns,
    /// Run by each worker.
    pub worker: &'static mut pg_sys::Query,
    /// Run by one node; its FROM is still that of the statement.
    pub combine: &'static mut pg_sys::Query,
    /// The workers give rows as they are in the tables.
    pub pulls_rows: bool,
    /// By which of the workers' columns their rows must be sorted before the combine query gets them.
    pub order: Vec<(usize, pg_sys::SortGroupClause)>,
    /// Of workers whose rows are rows of the answer.
    pub finish: Option<Finish>,
}

/// What is known when the workers' rows are rows of the answer.
pub struct Finish {
    /// The statement, if it takes any of them.
    pub any_of: Option<&'static pg_sys::Query>,
    /// Whether rows that are equal in the order stay as the workers gave them: the column behind theirs is the place of a row, by which the combine
    /// query sorts, too.
    pub by_place: bool,
}

impl Finish {
    fn facts(&self) -> Result<Json, PostgresError> {
        let window = self.any_of.map(window::facts).transpose()?;
        Ok(json!({ "window": window }))
    }
}

impl Division {
    /// The facts of the division, both texts checked by analysing them.
    pub fn print(self, parameters: &[Oid]) -> Result<Json, PostgresError> {
        let types = self.columns.types();
        if self.columns.has_anonymous_rows() {
            return Ok(refuse("a column of type record"));
        }
        let arrays = self.columns.arrays();
        let all_parameters: Vec<Oid> = parameters.iter().copied().chain(arrays).collect();
        let taken = taken::query(&self, parameters)?;
        let finish = self.finish.as_ref().map(Finish::facts).transpose()?;
        let rows = self.rows(parameters.len(), &all_parameters)?;
        put_from(self.combine, rows);
        sorted_values::by_own_operators(self.combine);
        self.worker.targetList = self.columns.targets();
        let worker = parser::deparse_for(self.worker, &[])?;
        let combine = parser::deparse_for(self.combine, &[])?;
        if let Err(error) =
            check(&worker, parameters).and_then(|()| check(&combine, &all_parameters))
        {
            return Ok(refuse(&format!(
                "its parts cannot be merged: {}",
                error.message()
            )));
        }
        let numbers = |oids: &[Oid]| oids.iter().map(|oid| oid.to_u32()).collect::<Vec<_>>();
        Ok(json!({
            "mode": "combine", "worker": worker, "combine": combine, "worker_types": numbers(&types),
            "combine_parameters": numbers(&all_parameters), "pulls_rows": self.pulls_rows, "taken": taken,
            "finish": finish,
        }))
    }
}

impl Division {
    /// A query over the workers' rows, with all columns that the combine query reads.
    pub fn unsorted_rows(
        &self,
        first: usize,
        parameters: &[Oid],
    ) -> Result<&'static mut pg_sys::Query, PostgresError> {
        match &self.finish {
            Some(finish) if finish.by_place => numbered_rows(first, parameters),
            _ => rows(first, parameters),
        }
    }

    /// A query over the workers' rows, in the order that the combine query needs.
    fn rows(
        &self,
        first: usize,
        parameters: &[Oid],
    ) -> Result<&'static mut pg_sys::Query, PostgresError> {
        let query = self.unsorted_rows(first, parameters)?;
        if self.order.is_empty() {
            return Ok(query);
        }
        let sorted = copy(query);
        let mut targets: Vec<NodePtr> = (0..self.columns.len())
            .map(|at| target(self.columns.passed(at), at as i16 + 1).cast())
            .collect();
        let mut clauses = Vec::new();
        for ((column, clause), reference) in self.order.iter().zip(1..) {
            let entry = target(self.columns.read(*column), targets.len() as i16 + 1);
            // SAFETY: the entry was just made.
            unsafe {
                (*entry).resjunk = true;
                (*entry).ressortgroupref = reference;
            }
            targets.push(entry.cast());
            clauses.push(inner_order::sort_clause(clause, reference));
        }
        sorted.targetList = tree::make_list(targets);
        sorted.sortClause = tree::make_list(clauses);
        query.rtable = tree::make_list([range_of(sorted, "w").cast()]);
        Ok(query)
    }
}

/// Replaces FROM, WHERE and all that belongs to them by those of a query over the workers' columns.
pub fn put_from(combine: &mut pg_sys::Query, skeleton: &pg_sys::Query) {
    combine.rtable = skeleton.rtable;
    combine.jointree = skeleton.jointree;
    combine.cteList = std::ptr::null_mut();
    combine.setOperations = std::ptr::null_mut();
    combine.rowMarks = std::ptr::null_mut();
    combine.constraintDeps = std::ptr::null_mut();
    combine.hasSubLinks = false;
    combine.hasForUpdate = false;
    combine.hasRowSecurity = false;
}

/// A query over the arrays that are the parameters behind the first ones.
pub fn rows(first: usize, types: &[Oid]) -> Result<&'static mut pg_sys::Query, PostgresError> {
    over_arrays(first, types, "w", &numbered_names(first, types), false)
}

/// As `rows`, with these names of the range and its columns.
pub fn rows_as(
    first: usize,
    types: &[Oid],
    range: &str,
    columns: &[String],
) -> Result<&'static mut pg_sys::Query, PostgresError> {
    over_arrays(first, types, range, columns, false)
}

/// As `rows`, with one column more, the place of each row, from 1.
pub fn numbered_rows(
    first: usize,
    types: &[Oid],
) -> Result<&'static mut pg_sys::Query, PostgresError> {
    let mut names = numbered_names(first, types);
    names.push("place".to_owned());
    over_arrays(first, types, "w", &names, true)
}

/// The place that `numbered_rows` gives behind so many columns.
pub fn place(columns: usize) -> NodePtr {
    // SAFETY: makes a column of the only range.
    unsafe { pg_sys::makeVar(1, columns as i16 + 1, pg_sys::INT8OID, -1, Oid::INVALID, 0).cast() }
}

fn numbered_names(first: usize, types: &[Oid]) -> Vec<String> {
    (1..=types.len() - first)
        .map(|number| format!("c{number}"))
        .collect()
}

fn over_arrays(
    first: usize,
    types: &[Oid],
    range: &str,
    columns: &[String],
    numbered: bool,
) -> Result<&'static mut pg_sys::Query, PostgresError> {
    let arrays: Vec<String> = (first + 1..=types.len())
        .map(|number| format!("pg_catalog.unnest(${number})"))
        .collect();
    let columns: Vec<String> = columns.iter().map(|name| parser::quoted(name)).collect();
    let text = parser::c_text(&format!(
        "SELECT 1 FROM ROWS FROM ({}){} AS {}({})",
        arrays.join(", "),
        if numbered { " WITH ORDINALITY" } else { "" },
        parser::quoted(range),
        columns.join(", ")
    ));
    let statement = parser::parse(&text)?[0];
    Ok(copy(parser::analyse(statement, &text, types)?.query))
}

/// Analyses a text of ours; what that locks or finds wrong leaves no trace.
pub fn check(text: &str, types: &[Oid]) -> Result<(), PostgresError> {
    let text = parser::c_text(text);
    boundary::attempt(|| {
        for statement in parser::parse(&text)? {
            parser::analyse(statement, &text, types)?;
        }
        Ok(())
    })
}

/// The types that clients see of a query's columns, or of those that a change returns.
pub fn types_of(query: &pg_sys::Query) -> Vec<Oid> {
    let columns = match query.commandType {
        pg_sys::CmdType::CMD_SELECT => query.targetList,
        _ => query.returningList,
    };
    tree::list::<pg_sys::TargetEntry>(columns)
        .filter(|entry| !entry.resjunk)
        // SAFETY: a catalogue look-up: of a domain, clients see the type below it.
        .map(|entry| unsafe { pg_sys::getBaseType(value_type(tree::type_of(entry.expr))) })
        .collect()
}

/// As `check`, of a text of one query; gives the types of its columns.
pub fn result_types(text: &str, types: &[Oid]) -> Result<Vec<Oid>, PostgresError> {
    let text = parser::c_text(text);
    boundary::attempt(|| {
        let statement = parser::parse(&text)?[0];
        Ok(types_of(parser::analyse(statement, &text, types)?.query))
    })
}

/// Removes from a query all steps after FROM and WHERE.
pub fn strip_later_steps(query: &mut pg_sys::Query) {
    query.groupClause = std::ptr::null_mut();
    query.groupingSets = std::ptr::null_mut();
    query.groupDistinct = false;
    query.hasAggs = false;
    query.windowClause = std::ptr::null_mut();
    query.hasWindowFuncs = false;
    query.hasTargetSRFs = false;
    strip_after_groups(query);
}

/// Removes from a query all steps after GROUP BY.
pub fn strip_after_groups(query: &mut pg_sys::Query) {
    query.havingQual = std::ptr::null_mut();
    query.distinctClause = std::ptr::null_mut();
    query.hasDistinctOn = false;
    query.sortClause = std::ptr::null_mut();
    query.limitCount = std::ptr::null_mut();
    query.limitOffset = std::ptr::null_mut();
    query.limitOption = pg_sys::LimitOption::LIMIT_OPTION_COUNT;
}

/// A copy that may be changed.
pub fn copy(query: &pg_sys::Query) -> &'static mut pg_sys::Query {
    // SAFETY: a fresh copy of a valid query.
    unsafe { &mut *tree::copy(query) }
}

/// A copy of the target list with each expression replaced by what the function makes of it.
pub fn map_targets(
    query: &pg_sys::Query,
    map: &mut dyn FnMut(NodePtr) -> NodePtr,
) -> *mut pg_sys::List {
    map_columns(query.targetList, map)
}

/// The same of any list of target entries.
pub fn map_columns(
    columns: *const pg_sys::List,
    map: &mut dyn FnMut(NodePtr) -> NodePtr,
) -> *mut pg_sys::List {
    tree::make_list(tree::list::<pg_sys::TargetEntry>(columns).map(|entry| {
        let mut entry = *entry;
        entry.expr = map(entry.expr.cast()).cast();
        tree::copy(&raw const entry).cast()
    }))
}

/// GROUP BY of the column with that reference; `None` when values of the type cannot be compared.
pub fn grouping_clause(
    type_oid: Oid,
    reference: u32,
) -> Option<&'static mut pg_sys::SortGroupClause> {
    let (mut less, mut equal, mut greater, mut hashable) =
        (Oid::INVALID, Oid::INVALID, Oid::INVALID, false);
    // SAFETY: a catalogue look-up that leaves InvalidOid where there is no operator.
    unsafe {
        pg_sys::get_sort_group_operators(
            type_oid,
            false,
            false,
            false,
            &mut less,
            &mut equal,
            &mut greater,
            &mut hashable,
        );
    }
    let clause = tree::make::<pg_sys::SortGroupClause>();
    clause.tleSortGroupRef = reference;
    clause.eqop = equal;
    clause.sortop = less;
    clause.hashable = hashable;
    (equal != Oid::INVALID).then_some(clause)
}

/// A query as an entry of a range table; its columns are c1, c2 ...
pub fn range_of(query: &'static mut pg_sys::Query, name: &str) -> *mut pg_sys::RangeTblEntry {
    let columns =
        tree::list::<pg_sys::TargetEntry>(query.targetList).filter(|entry| !entry.resjunk);
    let names = (1..=columns.count()).map(|number| format!("c{number}"));
    // SAFETY: makes nodes of strings that are copied.
    let string = |text: &str| unsafe { pg_sys::pstrdup(parser::c_text(text).as_ptr()) };
    let entry = tree::make::<pg_sys::RangeTblEntry>();
    // SAFETY: as above.
    unsafe {
        let names = names.map(|name| pg_sys::makeString(string(&name)).cast());
        entry.eref = pg_sys::makeAlias(string(name), tree::make_list(names));
        entry.alias = tree::copy(entry.eref);
    }
    entry.rtekind = pg_sys::RTEKind::RTE_SUBQUERY;
    entry.subquery = query;
    entry.inFromCl = true;
    entry
}
