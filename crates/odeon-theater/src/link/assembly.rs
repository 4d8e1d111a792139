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

/// The messages that have come in part, by channel. Memory is taken as bytes come, not as lengths
/// are announced.
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
        if self.parts.len() == MOST_PARTS || total > self.room - self.announced {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn assembly() -> Assembly {
        Assembly::new(100, 250)
    }

    #[test]
    fn fragments_make_the_message_they_were_cut_from() {
        let mut assembly = assembly();
        assembly.begin(1, 6, b"ab").unwrap();
        assembly.begin(2, 4, b"AB").unwrap();
        assert!(assembly.is_amid(1) && assembly.is_amid(2) && !assembly.is_amid(3));
        assert_eq!(assembly.more(1, b"cd"), Ok(None));
        assert_eq!(assembly.more(2, b"CD"), Ok(Some(b"ABCD".to_vec())));
        assert_eq!(assembly.more(1, b"ef"), Ok(Some(b"abcdef".to_vec())));
        assert_eq!((assembly.bytes(), assembly.announced), (0, 0));
    }

    #[test]
    fn what_is_announced_is_bounded_by_each_and_together() {
        let mut assembly = assembly();
        assert_eq!(assembly.begin(1, 101, b"a"), Err(Violation::TooLarge));
        assert_eq!(assembly.begin(1, u64::MAX, b"a"), Err(Violation::TooLarge));
        assembly.begin(1, 100, b"a").unwrap();
        assembly.begin(2, 100, b"a").unwrap();
        assert_eq!(assembly.begin(3, 51, b"a"), Err(Violation::TooManyParts));
        assembly.begin(3, 50, b"a").unwrap();
        let mut many = Assembly::new(100, 1_000_000);
        for channel in 0..MOST_PARTS as u64 {
            many.begin(channel, 2, b"a").unwrap();
        }
        assert_eq!(many.begin(u64::MAX, 2, b"a"), Err(Violation::TooManyParts));
    }

    #[test]
    fn fragments_of_nothing_or_of_too_much_are_violations() {
        let mut assembly = assembly();
        assert_eq!(assembly.more(1, b"a"), Err(Violation::Fragments));
        assert_eq!(assembly.begin(1, 2, b"ab"), Err(Violation::Fragments));
        assembly.begin(1, 3, b"a").unwrap();
        assert_eq!(assembly.begin(1, 3, b"a"), Err(Violation::Fragments));
        assert_eq!(assembly.more(1, b"bcd"), Err(Violation::Fragments));
    }
}
