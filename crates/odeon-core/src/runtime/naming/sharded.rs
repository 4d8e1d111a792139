//! A table in parts, by name, so that users of different names seldom wait for each other.

use std::hash::{BuildHasher, RandomState};

use crossbeam_utils::CachePadded;

/// TUNE: parts of one table: more than threads that look up names at one moment; each costs a
/// theater 128 bytes. A guess.
const PARTS: usize = 16;

/// The parts; which one is a name's never changes.
pub(crate) struct Sharded<T> {
    hasher: RandomState,
    parts: Box<[CachePadded<T>]>,
}

impl<T: Default> Default for Sharded<T> {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            parts: (0..PARTS).map(|_| CachePadded::default()).collect(),
        }
    }
}

impl<T> Sharded<T> {
    /// The part where `name` is.
    pub(crate) fn of(&self, name: &str) -> &T {
        &self.parts[self.hasher.hash_one(name) as usize % PARTS]
    }

    /// All parts.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().map(|part| &**part)
    }
}
