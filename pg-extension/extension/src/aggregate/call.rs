//! Calling an aggregate's support functions as the executor's aggregate node does.

use crate::boundary;
use crate::error::Error;
use pgrx::pg_sys::{self, Datum, Oid};

/// Calls a function; NULL is `None`. A strict function is not called with NULL, and gives NULL.
pub fn call(function: Oid, arguments: &[Option<Datum>]) -> Result<Option<Datum>, Error> {
    // SAFETY: everything lives in the current memory context until the call is over.
    unsafe {
        let mut info: pg_sys::FmgrInfo = std::mem::zeroed();
        pg_sys::fmgr_info(function, &mut info);
        if info.fn_strict && arguments.iter().any(Option::is_none) {
            return Ok(None);
        }
        let size = size_of::<pg_sys::FunctionCallInfoBaseData>()
            + size_of_val(arguments) / size_of::<Option<Datum>>()
                * size_of::<pg_sys::NullableDatum>();
        let call = pg_sys::palloc0(size).cast::<pg_sys::FunctionCallInfoBaseData>();
        (*call).flinfo = &raw mut info;
        (*call).context = aggregate_context().cast();
        (*call).fncollation = pg_sys::DEFAULT_COLLATION_OID;
        (*call).nargs = arguments.len() as i16;
        let slots = (*call).args.as_mut_slice(arguments.len());
        for (slot, argument) in slots.iter_mut().zip(arguments) {
            slot.value = argument.unwrap_or(Datum::null());
            slot.isnull = argument.is_none();
        }
        let Some(code) = info.fn_addr else {
            return Err(Error::Internal("a function without code".into()));
        };
        let result = boundary::call(|| code(call));
        Ok((!(*call).isnull).then_some(result))
    }
}

/// What tells a support function that it is called for an aggregate, and where to keep its state: in the current memory context.
unsafe fn aggregate_context() -> *mut pg_sys::AggState {
    // SAFETY: zeroed memory of the nodes' sizes, tagged as what they are; support functions ask for nothing else of them.
    unsafe {
        let expression =
            pg_sys::palloc0(size_of::<pg_sys::ExprContext>()).cast::<pg_sys::ExprContext>();
        (*expression).type_ = pg_sys::NodeTag::T_ExprContext;
        (*expression).ecxt_per_tuple_memory = pg_sys::CurrentMemoryContext;
        let node = pg_sys::palloc0(size_of::<pg_sys::AggState>()).cast::<pg_sys::AggState>();
        (*node).ss.ps.type_ = pg_sys::NodeTag::T_AggState;
        (*node).curaggcontext = expression;
        node
    }
}
