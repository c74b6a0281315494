//! Changes of rows through an automatically updatable view, as changes of what is below the view: what PostgreSQL's rewriter makes of them, as a
//! statement that can be divided between nodes. Its text has no WITH CHECK OPTION, and the session's role needs the privileges that the view's owner has.

use super::merge::build;
use super::merge::filter;
use super::merge::used;
use super::parser;
use super::tree::{self, NodePtr};
use super::view_query;
use crate::compat;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind, RangeTblEntry};

/// The same statement without the view; `None` where it changes no view, or what it does cannot be said without it.
pub fn find(query: &pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
    let changes = matches!(
        query.commandType,
        CmdType::CMD_INSERT | CmdType::CMD_UPDATE | CmdType::CMD_DELETE
    );
    if !changes || query.hasModifyingCTE {
        return None;
    }
    let view = View::of(tree::target(query))?;
    let checks = query.commandType != CmdType::CMD_DELETE && view.has_check_option();
    if checks || !view.may_be_left_out(query) {
        return None;
    }
    view.replaced(build::copy(query))
}

/// The same down to the table, without what WITH CHECK OPTION says: for who has the rows go through the view when they come.
pub fn unchecked(query: &pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
    let mut below = build::copy(query);
    while !Table::below(tree::target(below))?.is_named() {
        let view = View::of(tree::target(below)).filter(|view| view.may_be_left_out(below))?;
        below = view.replaced(below)?;
    }
    Some(below)
}

/// The table whose rows a statement changes that names a table or an automatically updatable view.
pub struct Table {
    pub oid: Oid,
    /// What the statement names.
    named: Oid,
    /// The numbers there of the view's columns, 0 for what is none; `None` of a table itself.
    columns: Option<Vec<i16>>,
}

impl Table {
    /// Below any number of views; `None` where triggers or rules say what becomes of changes, and of what is no table.
    pub fn below(relation: Oid) -> Option<Table> {
        // SAFETY: a look-up by number.
        match unsafe { pg_sys::get_rel_relkind(relation) } as u8 {
            pg_sys::RELKIND_RELATION | pg_sys::RELKIND_PARTITIONED_TABLE => {
                return Some(Table {
                    oid: relation,
                    named: relation,
                    columns: None,
                });
            }
            pg_sys::RELKIND_VIEW => {}
            _ => return None,
        }
        let view = View::of(relation)?;
        // SAFETY: an entry of the view's query.
        let table = Table::below(unsafe { (*view.below()).relid })?;
        let columns = view.values.iter().map(|value| view.column(*value));
        Some(Table {
            oid: table.oid,
            named: relation,
            columns: Some(columns.map(|column| table.column(column)).collect()),
        })
    }

    pub fn is_named(&self) -> bool {
        self.columns.is_none()
    }

    /// Such a statement as its text names it, and these columns of the table; `None` when a view has not all of them.
    pub fn names(
        &self,
        columns: &[&pg_sys::FormData_pg_attribute],
    ) -> Option<(String, Vec<String>)> {
        let number = |column: &pg_sys::FormData_pg_attribute| match &self.columns {
            None => Some(column.attnum),
            Some(of_view) => of_view
                .iter()
                .position(|below| *below == column.attnum)
                .map(|at| at as i16 + 1),
        };
        let name = |column: &&pg_sys::FormData_pg_attribute| {
            // SAFETY: a look-up of a column that is there.
            let name = unsafe { pg_sys::get_attname(self.named, number(column)?, false) };
            Some(parser::quoted(&tree::string(name)))
        };
        let names: Option<Vec<String>> = columns.iter().map(name).collect();
        Some((parser::qualified_name(self.named), names?))
    }

    /// The number in the table of a column that the statement names.
    pub fn column(&self, named: i16) -> i16 {
        match &self.columns {
            None => named,
            Some(columns) => usize::try_from(named - 1)
                .ok()
                .and_then(|at| columns.get(at).copied())
                .unwrap_or(0),
        }
    }
}

/// An automatically updatable view.
struct View {
    opened: Opened,
    query: &'static pg_sys::Query,
    /// The entry of its range table that it is over.
    range: i32,
    /// What its columns are, from the first on.
    values: Vec<NodePtr>,
}

impl View {
    /// `None` for any other relation, and where triggers or rules say what becomes of changes.
    fn of(relation: Oid) -> Option<View> {
        let query = view_query::of_view(relation)?;
        let opened = Opened::open(relation, pg_sys::NoLock)?;
        // SAFETY: an open relation, whose one rule is the view itself; the function looks at the query only.
        let is_plain = unsafe {
            let rules = (*opened.relation()).rd_rules;
            let single = !rules.is_null() && (*rules).numLocks == 1;
            let of_view = std::ptr::from_ref(query).cast_mut();
            single && pg_sys::view_query_is_auto_updatable(of_view, true).is_null()
        };
        if !is_plain || !opened.triggers().is_empty() {
            return None;
        }
        let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
        let range = tree::list::<pg_sys::RangeTblRef>(from.fromlist).next()?;
        let values = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .map(|entry| entry.expr.cast());
        Some(View {
            opened,
            query,
            range: range.rtindex,
            values: values.collect(),
        })
    }

    fn below(&self) -> *mut RangeTblEntry {
        tree::range(self.query, self.range)
    }

    /// The column below that the value is; 0 for another.
    fn column(&self, value: NodePtr) -> i16 {
        tree::cast::<pg_sys::Var, _>(value)
            .filter(|column| column.varno == self.range && column.varlevelsup == 0)
            .map_or(0, |column| column.varattno.max(0))
    }

    fn options(&self) -> Option<&pg_sys::ViewOptions> {
        // SAFETY: an open view, whose options are of this kind.
        unsafe {
            (*self.opened.relation())
                .rd_options
                .cast::<pg_sys::ViewOptions>()
                .as_ref()
        }
    }

    fn has_check_option(&self) -> bool {
        let not_set = pg_sys::ViewOptCheckOption::VIEW_OPTION_CHECK_OPTION_NOT_SET;
        self.options()
            .is_some_and(|options| options.check_option != not_set)
    }

    /// Whether the role of the session may do itself what the view's owner does for it, and sees the same rows.
    fn may_be_left_out(&self, query: &pg_sys::Query) -> bool {
        // SAFETY: reads the session's role; an entry of the view's query.
        let (user, below) = unsafe { (pg_sys::GetUserId(), (*self.below()).relid) };
        let invokes = self
            .options()
            .is_some_and(|options| options.security_invoker);
        let owner = match invokes {
            true => user,
            false => self.opened.class().relowner,
        };
        let modes = modes_of(query);
        let view = self.opened.id();
        let asked = modes.iter().filter(|mode| **mode != pg_sys::ACL_SELECT);
        asked.clone().all(|mode| is_allowed(view, user, *mode))
            && (!reads_target(query) || is_allowed(view, user, pg_sys::ACL_SELECT))
            && modes
                .iter()
                .all(|mode| is_allowed(below, user, *mode) && is_allowed(below, owner, *mode))
            && reads_alike(self.query, user, owner)
    }

    /// In a private copy, of which a changed copy is given.
    fn replaced(&self, query: &mut pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
        self.assign_below(query)?;
        let target = query.resultRelation;
        // SAFETY: null, or an OnConflictExpr of a private copy.
        let excluded = unsafe { query.onConflict.as_mut() }.map_or(0, |conflict| {
            conflict.exclRelTlist = std::ptr::null_mut(); // For EXPLAIN: names of what EXCLUDED has, the whole row as well.
            conflict.exclRelIndex
        });
        let mut failed = false;
        let node = std::ptr::from_mut(query).cast();
        let replaced = tree::replace_by_depth(node, 0, &mut |node, depth| {
            let column = tree::cast::<pg_sys::Var, _>(node)?;
            let is_own = column.varno == target || (excluded > 0 && column.varno == excluded);
            if !is_own || i64::from(column.varlevelsup) != i64::from(depth) {
                return None;
            }
            let value = usize::try_from(column.varattno - 1)
                .ok()
                .and_then(|at| self.values.get(at))
                .filter(|_| !compat::names_version(column));
            failed |= value.is_none();
            Some(self.of_range(*value?, column.varno, depth))
        });
        if failed {
            return None;
        }
        // SAFETY: a copy of a query is one.
        let query = unsafe { &mut *replaced.cast::<pg_sys::Query>() };
        query.hasSubLinks |= self.query.hasSubLinks;
        self.put_below(query, target);
        if excluded > 0 {
            self.put_below(query, excluded);
        }
        if query.commandType != CmdType::CMD_INSERT {
            self.add_conditions(query)?;
        }
        Some(query)
    }

    /// A part of the view's query in the statement, at this depth, where what is below the view has this number.
    fn of_range(&self, part: NodePtr, range: i32, depth: i32) -> NodePtr {
        let part = tree::copy(part);
        // SAFETY: a private copy; both know all nodes of expressions.
        unsafe {
            pg_sys::ChangeVarNodes(part, self.range, range, 0);
            pg_sys::IncrementVarSublevelsUp(part, depth, 0);
        }
        part
    }

    /// What is assigned goes to the columns below; the view's own defaults are written out.
    fn assign_below(&self, query: &mut pg_sys::Query) -> Option<()> {
        self.add_defaults(query)?;
        let mut lists = vec![query.targetList];
        if !query.onConflict.is_null() {
            // SAFETY: an OnConflictExpr of a private copy.
            lists.push(unsafe { (*query.onConflict).onConflictSet });
        }
        let below = Opened::open(
            // SAFETY: an entry of the view's query.
            unsafe { (*self.below()).relid },
            pg_sys::NoLock,
        )?;
        for (at, list) in lists.into_iter().enumerate() {
            let updates = at > 0 || query.commandType == CmdType::CMD_UPDATE;
            for entry in tree::nodes(list) {
                // SAFETY: an entry of a private copy, of which nothing else is held.
                let entry = unsafe { &mut *entry.cast::<pg_sys::TargetEntry>() };
                if entry.resjunk || query.commandType == CmdType::CMD_DELETE {
                    continue;
                }
                if tree::tag(entry.expr) == Some(NodeTag::T_SetToDefault) {
                    match self.default_of(entry.resno) {
                        Some(default) => entry.expr = default.cast(),
                        // As PostgreSQL has it: a default of the table is for INSERT.
                        None if updates => {
                            entry.expr = build::null(tree::type_of(entry.expr)).cast();
                        }
                        None => {}
                    }
                }
                let value = *self.values.get(usize::try_from(entry.resno - 1).ok()?)?;
                let number = self.column(value);
                let column = below.columns().get(usize::try_from(number - 1).ok()?)?;
                entry.resno = number;
                // SAFETY: a copy of a C string.
                entry.resname = unsafe { pg_sys::pstrdup(column.attname.data.as_ptr()) };
            }
        }
        Some(())
    }

    /// The default that the view itself has for a column.
    fn default_of(&self, number: i16) -> Option<NodePtr> {
        // SAFETY: a column of the open view.
        let default =
            unsafe { pg_sys::build_column_default(self.opened.relation(), number.into()) };
        (!default.is_null()).then(|| default.cast())
    }

    /// The view's defaults of columns that an INSERT does not give; `None` where they would have to go into several rows.
    fn add_defaults(&self, query: &mut pg_sys::Query) -> Option<()> {
        if query.commandType != CmdType::CMD_INSERT {
            return Some(());
        }
        let given = |number: i16, list| {
            tree::list::<pg_sys::TargetEntry>(list).any(|entry| entry.resno == number)
        };
        let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
        for number in (1..).take(self.values.len()) {
            let Some(default) = self.default_of(number) else {
                continue;
            };
            let gives_default = !from.fromlist.is_null() && names_defaults(query);
            let missing = !given(number, query.targetList);
            if gives_default || (missing && !from.fromlist.is_null()) {
                return None;
            }
            if missing {
                let entry = build::target(default, number);
                // SAFETY: appends to a list of a private copy.
                query.targetList = unsafe { pg_sys::lappend(query.targetList, entry.cast()) };
            }
        }
        Some(())
    }

    /// Makes the entry for the view one for what is below it, under the name that the statement knows it by.
    fn put_below(&self, query: &pg_sys::Query, number: i32) {
        // SAFETY: entries of a private copy and of the view's query.
        unsafe {
            let (entry, below) = (&mut *tree::range(query, number), &*self.below());
            entry.relid = below.relid;
            if number == query.resultRelation {
                (entry.relkind, entry.rellockmode) = (below.relkind, below.rellockmode);
                entry.inh = below.inh;
                entry.alias = pg_sys::makeAlias((*entry.eref).aliasname, std::ptr::null_mut());
            }
            (*entry.eref).colnames = tree::copy((*below.eref).colnames);
        }
    }

    /// The conditions of the view, before those of the statement where that must not see other rows; `None` where that is not to say.
    fn add_conditions(&self, query: &mut pg_sys::Query) -> Option<()> {
        let own = tree::cast::<pg_sys::FromExpr, _>(self.query.jointree);
        let own = own.map_or(std::ptr::null_mut(), |from| from.quals);
        if own.is_null() {
            return Some(());
        }
        let own = self.of_range(own, query.resultRelation, 0);
        let guards = self
            .options()
            .is_some_and(|options| options.security_barrier);
        // Guarded conditions repeat it. SAFETY: a valid expression.
        if guards && unsafe { pg_sys::contain_volatile_functions(own) } {
            return None;
        }
        // SAFETY: the FROM of a private copy.
        let from = unsafe { &mut *query.jointree };
        let mut conditions = vec![own];
        conditions.extend(tree::conjuncts(from.quals).into_iter().map(|condition| {
            // SAFETY: a valid expression.
            match guards && unsafe { pg_sys::contain_leaked_vars(condition) } {
                true => guarded(condition, own),
                false => condition,
            }
        }));
        from.quals = filter::all_of(conditions);
        Some(())
    }
}

/// The condition, which is looked at only for rows that meet the other.
fn guarded(condition: NodePtr, guard: NodePtr) -> NodePtr {
    let when = tree::make::<pg_sys::CaseWhen>();
    when.expr = tree::copy(guard).cast();
    when.result = condition.cast();
    when.location = -1;
    let case = tree::make::<pg_sys::CaseExpr>();
    case.casetype = pg_sys::BOOLOID;
    case.args = tree::make_list([std::ptr::from_mut(when).cast()]);
    // SAFETY: makes a constant.
    case.defresult = unsafe { pg_sys::makeBoolConst(false, false) }.cast();
    case.location = -1;
    std::ptr::from_mut(case).cast()
}

/// What the statement needs of the table; a view reads it.
fn modes_of(query: &pg_sys::Query) -> Vec<u32> {
    let own = match query.commandType {
        CmdType::CMD_INSERT => pg_sys::ACL_INSERT,
        CmdType::CMD_UPDATE => pg_sys::ACL_UPDATE,
        _ => pg_sys::ACL_DELETE,
    };
    let mut modes = vec![own];
    // SAFETY: null, or an OnConflictExpr.
    if let Some(conflict) = unsafe { query.onConflict.as_ref() }
        && !conflict.onConflictSet.is_null()
    {
        modes.push(pg_sys::ACL_UPDATE);
    }
    if query.commandType != CmdType::CMD_INSERT || reads_target(query) {
        modes.push(pg_sys::ACL_SELECT);
    }
    modes
}

fn is_allowed(relation: Oid, user: Oid, mode: u32) -> bool {
    // SAFETY: a catalogue look-up.
    let found = unsafe { pg_sys::pg_class_aclcheck(relation, user, mode as pg_sys::AclMode) };
    found == pg_sys::AclResult::ACLCHECK_OK
}

/// Whether some expression reads what is changed.
fn reads_target(query: &pg_sys::Query) -> bool {
    let lists: [NodePtr; 4] = [
        query.returningList.cast(),
        query.onConflict.cast(),
        query.jointree.cast(),
        query.targetList.cast(),
    ];
    lists.into_iter().any(|list| {
        tree::any(list, &mut |node| {
            tree::cast::<pg_sys::Var, _>(node)
                .is_some_and(|column| column.varno == query.resultRelation)
        })
    })
}

/// Whether the rows of an INSERT of several rows have DEFAULT for some column.
fn names_defaults(query: &pg_sys::Query) -> bool {
    tree::list::<RangeTblEntry>(query.rtable)
        .filter(|entry| entry.rtekind == RTEKind::RTE_VALUES)
        .flat_map(|entry| tree::nodes(entry.values_lists))
        .flat_map(|row| tree::nodes(row.cast()))
        .any(|value| tree::tag(value) == Some(NodeTag::T_SetToDefault))
}

/// Whether both roles may read all tables of the view's query, and see the same rows of them.
fn reads_alike(view: &pg_sys::Query, user: Oid, owner: Oid) -> bool {
    let read_alike = |relation: Oid| {
        let has_policies = Opened::open(relation, pg_sys::NoLock)
            .is_none_or(|relation| relation.class().relrowsecurity);
        let may_read = |role| is_allowed(relation, role, pg_sys::ACL_SELECT);
        !has_policies && may_read(user) && may_read(owner)
    };
    !tree::any(std::ptr::from_ref(view).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            used::relations(level).into_iter().any(|index| {
                // SAFETY: an entry of the query.
                !read_alike(unsafe { (*tree::range(level, index)).relid })
            })
        })
    })
}
