//! The ordinary path: statements keep PostgreSQL's own plan, and their expressions are rewritten so that they stay
//! right beside operations that do not wait for the row.
//!
//! * `SET c = c + x` becomes `SET c = abelian.operate(c, x, ...)`: the object stays, its base changes. The row lock
//!   makes that safe, and PostgreSQL evaluates it anew on the newest version of the row when it had to wait.
//! * Whatever else is assigned, or is seen by RETURNING, CHECK, a trigger or a policy, becomes
//!   `SET c = abelian.replace(c, ...)`, with `c` read as `abelian.newest(c, ...)`: both lock the row, then the
//!   object, and see everything committed. The row gets a new object, which no other transaction can add to.
//! * A condition on `c` is tested under the snapshot, as PostgreSQL does, and again on the newest value.
//! * Changes of plain columns, DELETE and locking clauses lock through `abelian.lock_row`.
//!
//! The argument is in `docs/design/operations.md`.

mod asked;
mod merge;
mod policies;
mod returned;

use super::ahead::Parts;
use super::column::Column;
use super::recognise;
use super::relation::Facts;
use super::row::Hold;
use super::symbols::{Kind, Symbols};
use super::tree::{self, Any, Tree};
use super::whole_row;
use crate::aggregate::{Operation, operation};
use crate::compat;
use asked::Asked;
use pgrx::pg_sys::{self, CmdType, Oid};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Rewrites a statement: all its queries, those around others first. Gives the elements that it asks for, if it tells.
pub fn statement(
    symbols: &Symbols,
    queries: Vec<Tree<pg_sys::Query>>,
    locking_reads: super::settings::LockingReads,
) -> Parts {
    let mut parts = Parts::default();
    // The innermost first: an outer rewriting copies the expressions that hold inner queries.
    for query in queries.into_iter().rev() {
        match query.commandType {
            CmdType::CMD_UPDATE => on_target(symbols, query, |target| target.update()),
            CmdType::CMD_DELETE => on_target(symbols, query, |target| target.delete()),
            CmdType::CMD_INSERT => on_target(symbols, query, |target| target.insert()),
            CmdType::CMD_MERGE => on_target(symbols, query, |target| target.merge()),
            CmdType::CMD_SELECT => super::locking::select(symbols, query, locking_reads),
            _ => {}
        }
        let strictly = super::settings::STRICT_READS.get();
        if crate::object::reads_are_watched() {
            own_reads(symbols, query, strictly, &mut parts);
        }
        if strictly {
            super::strict::reads(symbols, query);
        }
    }
    parts
}

/// Has a query that is planned after operations of the same transaction tell which elements it reads. The target of a change is held
/// anyway, and so is what a locking clause names.
fn own_reads(symbols: &Symbols, query: Tree<pg_sys::Query>, strictly: bool, parts: &mut Parts) {
    for relation in Relation::sources(symbols, query) {
        if super::locking::holds_values(query, relation.number) {
            relation.columns_with_elements(|column| parts.note_held(relation.entry.relid, column));
        } else {
            let asked = relation.elements_read(parts);
            if !strictly && !asked.is_empty() {
                relation.becomes(relation.elements_in(&asked, Hold::OwnElement as i32));
            }
        }
    }
    if let Some(target) = Relation::of(symbols, query, query.resultRelation) {
        target.columns_with_elements(|column| parts.note_held(target.entry.relid, column));
    }
}

fn on_target(
    symbols: &Symbols,
    query: Tree<pg_sys::Query>,
    rewrite: impl FnOnce(&mut Relation<'_>),
) {
    if let Some(mut target) = Relation::of(symbols, query, query.resultRelation) {
        rewrite(&mut target);
    }
}

/// Where a column stands that is asked for an element: positions in the text are greater, so that it is known again in copies.
const FIRST_MARK: i32 = -2;

fn unmarked(variable: Tree<pg_sys::Var>) -> Tree<pg_sys::Var> {
    let mut column = variable.copy();
    column.location = column.location.max(-1);
    column
}

/// A relation with Abelian columns, as one entry of a query's range table.
pub struct Relation<'a> {
    pub(super) symbols: &'a Symbols,
    query: Tree<pg_sys::Query>,
    pub(super) entry: Tree<pg_sys::RangeTblEntry>,
    /// Its number in the range table.
    pub number: i32,
    /// What is known of it.
    pub facts: Rc<Facts>,
}

impl<'a> Relation<'a> {
    /// The relation with this number, if it has Abelian columns.
    pub fn of(symbols: &'a Symbols, query: Tree<pg_sys::Query>, number: i32) -> Option<Self> {
        let entry = *tree::items::<pg_sys::RangeTblEntry>(query.rtable)
            .get(usize::try_from(number - 1).ok()?)?;
        if entry.rtekind != pg_sys::RTEKind::RTE_RELATION {
            return None;
        }
        let facts = Facts::of(symbols, entry.relid, entry.inh)?;
        Some(Relation {
            symbols,
            query,
            entry,
            number,
            facts,
        })
    }

    /// The relations that a query reads without changing them.
    pub fn sources(symbols: &'a Symbols, query: Tree<pg_sys::Query>) -> impl Iterator<Item = Self> {
        let count = tree::items::<pg_sys::RangeTblEntry>(query.rtable).len() as i32;
        // What ON CONFLICT calls EXCLUDED is in no table.
        let proposed = Tree::new(query.onConflict).map_or(0, |conflict| conflict.exclRelIndex);
        (1..=count)
            .filter(move |number| *number != query.resultRelation && *number != proposed)
            .filter_map(move |number| Relation::of(symbols, query, number))
    }

    /// Whether row security applies to this use of the relation.
    pub fn has_row_security(&self) -> bool {
        !self.entry.securityQuals.is_null()
    }

    /// The columns that a tree reads; 0 stands for the whole row.
    pub fn columns_read<T>(&self, root: *mut T) -> BTreeSet<i16> {
        let mut found = BTreeSet::new();
        tree::any_node(root.cast(), &mut |node, levels| {
            if let Some(variable) = node.cast::<pg_sys::Var>()
                && variable.varno == self.number
                && variable.varlevelsup == levels
            {
                found.insert(variable.varattno);
            }
            false
        });
        found
    }

    /// Whether one of these columns is Abelian.
    pub fn abelian_among(&self, columns: &BTreeSet<i16>) -> bool {
        columns.contains(&0)
            || self
                .facts
                .columns
                .iter()
                .any(|column| columns.contains(&column.attribute))
    }

    /// Its identifier.
    pub fn id(&self) -> Oid {
        self.entry.relid
    }

    /// Whether the query reads a sample of it.
    pub fn is_sample(&self) -> bool {
        !self.entry.tablesample.is_null()
    }

    /// Where a row is.
    pub fn ctid(&self, levels_up: u32) -> Any {
        tree::column(
            self.number,
            pg_sys::SelfItemPointerAttributeNumber as i16,
            pg_sys::TIDOID,
            levels_up,
        )
    }

    fn tableoid(&self, levels_up: u32) -> Any {
        tree::column(
            self.number,
            pg_sys::TableOidAttributeNumber as i16,
            pg_sys::OIDOID,
            levels_up,
        )
    }

    fn column(&self, attribute: i16, type_: Oid) -> Any {
        tree::column(self.number, attribute, type_, 0)
    }

    /// `abelian.lock_row(ctid, tableoid, hold)`
    pub fn lock_row(&self, hold: i32) -> Any {
        let arguments = [self.ctid(0), self.tableoid(0), tree::integer(hold)];
        tree::internal_call(self.symbols.lock_row, pg_sys::VOIDOID, &arguments)
    }

    /// The same expression, its Abelian columns (all, or those in `only`) read in their newest state.
    pub fn newest(&self, expression: Any, hold: i32) -> Any {
        tree::replace_columns(expression, self.number, &mut |variable| {
            self.newest_column(variable, hold)
        })
    }

    fn newest_column(&self, variable: Tree<pg_sys::Var>, hold: i32) -> Option<Any> {
        if variable.varattno == 0 {
            let newest = |column| self.newest_column(column, hold);
            return Some(whole_row::of_columns(variable, self.entry.relid, newest));
        }
        let kind = self.symbols.kind(variable.vartype)?;
        let levels_up = variable.varlevelsup;
        let arguments = [
            variable.copy().any(),
            of_version(self.ctid(levels_up), variable),
            of_version(self.tableoid(levels_up), variable),
            tree::integer(hold),
        ];
        Some(tree::internal_call(kind.newest, kind.type_, &arguments))
    }

    /// `newest_element(column, element, ctid, tableoid, hold)`
    fn newest_element(&self, variable: Tree<pg_sys::Var>, element: Any, hold: i32) -> Option<Any> {
        let arguments = [
            variable.any(),
            tree::as_text(element.copy())?,
            self.ctid(variable.varlevelsup),
            self.tableoid(variable.varlevelsup),
            tree::integer(hold),
        ];
        let function = self.symbols.newest_element?;
        let type_ = variable.vartype;
        Some(tree::internal_call(function, type_, &arguments))
    }

    /// As [`Relation::newest`], but of a column that is asked for single elements only, such as by `contains(c, x)`, these are held alone.
    /// `inside`: of how many query levels the expression itself is one: 1 for a query.
    pub fn newest_in_part(&self, expression: Any, hold: i32, inside: u32) -> Any {
        let asked = self.asked_in(expression, inside);
        tree::replace_columns(asked.expression, self.number, &mut |variable| {
            let column = unmarked(variable);
            match asked.element(&variable) {
                Some(element) => self.newest_element(column, element, hold),
                None => self.newest_column(column, hold),
            }
        })
    }

    /// The same expression; only what is asked for single elements is read by `newest_element`.
    fn elements_in(&self, asked: &Asked, hold: i32) -> Any {
        tree::replace_columns(asked.expression, self.number, &mut |variable| {
            let column = unmarked(variable);
            match asked.element(&variable) {
                Some(element) => self.newest_element(column, element, hold),
                None => Some(column.any()),
            }
        })
    }

    /// Finds what an expression asks for single elements.
    fn asked_in(&self, expression: Any, inside: u32) -> Asked {
        let expression = expression.copy();
        let (mut columns, mut whole) = (Vec::new(), BTreeSet::new());
        let may_ask = self.symbols.newest_element.is_some();
        tree::any_node(expression.pointer(), &mut |node, levels| {
            if may_ask
                && let Some((mut variable, element)) = self.asked(node)
                && variable.varlevelsup + inside == levels
            {
                variable.location = FIRST_MARK - columns.len() as i32;
                columns.push((variable, element));
            }
            false
        });
        tree::any_node(expression.pointer(), &mut |node, levels| {
            if let Some(variable) = node.cast::<pg_sys::Var>()
                && variable.varno == self.number
                && variable.varlevelsup + inside == levels
                && variable.location > FIRST_MARK
            {
                whole.insert(variable.varattno);
            }
            false
        });
        Asked {
            expression,
            columns,
            whole,
        }
    }

    /// The column and the element that a call asks for, if it asks for one element of one of the relation's columns. The element is
    /// what it is however often it is evaluated, and can be had without holding any value.
    fn asked(&self, node: Any) -> Option<(Tree<pg_sys::Var>, Any)> {
        let call = node.cast::<pg_sys::FuncExpr>()?;
        if operation(call.funcid) != Some(Operation::AsksElement) {
            return None;
        }
        let arguments = tree::items::<pg_sys::Node>(call.args);
        let (column, element) = (
            arguments.first()?.cast::<pg_sys::Var>()?,
            *arguments.get(1)?,
        );
        let has_elements = self
            .symbols
            .kind(column.vartype)?
            .family
            .as_ref()?
            .structure
            .is_some();
        (has_elements
            && column.varno == self.number
            && !compat::is_old(&column)
            && tree::as_text(element).is_some()
            && !tree::is_volatile(element)
            && !tree::any_node(element.pointer(), &mut |node, _| self.reads_value(node)))
        .then_some((column, element))
    }

    /// Whether a node of an expression is an Abelian column, or a subquery, which may read one.
    fn reads_value(&self, node: Any) -> bool {
        let is_value = |variable: Tree<pg_sys::Var>| self.symbols.kind(variable.vartype).is_some();
        node.cast::<pg_sys::Query>().is_some() || node.cast::<pg_sys::Var>().is_some_and(is_value)
    }

    /// The columns that the query reads anywhere; 0 stands for the whole row.
    pub fn columns_read_by_query(&self) -> BTreeSet<i16> {
        let mut found = BTreeSet::new();
        tree::any_node(self.query.pointer(), &mut |node, levels| {
            if let Some(variable) = node.cast::<pg_sys::Var>()
                && variable.varno == self.number
                && variable.varlevelsup + 1 == levels
            {
                found.insert(variable.varattno);
            }
            false
        });
        found
    }

    /// Has the query read all Abelian columns of the relation in their newest state.
    pub fn read_newest(&self, hold: i32) {
        self.becomes(self.newest_in_part(self.query.any(), hold, 1));
    }

    /// The elements that the query asks for where that is all that it reads of a column.
    fn elements_read(&self, parts: &mut Parts) -> Asked {
        let asked = self.asked_in(self.query.any(), 1);
        let columns = asked.columns();
        for (variable, element) in &asked.columns {
            if columns.contains(&variable.varattno) {
                parts.note(self.entry.relid, variable.varattno, *element);
            }
        }
        self.columns_with_elements(|column| {
            if asked.whole.contains(&column) || asked.whole.contains(&0) {
                parts.note_whole(self.entry.relid, column);
            }
        });
        asked
    }

    /// The columns whose objects have elements.
    fn columns_with_elements(&self, mut each: impl FnMut(i16)) {
        for column in &self.facts.columns {
            let kind = self.symbols.kind(column.type_);
            let family = kind.as_ref().and_then(|kind| kind.family.as_ref());
            if family.is_some_and(|family| family.structure.is_some()) {
                each(column.attribute);
            }
        }
    }

    /// In place: whoever holds the query goes on to.
    fn becomes(&self, rewritten: Any) {
        if let Some(rewritten) = rewritten.cast::<pg_sys::Query>() {
            // SAFETY: two different nodes of the same type.
            unsafe {
                self.query
                    .pointer::<pg_sys::Query>()
                    .copy_from_nonoverlapping(rewritten.pointer(), 1);
            }
        }
    }

    /// The condition under the snapshot, where the row is still the one the snapshot shows, and on the newest state.
    fn newest_condition(&self, condition: Any, hold: i32) -> Vec<Any> {
        self.condition_on(condition, |condition| self.newest(condition, hold))
    }

    /// The condition under the snapshot, and on what `newest` makes of it.
    fn condition_on(&self, condition: Any, newest: impl FnOnce(Any) -> Any) -> Vec<Any> {
        if !self.abelian_among(&self.columns_read(condition.pointer::<pg_sys::Node>())) {
            return vec![condition];
        }
        vec![self.or_changed(condition.copy()), newest(condition)]
    }

    /// The condition, or that the row is another one than the snapshot shows: then it tells nothing under the snapshot.
    pub fn or_changed(&self, condition: Any) -> Any {
        let in_snapshot = tree::internal_call(
            self.symbols.in_snapshot,
            pg_sys::BOOLOID,
            &[self.ctid(0), self.tableoid(0)],
        );
        let changed = tree::boolean(pg_sys::BoolExprType::NOT_EXPR, &[in_snapshot]);
        tree::boolean(pg_sys::BoolExprType::OR_EXPR, &[condition, changed])
    }

    /// `in_part`: what asks for one element holds that alone, unless another condition reads the whole.
    fn newest_conditions(&mut self, hold: Hold, in_part: bool) {
        let hold = hold as i32;
        if let Some(mut join) = Tree::new(self.query.jointree) {
            let all = tree::conjuncts(join.quals);
            let reads = |c: &Any| self.columns_read(c.pointer::<pg_sys::Node>());
            let on_values = all
                .iter()
                .copied()
                .filter(|c| self.abelian_among(&reads(c)));
            // Together: what one asks for in part, another may read as a whole.
            let together = Tree::new(tree::conjunction(&on_values.collect::<Vec<Any>>()));
            let newest = together.map(|conditions: Any| match in_part {
                true => self.newest_in_part(conditions, hold, 0),
                false => self.newest(conditions, hold),
            });
            let newest = newest.map_or_else(Vec::new, |newest| tree::conjuncts(newest.pointer()));
            let mut newest = newest.into_iter();
            let conditions: Vec<Any> = all
                .into_iter()
                .flat_map(|one| self.condition_on(one, |seen| newest.next().unwrap_or(seen)))
                .collect();
            join.quals = tree::conjunction(&conditions);
        }
        self.newest_policies(hold);
    }

    /// The columns whose value after the change somebody sees: RETURNING, CHECK, policies, triggers. What a CHECK demands of a bounded counter
    /// PostgreSQL asks whenever it stores a row. Not those of which RETURNING sees
    /// single elements only, `in_part`.
    fn seen_after_update(&self, in_part: &BTreeSet<i16>) -> BTreeSet<i16> {
        let mut seen = self.columns_read(self.query.returningList);
        seen.retain(|column| !in_part.contains(column));
        seen.extend(self.columns_read(self.query.withCheckOptions));
        seen.extend(&self.facts.held_with_plain);
        if self.facts.update_trigger_reads {
            seen.insert(0);
        }
        seen
    }

    fn update(&mut self) {
        let mut query = self.query;
        let targets = tree::items::<pg_sys::TargetEntry>(query.targetList);
        let assigned: BTreeSet<i16> = targets
            .iter()
            .filter(|t| !t.resjunk)
            .map(|t| t.resno)
            .collect();
        let plain_hold = self.hold_of_plain_columns(&assigned);
        let returned = match plain_hold {
            Some(Hold::KeyChange) => None,
            _ => self.returned_in_part(&targets),
        };
        let columns = returned.as_ref().map_or_else(BTreeSet::new, Asked::columns);
        let in_part = plain_hold != Some(Hold::KeyChange) && self.only_operates(&targets, &columns);
        self.newest_conditions(Hold::Overwrite, in_part);
        let (junk, mut entries) = junk_apart(targets);
        let moves = assigned
            .iter()
            .any(|column| self.facts.partitioning.contains(column));
        self.assign(&mut entries, moves, &columns);
        entries.extend(junk);
        let mut locks = Vec::new();
        if let Some(returned) = returned {
            locks.extend(self.returned_elements(&returned));
            query.returningList = self.elements_in(&returned, Hold::Held as i32).pointer();
        }
        locks.extend(plain_hold.map(|hold| self.lock_row(hold as i32)));
        for lock in locks {
            let number = entries.len() as i16 + 1;
            entries.push(tree::target(lock, number, c"abelian_lock", true));
        }
        query.targetList = tree::list(&entries);
        self.return_old();
    }

    /// Rewrites the assignments of an UPDATE or DO UPDATE, and adds those of columns that must get a new object.
    /// `all`: every Abelian column must. `in_part`: as [`Relation::seen_after_update`] takes it.
    fn assign(
        &self,
        entries: &mut Vec<Tree<pg_sys::TargetEntry>>,
        all: bool,
        in_part: &BTreeSet<i16>,
    ) {
        let seen = self.seen_after_update(in_part);
        let renewed = |attribute| all || seen.contains(&0) || seen.contains(&attribute);
        for entry in entries.iter_mut() {
            let expression = entry.expr.cast();
            let Some(expression) = Tree::<pg_sys::Node>::new(expression) else {
                continue;
            };
            entry.expr = match self.facts.column(entry.resno) {
                Some(column) => {
                    let seen = renewed(column.attribute)
                        || self.facts.watched.contains(&column.attribute)
                        || self.facts.watched.contains(&0);
                    self.assigned(column.attribute, column.type_, expression, seen)
                }
                None => self.newest(expression, Hold::Overwrite as i32),
            }
            .pointer();
        }
        for column in &self.facts.columns {
            if renewed(column.attribute)
                && entries.iter().all(|entry| entry.resno != column.attribute)
            {
                let own = self.column(column.attribute, column.type_);
                let expression = self.replaced(column.attribute, column.type_, own);
                entries.push(tree::target(
                    expression,
                    column.attribute,
                    c"abelian_renewed",
                    false,
                ));
            }
        }
    }

    /// Whether an UPDATE holds no value as a whole: it operates, and changes plain columns to what depends on no value.
    fn only_operates(
        &self,
        targets: &[Tree<pg_sys::TargetEntry>],
        in_part: &BTreeSet<i16>,
    ) -> bool {
        let holds = |columns: &BTreeSet<i16>| self.abelian_among(columns);
        let operates = |target: &Tree<pg_sys::TargetEntry>| {
            Tree::<pg_sys::Node>::new(target.expr.cast()).is_none_or(|expression| {
                match self.facts.column(target.resno) {
                    Some(column) => self.operation(column.attribute, expression).is_some(),
                    None => !holds(&self.columns_read(target.expr)),
                }
            })
        };
        !holds(&self.seen_after_update(in_part))
            && !holds(&self.facts.watched)
            && !self.has_row_security()
            && targets.iter().filter(|t| !t.resjunk).all(operates)
    }

    /// What is assigned to an Abelian column. `seen`: its value after the statement is seen, so that even an
    /// operation must know it.
    fn assigned(&self, attribute: i16, type_: Oid, expression: Any, seen: bool) -> Any {
        let expression = self.without_coercion(attribute, expression);
        if !seen {
            if expression.equals(self.column(attribute, type_)) {
                return expression;
            }
            if let Some(operation) = self.operation(attribute, expression)
                && let Some(kind) = self.symbols.kind(type_)
            {
                let mut arguments = vec![
                    self.column(attribute, type_),
                    self.amount(attribute, operation),
                    self.ctid(0),
                    self.tableoid(0),
                ];
                arguments.extend(self.bounds(&kind, attribute));
                return tree::internal_call(kind.operate, type_, &arguments);
            }
        }
        let rounded = self.with_rounded(attribute, expression);
        self.replaced(attribute, type_, rounded.unwrap_or(expression))
    }

    /// The change that an assignment makes, if it is an operation that reads no Abelian column of the row.
    pub fn operation(&self, attribute: i16, expression: Any) -> Option<Any> {
        let change = self.change(attribute, expression)?;
        let read = self.columns_read(change.pointer::<pg_sys::Node>());
        (self.has_amounts(attribute) && !self.abelian_among(&read)).then_some(change)
    }

    /// What an assignment adds to the column.
    pub(super) fn change(&self, attribute: i16, expression: Any) -> Option<Any> {
        let assigned = self.without_coercion(attribute, expression);
        let column = Column {
            relation: self.number,
            attribute,
        };
        recognise::operation(self.symbols, column, assigned)
    }

    fn replaced(&self, attribute: i16, type_: Oid, expression: Any) -> Any {
        let Some(kind) = self.symbols.kind(type_) else {
            return expression;
        };
        let mut arguments = vec![
            self.column(attribute, type_),
            self.newest(expression, Hold::Overwrite as i32),
            self.ctid(0),
            self.tableoid(0),
        ];
        arguments.extend(self.bounds(&kind, attribute));
        tree::internal_call(kind.replace, type_, &arguments)
    }

    /// What tells the functions of a bounded type which bounds to keep: table and column.
    fn bounds(&self, kind: &Kind, attribute: i16) -> Vec<Any> {
        match kind.coerce {
            Some(_) => vec![tree::oid(self.entry.relid), tree::integer(attribute.into())],
            None => Vec::new(),
        }
    }

    /// The expression before PostgreSQL coerces it to the bounds of the column: our functions check them, who know whether
    /// the version of the row is the newest.
    fn without_coercion(&self, attribute: i16, expression: Any) -> Any {
        let kind = self.symbols.kind(expression.result_type());
        // The coercion to a scale changes the value.
        let coercion = kind
            .filter(|kind| kind.fixed_point.is_none())
            .and_then(|kind| kind.coerce);
        let inner = expression.cast::<pg_sys::FuncExpr>().and_then(|call| {
            let arguments = tree::items::<pg_sys::Node>(call.args);
            let modifier = arguments
                .get(1)?
                .cast::<pg_sys::Const>()?
                .constvalue
                .value() as i32;
            let own = super::escrow::modifier(self.entry.relid, attribute);
            (Some(call.funcid) == coercion && modifier == own).then(|| arguments[0])
        });
        inner.unwrap_or(expression)
    }

    /// How the row must be held because of the plain columns among those assigned.
    fn hold_of_plain_columns(&self, assigned: &BTreeSet<i16>) -> Option<Hold> {
        let plain: Vec<i16> = assigned
            .iter()
            .copied()
            .filter(|column| self.facts.column(*column).is_none())
            .collect();
        if plain
            .iter()
            .any(|c| self.facts.keys.contains(c) || self.facts.partitioning.contains(c))
        {
            Some(Hold::KeyChange)
        } else {
            (!plain.is_empty()).then_some(Hold::PlainChange)
        }
    }

    fn delete(&mut self) {
        self.newest_conditions(Hold::KeyChange, false);
        let mut query = self.query;
        let returned = self.columns_read(query.returningList);
        // RETURNING still needs the slices; a trigger may read the row or suppress its deletion.
        let keeps = self.abelian_among(&returned)
            || self.facts.delete_trigger_reads
            || self.facts.may_suppress;
        let hold = if keeps { Hold::Leave } else { Hold::Delete };
        let mut entries = tree::items::<pg_sys::TargetEntry>(query.targetList);
        let number = entries.len() as i16 + 1;
        entries.push(tree::target(
            self.lock_row(hold as i32),
            number,
            c"abelian_lock",
            true,
        ));
        query.targetList = tree::list(&entries);
        // NEW of a row that is deleted is NULL.
        self.return_newest(|column| compat::is_old(&column) || !compat::names_version(&column));
    }

    fn insert(&mut self) {
        let targets = tree::items::<pg_sys::TargetEntry>(self.query.targetList);
        self.store_new_objects(&targets);
        self.newest_checks();
        self.return_old();
        let Some(mut conflict) = Tree::new(self.query.onConflict) else {
            return;
        };
        let (junk, mut entries) = junk_apart(tree::items(conflict.onConflictSet));
        if entries.is_empty() {
            return;
        }
        let assigned: BTreeSet<i16> = entries.iter().map(|entry| entry.resno).collect();
        let hold = self.hold_of_plain_columns(&assigned);
        self.assign(
            &mut entries,
            hold == Some(Hold::KeyChange),
            &BTreeSet::new(),
        );
        if hold == Some(Hold::PlainChange) {
            self.keep_one(&mut entries);
        }
        entries.extend(junk);
        conflict.onConflictSet = tree::list(&entries);
        if let Some(condition) = Tree::<pg_sys::Node>::new(conflict.onConflictWhere) {
            conflict.onConflictWhere = self.newest(condition, Hold::Overwrite as i32).pointer();
        }
    }

    /// DO UPDATE evaluates no junk entries: the lock for its plain columns is taken by assigning a column to itself.
    fn keep_one(&self, entries: &mut Vec<Tree<pg_sys::TargetEntry>>) {
        for column in &self.facts.columns {
            let Some(kind) = self.symbols.kind(column.type_) else {
                continue;
            };
            let own = self.column(column.attribute, column.type_);
            let kept = tree::internal_call(
                kind.keep,
                kind.type_,
                &[own, self.ctid(0), self.tableoid(0)],
            );
            match entries
                .iter_mut()
                .find(|entry| entry.resno == column.attribute)
            {
                None => entries.push(tree::target(kept, column.attribute, c"abelian_kept", false)),
                // An operation reads its own column first; a replaced column has locked already.
                Some(entry) => {
                    let Some(mut call) = Tree::<pg_sys::Node>::new(entry.expr.cast())
                        .and_then(|e| e.cast::<pg_sys::FuncExpr>())
                    else {
                        continue;
                    };
                    if call.funcid == kind.operate {
                        let mut arguments = tree::items::<pg_sys::Node>(call.args);
                        arguments[0] = kept;
                        call.args = tree::list(&arguments);
                    }
                }
            }
        }
    }

    /// What is stored becomes a new object: the value may be another row's, and literals have no identity yet.
    fn store_new_objects(&self, targets: &[Tree<pg_sys::TargetEntry>]) {
        for target in targets {
            let mut target = *target;
            let Some(expression) = Tree::<pg_sys::Node>::new(target.expr.cast()) else {
                continue;
            };
            if let Some(kind) = self.symbols.kind(expression.result_type()) {
                target.expr = tree::call(kind.copy, kind.type_, &[expression]).pointer();
            }
        }
    }
}

/// What an UPDATE computes beside what it assigns, and must come behind it, as the SELECT in `SET (a, b) = (SELECT ...)`; and the rest.
fn junk_apart(
    targets: Vec<Tree<pg_sys::TargetEntry>>,
) -> (
    Vec<Tree<pg_sys::TargetEntry>>,
    Vec<Tree<pg_sys::TargetEntry>>,
) {
    targets.into_iter().partition(|target| target.resjunk)
}

/// A column of the row in that version of which the other column is.
fn of_version(column: Any, other: Tree<pg_sys::Var>) -> Any {
    if let Some(mut variable) = column.cast::<pg_sys::Var>() {
        compat::take_version(&mut variable, &other);
    }
    column
}
