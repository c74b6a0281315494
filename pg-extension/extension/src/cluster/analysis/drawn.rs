//! A SELECT that takes a number of a sequence for each of its rows, `SELECT nextval('s'), id FROM d`, in two: a query that gives the rows, and the
//! SELECT over them, as one array parameter for each column after the statement's own. Sequences count on one node, which then knows the rows.
//! PostgreSQL, too, calls what is volatile when rows are sorted and limited.

use super::given_rows::{self, Given};
use super::merge::{build, build::WorkerColumns, outer, used};
use super::node_functions;
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, CmdType, Oid};

/// Of a query as analysed; `None` when no level of it takes numbers for its rows, or the rows depend on these.
pub fn find(query: &pg_sys::Query, parameters: &[Oid]) -> Result<Option<Given>, PostgresError> {
    let statement = build::copy(query);
    let found = tree::levels(statement).into_iter().find(|level| {
        // SAFETY: a level of a private copy.
        let level = unsafe { &**level };
        draws(level.targetList.cast()) && used::mentions(level) > 0
    });
    let Some(level) = found else {
        return Ok(None);
    };
    // SAFETY: as above; nothing else of it is held.
    let level = unsafe { &mut *level };
    if !draws_in_targets_only(level) || outer::reads_above(level) {
        return Ok(None);
    }
    let source = build::copy(level);
    let Some((columns, targets)) = divide(source) else {
        return Ok(None);
    };
    let all: Vec<Oid> = parameters.iter().copied().chain(columns.arrays()).collect();
    let rows = build::rows(parameters.len(), &all)?;
    rows.targetList = tree::make_list(targets.into_iter().map(|target| target.over(&columns)));
    *level = *rows;
    if !given_rows::has_same_result(query, statement, &all)? {
        return Ok(None);
    }
    Ok(Some(Given {
        source,
        statement,
        parameters: all,
        count: columns.len(),
    }))
}

/// Whether an expression takes numbers that are counted on one node.
pub fn counts(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::FuncExpr, _>(node).is_some_and(|call| {
            let sequence = || node_functions::sequence_of(tree::nodes(call.args).next());
            is_draw(node) && !node_functions::is_divided(sequence())
        })
    })
}

fn is_draw(node: NodePtr) -> bool {
    tree::cast::<pg_sys::FuncExpr, _>(node)
        .is_some_and(|call| call.funcid.to_u32() == pg_sys::F_NEXTVAL)
}

/// Whether it calls nextval(), but for what queries below do.
fn draws(node: NodePtr) -> bool {
    let mut found = false;
    tree::walk(node, &mut |node| {
        found |= is_draw(node);
        !found && tree::cast::<pg_sys::Query, _>(node).is_none()
    });
    found
}

/// Whether its rows are what they are, whatever numbers they get.
fn draws_in_targets_only(level: &pg_sys::Query) -> bool {
    let plain = level.commandType == CmdType::CMD_SELECT
        && level.setOperations.is_null()
        && level.distinctClause.is_null()
        && !level.hasTargetSRFs
        && !level.hasModifyingCTE;
    let compared = tree::list::<pg_sys::TargetEntry>(level.targetList)
        .any(|entry| entry.ressortgroupref != 0 && draws(entry.expr.cast()));
    let all = |node: *const pg_sys::Query| {
        let mut count = 0;
        tree::walk(node.cast_mut().cast(), &mut |node| {
            count += usize::from(is_draw(node));
            true
        });
        count
    };
    let mut in_targets = 0;
    tree::walk(level.targetList.cast(), &mut |node| {
        in_targets += usize::from(is_draw(node));
        tree::cast::<pg_sys::Query, _>(node).is_none()
    });
    plain && !compared && in_targets == all(level)
}

/// What a column of the level is over the rows.
struct Target {
    expression: NodePtr,
    /// Parts of the expression that the rows have, or all of it.
    parts: Vec<(NodePtr, usize)>,
    name: *mut std::ffi::c_char,
    number: i16,
}

impl Target {
    fn over(self, columns: &WorkerColumns) -> NodePtr {
        let value = tree::replace(self.expression, &mut |node| {
            let mut parts = self.parts.iter();
            let known = parts.find(|(part, _)| tree::equal(*part, node));
            known.map(|(_, place)| columns.read(*place))
        });
        let target = build::target(value, self.number);
        // SAFETY: the entry was just made.
        unsafe { (*target).resname = self.name };
        target.cast()
    }
}

/// Leaves of the level a query of what does not draw; `None` when it gives nothing that an array could carry.
fn divide(source: &mut pg_sys::Query) -> Option<(WorkerColumns, Vec<Target>)> {
    let mut columns = WorkerColumns::default();
    let mut targets = Vec::new();
    let entries = || tree::list::<pg_sys::TargetEntry>(source.targetList);
    for entry in entries().filter(|entry| !entry.resjunk) {
        let expression: NodePtr = entry.expr.cast();
        let parts = match draws(expression) {
            true => parts_of(expression),
            false => vec![expression],
        };
        let placed = parts.into_iter().map(|part| {
            let reference = entry.ressortgroupref;
            (part, columns.push(part, reference))
        });
        targets.push(Target {
            expression,
            parts: placed.collect(),
            name: entry.resname,
            number: entry.resno,
        });
    }
    if columns.len() == 0 {
        // SAFETY: makes a constant, since there must be something for each row.
        columns.push(unsafe { pg_sys::makeBoolConst(true, false) }, 0);
    }
    if columns.has_anonymous_rows() {
        return None;
    }
    let hidden = entries().filter(|entry| entry.resjunk);
    let hidden = hidden.enumerate().map(|(at, entry)| {
        let copy = tree::copy(entry);
        // SAFETY: just made.
        unsafe { (*copy).resno = (columns.len() + at) as i16 + 1 };
        copy.cast()
    });
    source.targetList = tree::make_list(tree::nodes(columns.targets()).chain(hidden));
    Some((columns, targets))
}

/// The largest parts of an expression that read rows and draw nothing.
fn parts_of(expression: NodePtr) -> Vec<NodePtr> {
    let mut parts = Vec::new();
    tree::walk(expression, &mut |node| {
        let is_list = tree::tag(node) == Some(pg_sys::NodeTag::T_List);
        if is_list || draws(node) {
            return true;
        }
        if reads(node) {
            parts.push(node);
        }
        false
    });
    parts
}

fn reads(node: NodePtr) -> bool {
    use pg_sys::NodeTag::{T_Aggref, T_GroupingFunc, T_SubLink, T_Var, T_WindowFunc};
    tree::any(node, &mut |node| {
        matches!(
            tree::tag(node),
            Some(T_Aggref | T_GroupingFunc | T_SubLink | T_Var | T_WindowFunc)
        )
    })
}
