//! Why there is no link, said to the other side.

use std::fmt;

use super::{Cursor, PacketError};
use crate::link::TheaterId;

const OTHER_VERSION: u8 = 1;
const OTHER_CLUSTER: u8 = 2;
const OTHER_SECRET: u8 = 3;

/// Why two theaters have no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// They speak different versions of the packet format.
    OtherVersion {
        /// The version that this theater speaks.
        ours: u8,
        /// The version that the other one speaks.
        theirs: u8,
    },
    /// They belong to clusters of different names.
    OtherCluster,
    /// They do not have the same [secret](crate::link::Secret), or only one of them has one.
    OtherSecret,
    /// For a reason that a newer version of Odeon knows, by its number.
    Unknown(u8),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherVersion { ours, theirs } => write!(
                f,
                "the other theater speaks version {theirs} of the packet format, this one version {ours}"
            ),
            Self::OtherCluster => f.write_str("the other theater belongs to another cluster"),
            Self::OtherSecret => {
                f.write_str("the other theater does not have the secret of this one")
            }
            Self::Unknown(number) => write!(f, "the other theater refuses, for reason {number}"),
        }
    }
}

/// The packet that says so. Its layout is the same in every version of the format, and only ever
/// grows at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RefusalPacket {
    pub(crate) to: TheaterId,
    pub(crate) from: TheaterId,
    reason: u8,
    /// The version that the sender speaks.
    speaks: u8,
    /// The version in which the receiver has spoken.
    heard: u8,
}

impl RefusalPacket {
    /// Tells `to` what `from` has found.
    pub(crate) fn new(from: TheaterId, to: TheaterId, refusal: Refusal) -> Self {
        let current = super::FORMAT_VERSION;
        let (reason, speaks, heard) = match refusal {
            Refusal::OtherVersion { ours, theirs } => (OTHER_VERSION, ours, theirs),
            Refusal::OtherCluster => (OTHER_CLUSTER, current, current),
            Refusal::OtherSecret => (OTHER_SECRET, current, current),
            Refusal::Unknown(number) => (number, current, current),
        };
        Self { to, from, reason, speaks, heard }
    }

    /// What the receiver learns of it, as seen from there.
    pub(crate) fn refusal(&self) -> Refusal {
        match self.reason {
            OTHER_VERSION => Refusal::OtherVersion { ours: self.heard, theirs: self.speaks },
            OTHER_CLUSTER => Refusal::OtherCluster,
            OTHER_SECRET => Refusal::OtherSecret,
            number => Refusal::Unknown(number),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to.to_bytes());
        out.extend_from_slice(&self.from.to_bytes());
        out.extend_from_slice(&[self.reason, self.speaks, self.heard]);
    }

    pub(super) fn read(from: &mut Cursor<'_>) -> Result<Self, PacketError> {
        let [to, sender] = [from.array()?, from.array()?].map(TheaterId::from_bytes);
        let (reason, speaks, heard) = (from.byte()?, from.byte()?, from.byte()?);
        Ok(Self { to, from: sender, reason, speaks, heard })
    }
}
