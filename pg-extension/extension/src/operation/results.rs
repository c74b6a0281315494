//! What clients see: result columns of Abelian types are described and sent as the plain type, `bigint` or
//! `numeric`. Where a query's result is stored, its objects become new ones. Definitions of views keep the types,
//! so that their columns can be updated.

use super::copies::Copies;
use super::symbols::{Kind, Symbols};
use super::tree::{self, Any, Integers, Tree};
use crate::error::Error;
use crate::hooks::access::{self, Access};
use crate::hooks::analysis;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::object;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::cell::Cell;
use std::rc::Rc;

thread_local! {
    /// How many definitions of views are being analysed, one inside the other.
    static VIEW_DEFINITIONS: Cell<u32> = const { Cell::new(0) };
    /// The query whose result CREATE TABLE AS is storing, from the innermost such command; null if there is none.
    static STORED: Cell<*mut pg_sys::Node> = const { Cell::new(std::ptr::null_mut()) };
}

/// Installs the hooks; called once when the library is loaded.
pub fn install() {
    analysis::subscribe(analysed);
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_ViewStmt,
        around: define_view,
    });
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_CreateTableAsStmt,
        around: store_result,
    });
    access::subscribe(Subscriber {
        concerns: |access| {
            access.class == pg_sys::RelationRelationId
                && access.column == 0
                && access.kind == pg_sys::ObjectAccessType::OAT_POST_CREATE
        },
        tell: relation_created,
    });
}

fn analysed(query: *mut pg_sys::Query) {
    if let Some(query) = Tree::new(query)
        && VIEW_DEFINITIONS.get() == 0
        && !Tree::<pg_sys::Node>::new(STORED.get()).is_some_and(|stored| stored.equals(query.any()))
    {
        present(query);
    }
}

struct ViewDefinition;

impl ViewDefinition {
    fn begin() -> Self {
        VIEW_DEFINITIONS.set(VIEW_DEFINITIONS.get() + 1);
        ViewDefinition
    }
}

impl Drop for ViewDefinition {
    fn drop(&mut self) {
        VIEW_DEFINITIONS.set(VIEW_DEFINITIONS.get() - 1);
    }
}

fn define_view(command: &Command, define: Runner<'_>) {
    let _definition = ViewDefinition::begin();
    define(command);
}

struct StoredResult(*mut pg_sys::Node);

impl Drop for StoredResult {
    fn drop(&mut self) {
        STORED.set(self.0);
    }
}

/// From 18 on, the query of CREATE TABLE AS is shown once more, when the command runs. What it stores are objects.
fn store_result(command: &Command, create: Runner<'_>) {
    let stored = Tree::<pg_sys::Node>::new(command.node())
        .and_then(|node| node.cast::<pg_sys::CreateTableAsStmt>())
        .map_or(std::ptr::null_mut(), |create| create.query);
    let _outer = StoredResult(STORED.replace(stored));
    create(command);
}

/// Refuses indexes over Abelian columns: their values change without a change of the row.
fn relation_created(access: &Access) {
    let Some(relation) = Opened::new_one(access.object) else {
        return;
    };
    let is_index = relation.class().relkind as u8 == pg_sys::RELKIND_INDEX;
    let Some(catalog) = crate::catalog::find().filter(|_| is_index) else {
        return;
    };
    let mut columns = relation.columns().iter();
    if columns.any(|column| object::is_object_type(&catalog, column.atttypid)) {
        Error::IndexOnObject.raise();
    }
}

fn present(query: Tree<pg_sys::Query>) {
    match query.commandType {
        CmdType::CMD_UTILITY => present_utility(query),
        _ => {
            let Some(symbols) = Symbols::get() else {
                return;
            };
            if query.commandType == CmdType::CMD_SELECT {
                present_select(&symbols, query);
            }
            for mut entry in tree::items::<pg_sys::TargetEntry>(query.returningList) {
                if let Some(value) = value_of(&symbols, &entry) {
                    entry.expr = value.pointer();
                }
            }
        }
    }
}

fn present_utility(query: Tree<pg_sys::Query>) {
    let Some(statement) = Tree::new(query.utilityStmt) else {
        return;
    };
    if let Some(cursor) = statement.cast::<pg_sys::DeclareCursorStmt>() {
        if let Some(inner) = inner_query(cursor.query) {
            present(inner);
        }
    } else if let Some(call) = statement.cast::<pg_sys::CallStmt>() {
        present_call(call);
    } else if let Some(create) = statement.cast::<pg_sys::CreateTableAsStmt>() {
        let Some(symbols) = Symbols::get() else {
            return;
        };
        let view = Tree::new(create.into).and_then(|into| inner_query(into.viewQuery.cast()));
        for query in inner_query(create.query).into_iter().chain(view) {
            store_new_objects(&symbols, query);
        }
    }
}

/// A procedure's arguments live on beyond the transaction that it was called in. They do not pass the planner.
fn present_call(call: Tree<pg_sys::CallStmt>) {
    let Some(symbols) = Symbols::get() else {
        return;
    };
    if let Some(mut copies) = Copies::new(&symbols) {
        tree::any_node(call.funcexpr.cast(), &mut |node, levels| {
            copies.visit(node, levels);
            false
        });
    }
}

fn inner_query(node: *mut pg_sys::Node) -> Option<Tree<pg_sys::Query>> {
    Tree::new(node)?.cast::<pg_sys::Query>()
}

/// The table made of a query gets objects of its own.
fn store_new_objects(symbols: &Symbols, query: Tree<pg_sys::Query>) {
    if query.commandType != CmdType::CMD_SELECT {
        return;
    }
    if !query.setOperations.is_null() {
        // The branches' rows pass a common type: as plain values they cannot share objects.
        present_select(symbols, query);
        return;
    }
    for entry in tree::items::<pg_sys::TargetEntry>(query.targetList) {
        let Some((kind, expression)) = object_entry(symbols, &entry) else {
            continue;
        };
        let copy = tree::call(kind.copy, kind.type_, &[expression]);
        // Where rows must differ, it is left to `copies`.
        present_entry(query, entry, copy, Shown::NewObject);
    }
}

fn object_entry(symbols: &Symbols, entry: &Tree<pg_sys::TargetEntry>) -> Option<(Rc<Kind>, Any)> {
    let expression = Tree::<pg_sys::Node>::new(entry.expr.cast())?;
    if entry.resjunk {
        return None;
    }
    Some((symbols.kind(expression.result_type())?, expression))
}

fn value_of(symbols: &Symbols, entry: &Tree<pg_sys::TargetEntry>) -> Option<Any> {
    let (kind, expression) = object_entry(symbols, entry)?;
    Some(tree::implicit_cast(kind.value, kind.value_type, expression))
}

fn present_select(symbols: &Symbols, query: Tree<pg_sys::Query>) {
    if !query.setOperations.is_null() {
        present_set_operation(symbols, query);
        return;
    }
    for entry in tree::items::<pg_sys::TargetEntry>(query.targetList) {
        if let Some(value) = value_of(symbols, &entry) {
            present_entry(query, entry, value, Shown::Value(symbols));
        }
    }
}

/// What is shown in the place of a column.
pub enum Shown<'a> {
    /// A value of the plain type.
    Value(&'a Symbols),
    /// Another datum of the same type.
    SameType,
    /// The same, another one each time.
    NewObject,
}

/// Shows `shown` in the place of an entry that may also order, group or make distinct. False if it cannot be.
pub fn present_entry(
    mut query: Tree<pg_sys::Query>,
    mut entry: Tree<pg_sys::TargetEntry>,
    shown: Any,
    what: Shown<'_>,
) -> bool {
    let reference = entry.ressortgroupref;
    let distinct = refers(query.distinctClause, reference);
    if reference == 0 {
        entry.expr = shown.pointer();
    } else if !distinct {
        // The entry goes on to order and group unseen; another one is shown.
        let mut entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
        let mut shown_entry = entry.copy();
        shown_entry.expr = shown.pointer();
        shown_entry.ressortgroupref = 0;
        let last = entries.len() as i16 + 1;
        for other in &mut entries {
            if other.resno == entry.resno {
                *other = shown_entry;
            }
        }
        entry.resno = last;
        entry.resjunk = true;
        entries.push(entry);
        query.targetList = tree::list(&entries);
    } else if !refers(query.groupClause, reference) && query.windowClause.is_null() {
        // DISTINCT works on what is shown: if that is the value, then with the value's operators.
        let Some(before) = Tree::<pg_sys::Node>::new(entry.expr.cast()) else {
            return false;
        };
        if let Shown::NewObject = what {
            return false;
        }
        entry.expr = shown.pointer();
        if let Shown::Value(symbols) = what {
            for list in [query.distinctClause, query.sortClause] {
                use_operators_of_value(symbols, list, reference, before.result_type());
            }
        }
    } else {
        return false;
    }
    true
}

fn refers(clauses: *mut pg_sys::List, reference: u32) -> bool {
    tree::items::<pg_sys::Node>(clauses)
        .into_iter()
        .filter_map(|node| node.cast::<pg_sys::SortGroupClause>())
        .any(|clause| clause.tleSortGroupRef == reference)
}

fn use_operators_of_value(
    symbols: &Symbols,
    clauses: *mut pg_sys::List,
    reference: u32,
    type_: Oid,
) {
    for clause in tree::items::<pg_sys::SortGroupClause>(clauses) {
        if clause.tleSortGroupRef == reference {
            use_value_operators(symbols, clause, type_);
        }
    }
}

fn use_value_operators(symbols: &Symbols, clause: Tree<pg_sys::SortGroupClause>, type_: Oid) {
    if let Some(kind) = symbols.kind(type_) {
        use_operators(clause, kind.type_, kind.value_type);
    }
}

/// Sorts and groups by the operators of another type that orders alike.
pub fn use_operators(mut clause: Tree<pg_sys::SortGroupClause>, before: Oid, type_: Oid) {
    let (_, _, greater_before, _) = operators(before);
    let (less, equal, greater, hashable) = operators(type_);
    clause.sortop = if clause.sortop == greater_before {
        greater
    } else {
        less
    };
    clause.eqop = equal;
    clause.hashable = hashable;
}

/// `<`, `=`, `>` of a type, and whether it can be hashed.
pub fn operators(type_: Oid) -> (Oid, Oid, Oid, bool) {
    let (mut less, mut equal, mut greater) = (Oid::INVALID, Oid::INVALID, Oid::INVALID);
    let mut hashable = false;
    // SAFETY: the results are ours.
    unsafe {
        pg_sys::get_sort_group_operators(
            type_,
            true,
            true,
            true,
            &mut less,
            &mut equal,
            &mut greater,
            &mut hashable,
        );
    }
    (less, equal, greater, hashable)
}

/// UNION, INTERSECT, EXCEPT: the branches yield values instead of objects, and the operations compare values.
fn present_set_operation(symbols: &Symbols, query: Tree<pg_sys::Query>) {
    let Some(top) =
        Tree::new(query.setOperations).and_then(|node| node.cast::<pg_sys::SetOperationStmt>())
    else {
        return;
    };
    let columns: Vec<Option<Rc<Kind>>> = oids(top.colTypes)
        .into_iter()
        .map(|type_| symbols.kind(type_))
        .collect();
    if columns.iter().all(Option::is_none) {
        return;
    }
    present_branch(symbols, query, top.any(), &columns);
    for entry in tree::items::<pg_sys::TargetEntry>(query.targetList) {
        let variable = Tree::<pg_sys::Node>::new(entry.expr.cast())
            .and_then(|node| node.cast::<pg_sys::Var>());
        if let Some(mut variable) = variable
            && let Some(kind) = symbols.kind(variable.vartype)
        {
            variable.vartype = kind.value_type;
            variable.vartypmod = -1;
            variable.varcollid = collation(kind.value_type);
            use_operators_of_value(symbols, query.sortClause, entry.ressortgroupref, kind.type_);
        }
    }
}

fn present_branch(
    symbols: &Symbols,
    query: Tree<pg_sys::Query>,
    branch: Any,
    columns: &[Option<Rc<Kind>>],
) {
    if let Some(leaf) = branch.cast::<pg_sys::RangeTblRef>() {
        let entries = tree::items::<pg_sys::RangeTblEntry>(query.rtable);
        if let Some(inner) = entries
            .get(leaf.rtindex as usize - 1)
            .and_then(|entry| Tree::new(entry.subquery))
        {
            present_select(symbols, inner);
        }
    }
    let Some(mut operation) = branch.cast::<pg_sys::SetOperationStmt>() else {
        return;
    };
    for side in [operation.larg, operation.rarg] {
        if let Some(side) = Tree::new(side) {
            present_branch(symbols, query, side, columns);
        }
    }
    // One clause for each column, where rows are compared at all.
    for (clause, kind) in tree::items::<pg_sys::SortGroupClause>(operation.groupClauses)
        .into_iter()
        .zip(columns)
    {
        if let Some(kind) = kind {
            use_value_operators(symbols, clause, kind.type_);
        }
    }
    let types = oids(operation.colTypes);
    let modifiers = Integers::new(operation.colTypmods).iter();
    // A modifier of a type of ours means something else of the type of its values.
    let modifiers: Vec<i32> = modifiers
        .zip(&types)
        .map(|(modifier, type_)| symbols.kind(*type_).map_or(modifier, |_| -1))
        .collect();
    operation.colTypmods = tree::integer_list(&modifiers);
    let collations = oids(operation.colCollations);
    let shown = |type_: &Oid| symbols.kind(*type_).map(|kind| kind.value_type);
    operation.colTypes = oid_list(types.iter().map(|type_| shown(type_).unwrap_or(*type_)));
    operation.colCollations = oid_list(
        types
            .iter()
            .zip(&collations)
            .map(|(type_, before)| shown(type_).map_or(*before, collation)),
    );
}

/// The collation that values of a type have of themselves.
fn collation(type_: Oid) -> Oid {
    // SAFETY: syscache lookup.
    unsafe { pg_sys::get_typcollation(type_) }
}

fn oid_list(oids: impl Iterator<Item = Oid>) -> *mut pg_sys::List {
    // SAFETY: a list made in the tree's memory context.
    oids.fold(std::ptr::null_mut(), |list, oid| unsafe {
        pg_sys::lappend_oid(list, oid)
    })
}

fn oids(list: *mut pg_sys::List) -> Vec<Oid> {
    let length = if list.is_null() {
        0
    } else {
        // SAFETY: not null.
        unsafe { (*list).length }
    };
    // SAFETY: every index is below the length.
    (0..length)
        .map(|i| unsafe { pg_sys::list_nth_oid(list, i) })
        .collect()
}
