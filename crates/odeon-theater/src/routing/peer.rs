//! Another theater: the link to it, who sends on it, and who delivers what comes.
//!
//! Locks are taken in this order: `receiving` (one thread delivers what comes, in its order),
//! `sending` (one thread hands packets to the transport), `link` (never while users' code or the
//! transport runs).

use odeon_sync::contained::quietly;
use std::mem;
use std::ops::Range;
use std::sync::{Arc, OnceLock, TryLockError};
use std::time::Duration;

use odeon_core::extend::{self, RELIEVED_AT};
use odeon_core::wire::Address;
use odeon_core::{ActorRef, Timer};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use crate::routing::asked::Asked;
use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::routing::held::Held;
use crate::routing::in_order::{InOrder, Ticket};
use crate::routing::later::Later;
use crate::routing::owner::Owner;
use crate::routing::pressed::Pressed;
use crate::routing::to_tell::ToTell;
use crate::routing::transmitting::{Due, FULL, Gathering};
use crate::{Epoch, Event, Link, LinkConfig, PushError, Sink, TheaterId, Transport};

/// See the module.
pub(crate) struct Peer {
    pub(crate) id: TheaterId,
    receiving: Mutex<Received>,
    sending: Mutex<Vec<u8>>,
    link: Mutex<Link>,
    later: Mutex<Later>,
    /// When the link is looked at next if nothing happens before.
    alarm: Mutex<Option<(Duration, Timer)>>,
    /// What has happened to the link; tickets are taken under its lock.
    events: InOrder<Vec<Event>>,
    pub(crate) held: Held,
    pub(crate) asked: Asked,
    pub(crate) pressed: Pressed,
    /// Where references were granted to it, and where its own are waited for
    /// (`references/grants.rs`).
    pub(crate) granted_at: ToTell,
    pub(crate) expected_by: ToTell,
    pub(crate) due: Due,
    pub(crate) transmitter: OnceLock<Option<ActorRef<()>>>,
    /// So much is queued that packets are full.
    is_full: AtomicBool,
    is_dead: AtomicBool,
    is_pressed: AtomicBool,
    /// It has said that no actor can come there.
    has_no_kinds: AtomicBool,
}

/// What has come in one packet.
#[derive(Default)]
struct Received {
    /// Short messages, one behind the other.
    bytes: Vec<u8>,
    messages: Vec<(u64, Body)>,
    events: Vec<Event>,
}

enum Body {
    Short(Range<usize>),
    Large(Vec<u8>),
}

impl Sink for Received {
    fn message(&mut self, channel: u64, message: &[u8]) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(message);
        self.messages.push((channel, Body::Short(begin..self.bytes.len())));
    }

    fn large_message(&mut self, channel: u64, message: Vec<u8>) {
        self.messages.push((channel, Body::Large(message)));
    }

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }
}

impl Peer {
    pub(crate) fn new(
        config: LinkConfig,
        me: TheaterId,
        id: TheaterId,
        epoch: Epoch,
        now: Duration,
    ) -> Self {
        Self {
            id,
            receiving: Mutex::default(),
            sending: Mutex::default(),
            link: Mutex::new(Link::new(config, me, id, epoch, now)),
            later: Mutex::default(),
            alarm: Mutex::default(),
            events: InOrder::default(),
            held: Held::default(),
            asked: Asked::default(),
            pressed: Pressed::default(),
            granted_at: ToTell::default(),
            expected_by: ToTell::default(),
            due: Due::default(),
            transmitter: OnceLock::new(),
            is_full: AtomicBool::new(false),
            is_dead: AtomicBool::new(false),
            is_pressed: AtomicBool::new(false),
            has_no_kinds: AtomicBool::new(false),
        }
    }

    /// An actor of this theater.
    pub(crate) fn address(&self, actor: u64) -> Address {
        Address { theater: self.id.bits(), actor }
    }

    /// Whether both sides have greeted each other, and the link has not ended.
    pub(crate) fn is_linked(&self) -> bool {
        self.link().is_linked()
    }

    /// Whether the theater is dead: nothing that is pushed from here on comes to it.
    pub(crate) fn is_dead(&self) -> bool {
        // ORDERING: Relaxed: a hint; what is pushed on a link that has ended is a dead letter too.
        self.is_dead.load(Ordering::Relaxed)
    }

    /// The theater says that no actor can come there.
    pub(crate) fn takes_nobody(&self) {
        // ORDERING: Relaxed: who is refused there learns of that behind it, by way of a lock.
        self.has_no_kinds.store(true, Ordering::Relaxed);
    }

    /// Whether it has said so.
    pub(crate) fn has_no_kinds(&self) -> bool {
        // ORDERING: Relaxed: as above.
        self.has_no_kinds.load(Ordering::Relaxed)
    }

    /// Whether what is pushed goes there: the link has not ended, and this theater does not leave.
    pub(crate) fn is_open(&self) -> bool {
        self.link().is_open()
    }

    /// Tells the other theater something behind all that has been pushed before;
    /// [`transmit`](Self::transmit) is owed.
    pub(crate) fn tell_later(&self, control: Control) {
        let link = self.link();
        self.later().add(control, &link);
    }

    /// Under the lock of the link.
    fn later(&self) -> MutexGuard<'_, Later> {
        self.later.lock().expect("nothing panics under this lock")
    }

    /// Pushes a message on a channel; [`transmit`](Self::transmit) is owed.
    pub(crate) fn push(&self, channel: Channel, bytes: &[u8]) -> Result<(), PushError> {
        self.push_by(channel, bytes.len(), |link| link.push(channel.number(), bytes))
    }

    /// As [`push`](Self::push); a large message is not copied.
    pub(crate) fn push_owned(&self, channel: Channel, bytes: Vec<u8>) -> Result<(), PushError> {
        self.push_by(channel, bytes.len(), |link| link.push_owned(channel.number(), bytes))
    }

    #[inline]
    fn push_by(
        &self,
        channel: Channel,
        bytes: usize,
        push: impl FnOnce(&mut Link) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        let mut link = self.link();
        let pushed = push(&mut link);
        if link.queued() >= FULL {
            // ORDERING: Relaxed: a hint.
            self.is_full.store(true, Ordering::Relaxed);
        }
        if link.is_pressed() {
            // ORDERING: Relaxed, here and below: changed under the lock of the link; looked at
            // without it, it is a hint.
            self.is_pressed.store(true, Ordering::Relaxed);
        }
        if link.is_channel_pressed(channel.number()) {
            // Under the lock of the link, under which it is told that the channel is relieved.
            self.pressed.pushed(channel.number(), bytes);
        }
        pushed
    }

    /// Whether packets are full with what is queued.
    pub(crate) fn is_full(&self) -> bool {
        // ORDERING: Relaxed: a hint.
        self.is_full.load(Ordering::Relaxed)
    }

    /// How much of what has been pushed keeps those from sending more that send to this seat.
    pub(crate) fn pressing(&self, seat: u64) -> usize {
        let is_pressed =
            self.is_pressed.load(Ordering::Relaxed) || self.pressed.presses(Channel::Actor(seat));
        if is_pressed { 2 * RELIEVED_AT } else { 0 }
    }

    /// Has the link hold back what comes on a channel, or no longer.
    pub(crate) fn pause(&self, channel: Channel, pauses: bool) {
        let mut link = self.link();
        if pauses {
            link.pause(channel.number());
        } else {
            link.resume(channel.number());
        }
    }

    /// A packet has come. `false`: it is none for this link, and has changed nothing.
    pub(crate) fn receive(self: &Arc<Self>, owner: &Arc<impl Owner>, packet: &[u8]) -> bool {
        let mut received = self.receiving.lock().expect("users' code is contained");
        let mut link = self.link();
        let is_taken = link.receive(packet, owner.now(), &mut *received).is_ok();
        let ticket = self.ticket(&received);
        drop(link);
        let gathering = Gathering::begin(owner);
        self.deliver(owner, &mut received);
        if let Some(ticket) = ticket {
            // Behind the messages that came with it.
            self.events.hand_in(ticket, mem::take(&mut received.events));
            self.happen(owner);
        }
        drop(received);
        // Acknowledgements.
        self.transmit(owner);
        drop(gathering);
        is_taken
    }

    fn deliver(self: &Arc<Self>, owner: &Arc<impl Owner>, received: &mut Received) {
        let messages = mem::take(&mut received.messages);
        // One sender, whichever of its threads the transport calls from.
        extend::as_numbered_sender(self.id.bits() as u64, || {
            for (channel, body) in messages {
                let bytes = match &body {
                    Body::Short(range) => &received.bytes[range.clone()],
                    Body::Large(bytes) => bytes,
                };
                // What users' types do while they are read or dropped is contained where that
                // happens. If it were not, others' messages go on.
                quietly(|| owner.arrives(self, channel, bytes));
            }
        });
        received.bytes.clear();
    }

    /// For what has happened to the link, if anything has; under its lock.
    #[inline]
    fn ticket(&self, received: &Received) -> Option<Ticket> {
        (!received.events.is_empty()).then(|| self.events.ticket())
    }

    /// Notes what has happened to the link, if anything has; under its lock. Then
    /// [`happen`](Self::happen) is owed.
    fn note(&self, told: &mut Received) -> bool {
        let ticket = self.ticket(told);
        ticket.map(|ticket| self.events.hand_in(ticket, mem::take(&mut told.events))).is_some()
    }

    /// Sees to what follows from what has happened to the link, in its order: several threads find
    /// out.
    fn happen(self: &Arc<Self>, owner: &Arc<impl Owner>) {
        self.events.tell(|events| {
            events.into_iter().for_each(|event| self.happens(owner, event));
        });
    }

    fn happens(self: &Arc<Self>, owner: &Arc<impl Owner>, event: Event) {
        match &event {
            Event::Relieved => self.is_pressed.store(false, Ordering::Relaxed),
            Event::ChannelRelieved(channel) => self.pressed.is_relieved(*channel),
            // ORDERING: Relaxed: see `is_dead`.
            Event::Ended { .. } => self.is_dead.store(true, Ordering::Relaxed),
            _ => {}
        }
        owner.happens(self, event);
    }

    /// Ends the link once all has gone.
    pub(crate) fn leave(self: &Arc<Self>, owner: &Arc<impl Owner>) {
        let mut link = self.link();
        if !link.is_linked() && link.queued() == 0 {
            // Nobody waits for the farewell of a stranger.
            drop(link);
            return self.give_up(owner);
        }
        link.leave();
        drop(link);
        self.transmit_now(owner);
    }

    /// Ends the link.
    pub(crate) fn give_up(self: &Arc<Self>, owner: &Arc<impl Owner>) {
        let mut told = Received::default();
        let mut link = self.link();
        link.give_up(&mut told);
        let has_happened = self.note(&mut told);
        drop(link);
        if has_happened {
            self.happen(owner);
        }
        self.transmit_now(owner);
    }

    /// Hands what is due to the transport, at once.
    pub(crate) fn transmit_now(self: &Arc<Self>, owner: &Arc<impl Owner>) {
        // Whoever cannot send leaves it to the one that does, who looks again behind its own
        // sending.
        while let Some(mut packet) = self.right_to_send() {
            let Some(transport) = owner.transport() else { return };
            let (mut told, mut has_happened) = (Received::default(), false);
            let mut next = |packet: &mut Vec<u8>| {
                let mut link = self.link();
                let is_written = link.poll(owner.now(), packet, &mut told);
                has_happened |= self.note(&mut told);
                is_written
            };
            while next(&mut packet) {
                send_by(transport, self.id, mem::take(&mut *packet));
            }
            // ORDERING: Relaxed: a hint.
            self.is_full.store(false, Ordering::Relaxed);
            drop(packet);
            if has_happened {
                self.happen(owner);
            }
            let mut link = self.link();
            if self.later().tell(&mut link) {
                continue;
            }
            let deadline = link.deadline();
            drop(link);
            match deadline {
                Some(at) if at <= owner.now() => {}
                Some(at) => return self.be_alarmed(owner, at),
                None => return,
            }
        }
    }

    /// `None`: another thread has it.
    fn right_to_send(&self) -> Option<MutexGuard<'_, Vec<u8>>> {
        match self.sending.try_lock() {
            Ok(packet) => Some(packet),
            Err(TryLockError::Poisoned(_)) => unreachable!("transports' code is contained"),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn be_alarmed(self: &Arc<Self>, owner: &Arc<impl Owner>, at: Duration) {
        let mut alarm = self.alarm.lock().expect("nothing panics under this lock");
        if alarm.as_ref().is_some_and(|(armed, _)| *armed <= at) {
            return;
        }
        let Some(stage) = owner.pool() else { return };
        let (peer, of) = (Arc::downgrade(self), Arc::downgrade(owner));
        let timer = extend::alarm_at(&*stage, at.saturating_sub(owner.now()), move || {
            let (Some(peer), Some(owner)) = (peer.upgrade(), of.upgrade()) else { return };
            peer.alarm.lock().expect("nothing panics under this lock").take();
            peer.transmit_now(&owner);
        });
        if let Some((_, later)) = alarm.replace((at, timer)) {
            later.cancel();
        }
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().expect("nothing panics under the lock of a link")
    }
}

/// A transport that panics has lost the packet. Whoever sends, as an actor in its turn, or has a
/// timer ring, is not to end by that.
pub(crate) fn send_by(transport: &dyn Transport, to: TheaterId, packet: Vec<u8>) {
    quietly(|| transport.send(to, packet));
}
