//! Values that a statement gets as parameters after its own, since no node that runs it could know them: what `currval()` and `lastval()` tell of
//! the session, and what would come out differently on each node that has a copy of a reference table. And `setval()` of a sequence that the
//! nodes share, or of what rows of several nodes say: the value comes first, and then every node that has to knows it.

use super::computed;
use super::drawn_once;
use super::functions::{self, CONTINUE_SEQUENCE};
use super::node_functions;
use super::operand;
use super::parser;
use super::relation::{Placement, Relation};
use super::scope::Scopes;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind};
use serde_json::{Value as Json, json};

/// What a router runs instead of a statement.
pub struct Known {
    pub text: String,
    /// The types of all parameters, the statement's own first.
    pub parameters: Vec<Oid>,
    /// Where each additional one comes from: a sequence of the session's, or a place in the answer to the query.
    pub values: Vec<Json>,
    /// Computes those that do not come from the session.
    pub query: Option<Json>,
    /// Whether the query reads tables.
    pub reads: bool,
}

/// Of a query as analysed; `None` when it runs as it is.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: Option<&Relation>,
    placed: bool,
    draws: &[String],
) -> Result<Option<Known>, PostgresError> {
    if let Some(known) = of_session(query, parameters, draws)? {
        return Ok(Some(known));
    }
    if placed && let Some(known) = drawn_once::find(query, parameters)? {
        return Ok(Some(known));
    }
    if let Some(call) = SequenceSetting::of(query) {
        return call.known(query, parameters, placed);
    }
    match target.map(|target| &target.placement) {
        Some(Placement::Reference) => alike(query, parameters),
        _ => Ok(None),
    }
}

// ---- what the session has drawn

/// A sequence of which the statement itself takes numbers is another matter: what it tells depends on when it is asked.
fn of_session(
    query: &pg_sys::Query,
    parameters: &[Oid],
    draws: &[String],
) -> Result<Option<Known>, PostgresError> {
    let moves = |sequence: Oid| {
        let name = parser::qualified_name(sequence);
        draws.iter().any(|drawn| drawn.is_empty() || *drawn == name)
    };
    let mut all = parameters.to_vec();
    let mut values = Vec::new();
    let before = asked_before_draws(query);
    let replaced = tree::replace_in_query(query, &mut |node| {
        let call = tree::cast::<pg_sys::FuncExpr, _>(node)?;
        let value = match call.funcid.to_u32() {
            pg_sys::F_LASTVAL if draws.is_empty() || before.contains(&node) => {
                json!({ "lastval": true })
            }
            pg_sys::F_CURRVAL => {
                let argument = tree::nodes(call.args).next();
                let sequence = node_functions::sequence_of(argument);
                if let Some(number) = argument.and_then(named_by) {
                    if !draws.is_empty() {
                        return None; // It may be of the same.
                    }
                    json!({ "currval_of": number })
                } else if sequence == Oid::INVALID || moves(sequence) {
                    return None;
                } else {
                    // SAFETY: the name of a sequence that was just looked up.
                    let name = unsafe { tree::string(pg_sys::get_rel_name(sequence)) };
                    json!({ "currval": parser::qualified_name(sequence), "name": name })
                }
            }
            _ => return None,
        };
        values.push(value);
        all.push(pg_sys::INT8OID);
        Some(tree::make_parameter(all.len() as i32, pg_sys::INT8OID))
    });
    if values.is_empty() {
        return Ok(None);
    }
    Ok(Some(Known {
        text: parser::deparse_for(replaced, &[])?,
        parameters: all,
        values,
        query: None,
        reads: false,
    }))
}

/// The parameter that is a sequence's name, with the casts of a text to that.
fn named_by(argument: NodePtr) -> Option<i32> {
    let mut node = operand::strip_casts(argument);
    while let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node)
        && call.funcid.to_u32() == pg_sys::F_REGCLASS
    {
        node = operand::strip_casts(tree::nodes(call.args).next()?);
    }
    let read = [pg_sys::TEXTOID, pg_sys::VARCHAROID, pg_sys::REGCLASSOID];
    operand::parameter(node).filter(|_| read.contains(&tree::type_of(node)))
}

/// The calls in VALUES of one row that come before the row takes numbers itself: columns get their values in the order of the table.
fn asked_before_draws(query: &pg_sys::Query) -> Vec<NodePtr> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree);
    let one_row = query.commandType == CmdType::CMD_INSERT
        && from.is_some_and(|from| from.fromlist.is_null());
    let table = Opened::open(tree::target(query), pg_sys::NoLock).filter(|_| one_row);
    let Some(table) = table else {
        return Vec::new();
    };
    let given = || tree::list::<pg_sys::TargetEntry>(query.targetList);
    let takes = |column: &pg_sys::FormData_pg_attribute| {
        let is_default =
            |entry: &pg_sys::TargetEntry| tree::tag(entry.expr) == Some(NodeTag::T_SetToDefault);
        let value = match given().find(|entry| entry.resno == column.attnum) {
            Some(entry) if !is_default(entry) => entry.expr.cast(),
            // SAFETY: a column of the open relation.
            _ => unsafe { pg_sys::build_column_default(table.relation(), column.attnum.into()) },
        };
        takes_numbers(value)
    };
    let mut columns = table.columns().iter().filter(|column| !column.attisdropped);
    let first = columns
        .find(|column| takes(column))
        .map_or(0, |column| column.attnum);
    let mut calls = Vec::new();
    for entry in given().filter(|entry| entry.resno < first) {
        tree::walk(entry.expr.cast(), &mut |node| {
            let call = tree::cast::<pg_sys::FuncExpr, _>(node);
            if call.is_some_and(|call| call.funcid.to_u32() == pg_sys::F_LASTVAL) {
                calls.push(node);
            }
            tree::cast::<pg_sys::Query, _>(node).is_none()
        });
    }
    calls
}

/// Whether a value may take numbers of sequences.
fn takes_numbers(value: NodePtr) -> bool {
    let is_identity = |node: NodePtr| tree::cast::<pg_sys::NextValueExpr, _>(node).is_some();
    let found = functions::called_by(&[value]);
    tree::any(value, &mut |node| is_identity(node))
        || !found.draws.is_empty()
        || !found.opaque.is_empty()
}

/// Whether an expression asks for numbers of the session.
pub fn asks_session(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::FuncExpr, _>(node).is_some_and(|call| {
            [pg_sys::F_LASTVAL, pg_sys::F_CURRVAL].contains(&call.funcid.to_u32())
        })
    })
}

/// Whether an INSERT into a table without placement asks, in RETURNING alone, for the numbers that its own rows have taken: the node that takes them
/// knows them then.
pub fn asks_for_own_draws(query: &pg_sys::Query, scopes: &Scopes, facts: &Json) -> bool {
    let draws: Vec<&str> = facts["draws"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let alone = scopes
        .relations
        .iter()
        .all(|relation| matches!(relation.placement, Placement::None | Placement::Catalog));
    let no_node = facts["of_no_node"].as_array();
    let asks_only = no_node.is_some_and(|names| {
        !names.is_empty()
            && names
                .iter()
                .all(|name| name == "currval" || name == "lastval")
    });
    let inserts = query.commandType == CmdType::CMD_INSERT && query.onConflict.is_null();
    if !inserts || !alone || !asks_only || draws.is_empty() || draws.contains(&"") {
        return false;
    }
    let before = tree::copy(query);
    // SAFETY: a private copy.
    unsafe { (*before).returningList = std::ptr::null_mut() };
    let asks_own = |node: NodePtr| {
        let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(node) else {
            return true;
        };
        call.funcid.to_u32() != pg_sys::F_CURRVAL || {
            let sequence = node_functions::sequence_of(tree::nodes(call.args).next());
            draws.contains(&parser::qualified_name(sequence).as_str())
        }
    };
    !asks_session(before.cast())
        && !tree::any(query.returningList.cast(), &mut |node| !asks_own(node))
}

// ---- setval()

/// `SELECT setval(...)`, with or without FROM, which gives one row.
struct SequenceSetting {
    /// InvalidOid when only the values tell.
    sequence: Oid,
    named: NodePtr,
    arguments: Vec<NodePtr>,
    name: String,
}

/// Whether a query gives one row, whatever there is.
fn gives_one_row(query: &pg_sys::Query) -> bool {
    let plain = query.commandType == CmdType::CMD_SELECT
        && query.setOperations.is_null()
        && query.groupClause.is_null()
        && query.groupingSets.is_null()
        && query.havingQual.is_null()
        && query.distinctClause.is_null()
        && query.limitOffset.is_null()
        && query.limitCount.is_null()
        && query.rowMarks.is_null()
        && !query.hasModifyingCTE
        && !query.hasWindowFuncs
        && !query.hasTargetSRFs;
    let Some(from) = tree::cast::<pg_sys::FromExpr, _>(query.jointree).filter(|_| plain) else {
        return false;
    };
    if query.hasAggs || !from.quals.is_null() {
        return query.hasAggs;
    }
    let items: Vec<NodePtr> = tree::nodes(from.fromlist).collect();
    match items.as_slice() {
        [] => true,
        [one] => tree::cast::<pg_sys::RangeTblRef, _>(*one)
            .and_then(|range| read_by(query, range.rtindex))
            .is_some_and(gives_one_row),
        _ => false,
    }
}

/// The query that an entry of the range table stands for: a subquery, or one of WITH.
fn read_by(query: &pg_sys::Query, number: i32) -> Option<&'static pg_sys::Query> {
    let entry = tree::cast::<pg_sys::RangeTblEntry, _>(tree::range(query, number))?;
    match entry.rtekind {
        RTEKind::RTE_SUBQUERY => tree::cast::<pg_sys::Query, _>(entry.subquery),
        RTEKind::RTE_CTE if entry.ctelevelsup == 0 && !entry.self_reference => {
            let mut queries = tree::list::<pg_sys::CommonTableExpr>(query.cteList);
            let name = tree::string(entry.ctename);
            let named = queries.find(|one| tree::string(one.ctename) == name)?;
            tree::cast::<pg_sys::Query, _>(named.ctequery)
        }
        _ => None,
    }
}

impl SequenceSetting {
    fn of(query: &pg_sys::Query) -> Option<SequenceSetting> {
        let mut entries = tree::list::<pg_sys::TargetEntry>(query.targetList);
        let (entry, None) = (entries.next()?, entries.next()) else {
            return None;
        };
        let call = tree::cast::<pg_sys::FuncExpr, _>(entry.expr)?;
        let sets = [
            pg_sys::F_SETVAL_REGCLASS_INT8,
            pg_sys::F_SETVAL_REGCLASS_INT8_BOOL,
        ]
        .contains(&call.funcid.to_u32());
        if !gives_one_row(query) || !sets {
            return None;
        }
        let mut arguments = tree::nodes(call.args);
        let named = arguments.next()?;
        let sequence = node_functions::sequence_of(Some(named));
        let is_known = sequence != Oid::INVALID || !computed::reads_rows(named);
        is_known.then(|| SequenceSetting {
            sequence,
            named,
            arguments: arguments.collect(),
            name: tree::string(entry.resname),
        })
    }

    fn known(
        self,
        query: &pg_sys::Query,
        parameters: &[Oid],
        placed: bool,
    ) -> Result<Option<Known>, PostgresError> {
        let unknown = self.sequence == Oid::INVALID;
        let divided = unknown || node_functions::is_divided(self.sequence);
        let reads = !query.rtable.is_null()
            || self
                .arguments
                .iter()
                .any(|argument| computed::reads_rows(*argument));
        if !(divided || placed && reads) {
            return Ok(None);
        }
        let function = if divided {
            format!("abelian.{CONTINUE_SEQUENCE}")
        } else {
            "pg_catalog.setval".to_owned()
        };
        let mut all = parameters.to_vec();
        let mut texts = Vec::new();
        for argument in &self.arguments {
            if reads {
                all.push(tree::type_of(*argument));
                texts.push(format!("${}", all.len()));
            } else {
                texts.push(parser::deparse_value(*argument));
            }
        }
        let name = parser::c_text(&self.name);
        // SAFETY: a C string, of which the result is copied.
        let column = unsafe { tree::string(pg_sys::quote_identifier(name.as_ptr())) };
        let text = format!(
            "SELECT {function}({}, {}) AS {column}",
            self.sequence_text(),
            texts.join(", ")
        );
        let values: Vec<Json> = (parameters.len()..all.len())
            .map(|at| json!([0, at - parameters.len()]))
            .collect();
        let computing = reads.then(|| self.source(query)).transpose()?;
        Ok(Some(Known {
            text,
            parameters: all,
            values,
            query: computing,
            reads,
        }))
    }

    /// Which sequence it is, for any node.
    fn sequence_text(&self) -> String {
        if self.sequence == Oid::INVALID {
            return format!(
                "({})::pg_catalog.regclass",
                parser::deparse_value(self.named)
            );
        }
        let name = parser::c_text(&parser::qualified_name(self.sequence));
        // SAFETY: a C string, of which the result is copied.
        let literal = unsafe { tree::string(pg_sys::quote_literal_cstr(name.as_ptr())) };
        format!("{literal}::pg_catalog.regclass")
    }

    /// The query that gives the arguments.
    fn source(&self, query: &pg_sys::Query) -> Result<Json, PostgresError> {
        let source = tree::copy(query);
        // SAFETY: a private copy of a query, whose target list is replaced by one of copies.
        unsafe {
            (*source).targetList =
                tree::make_list(self.arguments.iter().enumerate().map(|(at, argument)| {
                    let name = pg_sys::pstrdup(parser::c_text(&format!("a{at}")).as_ptr());
                    let value = tree::copy(*argument);
                    pg_sys::makeTargetEntry(value.cast(), at as i16 + 1, name, false).cast()
                }));
        }
        Ok(
            json!({ "text": parser::deparse_for(source, &[])?, "sequences": false, "transactional": true }),
        )
    }
}

// ---- copies that stay alike

/// Replaces what all rows get alike but each node differently, as `now()`, if that is all that would differ.
fn alike(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Known>, PostgresError> {
    let changes = matches!(
        query.commandType,
        CmdType::CMD_UPDATE | CmdType::CMD_DELETE | CmdType::CMD_INSERT
    );
    if !changes {
        return Ok(None);
    }
    let mut all = parameters.to_vec();
    let mut texts: Vec<String> = Vec::new();
    let replaced = tree::replace_in_query(query, &mut |node| {
        if !is_expression(node) || !is_alike_for_all_rows(node) {
            return None;
        }
        let text = parser::deparse_value(node);
        let type_ = tree::type_of(node);
        texts.push(text);
        all.push(type_);
        Some(tree::make_parameter(all.len() as i32, type_))
    });
    if texts.is_empty() {
        return Ok(None);
    }
    Ok(Some(Known {
        text: parser::deparse_for(replaced, &[])?,
        parameters: all,
        values: (0..texts.len()).map(|at| json!([0, at])).collect(),
        query: Some(json!({
            "text": format!("SELECT {}", texts.join(", ")), "sequences": false, "transactional": true,
        })),
        reads: false,
    }))
}

fn is_expression(node: NodePtr) -> bool {
    use pg_sys::NodeTag::{
        T_ArrayExpr, T_BoolExpr, T_CaseExpr, T_CoalesceExpr, T_CoerceViaIO, T_FuncExpr,
        T_MinMaxExpr, T_OpExpr, T_SQLValueFunction,
    };
    matches!(
        tree::tag(node),
        Some(
            T_ArrayExpr
                | T_BoolExpr
                | T_CaseExpr
                | T_CoalesceExpr
                | T_CoerceViaIO
                | T_FuncExpr
                | T_MinMaxExpr
                | T_OpExpr
                | T_SQLValueFunction
        )
    )
}

/// Whether it depends on nothing but the session, its transaction and the statement's parameters, and on some of these.
fn is_alike_for_all_rows(expression: NodePtr) -> bool {
    if computed::reads_rows(expression) {
        return false;
    }
    let found = functions::called_by(&[expression]);
    let harmless = found.opaque.is_empty()
        && found.of_one_node.is_empty()
        && found.of_no_node.is_empty()
        && !found.settings
        && !found.placement
        && !found.object_ids;
    found.mutable && !found.volatile && harmless
}
