//! Updates that take from a plain column if there is enough of it: `c = c - x` under `c >= y`, `y < c` or `c - x >= y`. Under a bounded type such
//! conditions can be decided without holding the value; others hold it. [`crate::operation`] decides the same of columns that have the type.

use crate::cluster::analysis::tree::{self, NodePtr};
use pgrx::pg_sys::{self, CoercionForm, Oid};

/// The column from which an UPDATE takes if there is enough, and how many of its conditions ask for that. `None` if it does anything else with
/// the value, or assigns anything but a column plus or minus a number.
pub fn taken(query: &pg_sys::Query) -> Option<(i16, usize)> {
    let assigned = tree::assignments(query);
    let columns: Vec<i16> = assigned.iter().map(|entry| entry.resno).collect();
    let range = query.resultRelation;
    let update = Update { range, columns };
    let changes = assigned
        .into_iter()
        .map(|entry| update.change(entry.resno, entry.expr.cast()))
        .collect::<Option<Vec<Change>>>()?;
    // SAFETY: an UPDATE has a join tree.
    let conditions = tree::conjuncts(unsafe { (*query.jointree).quals });
    let on_values: Vec<NodePtr> = conditions
        .into_iter()
        .filter(|condition| update.reads_assigned(*condition))
        .collect();
    let asked = changes.iter().find(|change| {
        let mut all = on_values.iter();
        change.takes && all.all(|condition| update.asks(change, *condition))
    })?;
    let possible = !query.hasSubLinks && !on_values.is_empty();
    possible.then_some((asked.column, on_values.len()))
}

/// The target of an UPDATE, and the columns that it assigns.
struct Update {
    range: i32,
    columns: Vec<i16>,
}

/// `column + amount`, or `column - amount` if it takes.
struct Change {
    column: i16,
    takes: bool,
    amount: NodePtr,
}

impl Update {
    fn change(&self, column: i16, expression: NodePtr) -> Option<Change> {
        let (subtracts, left, right) = arithmetic(expression)?;
        let amount = match (self.column(left), self.column(right)) {
            (Some(own), _) if own.varattno == column => right,
            (_, Some(own)) if own.varattno == column && !subtracts => left,
            _ => return None,
        };
        self.is_harmless(amount).then_some(Change {
            column,
            takes: subtracts,
            amount,
        })
    }

    /// Whether a condition asks whether there is enough for the change. One that the amount itself does not meet holds the value.
    fn asks(&self, change: &Change, condition: NodePtr) -> bool {
        let Some((comparison, left, right)) = operator(condition) else {
            return false;
        };
        let above = [
            pg_sys::BTGreaterStrategyNumber,
            pg_sys::BTGreaterEqualStrategyNumber,
        ];
        let below = [
            pg_sys::BTLessStrategyNumber,
            pg_sys::BTLessEqualStrategyNumber,
        ];
        let sides = [(left, right, above), (right, left, below)];
        sides.into_iter().any(|(value, limit, forms)| {
            let moved = arithmetic(value)
                .filter(|(subtracts, _, shift)| *subtracts && self.is_harmless(*shift));
            let value = moved.map_or(value, |(_, column, _)| column);
            let Some(own) = self
                .column(value)
                .filter(|own| own.varattno == change.column)
            else {
                return false;
            };
            let form = strategy(comparison, own.vartype);
            let never_follows = form == forms[0]
                && moved.is_none()
                && tree::equal(limit.cast_const(), change.amount);
            forms.contains(&form) && self.is_harmless(limit) && !never_follows
        })
    }

    /// The column of the target that an expression is.
    fn column(&self, expression: NodePtr) -> Option<&'static pg_sys::Var> {
        tree::cast::<pg_sys::Var, _>(before_casts(expression))
            .filter(|variable| (variable.varno, variable.varlevelsup) == (self.range, 0))
    }

    /// Whether it is a number that may be asked for whatever the rest of the condition says: a constant, a parameter, or a column that is
    /// not assigned.
    fn is_harmless(&self, expression: NodePtr) -> bool {
        let inner = before_casts(expression);
        tree::cast::<pg_sys::Const, _>(inner).is_some()
            || tree::cast::<pg_sys::Param, _>(inner).is_some()
            || self
                .column(inner)
                .is_some_and(|column| !self.columns.contains(&column.varattno))
    }

    fn reads_assigned(&self, condition: NodePtr) -> bool {
        let mut reads = false;
        tree::walk(condition, &mut |node| {
            let column = self.column(node);
            reads |= column.is_some_and(|column| {
                column.varattno == 0 || self.columns.contains(&column.varattno)
            });
            true
        });
        reads
    }
}

/// Whether a sum or a difference is one, and of what.
fn arithmetic(expression: NodePtr) -> Option<(bool, NodePtr, NodePtr)> {
    let (operator, left, right) = operator(before_casts(expression))?;
    // SAFETY: lookup of an operator's function.
    let function = unsafe { pg_sys::get_opcode(operator.opno) }.to_u32();
    let subtracts = super::assignment::DIFFERENCES.contains(&function);
    (subtracts || super::assignment::SUMS.contains(&function)).then_some((subtracts, left, right))
}

/// An operator with two sides.
fn operator(expression: NodePtr) -> Option<(&'static pg_sys::OpExpr, NodePtr, NodePtr)> {
    let operator = tree::cast::<pg_sys::OpExpr, _>(expression)?;
    let sides: Vec<NodePtr> = tree::nodes(operator.args).collect();
    match sides[..] {
        [left, right] => Some((operator, left, right)),
        _ => None,
    }
}

/// What an operator is in the order of a type; 0 if it compares otherwise, as `numeric` does what is no `numeric`.
fn strategy(operator: &pg_sys::OpExpr, type_: Oid) -> u32 {
    // SAFETY: look-ups of an existing type and operator; the cache's entry lives as long as the session.
    unsafe {
        let flags = pg_sys::TYPECACHE_BTREE_OPFAMILY as i32;
        let family = (*pg_sys::lookup_type_cache(type_, flags)).btree_opf;
        pg_sys::get_op_opfamily_strategy(operator.opno, family) as u32
    }
}

/// What PostgreSQL has cast by itself.
fn before_casts(mut node: NodePtr) -> NodePtr {
    while let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node)
        .filter(|call| call.funcformat == CoercionForm::COERCE_IMPLICIT_CAST)
        && let Some(argument) = tree::nodes(call.args).next()
    {
        node = argument;
    }
    node
}
