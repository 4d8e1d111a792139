//! Bodies that have been sent and are not known to have arrived.

use std::collections::VecDeque;
use std::time::Duration;

use super::event::Undelivered;
use super::outgoing::{Body, whole_messages};
use super::packet::{Acks, MOST_BODIES_UNDER_WAY, PacketError};

/// A transmission counts as lost when this many later ones have arrived.
// TUNE: 3, as in TCP and QUIC.
pub(super) const OVERTAKEN: u64 = 3;

/// How many bodies are sent again at once when time has run out, before anything is acknowledged.
// TUNE: 2, a guess: a probe and one in reserve.
const PROBES: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PacketState {
    UnderWay,
    Lost,
    /// Behind one that is missing: not delivered yet, so it is kept.
    Early,
}

#[derive(Debug)]
struct Sent {
    body: Body,
    transmission: u64,
    at: Duration,
    state: PacketState,
}

/// What acknowledgements have brought.
#[derive(Debug, Default)]
pub(super) struct Acked {
    /// Buffers of bodies that have arrived, to be used again.
    pub(super) buffers: Vec<Vec<u8>>,
    /// Time of a round trip.
    pub(super) sample: Option<Duration>,
    /// Whether any body was not known to have arrived.
    pub(super) progress: bool,
}

#[derive(Debug)]
pub(super) struct Window {
    /// Number of the first body in `sent`.
    first: u64,
    sent: VecDeque<Sent>,
    /// Bytes in `sent`.
    bytes: usize,
    /// How many in `sent` had room for more.
    small: usize,
    limit: usize,
    /// Bytes of all bodies so far, and up to where the other side allows them.
    total: u64,
    credit: u64,
    transmissions: u64,
    lost: usize,
    /// How many lost ones may be sent again now.
    allowance: usize,
    timed_from: Duration,
    /// Time has run out, and nothing has been acknowledged since.
    ran_out: bool,
}

impl Window {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            first: 0,
            sent: VecDeque::new(),
            bytes: 0,
            small: 0,
            limit,
            total: 0,
            credit: 0,
            transmissions: 0,
            lost: 0,
            allowance: usize::MAX,
            timed_from: Duration::ZERO,
            ran_out: false,
        }
    }

    /// How many bodies that had room for more are not known to have been delivered.
    pub(super) fn small(&self) -> usize {
        self.small
    }

    /// Whether the other side may be out of reach.
    pub(super) fn has_run_out(&self) -> bool {
        self.ran_out
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// The other side takes no more under way than this.
    pub(super) fn narrow(&mut self, window: usize) {
        self.limit = self.limit.min(window);
    }

    pub(super) fn grant(&mut self, credit: u64) {
        self.credit = self.credit.max(credit);
    }

    /// Whether a body of so many bytes may go. One always may, so that two sides that disagree do
    /// not wait forever.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        let allowed = self.bytes + bytes <= self.limit
            && self.total.saturating_add(bytes as u64) <= self.credit
            && self.sent.len() < MOST_BODIES_UNDER_WAY;
        allowed || self.sent.is_empty()
    }

    /// Whether large messages leave half of the window to small ones, even if another body of
    /// fragments goes.
    pub(super) fn has_room_for_fragments(&self, bytes: usize) -> bool {
        self.bytes + bytes <= self.limit / 2 || self.sent.is_empty()
    }

    /// Sends a body for the first time: its number and transmission.
    pub(super) fn send(&mut self, body: Body, now: Duration) -> (u64, u64, &Body) {
        if self.sent.is_empty() {
            self.timed_from = now;
        }
        self.transmissions += 1;
        self.bytes += body.records.len();
        self.small += usize::from(body.has_room);
        self.total += body.records.len() as u64;
        let transmission = self.transmissions;
        self.sent.push_back(Sent { body, transmission, at: now, state: PacketState::UnderWay });
        let last = self.sent.len() - 1;
        (self.first + last as u64, transmission, &self.sent[last].body)
    }

    /// Sends a lost one again, if any may.
    pub(super) fn send_again(&mut self, now: Duration) -> Option<(u64, u64, &Body)> {
        if self.lost == 0 || self.allowance == 0 {
            return None;
        }
        let index = self.sent.iter().position(|sent| sent.state == PacketState::Lost)?;
        self.lost -= 1;
        self.allowance -= 1;
        self.transmissions += 1;
        let sent = &mut self.sent[index];
        (sent.transmission, sent.at, sent.state) = (self.transmissions, now, PacketState::UnderWay);
        Some((self.first + index as u64, sent.transmission, &sent.body))
    }

    /// Whether [`send_again`](Self::send_again) has something.
    pub(super) fn owes(&self) -> bool {
        self.lost > 0 && self.allowance > 0
    }

    /// Since when the wait for an acknowledgement is timed: the last one, or the first body behind
    /// it.
    pub(super) fn timed_from(&self) -> Option<Duration> {
        (!self.sent.is_empty()).then_some(self.timed_from)
    }

    /// Time has run out: all that is under way counts as lost, and is sent again slowly.
    pub(super) fn time_out(&mut self, now: Duration) {
        (self.timed_from, self.ran_out) = (now, true);
        for sent in &mut self.sent {
            if sent.state == PacketState::UnderWay {
                sent.state = PacketState::Lost;
                self.lost += 1;
            }
        }
        self.allowance = PROBES;
    }

    /// # Errors
    /// They acknowledge what was never sent; nothing has changed then.
    pub(super) fn acknowledge(
        &mut self,
        acks: &Acks<'_>,
        now: Duration,
    ) -> Result<Acked, PacketError> {
        let end = self.first + self.sent.len() as u64;
        let early_end = acks.early_numbers().last().map_or(0, |last| last.saturating_add(1));
        if acks.next.max(early_end) > end || acks.newest > self.transmissions {
            return Err(PacketError::NeverSent);
        }
        self.grant(acks.credit);
        let mut acked = Acked::default();
        let mut fresh = 0;
        while self.first < acks.next {
            let Some(sent) = self.sent.pop_front() else { break };
            self.first += 1;
            self.bytes -= sent.body.records.len();
            self.small -= usize::from(sent.body.has_room);
            fresh += usize::from(sent.state != PacketState::Early);
            self.lost -= usize::from(sent.state == PacketState::Lost);
            if sent.transmission == acks.newest && sent.state != PacketState::Early {
                acked.sample = Some(now.saturating_sub(sent.at));
            }
            acked.buffers.push(sent.body.records);
        }
        for number in acks.early_numbers().filter(|&number| number >= self.first) {
            let sent = &mut self.sent[(number - self.first) as usize];
            if sent.state != PacketState::Early {
                fresh += 1;
                self.lost -= usize::from(sent.state == PacketState::Lost);
                sent.state = PacketState::Early;
                if sent.transmission == acks.newest {
                    acked.sample = Some(now.saturating_sub(sent.at));
                }
            }
        }
        acked.progress = fresh > 0;
        if acked.progress {
            (self.timed_from, self.ran_out) = (now, false);
        }
        self.allowance = self.allowance.saturating_add(2 * fresh);
        // Without a gap there is nothing to look for.
        if !acks.early.is_empty() || acks.newest > 0 && self.overtaken(acks.newest) {
            self.find_lost(acks.newest);
        }
        if self.lost == 0 && fresh > 0 {
            self.allowance = usize::MAX;
        }
        Ok(acked)
    }

    fn overtaken(&self, newest: u64) -> bool {
        self.sent.front().is_some_and(|first| first.transmission + OVERTAKEN <= newest)
    }

    fn find_lost(&mut self, newest: u64) {
        for sent in &mut self.sent {
            if sent.state == PacketState::UnderWay && sent.transmission + OVERTAKEN <= newest {
                sent.state = PacketState::Lost;
                self.lost += 1;
            }
        }
    }

    /// All messages that may not have arrived, those of each channel in order.
    pub(super) fn take_all(&mut self, gone: &mut Vec<Undelivered>) {
        for Sent { body, .. } in self.sent.drain(..) {
            gone.extend(whole_messages(&body.records));
            gone.extend(body.finished);
        }
        (self.bytes, self.small, self.lost) = (0, 0, 0);
    }
}
