//! A body in PL/pgSQL as one query over its arguments: a variable is the expression that was assigned to it, IF becomes CASE, and the rows of
//! several RETURN QUERY are joined by UNION ALL. Loops, records, EXCEPTION, RAISE, FOUND and dynamic queries have no such form.

use super::super::super::analysis::tree::{self, NodePtr};
use super::super::super::analysis::{parser, query_value};
use super::expressions::{assigns_a_part, case, coerced, is_large, is_not_true, written_out};
use super::plpgsql::Body;
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid, PLpgSQL_datum_type as Variable, PLpgSQL_stmt_type as Kind};
use std::collections::BTreeMap;

type Statement = *const pg_sys::PLpgSQL_stmt;

/// What variables hold, by their numbers.
type Values = BTreeMap<i32, NodePtr>;

/// `None` where there is no such form.
type Found<T> = Result<Option<T>, PostgresError>;

/// What follows an IF counts for each of its ways.
const STATEMENTS_MAX: usize = 200;

/// What RETURN QUERY adds where all conditions are true.
struct Part {
    conditions: Vec<NodePtr>,
    query: *mut pg_sys::Query,
}

struct Path<'b, 'f> {
    body: &'b Body<'f>,
    /// How many statements have been looked at.
    looked_at: usize,
    parts: Vec<Part>,
}

/// Takes the value out of what may have none.
macro_rules! known {
    ($found:expr) => {
        match $found {
            Some(found) => found,
            None => return Ok(None),
        }
    };
}

/// The query that gives what a call gives. Arguments are parameters, numbered from 1.
///
/// # Safety
/// A compiled body.
pub unsafe fn of(body: &Body) -> Found<&'static pg_sys::Query> {
    // SAFETY: by the caller; the kind says which structure a statement is.
    unsafe {
        let function = &*body.function;
        let arguments = &function.fn_argvarnos[..function.fn_nargs as usize];
        if (0..).zip(arguments).any(|(n, number)| n != *number) {
            return Ok(None);
        }
        let mut path = Path {
            body,
            looked_at: 0,
            parts: Vec::new(),
        };
        let mut values = Values::new();
        for number in 0..function.fn_nargs {
            if let Some(variable) = path.variable(number) {
                values.insert(number, parameter(number, variable));
            }
        }
        if let Some(variable) = path.variable(function.out_param_varno) {
            values.insert(function.out_param_varno, null_of(variable));
        }
        let whole = vec![function.action.cast_const().cast()];
        if !function.fn_retset {
            let value = path.value_of(whole, values)?;
            return value
                .map(|value| parse(&format!("SELECT {}", parser::deparse_value(value)), body))
                .transpose();
        }
        known!(path.rows_of(whole, values, &[])?);
        path.rows()
    }
}

/// # Safety
/// An argument of a compiled function.
unsafe fn parameter(number: i32, variable: &pg_sys::PLpgSQL_var) -> NodePtr {
    let parameter = tree::make::<pg_sys::Param>();
    parameter.paramkind = pg_sys::ParamKind::PARAM_EXTERN;
    parameter.paramid = number + 1;
    // SAFETY: by the caller.
    unsafe {
        parameter.paramtype = (*variable.datatype).typoid;
        parameter.paramcollid = (*variable.datatype).collation;
    }
    parameter.paramtypmod = -1;
    parameter.location = -1;
    std::ptr::from_mut(parameter).cast()
}

/// # Safety
/// A variable of a compiled function.
unsafe fn null_of(variable: &pg_sys::PLpgSQL_var) -> NodePtr {
    // SAFETY: by the caller.
    unsafe {
        let kind = &*variable.datatype;
        pg_sys::makeNullConst(kind.typoid, kind.atttypmod, kind.collation).cast()
    }
}

/// A text of ours over the arguments.
///
/// # Safety
/// A compiled body.
unsafe fn parse(text: &str, body: &Body) -> Result<&'static pg_sys::Query, PostgresError> {
    let text = parser::c_text(text);
    // SAFETY: arguments are the first variables.
    let types: Vec<Oid> = unsafe {
        let function = &*body.function;
        (0..function.fn_nargs as usize)
            .map(|number| {
                let datum = *function.datums.add(number);
                match (*datum).dtype {
                    Variable::PLPGSQL_DTYPE_VAR => {
                        (*(*datum.cast::<pg_sys::PLpgSQL_var>()).datatype).typoid
                    }
                    _ => (*datum.cast::<pg_sys::PLpgSQL_rec>()).rectypeid,
                }
            })
            .collect()
    };
    let statements = parser::parse(&text)?;
    Ok(parser::analyse(statements[0], &text, &types)?.query)
}

impl Path<'_, '_> {
    /// What a function that gives one value returns.
    unsafe fn value_of(
        &mut self,
        mut statements: Vec<Statement>,
        mut values: Values,
    ) -> Found<NodePtr> {
        // SAFETY: by the caller; the kind says which structure a statement is.
        unsafe {
            while !statements.is_empty() {
                let first = known!(self.next(&mut statements));
                match (*first).cmd_type {
                    Kind::PLPGSQL_STMT_RETURN => return self.returned(&*first.cast(), &values),
                    Kind::PLPGSQL_STMT_IF => {
                        let mut cases = Vec::new();
                        for way in known!(self.ways(&*first.cast(), &values)?) {
                            let rest = way.statements.iter().chain(&statements).copied().collect();
                            let value = known!(self.value_of(rest, values.clone())?);
                            cases.push((way.condition, value));
                        }
                        return Ok(case(cases));
                    }
                    _ => known!(self.step(first, &mut statements, &mut values)?),
                }
            }
        }
        Ok(None)
    }

    /// Adds what a function that gives rows returns under these conditions.
    unsafe fn rows_of(
        &mut self,
        mut statements: Vec<Statement>,
        mut values: Values,
        conditions: &[NodePtr],
    ) -> Found<()> {
        // SAFETY: as above.
        unsafe {
            while !statements.is_empty() {
                let first = known!(self.next(&mut statements));
                match (*first).cmd_type {
                    Kind::PLPGSQL_STMT_RETURN => break,
                    Kind::PLPGSQL_STMT_RETURN_QUERY => {
                        let gives = &*first.cast::<pg_sys::PLpgSQL_stmt_return_query>();
                        if gives.query.is_null() {
                            return Ok(None);
                        }
                        let query = known!(self.query(gives.query, &values)?);
                        let conditions = conditions.to_vec();
                        self.parts.push(Part { conditions, query });
                    }
                    Kind::PLPGSQL_STMT_IF => {
                        let mut before = conditions.to_vec();
                        for way in known!(self.ways(&*first.cast(), &values)?) {
                            let mut under = before.clone();
                            if let Some(condition) = way.condition {
                                under.push(condition);
                                before.push(is_not_true(condition));
                            }
                            let rest = way.statements.iter().chain(&statements).copied().collect();
                            known!(self.rows_of(rest, values.clone(), &under)?);
                        }
                        return Ok(Some(()));
                    }
                    _ => known!(self.step(first, &mut statements, &mut values)?),
                }
            }
        }
        Ok(Some(()))
    }

    /// All that was added, in its order.
    unsafe fn rows(&self) -> Found<&'static pg_sys::Query> {
        if let [only] = self.parts.as_slice()
            && only.conditions.is_empty()
        {
            // SAFETY: a private copy.
            return Ok(Some(unsafe { &*only.query }));
        }
        let mut texts = Vec::new();
        for part in &self.parts {
            let query = parser::deparse_for(part.query, &[])?;
            let conditions: Vec<String> = part
                .conditions
                .iter()
                .map(|condition| format!("({})", parser::deparse_value(*condition)))
                .collect();
            texts.push(match conditions.as_slice() {
                [] => format!("({query})"),
                all => format!("(SELECT * FROM ({query}) q WHERE {})", all.join(" AND ")),
            });
        }
        if texts.is_empty() {
            return Ok(None);
        }
        // SAFETY: by the caller.
        let query = unsafe { parse(&texts.join(" UNION ALL "), self.body)? };
        // UNION finds a common type, which RETURN QUERY does not.
        // SAFETY: private copies.
        let alike = self
            .parts
            .iter()
            .all(|part| unsafe { types(&*part.query) == types(query) });
        Ok(alike.then_some(query))
    }

    fn next(&mut self, statements: &mut Vec<Statement>) -> Option<Statement> {
        self.looked_at += 1;
        (self.looked_at <= STATEMENTS_MAX).then(|| statements.remove(0))
    }

    /// What changes variables only, or is a block, whose statements come first.
    unsafe fn step(
        &self,
        statement: Statement,
        statements: &mut Vec<Statement>,
        values: &mut Values,
    ) -> Found<()> {
        // SAFETY: the kind says which structure a statement is.
        unsafe {
            match (*statement).cmd_type {
                Kind::PLPGSQL_STMT_BLOCK => {
                    let block = &*statement.cast::<pg_sys::PLpgSQL_stmt_block>();
                    known!(self.enter(block, values)?);
                    statements.splice(0..0, statements_of(block.body));
                    Ok(Some(()))
                }
                Kind::PLPGSQL_STMT_ASSIGN => {
                    let assign = &*statement.cast::<pg_sys::PLpgSQL_stmt_assign>();
                    let value = known!(self.expression(assign.expr, values)?);
                    if assigns_a_part(value) {
                        return Ok(None);
                    }
                    self.assign(assign.varno, value, values)
                }
                Kind::PLPGSQL_STMT_EXECSQL => self.select_into(&*statement.cast(), values),
                _ => Ok(None),
            }
        }
    }

    unsafe fn enter(&self, block: &pg_sys::PLpgSQL_stmt_block, values: &mut Values) -> Found<()> {
        if !block.exceptions.is_null() {
            return Ok(None);
        }
        for number in 0..block.n_initvars as usize {
            // SAFETY: a compiled block.
            unsafe {
                let number = *block.initvarnos.add(number);
                let Some(variable) = self.variable(number) else {
                    values.remove(&number);
                    continue; // whoever reads it has no such form
                };
                let default = variable.default_val;
                if default.is_null() {
                    values.insert(number, null_of(variable));
                } else {
                    let value = known!(self.expression(default, values)?);
                    known!(self.assign(number, value, values)?);
                }
            }
        }
        Ok(Some(()))
    }

    /// SELECT ... INTO variables: the first row, or NULLs.
    unsafe fn select_into(
        &self,
        select: &pg_sys::PLpgSQL_stmt_execsql,
        values: &mut Values,
    ) -> Found<()> {
        if !select.into || select.strict || select.target.is_null() {
            return Ok(None);
        }
        // SAFETY: the kind of the target says what it is.
        let numbers: Vec<i32> = unsafe {
            if (*select.target).dtype != Variable::PLPGSQL_DTYPE_ROW {
                return Ok(None);
            }
            let row = &*select.target.cast::<pg_sys::PLpgSQL_row>();
            std::slice::from_raw_parts(row.varnos, row.nfields as usize).to_vec()
        };
        // SAFETY: a compiled statement, of which a private copy comes.
        let query = unsafe { &*known!(self.query(select.sqlstmt, values)?) };
        let columns: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList).collect();
        let fits = columns.iter().filter(|column| !column.resjunk).count() == numbers.len();
        // More columns than one could come from different rows, as each is a query of its own.
        let one_row = (query_value::gives_one_group(query) && query.limitCount.is_null())
            || query_value::gives_one_row_of_nothing(query);
        let apart = one_row && columns.iter().all(|column| column.ressortgroupref == 0);
        if !fits || (numbers.len() > 1 && !apart) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for column in columns.iter().filter(|column| !column.resjunk) {
            let one = tree::copy(std::ptr::from_ref(query));
            if numbers.len() > 1 {
                let column = tree::copy(std::ptr::from_ref(*column));
                // SAFETY: private copies.
                unsafe {
                    (*column).resno = 1;
                    (*one).targetList = tree::make_list([column.cast()]);
                }
            }
            // SAFETY: a private copy.
            found.push(known!(query_value::of(unsafe { &*one })));
        }
        for (number, value) in numbers.into_iter().zip(found) {
            // SAFETY: a variable of the compiled function.
            known!(unsafe { self.assign(number, value, values)? });
        }
        Ok(Some(()))
    }

    /// The ways that an IF can take, each if no earlier one is taken.
    unsafe fn ways(&self, branch: &pg_sys::PLpgSQL_stmt_if, values: &Values) -> Found<Vec<Way>> {
        // SAFETY: a compiled IF.
        unsafe {
            let mut arms = vec![(branch.cond, branch.then_body)];
            for arm in tree::nodes(branch.elsif_list) {
                let arm = &*arm.cast::<pg_sys::PLpgSQL_if_elsif>();
                arms.push((arm.cond, arm.stmts));
            }
            let mut ways = Vec::new();
            for (condition, statements) in arms {
                let condition = known!(self.expression(condition, values)?);
                if tree::type_of(condition) != pg_sys::BOOLOID {
                    return Ok(None);
                }
                ways.push(Way {
                    condition: Some(condition),
                    statements: statements_of(statements),
                });
            }
            ways.push(Way {
                condition: None,
                statements: statements_of(branch.else_body),
            });
            Ok(Some(ways))
        }
    }

    unsafe fn returned(
        &self,
        returns: &pg_sys::PLpgSQL_stmt_return,
        values: &Values,
    ) -> Found<NodePtr> {
        // SAFETY: a compiled RETURN.
        unsafe {
            let function = &*self.body.function;
            let value = match returns.expr.is_null() {
                true => *known!(values.get(&returns.retvarno)),
                false => known!(self.expression(returns.expr, values)?),
            };
            if function.fn_retistuple || function.fn_retisdomain {
                return Ok(None);
            }
            coerced(value, function.fn_rettype, -1)
        }
    }

    unsafe fn assign(&self, number: i32, value: NodePtr, values: &mut Values) -> Found<()> {
        // SAFETY: by the caller.
        unsafe {
            let variable = known!(self.variable(number));
            let kind = &*variable.datatype;
            let value = known!(coerced(value, kind.typoid, kind.atttypmod)?);
            if tree::collation_of(value) != kind.collation || is_large(value) {
                return Ok(None);
            }
            values.insert(number, written_out(value));
        }
        Ok(Some(()))
    }

    /// A variable of one value, which may be NULL.
    unsafe fn variable(&self, number: i32) -> Option<&'static pg_sys::PLpgSQL_var> {
        // SAFETY: the kind of a variable says what it is.
        unsafe {
            let function = &*self.body.function;
            if number < 0 || number >= function.ndatums {
                return None;
            }
            let datum = *function.datums.add(number as usize);
            if (*datum).dtype != Variable::PLPGSQL_DTYPE_VAR {
                return None;
            }
            let variable = &*datum.cast::<pg_sys::PLpgSQL_var>();
            let plain = !variable.notnull
                && !variable.datatype.is_null()
                && (*variable.datatype).ttype == pg_sys::PLpgSQL_type_type::PLPGSQL_TTYPE_SCALAR
                && (*variable.datatype).typtype as u8 != pg_sys::TYPTYPE_DOMAIN;
            plain.then_some(variable)
        }
    }

    unsafe fn expression(
        &self,
        expression: *mut pg_sys::PLpgSQL_expr,
        values: &Values,
    ) -> Found<NodePtr> {
        // SAFETY: a compiled expression, of which a private copy comes.
        unsafe {
            let query = &*known!(self.query(expression, values)?);
            if !query_value::gives_one_row_of_nothing(query) {
                return Ok(None);
            }
            Ok(query_value::of(query).filter(|value| !is_large(*value)))
        }
    }

    /// A copy with the variables' values in it.
    unsafe fn query(
        &self,
        expression: *mut pg_sys::PLpgSQL_expr,
        values: &Values,
    ) -> Found<*mut pg_sys::Query> {
        // SAFETY: a compiled expression.
        let (query, arguments) = unsafe {
            let query = self.body.parse(expression)?;
            (query, (*self.body.function).fn_nargs)
        };
        if query.commandType != pg_sys::CmdType::CMD_SELECT {
            return Ok(None);
        }
        let mut fits = true;
        let replaced = tree::replace_in_query(query, &mut |node| {
            let parameter = tree::cast::<pg_sys::Param, _>(node)?;
            if parameter.paramkind != pg_sys::ParamKind::PARAM_EXTERN {
                return None;
            }
            let number = parameter.paramid - 1;
            let Some(value) = values.get(&number) else {
                fits &= number < arguments;
                return None;
            };
            fits &= tree::type_of(*value) == parameter.paramtype
                && tree::collation_of(*value) == parameter.paramcollid;
            Some(tree::copy(*value))
        });
        if !fits || is_large(replaced.cast()) {
            return Ok(None);
        }
        // SAFETY: a private copy and its levels; a value may be a subquery.
        for level in tree::levels(unsafe { &mut *replaced }) {
            // SAFETY: as above.
            unsafe { (*level).hasSubLinks = true };
        }
        Ok(Some(replaced))
    }
}

/// One of an IF's ways; ELSE has no condition.
struct Way {
    condition: Option<NodePtr>,
    statements: Vec<Statement>,
}

fn statements_of(list: *mut pg_sys::List) -> Vec<Statement> {
    tree::nodes(list)
        .map(|statement| statement.cast_const().cast())
        .collect()
}

/// The types of the columns.
fn types(query: &pg_sys::Query) -> Vec<Oid> {
    tree::list::<pg_sys::TargetEntry>(query.targetList)
        .filter(|entry| !entry.resjunk)
        .map(|entry| tree::type_of(entry.expr))
        .collect()
}
