//! Sequences that commands make or alter: how they count on this node. A serial or identity column that ALTER TABLE adds to a distributed table
//! numbers the rows at once, so its sequence must count in this node's steps from its beginning; and RESTART WITH goes on with the first of these
//! steps that is not below the number. What does not fit the rules of such sequences is left as it is, and refused when the command ends
//! (`abelian.divide_sequences()`).

use super::analysis::node_functions::is_divided;
use super::analysis::relation;
use super::analysis::tree::{self, NodePtr};
use super::procedure::placements::{self, Home};
use super::{nested, schema_change};
use crate::hooks;
use crate::hooks::utility::Command;
use pgrx::pg_sys::{self, AlterTableType, DefElem, List, Oid};
use std::cell::Cell;
use std::ffi::CStr;

thread_local! {
    /// How many commands enclose what the running one makes for such a column; 0 when it adds none.
    static ADDS: Cell<u32> = const { Cell::new(0) };
}

/// A command of the client's starts, or one of a DO block that every node runs.
pub fn command_starts(command: NodePtr) {
    let adds = tree::cast::<pg_sys::AlterTableStmt, _>(command).is_some_and(adds_to_distributed);
    ADDS.set(if adds { hooks::commands() + 1 } else { 0 });
}

fn adds_to_distributed(alter: &pg_sys::AlterTableStmt) -> bool {
    let commands = || tree::list::<pg_sys::AlterTableCmd>(alter.cmds);
    let adds = commands().any(|command| command.subtype == AlterTableType::AT_AddColumn);
    // That of a distribution column counts on the first node alone.
    let alters = commands().any(|command| command.subtype == AlterTableType::AT_AddIdentity);
    let table = tree::cast::<pg_sys::RangeVar, _>(alter.relation)
        .filter(|_| adds && !alters)
        .and_then(relation::existing);
    table.is_some_and(|table| matches!(placements::home(table), Home::Distributed(_)))
}

/// What this node runs in the place of a command about a sequence; `None` for the command as it is.
pub fn adapted(command: &Command) -> Option<*mut pg_sys::PlannedStmt> {
    use pg_sys::NodeTag::{T_AlterSeqStmt, T_CreateSeqStmt};
    tree::tag(command.node()).filter(|tag| matches!(tag, T_AlterSeqStmt | T_CreateSeqStmt))?;
    let copy = tree::copy(command.statement());
    // SAFETY: a copy of a planned command.
    let node = unsafe { (*copy).utilityStmt };
    let options = match tree::tag(node)? {
        T_CreateSeqStmt if is_part_of_adding(command) => {
            // SAFETY: the tag says which structure it is.
            unsafe { &mut (*node.cast::<pg_sys::CreateSeqStmt>()).options }
        }
        T_AlterSeqStmt => {
            let alter = node.cast::<pg_sys::AlterSeqStmt>();
            // SAFETY: as above.
            let (name, options) = unsafe { ((*alter).sequence, &mut (*alter).options) };
            let sequence = relation::existing(tree::cast::<pg_sys::RangeVar, _>(name)?)?;
            *options = altered(sequence, *options)?;
            return Some(copy);
        }
        _ => return None,
    };
    *options = divided(*options)?;
    Some(copy)
}

fn is_part_of_adding(command: &Command) -> bool {
    command.context() == pg_sys::ProcessUtilityContext::PROCESS_UTILITY_SUBCOMMAND
        && ADDS.get() == hooks::commands()
}

// ---- a sequence that is made

/// The options of a sequence that counts in this node's steps, as `abelian.divide_sequences()` would have it.
fn divided(options: *mut List) -> Option<*mut List> {
    let unusual = ["increment", "minvalue", "cycle", "restart"];
    if unusual.iter().any(|name| option(options, name).is_some()) {
        return None;
    }
    // SAFETY: options of PostgreSQL's grammar; a value that is none raises its error, as it would later.
    let (type_, start) = unsafe {
        let type_ = option(options, "as").map(|option| {
            let name = pg_sys::defGetTypeName(option);
            pg_sys::LookupTypeNameOid(std::ptr::null_mut(), name, true)
        });
        let start = option(options, "start").map(|option| pg_sys::defGetInt64(option));
        (type_.unwrap_or(pg_sys::INT8OID), start.unwrap_or(1))
    };
    let stride = match type_ {
        pg_sys::INT8OID => 1024,
        pg_sys::INT4OID => 64,
        pg_sys::INT2OID => 16,
        _ => return None,
    };
    let node = i64::from(schema_change::this_node());
    let start = start.checked_add(node - 1)?;
    (1..=stride).contains(&node).then(|| {
        let others = without(options, "start");
        let own = [number(c"increment", stride), number(c"start", start)];
        tree::make_list(others.chain(own))
    })
}

// ---- a sequence that is altered

fn altered(sequence: Oid, options: *mut List) -> Option<*mut List> {
    let restart = option(options, "restart");
    if let Some(restart) = restart {
        // SAFETY: an option; without a value it goes back to the start.
        let value = unsafe { (!(*restart).arg.is_null()).then(|| pg_sys::defGetInt64(restart))? };
        let own = number(c"restart", own_number(sequence, value)?);
        return Some(tree::make_list(without(options, "restart").chain([own])));
    }
    // Where the first node counts alone, the others stand at the end of the type's numbers, which another type may not have.
    let changes_type = option(options, "as").is_some();
    (changes_type && !nested::is_first_node() && !is_divided(sequence)).then(|| {
        // SAFETY: makes a node, in the current context.
        let restart = unsafe {
            let name = pg_sys::pstrdup(c"restart".as_ptr());
            pg_sys::makeDefElem(name, std::ptr::null_mut(), -1)
        };
        tree::make_list(tree::nodes(options).chain([restart.cast()]))
    })
}

/// The first number of this node that is not below that one, of a sequence that the nodes share.
fn own_number(sequence: Oid, least: i64) -> Option<i64> {
    if !is_divided(sequence) {
        return None;
    }
    let (start, increment) = steps(sequence)?;
    let behind = least.checked_sub(start)?;
    let steps = behind.div_euclid(increment) + i64::from(behind.rem_euclid(increment) != 0);
    steps.checked_mul(increment)?.checked_add(start)
}

/// Columns of `pg_sequence`, of which the bindings do not tell.
const START_COLUMN: i16 = 3;
const INCREMENT_COLUMN: i16 = 4;

/// Where a sequence starts, and its positive increment.
fn steps(sequence: Oid) -> Option<(i64, i64)> {
    // SAFETY: a catalogue look-up; the row is read before it is released.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::SEQRELID as i32;
        let row = pg_sys::SearchSysCache1(cache, sequence.into());
        if row.is_null() {
            return None;
        }
        let value = |column: i16| {
            let mut is_null = false;
            pg_sys::SysCacheGetAttr(cache, row, column, &mut is_null).value() as i64
        };
        let found = (value(START_COLUMN), value(INCREMENT_COLUMN));
        pg_sys::ReleaseSysCache(row);
        (found.1 > 0).then_some(found)
    }
}

// ---- options

fn option(options: *mut List, name: &str) -> Option<*mut DefElem> {
    tree::list::<DefElem>(options)
        .find(|option| tree::string(option.defname) == name)
        .map(|option| std::ptr::from_ref(option).cast_mut())
}

fn without(options: *mut List, name: &str) -> impl Iterator<Item = NodePtr> {
    tree::list::<DefElem>(options)
        .filter(move |option| tree::string(option.defname) != name)
        .map(|option| std::ptr::from_ref(option).cast_mut().cast())
}

/// As the grammar makes it: large numbers are texts.
fn number(name: &CStr, value: i64) -> NodePtr {
    // SAFETY: makes nodes with copies of texts, in the current context.
    unsafe {
        let text = |text: &CStr| pg_sys::pstrdup(text.as_ptr());
        let value = match i32::try_from(value) {
            Ok(value) => pg_sys::makeInteger(value).cast(),
            Err(_) => {
                let written = super::analysis::parser::c_text(&value.to_string());
                pg_sys::makeFloat(text(&written)).cast()
            }
        };
        pg_sys::makeDefElem(text(name), value, -1).cast()
    }
}
