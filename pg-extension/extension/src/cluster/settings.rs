//! The settings a router gives to its connections to a node.

use super::{procedure, seal, session_label, session_locks, session_settings};
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};
use std::ffi::CString;

/// `abelian.placement_version`: the catalogue version the router routes by; 0 for clients that are no routers.
pub static PLACEMENT_VERSION: GucSetting<i32> = GucSetting::<i32>::new(0);

/// `abelian.node_id`: which node this is, as the router tells its connections; 0 when it has not.
pub static NODE_ID: GucSetting<i32> = GucSetting::<i32>::new(0);

/// `abelian.session`: which client session of which router this connection serves, `<router uuid>:<number>`.
static SESSION: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.participants`: who runs the distributed procedure that is called next, `<this node>:<node>,<node>...`.
static PARTICIPANTS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.commit_statistics`: what a router answers to SHOW; empty on a connection that is not a router's.
static COMMIT_STATISTICS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.router_statistics`: what a router answers to SHOW, as above.
static ROUTER_STATISTICS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.routing_rules`: what a router answers to SHOW, as above.
static ROUTING_RULES: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.transaction_id`: reported to the router; see [`super::transaction_token`].
static TRANSACTION_ID: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.lane_clock`: reported to the router; see [`super::independent`].
static LANE_CLOCK: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.connection`: reported to the router; see [`super::seal`].
static CONNECTION: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
/// `abelian.settings`: reported to the router; see [`super::session_settings`].
static SETTINGS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.session_locks`: reported to the router; see [`super::session_locks`].
static SESSION_LOCKS: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// `abelian.combine`: read by routers, not by nodes.
static COMBINE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// `abelian.random_keys`: whether the analysis of an INSERT with random keys tells how to run it with keys of the router's making.
pub static RANDOM_KEYS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// `abelian.plan_exchanges`: whether nodes evaluate what they can of a query over rows of several nodes.
pub static PLAN_EXCHANGES: GucSetting<bool> = GucSetting::<bool>::new(true);

/// `abelian.min_broadcast_size`: below so many kilobytes of rows that would be gathered, no broadcast join is looked for; -1 for never.
pub static MIN_BROADCAST_SIZE: GucSetting<i32> = GucSetting::<i32>::new(64);

/// `abelian.max_exchange_bytes`: read by routers, not by nodes.
static MAX_EXCHANGE_BYTES: GucSetting<i32> = GucSetting::<i32>::new(64 << 20);

/// The name under which [`super::transaction_token`] sets it.
pub const TRANSACTION_ID_NAME: &std::ffi::CStr = c"abelian.transaction_id";

/// The name under which the gate of the lane sets it.
pub const LANE_CLOCK_NAME: &std::ffi::CStr = c"abelian.lane_clock";

/// Registers all of them.
pub fn define() {
    GucRegistry::define_int_guc(
        c"abelian.placement_version",
        c"The catalogue version by which the connected router routes; 0 when it is no router.",
        c"A statement that was routed by an older version than the node's is refused with AB001.",
        &PLACEMENT_VERSION,
        0,
        i32::MAX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"abelian.node_id",
        c"The number of this node in its cluster, as the router tells it.",
        c"Sequences of distributed tables count differently on each node, and functions must not use rows of others.",
        &NODE_ID,
        0,
        i32::MAX,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"abelian.combine",
        c"Lets a router run equal operations of several sessions on one object as one statement.",
        c"The router acts on it when it is set by SET or at the start of the connection.",
        &COMBINE,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"abelian.random_keys",
        c"Has abelian.analyze() tell how an INSERT is run whose random keys the router makes.",
        c"Set by routers, for one analysis. Where rows are placed by such a key it is told in any case.",
        &RANDOM_KEYS,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"abelian.plan_exchanges",
        c"Has nodes evaluate what they can of a query over rows of several nodes.",
        c"If off, one node gets all the rows that matter, and evaluates the rest.",
        &PLAN_EXCHANGES,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"abelian.min_broadcast_size",
        c"The amount of rows to be gathered from a node from which on a broadcast or repartition join is considered.",
        c"By the planner's estimates. -1 turns both off.",
        &MIN_BROADCAST_SIZE,
        -1,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_int_guc(
        c"abelian.max_exchange_bytes",
        c"The amount of rows that a router holds at most to bring them from some nodes to others, in each step of a statement.",
        c"A statement that needs more fails with 54000. The router acts on it when it is set for the session, its role or its database.",
        &MAX_EXCHANGE_BYTES,
        0,
        i32::MAX,
        GucContext::Userset,
        GucFlags::UNIT_BYTE,
    );
    // SAFETY: the hook is guarded against panics.
    unsafe {
        GucRegistry::define_string_guc_with_hooks(
            c"abelian.session",
            c"The router's client session that this connection serves.",
            c"Shown by abelian.wait_edges(), so that deadlocks across nodes can be found.",
            &SESSION,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(session_label::on_assign),
            None,
        );
        GucRegistry::define_string_guc_with_hooks(
            c"abelian.participants",
            c"Which node this is, and which nodes run the distributed procedure that is called next.",
            c"Set by routers, for one call.",
            &PARTICIPANTS,
            GucContext::Userset,
            GucFlags::default(),
            None,
            Some(procedure::on_assign),
            None,
        );
        GucRegistry::define_string_guc_with_hooks(
            c"abelian.connection",
            c"The name of this connection, which a router seals with what it says on it.",
            c"",
            &CONNECTION,
            GucContext::Internal,
            GucFlags::REPORT,
            None,
            None,
            Some(seal::show_connection),
        );
    }
    GucRegistry::define_string_guc(
        c"abelian.commit_statistics",
        c"How many transactions the router has committed in which class, as JSON.",
        c"Routers set it when they are asked for it by SHOW.",
        &COMMIT_STATISTICS,
        GucContext::Userset,
        GucFlags::NO_SHOW_ALL,
    );
    GucRegistry::define_string_guc(
        c"abelian.router_statistics",
        c"What the router has done and does now, as JSON.",
        c"Routers set it when they are asked for it by SHOW.",
        &ROUTER_STATISTICS,
        GucContext::Userset,
        GucFlags::NO_SHOW_ALL,
    );
    GucRegistry::define_string_guc(
        c"abelian.routing_rules",
        c"What the router has learned about the keys of distributed procedures, as JSON.",
        c"Routers set it when they are asked for it by SHOW.",
        &ROUTING_RULES,
        GucContext::Userset,
        GucFlags::NO_SHOW_ALL,
    );
    GucRegistry::define_string_guc(
        c"abelian.transaction_id",
        c"The token of the router's current transaction, to ask abelian.transaction_outcome() about.",
        c"",
        &TRANSACTION_ID,
        GucContext::Internal,
        GucFlags::REPORT, // the client is told of each change with the answer to the statement
    );
    GucRegistry::define_string_guc(
        c"abelian.lane_clock",
        c"The greatest timestamp of this node's lane when the router's transaction passed its gate.",
        c"",
        &LANE_CLOCK,
        GucContext::Internal,
        GucFlags::REPORT,
    );
    // SAFETY: the hooks give C strings that stay until they are called again.
    unsafe {
        GucRegistry::define_string_guc_with_hooks(
            session_settings::NAME,
            c"What the session, its role or its database has set, one line each.",
            c"",
            &SETTINGS,
            GucContext::Internal,
            GucFlags::REPORT,
            None,
            None,
            Some(session_settings::show),
        );
        GucRegistry::define_string_guc_with_hooks(
            session_locks::NAME,
            c"Whether the session holds advisory locks, and which temporary objects it has.",
            c"",
            &SESSION_LOCKS,
            GucContext::Internal,
            GucFlags::REPORT,
            None,
            None,
            Some(session_locks::show),
        );
    }
}
