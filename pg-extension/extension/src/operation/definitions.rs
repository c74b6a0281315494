//! Definitions of tables. What these evaluate does not pass the planner, where `copies` looks at every other expression.
//!
//! | definition | an object in its result |
//! |---|---|
//! | ALTER COLUMN ... TYPE | is detached: USING gets a call of `abelian.detached` |
//! | generated column, index over an expression | is refused, since a value that does not change with its column is not what they promise |

use super::copies::Copies;
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use crate::boundary::{self, PostgresError};
use crate::error::Error;
use crate::hooks::access::{self, Access};
use crate::hooks::subscribers::Subscriber;
use crate::hooks::utility::{self, Around, Command, Runner};
use crate::opened::Opened;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, AlterTableType, NodeTag, ObjectAccessType, Oid};
use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr::null_mut;

/// What PostgreSQL refuses while something depends on the column, and while an index or a partition key reads it.
const FEATURE: i32 = PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED as i32;
const DEFINITION: i32 = PgSqlErrorCode::ERRCODE_INVALID_OBJECT_DEFINITION as i32;

/// The catalogue of default and generation expressions, which the bindings leave out.
const DEFAULTS: Oid = Oid::from_u32(2604);

thread_local! {
    /// Tables and indexes with new expressions, which cannot be read before the command is over; `None` outside of definitions.
    static TO_CHECK: RefCell<Option<Vec<Oid>>> = const { RefCell::new(None) };
}

/// Subscribes to hooks; called once when the library is loaded.
pub fn install() {
    access::subscribe(Subscriber {
        concerns: |access| {
            access.kind == ObjectAccessType::OAT_POST_CREATE
                && (access.class == DEFAULTS || access.class == pg_sys::RelationRelationId)
        },
        tell: made,
    });
    utility::subscribe(Around {
        concerns: |command| {
            matches!(
                command.tag(),
                NodeTag::T_CreateStmt
                    | NodeTag::T_CreateForeignTableStmt
                    | NodeTag::T_AlterTableStmt
                    | NodeTag::T_IndexStmt
            )
        },
        around: define,
    });
}

/// Something is made that belongs to a table or is one.
fn made(access: &Access) {
    TO_CHECK.with_borrow_mut(|relations| {
        if let Some(relations) = relations {
            relations.push(access.object);
        }
    });
}

/// What one command makes; that of a command around it comes back when dropped.
struct Definition(Option<Vec<Oid>>);

impl Definition {
    fn begin() -> Self {
        Definition(TO_CHECK.replace(Some(Vec::new())))
    }
}

impl Drop for Definition {
    fn drop(&mut self) {
        TO_CHECK.set(self.0.take());
    }
}

fn define(command: &Command, define: Runner<'_>) {
    let _definition = Definition::begin();
    let converts = converts(command);
    let other = with_values(command);
    let defined = boundary::caught(|| define(other.as_ref().unwrap_or(command)));
    if let Err(error) = defined {
        raise(error, converts);
    }
    check(TO_CHECK.take().unwrap_or_default());
}

/// PostgreSQL's error, which says what hinders a conversion of a column to an Abelian type or back, with what can be done about it.
fn raise(error: PostgresError, converts: bool) -> ! {
    let hint = match error.sqlstate() {
        _ if !converts => error.raise(),
        FEATURE => {
            "Drop what uses the column, convert the column, and make it again, all in one transaction."
        }
        DEFINITION => {
            "An Abelian column cannot be indexed: drop the index whose expressions or condition read it."
        }
        _ => error.raise(),
    };
    error.hinting(hint).raise()
}

/// Whether the command changes the type of a column from or to an Abelian one.
fn converts(command: &Command) -> bool {
    let alter = Tree::new(command.node()).and_then(|node| node.cast::<pg_sys::AlterTableStmt>());
    let Some(alter) = alter else {
        return false;
    };
    let changed: Vec<_> = type_changes(alter).collect();
    if changed.is_empty() {
        return false;
    }
    let Some(symbols) = Symbols::get() else {
        return false;
    };
    let relation = altered_relation(alter);
    changed.into_iter().any(|change| {
        let before = column_type(relation, change.name);
        let after = Tree::new(change.def).and_then(|node| node.cast::<pg_sys::ColumnDef>());
        symbols.kind(before).is_some()
            || after.is_some_and(|after| symbols.kind(type_of(after)).is_some())
    })
}

/// Refuses what keeps objects.
fn check(relations: Vec<Oid>) {
    if relations.is_empty() {
        return;
    }
    let Some(symbols) = Symbols::get() else {
        return;
    };
    let Some(mut copies) = Copies::new(&symbols) else {
        return;
    };
    for relation in relations {
        let relation = Opened::open(relation, pg_sys::AccessShareLock);
        if let Some(error) = relation.and_then(|relation| fault(&mut copies, &relation)) {
            error.raise();
        }
    }
}

fn fault(copies: &mut Copies<'_>, relation: &Opened) -> Option<Error> {
    let kind = relation.class().relkind as u8;
    if kind == pg_sys::RELKIND_INDEX || kind == pg_sys::RELKIND_PARTITIONED_INDEX {
        let keeps = tree::items::<pg_sys::Node>(relation.index_expressions())
            .into_iter()
            .any(|expression| copies.escapes(expression));
        return keeps.then_some(Error::IndexKeepsObject);
    }
    let constraints = relation.constraints()?;
    for n in 0..usize::from(constraints.num_defval) {
        // SAFETY: so many defaults are there; what is stored is the text of expressions.
        let (column, expression) = unsafe {
            let default = &*constraints.defval.add(n);
            (default.adnum, pg_sys::stringToNode(default.adbin))
        };
        let is_generated = relation.columns()[column as usize - 1].attgenerated != 0;
        let expression = Tree::new(expression.cast());
        if is_generated && expression.is_some_and(|e: Any| copies.escapes(e)) {
            return Some(Error::GeneratedOfObject);
        }
    }
    None
}

/// Another command to run, if this one would move objects from column to column.
fn with_values(command: &Command) -> Option<Command> {
    let alter = Tree::new(command.node())?.cast::<pg_sys::AlterTableStmt>()?;
    type_changes(alter).next()?;
    let symbols = Symbols::get()?;
    symbols.detached?;
    let relation = altered_relation(alter);
    if relation == Oid::INVALID {
        return None;
    }
    let copy = Tree::new(command.statement())?.copy();
    let alter = Tree::new(copy.utilityStmt)?.cast::<pg_sys::AlterTableStmt>()?;
    for altered in type_changes(alter) {
        use_value(&symbols, relation, altered);
    }
    Some(command.with_statement(copy.pointer()))
}

fn type_changes(
    alter: Tree<pg_sys::AlterTableStmt>,
) -> impl Iterator<Item = Tree<pg_sys::AlterTableCmd>> {
    tree::items::<pg_sys::AlterTableCmd>(alter.cmds)
        .into_iter()
        .filter(|command| command.subtype == AlterTableType::AT_AlterColumnType)
}

/// The table that is altered; InvalidOid if there is none.
fn altered_relation(alter: Tree<pg_sys::AlterTableStmt>) -> Oid {
    let missing_ok = pg_sys::RVROption::RVR_MISSING_OK;
    // SAFETY: a lookup by name; the command locks the table and asks for privileges.
    unsafe {
        pg_sys::RangeVarGetRelidExtended(
            alter.relation,
            pg_sys::NoLock as i32,
            missing_ok,
            None,
            null_mut(),
        )
    }
}

fn use_value(symbols: &Symbols, relation: Oid, command: Tree<pg_sys::AlterTableCmd>) {
    let definition = Tree::new(command.def).and_then(|node| node.cast::<pg_sys::ColumnDef>());
    let Some(mut definition) = definition else {
        return;
    };
    let used = match Tree::new(definition.raw_default) {
        Some(using) => reads_object(symbols, relation, using).then_some(using),
        None => becomes_domain(symbols, relation, command, definition)
            .then(|| tree::raw_column(command.name)),
    };
    if let Some(used) = used {
        definition.raw_default = tree::raw_call([c"abelian", c"detached"], used).pointer();
    }
}

fn column_type(relation: Oid, name: *const c_char) -> Oid {
    // SAFETY: lookups; an invalid number has an invalid type.
    unsafe { pg_sys::get_atttype(relation, pg_sys::get_attnum(relation, name)) }
}

/// A domain has the datums of its base type, so that PostgreSQL would leave them as they are.
fn becomes_domain(
    symbols: &Symbols,
    relation: Oid,
    command: Tree<pg_sys::AlterTableCmd>,
    definition: Tree<pg_sys::ColumnDef>,
) -> bool {
    let before = column_type(relation, command.name);
    if symbols.kind(before).is_none() {
        return false;
    }
    let after = type_of(definition);
    // SAFETY: a lookup.
    after != Oid::INVALID && after != before && unsafe { pg_sys::getBaseType(after) } == before
}

/// The type that a definition names; InvalidOid, of which PostgreSQL will complain, if there is none.
fn type_of(definition: Tree<pg_sys::ColumnDef>) -> Oid {
    // SAFETY: a lookup by name.
    unsafe { pg_sys::LookupTypeNameOid(null_mut(), definition.typeName, true) }
}

/// Whether an expression, not analysed yet, names an Abelian column, or what is no column: the row.
fn reads_object(symbols: &Symbols, relation: Oid, expression: Any) -> bool {
    tree::any_raw_node(expression, &mut |node| {
        node.cast::<pg_sys::ColumnRef>().is_some_and(|column| {
            tree::items::<pg_sys::Node>(column.fields)
                .last()
                .is_none_or(|name| {
                    let Some(name) = name.cast::<pg_sys::String>() else {
                        return true; // all columns
                    };
                    let type_ = column_type(relation, name.sval);
                    type_ == Oid::INVALID || symbols.kind(type_).is_some()
                })
        })
    })
}
