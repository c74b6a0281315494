//! The functions that a statement calls: do they give the same on every node, do they change the placement or the settings, may they
//! read tables behind the router's back.

use super::super::procedure;
use super::node_functions::{self, Kind, Value};
use super::parser;
use super::relation;
use super::sql_body;
use super::tree::{self, NodePtr};
use crate::callback;
use crate::catalog;
use crate::compat;
use crate::object;
use pgrx::pg_sys;
use pgrx::pg_sys::Oid;
use std::collections::BTreeSet;
use std::ffi::c_void;

/// What the functions of a statement do.
#[derive(Default)]
pub struct Functions {
    /// Some may give another value or effect at each call.
    pub volatile: bool,
    /// Some may leave in the session what other sessions must not have, and what the node does not tell of by itself: temporary tables, say.
    pub leaves_state: bool,
    /// Some may give another value on another node, at another time or with other settings.
    pub mutable: bool,
    /// Some may give another value on another node although the settings are the same there.
    pub differs: bool,
    /// Some give the same value to all rows of one statement, but not at another time or on another node.
    pub stable: bool,
    /// Some give the moment at which the transaction or the statement has begun.
    pub clock: bool,
    /// Some STABLE ones give another value on another node for other reasons than its clock.
    pub stable_by_node: bool,
    /// Some change the placement of tables.
    pub placement: bool,
    /// Some value is, or may be, the OID of a user's object, which each node counts for itself.
    pub object_ids: bool,
    /// Some change settings of the session.
    pub settings: bool,
    /// Functions of PostgreSQL's own whose effect or answer is that of one node.
    pub of_one_node: BTreeSet<String>,
    /// Those of which no node can give the answer of one PostgreSQL.
    pub of_no_node: BTreeSet<String>,
    /// Functions of users, which may read or write tables; `schema.name`.
    pub opaque: BTreeSet<String>,
    /// Every node has to run it, each in its own way.
    pub of_every_node: bool,
    /// The sequences of which it takes or sets numbers, qualified; an empty name for one that is not known.
    pub draws: BTreeSet<String>,
}

impl Functions {
    /// What others do, too.
    pub fn absorb(&mut self, others: Functions) {
        self.volatile |= others.volatile;
        self.leaves_state |= others.leaves_state;
        self.mutable |= others.mutable;
        self.differs |= others.differs;
        self.stable |= others.stable;
        self.clock |= others.clock;
        self.stable_by_node |= others.stable_by_node;
        self.placement |= others.placement;
        self.object_ids |= others.object_ids;
        self.settings |= others.settings;
        self.of_one_node.extend(others.of_one_node);
        self.of_no_node.extend(others.of_no_node);
        self.opaque.extend(others.opaque);
        self.of_every_node |= others.of_every_node;
        self.draws.extend(others.draws);
    }

    /// Whether it does not matter which node runs them, nor whether each runs them for its own rows.
    pub fn run_anywhere(&self) -> bool {
        self.opaque.is_empty()
            && self.of_one_node.is_empty()
            && self.of_no_node.is_empty()
            && self.draws.is_empty()
            && !(self.placement || self.settings || self.of_every_node)
    }
}

/// Moves a sequence that the nodes share, on each of them.
pub const CONTINUE_SEQUENCE: &str = "continue_sequence";

/// What a router tells of itself: no node knows it unless it is told before.
const ROUTER_SETTING: &str = "router_setting";

/// Names of the functions that change the placement and lie in one of three schemas, see `abelian.names_in_catalog`.
const PLACEMENT: [&str; 8] = [
    "create_distributed_table",
    "create_reference_table",
    "undistribute_table",
    "create_distributed_procedure",
    "create_distributed_function",
    "undistribute_procedure",
    "create_lookup_index",
    "drop_lookup_index",
];

/// Those that lie in abelian.
const PLACEMENT_OF_SCHEMA: [&str; 5] = [
    "add_node",
    "remove_node",
    "place_key",
    "unplace_key",
    "names_in_catalog",
];

/// PostgreSQL's fixed OIDs of languages: two of compiled functions, and SQL.
const INTERNAL_LANGUAGE: u32 = 12;
const C_LANGUAGE: u32 = 13;
const SQL_LANGUAGE: u32 = 14;

/// First OID of objects that are not PostgreSQL's own.
pub const FIRST_USER_OBJECT: u32 = 16384;

/// Whether a name written in a CALL means a placement function.
pub fn is_placement_name(parts: &[String]) -> bool {
    match parts {
        [only] => PLACEMENT.contains(&only.as_str()),
        [schema, name] => is_placement(schema, name),
        _ => false,
    }
}

fn is_placement_function(function: Oid) -> bool {
    let (schema, name) = relation::function_name(function);
    is_placement(&schema, &name) && !catalog::is_of_another_extension(function)
}

fn is_placement(schema: &str, name: &str) -> bool {
    match schema {
        "abelian" => PLACEMENT.contains(&name) || PLACEMENT_OF_SCHEMA.contains(&name),
        "pg_catalog" | "abelian_names" => PLACEMENT.contains(&name),
        _ => false,
    }
}

/// Whether a statement that calls placement functions does the same on every node, whoever wrote it: it reads no tables, and calls nothing
/// else but PostgreSQL's own immutable functions.
pub fn places_alike(query: &pg_sys::Query) -> bool {
    let tree = std::ptr::from_ref(query).cast_mut().cast();
    let mut called = BTreeSet::<u32>::new();
    let differs = tree::any(tree, &mut |node| {
        let table = tree::cast::<pg_sys::RangeTblEntry, _>(node)
            .is_some_and(|entry| entry.rtekind == pg_sys::RTEKind::RTE_RELATION);
        let is_list = matches!(
            tree::tag(node),
            Some(pg_sys::NodeTag::T_Query | pg_sys::NodeTag::T_List) | None
        );
        if !is_list && !table {
            // SAFETY: the checker only adds to the set.
            unsafe {
                pg_sys::check_functions_in_node(node, Some(collect), (&raw mut called).cast())
            };
        }
        let varies = matches!(
            tree::tag(node),
            Some(pg_sys::NodeTag::T_NextValueExpr | pg_sys::NodeTag::T_SQLValueFunction)
        );
        table || varies
    });
    let reads = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .any(|entry| entry.rtekind == pg_sys::RTEKind::RTE_RELATION);
    !differs && !reads && called.into_iter().all(is_alike)
}

fn is_alike(function: u32) -> bool {
    // SAFETY: a catalogue look-up.
    let volatility = unsafe { pg_sys::func_volatile(Oid::from(function)) } as u8;
    is_placement_function(Oid::from(function))
        || function == pg_sys::F_REGCLASS // a name as text: all nodes have the same tables
        || function < FIRST_USER_OBJECT && volatility == pg_sys::PROVOLATILE_IMMUTABLE
}

callback!(fn collect(function: Oid, context: *mut c_void) -> bool = note);

fn note(function: Oid, context: *mut c_void) -> bool {
    // SAFETY: the context is the set that `called_by` passed.
    unsafe { (*context.cast::<BTreeSet<u32>>()).insert(function.to_u32()) };
    false
}

/// Looks at every function, operator, cast and aggregate of the trees, subqueries included.
pub fn called_by(trees: &[NodePtr]) -> Functions {
    let mut called = BTreeSet::<u32>::new();
    let mut sequences = Vec::new();
    let mut found = Functions::default();
    for tree in trees {
        tree::walk(*tree, &mut |node| {
            if let Some(type_) = object_id_type(node) {
                found.object_ids = true;
                // The same name is another number elsewhere.
                found.mutable |= type_ != pg_sys::OIDOID;
                found.differs |= type_ != pg_sys::OIDOID;
            }
            if let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node) {
                sequences.extend(node_functions::sequence_call(call));
            }
            match tree::tag(node) {
                Some(pg_sys::NodeTag::T_NextValueExpr) => {
                    found.volatile = true;
                    // SAFETY: the tag says which structure it is.
                    let sequence = unsafe { (*node.cast::<pg_sys::NextValueExpr>()).seqid };
                    sequences.push(node_functions::SequenceCall::next(sequence));
                }
                Some(pg_sys::NodeTag::T_SQLValueFunction) => {
                    found.mutable = true;
                    found.differs = true;
                    match node_functions::value_of_session(node) {
                        Some(Value::Clock) => found.clock = true,
                        Some(Value::Role) => {}
                        None => found.stable_by_node = true,
                    }
                }
                Some(pg_sys::NodeTag::T_Query | pg_sys::NodeTag::T_List) | None => {}
                // SAFETY: the checker only adds to the set.
                Some(_) => unsafe {
                    pg_sys::check_functions_in_node(node, Some(collect), (&raw mut called).cast());
                },
            }
            true
        });
    }
    for function in called {
        classify(Oid::from(function), &mut found);
    }
    for call in sequences {
        found.draws.insert(call.sequence_name());
        call.classify(&mut found.of_one_node, &mut found.of_no_node);
    }
    found.mutable |= found.volatile;
    found.differs |= found.volatile;
    found
}

/// All functions, operators and casts of a tree, subqueries included.
fn all_in(node: NodePtr) -> BTreeSet<u32> {
    let mut called = BTreeSet::<u32>::new();
    tree::walk(node, &mut |node| {
        if !matches!(
            tree::tag(node),
            Some(pg_sys::NodeTag::T_Query | pg_sys::NodeTag::T_List) | None
        ) {
            // SAFETY: the checker only adds to the set.
            unsafe {
                pg_sys::check_functions_in_node(node, Some(collect), (&raw mut called).cast());
            }
        }
        true
    });
    called
}

/// Those of users' functions in a tree that may read tables.
pub fn opaque_of(node: NodePtr) -> Vec<Oid> {
    let called = all_in(node).into_iter().map(Oid::from);
    called.filter(|function| is_opaque(*function)).collect()
}

/// All functions of that name, which [`Functions::opaque`] tells.
pub fn named(name: &str) -> Vec<Oid> {
    let parts = name.split_once('.');
    parts.map_or(Vec::new(), |(schema, name)| {
        named_by(&[schema.to_owned(), name.to_owned()])
    })
}

/// All functions of a name, which may have a schema.
pub fn named_by(name: &[String]) -> Vec<Oid> {
    let parts: Vec<_> = name.iter().map(|part| parser::c_text(part)).collect();
    let mut found = Vec::new();
    // SAFETY: a look-up by a list of String nodes; missing is allowed. The candidates are a chain.
    unsafe {
        let parts = parts
            .iter()
            .map(|part| pg_sys::makeString(pg_sys::pstrdup(part.as_ptr())).cast());
        let mut candidate = compat::functions_named(tree::make_list(parts));
        while let Some(one) = candidate.as_ref() {
            found.push(one.oid);
            candidate = one.next;
        }
    }
    found
}

/// A function of PostgreSQL's own in a tree that has an effect, or may give another answer each time or on another node; `None` without any.
pub fn with_effects(node: NodePtr) -> Option<String> {
    let draws = tree::any(node, &mut |node| {
        tree::tag(node) == Some(pg_sys::NodeTag::T_NextValueExpr)
    });
    if draws {
        return Some("nextval".to_owned());
    }
    let called = all_in(node).into_iter();
    called
        .filter(|function| *function < FIRST_USER_OBJECT)
        .find_map(|function| {
            let function = Oid::from(function);
            let name = relation::function_name(function).1;
            // SAFETY: a catalogue look-up.
            let volatility = unsafe { pg_sys::func_volatile(function) } as u8;
            let differs =
                volatility == pg_sys::PROVOLATILE_VOLATILE || node_functions::kind(&name).is_some();
            differs.then_some(name)
        })
}

/// The type of a value, a parameter or a conversion that may be the OID of a user's object; `None` for what is not.
pub fn object_id_type(node: NodePtr) -> Option<Oid> {
    use pg_sys::NodeTag::{T_CoerceViaIO, T_FuncExpr, T_Param};
    let type_ = match tree::cast::<pg_sys::Const, _>(node) {
        Some(value) if value.constisnull => return None,
        Some(value) if (value.constvalue.value() as u32) < FIRST_USER_OBJECT => return None,
        Some(value) => value.consttype,
        None if matches!(tree::tag(node), Some(T_CoerceViaIO | T_FuncExpr | T_Param)) => {
            tree::type_of(node)
        }
        None => return None,
    };
    (type_ == pg_sys::OIDOID || NAMED_OBJECTS.contains(&type_)).then_some(type_)
}

/// Types whose values are written as names and kept as OIDs.
const NAMED_OBJECTS: [Oid; 11] = [
    pg_sys::REGCLASSOID,
    pg_sys::REGTYPEOID,
    pg_sys::REGPROCOID,
    pg_sys::REGPROCEDUREOID,
    pg_sys::REGOPEROID,
    pg_sys::REGOPERATOROID,
    pg_sys::REGCONFIGOID,
    pg_sys::REGDICTIONARYOID,
    pg_sys::REGNAMESPACEOID,
    pg_sys::REGROLEOID,
    pg_sys::REGCOLLATIONOID,
];

fn classify(function: Oid, found: &mut Functions) {
    // SAFETY: a catalogue look-up.
    let volatility = unsafe { pg_sys::func_volatile(function) } as u8;
    let (schema, name) = relation::function_name(function);
    if is_placement_function(function) {
        found.placement = true;
    }
    found.of_every_node |= schema == "abelian" && name == CONTINUE_SEQUENCE;
    if schema == "abelian" && name == ROUTER_SETTING {
        found.of_no_node.insert(name.clone());
    }
    // The types' own functions are volatile by their object ids; as values they are not.
    if catalog::find().is_some_and(|ours| schema == "abelian" && is_of_types(function, &ours)) {
        return;
    }
    found.volatile |= volatility == pg_sys::PROVOLATILE_VOLATILE;
    found.stable |= volatility == pg_sys::PROVOLATILE_STABLE;
    let mutable = volatility != pg_sys::PROVOLATILE_IMMUTABLE;
    let own = function.to_u32() < FIRST_USER_OBJECT;
    // PostgreSQL's own leave advisory locks and settings, which are reported, and where random numbers have come to.
    found.leaves_state |= volatility == pg_sys::PROVOLATILE_VOLATILE && (!own || name == "setseed");
    found.mutable |= mutable;
    let of_settings = own && node_functions::depends_on_settings_only(&name);
    found.differs |= mutable && !of_settings;
    let of_clock = own && node_functions::depends_on_clock_only(&name);
    found.clock |= of_clock;
    found.stable_by_node |= volatility == pg_sys::PROVOLATILE_STABLE && !of_settings && !of_clock;
    if own {
        match node_functions::kind(&name) {
            Some(Kind::Settings) => found.settings = true,
            Some(Kind::OneNode) => drop(found.of_one_node.insert(name)),
            Some(Kind::NoNode) => drop(found.of_no_node.insert(name)),
            None => {}
        }
    } else if !found.placement && is_opaque(function) {
        found.opaque.insert(format!("{schema}.{name}"));
    }
}

/// Whether it is a function of a user's that may read or write tables.
pub fn is_opaque(function: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    let volatility = unsafe { pg_sys::func_volatile(function) } as u8;
    function.to_u32() >= FIRST_USER_OBJECT
        && relation::function_name(function).0 != "abelian"
        && may_read_tables(function, volatility == pg_sys::PROVOLATILE_IMMUTABLE)
}

/// What an IMMUTABLE function does when it runs, the node watches. But one in SQL may become a part of the statement itself.
fn may_read_tables(function: Oid, immutable: bool) -> bool {
    match language(function) {
        INTERNAL_LANGUAGE | C_LANGUAGE => false,
        SQL_LANGUAGE if immutable => sql_body::may_read_tables(function),
        _ => !immutable && !procedure::is_alike_everywhere(function),
    }
}

/// The language of a function; 0 for none. Functions in C, as extensions bring them, compute; what queries those run, the node watches.
fn language(function: Oid) -> u32 {
    // SAFETY: a catalogue look-up; the row is read before it is released.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCache1(cache, function.into());
        if row.is_null() {
            return 0;
        }
        let mut is_null = false;
        let language = pg_sys::SysCacheGetAttr(
            cache,
            row,
            pg_sys::Anum_pg_proc_prolang as i16,
            &mut is_null,
        );
        pg_sys::ReleaseSysCache(row);
        language.value() as u32
    }
}

/// Casts from, to and operations on Abelian types.
fn is_of_types(function: Oid, ours: &catalog::Catalog) -> bool {
    let mut arguments = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: a catalogue look-up; the array has `count` elements.
    unsafe {
        let result = pg_sys::get_func_signature(function, &mut arguments, &mut count);
        let arguments = match count {
            0 => &[][..],
            count => std::slice::from_raw_parts(arguments, count as usize),
        };
        object::is_object_type(ours, result)
            || arguments
                .iter()
                .any(|argument| object::is_object_type(ours, *argument))
    }
}
