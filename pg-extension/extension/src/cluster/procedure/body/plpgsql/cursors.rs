//! Cursors: what their queries touch is found where they are opened, and their rows are taken for something that each node may have otherwise.

use super::super::findings::{Source, Sources};
use super::Body;
use crate::boundary::PostgresError;
use pgrx::pg_sys;

impl Body<'_> {
    /// A cursor is opened. Its name may be the client's, and that of one participant alone.
    pub(super) unsafe fn open(
        &mut self,
        open: &pg_sys::PLpgSQL_stmt_open,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled statement; a cursor is a variable.
        unsafe {
            if !open.dynquery.is_null() {
                self.unknown(open.lineno, "EXECUTE");
            }
            for query in [open.argquery, open.query, self.bound(open.curvar)] {
                let sources = self.expression(query, open.lineno, control)?;
                if !query.is_null() {
                    self.opened.insert(open.curvar, (self.row, sources));
                }
            }
            self.findings
                .differs(format!("line {}: a cursor", open.lineno));
            // The node makes a name for it, if it has none.
            self.assign(open.curvar, &Sources::from([Source::Differs]));
        }
        Ok(())
    }

    /// The query of a cursor that was declared with one; null for none.
    unsafe fn bound(&self, cursor: i32) -> *mut pg_sys::PLpgSQL_expr {
        // SAFETY: a compiled statement; a cursor is a variable.
        unsafe {
            let variable = *(*self.function).datums.add(cursor as usize);
            (*variable.cast::<pg_sys::PLpgSQL_var>()).cursor_explicit_expr
        }
    }

    /// FETCH and MOVE. What the query of the cursor touches was found where it is opened.
    pub(super) unsafe fn fetch(
        &mut self,
        fetch: &pg_sys::PLpgSQL_stmt_fetch,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        let Some((row, mut sources)) = self.opened.get(&fetch.curvar).cloned() else {
            self.unknown(fetch.lineno, "a cursor that is opened elsewhere");
            return Ok(());
        };
        sources.insert(Source::Differs);
        self.findings
            .differs(format!("line {}: a cursor", fetch.lineno));
        // SAFETY: a compiled statement.
        unsafe {
            self.expression(fetch.expr, fetch.lineno, control)?;
            self.row = row;
            self.assign_to(fetch.target, &sources);
            self.found(&sources);
        }
        Ok(())
    }

    /// FOR over a cursor that was declared with a query.
    pub(super) unsafe fn for_cursor(
        &mut self,
        rows: &pg_sys::PLpgSQL_stmt_forc,
        control: &Sources,
    ) -> Result<(), PostgresError> {
        // SAFETY: a compiled statement.
        unsafe {
            let mut inner = control.clone();
            for query in [rows.argquery, self.bound(rows.curvar)] {
                inner.extend(self.expression(query, rows.lineno, control)?);
            }
            inner.insert(Source::Differs);
            self.findings
                .differs(format!("line {}: a cursor", rows.lineno));
            self.assign_to(rows.var, &inner);
            self.blur_found();
            self.found(&inner);
            self.blur_found();
            self.list(rows.body, &inner)?;
            self.blur_found();
        }
        Ok(())
    }
}
