//! What makes a network that promises nothing into one that delivers exactly once and in order.
//!
//! A [`Link`] is one end of what two theaters have with each other. Messages are pushed on
//! *channels* (any number of them, made by use) and keep their order there; those of different
//! channels may pass each other.
//!
//! PROTOCOL
//! 1. Each end has an epoch. It greets the other one until it knows the other's epoch and knows
//!    that its own is known there; then the two are linked. All packets but greetings and refusals
//!    carry both epochs; others are dropped. A greeting from an epoch that is not the newest known
//!    is stale; one from a newer one ends a link.
//! 2. Messages, fragments of large ones, and signals are *records* of *bodies*. Bodies are numbered
//!    in the order of their first sending, and never change after. The receiver delivers them in
//!    the order of their numbers, each once; what comes early is kept, within `window` bytes and
//!    [`MOST_BODIES_UNDER_WAY`](packet::MOST_BODIES_UNDER_WAY).
//! 3. Each packet with a body carries the number of this transmission, too. Acknowledgements (with
//!    each packet, alone after `ack_delay`, at once after the second body or if anything is not in
//!    order) say: the first body that is missing, which ones behind it have come, the newest
//!    transmission that has, and the credit.
//! 4. A transmission is lost if one that was made three later has arrived, or when nothing new was
//!    acknowledged for the measured time (RFC 6298, doubled each time it runs out). Lost bodies are
//!    sent again, before others; after the time has run out, two at first, and two more for each
//!    that is acknowledged.
//! 5. A body stays with the sender until it, and all before it, are acknowledged. So what the
//!    receiver has delivered and what the sender reports as undelivered cover all that was pushed.
//! 6. A body goes if it fits into the sender's window and into the credit of the receiver, or if
//!    nothing is under way. Small messages that do not fill one wait for an acknowledgement while
//!    four such bodies are under way, and go together: many small packets cost both sides more than
//!    what is in them (RFC 896, which lets one be under way). They do not wait if a large one has
//!    to wait for them, nor once time has run out for an acknowledgement: then each may be the
//!    first that comes through.
//! 7. Small messages go into the open body as they are pushed. A large one waits until the bodies
//!    have gone that may hold earlier messages of its channel; then it is cut. Later ones of its
//!    channel wait until its last fragment is in a body. Bodies of small messages and bodies of
//!    fragments take turns; within these, so do large messages. Fragments leave half of the window
//!    free.
//! 8. A side begins no large message while those begun are longer, with it, than the `assembly` of
//!    the other side says.
//! 9. A channel that the other side pauses goes on no more: its messages are taken back out of all
//!    bodies that have not been sent. A large one that has begun is finished. So what still comes
//!    is within the window, and one large message.
//! 10. Who has sent nothing for `heartbeat` sends acknowledgements. Who has heard nothing of this
//!     link for `suspect_after` suspects
//!     the other side, after `dead_after` it ends the link, and from then on answers with a
//!     goodbye, which ends the other end: no end lives on alone.
//! 11. Who leaves sends all that it has, then says so in a last body; it is done when that is
//!     acknowledged. The
//!     other side goes on acknowledging after that.
//!
//! Covered by the tests beside the files, and by `tests/` with random messages over bad networks,
//! from seeds.

mod assembly;
mod config;
mod epoch;
mod event;
mod handshake;
mod held;
mod incoming;
mod liveness;
mod outgoing;
mod packet;
mod receiving;
mod round_trip;
mod seals;
mod secret;
mod sending;
mod theater_id;
mod window;

use std::fmt;
use std::time::Duration;

pub use config::LinkConfig;
pub use epoch::Epoch;
pub use event::{End, Event, PushError, Sink, Undelivered, Violation};
pub use outgoing::Place;
pub use packet::{FORMAT_VERSION, PacketError, Refusal};
pub use secret::{Secret, ShortSecret};
pub use theater_id::TheaterId;

pub(crate) use packet::Greeting;

use assembly::Assembly;
use handshake::Handshake;
use incoming::Incoming;
use liveness::Liveness;
use outgoing::Outgoing;
use packet::{Limits, Route};
use round_trip::RoundTrip;
use seals::Seals;
use window::Window;

/// How many channels the other side may hold back at a time.
// TUNE: 65,536, a guess: a few megabytes at most.
const MOST_PAUSES: usize = 1 << 16;

/// One end of the link between two theaters: no threads, no sockets, no clock.
///
/// Its owner
/// * gives it the packets that come ([`receive`](Self::receive)),
/// * sends those that it has ([`poll`](Self::poll), until that says `false`), after each `push` or
///   `receive` (or several of them: messages that are pushed before are sent together) and at the
///   [`deadline`](Self::deadline),
/// * tells it the time: the time since any beginning, never backwards,
/// * keeps it for some `dead_after` after its end, so that it answers what the other side still has
///   to ask.
pub struct Link {
    config: LinkConfig,
    me: TheaterId,
    peer: TheaterId,
    state: LinkState,
    handshake: Handshake,
    liveness: Liveness,
    round_trip: RoundTrip,
    outgoing: Outgoing,
    window: Window,
    incoming: Incoming,
    assembly: Assembly,
    seals: Seals,
    /// What the other side takes.
    limits: Limits,
    /// How many bytes a message may have that is pushed.
    largest: usize,
    last_sent: Duration,
    pressed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkState {
    Greeting,
    Linked,
    Ended { answer: Answer, due: bool },
}

/// What the other side gets to hear after the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Nothing,
    Acks,
    Goodbye,
    Refusal(Refusal),
}

impl Link {
    /// The end of `me` in a link with `peer`. `epoch` is greater than that of each link that `me`
    /// has made before.
    ///
    /// # Panics
    /// If the settings are not [valid](LinkConfig::validate).
    #[track_caller]
    pub fn new(
        config: LinkConfig,
        me: TheaterId,
        peer: TheaterId,
        epoch: Epoch,
        now: Duration,
    ) -> Self {
        if let Err(relation) = config.validate() {
            panic!("settings of a link: {relation}");
        }
        Self {
            me,
            peer,
            state: LinkState::Greeting,
            handshake: Handshake::new(epoch, now),
            liveness: Liveness::new(&config, now),
            round_trip: RoundTrip::new(config.resend_after),
            outgoing: Outgoing::new(
                config.body(),
                config.small(),
                config.assembly,
                config.pressed_at,
            ),
            window: Window::new(config.window),
            incoming: Incoming::new(config.window),
            assembly: Assembly::new(config.largest_message, config.assembly),
            seals: Seals::default(),
            limits: Limits::default(),
            largest: config.largest_message,
            last_sent: now,
            pressed: false,
            config,
        }
    }

    /// Sends `message`: it arrives once, after all that were pushed on the same channel before,
    /// unless the link ends. It is kept as long as necessary, however much there is: see
    /// [`is_pressed`](Self::is_pressed).
    ///
    /// # Errors
    /// If the link has ended or is being left; if the message is too large.
    #[inline]
    pub fn push(&mut self, channel: u64, message: &[u8]) -> Result<(), PushError> {
        self.check(message.len())?;
        self.outgoing.push(channel, message);
        self.pressed |= self.outgoing.bytes_in_bodies() >= self.config.pressed_at;
        Ok(())
    }

    /// As [`push`](Self::push); a large message is not copied.
    ///
    /// # Errors
    /// As `push`.
    pub fn push_owned(&mut self, channel: u64, message: Vec<u8>) -> Result<(), PushError> {
        self.check(message.len())?;
        self.outgoing.push_owned(channel, message);
        self.pressed |= self.outgoing.bytes_in_bodies() >= self.config.pressed_at;
        Ok(())
    }

    #[inline]
    fn check(&self, length: usize) -> Result<(), PushError> {
        if !self.is_open() {
            return Err(PushError::Ended);
        }
        if length > self.largest {
            return Err(PushError::TooLarge { limit: self.largest });
        }
        Ok(())
    }

    /// Whether messages can be pushed: the link has not ended, nor is it being [left](Self::leave).
    pub fn is_open(&self) -> bool {
        !self.has_ended() && !self.outgoing.is_leaving()
    }

    /// Asks the other side for no more messages of `channel`, until [`resume`](Self::resume). What
    /// is under way still comes: up to a window of messages, and the large one that has begun.
    /// Other channels go on.
    pub fn pause(&mut self, channel: u64) {
        self.signal(channel, true);
    }

    /// Has a paused channel go on.
    pub fn resume(&mut self, channel: u64) {
        self.signal(channel, false);
    }

    fn signal(&mut self, channel: u64, paused: bool) {
        // Nothing follows the body that says that this side leaves (PROTOCOL 11): it would never be
        // acknowledged.
        if !self.has_ended() && !self.outgoing.has_left() {
            self.outgoing.signal_pause(channel, paused);
        }
    }

    /// Ends the link when all that was pushed has arrived; the other side is told. Messages of
    /// paused channels wait for those to go on. If the other side leaves first, what is not
    /// acknowledged by then is undelivered, as with any end.
    pub fn leave(&mut self) {
        self.outgoing.leave();
    }

    /// Ends the link now: what is not known to have arrived is undelivered.
    pub fn give_up(&mut self, sink: &mut impl Sink) {
        if !self.has_ended() {
            self.end(End::Dropped, Answer::Goodbye, true, sink);
        }
    }

    /// The theater at the other end.
    pub fn peer(&self) -> TheaterId {
        self.peer
    }

    /// Bytes of messages that have been pushed and not been sent for the first time.
    pub fn queued(&self) -> usize {
        self.outgoing.bytes()
    }

    /// Whether so much is queued ([`LinkConfig::pressed_at`]) that whoever can should wait for
    /// [`Event::Relieved`]. Messages that wait for more than their turn do not count: those of
    /// paused channels, large ones, and those behind these. See
    /// [`is_channel_pressed`](Self::is_channel_pressed).
    pub fn is_pressed(&self) -> bool {
        self.pressed
    }

    /// Whether so many messages of a channel wait, behind a large one or for it to go on
    /// ([`LinkConfig::pressed_at`]), that whoever can should push no more of it until
    /// [`Event::ChannelRelieved`].
    #[inline]
    pub fn is_channel_pressed(&self, channel: u64) -> bool {
        self.outgoing.is_channel_pressed(channel)
    }

    /// The place of what is pushed next.
    pub fn place(&self) -> Place {
        self.outgoing.place()
    }

    /// Whether anything has not been sent yet that was pushed before a [place](Self::place), on
    /// whatever channel. If not, what is pushed from now on is delivered behind all of that.
    pub fn is_anything_before(&self, place: &mut Place) -> bool {
        self.outgoing.is_anything_before(place)
    }

    /// As [`is_anything_before`](Self::is_anything_before), but for what was held at the place:
    /// behind a large message, or on a paused channel.
    pub fn is_anything_flowing_before(&self, place: &Place) -> bool {
        self.outgoing.are_bodies_before(place)
    }

    /// Bytes that are kept of what has arrived and cannot be delivered yet. Bounded by
    /// [`window`](LinkConfig::window) and twice [`assembly`](LinkConfig::assembly), and by what has
    /// really come.
    pub fn kept(&self) -> usize {
        self.incoming.bytes() + self.assembly.bytes()
    }

    /// Whether both sides know each other, and the link has not ended.
    pub fn is_linked(&self) -> bool {
        self.state == LinkState::Linked
    }

    /// Whether the link has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, LinkState::Ended { .. })
    }

    fn end(&mut self, end: End, answer: Answer, due: bool, sink: &mut impl Sink) {
        self.state = LinkState::Ended { answer, due };
        let mut undelivered = Vec::new();
        self.window.take_all(&mut undelivered);
        self.outgoing.take_all(&mut undelivered);
        self.incoming.clear();
        self.assembly.clear();
        self.pressed = false;
        sink.event(Event::Ended { end, undelivered });
    }

    /// Of packets that go to the other end, once its epoch is known.
    fn route(&self) -> Option<Route> {
        let theaters = Route::digest(self.me, self.peer);
        Some(Route { theaters, from: self.handshake.mine, to: self.handshake.theirs? })
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("me", &self.me)
            .field("peer", &self.peer)
            .field("state", &self.state)
            .field("queued", &self.queued())
            .finish_non_exhaustive()
    }
}
