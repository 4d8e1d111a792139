//! The settings of a link.

use std::time::Duration;

use super::Secret;
use super::packet::{LARGEST_HEAD, LONGEST_CLUSTER_NAME, Limits, RECORD_HEAD, SEAL};

/// A link that has something to send again and again in less time would do nothing else: the next
/// packet is due before the last one has gone.
const SHORTEST: Duration = Duration::from_millis(1);

/// Settings of a [`Link`](crate::link::Link): plain data, to be changed field by field.
///
/// How long messages may be, all those in part, and what is under way (`largest_message`,
/// `assembly`, `window`) is told to the other side, which keeps to it. Whoever sends longer
/// messages, or more in part, is cut off; of what is above the window nothing is taken.
///
/// ```
/// use odeon_theater::LinkConfig;
/// use std::time::Duration;
///
/// let config = LinkConfig { dead_after: Duration::from_secs(10), ..LinkConfig::new("shop", 65_000) };
/// assert_eq!(config.validate(), Ok(()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkConfig {
    /// The name of the cluster, at most 64 bytes: theaters of other clusters are refused.
    pub cluster: String,
    /// What theaters of the cluster know each other by: others are not let in, and their packets
    /// dropped. `None`: whoever knows the name is let in, unless the transport sees to that.
    pub secret: Option<Secret>,
    /// How many bytes a packet may have that is sent: what the transport says. At least 1,024.
    /// Those that come may be longer, up to `window` of this side and a little more for what is
    /// around it: longer ones are dropped, so no theater may have a `largest_packet` above another
    /// one's `window`.
    pub largest_packet: usize,
    /// How many bytes a message from the other side may have; also, how many one may have that is
    /// pushed here. 256 MiB.
    pub largest_message: usize,
    /// How many bytes the messages that have come from the other side in part may have together.
    /// 512 MiB, and at least `largest_message`.
    pub assembly: usize,
    /// Messages above this many bytes are cut into fragments, of which each has at most this many.
    /// 16 KiB; less where packets are small.
    pub small_message: usize,
    /// How many bytes may be under way, unacknowledged, in each direction. 4 MiB, and at least
    /// twice `largest_packet`.
    pub window: usize,
    /// From how many bytes on that wait to be sent the link is *pressed*: it says so by
    /// [`is_pressed`](crate::link::Link::is_pressed), and by an event when half of it is left. So
    /// is each channel of which so many are held. 8 MiB.
    pub pressed_at: usize,
    /// How long an acknowledgement may wait for messages to travel with. 5 ms. The second body in a
    /// row is acknowledged at once.
    pub ack_delay: Duration,
    /// The least and the greatest time after which what is not acknowledged is sent again. 20 ms
    /// and 500 ms, not less than 1 ms; in between, the measured time of a round trip decides.
    pub resend_after: (Duration, Duration),
    /// How often something is sent at least. 250 ms; not less than 1 ms.
    pub heartbeat: Duration,
    /// After how long a silence the other side is suspected. 1 s.
    pub suspect_after: Duration,
    /// After how long a silence it counts as dead. 2 s.
    pub dead_after: Duration,
}

impl LinkConfig {
    /// The default settings, for a cluster and a transport.
    pub fn new(cluster: impl Into<String>, largest_packet: usize) -> Self {
        let limits = Limits::default();
        Self {
            cluster: cluster.into(),
            secret: None,
            largest_packet,
            largest_message: limits.largest_message as usize,
            assembly: limits.assembly as usize,
            // TUNE: 16 KiB, a guess: four of them in a packet of 64 kB, so that large messages take
            // turns inside of it.
            small_message: 16 << 10,
            // TUNE: 4 MiB, a guess: 1 GB/s over a round trip of 4 ms.
            window: (limits.window as usize).max(largest_packet.saturating_mul(2)),
            // TUNE: 8 MiB, a guess: two windows.
            pressed_at: 8 << 20,
            // TUNE: 5 ms, a guess: a few times what a handler's answer takes, far below the time
            // for resending.
            ack_delay: Duration::from_millis(5),
            // TUNE: 20 ms, a guess: above the delay of acknowledgements and a bad wake-up on a
            // loaded machine. 500 ms: several resends before anybody counts as dead.
            resend_after: (Duration::from_millis(20), Duration::from_millis(500)),
            heartbeat: Duration::from_millis(250),
            suspect_after: Duration::from_secs(1),
            dead_after: Duration::from_secs(2),
        }
    }

    /// Whether a link can work with these settings.
    ///
    /// # Errors
    /// The relation that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        let relations = [
            (self.cluster.len() <= LONGEST_CLUSTER_NAME, "cluster has at most 64 bytes"),
            (self.largest_packet >= 1024, "largest_packet is at least 1,024"),
            (self.assembly >= self.largest_message, "assembly is at least largest_message"),
            (self.small_message > 0, "small_message is above 0"),
            (
                self.window >= self.largest_packet.saturating_mul(2),
                "window is at least twice largest_packet",
            ),
            (self.pressed_at > 0, "pressed_at is above 0"),
            (self.resend_after.0 > self.ack_delay, "resend_after is above ack_delay"),
            (self.resend_after.0 <= self.resend_after.1, "resend_after is ordered"),
            (self.resend_after.0 >= SHORTEST, "resend_after is at least 1 ms"),
            (self.heartbeat >= SHORTEST, "heartbeat is at least 1 ms"),
            (self.heartbeat < self.suspect_after, "heartbeat is below suspect_after"),
            (self.suspect_after < self.dead_after, "suspect_after is below dead_after"),
        ];
        relations.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(what))
    }

    /// How many bytes of records fit into a body.
    pub(super) fn body(&self) -> usize {
        let seal = if self.secret.is_some() { SEAL } else { 0 };
        self.largest_packet - LARGEST_HEAD - seal
    }

    /// Up to which length a message is put into a body whole.
    pub(super) fn small(&self) -> usize {
        self.small_message.min(self.body() - RECORD_HEAD)
    }

    /// How many bytes a packet may have that comes: no body has more than may be under way. The
    /// other side may write longer ones than this one.
    pub(crate) fn largest_incoming(&self) -> usize {
        self.window.saturating_add(LARGEST_HEAD + SEAL)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            largest_message: self.largest_message as u64,
            assembly: self.assembly as u64,
            window: self.window as u64,
        }
    }
}
