//! What expressions become that stand in the places of PL/pgSQL's variables and statements.

use super::super::super::analysis::tree::{self, NodePtr};
use crate::boundary::{self, PostgresError};
use pgrx::pg_sys::{self, Oid};

/// Nodes of an expression; a variable that is mentioned twice doubles it.
const NODES_MAX: usize = 2000;

/// As an assignment casts.
pub fn coerced(
    value: NodePtr,
    type_oid: Oid,
    modifier: i32,
) -> Result<Option<NodePtr>, PostgresError> {
    let source = tree::type_of(value);
    if source == type_oid && modifier < 0 {
        return Ok(Some(value));
    }
    // In the text, casts to other types with a length cut what an assignment refuses.
    if modifier >= 0 && type_oid != pg_sys::NUMERICOID {
        return Ok(None);
    }
    // SAFETY: makes nodes around a private copy.
    let value = unsafe {
        let context = pg_sys::CoercionContext::COERCION_PLPGSQL;
        let form = pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
        let value = tree::copy(value);
        let state = std::ptr::null_mut();
        boundary::caught(|| {
            pg_sys::coerce_to_target_type(
                state, value, source, type_oid, modifier, context, form, -1,
            )
        })?
    };
    Ok((!value.is_null() && tree::type_of(value) == type_oid).then_some(value))
}

/// A cast that PL/pgSQL's assignment made, so that it is in the text; where the value stands may not ask for it.
pub fn written_out(value: NodePtr) -> NodePtr {
    let implicit = pg_sys::CoercionForm::COERCE_IMPLICIT_CAST;
    let explicit = pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
    let value = tree::copy(value);
    // SAFETY: the tag says which structure the private copy is.
    unsafe {
        let form = match tree::tag(value) {
            Some(pg_sys::NodeTag::T_FuncExpr) => {
                &raw mut (*value.cast::<pg_sys::FuncExpr>()).funcformat
            }
            Some(pg_sys::NodeTag::T_RelabelType) => {
                &raw mut (*value.cast::<pg_sys::RelabelType>()).relabelformat
            }
            Some(pg_sys::NodeTag::T_CoerceViaIO) => {
                &raw mut (*value.cast::<pg_sys::CoerceViaIO>()).coerceformat
            }
            Some(pg_sys::NodeTag::T_ArrayCoerceExpr) => {
                &raw mut (*value.cast::<pg_sys::ArrayCoerceExpr>()).coerceformat
            }
            _ => return value,
        };
        if *form == implicit {
            *form = explicit;
        }
    }
    value
}

/// Whether it is a whole of which an element or a field is new.
pub fn assigns_a_part(value: NodePtr) -> bool {
    tree::any(value, &mut |node| match tree::tag(node) {
        Some(pg_sys::NodeTag::T_FieldStore) => true,
        Some(pg_sys::NodeTag::T_SubscriptingRef) => {
            // SAFETY: as its tag says.
            let part = unsafe { &*node.cast::<pg_sys::SubscriptingRef>() };
            !part.refassgnexpr.is_null()
        }
        _ => false,
    })
}

/// Whether it is too large to stand in a statement, perhaps several times.
pub fn is_large(node: NodePtr) -> bool {
    let mut nodes = 0;
    tree::any(node, &mut |_| {
        nodes += 1;
        nodes > NODES_MAX
    })
}

/// The condition is false or NULL.
pub fn is_not_true(condition: NodePtr) -> NodePtr {
    let test = tree::make::<pg_sys::BooleanTest>();
    test.arg = tree::copy(condition).cast();
    test.booltesttype = pg_sys::BoolTestType::IS_NOT_TRUE;
    test.location = -1;
    std::ptr::from_mut(test).cast()
}

/// The first value whose condition is true; the last one has none. `None` when their collations differ.
pub fn case(mut ways: Vec<(Option<NodePtr>, NodePtr)>) -> Option<NodePtr> {
    let (_, last) = ways.pop()?;
    let collation = tree::collation_of(last);
    if ways
        .iter()
        .any(|(_, value)| tree::collation_of(*value) != collation)
    {
        return None;
    }
    let whens: Vec<NodePtr> = ways
        .into_iter()
        .filter_map(|(condition, value)| {
            let when = tree::make::<pg_sys::CaseWhen>();
            when.expr = condition?.cast();
            when.result = value.cast();
            when.location = -1;
            Some(std::ptr::from_mut(when).cast())
        })
        .collect();
    let case = tree::make::<pg_sys::CaseExpr>();
    case.casetype = tree::type_of(last);
    case.casecollid = collation;
    case.args = tree::make_list(whens);
    case.defresult = last.cast();
    case.location = -1;
    Some(std::ptr::from_mut(case).cast())
}
