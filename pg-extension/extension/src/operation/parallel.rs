//! Parallel plans. Workers are other processes: they know nothing of what the transaction has operated on and read
//! (see [`super::own`]), and what they read does not reach their leader. A plan that must not have workers runs in
//! the leader alone; this is decided when a plan starts, since it may be older than the transaction.

use super::own;
use crate::hooks::executor::{self, Start};
use crate::hooks::subscribers::Subscriber;

/// Has plans looked at when they start; called once when the library is loaded.
pub fn install() {
    executor::before_start(Subscriber {
        concerns: |start| start.has_workers() && !start.is_explain_only(),
        tell: start,
    });
}

fn start(start: &Start) {
    if !own::may_have_workers() {
        start.do_without_workers();
    }
}
