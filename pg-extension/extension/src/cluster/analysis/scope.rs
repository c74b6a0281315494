//! The query levels of a statement: which relation each range of a level is, and which column each Var means.
//!
//! Columns of subqueries resolve to the base columns they pass through, so that a condition outside restricts the
//! relation inside, unless something in between (LIMIT, window functions, set operations ...) looks at all rows.

use super::graph::{Column, EqualityGraph};
use super::kept_value;
use super::locality::Locality;
use super::relation::Relation;
use super::tree::{self, NodePtr};
use pgrx::pg_sys::{self, Oid, RTEKind};
use std::collections::{BTreeMap, BTreeSet};

/// Index of a query level.
pub type ScopeId = usize;

/// What a range table entry stands for.
#[derive(Clone, Copy)]
pub enum Range {
    /// A relation, by its id.
    Relation(usize),
    /// A subquery in FROM.
    Subquery(ScopeId),
    /// A WITH query. Mentioned once it is like a subquery.
    With { scope: ScopeId, once: bool },
    /// A join; its columns are those of its sides.
    Join,
    /// Rows that are the same on every node: functions, VALUES.
    Computed,
    /// Not part of this level (rule placeholders, EXCLUDED).
    Unused,
}

/// One query level.
pub struct Scope {
    pub query: &'static pg_sys::Query,
    pub parent: Option<ScopeId>,
    /// By range table index, from 1.
    pub ranges: Vec<Range>,
    /// Subqueries in expressions.
    pub sublinks: Vec<ScopeId>,
    /// Queries of WITH, by name.
    with: BTreeMap<String, ScopeId>,
}

/// Rows that were gathered come as arrays, the parameters of a statement over them.
#[derive(Default)]
struct Gathered {
    /// For each parameter, from 0, the part of the rows that it is the first column of.
    first_of: BTreeMap<i32, usize>,
    /// The relation that stands for each part.
    relations: BTreeMap<usize, usize>,
    /// Parts that are mentioned more than once.
    repeated: BTreeSet<usize>,
}

/// Everything known about a statement's relations and columns.
#[derive(Default)]
pub struct Scopes {
    pub scopes: Vec<Scope>,
    pub relations: Vec<Relation>,
    pub graph: EqualityGraph,
    /// Nodes of the graph that are columns of relations.
    columns: BTreeMap<(usize, i16), Column>,
    /// Nodes that stand for a column of a WITH query that is mentioned several times.
    derived: BTreeMap<(ScopeId, usize, i16), Column>,
    /// Of a statement over rows that were gathered: what its parameters are.
    gathered: Option<Gathered>,
    /// What is known of how the rows of levels lie: a level that is mentioned twice in each of many levels is looked at once.
    pub localities: BTreeMap<ScopeId, Locality>,
}

impl Scopes {
    /// For a statement over rows that were gathered: each part of them is a relation, too, at first with the same rows on every node.
    ///
    /// `first_of` says which parameters, from 0, are the first columns of the parts.
    pub fn over_parts(first_of: impl IntoIterator<Item = usize>) -> Scopes {
        let numbered = first_of.into_iter().enumerate();
        Scopes {
            gathered: Some(Gathered {
                first_of: numbered.map(|(part, at)| (at as i32, part)).collect(),
                ..Gathered::default()
            }),
            ..Scopes::default()
        }
    }

    /// The parts that are mentioned once, with the relations that stand for them.
    pub fn parts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.gathered.iter().flat_map(|gathered| {
            let once = |(part, _): &(&usize, &usize)| !gathered.repeated.contains(part);
            let all = gathered.relations.iter().filter(once);
            all.map(|(part, relation)| (*part, *relation))
        })
    }

    /// The part of which a range is the rows.
    fn part_of(&mut self, entry: &pg_sys::RangeTblEntry, level: usize) -> Option<Range> {
        let gathered = self.gathered.as_mut()?;
        let first = tree::list::<pg_sys::RangeTblFunction>(entry.functions).next()?;
        let call = tree::cast::<pg_sys::FuncExpr, _>(first.funcexpr)?;
        let parameter = tree::list::<pg_sys::Param>(call.args).next()?;
        let is_unnest = call.funcid == Oid::from(pg_sys::F_UNNEST_ANYARRAY);
        if entry.rtekind != RTEKind::RTE_FUNCTION || entry.funcordinality || !is_unnest {
            return None;
        }
        let part = *gathered.first_of.get(&(parameter.paramid - 1))?;
        let id = self.relations.len();
        if gathered.relations.insert(part, id).is_some() {
            gathered.repeated.insert(part);
        }
        self.relations.push(Relation::of_rows(level));
        Some(Range::Relation(id))
    }

    /// The table that the statement itself changes.
    pub fn target(&self) -> Option<&Relation> {
        self.relations
            .iter()
            .find(|relation| relation.write && relation.level == 0)
    }

    /// Adds a query with all its subqueries; conditions are read by [`super::conditions`].
    pub fn add(
        &mut self,
        query: &'static pg_sys::Query,
        parent: Option<ScopeId>,
        level: usize,
    ) -> ScopeId {
        pgrx::check_for_interrupts!();
        let id = self.scopes.len();
        self.scopes.push(Scope {
            query,
            parent,
            ranges: Vec::new(),
            sublinks: Vec::new(),
            with: BTreeMap::new(),
        });
        for with in tree::list::<pg_sys::CommonTableExpr>(query.cteList) {
            if let Some(inner) = tree::cast::<pg_sys::Query, _>(with.ctequery) {
                let inner = self.add(inner, Some(id), level + 1);
                self.scopes[id]
                    .with
                    .insert(tree::string(with.ctename), inner);
            }
        }
        self.add_ranges(id, query, level);
        super::conditions::read(self, id);
        self.add_sublinks(id, query, level);
        id
    }

    fn add_ranges(&mut self, id: ScopeId, query: &'static pg_sys::Query, level: usize) {
        let used = used_ranges(query);
        let entries: Vec<_> = tree::list::<pg_sys::RangeTblEntry>(query.rtable).collect();
        self.scopes[id].ranges = vec![Range::Unused; entries.len()];
        // Relations first: lateral subqueries refer to them.
        for (index, entry) in entries.iter().enumerate() {
            if used.contains(&(index as i32 + 1)) && entry.rtekind != RTEKind::RTE_SUBQUERY {
                self.scopes[id].ranges[index] =
                    self.simple_range(id, entry, index as i32 + 1, level);
            }
        }
        for (index, entry) in entries.iter().enumerate() {
            if used.contains(&(index as i32 + 1)) && entry.rtekind == RTEKind::RTE_SUBQUERY {
                // SAFETY: a subquery entry has a subquery.
                let inner = self.add(unsafe { &*entry.subquery }, Some(id), level + 1);
                self.scopes[id].ranges[index] = Range::Subquery(inner);
            }
        }
    }

    fn simple_range(
        &mut self,
        id: ScopeId,
        entry: &pg_sys::RangeTblEntry,
        index: i32,
        level: usize,
    ) -> Range {
        match entry.rtekind {
            RTEKind::RTE_RELATION => {
                let query = self.scopes[id].query;
                let mut relation = Relation::new(entry.relid, level);
                if query.resultRelation == index {
                    relation.write = true;
                    relation.assigned = tree::assignments(query)
                        .into_iter()
                        .filter(|entry| !kept_value::is_one(query, entry))
                        .map(|entry| relation.column_name(entry.resno))
                        .collect();
                }
                relation.locking = locking_clause(query, index);
                self.relations.push(relation);
                Range::Relation(self.relations.len() - 1)
            }
            RTEKind::RTE_JOIN => Range::Join,
            RTEKind::RTE_CTE => match self.with_query(id, entry) {
                Some((scope, references)) => Range::With {
                    scope,
                    once: references == 1,
                },
                None => Range::Computed,
            },
            _ => self.part_of(entry, level).unwrap_or(Range::Computed),
        }
    }

    /// The WITH query that an entry mentions and how often it is mentioned. `None` inside a recursive one itself.
    fn with_query(&self, id: ScopeId, entry: &pg_sys::RangeTblEntry) -> Option<(ScopeId, i32)> {
        if entry.self_reference {
            return None;
        }
        let owner = (0..entry.ctelevelsup).try_fold(id, |scope, _| self.scopes[scope].parent)?;
        let name = tree::string(entry.ctename);
        let references = tree::list::<pg_sys::CommonTableExpr>(self.scopes[owner].query.cteList)
            .find(|with| tree::string(with.ctename) == name)?
            .cterefcount;
        Some((*self.scopes[owner].with.get(&name)?, references))
    }

    fn add_sublinks(&mut self, id: ScopeId, query: &'static pg_sys::Query, level: usize) {
        let mut found: Vec<&'static pg_sys::SubLink> = Vec::new();
        for_each_expression(query, &mut |expression| {
            tree::walk(expression, &mut |node| {
                if let Some(sublink) = tree::cast::<pg_sys::SubLink, _>(node) {
                    found.push(sublink);
                }
                // A query inside belongs to its own level.
                tree::cast::<pg_sys::Query, _>(node).is_none()
            });
        });
        for sublink in found {
            if let Some(inner) = tree::cast::<pg_sys::Query, _>(sublink.subselect) {
                let inner = self.add(inner, Some(id), level + 1);
                self.scopes[id].sublinks.push(inner);
                super::conditions::read_sublink(self, id, sublink, inner);
            }
        }
    }

    /// The graph's node for a column of a relation.
    pub fn column(&mut self, relation: usize, attribute: i16) -> Column {
        match self.columns.get(&(relation, attribute)) {
            Some(column) => *column,
            None => {
                let column = self.graph.add();
                self.columns.insert((relation, attribute), column);
                column
            }
        }
    }

    /// The same of a column that some condition names.
    pub fn known_column(&self, relation: usize, attribute: i16) -> Option<Column> {
        self.columns.get(&(relation, attribute)).copied()
    }

    /// The relation and attribute behind a node; `None` for derived ones.
    pub fn origin(&self, column: Column) -> Option<(usize, i16)> {
        self.columns
            .iter()
            .find(|(_, c)| **c == column)
            .map(|(origin, _)| *origin)
    }

    /// Whether a node stands for a column of a WITH query that this scope mentions.
    pub fn is_derived_in(&self, scope: ScopeId, column: Column) -> bool {
        self.derived
            .iter()
            .any(|((owner, ..), derived)| *owner == scope && *derived == column)
    }

    /// The level a Var of this scope refers to.
    fn scope_of(&self, scope: ScopeId, levels_up: u32) -> Option<ScopeId> {
        (0..levels_up).try_fold(scope, |scope, _| self.scopes[scope].parent)
    }

    /// The base column that a Var means.
    pub fn resolve(&mut self, scope: ScopeId, var: &pg_sys::Var) -> Option<Column> {
        let scope = self.scope_of(scope, var.varlevelsup)?;
        self.resolve_in(scope, usize::try_from(var.varno).ok()?, var.varattno)
    }

    /// What a column of a range of this scope means.
    pub fn resolve_mention(
        &mut self,
        scope: ScopeId,
        range: i32,
        attribute: i16,
    ) -> Option<Column> {
        self.resolve_in(scope, usize::try_from(range).ok()?, attribute)
    }

    fn resolve_in(&mut self, scope: ScopeId, range: usize, attribute: i16) -> Option<Column> {
        if attribute <= 0 {
            return None; // whole rows and system columns
        }
        match *self.scopes[scope].ranges.get(range.checked_sub(1)?)? {
            Range::Relation(relation) => Some(self.column(relation, attribute)),
            Range::Subquery(inner) => self.resolve_output(inner, attribute),
            Range::With {
                scope: inner,
                once: true,
            } => self.resolve_output(inner, attribute),
            Range::With {
                scope: inner,
                once: false,
            } => self.resolve_derived(scope, range, inner, attribute),
            Range::Join => {
                let entry = tree::list::<pg_sys::RangeTblEntry>(self.scopes[scope].query.rtable)
                    .nth(range - 1)?;
                let alias = tree::nodes(entry.joinaliasvars).nth(attribute as usize - 1)?;
                let var = tree::cast::<pg_sys::Var, _>(super::operand::strip_faithful(alias))?;
                self.resolve_in(scope, usize::try_from(var.varno).ok()?, var.varattno)
            }
            Range::Computed | Range::Unused => None,
        }
    }

    /// The base column behind an output column of a subquery.
    pub fn resolve_output(&mut self, scope: ScopeId, attribute: i16) -> Option<Column> {
        let query = self.scopes[scope].query;
        if looks_at_all_rows(query) {
            return None;
        }
        let entry = tree::list::<pg_sys::TargetEntry>(query.targetList)
            .find(|entry| entry.resno == attribute)?;
        let var = tree::cast::<pg_sys::Var, _>(super::operand::strip_alike(entry.expr.cast()))?;
        self.resolve(scope, var)
    }

    /// Values found inside hold outside; a condition outside holds for this mention only.
    fn resolve_derived(
        &mut self,
        scope: ScopeId,
        range: usize,
        inner: ScopeId,
        attribute: i16,
    ) -> Option<Column> {
        if let Some(column) = self.derived.get(&(scope, range, attribute)) {
            return Some(*column);
        }
        let source = self.resolve_output(inner, attribute)?;
        let column = self.graph.add();
        self.graph.lead(source, column);
        self.derived.insert((scope, range, attribute), column);
        Some(column)
    }

    /// Whether the statement looks at system columns of distributed rows, such as `ctid`: they mean something on one node only. A table's number becomes
    /// its name where the node itself writes it (`tableoid::regclass`).
    pub fn reads_system_columns(&self) -> bool {
        (0..self.scopes.len()).any(|scope| {
            let mut found = false;
            for_each_expression(self.scopes[scope].query, &mut |expression| {
                tree::walk(expression, &mut |node| {
                    found |= tree::cast::<pg_sys::Var, _>(node)
                        .is_some_and(|var| var.varattno < 0 && self.is_distributed(scope, var));
                    // A query inside belongs to its own level.
                    tree::cast::<pg_sys::Query, _>(node).is_none() && !writes_name(node, scope == 0)
                });
            });
            found
        })
    }

    fn is_distributed(&self, scope: ScopeId, var: &pg_sys::Var) -> bool {
        let range = self
            .scope_of(scope, var.varlevelsup)
            .and_then(|scope| self.scopes[scope].ranges.get(var.varno as usize - 1));
        matches!(range, Some(Range::Relation(id)) if self.relations[*id].spreading().is_some())
    }

    /// Ids of all relations at this level and below it.
    pub fn relations_below(&self, scope: ScopeId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([scope]);
        let mut waiting = vec![scope];
        while let Some(scope) = waiting.pop() {
            let mut below = self.scopes[scope].sublinks.clone();
            for range in &self.scopes[scope].ranges {
                match range {
                    Range::Relation(id) => {
                        found.insert(*id);
                    }
                    Range::Subquery(inner) | Range::With { scope: inner, .. } => below.push(*inner),
                    Range::Join | Range::Computed | Range::Unused => {}
                }
            }
            waiting.extend(below.into_iter().filter(|inner| seen.insert(*inner)));
        }
        found
    }
}

/// Whether it is `tableoid::regclass` in the form of a text, or as what the statement gives.
fn writes_name(node: NodePtr, gives: bool) -> bool {
    let written = match tree::cast::<pg_sys::TargetEntry, _>(node) {
        Some(entry) if gives => Some(entry.expr),
        Some(_) => None,
        None => tree::cast::<pg_sys::CoerceViaIO, _>(node).map(|cast| cast.arg),
    };
    written
        .and_then(|name| tree::cast::<pg_sys::RelabelType, _>(name))
        .filter(|name| name.resulttype == pg_sys::REGCLASSOID)
        .and_then(|name| tree::cast::<pg_sys::Var, _>(name.arg))
        .is_some_and(|var| i32::from(var.varattno) == pg_sys::TableOidAttributeNumber)
}

/// Implicit changes of type that leave the bytes alone.
pub fn strip_relabel(mut node: NodePtr) -> NodePtr {
    while let Some(relabel) = tree::cast::<pg_sys::RelabelType, _>(node) {
        node = relabel.arg.cast();
    }
    node
}

/// True when an output row depends on rows that a condition on an output column would remove.
fn looks_at_all_rows(query: &pg_sys::Query) -> bool {
    query.commandType != pg_sys::CmdType::CMD_SELECT
        || query.hasWindowFuncs
        || query.hasTargetSRFs
        || query.hasDistinctOn
        || query.hasRecursive
        || !query.groupingSets.is_null()
        || !query.limitCount.is_null()
        || !query.limitOffset.is_null()
        || !query.setOperations.is_null()
}

/// Range table indexes in the join tree, joins included, and the target.
fn used_ranges(query: &pg_sys::Query) -> BTreeSet<i32> {
    let mut used = BTreeSet::from([query.resultRelation]);
    let mut collect = |node: NodePtr| {
        if let Some(range) = tree::cast::<pg_sys::RangeTblRef, _>(node) {
            used.insert(range.rtindex);
        } else if let Some(join) = tree::cast::<pg_sys::JoinExpr, _>(node) {
            used.insert(join.rtindex);
        }
        tree::cast::<pg_sys::Query, _>(node).is_none()
    };
    tree::walk(query.jointree.cast(), &mut collect);
    // The arms of UNION are ranges that only the set operation mentions.
    if !query.setOperations.is_null() {
        tree::walk(query.setOperations, &mut collect);
    }
    used
}

/// Calls the visitor for each expression of this level, those in FROM included.
pub fn for_each_expression(query: &'static pg_sys::Query, visitor: &mut dyn FnMut(NodePtr)) {
    let with: Vec<NodePtr> = tree::list::<pg_sys::CommonTableExpr>(query.cteList)
        .map(|with| with.ctequery)
        .collect();
    let subqueries: Vec<NodePtr> = tree::list::<pg_sys::RangeTblEntry>(query.rtable)
        .filter(|entry| entry.rtekind == RTEKind::RTE_SUBQUERY)
        .map(|entry| entry.subquery.cast())
        .collect();
    tree::query_children(query, &mut |node| {
        if !with.contains(&node)
            && !subqueries.contains(&node)
            && tree::cast::<pg_sys::CommonTableExpr, _>(node).is_none()
        {
            visitor(node);
        }
    });
}

fn locking_clause(query: &pg_sys::Query, range: i32) -> Option<&'static str> {
    use pg_sys::LockClauseStrength::*;
    tree::list::<pg_sys::RowMarkClause>(query.rowMarks)
        .filter(|mark| mark.rti as i32 == range)
        .find_map(|mark| match mark.strength {
            LCS_FORKEYSHARE => Some("key share"),
            LCS_FORSHARE => Some("share"),
            LCS_FORNOKEYUPDATE => Some("no key update"),
            LCS_FORUPDATE => Some("update"),
            _ => None,
        })
}
