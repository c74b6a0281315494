//! ALTER TABLE that gives rows a value which is not the same wherever it is computed: a new column's default, or a type's USING. Each node
//! fills its own rows, so a value that one PostgreSQL computes once for all rows comes out differently on each, and the copies of a
//! reference table would not be copies any more. `now()` is the same everywhere if the router lets the nodes have one clock for the command
//! ([`super::shared_clock`]).

use super::analysis::functions;
use super::analysis::relation;
use super::analysis::tree::{self, NodePtr};
use super::procedure::placements::{self, Home};
use super::{key_change, postgres, settings, shared_clock};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, AlterTableType, ConstrType, Oid, ParseExprKind};

const SERIAL_TYPES: [&str; 6] = [
    "serial",
    "serial2",
    "serial4",
    "serial8",
    "bigserial",
    "smallserial",
];

/// Raises 0A000 if the router's command would fill rows of a placed table so.
pub fn check(command: NodePtr) {
    let Some(alter) = tree::cast::<pg_sys::AlterTableStmt, _>(command) else {
        return;
    };
    key_change::check(alter);
    if settings::NODE_ID.get() == 0 || placements::first_of_several().is_none() {
        return;
    }
    let Some(table) =
        tree::cast::<pg_sys::RangeVar, _>(alter.relation).and_then(relation::existing)
    else {
        return;
    };
    let is_copy = match placements::home(table) {
        Home::Everywhere => true,
        Home::Distributed(_) => false,
        Home::Here | Home::Node(_) => return,
    };
    let differs = tree::list::<pg_sys::AlterTableCmd>(alter.cmds)
        .any(|command| fills_differently(table, command, is_copy));
    // The lock that the command is about to take: no row may come in between.
    if differs && locked(table, || postgres::has_rows(table)) {
        refuse(table, is_copy);
    }
}

fn locked(table: Oid, look: impl FnOnce() -> bool) -> bool {
    // SAFETY: a lock to the end of the transaction; the command takes it as well.
    unsafe { pg_sys::LockRelationOid(table, pg_sys::AccessExclusiveLock as i32) };
    look()
}

fn fills_differently(table: Oid, command: &pg_sys::AlterTableCmd, is_copy: bool) -> bool {
    let Some(column) = tree::cast::<pg_sys::ColumnDef, _>(command.def) else {
        return false;
    };
    match command.subtype {
        AlterTableType::AT_AddColumn => {
            (is_copy && is_numbered(column))
                || filled_with(table, column).is_some_and(|value| differs(value, is_copy))
        }
        AlterTableType::AT_AlterColumnType => {
            let kind = ParseExprKind::EXPR_KIND_ALTER_COL_TRANSFORM;
            !column.raw_default.is_null()
                && differs(analysed(table, column.raw_default, kind), is_copy)
        }
        _ => false,
    }
}

/// What the rows that are there get in a new column.
fn filled_with(table: Oid, column: &pg_sys::ColumnDef) -> Option<NodePtr> {
    match value_of(column) {
        Some(value) => Some(analysed(
            table,
            value,
            ParseExprKind::EXPR_KIND_COLUMN_DEFAULT,
        )),
        None => default_of_type(column),
    }
}

/// The default that a domain brings.
fn default_of_type(column: &pg_sys::ColumnDef) -> Option<NodePtr> {
    // SAFETY: look-ups by the name of a type, which may be none.
    let default = unsafe {
        let type_ = pg_sys::LookupTypeNameOid(std::ptr::null_mut(), column.typeName, true);
        (type_ != Oid::INVALID).then(|| pg_sys::get_typdefault(type_))
    };
    default.filter(|value| !value.is_null())
}

/// The expression of DEFAULT.
fn value_of(column: &pg_sys::ColumnDef) -> Option<NodePtr> {
    if !column.raw_default.is_null() {
        return Some(column.raw_default);
    }
    constraints(column)
        .find(|constraint| constraint.contype == ConstrType::CONSTR_DEFAULT)
        .map(|constraint| constraint.raw_expr)
        .filter(|value| !value.is_null())
}

fn constraints(column: &pg_sys::ColumnDef) -> impl Iterator<Item = &'static pg_sys::Constraint> {
    tree::list::<pg_sys::Constraint>(column.constraints)
}

/// Serial and identity columns number the rows in the order in which they lie.
fn is_numbered(column: &pg_sys::ColumnDef) -> bool {
    // SAFETY: a column has a type.
    let names = tree::strings(unsafe { (*column.typeName).names });
    names
        .last()
        .is_some_and(|name| SERIAL_TYPES.contains(&name.as_str()))
        || constraints(column).any(|c| c.contype == ConstrType::CONSTR_IDENTITY)
}

/// PostgreSQL's own analysis of a copy of the expression, over the table that it is about.
fn analysed(table: Oid, raw: NodePtr, kind: ParseExprKind::Type) -> NodePtr {
    // SAFETY: what is opened here is closed, with its lock.
    unsafe {
        let state = pg_sys::make_parsestate(std::ptr::null_mut());
        let relation = pg_sys::table_open(table, pg_sys::AccessShareLock as i32);
        let entry = pg_sys::addRangeTableEntryForRelation(
            state,
            relation,
            pg_sys::AccessShareLock as i32,
            std::ptr::null_mut(),
            false,
            true,
        );
        pg_sys::addNSItemToQuery(state, entry, true, true, true);
        let expression = pg_sys::transformExpr(state, tree::copy(raw), kind);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        pg_sys::free_parsestate(state);
        expression
    }
}

/// Whether the expression comes out differently on each node: of copies, each row's own value must not either.
fn differs(expression: NodePtr, is_copy: bool) -> bool {
    let found = functions::called_by(&[expression]);
    found.stable_by_node
        || (found.clock && !shared_clock::is_shared())
        || (is_copy && found.volatile)
}

fn refuse(table: Oid, is_copy: bool) -> ! {
    let hint = match is_copy {
        true => {
            "In one transaction: undistribute_table(), this command, create_reference_table(). Or add the column without a default, and fill it by UPDATE with constants."
        }
        false => {
            "Add the column without a default, give it the default afterwards, and fill the rows by UPDATE with a constant or a parameter."
        }
    };
    let error = {
        // SAFETY: the name of a relation that exists.
        let name = unsafe { tree::string(pg_sys::get_rel_name(table)) };
        PostgresError::unsupported(
            &format!("the rows of \"{name}\" would get a value that each node computes by itself"),
            hint,
        )
    };
    error.raise()
}
