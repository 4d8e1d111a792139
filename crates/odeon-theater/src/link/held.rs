//! Messages that do not go straight into the open body: large ones, those behind a large one of
//! their channel, and those of channels that the other side holds back.

use std::collections::{BTreeMap, VecDeque};

use super::Undelivered;
use super::packet::{RECORD_HEAD, put_fragment};

/// How many large messages are cut at a time, at most. Both sides know it.
pub(super) const MOST_PARTS: usize = 1024;

/// With less room than this left in it, a body goes.
const SHORTEST_FRAGMENT: usize = 256;

/// A channel of which messages are held. Exists while there are any, and while the channel is
/// paused.
#[derive(Debug, Default)]
struct Channel {
    messages: VecDeque<Message>,
    /// Bytes of them that have not been sent.
    bytes: usize,
    /// Whether that is so much that whoever pushes more should wait.
    pressed: bool,
    /// Whether the first message is being cut: it is sent to its end, even if the channel is paused
    /// meanwhile.
    begun: bool,
    /// How much of it has been sent.
    sent: usize,
    /// The first message goes when this many bodies of small messages have gone, since earlier
    /// messages of the channel may be in those.
    behind: u64,
    paused: bool,
}

#[derive(Debug)]
struct Message {
    bytes: Vec<u8>,
    /// The so manieth that has been held; 0: it has been put back.
    number: u64,
}

/// All such channels, by number.
#[derive(Debug)]
pub(super) struct Held {
    channels: BTreeMap<u64, Channel>,
    /// Channels whose first message is being cut, next one first.
    cut: VecDeque<u64>,
    /// Lengths of the messages that are being cut.
    cut_bytes: usize,
    /// Channels whose first message is large and waits to be cut.
    waiting: VecDeque<u64>,
    bytes: usize,
    messages: usize,
    paused: usize,
    small: usize,
    /// How many have been held so far.
    number: u64,
    /// A channel is pressed with so many bytes, until half of them are left.
    pressed_at: usize,
    /// Channels that are not pressed any more.
    relieved: Vec<u64>,
}

impl Held {
    pub(super) fn new(small: usize, pressed_at: usize) -> Self {
        Self {
            channels: BTreeMap::new(),
            cut: VecDeque::new(),
            cut_bytes: 0,
            waiting: VecDeque::new(),
            bytes: 0,
            messages: 0,
            paused: 0,
            small,
            number: 0,
            pressed_at,
            relieved: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// Whether a message of the channel has to be pushed here.
    pub(super) fn holds(&self, channel: u64) -> bool {
        self.channels.contains_key(&channel)
    }

    /// Bytes that have not been sent.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether messages are held, not only channels paused.
    pub(super) fn has_messages(&self) -> bool {
        self.messages > 0
    }

    /// How many messages have been held so far.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether one is held that is none of the last, but of the first so many.
    pub(super) fn holds_any_of(&self, first: u64) -> bool {
        let mut fronts = self.channels.values().filter_map(|held| held.messages.front());
        fronts.any(|message| message.number <= first)
    }

    /// Whether so much of a channel is held that whoever pushes more should wait.
    pub(super) fn is_pressed(&self, channel: u64) -> bool {
        self.channels.get(&channel).is_some_and(|held| held.pressed)
    }

    /// Channels that have been pressed and are not any more.
    pub(super) fn take_relieved(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.relieved)
    }

    /// How many channels are paused.
    pub(super) fn paused(&self) -> usize {
        self.paused
    }

    pub(super) fn push(&mut self, channel: u64, message: Vec<u8>, behind: u64) {
        self.bytes += message.len();
        self.messages += 1;
        self.number += 1;
        let held = self.channels.entry(channel).or_default();
        held.bytes += message.len();
        held.pressed |= held.bytes >= self.pressed_at;
        held.messages.push_back(Message { bytes: message, number: self.number });
        if held.messages.len() == 1 {
            held.behind = behind;
            // A small one is first only where the channel is paused.
            if !held.paused {
                self.waiting.push_back(channel);
            }
        }
    }

    pub(super) fn pause(&mut self, channel: u64) {
        let held = self.channels.entry(channel).or_default();
        self.paused += usize::from(!held.paused);
        held.paused = true;
        if !held.begun {
            self.waiting.retain(|&waiting| waiting != channel);
        }
    }

    /// Messages of a paused channel that were in bodies which have not gone: they go before all
    /// others of it.
    pub(super) fn put_back(&mut self, channel: u64, messages: Vec<Vec<u8>>) {
        let held = self.channels.entry(channel).or_default();
        debug_assert!(!held.begun || messages.is_empty(), "nothing overtakes what is being cut");
        for message in messages.into_iter().rev() {
            self.bytes += message.len();
            self.messages += 1;
            held.bytes += message.len();
            held.messages.push_front(Message { bytes: message, number: 0 });
        }
        held.pressed |= held.bytes >= self.pressed_at;
    }

    /// Gives the small messages that can go on to `open`. Who comes to a large one waits to have it
    /// cut.
    pub(super) fn resume(
        &mut self,
        channel: u64,
        behind: impl Fn() -> u64,
        open: impl FnMut(&[u8]),
    ) {
        let Some(held) = self.channels.get_mut(&channel) else { return };
        if !held.paused {
            return;
        }
        held.paused = false;
        self.paused -= 1;
        if !held.begun {
            self.drain(channel, behind, open);
        }
    }

    fn drain(&mut self, channel: u64, behind: impl Fn() -> u64, mut open: impl FnMut(&[u8])) {
        let Some(held) = self.channels.get_mut(&channel) else { return };
        while !held.paused {
            let Some(first) = held.messages.front() else {
                let was_pressed = held.pressed;
                self.channels.remove(&channel);
                self.relieved.extend(was_pressed.then_some(channel));
                return;
            };
            if first.bytes.len() > self.small {
                held.behind = behind();
                self.waiting.push_back(channel);
                break;
            }
            self.bytes -= first.bytes.len();
            held.bytes -= first.bytes.len();
            self.messages -= 1;
            open(&first.bytes);
            held.messages.pop_front();
        }
        self.note_relief(channel);
    }

    /// Less of a channel is held than before.
    fn note_relief(&mut self, channel: u64) {
        let Some(held) = self.channels.get_mut(&channel) else { return };
        if held.pressed && held.bytes <= self.pressed_at / 2 {
            held.pressed = false;
            self.relieved.push(channel);
        }
    }

    /// Lets large messages begin as far as the other side has room for them. `gone`: bodies of
    /// small messages so far.
    pub(super) fn begin(&mut self, gone: u64, nothing_small: bool, room: usize) {
        while let Some(channel) = self.waiting.front() {
            let held = self.channels.get_mut(channel).expect("who waits is held");
            let length = held.messages[0].bytes.len();
            let fits = self.cut.is_empty() || self.cut_bytes + length <= room;
            let in_order = gone >= held.behind || nothing_small;
            if !fits || !in_order || self.cut.len() == MOST_PARTS {
                return;
            }
            held.begun = true;
            self.cut_bytes += length;
            self.cut.extend(self.waiting.pop_front());
        }
    }

    /// Whether there are large messages that need not wait for anything but small ones to go.
    pub(super) fn can_go(&self) -> bool {
        !self.cut.is_empty() || !self.waiting.is_empty()
    }

    pub(super) fn is_cutting(&self) -> bool {
        !self.cut.is_empty()
    }

    /// Fills `body` with fragments, those of different channels in turn. Messages that are wholly
    /// sent with it go into `finished`.
    pub(super) fn fill(
        &mut self,
        body: &mut Vec<u8>,
        limit: usize,
        finished: &mut Vec<Undelivered>,
    ) {
        while body.len() + RECORD_HEAD + SHORTEST_FRAGMENT < limit {
            let Some(channel) = self.cut.pop_front() else { return };
            let held = self.channels.get_mut(&channel).expect("what is cut is held");
            let message = &held.messages[0].bytes;
            let room = self.small.min(limit - body.len() - RECORD_HEAD);
            let end = message.len().min(held.sent + room);
            put_fragment(body, channel, message, held.sent, end);
            self.bytes -= end - held.sent;
            held.bytes -= end - held.sent;
            held.sent = end;
            let is_whole = end == message.len();
            self.note_relief(channel);
            if !is_whole {
                self.cut.push_back(channel);
                continue;
            }
            let held = self.channels.get_mut(&channel).expect("what is cut is held");
            self.cut_bytes -= end;
            self.messages -= 1;
            (held.begun, held.sent) = (false, 0);
            let message = held.messages.pop_front().expect("it was there").bytes;
            finished.push(Undelivered { channel, message });
        }
    }

    /// What follows a message that is wholly sent goes on.
    pub(super) fn follow(
        &mut self,
        channel: u64,
        behind: impl Fn() -> u64,
        open: impl FnMut(&[u8]),
    ) {
        self.drain(channel, behind, open);
    }

    /// Takes out the messages that are larger than that, none of which has begun.
    pub(super) fn remove_larger(&mut self, limit: usize, gone: &mut Vec<Undelivered>) {
        for (&channel, held) in &mut self.channels {
            let was_large = held.messages.front().is_some_and(|first| first.bytes.len() > limit);
            let (kept, removed) = std::mem::take(&mut held.messages)
                .into_iter()
                .partition::<VecDeque<_>, _>(|message| message.bytes.len() <= limit);
            held.messages = kept;
            debug_assert!(!held.begun || !was_large, "nothing is sent before limits are known");
            for Message { bytes: message, .. } in removed {
                self.bytes -= message.len();
                held.bytes -= message.len();
                self.messages -= 1;
                gone.push(Undelivered { channel, message });
            }
        }
    }

    /// Channels of which something is held, after [`remove_larger`](Self::remove_larger): begin
    /// anew.
    pub(super) fn restart(&mut self, behind: impl Fn() -> u64, mut open: impl FnMut(u64, &[u8])) {
        self.waiting.clear();
        let channels: Vec<u64> = self.channels.keys().copied().collect();
        for channel in channels {
            self.drain(channel, &behind, |message| open(channel, message));
        }
    }

    /// Everything, those of each channel in order.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = Undelivered> {
        (self.bytes, self.messages, self.paused) = (0, 0, 0);
        self.cut.clear();
        self.waiting.clear();
        let channels = std::mem::take(&mut self.channels).into_iter();
        channels.flat_map(|(channel, held)| {
            let messages = held.messages.into_iter();
            messages.map(move |message| Undelivered { channel, message: message.bytes })
        })
    }
}
