//! Who of the shards waits for a place, and who has one: all under the lock of the board.
//!
//! 1. A shard rests, waits, has been *given* a place, or is *placed*. The board counts the place
//!    from the time it is given.
//! 2. Those that wait are given places in the order in which they came. One that may not wait any
//!    longer goes on without.

use crate::executor::board::{Board, How, ShardMay};
use crate::executor::job::Job;
use odeon_core::Message;
use odeon_core::extend::SHARDS;
use std::collections::VecDeque;

/// See the module. `P` is how one that waits goes on: in models not by a pause.
pub(crate) struct WaitingShards<P> {
    all: Box<[ShardState<P>]>,
    waiting: VecDeque<u8>,
    /// Those that are under pressure without messages of their own.
    pressed: Vec<u8>,
    /// How many are given a place, or placed.
    away: usize,
    /// Callers that have a place beside them.
    callers: usize,
}

enum ShardState<P> {
    Rests,
    Waits(P),
    Given(How),
    Placed,
}

impl<P> Default for WaitingShards<P> {
    fn default() -> Self {
        let (waiting, pressed) = (VecDeque::new(), Vec::new());
        Self { all: Box::default(), waiting, pressed, away: 0, callers: 0 }
    }
}

/// What a shard may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardTurn {
    Placed(How),
    Waits,
    Brings,
}

impl<P: Clone> WaitingShards<P> {
    /// The actor has shards.
    pub(in super::super) fn divided() -> Self {
        Self { all: (0..SHARDS).map(|_| ShardState::Rests).collect(), ..Self::default() }
    }

    /// Whether a shard has nothing under way.
    pub(in super::super) fn rests(&self, number: u8) -> bool {
        matches!(self.all[usize::from(number)], ShardState::Rests)
    }

    /// A caller takes a place for its message, if there is one: none of the shards waits for it,
    /// nor has that of its lane what the caller has sent before.
    pub(in super::super) fn begin_callers<M: Message>(
        &mut self,
        job: &Job<M>,
        board: &mut Board<M>,
    ) -> Option<How> {
        let lane = job.lane?;
        let is_free = self.waiting.is_empty() && self.rests(lane.place());
        if !is_free || !board.caller_may(job) {
            return None;
        }
        self.callers += 1;
        Some(board.begin_shard())
    }

    /// A caller gives its place back.
    pub(in super::super) fn finish_callers<M: Message>(&mut self, how: How, board: &mut Board<M>) {
        self.callers -= 1;
        board.finish_shard(how, 0);
    }

    /// How many shards have messages under way.
    pub(in super::super) fn busy(&self) -> usize {
        self.away + self.waiting.len()
    }

    /// How many shards and callers have messages under way.
    pub(in super::super) fn under_way(&self) -> usize {
        self.busy() + self.callers
    }

    /// A shard has messages. If it is to wait, `pause` is how it goes on.
    pub(in super::super) fn begin<M: Message>(
        &mut self,
        number: u8,
        pause: &P,
        board: &mut Board<M>,
    ) -> ShardTurn {
        let state = &mut self.all[usize::from(number)];
        match state {
            ShardState::Given(how) if !board.stops_shards() => {
                let how = *how;
                *state = ShardState::Placed;
                return ShardTurn::Placed(how);
            }
            ShardState::Given(how) => {
                board.finish_shard(*how, 0);
                self.away -= 1;
            }
            ShardState::Waits(_) => return ShardTurn::Waits,
            ShardState::Placed => unreachable!("a shard gives its place back before it begins"),
            ShardState::Rests => {}
        }
        *state = ShardState::Rests;
        match board.shard_may(number) {
            ShardMay::Bring => ShardTurn::Brings,
            ShardMay::Begin if self.waiting.is_empty() => {
                *state = ShardState::Placed;
                self.away += 1;
                ShardTurn::Placed(board.begin_shard())
            }
            ShardMay::Begin | ShardMay::Wait => {
                *state = ShardState::Waits(pause.clone());
                self.waiting.push_back(number);
                board.set_waiting_shards(self.waiting.len());
                ShardTurn::Waits
            }
        }
    }

    /// A shard gives its place back, of whose messages so many came with others.
    pub(in super::super) fn finish<M: Message>(
        &mut self,
        number: u8,
        how: How,
        together: usize,
        board: &mut Board<M>,
    ) {
        self.all[usize::from(number)] = ShardState::Rests;
        self.away -= 1;
        board.finish_shard(how, together);
    }

    /// A shard ends.
    pub(in super::super) fn forget<M: Message>(&mut self, number: u8, board: &mut Board<M>) {
        let Some(state) = self.all.get_mut(usize::from(number)) else { return };
        match std::mem::replace(state, ShardState::Rests) {
            ShardState::Given(how) => {
                board.finish_shard(how, 0);
                self.away -= 1;
            }
            ShardState::Waits(_) => {
                self.waiting.retain(|waiting| *waiting != number);
                board.set_waiting_shards(self.waiting.len());
            }
            ShardState::Rests | ShardState::Placed => {}
        }
    }

    /// Rule 2: who goes on; most often nobody.
    pub(in super::super) fn give<M: Message>(&mut self, board: &mut Board<M>) -> Vec<P> {
        let mut given = Vec::new();
        while let Some(number) = self.waiting.front().copied() {
            let may = board.shard_may(number);
            if may == ShardMay::Wait {
                break;
            }
            self.waiting.pop_front();
            board.set_waiting_shards(self.waiting.len());
            let next = match may {
                ShardMay::Begin => {
                    self.away += 1;
                    ShardState::Given(board.begin_shard())
                }
                _ => ShardState::Rests,
            };
            let before = std::mem::replace(&mut self.all[usize::from(number)], next);
            if let ShardState::Waits(pause) = before {
                given.push(pause);
            }
        }
        given
    }

    /// The actor ends: none of them waits any longer.
    pub(in super::super) fn close(&mut self) -> Vec<P> {
        self.pressed.clear();
        let waiting = self
            .waiting
            .drain(..)
            .map(|number| std::mem::replace(&mut self.all[usize::from(number)], ShardState::Rests));
        waiting
            .filter_map(|state| if let ShardState::Waits(p) = state { Some(p) } else { None })
            .collect()
    }

    /// A shard goes idle under pressure.
    pub(in super::super) fn note_pressed(&mut self, number: u8) {
        if !self.pressed.contains(&number) {
            self.pressed.push(number);
        }
    }

    /// Those that have gone idle under pressure.
    pub(in super::super) fn take_pressed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pressed)
    }
}
