//! The SQL face. What touches tables is SQL in the install script, over these.

use super::lanes::{Id, Participant};
use super::{gate, turn};
use crate::backend;
use crate::cluster::gate as commits;
use crate::cluster::postgres;
use crate::cluster::seal::{self, Router, Sealed};
use crate::error::Error;
use crate::function::Call;
use crate::pg_function;
use crate::shared_memory::LANES;
use pgrx::datum::{FromDatum, IntoDatum};
use pgrx::pg_sys::Datum;

/// The transaction's name, the first argument of each.
pub fn id(call: Call) -> Result<Id, Error> {
    // SAFETY: the first argument is declared as text, the function as STRICT.
    let text = unsafe { postgres::text_argument(call.arg(0)) };
    Id::new(text.to_bytes()).ok_or(Error::IndependentName)
}

/// The router whose transaction it is, by its name.
pub fn router(call: Call) -> Result<Router, Error> {
    // SAFETY: the first argument is declared as text, the function as STRICT.
    let text = unsafe { postgres::text_argument(call.arg(0)) };
    seal::router_named(text.to_bytes()).ok_or(Error::NotSealed)
}

fn too_many() -> Error {
    Error::Internal("too many databases or nodes with independent transactions".to_owned())
}

pg_function!(
    /// `abelian.independent_state()`: run, last timestamp, and whether the lane is open (1) or closed (0).
    fn abelian_independent_state(call) {
        turn::blind();
        let lane = LANES.share().look(turn::database());
        Ok(vec![lane.run, lane.last, i64::from(lane.open)].into_datum().unwrap_or_else(|| call.null()))
    }
);

pg_function!(
    /// `abelian.independent_propose(id, self, nodes, runs, horizon)`: a timestamp, or a negative number for a refusal. Sealed with a sixth
    /// argument.
    fn abelian_independent_propose(call) {
        if call.len() == 6 {
            check_seal_of_proposal(call)?;
        }
        turn::blind();
        let id = id(call)?;
        let own = call.i32(1);
        // The fragment will have the same level.
        if backend::has_one_snapshot() {
            return Ok(Datum::from(super::lanes::Refusal::Isolation as i64));
        }
        let (nodes, runs) = lists(call)?;
        let participants: Vec<Participant> = nodes
            .into_iter()
            .zip(runs)
            .map(|(node, run)| Participant { node, run })
            .collect();
        let own = participants
            .iter()
            .find(|participant| participant.node == own)
            .copied()
            .ok_or(Error::IndependentName)?;
        if !gate::enter_to_propose()? {
            return Ok(Datum::from(super::lanes::Refusal::Gate as i64));
        }
        let proposal =
            LANES.exclusive().propose(turn::database(), id, own, &participants, call.i64(4), backend::now());
        if proposal.is_ok() {
            turn::proposed(id);
        }
        Ok(Datum::from(proposal.unwrap_or_else(|refusal| refusal as i64)))
    }
);

/// The nodes and their runs.
fn lists(call: Call) -> Result<(Vec<i32>, Vec<i64>), Error> {
    // SAFETY: declared as integer[] and bigint[], the function as STRICT.
    let (nodes, runs) = unsafe {
        (
            Vec::<Option<i32>>::from_datum(call.arg(2), false),
            Vec::<Option<i64>>::from_datum(call.arg(3), false),
        )
    };
    let nodes: Option<Vec<i32>> = nodes.unwrap_or_default().into_iter().collect();
    let runs: Option<Vec<i64>> = runs.unwrap_or_default().into_iter().collect();
    nodes.zip(runs).ok_or(Error::IndependentName)
}

fn check_seal_of_proposal(call: Call) -> Result<(), Error> {
    let (nodes, runs) = lists(call)?;
    // SAFETY: declared as text, integer, integer[], bigint[], bigint and text, the function as STRICT.
    unsafe {
        Sealed::call("independent_propose")
            .text(call.arg(0))
            .number(call.i32(1))
            .numbers(&nodes)
            .numbers(&runs)
            .number(call.i64(4))
            .check(router(call)?, call.arg(5))
    }
}

pg_function!(
    /// `abelian.independent_advance(timestamp)`: later proposals are greater. Sealed with two more arguments, the router and the seal.
    fn abelian_independent_advance(call) {
        if call.len() == 3 {
            // SAFETY: declared as bigint, uuid and text, the function as STRICT.
            unsafe {
                let router = seal::router_argument(call.arg(1));
                Sealed::call("independent_advance").number(call.i64(0)).check(router, call.arg(2))?;
            }
        }
        turn::blind();
        let timestamp = call.i64(0).min(backend::now() + turn::LEAD_MAX);
        LANES.exclusive().advance(turn::database(), timestamp);
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.independent_turn(id, timestamp)`: waits for the turn; the lane is the transaction's until it ends.
    fn abelian_independent_turn(call) {
        turn::wait_for_turn(id(call)?, call.i64(1))?;
        commits::note(b"", false);
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.independent_completable(id, timestamp)`: makes it final; false when it is not pending.
    fn abelian_independent_completable(call) {
        let id = id(call)?;
        let mut lanes = LANES.exclusive();
        Ok(Datum::from(lanes.complete(turn::database(), &id, call.i64(1))))
    }
);

pg_function!(
    /// `abelian.independent_stop(id)`: freezes it, or makes a tombstone.
    fn abelian_independent_stop(call) {
        turn::blind();
        turn::freeze(id(call)?);
        turn::flush();
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.independent_cancel(id)`
    fn abelian_independent_cancel(call) {
        turn::blind();
        let id = id(call)?;
        let mut lanes = LANES.exclusive();
        lanes.cancel(turn::database(), id);
        turn::call_next(&lanes);
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.independent_pending(milliseconds)`: what has been pending for so long, as `id node,node,...`.
    fn abelian_independent_pending(call) {
        turn::blind();
        let moment = backend::now() - call.i64(0) * 1000;
        let pending = LANES.share().pending_since(turn::database(), moment);
        let lines: Vec<String> = pending
            .iter()
            .map(|entry| {
                let nodes: Vec<String> = entry.nodes.iter().map(i32::to_string).collect();
                format!("{} {}", entry.id.text(), nodes.join(","))
            })
            .collect();
        Ok(lines.into_datum().unwrap_or_else(|| call.null()))
    }
);

pg_function!(
    /// `abelian.independent_executing()`: the pids of backends that execute a fragment.
    fn abelian_independent_executing(call) {
        turn::blind();
        let processes = LANES.share().executing(turn::database());
        let pids: Vec<i32> = processes.into_iter().map(turn::pid).collect();
        Ok(pids.into_datum().unwrap_or_else(|| call.null()))
    }
);

pg_function!(
    /// `abelian.independent_fence(node, run)`: refuses the node's earlier runs, and freezes what names them.
    fn abelian_independent_fence(call) {
        turn::blind();
        let peer = Participant { node: call.i32(0), run: call.i64(1) };
        let outdated = LANES.exclusive().fence(turn::database(), peer).ok_or_else(too_many)?;
        for id in outdated {
            turn::freeze(id);
        }
        turn::flush();
        Ok(Datum::null())
    }
);

pg_function!(
    /// `abelian.independent_begin_run(run)`: the run to catch up for, which may be another's.
    fn abelian_independent_begin_run(call) {
        let mut lanes = LANES.exclusive();
        let lane = lanes.lane(turn::database()).ok_or_else(too_many)?;
        lane.unused = false;
        if lane.run == 0 {
            lane.run = call.i64(0);
        }
        Ok(Datum::from(lane.run))
    }
);

pg_function!(
    /// `abelian.independent_is_closed(run)`: whether the node still catches up for that run.
    fn abelian_independent_is_closed(call) {
        let lane = LANES.share().look(turn::database());
        Ok(Datum::from(!lane.open && lane.run == call.i64(0)))
    }
);

pg_function!(
    /// `abelian.independent_open_lane(run, last)`: false when the run is over.
    fn abelian_independent_open_lane(call) {
        let mut lanes = LANES.exclusive();
        let lane = lanes.lane(turn::database()).ok_or_else(too_many)?;
        let same = lane.run == call.i64(0);
        if same && !lane.open {
            lane.last = lane.last.max(call.i64(1));
            lane.open = true;
        }
        Ok(Datum::from(same))
    }
);

pg_function!(
    /// `abelian.independent_flush()`: returns when what the lane has committed is on disk.
    fn abelian_independent_flush(_call) {
        turn::flush();
        Ok(Datum::null())
    }
);
