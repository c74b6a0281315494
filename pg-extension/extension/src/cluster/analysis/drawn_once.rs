//! Numbers of sequences that a statement takes once, whatever its rows: by `nextval()` in a subquery or a query of WITH that is one row of nothing, and in
//! SET and RETURNING of an UPDATE of one row. They are taken before, on the node where the sequence counts.

use super::computed;
use super::conditions::equality_sides;
use super::known_before::Known;
use super::merge::{build, outer};
use super::node_functions;
use super::operand;
use super::parser;
use super::query_value;
use super::row_keys::key_columns;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::json;
use std::collections::BTreeSet;

/// Of a query as analysed; `None` without such calls.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Known>, PostgresError> {
    let mut drawing = Drawing {
        all: parameters.to_vec(),
        texts: Vec::new(),
        draws: BTreeSet::new(),
    };
    let updates_one = query.commandType == CmdType::CMD_UPDATE && names_one_row(query);
    let statement = match updates_one {
        true => {
            let statement = build::copy(query);
            statement.targetList = drawing.in_columns(statement.targetList);
            statement.returningList = drawing.in_columns(statement.returningList);
            statement
        }
        false => build::copy(query),
    };
    for level in tree::levels(statement) {
        // SAFETY: levels of a private copy, of which nothing else is held.
        let lists = unsafe { (*level).cteList };
        for with in tree::nodes(lists) {
            // SAFETY: as above; the list has such nodes.
            unsafe {
                let with = &mut *with.cast::<pg_sys::CommonTableExpr>();
                drawing.in_query(with.ctequery);
            }
        }
    }
    let replaced = tree::replace_in_query(statement, &mut |node| {
        let link = tree::cast::<pg_sys::SubLink, _>(node)
            .filter(|link| link.subLinkType == pg_sys::SubLinkType::EXPR_SUBLINK)?;
        let copy = tree::copy(std::ptr::from_ref(link));
        // SAFETY: a private copy.
        let found = unsafe { drawing.in_query((*copy).subselect) };
        found.then_some(copy.cast())
    });
    if drawing.texts.is_empty() {
        return Ok(None);
    }
    Ok(Some(Known {
        text: parser::deparse_for(replaced, &[])?,
        values: (0..drawing.texts.len()).map(|at| json!([0, at])).collect(),
        query: Some(json!({
            "text": format!("SELECT {}", drawing.texts.join(", ")), "sequences": true, "transactional": false, "draws": drawing.draws,
        })),
        parameters: drawing.all,
        reads: false,
    }))
}

/// Whether WHERE gives each column of the primary key of the changed table a value.
fn names_one_row(query: &pg_sys::Query) -> bool {
    let Some(table) = Opened::open(tree::target(query), pg_sys::NoLock) else {
        return false;
    };
    let keys = key_columns(&table);
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let conditions = from.map_or(Vec::new(), |from| tree::conjuncts(from.quals));
    let alone = tree::nodes(query.rtable).count() == 1;
    let is_given = |number: &i16| {
        let is_key = |node: NodePtr| {
            tree::cast::<pg_sys::Var, _>(operand::strip_faithful(node))
                .is_some_and(|column| column.varlevelsup == 0 && column.varattno == *number)
        };
        let is_value = |node: NodePtr| operand::value(node).is_some();
        conditions.iter().any(|condition| {
            equality_sides(*condition).is_some_and(|(left, right)| {
                (is_key(left) && is_value(right)) || (is_key(right) && is_value(left))
            })
        })
    };
    alone && !keys.is_empty() && keys.iter().all(is_given)
}

/// The numbers that are taken before.
struct Drawing {
    /// The types of the statement's parameters, and of the numbers.
    all: Vec<Oid>,
    texts: Vec<String>,
    draws: BTreeSet<String>,
}

impl Drawing {
    /// The parameter in the place of a call; `None` for other nodes, and where every node may count.
    fn instead(&mut self, node: NodePtr) -> Option<NodePtr> {
        let call = tree::cast::<pg_sys::FuncExpr, _>(node)
            .filter(|call| call.funcid.to_u32() == pg_sys::F_NEXTVAL)?;
        let sequence = node_functions::sequence_of(tree::nodes(call.args).next());
        if node_functions::is_divided(sequence) || computed::reads_rows(node) {
            return None;
        }
        self.texts.push(parser::deparse_value(node));
        self.draws.insert(parser::qualified_name(sequence));
        self.all.push(pg_sys::INT8OID);
        Some(tree::make_parameter(self.all.len() as i32, pg_sys::INT8OID))
    }

    /// In the columns of a query of one row; gives whether there are such calls.
    ///
    /// # Safety
    /// A query of a private copy, of which nothing else is held.
    unsafe fn in_query(&mut self, query: NodePtr) -> bool {
        let before = self.texts.len();
        // SAFETY: by the caller.
        let query = unsafe { query.cast::<pg_sys::Query>().as_mut() };
        if let Some(query) = query
            && query.commandType == CmdType::CMD_SELECT
            && query_value::gives_one_row_of_nothing(query)
            && !outer::reads_above(query)
        {
            query.targetList = self.in_columns(query.targetList);
        }
        self.texts.len() > before
    }

    fn in_columns(&mut self, columns: *const pg_sys::List) -> *mut pg_sys::List {
        build::map_columns(columns, &mut |expression| {
            tree::replace(expression, &mut |node| self.instead(node))
        })
    }
}
