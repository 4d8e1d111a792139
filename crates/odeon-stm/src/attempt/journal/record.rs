//! The bytes of what one attempt has changed.
//!
//! ```text
//! record: change*
//! change: number of components, component*, length, bytes
//!         └────────── name ──────────────┘  └── what the variable makes of it ──┘
//! ```
//!
//! All numbers are of seven bits to a byte, the lowest first; the uppermost bit says that there is
//! more (LEB128).

use std::fmt;

/// Adds a number.
pub(crate) fn put_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number off the front.
pub(crate) fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7F);
        if bits > u64::MAX >> shift {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Adds a number that is as likely negative: the sign goes to the lowest bit.
pub(crate) fn put_signed(number: i64, to: &mut Vec<u8>) {
    put_number((number << 1 ^ number >> 63) as u64, to);
}

/// Takes what [`put_signed`] has put.
pub(crate) fn take_signed(from: &mut &[u8]) -> Option<i64> {
    take_number(from).map(|bits| (bits >> 1) as i64 ^ -((bits & 1) as i64))
}

/// Adds a change; `write` adds its bytes.
pub(crate) fn put_change(
    name: impl ExactSizeIterator<Item = u32>,
    to: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>),
) {
    put_number(name.len() as u64, to);
    name.for_each(|component| put_number(component.into(), to));
    // Most lengths take one byte; who needs more moves its bytes.
    to.push(0);
    let begin = to.len();
    write(to);
    let len = to.len() - begin;
    if len < 0x80 {
        to[begin - 1] = len as u8;
        return;
    }
    put_number(len as u64, to);
    let of_len = to.len() - begin - len;
    to[begin..].rotate_right(of_len);
    to.remove(begin - 1);
}

/// Adds a change to a record, as a commit does that is told to a
/// [`CommitLog`](super::CommitLog): for what [`tell`](super::Journaled::tell) tells.
///
/// ```
/// use odeon_stm::journal::{Changes, add_change};
///
/// let mut record = Vec::new();
/// add_change(&[0, 300], b"abc", &mut record);
/// let change = Changes::of(&record).next().unwrap().unwrap();
/// assert_eq!((change.name, change.bytes), (vec![0, 300], &b"abc"[..]));
/// ```
pub fn add_change(name: &[u32], bytes: &[u8], record: &mut Vec<u8>) {
    put_change(name.iter().copied(), record, |to| to.extend_from_slice(bytes));
}

/// The changes of a record, one after the other.
///
/// The last item is [`Malformed`] if the rest of the bytes is no change.
///
/// ```
/// use odeon_stm::journal::{Changes, Malformed, NamedChange};
///
/// let record = [2, 0, 7, 3, b'a', b'b', b'c', 9];
/// let mut changes = Changes::of(&record);
/// assert_eq!(changes.next(), Some(Ok(NamedChange { name: vec![0, 7], bytes: b"abc" })));
/// assert_eq!(changes.next(), Some(Err(Malformed)));
/// assert_eq!(changes.next(), None);
/// ```
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    rest: &'a [u8],
}

/// One change of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChange<'a> {
    /// What the variable is called.
    pub name: Vec<u32>,
    /// The change, for its [`apply`](super::Journaled::apply).
    pub bytes: &'a [u8],
}

/// Bytes that are no changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are no changes of a journal")
    }
}

impl std::error::Error for Malformed {}

impl<'a> Changes<'a> {
    /// Those of a record, which a [`CommitLog`](super::CommitLog) was told or
    /// [`add_change`] has made.
    pub fn of(record: &'a [u8]) -> Self {
        Self { rest: record }
    }

    fn take(&mut self) -> Option<NamedChange<'a>> {
        let rest = &mut self.rest;
        // Each component has a byte or more: no room is taken for what is not there.
        let components = usize::try_from(take_number(rest)?).ok().filter(|n| *n <= rest.len())?;
        let component = |_| u32::try_from(take_number(rest)?).ok();
        let name = (0..components).map(component).collect::<Option<_>>()?;
        let len = usize::try_from(take_number(rest)?).ok()?;
        let (bytes, behind) = rest.split_at_checked(len)?;
        *rest = behind;
        Some(NamedChange { name, bytes })
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = Result<NamedChange<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let taken = self.take();
        if taken.is_none() {
            self.rest = &[];
        }
        Some(taken.ok_or(Malformed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for bits in 0..64 {
            for number in [1_u64 << bits, (1_u64 << bits) - 1, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                put_number(number, &mut bytes);
                put_signed(number as i64, &mut bytes);
                let mut rest = &bytes[..];
                assert_eq!(take_number(&mut rest), Some(number));
                assert_eq!(take_signed(&mut rest), Some(number as i64));
                assert!(rest.is_empty());
            }
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bytes in [&[][..], &[0x80], &[0xFF; 10], &[0x80; 11]] {
            assert_eq!(take_number(&mut { bytes }), None);
        }
    }

    #[test]
    fn changes_of_any_length_come_back() {
        let mut record = Vec::new();
        let lengths = [0, 1, 127, 128, 129, 16_383, 16_384, 70_000];
        for (number, len) in lengths.into_iter().enumerate() {
            let name = [number as u32, u32::MAX];
            put_change(name.into_iter(), &mut record, |to| to.extend((0..len).map(|n| n as u8)));
        }
        let mut changes = Changes::of(&record);
        for (number, len) in lengths.into_iter().enumerate() {
            let change = changes.next().unwrap().unwrap();
            assert_eq!(change.name, [number as u32, u32::MAX]);
            assert!(change.bytes.iter().copied().eq((0..len).map(|n| n as u8)));
        }
        assert_eq!(changes.next(), None);
    }
}
