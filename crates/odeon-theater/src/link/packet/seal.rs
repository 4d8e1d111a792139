//! Packets that say who has written them: somebody who knows the cluster's secret.

use super::{MAGIC, PacketError, SEALED};
use crate::link::{Secret, TheaterId};

/// How many bytes a seal puts before a packet.
pub(crate) const SEAL: usize = HEAD.len() + blake3::OUT_LEN + COUNT;

/// The same in every version of the format: that of the packet inside counts.
const HEAD: [u8; 3] = [MAGIC, 1, SEALED];

/// How many bytes the count of packets takes.
const COUNT: usize = size_of::<u64>();

impl Secret {
    /// Leaves room for the seal of the packet that is to be written behind it.
    pub(crate) fn begin(packet: &mut Vec<u8>) {
        packet.extend_from_slice(&HEAD);
        packet.resize(SEAL, 0);
    }

    /// Seals what has been written behind [`begin`](Self::begin), as the packet of a link with this
    /// count.
    pub(crate) fn seal(&self, from: TheaterId, to: TheaterId, count: u64, packet: &mut [u8]) {
        let (head, sealed) = packet.split_at_mut(SEAL - COUNT);
        sealed[..COUNT].copy_from_slice(&count.to_be_bytes());
        head[HEAD.len()..].copy_from_slice(self.tag(from, to, sealed).as_bytes());
    }

    /// What is sealed, and its count.
    ///
    /// # Errors
    /// If it is not sealed, or by somebody who does not know the secret, or for somebody else.
    pub(crate) fn open<'a>(
        &self,
        from: TheaterId,
        to: TheaterId,
        packet: &'a [u8],
    ) -> Result<(u64, &'a [u8]), PacketError> {
        let rest = packet.strip_prefix(&HEAD).ok_or(PacketError::Sealing)?;
        let (tag, sealed) =
            rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or(PacketError::Sealing)?;
        // Compared in the same time whatever is wrong.
        if self.tag(from, to, sealed) != *tag {
            return Err(PacketError::Sealing);
        }
        let (count, packet) = sealed.split_first_chunk().ok_or(PacketError::Sealing)?;
        Ok((u64::from_be_bytes(*count), packet))
    }

    fn tag(&self, from: TheaterId, to: TheaterId, sealed: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(self.key());
        hasher.update(&from.to_bytes());
        hasher.update(&to.to_bytes());
        hasher.update(sealed);
        hasher.finalize()
    }
}

/// What a packet says, whoever has written it.
pub(super) fn unsealed(packet: &[u8]) -> &[u8] {
    match packet.strip_prefix(&HEAD) {
        Some(_) => packet.get(SEAL..).unwrap_or_default(),
        None => packet,
    }
}
