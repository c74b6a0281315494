//! Whether values of domains may be read as those of the types below them: not where the domain decides what a statement means, as the argument of
//! an overloaded function does.

use super::super::functions::FIRST_USER_OBJECT;
use super::super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid};
use std::cell::Cell;

thread_local! {
    static KEPT: Cell<bool> = const { Cell::new(false) };
}

/// Whether the statement that is being described needs them as they are.
pub fn are_kept() -> bool {
    KEPT.get()
}

/// A statement is described until the result is dropped.
pub fn describing(query: &pg_sys::Query) -> impl Drop {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            KEPT.set(self.0);
        }
    }
    let before = Before(KEPT.get());
    let root = std::ptr::from_ref(query).cast_mut().cast();
    KEPT.set(before.0 || tree::any(root, &mut takes_domain));
    before
}

/// Whether an expression takes a domain as such. Of what is declared for the type below, the arguments are of that type.
fn takes_domain(node: NodePtr) -> bool {
    if let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node) {
        tells_types(call.funcid) && any_domain(call.args)
    } else if let Some(call) = tree::cast::<pg_sys::OpExpr, _>(node) {
        tells_types(call.opfuncid) && any_domain(call.args)
    } else if let Some(call) = tree::cast::<pg_sys::Aggref, _>(node) {
        tells_types(call.aggfnoid) && any_domain(call.args)
    } else if let Some(call) = tree::cast::<pg_sys::WindowFunc, _>(node) {
        tells_types(call.winfnoid) && any_domain(call.args)
    } else if let Some(array) = tree::cast::<pg_sys::ArrayExpr, _>(node) {
        is_domain(array.element_typeid)
    } else if let Some(link) = tree::cast::<pg_sys::SubLink, _>(node) {
        link.subLinkType == pg_sys::SubLinkType::ARRAY_SUBLINK
            && tree::cast::<pg_sys::Query, _>(link.subselect).is_some_and(|inner| {
                tree::list::<pg_sys::TargetEntry>(inner.targetList)
                    .any(|entry| is_domain(tree::type_of(entry.expr)))
            })
    } else {
        false
    }
}

/// Whether a function may give something else for a domain than for the type below it. PostgreSQL's own are declared for any type, and do not,
/// but for those that tell the type.
fn tells_types(function: Oid) -> bool {
    let own = [pg_sys::F_PG_TYPEOF, pg_sys::F_ARRAY_AGG_ANYNONARRAY];
    function.to_u32() >= FIRST_USER_OBJECT || own.contains(&function.to_u32())
}

/// Of arguments, which aggregates have as entries of a list.
fn any_domain(arguments: *mut pg_sys::List) -> bool {
    tree::nodes(arguments).any(|argument| {
        let entry = tree::cast::<pg_sys::TargetEntry, _>(argument);
        is_domain(match entry {
            Some(entry) => tree::type_of(entry.expr),
            None => tree::type_of(argument),
        })
    })
}

fn is_domain(type_oid: Oid) -> bool {
    // SAFETY: a catalogue look-up.
    let kind = unsafe { pg_sys::get_typtype(type_oid) } as u8;
    kind == pg_sys::TYPTYPE_DOMAIN
}
