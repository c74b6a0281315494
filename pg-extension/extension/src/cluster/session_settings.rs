//! `abelian.settings`: what the session has set, told to its router whenever it may have changed other than by a command of the client.
//!
//! A router gives the settings of its session to every node. SET it sees; `set_config()`, functions that SET, and defaults of roles and
//! databases it does not. So the node tells: the parameter is reported with the answer to each group of messages after which it has
//! another value. Nothing is computed before something may have changed, and nothing is sent unless it has.
//!
//! PostgreSQL reports a parameter only when that was set; here it is set to a number that counts, for the rest of the transaction, and
//! what is shown in its place is computed when it is reported. As the number falls back when the transaction or a subtransaction ends,
//! PostgreSQL looks again then.

use super::settings;
use super::{nested, postgres};
use crate::callback;
use crate::compat;
use crate::hooks::subscribers::Subscriber;
use crate::hooks::{access, transaction};
use pgrx::pg_sys::{self, Oid, config_type};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int};

/// The name under which it is defined and set.
pub const NAME: &CStr = c"abelian.settings";

/// Settings of the router's connections, not of its client's session; those of the transaction alone.
const NOT_OF_SESSION: [&CStr; 14] = [
    c"abelian.placement_version",
    c"abelian.node_id",
    c"abelian.session",
    c"abelian.participants",
    c"abelian.random_keys",
    c"abelian.commit_statistics",
    c"abelian.router_statistics",
    c"abelian.routing_rules",
    // Where calls in one transaction keep their client's setting; known on the nodes where some have run.
    c"abelian_call.lock_timeout",
    c"transaction_isolation",
    c"transaction_read_only",
    c"transaction_deferrable",
    c"is_superuser",
    c"seed",
];

const DEFAULT_ISOLATION: &CStr = c"default_transaction_isolation";
const ROLE: &CStr = c"role";

thread_local! {
    /// Some expression of the running transaction calls `set_config()`; PL/pgSQL keeps such for the rest of it.
    static SETS: Cell<bool> = const { Cell::new(false) };
    /// What was shown last.
    static SHOWN: RefCell<CString> = RefCell::default();
    /// The defaults of the role in the database when this was asked first; see [`abelian_same_defaults`].
    static DEFAULTS: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Watches for `set_config()` and the ends of transactions; called once when the library is loaded.
pub fn install() {
    access::subscribe(Subscriber {
        concerns: |access| {
            access.kind == pg_sys::ObjectAccessType::OAT_FUNCTION_EXECUTE
                && access.object.to_u32() == pg_sys::F_SET_CONFIG
                && settings::PLACEMENT_VERSION.get() != 0
        },
        tell: |_| {
            SETS.set(true);
            changed();
        },
    });
    transaction::on_end(&Subscriber {
        concerns: |event| {
            use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
            matches!(
                *event,
                XACT_EVENT_COMMIT | XACT_EVENT_ABORT | XACT_EVENT_PREPARE
            )
        },
        tell: |_| {
            SETS.set(false);
            nested::statement_ends();
        },
    });
}

/// The end of a statement of the router's client.
pub fn statement_ends() {
    if SETS.get() {
        changed();
    }
}

/// Settings may have changed.
pub fn changed() {
    postgres::report_again(NAME);
}

callback!(
    /// The show hook of `abelian.settings`: one line `name=value` for each setting that the session, its role or its database has made, in the
    /// order of names; a name alone for a parameter that no module has defined and that has no value any more. Backslashes and ends of lines
    /// in values have a backslash before them.
    pub fn show() -> *const c_char = shown
);

fn shown() -> *const c_char {
    let text = CString::new(describe()).unwrap_or_default();
    SHOWN.with_borrow_mut(|shown| {
        *shown = text;
        shown.as_ptr()
    })
}

fn describe() -> String {
    let mut text = String::new();
    for variable in compat::variables() {
        // SAFETY: every element is a parameter, whose type says which structure it is.
        unsafe {
            let generic = &**variable;
            if !is_of_session(generic) {
                continue;
            }
            let name = CStr::from_ptr(generic.name).to_string_lossy();
            if is_set(generic) {
                text.push_str(&name);
                text.push('=');
                push_escaped(&mut text, &value(*variable));
            } else {
                text.push_str(&name);
            }
            text.push('\n');
        }
    }
    text
}

/// Whether a session may change it, and it has another value than the server's configuration gives; or it is known by its name alone.
unsafe fn is_of_session(generic: &pg_sys::config_generic) -> bool {
    use pg_sys::GucContext::{PGC_SUSET, PGC_USERSET};
    // SAFETY: a parameter's name is a C string.
    let name = unsafe { CStr::from_ptr(generic.name) };
    matches!(generic.context, PGC_SUSET | PGC_USERSET)
        && (is_set(generic) || generic.flags as u32 & pg_sys::GUC_CUSTOM_PLACEHOLDER != 0)
        && !NOT_OF_SESSION.contains(&name)
}

/// Whether the session, its role or its database gives the value. A strict isolation level counts wherever it comes from, and the usual one
/// nowhere; a role counts while it is acted as.
fn is_set(generic: &pg_sys::config_generic) -> bool {
    // SAFETY: a parameter's name is a C string; plain reads of variables.
    unsafe {
        let name = CStr::from_ptr(generic.name);
        if name == DEFAULT_ISOLATION {
            pg_sys::DefaultXactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as c_int
        } else {
            generic.source >= pg_sys::GucSource::PGC_S_GLOBAL
                && (name != ROLE || pg_sys::GetCurrentRoleId() != Oid::INVALID)
        }
    }
}

/// # Safety
/// A parameter.
unsafe fn value(variable: *mut pg_sys::config_generic) -> String {
    let text = |value: *const c_char| match value.is_null() {
        true => String::new(),
        // SAFETY: values are C strings.
        false => unsafe { CStr::from_ptr(value).to_string_lossy().into_owned() },
    };
    // SAFETY: the type says which structure it is.
    unsafe {
        match (*variable).vartype {
            config_type::PGC_BOOL => {
                let on = *(*variable.cast::<pg_sys::config_bool>()).variable;
                if on { "on" } else { "off" }.to_owned()
            }
            config_type::PGC_INT => {
                (*(*variable.cast::<pg_sys::config_int>()).variable).to_string()
            }
            config_type::PGC_REAL => {
                (*(*variable.cast::<pg_sys::config_real>()).variable).to_string()
            }
            config_type::PGC_ENUM => {
                let value = *(*variable.cast::<pg_sys::config_enum>()).variable;
                text(pg_sys::config_enum_lookup_by_value(variable.cast(), value))
            }
            _ => text(*(*variable.cast::<pg_sys::config_string>()).variable),
        }
    }
}

fn push_escaped(text: &mut String, value: &str) {
    for character in value.chars() {
        if matches!(character, '\\' | '\n') {
            text.push('\\');
        }
        text.push(character);
    }
}

crate::pg_function!(
    /// `abelian.same_defaults(defaults)`: false when the role or database has got other defaults since this connection first said
    /// so, which it was opened with.
    fn abelian_same_defaults(call) {
        // SAFETY: the argument is declared as text, the function as STRICT.
        let now = unsafe { postgres::text_argument(call.arg(0)) }.to_string_lossy().into_owned();
        let current = DEFAULTS.with_borrow_mut(|first| *first.get_or_insert_with(|| now.clone()) == now);
        Ok(current.into())
    }
);
