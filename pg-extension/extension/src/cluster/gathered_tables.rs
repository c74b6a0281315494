//! A SELECT over rows that a router has gathered, of the tables that the statement and the functions in it read. While it runs, each query of this
//! role, the statement's own and those of the functions, reads these rows in the places of the tables: by the tables' numbers, when it is
//! planned, so that names, the search path and plans that the session keeps do not matter.
//!
//! Nothing else is read: who calls this by himself may say what rows there are, so that they must not decide what of other tables he sees, by a policy
//! or a view. What would have an effect, or give another answer on another node, is refused as well.

use super::analysis::tree::{self, NodePtr};
use super::analysis::{functions, parser};
use crate::boundary::{self, PostgresError, functions as raw};
use crate::error::Error;
use crate::hooks::executor::{self, Start};
use crate::hooks::planner;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around};
use crate::opened::Opened;
use crate::pg_function;
use pgrx::pg_sys::{self, CmdType, Datum, NodeTag, Oid, RTEKind};
use std::cell::RefCell;
use std::ffi::{CStr, CString};

/// The rows of the statement that runs.
struct Gathered {
    /// Whose queries read them.
    role: Oid,
    tables: Vec<Oid>,
    parts: Datum,
    rows: Datum,
    /// Something inside was refused, which an EXCEPTION block may have caught.
    refused: Option<String>,
}

thread_local! {
    static GATHERED: RefCell<Option<Gathered>> = const { RefCell::new(None) };
}

/// Has the queries inside of such a statement read what was gathered.
pub fn install() {
    planner::subscribe(|query, _| {
        if is_running() {
            // SAFETY: the planner's query, which nobody else looks at meanwhile.
            prepare(unsafe { &mut *query });
        }
        None
    });
    executor::after_start(Subscriber {
        concerns: |_| is_running(),
        tell: |start: &Start| {
            // SAFETY: a query that has just been started.
            check_tables(unsafe { &*start.query().plannedstmt });
        },
    });
    utility::subscribe(Around {
        concerns: |_| is_running(),
        around: |command, run| {
            check_command(command.node());
            run(command);
        },
    });
}

/// Raises for a table that was not gathered. The plan has all of them, also those of functions that have become a part of it.
fn check_tables(plan: &pg_sys::PlannedStmt) {
    let others = tree::list::<pg_sys::RangeTblEntry>(plan.rtable).find(|entry| {
        entry.rtekind == RTEKind::RTE_RELATION
            && entry.relid.to_u32() >= functions::FIRST_USER_OBJECT
            && entry.relkind as u8 != pg_sys::RELKIND_VIEW
    });
    if let Some(other) = others {
        let name = parser::qualified_name(other.relid);
        refuse(&format!("also reads {name}, which only its run shows"));
    }
}

/// Whether such a statement runs.
pub fn is_running() -> bool {
    GATHERED.with_borrow(Option::is_some)
}

/// The statement fails with this refusal, even if an EXCEPTION block catches it.
pub fn note_refusal(what: &str) {
    GATHERED.with_borrow_mut(|gathered| {
        if let Some(gathered) = gathered {
            gathered.refused.get_or_insert_with(|| what.to_owned());
        }
    });
}

const HINT: &str = "Send its statements by themselves, or make it a distributed procedure (create_distributed_procedure).";

fn refuse(what: &str) -> ! {
    let what = format!("a function over rows of several nodes {what}");
    note_refusal(&what);
    PostgresError::unsupported(&what, HINT).raise()
}

/// Refuses commands, which have effects.
fn check_command(command: NodePtr) {
    let harmless = matches!(
        tree::tag(command),
        Some(NodeTag::T_FetchStmt | NodeTag::T_ClosePortalStmt | NodeTag::T_VariableShowStmt)
    );
    if !harmless {
        refuse("runs a command");
    }
}

/// Puts the rows into a query in the places of tables.
fn prepare(query: &mut pg_sys::Query) {
    // SAFETY: plain read of a backend variable.
    let role = unsafe { pg_sys::GetUserId() };
    let tables = GATHERED.with_borrow(|gathered| {
        let gathered = gathered.as_ref().filter(|gathered| gathered.role == role);
        gathered.map_or(Vec::new(), |gathered| gathered.tables.clone())
    });
    check(query);
    let mut found = false;
    for level in tree::levels(query) {
        // SAFETY: a level of the planner's query, of which nothing else is held.
        let level = unsafe { &mut *level };
        for node in tree::nodes(level.rtable) {
            let entry = node.cast::<pg_sys::RangeTblEntry>();
            // SAFETY: an entry of that query.
            let (kind, relation) = unsafe { ((*entry).rtekind, (*entry).relid) };
            let part = tables.iter().position(|table| *table == relation);
            if let (RTEKind::RTE_RELATION, Some(part)) = (kind, part) {
                // SAFETY: as above.
                unsafe { put_rows(entry, part) };
                found = true;
            }
        }
    }
    if found && reads_system_columns(query) {
        refuse("reads system columns");
    }
}

/// Raises for what has an effect, or another answer on another node.
fn check(query: &pg_sys::Query) {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let changes = tree::any(node, &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            level.commandType != CmdType::CMD_SELECT || !level.rowMarks.is_null()
        })
    });
    if changes {
        refuse("changes or locks rows");
    }
    if let Some(function) = functions::with_effects(node) {
        refuse(&format!("calls {function}()"));
    }
}

fn reads_system_columns(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some_and(|var| var.varattno < 0)
    })
}

/// # Safety
/// An entry of a query that is about to be planned, for a table that was gathered.
unsafe fn put_rows(entry: *mut pg_sys::RangeTblEntry, part: usize) {
    // SAFETY: by the caller's promise.
    unsafe {
        let relation = (*entry).relid;
        let alone = !(*entry).inh
            && pg_sys::get_rel_relkind(relation) as u8 == pg_sys::RELKIND_RELATION
            && Opened::open(relation, pg_sys::NoLock)
                .is_none_or(|opened| opened.class().relhassubclass);
        if alone || !(*entry).tablesample.is_null() {
            refuse("reads a table by ONLY or TABLESAMPLE");
        }
        let rows = rows_of(relation, part).unwrap_or_else(|error| error.raise());
        (*entry).rtekind = RTEKind::RTE_SUBQUERY;
        (*entry).subquery = rows;
        (*entry).relid = Oid::INVALID;
        (*entry).relkind = 0;
        (*entry).rellockmode = 0;
        (*entry).inh = false;
        crate::compat::without_permissions(&mut *entry);
    }
}

/// A query that gives the rows as the table has them, column by column.
fn rows_of(relation: Oid, part: usize) -> Result<*mut pg_sys::Query, PostgresError> {
    let Some(opened) = Opened::open(relation, pg_sys::NoLock) else {
        return Err(PostgresError::unsupported(
            "a table that is read is gone",
            HINT,
        ));
    };
    let columns: Vec<String> = opened
        .columns()
        .iter()
        .map(|column| match column.attisdropped {
            true => "NULL::pg_catalog.int4".to_owned(),
            false => format!(
                "(s.r).{}",
                parser::quoted(&tree::string(column.attname.data.as_ptr()))
            ),
        })
        .collect();
    let text = format!(
        "SELECT {} FROM (SELECT w.r::{} AS r FROM ROWS FROM (pg_catalog.unnest(abelian.gathered_parts()), pg_catalog.unnest(abelian.gathered_rows())) w(p, r) WHERE w.p \
         OPERATOR(pg_catalog.=) {part} OFFSET 0) s",
        columns.join(", "),
        parser::qualified_name(relation),
    );
    drop(opened);
    let text = parser::c_text(&text);
    let statement = parser::parse(&text)?[0];
    let query = parser::analyse(statement, &text, &[])?.query;
    Ok(std::ptr::from_ref(query).cast_mut())
}

/// Runs while the statement does, and makes plans that are kept forget the rows.
struct Running;

impl Running {
    fn start(gathered: Gathered) -> Running {
        GATHERED.set(Some(gathered));
        // SAFETY: plans are made anew when they are needed next.
        unsafe { pg_sys::ResetPlanCache() };
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        GATHERED.set(None);
        // SAFETY: marks plans of this session's; it raises no error.
        unsafe { pg_sys::ResetPlanCache() };
    }
}

pg_function!(
    /// `abelian.gathered_parts()`: for each row, of which table it is.
    fn abelian_gathered_parts(_call) { given(|gathered| gathered.parts) }
);

pg_function!(
    /// `abelian.gathered_rows()`: the rows as texts.
    fn abelian_gathered_rows(_call) { given(|gathered| gathered.rows) }
);

fn given(what: impl Fn(&Gathered) -> Datum) -> Result<Datum, Error> {
    GATHERED.with_borrow(|gathered| match gathered {
        Some(gathered) => Ok(what(gathered)),
        None => Err(Error::Postgres(PostgresError::unsupported(
            "no rows were gathered",
            "Only the statement of a router reads such rows.",
        ))),
    })
}

pg_function!(
    /// `abelian.run_over(statement, tables, parts, rows, types, values)`: what the SELECT gives if the tables have these rows.
    fn abelian_run_over(call) {
        if is_running() {
            refuse("runs another over other rows");
        }
        // SAFETY: the arguments are what the function is declared with.
        unsafe {
            let text = pg_sys::text_to_cstring(call.arg(0).cast_mut_ptr());
            let detoasted = |n| Datum::from(pg_sys::pg_detoast_datum(call.arg(n).cast_mut_ptr()));
            let tables = elements(call.arg(1), pg_sys::OIDOID);
            let gathered = Gathered {
                role: pg_sys::GetUserId(),
                tables: tables.iter().flatten().map(|table| Oid::from(table.value() as u32)).collect(),
                parts: detoasted(2),
                rows: detoasted(3),
                refused: None,
            };
            let values = values(call.arg(4), call.arg(5));
            pg_sys::InitMaterializedSRF(call.info(), 0);
            let info = &*(*call.info()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            let running = Running::start(gathered);
            let result = run(CStr::from_ptr(text), values, info.setResult, info.setDesc);
            let refused = GATHERED.with_borrow_mut(|gathered| gathered.as_mut().and_then(|gathered| gathered.refused.take()));
            drop(running);
            result.map_err(Error::Postgres)?;
            match refused {
                Some(what) => Err(Error::Postgres(PostgresError::unsupported(&what, HINT))),
                None => Ok(Datum::null()),
            }
        }
    }
);

/// The types and values of the client's parameters.
type Values = Vec<(Oid, Option<Datum>)>;

/// # Safety
/// Arrays of OIDs of types, and of texts.
unsafe fn values(types: Datum, texts: Datum) -> Values {
    // SAFETY: by the caller's promise; a text that is no value of its type is an error.
    unsafe {
        let texts = elements(texts, pg_sys::TEXTOID);
        elements(types, pg_sys::OIDOID)
            .into_iter()
            .flatten()
            .zip(texts)
            .map(|(type_oid, text)| {
                let type_oid = Oid::from(type_oid.value() as u32);
                let (mut function, mut parameter) = (Oid::INVALID, Oid::INVALID);
                pg_sys::getTypeInputInfo(type_oid, &mut function, &mut parameter);
                let value = text.map(|text| {
                    let text = pg_sys::text_to_cstring(text.cast_mut_ptr());
                    pg_sys::OidInputFunctionCall(function, text, parameter, -1)
                });
                (type_oid, value)
            })
            .collect()
    }
}

/// # Safety
/// An array of that type, OIDs or texts.
unsafe fn elements(array: Datum, type_oid: Oid) -> Vec<Option<Datum>> {
    let (mut values, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    let (length, by_value, alignment) = match type_oid {
        pg_sys::OIDOID => (4, true, b'i'),
        _ => (-1, false, b'i'),
    };
    // SAFETY: by the caller's promise; the arrays have `count` elements.
    unsafe {
        let array = pg_sys::pg_detoast_datum(array.cast_mut_ptr()).cast();
        pg_sys::deconstruct_array(
            array,
            type_oid,
            length,
            by_value,
            alignment as std::ffi::c_char,
            &mut values,
            &mut nulls,
            &mut count,
        );
        (0..count as usize)
            .map(|at| (!*nulls.add(at)).then(|| *values.add(at)))
            .collect()
    }
}

/// # Safety
/// A store for rows of that description.
unsafe fn run(
    text: &CStr,
    values: Values,
    store: *mut pg_sys::Tuplestorestate,
    row: pg_sys::TupleDesc,
) -> Result<(), PostgresError> {
    let mut types: Vec<Oid> = values.iter().map(|(type_oid, _)| *type_oid).collect();
    let nulls: Vec<u8> = values
        .iter()
        .map(|(_, value)| if value.is_none() { b'n' } else { b' ' })
        .collect();
    let nulls = CString::new(nulls).unwrap_or_default();
    let mut datums: Vec<Datum> = values
        .iter()
        .map(|(_, value)| value.unwrap_or(Datum::null()))
        .collect();
    let (count, types, datums) = (types.len() as i32, types.as_mut_ptr(), datums.as_mut_ptr());
    // SAFETY: the arrays have as many elements as parameters; the rows are copied before SPI is left.
    unsafe {
        boundary::caught(|| {
            raw::SPI_connect();
            let plan = raw::SPI_prepare(text.as_ptr(), count, types);
            raw::SPI_execute_plan(plan, datums, nulls.as_ptr(), true, 0);
            let found = pg_sys::SPI_tuptable;
            for at in 0..pg_sys::SPI_processed as usize {
                let tuple = *(*found).vals.add(at);
                put(store, row, (*found).tupdesc, tuple);
            }
            raw::SPI_finish();
        })
    }
}

/// Keeps a row.
///
/// # Safety
/// A row of the second description, which has columns of the first one's types.
unsafe fn put(
    store: *mut pg_sys::Tuplestorestate,
    row: pg_sys::TupleDesc,
    given: pg_sys::TupleDesc,
    tuple: pg_sys::HeapTuple,
) {
    // SAFETY: by the caller's promise.
    unsafe {
        let columns = (*row).natts as usize;
        let mut values = vec![Datum::null(); columns];
        let mut nulls = vec![false; columns];
        pg_sys::heap_deform_tuple(tuple, given, values.as_mut_ptr(), nulls.as_mut_ptr());
        pg_sys::tuplestore_putvalues(store, row, values.as_mut_ptr(), nulls.as_mut_ptr());
    }
}
