//! Large messages, put together of their fragments.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::event::Violation;
use super::held::MOST_PARTS;

#[derive(Debug)]
struct Part {
    bytes: Vec<u8>,
    total: usize,
}

/// The messages that have come in part, by channel. Memory is taken as bytes come, not as lengths are announced.
#[derive(Debug)]
pub(super) struct Assembly {
    parts: BTreeMap<u64, Part>,
    /// Announced lengths of all.
    announced: usize,
    largest: usize,
    room: usize,
}

impl Assembly {
    pub(super) fn new(largest: usize, room: usize) -> Self {
        Self { parts: BTreeMap::new(), announced: 0, largest, room }
    }

    /// A message of `total` bytes begins. It is never complete with its first fragment.
    pub(super) fn begin(
        &mut self,
        channel: u64,
        total: u64,
        bytes: &[u8],
    ) -> Result<(), Violation> {
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        if total > self.largest {
            return Err(Violation::TooLarge);
        }
        if self.parts.len() == MOST_PARTS || self.announced + total > self.room {
            return Err(Violation::TooManyParts);
        }
        if bytes.len() >= total {
            return Err(Violation::Fragments);
        }
        match self.parts.entry(channel) {
            Entry::Occupied(_) => Err(Violation::Fragments),
            Entry::Vacant(place) => {
                self.announced += total;
                place.insert(Part { bytes: bytes.to_vec(), total });
                Ok(())
            }
        }
    }

    /// More of it: the message, if that was all.
    pub(super) fn more(
        &mut self,
        channel: u64,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, Violation> {
        let part = self.parts.get_mut(&channel).ok_or(Violation::Fragments)?;
        if part.total - part.bytes.len() < bytes.len() {
            return Err(Violation::Fragments);
        }
        part.bytes.extend_from_slice(bytes);
        if part.bytes.len() < part.total {
            return Ok(None);
        }
        self.announced -= part.total;
        Ok(self.parts.remove(&channel).map(|part| part.bytes))
    }

    /// A whole message on the channel: not in between.
    pub(super) fn is_amid(&self, channel: u64) -> bool {
        !self.parts.is_empty() && self.parts.contains_key(&channel)
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.announced = 0;
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        self.parts.values().map(|part| part.bytes.capacity()).sum()
    }
}
