//! Identity of an actor.

use std::fmt;

/// Identifies an actor within its theater. Printable, ordered, never used again.
///
/// Ids are handed out per registry shard (see `process/registry.rs`), so that creating actors on
/// several cores shares no counter; they do not tell the order of creation across shards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(u64);

pub(crate) const SHARD_BITS: u32 = 8;

impl ActorId {
    pub(crate) fn new(shard: usize, serial: u64) -> Self {
        Self(serial << SHARD_BITS | shard as u64)
    }

    /// A number that no other actor of the theater has.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    pub(crate) fn shard(self) -> usize {
        (self.0 & ((1 << SHARD_BITS) - 1)) as usize
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.shard(), self.0 >> SHARD_BITS)
    }
}

impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorId({self})")
    }
}
