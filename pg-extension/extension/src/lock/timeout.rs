//! PostgreSQL's `lock_timeout`, set for one wait of our own.

use pgrx::pg_sys;

/// Another `lock_timeout` for as long as it lives.
pub struct LockTimeout(i32);

impl LockTimeout {
    pub fn of(milliseconds: i32) -> Self {
        // SAFETY: plain accesses to a setting.
        unsafe {
            let before = LockTimeout(pg_sys::LockTimeout);
            pg_sys::LockTimeout = milliseconds;
            before
        }
    }
}

impl Drop for LockTimeout {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { pg_sys::LockTimeout = self.0 };
    }
}
