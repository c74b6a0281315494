//! `SET column = DEFAULT` where the default takes a number of a sequence, as that of a serial or an identity column does: what the default is, is written
//! out, so the UPDATE runs as one that calls `nextval()`.

use super::merge::build;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid};

/// The UPDATE with such defaults written out; `None` without them.
pub fn written_out(query: &pg_sys::Query, target: &Relation) -> Option<&'static mut pg_sys::Query> {
    let placed = matches!(
        target.placement,
        Placement::Distributed(_) | Placement::Reference
    );
    if query.commandType != CmdType::CMD_UPDATE || !placed || target.oid != tree::target(query) {
        return None;
    }
    let relation = Opened::open(target.oid, pg_sys::NoLock)?;
    let defaults: Vec<Option<NodePtr>> = tree::list::<pg_sys::TargetEntry>(query.targetList)
        .map(|entry| {
            let is_default = tree::tag(entry.expr) == Some(NodeTag::T_SetToDefault);
            is_default.then(|| taking(&relation, entry.resno)).flatten()
        })
        .collect();
    if defaults.iter().all(Option::is_none) {
        return None;
    }
    let copy = build::copy(query);
    let entries = tree::nodes(copy.targetList).collect::<Vec<_>>();
    for (entry, default) in entries.into_iter().zip(defaults) {
        if let Some(default) = default {
            // SAFETY: an entry of a private copy, of which nothing else is held.
            unsafe { (*entry.cast::<pg_sys::TargetEntry>()).expr = default.cast() };
        }
    }
    Some(copy)
}

/// The default of a column, if it takes numbers of a sequence and may be written by an UPDATE.
fn taking(relation: &Opened, number: i16) -> Option<NodePtr> {
    let column = relation.columns().get(number as usize - 1)?;
    // SAFETY: a column of the open relation.
    let default = unsafe { pg_sys::build_column_default(relation.relation(), number.into()) };
    if let Some(next) = tree::cast::<pg_sys::NextValueExpr, _>(default) {
        let may_be_written = column.attidentity as u8 != pg_sys::ATTRIBUTE_IDENTITY_ALWAYS;
        return may_be_written.then(|| next_of(next.seqid, column));
    }
    let takes = tree::any(default, &mut |node| {
        tree::cast::<pg_sys::FuncExpr, _>(node)
            .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_NEXTVAL)
    });
    takes.then_some(default)
}

/// `nextval()` of a sequence, in the type of the column.
fn next_of(sequence: Oid, column: &pg_sys::FormData_pg_attribute) -> NodePtr {
    // SAFETY: makes nodes of valid types; the cast from bigint to a type of identity columns exists.
    unsafe {
        let named = pg_sys::makeConst(
            pg_sys::REGCLASSOID,
            -1,
            Oid::INVALID,
            size_of::<Oid>() as i32,
            sequence.into(),
            false,
            true,
        );
        let call = pg_sys::makeFuncExpr(
            Oid::from(pg_sys::F_NEXTVAL),
            pg_sys::INT8OID,
            tree::make_list([named.cast()]),
            Oid::INVALID,
            Oid::INVALID,
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
        );
        pg_sys::coerce_to_target_type(
            std::ptr::null_mut(),
            call.cast(),
            pg_sys::INT8OID,
            column.atttypid,
            column.atttypmod,
            pg_sys::CoercionContext::COERCION_ASSIGNMENT,
            pg_sys::CoercionForm::COERCE_IMPLICIT_CAST,
            -1,
        )
    }
}
