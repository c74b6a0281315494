//! Which assignments to columns of types over an aggregate are operations.
//!
//! `SET c = f(c, x)` is, if `f` is labelled an operation (`abelian.add`), and so are `greatest(c, x)`, `least(c, x)`, `c OR x`, `c AND x` for
//! the aggregates that mean the same, and chains of these. The change is the same expression with the empty object in the place of the
//! column: `f(NULL, x)`. Merging it with `c` gives `f(c, x)`, by the definition of an operation.
//!
//! Operations on elements (`abelian.remove(c, x)`) may depend on what is there. Applied to a recorder in the place of the column they
//! write themselves down; what they change is found out under the locks.

use super::column::Column;
use super::symbols::Kind;
use super::tree::{self, Any, Tree};
use crate::aggregate::{Family, Notation, Operation, operation};
use crate::types::aggregated::Aggregated;
use pgrx::pg_sys::{self, BoolExprType, MinMaxOp, Oid};
use std::rc::Rc;

/// What is assigned to the column of a type over an aggregate.
struct Assigned<'a> {
    kind: &'a Kind,
    family: &'a Rc<Family>,
    /// The operations that are looked for.
    operation: Operation,
    column: Column,
}

/// The change that assigning `expression` makes, as an expression of the column's type; `None` if it is no operation.
pub fn change(kind: &Kind, family: &Rc<Family>, column: Column, expression: Any) -> Option<Any> {
    // The column alone is no operation.
    if column.is(expression) {
        return None;
    }
    let on_elements = family.structure.map(|_| Operation::OnElements);
    let assigned = on_elements
        .into_iter()
        .chain([Operation::Blind])
        .map(|operation| Assigned {
            kind,
            family,
            operation,
            column,
        })
        .find(|assigned| assigned.operates(expression))?;
    let empty = assigned.empty();
    Some(tree::replace_columns(
        expression,
        column.relation,
        &mut |variable| column.is(variable.any()).then(|| empty.copy()),
    ))
}

impl Assigned<'_> {
    /// Whether the expression applies operations, and nothing else, to the column.
    fn operates(&self, node: Any) -> bool {
        if self.column.is(node) {
            return true;
        }
        if let Some(call) = node.cast::<pg_sys::FuncExpr>() {
            let arguments = tree::items::<pg_sys::Node>(call.args);
            let is_cast = self.operation == Operation::Blind
                && [self.kind.value, self.kind.make].contains(&call.funcid);
            let is_ours = call.funcresulttype == self.kind.type_
                && operation(call.funcid) == Some(self.operation);
            return match arguments.split_first() {
                Some((first, [])) if is_cast => self.operates(*first),
                Some((first, rest)) if is_ours => {
                    self.operates(*first)
                        && !rest.iter().any(|argument| self.column.is_in(*argument))
                }
                _ => false,
            };
        }
        self.notation(node)
            .is_some_and(|arguments| self.once_among(&arguments))
    }

    /// The arguments of an expression in the notation that SQL has for the aggregate.
    fn notation(&self, node: Any) -> Option<Vec<Any>> {
        let notation = self.family.notation?;
        if let Some(extremum) = node.cast::<pg_sys::MinMaxExpr>() {
            let meant = match extremum.op {
                MinMaxOp::IS_GREATEST => Notation::Greatest,
                _ => Notation::Least,
            };
            let collation = extremum.inputcollid;
            let same_order =
                collation == Oid::INVALID || collation == pg_sys::DEFAULT_COLLATION_OID;
            return (meant == notation && same_order).then(|| tree::items(extremum.args));
        }
        let logic = node.cast::<pg_sys::BoolExpr>()?;
        let meant = match logic.boolop {
            BoolExprType::OR_EXPR => Notation::Or,
            BoolExprType::AND_EXPR => Notation::And,
            _ => return None,
        };
        (meant == notation).then(|| tree::items(logic.args))
    }

    fn once_among(&self, arguments: &[Any]) -> bool {
        let mut with_column = arguments
            .iter()
            .filter(|argument| self.column.is_in(**argument));
        let only = with_column.next();
        with_column.next().is_none() && only.is_some_and(|argument| self.operates(*argument))
    }

    /// The object to which nothing has been done.
    fn empty(&self) -> Any {
        if self.operation == Operation::OnElements {
            let recorder = Aggregated::recorder(self.family.clone()).into_datum();
            return tree::varlena(self.kind.type_, recorder);
        }
        let neutral = match self.family.notation {
            Some(Notation::Or) => Some(false),
            Some(Notation::And) => Some(true),
            _ => None,
        };
        // SAFETY: both make a node.
        let constant = unsafe {
            match neutral {
                Some(value) => Tree::new(pg_sys::makeBoolConst(value, false)),
                None => Tree::new(pg_sys::makeNullConst(self.kind.type_, -1, Oid::INVALID).cast()),
            }
        };
        let Some(constant) = constant else {
            unreachable!("PostgreSQL made no node");
        };
        match neutral {
            Some(_) => tree::call(self.kind.make, self.kind.type_, &[constant]),
            None => constant,
        }
    }
}
