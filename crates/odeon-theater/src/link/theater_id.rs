//! Which theater, and which of its lives.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde::{Deserialize, Serialize};

/// The identity of a theater in the network: 128 bits, chosen at random at each of its starts.
///
/// A program that is started again is another theater: nothing that was meant for the one before
/// reaches it.
///
/// ```
/// use odeon_theater::TheaterId;
///
/// let id = TheaterId::from_bits(0xA11CE);
/// assert_eq!(id.to_string(), "000000000000000000000000000a11ce");
/// assert_eq!(TheaterId::from_bytes(id.to_bytes()), id);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TheaterId(u128);

impl TheaterId {
    /// A new one, from the operating system's randomness.
    pub fn random() -> Self {
        // Each of these states has keys of its own, and mixes them well.
        let half = || u128::from(RandomState::new().build_hasher().finish());
        Self(half() << 64 | half())
    }

    /// The identity with these bits. Whoever starts a theater draws them from a good source: two
    /// theaters with the same ones cannot be told apart.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits that it was made of.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// As packets carry it: 16 bytes, the highest first.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// What [`to_bytes`](Self::to_bytes) has been made of.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for TheaterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for TheaterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TheaterId({self})")
    }
}
