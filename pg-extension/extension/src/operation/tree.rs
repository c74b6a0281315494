//! A typed face on PostgreSQL's parse and plan trees.
//!
//! [`Tree`] is a pointer to a node that lives in the memory context of the statement being analysed or planned.
//! A backend has one thread and trees are not freed while a hook works on them: on that rests the `unsafe` here,
//! so that recognising and rewriting need none for walking a tree.

use crate::callback;
use pgrx::pg_sys::{self, Datum, NodeTag, Oid};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};

/// A node of a tree; never null.
pub struct Tree<T>(*mut T);

impl<T> Clone for Tree<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Tree<T> {}

impl<T> Deref for Tree<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: see the module's head.
        unsafe { &*self.0 }
    }
}

impl<T> DerefMut for Tree<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: see the module's head.
        unsafe { &mut *self.0 }
    }
}

/// Any node, known by its tag only.
pub type Any = Tree<pg_sys::Node>;

/// Struct types and the tag that marks them.
pub trait Tagged {
    /// The tag of this struct.
    const TAG: NodeTag;
}

macro_rules! tagged {
    ($($name:ident = $tag:ident),* $(,)?) => {
        $(impl Tagged for pg_sys::$name { const TAG: NodeTag = NodeTag::$tag; })*
    };
}
tagged! {
    Var = T_Var, Const = T_Const, Param = T_Param, FuncExpr = T_FuncExpr, OpExpr = T_OpExpr,
    RelabelType = T_RelabelType, TargetEntry = T_TargetEntry, Query = T_Query, RangeTblEntry = T_RangeTblEntry,
    RangeTblRef = T_RangeTblRef, RangeTblFunction = T_RangeTblFunction, FromExpr = T_FromExpr, JoinExpr = T_JoinExpr, BoolExpr = T_BoolExpr, MinMaxExpr = T_MinMaxExpr, ModifyTable = T_ModifyTable,
    RowMarkClause = T_RowMarkClause, CommonTableExpr = T_CommonTableExpr, SortGroupClause = T_SortGroupClause,
    OnConflictExpr = T_OnConflictExpr, MergeAction = T_MergeAction, SetOperationStmt = T_SetOperationStmt,
    CreateTableAsStmt = T_CreateTableAsStmt, DeclareCursorStmt = T_DeclareCursorStmt, CustomScan = T_CustomScan,
    WithCheckOption = T_WithCheckOption, Aggref = T_Aggref, WindowFunc = T_WindowFunc, SubscriptingRef = T_SubscriptingRef,
    SubLink = T_SubLink, FieldStore = T_FieldStore, ArrayExpr = T_ArrayExpr, RowExpr = T_RowExpr, CoerceToDomain = T_CoerceToDomain,
    NamedArgExpr = T_NamedArgExpr, CallStmt = T_CallStmt, AlterTableStmt = T_AlterTableStmt, AlterTableCmd = T_AlterTableCmd, ColumnDef = T_ColumnDef,
    ColumnRef = T_ColumnRef, String = T_String, ScalarArrayOpExpr = T_ScalarArrayOpExpr, IndexScan = T_IndexScan,
    BitmapHeapScan = T_BitmapHeapScan, Append = T_Append, MergeAppend = T_MergeAppend, SubqueryScan = T_SubqueryScan,
}

impl<T> Tree<T> {
    /// The node at `pointer`, unless that is null.
    pub fn new(pointer: *mut T) -> Option<Self> {
        (!pointer.is_null()).then_some(Tree(pointer))
    }

    /// As PostgreSQL's functions take it.
    pub fn pointer<U>(self) -> *mut U {
        self.0.cast()
    }

    /// The same node, its type forgotten.
    pub fn any(self) -> Any {
        Tree(self.0.cast())
    }

    /// A deep copy.
    pub fn copy(self) -> Self {
        // SAFETY: copyObject accepts every node.
        Tree(unsafe { pg_sys::copyObjectImpl(self.0.cast()) }.cast())
    }
}

impl Any {
    /// The node as a `T`, if it is one.
    pub fn cast<T: Tagged>(self) -> Option<Tree<T>> {
        (self.type_ == T::TAG).then_some(Tree(self.0.cast()))
    }

    /// The type of the expression's value.
    pub fn result_type(self) -> Oid {
        // SAFETY: exprType accepts every expression.
        unsafe { pg_sys::exprType(self.0) }
    }

    /// Whether the two trees mean the same.
    pub fn equals(self, other: Any) -> bool {
        // SAFETY: equal() accepts all nodes.
        unsafe { pg_sys::equal(self.0.cast(), other.0.cast()) }
    }
}

/// The nodes of a list of nodes, front to back.
pub fn items<T>(list: *mut pg_sys::List) -> Vec<Tree<T>> {
    each(list).filter_map(Tree::new).collect()
}

/// The first node of a list of nodes.
pub fn first<T>(list: *mut pg_sys::List) -> Option<Tree<T>> {
    each(list).find_map(Tree::new)
}

/// Puts what `replace` gives in the place of nodes of a list of nodes.
pub fn replace_items(list: *mut pg_sys::List, mut replace: impl FnMut(Any) -> Option<Any>) {
    for (n, node) in each::<pg_sys::Node>(list).enumerate() {
        if let Some(other) = Tree::new(node).and_then(&mut replace) {
            // SAFETY: the list has so many cells, each of which holds a pointer.
            unsafe { (*(*list).elements.add(n)).ptr_value = other.pointer() };
        }
    }
}

/// The pointers of a list of pointers.
pub fn each<T>(list: *mut pg_sys::List) -> impl Iterator<Item = *mut T> {
    // SAFETY: a list has as many cells as its length says, each of which holds a pointer.
    cells(list).map(|cell| unsafe { cell.ptr_value }.cast())
}

/// A list of integers, as plans keep it.
#[derive(Clone, Copy)]
pub struct Integers(*mut pg_sys::List);

impl Integers {
    /// The list at `pointer`, which must hold integers; null is the empty list.
    pub fn new(pointer: *mut pg_sys::List) -> Self {
        Integers(pointer)
    }

    /// Front to back.
    pub fn iter(self) -> impl ExactSizeIterator<Item = i32> {
        // SAFETY: by the promise of `new`.
        cells(self.0).map(|cell| unsafe { cell.int_value })
    }
}

fn cells(list: *mut pg_sys::List) -> impl ExactSizeIterator<Item = pg_sys::ListCell> {
    let length = if list.is_null() {
        0
    } else {
        // SAFETY: see the module's head.
        unsafe { (*list).length }
    };
    // SAFETY: every index is below the length.
    (0..length as usize).map(move |n| unsafe { (*list).elements.add(n).read() })
}

/// A list of these nodes.
pub fn list<T>(nodes: &[Tree<T>]) -> *mut pg_sys::List {
    // SAFETY: lappend makes the list in the current memory context.
    nodes
        .iter()
        .fold(std::ptr::null_mut(), |list, node| unsafe {
            pg_sys::lappend(list, node.pointer())
        })
}

/// A list of these integers.
pub fn integer_list(numbers: &[i32]) -> *mut pg_sys::List {
    // SAFETY: as in `list`.
    numbers
        .iter()
        .fold(std::ptr::null_mut(), |list, number| unsafe {
            pg_sys::lappend_int(list, *number)
        })
}

/// Calls function `function` with `arguments`.
pub fn call(function: Oid, result: Oid, arguments: &[Any]) -> Any {
    // SAFETY: makeFuncExpr builds a node of its arguments.
    let node = unsafe {
        pg_sys::makeFuncExpr(
            function,
            result,
            list(arguments),
            pg_sys::get_typcollation(result),
            pg_sys::InvalidOid,
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
        )
    };
    Tree(node.cast())
}

/// The text of an element: of a text, or of a type that writes equal values alike, whatever is set.
pub fn as_text(element: Any) -> Option<Any> {
    match element.result_type() {
        pg_sys::TEXTOID => Some(element),
        pg_sys::UUIDOID | pg_sys::INT8OID => {
            // SAFETY: a node of the size that its tag asks for, zeroed; then its fields are set.
            let written = unsafe {
                let size = size_of::<pg_sys::CoerceViaIO>();
                let node = pg_sys::palloc0(size).cast::<pg_sys::CoerceViaIO>();
                (*node).xpr.type_ = pg_sys::NodeTag::T_CoerceViaIO;
                (*node).arg = element.pointer();
                (*node).resulttype = pg_sys::TEXTOID;
                (*node).resultcollid = pg_sys::DEFAULT_COLLATION_OID;
                (*node).coerceformat = pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
                (*node).location = -1;
                node
            };
            Some(Tree(written.cast()))
        }
        _ => None,
    }
}

/// Calls a function that only rewritten statements may call: see [`is_internal_call`].
pub fn internal_call(function: Oid, result: Oid, arguments: &[Any]) -> Any {
    let node = call(function, result, arguments);
    if let Some(mut call) = node.cast::<pg_sys::FuncExpr>() {
        call.funcformat = INTERNAL;
    }
    node
}

/// A form that no statement can give to a call of a function of ours, and that deparses as an ordinary call.
const INTERNAL: pg_sys::CoercionForm::Type = pg_sys::CoercionForm::COERCE_SQL_SYNTAX;

/// Whether the running function was called by what [`internal_call`] made, and not by a user.
///
/// # Safety
/// `info` must be the call information of the running function.
pub unsafe fn is_internal_call(info: pg_sys::FunctionCallInfo) -> bool {
    // SAFETY: by the caller; without an expression the pointer is null.
    let expression = unsafe { Tree::<pg_sys::Node>::new((*(*info).flinfo).fn_expr) };
    expression
        .and_then(|node| node.cast::<pg_sys::FuncExpr>())
        .is_some_and(|call| call.funcformat == INTERNAL)
}

/// A cast that deparses as no cast at all.
pub fn implicit_cast(function: Oid, result: Oid, argument: Any) -> Any {
    let node = call(function, result, &[argument]);
    if let Some(mut call) = node.cast::<pg_sys::FuncExpr>() {
        call.funcformat = pg_sys::CoercionForm::COERCE_IMPLICIT_CAST;
    }
    node
}

/// Column `attribute` of relation `relation` of the range table, `levels_up` query levels outside.
pub fn column(relation: i32, attribute: i16, type_: Oid, levels_up: u32) -> Any {
    // SAFETY: makeVar builds a node.
    Tree(
        unsafe {
            pg_sys::makeVar(
                relation,
                attribute,
                type_,
                -1,
                pg_sys::InvalidOid,
                levels_up,
            )
        }
        .cast(),
    )
}

/// A row of a named type, made of its columns.
pub fn row(type_: Oid, columns: &[Any]) -> Any {
    // SAFETY: a zeroed node with a tag and its fields; of a named type the columns need no names.
    unsafe {
        let node = pg_sys::palloc0(size_of::<pg_sys::RowExpr>()).cast::<pg_sys::RowExpr>();
        (*node).xpr.type_ = NodeTag::T_RowExpr;
        (*node).args = list(columns);
        (*node).row_typeid = type_;
        (*node).row_format = pg_sys::CoercionForm::COERCE_IMPLICIT_CAST;
        (*node).location = -1;
        Tree(node.cast())
    }
}

/// An integer constant.
pub fn integer(value: i32) -> Any {
    constant(pg_sys::INT4OID, 4, value.into())
}

/// A constant of type `bigint`.
pub fn bigint(value: i64) -> Any {
    constant(pg_sys::INT8OID, 8, value.into())
}

/// A constant of type `boolean`.
pub fn truth(value: bool) -> Any {
    constant(pg_sys::BOOLOID, 1, value.into())
}

/// A constant object identifier.
pub fn oid(value: Oid) -> Any {
    constant(pg_sys::OIDOID, 4, value.into())
}

/// A constant of a type that is passed by value in so many bytes.
fn constant(type_: Oid, length: i32, value: Datum) -> Any {
    let (no_modifier, null, by_value) = (-1, false, true);
    // SAFETY: makeConst builds a node.
    let node = unsafe {
        pg_sys::makeConst(
            type_,
            no_modifier,
            pg_sys::InvalidOid,
            length,
            value,
            null,
            by_value,
        )
    };
    Tree(node.cast())
}

/// NULL of a type that is a varlena.
pub fn null(type_: Oid) -> Any {
    // SAFETY: as in `integer`.
    let node = unsafe { pg_sys::makeNullConst(type_, -1, pg_sys::InvalidOid) };
    Tree(node.cast())
}

/// A constant of a type that is a varlena.
pub fn varlena(type_: Oid, value: Datum) -> Any {
    // SAFETY: as in `integer`.
    let node = unsafe { pg_sys::makeConst(type_, -1, pg_sys::InvalidOid, -1, value, false, false) };
    Tree(node.cast())
}

/// An entry of a target list; `junk` entries are evaluated and dropped.
pub fn target(
    expression: Any,
    number: i16,
    name: &std::ffi::CStr,
    junk: bool,
) -> Tree<pg_sys::TargetEntry> {
    // SAFETY: makeTargetEntry builds a node; the name is copied into the tree's context.
    Tree(unsafe {
        pg_sys::makeTargetEntry(
            expression.pointer(),
            number,
            pg_sys::pstrdup(name.as_ptr()),
            junk,
        )
    })
}

/// `and`/`or` of conditions.
pub fn boolean(kind: pg_sys::BoolExprType::Type, conditions: &[Any]) -> Any {
    // SAFETY: makeBoolExpr builds a node.
    Tree(unsafe { pg_sys::makeBoolExpr(kind, list(conditions), -1) }.cast())
}

/// `=` of `bigint`, and of places of rows.
pub const INT8_EQUAL: Oid = Oid::from_u32(410);
/// See there.
pub const TID_EQUAL: Oid = Oid::from_u32(pg_sys::TIDEqualOperator);

/// `left = ANY (array)`
pub fn is_any(equal: Oid, left: Any, array: Any) -> Any {
    // SAFETY: a zeroed node with a tag and its fields; a lookup of the operator.
    unsafe {
        let size = size_of::<pg_sys::ScalarArrayOpExpr>();
        let node = pg_sys::palloc0(size).cast::<pg_sys::ScalarArrayOpExpr>();
        (*node).xpr.type_ = NodeTag::T_ScalarArrayOpExpr;
        (*node).opno = equal;
        (*node).opfuncid = pg_sys::get_opcode(equal);
        (*node).useOr = true;
        (*node).args = list(&[left, array]);
        (*node).location = -1;
        Tree(node.cast())
    }
}

/// A query in an expression: its only value, or the array of all.
pub fn sublink(kind: pg_sys::SubLinkType::Type, query: Tree<pg_sys::Query>) -> Any {
    // SAFETY: a zeroed node with a tag and its fields.
    unsafe {
        let node = pg_sys::palloc0(size_of::<pg_sys::SubLink>()).cast::<pg_sys::SubLink>();
        (*node).xpr.type_ = NodeTag::T_SubLink;
        (*node).subLinkType = kind;
        (*node).subselect = query.pointer();
        (*node).location = -1;
        Tree(node.cast())
    }
}

/// `SELECT` of expressions, without FROM.
pub fn values(expressions: &[Any]) -> Tree<pg_sys::Query> {
    let numbered = (1..).zip(expressions);
    let entries: Vec<_> = numbered
        .map(|(number, expression)| target(*expression, number, c"value", false))
        .collect();
    // SAFETY: a zeroed node with a tag and its fields.
    unsafe {
        let node = pg_sys::palloc0(size_of::<pg_sys::Query>()).cast::<pg_sys::Query>();
        (*node).type_ = NodeTag::T_Query;
        (*node).commandType = pg_sys::CmdType::CMD_SELECT;
        (*node).canSetTag = true;
        (*node).targetList = list(&entries);
        (*node).jointree = pg_sys::makeFromExpr(std::ptr::null_mut(), std::ptr::null_mut());
        Tree(node)
    }
}

/// The conditions that a qualification requires all of.
pub fn conjuncts(qualification: *mut pg_sys::Node) -> Vec<Any> {
    let Some(node) = Tree::new(qualification) else {
        return Vec::new();
    };
    if node.type_ == NodeTag::T_List {
        return items::<pg_sys::Node>(node.pointer());
    }
    match node.cast::<pg_sys::BoolExpr>() {
        Some(and) if and.boolop == pg_sys::BoolExprType::AND_EXPR => {
            items::<pg_sys::Node>(and.args)
                .into_iter()
                .flat_map(|n| conjuncts(n.pointer()))
                .collect()
        }
        _ => vec![node],
    }
}

/// The qualification that requires all of `conditions`.
pub fn conjunction(conditions: &[Any]) -> *mut pg_sys::Node {
    match conditions {
        [] => std::ptr::null_mut(),
        [one] => one.pointer(),
        many => boolean(pg_sys::BoolExprType::AND_EXPR, many).pointer(),
    }
}

type Replacement<'a> = dyn FnMut(Tree<pg_sys::Var>) -> Option<Any> + 'a;

/// The same expression with columns of relation `relation` replaced where `replace` gives something; it must make
/// its expression for the query level of `Var::varlevelsup`. Subqueries are followed. The original stays as it is.
pub fn replace_columns(expression: Any, relation: i32, replace: &mut Replacement<'_>) -> Any {
    callback!(fn visit(variable: *mut pg_sys::Var, context: *mut pg_sys::replace_rte_variables_context) -> *mut pg_sys::Node = replaced);
    fn replaced(
        variable: *mut pg_sys::Var,
        context: *mut pg_sys::replace_rte_variables_context,
    ) -> *mut pg_sys::Node {
        let variable = Tree(variable);
        // SAFETY: PostgreSQL passes its context, whose argument is the closure below.
        let replace = unsafe { &mut *(*context).callback_arg.cast::<&mut Replacement<'_>>() };
        replace(variable)
            .unwrap_or_else(|| variable.copy().any())
            .pointer()
    }
    let mut argument = replace;
    // SAFETY: the closure outlives the call; the function copies what it changes.
    Tree(unsafe {
        pg_sys::replace_rte_variables(
            expression.pointer(),
            relation,
            0,
            Some(visit),
            (&raw mut argument).cast(),
            std::ptr::null_mut(),
        )
    })
}

struct Walk<'a> {
    levels: u32,
    visit: &'a mut dyn FnMut(Any, u32) -> bool,
}

/// Visits every node of an expression or query, subqueries included, with the number of query levels it lies
/// inside; ends early, and returns true, when `visit` does.
pub fn any_node(root: *mut pg_sys::Node, visit: &mut dyn FnMut(Any, u32) -> bool) -> bool {
    callback!(fn step(node: *mut pg_sys::Node, context: *mut c_void) -> bool = look);
    fn look(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
        let Some(node) = Tree::new(node) else {
            return false;
        };
        // SAFETY: the context is the Walk below, alive during the whole walk.
        let walk = unsafe { &mut *context.cast::<Walk<'_>>() };
        if (walk.visit)(node, walk.levels) {
            return true;
        }
        if let Some(query) = node.cast::<pg_sys::Query>() {
            walk.levels += 1;
            // SAFETY: as above.
            let found =
                unsafe { pg_sys::query_tree_walker(query.pointer(), Some(step), context, 0) };
            walk.levels -= 1;
            return found;
        }
        // SAFETY: as above.
        unsafe { pg_sys::expression_tree_walker(node.pointer(), Some(step), context) }
    }
    let mut walk = Walk { levels: 0, visit };
    look(root, (&raw mut walk).cast())
}

/// Whether an expression may give something else the next time.
pub fn is_volatile(expression: Any) -> bool {
    // SAFETY: looks at the tree.
    unsafe { pg_sys::contain_volatile_functions(expression.pointer()) }
}

/// Whether an expression may give something else at another time, as what a STABLE function reads may.
pub fn is_mutable(expression: Any) -> bool {
    // SAFETY: looks at the tree.
    unsafe { pg_sys::contain_mutable_functions(expression.pointer()) }
}

/// The same expression, computed as far as that is possible without running the statement.
pub fn folded(expression: Any) -> Any {
    // SAFETY: without a planner's state, parameters stay.
    Tree(unsafe { pg_sys::eval_const_expressions(std::ptr::null_mut(), expression.pointer()) })
}

/// Visits every node of an expression that has not been analysed; ends early, and returns true, when `visit` does.
pub fn any_raw_node(root: Any, visit: &mut dyn FnMut(Any) -> bool) -> bool {
    type Visit<'a> = &'a mut dyn FnMut(Any) -> bool;
    callback!(fn step(node: *mut pg_sys::Node, context: *mut c_void) -> bool = look);
    fn look(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
        let Some(node) = Tree::new(node) else {
            return false;
        };
        // SAFETY: the context is the closure below, alive during the whole walk.
        unsafe {
            let visit = &mut *context.cast::<Visit<'_>>();
            visit(node) || pg_sys::raw_expression_tree_walker(node.pointer(), Some(step), context)
        }
    }
    let mut visit: Visit<'_> = visit;
    look(root.pointer(), (&raw mut visit).cast())
}

/// A column's name, as the parser leaves it.
pub fn raw_column(name: *mut std::ffi::c_char) -> Any {
    // SAFETY: a zeroed node with a tag, and with the one field that is not optional.
    unsafe {
        let node = pg_sys::palloc0(size_of::<pg_sys::ColumnRef>()).cast::<pg_sys::ColumnRef>();
        (*node).type_ = NodeTag::T_ColumnRef;
        (*node).fields = pg_sys::lappend(std::ptr::null_mut(), pg_sys::makeString(name).cast());
        (*node).location = -1;
        Tree(node.cast())
    }
}

/// A call of a function in a schema, as the parser leaves it.
pub fn raw_call(name: [&std::ffi::CStr; 2], argument: Any) -> Any {
    // SAFETY: makeFuncCall builds a node of its arguments.
    unsafe {
        let part = |text: &std::ffi::CStr| Tree(pg_sys::makeString(pg_sys::pstrdup(text.as_ptr())));
        let format = pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
        Tree(pg_sys::makeFuncCall(list(&name.map(part)), list(&[argument]), format, -1).cast())
    }
}
