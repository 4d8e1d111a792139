//! Which link a packet belongs to.

use super::{Cursor, PacketError};
use crate::link::{Epoch, TheaterId};

/// From which link's end to which: a digest of the two theaters, and both epochs.
///
/// The digest (64 bits) is there to tell packets of other theaters apart, not to keep forgers out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) theaters: u64,
    pub(crate) from: Epoch,
    pub(crate) to: Epoch,
}

impl Route {
    /// The digest of a direction between two theaters.
    pub(crate) fn digest(from: TheaterId, to: TheaterId) -> u64 {
        let halves = |id: TheaterId| [(id.bits() >> 64) as u64, id.bits() as u64];
        let mut digest = 0x0DE0_0000_0000_0001_u64;
        for half in halves(from).into_iter().chain(halves(to)) {
            digest = (digest ^ half).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            digest ^= digest >> 32;
        }
        digest
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.theaters.to_be_bytes());
        out.extend_from_slice(&self.from.number().to_be_bytes());
        out.extend_from_slice(&self.to.number().to_be_bytes());
    }

    pub(crate) fn read(from: &mut Cursor<'_>) -> Result<Self, PacketError> {
        Ok(Self {
            theaters: u64::from_be_bytes(from.array()?),
            from: read_epoch(from)?,
            to: read_epoch(from)?,
        })
    }
}

pub(super) fn read_epoch(from: &mut Cursor<'_>) -> Result<Epoch, PacketError> {
    Epoch::from_number(u32::from_be_bytes(from.array()?)).ok_or(PacketError::Malformed("epoch 0"))
}
