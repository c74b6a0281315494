//! Functions of PostgreSQL that may run code of users or report constraints, whose errors must keep all their fields, and those (in all of 15 to
//! 18) that the bindings leave out. An ERROR unwinds. Those whose signatures differ between versions are in [`crate::compat`].

#![allow(non_snake_case, clippy::too_many_arguments)] // names and signatures are PostgreSQL's

use pgrx::pg_sys::{
    self, CommandId, Datum, EState, ItemPointer, LOCKMODE, List, Oid, Relation, Snapshot,
    TupleTableSlot,
};
use std::ffi::{c_char, c_int, c_long, c_void};

/// Declares functions of PostgreSQL, and for each a function of the same name that is safe from its errors.
macro_rules! functions {
    ($($(#[$link:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        mod raw {
            use super::*;
            unsafe extern "C-unwind" {
                $($(#[$link])* pub fn $name($($argument: $type),*) $(-> $result)?;)*
            }
        }
        $(
            /// PostgreSQL's function of this name.
            ///
            /// # Safety
            /// Its own, in C.
            #[inline]
            pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: by the caller; nothing here has a destructor.
                unsafe { $crate::boundary::call(|| raw::$name($($argument),*)) }
            }
        )*
    };
}
pub(crate) use functions;

/// What prepares the analysis of a query.
pub type ParserSetup = unsafe extern "C-unwind" fn(*mut pg_sys::ParseState, *mut c_void);

mod setups {
    use super::*;
    unsafe extern "C-unwind" {
        pub fn sql_fn_parser_setup(state: *mut pg_sys::ParseState, arguments: *mut c_void);
    }
}

/// Has a query name the arguments that [`prepare_sql_fn_parse_info`] gives.
pub const ARGUMENTS_IN_SQL: ParserSetup = setups::sql_fn_parser_setup;

// values, catalogues and locks
functions! {
    fn datum_image_eq(a: Datum, b: Datum, by_value: bool, length: c_int) -> bool;
    fn datumCopy(datum: Datum, by_value: bool, length: c_int) -> Datum;
    fn has_subclass(relation: Oid) -> bool;
    fn get_partition_parent(partition: Oid, even_if_detached: bool) -> Oid;
    fn find_all_inheritors(relation: Oid, lock: LOCKMODE, parents: *mut *mut List) -> *mut List;
    fn has_partition_attrs(relation: Relation, attributes: *mut pg_sys::Bitmapset, in_expression: *mut bool) -> bool;
    fn CreateTriggerFiringOn(
        statement: *mut pg_sys::CreateTrigStmt, text: *const c_char, relation: Oid, referenced: Oid, constraint: Oid, index: Oid, function: Oid,
        parent: Oid, condition: *mut pg_sys::Node, internal: bool, in_partition: bool,
        fires_when: c_char,
    ) -> pg_sys::ObjectAddress;
    fn nextval_internal(relation: Oid, check_permissions: bool) -> i64;
    fn CatalogTupleInsert(relation: Relation, row: pg_sys::HeapTuple);
    fn CatalogTupleUpdate(relation: Relation, place: ItemPointer, row: pg_sys::HeapTuple);
    fn LockAcquire(tag: *const pg_sys::LOCKTAG, mode: LOCKMODE, of_session: bool, dont_wait: bool) -> pg_sys::LockAcquireResult::Type;
    fn VirtualXactLock(transaction: pg_sys::VirtualTransactionId, wait: bool) -> bool;
    fn ProcessInterrupts();
    fn pg_hmac_create(kind: c_int) -> *mut c_void;
    fn pg_hmac_init(state: *mut c_void, key: *const u8, length: usize) -> c_int;
    fn pg_hmac_update(state: *mut c_void, data: *const u8, length: usize) -> c_int;
    fn pg_hmac_final(state: *mut c_void, code: *mut u8, length: usize) -> c_int;
    fn pg_hmac_free(state: *mut c_void);
    fn enable_timeout_after(reason: c_int, milliseconds: c_int);
    fn disable_timeout(reason: c_int, keep_indicator: bool);
    fn NewGUCNestLevel() -> c_int;
    fn AtEOXact_GUC(commit: bool, level: c_int);
    fn DirectFunctionCall1Coll(function: pg_sys::PGFunction, collation: Oid, argument: Datum) -> Datum;
    fn load_external_function(library: *const c_char, function: *const c_char, must_exist: bool, handle: *mut *mut c_void) -> *mut c_void;
    fn raw_parser(text: *const c_char, mode: u32) -> *mut List;
    fn parse_analyze_varparams(statement: *mut pg_sys::RawStmt, text: *const c_char, types: *mut *mut Oid, count: *mut c_int, environment: *mut pg_sys::QueryEnvironment) -> *mut pg_sys::Query;
    fn parse_analyze_withcb(statement: *mut pg_sys::RawStmt, text: *const c_char, setup: ParserSetup, argument: *mut c_void, environment: *mut pg_sys::QueryEnvironment) -> *mut pg_sys::Query;
    fn prepare_sql_fn_parse_info(row: pg_sys::HeapTuple, call: *mut pg_sys::Node, collation: Oid) -> *mut c_void;
    fn preprocess_function_rtes(root: *mut pg_sys::PlannerInfo);
    fn QueryRewrite(query: *mut pg_sys::Query) -> *mut List;
    fn standard_planner(query: *mut pg_sys::Query, text: *const c_char, options: c_int, parameters: pg_sys::ParamListInfo) -> *mut pg_sys::PlannedStmt;
    fn RangeVarGetCreationNamespace(name: *const pg_sys::RangeVar) -> Oid;
    fn CopyGetAttnums(columns: pg_sys::TupleDesc, relation: Relation, names: *mut List) -> *mut List;
    fn ProcessCopyOptions(state: *mut pg_sys::ParseState, options: *mut pg_sys::CopyFormatOptions, from: bool, list: *mut List);
    fn pg_get_querydef(query: *mut pg_sys::Query, pretty: bool) -> *mut c_char;
    fn estimate_expression_value(root: *mut pg_sys::PlannerInfo, expression: *mut pg_sys::Node) -> *mut pg_sys::Node;
    fn AfterTriggerFireDeferred();
    fn ExecSetVariableStmt(statement: *mut pg_sys::VariableSetStmt, top_level: bool);
    fn getTypeInputInfo(type_oid: Oid, function: *mut Oid, parameter: *mut Oid);
    fn OidInputFunctionCall(function: Oid, text: *mut c_char, parameter: Oid, modifier: i32) -> Datum;
    fn SPI_connect() -> c_int;
    fn SPI_prepare(text: *const c_char, count: c_int, types: *mut Oid) -> *mut c_void;
    fn SPI_execute_plan(plan: *mut c_void, values: *mut Datum, nulls: *const c_char, read_only: bool, limit: c_long) -> c_int;
    fn SPI_finish() -> c_int;
    fn ExecSimpleRelationInsert(target: *mut pg_sys::ResultRelInfo, state: *mut EState, slot: *mut TupleTableSlot);
    fn ExecInitNode(plan: *mut pg_sys::Plan, estate: *mut EState, flags: c_int) -> *mut pg_sys::PlanState;
    fn EvalPlanQualBegin(recheck: *mut pg_sys::EPQState);
    fn EvalPlanQual(recheck: *mut pg_sys::EPQState, relation: Relation, number: u32, input: *mut TupleTableSlot) -> *mut TupleTableSlot;
    fn ExecConstraints(result: *mut pg_sys::ResultRelInfo, slot: *mut TupleTableSlot, estate: *mut EState);
    fn ExecARUpdateTriggers(estate: *mut EState, result: *mut pg_sys::ResultRelInfo, source: *mut pg_sys::ResultRelInfo, destination: *mut pg_sys::ResultRelInfo, old: ItemPointer, old_foreign: pg_sys::HeapTuple, new: *mut TupleTableSlot, doubtful: *mut List, capture: *mut pg_sys::TransitionCaptureState, moves: bool);
    fn CheckCmdReplicaIdentity(relation: Relation, command: pg_sys::CmdType::Type);
    #[link_name = "ExecProcNode__pgrx_cshim"]
    fn ExecProcNode(node: *mut pg_sys::PlanState) -> *mut TupleTableSlot;
    #[link_name = "ExecProject__pgrx_cshim"]
    fn ExecProject(projection: *mut pg_sys::ProjectionInfo) -> *mut TupleTableSlot;
    #[link_name = "table_tuple_lock__pgrx_cshim"]
    fn table_tuple_lock(relation: Relation, place: ItemPointer, snapshot: Snapshot, slot: *mut TupleTableSlot, command: CommandId, mode: pg_sys::LockTupleMode::Type, policy: pg_sys::LockWaitPolicy::Type, flags: u8, failure: *mut pg_sys::TM_FailureData) -> pg_sys::TM_Result::Type;
}
