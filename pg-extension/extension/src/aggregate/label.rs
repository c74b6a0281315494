//! Where it stands which types and functions are ours: in PostgreSQL's security labels of provider `abelian`, which dumps, restores and
//! upgrades keep with the objects they belong to.
//!
//! | object | label |
//! |---|---|
//! | type | its aggregate, qualified: `pg_catalog.max(pg_catalog.int8)`; then, if there are any, `; from f(...)`, `; slice f(...)`, `; elements NAME`, `; numbers SEQUENCE` and `; state TYPE` |
//! | function | `operation`: `c = f(c, x)` is what merging `c` with `f(NULL, x)` gives |
//! | function | `operation on elements`: it can be written down, to be done once the elements are locked |
//! | function | `query of an element`: what `f(c, x, ...)` gives depends on the element `x` of `c` alone |

use super::family::{self, Family};
use super::structure::Structure;
use crate::callback;
use crate::error::Error;
use crate::hooks::cache;
use crate::hooks::utility::{self, Around, Command};
use crate::owner;
use crate::varlena;
use pgrx::pg_sys::{self, Datum, NodeTag, ObjectAddress, Oid, SysCacheIdentifier};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};

const PROVIDER: &CStr = c"abelian";
const OPERATION: &CStr = c"operation";
const ON_ELEMENTS: &CStr = c"operation on elements";
const ASKS_ELEMENT: &CStr = c"query of an element";

/// What kind of operation a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Its change is known before it is known what the object contains.
    Blind,
    /// It can be written down to be done under locks on elements.
    OnElements,
    /// None: it asks for what is known of one element, its second argument.
    AsksElement,
}

thread_local! {
    static STALE: Cell<bool> = const { Cell::new(false) };
    /// Whether this session has the provider.
    static PROVIDED: Cell<bool> = const { Cell::new(false) };
    /// Functions asked about before.
    static OPERATIONS: RefCell<HashMap<Oid, Option<Operation>>> = RefCell::default();
}

/// Subscribes to what invalidates the backend's cache, and to labels of ours; called once when the library is loaded.
pub fn install() {
    cache::on_catalogues(&[SysCacheIdentifier::PROCOID], || STALE.set(true));
    utility::subscribe(Around {
        concerns: |command| command.tag() == NodeTag::T_SecLabelStmt && !PROVIDED.get(),
        around: |command, set_label| {
            provide_for(command);
            set_label(command);
        },
    });
}

/// The provider is registered with the first label of ours in a session: PostgreSQL gives a label without a provider's name to the only one
/// that there is, and refuses it where there is none.
fn provide_for(command: &Command) {
    // SAFETY: the node is of this type; the provider's name is a C string or null.
    unsafe {
        let provider = (*command.node().cast::<pg_sys::SecLabelStmt>()).provider;
        if !provider.is_null() && CStr::from_ptr(provider) == PROVIDER {
            pg_sys::register_label_provider(PROVIDER.as_ptr(), Some(check));
            PROVIDED.set(true);
        }
    }
}

callback!(fn check(object: *const ObjectAddress, label: *const c_char) = change);

/// A label is about to be set, or removed (null).
fn change(object: *const ObjectAddress, label: *const c_char) {
    family::forget();
    STALE.set(true);
    // Whoever owns a type or a function may label it, says PostgreSQL. But the label tells others' sessions, and the folding worker, which
    // functions to call.
    // SAFETY: plain reads.
    unsafe {
        if !pg_sys::superuser() && !pg_sys::IsBinaryUpgrade {
            Error::LabelPrivilege.raise();
        }
    }
    // SAFETY: PostgreSQL passes an object that exists, and a C string or null.
    let (object, label) = unsafe {
        if label.is_null() {
            return;
        }
        (&*object, CStr::from_ptr(label))
    };
    let checked = match object.classId {
        pg_sys::TypeRelationId => check_type(object, label),
        pg_sys::ProcedureRelationId => check_operation(object.objectId, label),
        _ => Err(Error::InvalidLabel),
    };
    // pg_upgrade labels a function of the extension before it is a member; the old server has checked the label.
    // SAFETY: plain read.
    if let (Err(error), false) = (checked, unsafe { pg_sys::IsBinaryUpgrade }) {
        error.raise();
    }
}

/// The type will go with its aggregate, and be dumped after it.
fn check_type(object: &ObjectAddress, label: &CStr) -> Result<(), Error> {
    // SAFETY: syscache lookups.
    let is_base = unsafe {
        pg_sys::get_typtype(object.objectId) as u8 == b'b'
            && pg_sys::get_typlen(object.objectId) == -1
    };
    let functions = Functions::named(label)
        .filter(|_| is_base)
        .ok_or(Error::InvalidLabel)?;
    let family = Family::over(object.objectId, &functions)?;
    family.require_trust()?;
    family.require_states()?;
    family.empty(); // an initial state that cannot be read is an error now
    let aggregate = ObjectAddress {
        classId: pg_sys::ProcedureRelationId,
        objectId: functions.aggregate,
        objectSubId: 0,
    };
    // SAFETY: both objects exist.
    unsafe {
        pg_sys::recordDependencyOn(
            object,
            &aggregate,
            pg_sys::DependencyType::DEPENDENCY_NORMAL,
        );
    }
    Ok(())
}

fn check_operation(function: Oid, label: &CStr) -> Result<(), Error> {
    let (mut types, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: the results are ours.
    let shape = unsafe {
        let result = pg_sys::get_func_signature(function, &mut types, &mut count);
        count > 0 && *types == result && !pg_sys::get_func_retset(function)
    };
    let asks = count > 1 && label == ASKS_ELEMENT;
    if asks || shape && [OPERATION, ON_ELEMENTS].contains(&label) {
        Ok(())
    } else {
        Err(Error::InvalidLabel)
    }
}

/// What a type's label names.
pub struct Functions {
    /// The aggregate.
    pub aggregate: Oid,
    /// Makes a state of a value.
    pub from_value: Option<Oid>,
    /// Makes, of the state in the row, what a new slice begins with.
    pub new_slice: Option<Oid>,
    /// The algebra of its elements, if it has elements.
    pub structure: Option<Structure>,
    /// The sequence of the numbers that its operation draws.
    pub numbers: Option<Oid>,
    /// The type of the aggregate's states when the type was made, if it is one of PostgreSQL's own; invalid if that is not there any more.
    pub state: Option<Oid>,
}

impl Functions {
    /// Reads a label; `None` if it is none, or something it names does not exist. Whoever uses a type need not have rights on the schemas of
    /// its functions.
    pub fn named(label: &CStr) -> Option<Self> {
        owner::look_up(|| Functions::found(label))
    }

    fn found(label: &CStr) -> Option<Self> {
        let mut parts = label.to_str().ok()?.split("; ");
        let mut functions = Functions {
            aggregate: function_named(parts.next()?)?,
            from_value: None,
            new_slice: None,
            structure: None,
            numbers: None,
            state: None,
        };
        for part in parts {
            match part.split_once(' ')? {
                ("from", name) => functions.from_value = Some(function_named(name)?),
                ("slice", name) => functions.new_slice = Some(function_named(name)?),
                ("numbers", name) => functions.numbers = Some(relation_named(name)?),
                ("state", name) => functions.state = Some(type_named(name).unwrap_or(Oid::INVALID)),
                ("elements", name) => functions.structure = Some(Structure::named(name)?),
                _ => return None,
            }
        }
        Some(functions)
    }
}

fn function_named(name: &str) -> Option<Oid> {
    named(name, pg_sys::to_regprocedure)
}

fn type_named(name: &str) -> Option<Oid> {
    named(name, pg_sys::to_regtype)
}

fn relation_named(name: &str) -> Option<Oid> {
    named(name, pg_sys::to_regclass)
}

/// What `to_reg...` finds: it takes a text, and gives NULL for what does not exist.
fn named(name: &str, find: unsafe fn(pg_sys::FunctionCallInfo) -> Datum) -> Option<Oid> {
    let name = CString::new(name).ok()?;
    // SAFETY: a function of this signature, called with a text.
    let found = unsafe {
        let text = pg_sys::cstring_to_text(name.as_ptr());
        pgrx::direct_function_call_as_datum(find, &[Some(Datum::from(text))])
    };
    found.map(|oid| Oid::from(oid.value() as u32))
}

/// The label of a type.
pub fn of_type(type_: Oid) -> Option<CString> {
    of(pg_sys::TypeRelationId, type_)
}

/// The types whose labels name what users have made.
pub fn types_over_users_objects() -> Vec<Oid> {
    let mut types = Vec::new();
    // SAFETY: a scan of a catalogue whose columns are these and never NULL; everything opened is closed.
    unsafe {
        let lock = pg_sys::AccessShareLock as i32;
        let table = pg_sys::table_open(pg_sys::SecLabelRelationId, lock);
        let (newest, no_key) = (std::ptr::null_mut(), std::ptr::null_mut());
        let scan = pg_sys::systable_beginscan(table, Oid::INVALID, false, newest, 0, no_key);
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            let value = |column: u32| {
                let mut is_null = false;
                pg_sys::heap_getattr(row, column as i32, (*table).rd_att, &mut is_null)
            };
            let class = Oid::from(value(pg_sys::Anum_pg_seclabel_classoid).value() as u32);
            let provider = varlena::content_of(value(pg_sys::Anum_pg_seclabel_provider));
            if class == pg_sys::TypeRelationId
                && provider == PROVIDER.to_bytes()
                && names_users_objects(&varlena::content_of(value(pg_sys::Anum_pg_seclabel_label)))
            {
                let object = value(pg_sys::Anum_pg_seclabel_objoid).value() as u32;
                types.push(Oid::from(object));
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(table, lock);
    }
    types
}

/// Whether a label names more than what PostgreSQL and the extension bring. Names without a schema are taken for users'.
fn names_users_objects(label: &[u8]) -> bool {
    let label = String::from_utf8_lossy(label);
    let mut schemas = label.match_indices('.').map(|(dot, _)| {
        let before = label[..dot].rsplit([' ', '(', ',', ';']);
        before.into_iter().next().unwrap_or_default()
    });
    let is_qualified = label
        .split("; ")
        .next()
        .is_some_and(|one| one.contains('.'));
    !is_qualified || schemas.any(|schema| schema != "pg_catalog" && schema != "abelian")
}

/// A type as people are told of it.
pub fn type_name(type_: Oid) -> String {
    // SAFETY: a catalogue lookup; the result is a C string.
    let name = unsafe { CStr::from_ptr(pg_sys::format_type_be(type_)) };
    name.to_string_lossy().into_owned()
}

/// The kind of operation that the function is registered as.
pub fn operation(function: Oid) -> Option<Operation> {
    if function.to_u32() < pg_sys::FirstNormalObjectId {
        return None;
    }
    if STALE.replace(false) {
        OPERATIONS.with_borrow_mut(HashMap::clear);
    }
    if let Some(known) = OPERATIONS.with_borrow(|known| known.get(&function).copied()) {
        return known;
    }
    let found =
        of(pg_sys::ProcedureRelationId, function).and_then(|label| match label.as_c_str() {
            label if label == OPERATION => Some(Operation::Blind),
            label if label == ON_ELEMENTS => Some(Operation::OnElements),
            label if label == ASKS_ELEMENT => Some(Operation::AsksElement),
            _ => None,
        });
    OPERATIONS.with_borrow_mut(|known| known.insert(function, found));
    found
}

fn of(class: Oid, object: Oid) -> Option<CString> {
    let object = ObjectAddress {
        classId: class,
        objectId: object,
        objectSubId: 0,
    };
    // SAFETY: a catalogue lookup; the label is a C string in the current context, or null.
    unsafe {
        let label = pg_sys::GetSecurityLabel(&object, PROVIDER.as_ptr());
        (!label.is_null()).then(|| CStr::from_ptr(label).to_owned())
    }
}
