//! The rows of a table in the place of its mention: which of its columns come, and the target list that has them where the table had them.

use super::super::tree::{self, NodePtr};
use super::build::{self, WorkerColumns};
use super::used::Used;
use crate::opened::Opened;
use pgrx::pg_sys;

/// For each column of a table, in their order, what the mention of the table has of it.
pub struct Places(Vec<Place>);

struct Place {
    attribute: i16,
    is_dropped: bool,
    type_oid: pg_sys::Oid,
    /// Among the columns that come; `None` for one that nothing uses.
    among: Option<usize>,
}

/// The columns of a mention that are used, as what reads them where it is the only range, and their places.
pub fn wanted(open: &Opened, used: &Used, index: i32) -> (WorkerColumns, Places) {
    let mut columns = WorkerColumns::default();
    let mut places = Vec::new();
    for column in open.columns() {
        let wanted = !column.attisdropped && used.has(index, column.attnum);
        places.push(Place {
            attribute: column.attnum,
            is_dropped: column.attisdropped,
            type_oid: column.atttypid,
            among: wanted.then(|| columns.push(tree::make_column(1, column), 0)),
        });
    }
    if columns.len() == 0 {
        // SAFETY: makes a constant, since there must be something for each row.
        columns.push(unsafe { pg_sys::makeBoolConst(true, false) }, 0);
    }
    (columns, Places(places))
}

impl Places {
    /// Whether none of the table's columns comes.
    pub fn are_none(&self) -> bool {
        self.0.iter().all(|place| place.among.is_none())
    }

    /// Of each of the table's columns, whether it comes.
    pub fn come(&self) -> impl Iterator<Item = bool> {
        self.0.iter().map(|place| place.among.is_some())
    }

    /// The target list of a query that stands for the table; columns that nothing uses are NULL.
    pub fn targets(&self, read: impl Fn(usize) -> NodePtr) -> *mut pg_sys::List {
        tree::make_list(self.0.iter().map(|place| {
            let value = place.among.map_or_else(|| place.null(), &read);
            let target = build::target(value, place.attribute);
            // SAFETY: just made. The columns behind a dropped one keep their numbers, by which the query reads them.
            unsafe { (*target).resjunk = place.is_dropped };
            target.cast()
        }))
    }
}

impl Place {
    fn null(&self) -> NodePtr {
        build::null(match self.is_dropped {
            true => pg_sys::INT4OID,
            false => build::value_type(self.type_oid),
        })
    }
}
