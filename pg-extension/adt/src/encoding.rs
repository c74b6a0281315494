//! States as bytes, for rows and slices: compact, versioned, self-checking.
//!
//! | bytes | |
//! |---|---|
//! | 1 | tag of the type |
//! | 1 | version of the layout |
//! | any | the state |
//! | 4 | CRC-32 (IEEE 802.3) of all before, little endian |
//!
//! Every state has exactly one encoding: numbers are as short as they can be, elements ascend. Whatever else is read,
//! garbage included, gives [`Corrupt`].

use crate::Merge;
pub(crate) use crc32fast::hash as crc32;

/// Bytes that no state was encoded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Corrupt {
    /// Shorter than its content says, or longer.
    #[error("stored state has the wrong length")]
    Length,
    /// The checksum is wrong.
    #[error("stored state has the wrong checksum")]
    Checksum,
    /// Of another type.
    #[error("stored state belongs to another type (tag {0})")]
    Tag(u8),
    /// Of a version that this one does not know.
    #[error("stored state has an unknown version ({0})")]
    Version(u8),
    /// The checksum is right, but the content is nothing that was ever written.
    #[error("stored state is malformed")]
    Malformed,
}

/// Why stored states have no common stored state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    /// One of them is damaged.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// Both together cannot be represented.
    #[error("the result is out of range")]
    OutOfRange,
}

/// A state that can be stored.
pub trait Encoding: Merge {
    /// Tells the types apart: 1..=255, each used once; never reused.
    const TAG: u8;

    /// Version of the layout; whoever changes the layout must go on reading the old one.
    const VERSION: u8 = 1;

    /// Appends the content.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads the content.
    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt>;

    /// Appends the stored form.
    fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([Self::TAG, Self::VERSION]);
        self.write(out);
        let checksum = crc32(&out[start..]);
        out.extend(checksum.to_le_bytes());
    }

    /// Reads the stored form.
    fn decode(bytes: &[u8]) -> Result<Self, Corrupt> {
        let mut input = Self::content(bytes)?;
        let state = Self::read(&mut input)?;
        input.end()?;
        Ok(state)
    }

    /// Merges stored forms: as decoding both, merging and encoding, but faster where states are large.
    fn merge_encoded(a: &[u8], b: &[u8]) -> Result<Vec<u8>, Unmergeable> {
        let (mut left, mut right) = (Self::content(a)?, Self::content(b)?);
        let mut out = Vec::with_capacity(a.len() + b.len());
        out.extend([Self::TAG, Self::VERSION]);
        Self::merge_content(&mut left, &mut right, &mut out)?;
        left.end()?;
        right.end()?;
        let checksum = crc32(&out);
        out.extend(checksum.to_le_bytes());
        Ok(out)
    }

    /// Merges two contents and appends the result.
    fn merge_content(
        a: &mut Reader<'_>,
        b: &mut Reader<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Unmergeable> {
        let merged = Self::read(a)?.merge(&Self::read(b)?);
        merged.ok_or(Unmergeable::OutOfRange)?.write(out);
        Ok(())
    }

    /// The content of the stored form.
    fn content(bytes: &[u8]) -> Result<Reader<'_>, Corrupt> {
        let (content, checksum) = bytes.split_last_chunk::<4>().ok_or(Corrupt::Length)?;
        let [tag, version, ..] = *content else {
            return Err(Corrupt::Length);
        };
        if crc32(content) != u32::from_le_bytes(*checksum) {
            return Err(Corrupt::Checksum);
        }
        if tag != Self::TAG {
            return Err(Corrupt::Tag(tag));
        }
        if version != Self::VERSION {
            return Err(Corrupt::Version(version));
        }
        Ok(Reader::new(&content[2..]))
    }
}

/// What is still to be read.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the beginning of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// All that is left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Fails if something is left.
    pub fn end(&self) -> Result<(), Corrupt> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Corrupt::Length)
        }
    }

    /// The next bytes, as many as asked for.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Corrupt> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Corrupt::Length)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, Corrupt> {
        Ok(self.take(1)?[0])
    }

    /// A number written by [`write_unsigned`].
    pub fn unsigned(&mut self) -> Result<u128, Corrupt> {
        if let [byte @ ..=0x7f, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok((*byte).into());
        }
        let mut number = 0_u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Corrupt::Malformed);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                // A last byte of 0 would be a longer way to write the same.
                return if byte == 0 && shift > 0 {
                    Err(Corrupt::Malformed)
                } else {
                    Ok(number)
                };
            }
        }
        Err(Corrupt::Malformed)
    }

    /// Passes over a number of either kind, without a look at what it is.
    pub fn skip_number(&mut self) -> Result<(), Corrupt> {
        let end = self.rest.iter().position(|byte| byte & 0x80 == 0);
        self.rest = &self.rest[end.ok_or(Corrupt::Length)? + 1..];
        Ok(())
    }

    /// A number written by [`write_signed`].
    pub fn signed(&mut self) -> Result<i128, Corrupt> {
        let zigzag = self.unsigned()?;
        Ok((zigzag >> 1) as i128 ^ -((zigzag & 1) as i128))
    }

    /// As [`Reader::signed`], where only 64 bits are meaningful.
    pub fn signed_64(&mut self) -> Result<i64, Corrupt> {
        i64::try_from(self.signed()?).map_err(|_| Corrupt::Malformed)
    }

    /// As [`Reader::unsigned`], for what must fit `usize`.
    pub fn count(&mut self) -> Result<usize, Corrupt> {
        usize::try_from(self.unsigned()?).map_err(|_| Corrupt::Malformed)
    }

    /// Bytes written by [`write_bytes`].
    pub fn bytes(&mut self) -> Result<&'a [u8], Corrupt> {
        let length = self.count()?;
        self.take(length)
    }

    /// Whether something follows: written by [`write_flag`].
    pub fn flag(&mut self) -> Result<bool, Corrupt> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Corrupt::Malformed),
        }
    }
}

/// Appends a number, 7 bits a byte, the lowest first; the top bit says that more follow.
pub fn write_unsigned(mut number: u128, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number; those near zero are short, whatever their sign.
pub fn write_signed(number: i128, out: &mut Vec<u8>) {
    write_unsigned(((number << 1) ^ (number >> 127)) as u128, out);
}

/// Appends bytes with their length.
pub fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_unsigned(bytes.len() as u128, out);
    out.extend(bytes);
}

/// Appends whether something follows.
pub fn write_flag(flag: bool, out: &mut Vec<u8>) {
    out.push(u8::from(flag));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_checksum_is_the_standard_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(
            crc32(b"The quick brown fox jumps over the lazy dog"),
            0x414f_a339
        );
    }

    proptest! {
        #[test]
        fn numbers_come_back(signed: i128, unsigned: u128) {
            let mut out = Vec::new();
            write_signed(signed, &mut out);
            write_unsigned(unsigned, &mut out);
            let mut input = Reader::new(&out);
            prop_assert_eq!(input.signed(), Ok(signed));
            prop_assert_eq!(input.unsigned(), Ok(unsigned));
            let mut passed = Reader::new(&out);
            prop_assert_eq!((passed.skip_number(), passed.skip_number()), (Ok(()), Ok(())));
            prop_assert_eq!(passed.skip_number(), Err(Corrupt::Length));
            prop_assert!(input.byte().is_err());
        }

        #[test]
        fn a_number_has_one_encoding(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            let mut input = Reader::new(&bytes);
            if let Ok(number) = input.unsigned() {
                let mut out = Vec::new();
                write_unsigned(number, &mut out);
                prop_assert_eq!(out.as_slice(), &bytes[..bytes.len() - input.rest.len()]);
            }
        }
    }
}
