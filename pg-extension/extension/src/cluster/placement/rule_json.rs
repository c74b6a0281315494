//! Rules and columns as the catalogue keeps them.

use super::column::Operation;
use super::kind::Kind;
use super::rule::{Clause, Comparison, Condition, Default, Rule};
use super::value::Value;
use serde_json::Value as Json;

impl Rule {
    /// Of `{"clauses": [...], "default": ...}`; `None` when it is no rule over keys of these kinds with so many partitions.
    pub fn from_json(json: &Json, kinds: &[Kind], partition_count: usize) -> Option<Rule> {
        let clauses = json["clauses"].as_array().map_or(&[][..], Vec::as_slice);
        let clauses: Option<Vec<Clause>> = clauses.iter().map(|one| clause(one, kinds)).collect();
        let default = match &json["default"] {
            Json::Null => None,
            default => Some(self::default(default, kinds.len())?),
        };
        let rule = Rule {
            clauses: clauses?,
            default,
        };
        let fits = rule.partitions().all(|one| one < partition_count);
        fits.then_some(rule)
    }

    /// The partitions that it names.
    fn partitions(&self) -> impl Iterator<Item = usize> {
        let default = match self.default {
            Some(Default::Partition(partition)) => Some(partition),
            _ => None,
        };
        let clauses = self.clauses.iter().map(|clause| clause.partition);
        clauses.chain(default)
    }
}

fn clause(json: &Json, kinds: &[Kind]) -> Option<Clause> {
    let conditions = json["conditions"].as_array()?.iter();
    let conditions: Option<Vec<Condition>> = conditions.map(|one| condition(one, kinds)).collect();
    Some(Clause {
        partition: number(&json["partition"])?,
        conditions: conditions?,
    })
}

fn condition(json: &Json, kinds: &[Kind]) -> Option<Condition> {
    let column = number(&json["column"])?;
    let kind = *kinds.get(column)?;
    let texts = json["values"].as_array()?.iter();
    let values: Option<Vec<Value>> = texts
        .map(|text| Value::parse(kind, text.as_str()?))
        .collect();
    let comparison = Comparison::named(json["operator"].as_str()?, values?)?;
    Some(Condition { column, comparison })
}

fn default(json: &Json, columns: usize) -> Option<Default> {
    if let Some(partition) = number(&json["partition"]) {
        return Some(Default::Partition(partition));
    }
    let hashed = json["hash"].as_array()?.iter();
    let hashed: Option<Vec<usize>> = hashed
        .map(|one| number(one).filter(|column| *column < columns))
        .collect();
    hashed
        .filter(|hashed| !hashed.is_empty())
        .map(Default::Hash)
}

fn number(json: &Json) -> Option<usize> {
    json.as_u64()
        .and_then(|number| usize::try_from(number).ok())
}

/// The name and operation of each column, of `[{"name": "a"}, {"name": "b", "operator": "/", "operand": 10}]`.
pub fn columns(json: &Json) -> Option<Vec<(String, Option<Operation>)>> {
    let read = |column: &Json| {
        let name = column["name"].as_str()?.to_owned();
        let operation = match column["operator"].as_str() {
            Some(operator) => Some(Operation::named(operator, column["operand"].as_i64()?)?),
            None => None,
        };
        Some((name, operation))
    };
    json.as_array()?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rule(json: Json) -> Option<Rule> {
        Rule::from_json(&json, &[Kind::Integer, Kind::Text], 3)
    }

    #[test]
    fn what_the_catalogue_has_is_read() {
        let read = rule(json!({
            "clauses": [
                { "partition": 2, "conditions": [{ "column": 1, "operator": "=", "values": ["b", "a"] }, { "column": 0, "operator": "<", "values": ["-5"] }] },
            ],
            "default": { "hash": [1, 0] },
        }));
        let texts = ["a", "b"].map(|text| Value::Bytes(text.into())).to_vec();
        let conditions = vec![
            Condition {
                column: 1,
                comparison: Comparison::OneOf(texts),
            },
            Condition {
                column: 0,
                comparison: Comparison::Less(Value::Number(-5)),
            },
        ];
        let clauses = vec![Clause {
            partition: 2,
            conditions,
        }];
        let default = Some(Default::Hash(vec![1, 0]));
        assert_eq!(read, Some(Rule { clauses, default }));
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        let condition = |condition: Json| {
            rule(
                json!({ "clauses": [{ "partition": 0, "conditions": [condition] }], "default": null }),
            )
        };
        assert!(condition(json!({ "column": 0, "operator": "=", "values": ["1"] })).is_some());
        assert_eq!(
            condition(json!({ "column": 2, "operator": "=", "values": ["1"] })),
            None
        );
        assert_eq!(
            condition(json!({ "column": 0, "operator": "~", "values": ["1"] })),
            None
        );
        assert_eq!(
            condition(json!({ "column": 0, "operator": "=", "values": ["x"] })),
            None
        );
        assert_eq!(
            condition(json!({ "column": 0, "operator": "<", "values": [] })),
            None
        );
        assert_eq!(
            rule(json!({ "clauses": [], "default": { "partition": 3 } })),
            None
        );
        assert_eq!(
            rule(json!({ "clauses": [], "default": { "hash": [2] } })),
            None
        );
        assert_eq!(
            rule(json!({ "clauses": [], "default": { "hash": [] } })),
            None
        );
        let nothing = Rule {
            clauses: Vec::new(),
            default: None,
        };
        assert_eq!(
            rule(json!({ "clauses": [], "default": null })),
            Some(nothing)
        );
    }

    #[test]
    fn columns_have_a_name_and_perhaps_an_operation() {
        let read =
            columns(&json!([{ "name": "a" }, { "name": "b", "operator": "/", "operand": 10 }]));
        let expected = vec![
            ("a".to_owned(), None),
            ("b".to_owned(), Some(Operation::Divide(10))),
        ];
        assert_eq!(read, Some(expected));
        assert_eq!(
            columns(&json!([{ "name": "b", "operator": "/", "operand": 0 }])),
            None
        );
        assert_eq!(
            columns(&json!([{ "name": "b", "operator": "?", "operand": 1 }])),
            None
        );
    }
}
