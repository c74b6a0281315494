//! Definitions of tables. What these evaluate does not pass the planner, where `copies` looks at every other expression.
//!
//! | definition | an object in its result |
//! |---|---|
//! | ALTER COLUMN ... TYPE | is detached: USING gets a call of `abelian.detached` |
//! | generated column, index over an expression | is refused, since a value that does not change with its column is not what they promise |

use super::copies::Copies;
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use crate::error::Error;
use crate::utility::UtilityCall;
use pgrx::pg_sys::{self, AlterTableType, Oid};
use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr::null_mut;

/// The catalogue of default and generation expressions, which the bindings leave out.
const DEFAULTS: Oid = Oid::from_u32(2604);

thread_local! {
    /// Tables and indexes with new expressions, which cannot be read before the command is over.
    static TO_CHECK: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Something is made that belongs to a table or is one. A command that fails may leave entries, which do no harm.
pub fn made(class: Oid, relation: Oid) {
    if class == DEFAULTS || class == pg_sys::RelationRelationId {
        TO_CHECK.with_borrow_mut(|relations| relations.push(relation));
    }
}

/// Refuses what keeps objects; called when a command is over.
pub fn check() {
    let relations = TO_CHECK.take();
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
        // SAFETY: a relation is opened, looked at, and closed; its lock is the command's own.
        let refused = unsafe {
            let relation = pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32);
            if relation.is_null() {
                continue;
            }
            let refused = fault(&mut copies, relation);
            pg_sys::relation_close(relation, pg_sys::NoLock as i32);
            refused
        };
        if let Some(error) = refused {
            error.raise();
        }
    }
}

/// # Safety
/// The relation must be open.
unsafe fn fault(copies: &mut Copies<'_>, relation: pg_sys::Relation) -> Option<Error> {
    // SAFETY: by the caller; what is stored is the text of expressions.
    unsafe {
        let kind = (*(*relation).rd_rel).relkind as u8;
        if kind == pg_sys::RELKIND_INDEX || kind == pg_sys::RELKIND_PARTITIONED_INDEX {
            let expressions = pg_sys::RelationGetIndexExpressions(relation);
            let keeps = tree::items::<pg_sys::Node>(expressions)
                .into_iter()
                .any(|expression| copies.escapes(expression));
            return keeps.then_some(Error::IndexKeepsObject);
        }
        let descriptor = (*relation).rd_att;
        let constraints = (*descriptor).constr.as_ref()?;
        let columns = (*descriptor).attrs.as_slice((*descriptor).natts as usize);
        for n in 0..usize::from(constraints.num_defval) {
            let default = &*constraints.defval.add(n);
            let is_generated = columns[default.adnum as usize - 1].attgenerated != 0;
            let expression = Tree::new(pg_sys::stringToNode(default.adbin).cast());
            if is_generated && expression.is_some_and(|e: Any| copies.escapes(e)) {
                return Some(Error::GeneratedOfObject);
            }
        }
        None
    }
}

/// The command, changed where it would move objects from column to column.
///
/// # Safety
/// The arguments are those of a hook that is running.
pub unsafe fn with_values(call: UtilityCall) -> UtilityCall {
    // SAFETY: by the caller.
    let statement = Tree::new(unsafe { call.node() });
    let Some(alter) = statement.and_then(|node| node.cast::<pg_sys::AlterTableStmt>()) else {
        return call;
    };
    let changes_type = tree::items::<pg_sys::AlterTableCmd>(alter.cmds)
        .iter()
        .any(is_of_type);
    let (true, Some(symbols)) = (changes_type, Symbols::get()) else {
        return call;
    };
    let missing_ok = pg_sys::RVROption::RVR_MISSING_OK;
    // SAFETY: a lookup by name; the command locks the table and asks for privileges.
    let relation = unsafe {
        pg_sys::RangeVarGetRelidExtended(
            alter.relation,
            pg_sys::NoLock as i32,
            missing_ok,
            None,
            null_mut(),
        )
    };
    if relation == Oid::INVALID || symbols.detached.is_none() {
        return call;
    }
    // The plan may be somebody else's.
    let Some(copy) = Tree::new(call.statement).map(Tree::copy) else {
        return call;
    };
    let alter = Tree::new(copy.utilityStmt).and_then(|node| node.cast::<pg_sys::AlterTableStmt>());
    for command in alter
        .iter()
        .flat_map(|alter| tree::items::<pg_sys::AlterTableCmd>(alter.cmds))
        .filter(is_of_type)
    {
        use_value(&symbols, relation, command);
    }
    UtilityCall {
        statement: copy.pointer(),
        ..call
    }
}

fn is_of_type(command: &Tree<pg_sys::AlterTableCmd>) -> bool {
    command.subtype == AlterTableType::AT_AlterColumnType
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
    // SAFETY: lookups by name; what does not exist is left to PostgreSQL to complain of.
    unsafe {
        let after = pg_sys::LookupTypeNameOid(null_mut(), definition.typeName, true);
        after != Oid::INVALID && after != before && pg_sys::getBaseType(after) == before
    }
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
