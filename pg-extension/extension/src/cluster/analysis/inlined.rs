//! Functions that read tables, put into the statement that calls them, as PostgreSQL's planner puts those without tables: then their tables are the
//! statement's own, and it is routed, joined and gathered as any other.

use super::called_body::{self, Body};
use super::functions;
use super::merge::{build, parts, put_subquery, used, whole_row};
use super::tree::{self, NodePtr};
use super::view_query;
use crate::boundary::PostgresError;
use crate::compat;
use crate::opened::Opened;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::{self, Oid, RTEKind};

/// Functions within functions are followed so deep.
const DEPTH_MAX: usize = 8;

/// A statement with the bodies of functions in the places of their calls.
pub struct Inlined {
    pub query: &'static mut pg_sys::Query,
    called: Vec<Oid>,
}

/// `None` when there is no call that a body can stand for, or functions are left that may read tables.
pub fn find(query: &pg_sys::Query) -> Result<Option<Inlined>, PostgresError> {
    let mut inlining = Inlining {
        reads: only_reads(query),
        called: Vec::new(),
        failed: None,
    };
    let inlined = inlining.inline(build::copy(query), 0);
    if let Some(error) = inlining.failed {
        return Err(error);
    }
    let inlined = build::copy(inlined);
    whole_row::keep_missing(inlined);
    let left = functions::called_by(&[std::ptr::from_mut(inlined).cast()]);
    if inlining.called.is_empty() || !left.opaque.is_empty() {
        return Ok(None);
    }
    Ok(Some(Inlined {
        query: inlined,
        called: inlining.called,
    }))
}

impl Inlined {
    /// What PostgreSQL asks for when the functions are called.
    pub fn check_rights(&self) -> Result<(), PostgresError> {
        for function in &self.called {
            // SAFETY: look-ups by number.
            let (allowed, name) = unsafe {
                let user = pg_sys::GetUserId();
                (
                    compat::may_execute(*function, user),
                    tree::string(pg_sys::get_func_name(*function)),
                )
            };
            if !allowed {
                return Err(PostgresError::made(
                    PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE as i32,
                    &format!("permission denied for function {name}"),
                    "",
                    None,
                ));
            }
        }
        Ok(())
    }
}

fn only_reads(query: &pg_sys::Query) -> bool {
    query.commandType == pg_sys::CmdType::CMD_SELECT && !query.hasModifyingCTE
}

struct Inlining {
    /// The statement changes nothing.
    reads: bool,
    /// Whose bodies stand in the places of calls.
    called: Vec<Oid>,
    failed: Option<PostgresError>,
}

impl Inlining {
    /// In a private copy, of which a changed copy is given.
    fn inline(&mut self, query: &mut pg_sys::Query, depth: usize) -> &'static pg_sys::Query {
        for level in tree::levels(query) {
            pgrx::check_for_interrupts!();
            // SAFETY: a level of a private copy, of which nothing else is held.
            let level = unsafe { &mut *level };
            for entry in entries(level) {
                self.inline_range(entry, depth);
            }
        }
        let replaced =
            tree::replace_by_depth(std::ptr::from_mut(query).cast(), 0, &mut |node, _| {
                self.value(node, depth)
            });
        // SAFETY: a copy of a query is one.
        unsafe { &*replaced.cast() }
    }

    fn inline_range(&mut self, entry: *mut pg_sys::RangeTblEntry, depth: usize) {
        // SAFETY: an entry of a private copy, of which nothing else is held.
        unsafe {
            let query = match (*entry).rtekind {
                RTEKind::RTE_FUNCTION => self.rows(&*entry, depth),
                RTEKind::RTE_RELATION => self.view((*entry).relid, depth),
                _ => None,
            };
            let Some(query) = query else {
                return;
            };
            if (*entry).rtekind == RTEKind::RTE_FUNCTION {
                (*entry).functions = std::ptr::null_mut();
                (*entry).lateral =
                    pg_sys::contain_vars_of_level(std::ptr::from_mut(query).cast(), 1);
            }
            put_subquery(entry, query);
        }
    }

    /// The query of a view with functions that can be put into it.
    fn view(&mut self, relation: Oid, depth: usize) -> Option<&'static mut pg_sys::Query> {
        let known = self.called.len();
        let query = view_query::of_view(relation)?;
        let inlined = build::copy(self.inline(build::copy(query), depth));
        // The view's owner may see other rows than the session's role, which is to scan the tables itself.
        if self.called.len() == known || has_policies(query) {
            self.called.truncate(known);
            return None;
        }
        Some(inlined)
    }

    /// The query that gives the rows of a function in FROM.
    fn rows(
        &mut self,
        entry: &pg_sys::RangeTblEntry,
        depth: usize,
    ) -> Option<&'static mut pg_sys::Query> {
        let mut functions = tree::list::<pg_sys::RangeTblFunction>(entry.functions);
        let (Some(only), None) = (functions.next(), functions.next()) else {
            return None;
        };
        let call = tree::cast::<pg_sys::FuncExpr, _>(only.funcexpr)?;
        if entry.funcordinality || !only.funccolnames.is_null() {
            return None;
        }
        if !call.funcretset {
            return self.row_of_value(call, depth);
        }
        let body = self.body(call, depth)?;
        let rows = body.rows()?;
        self.called.push(call.funcid);
        // SAFETY: a private copy.
        Some(unsafe { &mut *rows })
    }

    /// The row that a function of one value is in FROM.
    fn row_of_value(
        &mut self,
        call: &pg_sys::FuncExpr,
        depth: usize,
    ) -> Option<&'static mut pg_sys::Query> {
        let value = self.value(std::ptr::from_ref(call).cast_mut().cast(), depth)?;
        let query = parts::select([], std::ptr::null_mut());
        // SAFETY: a private copy, which comes one level below the call.
        unsafe { pg_sys::IncrementVarSublevelsUp(value, 1, 0) };
        query.targetList = tree::make_list([build::target(value, 1).cast()]);
        query.hasSubLinks = true;
        Some(query)
    }

    /// What stands for the call of a function that gives one value.
    fn value(&mut self, node: NodePtr, depth: usize) -> Option<NodePtr> {
        let call = tree::cast::<pg_sys::FuncExpr, _>(node)?;
        if call.funcretset || !functions::is_opaque(call.funcid) {
            return None;
        }
        // The arguments may call functions, too.
        let mut call = *call;
        let arguments: Vec<NodePtr> = tree::nodes(call.args)
            .map(|argument| {
                tree::replace_by_depth(argument, 0, &mut |node, _| self.value(node, depth))
            })
            .collect();
        call.args = tree::make_list(arguments);
        let call = tree::cast::<pg_sys::FuncExpr, _>(tree::copy(&raw const call))?;
        let body = self.body(call, depth)?;
        let value = body.value()?;
        self.called.push(call.funcid);
        Some(value)
    }

    /// With the functions that it calls put into it.
    fn body(&mut self, call: &pg_sys::FuncExpr, depth: usize) -> Option<Body> {
        if depth == DEPTH_MAX || self.failed.is_some() || !functions::is_opaque(call.funcid) {
            return None;
        }
        match called_body::of(call, self.reads) {
            Ok(Some(mut body)) => {
                let inlined = self.inline(body.query(), depth + 1);
                *body.query() = *inlined;
                body.is_plain().then_some(body)
            }
            Ok(None) => None,
            Err(error) => {
                self.failed = Some(error);
                None
            }
        }
    }
}

/// What the level reads: an entry that is not in FROM stands for a rule's rows, or for what it changes.
fn entries(query: &pg_sys::Query) -> Vec<*mut pg_sys::RangeTblEntry> {
    let relations = used::relations(query);
    (1..)
        .zip(tree::nodes(query.rtable))
        .filter(|(index, node)| {
            let is_relation = tree::cast::<pg_sys::RangeTblEntry, _>(*node)
                .is_some_and(|entry| entry.rtekind == RTEKind::RTE_RELATION);
            !is_relation || (*index != query.resultRelation && relations.contains(index))
        })
        .map(|(_, node)| node.cast())
        .collect()
}

/// Whether a table that the query reads, at any depth, has row security.
fn has_policies(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            entries(level).into_iter().any(|entry| {
                // SAFETY: an entry of a valid query.
                let entry = unsafe { &*entry };
                entry.rtekind == RTEKind::RTE_RELATION
                    && Opened::open(entry.relid, pg_sys::NoLock)
                        .is_none_or(|relation| relation.class().relrowsecurity)
            })
        })
    })
}
