//! Rows on their way from one plan node to the next, or out of a projection.

use crate::boundary;
use pgrx::pg_sys::{self, Datum, ExprContext, ExprState, PlanState, TupleTableSlot};
use std::cell::RefCell;
use std::ffi::c_void;

/// Which rows go on. It must not run queries.
pub type Keep = Box<dyn Fn(*mut TupleTableSlot) -> bool>;

/// A function of the executor that is stood in for, by what it is called with.
struct Stand<F> {
    place: usize,
    original: F,
    keep: Keep,
}

thread_local! {
    /// Few at a time: each goes with its query.
    static NODES: RefCell<Vec<Stand<pg_sys::ExecProcNodeMtd>>> = const { RefCell::new(Vec::new()) };
    static PROJECTIONS: RefCell<Vec<Stand<pg_sys::ExprStateEvalFunc>>> = const { RefCell::new(Vec::new()) };
}

/// Lets only some of the rows that a plan node gives reach the node above.
///
/// # Safety
/// The state of an initialised plan node, which has no filter yet.
pub unsafe fn filter(node: *mut PlanState, keep: Keep) {
    // SAFETY: by the caller; the node lives as long as the memory of its query.
    unsafe {
        let original = (*node).ExecProcNodeReal;
        let place = node as usize;
        forget_with((*(*node).state).es_query_cxt, place);
        NODES.with_borrow_mut(|all| {
            all.push(Stand {
                place,
                original,
                keep,
            });
        });
        pg_sys::ExecSetExecProcNode(node, Some(next_kept));
    }
}

/// Looks at each row that a projection makes. It goes on in any case, unless `look` raises an error.
///
/// # Safety
/// An initialised projection of a query whose memory is `memory`, with nobody looking yet.
pub unsafe fn watch(
    projection: *mut pg_sys::ProjectionInfo,
    memory: pg_sys::MemoryContext,
    look: Keep,
) {
    // SAFETY: by the caller.
    unsafe {
        let state = &raw mut (*projection).pi_state;
        let place = state as usize;
        forget_with(memory, place);
        PROJECTIONS.with_borrow_mut(|all| {
            all.push(Stand {
                place,
                original: (*state).evalfunc,
                keep: look,
            });
        });
        (*state).evalfunc = Some(projected);
    }
}

/// Forgets what stands there when the memory of its query is given back.
unsafe fn forget_with(memory: pg_sys::MemoryContext, place: usize) {
    // SAFETY: the callback is part of the memory that calls it.
    unsafe {
        let size = size_of::<pg_sys::MemoryContextCallback>();
        let callback =
            pg_sys::MemoryContextAllocZero(memory, size).cast::<pg_sys::MemoryContextCallback>();
        (*callback).func = Some(forget_one);
        (*callback).arg = place as *mut c_void;
        pg_sys::MemoryContextRegisterResetCallback(memory, callback);
    }
}

unsafe extern "C-unwind" fn forget_one(place: *mut c_void) {
    // SAFETY: nothing here has a destructor that matters to PostgreSQL.
    unsafe {
        boundary::guard(|| {
            NODES.with_borrow_mut(|all| all.retain(|one| one.place != place as usize));
            PROJECTIONS.with_borrow_mut(|all| all.retain(|one| one.place != place as usize));
        });
    }
}

/// The one that was added last stands there: nobody else is left.
fn found<F>(all: &[Stand<F>], place: usize) -> Option<&Stand<F>> {
    all.iter().rev().find(|one| one.place == place)
}

/// Stands in for the plan node's own function.
unsafe extern "C-unwind" fn next_kept(node: *mut PlanState) -> *mut TupleTableSlot {
    let place = node as usize;
    // SAFETY: errors of the node's own pass through; nothing with a destructor is alive while it runs.
    unsafe {
        let original = || NODES.with_borrow(|all| found(all, place).and_then(|one| one.original));
        let Some(original) = boundary::guard(original) else {
            return std::ptr::null_mut();
        };
        loop {
            let slot = original(node);
            let is_empty = slot.is_null() || (*slot).tts_flags & pg_sys::TTS_FLAG_EMPTY as u16 != 0;
            let goes_on = || {
                // What looking at the row allocates goes with the row.
                let before = pg_sys::MemoryContextSwitchTo(memory_of_row((*node).state));
                let kept =
                    NODES.with_borrow(|all| found(all, place).is_none_or(|one| (one.keep)(slot)));
                pg_sys::MemoryContextSwitchTo(before);
                kept
            };
            if is_empty || boundary::guard(goes_on) {
                return slot;
            }
        }
    }
}

/// The memory that ModifyTable resets before it asks for the next row.
///
/// # Safety
/// The state of a query that runs.
unsafe fn memory_of_row(query: *mut pg_sys::EState) -> pg_sys::MemoryContext {
    // SAFETY: by the caller.
    unsafe {
        let context = match (*query).es_per_tuple_exprcontext {
            context if context.is_null() => pg_sys::MakePerTupleExprContext(query),
            context => context,
        };
        (*context).ecxt_per_tuple_memory
    }
}

/// Stands in for the projection's own function.
unsafe extern "C-unwind" fn projected(
    state: *mut ExprState,
    context: *mut ExprContext,
    is_null: *mut bool,
) -> Datum {
    let place = state as usize;
    // SAFETY: as in `next_kept`; a projection fills the slot of its state.
    unsafe {
        let original =
            || PROJECTIONS.with_borrow(|all| found(all, place).and_then(|one| one.original));
        let Some(original) = boundary::guard(original) else {
            return Datum::null();
        };
        let result = original(state, context, is_null);
        boundary::guard(|| {
            // The first call of an expression puts another function there.
            let next = (*state).evalfunc.replace(projected);
            let slot = (*state).resultslot;
            (*slot).tts_nvalid = (*(*slot).tts_tupleDescriptor).natts as i16;
            PROJECTIONS.with_borrow_mut(|all| {
                if let Some(stand) = all.iter_mut().rev().find(|one| one.place == place) {
                    stand.original = next.filter(|next| !is_ours(*next)).or(stand.original);
                    (stand.keep)(slot);
                }
            });
        });
        result
    }
}

type Evaluation = unsafe extern "C-unwind" fn(*mut ExprState, *mut ExprContext, *mut bool) -> Datum;

fn is_ours(function: Evaluation) -> bool {
    std::ptr::fn_addr_eq(function, projected as Evaluation)
}
