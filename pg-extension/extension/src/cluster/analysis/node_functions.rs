//! Functions of PostgreSQL's own whose effect or answer belongs to one node: locks, large objects, transaction ids, sequences, queries that
//! a function runs. A router may call them by themselves, on the node that has what is not distributed; not for rows of other nodes.

use super::super::postgres;
use super::parser;
use super::relation;
use super::tree::{self, NodePtr};
use crate::boundary::{self, functions};
use pgrx::pg_sys::{self, Oid};
use std::collections::BTreeSet;

/// What is special about a function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// It changes a setting of the session.
    Settings,
    /// Its effect or answer is that of the node which runs it.
    OneNode,
    /// It tells what the session did before, on whichever node that was.
    NoNode,
}

/// The beginnings of names of functions of one node.
const ONE_NODE: [&str; 19] = [
    "pg_advisory_",
    "pg_try_advisory_",
    "lo_",
    "loread",
    "lowrite",
    "txid_",
    "pg_current_xact_id",
    "pg_current_snapshot",
    "pg_xact_",
    "pg_export_snapshot",
    "pg_notify",
    "query_to_xml",
    "table_to_xml",
    "schema_to_xml",
    "database_to_xml",
    "cursor_to_xml",
    "ts_stat",
    "ts_rewrite",
    "pg_replication_origin_",
];

/// What is special about one of PostgreSQL's own functions; `None` for nothing. For sequences see [`sequence_call`].
pub fn kind(name: &str) -> Option<Kind> {
    match name {
        "set_config" => Some(Kind::Settings),
        "currval" | "lastval" | "pg_listening_channels" | "pg_prepared_statement" | "pg_cursor" => {
            Some(Kind::NoNode)
        }
        _ => ONE_NODE
            .iter()
            .any(|beginning| name.starts_with(beginning))
            .then_some(Kind::OneNode),
    }
}

/// STABLE functions of PostgreSQL's own that depend on their arguments and the session's settings, on no clock and no catalogue: every node
/// of a session gives the same. (Those that read texts are not: the text may be `now`.) Read for PostgreSQL 15 and 18, whose catalogues were
/// compared: the names have the same functions in both. `date_add` and `date_subtract` are of 16, and `date_trunc` in a time zone is
/// IMMUTABLE in 18. `timezone` without a zone, which AT LOCAL of 17 calls, is not here: that of a time with time zone asks the clock.
const OF_SETTINGS: [&str; 84] = [
    "anytextcat",
    "array_out",
    "array_to_json",
    "array_to_string",
    "cash_in",
    "cash_out",
    "concat",
    "concat_ws",
    "convert",
    "convert_from",
    "convert_to",
    "date",
    "date_add",
    "date_cmp_timestamptz",
    "date_eq_timestamptz",
    "date_ge_timestamptz",
    "date_gt_timestamptz",
    "date_le_timestamptz",
    "date_lt_timestamptz",
    "date_ne_timestamptz",
    "date_out",
    "date_part",
    "date_subtract",
    "date_trunc",
    "enum_first",
    "enum_in",
    "enum_last",
    "enum_out",
    "enum_range",
    "extract",
    "format",
    "in_range",
    "interval_in",
    "interval_out",
    "interval_pl_timestamptz",
    "json_build_array",
    "json_build_object",
    "jsonb_build_array",
    "jsonb_build_object",
    "make_timestamptz",
    "money",
    "multirange_out",
    "numeric",
    "overlaps",
    "quote_literal",
    "quote_nullable",
    "range_out",
    "record_out",
    "row_to_json",
    "textanycat",
    "time",
    "timestamp",
    "timestamp_cmp_timestamptz",
    "timestamp_eq_timestamptz",
    "timestamp_ge_timestamptz",
    "timestamp_gt_timestamptz",
    "timestamp_le_timestamptz",
    "timestamp_lt_timestamptz",
    "timestamp_ne_timestamptz",
    "timestamp_out",
    "timestamptz",
    "timestamptz_cmp_date",
    "timestamptz_cmp_timestamp",
    "timestamptz_eq_date",
    "timestamptz_eq_timestamp",
    "timestamptz_ge_date",
    "timestamptz_ge_timestamp",
    "timestamptz_gt_date",
    "timestamptz_gt_timestamp",
    "timestamptz_le_date",
    "timestamptz_le_timestamp",
    "timestamptz_lt_date",
    "timestamptz_lt_timestamp",
    "timestamptz_mi_interval",
    "timestamptz_ne_date",
    "timestamptz_ne_timestamp",
    "timestamptz_out",
    "timestamptz_pl_interval",
    "to_char",
    "to_date",
    "to_json",
    "to_jsonb",
    "to_number",
    "to_timestamp",
];

/// STABLE functions of PostgreSQL's own that depend on the moments at which the transaction and the statement have begun, besides what those
/// above depend on. The input functions read texts as `now`.
const OF_CLOCK: [&str; 9] = [
    "date_in",
    "now",
    "statement_timestamp",
    "time_in",
    "timestamp_in",
    "timestamptz_in",
    "timetz_in",
    "timezone",
    "transaction_timestamp",
];

/// What SQL gives by names without parentheses.
pub enum Value {
    /// `CURRENT_TIMESTAMP` and its like.
    Clock,
    /// Roles and the schema, which each node of a session has been told.
    Role,
}

/// What a `SQLValueFunction` gives; `None` for what each node answers by itself.
pub fn value_of_session(node: NodePtr) -> Option<Value> {
    use pg_sys::SQLValueFunctionOp::{
        SVFOP_CURRENT_CATALOG, SVFOP_CURRENT_DATE, SVFOP_LOCALTIMESTAMP_N,
    };
    let value = tree::cast::<pg_sys::SQLValueFunction, _>(node)?;
    match value.op {
        SVFOP_CURRENT_DATE..=SVFOP_LOCALTIMESTAMP_N => Some(Value::Clock),
        SVFOP_CURRENT_CATALOG => None,
        _ => Some(Value::Role),
    }
}

/// Whether one of PostgreSQL's own STABLE functions gives the same on every node of a session if their clocks are one.
pub fn depends_on_clock_only(name: &str) -> bool {
    OF_CLOCK.binary_search(&name).is_ok()
}

/// Whether one of PostgreSQL's own STABLE functions gives the same on every node of a session.
pub fn depends_on_settings_only(name: &str) -> bool {
    OF_SETTINGS.binary_search(&name).is_ok()
}

/// The call of a function that moves a sequence.
pub struct SequenceCall {
    name: String,
    /// InvalidOid when the statement does not say which.
    sequence: Oid,
}

impl SequenceCall {
    /// What an identity column calls.
    pub fn next(sequence: Oid) -> SequenceCall {
        SequenceCall {
            name: "nextval".to_owned(),
            sequence,
        }
    }

    /// By which its session may ask for the number later; empty when the statement does not say.
    pub fn sequence_name(&self) -> String {
        parser::qualified_name(self.sequence)
    }

    /// The sequence of a distributed table counts on every node, each in its own way; any other on one node only.
    pub fn classify(self, one: &mut BTreeSet<String>, none: &mut BTreeSet<String>) {
        match (self.name.as_str(), is_divided(self.sequence)) {
            ("nextval", true) => {}
            ("setval", true) => drop(none.insert(self.name)),
            ("setval", false) if self.sequence == Oid::INVALID => drop(none.insert(self.name)),
            _ => drop(one.insert(self.name)),
        }
    }
}

/// A call of `nextval` or `setval`.
pub fn sequence_call(call: &pg_sys::FuncExpr) -> Option<SequenceCall> {
    let (schema, name) = relation::function_name(call.funcid);
    if schema != "pg_catalog" || !["nextval", "setval"].contains(&name.as_str()) {
        return None;
    }
    let sequence = sequence_of(tree::nodes(call.args).next());
    Some(SequenceCall { name, sequence })
}

/// The sequence of a call that is right on the first node only: InvalidOid when it is not known; `None` for other calls, and where each node counts
/// in its own way.
pub fn counts_on_first_node(call: &pg_sys::FuncExpr) -> Option<Oid> {
    let sequence = || sequence_of(tree::nodes(call.args).next());
    match call.funcid.to_u32() {
        pg_sys::F_NEXTVAL | pg_sys::F_CURRVAL => {
            Some(sequence()).filter(|known| !is_divided(*known))
        }
        // The extension's own functions set sequences that they are given, on every node.
        pg_sys::F_SETVAL_REGCLASS_INT8 | pg_sys::F_SETVAL_REGCLASS_INT8_BOOL => {
            Some(sequence()).filter(|known| *known != Oid::INVALID)
        }
        pg_sys::F_LASTVAL => Some(Oid::INVALID),
        _ => None,
    }
}

/// The sequence that an argument of `nextval` and its like names, by a constant or by what PostgreSQL finds out from constants, as
/// `pg_get_serial_sequence('t', 'id')` and `'s'::text::regclass`; InvalidOid for any other.
pub fn sequence_of(argument: Option<NodePtr>) -> Oid {
    let constant = |node: NodePtr| {
        tree::cast::<pg_sys::Const, _>(node)
            .filter(|constant| !constant.constisnull)
            .map(|constant| Oid::from(constant.constvalue.value() as u32))
    };
    let Some(argument) = argument else {
        return Oid::INVALID;
    };
    let known = constant(argument).or_else(|| {
        let varies = tree::any(argument, &mut |node| varies(node));
        if varies {
            return None;
        }
        boundary::attempt(|| {
            // SAFETY: evaluates constant calls of PostgreSQL's own functions; what they raise comes out as an error.
            unsafe {
                let plan =
                    pg_sys::palloc0(size_of::<pg_sys::PlannerInfo>()).cast::<pg_sys::PlannerInfo>();
                (*plan).glob = pg_sys::palloc0(size_of::<pg_sys::PlannerGlobal>()).cast();
                boundary::caught(|| functions::estimate_expression_value(plan, argument))
            }
        })
        .ok()
        .and_then(constant)
    });
    known.unwrap_or(Oid::INVALID)
}

/// Whether a part of an expression may come out otherwise for another row, at another time or with other settings than the search path.
fn varies(node: NodePtr) -> bool {
    use pg_sys::NodeTag::{T_Param, T_SQLValueFunction, T_SubLink, T_Var};
    // SAFETY: a catalogue look-up.
    let is_mutable = |function: Oid| unsafe {
        pg_sys::func_volatile(function) as u8 != pg_sys::PROVOLATILE_IMMUTABLE
    };
    if let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node) {
        let names = [pg_sys::F_PG_GET_SERIAL_SEQUENCE, pg_sys::F_REGCLASS];
        return !names.contains(&call.funcid.to_u32())
            && (call.funcid.to_u32() >= super::functions::FIRST_USER_OBJECT
                || is_mutable(call.funcid));
    }
    if let Some(operator) = tree::cast::<pg_sys::OpExpr, _>(node) {
        // SAFETY: as above.
        return is_mutable(unsafe { pg_sys::get_opcode(operator.opno) });
    }
    if let Some(conversion) = tree::cast::<pg_sys::CoerceViaIO, _>(node) {
        let names = [tree::type_of(conversion.arg), conversion.resulttype];
        return !names.contains(&pg_sys::REGCLASSOID);
    }
    matches!(
        tree::tag(node),
        Some(T_Param | T_SQLValueFunction | T_SubLink | T_Var)
    )
}

/// Whether the nodes share a sequence's values among them, since a distributed table takes some.
pub fn is_divided(sequence: Oid) -> bool {
    if sequence == Oid::INVALID {
        return false;
    }
    let function = postgres::own_function(c"is_divided", &[pg_sys::OIDOID]);
    // SAFETY: a function of our own that takes an OID and gives a boolean.
    function != Oid::INVALID
        && unsafe { pg_sys::OidFunctionCall1Coll(function, Oid::INVALID, sequence.into()) }.value()
            != 0
}

#[cfg(test)]
mod tests {
    use super::{OF_CLOCK, OF_SETTINGS, depends_on_clock_only, depends_on_settings_only};

    #[test]
    fn every_name_is_found() {
        assert!(
            OF_SETTINGS
                .iter()
                .all(|name| depends_on_settings_only(name))
        );
        assert!(!depends_on_settings_only("now"));
        assert!(OF_CLOCK.iter().all(|name| depends_on_clock_only(name)));
    }
}
