//! Packets into a link.

use std::collections::BTreeMap;
use std::time::Duration;

use super::handshake::Greeting;
use super::incoming::Reception;
use super::packet::{Acks, Hello, Packet, PacketError, Record, Records, Refusal, Route};
use super::{Answer, End, Event, Link, LinkState, MOST_PAUSES, Sink, Violation};

impl Link {
    /// Takes a packet that has come. Messages and events go to `sink`.
    ///
    /// # Errors
    /// If the packet is none that this link can take: it has changed nothing then, and can be
    /// dropped.
    pub fn receive(
        &mut self,
        packet: &[u8],
        now: Duration,
        sink: &mut impl Sink,
    ) -> Result<(), PacketError> {
        // At first: what is longer is neither looked through for its seal nor kept.
        if packet.len() > self.config.largest_incoming() {
            return Err(PacketError::TooLarge { limit: self.config.largest_incoming() });
        }
        let packet = match &self.config.secret {
            Some(secret) => {
                let (count, packet) = secret.open(self.peer, self.me, packet)?;
                self.seals.opened(count);
                packet
            }
            None => packet,
        };
        match Packet::read(packet) {
            Ok(Packet::Hello(hello)) => self.hello(&hello, now, sink),
            Ok(Packet::Refusal(refusal)) => {
                if (refusal.to, refusal.from) != (self.me, self.peer) {
                    return Err(PacketError::OtherTheater);
                }
                if self.state == LinkState::Greeting {
                    let end = End::RefusedByPeer(refusal.refusal());
                    self.end(end, Answer::Nothing, false, sink);
                }
                Ok(())
            }
            Ok(Packet::Body { route, acks, number, transmission, records }) => {
                if self.take_acks(route, &acks, now, sink)? {
                    self.body(number, transmission, records, now, sink);
                }
                Ok(())
            }
            Ok(Packet::Acks { route, acks }) => {
                self.take_acks(route, &acks, now, sink)?;
                Ok(())
            }
            Ok(Packet::Goodbye { route }) => {
                self.check_route(route)?;
                if !self.has_ended() {
                    self.end(End::GivenUp, Answer::Nothing, false, sink);
                }
                Ok(())
            }
            Err(PacketError::OtherVersion { ours, theirs, hello: true }) => self
                .refuse(Refusal::OtherVersion { ours, theirs }, sink)
                .ok_or(PacketError::OtherVersion { ours, theirs, hello: true }),
            Err(error) => Err(error),
        }
    }

    /// Refuses who is not linked yet, and says so again to who has been refused.
    fn refuse(&mut self, refusal: Refusal, sink: &mut impl Sink) -> Option<()> {
        match &mut self.state {
            LinkState::Greeting => {
                self.end(End::Refused(refusal), Answer::Refusal(refusal), true, sink);
            }
            LinkState::Ended { answer: Answer::Refusal(_), due } => *due = true,
            LinkState::Linked | LinkState::Ended { .. } => return None,
        }
        Some(())
    }

    fn hello(
        &mut self,
        hello: &Hello<'_>,
        now: Duration,
        sink: &mut impl Sink,
    ) -> Result<(), PacketError> {
        if (hello.to, hello.from) != (self.me, self.peer) {
            return Err(PacketError::OtherTheater);
        }
        if hello.cluster != self.config.cluster {
            let refused = self.refuse(Refusal::OtherCluster, sink);
            return refused.ok_or(PacketError::OtherEpoch);
        }
        if self.has_ended() {
            return Err(PacketError::OtherEpoch);
        }
        let theirs = self.handshake.theirs;
        let greeting = self.handshake.greeted(hello.epoch, hello.seen, self.is_linked());
        if self.handshake.theirs != theirs {
            self.seals.of_another_link();
        }
        match greeting {
            Greeting::Stale => return Err(PacketError::OtherEpoch),
            Greeting::Newer => {
                self.end(End::Superseded, Answer::Nothing, false, sink);
                return Ok(());
            }
            Greeting::Good => {}
        }
        self.hear(now, sink);
        if self.is_linked() {
            // It greets still, so it may not know that it is known.
            self.incoming.acknowledge_at_once(now);
            return Ok(());
        }
        self.limits = hello.limits;
        self.link_if_done(now, sink);
        Ok(())
    }

    /// PROTOCOL 1.
    fn link_if_done(&mut self, now: Duration, sink: &mut impl Sink) {
        if self.state != LinkState::Greeting || !self.handshake.is_done() {
            return;
        }
        self.state = LinkState::Linked;
        let theirs = self.limits.largest_message.min(self.limits.assembly);
        self.largest = self.largest.min(usize::try_from(theirs).unwrap_or(usize::MAX));
        self.window.narrow(usize::try_from(self.limits.window).unwrap_or(usize::MAX));
        self.window.grant(self.limits.window);
        self.incoming.acknowledge_at_once(now);
        sink.event(Event::Linked);
        let room = usize::try_from(self.limits.assembly).unwrap_or(usize::MAX);
        for undelivered in self.outgoing.learn_limits(self.largest, room) {
            sink.event(Event::TooLarge(undelivered));
        }
    }

    fn check_route(&self, route: Route) -> Result<(), PacketError> {
        if route.theaters != Route::digest(self.peer, self.me) {
            return Err(PacketError::OtherTheater);
        }
        if route.to != self.handshake.mine || Some(route.from) != self.handshake.theirs {
            return Err(PacketError::OtherEpoch);
        }
        Ok(())
    }

    fn hear(&mut self, now: Duration, sink: &mut impl Sink) {
        if !self.seals.is_new() {
            return;
        }
        if self.liveness.hear(now) {
            self.round_trip.goes_on();
            sink.event(Event::Cleared);
        }
    }

    /// Whether the rest of the packet is to be looked at.
    fn take_acks(
        &mut self,
        route: Route,
        acks: &Acks<'_>,
        now: Duration,
        sink: &mut impl Sink,
    ) -> Result<bool, PacketError> {
        self.check_route(route)?;
        if let LinkState::Ended { due, .. } = &mut self.state {
            *due = true;
            return Ok(false);
        }
        let acked = self.window.acknowledge(acks, now)?;
        self.hear(now, sink);
        self.handshake.known = true;
        self.link_if_done(now, sink);
        if acked.progress {
            self.round_trip.goes_on();
        }
        if let Some(sample) = acked.sample {
            self.round_trip.sample(sample);
        }
        for buffer in acked.buffers {
            self.outgoing.recycle(buffer);
        }
        if self.outgoing.has_left() && self.window.is_empty() {
            self.end(End::Departed, Answer::Nothing, false, sink);
            return Ok(false);
        }
        Ok(true)
    }

    /// PROTOCOL 2.
    fn body(
        &mut self,
        number: u64,
        transmission: u64,
        records: &[u8],
        now: Duration,
        sink: &mut impl Sink,
    ) {
        let delay = self.config.ack_delay;
        if self.incoming.place(number, transmission, records, now, delay) == Reception::NotNow {
            return;
        }
        self.deliver_or_end(records, sink);
        while !self.has_ended() {
            let Some(records) = self.incoming.take_early() else { return };
            self.deliver_or_end(&records, sink);
        }
    }

    fn deliver_or_end(&mut self, records: &[u8], sink: &mut impl Sink) {
        match self.deliver(records, sink) {
            Ok(false) => {}
            Ok(true) => self.end(End::Left, Answer::Acks, true, sink),
            Err(violation) => {
                self.end(End::Violation(violation), Answer::Goodbye, true, sink);
            }
        }
    }

    /// Whether the other side has left with it.
    fn deliver(&mut self, records: &[u8], sink: &mut impl Sink) -> Result<bool, Violation> {
        let mut pauses = BTreeMap::new();
        for record in Records::new(records) {
            match record {
                Record::Whole { channel, bytes } => {
                    if bytes.len() > self.config.largest_message {
                        return Err(Violation::TooLarge);
                    }
                    if self.assembly.is_amid(channel) {
                        return Err(Violation::Fragments);
                    }
                    sink.message(channel, bytes);
                }
                Record::First { channel, total, bytes } => {
                    self.assembly.begin(channel, total, bytes)?;
                }
                Record::More { channel, bytes } => {
                    if let Some(message) = self.assembly.more(channel, bytes)? {
                        sink.large_message(channel, message);
                    }
                }
                Record::Pause { channel } => drop(pauses.insert(channel, true)),
                Record::Resume { channel } => drop(pauses.insert(channel, false)),
                Record::Leave => return Ok(true),
            }
        }
        if !pauses.is_empty() {
            let more = pauses.values().filter(|paused| **paused).count();
            if self.outgoing.paused() + more > MOST_PAUSES {
                return Err(Violation::TooManyPauses);
            }
            self.outgoing.set_paused(&pauses);
        }
        Ok(false)
    }
}
