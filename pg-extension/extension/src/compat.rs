//! What differs between PostgreSQL 15, 16, 17 and 18, behind functions that are the same for all: the only place that asks which version this is
//! compiled for. The SQL of each version, and what Abelian does with it: docs/reference/postgresql-versions.md. Knows none of the rooms.

#![allow(non_snake_case, clippy::too_many_arguments)] // names and signatures are PostgreSQL's

use crate::boundary::functions::functions;
use pgrx::pg_sys::{
    self, Bitmapset, EState, FormData_pg_attribute, ItemPointer, List, Node, Oid, RangeTblEntry,
    Relation, ResultRelInfo, TM_FailureData, TM_Result, TupleDesc, TupleTableSlot,
};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

mod merge;
pub mod scram;
pub mod serializable;

pub use merge::{
    changes_unmatched, condition_of_merge, is_matched, move_on_back, move_on_to_where,
    own_condition,
};

/// What makes another expression of one.
pub type Mutator = unsafe extern "C-unwind" fn(*mut Node, *mut c_void) -> *mut Node;
/// A walker of trees.
pub type Walker = unsafe extern "C-unwind" fn(*mut Node, *mut c_void) -> bool;
/// A walker of plans in execution.
pub type PlanStateWalker = unsafe extern "C-unwind" fn(*mut pg_sys::PlanState, *mut c_void) -> bool;

#[cfg(feature = "pg15")]
type IndexUpdates = bool;
#[cfg(not(feature = "pg15"))]
type IndexUpdates = pg_sys::TU_UpdateIndexes::Type;

functions! {
    #[cfg_attr(not(feature = "pg15"), link_name = "expression_tree_mutator_impl")]
    fn expression_tree_mutator(node: *mut Node, mutator: Mutator, context: *mut c_void) -> *mut Node;
    #[cfg_attr(not(feature = "pg15"), link_name = "query_tree_mutator_impl")]
    fn query_tree_mutator(query: *mut pg_sys::Query, mutator: Mutator, context: *mut c_void, flags: c_int) -> *mut pg_sys::Query;
    #[cfg_attr(not(feature = "pg15"), link_name = "raw_expression_tree_walker_impl")]
    fn raw_expression_tree_walker(node: *mut Node, walker: Walker, context: *mut c_void) -> bool;
    #[cfg_attr(not(feature = "pg15"), link_name = "planstate_tree_walker_impl")]
    fn planstate_tree_walker(state: *mut pg_sys::PlanState, walker: PlanStateWalker, context: *mut c_void) -> bool;
}

mod updating {
    use super::*;
    functions! {
        #[link_name = "table_tuple_update__pgrx_cshim"]
        fn table_tuple_update(relation: Relation, old: ItemPointer, slot: *mut TupleTableSlot, command: pg_sys::CommandId, snapshot: pg_sys::Snapshot, crosscheck: pg_sys::Snapshot, wait: bool, failure: *mut TM_FailureData, mode: *mut pg_sys::LockTupleMode::Type, indexes: *mut IndexUpdates) -> TM_Result::Type;
    }
}

mod indexing {
    use super::*;
    #[cfg(feature = "pg15")]
    functions! {
        fn ExecInsertIndexTuples(result: *mut ResultRelInfo, slot: *mut TupleTableSlot, estate: *mut EState, update: bool, no_duplicate_error: bool, conflict: *mut bool, arbiters: *mut List) -> *mut List;
    }
    #[cfg(not(feature = "pg15"))]
    functions! {
        fn ExecInsertIndexTuples(result: *mut ResultRelInfo, slot: *mut TupleTableSlot, estate: *mut EState, update: bool, no_duplicate_error: bool, conflict: *mut bool, arbiters: *mut List, only_summarizing: bool) -> *mut List;
    }
}

mod checking {
    use super::*;
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    functions! {
        fn check_sql_fn_retval(queries: *mut List, result: Oid, columns: TupleDesc, inserts_dropped: bool, targets: *mut *mut List) -> bool;
    }
    #[cfg(feature = "pg17")]
    functions! {
        fn check_sql_fn_retval(queries: *mut List, result: Oid, columns: TupleDesc, kind: std::ffi::c_char, inserts_dropped: bool, targets: *mut *mut List) -> bool;
    }
    #[cfg(feature = "pg18")]
    functions! {
        fn check_sql_fn_retval(queries: *mut List, result: Oid, columns: TupleDesc, kind: std::ffi::c_char, inserts_dropped: bool) -> bool;
    }
}

/// What a table wants to know of an update: which of its indexes need an entry for the new version.
#[derive(Clone, Copy, Debug)]
pub struct NewEntries(IndexUpdates);

impl NewEntries {
    /// Whether some index does.
    pub fn any(self) -> bool {
        self.0 != IndexUpdates::default()
    }

    /// Whether only those do that summarise blocks (BRIN), as the others find the new version by the old one. Since 16.
    #[cfg(not(feature = "pg15"))]
    fn only_summarizing(self) -> bool {
        self.0 == pg_sys::TU_UpdateIndexes::TU_Summarizing
    }
}

/// PostgreSQL's function of this name, with no crosscheck.
///
/// # Safety
/// Its own, in C.
pub unsafe fn table_tuple_update(
    relation: Relation,
    mut old: pg_sys::ItemPointerData,
    slot: *mut TupleTableSlot,
    command: pg_sys::CommandId,
    snapshot: pg_sys::Snapshot,
    wait: bool,
) -> (TM_Result::Type, TM_FailureData, NewEntries) {
    let mut mode: pg_sys::LockTupleMode::Type = 0;
    let mut indexes = IndexUpdates::default();
    // SAFETY: by the caller; zeroed is valid for the structure, which is filled in where the result tells so.
    unsafe {
        let mut failure: TM_FailureData = std::mem::zeroed();
        let result = updating::table_tuple_update(
            relation,
            &mut old,
            slot,
            command,
            snapshot,
            null_mut(),
            wait,
            &mut failure,
            &mut mode,
            &mut indexes,
        );
        (result, failure, NewEntries(indexes))
    }
}

/// PostgreSQL's ExecInsertIndexTuples, for a new version of a row; gives the indexes of constraints that may be broken.
///
/// # Safety
/// Its own, in C.
pub unsafe fn insert_index_tuples(
    result: *mut ResultRelInfo,
    slot: *mut TupleTableSlot,
    estate: *mut EState,
    update: bool,
    entries: NewEntries,
) -> *mut List {
    let _ = entries;
    // SAFETY: by the caller.
    unsafe {
        indexing::ExecInsertIndexTuples(
            result,
            slot,
            estate,
            update,
            false,
            null_mut(),
            null_mut(),
            #[cfg(not(feature = "pg15"))]
            entries.only_summarizing(),
        )
    }
}

/// PostgreSQL's heap_update, which does not wait.
///
/// # Safety
/// Its own, in C.
pub unsafe fn heap_update(
    relation: Relation,
    place: ItemPointer,
    row: pg_sys::HeapTuple,
) -> TM_Result::Type {
    let mut mode: pg_sys::LockTupleMode::Type = 0;
    #[cfg(not(feature = "pg15"))]
    let mut indexes = IndexUpdates::default();
    // SAFETY: by the caller; not waiting, no crosscheck.
    unsafe {
        let mut failure: TM_FailureData = std::mem::zeroed();
        pg_sys::heap_update(
            relation,
            place,
            row,
            pg_sys::GetCurrentCommandId(true),
            null_mut(),
            false,
            &mut failure,
            &mut mode,
            #[cfg(not(feature = "pg15"))]
            &mut indexes,
        )
    }
}

/// PostgreSQL's index_beginscan.
///
/// # Safety
/// Its own, in C.
pub unsafe fn index_beginscan(
    relation: Relation,
    index: Relation,
    snapshot: pg_sys::Snapshot,
    keys: c_int,
) -> pg_sys::IndexScanDesc {
    // SAFETY: by the caller.
    unsafe {
        pg_sys::index_beginscan(
            relation,
            index,
            snapshot,
            #[cfg(feature = "pg18")]
            null_mut(),
            keys,
            0,
        )
    }
}

/// PostgreSQL's EvalPlanQualInit, for a plan that changes no table itself.
///
/// # Safety
/// Its own, in C.
pub unsafe fn init_recheck(
    recheck: *mut pg_sys::EPQState,
    estate: *mut EState,
    plan: *mut pg_sys::Plan,
    parameter: c_int,
) {
    // SAFETY: by the caller.
    unsafe {
        pg_sys::EvalPlanQualInit(
            recheck,
            estate,
            plan,
            null_mut(),
            parameter,
            #[cfg(not(feature = "pg15"))]
            null_mut(),
        )
    }
}

/// PostgreSQL's check_sql_fn_retval, of a function, with no columns for those that were dropped.
///
/// # Safety
/// Its own, in C.
pub unsafe fn check_sql_fn_retval(queries: *mut List, result: Oid, columns: TupleDesc) {
    // SAFETY: by the caller.
    unsafe {
        checking::check_sql_fn_retval(
            queries,
            result,
            columns,
            #[cfg(any(feature = "pg17", feature = "pg18"))]
            (pg_sys::PROKIND_FUNCTION as std::ffi::c_char),
            false,
            #[cfg(not(feature = "pg18"))]
            null_mut(),
        );
    }
}

/// Whether this transaction holds the lock in exactly this mode.
///
/// # Safety
/// A valid tag.
pub unsafe fn holds_lock(tag: &pg_sys::LOCKTAG, mode: c_int) -> bool {
    // SAFETY: by the caller.
    unsafe {
        pg_sys::LockHeldByMe(
            tag,
            mode,
            #[cfg(any(feature = "pg17", feature = "pg18"))]
            false,
        )
    }
}

/// The index of the table's primary key, or zero; one that is deferrable does not count.
///
/// # Safety
/// An open table.
pub unsafe fn primary_key(table: Relation) -> Oid {
    // SAFETY: by the caller.
    unsafe {
        pg_sys::RelationGetPrimaryKeyIndex(
            table,
            #[cfg(feature = "pg18")]
            false,
        )
    }
}

/// The sequence of an identity column, or zero.
pub fn identity_sequence(table: Oid, column: i16) -> Oid {
    // SAFETY: a catalogue look-up; the relation is opened and closed.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16"))]
        return pg_sys::getIdentitySequence(table, column, true);
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        {
            let relation = pg_sys::relation_open(table, pg_sys::AccessShareLock as c_int);
            let sequence = pg_sys::getIdentitySequence(relation, column, true);
            pg_sys::relation_close(relation, pg_sys::AccessShareLock as c_int);
            sequence
        }
    }
}

/// Whether an operator compares as an ordered index does, or is the opposite of one that does.
pub fn is_comparison(operator: Oid) -> bool {
    // SAFETY: looks the operator up.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        return !pg_sys::get_op_btree_interpretation(operator).is_null();
        #[cfg(feature = "pg18")]
        return !pg_sys::get_op_index_interpretation(operator).is_null();
    }
}

/// The columns of a description by number, from 1; dropped ones are among them.
///
/// # Safety
/// The description must live as long as the result.
pub unsafe fn columns_of<'a>(description: TupleDesc) -> &'a [FormData_pg_attribute] {
    // SAFETY: by the caller; it has as many columns as it says. Since 18 they stand behind as many short ones.
    unsafe {
        let count = (*description).natts as usize;
        #[cfg(not(feature = "pg18"))]
        return (*description).attrs.as_slice(count);
        #[cfg(feature = "pg18")]
        {
            let short = (&raw mut (*description).compact_attrs)
                .cast::<pg_sys::CompactAttribute>()
                .add(count);
            std::slice::from_raw_parts(short.cast(), count)
        }
    }
}

/// The kinds of sets that together name all columns that stand in indexes.
#[cfg(feature = "pg15")]
pub const IN_INDEXES: &[pg_sys::IndexAttrBitmapKind::Type] =
    &[pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_ALL];
/// The kinds of sets that together name all columns that stand in indexes.
#[cfg(not(feature = "pg15"))]
pub const IN_INDEXES: &[pg_sys::IndexAttrBitmapKind::Type] = &[
    pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_HOT_BLOCKING,
    pg_sys::IndexAttrBitmapKind::INDEX_ATTR_BITMAP_SUMMARIZED,
];

/// Whether the user owns the relation, function or database.
pub fn owns(class: Oid, object: Oid, user: Oid) -> bool {
    // SAFETY: a catalogue look-up inside a transaction; what does not exist is an error.
    unsafe {
        #[cfg(feature = "pg15")]
        return match class {
            pg_sys::RelationRelationId => pg_sys::pg_class_ownercheck(object, user),
            pg_sys::ProcedureRelationId => pg_sys::pg_proc_ownercheck(object, user),
            pg_sys::DatabaseRelationId => pg_sys::pg_database_ownercheck(object, user),
            _ => false,
        };
        #[cfg(not(feature = "pg15"))]
        pg_sys::object_ownercheck(class, object, user)
    }
}

/// Whether the user may look into the schema.
pub fn may_use(schema: Oid, user: Oid) -> bool {
    is_granted(pg_sys::NamespaceRelationId, schema, user, pg_sys::ACL_USAGE)
}

/// Whether the user may call the function.
pub fn may_execute(function: Oid, user: Oid) -> bool {
    is_granted(
        pg_sys::ProcedureRelationId,
        function,
        user,
        pg_sys::ACL_EXECUTE,
    )
}

/// Whether the user has a right on a schema or a function.
fn is_granted(class: Oid, object: Oid, user: Oid, right: u32) -> bool {
    let mode = right as pg_sys::AclMode;
    // SAFETY: a catalogue look-up inside a transaction.
    let allowed = unsafe {
        #[cfg(feature = "pg15")]
        let allowed = match class {
            pg_sys::NamespaceRelationId => pg_sys::pg_namespace_aclcheck(object, user, mode),
            _ => pg_sys::pg_proc_aclcheck(object, user, mode),
        };
        #[cfg(not(feature = "pg15"))]
        let allowed = pg_sys::object_aclcheck(class, object, user, mode);
        allowed
    };
    allowed == pg_sys::AclResult::ACLCHECK_OK
}

/// All configuration parameters.
pub fn variables() -> &'static [*mut pg_sys::config_generic] {
    // SAFETY: PostgreSQL's array, which has so many.
    unsafe {
        #[cfg(feature = "pg15")]
        let (array, count) = (pg_sys::get_guc_variables(), pg_sys::GetNumConfigOptions());
        #[cfg(not(feature = "pg15"))]
        let (array, count) = {
            let mut count = 0;
            (pg_sys::get_guc_variables(&mut count), count)
        };
        std::slice::from_raw_parts(array, count as usize)
    }
}

/// The sets of columns of a plan's range that privileges are asked for: those that are read or changed by any means. Since 16, children of a table
/// have none of their own: then all columns are taken for read.
///
/// # Safety
/// The entry must be of the plan's range table.
pub unsafe fn used_columns(
    plan: &pg_sys::PlannedStmt,
    entry: &RangeTblEntry,
) -> [*mut Bitmapset; 2] {
    #[cfg(feature = "pg15")]
    {
        let _ = plan;
        [entry.selectedCols, entry.updatedCols]
    }
    #[cfg(not(feature = "pg15"))]
    // SAFETY: by the caller; a list of such nodes, of which entries name one from 1; a set of one number.
    unsafe {
        match entry.perminfoindex {
            0 => {
                let all = -pg_sys::FirstLowInvalidHeapAttributeNumber;
                [pg_sys::bms_make_singleton(all), null_mut()]
            }
            number => {
                let info = pg_sys::list_nth(plan.permInfos, number as c_int - 1)
                    .cast::<pg_sys::RTEPermissionInfo>();
                [(*info).selectedCols, (*info).updatedCols]
            }
        }
    }
}

/// Gives an entry of a query that was just made its place among the privileges that are to be asked for, as of 16.
///
/// # Safety
/// An entry of the query, for a relation.
pub unsafe fn add_privileges(query: &mut pg_sys::Query, entry: *mut RangeTblEntry) {
    #[cfg(feature = "pg15")]
    let _ = (query, entry);
    // SAFETY: by the caller.
    #[cfg(not(feature = "pg15"))]
    unsafe {
        (*entry).perminfoindex = 0;
        pg_sys::addRTEPermissionInfo(&mut query.rteperminfos, entry);
    }
}

/// Raises an error unless the current user has the privileges that a statement needs, as the executor checks them.
///
/// # Safety
/// A planned statement, inside a transaction.
pub unsafe fn require_privileges(statement: &pg_sys::PlannedStmt) {
    // SAFETY: by the caller.
    unsafe {
        #[cfg(feature = "pg15")]
        pg_sys::ExecCheckRTPerms(statement.rtable, true);
        #[cfg(not(feature = "pg15"))]
        pg_sys::ExecCheckPermissions(statement.rtable, statement.permInfos, true);
    }
}

/// The functions of a name, a list of strings.
///
/// # Safety
/// A list of such nodes.
pub unsafe fn functions_named(name: *mut pg_sys::List) -> pg_sys::FuncCandidateList {
    // SAFETY: by the caller; missing is allowed.
    unsafe { pg_sys::FuncnameGetCandidates(name, -1, null_mut(), false, false, false, true) }
}

/// An entry that is no table any more asks for no privileges.
pub fn without_permissions(entry: &mut RangeTblEntry) {
    #[cfg(feature = "pg15")]
    {
        entry.requiredPerms = 0;
    }
    #[cfg(not(feature = "pg15"))]
    {
        entry.perminfoindex = 0;
    }
}

/// The name of an encoding; a C string.
pub fn encoding_name(encoding: c_int) -> *const std::ffi::c_char {
    // SAFETY: looks into a table; of a number that is none it gives an empty name.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16"))]
        return pg_sys::pg_encoding_to_char(encoding);
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return pg_sys::pg_encoding_to_char_private(encoding);
    }
}

/// Whether the column is one of OLD in RETURNING, which 18 has.
pub fn is_old(column: &pg_sys::Var) -> bool {
    #[cfg(feature = "pg18")]
    return column.varreturningtype == pg_sys::VarReturningType::VAR_RETURNING_OLD;
    #[cfg(not(feature = "pg18"))]
    {
        let _ = column;
        false
    }
}

/// Whether the column is one of OLD or NEW in RETURNING, called so.
pub fn names_version(column: &pg_sys::Var) -> bool {
    #[cfg(feature = "pg18")]
    return column.varreturningtype != pg_sys::VarReturningType::VAR_RETURNING_DEFAULT;
    #[cfg(not(feature = "pg18"))]
    {
        let _ = column;
        false
    }
}

/// Has a column of a row be one of the same version of it as the other column is.
pub fn take_version(column: &mut pg_sys::Var, other: &pg_sys::Var) {
    #[cfg(feature = "pg18")]
    {
        column.varreturningtype = other.varreturningtype;
    }
    #[cfg(not(feature = "pg18"))]
    let _ = (column, other);
}

/// Has a query name what it groups by where it is used, as before 18, in which that is one more range; for analysis alone.
pub fn name_groups(query: &mut pg_sys::Query) {
    #[cfg(not(feature = "pg18"))]
    let _ = query;
    #[cfg(feature = "pg18")]
    // SAFETY: a valid query; the entry is one of its range table, and nothing names it any more.
    unsafe {
        if !query.hasGroupRTE {
            return;
        }
        let targets = query.targetList.cast();
        query.targetList = pg_sys::flatten_group_exprs(null_mut(), query, targets).cast();
        query.havingQual = pg_sys::flatten_group_exprs(null_mut(), query, query.havingQual);
        query.hasGroupRTE = false;
        let last = pg_sys::list_length(query.rtable) - 1;
        for n in 0..=last {
            let entry = pg_sys::list_nth(query.rtable, n).cast::<RangeTblEntry>();
            if (*entry).rtekind == pg_sys::RTEKind::RTE_GROUP {
                (*entry).rtekind = pg_sys::RTEKind::RTE_RESULT;
                (*entry).groupexprs = null_mut();
                if n == last {
                    query.rtable = pg_sys::list_truncate(query.rtable, last);
                }
            }
        }
    }
}

/// Whether an operator compares as an order does that an index can have; equality and inequality count, too. 18 asks of any kind of index,
/// not only of B-trees, which are still the only one.
pub fn is_of_an_order(operator: Oid) -> bool {
    // SAFETY: a lookup of the operator.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        return !pg_sys::get_op_btree_interpretation(operator).is_null();
        #[cfg(feature = "pg18")]
        !pg_sys::get_op_index_interpretation(operator).is_null()
    }
}

/// Whether a background worker has the process's place; since 18 any other that is not a client's counts as well.
pub fn is_worker(process: &pg_sys::PGPROC) -> bool {
    #[cfg(not(feature = "pg18"))]
    return process.isBackgroundWorker;
    #[cfg(feature = "pg18")]
    return !process.isRegularBackend;
}

/// The lists of the states of a MERGE's actions.
pub fn merge_actions(target: &ResultRelInfo) -> Vec<*mut List> {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    return vec![
        target.ri_matchedMergeAction,
        target.ri_notMatchedMergeAction,
    ];
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    return target.ri_MergeActions.to_vec();
}

/// This backend's number among the running ones, from 1.
///
/// # Safety
/// Only in a process that runs transactions.
pub unsafe fn backend_number() -> i32 {
    // SAFETY: by the caller.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16"))]
        return pg_sys::MyBackendId;
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return pg_sys::MyProcNumber + 1;
    }
}

/// The same of the backend that runs, or has prepared, a transaction.
pub fn backend_of(transaction: &pg_sys::VirtualTransactionId) -> i32 {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    return transaction.backendId;
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    return transaction.procNumber + 1;
}

/// The number that this backend has given the transaction that runs. Commands such as VACUUM run several.
pub fn local_transaction() -> pg_sys::LocalTransactionId {
    // SAFETY: the backend's own entry, which it alone writes.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16"))]
        return (*pg_sys::MyProc).lxid;
        #[cfg(any(feature = "pg17", feature = "pg18"))]
        return (*pg_sys::MyProc).vxid.lxid;
    }
}

/// The transaction that holds or awaits a lock.
pub fn transaction_of(lock: &pg_sys::LockInstanceData) -> pg_sys::VirtualTransactionId {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    return pg_sys::VirtualTransactionId {
        backendId: lock.backend,
        localTransactionId: lock.lxid,
    };
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    return lock.vxid;
}

/// PostgreSQL's expandRTE, of the first entry of a range, with the columns that were dropped.
///
/// # Safety
/// Its own, in C.
pub unsafe fn expand_entry(
    entry: *mut RangeTblEntry,
    names: *mut *mut List,
    columns: *mut *mut List,
) {
    // SAFETY: by the caller.
    unsafe {
        pg_sys::expandRTE(
            entry,
            1,
            0,
            #[cfg(feature = "pg18")]
            pg_sys::VarReturningType::VAR_RETURNING_DEFAULT,
            -1,
            true,
            names,
            columns,
        )
    }
}

/// What is done around a run of a query.
pub type AroundRun = unsafe fn(*mut pg_sys::QueryDesc, &mut dyn FnMut());

static mut AROUND_RUN: Option<AroundRun> = None;
static mut NEXT_RUN: pg_sys::ExecutorRun_hook_type = None;

/// Sets the hook that PostgreSQL calls in place of running a query.
///
/// # Safety
/// Called while the library is loaded. What is given must let the errors of a run pass: nothing with a destructor may be alive in it.
pub unsafe fn around_runs(around: AroundRun) {
    // SAFETY: the postmaster loads libraries one after the other.
    unsafe {
        AROUND_RUN = Some(around);
        NEXT_RUN = pg_sys::ExecutorRun_hook;
        pg_sys::ExecutorRun_hook = Some(run);
    }
}

/// # Safety
/// The promise of who has called [`around_runs`].
unsafe fn run_around(query: *mut pg_sys::QueryDesc, mut next: impl FnMut()) {
    // SAFETY: by the caller; set before the hook.
    unsafe {
        match AROUND_RUN {
            Some(around) => around(query, &mut next),
            None => next(),
        }
    }
}

mod running {
    use super::*;
    unsafe extern "C-unwind" {
        #[cfg(not(feature = "pg18"))]
        pub fn standard_ExecutorRun(
            query: *mut pg_sys::QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
            once: bool,
        );
        #[cfg(feature = "pg18")]
        pub fn standard_ExecutorRun(
            query: *mut pg_sys::QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
        );
    }
}

#[cfg(not(feature = "pg18"))]
unsafe extern "C-unwind" fn run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
    once: bool,
) {
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        let next = NEXT_RUN.unwrap_or(running::standard_ExecutorRun);
        run_around(query, || next(query, direction, count, once));
    }
}

#[cfg(feature = "pg18")]
unsafe extern "C-unwind" fn run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
) {
    // SAFETY: the next hook gets what we got; nothing here has a destructor.
    unsafe {
        let next = NEXT_RUN.unwrap_or(running::standard_ExecutorRun);
        run_around(query, || next(query, direction, count));
    }
}

/// What an operator that sorts in ascending order is to its family.
#[cfg(not(feature = "pg18"))]
pub const ASCENDING: i16 = pg_sys::BTLessStrategyNumber as i16;
#[cfg(feature = "pg18")]
pub const ASCENDING: pg_sys::CompareType::Type = pg_sys::CompareType::COMPARE_LT;

/// Whether COPY FROM can leave out rows with values that it cannot read.
pub const COPY_SKIPS_ERRORS: bool = cfg!(any(feature = "pg17", feature = "pg18"));

/// Whether a marker in the data of COPY FROM can stand for a column's default.
pub const COPY_TAKES_DEFAULTS: bool = cfg!(not(feature = "pg15"));
