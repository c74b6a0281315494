//! States as bytes, outside PostgreSQL's memory: the image of a datum of the state type.

use pgrx::pg_sys::{self, Datum, Oid};

/// How values of a type are stored.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    length: i16,
    by_value: bool,
}

impl Layout {
    /// That of a type.
    pub fn of(type_: Oid) -> Self {
        let mut layout = Layout {
            length: 0,
            by_value: false,
        };
        let mut alignment = 0;
        // SAFETY: the results are ours.
        unsafe {
            pg_sys::get_typlenbyvalalign(
                type_,
                &mut layout.length,
                &mut layout.by_value,
                &mut alignment,
            );
        }
        layout
    }

    /// Whether its values can be kept as bytes: not a C string.
    pub fn is_storable(self) -> bool {
        self.length > 0 || self.length == -1
    }

    /// The bytes of a datum.
    pub fn image(self, datum: Datum) -> Vec<u8> {
        if self.by_value {
            return (datum.value() as u64).to_ne_bytes().to_vec();
        }
        // SAFETY: a datum of this layout.
        unsafe {
            let (start, length) = if self.length > 0 {
                (datum.cast_mut_ptr::<u8>(), self.length as usize)
            } else {
                let whole = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
                (whole.cast::<u8>(), pgrx::varsize_any(whole))
            };
            std::slice::from_raw_parts(start, length).to_vec()
        }
    }

    /// The datum with these bytes, in the current memory context.
    pub fn datum(self, image: &[u8]) -> Datum {
        if self.by_value {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&image[..8]);
            return Datum::from(u64::from_ne_bytes(bytes));
        }
        // SAFETY: the block is as large as what is copied to it, and aligned for every type.
        unsafe {
            let start = pg_sys::palloc(image.len()).cast::<u8>();
            start.copy_from_nonoverlapping(image.as_ptr(), image.len());
            Datum::from(start)
        }
    }
}
