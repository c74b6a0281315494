use super::locality::{self, Spread};
use super::scope::{ScopeId, Scopes};
use crate::boundary::PostgresError;
use pgrx::pg_sys::{self, Oid};
use serde_json::{Value as Json, json};

pub fn facts(
    scopes: &mut Scopes,
    scope: ScopeId,
    _query: &'static pg_sys::Query,
    _parameters: &[Oid],
) -> Result<Json, PostgresError> {
    Ok(match locality::rows(scopes, scope) {
        Spread::Partitioned { .. } => json!({"mode": "concat"}),
        Spread::Mixed(reason) => json!({"mode": "refuse", "reason": reason}),
        _ => Json::Null,
    })
}
