//! What a theater says of a mobile actor that sits in it.

use serde::{Deserialize, Serialize};

use crate::network::references::mobile_id::MobileId;

/// A mobile actor, as the theater sees it in which it sits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MobileActor {
    /// Which one.
    pub id: MobileId,
    /// Its [kind](crate::Mobile::KIND).
    pub kind: String,
    /// Whether it has been written for another theater, and waits to be let go.
    pub leaves: bool,
    /// How often it has moved.
    pub moves: u64,
    /// How many messages it has handled here, in all the times that it was here while somebody here
    /// referred to it. Of one that nobody has asked for before it is known a moment later.
    pub handled: u64,
}
