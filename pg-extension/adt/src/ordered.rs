//! Values with a total order that `max`, `min` and others keep.

use crate::encoding::{Corrupt, Reader, write_bytes, write_flag, write_signed};
use std::cmp::Reverse;
use std::fmt::Debug;

/// A value that can be compared and stored. Equal means the same: what the order cannot tell apart, users cannot.
pub trait Ordered: Ord + Clone + Debug + 'static {
    /// Tells the kinds of values apart in stored states: at most 31; the bits above say what was made of it.
    const KIND: u8;

    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it.
    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt>;
}

impl Ordered for i64 {
    const KIND: u8 = 1;

    fn write(&self, out: &mut Vec<u8>) {
        write_signed((*self).into(), out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        input.signed_64()
    }
}

/// Microseconds, as PostgreSQL's `timestamptz`: the smallest and the greatest number are the infinities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// `-infinity`
    pub const NEGATIVE_INFINITY: Timestamp = Timestamp(i64::MIN);
    /// `infinity`
    pub const INFINITY: Timestamp = Timestamp(i64::MAX);
}

impl Ordered for Timestamp {
    const KIND: u8 = 2;

    fn write(&self, out: &mut Vec<u8>) {
        Ordered::write(&self.0, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        <i64 as Ordered>::read(input).map(Timestamp)
    }
}

/// Text in the encoding of the database, compared by bytes (collation "C").
pub type Text = Vec<u8>;

impl Ordered for Text {
    const KIND: u8 = 3;

    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(self, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        input.bytes().map(<[u8]>::to_vec)
    }
}

/// The same values in the opposite order.
impl<V: Ordered> Ordered for Reverse<V> {
    const KIND: u8 = V::KIND | 0x40;

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        V::read(input).map(Reverse)
    }
}

/// False comes before true.
impl Ordered for bool {
    const KIND: u8 = 4;

    fn write(&self, out: &mut Vec<u8>) {
        write_flag(*self, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        input.flag()
    }
}

/// None comes before all values.
impl<V: Ordered> Ordered for Option<V> {
    const KIND: u8 = V::KIND | 0x20;

    fn write(&self, out: &mut Vec<u8>) {
        write_flag(self.is_some(), out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        input.flag()?.then(|| V::read(input)).transpose()
    }
}

/// An order and a payload that is told apart by its bytes.
impl<O: Ordered> Ordered for (O, Option<Text>) {
    const KIND: u8 = O::KIND | 0x80;

    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        Ordered::write(&self.1, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Ok((O::read(input)?, Ordered::read(input)?))
    }
}
