//! What has been pushed and not been sent: bodies of small messages, and what is held.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Undelivered;
use super::held::Held;
use super::packet::{PAUSE, RECORD_HEAD, RESUME, Record, Records};
use super::packet::{put_leave, put_signal, put_whole};

/// How many emptied buffers are kept for the next bodies.
// TUNE: 16, a guess: a megabyte for packets of 64 kB.
const SPARE_BUFFERS: usize = 16;

/// A body: what one packet brings, once, however often that is sent.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) records: Vec<u8>,
    /// Whether more small messages would have had room in it.
    pub(super) has_room: bool,
    /// The large messages whose last fragments are in it.
    pub(super) finished: Vec<Undelivered>,
}

/// A place among all that is pushed, on whatever channel.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// So many messages have been held before.
    held: u64,
    /// So many bodies of small messages go before.
    bodies: u64,
    /// Whether some of those messages were held when it was looked at last.
    was_held: bool,
}

/// The sending side, up to the window.
#[derive(Debug)]
pub(super) struct Outgoing {
    limit: usize,
    small: usize,
    /// The body that small messages are written into.
    open: Vec<u8>,
    /// Full ones, oldest first.
    sealed: VecDeque<Vec<u8>>,
    sealed_bytes: usize,
    /// How many bodies of small messages have gone.
    gone: u64,
    held: Held,
    /// Signals for the other side: they go first.
    signals: Vec<u8>,
    /// Whether it is the turn of fragments, where there are both.
    fragments_next: bool,
    /// Limit of the other side for messages in part.
    room: usize,
    leaving: bool,
    leave_sent: bool,
    spare: Vec<Vec<u8>>,
}

impl Outgoing {
    /// `limit`: bytes of a body; `small`: up to which length messages are written into it whole.
    pub(super) fn new(limit: usize, small: usize, room: usize, pressed_at: usize) -> Self {
        Self {
            limit,
            small,
            open: Vec::new(),
            sealed: VecDeque::new(),
            sealed_bytes: 0,
            gone: 0,
            held: Held::new(small, pressed_at),
            signals: Vec::new(),
            fragments_next: false,
            room,
            leaving: false,
            leave_sent: false,
            spare: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, channel: u64, message: &[u8]) {
        if message.len() > self.small || !self.held.is_empty() && self.held.holds(channel) {
            self.hold(channel, message.to_vec());
        } else {
            self.write(channel, message);
        }
    }

    /// As [`push`](Self::push), without a copy of a large message.
    pub(super) fn push_owned(&mut self, channel: u64, message: Vec<u8>) {
        if message.len() > self.small {
            self.hold(channel, message);
        } else {
            self.push(channel, &message);
        }
    }

    #[cold]
    fn hold(&mut self, channel: u64, message: Vec<u8>) {
        let behind = self.behind();
        self.held.push(channel, message, behind);
    }

    /// How many bodies of small messages have to go until all that is in them now has gone.
    fn behind(&self) -> u64 {
        behind(self.gone, &self.sealed, &self.open)
    }

    #[inline]
    fn write(&mut self, channel: u64, message: &[u8]) {
        if self.open.len() + RECORD_HEAD + message.len() > self.limit {
            self.seal();
        }
        put_whole(&mut self.open, channel, message);
    }

    #[cold]
    fn seal(&mut self) {
        if !self.open.is_empty() {
            let fresh = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.limit));
            self.sealed_bytes += self.open.len();
            self.sealed.push_back(std::mem::replace(&mut self.open, fresh));
        }
    }

    /// Bytes that wait to be sent.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.sealed_bytes + self.open.len() + self.held.bytes()
    }

    /// Those of them that are in bodies: they wait for nothing but their turn.
    #[inline]
    pub(super) fn bytes_in_bodies(&self) -> usize {
        self.sealed_bytes + self.open.len()
    }

    pub(super) fn is_channel_pressed(&self, channel: u64) -> bool {
        !self.held.is_empty() && self.held.is_pressed(channel)
    }

    pub(super) fn take_relieved(&mut self) -> Vec<u64> {
        self.held.take_relieved()
    }

    /// Where what is pushed next will be.
    pub(super) fn place(&self) -> Place {
        Place { held: self.held.number(), bodies: self.behind(), was_held: true }
    }

    /// Whether what was in bodies has been sent that had been pushed before that place was asked
    /// for.
    pub(super) fn are_bodies_before(&self, place: &Place) -> bool {
        self.gone < place.bodies && self.bytes_in_bodies() > 0
    }

    /// Whether anything has not been sent that was pushed before that.
    pub(super) fn is_anything_before(&self, place: &mut Place) -> bool {
        if self.held.holds_any_of(place.held) {
            place.was_held = true;
            return true;
        }
        if std::mem::take(&mut place.was_held) {
            // What was held may be in these, and may have to be held again.
            place.bodies = self.behind();
        }
        self.are_bodies_before(place)
    }

    pub(super) fn signal_pause(&mut self, channel: u64, paused: bool) {
        put_signal(&mut self.signals, if paused { PAUSE } else { RESUME }, channel);
    }

    /// Limits of the other side: gives back what is above them.
    pub(super) fn learn_limits(&mut self, largest: usize, room: usize) -> Vec<Undelivered> {
        self.room = room;
        let mut gone = Vec::new();
        self.held.remove_larger(largest, &mut gone);
        self.take_out(
            |_, message| message.len() <= largest,
            |channel, message| {
                gone.push(Undelivered { channel, message: message.to_vec() });
            },
        );
        self.with_open(|held, behind, open| held.restart(behind, open));
        gone
    }

    /// The other side wants these channels held back (`true`), or to go on.
    pub(super) fn set_paused(&mut self, changes: &BTreeMap<u64, bool>) {
        let paused: BTreeSet<u64> =
            changes.iter().filter(|(_, paused)| **paused).map(|(&channel, _)| channel).collect();
        if !paused.is_empty() {
            let mut back: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
            self.take_out(
                |channel, _| !paused.contains(&channel),
                |channel, message| {
                    back.entry(channel).or_default().push(message.to_vec());
                },
            );
            for &channel in &paused {
                self.held.pause(channel);
                if let Some(messages) = back.remove(&channel) {
                    self.held.put_back(channel, messages);
                }
            }
        }
        for (&channel, _) in changes.iter().filter(|(_, paused)| !**paused) {
            self.with_open(|held, behind, open| {
                held.resume(channel, behind, |message| open(channel, message));
            });
        }
    }

    pub(super) fn paused(&self) -> usize {
        self.held.paused()
    }

    /// Removes messages from the bodies that have not gone.
    fn take_out(&mut self, keep: impl Fn(u64, &[u8]) -> bool, mut taken: impl FnMut(u64, &[u8])) {
        for body in self.sealed.iter_mut().chain([&mut self.open]) {
            let all_stay = Records::new(body).all(|record| match record {
                Record::Whole { channel, bytes } => keep(channel, bytes),
                _ => true,
            });
            if all_stay {
                continue;
            }
            let mut kept = Vec::with_capacity(self.limit);
            for record in Records::new(body) {
                if let Record::Whole { channel, bytes } = record {
                    if keep(channel, bytes) {
                        put_whole(&mut kept, channel, bytes);
                    } else {
                        taken(channel, bytes);
                    }
                }
            }
            *body = kept;
        }
        self.sealed_bytes = self.sealed.iter().map(Vec::len).sum();
    }

    /// Calls `run` with what it takes to write messages that were held.
    fn with_open(
        &mut self,
        run: impl FnOnce(&mut Held, &dyn Fn() -> u64, &mut dyn FnMut(u64, &[u8])),
    ) {
        let mut held = std::mem::replace(&mut self.held, Held::new(self.small, usize::MAX));
        let this = std::cell::RefCell::new(self);
        run(&mut held, &|| this.borrow().behind(), &mut |channel, message| {
            this.borrow_mut().write(channel, message);
        });
        this.into_inner().held = held;
    }

    /// Nothing is pushed any more: the end is told when all has gone.
    pub(super) fn leave(&mut self) {
        self.leaving = true;
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Whether the end has been told.
    pub(super) fn has_left(&self) -> bool {
        self.leave_sent
    }

    /// Whether [`next_body`](Self::next_body) has one.
    pub(super) fn is_ready(&self, fragments: bool, waits: bool) -> bool {
        let small = self.sealed_bytes > 0 || self.open_goes(waits);
        let large = fragments && self.held.can_go();
        !self.signals.is_empty() || small || large || self.owes_leave()
    }

    /// Whether the open body may go as it is. Large messages may have to wait until it has.
    fn open_goes(&self, waits: bool) -> bool {
        !self.open.is_empty() && (!waits || !self.held.is_empty())
    }

    fn owes_leave(&self) -> bool {
        self.leaving && !self.leave_sent && !self.held.has_messages()
    }

    /// The next body: signals, then small messages and fragments in turn. `fragments`: whether
    /// these may go. `waits`: small messages that fill no body do not.
    pub(super) fn next_body(&mut self, fragments: bool, waits: bool) -> Option<Body> {
        if !self.signals.is_empty() {
            return Some(Body { records: self.next_signals(), ..Body::default() });
        }
        while self.sealed.front().is_some_and(Vec::is_empty) {
            self.sealed.pop_front();
            self.gone += 1;
        }
        let is_any_small = !self.sealed.is_empty() || !self.open.is_empty();
        let small = !self.sealed.is_empty() || self.open_goes(waits);
        if !self.held.is_empty() {
            self.held.begin(self.gone, !is_any_small, self.room);
            if fragments && self.held.is_cutting() && (self.fragments_next || !small) {
                self.fragments_next = false;
                return Some(self.fragments());
            }
        }
        self.fragments_next = true;
        if small {
            let has_room = self.sealed.is_empty();
            return Some(Body { records: self.small_messages(), has_room, ..Body::default() });
        }
        if self.owes_leave() {
            self.leave_sent = true;
            let mut records = Vec::new();
            put_leave(&mut records);
            return Some(Body { records, ..Body::default() });
        }
        None
    }

    fn next_signals(&mut self) -> Vec<u8> {
        if self.signals.len() <= self.limit {
            return std::mem::take(&mut self.signals);
        }
        let mut end = 0;
        let mut records = Records::new(&self.signals);
        while records.next().is_some() && self.signals.len() - records.rest().len() <= self.limit {
            end = self.signals.len() - records.rest().len();
        }
        let rest = self.signals.split_off(end);
        std::mem::replace(&mut self.signals, rest)
    }

    fn small_messages(&mut self) -> Vec<u8> {
        self.gone += 1;
        if let Some(body) = self.sealed.pop_front() {
            self.sealed_bytes -= body.len();
            return body;
        }
        if self.open.len() * 4 < self.open.capacity() {
            // A body that is kept until it is acknowledged shall not keep a large buffer for a few
            // bytes.
            let records = self.open.as_slice().to_vec();
            self.open.clear();
            return records;
        }
        let fresh = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.limit));
        std::mem::replace(&mut self.open, fresh)
    }

    fn fragments(&mut self) -> Body {
        let mut body = Body {
            records: self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.limit)),
            ..Body::default()
        };
        self.held.fill(&mut body.records, self.limit, &mut body.finished);
        for Undelivered { channel, .. } in &body.finished {
            self.with_open(|held, behind, open| {
                held.follow(*channel, behind, |message| open(*channel, message));
            });
        }
        body
    }

    /// Takes a body's buffer back for another one.
    pub(super) fn recycle(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() >= self.limit && self.spare.len() < SPARE_BUFFERS {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Everything that has not been sent, those of each channel in order.
    pub(super) fn take_all(&mut self, gone: &mut Vec<Undelivered>) {
        let open = std::mem::take(&mut self.open);
        for body in self.sealed.drain(..).chain([open]) {
            gone.extend(whole_messages(&body));
        }
        self.sealed_bytes = 0;
        gone.extend(self.held.take_all());
        self.signals.clear();
        self.spare.clear();
    }
}

fn behind(gone: u64, sealed: &VecDeque<Vec<u8>>, open: &[u8]) -> u64 {
    gone + sealed.len() as u64 + u64::from(!open.is_empty())
}

/// The messages of a body that are whole in it.
pub(super) fn whole_messages(records: &[u8]) -> impl Iterator<Item = Undelivered> {
    Records::new(records).filter_map(|record| match record {
        Record::Whole { channel, bytes } => Some(Undelivered { channel, message: bytes.to_vec() }),
        _ => None,
    })
}
