//! Two theaters, a link between them, and the network that it goes over.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_theater::*;

pub(crate) const A: TheaterId = TheaterId::from_bits(0xAAAA_0001);
pub(crate) const B: TheaterId = TheaterId::from_bits(0xBBBB_0002);

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn config() -> LinkConfig {
    LinkConfig::new("test", 65_000)
}

#[derive(Default)]
struct Inbox(Mutex<Vec<Vec<u8>>>);

impl Listener for Inbox {
    fn packet(&self, _: TheaterId, packet: &[u8]) {
        self.0.lock().unwrap().push(packet.to_vec());
    }
    fn appeared(&self, _: TheaterId) {}
    fn vanished(&self, _: TheaterId) {}
}

/// What has come out of a link.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) messages: Vec<(u64, Vec<u8>)>,
    pub(crate) events: Vec<Event>,
}

impl Heard {
    pub(crate) fn end(&self) -> Option<(End, &[Undelivered])> {
        self.events.iter().find_map(|event| match event {
            Event::Ended { end, undelivered } => Some((*end, &undelivered[..])),
            _ => None,
        })
    }

    pub(crate) fn on(&self, channel: u64) -> Vec<&[u8]> {
        self.messages.iter().filter(|(on, _)| *on == channel).map(|(_, bytes)| &bytes[..]).collect()
    }
}

impl Sink for Heard {
    fn message(&mut self, channel: u64, message: &[u8]) {
        assert!(self.end().is_none(), "a message after the end");
        self.messages.push((channel, message.to_vec()));
    }
    fn event(&mut self, event: Event) {
        assert!(self.end().is_none(), "{event:?} after the end");
        self.events.push(event);
    }
}

/// One end.
pub(crate) struct Side {
    pub(crate) link: Link,
    pub(crate) heard: Heard,
    /// Packets that the link did not take.
    pub(crate) rejected: Vec<PacketError>,
    /// Its packets, counted.
    pub(crate) packets: usize,
    peer: TheaterId,
    transport: InMemoryTransport,
    inbox: Arc<Inbox>,
}

impl Side {
    fn new(
        network: &InMemoryNetwork,
        config: LinkConfig,
        me: TheaterId,
        peer: TheaterId,
        epoch: Epoch,
    ) -> Self {
        let inbox = Arc::new(Inbox::default());
        Self {
            link: Link::new(config, me, peer, epoch, Duration::ZERO),
            heard: Heard::default(),
            rejected: Vec::new(),
            packets: 0,
            peer,
            transport: network.join(me, inbox.clone()),
            inbox,
        }
    }

    fn send(&mut self, now: Duration) {
        let mut packet = Vec::new();
        while self.link.poll(now, &mut packet, &mut self.heard) {
            assert!(packet.len() <= self.transport.largest_packet(), "{} bytes", packet.len());
            self.packets += 1;
            self.transport.send(self.peer, packet.clone());
        }
    }

    fn receive(&mut self, now: Duration) {
        for packet in std::mem::take(&mut *self.inbox.0.lock().unwrap()) {
            let taken = self.link.receive(&packet, now, &mut self.heard);
            self.rejected.extend(taken.err());
        }
    }

    pub(crate) fn push(&mut self, channel: u64, message: &[u8]) {
        self.link.push(channel, message).unwrap();
    }
}

pub(crate) struct Pair {
    pub(crate) network: InMemoryNetwork,
    pub(crate) now: Duration,
    pub(crate) a: Side,
    pub(crate) b: Side,
    at_this_time: usize,
}

impl Pair {
    pub(crate) fn new(seed: u64) -> Self {
        Self::with(seed, config(), config())
    }

    pub(crate) fn with(seed: u64, of_a: LinkConfig, of_b: LinkConfig) -> Self {
        let largest = of_a.largest_packet.max(of_b.largest_packet);
        let network = InMemoryNetwork::with_largest_packet(seed, largest);
        Self {
            a: Side::new(&network, of_a, A, B, Epoch::FIRST),
            b: Side::new(&network, of_b, B, A, Epoch::FIRST.next()),
            now: Duration::ZERO,
            network,
            at_this_time: 0,
        }
    }

    pub(crate) fn linked(seed: u64) -> Self {
        let mut pair = Self::new(seed);
        pair.run_until(|pair| pair.a.link.is_linked() && pair.b.link.is_linked());
        pair
    }

    /// Gives `a`'s theater another link, as after an end.
    pub(crate) fn new_link_of_a(&mut self, epoch: Epoch) {
        self.a.link = Link::new(config(), A, B, epoch, self.now);
        self.a.heard = Heard::default();
    }

    /// Gives `b`'s theater another link.
    pub(crate) fn new_link_of_b(&mut self, epoch: Epoch) {
        self.b.link = Link::new(config(), B, A, epoch, self.now);
        self.b.heard = Heard::default();
    }

    /// What happens next; `false` if that is after `limit`.
    pub(crate) fn step(&mut self, limit: Duration) -> bool {
        self.a.send(self.now);
        self.b.send(self.now);
        let times = [self.network.next_event(), self.a.link.deadline(), self.b.link.deadline()];
        let next = times.into_iter().flatten().min().unwrap_or(limit).max(self.now);
        if next > limit || times == [None; 3] {
            return false;
        }
        self.at_this_time = if next > self.now { 0 } else { self.at_this_time + 1 };
        assert!(
            self.at_this_time < 100_000,
            "time stands still: {:?} {:?}",
            self.a.link,
            self.b.link
        );
        self.now = next;
        self.network.step(self.now);
        self.a.receive(self.now);
        self.b.receive(self.now);
        true
    }

    /// Until nothing has happened for `time`.
    pub(crate) fn run_for(&mut self, time: Duration) {
        let limit = self.now + time;
        while self.step(limit) {}
        self.now = limit;
        self.network.step(limit);
    }

    pub(crate) fn run_until(&mut self, mut done: impl FnMut(&mut Self) -> bool) {
        let limit = self.now + Duration::from_secs(3600);
        while !done(self) {
            let goes_on = self.step(limit);
            assert!(goes_on || done(self), "still not done: {:?} {:?}", self.a.link, self.b.link);
        }
    }
}
