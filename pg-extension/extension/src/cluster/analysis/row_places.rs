//! Rows that are found by their place, `DELETE FROM t WHERE ctid IN (SELECT ctid FROM t ... LIMIT 1000)`: by their primary key instead. A place means
//! something on one node only, and only until the row changes.

use super::merge::build;
use super::merge::filter;
use super::row_keys::{is_equal, key_vars};
use super::tree::{self, NodePtr};
use crate::boundary::functions;
use crate::opened::Opened;
use pgrx::pg_sys::{self, CmdType, Oid, ParamKind, RTEKind, SubLinkType};

/// The same statement; `None` when its places are not all of this kind.
pub fn by_keys(query: &pg_sys::Query) -> Option<&'static mut pg_sys::Query> {
    let all = places(query);
    if all == 0 || query.commandType == CmdType::CMD_UTILITY {
        return None;
    }
    let statement = build::copy(query);
    let mut finding = Finding {
        levels: vec![&raw mut *statement],
        replaced: 0,
    };
    // SAFETY: the FROM of a private copy.
    let conditions = tree::conjuncts(unsafe { (*statement.jointree).quals });
    let conditions: Vec<NodePtr> = conditions
        .into_iter()
        .map(|condition| finding.by_keys(condition).unwrap_or(condition))
        .collect();
    // SAFETY: as above.
    unsafe { (*statement.jointree).quals = filter::all_of(conditions) };
    (finding.replaced == all).then_some(statement)
}

/// How many places the statement reads.
fn places(query: &pg_sys::Query) -> usize {
    let mut count = 0;
    tree::walk(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        let is_place = tree::cast::<pg_sys::Var, _>(node)
            .is_some_and(|column| column.vartype == pg_sys::TIDOID);
        count += usize::from(is_place);
        true
    });
    count
}

struct Finding {
    /// The levels of a private copy around the one that is looked at, and that itself.
    levels: Vec<*mut pg_sys::Query>,
    /// How many places have become keys.
    replaced: usize,
}

/// A table whose rows are found, as a range of the statement.
struct Table {
    oid: Oid,
    keys: Vec<NodePtr>,
}

impl Finding {
    fn level(&self) -> &'static mut pg_sys::Query {
        let level = self.levels[self.levels.len() - 1];
        // SAFETY: a level of a private copy, of which nothing else is held.
        unsafe { &mut *level }
    }

    /// The condition that compares primary keys; `None` for one that compares no places.
    fn by_keys(&mut self, condition: NodePtr) -> Option<NodePtr> {
        if let Some(link) = tree::cast::<pg_sys::SubLink, _>(condition) {
            let is_any = link.subLinkType == SubLinkType::ANY_SUBLINK;
            let test = tree::cast::<pg_sys::OpExpr, _>(link.testexpr).filter(|_| is_any)?;
            let place = tree::nodes(test.args).next()?;
            let table = self.compared(test.opno, place)?;
            return self.among(&table, link);
        }
        if let Some(any) = tree::cast::<pg_sys::ScalarArrayOpExpr, _>(condition) {
            let mut sides = tree::nodes(any.args);
            let (place, array) = (sides.next()?, sides.next()?);
            let table = self.compared(any.opno, place).filter(|_| any.useOr)?;
            let link = tree::cast::<pg_sys::SubLink, _>(array)
                .filter(|link| link.subLinkType == SubLinkType::ARRAY_SUBLINK)?;
            return self.among(&table, link);
        }
        let operator = tree::cast::<pg_sys::OpExpr, _>(condition)?;
        let mut sides = tree::nodes(operator.args);
        let (one, other) = (sides.next()?, sides.next()?);
        let (table, other) = match self.compared(operator.opno, one) {
            Some(table) => (table, other),
            None => (self.compared(operator.opno, other)?, one),
        };
        if let Some(link) = tree::cast::<pg_sys::SubLink, _>(other) {
            if link.subLinkType != SubLinkType::EXPR_SUBLINK || table.keys.len() != 1 {
                return None;
            }
            let value = self.selecting(&table, link)?;
            return Some(is_equal(table.keys[0], value));
        }
        let keys = self.keys(&table, tree::cast::<pg_sys::Var, _>(other)?)?;
        self.replaced += 2;
        Some(table.are(keys))
    }

    /// The table of a place that is compared for equality.
    fn compared(&self, operator: Oid, place: NodePtr) -> Option<Table> {
        let column = tree::cast::<pg_sys::Var, _>(place)?;
        let is_place = operator.to_u32() == pg_sys::TIDEqualOperator
            && i32::from(column.varattno) == pg_sys::SelfItemPointerAttributeNumber
            && column.varlevelsup == 0;
        // SAFETY: a range of a private copy.
        let entry = unsafe { &*tree::range(self.level(), column.varno) };
        if !is_place || entry.rtekind != RTEKind::RTE_RELATION {
            return None;
        }
        let open = Opened::open(entry.relid, pg_sys::NoLock)?;
        // SAFETY: a catalogue look-up.
        let has_heirs = unsafe { functions::has_subclass(entry.relid) };
        let keys = key_vars(&open, column.varno);
        let plain = open.class().relkind as u8 == pg_sys::RELKIND_RELATION && !has_heirs;
        (plain && !keys.is_empty()).then_some(Table {
            oid: entry.relid,
            keys,
        })
    }

    /// `(key, ...) IN (SELECT key, ...)`
    fn among(&mut self, table: &Table, link: &pg_sys::SubLink) -> Option<NodePtr> {
        let selecting = self.selecting(table, link)?.cast::<pg_sys::SubLink>();
        let given = table.keys.iter().zip(1..).map(|(key, number)| {
            let parameter = tree::make_parameter(number, tree::type_of(*key));
            let parameter = parameter.cast::<pg_sys::Param>();
            // SAFETY: just made.
            unsafe {
                (*parameter).paramkind = ParamKind::PARAM_SUBLINK;
                (*parameter).paramcollid = tree::collation_of(*key);
            }
            parameter.cast()
        });
        // SAFETY: a private copy.
        unsafe {
            (*selecting).subLinkType = SubLinkType::ANY_SUBLINK;
            (*selecting).testexpr = table.are(given.collect());
        }
        Some(selecting.cast())
    }

    /// The subquery with the keys in the place of its one column.
    fn selecting(&mut self, table: &Table, link: &pg_sys::SubLink) -> Option<NodePtr> {
        let link = tree::copy(std::ptr::from_ref(link));
        // SAFETY: a private copy.
        let select = unsafe { (*link).subselect }.cast::<pg_sys::Query>();
        self.levels.push(select);
        let first = self.given_by(table, 1);
        self.levels.pop();
        let first = first?;
        // SAFETY: as above; the column that had the place is the first one.
        let select = unsafe { &mut *select };
        let kept = tree::list::<pg_sys::TargetEntry>(select.targetList).filter(|_| first == 2);
        let kept: Vec<NodePtr> = kept
            .skip(1)
            .zip(1..)
            .map(|(entry, number)| {
                let entry = tree::copy(std::ptr::from_ref(entry));
                // SAFETY: just made.
                unsafe { (*entry).resno = number };
                entry.cast()
            })
            .collect();
        select.targetList = tree::make_list(kept);
        self.replaced += 1;
        (first == 2).then_some(link.cast())
    }

    /// Has the level give the keys of the row whose place is that column, behind all columns; gives the number of the first one.
    fn given_by(&mut self, table: &Table, number: i16) -> Option<i16> {
        let level = self.level();
        let entries: Vec<_> = tree::list::<pg_sys::TargetEntry>(level.targetList).collect();
        let entry = entries
            .iter()
            .find(|entry| entry.resno == number && !entry.resjunk)?;
        let plain = level.commandType == CmdType::CMD_SELECT
            && level.setOperations.is_null()
            && entry.ressortgroupref == 0
            && level.distinctClause.is_null();
        let column = tree::cast::<pg_sys::Var, _>(entry.expr).filter(|_| plain)?;
        let keys = self.keys(table, column)?;
        let (junk, given): (Vec<&pg_sys::TargetEntry>, Vec<&pg_sys::TargetEntry>) =
            entries.into_iter().partition(|entry| entry.resjunk);
        let first = given.len() as i16 + 1;
        let mut all: Vec<*mut pg_sys::TargetEntry> = Vec::new();
        for entry in given {
            let copy = tree::copy(std::ptr::from_ref(entry));
            if entry.resno == number {
                // SAFETY: just made.
                unsafe { (*copy).expr = build::null(pg_sys::TIDOID).cast() };
            }
            all.push(copy);
        }
        for (key, at) in keys.into_iter().zip(1..) {
            let target = build::target(key, 0);
            // SAFETY: just made; the name is copied.
            unsafe { (*target).resname = name(at) };
            all.push(target);
        }
        all.extend(
            junk.into_iter()
                .map(|entry| tree::copy(std::ptr::from_ref(entry))),
        );
        for (entry, number) in all.iter().zip(1..) {
            // SAFETY: as above.
            unsafe { (**entry).resno = number };
        }
        self.level().targetList = tree::make_list(all.into_iter().map(|entry| entry.cast()));
        self.replaced += 1;
        Some(first)
    }

    /// The keys of the row whose place is a column of the level.
    fn keys(&mut self, table: &Table, column: &pg_sys::Var) -> Option<Vec<NodePtr>> {
        if column.varlevelsup != 0 {
            return None;
        }
        // SAFETY: a range of a private copy.
        let entry = unsafe { &mut *tree::range(self.level(), column.varno) };
        let is_place = i32::from(column.varattno) == pg_sys::SelfItemPointerAttributeNumber;
        match entry.rtekind {
            RTEKind::RTE_RELATION if is_place && entry.relid == table.oid => {
                let open = Opened::open(table.oid, pg_sys::NoLock)?;
                Some(key_vars(&open, column.varno))
            }
            RTEKind::RTE_SUBQUERY => {
                self.levels.push(entry.subquery);
                let first = self.given_by(table, column.varattno);
                self.levels.pop();
                Some(table.fields(entry, column.varno, first?))
            }
            RTEKind::RTE_CTE => self.keys_of_with(table, column, entry),
            _ => None,
        }
    }

    /// The same of a query of WITH that is mentioned once.
    fn keys_of_with(
        &mut self,
        table: &Table,
        column: &pg_sys::Var,
        entry: &mut pg_sys::RangeTblEntry,
    ) -> Option<Vec<NodePtr>> {
        let owner = self
            .levels
            .len()
            .checked_sub(1 + entry.ctelevelsup as usize)?;
        // SAFETY: a level of a private copy.
        let lists = unsafe { (*self.levels[owner]).cteList };
        let with = tree::nodes(lists).find(|with| {
            tree::cast::<pg_sys::CommonTableExpr, _>(*with)
                .is_some_and(|with| tree::string(with.ctename) == tree::string(entry.ctename))
        })?;
        let with = with.cast::<pg_sys::CommonTableExpr>();
        // SAFETY: the list has such nodes, of a private copy.
        let with = unsafe { &mut *with };
        if with.cterefcount != 1 || with.cterecursive || !with.aliascolnames.is_null() {
            return None;
        }
        let inside = self.levels.split_off(owner + 1);
        self.levels.push(with.ctequery.cast());
        let first = self.given_by(table, column.varattno);
        self.levels.truncate(owner + 1);
        self.levels.extend(inside);
        for (key, at) in table.keys.iter().zip(1..) {
            // SAFETY: appends to lists of a private copy.
            unsafe {
                let (type_oid, collation) = (tree::type_of(*key), tree::collation_of(*key));
                with.ctecolnames =
                    pg_sys::lappend(with.ctecolnames, pg_sys::makeString(name(at)).cast());
                with.ctecoltypes = pg_sys::lappend_oid(with.ctecoltypes, type_oid);
                with.ctecoltypmods = pg_sys::lappend_int(with.ctecoltypmods, -1);
                with.ctecolcollations = pg_sys::lappend_oid(with.ctecolcollations, collation);
                entry.coltypes = pg_sys::lappend_oid(entry.coltypes, type_oid);
                entry.coltypmods = pg_sys::lappend_int(entry.coltypmods, -1);
                entry.colcollations = pg_sys::lappend_oid(entry.colcollations, collation);
            }
        }
        Some(table.fields(entry, column.varno, first?))
    }
}

impl Table {
    /// Whether the row is the one with these keys.
    fn are(&self, keys: Vec<NodePtr>) -> NodePtr {
        let conditions = self.keys.iter().zip(keys);
        filter::all_of(
            conditions
                .map(|(key, other)| is_equal(*key, other))
                .collect(),
        )
    }

    /// The keys as columns of a subquery that gives them, from that number on.
    fn fields(&self, entry: &mut pg_sys::RangeTblEntry, range: i32, first: i16) -> Vec<NodePtr> {
        for at in 1..=self.keys.len() as i16 {
            // SAFETY: appends to a list of a private copy.
            unsafe {
                let names = &mut (*entry.eref).colnames;
                *names = pg_sys::lappend(*names, pg_sys::makeString(name(at)).cast());
            }
        }
        let keys = self.keys.iter().zip(first..);
        keys.map(|(key, number)| tree::make_field(range, number, *key))
            .collect()
    }
}

/// What a column of the keys is called.
fn name(number: i16) -> *mut std::ffi::c_char {
    let name = super::parser::c_text(&format!("key_{number}_of_row"));
    // SAFETY: a copy of a C string.
    unsafe { pg_sys::pstrdup(name.as_ptr()) }
}
