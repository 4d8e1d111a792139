//! Packets out of a link, and what time brings.

use std::time::Duration;

use super::Secret;
use super::liveness::Silence;
use super::packet::{Hello, RefusalPacket};
use super::packet::{write_acks, write_body, write_goodbye, write_hello, write_refusal};
use super::window::OVERTAKEN;
use super::{Answer, End, Event, Link, LinkState, Sink};

/// How many bodies that had room for more may be under way when another one goes. One and those
/// that overtake it: if it is lost they say so, and nobody has to wait for the time to run out.
// TUNE: measured 2026-11 with 160 rings over four theaters: 2.75 us a hop without a limit, 1.9 with
// 2 or 4.
const MOST_SMALL_UNDER_WAY: usize = OVERTAKEN as usize + 1;

impl Link {
    /// The next packet to be sent, written into `packet` (what was in it is gone): `false` if there
    /// is none now.
    pub fn poll(&mut self, now: Duration, packet: &mut Vec<u8>, sink: &mut impl Sink) -> bool {
        packet.clear();
        if self.config.secret.is_some() {
            Secret::begin(packet);
        }
        if !self.has_ended() {
            match self.liveness.look(now) {
                Silence::Short => {}
                Silence::Suspicious(silence) => sink.event(Event::Suspected(silence)),
                Silence::Deadly => self.end(End::Silent, Answer::Goodbye, false, sink),
            }
        }
        self.relieve(sink);
        let written = match self.state {
            LinkState::Ended { answer, due } => due && self.answer(answer, packet),
            LinkState::Greeting => self.greet(now, packet),
            LinkState::Linked => self.next_body(now, packet) || self.sign_of_life(now, packet),
        };
        if written {
            self.last_sent = now;
            if let Some(secret) = &self.config.secret {
                secret.seal(self.me, self.peer, self.seals.next(), packet);
            }
        }
        written
    }

    /// When [`poll`](Self::poll) is to be called again, if nothing is pushed or received before; a
    /// time that has passed means at once. `None` after the end.
    pub fn deadline(&self) -> Option<Duration> {
        match self.state {
            LinkState::Ended { due, .. } => due.then_some(Duration::ZERO),
            LinkState::Greeting => Some(self.handshake.at().min(self.liveness.deadline())),
            LinkState::Linked => {
                let body = self.config.body();
                let sends = self.window.owes()
                    || self.window.has_room(body)
                        && self
                            .outgoing
                            .is_ready(self.window.has_room_for_fragments(body), self.waits());
                let times = [
                    sends.then_some(Duration::ZERO),
                    self.incoming.ack_at(),
                    self.resend_at(),
                    Some(self.last_sent.saturating_add(self.config.heartbeat)),
                    Some(self.liveness.deadline()),
                ];
                times.into_iter().flatten().min()
            }
        }
    }

    fn resend_at(&self) -> Option<Duration> {
        Some(self.window.timed_from()?.saturating_add(self.round_trip.time_out()))
    }

    fn answer(&mut self, answer: Answer, packet: &mut Vec<u8>) -> bool {
        self.state = LinkState::Ended { answer, due: false };
        match (answer, self.route()) {
            (Answer::Refusal(refusal), _) => {
                write_refusal(packet, &RefusalPacket::new(self.me, self.peer, refusal));
            }
            (Answer::Acks, Some(route)) => write_acks(packet, route, &self.incoming.acks()),
            (Answer::Goodbye, Some(route)) => write_goodbye(packet, route),
            (Answer::Nothing, _) | (_, None) => return false,
        }
        true
    }

    fn greet(&mut self, now: Duration, packet: &mut Vec<u8>) -> bool {
        let due = self.handshake.at() <= now;
        if due {
            self.handshake.greet(now);
            let hello = Hello {
                to: self.peer,
                from: self.me,
                epoch: self.handshake.mine,
                seen: self.handshake.theirs,
                cluster: &self.config.cluster,
                limits: self.config.limits(),
            };
            write_hello(packet, &hello);
        }
        due
    }

    /// PROTOCOL 6: whether small messages that fill no body wait for others.
    fn waits(&self) -> bool {
        let is_crowded = self.window.small() >= MOST_SMALL_UNDER_WAY;
        is_crowded && !self.window.has_run_out() && !self.outgoing.is_leaving()
    }

    /// PROTOCOL 4, 6, 7.
    fn next_body(&mut self, now: Duration, packet: &mut Vec<u8>) -> bool {
        let Some(route) = self.route() else { return false };
        if self.resend_at().is_some_and(|at| at <= now) {
            self.window.time_out(now);
            self.round_trip.ran_out();
        }
        if let Some((number, transmission, body)) = self.window.send_again(now) {
            let acks = self.incoming.acks();
            write_body(packet, route, &acks, number, transmission, &body.records);
            return true;
        }
        if !self.window.has_room(self.config.body()) {
            return false;
        }
        let fragments = self.window.has_room_for_fragments(self.config.body());
        let Some(body) = self.outgoing.next_body(fragments, self.waits()) else { return false };
        let (number, transmission, body) = self.window.send(body, now);
        let acks = self.incoming.acks();
        write_body(packet, route, &acks, number, transmission, &body.records);
        true
    }

    /// Bodies become fewer when one is sent, and when a channel is paused: what was in them is held
    /// then.
    fn relieve(&mut self, sink: &mut impl Sink) {
        if self.pressed && self.outgoing.bytes_in_bodies() <= self.config.pressed_at / 2 {
            self.pressed = false;
            sink.event(Event::Relieved);
        }
        for channel in self.outgoing.take_relieved() {
            sink.event(Event::ChannelRelieved(channel));
        }
    }

    fn sign_of_life(&mut self, now: Duration, packet: &mut Vec<u8>) -> bool {
        let due = self.incoming.ack_at().is_some_and(|at| at <= now)
            || self.last_sent.saturating_add(self.config.heartbeat) <= now;
        match self.route() {
            Some(route) if due => {
                write_acks(packet, route, &self.incoming.acks());
                true
            }
            _ => false,
        }
    }
}
