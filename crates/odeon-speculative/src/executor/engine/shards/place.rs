//! A place for messages of one shard, and what is counted in it.

use super::Phase;
use super::kept::PlaceAccount;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::board::How;
use crate::processing::pace::Pace;
use odeon_core::{ActorRef, Clock};

use std::sync::Arc;
use std::time::Duration;

/// See the module.
pub(crate) struct ShardPlace<A: SpeculativeActor> {
    pub(crate) state: Arc<A>,
    pub(crate) me: ActorRef<A::Msg>,
    pub(crate) how: How,
    /// How many messages may be handled in it from here on.
    pub(crate) left: usize,
    pub(crate) committed: u64,
    pub(super) turns: PlaceTurns,
}

impl<A: SpeculativeActor> ShardPlace<A> {
    /// As the shard with this number keeps it.
    pub(super) fn account(&self, number: u8) -> PlaceAccount {
        let Self { how, committed, turns, .. } = self;
        let handled = turns.messages - turns.left_before;
        PlaceAccount { number, how: *how, handled, committed: *committed, together: turns.together }
    }
}

/// The turns of a shard in which it has used its place: one, unless it has kept the place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceTurns {
    /// The phase in which the place was given.
    pub(super) phase: u64,
    /// How many messages it is for, and how many of them were left when the present turn began.
    messages: usize,
    left_before: usize,
    /// When that was, if the turn is timed.
    begun: Option<Duration>,
    /// Of the turns before: how many; how many of their messages came with others; and of those
    /// that were timed, how long they have taken, and for how many messages.
    count: u32,
    together: usize,
    timed: (Duration, usize),
}

/// TUNE: one in so many is timed: of the turns of a shard that has kept its place, and of callers'
/// messages.
pub(in super::super) const TIMED: u32 = 16;

impl PlaceTurns {
    pub(super) fn new(generation: u64, messages: usize) -> Self {
        Self {
            phase: Phase::of(generation),
            messages,
            left_before: messages,
            begun: None,
            count: 0,
            together: 0,
            timed: (Duration::ZERO, 0),
        }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self, clock: &dyn Clock) {
        self.begun = (self.count % TIMED == 0).then(|| clock.now());
    }

    /// The turn is over, and so many messages are left. Answers how many it has handled.
    pub(super) fn end(&mut self, left: usize, clock: &dyn Clock) -> usize {
        let handled = self.left_before - left;
        if let Some(begun) = self.begun.take().filter(|_| handled > 0) {
            self.timed.0 += clock.now().saturating_sub(begun);
            self.timed.1 += handled;
        }
        self.count += 1;
        self.together += handled.saturating_sub(1);
        self.left_before = left;
        handled
    }

    /// How long messages take.
    pub(super) fn tell(&self, pace: &mut Pace) {
        let (took, messages) = self.timed;
        if messages > 0 {
            pace.note(took, messages);
        }
    }
}
