//! Maps from elements to something that merges: the body of the states of all collections.

use crate::Merge;
use crate::encoding::{Corrupt, Reader, Unmergeable, write_bytes, write_signed, write_unsigned};
use crate::ordered::Text;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What a part of an object knows of one element.
pub(crate) trait Entry: Clone + PartialEq {
    /// Both together; `None` if nothing is left of it. The outer `None`: the result cannot be represented.
    fn merge(&self, other: &Self) -> Option<Option<Self>>;

    /// Appends it.
    fn write(&self, out: &mut Vec<u8>);

    /// Reads it. An entry of which nothing is left is malformed.
    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt>;

    /// Passes over it, as cheaply as it can: it need not notice what is malformed.
    fn skip(input: &mut Reader<'_>) -> Result<(), Corrupt> {
        Self::read(input).map(drop)
    }
}

/// Counts add up; zero is nothing.
impl Entry for i64 {
    fn merge(&self, other: &Self) -> Option<Option<Self>> {
        let sum = self.checked_add(*other)?;
        Some((sum != 0).then_some(sum))
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_signed((*self).into(), out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Some(input.signed_64()?)
            .filter(|count| *count != 0)
            .ok_or(Corrupt::Malformed)
    }

    fn skip(input: &mut Reader<'_>) -> Result<(), Corrupt> {
        input.skip_number()
    }
}

/// Counts add up; zero is nothing.
impl Entry for i128 {
    fn merge(&self, other: &Self) -> Option<Option<Self>> {
        let sum = self.checked_add(*other)?;
        Some((sum != 0).then_some(sum))
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_signed(*self, out);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        Some(input.signed()?)
            .filter(|count| *count != 0)
            .ok_or(Corrupt::Malformed)
    }

    fn skip(input: &mut Reader<'_>) -> Result<(), Corrupt> {
        input.skip_number()
    }
}

/// Entries by element. The types of collections wrap it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entries<E>(pub BTreeMap<Text, E>);

impl<E: Entry> Entries<E> {
    /// A single entry, or none.
    pub fn one(element: &Text, entry: Option<E>) -> Self {
        let entry = entry.map(|entry| (element.clone(), entry));
        Entries(entry.into_iter().collect())
    }
}

impl<E: Entry> Merge for Entries<E> {
    fn identity() -> Self {
        Entries(BTreeMap::new())
    }

    fn merge(&self, other: &Self) -> Option<Self> {
        let (small, large) = if self.0.len() < other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut merged = large.0.clone();
        for (element, entry) in &small.0 {
            let together = match merged.get(element) {
                Some(there) => there.merge(entry)?,
                None => Some(entry.clone()),
            };
            match together {
                Some(entry) => merged.insert(element.clone(), entry),
                None => merged.remove(element),
            };
        }
        Some(Entries(merged))
    }
}

impl<E: Entry> Entries<E> {
    /// Appends the number of entries, then each element with its entry, in order.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_unsigned(self.0.len() as u128, out);
        for (element, entry) in &self.0 {
            write_bytes(element, out);
            entry.write(out);
        }
    }

    /// Reads what [`Entries::write`] wrote.
    pub fn read(input: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let mut stored = Stored::<E>::open(input)?;
        let mut entries = Vec::new();
        while let Some((element, entry, _)) = stored.next()? {
            entries.push((element.to_vec(), entry));
        }
        Ok(Entries(entries.into_iter().collect()))
    }

    /// The entries of some elements, which ascend. The others are passed over: an object may have many, and every operation on one comes here.
    pub fn read_some(input: &mut Reader<'_>, wanted: &[&[u8]]) -> Result<Self, Corrupt> {
        let mut stored = Stored::<E>::open(input)?;
        let mut wanted = wanted.iter().peekable();
        let mut found = BTreeMap::new();
        while let Some(element) = stored.element()? {
            while wanted.next_if(|next| **next < element).is_some() {}
            match wanted.peek() {
                None => break,
                Some(next) if **next == element => {
                    found.insert(element.to_vec(), E::read(stored.input)?);
                }
                Some(_) => E::skip(stored.input)?,
            }
        }
        Ok(Entries(found))
    }

    /// The elements, in order.
    pub fn read_elements(input: &mut Reader<'_>) -> Result<Vec<Text>, Corrupt> {
        let mut stored = Stored::<E>::open(input)?;
        let mut elements = Vec::new();
        while let Some((element, ..)) = stored.next()? {
            elements.push(element.to_vec());
        }
        Ok(elements)
    }

    /// Merges stored entries without taking them apart more than it must: states may be large, and most changes are
    /// small.
    pub fn merge_stored(
        a: &mut Reader<'_>,
        b: &mut Reader<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Unmergeable> {
        let (mut a, mut b) = (Stored::<E>::open(a)?, Stored::<E>::open(b)?);
        let (mut from_a, mut from_b) = (a.next()?, b.next()?);
        let mut body = Vec::with_capacity(a.size() + b.size());
        let mut count = 0_u128;
        loop {
            let before = body.len();
            let order = match (&from_a, &from_b) {
                (Some((x, ..)), Some((y, ..))) => x.cmp(y),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match (order, &from_a, &from_b) {
                (Ordering::Less, Some((_, _, bytes)), _)
                | (Ordering::Greater, _, Some((_, _, bytes))) => body.extend_from_slice(bytes),
                (_, Some(a), Some(b)) => together(a, b, &mut body)?,
                _ => break,
            }
            count += u128::from(body.len() > before);
            if order != Ordering::Greater {
                from_a = a.next()?;
            }
            if order != Ordering::Less {
                from_b = b.next()?;
            }
        }
        write_unsigned(count, out);
        out.extend(body);
        Ok(())
    }
}

/// A stored entry: its element, itself, and the bytes of both.
type Item<'a, E> = (&'a [u8], E, &'a [u8]);

/// Appends what two entries of one element come to, if anything is left.
fn together<E: Entry>(
    (element, a, _): &Item<'_, E>,
    (_, b, _): &Item<'_, E>,
    body: &mut Vec<u8>,
) -> Result<(), Unmergeable> {
    if let Some(entry) = a.merge(b).ok_or(Unmergeable::OutOfRange)? {
        write_bytes(element, body);
        entry.write(body);
    }
    Ok(())
}

/// Stored entries, read one after the other.
struct Stored<'a, 'r, E> {
    input: &'r mut Reader<'a>,
    left: usize,
    last: Option<&'a [u8]>,
    kind: std::marker::PhantomData<E>,
}

impl<'a, 'r, E: Entry> Stored<'a, 'r, E> {
    fn open(input: &'r mut Reader<'a>) -> Result<Self, Corrupt> {
        let left = input.count()?;
        Ok(Stored {
            input,
            left,
            last: None,
            kind: std::marker::PhantomData,
        })
    }

    /// Bytes that are left.
    fn size(&self) -> usize {
        self.input.rest().len()
    }

    /// The next element, before whose entry the input then is. Ends with the input at the latest, whatever the stored number of entries says:
    /// each takes at least a byte.
    fn element(&mut self) -> Result<Option<&'a [u8]>, Corrupt> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let element = self.input.bytes()?;
        if self.last.is_some_and(|last| last >= element) {
            return Err(Corrupt::Malformed);
        }
        self.last = Some(element);
        Ok(Some(element))
    }

    fn next(&mut self) -> Result<Option<Item<'a, E>>, Corrupt> {
        let start = self.input.rest();
        let Some(element) = self.element()? else {
            return Ok(None);
        };
        let entry = E::read(self.input)?;
        let size = start.len() - self.input.rest().len();
        Ok(Some((element, entry, &start[..size])))
    }
}

/// Lets a collection's state be its entries.
macro_rules! stored_as_entries {
    ($state:ident, $entry:ty, $tag:literal) => {
        impl $crate::Merge for $state {
            fn identity() -> Self {
                $state($crate::entries::Entries::identity())
            }

            fn merge(&self, other: &Self) -> Option<Self> {
                self.0.merge(&other.0).map($state)
            }
        }

        impl $crate::encoding::Encoding for $state {
            const TAG: u8 = $tag;

            fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }

            fn read(
                input: &mut $crate::encoding::Reader<'_>,
            ) -> Result<Self, $crate::encoding::Corrupt> {
                $crate::entries::Entries::read(input).map($state)
            }

            fn merge_content(
                a: &mut $crate::encoding::Reader<'_>,
                b: &mut $crate::encoding::Reader<'_>,
                out: &mut Vec<u8>,
            ) -> Result<(), $crate::encoding::Unmergeable> {
                $crate::entries::Entries::<$entry>::merge_stored(a, b, out)
            }
        }

        impl $crate::program::Parts for $state {
            fn parts(stored: &[u8], elements: &[&[u8]]) -> Result<Self, $crate::encoding::Corrupt> {
                use $crate::encoding::Encoding;
                $crate::entries::Entries::read_some(&mut Self::content(stored)?, elements)
                    .map($state)
            }

            fn named(
                stored: &[u8],
            ) -> Result<Vec<$crate::ordered::Text>, $crate::encoding::Corrupt> {
                use $crate::encoding::Encoding;
                $crate::entries::Entries::<$entry>::read_elements(&mut Self::content(stored)?)
            }
        }
    };
}
pub(crate) use stored_as_entries;
