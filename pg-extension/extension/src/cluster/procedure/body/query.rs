//! One query of a body: which rows it touches, what flows into it, what may fail in it.

use super::super::super::analysis::{functions, operand, tree};
use super::super::placements::{self, Home};
use super::constraints;
use super::equalities::{key_of, named};
use super::findings::{Findings, Key, KeySource, Source, Sources};
use super::source_keys;
use super::touched::{Named, Touch};
use crate::callback;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};
use std::collections::BTreeSet;
use std::ffi::c_void;
use tree::NodePtr;

/// Where what `is_local` says comes from, as if it were rows.
const IS_LOCAL: &str = "abelian.is_local()";

/// A mention of a table whose rows lie on some nodes only.
struct Access {
    table: String,
    /// What names the key, for all rows that the query touches.
    key: Option<Key>,
}

impl Access {
    fn source(&self) -> Source {
        Source::Rows(self.table.clone(), self.key.clone())
    }
}

/// Looks at a query that is run when something read from `control` says so; gives the sources of its result.
pub fn look(
    findings: &mut Findings,
    query: &pg_sys::Query,
    place: &str,
    control: &Sources,
) -> Sources {
    let node: NodePtr = std::ptr::from_ref(query).cast_mut().cast();
    let mut accesses = Vec::new();
    tree::walk(node, &mut |inner| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(inner) {
            look_at_level(findings, (query, level), place, &mut accesses);
        }
        true
    });
    let mut inputs = control.clone();
    inputs.extend(findings.left_early.iter().cloned());
    let mut local_guards = Sources::new();
    tree::walk(node, &mut |inner| {
        if let Some(param) = tree::cast::<pg_sys::Param, _>(inner)
            && param.paramkind == pg_sys::ParamKind::PARAM_EXTERN
        {
            inputs.extend(findings.held_by(param.paramid));
        }
        local_guards.extend(is_local(findings, inner));
        true
    });
    check_flows(findings, &accesses, &inputs, place);
    let called = functions::called_by(&[node]);
    for function in &called.opaque {
        findings.not_understood(format!(
            "{place}: function {function} may read or change tables"
        ));
    }
    let differs = called
        .mutable
        .then(|| volatility(node))
        .filter(|volatility| *volatility != pg_sys::PROVOLATILE_IMMUTABLE)
        .map(|volatility| match volatility {
            pg_sys::PROVOLATILE_VOLATILE => Source::Volatile,
            _ => Source::Differs,
        });
    findings.called.absorb(called);
    let mut sources = inputs.clone();
    sources.extend(local_guards);
    sources.extend(accesses.iter().map(Access::source));
    let mut decision = sources.clone();
    sources.extend(differs.clone());
    decision.extend(differs);
    for what in failures(node) {
        findings.may_abort(format!("{place}: {what}"), &decision);
    }
    tree::walk(node, &mut |inner| {
        if let Some(level) = tree::cast::<pg_sys::Query, _>(inner) {
            for violation in constraints::of(level) {
                let depends = if violation.alike { &inputs } else { &decision };
                findings.may_abort(format!("{place}: {}", violation.what), depends);
            }
        }
        true
    });
    sources
}

/// `abelian.is_local(table, argument)`: differs on purpose, as rows of that key do.
fn is_local(findings: &Findings, node: NodePtr) -> Option<Source> {
    let call = tree::cast::<pg_sys::FuncExpr, _>(node)?;
    if !is_own_function(call.funcid, "is_local") {
        return None;
    }
    let key = tree::nodes(call.args)
        .nth(1)
        .and_then(|key| operand::parameter(operand::strip_faithful(key)));
    let way = tree::nodes(call.args)
        .next()
        .and_then(|table| tree::cast::<pg_sys::Const, _>(table))
        .and_then(
            |table| match placements::home(Oid::from(table.constvalue.value() as u32)) {
                Home::Distributed(distribution) => distribution.way(),
                _ => None,
            },
        );
    let argument = key.and_then(|key| findings.argument(key));
    let source = argument.map(KeySource::Argument);
    Some(Source::Rows(IS_LOCAL.to_owned(), source.zip(way)))
}

fn is_own_function(function: Oid, name: &str) -> bool {
    super::super::super::analysis::relation::function_name(function)
        == ("abelian".to_owned(), name.to_owned())
}

/// How much the functions of an expression may differ: PostgreSQL's letter. `is_local` counts as immutable, since its result is followed by
/// itself.
fn volatility(node: NodePtr) -> u8 {
    let mut worst = pg_sys::PROVOLATILE_IMMUTABLE;
    tree::walk(node, &mut |inner| {
        let found = match tree::tag(inner) {
            Some(NodeTag::T_SQLValueFunction) => pg_sys::PROVOLATILE_STABLE,
            Some(NodeTag::T_NextValueExpr) => pg_sys::PROVOLATILE_VOLATILE,
            _ => tree::cast::<pg_sys::FuncExpr, _>(inner)
                .filter(|call| !is_own_function(call.funcid, "is_local"))
                // SAFETY: a catalogue look-up.
                .map_or(worst, |call| unsafe {
                    pg_sys::func_volatile(call.funcid) as u8
                }),
        };
        if worst == pg_sys::PROVOLATILE_IMMUTABLE || found == pg_sys::PROVOLATILE_VOLATILE {
            worst = found;
        }
        true
    });
    worst
}

/// Of a level of a query.
fn look_at_level(
    findings: &mut Findings,
    (whole, level): (&pg_sys::Query, &pg_sys::Query),
    place: &str,
    accesses: &mut Vec<Access>,
) {
    let changes = level.commandType != CmdType::CMD_SELECT;
    findings.writes |= changes || !level.rowMarks.is_null();
    for (index, entry) in tree::list::<pg_sys::RangeTblEntry>(level.rtable).enumerate() {
        if entry.rtekind != pg_sys::RTEKind::RTE_RELATION {
            continue;
        }
        // SAFETY: the relation is locked by the analysis of the query.
        let table = unsafe { tree::string(pg_sys::get_rel_name(entry.relid)) };
        if !is_plain_table(entry) {
            findings.not_understood(format!(
                "{place}: {table} is no plain table, or has rules or policies; use the tables behind it"
            ));
        }
        if is_excluded(level, index as i32 + 1) {
            continue; // A row that the statement has made itself.
        }
        let is_target = changes && level.resultRelation == index as i32 + 1;
        note_touch(findings, level, entry.relid, index as i32 + 1, is_target);
        let home = placements::home(entry.relid);
        if is_target {
            for source in source_keys::sources_with_other_key(whole, level, &home) {
                findings.cross(format!("{place}: from rows of {source} to table {table}"));
            }
        }
        findings.beyond_references |= !matches!(home, Home::Everywhere);
        match home {
            Home::Here => findings.differs(format!(
                "{place}: {table} is each node's own, and may differ"
            )),
            Home::Everywhere if is_target => findings.not_understood(format!(
                "{place}: it changes reference table {table}, which is refused when it runs"
            )),
            Home::Everywhere => {}
            // A table on one node counts as the rows of one key.
            Home::Node(node) => accesses.push(Access {
                table,
                key: Some((KeySource::Node(node), (0, None))),
            }),
            Home::Distributed(distribution) => {
                let moves = level.commandType == CmdType::CMD_UPDATE
                    && tree::list::<pg_sys::TargetEntry>(level.targetList)
                        .any(|entry| distribution.is_by(entry.resno) && !entry.resjunk);
                if is_target && moves {
                    findings.not_understood(format!(
                        "{place}: it changes the distribution column of {table}"
                    ));
                }
                // Only a key of one column is followed.
                let key = distribution
                    .single()
                    .and_then(|column| named(level, index as i32 + 1, column.attribute, is_target))
                    .and_then(|named| key_source(findings, named))
                    .zip(distribution.way());
                accesses.push(Access { table, key });
            }
        }
    }
}

/// What names a key for good: a constant, or an argument that no statement changes.
fn key_source(findings: &Findings, named: Named) -> Option<KeySource> {
    match key_of(&named) {
        Named::Variable(variable) => findings.argument(variable).map(KeySource::Argument),
        Named::Constant(value) => Some(KeySource::Constant(value)),
    }
}

/// Whether a mention is EXCLUDED, the row that could not be inserted.
fn is_excluded(level: &pg_sys::Query, index: i32) -> bool {
    // SAFETY: what a query does on a conflict, if it has it.
    let conflict = unsafe { level.onConflict.as_ref() };
    conflict.is_some_and(|conflict| conflict.exclRelIndex == index)
}

/// No view, partitions or foreign rows, and nothing that the rewriter adds to queries.
fn is_plain_table(entry: &pg_sys::RangeTblEntry) -> bool {
    // SAFETY: the relation is locked by the analysis of the query; it is opened and closed.
    unsafe {
        let relation = pg_sys::RelationIdGetRelation(entry.relid);
        if relation.is_null() {
            return false;
        }
        let form = &*(*relation).rd_rel;
        let plain = form.relkind as u8 == pg_sys::RELKIND_RELATION
            && !form.relhassubclass
            && !form.relhasrules
            && !form.relrowsecurity;
        pg_sys::RelationClose(relation);
        plain
    }
}

fn note_touch(
    findings: &mut Findings,
    level: &pg_sys::Query,
    relation: Oid,
    index: i32,
    is_target: bool,
) {
    let locked =
        tree::list::<pg_sys::RowMarkClause>(level.rowMarks).any(|mark| mark.rti as i32 == index);
    // SAFETY: catalogue look-ups of a relation that is locked; behind its last column there is no name.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        let table = pg_sys::get_rel_name(relation);
        let columns = (1..)
            .map(|attribute| (attribute, pg_sys::get_attname(relation, attribute, true)))
            .take_while(|(_, name)| !name.is_null())
            .filter_map(|(attribute, name)| {
                let value = named(level, index, attribute, is_target)?;
                Some((tree::string(name), value))
            })
            .collect();
        findings.touched.insert(Touch {
            table: (tree::string(schema), tree::string(table)),
            write: is_target || locked,
            columns,
        });
    }
}

/// What is read at one key may be used at that key only: the participants that lack it lack both.
fn check_flows(findings: &mut Findings, accesses: &[Access], inputs: &Sources, place: &str) {
    const MAY_DIFFER: &str = "a value that may differ on each node";
    for access in accesses {
        findings.keys.insert(access.key.clone());
        for source in inputs {
            let said = |name: &str| format!("{place}: from {name} to table {}", access.table);
            match source {
                Source::Rows(_, key) if key.is_some() && *key == access.key => {}
                // A loop over keys reads and asks for each, and goes on with that key: not proved, and meant so.
                Source::Rows(table, None) if access.key.is_none() || table == IS_LOCAL => {
                    findings.flow(said(&format!("rows of {table}")));
                }
                Source::Rows(table, _) => findings.cross(said(&format!("rows of {table}"))),
                Source::Differs => findings.flow(said(MAY_DIFFER)),
                Source::Volatile => findings.reach_volatile(access.key.clone(), said(MAY_DIFFER)),
            }
        }
    }
    for (index, one) in accesses.iter().enumerate() {
        for other in &accesses[index + 1..] {
            let what = || {
                format!(
                    "{place}: tables {} and {} meet without one argument or constant as the key of both",
                    one.table, other.table
                )
            };
            match (&one.key, &other.key) {
                (Some(one), Some(other)) if one == other => {}
                (Some(_), Some(_)) => findings.cross(what()),
                // Not proved: they may be joined by their keys.
                _ => findings.flow(what()),
            }
        }
    }
}

callback!(fn collect(function: Oid, context: *mut c_void) -> bool = note);

fn note(function: Oid, context: *mut c_void) -> bool {
    // SAFETY: the context is the set that `failures` passed; a catalogue look-up.
    unsafe {
        if !pg_sys::get_func_leakproof(function) && !never_fails(function) {
            (*context.cast::<BTreeSet<String>>())
                .insert(tree::string(pg_sys::get_func_name(function)));
        }
    }
    false
}

/// Functions that raise no error for any argument although PostgreSQL does not call them leakproof.
fn never_fails(function: Oid) -> bool {
    const NAMES: [&str; 23] = [
        "now",
        "is_local",
        "count",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "concat",
        "numeric_eq",
        "numeric_ne",
        "numeric_lt",
        "numeric_le",
        "numeric_gt",
        "numeric_ge",
        "numeric_smaller",
        "numeric_larger",
        "int4smaller",
        "int4larger",
        "int8smaller",
        "int8larger",
        "cardinality",
        "array_length",
    ];
    // SAFETY: a catalogue look-up.
    let name = unsafe { tree::string(pg_sys::get_func_name(function)) };
    NAMES.contains(&name.as_str())
        && (function.to_u32() < pg_sys::FirstNormalObjectId || name == "is_local")
}

/// Expressions that may raise an error.
pub fn failures(node: NodePtr) -> BTreeSet<String> {
    let mut called = BTreeSet::<String>::new();
    let mut found = BTreeSet::new();
    tree::walk(node, &mut |inner| {
        match tree::tag(inner) {
            None | Some(NodeTag::T_Query | NodeTag::T_List) => {}
            Some(NodeTag::T_CoerceToDomain) => {
                found.insert("a value may not fit its domain".to_owned());
            }
            Some(NodeTag::T_CoerceViaIO | NodeTag::T_ArrayCoerceExpr) => {
                found.insert("a value may not fit the type that it is cast to".to_owned());
            }
            Some(NodeTag::T_SubLink) => {
                let scalar = tree::cast::<pg_sys::SubLink, _>(inner)
                    .is_some_and(|link| link.subLinkType == pg_sys::SubLinkType::EXPR_SUBLINK);
                if scalar {
                    found.insert("a subquery may give several rows".to_owned());
                }
            }
            // SAFETY: the checker only adds to the set.
            Some(_) => unsafe {
                pg_sys::check_functions_in_node(inner, Some(collect), (&raw mut called).cast());
            },
        }
        true
    });
    found.extend(called.into_iter().map(|name| format!("{name}() may fail")));
    found
}
