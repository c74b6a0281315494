//! What the stored body of a procedure does, as far as it can be known without running it. Whatever is not understood is reported, never
//! assumed to be harmless.
//!
//! From below: `findings` (what was found, and the verdict), `query` (one query), `equalities` (what its columns equal), `source_keys` (whether what a change reads has the key of the row that it makes or changes), `nullness` (what is never NULL), `constraints` (what a change can violate),
//! `plpgsql` (statements of PL/pgSQL), `sql_text` (bodies in SQL that are text), `source` (the body of a function), `blind` (whether calls can commit in one round),
//! `touched` (which rows calls touch), `mentioned` (which tables a body may read).
//!
//! Nothing is executed here.

mod as_query;
mod blind;
mod constraints;
mod equalities;
mod expressions;
mod findings;
mod mentioned;
mod nullness;
mod plpgsql;
mod query;
mod source;
mod source_keys;
mod sql_text;
mod touched;

use super::super::postgres;
use super::record;
use crate::boundary::{self, PostgresError};
use crate::error::Error;
use crate::pg_function;
use pgrx::pg_sys::Oid;

pub use blind::{facts as blind_facts, row_obstacle};
pub use mentioned::read_by;
pub use source::{changes, selected, text as source_text};
pub use touched::{block_changes, block_facts, facts as body_facts, is_alike_everywhere};

pg_function!(
    /// `abelian.explain_body(regprocedure)`: the class and why, one line each.
    fn abelian_explain_body(call) {
        let function = Oid::from(call.arg(0).value() as u32);
        Ok(postgres::text_datum(&explain(function).map_err(Error::Postgres)?))
    }
);

fn explain(function: Oid) -> Result<String, PostgresError> {
    let findings = source::analyse(function)?;
    let record = record::find(function);
    let declared = record.as_ref().map(|record| record.class.as_str());
    let text = findings.explain(declared);
    Ok(match blind::obstacle(function, record.as_ref())? {
        None => format!(
            "class: commuting\nevery statement is a blind operation at one key: the participants commit in one round\notherwise, {text}"
        ),
        Some(obstacle) if findings.writes => format!("{text}\nnot commuting: {obstacle}"),
        Some(_) => text,
    })
}

pg_function!(
    /// `abelian.class_of_body(regprocedure)`: `independent`, `coordinated`, or `single`.
    fn abelian_class_of_body(call) {
        let function = Oid::from(call.arg(0).value() as u32);
        // A body with names that do not exist yet has the class that is right for anything.
        let findings = boundary::attempt(|| source::analyse(function));
        Ok(postgres::text_datum(findings.map_or("coordinated", |findings| findings.class())))
    }
);
