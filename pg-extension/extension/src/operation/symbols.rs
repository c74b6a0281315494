//! Our types, casts and functions as this database knows them: looked up by name once, kept until the catalogue
//! changes. A session may be older than `CREATE EXTENSION`, and outlive `DROP EXTENSION`.

use crate::aggregate::{Family, Structure};
use crate::hooks::cache;
use pgrx::pg_sys::{self, Oid, SysCacheIdentifier};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::rc::Rc;

/// What the rewriting needs to know of one Abelian type.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The type itself.
    pub type_: Oid,
    /// For a type over an aggregate: its description.
    pub family: Option<Rc<Family>>,
    /// The plain type of its value: `bigint`, `numeric`, what the aggregate gives.
    pub value_type: Oid,
    /// Casts that read the value: from the type to `value_type`.
    pub value: Oid,
    /// Casts that make a new object: from `value_type` to the type; invalid where there is none.
    pub make: Oid,
    /// `operate(datum, delta, ctid, tableoid)`: an operation in place; the delta is of the value type, `bigint` of a bounded type,
    /// or of the type itself if that is one over an aggregate.
    pub operate: Oid,
    /// `newest(datum, ctid, tableoid, mode)`: lock, then the newest value.
    pub newest: Oid,
    /// `replace(old datum, new datum, ctid, tableoid)`: overwrite.
    pub replace: Oid,
    /// `keep(datum, ctid, tableoid)`: the same datum, the row's plain columns about to change.
    pub keep: Oid,
    /// `counter_copy(datum)`: the value as a new object.
    pub copy: Oid,
    /// `base(datum)` and `counter_object(datum)`, which indexes may be over; an extension that has not been updated since lacks the first.
    pub indexed: Option<Indexed>,
    /// Of a bounded type: the coercion to the bounds, or the scale, of a column. Its `operate` and `replace` are told the column.
    pub coerce: Option<Oid>,
    /// Of `bounded_decimal`, whose `operate` takes units.
    pub fixed_point: Option<FixedPoint>,
    /// Of a set: `size(datum)`.
    pub size: Option<Oid>,
}

/// Functions that turn a `numeric` into units of a column.
#[derive(Clone, Copy, Debug)]
pub struct FixedPoint {
    /// `bounded_decimal_units(numeric, scale)`: what is added.
    pub units: Oid,
    /// `bounded_decimal_limit(numeric, scale, at most, strict, shift)`: what is compared with.
    pub limit: Oid,
}

/// What an index over an Abelian column is over.
#[derive(Clone, Copy, Debug)]
pub struct Indexed {
    /// `base(datum)`: what the row stores, of the value type.
    pub base: Oid,
    /// `counter_object(datum)`: which object it is.
    pub object: Oid,
}

/// Functions that tell apart the objects whose value is what their row stores.
#[derive(Clone, Copy, Debug)]
pub struct ByValue {
    /// `objects_with_slices()`
    pub objects_with_slices: Oid,
    /// `has_no_slices(bigint)`
    pub has_no_slices: Oid,
}

/// Everything the rewriting looks up by name.
#[derive(Debug)]
pub struct Symbols {
    counters: Vec<Rc<Kind>>,
    /// Types asked about, that are over an aggregate or none of ours.
    others: RefCell<HashMap<Oid, Option<Rc<Kind>>>>,
    /// `lock_row(ctid, tableoid, mode)`
    pub lock_row: Oid,
    /// `in_snapshot(ctid, tableoid)`
    pub in_snapshot: Oid,
    /// `newest_element(datum, element, ctid, tableoid, mode)`: lock an element, then the newest value. An extension that has not been
    /// updated since lacks it.
    pub newest_element: Option<Oid>,
    /// `detached(anyelement)`: the same value, of which nothing is an object. An extension that has not been updated since lacks it.
    pub detached: Option<Oid>,
    /// What conditions on values need for indexes; an extension that has not been updated since lacks them.
    pub by_value: Option<ByValue>,
    /// `combined(bigint)` and `combined(numeric)`; an extension that has not been updated since lacks them.
    pub combined: [Option<Oid>; 2],
}

impl Symbols {
    /// The kind of an Abelian type.
    pub fn kind(&self, type_: Oid) -> Option<Rc<Kind>> {
        if let Some(kind) = self.counters.iter().find(|kind| kind.type_ == type_) {
            return Some(kind.clone());
        }
        if type_.to_u32() < pg_sys::FirstNormalObjectId {
            return None;
        }
        if let Some(known) = self.others.borrow().get(&type_) {
            return known.clone();
        }
        let kind = Family::of(type_).and_then(aggregated).map(Rc::new);
        self.others.borrow_mut().insert(type_, kind.clone());
        kind
    }

    /// The symbols of this database; `None` while the extension is not installed in it. Needs a transaction.
    pub fn get() -> Option<Rc<Symbols>> {
        if STALE.get() {
            // Reset first: a lookup may itself receive an invalidation.
            STALE.set(false);
            super::relation::forget_all();
            let found = look_up().map(Rc::new);
            CACHE.with_borrow_mut(|cache| *cache = found);
        }
        CACHE.with_borrow(Clone::clone)
    }
}

thread_local! {
    static STALE: Cell<bool> = const { Cell::new(true) };
    static CACHE: RefCell<Option<Rc<Symbols>>> = const { RefCell::new(None) };
}

/// Registers for changes of the catalogue.
pub fn install() {
    let catalogues = [
        SysCacheIdentifier::NAMESPACEOID,
        SysCacheIdentifier::TYPEOID,
        SysCacheIdentifier::PROCOID,
    ];
    cache::on_catalogues(&catalogues, || STALE.set(true));
}

fn look_up() -> Option<Symbols> {
    // SAFETY: lookups by name that report a missing object as InvalidOid.
    let schema = unsafe { pg_sys::get_namespace_oid(c"abelian".as_ptr(), true) };
    let schema = valid(schema)?;
    let counter = type_named(schema, c"counter")?;
    let decimal = type_named(schema, c"decimal_counter")?;
    let mut kinds = vec![
        kind(counter, pg_sys::INT8OID, c"counter", &[])?,
        kind(decimal, pg_sys::NUMERICOID, c"decimal_counter", &[])?,
    ];
    // An extension that has not been updated since lacks them.
    if let Some(bounded) = type_named(schema, c"bounded_counter") {
        kinds.push(bounded_kind(bounded, pg_sys::INT8OID, c"bounded_counter")?);
    }
    if let Some(bounded) = type_named(schema, c"bounded_decimal") {
        let mut kind = bounded_kind(bounded, pg_sys::NUMERICOID, c"bounded_decimal")?;
        kind.fixed_point = Some(fixed_point()?);
        kinds.push(kind);
    }
    Some(Symbols {
        counters: kinds.into_iter().map(Rc::new).collect(),
        others: RefCell::default(),
        lock_row: function(
            c"lock_row",
            &[pg_sys::TIDOID, pg_sys::OIDOID, pg_sys::INT4OID],
        )?,
        in_snapshot: function(c"in_snapshot", &[pg_sys::TIDOID, pg_sys::OIDOID])?,
        newest_element: function(
            c"newest_element",
            &[
                pg_sys::ANYELEMENTOID,
                pg_sys::TEXTOID,
                pg_sys::TIDOID,
                pg_sys::OIDOID,
                pg_sys::INT4OID,
            ],
        ),
        detached: function(c"detached", &[pg_sys::ANYELEMENTOID]),
        by_value: function(c"objects_with_slices", &[])
            .zip(function(c"has_no_slices", &[pg_sys::INT8OID]))
            .map(|(objects_with_slices, has_no_slices)| ByValue {
                objects_with_slices,
                has_no_slices,
            }),
        combined: [pg_sys::INT8OID, pg_sys::NUMERICOID]
            .map(|type_| function(c"combined", &[type_])),
    })
}

/// A type whose functions are told the column, and which counts in `bigint`.
fn bounded_kind(type_: Oid, value_type: Oid, name: &CStr) -> Option<Kind> {
    let coercion = [type_, pg_sys::INT4OID, pg_sys::BOOLOID];
    let column = [pg_sys::OIDOID, pg_sys::INT4OID];
    Some(Kind {
        coerce: Some(function(name, &coercion)?),
        ..kind(type_, value_type, name, &column)?
    })
}

fn fixed_point() -> Option<FixedPoint> {
    use pg_sys::{BOOLOID, INT4OID, NUMERICOID};
    Some(FixedPoint {
        units: function(c"bounded_decimal_units", &[NUMERICOID, INT4OID])?,
        limit: function(
            c"bounded_decimal_limit",
            &[NUMERICOID, INT4OID, BOOLOID, BOOLOID, NUMERICOID],
        )?,
    })
}

/// `column`: the types of what tells `operate` and `replace` the column, if they need it; they count in `bigint` then.
fn kind(type_: Oid, value_type: Oid, name: &CStr, column: &[Oid]) -> Option<Kind> {
    use pg_sys::{INT4OID, OIDOID, TIDOID};
    let named = |end: &str| {
        let whole = CString::new(format!("{}{end}", name.to_str().ok()?)).ok()?;
        function(&whole, &[type_])
    };
    let with_column = |arguments: [Oid; 4]| [&arguments, column].concat();
    let amount = if column.is_empty() {
        value_type
    } else {
        pg_sys::INT8OID
    };
    Some(Kind {
        type_,
        family: None,
        value_type,
        value: cast(type_, value_type)?,
        make: cast(value_type, type_)?,
        operate: function(c"operate", &with_column([type_, amount, TIDOID, OIDOID]))?,
        newest: function(c"newest", &[type_, TIDOID, OIDOID, INT4OID])?,
        replace: function(c"replace", &with_column([type_, type_, TIDOID, OIDOID]))?,
        keep: function(c"keep", &[type_, TIDOID, OIDOID])?,
        copy: named("_copy")?,
        indexed: function(c"base", &[type_])
            .zip(named("_object"))
            .map(|(base, object)| Indexed { base, object }),
        coerce: None,
        fixed_point: None,
        size: None,
    })
}

/// A type over an aggregate: the functions are the same, polymorphic ones for all.
fn aggregated(family: Rc<Family>) -> Option<Kind> {
    use pg_sys::{ANYELEMENTOID as ANY, INT4OID, OIDOID, TIDOID};
    Some(Kind {
        type_: family.type_,
        value_type: family.value_type,
        value: cast(family.type_, family.value_type)?,
        make: cast(family.value_type, family.type_).unwrap_or(Oid::INVALID),
        operate: function(c"operate", &[ANY, ANY, TIDOID, OIDOID])?,
        newest: function(c"newest", &[ANY, TIDOID, OIDOID, INT4OID])?,
        replace: function(c"replace", &[ANY, ANY, TIDOID, OIDOID])?,
        keep: function(c"keep", &[ANY, TIDOID, OIDOID])?,
        copy: function(c"object_copy", &[ANY])?,
        indexed: None,
        coerce: None,
        fixed_point: None,
        size: match family.structure {
            Some(Structure::Set) => function(c"size", &[family.type_]),
            _ => None,
        },
        family: Some(family),
    })
}

fn valid(oid: Oid) -> Option<Oid> {
    (oid != pg_sys::InvalidOid).then_some(oid)
}

fn type_named(schema: Oid, name: &CStr) -> Option<Oid> {
    // SAFETY: the two keys of this cache are the name and the schema.
    valid(unsafe {
        pg_sys::GetSysCacheOid(
            SysCacheIdentifier::TYPENAMENSP as i32,
            pg_sys::Anum_pg_type_oid as i16,
            name.as_ptr().into(),
            schema.into(),
            pg_sys::Datum::null(),
            pg_sys::Datum::null(),
        )
    })
}

fn cast(from: Oid, to: Oid) -> Option<Oid> {
    let mut function = pg_sys::InvalidOid;
    // SAFETY: the result parameter is ours.
    unsafe {
        pg_sys::find_coercion_pathway(
            to,
            from,
            pg_sys::CoercionContext::COERCION_EXPLICIT,
            &mut function,
        )
    };
    valid(function)
}

fn function(name: &CStr, arguments: &[Oid]) -> Option<Oid> {
    // SAFETY: a list of two strings, qualified, so that the search path does not matter.
    valid(unsafe {
        let part = |text: &CStr| pg_sys::makeString(pg_sys::pstrdup(text.as_ptr())).cast();
        let name = pg_sys::lappend(
            pg_sys::lappend(std::ptr::null_mut(), part(c"abelian")),
            part(name),
        );
        pg_sys::LookupFuncName(name, arguments.len() as i32, arguments.as_ptr(), true)
    })
}
