//! MERGE into a table whose rows lie on several nodes: a query that gives the rows of USING, and a MERGE that takes them as one array for each column,
//! from which a router gives each node its part. ON must equate the distribution columns with columns of USING, and a row that is inserted must get
//! these values. Then a row of USING matches on the node of its key or nowhere, and is inserted there.

use super::conditions::equality_sides;
use super::insert_select::Gathered;
use super::merge::{build, used, used::Used};
use super::merge_source::{self, MergeSource};
use super::operand;
use super::relation::{Placement, Relation};
use super::tree::{self, NodePtr};
use crate::boundary::PostgresError;
use crate::compat;
use pgrx::pg_sys::{self, CmdType, Oid};
use serde_json::{Value as Json, json};

/// Of a MERGE, as analysed; `None` when its rows cannot be given to nodes by their keys.
pub fn find(
    query: &pg_sys::Query,
    parameters: &[Oid],
    target: &Relation,
) -> Result<Option<Gathered>, PostgresError> {
    let placed = matches!(
        target.placement,
        Placement::Distributed(_) | Placement::Reference
    );
    let joined = merge_source::with_join_as_subquery(query);
    let query = joined.as_deref().unwrap_or(query);
    if !placed || !is_plain(query, target) || reads_beside_source(query) {
        return Ok(None);
    }
    let Some(source) = MergeSource::of(query) else {
        return Ok(None);
    };
    let Some(keys) = keys(query, &source, target) else {
        return Ok(None);
    };
    // A node that gets no row of USING would not run it.
    let copied = matches!(target.placement, Placement::Reference);
    if compat::changes_unmatched(query) && !copied {
        return Ok(None);
    }
    let merge = build::copy(query);
    let types = source.columns.arrays();
    let parameters: Vec<Oid> = parameters.iter().copied().chain(types).collect();
    let rows = build::rows(parameters.len() - source.columns.len(), &parameters)?;
    source.put(merge, rows);
    Ok(Some(Gathered {
        source: source.select(query),
        insert: merge,
        parameters,
        keys,
        computed: None,
    }))
}

/// Whether it is a MERGE that names the table itself and what has a meaning on all nodes, and changes nothing else.
pub fn is_plain(query: &pg_sys::Query, target: &Relation) -> bool {
    query.commandType == CmdType::CMD_MERGE
        && target.oid == tree::target(query)
        && !query.hasModifyingCTE
        && !Used::by(query).has_system_columns(query.resultRelation)
}

/// Whether subqueries beside what USING names read tables, or would come out otherwise on each node.
pub fn reads_beside_source(query: &pg_sys::Query) -> bool {
    let subqueries = |node: NodePtr| {
        tree::any(node, &mut |node| {
            let Some(link) = tree::cast::<pg_sys::SubLink, _>(node) else {
                return false;
            };
            let reads = tree::cast::<pg_sys::Query, _>(link.subselect)
                .is_none_or(|inner| used::mentions(inner) > 0 || names_with(inner));
            // SAFETY: a valid query.
            reads || unsafe { pg_sys::contain_volatile_functions(link.subselect) }
        })
    };
    query.hasSubLinks
        && (subqueries(query.mergeActionList.cast())
            || subqueries(query.jointree.cast())
            || subqueries(query.returningList.cast())
            || subqueries(compat::own_condition(query)))
}

/// Whether it reads a query of WITH.
fn names_with(query: &pg_sys::Query) -> bool {
    tree::any(std::ptr::from_ref(query).cast_mut().cast(), &mut |node| {
        tree::cast::<pg_sys::Query, _>(node).is_some_and(|level| {
            tree::list::<pg_sys::RangeTblEntry>(level.rtable)
                .any(|entry| entry.rtekind == pg_sys::RTEKind::RTE_CTE)
        })
    })
}

/// Where the value of each distribution column stands in a row of USING; `None` when it is not said.
fn keys(query: &pg_sys::Query, source: &MergeSource, target: &Relation) -> Option<Vec<Json>> {
    let Some(spreading) = target.spreading() else {
        return Some(Vec::new());
    };
    let key = |attribute| {
        let column = compared_with(query, source.number, attribute)?;
        if !is_inserted(query, source, attribute, column.varattno) {
            return None;
        }
        let field = (*source.places.get(column.varattno as usize - 1)?)?;
        let given = source.columns.types()[field];
        let (mut own, mut modifier, mut collation) = (Oid::INVALID, -1, Oid::INVALID);
        // SAFETY: a look-up of a column of the table. The value is cast to its type: it equals no row's key if that changes it.
        let cast = unsafe {
            pg_sys::get_atttypetypmodcoll(
                target.oid,
                attribute,
                &mut own,
                &mut modifier,
                &mut collation,
            );
            operand::base_type_name(own, modifier)
        };
        // A router does not bring one to the form of the other.
        if !operand::is_cast_by_router(given, own)
            || is_padded(given) != is_padded(own)
            || (is_integer(own) && !is_integer(given))
        {
            return None;
        }
        Some(json!({ "field": field, "type": operand::base_type(given), "cast": cast }))
    };
    let attributes = spreading.columns.iter().map(|(attribute, _)| *attribute);
    attributes.map(key).collect()
}

/// Blanks at the end of `char(n)` are not a part of the key.
fn is_padded(type_oid: Oid) -> bool {
    type_oid == pg_sys::BPCHAROID
}

/// Of other numbers, only some are equal to one.
fn is_integer(type_oid: Oid) -> bool {
    // SAFETY: a look-up of the type of a column.
    let base = unsafe { pg_sys::getBaseType(type_oid) };
    [pg_sys::INT2OID, pg_sys::INT4OID, pg_sys::INT8OID].contains(&base)
}

/// The column of USING, of that number, that ON equates with a column of the target.
pub fn compared_with(
    query: &pg_sys::Query,
    source: i32,
    attribute: i16,
) -> Option<&'static pg_sys::Var> {
    let from = tree::cast::<pg_sys::FromExpr, _>(query.jointree)?;
    let column = |side| tree::cast::<pg_sys::Var, _>(operand::strip_faithful(side));
    // A text that is compared with a key of char(n) is read without its blanks; as another text, it would be another value.
    let given = |side: NodePtr| {
        let stripped = match tree::type_of(side) {
            pg_sys::BPCHAROID => operand::strip_stored(side),
            _ => operand::strip_faithful(side),
        };
        tree::cast::<pg_sys::Var, _>(stripped)
    };
    let is_key = |var: &pg_sys::Var| (var.varno, var.varattno) == (query.resultRelation, attribute);
    let is_given = |var: &pg_sys::Var| var.varno == source && var.varattno > 0;
    tree::conjuncts(from.quals)
        .into_iter()
        .find_map(|conjunct| {
            let (left, right) = equality_sides(conjunct)?;
            [(left, right), (right, left)]
                .into_iter()
                .find_map(|(key, other)| {
                    column(key).filter(|key| is_key(key))?;
                    given(other).filter(|other| is_given(other))
                })
        })
}

/// Whether every row that is inserted gets the value of that column of USING.
fn is_inserted(query: &pg_sys::Query, source: &MergeSource, attribute: i16, given: i16) -> bool {
    tree::list::<pg_sys::MergeAction>(query.mergeActionList)
        .filter(|action| action.commandType == CmdType::CMD_INSERT)
        .all(|action| {
            tree::list::<pg_sys::TargetEntry>(action.targetList)
                .filter(|entry| entry.resno == attribute && !entry.resjunk)
                .any(|entry| {
                    tree::cast::<pg_sys::Var, _>(operand::strip_casts(entry.expr.cast()))
                        .is_some_and(|var| (var.varno, var.varattno) == (source.number, given))
                })
        })
}
