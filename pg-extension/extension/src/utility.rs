//! What PostgreSQL gives to a hook of utility commands, as one value to look at and to hand on. Knows none of the rooms.

use pgrx::pg_sys;
use std::ffi::c_char;

/// PostgreSQL's own function, called raw: pgrx's binding would convert the errors of the commands.
mod raw {
    use pgrx::pg_sys;

    unsafe extern "C-unwind" {
        pub fn standard_ProcessUtility(
            statement: *mut pg_sys::PlannedStmt,
            text: *const std::ffi::c_char,
            read_only: bool,
            context: pg_sys::ProcessUtilityContext::Type,
            parameters: pg_sys::ParamListInfo,
            environment: *mut pg_sys::QueryEnvironment,
            destination: *mut pg_sys::DestReceiver,
            completion: *mut pg_sys::QueryCompletion,
        );
    }
}

/// The arguments of `ProcessUtility_hook`, as they came.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UtilityCall {
    pub statement: *mut pg_sys::PlannedStmt,
    pub text: *const c_char,
    pub read_only: bool,
    pub context: pg_sys::ProcessUtilityContext::Type,
    pub parameters: pg_sys::ParamListInfo,
    pub environment: *mut pg_sys::QueryEnvironment,
    pub destination: *mut pg_sys::DestReceiver,
    pub completion: *mut pg_sys::QueryCompletion,
}

impl UtilityCall {
    /// The command's node.
    ///
    /// # Safety
    /// The arguments are those of a hook that is running.
    pub unsafe fn node(self) -> *mut pg_sys::Node {
        // SAFETY: by the caller's promise.
        unsafe { (*self.statement).utilityStmt }
    }

    /// Hands it on to the next hook, or to PostgreSQL. A raw call: errors pass with all their fields.
    ///
    /// # Safety
    /// As [`UtilityCall::node`]; no value with a destructor may be alive between here and PostgreSQL.
    pub unsafe fn pass_on(self, next: pg_sys::ProcessUtility_hook_type) {
        let next = next.unwrap_or(raw::standard_ProcessUtility);
        // SAFETY: by the caller's promise.
        unsafe {
            next(
                self.statement,
                self.text,
                self.read_only,
                self.context,
                self.parameters,
                self.environment,
                self.destination,
                self.completion,
            );
        }
    }
}
