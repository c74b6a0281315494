//! The body of a called procedure as statements of their own, if it is nothing but changes one after the other: with the call's arguments in the places of
//! parameters.

use super::super::procedure;
use super::tree::{self, NodePtr};
use super::{called_body, functions, operand, parser};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, NodeTag, Oid};

/// A longer body is one of many nodes only where one has all its rows.
const MOST: usize = 100;

/// `None` when the procedure does more, or what it does hangs on being called.
///
/// `arguments` are those of the call, with those that are left to defaults.
pub fn of(
    call: &pg_sys::FuncExpr,
    arguments: &[NodePtr],
) -> Result<Option<Vec<*mut pg_sys::Query>>, PostgresError> {
    // Parameters have the collation of the call.
    let usual = [Oid::INVALID, pg_sys::DEFAULT_COLLATION_OID];
    if !called_body::may_stand_apart(call.funcid) || !usual.contains(&call.inputcollid) {
        return Ok(None);
    }
    let settled: Option<Vec<_>> = arguments.iter().map(|one| settled(*one)).collect();
    let Some(arguments) = settled else {
        return Ok(None);
    };
    let changes = procedure::changes(call.funcid)?;
    let changes = changes.filter(|changes| changes.len() <= MOST);
    Ok(changes.and_then(|changes| {
        let with_values = |change: &&'static pg_sys::Query| with_arguments(change, &arguments);
        changes.iter().map(with_values).collect()
    }))
}

/// The text of what such a function gives, which is void, under that name.
pub fn void(call: &pg_sys::FuncExpr, name: &str) -> String {
    let value = match called_body::is_in_plpgsql(call.funcid) {
        true => "''",
        false => "NULL",
    };
    format!(
        "SELECT {value}::pg_catalog.void AS {}",
        parser::quoted(name)
    )
}

/// An argument that is the same however often it is evaluated, and no error: a constant or a parameter.
fn settled(argument: NodePtr) -> Option<NodePtr> {
    // The check of a domain, also where the body does not use it; what is another number on another node, although the name is the same.
    if tree::any(argument, &mut |node| {
        tree::tag(node) == Some(NodeTag::T_CoerceToDomain)
            || functions::object_id_type(node).is_some()
    }) {
        return None;
    }
    operand::value(argument)?;
    // SAFETY: folds what the value has just been folded from.
    Some(unsafe { pg_sys::eval_const_expressions(std::ptr::null_mut(), argument) })
}

fn with_arguments(change: &pg_sys::Query, arguments: &[NodePtr]) -> Option<*mut pg_sys::Query> {
    let mut fits = true;
    let replaced = tree::replace_in_query(change, &mut |node| {
        let parameter = tree::cast::<pg_sys::Param, _>(node)?;
        if parameter.paramkind == pg_sys::ParamKind::PARAM_SUBLINK {
            return None; // a column of IN (SELECT ...)
        }
        let argument = usize::try_from(parameter.paramid - 1)
            .ok()
            .and_then(|number| arguments.get(number))
            .filter(|argument| called_body::stands_for(**argument, parameter));
        fits &= argument.is_some();
        argument.map(|argument| tree::copy(*argument))
    });
    fits.then_some(replaced)
}
