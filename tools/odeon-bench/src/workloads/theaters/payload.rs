//! Messages of a given size, whose loss, doubling or exchange shows.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Bytes that begin with a number.
pub(super) struct Payload(pub(super) Vec<u8>);

/// Bytes of a number.
pub(super) const NUMBER: usize = 8;

impl Payload {
    /// The message of that number, with `bytes` of at least eight.
    pub(super) fn of(number: u64, bytes: usize) -> Self {
        let mut all = Vec::with_capacity(bytes);
        append(number, bytes, &mut all);
        Self(all)
    }
}

/// The same bytes, behind others.
pub(super) fn append(number: u64, bytes: usize, to: &mut Vec<u8>) {
    let end = to.len() + bytes;
    to.extend(number.to_le_bytes());
    to.resize(end, 0);
}

/// The number that the bytes begin with; `None` if they are too few.
pub(super) fn number_of(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|number| u64::from_le_bytes(*number))
}

// As bytes, which serde does not do by itself: a sequence would be written one by one.
impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes).map(Self)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}

/// What came of a stream of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StreamCount {
    messages: u64,
    bytes: u64,
    /// Of the numbers in their order.
    mixed: u64,
}

impl StreamCount {
    pub(super) fn add(&mut self, number: u64, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
        self.mixed = self.mixed.wrapping_mul(31).wrapping_add(number);
    }

    /// Of the messages with these numbers, of which each has so many bytes.
    pub(super) fn of(numbers: impl Iterator<Item = u64>, bytes: usize) -> Self {
        let mut count = Self::default();
        numbers.for_each(|number| count.add(number, bytes));
        count
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        [self.messages, self.bytes, self.mixed].iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (messages, rest) = bytes.split_first_chunk()?;
        let (all, mixed) = rest.split_first_chunk()?;
        let [messages, bytes] = [messages, all].map(|n| u64::from_le_bytes(*n));
        Some(Self { messages, bytes, mixed: number_of(mixed)? })
    }
}
