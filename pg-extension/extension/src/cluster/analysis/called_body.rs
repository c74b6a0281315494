//! The body of a called function as a query of the statement that calls it, if it is one SELECT: with the call's arguments in the places of
//! parameters, and the types that the function declares.

use super::super::procedure;
use super::query_value;
use super::tree::{self, NodePtr};
use crate::boundary::{self, PostgresError};
use crate::compat;
use pgrx::pg_sys::{self, Oid};

/// What stands for a call.
pub struct Body {
    /// The query, over parameters.
    query: &'static mut pg_sys::Query,
    arguments: Vec<NodePtr>,
    is_strict: bool,
}

/// The columns that a function gives.
struct Declared {
    type_oid: Oid,
    columns: pg_sys::TupleDesc,
}

/// `None` when the function does more than one SELECT, or what it does hangs on being a function. `reads` says that the statement changes
/// nothing, so a VOLATILE function, which sees changes of its statement, sees none.
pub fn of(call: &pg_sys::FuncExpr, reads: bool) -> Result<Option<Body>, PostgresError> {
    let Some(function) = Function::of(call.funcid) else {
        return Ok(None);
    };
    let sees_changes = function.volatility == pg_sys::PROVOLATILE_VOLATILE;
    if function.has_own_rights || (sees_changes && !reads) {
        return Ok(None);
    }
    let (Some(arguments), Some(declared)) = (arguments(call), declared(call)) else {
        return Ok(None);
    };
    let Some(query) = procedure::selected(call)? else {
        return Ok(None);
    };
    if function.in_plpgsql && call.funcretset && !declared.has_types_of(query) {
        return Ok(None); // RETURN QUERY casts nothing
    }
    let query = tree::copy(query);
    let queries = tree::make_list([tree::make_list([query.cast()]).cast()]);
    // SAFETY: a private copy of an analysed query in a list of lists; casts to the declared types may be added to it, or a query around it.
    let query = unsafe {
        boundary::caught(|| {
            compat::check_sql_fn_retval(queries, declared.type_oid, declared.columns)
        })?;
        let inner = tree::nodes(queries).next().unwrap_or(std::ptr::null_mut());
        tree::nodes(inner.cast())
            .next()
            .map(|query| &mut *query.cast::<pg_sys::Query>())
    };
    let Some(query) = query.filter(|query| declared.has_collations_of(call, query)) else {
        return Ok(None);
    };
    Ok(Some(Body {
        query,
        arguments,
        is_strict: function.is_strict,
    }))
}

/// Whether statements of a body mean outside of it what they mean when it is called: it is always run, changes rows, and has the rights and settings of
/// who calls it, who may do so.
pub fn may_stand_apart(function: Oid) -> bool {
    // SAFETY: a look-up of the session's role.
    let user = unsafe { pg_sys::GetUserId() };
    Function::of(function).is_some_and(|function| {
        !function.has_own_rights
            && !function.is_strict
            && function.volatility == pg_sys::PROVOLATILE_VOLATILE
    }) && compat::may_execute(function, user)
}

/// Whether a body is in PL/pgSQL.
pub fn is_in_plpgsql(function: Oid) -> bool {
    Function::of(function).is_some_and(|function| function.in_plpgsql)
}

/// What is stored of a function.
struct Function {
    volatility: u8,
    is_strict: bool,
    /// It runs as its owner, or with settings of its own.
    has_own_rights: bool,
    /// The role as which it runs, if that is not who calls it.
    definer: Option<Oid>,
    in_plpgsql: bool,
}

/// Whether a function runs with the rights of another role than the session's.
pub fn runs_as_another(function: Oid) -> bool {
    // SAFETY: plain read of a backend variable.
    let role = unsafe { pg_sys::GetUserId() };
    let definer = Function::of(function).and_then(|function| function.definer);
    definer.is_some_and(|definer| definer != role)
}

impl Function {
    fn of(function: Oid) -> Option<Function> {
        // SAFETY: a catalogue row that is released after use; the values are passed by value.
        unsafe {
            let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
            let row = pg_sys::SearchSysCache1(cache, function.into());
            if row.is_null() {
                return None;
            }
            let column = |number: u32| {
                let mut is_null = false;
                let value = pg_sys::SysCacheGetAttr(cache, row, number as i16, &mut is_null);
                (!is_null).then(|| value.value())
            };
            let is_definer = column(pg_sys::Anum_pg_proc_prosecdef)? as u8 != 0;
            let owner = Oid::from(column(pg_sys::Anum_pg_proc_proowner)? as u32);
            let found = Function {
                volatility: column(pg_sys::Anum_pg_proc_provolatile)? as u8,
                is_strict: column(pg_sys::Anum_pg_proc_proisstrict)? as u8 != 0,
                has_own_rights: is_definer || column(pg_sys::Anum_pg_proc_proconfig).is_some(),
                definer: is_definer.then_some(owner),
                in_plpgsql: column(pg_sys::Anum_pg_proc_prolang).is_some_and(|language| {
                    let language = Oid::from(language as u32);
                    tree::string(pg_sys::get_language_name(language, true)) == "plpgsql"
                }),
            };
            pg_sys::ReleaseSysCache(row);
            Some(found)
        }
    }
}

/// The arguments with those that are left to defaults; `None` when they cannot stand somewhere else than in the call.
fn arguments(call: &pg_sys::FuncExpr) -> Option<Vec<NodePtr>> {
    // SAFETY: a valid call; the row is released after use, and what is made of it is copied.
    let arguments = unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let row = pg_sys::SearchSysCache1(cache, call.funcid.into());
        if row.is_null() {
            return None;
        }
        let given = tree::copy(call.args);
        let all = pg_sys::expand_function_arguments(given, false, call.funcresulttype, row);
        pg_sys::ReleaseSysCache(row);
        tree::nodes(all).collect::<Vec<_>>()
    };
    arguments
        .iter()
        .all(|node| may_move(*node))
        .then_some(arguments)
}

/// Whether an expression means the same inside of a subquery, however often it is evaluated there.
fn may_move(expression: NodePtr) -> bool {
    // SAFETY: a valid expression.
    unsafe {
        !pg_sys::contain_aggs_of_level(expression, 0)
            && !pg_sys::contain_windowfuncs(expression)
            && !pg_sys::contain_volatile_functions(expression)
            && !pg_sys::expression_returns_set(expression)
    }
}

fn declared(call: &pg_sys::FuncExpr) -> Option<Declared> {
    let mut declared = Declared {
        type_oid: Oid::INVALID,
        columns: std::ptr::null_mut(),
    };
    let node = std::ptr::from_ref(call).cast_mut().cast();
    // SAFETY: a valid call.
    let class = unsafe {
        pg_sys::get_expr_result_type(node, &mut declared.type_oid, &mut declared.columns)
    };
    let known = match class {
        pg_sys::TypeFuncClass::TYPEFUNC_SCALAR => declared.type_oid != pg_sys::VOIDOID,
        pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE => call.funcretset && declared.has_all_columns(),
        _ => false,
    };
    known.then_some(declared)
}

impl Declared {
    fn attributes(&self) -> &'static [pg_sys::FormData_pg_attribute] {
        // SAFETY: a description has as many attributes as it says.
        unsafe {
            match self.columns.is_null() {
                false => compat::columns_of(self.columns),
                true => &[],
            }
        }
    }

    /// Columns that were dropped from a type still have numbers.
    fn has_all_columns(&self) -> bool {
        self.attributes().iter().all(|column| !column.attisdropped)
    }

    /// Whether the columns of the query are of the declared types, lengths included, as they are.
    fn has_types_of(&self, query: &pg_sys::Query) -> bool {
        let columns: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .map(|entry| (tree::type_of(entry.expr), modifier_of(entry.expr.cast())))
            .collect();
        match self.attributes() {
            [] => matches!(columns.as_slice(), [(found, _)] if *found == self.type_oid),
            attributes => {
                attributes.len() == columns.len()
                    && attributes
                        .iter()
                        .zip(columns)
                        .all(|(column, (found, modifier))| {
                            column.atttypid == found
                                && (column.atttypmod < 0 || column.atttypmod == modifier)
                        })
            }
        }
    }

    /// Whether what is made of the values sorts and compares them as it would those of the function.
    fn has_collations_of(&self, call: &pg_sys::FuncExpr, query: &pg_sys::Query) -> bool {
        let columns: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .map(|entry| (tree::type_of(entry.expr), tree::collation_of(entry.expr)))
            .collect();
        match self.attributes() {
            [] => columns == [(self.type_oid, call.funccollid)],
            attributes => attributes
                .iter()
                .map(|column| (column.atttypid, column.attcollation))
                .eq(columns),
        }
    }
}

impl Body {
    /// Over the parameters, to be changed before the arguments come in.
    pub fn query(&mut self) -> &mut pg_sys::Query {
        self.query
    }

    /// Whether the query may stand in the place of the call: it only reads, takes no locks, and gives the same however often it is evaluated.
    pub fn is_plain(&self) -> bool {
        let node: NodePtr = std::ptr::from_ref(&*self.query).cast_mut().cast();
        let effects = tree::any(node, &mut |node| {
            tree::cast::<pg_sys::Query, _>(node).is_some_and(|query| {
                query.hasModifyingCTE
                    || !query.rowMarks.is_null()
                    || query.commandType != pg_sys::CmdType::CMD_SELECT
            }) || takes_arguments_alone(node)
        });
        // SAFETY: a valid query.
        !effects && unsafe { !pg_sys::contain_volatile_functions(node) }
    }

    /// The rows, as a subquery one level below the call; `None` for a STRICT function.
    pub fn rows(&self) -> Option<*mut pg_sys::Query> {
        if self.is_strict {
            return None;
        }
        self.with_arguments(self.query_node(), 1)
            .map(|query| query.cast())
    }

    /// The value of the first row, or NULL.
    pub fn value(&self) -> Option<NodePtr> {
        let value = self.with_arguments(query_value::of(self.query)?, 0)?;
        match self.is_strict {
            true => Some(self.unless_null(value, tree::type_of(value), tree::collation_of(value))),
            false => Some(value),
        }
    }

    fn query_node(&self) -> NodePtr {
        std::ptr::from_ref(&*self.query).cast_mut().cast()
    }

    /// A copy in which arguments stand for parameters. `depth` is the level of the tree below that of the call.
    fn with_arguments(&self, node: NodePtr, depth: i32) -> Option<NodePtr> {
        let mut fits = true;
        let replaced = tree::replace_by_depth(node, depth, &mut |node, depth| {
            let parameter = tree::cast::<pg_sys::Param, _>(node)?;
            if parameter.paramkind == pg_sys::ParamKind::PARAM_SUBLINK {
                return None; // a column of IN (SELECT ...)
            }
            let argument = usize::try_from(parameter.paramid - 1)
                .ok()
                .and_then(|number| self.arguments.get(number))
                .filter(|argument| stands_for(**argument, parameter));
            let Some(argument) = argument else {
                fits = false;
                return None;
            };
            let copy = tree::copy(*argument);
            // SAFETY: a private copy of an expression.
            unsafe { pg_sys::IncrementVarSublevelsUp(copy, depth, 0) };
            Some(copy)
        });
        fits.then_some(replaced)
    }

    /// What a STRICT function gives.
    fn unless_null(&self, value: NodePtr, type_oid: Oid, collation: Oid) -> NodePtr {
        let tests = self.arguments.iter().map(|argument| {
            let test = tree::make::<pg_sys::NullTest>();
            test.arg = tree::copy(*argument).cast();
            test.nulltesttype = pg_sys::NullTestType::IS_NOT_NULL;
            test.location = -1;
            std::ptr::from_mut(test).cast()
        });
        if self.arguments.is_empty() {
            return value;
        }
        let when = tree::make::<pg_sys::CaseWhen>();
        // SAFETY: makes nodes of expressions.
        unsafe {
            when.expr = pg_sys::make_ands_explicit(tree::make_list(tests));
            when.result = value.cast();
            when.location = -1;
            let case = tree::make::<pg_sys::CaseExpr>();
            case.casetype = type_oid;
            case.casecollid = collation;
            case.args = tree::make_list([std::ptr::from_mut(when).cast()]);
            case.defresult = pg_sys::makeNullConst(type_oid, -1, collation).cast();
            case.location = -1;
            std::ptr::from_mut(case).cast()
        }
    }
}

/// What a type's length is, as trees have it; negative for none.
fn modifier_of(expression: NodePtr) -> i32 {
    // SAFETY: a valid expression.
    unsafe { pg_sys::exprTypmod(expression) }
}

/// Whether an argument can be what the body knows as the parameter, also in a text that is read again.
pub fn stands_for(argument: NodePtr, parameter: &pg_sys::Param) -> bool {
    parameter.paramkind == pg_sys::ParamKind::PARAM_EXTERN
        && tree::type_of(argument) == parameter.paramtype
        && tree::collation_of(argument) == parameter.paramcollid
}

/// An aggregate over nothing but arguments would become one of the query that calls.
fn takes_arguments_alone(node: NodePtr) -> bool {
    let Some(call) = tree::cast::<pg_sys::Aggref, _>(node) else {
        return false;
    };
    let has = |tag| tree::any(node, &mut |inner| tree::tag(inner) == Some(tag));
    let own = tree::any(node, &mut |inner| {
        tree::cast::<pg_sys::Var, _>(inner).is_some_and(|var| var.varlevelsup == call.agglevelsup)
    });
    has(pg_sys::NodeTag::T_Param) && !own
}
