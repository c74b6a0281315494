//! A statement in two: one of its queries, which runs before, and the statement over the rows that this gives, as one array parameter for each column
//! after the statement's own. What else there is to be said about the query, its callers know.

use super::insert_select;
use super::merge::{
    self,
    build::{self, WorkerColumns},
    filter,
};
use super::parser;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, CmdType, Oid, RTEKind, SubLinkType};

/// The two statements.
pub struct Given {
    /// Gives the rows.
    pub source: &'static mut pg_sys::Query,
    /// The statement over them.
    pub statement: &'static mut pg_sys::Query,
    /// The types of all its parameters.
    pub parameters: Vec<Oid>,
    /// How many of them are arrays of the rows.
    pub count: usize,
}

/// Puts the rows of a query in the place of a level of a statement; `None` when it cannot be said in other words.
///
/// `statement` is a copy of `query` that may be changed, `level` one of its queries, and `source` what that is by itself, whose last columns, `hidden` in
/// number, the statement shall not see.
pub fn divide(
    query: &pg_sys::Query,
    statement: &'static mut pg_sys::Query,
    level: *mut pg_sys::Query,
    source: &'static mut pg_sys::Query,
    hidden: usize,
    parameters: &[Oid],
) -> Result<Option<Given>, PostgresError> {
    let given = match source.commandType {
        CmdType::CMD_SELECT => source.targetList,
        _ => source.returningList,
    };
    let mut columns = WorkerColumns::default();
    for entry in tree::list::<pg_sys::TargetEntry>(given) {
        if !entry.resjunk {
            columns.push(entry.expr.cast(), 0);
        }
    }
    let gives_nothing = columns.len() == 0 && source.commandType == CmdType::CMD_SELECT;
    if gives_nothing || columns.has_anonymous_rows() {
        return Ok(None);
    }
    // What a change returns comes in the texts that the client would see.
    if source.commandType != CmdType::CMD_SELECT && !columns.have_exact_texts() {
        return Ok(None);
    }
    let first = parameters.len();
    let all: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    if columns.len() > 0 {
        let rows = build::rows(first, &all)?;
        rows.targetList = targets(given, &columns, columns.len() - hidden);
        restrict(statement, level, first, &all);
        put_rows(statement, level, rows);
    } else {
        take_out(statement, level);
    }
    if !has_same_result(query, statement, &all)? {
        return Ok(None);
    }
    let source = insert_select::with_states(source, &columns);
    Ok(Some(Given {
        source,
        statement,
        parameters: all,
        count: columns.len(),
    }))
}

/// The target list of a query over so many of the arrays, with the names that the columns had.
fn targets(
    source: *const pg_sys::List,
    columns: &WorkerColumns,
    count: usize,
) -> *mut pg_sys::List {
    let given = tree::list::<pg_sys::TargetEntry>(source).filter(|entry| !entry.resjunk);
    tree::make_list(given.take(count).enumerate().map(|(at, entry)| {
        let target = build::target(columns.read(at), at as i16 + 1);
        // SAFETY: the entry was just made.
        unsafe { (*target).resname = entry.resname };
        target.cast()
    }))
}

/// Puts the query over the arrays in the place of the level. Where that is one of WITH, it takes the place of each mention.
pub fn put_rows(
    statement: &mut pg_sys::Query,
    level: *mut pg_sys::Query,
    rows: &mut pg_sys::Query,
) {
    let Some(name) = take_out(statement, level) else {
        // SAFETY: a level of a private copy, of which nothing else is held.
        unsafe { *level = *rows };
        return;
    };
    for mention in mentions(statement, &name, 0) {
        // SAFETY: as above.
        unsafe { merge::put_subquery(mention, build::copy(rows)) };
    }
}

/// Takes a query out of the statement's WITH, and gives its name; `None` when it is none of these.
fn take_out(statement: &mut pg_sys::Query, level: *mut pg_sys::Query) -> Option<String> {
    let (own, others): (Vec<NodePtr>, Vec<NodePtr>) =
        tree::nodes(statement.cteList).partition(|with| {
            tree::cast::<pg_sys::CommonTableExpr, _>(*with)
                .is_some_and(|with| std::ptr::eq(with.ctequery.cast(), level))
        });
    let with = tree::cast::<pg_sys::CommonTableExpr, _>(*own.first()?)?;
    statement.cteList = tree::make_list(others);
    statement.hasRecursive &= !statement.cteList.is_null();
    Some(tree::string(with.ctename))
}

/// The mentions of a query of WITH in a level so many below that of the WITH, and further below.
pub fn mentions(level: &pg_sys::Query, name: &str, depth: u32) -> Vec<*mut pg_sys::RangeTblEntry> {
    let mut found = Vec::new();
    find_mentions(level, name, depth, &mut found);
    found
}

fn find_mentions(
    level: &pg_sys::Query,
    name: &str,
    depth: u32,
    found: &mut Vec<*mut pg_sys::RangeTblEntry>,
) {
    for entry in tree::list::<pg_sys::RangeTblEntry>(level.rtable) {
        if entry.rtekind == RTEKind::RTE_CTE
            && entry.ctelevelsup == depth
            && tree::string(entry.ctename) == name
        {
            found.push(std::ptr::from_ref(entry).cast_mut());
        }
    }
    tree::query_children(level, &mut |child| {
        tree::walk(child, &mut |node| {
            let inner = tree::cast::<pg_sys::Query, _>(node);
            if let Some(inner) = inner {
                find_mentions(inner, name, depth + 1, found);
            }
            inner.is_none()
        });
    });
}

/// Written as SQL, types are found anew.
pub fn has_same_result(
    query: &pg_sys::Query,
    statement: &mut pg_sys::Query,
    parameters: &[Oid],
) -> Result<bool, PostgresError> {
    let text = parser::deparse_for(statement, &[])?;
    Ok(build::result_types(&text, parameters)? == build::types_of(query))
}

// ---- which rows change

/// The place of a level that is replaced by rows.
struct Rows {
    level: *mut pg_sys::Query,
    /// Of the statement's parameters before the arrays.
    first: usize,
}

/// Says of each column of the changed table that WHERE compares with one of the rows that it has some value of that array. It says nothing new,
/// but shows a router which nodes have rows to change.
fn restrict(
    statement: &mut pg_sys::Query,
    level: *mut pg_sys::Query,
    first: usize,
    parameters: &[Oid],
) {
    let Some(from) = tree::cast::<pg_sys::FromExpr, _>(statement.jointree) else {
        return;
    };
    let rows = Rows { level, first };
    let conditions = tree::conjuncts(from.quals);
    let restrictions: Vec<NodePtr> = conditions
        .iter()
        .filter_map(|condition| rows.restriction(statement, *condition, parameters))
        .collect();
    for restriction in restrictions {
        filter::add(statement, restriction);
    }
}

impl Rows {
    /// `column = ANY (array)` for a comparison of a column of the changed table with one of the rows.
    fn restriction(
        &self,
        statement: &pg_sys::Query,
        condition: NodePtr,
        parameters: &[Oid],
    ) -> Option<NodePtr> {
        let test = match tree::cast::<pg_sys::SubLink, _>(condition) {
            Some(link)
                if link.subLinkType == SubLinkType::ANY_SUBLINK && self.is(link.subselect) =>
            {
                link.testexpr
            }
            _ => condition,
        };
        let operator = tree::cast::<pg_sys::OpExpr, _>(test)?;
        let sides: Vec<NodePtr> = tree::nodes(operator.args).collect();
        let &[one, other] = sides.as_slice() else {
            return None;
        };
        let is_changed = |side: NodePtr| {
            tree::cast::<pg_sys::Var, _>(side)
                .is_some_and(|var| var.varno == statement.resultRelation && var.varlevelsup == 0)
        };
        let (column, number, operator_oid) = match (is_changed(one), is_changed(other)) {
            (true, false) => (one, self.field(statement, other)?, operator.opno),
            // SAFETY: a catalogue look-up.
            (false, true) => (other, self.field(statement, one)?, unsafe {
                pg_sys::get_commutator(operator.opno)
            }),
            _ => return None,
        };
        if operator_oid == Oid::INVALID {
            return None;
        }
        let array = parameters[self.first + number - 1];
        let parameter = tree::make_parameter((self.first + number) as i32, array);
        let collation = operator.inputcollid;
        Some(tree::make_any(operator_oid, collation, column, parameter))
    }

    fn is<N>(&self, query: *const N) -> bool {
        std::ptr::eq(query.cast::<pg_sys::Query>(), self.level)
    }

    /// The number of the column that an expression reads of the rows, from 1.
    fn field(&self, statement: &pg_sys::Query, expression: NodePtr) -> Option<usize> {
        if let Some(link) = tree::cast::<pg_sys::SubLink, _>(expression) {
            let one = link.subLinkType == SubLinkType::EXPR_SUBLINK && self.is(link.subselect);
            return one.then_some(1);
        }
        if let Some(parameter) = tree::cast::<pg_sys::Param, _>(expression) {
            let given = parameter.paramkind == pg_sys::ParamKind::PARAM_SUBLINK;
            return given.then_some(parameter.paramid as usize);
        }
        let var = tree::cast::<pg_sys::Var, _>(expression).filter(|var| var.varlevelsup == 0)?;
        let entry = tree::list::<pg_sys::RangeTblEntry>(statement.rtable)
            .nth(usize::try_from(var.varno).ok()?.checked_sub(1)?)?;
        let behind = match entry.rtekind {
            RTEKind::RTE_SUBQUERY => entry.subquery,
            RTEKind::RTE_CTE if entry.ctelevelsup == 0 => with_query(statement, entry)?,
            _ => return None,
        };
        (self.is(behind) && var.varattno > 0).then_some(var.varattno as usize)
    }
}

fn with_query(
    statement: &pg_sys::Query,
    entry: &pg_sys::RangeTblEntry,
) -> Option<*mut pg_sys::Query> {
    let name = tree::string(entry.ctename);
    tree::list::<pg_sys::CommonTableExpr>(statement.cteList)
        .find(|with| tree::string(with.ctename) == name)
        .map(|with| with.ctequery.cast())
}
