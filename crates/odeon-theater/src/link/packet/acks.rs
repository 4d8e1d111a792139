//! What has arrived, and how much more may be sent.

use super::{Cursor, PacketError, put_varint};

/// How many bodies may be under way in one direction. Both sides know it: acknowledgements have a
/// bit for each.
// TUNE: 1,024, a guess: 128 bytes of acknowledgements at most.
pub(crate) const MOST_BODIES_UNDER_WAY: usize = 1024;

/// One bit for each body behind the first missing one.
pub(super) const LARGEST_BITMAP: usize = MOST_BODIES_UNDER_WAY.div_ceil(8);

/// The receiving side of a link, as its packets tell the sending side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Acks<'a> {
    /// All bodies with smaller numbers have arrived.
    pub(crate) next: u64,
    /// How many bytes of bodies may be sent, counted from the beginning of the link.
    pub(crate) credit: u64,
    /// The greatest transmission that has arrived; 0 if none has.
    pub(crate) newest: u64,
    /// Bit `i`: body `next + 1 + i` has arrived.
    pub(crate) early: &'a [u8],
}

impl<'a> Acks<'a> {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, self.next);
        put_varint(out, self.credit);
        put_varint(out, self.newest);
        put_varint(out, self.early.len() as u64);
        out.extend_from_slice(self.early);
    }

    pub(crate) fn read(from: &mut Cursor<'a>) -> Result<Self, PacketError> {
        let (next, credit, newest) = (from.varint()?, from.varint()?, from.varint()?);
        let length = from.varint()?;
        if length > LARGEST_BITMAP as u64 {
            return Err(PacketError::Malformed("more acknowledgements than bodies under way"));
        }
        Ok(Self { next, credit, newest, early: from.take(length)? })
    }

    /// The numbers of the bodies that have arrived behind the first missing one.
    pub(crate) fn early_numbers(&self) -> impl Iterator<Item = u64> + use<'a> {
        let first = self.next.saturating_add(1);
        let bytes = self.early.iter().zip((0_u64..).step_by(8));
        bytes.flat_map(move |(&byte, offset)| {
            let bits = (0..8).filter(move |bit| byte >> bit & 1 == 1);
            bits.map(move |bit| first.saturating_add(offset + bit))
        })
    }
}
