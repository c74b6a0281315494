//! Bounds of columns: `k < 5`, BETWEEN. A router leaves out the nodes that no key within them can lie on, so only those
//! comparisons count that order values as placement functions do.

use super::graph::{Class, Fact};
use super::scope::Scopes;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};
use std::ffi::CStr;

/// An order that PostgreSQL and placement functions share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Of integers, and of numbers that are compared with them.
    Number,
    /// By bytes: texts under the collation `C` in UTF-8.
    Text,
    /// By bytes.
    Uuid,
    /// False before true.
    Boolean,
    /// By days.
    Date,
}

/// How the column stands to a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    pub order: Order,
    /// The column is on its left.
    pub operator: &'static str,
    pub value: Json,
}

/// Two expressions that a condition compares by such an order.
pub struct Comparison {
    pub left: NodePtr,
    pub right: NodePtr,
    order: Order,
    operator: &'static str,
}

impl Comparison {
    /// The comparison that a condition consists of.
    pub fn of(condition: NodePtr) -> Option<Comparison> {
        let call = tree::cast::<pg_sys::OpExpr, _>(condition)?;
        let mut arguments = tree::nodes(call.args);
        let (left, right) = (arguments.next()?, arguments.next()?);
        let (order, operator) = order_of(call)?;
        Some(Comparison {
            left,
            right,
            order,
            operator,
        })
    }

    /// What it says of its left side when the right one has that value.
    pub fn of_left(&self, value: Json) -> Bound {
        Bound {
            order: self.order,
            operator: self.operator,
            value,
        }
    }

    /// What it says of its right side when the left one has that value.
    pub fn of_right(&self, value: Json) -> Bound {
        let operator = match self.operator {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            _ => "<=",
        };
        Bound {
            order: self.order,
            operator,
            value,
        }
    }
}

/// Both sides must be of types that share an order: a date under a timestamp's comparison, or a number as OID, has another.
fn order_of(call: &pg_sys::OpExpr) -> Option<(Order, &'static str)> {
    let (mut left, mut right) = (Oid::INVALID, Oid::INVALID);
    // SAFETY: a catalogue look-up of an existing operator.
    unsafe { pg_sys::op_input_types(call.opno, &mut left, &mut right) };
    let order = of_type(left).filter(|order| of_type(right) == Some(*order))?;
    if order == Order::Text && !is_by_bytes(call.inputcollid) {
        return None;
    }
    // SAFETY: look-ups of an existing type and operator; the cache's entry lives as long as the session.
    let strategy = unsafe {
        let flags = pg_sys::TYPECACHE_BTREE_OPFAMILY as i32;
        let family = (*pg_sys::lookup_type_cache(left, flags)).btree_opf;
        pg_sys::get_op_opfamily_strategy(call.opno, family) as u32
    };
    match strategy {
        pg_sys::BTLessStrategyNumber => Some((order, "<")),
        pg_sys::BTLessEqualStrategyNumber => Some((order, "<=")),
        pg_sys::BTGreaterEqualStrategyNumber => Some((order, ">=")),
        pg_sys::BTGreaterStrategyNumber => Some((order, ">")),
        _ => None,
    }
}

fn of_type(type_oid: Oid) -> Option<Order> {
    match type_oid {
        pg_sys::INT2OID | pg_sys::INT4OID | pg_sys::INT8OID | pg_sys::NUMERICOID => {
            Some(Order::Number)
        }
        pg_sys::TEXTOID => Some(Order::Text),
        pg_sys::UUIDOID => Some(Order::Uuid),
        pg_sys::BOOLOID => Some(Order::Boolean),
        pg_sys::DATEOID => Some(Order::Date),
        _ => None,
    }
}

fn is_by_bytes(collation: Oid) -> bool {
    // SAFETY: reads a setting of the database.
    let encoding = unsafe { pg_sys::GetDatabaseEncoding() };
    collation == pg_sys::C_COLLATION_OID && encoding == pg_sys::pg_enc::PG_UTF8 as i32
}

/// The order of a column's canonical values. Of `numeric` the low 64 bits count, and `char(n)` ignores blanks: they have none.
fn of_column(relation: Oid, attribute: i16) -> Option<Order> {
    // SAFETY: catalogue look-ups of an existing column.
    match unsafe { pg_sys::getBaseType(pg_sys::get_atttype(relation, attribute)) } {
        pg_sys::NUMERICOID => None,
        pg_sys::VARCHAROID => Some(Order::Text),
        other => of_type(other),
    }
}

/// As analyze() prints them: the bounds of each distribution column that has some.
pub fn facts(scopes: &Scopes, classes: &[Class], text: &CStr) -> Vec<Json> {
    let mut ranges = Vec::new();
    for class in classes {
        let bounds: Vec<&Bound> = class
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Bounded(bound) if is_lasting(bound, text) => Some(bound),
                _ => None,
            })
            .collect();
        let columns = class.columns.iter();
        for (id, attribute) in columns.filter_map(|column| scopes.origin(*column)) {
            let relation = &scopes.relations[id];
            let places = relation.spreading().is_some_and(|spreading| {
                spreading
                    .columns
                    .iter()
                    .any(|(column, _)| *column == attribute)
            });
            let order = of_column(relation.oid, attribute).filter(|_| places);
            let found: Vec<Json> = bounds
                .iter()
                .filter(|bound| order == Some(bound.order))
                .map(|bound| json!({ "operator": bound.operator, "value": bound.value }))
                .collect();
            if !found.is_empty() {
                let name = relation.column_name(attribute);
                ranges.push(json!({ "column": [id, name], "bounds": found }));
            }
        }
    }
    ranges
}

/// What `'today'` and `'1/2/2024'` mean depends on the day and on settings, and routers keep what they are told: a constant
/// of type date must be written as dates are printed.
fn is_lasting(bound: &Bound, text: &CStr) -> bool {
    let (Order::Date, Some(date)) = (bound.order, bound.value["const"].as_str()) else {
        return true;
    };
    let location = bound.value["location"].as_i64().unwrap_or(-1);
    let written = usize::try_from(location)
        .ok()
        .and_then(|start| text.to_bytes().get(start..));
    written.is_some_and(|written| written.starts_with(format!("'{date}'").as_bytes()))
}
