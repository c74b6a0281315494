//! Safe faces of PostgreSQL's parse trees. Trees live in the memory context of the running function call, hence the
//! `'static` references: nothing here frees them, and no reference is kept when the call ends.

use crate::callback;
use crate::compat;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::ffi::{CStr, c_char, c_void};

/// A node of unknown kind; may be null.
pub type NodePtr = *mut pg_sys::Node;

/// A node structure, known by its tag.
pub trait Tagged: 'static {
    /// The tag of this structure.
    const TAG: NodeTag;
}

macro_rules! tagged {
    ($($structure:ident $tag:ident),* $(,)?) => {
        $(impl Tagged for pg_sys::$structure {
            const TAG: NodeTag = NodeTag::$tag;
        })*
    };
}

tagged!(
    AlterDatabaseStmt T_AlterDatabaseStmt, AlterDomainStmt T_AlterDomainStmt, AlterEnumStmt T_AlterEnumStmt, AlterFunctionStmt T_AlterFunctionStmt,
    AlterObjectDependsStmt T_AlterObjectDependsStmt, AlterOwnerStmt T_AlterOwnerStmt, AlterPolicyStmt T_AlterPolicyStmt, AlterSeqStmt T_AlterSeqStmt,
    AlterTableCmd T_AlterTableCmd, AlterTypeStmt T_AlterTypeStmt, AlterRoleStmt T_AlterRoleStmt, CreateRoleStmt T_CreateRoleStmt, ColumnDef T_ColumnDef, CommentStmt T_CommentStmt,
    CompositeTypeStmt T_CompositeTypeStmt, Constraint T_Constraint, CreateCastStmt T_CreateCastStmt, CreateDomainStmt T_CreateDomainStmt,
    CreateEnumStmt T_CreateEnumStmt, CreateForeignTableStmt T_CreateForeignTableStmt, CreateFunctionStmt T_CreateFunctionStmt,
    CreatePolicyStmt T_CreatePolicyStmt, CreateRangeStmt T_CreateRangeStmt, CreateStatsStmt T_CreateStatsStmt, DefineStmt T_DefineStmt,
    FunctionParameter T_FunctionParameter, GrantStmt T_GrantStmt, ObjectWithArgs T_ObjectWithArgs, PartitionCmd T_PartitionCmd, PlannedStmt T_PlannedStmt, FunctionScan T_FunctionScan,
    Append T_Append, MergeAppend T_MergeAppend, SubqueryScan T_SubqueryScan,
    RefreshMatViewStmt T_RefreshMatViewStmt, RuleStmt T_RuleStmt, SecLabelStmt T_SecLabelStmt, TableLikeClause T_TableLikeClause,
    TypeName T_TypeName,
    VacuumRelation T_VacuumRelation,
    AlterObjectSchemaStmt T_AlterObjectSchemaStmt, AlterTableStmt T_AlterTableStmt, ClusterStmt T_ClusterStmt,
    CreateSeqStmt T_CreateSeqStmt, CreateStmt T_CreateStmt, CreateTrigStmt T_CreateTrigStmt, DropStmt T_DropStmt,
    IndexElem T_IndexElem, IndexStmt T_IndexStmt, IntoClause T_IntoClause, ReindexStmt T_ReindexStmt, RenameStmt T_RenameStmt,
    VacuumStmt T_VacuumStmt, ViewStmt T_ViewStmt,
    A_Const T_A_Const, A_Expr T_A_Expr, CaseExpr T_CaseExpr, CaseWhen T_CaseWhen, ColumnRef T_ColumnRef, TypeCast T_TypeCast, Aggref T_Aggref, AlternativeSubPlan T_AlternativeSubPlan, ArrayExpr T_ArrayExpr, BoolExpr T_BoolExpr, BooleanTest T_BooleanTest,
    CallStmt T_CallStmt, CoalesceExpr T_CoalesceExpr, CoerceToDomain T_CoerceToDomain, CoerceViaIO T_CoerceViaIO, CollateExpr T_CollateExpr,
    CommonTableExpr T_CommonTableExpr, ConvertRowtypeExpr T_ConvertRowtypeExpr, Const T_Const, CopyStmt T_CopyStmt, CreateTableAsStmt T_CreateTableAsStmt,
    ArrayCoerceExpr T_ArrayCoerceExpr, CurrentOfExpr T_CurrentOfExpr,
    DeallocateStmt T_DeallocateStmt, DeclareCursorStmt T_DeclareCursorStmt, DefElem T_DefElem, DiscardStmt T_DiscardStmt, DoStmt T_DoStmt, String T_String,
    ExecuteStmt T_ExecuteStmt, ExplainStmt T_ExplainStmt, FetchStmt T_FetchStmt, ClosePortalStmt T_ClosePortalStmt,
    FromExpr T_FromExpr, FuncCall T_FuncCall, FuncExpr T_FuncExpr, GroupingFunc T_GroupingFunc,
    InferenceElem T_InferenceElem, InsertStmt T_InsertStmt, JoinExpr T_JoinExpr, ListenStmt T_ListenStmt, LockStmt T_LockStmt,
    MergeAction T_MergeAction, MinMaxExpr T_MinMaxExpr, ModifyTable T_ModifyTable, NamedArgExpr T_NamedArgExpr, NextValueExpr T_NextValueExpr, NotifyStmt T_NotifyStmt, OpExpr T_OpExpr,
    NullTest T_NullTest, Param T_Param, PrepareStmt T_PrepareStmt, Query T_Query, RangeTblEntry T_RangeTblEntry,
    RangeTblFunction T_RangeTblFunction, RangeTblRef T_RangeTblRef, RangeVar T_RangeVar, RawStmt T_RawStmt,
    RelabelType T_RelabelType, RoleSpec T_RoleSpec, ResTarget T_ResTarget, RowMarkClause T_RowMarkClause,
    ScalarArrayOpExpr T_ScalarArrayOpExpr, SQLValueFunction T_SQLValueFunction, SelectStmt T_SelectStmt, SetOperationStmt T_SetOperationStmt,
    SetToDefault T_SetToDefault, SortGroupClause T_SortGroupClause, SubLink T_SubLink, TargetEntry T_TargetEntry,
    TransactionStmt T_TransactionStmt, TruncateStmt T_TruncateStmt, UnlistenStmt T_UnlistenStmt, Var T_Var,
    VariableSetStmt T_VariableSetStmt, VariableShowStmt T_VariableShowStmt, WindowClause T_WindowClause,
    WindowFunc T_WindowFunc,
);

/// The node's tag; `None` for null.
pub fn tag<N>(node: *const N) -> Option<NodeTag> {
    // SAFETY: every node starts with its tag.
    (!node.is_null()).then(|| unsafe { (*node.cast::<pg_sys::Node>()).type_ })
}

/// The node as the structure `T`, if that is what it is.
pub fn cast<T: Tagged, N>(node: *const N) -> Option<&'static T> {
    // SAFETY: the tag says that it is a `T`; the module's rule says that it lives long enough.
    (tag(node)? == T::TAG).then(|| unsafe { &*node.cast::<T>() })
}

fn cells(list: *const pg_sys::List) -> &'static [pg_sys::ListCell] {
    if list.is_null() {
        return &[];
    }
    // SAFETY: a list's elements are an array of its length.
    unsafe { std::slice::from_raw_parts((*list).elements, (*list).length as usize) }
}

/// The elements of a list of nodes.
pub fn nodes(
    list: *const pg_sys::List,
) -> impl DoubleEndedIterator<Item = NodePtr> + ExactSizeIterator {
    // SAFETY: the list holds pointers.
    cells(list)
        .iter()
        .map(|cell| unsafe { cell.ptr_value.cast() })
}

/// The elements of a list of OIDs.
pub fn oids(list: *const pg_sys::List) -> impl Iterator<Item = pg_sys::Oid> {
    // SAFETY: the list holds OIDs.
    cells(list).iter().map(|cell| unsafe { cell.oid_value })
}

/// The elements of a list of nodes that are `T`s.
pub fn list<T: Tagged>(list: *const pg_sys::List) -> impl DoubleEndedIterator<Item = &'static T> {
    nodes(list).filter_map(|node| cast::<T, _>(node))
}

/// A list of nodes made of these.
pub fn make_list(elements: impl IntoIterator<Item = NodePtr>) -> *mut pg_sys::List {
    elements
        .into_iter()
        .fold(std::ptr::null_mut(), |list, node| {
            // SAFETY: appends to a list of pointers in the current context.
            unsafe { pg_sys::lappend(list, node.cast()) }
        })
}

/// A C string of a tree; empty for null.
pub fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: trees hold NUL-terminated strings.
    unsafe { CStr::from_ptr(text).to_string_lossy().into_owned() }
}

/// A list of names as strings.
pub fn strings(names: *const pg_sys::List) -> Vec<String> {
    nodes(names)
        // SAFETY: the elements are String nodes.
        .map(|node| string(unsafe { (*node.cast::<pg_sys::String>()).sval }))
        .collect()
}

/// The text of a string that is written in a statement as it is.
pub fn literal(node: NodePtr) -> Option<String> {
    let constant = cast::<pg_sys::A_Const, _>(node)?;
    // SAFETY: each kind of value is a node, which starts with its tag.
    unsafe {
        let value = &raw const constant.val;
        (!constant.isnull && tag(value.cast::<pg_sys::Node>()) == Some(NodeTag::T_String))
            .then(|| string((*value).sval.sval))
    }
}

type Visitor<'v> = &'v mut dyn FnMut(NodePtr);

callback!(fn visit(node: NodePtr, context: *mut c_void) -> bool = visit_child);

fn visit_child(node: NodePtr, context: *mut c_void) -> bool {
    if !node.is_null() {
        // SAFETY: the context is the visitor that `children` passed.
        unsafe { (*context.cast::<Visitor>())(node) };
    }
    false
}

/// Calls the visitor for each direct child of an expression. Of a SubLink, its subquery is a child.
pub fn children(node: NodePtr, mut visitor: Visitor) {
    if node.is_null() {
        return;
    }
    // SAFETY: the walker only calls `visit`.
    unsafe { pg_sys::expression_tree_walker(node, Some(visit), (&raw mut visitor).cast()) };
}

/// Calls the visitor for each expression and subquery that hangs directly on a query.
pub fn query_children(query: &pg_sys::Query, visitor: Visitor) {
    visit_query(query, 0, visitor);
}

/// The same without the columns of joins, which are those of their sides.
pub fn query_children_but_join_columns(query: &pg_sys::Query, visitor: Visitor) {
    visit_query(query, pg_sys::QTW_IGNORE_JOINALIASES as i32, visitor);
}

fn visit_query(query: &pg_sys::Query, flags: i32, mut visitor: Visitor) {
    // SAFETY: the walker only reads the query and calls `visit`.
    unsafe {
        pg_sys::query_tree_walker(
            std::ptr::from_ref(query).cast_mut(),
            Some(visit),
            (&raw mut visitor).cast(),
            flags,
        );
    }
}

/// Visits a tree top-down, queries included; the visitor says whether to go on below the node.
pub fn walk(node: NodePtr, visitor: &mut dyn FnMut(NodePtr) -> bool) {
    if node.is_null() || !visitor(node) {
        return;
    }
    match cast::<pg_sys::Query, _>(node) {
        Some(query) => query_children(query, &mut |child| walk(child, visitor)),
        None => children(node, &mut |child| walk(child, visitor)),
    }
}

/// True when some node of the tree, queries included, satisfies the test.
pub fn any(node: NodePtr, test: &mut dyn FnMut(NodePtr) -> bool) -> bool {
    let mut found = false;
    walk(node, &mut |node| {
        found = found || test(node);
        !found
    });
    found
}

/// Changes a query, which must be private, and all queries in it.
pub fn change_queries(query: *mut pg_sys::Query, change: fn(&mut pg_sys::Query)) {
    walk(query.cast(), &mut |node| {
        if tag(node) == Some(NodeTag::T_Query) {
            // SAFETY: the tag says so; nobody else looks at it meanwhile.
            change(unsafe { &mut *node.cast::<pg_sys::Query>() });
        }
        true
    });
}

callback!(fn visit_raw(node: NodePtr, context: *mut c_void) -> bool = visit_below);

fn visit_below(node: NodePtr, context: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: the context is the visitor that `walk_raw` passed; the walker knows all nodes below queries.
    unsafe {
        (*context.cast::<Visitor>())(node);
        compat::raw_expression_tree_walker(node, visit_raw, context)
    }
}

/// Visits all nodes of a query, or of an expression, as the grammar made it.
pub fn walk_raw(node: NodePtr, mut visitor: Visitor) {
    visit_below(node, (&raw mut visitor).cast());
}

/// All query levels, the statement's own first.
pub fn levels(query: &mut pg_sys::Query) -> Vec<*mut pg_sys::Query> {
    let mut found = Vec::new();
    walk(std::ptr::from_mut(query).cast(), &mut |node| {
        if cast::<pg_sys::Query, _>(node).is_some() {
            found.push(node.cast());
        }
        true
    });
    found
}

/// An entry of the range table, by its number from 1, which it must have.
pub fn range(query: &pg_sys::Query, index: i32) -> *mut pg_sys::RangeTblEntry {
    // SAFETY: the range table has an entry for each number.
    unsafe {
        (*(*query.rtable).elements.add(index as usize - 1))
            .ptr_value
            .cast()
    }
}

type Replacer<'r> = &'r mut dyn FnMut(NodePtr) -> Option<NodePtr>;

callback!(fn replace_one(node: NodePtr, context: *mut c_void) -> NodePtr = replaced);

fn replaced(node: NodePtr, context: *mut c_void) -> NodePtr {
    if node.is_null() {
        return node;
    }
    // SAFETY: the context is the replacer that `replace` passed.
    let replacement = unsafe { (*context.cast::<Replacer>())(node) };
    // SAFETY: the mutator copies a valid tree.
    replacement
        .unwrap_or_else(|| unsafe { compat::expression_tree_mutator(node, replace_one, context) })
}

/// A copy of the expression in which each node for which the replacer has an answer is replaced, top-down.
pub fn replace(node: NodePtr, mut replacer: Replacer) -> NodePtr {
    replaced(node, (&raw mut replacer).cast())
}

callback!(fn replace_one_everywhere(node: NodePtr, context: *mut c_void) -> NodePtr = replaced_everywhere);

fn replaced_everywhere(node: NodePtr, context: *mut c_void) -> NodePtr {
    if node.is_null() {
        return node;
    }
    // SAFETY: the context is the replacer that `replace_in_query` passed.
    if let Some(replacement) = unsafe { (*context.cast::<Replacer>())(node) } {
        return replacement;
    }
    // SAFETY: the mutators copy a valid tree.
    unsafe {
        if tag(node) == Some(NodeTag::T_Query) {
            compat::query_tree_mutator(node.cast(), replace_one_everywhere, context, 0).cast()
        } else {
            compat::expression_tree_mutator(node, replace_one_everywhere, context)
        }
    }
}

/// A copy of the query in which each node for which the replacer has an answer is replaced, top-down, subqueries included.
pub fn replace_in_query(query: &pg_sys::Query, mut replacer: Replacer) -> *mut pg_sys::Query {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    replaced_everywhere(node, (&raw mut replacer).cast()).cast()
}

/// A copy of the tree, a query or an expression, in which each node for which the replacer has an answer is replaced, top-down. The replacer is told
/// how many queries the node lies below the tree's own level; `depth` is that of the tree itself.
pub fn replace_by_depth(
    node: NodePtr,
    depth: i32,
    replacer: &mut dyn FnMut(NodePtr, i32) -> Option<NodePtr>,
) -> NodePtr {
    let mut replace = |inner: NodePtr| match tag(inner) {
        Some(NodeTag::T_Query) if inner != node => {
            Some(replace_by_depth(inner, depth + 1, replacer))
        }
        _ => replacer(inner, depth),
    };
    let mut replacer: Replacer = &mut replace;
    replaced_everywhere(node, (&raw mut replacer).cast())
}

/// A deep copy.
pub fn copy<T>(node: *const T) -> *mut T {
    // SAFETY: copies a valid node.
    unsafe { pg_sys::copyObjectImpl(node.cast()).cast() }
}

/// Whether two trees are the same, locations aside.
pub fn equal<A, B>(one: *const A, other: *const B) -> bool {
    // SAFETY: both are valid nodes.
    unsafe { pg_sys::equal(one.cast(), other.cast()) }
}

/// The type of an expression.
pub fn type_of<N>(expression: *const N) -> Oid {
    // SAFETY: a valid expression.
    unsafe { pg_sys::exprType(expression.cast::<pg_sys::Node>().cast_mut()) }
}

/// The collation of an expression; InvalidOid when its type has none.
pub fn collation_of<N>(expression: *const N) -> Oid {
    // SAFETY: a valid expression.
    unsafe { pg_sys::exprCollation(expression.cast::<pg_sys::Node>().cast_mut()) }
}

/// The conditions that a condition joins by AND; none for null.
pub fn conjuncts(condition: NodePtr) -> Vec<NodePtr> {
    match cast::<pg_sys::BoolExpr, _>(condition) {
        Some(expression) if expression.boolop == pg_sys::BoolExprType::AND_EXPR => {
            nodes(expression.args).flat_map(conjuncts).collect()
        }
        _ if condition.is_null() => Vec::new(),
        _ => vec![condition],
    }
}

/// The target entry that a sort or group clause refers to.
pub fn target_of(
    query: &pg_sys::Query,
    clause: &pg_sys::SortGroupClause,
) -> Option<&'static pg_sys::TargetEntry> {
    list::<pg_sys::TargetEntry>(query.targetList)
        .find(|entry| entry.ressortgroupref == clause.tleSortGroupRef)
}

/// A fresh node, all other fields zero.
pub fn make<T: Tagged>() -> &'static mut T {
    // SAFETY: zeroed memory of the structure's size with its tag set is a valid node.
    unsafe {
        let node = pg_sys::palloc0(size_of::<T>()).cast::<T>();
        (*node.cast::<pg_sys::Node>()).type_ = T::TAG;
        &mut *node
    }
}

/// A column of a table, as the range of that number.
pub fn make_column(range: i32, column: &pg_sys::FormData_pg_attribute) -> NodePtr {
    let (type_oid, collation) = (column.atttypid, column.attcollation);
    // SAFETY: makes a node.
    unsafe {
        let modifier = column.atttypmod;
        pg_sys::makeVar(range, column.attnum, type_oid, modifier, collation, 0).cast()
    }
}

/// A column of a subquery that gives this expression there, as the range of that number.
pub fn make_field(range: i32, number: i16, expression: NodePtr) -> NodePtr {
    let (type_oid, collation) = (type_of(expression), collation_of(expression));
    // SAFETY: makes a node of the type of a valid expression.
    unsafe {
        let modifier = pg_sys::exprTypmod(expression);
        pg_sys::makeVar(range, number, type_oid, modifier, collation, 0).cast()
    }
}

/// `column = ANY (array)`, by this operator.
pub fn make_any(operator: Oid, collation: Oid, column: NodePtr, array: NodePtr) -> NodePtr {
    let any = make::<pg_sys::ScalarArrayOpExpr>();
    any.opno = operator;
    any.useOr = true;
    any.inputcollid = collation;
    any.args = make_list([copy(column), array]);
    any.location = -1;
    std::ptr::from_mut(any).cast()
}

/// An external parameter.
pub fn make_parameter(number: i32, type_oid: Oid) -> NodePtr {
    let parameter = make::<pg_sys::Param>();
    parameter.paramkind = pg_sys::ParamKind::PARAM_EXTERN;
    parameter.paramid = number;
    parameter.paramtype = type_oid;
    parameter.paramtypmod = -1;
    parameter.location = -1;
    std::ptr::from_mut(parameter).cast()
}

/// What UPDATE, DO UPDATE or MERGE assigns.
pub fn assignments(query: &pg_sys::Query) -> Vec<&'static pg_sys::TargetEntry> {
    let mut lists: Vec<*mut pg_sys::List> = Vec::new();
    if query.commandType == CmdType::CMD_UPDATE {
        lists.push(query.targetList);
    }
    if !query.onConflict.is_null() {
        // SAFETY: a non-null OnConflictExpr.
        lists.push(unsafe { (*query.onConflict).onConflictSet });
    }
    for action in list::<pg_sys::MergeAction>(query.mergeActionList) {
        if action.commandType == CmdType::CMD_UPDATE {
            lists.push(action.targetList);
        }
    }
    lists
        .into_iter()
        .flat_map(|entries| list::<pg_sys::TargetEntry>(entries))
        .filter(|entry| !entry.resjunk)
        .collect()
}

/// The relation that a statement changes; InvalidOid for none.
pub fn target(query: &pg_sys::Query) -> Oid {
    (query.resultRelation as usize)
        .checked_sub(1)
        .and_then(|index| list::<pg_sys::RangeTblEntry>(query.rtable).nth(index))
        .map_or(Oid::INVALID, |entry| entry.relid)
}
