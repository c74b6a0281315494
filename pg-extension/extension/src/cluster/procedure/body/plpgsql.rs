//! The statements of a PL/pgSQL body, as PL/pgSQL itself compiled them. Their queries are parsed by PostgreSQL with PL/pgSQL's own
//! resolution of variables, which become parameters.

mod cursors;
mod records;

use super::super::super::analysis::tree;
use super::findings::{Findings, Source, Sources};
use super::{as_query, query};
use crate::boundary::functions::{self, ParserSetup};
use crate::boundary::{self, PostgresError};
use crate::hooks::block;
use pgrx::pg_sys::{self, Oid, PLpgSQL_stmt_type as Kind};
use std::collections::HashMap;
use std::ffi::CStr;

/// More rounds than a body of sensible size needs: each one learns something about a variable.
const ROUNDS_MAX: usize = 100;

/// A compiled function, and what is found in it.
pub struct Body<'f> {
    findings: &'f mut Findings,
    /// As PL/pgSQL compiled it.
    pub function: *mut pg_sys::PLpgSQL_function,
    setup: ParserSetup,
    /// Types of the columns of the query that was looked at last.
    columns: Vec<Oid>,
    /// The same with their names; null where there is no query.
    row: pg_sys::TupleDesc,
    /// Of the queries of cursors that were opened, by the cursors' variables.
    opened: HashMap<i32, (pg_sys::TupleDesc, Sources)>,
    /// What FOUND may ever hold.
    found_ever: Sources,
}

/// Analyses the body of a function in PL/pgSQL.
pub fn analyse(findings: &mut Findings, function: Oid) -> Result<(), PostgresError> {
    // SAFETY: the body is compiled.
    with_body(findings, Code::Function(function), |body| unsafe {
        body.learn()
    })
}

/// Analyses the block of a DO.
pub fn analyse_block(findings: &mut Findings, text: &CStr) -> Result<(), PostgresError> {
    // SAFETY: as above.
    with_body(findings, Code::Block(text), |body| unsafe { body.learn() })
}

/// What is compiled.
#[derive(Clone, Copy)]
enum Code<'t> {
    Function(Oid),
    /// What stands in a DO.
    Block(&'t CStr),
}

/// Queries and where each stands; or what a body is besides.
pub type Queries<Place> = Result<Vec<(Place, &'static pg_sys::Query)>, String>;

/// Where a query stands, and its text.
pub struct Line {
    pub number: i32,
    pub text: String,
}

/// The queries of a body that is nothing but SQL statements one after the other, with their lines; or what else is there.
pub fn straight_line(function: Oid) -> Result<Queries<Line>, PostgresError> {
    let mut findings = Findings::default();
    // SAFETY: as above.
    with_body(&mut findings, Code::Function(function), |body| unsafe {
        body.straight_line()
    })
}

/// The same of the block of a DO.
pub fn straight_block(text: &CStr) -> Result<Queries<Line>, PostgresError> {
    let mut findings = Findings::default();
    // SAFETY: as above.
    with_body(&mut findings, Code::Block(text), |body| unsafe {
        body.straight_line()
    })
}

/// The query that gives what a call gives, where the body has such a form.
pub fn selected(function: Oid) -> Result<Option<&'static pg_sys::Query>, PostgresError> {
    let mut findings = Findings::default();
    // SAFETY: as above.
    with_body(&mut findings, Code::Function(function), |body| unsafe {
        as_query::of(body)
    })
}

fn with_body<R>(
    findings: &mut Findings,
    code: Code,
    look: impl FnOnce(&mut Body) -> Result<R, PostgresError>,
) -> Result<R, PostgresError> {
    match code {
        Code::Function(function) => {
            // SAFETY: by the caller, it is one of PL/pgSQL's.
            let function = boundary::caught(|| unsafe { compile(function) })?;
            with_compiled(findings, function, look)
        }
        Code::Block(text) => {
            block::compiled(text, |function| with_compiled(findings, function, look))?
        }
    }
}

fn with_compiled<R>(
    findings: &mut Findings,
    compiled: *mut pg_sys::PLpgSQL_function,
    look: impl FnOnce(&mut Body) -> Result<R, PostgresError>,
) -> Result<R, PostgresError> {
    // SAFETY: what PL/pgSQL's validator does; a state that only names the variables stands in for a running call.
    unsafe {
        let setup = boundary::caught(parser_setup)?;
        let mut state: pg_sys::PLpgSQL_execstate = std::mem::zeroed();
        state.func = compiled;
        state.ndatums = (*compiled).ndatums;
        let mut variables = records::variables_of_a_call(&*compiled);
        state.datums = variables.as_mut_ptr();
        state.datum_context = pg_sys::CurrentMemoryContext;
        let _running = Running {
            function: compiled,
            before: (*compiled).cur_estate,
        };
        (*compiled).cur_estate = &mut state;
        let mut body = Body {
            findings,
            function: compiled,
            setup,
            columns: Vec::new(),
            row: std::ptr::null_mut(),
            opened: HashMap::new(),
            found_ever: Sources::new(),
        };
        look(&mut body)
    }
}

/// The call that a compiled function knows of as running; put back when dropped, also by an error.
struct Running {
    function: *mut pg_sys::PLpgSQL_function,
    before: *mut pg_sys::PLpgSQL_execstate,
}

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: the session keeps the compiled function.
        unsafe { (*self.function).cur_estate = self.before };
    }
}

type Compile =
    unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo, bool) -> *mut pg_sys::PLpgSQL_function;

/// # Safety
/// A function of PL/pgSQL.
unsafe fn compile(function: Oid) -> *mut pg_sys::PLpgSQL_function {
    // SAFETY: by the caller; the symbol has this type in every supported version.
    unsafe {
        let compile: Compile = std::mem::transmute(block::of_plpgsql(c"plpgsql_compile"));
        let mut description: pg_sys::FmgrInfo = std::mem::zeroed();
        description.fn_oid = function;
        description.fn_mcxt = pg_sys::CurrentMemoryContext;
        let mut call: pg_sys::FunctionCallInfoBaseData = std::mem::zeroed();
        call.flinfo = &mut description;
        boundary::call(|| compile(&mut call, true))
    }
}

fn parser_setup() -> ParserSetup {
    // SAFETY: the symbol has this type in every supported version.
    unsafe { std::mem::transmute(block::of_plpgsql(c"plpgsql_parser_setup")) }
}

impl Body<'_> {
    /// Until nothing new is learnt about the variables.
    unsafe fn learn(&mut self) -> Result<(), PostgresError> {
        // SAFETY: the compiled function lives as long as the transaction holds its row.
        unsafe {
            let function = &*self.function;
            self.findings.arguments = function.fn_argvarnos[..function.fn_nargs as usize]
                .iter()
                .map(|number| number + 1)
                .collect();
            for number in 0..function.ndatums {
                let datum = *function.datums.add(number as usize);
                if (*datum).dtype == pg_sys::PLpgSQL_datum_type::PLPGSQL_DTYPE_RECFIELD {
                    let parent = (*datum.cast::<pg_sys::PLpgSQL_recfield>()).recparentno;
                    self.findings.parents.insert(number + 1, parent + 1);
                    if records::is_of_any_row(self.function, parent) {
                        let what = "a field of a record, which may have others or none";
                        self.findings.differs(what.to_owned());
                    }
                }
            }
            for _ in 0..ROUNDS_MAX {
                self.block(function.action, &Sources::new())?;
                if !self.findings.take_changed() {
                    return Ok(());
                }
            }
        }
        self.findings
            .not_understood("the body is too large".to_owned());
        Ok(())
    }

    /// See [`straight_line`].
    unsafe fn straight_line(&mut self) -> Result<Queries<Line>, PostgresError> {
        let mut queries = Vec::new();
        // SAFETY: as in `learn`; the kind says which structure a statement is.
        unsafe {
            let function = &*self.function;
            let arguments = &function.fn_argvarnos[..function.fn_nargs as usize];
            let block = &*function.action;
            if block.n_initvars > 0
                || !block.exceptions.is_null()
                || (0..).zip(arguments).any(|(n, number)| n != *number)
            {
                return Ok(Err("it has variables or an EXCEPTION block".to_owned()));
            }
            let mut ended = false;
            for statement in tree::nodes(block.body) {
                let statement = &*statement.cast::<pg_sys::PLpgSQL_stmt>();
                let own: *const pg_sys::PLpgSQL_stmt = statement;
                match statement.cmd_type {
                    Kind::PLPGSQL_STMT_EXECSQL if !ended => {
                        let sql = &*own.cast::<pg_sys::PLpgSQL_stmt_execsql>();
                        if !sql.into {
                            let line = Line {
                                number: sql.lineno,
                                text: tree::string((*sql.sqlstmt).query),
                            };
                            queries.push((line, self.parse(sql.sqlstmt)?));
                            continue;
                        }
                    }
                    Kind::PLPGSQL_STMT_RETURN => {
                        ended = true; // the last one is PL/pgSQL's own
                        if (*own.cast::<pg_sys::PLpgSQL_stmt_return>()).expr.is_null() {
                            continue;
                        }
                    }
                    _ => {}
                }
                return Ok(Err(format!(
                    "line {}: it is more than SQL statements one after the other",
                    statement.lineno
                )));
            }
        }
        Ok(Ok(queries))
    }

    unsafe fn list(
        &mut self,
        list: *mut pg_sys::List,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        for statement in tree::nodes(list) {
            // SAFETY: lists of statements hold statements.
            unsafe { self.statement(statement.cast(), control)? };
        }
        Ok(())
    }

    unsafe fn block(
        &mut self,
        block: *mut pg_sys::PLpgSQL_stmt_block,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled block; variables with defaults are assigned when it begins.
        unsafe {
            for i in 0..(*block).n_initvars {
                let number = *(*block).initvarnos.add(i as usize);
                let variable = *(*self.function).datums.add(number as usize);
                let default = (*variable.cast::<pg_sys::PLpgSQL_variable>()).default_val;
                if !default.is_null() {
                    let sources = self.expression(default, (*block).lineno, control)?;
                    self.assign(number, &sources);
                }
            }
            if !(*block).exceptions.is_null() {
                // It may catch an error on one node and none on another. Whatever it does stands in the body.
                let what = format!("line {}: an EXCEPTION block", (*block).lineno);
                self.findings.differs(what);
                for handler in tree::nodes((*(*block).exceptions).exc_list) {
                    self.list(
                        (*handler.cast::<pg_sys::PLpgSQL_exception>()).action,
                        control,
                    )?;
                }
            }
            self.list((*block).body, control)
        }
    }

    fn unknown(&mut self, line: i32, what: &str) {
        self.findings.not_understood(format!("line {line}: {what}"));
    }

    fn aborts(&mut self, line: i32, what: &str, sources: &Sources) {
        self.findings
            .may_abort(format!("line {line}: {what}"), sources);
    }

    fn assign(&mut self, number: i32, sources: &Sources) {
        self.findings.assign(number + 1, sources);
    }

    /// The variables of INTO, or of a loop.
    unsafe fn assign_to(&mut self, target: *mut pg_sys::PLpgSQL_variable, sources: &Sources) {
        if target.is_null() {
            return;
        }
        // SAFETY: the kind says which structure it is.
        unsafe {
            if (*target).dtype == pg_sys::PLpgSQL_datum_type::PLPGSQL_DTYPE_ROW {
                let row = target.cast::<pg_sys::PLpgSQL_row>();
                for i in 0..(*row).nfields {
                    let number = *(*row).varnos.add(i as usize);
                    if number >= 0 {
                        self.assign(number, sources);
                    }
                }
            } else {
                self.assign((*target).dno, sources);
                records::shape(self.function, (*target).dno, self.row);
            }
        }
    }

    /// The sources of a query's or expression's result; none for null.
    unsafe fn expression(
        &mut self,
        expression: *mut pg_sys::PLpgSQL_expr,
        line: i32,
        control: &Sources,
    ) -> Result<Sources, PostgresError> {
        if expression.is_null() {
            return Ok(Sources::new());
        }
        // SAFETY: by the caller's promise.
        let query = unsafe { self.parse(expression)? };
        let place = format!("line {line}");
        self.row = std::ptr::null_mut();
        if query.commandType == pg_sys::CmdType::CMD_UTILITY {
            self.unknown(line, "a command");
            return Ok(Sources::new());
        }
        let targets = match query.returningList.is_null() {
            true => query.targetList,
            false => query.returningList,
        };
        self.columns = tree::list::<pg_sys::TargetEntry>(targets)
            .filter(|entry| !entry.resjunk)
            .map(|entry| tree::type_of(entry.expr))
            .collect();
        // SAFETY: the list of an analysed query.
        self.row = unsafe { pg_sys::ExecCleanTypeFromTL(targets) };
        Ok(query::look(self.findings, query, &place, control))
    }

    /// The query or expression as PostgreSQL analyses it, with PL/pgSQL's variables as parameters.
    pub unsafe fn parse(
        &self,
        expression: *mut pg_sys::PLpgSQL_expr,
    ) -> Result<&'static pg_sys::Query, PostgresError> {
        let setup = self.setup;
        // SAFETY: raw calls over a compiled expression, whose function has a state that names its variables; the tree lies in the
        // current context.
        unsafe {
            (*expression).func = self.function;
            let text = (*expression).query;
            let mode = (*expression).parseMode;
            boundary::caught(|| {
                let parsed = functions::raw_parser(text, mode);
                let statement = pg_sys::list_nth(parsed, 0).cast::<pg_sys::RawStmt>();
                let environment = std::ptr::null_mut();
                crate::cluster::analysis::parser::readable(functions::parse_analyze_withcb(
                    statement,
                    text,
                    setup,
                    expression.cast(),
                    environment,
                ))
            })
        }
    }

    /// Statements that run when a condition says so.
    unsafe fn guarded(
        &mut self,
        condition: *mut pg_sys::PLpgSQL_expr,
        line: i32,
        statements: &[*mut pg_sys::List],
        control: &Sources,
    ) -> Result<Sources, PostgresError> {
        // SAFETY: parts of a compiled statement.
        unsafe {
            let mut inner = control.clone();
            inner.extend(self.expression(condition, line, control)?);
            for list in statements {
                self.list(*list, &inner)?;
            }
            Ok(inner)
        }
    }

    unsafe fn statement(
        &mut self,
        statement: *mut pg_sys::PLpgSQL_stmt,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: the kind says which structure it is.
        unsafe {
            let line = (*statement).lineno;
            match (*statement).cmd_type {
                Kind::PLPGSQL_STMT_BLOCK => self.block(statement.cast(), control)?,
                Kind::PLPGSQL_STMT_ASSIGN => {
                    let assign = &*statement.cast::<pg_sys::PLpgSQL_stmt_assign>();
                    let sources = self.expression(assign.expr, line, control)?;
                    self.assign(assign.varno, &sources);
                    let type_oid = self.columns.first().copied();
                    records::shape_by_type(self.function, assign.varno, type_oid);
                    let column = self.columns.first().copied();
                    if !self.fits(assign.varno, column) {
                        self.aborts(line, "a value may not fit its variable", &sources);
                    }
                }
                Kind::PLPGSQL_STMT_IF => self.conditional(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_LOOP
                | Kind::PLPGSQL_STMT_WHILE
                | Kind::PLPGSQL_STMT_FORI
                | Kind::PLPGSQL_STMT_FORS
                | Kind::PLPGSQL_STMT_FOREACH_A => {
                    self.blur_found();
                    self.looping(statement, control)?;
                    self.blur_found();
                }
                Kind::PLPGSQL_STMT_EXIT => {
                    let exit = &*statement.cast::<pg_sys::PLpgSQL_stmt_exit>();
                    let inner = self.guarded(exit.cond, line, &[], control)?;
                    self.findings.leave_early(&inner);
                }
                Kind::PLPGSQL_STMT_RETURN => {
                    let expression = (*statement.cast::<pg_sys::PLpgSQL_stmt_return>()).expr;
                    let sources = self.expression(expression, line, control)?;
                    self.findings.leave_early(control);
                    if !expression.is_null() {
                        self.aborts(line, "the result may not fit its type", &sources);
                    }
                }
                Kind::PLPGSQL_STMT_RETURN_NEXT => {
                    let expression = (*statement.cast::<pg_sys::PLpgSQL_stmt_return_next>()).expr;
                    self.expression(expression, line, control)?;
                }
                Kind::PLPGSQL_STMT_RETURN_QUERY => {
                    let give = &*statement.cast::<pg_sys::PLpgSQL_stmt_return_query>();
                    if give.query.is_null() {
                        self.unknown(line, "EXECUTE");
                    }
                    let sources = self.expression(give.query, line, control)?;
                    self.found(&sources);
                }
                Kind::PLPGSQL_STMT_RAISE => self.raise(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_ASSERT => {
                    let condition = (*statement.cast::<pg_sys::PLpgSQL_stmt_assert>()).cond;
                    let inner = self.guarded(condition, line, &[], control)?;
                    self.findings
                        .decide(&format!("line {line}: ASSERT"), &inner);
                    self.aborts(line, "ASSERT", &inner);
                }
                Kind::PLPGSQL_STMT_EXECSQL => self.sql(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_PERFORM => {
                    let expression = (*statement.cast::<pg_sys::PLpgSQL_stmt_perform>()).expr;
                    let sources = self.expression(expression, line, control)?;
                    self.found(&sources);
                }
                Kind::PLPGSQL_STMT_GETDIAG => self.diagnostics(&*statement.cast()),
                Kind::PLPGSQL_STMT_CASE => self.cases(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_FETCH => self.fetch(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_DYNEXECUTE | Kind::PLPGSQL_STMT_DYNFORS => {
                    self.unknown(line, "EXECUTE")
                }
                Kind::PLPGSQL_STMT_CALL => self.unknown(line, "CALL or DO"),
                Kind::PLPGSQL_STMT_COMMIT | Kind::PLPGSQL_STMT_ROLLBACK => {
                    self.findings.ends_transactions = true;
                    let what = "COMMIT or ROLLBACK, which is refused in a distributed procedure";
                    self.findings.differs(format!("line {line}: {what}"));
                }
                Kind::PLPGSQL_STMT_OPEN => self.open(&*statement.cast(), control)?,
                Kind::PLPGSQL_STMT_CLOSE => {}
                Kind::PLPGSQL_STMT_FORC => self.for_cursor(&*statement.cast(), control)?,
                _ => self.unknown(line, "a statement"),
            }
        }
        Ok(())
    }

    /// FOUND says whether there were rows; it holds nothing else until the next query.
    unsafe fn found(&mut self, sources: &Sources) {
        // SAFETY: the compiled function.
        let number = unsafe { (*self.function).found_varno };
        let before = self.found_ever.len();
        self.found_ever.extend(sources.iter().cloned());
        self.findings
            .replace(number + 1, sources, self.found_ever.len() > before);
    }

    /// Where ways meet, FOUND may hold anything it ever held.
    unsafe fn blur_found(&mut self) {
        let ever = self.found_ever.clone();
        // SAFETY: as above.
        unsafe { self.found(&ever) };
    }

    /// Whether a column has the type of the variable, so that no conversion can fail.
    unsafe fn fits(&self, number: i32, column: Option<Oid>) -> bool {
        // SAFETY: the kind says which structure it is.
        unsafe {
            let datum = *(*self.function).datums.add(number as usize);
            match (*datum).dtype {
                pg_sys::PLpgSQL_datum_type::PLPGSQL_DTYPE_VAR => {
                    let variable = &*datum.cast::<pg_sys::PLpgSQL_var>();
                    let kind = &*variable.datatype;
                    column == Some(kind.typoid) && kind.atttypmod < 0 && !variable.notnull
                }
                pg_sys::PLpgSQL_datum_type::PLPGSQL_DTYPE_REC => {
                    (*datum.cast::<pg_sys::PLpgSQL_rec>()).rectypeid == pg_sys::RECORDOID
                }
                _ => false,
            }
        }
    }

    /// As [`Body::fits`], for all targets of INTO or of a loop.
    unsafe fn all_fit(&self, target: *mut pg_sys::PLpgSQL_variable) -> bool {
        // SAFETY: the kind says which structure it is.
        unsafe {
            if target.is_null() {
                return true;
            }
            if (*target).dtype != pg_sys::PLpgSQL_datum_type::PLPGSQL_DTYPE_ROW {
                return self.fits((*target).dno, self.columns.first().copied());
            }
            let row = target.cast::<pg_sys::PLpgSQL_row>();
            (0..(*row).nfields as usize)
                .all(|i| self.fits(*(*row).varnos.add(i), self.columns.get(i).copied()))
        }
    }

    unsafe fn conditional(
        &mut self,
        branch: &pg_sys::PLpgSQL_stmt_if,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled IF; later arms are run when the earlier conditions say no.
        unsafe {
            let mut inner =
                self.guarded(branch.cond, branch.lineno, &[branch.then_body], control)?;
            for arm in tree::nodes(branch.elsif_list) {
                let arm = &*arm.cast::<pg_sys::PLpgSQL_if_elsif>();
                self.blur_found();
                inner = self.guarded(arm.cond, arm.lineno, &[arm.stmts], &inner)?;
            }
            self.blur_found();
            self.list(branch.else_body, &inner)?;
            self.blur_found();
            Ok(())
        }
    }

    /// CASE as a statement. PostgreSQL gives the variable that its arms compare the type of what is compared only when it runs.
    unsafe fn cases(
        &mut self,
        choice: &pg_sys::PLpgSQL_stmt_case,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled CASE; later arms are run when the earlier ones do not match.
        unsafe {
            let mut inner = control.clone();
            if !choice.t_expr.is_null() {
                inner.extend(self.expression(choice.t_expr, choice.lineno, control)?);
                self.assign(choice.t_varno, &inner);
                if let Some(type_oid) = self.columns.first() {
                    records::retype(self.function, choice.t_varno, *type_oid);
                }
            }
            for arm in tree::nodes(choice.case_when_list) {
                let arm = &*arm.cast::<pg_sys::PLpgSQL_case_when>();
                self.blur_found();
                inner = self.guarded(arm.expr, arm.lineno, &[arm.stmts], &inner)?;
            }
            self.blur_found();
            if choice.have_else {
                self.list(choice.else_stmts, &inner)?;
            } else {
                let place = format!("line {}: CASE without ELSE", choice.lineno);
                self.findings.decide(&place, &inner);
                self.aborts(choice.lineno, "CASE without ELSE", &inner);
            }
            self.blur_found();
            Ok(())
        }
    }

    /// How many rows there were, and the like.
    unsafe fn diagnostics(&mut self, get: &pg_sys::PLpgSQL_stmt_getdiag) {
        self.findings.decides_apart = true;
        self.findings
            .differs(format!("line {}: GET DIAGNOSTICS", get.lineno));
        for item in tree::nodes(get.diag_items) {
            // SAFETY: a compiled statement.
            let target = unsafe { (*item.cast::<pg_sys::PLpgSQL_diag_item>()).target };
            self.assign(target, &Sources::from([Source::Differs]));
        }
    }

    unsafe fn looping(
        &mut self,
        statement: *mut pg_sys::PLpgSQL_stmt,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: the kind says which structure it is.
        unsafe {
            let line = (*statement).lineno;
            match (*statement).cmd_type {
                Kind::PLPGSQL_STMT_LOOP => self.list(
                    (*statement.cast::<pg_sys::PLpgSQL_stmt_loop>()).body,
                    control,
                ),
                Kind::PLPGSQL_STMT_WHILE => {
                    let repeat = &*statement.cast::<pg_sys::PLpgSQL_stmt_while>();
                    self.guarded(repeat.cond, line, &[repeat.body], control)
                        .map(|_| ())
                }
                Kind::PLPGSQL_STMT_FORI => {
                    let count = &*statement.cast::<pg_sys::PLpgSQL_stmt_fori>();
                    let mut inner = control.clone();
                    for bound in [count.lower, count.upper, count.step] {
                        inner.extend(self.expression(bound, line, control)?);
                    }
                    self.aborts(line, "a bound of the loop may be NULL", &inner);
                    self.assign((*count.var).dno, &inner);
                    self.found(&inner);
                    self.blur_found();
                    self.list(count.body, &inner)
                }
                Kind::PLPGSQL_STMT_FORS => {
                    let rows = &*statement.cast::<pg_sys::PLpgSQL_stmt_fors>();
                    let mut inner = control.clone();
                    inner.extend(self.expression(rows.query, line, control)?);
                    self.assign_to(rows.var, &inner);
                    if !self.all_fit(rows.var) {
                        self.aborts(line, "a value may not fit its variable", &inner);
                    }
                    self.found(&inner);
                    self.blur_found();
                    self.list(rows.body, &inner)
                }
                _ => {
                    let each = &*statement.cast::<pg_sys::PLpgSQL_stmt_foreach_a>();
                    let mut inner = control.clone();
                    inner.extend(self.expression(each.expr, line, control)?);
                    self.aborts(line, "the array of the loop may be NULL", &inner);
                    self.assign(each.varno, &inner);
                    self.found(&inner);
                    self.blur_found();
                    self.list(each.body, &inner)
                }
            }
        }
    }

    unsafe fn raise(
        &mut self,
        raise: &pg_sys::PLpgSQL_stmt_raise,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled RAISE.
        unsafe {
            for parameter in tree::nodes(raise.params) {
                self.expression(parameter.cast(), raise.lineno, control)?;
            }
            for option in tree::nodes(raise.options) {
                let option = &*option.cast::<pg_sys::PLpgSQL_raise_option>();
                self.expression(option.expr, raise.lineno, control)?;
            }
        }
        if raise.elog_level >= pgrx::PgLogLevel::ERROR as i32 {
            let mut decision = control.clone();
            decision.extend(self.findings.left_early.iter().cloned());
            let what = format!("line {}: RAISE", raise.lineno);
            self.findings.decide(&what, &decision);
            self.aborts(raise.lineno, "RAISE", &decision);
        }
        Ok(())
    }

    unsafe fn sql(
        &mut self,
        statement: &pg_sys::PLpgSQL_stmt_execsql,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled statement.
        unsafe {
            let sources = self.expression(statement.sqlstmt, statement.lineno, control)?;
            self.found(&sources);
            if statement.into {
                self.assign_to(statement.target, &sources);
                if statement.strict {
                    self.aborts(statement.lineno, "INTO STRICT", &sources);
                }
                if !self.all_fit(statement.target) {
                    self.aborts(
                        statement.lineno,
                        "a value may not fit its variable",
                        &sources,
                    );
                }
            }
        }
        Ok(())
    }
}
