//! How much one turn may do.

use std::time::Duration;

use crate::telemetry::Telemetry;
use crate::vocabulary::clock::Clock;

/// How much one turn may do: whichever limit is reached first ends it.
#[derive(Clone, Copy)]
pub struct TurnLimits<'a> {
    /// Messages per turn, at least 1.
    pub messages: u32,
    /// Time per turn; checked between messages, so one message may exceed it.
    pub time: Duration,
    /// Where the time comes from.
    pub clock: &'a dyn Clock,
    /// Who looks at turns, if anybody.
    pub telemetry: Option<&'a Telemetry>,
}
