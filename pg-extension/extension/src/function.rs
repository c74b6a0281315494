//! SQL-callable functions in PostgreSQL's version-1 calling convention.
//!
//! [`pg_function`] makes the two symbols that PostgreSQL looks up; the body sees a [`Call`] and returns a datum
//! or an [`crate::error::Error`]. All `unsafe` of the convention is here.

use pgrx::pg_sys::{self, Datum};
use std::ffi::CStr;

/// One call: the arguments as PostgreSQL passed them.
#[derive(Clone, Copy)]
pub struct Call(pg_sys::FunctionCallInfo);

impl Call {
    /// # Safety
    /// `info` must be the call information PostgreSQL passed to the running function.
    pub unsafe fn new(info: pg_sys::FunctionCallInfo) -> Self {
        Call(info)
    }

    /// The `n`-th argument (from 0). Of a function that is not STRICT, ask [`Call::is_null`] first.
    pub fn arg(&self, n: usize) -> Datum {
        // SAFETY: PostgreSQL passes as many arguments as the function is declared with.
        unsafe { (*self.0).args.as_slice(n + 1)[n].value }
    }

    /// Whether the `n`-th argument is NULL.
    pub fn is_null(&self, n: usize) -> bool {
        // SAFETY: as in `arg`.
        unsafe { (*self.0).args.as_slice(n + 1)[n].isnull }
    }

    /// How many arguments were passed.
    pub fn len(&self) -> usize {
        // SAFETY: plain field read.
        unsafe { (*self.0).nargs as usize }
    }

    /// Whether the function was called without arguments.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A `bigint` argument.
    pub fn i64(&self, n: usize) -> i64 {
        self.arg(n).value() as i64
    }

    /// An `integer` argument.
    pub fn i32(&self, n: usize) -> i32 {
        self.arg(n).value() as i32
    }

    /// The type that the function declares for its `n`-th argument.
    pub fn declared(&self, n: usize) -> pg_sys::Oid {
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: the running function exists; the results are ours, and as many as the count says.
        unsafe {
            pg_sys::get_func_signature((*(*self.0).flinfo).fn_oid, &mut types, &mut count);
            let types = std::slice::from_raw_parts(types, count as usize);
            types.get(n).copied().unwrap_or(pg_sys::Oid::INVALID)
        }
    }

    /// Whether a statement calls the function by itself, and no aggregate does.
    pub fn is_direct(&self) -> bool {
        // SAFETY: plain field read.
        unsafe { (*self.0).context.is_null() }
    }

    /// Whether PostgreSQL looked the function up in a memory context of this name: who calls it often keeps it there.
    pub fn was_found_by(&self, name: &CStr) -> bool {
        // SAFETY: PostgreSQL's own structures; a context's name is a constant of whoever made it.
        unsafe {
            let function = (*self.0).flinfo.as_ref();
            let context = function.and_then(|function| function.fn_mcxt.as_ref());
            context.is_some_and(|context| CStr::from_ptr(context.name) == name)
        }
    }

    /// Makes the result NULL; return what this gives.
    pub fn null(&self) -> Datum {
        // SAFETY: plain field write in the caller's structure.
        unsafe { (*self.0).isnull = true };
        Datum::null()
    }

    /// A row of the type that the function is declared with (OUT parameters); `None` is NULL.
    pub fn row(&self, values: &[Option<Datum>]) -> Datum {
        let (mut values, mut nulls) = columns(values);
        // SAFETY: the descriptor is that of the declaration, which has as many columns.
        unsafe {
            let mut row: pg_sys::TupleDesc = std::ptr::null_mut();
            pg_sys::get_call_result_type(self.0, std::ptr::null_mut(), &mut row);
            let row = pg_sys::BlessTupleDesc(row);
            let tuple = pg_sys::heap_form_tuple(row, values.as_mut_ptr(), nulls.as_mut_ptr());
            pg_sys::HeapTupleHeaderGetDatum((*tuple).t_data)
        }
    }

    /// A set of rows of the type that the function is declared with. Return NULL when all are added.
    pub fn rows(&self) -> Rows {
        // SAFETY: raises an error unless the caller takes a set; the result information is there then.
        unsafe {
            pg_sys::InitMaterializedSRF(self.0, 0);
            let info = &*(*self.0).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            Rows {
                store: info.setResult,
                description: info.setDesc,
            }
        }
    }

    /// PostgreSQL's own structure, for functions that return sets.
    pub fn info(&self) -> pg_sys::FunctionCallInfo {
        self.0
    }
}

/// Values, and which of them are NULL, in PostgreSQL's form.
fn columns(values: &[Option<Datum>]) -> (Vec<Datum>, Vec<bool>) {
    let nulls = values.iter().map(Option::is_none).collect();
    let values = values.iter();
    let values = values.map(|value| value.unwrap_or(Datum::null()));
    (values.collect(), nulls)
}

/// The rows that a function gives, which are kept until the last is added.
pub struct Rows {
    store: *mut pg_sys::Tuplestorestate,
    description: pg_sys::TupleDesc,
}

impl Rows {
    /// Adds a row with a value for each column; `None` is NULL.
    pub fn add(&self, values: &[Option<Datum>]) {
        let (mut values, mut nulls) = columns(values);
        // SAFETY: both live until the query is over; the description has as many columns. The values are copied.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.store,
                self.description,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
        }
    }
}

/// Defines a function that SQL can call: `pg_function!(fn abelian_name(call) { ... Ok(datum) });`
///
/// With `quick path;` before it, `path: fn(Call) -> Option<Datum>` is asked for the result first. It must not raise
/// errors, and needs none of the precautions that a call costs otherwise.
#[macro_export]
macro_rules! pg_function {
    ($(#[$attribute:meta])* fn $name:ident($call:ident) $body:block) => {
        $crate::pg_function!(quick |_| None; $(#[$attribute])* fn $name($call) $body);
    };
    (quick $quick:expr; $(#[$attribute:meta])* fn $name:ident($call:ident) $body:block) => {
        const _: () = {
            #[unsafe(export_name = concat!("pg_finfo_", stringify!($name)))]
            extern "C" fn describe() -> &'static ::pgrx::pg_sys::Pg_finfo_record {
                const VERSION_1: ::pgrx::pg_sys::Pg_finfo_record =
                    ::pgrx::pg_sys::Pg_finfo_record { api_version: 1 };
                &VERSION_1
            }

            $(#[$attribute])*
            fn body(
                $call: $crate::function::Call,
            ) -> Result<::pgrx::pg_sys::Datum, $crate::error::Error> $body

            #[unsafe(export_name = stringify!($name))]
            unsafe extern "C-unwind" fn entry(
                info: ::pgrx::pg_sys::FunctionCallInfo,
            ) -> ::pgrx::pg_sys::Datum {
                const QUICK: fn($crate::function::Call) -> Option<::pgrx::pg_sys::Datum> = $quick;
                // SAFETY: PostgreSQL calls with its own call information.
                if let Some(datum) = QUICK(unsafe { $crate::function::Call::new(info) }) {
                    return datum;
                }
                // SAFETY: PostgreSQL calls with its own call information.
                unsafe {
                    $crate::boundary::guard(|| {
                        body($crate::function::Call::new(info)).unwrap_or_else(|error| error.raise())
                    })
                }
            }
        };
    };
}
pub use pg_function;
