//! Conditions on the value that a statement operates on, as `stock >= 2` beside `stock = stock - 2`: which of them can be
//! decided without holding the value, and how a plan carries them. What is decided is told in [`super::escrow`].
//!
//! A condition leaves WHERE, so that it is tested after the rest, and what it compares with is evaluated for rows for
//! which WHERE would not have come so far. Hence only expressions are taken that cannot fail and have no effect.

use super::column::Column;
use super::recognise;
use super::rewrite::Relation;
use super::row_bounds;
use super::symbols::Symbols;
use super::time_functions;
use super::tree::{self, Any, Tree};
use super::unique;
use abelian_adt::bounded_counter::Bounds;
use abelian_adt::fixed_point::Number;
use abelian_adt::test_in_range::{Condition, Side};
use pgrx::pg_sys;

/// The conditions of a statement on one column that it operates on.
pub struct Tests {
    /// The column.
    pub attribute: i16,
    /// Whether rows are to be tested under the statement's snapshot as well.
    pub in_snapshot: bool,
    tests: Vec<Test>,
}

/// `column + shift >= limit`, or another comparison.
struct Test {
    form: Form,
    shift: Any,
    limit: Any,
}

/// Which comparison, as a plan carries it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    side: Side,
    strict: bool,
}

impl Form {
    const AT_MOST: i32 = 1;
    const STRICT: i32 = 2;

    /// The number that stands for it.
    pub fn number(self) -> i32 {
        let side = match self.side {
            Side::AtLeast => 0,
            Side::AtMost => Self::AT_MOST,
        };
        side + if self.strict { Self::STRICT } else { 0 }
    }

    /// The form that a number stands for.
    pub fn of(number: i32) -> Form {
        Form {
            side: match number & Self::AT_MOST {
                0 => Side::AtLeast,
                _ => Side::AtMost,
            },
            strict: number & Self::STRICT != 0,
        }
    }

    /// The condition with what was evaluated for one row.
    pub fn condition(self, shift: i64, limit: i64) -> Condition {
        Condition::new(self.side, shift, limit, self.strict)
    }

    /// The bounds within which the comparison with a limit holds as well.
    pub fn tighten(self, bounds: Bounds, limit: i64) -> Bounds {
        bounds.tightened(self.side, self.strict, limit)
    }

    /// The comparison of a column of this scale with a number that may have a greater one, as one of units.
    pub fn of_decimal(self, limit: Number<'_>, scale: u8) -> (Form, i64) {
        let limit = limit
            .threshold(scale, self.side, self.strict)
            .limit(self.side);
        // What no value meets is a CHECK that no stored row meets.
        let limit = limit.unwrap_or(match self.side {
            Side::AtLeast => i64::MAX,
            Side::AtMost => i64::MIN,
        });
        (self.not_strict(), limit)
    }

    fn not_strict(self) -> Form {
        Form {
            strict: false,
            ..self
        }
    }

    /// The same with its sides exchanged.
    pub fn turned(self) -> Form {
        Form {
            side: match self.side {
                Side::AtLeast => Side::AtMost,
                Side::AtMost => Side::AtLeast,
            },
            ..self
        }
    }
}

impl Tests {
    /// Takes the conditions on Abelian columns out of those of a statement that makes these changes. `None` if one of them
    /// needs the value.
    pub fn taken_from(
        symbols: &Symbols,
        target: &Relation<'_>,
        conditions: &mut Vec<Any>,
        changes: &[(i16, Any)],
    ) -> Option<Tests> {
        let reads_value = |condition: &Any| {
            target.abelian_among(&target.columns_read(condition.pointer::<pg_sys::Node>()))
        };
        let (on_values, rest): (Vec<Any>, Vec<Any>) = conditions
            .iter()
            .partition(|condition| reads_value(condition));
        let tested = |attribute: &i16| {
            let column = target.facts.column(*attribute)?;
            let bounded = symbols.kind(column.type_)?.coerce.is_some();
            let parts = on_values
                .iter()
                .map(|one| test(symbols, target, *attribute, *one));
            bounded.then(|| parts.collect::<Option<Vec<Test>>>())?
        };
        let (attribute, tests) = changes
            .iter()
            .find_map(|(attribute, _)| Some((*attribute, tested(attribute)?)))?;
        if !changes.iter().all(|(_, change)| is_harmless(*change)) {
            return None;
        }
        let in_snapshot = !unique::names_one_row(target, &rest)
            || rest
                .iter()
                .any(|condition| time_functions::may_read_tables(*condition));
        *conditions = rest;
        Some(Tests {
            attribute,
            in_snapshot,
            tests,
        })
    }

    /// What has to be evaluated for each row: of each condition the shift, then the limit.
    pub fn expressions(&self) -> impl Iterator<Item = Any> {
        self.tests.iter().flat_map(|test| [test.shift, test.limit])
    }

    /// The comparisons, in the order of the expressions.
    pub fn forms(&self) -> impl Iterator<Item = Form> {
        self.tests.iter().map(|test| test.form)
    }
}

/// A condition on the column alone, in a form that is known.
fn test(symbols: &Symbols, target: &Relation<'_>, attribute: i16, condition: Any) -> Option<Test> {
    let column = Column {
        relation: target.number,
        attribute,
    };
    let (left, right, form) = comparison(condition)?;
    let (moved, limit, form) = match column.is_in(left) {
        true => (left, right, form),
        false => (right, left, form.turned()),
    };
    let read = target.columns_read(limit.pointer::<pg_sys::Node>());
    let shift = recognise::shift(symbols, column, moved)?;
    let known = is_harmless_limit(target, limit)
        && shift.is_none_or(is_harmless)
        && !target.abelian_among(&read);
    if !known {
        return None;
    }
    match target.units(attribute) {
        Some(units) => Some(Test {
            form: form.not_strict(),
            shift: tree::bigint(0),
            limit: units.limit(limit, shift, form.side == Side::AtMost, form.strict)?,
        }),
        None => Some(Test {
            form,
            shift: shift.unwrap_or_else(|| tree::bigint(0)),
            limit: recognise::widened(limit),
        }),
    }
}

/// What a condition compares, and how, if it compares integers or decimal numbers.
pub fn comparison(condition: Any) -> Option<(Any, Any, Form)> {
    let comparison = condition.cast::<pg_sys::OpExpr>()?;
    let [left, right] = tree::items::<pg_sys::Node>(comparison.args)[..] else {
        return None;
    };
    // SAFETY: lookup of an operator's function.
    let form = form(unsafe { pg_sys::get_opcode(comparison.opno) }.to_u32())?;
    Some((left, right, form))
}

/// What a function of PostgreSQL's comparison operators on numbers compares.
fn form(function: u32) -> Option<Form> {
    use pg_sys::*;
    let (side, strict) = match function {
        F_INT8GE | F_INT84GE | F_INT48GE | F_INT82GE | F_INT28GE | F_INT4GE | F_INT42GE
        | F_INT24GE | F_NUMERIC_GE => (Side::AtLeast, false),
        F_INT8GT | F_INT84GT | F_INT48GT | F_INT82GT | F_INT28GT | F_INT4GT | F_INT42GT
        | F_INT24GT | F_NUMERIC_GT => (Side::AtLeast, true),
        F_INT8LE | F_INT84LE | F_INT48LE | F_INT82LE | F_INT28LE | F_INT4LE | F_INT42LE
        | F_INT24LE | F_NUMERIC_LE => (Side::AtMost, false),
        F_INT8LT | F_INT84LT | F_INT48LT | F_INT82LT | F_INT28LT | F_INT4LT | F_INT42LT
        | F_INT24LT | F_NUMERIC_LT => (Side::AtMost, true),
        _ => return None,
    };
    Some(Form { side, strict })
}

/// As [`is_harmless`], or the opposite of a `numeric`, or of a column of which a CHECK takes it for every row.
fn is_harmless_limit(target: &Relation<'_>, limit: Any) -> bool {
    let limit = row_bounds::before_widening(limit);
    let Some(inner) = row_bounds::opposite(limit) else {
        return is_harmless(limit);
    };
    match inner.cast::<pg_sys::Var>() {
        // Every decimal number has an opposite.
        _ if limit.result_type() == pg_sys::NUMERICOID => is_harmless(inner),
        Some(column) => {
            column.varno == target.number && target.facts.row_bounds.negate(column.varattno)
        }
        None => false,
    }
}

/// Whether evaluating it neither fails nor does anything: a constant, a parameter or a column, as it is, widened, or
/// with the opposite sign.
fn is_harmless(expression: Any) -> bool {
    use pg_sys::*;
    let is_function = |call: Tree<FuncExpr>| {
        matches!(
            call.funcid.to_u32(),
            F_INT8_INT2
                | F_INT8_INT4
                | F_INT8UM
                | F_NUMERIC_INT2
                | F_NUMERIC_INT4
                | F_NUMERIC_INT8
                | F_NUMERIC_UMINUS
        ) && tree::items::<Node>(call.args).into_iter().all(is_harmless)
    };
    let is_parameter = |parameter: Tree<Param>| parameter.paramkind == ParamKind::PARAM_EXTERN;
    expression.cast::<Const>().is_some()
        || expression.cast::<Var>().is_some()
        || expression.cast::<Param>().is_some_and(is_parameter)
        || expression.cast::<FuncExpr>().is_some_and(is_function)
}
