//! The order in which FROM gives rows where it is nothing but a subquery, a query of WITH or a view with ORDER BY. SQL promises nothing there, but one
//! PostgreSQL keeps the order, and statements rely on it: LIMIT around a sorted subquery, array_agg() over one, windows without ORDER BY.

use super::super::locality;
use super::super::parser;
use super::super::tree::{self, NodePtr};
use super::build;
use pgrx::pg_sys::{self, CmdType, RTEKind, SortGroupClause};

/// One thing by which FROM is sorted, the most significant first.
pub struct SortKey {
    /// As the level around the subquery sees it.
    pub expression: NodePtr,
    /// How it is compared. What it refers to is a column of the subquery.
    pub clause: SortGroupClause,
}

/// Why nodes do not sort the rows.
const HIDDEN: &str = "a subquery or a view does not give what its rows are sorted by";

/// A query in which all is visible by which its FROM is sorted.
pub struct Sorted {
    pub query: &'static mut pg_sys::Query,
    pub keys: Vec<SortKey>,
}

impl Sorted {
    /// Of a query as analysed; what its views are is seen in the rewritten one. `None` when FROM has no order, an Err when what it is sorted by
    /// cannot be seen: then the whole statement runs over gathered rows, in that order.
    pub fn of(
        query: &pg_sys::Query,
        rewritten: &pg_sys::Query,
    ) -> Result<Option<Sorted>, &'static str> {
        let range = only_range(rewritten).filter(|_| query.rowMarks.is_null());
        let sorted = range.and_then(|range| Some((range, subquery(rewritten, range)?)));
        let Some((range, inner)) = sorted else {
            return Ok(None);
        };
        let Some(columns) = order_of(inner)? else {
            return Ok(None);
        };
        let query = build::copy(query);
        if columns.iter().any(|column| column.is_hidden) {
            show_hidden(tree::range(query, range)).ok_or(HIDDEN)?;
        }
        let keys = columns.into_iter().map(|column| SortKey {
            expression: tree::make_field(range, column.number, column.expression),
            clause: column.clause,
        });
        Ok(Some(Sorted {
            keys: keys.collect(),
            query,
        }))
    }

    /// The query, itself sorted as its FROM is.
    pub fn lifted(self) -> &'static pg_sys::Query {
        let Sorted { query, keys } = self;
        let entries: Vec<_> = tree::list::<pg_sys::TargetEntry>(query.targetList).collect();
        let unused = 1 + entries
            .iter()
            .map(|entry| entry.ressortgroupref)
            .max()
            .unwrap_or(0);
        let (mut targets, mut clauses): (Vec<NodePtr>, Vec<NodePtr>) = (
            entries
                .into_iter()
                .map(|entry| tree::copy(entry).cast())
                .collect(),
            Vec::new(),
        );
        for (key, reference) in keys.into_iter().zip(unused..) {
            let entry = build::target(key.expression, targets.len() as i16 + 1);
            // SAFETY: the entry was just made.
            unsafe {
                (*entry).ressortgroupref = reference;
                (*entry).resjunk = true;
            }
            targets.push(entry.cast());
            clauses.push(sort_clause(&key.clause, reference));
        }
        query.targetList = tree::make_list(targets);
        query.sortClause = tree::make_list(clauses);
        query
    }
}

/// The columns by which a query groups. Rows that are sorted by them first need not be sorted once more, and keep their order in each group.
pub fn groups(query: &'static pg_sys::Query) -> Vec<SortKey> {
    let key = |clause: &SortGroupClause| {
        let entry = tree::target_of(query, clause)?;
        let sorts = clause.sortop != pg_sys::InvalidOid;
        let column = tree::cast::<pg_sys::Var, _>(entry.expr).filter(|_| sorts)?;
        Some(SortKey {
            expression: tree::copy(column).cast(),
            clause: *clause,
        })
    };
    let keys = tree::list::<SortGroupClause>(query.groupClause).map(key);
    match query.groupingSets.is_null() {
        true => keys.collect::<Option<_>>().unwrap_or_default(),
        false => Vec::new(),
    }
}

/// ORDER BY of the column with that reference, compared as that clause says.
pub fn sort_clause(clause: &SortGroupClause, reference: u32) -> NodePtr {
    let copy = tree::copy(clause);
    // SAFETY: the copy was just made.
    unsafe { (*copy).tleSortGroupRef = reference };
    copy.cast()
}

/// A column by which a query sorts its rows.
struct SortedColumn {
    number: i16,
    expression: NodePtr,
    /// It is not among the query's results.
    is_hidden: bool,
    clause: SortGroupClause,
}

/// The columns by which a query sorts its rows; `None` without an order, an Err when it does not give what its FROM is sorted by.
type Order = Result<Option<Vec<SortedColumn>>, &'static str>;

/// That of a query: its own ORDER BY, or what sorts its FROM, if nothing happens to the rows in between.
fn order_of(query: &'static pg_sys::Query) -> Order {
    if query.commandType != CmdType::CMD_SELECT {
        return Ok(None);
    }
    if query.sortClause.is_null() {
        return passed_on(query);
    }
    let column = |clause: &'static SortGroupClause| {
        let entry = tree::target_of(query, clause)?;
        Some(SortedColumn {
            number: entry.resno,
            expression: entry.expr.cast(),
            is_hidden: entry.resjunk,
            clause: *clause,
        })
    };
    let clauses = tree::list::<SortGroupClause>(query.sortClause);
    Ok(clauses.map(column).collect())
}

/// The same of a query without ORDER BY.
fn passed_on(query: &'static pg_sys::Query) -> Order {
    let range = only_range(query).filter(|_| !reorders(query));
    let sorted = range.and_then(|range| Some((range, subquery(query, range)?)));
    let Some((range, inner)) = sorted else {
        return Ok(None);
    };
    let column = |inner: SortedColumn| {
        let same = |entry: &&pg_sys::TargetEntry| {
            let var = tree::cast::<pg_sys::Var, _>(entry.expr);
            var.is_some_and(|var| {
                (var.varno, var.varattno, var.varlevelsup) == (range, inner.number, 0)
            })
        };
        let entry = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .filter(|entry| !entry.resjunk)
            .find(same)
            .ok_or(HIDDEN)?;
        Ok(SortedColumn {
            number: entry.resno,
            expression: entry.expr.cast(),
            ..inner
        })
    };
    match order_of(inner)? {
        Some(columns) => columns
            .into_iter()
            .map(column)
            .collect::<Result<_, _>>()
            .map(Some),
        None => Ok(None),
    }
}

/// Whether the rows of a level without ORDER BY may come in another order than FROM gives them.
pub fn reorders(query: &pg_sys::Query) -> bool {
    locality::groups(query)
        || query.hasWindowFuncs
        || query.hasTargetSRFs
        || !query.setOperations.is_null()
        || (!query.distinctClause.is_null() && !query.hasDistinctOn)
}

/// The range that FROM consists of.
fn only_range(query: &pg_sys::Query) -> Option<i32> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let mut items = tree::nodes(from.fromlist);
    let only = items.next().filter(|_| items.next().is_none())?;
    tree::cast::<pg_sys::RangeTblRef, _>(only).map(|reference| reference.rtindex)
}

/// The query that a range stands for.
fn subquery(query: &pg_sys::Query, range: i32) -> Option<&'static pg_sys::Query> {
    // SAFETY: an entry of the range table.
    let entry = unsafe { &*tree::range(query, range) };
    match entry.rtekind {
        RTEKind::RTE_SUBQUERY => tree::cast::<pg_sys::Query, _>(entry.subquery),
        RTEKind::RTE_CTE if entry.ctelevelsup == 0 && !entry.self_reference => {
            let name = tree::string(entry.ctename);
            tree::list::<pg_sys::CommonTableExpr>(query.cteList)
                .find(|with| tree::string(with.ctename) == name)
                .and_then(|with| tree::cast::<pg_sys::Query, _>(with.ctequery))
        }
        _ => None,
    }
}

/// Makes results of what a subquery sorts by and does not give; `None` for a view or a query of WITH, which are named and not written there.
fn show_hidden(entry: *mut pg_sys::RangeTblEntry) -> Option<()> {
    // SAFETY: an entry of a copy of ours, with its subquery.
    unsafe {
        if (*entry).rtekind != RTEKind::RTE_SUBQUERY {
            return None;
        }
        for target in tree::nodes((*(*entry).subquery).targetList) {
            let target = target.cast::<pg_sys::TargetEntry>();
            if !(*target).resjunk {
                continue;
            }
            let name = parser::c_text(&format!("sorted_by_{}", (*target).resno));
            (*target).resjunk = false;
            (*target).resname = pg_sys::pstrdup(name.as_ptr());
            let column = pg_sys::makeString(pg_sys::pstrdup(name.as_ptr()));
            let names = &mut (*(*entry).eref).colnames;
            *names = pg_sys::lappend(*names, column.cast());
        }
    }
    Some(())
}
