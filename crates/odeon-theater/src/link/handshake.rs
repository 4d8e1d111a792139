//! How two theaters come to know each other's epochs.

use std::time::Duration;

use super::Epoch;

/// How often a greeting is repeated: at first, and at most.
// TUNE: 20 ms doubling to 250 ms, a guess: below what anybody notices at first, one packet a
// heartbeat later.
const REPEAT: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(250));

/// What a greeting means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// It belongs to this link.
    Good,
    /// It belongs to an earlier link of the other side.
    Stale,
    /// The other side has begun another link.
    Newer,
}

#[derive(Debug)]
pub(super) struct Handshake {
    pub(super) mine: Epoch,
    /// The other side's epoch, once known.
    pub(super) theirs: Option<Epoch>,
    /// Whether the other side knows mine.
    pub(super) known: bool,
    /// Whether a greeting waits for its answer.
    answer: bool,
    at: Duration,
    repeat: Duration,
}

impl Handshake {
    pub(super) fn new(mine: Epoch, now: Duration) -> Self {
        Self { mine, theirs: None, known: false, answer: false, at: now, repeat: REPEAT.0 }
    }

    /// Somebody greets with `epoch`, and has `seen` that one of mine.
    pub(super) fn greeted(&mut self, epoch: Epoch, seen: Option<Epoch>, linked: bool) -> Greeting {
        if self.theirs.is_some_and(|theirs| epoch < theirs) {
            return Greeting::Stale;
        }
        if self.theirs != Some(epoch) {
            if linked {
                return Greeting::Newer;
            }
            (self.theirs, self.known) = (Some(epoch), false);
        }
        self.known |= seen == Some(self.mine);
        self.answer |= seen != Some(self.mine);
        Greeting::Good
    }

    /// Whether both sides know enough.
    pub(super) fn is_done(&self) -> bool {
        self.known && self.theirs.is_some()
    }

    /// When the next greeting goes, as long as there is no link.
    pub(super) fn at(&self) -> Duration {
        if self.answer { Duration::ZERO } else { self.at }
    }

    /// A greeting goes.
    pub(super) fn greet(&mut self, now: Duration) {
        self.answer = false;
        self.at = now.saturating_add(self.repeat);
        self.repeat = (self.repeat * 2).min(REPEAT.1);
    }
}
