//! The two sides of an equality: columns under casts that keep equality, and values.

use super::graph::Column;
use super::scope::{self, ScopeId, Scopes};
use super::tree::{self, NodePtr};
use super::{moments, parser};
use crate::varlena::array_of;
use pgrx::pg_sys::{self, NodeTag, Oid, ParamKind};
use serde_json::{Value as Json, json};

/// One side of an equality.
pub enum Operand {
    /// A column that a router may know.
    Column(Column),
    /// The same for all rows, and known to the router.
    Value(Json),
    /// Anything else.
    Other,
}

/// Casts between types under which equal stays equal and different stays different.
const FAITHFUL_CASTS: [u32; 9] = [
    pg_sys::F_INT4_INT2,
    pg_sys::F_INT8_INT2,
    pg_sys::F_INT8_INT4,
    pg_sys::F_NUMERIC_INT2,
    pg_sys::F_NUMERIC_INT4,
    pg_sys::F_NUMERIC_INT8,
    pg_sys::F_FLOAT8_INT2,
    pg_sys::F_FLOAT8_INT4,
    pg_sys::F_TEXT_BPCHAR, // drops the blanks that char(n) ignores in comparisons
];

/// Removes casts that keep equality, and collations (whether they are deterministic is the operator's matter).
pub fn strip_faithful(node: NodePtr) -> NodePtr {
    strip(node, strip_alike)
}

/// As [`strip_faithful`], of a value that is stored: what would be equal to it as another type does not matter.
pub fn strip_stored(node: NodePtr) -> NodePtr {
    strip(node, scope::strip_relabel)
}

/// Removes changes of type after which the same values are equal.
pub fn strip_alike(mut node: NodePtr) -> NodePtr {
    while let Some(relabel) = tree::cast::<pg_sys::RelabelType, _>(node)
        && are_compared_alike(
            tree::type_of(relabel.arg.cast::<pg_sys::Node>()),
            relabel.resulttype,
        )
    {
        node = relabel.arg.cast();
    }
    node
}

fn strip(mut node: NodePtr, relabels: fn(NodePtr) -> NodePtr) -> NodePtr {
    loop {
        node = relabels(node);
        if let Some(collate) = tree::cast::<pg_sys::CollateExpr, _>(node) {
            node = collate.arg.cast();
        } else if let Some(argument) =
            tree::cast::<pg_sys::FuncExpr, _>(node).and_then(faithful_argument)
        {
            node = argument;
        } else {
            return node;
        }
    }
}

/// Whether the same bytes are equal as values of either type: char(n) ignores blanks that text does not, and citext the case.
fn are_compared_alike(one: Oid, other: Oid) -> bool {
    // SAFETY: types of expressions; the entries of the type cache stay.
    unsafe {
        let (one, other) = (pg_sys::getBaseType(one), pg_sys::getBaseType(other));
        let family = |type_oid| {
            let wanted = pg_sys::TYPECACHE_BTREE_OPFAMILY as i32;
            (*pg_sys::lookup_type_cache(type_oid, wanted)).btree_opf
        };
        one == other || family(one) != Oid::INVALID && family(one) == family(other)
    }
}

fn faithful_argument(call: &pg_sys::FuncExpr) -> Option<NodePtr> {
    let faithful = FAITHFUL_CASTS.contains(&call.funcid.to_u32());
    faithful.then(|| tree::nodes(call.args).next()).flatten()
}

/// What an expression of a condition is.
pub fn operand(scopes: &mut Scopes, scope: ScopeId, expression: NodePtr) -> Operand {
    let stripped = strip_faithful(expression);
    if let Some(var) = tree::cast::<pg_sys::Var, _>(stripped) {
        return scopes
            .resolve(scope, var)
            .map_or(Operand::Other, Operand::Column);
    }
    value(expression).map_or(Operand::Other, Operand::Value)
}

/// A parameter or constant, in the form that analyze() prints; `None` for anything that only a node can compute.
pub fn value(expression: NodePtr) -> Option<Json> {
    if let Some((number, parameter, is_padded)) = compared_parameter(expression) {
        return Some(parameter_json(number, parameter, is_padded));
    }
    if reads_rows_or_parameters(expression) || moments::is_read_by(expression) {
        return None;
    }
    // SAFETY: folds immutable functions over constants, as the planner does.
    let folded = unsafe { pg_sys::eval_const_expressions(std::ptr::null_mut(), expression) };
    let constant = tree::cast::<pg_sys::Const, _>(strip_faithful_kept(folded))?;
    Some(constant_json(constant, literal_location(expression)))
}

/// A parameter; of one whose type is a domain also the type below, which a router cannot know, and of one that counts as char(n) that.
fn parameter_json(number: i32, parameter: NodePtr, is_padded: bool) -> Json {
    let type_oid = tree::type_of(parameter);
    if is_padded {
        return json!({ "param": number, "base": pg_sys::BPCHAROID.to_u32() });
    }
    // SAFETY: a look-up of the type of an expression.
    let base = unsafe { pg_sys::getBaseType(type_oid) };
    match base == type_oid {
        true => json!({ "param": number }),
        false => json!({ "param": number, "base": base.to_u32() }),
    }
}

/// A folded constant has no casts left but relabelling, and those to domains, which change no value.
fn strip_faithful_kept(mut node: NodePtr) -> NodePtr {
    loop {
        node = scope::strip_relabel(node);
        match tree::cast::<pg_sys::CoerceToDomain, _>(node) {
            Some(domain) => node = domain.arg.cast(),
            None => return node,
        }
    }
}

/// The number of the parameter that an expression is, casts that keep equality aside; the parameter; and whether it counts as char(n), without the
/// blanks at its end.
pub fn compared_parameter(expression: NodePtr) -> Option<(i32, NodePtr, bool)> {
    let mut node = strip_faithful(expression);
    let mut is_padded = false;
    while let Some(relabel) = tree::cast::<pg_sys::RelabelType, _>(node) {
        if relabel.resulttype != pg_sys::BPCHAROID {
            return None;
        }
        is_padded = true;
        node = strip_faithful(relabel.arg.cast());
    }
    parameter(node).map(|number| (number, node, is_padded))
}

/// The number of an external parameter.
pub fn parameter(node: NodePtr) -> Option<i32> {
    tree::cast::<pg_sys::Param, _>(node)
        .filter(|param| param.paramkind == ParamKind::PARAM_EXTERN)
        .map(|param| param.paramid)
}

/// Whether an expression is not the same for every row or depends on parameters.
pub fn reads_rows_or_parameters(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
            || tree::cast::<pg_sys::Param, _>(node).is_some()
            || tree::cast::<pg_sys::SubLink, _>(node).is_some()
            || tree::cast::<pg_sys::SetToDefault, _>(node).is_some()
            || tree::cast::<pg_sys::Aggref, _>(node).is_some()
    })
}

/// A constant with its type and, when it is a literal of the text, where that stands.
pub fn constant_json(constant: &pg_sys::Const, location: i32) -> Json {
    if constant.constisnull {
        return json!({ "null": true });
    }
    // SAFETY: a look-up of the type of a constant.
    let type_oid = unsafe { pg_sys::getBaseType(constant.consttype) };
    json!({
        "const": unambiguous_output(type_oid, constant.constvalue),
        "type": type_oid.to_u32(),
        "location": location,
    })
}

/// The same in a form that says all of the value, and the same under all settings.
fn unambiguous_output(type_oid: Oid, datum: pg_sys::Datum) -> String {
    let depends = [
        pg_sys::DATEOID,
        pg_sys::TIMESTAMPOID,
        pg_sys::TIMESTAMPTZOID,
        pg_sys::FLOAT4OID,
        pg_sys::FLOAT8OID,
    ];
    match depends.contains(&type_oid) {
        true => parser::unambiguously(|| output(type_oid, datum)),
        false => output(type_oid, datum),
    }
}

/// A datum in its type's output form.
pub fn output(type_oid: Oid, datum: pg_sys::Datum) -> String {
    let mut function = Oid::INVALID;
    let mut is_varlena = false;
    // SAFETY: the datum is of that type.
    unsafe {
        pg_sys::getTypeOutputInfo(type_oid, &mut function, &mut is_varlena);
        tree::string(pg_sys::OidOutputFunctionCall(function, datum))
    }
}

/// Where the literal stands that an expression consists of, casts aside; -1 when it is no literal.
fn literal_location(expression: NodePtr) -> i32 {
    let mut node = expression;
    loop {
        let stripped = strip_stored(node);
        if let Some(constant) = tree::cast::<pg_sys::Const, _>(stripped) {
            return constant.location;
        }
        let inner = tree::cast::<pg_sys::FuncExpr, _>(stripped)
            .filter(|call| call.funcformat != pg_sys::CoercionForm::COERCE_EXPLICIT_CALL)
            .and_then(|call| tree::nodes(call.args).next())
            .or_else(|| tree::cast::<pg_sys::CoerceViaIO, _>(stripped).map(|io| io.arg.cast()));
        match inner {
            Some(inner) => node = inner,
            None => return -1,
        }
    }
}

/// The values of the right side of `= ANY (...)`, if the router can know them.
pub fn array_values(array: NodePtr) -> Option<Vec<Json>> {
    let stripped = strip_faithful(array);
    if let Some(number) = parameter(stripped) {
        return Some(vec![json!({ "param_array": number })]);
    }
    if let Some(elements) = tree::cast::<pg_sys::ArrayExpr, _>(stripped) {
        if elements.multidims {
            return None;
        }
        return tree::nodes(elements.elements).map(value).collect();
    }
    if reads_rows_or_parameters(array) || moments::is_read_by(array) {
        return None;
    }
    // SAFETY: as in `value`.
    let folded = unsafe { pg_sys::eval_const_expressions(std::ptr::null_mut(), array) };
    let constant = tree::cast::<pg_sys::Const, _>(scope::strip_relabel(folded))?;
    if constant.constisnull {
        return Some(Vec::new());
    }
    Some(elements_of(constant))
}

fn elements_of(array: &pg_sys::Const) -> Vec<Json> {
    let (elements, type_) = array_of(array.constvalue);
    elements
        .into_iter()
        .map(|element| match element {
            None => json!({ "null": true }),
            Some(element) => {
                json!({ "const": unambiguous_output(type_, element), "type": type_.to_u32(), "location": -1 })
            }
        })
        .collect()
}

/// A value given to a column by INSERT: also the casts of assignment, which may change it, and DEFAULT.
pub fn assigned_value(expression: NodePtr) -> Json {
    if let Some(value) = value(expression) {
        return value;
    }
    if tree::cast::<pg_sys::SetToDefault, _>(expression).is_some() {
        return json!({ "default": true });
    }
    let given = strip_casts(expression);
    if let Some(number) = parameter(given) {
        let is_padded = loses_blanks(expression);
        let mut value = parameter_json(number, given, is_padded);
        value["cast"] = json!(type_name(expression));
        return value;
    }
    if has_rows(expression) {
        return json!({ "other": true });
    }
    json!({ "other": true, "expression": parser::deparse_expression(expression) })
}

/// The same of a distribution column: a parameter of a type from which routers cannot cast is for a node to compute.
pub fn assigned_key(expression: NodePtr) -> Json {
    let value = assigned_value(expression);
    let given = tree::type_of(strip_casts(expression));
    match value["cast"].is_null() || is_cast_by_router(given, tree::type_of(expression)) {
        true => value,
        false => json!({ "other": true, "expression": parser::deparse_expression(expression) }),
    }
}

/// Whether a text in it becomes a char(n) on the way.
fn loses_blanks(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::RelabelType, _>(node)
            .is_some_and(|relabel| relabel.resulttype == pg_sys::BPCHAROID)
    })
}

fn has_rows(expression: NodePtr) -> bool {
    tree::any(expression, &mut |node| {
        tree::cast::<pg_sys::Var, _>(node).is_some()
            || tree::cast::<pg_sys::SubLink, _>(node).is_some()
    })
}

/// Removes every implicit cast, which may change the value.
pub fn strip_casts(mut node: NodePtr) -> NodePtr {
    loop {
        let stripped = strip_stored(node);
        let implicit = tree::cast::<pg_sys::FuncExpr, _>(stripped)
            .filter(|call| call.funcformat == pg_sys::CoercionForm::COERCE_IMPLICIT_CAST)
            .and_then(|call| tree::nodes(call.args).next())
            .or_else(|| {
                tree::cast::<pg_sys::CoerceViaIO, _>(stripped)
                    .filter(|io| io.coerceformat == pg_sys::CoercionForm::COERCE_IMPLICIT_CAST)
                    .map(|io| io.arg.cast())
            })
            .or_else(|| {
                tree::cast::<pg_sys::CoerceToDomain, _>(stripped)
                    .filter(|domain| {
                        domain.coercionformat == pg_sys::CoercionForm::COERCE_IMPLICIT_CAST
                    })
                    .map(|domain| domain.arg.cast())
            });
        match implicit {
            Some(inner) => node = inner,
            None => return stripped,
        }
    }
}

/// Whether a router knows what a value of one type becomes in a distribution column of another. Where it does not, it would refuse the value.
pub fn is_cast_by_router(given: Oid, column: Oid) -> bool {
    use pg_sys::{BPCHAROID, FLOAT4OID, FLOAT8OID, INT2OID, INT4OID, INT8OID, NUMERICOID};
    // SAFETY: types of expressions.
    let (given, column) = unsafe { (pg_sys::getBaseType(given), pg_sys::getBaseType(column)) };
    let is_exact = [INT2OID, INT4OID, INT8OID].contains(&given);
    match column {
        _ if given == column => true,
        INT2OID | INT4OID | INT8OID | FLOAT4OID | FLOAT8OID => {
            is_exact || [NUMERICOID, FLOAT4OID, FLOAT8OID].contains(&given)
        }
        NUMERICOID => is_exact,
        pg_sys::TEXTOID | pg_sys::VARCHAROID | BPCHAROID => {
            is_exact || [pg_sys::TEXTOID, pg_sys::VARCHAROID, BPCHAROID].contains(&given)
        }
        pg_sys::TIMESTAMPOID => given == pg_sys::DATEOID,
        _ => false,
    }
}

/// A copy of an expression whose implicit casts are written as SQL, down to what they cast.
pub fn explicit(expression: NodePtr) -> NodePtr {
    use pg_sys::CoercionForm::COERCE_EXPLICIT_CAST;
    let copy = tree::copy(expression);
    let end = strip_casts(copy);
    let mut node = copy;
    while node != end {
        // SAFETY: a private copy; the tag says which structure each is.
        unsafe {
            node = match tree::tag(node) {
                Some(NodeTag::T_FuncExpr) => {
                    let call = &mut *node.cast::<pg_sys::FuncExpr>();
                    call.funcformat = COERCE_EXPLICIT_CAST;
                    tree::nodes(call.args).next().unwrap_or(end)
                }
                Some(NodeTag::T_CoerceViaIO) => {
                    let cast = &mut *node.cast::<pg_sys::CoerceViaIO>();
                    cast.coerceformat = COERCE_EXPLICIT_CAST;
                    cast.arg.cast()
                }
                Some(NodeTag::T_RelabelType) => {
                    let cast = &mut *node.cast::<pg_sys::RelabelType>();
                    cast.relabelformat = COERCE_EXPLICIT_CAST;
                    cast.arg.cast()
                }
                Some(NodeTag::T_CoerceToDomain) => {
                    let cast = &mut *node.cast::<pg_sys::CoerceToDomain>();
                    cast.coercionformat = COERCE_EXPLICIT_CAST;
                    cast.arg.cast()
                }
                _ => end,
            };
        }
    }
    copy
}

/// What is assigned to a column before its length is checked. Written as SQL, such a check would be a cast, and cut what is too long.
pub fn without_length(mut value: NodePtr) -> NodePtr {
    use pg_sys::CoercionForm::COERCE_IMPLICIT_CAST;
    let checked = [
        pg_sys::VARCHAROID,
        pg_sys::BPCHAROID,
        pg_sys::BITOID,
        pg_sys::VARBITOID,
    ];
    loop {
        let of_domain = tree::cast::<pg_sys::CoerceToDomain, _>(value)
            .filter(|domain| domain.coercionformat == COERCE_IMPLICIT_CAST)
            .map(|domain| domain.arg.cast());
        let of_type = || {
            let call = tree::cast::<pg_sys::FuncExpr, _>(value)?;
            let given = tree::nodes(call.args).next()?;
            let is_check = call.funcformat == COERCE_IMPLICIT_CAST
                && checked.contains(&call.funcresulttype)
                && tree::type_of(given) == call.funcresulttype;
            is_check.then_some(given)
        };
        let of_elements = || {
            let array = tree::cast::<pg_sys::ArrayCoerceExpr, _>(value)?;
            (array.coerceformat == COERCE_IMPLICIT_CAST).then_some(array.arg.cast())
        };
        match of_domain.or_else(of_type).or_else(of_elements) {
            Some(inner) => value = inner,
            None => return value,
        }
    }
}

/// The number of a type; of a domain, that of the type below, which is what routers know.
pub fn base_type(type_oid: Oid) -> u32 {
    // SAFETY: a look-up of a type that exists.
    unsafe { pg_sys::getBaseType(type_oid) }.to_u32()
}

/// The name of an expression's type, with its modifier; of a domain, that of the type below.
pub fn type_name(expression: NodePtr) -> String {
    // SAFETY: the type of an expression is valid.
    unsafe { base_type_name(pg_sys::exprType(expression), pg_sys::exprTypmod(expression)) }
}

/// The name of a type with its modifier; of a domain, that of the type below.
///
/// # Safety
/// A type that exists.
pub unsafe fn base_type_name(type_oid: Oid, mut modifier: i32) -> String {
    // SAFETY: by the caller's promise.
    unsafe {
        let base = pg_sys::getBaseTypeAndTypmod(type_oid, &mut modifier);
        tree::string(pg_sys::format_type_extended(
            base,
            modifier,
            pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN as u16,
        ))
    }
}
