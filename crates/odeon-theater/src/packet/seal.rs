//! Packets that say who has written them: somebody who knows the cluster's secret.

use super::{PacketError, SEALED, prefix};
use crate::{Secret, TheaterId};

/// How many bytes a seal puts before a packet.
pub(crate) const SEAL: usize = 3 + blake3::OUT_LEN;

impl Secret {
    /// Leaves room for the seal of the packet that is to be written behind it.
    pub(crate) fn begin(packet: &mut Vec<u8>) {
        prefix(packet, SEALED);
        packet.resize(SEAL, 0);
    }

    /// Seals what has been written behind [`begin`](Self::begin).
    pub(crate) fn seal(&self, from: TheaterId, to: TheaterId, packet: &mut [u8]) {
        let (head, sealed) = packet.split_at_mut(SEAL);
        head[3..].copy_from_slice(self.tag(from, to, sealed).as_bytes());
    }

    /// What is sealed.
    ///
    /// # Errors
    /// If it is not sealed, or by somebody who does not know the secret, or for somebody else.
    pub(crate) fn open<'a>(
        &self,
        from: TheaterId,
        to: TheaterId,
        packet: &'a [u8],
    ) -> Result<&'a [u8], PacketError> {
        let (head, sealed) = packet.split_at_checked(SEAL).ok_or(PacketError::Sealing)?;
        let (prefixed, tag) = head.split_at(3);
        let mut expected = Vec::with_capacity(3);
        prefix(&mut expected, SEALED);
        let tag: [u8; blake3::OUT_LEN] = tag.try_into().expect("as long as that");
        // Compared in the same time whatever is wrong.
        if prefixed != expected || self.tag(from, to, sealed) != tag {
            return Err(PacketError::Sealing);
        }
        Ok(sealed)
    }

    fn tag(&self, from: TheaterId, to: TheaterId, packet: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(self.key());
        hasher.update(&from.to_bytes());
        hasher.update(&to.to_bytes());
        hasher.update(packet);
        hasher.finalize()
    }
}

/// What a packet says about a link, whoever has written it: only to tell that somebody is not let in.
pub(crate) fn unsealed(packet: &[u8]) -> &[u8] {
    match packet.get(..3) {
        Some([super::MAGIC, _, SEALED]) => packet.get(SEAL..).unwrap_or_default(),
        _ => packet,
    }
}
