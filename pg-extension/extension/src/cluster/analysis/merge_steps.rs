//! MERGE into a distributed table whose rows may match on any node, and go to others than they match on: `MERGE INTO d USING u ON d.n = u.id`. It is done
//! in steps, in one transaction. Rows of USING come first, as one array for each column. What follows is over these:
//!
//! 1. Which of them match: each node tells it of its own rows, and locks those that match, so that they match until the end.
//! 2. WHEN MATCHED: each node changes its own rows, by a MERGE of the rows that match.
//! 3. WHEN NOT MATCHED: each action is an INSERT ... SELECT of the rows that match nowhere.
//!
//! Where no action inserts, the second step is all that there is. As rows that match stay locked, they are the ones that one PostgreSQL would have
//! changed: it looks at a row again when it has waited for it, and so does the first step.

use super::changing_calls;
use super::merge::{build, filter, parts};
use super::merge_into;
use super::merge_source::{self, MergeSource};
use super::operand;
use super::relation::{Placement, Relation, has_policies};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::compat;
use pgrx::pg_sys::{self, CmdType, LockClauseStrength, MergeAction, Oid};

/// The statements. Each has the parameters of the statement itself, then the arrays of the rows, and those behind the first step one more.
pub struct Steps {
    /// Gives the rows of USING.
    pub source: &'static mut pg_sys::Query,
    /// The MERGE over them.
    pub merge: &'static mut pg_sys::Query,
    /// The types of its parameters.
    pub parameters: Vec<Oid>,
    /// How many of them are arrays of the rows.
    pub count: usize,
    /// What is to be known where rows are inserted.
    pub inserting: Option<Inserting>,
}

/// The steps of a MERGE that inserts rows.
pub struct Inserting {
    /// Gives the places of the rows that match.
    pub matching: &'static mut pg_sys::Query,
    /// The changes, which know these places.
    pub changes: Vec<&'static mut pg_sys::Query>,
}

/// The type of the array of places.
pub const PLACES: Oid = pg_sys::INT8ARRAYOID;

/// Of a MERGE as analysed; `None` when there is no such way.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
) -> Result<Option<Steps>, PostgresError> {
    let placed = matches!(target.placement, Placement::Distributed(_));
    let joined = merge_source::with_join_as_subquery(query);
    let query = joined.as_deref().unwrap_or(query);
    if !placed || !merge_into::is_plain(query, target) || merge_into::reads_beside_source(query) {
        return Ok(None);
    }
    let Some(source) = MergeSource::of(query) else {
        return Ok(None);
    };
    let inserts = actions(query).any(|action| action.commandType == CmdType::CMD_INSERT);
    // Those for each row would fire when a step is over, and others would see what they do.
    if changing_calls::may_fire_triggers(target.oid) {
        return Ok(None);
    }
    // Policies say of a MERGE otherwise than of what locks rows which of them it may see.
    if comes_out_twice(query) || inserts && has_policies(target.oid) {
        return Ok(None);
    }
    // An INSERT cannot return what USING has given; which rows match nothing is to be known of all rows of USING.
    let asks_more = !query.returningList.is_null() || compat::changes_unmatched(query);
    if inserts && asks_more {
        return Ok(None);
    }
    let own = parameters.len();
    let types = source.columns.arrays();
    let parameters: Vec<Oid> = parameters.iter().copied().chain(types).collect();
    let merge = build::copy(query);
    source.put(merge, build::rows(own, &parameters)?);
    let steps = Dividing {
        query,
        source: &source,
        own,
        parameters: &parameters,
    };
    let inserting = match inserts {
        true => Some(Inserting {
            matching: steps.matching()?,
            changes: steps.changes()?,
        }),
        false => None,
    };
    Ok(Some(Steps {
        source: source.select(query),
        merge,
        count: source.columns.len(),
        parameters,
        inserting,
    }))
}

fn actions(query: &pg_sys::Query) -> impl Iterator<Item = &'static MergeAction> {
    tree::list::<MergeAction>(query.mergeActionList)
}

/// Whether something is asked in several steps that may come out otherwise each time.
fn comes_out_twice(query: &pg_sys::Query) -> bool {
    let unmatched = actions(query).filter(|action| !compat::is_matched(action));
    let conditions = tree::make_list(unmatched.map(|action| action.qual));
    // SAFETY: valid expressions; the list may hold nulls, which are skipped.
    unsafe {
        pg_sys::contain_volatile_functions(query.jointree.cast())
            || pg_sys::contain_volatile_functions(compat::own_condition(query))
            || pg_sys::contain_volatile_functions(conditions.cast())
    }
}

struct Dividing<'q> {
    query: &'q pg_sys::Query,
    source: &'q MergeSource,
    /// How many parameters the statement itself has.
    own: usize,
    /// With the arrays of the rows.
    parameters: &'q [Oid],
}

impl Dividing<'_> {
    /// The rows of USING with their places.
    fn rows(&self) -> Result<&'static mut pg_sys::Query, PostgresError> {
        build::numbered_rows(self.own, self.parameters)
    }

    /// The rows that match, or the others.
    fn rows_that(&self, matches: bool) -> Result<&'static mut pg_sys::Query, PostgresError> {
        let rows = self.rows()?;
        let places = tree::make_parameter(self.parameters.len() as i32 + 1, PLACES);
        let among = tree::make_any(equal_places(), Oid::INVALID, self.source.place(), places);
        // SAFETY: makes a node; the FROM is of a private copy.
        unsafe {
            (*rows.jointree).quals = if matches { among } else { filter::not(among) };
        }
        Ok(rows)
    }

    /// SELECT of the places of the rows that match, which locks what they match where it is to change.
    fn matching(&self) -> Result<&'static mut pg_sys::Query, PostgresError> {
        let select = build::copy(self.query);
        let place = self.source.put_numbered(select, self.rows()?);
        select.mergeActionList = std::ptr::null_mut();
        parts::select_changed(select, self.lock());
        let number = self.source.number;
        // SAFETY: makes a node.
        let read = unsafe { pg_sys::makeVar(number, place, pg_sys::INT8OID, -1, Oid::INVALID, 0) };
        select.targetList = tree::make_list([build::target(read.cast(), 1).cast()]);
        Ok(select)
    }

    /// How rows that match are locked; `None` where they stay as they are.
    fn lock(&self) -> Option<LockClauseStrength::Type> {
        let does = |command| {
            actions(self.query)
                .any(|action| compat::is_matched(action) && action.commandType == command)
        };
        if does(CmdType::CMD_DELETE) {
            Some(LockClauseStrength::LCS_FORUPDATE)
        } else {
            does(CmdType::CMD_UPDATE).then_some(LockClauseStrength::LCS_FORNOKEYUPDATE)
        }
    }

    fn changes(&self) -> Result<Vec<&'static mut pg_sys::Query>, PostgresError> {
        let mut changes = Vec::new();
        if self.lock().is_some() {
            let merge = build::copy(self.query);
            let matched = actions(self.query).filter(|action| compat::is_matched(action));
            merge.mergeActionList =
                tree::make_list(matched.map(|action| tree::copy(action).cast()));
            self.source.put(merge, self.rows_that(true)?);
            changes.push(merge);
        }
        let mut earlier = Vec::new();
        for action in actions(self.query).filter(|action| !compat::is_matched(action)) {
            if action.commandType == CmdType::CMD_INSERT {
                changes.push(self.insert(action, &earlier)?);
            }
            earlier.push(action.qual);
        }
        Ok(changes)
    }

    /// INSERT ... SELECT of what the action inserts, unless an earlier one applies.
    fn insert(
        &self,
        action: &MergeAction,
        earlier: &[NodePtr],
    ) -> Result<&'static mut pg_sys::Query, PostgresError> {
        let mut conditions: Vec<NodePtr> = earlier.iter().copied().map(is_not_true).collect();
        conditions.extend((!action.qual.is_null()).then_some(action.qual));
        let given = || {
            tree::list::<pg_sys::TargetEntry>(action.targetList).filter(|entry| {
                let is_default = tree::tag(entry.expr) == Some(pg_sys::NodeTag::T_SetToDefault);
                !entry.resjunk && !is_default
            })
        };
        let holder = build::copy(self.query);
        self.source.put(holder, self.rows_that(false)?);
        let conditions = conditions
            .into_iter()
            .map(|condition| self.alone(condition));
        let all = filter::all_of(conditions.collect());
        let select = parts::select([tree::range(holder, self.source.number)], all);
        select.hasSubLinks = self.query.hasSubLinks;
        select.targetList = tree::make_list(given().enumerate().map(|(at, entry)| {
            build::target(
                self.alone(operand::without_length(entry.expr.cast())),
                at as i16 + 1,
            )
            .cast()
        }));
        let insert = tree::make::<pg_sys::Query>();
        insert.commandType = CmdType::CMD_INSERT;
        insert.canSetTag = true;
        insert.override_ = action.override_;
        insert.resultRelation = 1;
        insert.targetList = tree::make_list(given().enumerate().map(|(at, entry)| {
            let value =
                tree::make_field(2, at as i16 + 1, operand::without_length(entry.expr.cast()));
            build::target(value, entry.resno).cast()
        }));
        let target = tree::copy(tree::range(self.query, self.query.resultRelation));
        insert.rtable = tree::make_list([target.cast(), build::range_of(select, "new").cast()]);
        insert.jointree = parts::from_ranges([2]);
        Ok(insert)
    }

    /// An expression over the row of USING, where that is the only range.
    fn alone(&self, expression: NodePtr) -> NodePtr {
        let number = self.source.number;
        tree::replace_by_depth(expression, 0, &mut |node, depth| {
            let column = tree::cast::<pg_sys::Var, _>(node)?;
            let own = column.varno == number && column.varlevelsup as i32 == depth;
            own.then(|| build::renumbered(column, 1, column.varlevelsup))
        })
    }
}

/// PostgreSQL's `=` of bigint.
fn equal_places() -> Oid {
    // SAFETY: a look-up of an operator that is there.
    unsafe {
        let names = [c"pg_catalog", c"="]
            .map(|name| pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
        pg_sys::OpernameGetOprid(tree::make_list(names), pg_sys::INT8OID, pg_sys::INT8OID)
    }
}

fn is_not_true(condition: NodePtr) -> NodePtr {
    let test = tree::make::<pg_sys::BooleanTest>();
    test.arg = condition.cast();
    test.booltesttype = pg_sys::BoolTestType::IS_NOT_TRUE;
    test.location = -1;
    std::ptr::from_mut(test).cast()
}
