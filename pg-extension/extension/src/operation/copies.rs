//! A copy of a value is a value: it does not go on to be the object that it was copied from.
//!
//! A datum read from a row names its object, and who reads it later sees what has become of that object by then. Within the
//! statement this is harmless, since its snapshot shows one state. So an expression may hand the datum on, but where its result can
//! outlive the statement with the datum inside it (an array, a row, a function that may keep what it is given), the datum is
//! replaced by `abelian.detached(datum)`. The rule, and why nothing escapes it, is in `docs/design/objects.md`.

use super::results::{self, Shown};
use super::symbols::Symbols;
use super::tree::{self, Any, Tree};
use crate::aggregate::operation;
use crate::catalog;
use crate::error::Error;
use crate::types::detached::{has_objects, may_hold};
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind, SubLinkType};

/// Walks a statement, whose queries it has to know.
pub struct Copies<'a> {
    symbols: &'a Symbols,
    detached: Oid,
    /// The queries around the node at hand, outermost first.
    queries: Vec<Tree<pg_sys::Query>>,
}

impl<'a> Copies<'a> {
    /// `None` if the extension has not been updated since it lacked the function.
    pub fn new(symbols: &'a Symbols) -> Option<Self> {
        Some(Copies {
            symbols,
            detached: symbols.detached?,
            queries: Vec::new(),
        })
    }

    /// Has what `node` keeps detached. To be called for each node of a statement, before those inside it; `levels` queries are around it.
    pub fn visit(&mut self, node: Any, levels: u32) {
        if let Some(query) = node.cast::<pg_sys::Query>() {
            self.queries.truncate(levels as usize);
            self.queries.push(query);
            self.results(query, levels == 0);
            return;
        }
        self.queries.truncate(levels as usize);
        if let Some(link) = node.cast::<pg_sys::SubLink>()
            && link.subLinkType == SubLinkType::ARRAY_SUBLINK
            && let Some(query) = Tree::<pg_sys::Node>::new(link.subselect)
                .and_then(|inner| inner.cast::<pg_sys::Query>())
        {
            self.queries.push(query);
            self.shown(query);
            self.queries.pop();
        }
        self.places(node, &mut |copies, expression| copies.kept(expression));
    }

    /// Whether an expression of a table's definition gives, or gives on, an object.
    pub fn escapes(&mut self, expression: Any) -> bool {
        let mut found = self.kept(expression).is_some();
        tree::any_node(expression.pointer(), &mut |node, _| {
            self.places(node, &mut |copies, inner| {
                found |= copies.kept(inner).is_some();
                None
            });
            found
        });
        found
    }

    /// Calls `replace` for each expression inside `node` that lives on in its result, or in what the function called keeps.
    fn places(&self, node: Any, replace: &mut dyn FnMut(&Self, Any) -> Option<Any>) {
        let mut each = |list| tree::replace_items(list, |expression| replace(self, expression));
        if let Some(array) = node.cast::<pg_sys::ArrayExpr>() {
            each(array.elements);
        } else if let Some(row) = node.cast::<pg_sys::RowExpr>() {
            each(row.args);
        } else if let Some(call) = node.cast::<pg_sys::FuncExpr>() {
            let kept = |inner| self.kept_by(call.funcid, call.funcresulttype, inner);
            self.arguments(call.args, kept, replace);
        } else if let Some(call) = node.cast::<pg_sys::OpExpr>() {
            // SAFETY: lookup of an operator's function.
            let function = || unsafe { pg_sys::get_opcode(call.opno) };
            let kept = |inner| self.kept_by(function(), call.opresulttype, inner);
            self.arguments(call.args, kept, replace);
        } else if let Some(call) = node.cast::<pg_sys::Aggref>() {
            if may_hold(call.aggtype) {
                each(call.aggdirectargs);
                for mut entry in tree::items::<pg_sys::TargetEntry>(call.args) {
                    replace_one(&mut entry.expr, |inner| replace(self, inner));
                }
            }
        } else if let Some(call) = node.cast::<pg_sys::WindowFunc>() {
            if may_hold(call.wintype) {
                each(call.args);
            }
        } else if let Some(mut domain) = node.cast::<pg_sys::CoerceToDomain>() {
            replace_one(&mut domain.arg, |inner| replace(self, inner));
        } else if let Some(store) = node.cast::<pg_sys::FieldStore>() {
            each(store.newvals);
        } else if let Some(mut element) = node.cast::<pg_sys::SubscriptingRef>() {
            replace_one(&mut element.refassgnexpr, |inner| replace(self, inner));
        }
    }

    /// `kept` tells from which argument on a function keeps what it is given, if one is an object.
    fn arguments(
        &self,
        list: *mut pg_sys::List,
        kept: impl Fn(usize) -> bool,
        replace: &mut dyn FnMut(&Self, Any) -> Option<Any>,
    ) {
        let mut next = 0;
        tree::replace_items(list, |argument| {
            let number = next;
            next += 1;
            let Some(mut named) = argument.cast::<pg_sys::NamedArgExpr>() else {
                let lives_on = self.is_object(argument) && kept(number);
                return lives_on.then(|| replace(self, argument)).flatten();
            };
            let number = named.argnumber as usize;
            replace_one(&mut named.arg, |inner| {
                let lives_on = self.is_object(inner) && kept(number);
                lives_on.then(|| replace(self, inner)).flatten()
            });
            None
        });
    }

    /// Whether an object given to a function as its `n`-th argument can be somewhere when the function is done.
    fn kept_by(&self, function: Oid, result: Oid, n: usize) -> bool {
        if function == self.detached || n == 0 && operation(function).is_some() {
            return false;
        }
        // SAFETY: syscache lookup.
        let volatile =
            || unsafe { pg_sys::func_volatile(function) } as u8 == pg_sys::PROVOLATILE_VOLATILE;
        (may_hold(result) || volatile())
            && (operation(function).is_some() || !catalog::is_own_function(function))
    }

    /// The detached value of an expression that gives an object.
    fn kept(&self, expression: Any) -> Option<Any> {
        self.is_object(expression)
            .then(|| tree::call(self.detached, expression.result_type(), &[expression]))
    }

    /// Whether an expression may give an object, or a row with objects.
    fn is_object(&self, expression: Any) -> bool {
        match expression.type_ {
            // What they hold was detached when it came in.
            NodeTag::T_Const
            | NodeTag::T_ArrayExpr
            | NodeTag::T_RowExpr
            | NodeTag::T_Aggref
            | NodeTag::T_WindowFunc
            | NodeTag::T_SubscriptingRef
            | NodeTag::T_FieldStore
            | NodeTag::T_CoerceToDomain => return false,
            _ => {}
        }
        let type_ = expression.result_type();
        if let Some(kind) = self.symbols.kind(type_) {
            let call = expression.cast::<pg_sys::FuncExpr>();
            return call.is_none_or(|call| {
                let is_new = [self.detached, kind.copy, kind.make].contains(&call.funcid);
                let arguments = tree::items::<pg_sys::Node>(call.args);
                let given = || arguments.into_iter().any(|inner| self.is_object(inner));
                !is_new && (given() || !catalog::is_own_function(call.funcid))
            });
        }
        match expression.type_ {
            NodeTag::T_Var => self.is_row(expression, type_),
            NodeTag::T_SubLink => {
                let link = expression.cast::<pg_sys::SubLink>();
                link.is_some_and(|link| link.subLinkType == SubLinkType::EXPR_SUBLINK)
                    && has_objects(type_)
            }
            NodeTag::T_Param
            | NodeTag::T_CaseExpr
            | NodeTag::T_CoalesceExpr
            | NodeTag::T_MinMaxExpr
            | NodeTag::T_NullIfExpr
            | NodeTag::T_RelabelType
            | NodeTag::T_ConvertRowtypeExpr => has_objects(type_),
            _ => false,
        }
    }

    /// A column of rows holds none, but what a subquery hands on as a column may.
    fn is_row(&self, variable: Any, type_: Oid) -> bool {
        let Some(variable) = variable.cast::<pg_sys::Var>() else {
            return false;
        };
        let entry = self.entry(variable);
        let kind = entry.map_or(RTEKind::RTE_RELATION, |entry| entry.rtekind);
        if kind == RTEKind::RTE_RELATION && variable.varattno != 0 || !has_objects(type_) {
            return false;
        }
        let Some(query) = entry.and_then(|entry| Tree::new(entry.subquery)) else {
            return true;
        };
        tree::items::<pg_sys::TargetEntry>(query.targetList)
            .iter()
            .filter(|column| [0, column.resno].contains(&variable.varattno))
            .filter_map(|column| Tree::<pg_sys::Node>::new(column.expr.cast()))
            .filter(|inner| inner.type_ != NodeTag::T_RowExpr)
            .map(Any::result_type)
            .any(|type_| self.symbols.kind(type_).is_some() || has_objects(type_))
    }

    fn entry(&self, variable: Tree<pg_sys::Var>) -> Option<Tree<pg_sys::RangeTblEntry>> {
        let outwards = (variable.varlevelsup as usize).checked_add(1)?;
        let query = self
            .queries
            .get(self.queries.len().checked_sub(outwards)?)?;
        let number = usize::try_from(variable.varno - 1).ok()?;
        tree::items(query.rtable).get(number).copied()
    }

    /// What the query itself stores or gives to whoever runs it.
    fn results(&mut self, query: Tree<pg_sys::Query>, is_statement: bool) {
        match query.commandType {
            CmdType::CMD_SELECT if is_statement => self.shown(query),
            CmdType::CMD_SELECT | CmdType::CMD_UTILITY => return,
            _ => self.stored(query.targetList),
        }
        if let Some(conflict) = Tree::new(query.onConflict) {
            self.stored(conflict.onConflictSet);
        }
        for action in tree::items::<pg_sys::MergeAction>(query.mergeActionList) {
            self.stored(action.targetList);
        }
        if is_statement {
            for mut entry in tree::items::<pg_sys::TargetEntry>(query.returningList) {
                replace_one(&mut entry.expr, |expression| self.kept(expression));
            }
        }
    }

    /// Columns of Abelian types get objects of their own (`rewrite`); here are rows in columns.
    fn stored(&self, targets: *mut pg_sys::List) {
        for mut entry in tree::items::<pg_sys::TargetEntry>(targets) {
            if entry.resjunk {
                continue;
            }
            replace_one(&mut entry.expr, |expression| {
                let is_value = self.symbols.kind(expression.result_type()).is_some();
                if is_value {
                    None
                } else {
                    self.kept(expression)
                }
            });
        }
    }

    /// The results of a SELECT: most are plain values already, by [`results`].
    fn shown(&mut self, query: Tree<pg_sys::Query>) {
        if !query.setOperations.is_null() {
            for branch in tree::items::<pg_sys::RangeTblEntry>(query.rtable) {
                if let Some(inner) = Tree::new(branch.subquery) {
                    self.queries.push(inner);
                    self.shown(inner);
                    self.queries.pop();
                }
            }
            return;
        }
        for entry in tree::items::<pg_sys::TargetEntry>(query.targetList) {
            let expression = Tree::<pg_sys::Node>::new(entry.expr.cast());
            if let Some(detached) = expression
                .filter(|_| !entry.resjunk)
                .and_then(|e| self.kept(e))
                && !results::present_entry(query, entry, detached, Shown::SameType)
            {
                Error::GroupedAndDistinct.raise();
            }
        }
    }
}

/// Whether a statement can come upon an object at all: from a table, a variable, or a function that a user has made. PostgreSQL's own
/// functions give on at most what they are given.
pub fn meets_objects(statement: Any) -> bool {
    tree::any_node(statement.pointer(), &mut |node, _| {
        if let Some(query) = node.cast::<pg_sys::Query>() {
            let entries = tree::items::<pg_sys::RangeTblEntry>(query.rtable);
            return entries.into_iter().any(gives_objects);
        }
        let made = |function: Oid| function.to_u32() >= pg_sys::FirstNormalObjectId;
        let is_maker = if let Some(call) = node.cast::<pg_sys::FuncExpr>() {
            made(call.funcid)
        } else if let Some(call) = node.cast::<pg_sys::OpExpr>() {
            made(call.opno)
        } else if let Some(call) = node.cast::<pg_sys::Aggref>() {
            made(call.aggfnoid)
        } else if let Some(call) = node.cast::<pg_sys::WindowFunc>() {
            made(call.winfnoid)
        } else {
            node.type_ == NodeTag::T_Param
        };
        is_maker && may_hold(node.result_type())
    })
}

fn gives_objects(entry: Tree<pg_sys::RangeTblEntry>) -> bool {
    match entry.rtekind {
        // SAFETY: syscache lookup.
        RTEKind::RTE_RELATION => has_objects(unsafe { pg_sys::get_rel_type_id(entry.relid) }),
        RTEKind::RTE_NAMEDTUPLESTORE => true,
        _ => false,
    }
}

fn replace_one(place: &mut *mut pg_sys::Expr, mut replace: impl FnMut(Any) -> Option<Any>) {
    if let Some(other) = Tree::<pg_sys::Node>::new(place.cast()).and_then(&mut replace) {
        *place = other.pointer();
    }
}
