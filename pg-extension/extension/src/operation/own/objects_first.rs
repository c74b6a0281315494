//! Objects and their row, for one who has nothing of it: the objects come first (`docs/design/waits.md`).

use crate::error::Error;
use crate::object::Object;
use crate::operation::row::{Locked, Request, Table};
use pgrx::pg_sys;

/// The objects, then the row. If somebody has the row, the objects are given back before it is waited for, since he may still need them: the
/// row may have got new objects that this transaction knows before him, whom PostgreSQL has given the row after a wait. Then the row is
/// locked without them.
pub(super) fn lock(
    table: &mut Table,
    place: pg_sys::ItemPointer,
    objects: &[Object],
    request: Request,
) -> Result<Locked, Error> {
    let new: Vec<&Object> = objects
        .iter()
        .filter(|object| object.id != 0 && !request.has(object))
        .collect();
    for object in objects {
        request.lock_object(object)?;
    }
    if new.is_empty() || !request.gives_back() {
        return table.lock_version(place, request);
    }
    let locked = table.lock_version(place, request.at_once())?;
    if locked != Locked::Newest {
        new.iter().for_each(|object| request.give_back(object));
    }
    match locked {
        Locked::Taken => table.lock_version(place, request),
        // Another version is waited for, if there is one, by the statement.
        Locked::Newest | Locked::Left => Ok(locked),
    }
}
