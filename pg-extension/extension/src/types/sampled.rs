//! ANALYZE: the values that PostgreSQL keeps as statistics of an Abelian column are copies as any others.
//!
//! What is gathered is what PostgreSQL gathers for every type with an order. Only the frequent values and the bounds of the histogram
//! are detached before they are stored: else whoever plans a statement would look at objects of rows that he has nothing to do with.

use crate::boundary;
use crate::callback;
use crate::catalog::{self, Catalog};
use crate::error::Error;
use crate::pg_function;
use crate::types::detached::detached;
use pgrx::pg_sys::{self, Datum};
use std::ffi::{c_int, c_void};

/// What PostgreSQL's own function has set, to be called from ours.
struct Standard {
    compute: pg_sys::AnalyzeAttrComputeStatsFunc,
    data: *mut c_void,
}

pg_function!(
    /// The ANALYZE function of all Abelian types.
    fn abelian_analyze_values(call) {
        let stats = call.arg(0).cast_mut_ptr::<pg_sys::VacAttrStats>();
        // SAFETY: PostgreSQL passes the column's structure; ours lives as long as that.
        unsafe {
            if !pg_sys::std_typanalyze(stats) {
                return Ok(Datum::from(false));
            }
            let standard = pg_sys::MemoryContextAlloc((*stats).anl_context, size_of::<Standard>());
            standard.cast::<Standard>().write(Standard {
                compute: (*stats).compute_stats,
                data: (*stats).extra_data,
            });
            (*stats).extra_data = standard;
            (*stats).compute_stats = Some(compute);
        }
        Ok(Datum::from(true))
    }
);

callback!(
    fn compute(
        stats: *mut pg_sys::VacAttrStats,
        fetch: pg_sys::AnalyzeAttrFetchFunc,
        rows: c_int,
        total: f64,
    ) = compute_and_detach
);

fn compute_and_detach(
    stats: *mut pg_sys::VacAttrStats,
    fetch: pg_sys::AnalyzeAttrFetchFunc,
    rows: c_int,
    total: f64,
) {
    // SAFETY: called by ANALYZE with the structure that `abelian_analyze_values` has prepared.
    unsafe {
        let standard = (*stats).extra_data.cast::<Standard>().read();
        (*stats).extra_data = standard.data;
        if let Some(compute) = standard.compute {
            boundary::call(|| compute(stats, fetch, rows, total));
        }
        let before = pg_sys::MemoryContextSwitchTo((*stats).anl_context);
        let result = catalog::get().and_then(|catalog| detach(&catalog, &mut *stats));
        pg_sys::MemoryContextSwitchTo(before);
        if let Err(error) = result {
            error.raise();
        }
    }
}

/// # Safety
/// The statistics must be computed; the current memory context is theirs.
unsafe fn detach(catalog: &Catalog, stats: &mut pg_sys::VacAttrStats) -> Result<(), Error> {
    for (values, count) in stats.stavalues.into_iter().zip(stats.numvalues) {
        for n in 0..usize::try_from(count).unwrap_or(0) {
            // SAFETY: there are so many values of the column's type.
            unsafe {
                let value = values.add(n);
                *value = detached(catalog, stats.attrtypid, *value)?;
            }
        }
    }
    Ok(())
}
