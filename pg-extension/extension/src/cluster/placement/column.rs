//! What of a row decides where it lies: a column, or an expression over one.

use super::kind::Kind;
use super::value::{Value, without_blanks};

/// A distribution column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyColumn {
    /// Its number in the table.
    pub attribute: i16,
    /// How its values are read.
    pub kind: Kind,
    /// What is made of them; `None` for a plain column.
    pub operation: Option<Operation>,
}

/// What is made of a column's values, as PostgreSQL's operators and functions of the same names would. The operand is greater than 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operation {
    /// `column / n`, which rounds towards zero.
    Divide(i64),
    /// `column % n`, which has the sign of the column.
    Modulo(i64),
    /// `left(column, n)`: the first characters.
    Left(i64),
}

impl Operation {
    /// By the name and operand that the catalogue has; `None` when there is no such operation.
    pub fn named(name: &str, operand: i64) -> Option<Operation> {
        let made = match name {
            "/" => Operation::Divide(operand),
            "%" => Operation::Modulo(operand),
            "left" => Operation::Left(operand),
            _ => return None,
        };
        (operand > 0).then_some(made)
    }

    fn of(self, kind: Kind, value: Value) -> Value {
        match (self, value) {
            (Operation::Divide(by), Value::Number(number)) => Value::Number(number / by),
            (Operation::Modulo(by), Value::Number(number)) => Value::Number(number % by),
            (Operation::Left(count), Value::Bytes(mut bytes)) => {
                bytes.truncate(length_of(&bytes, count));
                if kind == Kind::BlankPadded {
                    bytes.truncate(without_blanks(&bytes).len());
                }
                Value::Bytes(bytes)
            }
            (_, value) => value,
        }
    }
}

/// How many bytes so many characters have.
fn length_of(text: &[u8], characters: i64) -> usize {
    let starts = |byte: u8| byte & 0xC0 != 0x80;
    let mut seen = 0;
    text.iter()
        .position(|byte| {
            seen += i64::from(starts(*byte));
            seen > characters
        })
        .unwrap_or(text.len())
}

impl KeyColumn {
    /// The key of a row, of its canonical value in this column.
    pub fn key(&self, value: Value) -> Value {
        match self.operation {
            Some(operation) => operation.of(self.kind, value),
            None => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind, operation: Operation) -> KeyColumn {
        KeyColumn {
            attribute: 1,
            kind,
            operation: Some(operation),
        }
    }

    #[test]
    fn numbers_are_divided_as_postgresql_does() {
        for (number, quotient, rest) in [(25, 2, 5), (-25, -2, -5), (9, 0, 9), (-9, 0, -9)] {
            let of = |operation| column(Kind::Integer, operation).key(Value::Number(number));
            assert_eq!(of(Operation::Divide(10)), Value::Number(quotient));
            assert_eq!(of(Operation::Modulo(10)), Value::Number(rest));
        }
        assert_eq!(Operation::named("/", 0), None);
        assert_eq!(Operation::named("%", -3), None);
        assert_eq!(Operation::named("+", 3), None);
    }

    #[test]
    fn characters_are_not_cut() {
        let left = |kind, text: &str, count| {
            column(kind, Operation::Left(count)).key(Value::Bytes(text.as_bytes().to_vec()))
        };
        assert_eq!(left(Kind::Text, "éab", 2), Value::Bytes("éa".into()));
        assert_eq!(left(Kind::Text, "é", 2), Value::Bytes("é".into()));
        assert_eq!(left(Kind::Text, "a b", 2), Value::Bytes("a ".into()));
        assert_eq!(left(Kind::BlankPadded, "a b", 2), Value::Bytes("a".into()));
    }
}
