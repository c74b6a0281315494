//! PostgreSQL's making of SCRAM-SHA-256 verifiers, with a salt of the caller's.

use crate::boundary::functions::functions;
use pgrx::pg_sys;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::null_mut;

/// The bytes of a salt (`SCRAM_DEFAULT_SALT_LEN`).
pub const SALT_LENGTH: usize = 16;

/// `SASLPREP_SUCCESS`
const PREPARED: c_int = 0;

#[cfg(feature = "pg15")]
functions! {
    fn pg_saslprep(password: *const c_char, prepared: *mut *mut c_char) -> c_int;
    fn scram_build_secret(salt: *const u8, length: c_int, iterations: c_int, password: *const c_char, error: *mut *const c_char) -> *mut c_char;
}

/// `PG_SHA256`
#[cfg(not(feature = "pg15"))]
const SHA256: c_int = 3;

/// `SCRAM_SHA_256_KEY_LEN`
#[cfg(not(feature = "pg15"))]
const SHA256_KEY_LENGTH: c_int = 32;

#[cfg(not(feature = "pg15"))]
functions! {
    fn pg_saslprep(password: *const c_char, prepared: *mut *mut c_char) -> c_int;
    fn scram_build_secret(hash: c_int, key_length: c_int, salt: *const u8, length: c_int, iterations: c_int, password: *const c_char, error: *mut *const c_char) -> *mut c_char;
}

/// `SCRAM_SHA_256_DEFAULT_ITERATIONS`
const ITERATIONS: c_int = 4096;

/// How often the hash is taken; a setting since 16.
fn iterations() -> c_int {
    // SAFETY: a look-up by name; what it gives is read at once.
    let setting = unsafe {
        let text = pg_sys::GetConfigOption(c"scram_iterations".as_ptr(), true, false);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().parse())
    };
    setting.and_then(Result::ok).unwrap_or(ITERATIONS)
}

/// The verifier that PostgreSQL stores for a password, as `pg_be_scram_build_secret` makes it.
pub fn verifier(password: &CStr, salt: &[u8; SALT_LENGTH]) -> CString {
    let mut prepared = null_mut();
    let mut error = std::ptr::null();
    // SAFETY: C strings, and a salt as long as said; both functions give texts in the current context.
    unsafe {
        let is_prepared = pg_saslprep(password.as_ptr(), &mut prepared) == PREPARED;
        let password = if is_prepared {
            prepared
        } else {
            password.as_ptr()
        };
        let length = SALT_LENGTH as c_int;
        #[cfg(feature = "pg15")]
        let built = scram_build_secret(salt.as_ptr(), length, iterations(), password, &mut error);
        #[cfg(not(feature = "pg15"))]
        let built = scram_build_secret(
            SHA256,
            SHA256_KEY_LENGTH,
            salt.as_ptr(),
            length,
            iterations(),
            password,
            &mut error,
        );
        CStr::from_ptr(built).to_owned()
    }
}
