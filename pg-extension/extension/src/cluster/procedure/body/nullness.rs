//! Expressions that are not NULL, whatever the rows are.

use super::super::super::analysis::tree::{self, NodePtr};
use pgrx::pg_sys::{self, CmdType, NodeTag, Oid, RTEKind};

/// Functions of PostgreSQL's own that give NULL only for NULL: arithmetic, lengths of values, conversions between numbers.
const TOTAL: [&str; 46] = [
    "int2pl",
    "int4pl",
    "int8pl",
    "int24pl",
    "int42pl",
    "int48pl",
    "int84pl",
    "int28pl",
    "int82pl",
    "int2mi",
    "int4mi",
    "int8mi",
    "int24mi",
    "int42mi",
    "int48mi",
    "int84mi",
    "int28mi",
    "int82mi",
    "int2mul",
    "int4mul",
    "int8mul",
    "int24mul",
    "int42mul",
    "int48mul",
    "int84mul",
    "int4div",
    "int8div",
    "int4um",
    "int8um",
    "numeric_add",
    "numeric_sub",
    "numeric_mul",
    "numeric_div",
    "numeric_uminus",
    "numeric",
    "int2",
    "int4",
    "int8",
    "float8",
    "varchar",
    "bpchar",
    "text",
    "textcat",
    "lower",
    "upper",
    "left",
];

/// Whether an expression of a query never gives NULL.
pub fn never(expression: NodePtr, query: &pg_sys::Query) -> bool {
    if let Some(constant) = tree::cast::<pg_sys::Const, _>(expression) {
        return !constant.constisnull;
    } else if let Some(var) = tree::cast::<pg_sys::Var, _>(expression) {
        return never_in_column(var, query);
    } else if let Some(relabel) = tree::cast::<pg_sys::RelabelType, _>(expression) {
        return never(relabel.arg.cast(), query);
    } else if let Some(call) = tree::cast::<pg_sys::FuncExpr, _>(expression) {
        return is_total(call.funcid) && all(call.args, query);
    } else if let Some(operator) = tree::cast::<pg_sys::OpExpr, _>(expression) {
        // SAFETY: a catalogue look-up.
        let function = unsafe { pg_sys::get_opcode(operator.opno) };
        return is_total(function) && all(operator.args, query);
    } else if let Some(logic) = tree::cast::<pg_sys::BoolExpr, _>(expression) {
        return all(logic.args, query);
    }
    // SAFETY: the tag says which structure it is.
    unsafe {
        match tree::tag(expression) {
            Some(NodeTag::T_NullTest | NodeTag::T_BooleanTest | NodeTag::T_ArrayExpr) => true,
            Some(NodeTag::T_CoalesceExpr) => {
                any((*expression.cast::<pg_sys::CoalesceExpr>()).args, query)
            }
            // GREATEST and LEAST pass over NULL.
            Some(NodeTag::T_MinMaxExpr) => {
                any((*expression.cast::<pg_sys::MinMaxExpr>()).args, query)
            }
            Some(NodeTag::T_CaseExpr) => {
                let case = &*expression.cast::<pg_sys::CaseExpr>();
                !case.defresult.is_null()
                    && never(case.defresult.cast(), query)
                    && tree::nodes(case.args)
                        .all(|arm| never((*arm.cast::<pg_sys::CaseWhen>()).result.cast(), query))
            }
            _ => false,
        }
    }
}

fn all(list: *const pg_sys::List, query: &pg_sys::Query) -> bool {
    tree::nodes(list).all(|part| never(part, query))
}

fn any(list: *const pg_sys::List, query: &pg_sys::Query) -> bool {
    tree::nodes(list).any(|part| never(part, query))
}

fn is_total(function: Oid) -> bool {
    // SAFETY: a catalogue look-up; the name is copied.
    let name = unsafe { tree::string(pg_sys::get_func_name(function)) };
    function.to_u32() < pg_sys::FirstNormalObjectId && TOTAL.contains(&name.as_str())
}

fn never_in_column(var: &pg_sys::Var, query: &pg_sys::Query) -> bool {
    let outer_joins = tree::any(query.jointree.cast(), &mut |node| {
        tree::cast::<pg_sys::JoinExpr, _>(node)
            .is_some_and(|join| join.jointype != pg_sys::JoinType::JOIN_INNER)
    });
    if var.varlevelsup != 0
        || var.varattno <= 0
        || outer_joins
        || !query.groupingSets.is_null()
        || query.commandType == CmdType::CMD_MERGE
    {
        return false;
    }
    let Some(entry) = tree::list::<pg_sys::RangeTblEntry>(query.rtable).nth(var.varno as usize - 1)
    else {
        return false;
    };
    let column = var.varattno as usize - 1;
    match entry.rtekind {
        RTEKind::RTE_RELATION => is_declared_not_null(entry.relid, var.varattno),
        RTEKind::RTE_VALUES => tree::nodes(entry.values_lists).all(|row| {
            tree::nodes(row.cast())
                .nth(column)
                .is_some_and(|value| never(value, query))
        }),
        RTEKind::RTE_SUBQUERY => {
            // SAFETY: a subquery of an analysed query.
            let inner = unsafe { &*entry.subquery };
            inner.setOperations.is_null()
                && inner.groupingSets.is_null()
                && inner.commandType == CmdType::CMD_SELECT
                && tree::list::<pg_sys::TargetEntry>(inner.targetList)
                    .nth(column)
                    .is_some_and(|target| never(target.expr.cast(), inner))
        }
        _ => false,
    }
}

fn is_declared_not_null(relation: Oid, attribute: i16) -> bool {
    // SAFETY: a catalogue row that is released after use.
    unsafe {
        let row = pg_sys::SearchSysCache2(
            pg_sys::SysCacheIdentifier::ATTNUM as i32,
            relation.into(),
            attribute.into(),
        );
        if row.is_null() {
            return false;
        }
        let column = pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_attribute>();
        let not_null = (*column).attnotnull;
        pg_sys::ReleaseSysCache(row);
        not_null
    }
}
