//! Which mobile actor, wherever it is.

use std::fmt;

use odeon_core::wire::Address;
use serde::{Deserialize, Serialize};

use crate::TheaterId;

/// The identity of a mobile actor in the network: where it was created, and its number there. It
/// stays the same wherever the actor moves.
///
/// ```
/// use odeon_theater::{MobileId, TheaterId};
///
/// let id = MobileId { born: TheaterId::from_bits(0xA11CE), number: 42 };
/// assert_eq!(id.to_string(), "000000000000000000000000000a11ce/42");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MobileId {
    /// The theater in which it was created.
    pub born: TheaterId,
    /// Its number there.
    pub number: u64,
}

impl MobileId {
    pub(crate) fn of(who: Address) -> Self {
        Self { born: TheaterId::from_bits(who.theater), number: who.actor }
    }

    pub(crate) fn address(self) -> Address {
        Address { theater: self.born.bits(), actor: self.number }
    }
}

impl fmt::Display for MobileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.born, self.number)
    }
}
