//! What a CHECK compares a bounded column with: numbers, and columns that hold numbers.

use crate::error::Error;
use crate::numeric;
use crate::opened::Opened;
use crate::operation::tree::{self, Any};
use pgrx::pg_sys::{self, Datum};

/// One side of a comparison.
pub enum Compared {
    Integer(i64),
    /// As PostgreSQL writes it.
    Decimal(String),
    Column(NumberColumn),
}

/// A column that holds a number, or the opposite of what it holds.
#[derive(Clone, Copy, Debug)]
pub struct NumberColumn {
    /// Its number in the relation.
    pub attribute: i16,
    number: NumberType,
    /// Whether it is the opposite.
    pub negated: bool,
}

#[derive(Clone, Copy, Debug)]
enum NumberType {
    /// Of so many bytes.
    Integer(i16),
    Numeric,
}

impl NumberType {
    fn of(type_: pg_sys::Oid) -> Option<NumberType> {
        Some(match type_ {
            pg_sys::INT2OID => NumberType::Integer(2),
            pg_sys::INT4OID => NumberType::Integer(4),
            pg_sys::INT8OID => NumberType::Integer(8),
            pg_sys::NUMERICOID => NumberType::Numeric,
            _ => return None,
        })
    }
}

impl Compared {
    /// Of an expression over a row; `None` for what is more than a number.
    pub fn of(relation: &Opened, expression: Any) -> Option<Compared> {
        let expression = before_widening(expression);
        if let Some(inner) = opposite(expression) {
            return Compared::of(relation, inner)?.opposite();
        }
        let number = NumberType::of(expression.result_type())?;
        if let Some(constant) = expression.cast::<pg_sys::Const>() {
            return match number {
                _ if constant.constisnull => None,
                NumberType::Integer(bytes) => {
                    Some(Compared::Integer(integer(constant.constvalue, bytes)))
                }
                NumberType::Numeric => numeric::text(constant.constvalue)
                    .ok()
                    .map(Compared::Decimal),
            };
        }
        let attribute = expression.cast::<pg_sys::Var>()?.varattno;
        // What is generated may be in no row.
        let stored =
            attribute > 0 && relation.columns().get(attribute as usize - 1)?.attgenerated == 0;
        stored.then_some(Compared::Column(NumberColumn {
            attribute,
            number,
            negated: false,
        }))
    }

    fn opposite(self) -> Option<Compared> {
        Some(match self {
            Compared::Integer(value) => Compared::Integer(value.checked_neg()?),
            Compared::Decimal(text) if text == "NaN" => Compared::Decimal(text),
            Compared::Decimal(text) => Compared::Decimal(match text.strip_prefix('-') {
                Some(positive) => positive.to_owned(),
                None => format!("-{text}"),
            }),
            Compared::Column(column) => Compared::Column(NumberColumn {
                negated: !column.negated,
                ..column
            }),
        })
    }
}

impl NumberColumn {
    /// Whether it is a `numeric`.
    pub fn is_numeric(&self) -> bool {
        matches!(self.number, NumberType::Numeric)
    }

    /// What it holds, or the opposite, of an integer column. The least `bigint` has no opposite: PostgreSQL has stored no row with it.
    pub fn integer(&self, value: Datum) -> Result<i64, Error> {
        let NumberType::Integer(bytes) = self.number else {
            return Err(Error::Internal(
                "an integer is compared with numeric".into(),
            ));
        };
        let value = integer(value, bytes);
        Ok(if self.negated {
            value.saturating_neg()
        } else {
            value
        })
    }

    /// The same of any column, as PostgreSQL writes it.
    pub fn text(&self, value: Datum) -> Result<String, Error> {
        match self.number {
            NumberType::Integer(_) => Ok(self.integer(value)?.to_string()),
            NumberType::Numeric if self.negated => numeric::text(numeric::negate(value)?),
            NumberType::Numeric => numeric::text(value),
        }
    }
}

/// A number before it is cast to a type that has it, too.
pub fn before_widening(expression: Any) -> Any {
    use pg_sys::{F_INT8_INT2, F_INT8_INT4, F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8};
    let casts = [
        F_INT8_INT2,
        F_INT8_INT4,
        F_NUMERIC_INT2,
        F_NUMERIC_INT4,
        F_NUMERIC_INT8,
    ];
    one_argument(expression, &casts).map_or(expression, before_widening)
}

/// The argument of a minus sign.
pub fn opposite(expression: Any) -> Option<Any> {
    use pg_sys::{F_INT2UM, F_INT4UM, F_INT8UM, F_NUMERIC_UMINUS};
    one_argument(
        expression,
        &[F_INT2UM, F_INT4UM, F_INT8UM, F_NUMERIC_UMINUS],
    )
}

fn integer(datum: Datum, bytes: i16) -> i64 {
    match bytes {
        2 => i64::from(datum.value() as i16),
        4 => i64::from(datum.value() as i32),
        _ => datum.value() as i64,
    }
}

/// The argument of a call, or of an operator, that is one of these functions of one argument.
fn one_argument(expression: Any, functions: &[u32]) -> Option<Any> {
    let (function, argument) = call(expression)?;
    functions.contains(&function.to_u32()).then_some(argument)
}

/// The function and the argument of a call, or of an operator, that has one.
pub fn call(expression: Any) -> Option<(pg_sys::Oid, Any)> {
    let (function, arguments) = match expression.cast::<pg_sys::FuncExpr>() {
        Some(call) => (call.funcid, call.args),
        None => {
            let operator = expression.cast::<pg_sys::OpExpr>()?;
            // SAFETY: lookup of an operator's function.
            (unsafe { pg_sys::get_opcode(operator.opno) }, operator.args)
        }
    };
    let [argument] = tree::items::<pg_sys::Node>(arguments)[..] else {
        return None;
    };
    Some((function, argument))
}
