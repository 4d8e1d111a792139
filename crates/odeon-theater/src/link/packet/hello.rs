//! The packet that makes a link.

use super::route::read_epoch;
use super::{Cursor, PacketError, put_varint};
use crate::link::{Epoch, TheaterId};

/// How long the name of a cluster may be, in bytes.
pub(crate) const LONGEST_CLUSTER_NAME: usize = 64;

const LARGEST_MESSAGE: u64 = 1;
const ASSEMBLY: u64 = 2;
const WINDOW: u64 = 3;

/// Who wants a link with whom, and what the sender of this packet takes.
///
/// What comes behind the name of the cluster is a list of fields, as a whole with its length, and
/// each with its number and length. Who does not know a field passes over it; of a field that is
/// missing, the value of [`Limits::default`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hello<'a> {
    pub(crate) to: TheaterId,
    pub(crate) from: TheaterId,
    pub(crate) epoch: Epoch,
    /// The receiver's epoch, if the sender has heard of it.
    pub(crate) seen: Option<Epoch>,
    pub(crate) cluster: &'a str,
    pub(crate) limits: Limits,
}

/// What one side of a link takes from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// How many bytes a message may have.
    pub(crate) largest_message: u64,
    /// How many bytes messages that have come in part may have together.
    pub(crate) assembly: u64,
    /// How many bytes of bodies may be under way.
    pub(crate) window: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { largest_message: 256 << 20, assembly: 512 << 20, window: 4 << 20 }
    }
}

impl<'a> Hello<'a> {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to.to_bytes());
        out.extend_from_slice(&self.from.to_bytes());
        out.extend_from_slice(&self.epoch.number().to_be_bytes());
        out.extend_from_slice(&self.seen.map_or(0, Epoch::number).to_be_bytes());
        put_varint(out, self.cluster.len() as u64);
        out.extend_from_slice(self.cluster.as_bytes());
        let Limits { largest_message, assembly, window } = self.limits;
        let mut fields = Vec::with_capacity(3 * 12);
        for (field, value) in
            [(LARGEST_MESSAGE, largest_message), (ASSEMBLY, assembly), (WINDOW, window)]
        {
            let mut bytes = Vec::with_capacity(10);
            put_varint(&mut bytes, value);
            put_varint(&mut fields, field);
            put_varint(&mut fields, bytes.len() as u64);
            fields.extend_from_slice(&bytes);
        }
        put_varint(out, fields.len() as u64);
        out.extend_from_slice(&fields);
    }

    pub(super) fn read(from: &mut Cursor<'a>) -> Result<Self, PacketError> {
        let (to, sender) = (from.array()?, from.array()?);
        let epoch = read_epoch(from)?;
        let seen = Epoch::from_number(u32::from_be_bytes(from.array()?));
        let length = from.varint()?;
        if length > LONGEST_CLUSTER_NAME as u64 {
            return Err(PacketError::Malformed("the name of the cluster is too long"));
        }
        let cluster = std::str::from_utf8(from.take(length)?)
            .map_err(|_| PacketError::Malformed("the name of the cluster is not UTF-8"))?;
        let mut limits = Limits::default();
        let length = from.varint()?;
        let mut fields = Cursor::new(from.take(length)?);
        while !fields.is_empty() {
            let (field, length) = (fields.varint()?, fields.varint()?);
            let mut value = Cursor::new(fields.take(length)?);
            match field {
                LARGEST_MESSAGE => limits.largest_message = value.varint()?,
                ASSEMBLY => limits.assembly = value.varint()?,
                WINDOW => limits.window = value.varint()?,
                _ => {}
            }
        }
        let [to, sender] = [to, sender].map(TheaterId::from_bytes);
        Ok(Self { to, from: sender, epoch, seen, cluster, limits })
    }
}
