//! Blocks of DO, as PL/pgSQL has compiled them. From 16 on its library exports nothing that compiles a block. So it is asked to run the block, and its
//! interface for plugins stops it before the first statement.

use crate::boundary::functions;
use crate::boundary::{self, PostgresError};
use crate::callback;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Datum, PLpgSQL_execstate, PLpgSQL_function};
use std::cell::Cell;
use std::ffi::CStr;

type Look = dyn FnMut(*mut PLpgSQL_function);

thread_local! {
    /// Who waits for the block that is being compiled.
    static WAITING: Cell<Option<*mut Look>> = const { Cell::new(None) };
}

/// What `look` finds in the compiled block, or the error of its compilation. The compiled block is gone afterwards; what `look` allocates stays.
pub fn compiled<R>(
    text: &CStr,
    look: impl FnOnce(*mut PLpgSQL_function) -> R,
) -> Result<R, PostgresError> {
    // SAFETY: a plain read.
    let context = unsafe { pg_sys::CurrentMemoryContext };
    let mut look = Some(look);
    let mut found = None;
    let mut once = |function| {
        if let Some(look) = look.take() {
            // SAFETY: the caller's context outlives this, and the one before is put back.
            unsafe {
                let before = pg_sys::CurrentMemoryContext;
                pg_sys::CurrentMemoryContext = context;
                found = Some(look(function));
                pg_sys::CurrentMemoryContext = before;
            }
        }
    };
    let stopped = boundary::undone(|| {
        // SAFETY: what waits does so no longer than this call.
        let _waiting = unsafe { Waiting::for_block(&raw mut once as *mut (dyn FnMut(_) + '_)) };
        boundary::caught(|| run(text))
    });
    match (found, stopped) {
        (Some(found), _) => Ok(found),
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => Err(stop("PL/pgSQL has not shown the block")),
    }
}

/// The plugin of PL/pgSQL, which is in the place of the one before until it is dropped.
struct Waiting {
    /// PL/pgSQL writes there, too.
    plugin: *mut pg_sys::PLpgSQL_plugin,
    place: *mut *mut std::ffi::c_void,
    before: *mut std::ffi::c_void,
}

impl Waiting {
    /// # Safety
    /// `look` lives longer than this.
    unsafe fn for_block<'l>(look: *mut (dyn FnMut(*mut PLpgSQL_function) + 'l)) -> Self {
        // SAFETY: by the caller; a plugin of zeroes wants nothing, and the place is PostgreSQL's own for this.
        unsafe {
            WAITING.set(Some(std::mem::transmute::<
                *mut (dyn FnMut(*mut PLpgSQL_function) + 'l),
                *mut Look,
            >(look)));
            let mut plugin: Box<pg_sys::PLpgSQL_plugin> = Box::new(std::mem::zeroed());
            plugin.func_setup = Some(starts);
            let place = pg_sys::find_rendezvous_variable(c"PLpgSQL_plugin".as_ptr());
            let plugin = Box::into_raw(plugin);
            let before = std::mem::replace(&mut *place, plugin.cast());
            Self {
                plugin,
                place,
                before,
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // SAFETY: the place is never freed; the plugin was made by a Box, and is in no place any more.
        unsafe {
            *self.place = self.before;
            drop(Box::from_raw(self.plugin));
        }
        WAITING.set(None);
    }
}

callback!(
    /// PL/pgSQL has compiled a block or function, and is about to run it.
    fn starts(_state: *mut PLpgSQL_execstate, function: *mut PLpgSQL_function) = show
);

fn show(_state: *mut PLpgSQL_execstate, function: *mut PLpgSQL_function) {
    // SAFETY: PL/pgSQL has compiled it.
    let is_block = unsafe { (*function).fn_oid } == pg_sys::Oid::INVALID;
    if !is_block {
        return;
    }
    if let Some(look) = WAITING.take() {
        // SAFETY: who waits is still there.
        unsafe { (*look)(function) };
        stop("a block is looked at, not run").raise();
    }
}

fn stop(message: &str) -> PostgresError {
    PostgresError::made(
        PgSqlErrorCode::ERRCODE_INTERNAL_ERROR as i32,
        message,
        "",
        None,
    )
}

/// A function that PL/pgSQL's library exports.
pub fn of_plpgsql(name: &CStr) -> *mut std::ffi::c_void {
    let library = c"$libdir/plpgsql".as_ptr();
    // SAFETY: the library is PostgreSQL's own.
    unsafe { functions::load_external_function(library, name.as_ptr(), true, std::ptr::null_mut()) }
}

fn run(text: &CStr) -> Datum {
    // SAFETY: the handler has this type in every version, and reads the block only.
    unsafe {
        let block = pg_sys::InlineCodeBlock {
            type_: pg_sys::NodeTag::T_InlineCodeBlock,
            source_text: text.as_ptr().cast_mut(),
            langOid: pg_sys::Oid::INVALID,
            langIsTrusted: true,
            atomic: true,
        };
        let handler = std::mem::transmute::<
            *mut std::ffi::c_void,
            unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> Datum,
        >(of_plpgsql(c"plpgsql_inline_handler"));
        functions::DirectFunctionCall1Coll(
            Some(handler),
            pg_sys::Oid::INVALID,
            Datum::from(&raw const block),
        )
    }
}
